"""Texts and documents full of secrets, pieces of secrets, and the signs that surround them."""

from hypothesis import strategies as st

from tests.redaction.corpus import SECRET_NAMES, assignment_rows, lines, structured_rows, unmarked, vendor_tokens

_WHOLE = [
    *vendor_tokens().values(),
    *(row.text for row in structured_rows()),
    *(row.text for name in SECRET_NAMES for row in assignment_rows(name)),
    *(unmarked(line) for line in (*lines("secrets.txt"), *lines("personal.txt"))),
]
_SIGNS = [
    *'"\'\\`={}[]():;,@&?/ \n-<>|$%+*.',
    "\\n", '\\"', "://", "password", "token: ", "[redacted:", "[redacted:email]", "redacted", "%40", "\\u0040",
    "&quot;", "\x1b[31m", "\u200b", "\ufffc", "\ud800", "eyJ", "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "AKIA",
    "tel ", "/home/", "\\u200b", "\\x41", "\\\\n", "%5Cn", "%2520", "&#x20;", "\\u001b[0m", "=3D",
]  # fmt: skip

_whole = st.integers(0, len(_WHOLE) - 1).map(lambda place: _WHOLE[place])
_cut = st.builds(
    lambda text, start, size: text[start : start + size],
    _whole,
    st.integers(0, 40),
    st.integers(1, 200),
)
texts = st.lists(st.one_of(_whole, _cut, st.sampled_from(_SIGNS), st.text(max_size=8)), max_size=8).map("".join)
_plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([4111111111111111, 34600123456, 12345678, -34600123456]),
)  # fmt: skip
documents = st.recursive(
    st.one_of(_plain, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
mappings = st.dictionaries(texts, documents, max_size=3)
