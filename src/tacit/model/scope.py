"""Scopes: the walls between records, and the scopes that a connection can read."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from tacit.errors import UsageError

_KINDS = ("user", "project", "team", "skill")
SCOPE_KINDS = ("global", *_KINDS)
# An id may contain what remotes and paths contain, but no whitespace, control characters or lone surrogates;
# `/namespace:` ends it.
_ID = re.compile(r"[^\s\x00-\x1f\x7f\ud800-\udfff]{1,400}")
_NAME = re.compile(r"[^\s/\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_NAMESPACE = "/namespace:"


class Scope(msgspec.Struct, frozen=True):
    """One scope: `global`, `user:<id>`, `project:<id>`, `team:<id>`, `skill:<id>`, optionally a namespace inside it."""

    kind: str
    id: str = ""
    namespace: str = ""

    def __str__(self) -> str:
        base = f"{self.kind}:{self.id}" if self.id else self.kind
        return f"{base}{_NAMESPACE}{self.namespace}" if self.namespace else base

    @property
    def base(self) -> Scope:
        """The scope without its namespace."""
        return Scope(self.kind, self.id)

    def within(self, name: str) -> Scope:
        """Return the namespace `name` inside this scope."""
        if self.namespace:
            raise UsageError(f"{self} is already a namespace; namespaces do not nest", "open its scope instead")
        if not _NAME.fullmatch(name):
            hint = "use 1 to 200 characters, without spaces or slashes"
            raise UsageError(f"{name[:80]!r} cannot be the name of a namespace", hint)
        return Scope(self.kind, self.id, name)

    def holds(self, other: Scope) -> bool:
        """Return whether reading this scope includes `other`: itself, or a namespace inside it."""
        return other == self or (not self.namespace and other.base == self)


def parse_scope(text: str, user: str = "") -> Scope:
    """Parse a scope; `user` alone means the caller's own."""
    base, sep, namespace = text.partition(_NAMESPACE)
    kind, colon, ident = base.partition(":")
    if kind == "user" and not colon:
        ident = user
    good = (base == "global") if kind == "global" else kind in _KINDS and bool(_ID.fullmatch(ident))
    if not good or (sep and not _NAME.fullmatch(namespace)):
        raise UsageError(
            f"{text[:80]!r} is not a scope",
            "use global, user, user:<id>, project:<id>, team:<id> or skill:<id>, optionally with /namespace:<name>",
        )
    return Scope(kind, ident, namespace)


def also_readable(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """Check scopes that are to be read beside another one, and return them."""
    found = tuple(scopes)
    if wrong := [str(scope) for scope in found if scope.kind not in ("team", "skill")]:
        raise UsageError(f"{wrong[0]} cannot be read together with another scope", "only teams and skills can")
    return found


def readable(scope: Scope, user: str, extra: tuple[Scope, ...] = ()) -> tuple[Scope, ...]:
    """List the scopes that a connection reads: its own with its namespaces, its user, global, and named scopes."""
    seen = [scope, Scope("user", user), Scope("global"), *extra]
    return tuple(dict.fromkeys(seen))
