"""Lists of words, written as running text."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
