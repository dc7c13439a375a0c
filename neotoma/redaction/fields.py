"""The guard over a nested structure: every string in it, keys included."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from neotoma.redaction import values
from neotoma.redaction.guard import Redaction, RedactionFailed, redact
from neotoma.redaction.names import secrecy
from neotoma.redaction.quotes import is_json
from neotoma.redaction.spans import MARKER, marker

DEEPEST = 64
# Names under which a bare value means more, or (a version) less, than it would alone.
_TELLING = (
    "authorization",
    "cookie",
    "phone",
    "tel",
    "fax",
    "mobile",
    "m\u00f3vil",
    "whatsapp",
    "ssn",
    "version",
    "release",
)


@dataclass(frozen=True, slots=True)
class RedactedFields:
    """The redacted copy, counts by kind, and the paths that changed, such as `meta.items[2].note`."""

    fields: dict[str, object]
    counts: dict[str, int]
    names: tuple[str, ...]


@dataclass(slots=True)
class _Walk:
    counts: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)

    def mapping(self, fields: Mapping[str, object], path: str, depth: int) -> dict[str, object]:
        result: dict[str, object] = {}
        for name, value in fields.items():
            key = self._key(str(name), path, result)
            result[key] = self.value(value, f"{path}.{key}" if path else key, _meant(str(name), fields), depth + 1)
        return result

    def _key(self, name: str, path: str, taken: Mapping[str, object]) -> str:
        """The redacted key; two that become the same stay apart by a number."""
        key = self.text(name, f"{path}.(key)" if path else "(key)")
        number, free = 1, key
        while free in taken:
            number += 1
            free = f"{key} ({number})"
        return free

    def value(self, value: object, path: str, name: str, depth: int) -> object:
        if depth > DEEPEST:
            raise RedactionFailed("nested too deeply")
        if isinstance(value, str):
            return self.text(value, path, name)
        if isinstance(value, Mapping):
            return self.mapping(value, path, depth)
        if isinstance(value, list | tuple):
            # A header may come as a list of two: its name, its value.
            named = _announced(value[0]) if len(value) == 2 and isinstance(value[0], str) else name
            return [self.value(item, f"{path}[{i}]", named if i else name, depth + 1) for i, item in enumerate(value)]
        return value

    def text(self, text: str, path: str, name: str = "") -> str:
        clean = _in_context(text, name)
        if clean.text != text:
            self.counts.update(clean.counts)
            self.names.append(path)
        return clean.text


def _meant(name: str, fields: Mapping[str, object]) -> str:
    """In `{"name": "DB_PASSWORD", "value": X}` the name of X is DB_PASSWORD."""
    given = fields.get("name", fields.get("key"))
    meant = given if name == "value" and isinstance(given, str) else name
    return _announced(meant)


def _announced(name: str) -> str:
    """The name, if it is one: what was itself redacted says nothing of its value."""
    return "" if "redacted" in name and MARKER.search(name) else name


def _in_context(text: str, name: str) -> Redaction:
    """The text redacted as what it is: the value under that name, as if written `name: value`."""
    secret = secrecy(name) if name else None
    if secret is not None and MARKER.search(text) is None and values.hideable(text, secret, quoted=True, stated=True):
        return Redaction(marker(secret.kind), {secret.kind: 1})
    if name.lower().removesuffix("s").endswith(_TELLING) and not is_json(text):
        clean = redact(f"{name}: {text}")
        if clean.text.startswith(f"{name}: "):
            return Redaction(clean.text[len(name) + 2 :], clean.counts)
    return redact(text)


def redact_fields(fields: Mapping[str, object]) -> RedactedFields:
    """A copy without secrets and personal data. Raises RedactionFailed as `redact` does, and for depth over 64."""
    walk = _Walk()
    clean = walk.mapping(fields, "", 0)
    return RedactedFields(clean, dict(walk.counts), tuple(walk.names))
