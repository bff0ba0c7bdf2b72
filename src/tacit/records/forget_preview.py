"""What `forget` would delete: each record with its text, its author and what hangs on it. Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.model.failure import Correction
from tacit.model.link import ABOUT, CITES, DERIVED_FROM, Link
from tacit.model.origin import Origin, author_of
from tacit.model.payload import Note
from tacit.model.record import Record
from tacit.model.report import ForgetPreview
from tacit.records.connection import Connection
from tacit.records.forget import whose, with_derived


def forget_preview(c: Connection, ids: Sequence[str], *, derived: bool = False) -> list[ForgetPreview]:
    """Show what `forget` would delete, and change nothing."""
    named = [c.own(c.require(id)).id for id in dict.fromkeys(ids)]
    wanted = with_derived(c, c.store, named) if derived else named
    links = c.store.links(wanted, c.store.scopes(), outgoing=False)
    return [_preview(c, id, [link for link in links if link.target == id], set(wanted)) for id in wanted]


def _preview(c: Connection, id: str, links: Sequence[Link], going: set[str]) -> ForgetPreview:
    versions = c.store.history(id, c.walls)
    record = versions[-1]
    others = [version.origin for version in versions if is_others(c.origin, version.origin)]
    elsewhere = [version.origin for version in versions if _is_elsewhere(c.origin, version.origin)]
    author = next((_name(origin) for origin in reversed(others or elsewhere)), "")

    def sources(relation: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.source for one in links if one.relation == relation and one.source not in going))

    return ForgetPreview(
        id=id, kind=record.kind, text=told_once(record), versions=len(versions), author=author,
        is_others=bool(others), derived=sources(DERIVED_FROM), cited_by=sources(CITES), about_it=sources(ABOUT),
        file=_file(c, record), refused=whose(c, versions),
    )  # fmt: skip


def is_others(own: Origin, origin: Origin) -> bool:
    """Return whether another person of a server wrote something. Old records name the machine only."""
    return bool(own.role) and (origin.role != own.role if origin.role else _is_elsewhere(own, origin))


def _is_elsewhere(own: Origin, origin: Origin) -> bool:
    return bool(origin.host) and origin.host != own.host


def _name(origin: Origin) -> str:
    who = author_of(origin) or origin.actor
    return f"{who} on {origin.host}" if origin.host else who


def told_once(record: Record) -> str:
    """Return the text of a record; its title only where the text does not begin with it."""
    title, body = record.title.strip(), record.body.strip()
    if isinstance(record.payload, Correction):
        return title
    return body if not title or body.startswith(title.rstrip("….")) else f"{title}: {body}" if body else title


def _file(c: Connection, record: Record) -> str:
    path = record.payload.path if isinstance(record.payload, Note) else ""
    return str(c.memdir / path) if path and c.memdir is not None else ""
