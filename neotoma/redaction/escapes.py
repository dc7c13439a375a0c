"""Characters written as something else: percent signs, backslashes, entities; colours of terminals, marks of quotes."""

import re
from functools import lru_cache

_CONTROLS = {
    "/": "/", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b", "0": "\0",
}  # fmt: skip
_ENTITIES = {"amp": "&", "quot": '"', "apos": "'", "lt": "<", "gt": ">", "commat": "@", "period": ".", "colon": ":"}
_BASES = {"decimal": 10, "octal": 8}
# A run of them from its first.
_SLASHES = r"\\(?<!\\\\)\\{0,30}+"
_HEX = "[0-9A-Fa-f]"
_MORE = rf"%[89ABab]{_HEX}"
_UTF8 = rf"%[CDcd]{_HEX}{_MORE}|%[Ee]{_HEX}{_MORE}{_MORE}|%[Ff]{_HEX}{_MORE}{_MORE}{_MORE}"
_WRITTEN = (
    rf"(?P<colour>(?:\x1b|{_SLASHES}(?:u001[bB]|x1[bB]|033|e))\[[0-9;?]{{0,16}}[A-Za-z]|\[[0-9;]{{1,16}}m)|"
    rf"(?P<bytes>%[2-7]{_HEX}|%0[09ADad]|{_UTF8})"
    rf"|{_SLASHES}(?:u(?P<four>{_HEX}{{4}})|u\{{(?P<braced>{_HEX}{{1,6}})\}}|x(?P<two>{_HEX}{{2}})|U(?P<eight>{_HEX}{{8}})"
    r"|(?P<octal>[0-3][0-7]{2})|(?P<control>[nrtbfvae0/]))|%u(?P<web>[0-9A-Fa-f]{4})"
    rf"|&#(?P<decimal>[0-9]{{2,6}});|&#[xX](?P<hex>{_HEX}{{2,5}});|&(?P<entity>[a-z]{{2,6}});"
    r"|=(?P<mail>3D)|(?P<quoted>>(?<![^\n]>)(?:[ ]?>){0,8}[ ]?)"
)
ESCAPED = re.compile(_WRITTEN)
COLOUR = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")
# What no span may cut in two: percent signs written with percent signs too, and quotes behind backslashes, which the
# rules read as they stand.
WHOLE = re.compile(rf"%(?:25){{1,3}}{_HEX}{{2}}|{_WRITTEN}|{_SLASHES}[\"'`]")
# An escape within a JSON string.
IN_JSON = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|[^u])", re.DOTALL)
_JSON_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def escaped(text: str) -> bool:
    """Whether anything in the text is written as something else."""
    signs = "%" in text or "\\" in text or "&" in text or "[" in text or "=3D" in text or ">" in text
    return signs and ESCAPED.search(text) is not None


@lru_cache(maxsize=4096)
def meaning(escape: str) -> str:
    """What a match of ESCAPED stands for; itself, where that is nothing."""
    found = ESCAPED.fullmatch(escape)
    which = str(found.lastgroup) if found else ""
    if found is None or which in ("colour", "quoted"):
        return ""
    value = found[which]
    if which == "bytes":
        return bytes.fromhex(value.replace("%", "")).decode("utf-8", "replace")
    if which == "control":
        return _CONTROLS[value]
    if which == "entity":
        return _ENTITIES.get(value, escape)
    code = int(value, _BASES.get(which, 16))
    return chr(code) if code < 0x110000 else escape


def json_meaning(escape: str) -> str:
    """What a match of IN_JSON stands for."""
    return chr(int(escape[2:], 16)) if escape[1] == "u" else _JSON_CONTROLS.get(escape[1], escape[1])
