"""Admit a record: check its limits, encoding and shape, after its secrets are redacted."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Protocol, runtime_checkable

from tacit.errors import NotAdmitted
from tacit.model.event import encode_body
from tacit.model.kinds import fold, kind_of
from tacit.model.link import Link
from tacit.model.payload import Fact, Payload, is_struct
from tacit.model.record import Draft, encode_payload, replace
from tacit.model.settings import Limits
from tacit.text.patterns import lazy_pattern

Redact = Callable[[str], str]
_NOTHING: frozenset[str] = frozenset()
# Not `tuple | list`, which is made again wherever it is written: every field of every record is asked.
_LISTED = (tuple, list)
_NO_TEXT = frozenset({int, bool, float, datetime})
RELATION_CHARS = 200
LINK_PAYLOAD_BYTES = 4_000
MOST_CLAIM_BYTES = 4_000
"""How much a file or a caller may claim about the author of a record."""
# What a terminal or a log viewer would act on.
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f-\x9f]")


@runtime_checkable
class BatchRedact(Protocol):
    """A redactor that can look through many texts at once."""

    def __call__(self, text: str) -> str:
        """Return a text without its secrets."""

    def untouched(self, texts: Iterable[str]) -> Container[str]:
        """Return those of some texts that stay as they are."""


def untouched(drafts: Iterable[Draft], redact: Redact) -> Container[str]:
    """Return the texts of some drafts that the redactor would not change, as far as it knows this at once."""
    if not isinstance(redact, BatchRedact):
        return _NOTHING
    return redact.untouched(chain.from_iterable(map(_texts_of, drafts)))


def _texts_of(draft: Draft) -> Iterator[str]:
    yield from _texts(filter(None, (draft.title, draft.body, draft.key, draft.tags)))
    if draft.payload != _blank(type(draft.payload)):
        yield from _texts([draft.payload])


@cache
def _blank(payload: type[Payload]) -> Payload | None:
    """Return a payload without any value; None if its kind needs some."""
    try:
        return payload()
    except TypeError:
        return None


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif value and isinstance(value, _LISTED):
            yield from _texts(value)
        elif value and isinstance(value, dict):
            yield from _texts([*value, *value.values()])
        elif is_struct(value):
            yield from _texts(filter(None, (getattr(value, name) for name in value.__struct_fields__)))


def admit(draft: Draft, limits: Limits, redact: Redact, untouched: Container[str] = _NOTHING) -> Draft:
    """Return the draft in the form to store. Raises NotAdmitted, which names the field and the limit.

    `untouched` are texts that the redactor is known not to change.
    """
    kind = kind_of(_string("kind", draft.kind))
    if not isinstance(draft.payload, kind.payload):
        raise _refusal("payload", f"a {kind.name} needs a {kind.payload.__name__} payload")
    if _string("status", draft.status) not in kind.statuses:
        raise _refusal("status", f"{draft.status[:40]!r} is not a status of a {kind.name}", kind=kind.name)
    admit_scope(draft.scope, redact)
    check_text("title", draft.title, limits.title_chars)
    check_text("key", draft.key, limits.title_chars)
    check_size("body", draft.body, limits.body_bytes)
    tags = _tags(draft.tags, limits)
    importance = _importance(draft.importance)

    def clean(text: str) -> str:
        return redact(text) if text and text not in untouched else text

    payload = _payload(draft.payload, limits, clean)
    return replace(
        draft, title=clean(draft.title), body=clean(draft.body), key=clean(draft.key),
        tags=tuple(map(clean, tags)), importance=importance, payload=payload,
    )  # fmt: skip


def admit_scope(scope: str, redact: Redact) -> str:
    """Return the name of a scope. A name with a secret is refused: redacting the name would hide the records."""
    if not _is_clean(scope, redact):
        hint = "choose another name; a text that only looks like a secret can be allowed under [redact] in config.toml"
        raise NotAdmitted("the name of this scope contains a secret; nothing was stored", hint, field="scope")
    return scope


@lru_cache(64)  # called before every write, with the same few names
def _is_clean(scope: str, redact: Redact) -> bool:
    return redact(scope) == scope


def admit_relation(relation: object, redact: Redact) -> str:
    """Return the name of a relation in the form to store: one line, without control characters and secrets."""
    name = " ".join(check_text("relation", relation, RELATION_CHARS).split())
    if not name:
        raise _refusal("relation", "a relation needs a name")
    if _CONTROL.search(name):
        raise _refusal("relation", "relation contains a control character")
    return redact(name)


def admit_link(link: Link, redact: Redact) -> Link:
    """Return a link from another memory in the form to store."""
    # NaN is in no range, so it is refused here as well.
    if not 0 <= link.weight <= 1:
        raise _refusal("weight", "the weight of a link must be a number from 0 to 1", limit=1)
    admit_scope(link.scope, redact)
    return replace(
        link, relation=admit_relation(link.relation, redact),
        payload=admit_plain("payload", link.payload, LINK_PAYLOAD_BYTES, redact),
    )  # fmt: skip


def admit_plain(field: str, value: dict[str, Any], most_bytes: int, redact: Redact) -> dict[str, Any]:
    """Return a small plain JSON object in the form to store."""
    if len(encode_body(value)) > most_bytes:
        raise _refusal(field, f"{field} is over {most_bytes:,} bytes", limit=most_bytes)
    cleaned: dict[str, Any] = _value(field, value, most_bytes, redact)
    return cleaned


def check_text(field: str, text: object, most_chars: int) -> str:
    """Check a short text: a string, valid Unicode, no NUL, not too long."""
    text = _string(field, text)
    if len(text) > most_chars:
        raise _refusal(field, f"{field} has {len(text):,} characters; the limit is {most_chars:,}", limit=most_chars)
    _encodable(field, text)
    return text


def check_size(field: str, text: object, most_bytes: int) -> None:
    """Check the size of a long text in bytes. A quick test comes first, so that 1 GB is refused at once."""
    text = _string(field, text)
    size = len(text) if len(text) > most_bytes else len(_encodable(field, text))
    if size > most_bytes:
        raise _refusal(field, f"{field} has {size:,} bytes; the limit is {most_bytes:,}", limit=most_bytes)


def _string(field: str, text: object) -> str:
    if not isinstance(text, str):
        raise _refusal(field, f"{field} must be text, not {type(text).__name__}")
    return text


def _encodable(field: str, text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise _refusal(field, f"{field} contains a lone surrogate: it is not valid Unicode") from None
    if "\x00" in text:
        raise _refusal(field, f"{field} contains a NUL character")
    return data


def _tags(tags: tuple[str, ...], limits: Limits) -> tuple[str, ...]:
    if tags == ():
        return ()
    if not isinstance(tags, tuple | list):
        raise _refusal("tags", f"tags must be a list of texts, not {type(tags).__name__}")
    if len(tags) > limits.tags:
        raise _refusal("tags", f"{len(tags):,} tags; the limit is {limits.tags:,}", limit=limits.tags)
    unique: dict[str, str] = {}
    for tag in tags:
        if cleaned := check_text("tags", tag, limits.tag_chars).strip():
            # Equal tags fold to the same text; the first spelling stays, in its place.
            unique.setdefault(fold(cleaned), cleaned)
    return tuple(unique.values())


def _importance(value: object) -> float:
    # NaN is in no range, so it is refused here as well.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        # A number of a million digits cannot be shown.
        small = isinstance(value, float) or (isinstance(value, int) and abs(value) < 1_000_000)
        shown = str(value) if small else type(value).__name__
        raise _refusal("importance", f"importance must be a number from 0 to 1, not {shown}", limit=1)
    return float(value)


def _payload(payload: Payload, limits: Limits, redact: Redact) -> Payload:
    if payload == _blank(type(payload)):
        return payload
    payload = _value("payload", payload, limits.payload_bytes, redact)
    if isinstance(payload, Fact) and payload.valid_from and payload.valid_to and payload.valid_to < payload.valid_from:
        raise _refusal("valid_to", "valid_to is before valid_from: it would never have been true")
    if len(encode_payload(payload)) > limits.payload_bytes:
        raise _refusal("payload", f"the payload is over {limits.payload_bytes:,} bytes", limit=limits.payload_bytes)
    return payload


def _value(name: str, value: Any, most_bytes: int, redact: Redact) -> Any:
    if isinstance(value, str):
        check_size(name, value, most_bytes)
        return redact(value)
    if isinstance(value, _LISTED):
        return type(value)(_value(name, item, most_bytes, redact) for item in value)
    if isinstance(value, dict):
        return {_value(name, k, most_bytes, redact): _value(name, v, most_bytes, redact) for k, v in value.items()}
    if is_struct(value):
        changed = {}
        for field in value.__struct_fields__:
            one = getattr(value, field)
            if not one or type(one) in _NO_TEXT:
                continue
            if (kept := _value(field, one, most_bytes, redact)) is not one:
                changed[field] = kept
        return replace(value, **changed) if changed else value
    return value


def cleared(value: Any, redact: Redact) -> Any:
    """Return plain values with secrets redacted in all texts and field names."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, tuple | list):
        return type(value)(cleared(item, redact) for item in value)
    if isinstance(value, dict):
        return {cleared(name, redact): cleared(item, redact) for name, item in value.items()}
    return value


def _refusal(field: str, message: str, **details: object) -> NotAdmitted:
    return NotAdmitted(message, "change that field and try again; nothing was stored", field=field, **details)
