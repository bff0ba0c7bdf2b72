"""Parse drafts: turn a caller's mapping into a typed draft, or raise a usage error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from tacit.errors import UsageError
from tacit.model.kinds import Kind, fold, kind_of
from tacit.model.record import Draft
from tacit.model.scope import Scope
from tacit.model.timestamps import parse_time
from tacit.records.connection import Connection

OWN_VERBS = {
    "procedure": "record it: `tacit procedure record`",
    "run": "a run is created by `tacit procedure replay`",
    "failure": "capture it: `tacit learn capture`",
    "correction": "say it: `tacit learn correction`",
    "session": "import it: `tacit sessions import`",
    "recap": "recaps are made of sessions: `tacit recap`",
    "episode": "start it: `tacit episode start`",
    "pattern": "patterns are learned from many episodes: `tacit episode learn`",
    "heuristic": "heuristics are learned from successful patterns: `tacit episode learn`",
    "receipt": "a receipt is created by `tacit episode search --receipt`",
    "job": "a job is created when an episode is completed",
    "lesson": "add it: `tacit lesson add`",
    "skill": "add it: `tacit skill add`",
    "persona": "add it: `tacit persona add`",
    "team": "add it: `tacit team add`",
}
# What only a sync of the memory directory says about a note.
_SHADOW = frozenset({"path", "top"})
_COMMON = frozenset({"kind", "title", "body", "key", "status", "tags", "importance", "at", "scope", "namespace"})


def entity_key(kind: str, name: str) -> str:
    """Return the key of an entity, which is unique inside its scope."""
    return f"{fold(kind)}/{fold(name)}"


def entity_of(value: Any) -> tuple[str, str]:
    """Parse the entity of a fact: kind and name, as a pair or written `kind/name`."""
    parts = value.split("/", 1) if isinstance(value, str) else value
    match parts:
        case [str(kind), str(name)] if kind.strip() and name.strip():
            return kind, name
    shown = repr(value[:80]) if isinstance(value, str) else f"this {type(value).__name__}"
    raise UsageError(f"{shown} does not name an entity by kind and name", "for example service/staging-api")


def draft_from(c: Connection, item: Mapping[str, Any], narrowed: Callable[[str, str], Connection]) -> Draft:
    """Turn one item of `add_many` into a draft: the common fields, and the fields of its kind.

    `narrowed` returns the connection of a scope and a namespace.
    """
    kind = _kind(item)
    own = _own_fields(kind.name)
    if unknown := sorted(item.keys() - _COMMON - own - {"entity_kind"}):
        raise UsageError(f"a {kind.name} has no field {unknown[0]!r}", f"fields: {', '.join(sorted(_COMMON | own))}")
    where = narrowed(_text(item, "scope"), _text(item, "namespace"))
    c.writes(str(where.scope))
    payload = {name: item[name] for name in item if name in own}
    title, key = item.get("title", ""), item.get("key", "")
    if kind.name == "entity":
        # Taken out before a name is folded into a key: the redactor could not know a folded secret.
        title = c.redact(_text(item, "name") or _text(item, "title"))
        payload = {"kind": c.redact(_text(item, "entity_kind") or "thing"), "name": title}
        key = entity_key(payload["kind"], title)
    elif kind.name in ("term", "namespace"):
        name = "term" if kind.name == "term" else "name"
        payload[name] = title = c.redact(_text(item, name) or _text(item, "title"))
        key = fold(title)
    if kind.name in ("entity", "term", "namespace"):
        _check_name(kind.name, title, where.scope)
    for name in ("valid_from", "valid_to"):
        if payload.get(name) is not None:
            payload[name] = parse_time(payload[name], name)
    try:
        return Draft(
            kind=kind.name, scope=str(where.scope), title=title, body=item.get("body", ""), key=key,
            status=item.get("status", "active"), tags=tags_of(item.get("tags", ())),
            importance=item.get("importance", 0.5),
            at=parse_time(item["at"]) if item.get("at") is not None else None,
            payload=msgspec.convert(payload, type=kind.payload),
        )  # fmt: skip
    except msgspec.ValidationError as error:
        raise UsageError(f"that is not a {kind.name}: {error}", "see docs/formats.md for its fields") from None


@cache
def _own_fields(kind: str) -> frozenset[str]:
    """Return the fields that an item of a kind may have beyond the common ones."""
    fields = frozenset(kind_of(kind).payload.__struct_fields__) - {"kind"}
    return fields - _SHADOW if kind == "note" else fields


def _kind(item: Mapping[str, Any]) -> Kind:
    """Return the kind of an item; kinds that have their own verbs are refused."""
    if not (isinstance(item, Mapping) and isinstance(item.get("kind"), str) and all(isinstance(k, str) for k in item)):
        raise UsageError("each item needs a kind", 'for example {"kind": "note", "body": "…"}')
    kind = kind_of(item["kind"])
    if kind.name in OWN_VERBS:
        raise UsageError(f"a {kind.name} is not added as a plain record", OWN_VERBS[kind.name])
    return kind


def _check_name(kind: str, name: str, scope: Scope) -> None:
    """Refuse an item without a name, and a namespace with an invalid name."""
    if not name.strip():
        raise UsageError(f"a {kind} needs a name", "pass it as `title`")
    if kind == "namespace":
        scope.within(name)


def _text(item: Mapping[str, Any], name: str) -> str:
    """Return a field that must be text, or raise a usage error."""
    value = item.get(name) or ""
    if not isinstance(value, str):
        raise UsageError(f"{name} must be text, not {type(value).__name__}", "see docs/formats.md for the fields")
    return value


def tags_of(value: Any) -> tuple[str, ...]:
    """Check a caller's tags: a list of strings."""
    if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
        raise UsageError("tags must be a list of texts", 'for example tags=["network"]')
    return tuple(value)
