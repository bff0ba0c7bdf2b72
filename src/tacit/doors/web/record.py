"""One record: what it says, why we believe it, its versions, what it is linked to, and when agents were told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from tacit.app.memory import Memory
from tacit.doors.web.page import Done, PageRequest, PageView, Values
from tacit.doors.web.render import diff, line, written_by
from tacit.loop.why import is_heard
from tacit.model.kinds import kind_shown, said_at
from tacit.model.record import Record, origin_of, short_id
from tacit.model.results import RelatedRecord

_VERSIONS = 30
_LINKS = 40
# What a record rests on, in the words of `why`.
_RESTS_ON = ("derived from", "supported by", "cites", "fixes", "replaces")
_CHAIN_DEPTH, _CHAIN_MOST = 3, 15
# Sentences of `why` about what the page shows in another place, with times in the reader's zone.
_SHOWN_OTHERWISE = ("said by", "changed last", "told to agents", "no hook has told", "stopped ", "  ", *_RESTS_ON)


class ChainLink(NamedTuple):
    """One record that another rests on: how, which, who said it, and how far it is trusted."""

    depth: int
    how: str
    id: str
    kind: str
    said: str
    by: str
    trust: str


def show(memory: Memory, asked: PageRequest) -> PageView:
    """Show a record."""
    explained = memory.why(asked.path["id"])
    record = explained.record
    origin = origin_of(record)
    named = {origin.session, *(one.session for one in explained.told), *(one.session for one in explained.stopped)}
    versions = memory.history(record.id)[-_VERSIONS:]
    changes = [(after, diff(before, after)) for before, after in pairwise(versions)]
    return PageView("record.html", {
        "record": record, "why": explained, "origin": origin, "heard": is_heard(record),
        "sessions": {name: memory.sessions.shown_name(name) for name in named},
        "said_at": said_at(record),
        "first": versions[0] if versions else record, "changes": changes[::-1],
        "said": [one for one in explained.sentences[2:] if not one.startswith(_SHOWN_OTHERWISE)],
        "chain": list(_chain(memory, explained.related, 1, {record.id})),
        "linked": len(memory.links(record.id)),
        "part": memory.sessions.around(record.id, first=max(1, asked.number("turn", 1))),
    })  # fmt: skip


def _chain(memory: Memory, related: tuple[RelatedRecord, ...], depth: int, known: set[str]) -> Iterator[ChainLink]:
    """Yield what a record rests on, and what that rests on, each once."""
    for one in related:
        if one.how not in _RESTS_ON or one.id in known or len(known) > _CHAIN_MOST:
            continue
        known.add(one.id)
        told = memory.why(one.id)
        by = written_by(told.record)
        yield ChainLink(depth, one.how, one.id, kind_shown(told.record.kind), one.title, by, told.trust)
        if depth < _CHAIN_DEPTH:
            yield from _chain(memory, told.related, depth + 1, known)


def graph(memory: Memory, asked: PageRequest) -> Values:
    """Return the records that a record is linked to, and the links, for the graph."""
    here = memory.full_id(asked.path["id"])
    links = memory.links(here)[:_LINKS]
    ids = dict.fromkeys([here, *(end for link in links for end in (link.source, link.target))])
    known = {id: found for id in ids if (found := memory.get(id))}
    return Values({
        "nodes": [_node(one, here) for one in known.values()],
        "links": [
            {"source": one.source, "target": one.target, "relation": one.relation}
            for one in links
            if one.source in known and one.target in known
        ],
    })  # fmt: skip


def _node(record: Record, here: str) -> dict[str, Any]:
    said = line(record.title or record.body, 60)
    return {"id": record.id, "short": short_id(record.id), "kind": kind_shown(record.kind), "said": said,
            "here": record.id == here}  # fmt: skip


def roll_back(memory: Memory, asked: PageRequest) -> Done:
    """Bring back an older version."""
    version = asked.number("version", 0)
    record = memory.rollback(asked.path["id"], version)
    return Done(f"/record/{record.id}", f"Version {version} is back, as version {record.version}.")


def edit(memory: Memory, asked: PageRequest) -> Done:
    """Change the text of a record."""
    found = memory.revise(asked.path["id"], body=asked.text("body"))
    said = [f"Changed; this is version {found.record.version}.", *found.notices]
    said += ["It contradicts another fact; the first page asks you to decide."] if found.conflicts else []
    return Done(f"/record/{found.record.id}", " ".join(said))


def remove(memory: Memory, asked: PageRequest) -> Done:
    """Take a record out of use."""
    record = memory.retire(asked.path["id"])
    return Done(f"/record/{record.id}", "Taken out of use; roll back to an older version brings it back.")


def approve(memory: Memory, asked: PageRequest) -> Done:
    """Approve a record, or withdraw the approval."""
    withdraw = bool(asked.text("withdraw"))
    [record] = memory.approve(asked.path["id"], withdraw=withdraw)
    return Done(f"/record/{record.id}", "The approval is withdrawn." if withdraw else "Approved: it counts as yours.")
