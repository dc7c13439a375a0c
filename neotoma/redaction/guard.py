"""The guard itself: run the rules, replace what they find, again until nothing is left to find."""

from collections import Counter
from dataclasses import dataclass

from neotoma.redaction import (
    addresses,
    assignments,
    columns,
    commands,
    flags,
    headers,
    homes,
    identities,
    jwt,
    keys,
    mail,
    markup,
    nearby,
    numbers,
    passfiles,
    phones,
    prose,
    shapes,
    tokens,
    urls,
)  # fmt: skip
from neotoma.redaction.edges import Edges
from neotoma.redaction.rules import Rules
from neotoma.redaction.spans import Span, settle, write
from neotoma.redaction.views import views

# In order of rank: of two overlapping finds the earlier rule's stays.
RULES = Rules((
    keys.find,
    jwt.find,
    tokens.find_vendors,
    tokens.find_infixes,
    urls.find_userinfo,
    headers.find_authorization,
    headers.find_commands,
    headers.find_schemes,
    headers.find_cookies,
    urls.find_parameters,
    passfiles.find,
    columns.find,
    assignments.find,
    markup.find_named,
    markup.find_tags,
    flags.find_flags,
    flags.find_spaced,
    commands.find,
    commands.find_piped,
    prose.find,
    nearby.find,
    prose.find_noted,
    prose.find_pairs,
    prose.find_codes,
    prose.find_phrases,
    urls.find_links,
    numbers.find_ibans,
    numbers.find_cards,
    mail.find,
    mail.find_spelled,
    mail.find_spaced,
    addresses.find_v4,
    addresses.find_v6,
    phones.find,
    identities.find,
    identities.find_lettered,
    identities.find_named,
    homes.find,
    homes.find_tilde,
    homes.find_media,
))  # fmt: skip
# Each pass sees less; ordinary text needs one, text with finds two. More than this is no text.
MOST_PASSES = 8


@dataclass(frozen=True, slots=True)
class Redaction:
    """The text with a marker in place of each find, and how many there were of each kind."""

    text: str
    counts: dict[str, int]


class RedactionFailed(ValueError):
    """The guard could not vouch for the text, so nobody gets it. Never holds the text."""

    error_code = "ERR_REDACTION_FAILED"
    hint = "Send plain text; shorten it or remove unusual nesting."

    def __init__(self, reason: str) -> None:
        super().__init__(f"the text could not be checked for secrets ({reason})")
        self.message = str(self)
        self.details: dict[str, object] = {"reason": reason}


def redact(text: str) -> Redaction:
    """Text without secrets and personal data. Redacting the result again changes nothing.

    Raises RedactionFailed where a rule breaks or the result never settles: the text must then not be kept.
    """
    counts: Counter[str] = Counter()
    for _ in range(MOST_PASSES):
        spans = _spans(text)
        if not spans:
            return Redaction(text, dict(counts))
        text, found = write(text, spans)
        counts += found
    raise RedactionFailed("no end")


def redact_text(text: str) -> str:
    return redact(text).text


def leaks(text: str) -> dict[str, int]:
    """How often each kind still shows; empty means the text may go out. Never the values."""
    return dict(Counter(span.kind for span in _spans(text)))


def _spans(text: str) -> list[Span]:
    try:
        ranked = [] if shapes.ordinary(text) else RULES.find(views(text))
        return settle(map(Edges(text).fit, ranked), len(text)) if ranked else []
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        # Without the cause: its message may quote the text.
        raise RedactionFailed(type(error).__name__) from None
