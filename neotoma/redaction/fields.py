"""The guard over a nested structure: every string in it, keys included."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from neotoma.redaction import values
from neotoma.redaction.guard import RedactionFailed, redact
from neotoma.redaction.names import secrecy
from neotoma.redaction.spans import MARKER, marker

DEEPEST = 64


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
            result[key] = self.value(value, f"{path}.{key}" if path else key, str(name), depth + 1)
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
            return [self.value(item, f"{path}[{i}]", name, depth + 1) for i, item in enumerate(value)]
        return value

    def text(self, text: str, path: str, name: str = "") -> str:
        """A value under a secret's name goes whole, whatever it looks like."""
        secret = secrecy(name) if name else None
        whole = MARKER.search(text) is None
        if secret is not None and whole and values.hideable(text, secret, quoted=True, stated=True):
            self.counts[secret.kind] += 1
            self.names.append(path)
            return marker(secret.kind)
        clean = redact(text)
        if clean.text != text:
            self.counts.update(clean.counts)
            self.names.append(path)
        return clean.text


def redact_fields(fields: Mapping[str, object]) -> RedactedFields:
    """A copy without secrets and personal data. Raises RedactionFailed as `redact` does, and for depth over 64."""
    walk = _Walk()
    clean = walk.mapping(fields, "", 0)
    return RedactedFields(clean, dict(walk.counts), tuple(walk.names))
