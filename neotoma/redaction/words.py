"""Lists of words, written as running text, and the search for all of them at once."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def any_of(literals: Iterable[str]) -> str:
    """One pattern for many literals, longest first, branching letter by letter: the engine tries few of them."""
    branches: dict[str, list[str]] = defaultdict(list)
    for literal in literals:
        branches[literal[:1]].append(literal[1:])
    optional = "" in branches
    parts = [re.escape(first) + any_of(rest) for first, rest in sorted(branches.items()) if first]
    if not parts:
        return ""
    return ("(?:" + "|".join(parts) + ")" if len(parts) > 1 or optional else parts[0]) + ("?" if optional else "")


class Vocabulary:
    """Words to look for in a text, all at the cost of one."""

    def __init__(self, known: Iterable[str]) -> None:
        self.words = frozenset(known)
        self._search = re.compile(any_of(self.words)).search
        self._begun_by = {
            word: sorted((other for other in self.words if word.startswith(other)), key=len, reverse=True)
            for word in self.words
        }

    def find(self, text: str) -> Iterator[tuple[int, str]]:
        """Where each word begins, wherever one does; the longer first."""
        found = self._search(text)
        while found is not None:
            at = found.start()
            for word in self._begun_by[found[0]]:
                yield at, word
            found = self._search(text, at + 1)
