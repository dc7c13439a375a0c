"""What the sorts of report say (data): one pattern a line, over folded text, each bounded."""

from __future__ import annotations

import re

from triage.schemas import Classification

_BUG = r"""
traceback \(most recent
\bcrash\w{0,3}\b
\bbroken?\b
\bfail(?:s|ed|ing|ure)?\b
\berrors?\b
\bexception\b
\bregression\b
\bwrong(?:ly)?\b
\bincorrect(?:ly)?\b
\bunexpected(?:ly)?\b
does(?:n't| not) work
expected (?:behaviou?r|result|output)
actual (?:behaviou?r|result|output)
steps to reproduce
\bdrop(?:s|ped)\b
\blos(?:es|t)\b
\bmissing\b
\bignored\b
\bcorrupt\w{0,4}
instead of
\breturns? (?:none|null|nothing|500)\b
\bbug\b
\bpanic(?:s|ked)?\b
"""

_PERFORMANCE = r"""
\bslow(?:er|ly|ness)?\b
\bperformance\b
\blatency\b
takes? (?:over |about |up to |around )?\d[\d.,]{0,8} ?(?:s|sec|seconds|min|minutes|ms)\b
\btime[sd]? out\b
\btimeouts?\b
memory (?:leak|usage|grows)
\bcpu\b
n\+1
\bthroughput\b
\bp9[59]\b
\bo\(n
\bhangs?\b
\d{1,4} ?(?:x|times) (?:slower|faster|longer)
full (?:table )?scan
\bbottleneck\b
"""

_ENHANCEMENT = r"""
\bfeature request\b
would be (?:nice|great|good|useful|helpful)
\bplease (?:add|support|allow)\b
\badd (?:support|an? (?:option|way|flag|parameter|setting))
^(?:add|support|allow|offer|introduce)\b
\bsupport for\b
\bi(?:'d| would) (?:like|love)\b
\bproposal\b
\bsuggest(?:ion)?\b
\bwish(?:list)?\b
\benhancement\b
\ballow (?:users?|agents?|us|me|to|the)\b
should (?:be able to|support|allow|offer)
no way to
\bmissing capability\b
\bimprove(?:ment)?\b
"""

_QUESTION = r"""
^how (?:do|can|should|would|to)\b
\bhow (?:do|can|should) (?:i|we|you|one)\b
^(?:is|are|does|do|can|what|which|why|where|when|should)\b[^\n]{0,200}\?
\bis (?:it|there) (?:possible|a way|any way)\b
\bquestion\b
\bwondering\b
\bnot sure (?:how|if|whether|what)\b
\bwhat is the (?:right|recommended|best)\b
\bclarif(?:y|ication)\b
\bwhere (?:is|are|can i find)\b[^\n]{0,80}document
"""

_SECURITY = r"""
vulnerab(?:le|ilit(?:y|ies))
cve-\d{4}-\d{3,7}
(?:sql|command|code|shell|template|header) injection
(?:remote|arbitrary) (?:code|command)\w? execution
(?:execute|run|read|write|overwrite)s? arbitrary (?:code|command|file)s?
\b(?:rce|xss|csrf|ssrf|xxe|idor|redos)\b
cross-site
(?:path|directory) traversal
privilege escalation
(?:auth\w{0,12}|permission|access control|redaction|sandbox)(?: check)? (?:can be )?bypass
bypass\w{0,3} (?:the )?(?:auth\w{0,12}|permission\w?|access control|redaction|sandbox)
without (?:any )?(?:authentication|authori[sz]ation)
(?:leak|expos|disclos)\w{0,4} (?:\w{1,10} ){0,3}(?:secret|token|password|credential|private key|api key|session)
(?:secret|token|password|credential|private key|api key)s? (?:\w{1,10} ){0,3}(?:leak|expos|logged|in plain ?text)
(?:read|see|access|open)s? (?:another|other|someone else'?s?|any) (?:user|tenant|guest|reporter|person)
\bzip slip\b
timing attack
open redirect
denial of service
unsafe deseriali[sz]ation
hard-?coded (?:secret|password|credential|key)
"""


def _patterns(block: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line, re.MULTILINE) for line in block.strip().splitlines())


PHRASES: dict[Classification, tuple[re.Pattern[str], ...]] = {
    "bug": _patterns(_BUG),
    "performance": _patterns(_PERFORMANCE),
    "enhancement": _patterns(_ENHANCEMENT),
    "question": _patterns(_QUESTION),
    "security": _patterns(_SECURITY),
}

TEST_TITLE = re.compile(
    r"\W{0,4}(?:(?:this is |just )?(?:a |an )?(?:smoke |e2e |end-to-end |integration |live |dummy |manual )?"
    r"test(?:ing)?(?: issue| report| submission| ticket| post| flow| only| run)?[\W\d]{0,12}"
    r"(?:(?:please |pls )?(?:ignore|disregard|delete|close)(?: me| this)?)?|"
    r"(?:please |pls )?(?:ignore|disregard)(?: this)?[\s:,-]{0,4}test(?:ing)?)\W{0,4}"
)

# Said right before a phrase, this takes it back.
DENIED = re.compile(r"\b(?:not|no|isn't|without|never|neither)\b(?: \w{1,12}){0,2} $")
