"""The strict forms of a git revision that a stranger may name (pure).

git reads a "branch" called `--upload-pack=PROG` as an option and `a..b` or `@{u}` as a question. A reporter's
revision is therefore checked when it is submitted and again before git sees it. The forms are narrower than git's
own: every character that a shell, a range or a reflog could read is out.
"""

from __future__ import annotations

import re

MAX_REF_BYTES = 255

# An abbreviation shorter than seven digits is a guess; 40 is SHA-1 and 64 SHA-256.
_SHA = re.compile(r"[0-9a-fA-F]{7,40}|[0-9a-fA-F]{64}")

# Word characters (letters of any script, digits, underscore) first, so that nothing looks like an option.
_REF = re.compile(r"\w[\w./+@#-]*")
_REF_TRAPS = ("..", "@{", "//", "/.", "/-", "./")


def valid_sha(text: str) -> bool:
    """True for 7 to 40, or exactly 64, hexadecimal digits and nothing around them."""
    return _SHA.fullmatch(text) is not None


def valid_ref(name: str) -> bool:
    """True for a branch or tag name that no command line, range or reflog syntax can misread."""
    if len(name.encode("utf-8", "surrogatepass")) > MAX_REF_BYTES or _REF.fullmatch(name) is None:
        return False
    if any(trap in name for trap in _REF_TRAPS):
        return False
    return not name.endswith(("/", ".")) and not any(part.endswith(".lock") for part in name.split("/"))
