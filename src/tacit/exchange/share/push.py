"""Push: write what changed here into a shared folder, below this home's own writer, and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from tacit.errors import UsageError
from tacit.exchange.share.accepted import chosen_folders, open_folder, share_command, share_home
from tacit.exchange.share.chunk import SCHEMA, Chunk, ChunkHeader, line_of
from tacit.exchange.share.folder import read_folder, remove_chunks, write_chunks
from tacit.exchange.share.home import AcceptedFolder, ShareHome, ShareKey
from tacit.exchange.share.plan_push import PushPlan, PushPlanning
from tacit.model.event import SCOPE_MOVED, SCOPES
from tacit.model.kinds import ALL_STATUSES
from tacit.model.query import Filter
from tacit.model.timestamps import stamp
from tacit.model.transfer import PushReport
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.text.plural import plural

MOST_OWN_CHUNKS = 64
"""With more chunks than this, a push puts all of its own together."""
_LINES, _BYTES = 1_000, 4_000_000
SharedDir = Annotated[
    str | Path | None, arg("The shared folder; all folders that were accepted here if not given.", metavar="DIR")
]


def push(c: Connection, folder: SharedDir = None) -> list[PushReport]:
    """Write what changed in the scopes that a person named into the shared folders. No git and no network."""
    home = share_home(c)
    found = chosen_folders(home, folder)
    pushing = [one for one in found if one.pushes]
    if not pushing:
        raise UsageError(f"{found[0].path} was accepted for reading only", f"`tacit share init {found[0].path}` shares")
    return [push_folder(c, home, one) for one in pushing]


def push_folder(c: Connection, home: ShareHome, folder: AcceptedFolder, *, news_only: bool = False) -> PushReport:
    """Push to one folder. With `news_only`, nothing is read if nothing was written here since the last push."""
    head = c.store.head()
    with home.using(folder) as folder:
        state = home.state(folder.id)
        if news_only and state.head == head:
            return PushReport(path=folder.path, unchanged=len(state.records))
        path, me, key = open_folder(folder), home.writer(), home.signing_key()
        content = read_folder(path, folder.id, me, home.keys())
        plan = PushPlanning(c, state, content.statements, me).all(folder)
        _write(path, folder.id, me, key, content.own, plan, may_replace=bool(state.records))
        state.records |= plan.agreed
        state.head = head
        home.keep_state(folder.id, state)
        home.keep_folder(msgspec.structs.replace(folder, pushed_at=stamp(c.clock.now())))
    removed = sum(1 for told in plan.said.values() if told.removed)
    return PushReport(
        path=folder.path, written=len(plan.said) - removed, removed=removed, unchanged=plan.unchanged,
        held_back=tuple(plan.held_back), private=dict(plan.private), skipped=content.skipped,
        notices=tuple(_notices(c, folder, plan, me)),
    )  # fmt: skip


def _notices(c: Connection, folder: AcceptedFolder, plan: PushPlan, me: str) -> Iterator[str]:
    """Say what the counts do not: what was renamed, what others keep, and which scope is empty since it moved."""
    for (old, new), count in sorted(Counter(plan.renamed.values()).items()):
        others = share_command("accept", "DIR", new)
        yield f"{plural(count, 'record')} of {old} written anew as {new}, where they moved; others can `{others}`"
    if kept := sum(1 for told in plan.said.values() if told.removed and told.author != me):
        yield f"{kept:,} of the removed came from another home: it is removed here only, other homes keep it"
    if plan.waiting:
        yield f"{plural(plan.waiting, 'record')} in the folder already: `tacit share pull` first"
    for scope, target in _moved_away(c, folder):
        yield (
            f"{scope} has no records any more: they went to {target}; "
            f"`{share_command('init', folder.path, target)}` shares that scope, a person can run it"
        )


def _moved_away(c: Connection, folder: AcceptedFolder) -> Iterator[tuple[str, str]]:
    """Return the scopes the folder was named for that are empty, each with the one its records moved to."""
    there = {one: Filter(scopes=(one,), statuses=ALL_STATUSES) for one in folder.scopes}
    empty = [one for one, where in there.items() if not c.store.find(where, limit=1).records]
    if not empty:
        return
    moves = c.store.events(subject=SCOPES, types=(SCOPE_MOVED,))
    went = dict(pair for move in moves for pair in (move.payload or {}).get("scopes", ()))
    yield from ((scope, went[scope]) for scope in empty if scope in went and went[scope] not in folder.scopes)


def _write(
    path: Path, folder: str, me: str, key: ShareKey | None, own: Sequence[Chunk], plan: PushPlan, *,
    may_replace: bool,
) -> None:  # fmt: skip
    """Write new chunks. That of a removed or renamed record, and those after it, are written anew without it."""
    stale = {id for id, told in plan.said.items() if told.removed} | plan.renamed.keys()
    first = next((at for at, chunk in enumerate(own) if stale & chunk.statements.keys()), len(own))
    key_id = key.id if key else ""
    if may_replace and (len(own) >= MOST_OWN_CHUNKS or any(chunk.header.key != key_id for chunk in own)):
        first = 0
    kept, old = own[:first], own[first:]
    # Only what this home itself stands for is said again: somebody else could have put a chunk there.
    made = ((id, plan.own[id]()) for chunk in old for id in chunk.statements if id in plan.own)
    again = {id: told for id, told in made if told is not None}
    lines = [line_of(id, told) for id, told in (again | plan.said).items()]
    if not lines and not old:
        return
    header = ChunkHeader(
        schema=SCHEMA, folder=folder, writer=me, number=kept[-1].header.number + 1 if kept else 1,
        before=kept[-1].name if kept else "", key=key_id,
    )  # fmt: skip
    written = write_chunks(path, header, _parts(lines), key.bytes if key else b"")
    remove_chunks(path, me, [chunk.name for chunk in old if chunk.name not in written])


def _parts(lines: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Divide lines into chunks."""
    part, size = list[dict[str, Any]](), 0
    for line in lines:
        length = len(str(line.get("body", ""))) + len(str(line.get("payload", "")))
        if part and (len(part) >= _LINES or size + length > _BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += length
    if part:
        yield part
