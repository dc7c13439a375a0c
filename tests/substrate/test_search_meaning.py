"""What a query finds is what the table says, on whichever database this runs: so both find the same."""

# ruff: noqa: RUF001  letters that look like others are what is tested

from __future__ import annotations

from typing import Final

import pytest
from django.utils import timezone

from neotoma.substrate import search
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.store import open_write

CORPUS: Final = {
    "cafe": "Das Café an der Straße, naïve RÉSUMÉ",
    "plain": "the cafe on the strasse",
    "due": "store drops due_date silently",
    "dates": "payload.due_date and due-date are not the same date",
    "dunder": "def __init__(self): return self._private_value",
    "camel": "const dueDate = parseDueDate(input)",
    "cpp": "std::vector<int> v; C++ and C# and .NET",
    "regex": r"match ^\d+(?:px|em)$ in the style sheet",
    "id": "see ent_0123456789abcdef01234567 and issue #42, v1.2.3",
    "quotes": "He said \"don't\" & 'never' | (maybe) !important <-> a:b*",
    "operators": "and or not near",
    "tokyo": "東京都の天気 は晴れ",
    "kyoto": "京都タワー",
    "phone": "我的iPhone手机壳坏了",
    "korean": "한국어 텍스트를 저장한다",
    "hindi": "हिन्दी भाषा",
    "thai": "ขอบคุณครับ",
    "greek": "ΟΔΥΣΣΕΥΣ και ΣΊΣΥΦΟΣ",
    "turkish": "İstanbul'da ısı",
    "cyrillic": "Съешь ещё этих мягких булок",
    "rocket": "shipped 🚀 by 👩‍💻 ❤️",
    "soft": "Donau\u00addampf\u00adschiff ﬁnal ＦＵＬＬ width",
    "sql": "SELECT * FROM t WHERE x = 'a'; DROP TABLE t; -- 100%",
    "long": "x" * 200,
}

FOUND: Final[dict[str, set[str]]] = {
    # accents, case, forms
    "cafe": {"cafe", "plain"},
    "CAFÉ": {"cafe", "plain"},
    "cafe\u0301": {"cafe", "plain"},
    "strasse": {"cafe", "plain"},
    "STRAẞE": {"cafe", "plain"},
    "naive resume": {"cafe"},
    "οδυσσευς": {"greek"},
    "σισυφος": {"greek"},
    "istanbul": {"turkish"},
    "еще": {"cyrillic"},
    "donaudampfschiff": {"soft"},
    "final full": {"soft"},
    # a star asks for beginnings, of the last word alone
    "donau*": {"soft"},
    "donau": set(),
    "sto dro*": set(),
    "store dro*": {"due"},
    "store dro": set(),
    "*": set(),
    # punctuation separates, in any order
    "date, due": {"due", "dates"},
    "due-date": {"due", "dates"},
    "...": set(),
    "": set(),
    " \t\n": set(),
    # names in code
    "due_date": {"due", "dates"},
    "DUE_DATE": {"due", "dates"},
    "due_da*": {"due", "dates"},
    "duedate": {"camel"},
    "payload.due_date": {"dates"},
    "date_due": set(),
    "__init__": {"dunder"},
    "private": {"dunder"},
    "_private_value": {"dunder"},
    "std::vector<int>": {"cpp"},
    "C++": {"cpp"},
    r"^\d+(?:px|em)$": {"regex"},
    "ent_0123456789abcdef01234567": {"id"},
    "ent_0123*": {"id"},
    "#42": {"id"},
    "v1.2.3": {"id"},
    # operators, quotes and patterns of the databases are plain text
    "\"don't\" & 'never'": {"quotes"},
    "said OR nowhere": set(),
    "NOT near": {"operators"},
    "and or not near": {"operators"},
    "said <-> he": {"quotes"},
    "a:b*": {"quotes"},
    "x = 'a'; DROP TABLE t; --": {"sql"},
    "%": set(),
    "words: said": set(),
    # words that some databases leave out
    "the": {"dates", "plain", "regex"},
    "the cafe on the": {"plain"},
    # scripts without spaces
    "東京": {"tokyo"},
    "京都": {"tokyo", "kyoto"},
    "都": {"tokyo", "kyoto"},
    "手机壳": {"phone"},
    "iphone手机": {"phone"},
    "ﾀﾜｰ": {"kyoto"},
    "텍스트*": {"korean"},
    "हिन्दी": {"hindi"},
    "हिन्द*": {"hindi"},
    "คุณ": {"thai"},
    # signs
    "🚀": {"rocket"},
    "shipped 💻": {"rocket"},
    "❤": {"rocket"},
    "💥": set(),
    # lengths
    "x" * 200: {"long"},
    "x" * 81 + "y": {"long"},
    "x" * 79 + "y": set(),
}


@pytest.fixture
def names(db: None) -> dict[str, str]:
    """By entity id, the name of the text in it."""
    with open_write(SYSTEM, timezone.now()) as write:
        stored = write.put([Draft("text", {"content": text}) for text in CORPUS.values()])
    return {item.entity.pk: name for item, name in zip(stored, CORPUS, strict=True)}


def test_every_query_finds_what_it_means(names: dict[str, str]) -> None:
    found = {query: {names[pk] for pk in search.matching(query)} for query in FOUND}
    assert found == FOUND
    assert len(FOUND) >= 40


def test_every_text_is_found_by_itself(names: dict[str, str]) -> None:
    missing = [name for name, text in CORPUS.items() if name not in {names[pk] for pk in search.matching(text)}]
    assert missing == []


def test_a_type_is_asked_for_apart_from_the_words(names: dict[str, str]) -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        [other] = write.put([Draft("remark", {"content": "the cafe _text"})])
    assert list(search.matching("cafe", entity_types=["remark"])) == [other.entity.pk]
    assert len(search.matching("cafe", entity_types=["remark", "text"])) == 3
    assert list(search.matching("_remark")) == []
    assert list(search.matching("_text")) == [other.entity.pk]
