"""Rules, and what a text must show before one reads it: a cheap question that spares ordinary text most of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from neotoma.redaction.hints import VOCABULARY
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

Finder = Callable[[View], Iterator[Span]]

# Signs that are no words: seven digits in a row, or nearly so, and a word long enough for a token.
NUMBER, LONG_WORD = "a number", "a long word"


class Rule(NamedTuple):
    """Finds something only in views that show one of its signs: text in lower case, or one of the two above."""

    find: Finder
    signs: frozenset[str]


def shown_by(*signs: str) -> Callable[[Finder], Rule]:
    """Makes a rule of a function, which is then called only for views that show one of the signs."""
    return lambda find: Rule(find, frozenset(signs))


class Rules:
    """Rules in order of rank. Looks for the signs of all of them at once: may see one too many, never one too few."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        signs = {sign for rule in self._rules for sign in rule.signs}
        self._others = tuple(signs - VOCABULARY.words - {NUMBER, LONG_WORD})

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def find(self, views: Iterable[View]) -> list[list[Span]]:
        """What each rule that finds anything finds in all the readings of a text, best rank first."""
        found: dict[int, list[Span]] = {}
        for view in views:
            shown = self.signs(view)
            for rank, rule in enumerate(self._rules) if shown else ():
                if not rule.signs.isdisjoint(shown):
                    for span in rule.find(view):
                        found.setdefault(rank, []).append(view.at_source(span))
        return [found[rank] for rank in sorted(found)]

    def signs(self, view: View) -> set[str]:
        """The signs that the view shows."""
        shown = {word for _, word in view.words}
        shown.update(sign for sign in self._others if sign in view.lower)
        if view.numbers:
            shown.add(NUMBER)
        if view.long_words:
            shown.add(LONG_WORD)
        return shown
