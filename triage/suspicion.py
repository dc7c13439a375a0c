"""Text that talks to the machinery instead of describing a problem (pure).

Patterns never decide what is obeyed: nothing in an issue is an instruction. They decide that a person looks before
anything runs, and they tell that person what was asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from triage.boundary import visible, without_hidden
from triage.schemas import Report, Suspicion
from triage.text import MAX_TEXT

MAX_EXCERPT = 160
_GAP = r"[^.\n]{0,60}?"

# Cyrillic and Greek letters that pass for Latin ones.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u043c\u0442"
    "\u03b1\u03bf\u03bd\u03c1\u03b9\u03ba\u03c4\u03c5\u03b5",
    "aeopcyxijshdqwkmtaovpiktue",
)

_SUSPECT: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "overrides instructions",
            rf"\b(?:ignore|disregard|forget|override|bypass)\b{_GAP}\b(?:previous|prior|above|earlier|all|your|system)\b"
            rf"{_GAP}\b(?:instruction|prompt|rule|guideline|polic|context|safeguard|gate)",
        ),
        (
            "addresses the maintainer's machinery",
            r"\b(?:note|message|instruction|attention|dear|hey|hello|to)s?\b[ ,:]{1,3}(?:\w{1,12} ){0,3}"
            r"(?:the )?(?:maintainer'?s? |triage |coding |review )?"
            r"(?:agent|assistant|llm|ai model|language model|formica|daemon|bot)\b",
        ),
        (
            "assigns a role",
            r"\b(?:you are now|act as|pretend to be|from now on,? you|new system prompt|system prompt:)",
        ),
        (
            "asks for the environment",
            rf"\b(?:print|dump|post|send|show|paste|include|output|echo|reveal|leak|exfiltrate|upload)\b{_GAP}"
            rf"\b(?:your|the|its|all|full|process|server)\b{_GAP}\b(?:environment|env\b|environ|secrets?\b|credentials?|"
            r"api keys?|access tokens?|private keys?|system prompt)",
        ),
        (
            "reads the environment",
            r"(?:^|[\s`;|(])(?:printenv\b|env\s*\||cat\s+[^\s|]{0,80}(?:\.env\b|id_rsa|/etc/shadow))",
        ),
        (
            "changes a switch",
            rf"\b(?:set|turn|switch|flip|enable|disable|change|make|configure)\b{_GAP}\b"
            r"(?:auto[_ -]?fix|dry[_ -]?run|reporting[_ -]?mode|max_prs_per_hour|dirty_tree_policy|daemon_config)\b",
        ),
        (
            "assigns a switch",
            r"\b(?:auto_fix|dry_run|reporting_mode)\b\s{0,3}[:=]\s{0,3}[\"']?(?:on|off|true|false|proactive|consent)\b",
        ),
        (
            "gives a maintainer's order",
            r"(?:^|[\n;])\s{0,8}/(?:shipit|approve|resume|pause|reject)\b|--no-verify\b|"
            r"\bpush\b[^.\n]{0,30}\b(?:to|on) (?:main|master)\b|"
            r"\b(?:merge|approve|ship|publish)\b[^.\n]{0,20}\b(?:without|skip\w*)\b[^.\n]{0,20}\b(?:review|asking|approval|gates?|tests?)\b",
        ),
        ("pipes a download into a shell", r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,3}(?:sudo )?(?:ba|z|da)?sh\b"),
        (
            "closes its own frame",
            r"(?:^|\n)[ \t]{0,8}(?:[-=#<>*\[_~ ]{2,20})(?:/|end|stop|close)[ _-]{0,3}(?:of[ _-])?(?:the[ _-])?"
            r"(?:issue|body|report|data|user|untrusted|input|text|message|document|file|quote|boundary)\b|"
            r"</(?:issue|body|report|data|user_?input|untrusted|document|system|message)>|>>>data\b|\[/?inst\]|<\|[a-z_]{2,20}\|>",
        ),
    )
)


def suspicions(report: Report) -> tuple[Suspicion, ...]:
    """Each sort of suspicious text once, over everything that strangers wrote on the thread."""
    return tuple(_found(report.untrusted_text))


def _found(text: str) -> Iterator[Suspicion]:
    text = text[: 4 * MAX_TEXT]
    plain = _aloud(text)
    for name, pattern in _SUSPECT:
        match = pattern.search(plain)
        if match is not None:
            yield Suspicion(name=name, excerpt=_excerpt(plain, match))
    if _hides_text(text):
        yield Suspicion(name="hides text", excerpt=_excerpt_hidden(text))


def _aloud(text: str) -> str:
    """Folded as it would be read aloud: hidden letters gone, look-alikes unified, single blanks."""
    plain = unicodedata.normalize("NFKC", without_hidden(text)).casefold().translate(_LOOKALIKES)
    return re.sub(r"[ \t\u00a0]+", " ", plain)


def _excerpt(plain: str, match: re.Match[str]) -> str:
    return " ".join(visible(plain[match.start() : match.start() + MAX_EXCERPT]).split())


# Tag characters and direction overrides have no honest use in a report; a joiner inside an emoji has.
_COVERT = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]|[\u200b\u2060\ufeff]{3,}")


def _hides_text(text: str) -> bool:
    return _COVERT.search(text) is not None


def _excerpt_hidden(text: str) -> str:
    match = _COVERT.search(text)
    start = max(0, match.start() - 20) if match is not None else 0
    return visible(text[start : start + 40])[:MAX_EXCERPT]
