"""The topic files a task calls for, with how far each may be relied on and what in it is out of date."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from tacit.errors import TacitError
from tacit.files.inside import Inside
from tacit.files.memdir import Shelf
from tacit.flows.connection import Connection
from tacit.flows.memdir import Aged, Chooser
from tacit.flows.memdir_shadow import folder_of, holding, read_file
from tacit.judge.trust import LABELS
from tacit.model.memdir import Selected

LOOK_AROUND_S = 0.5
_UNREAD = 1


def select(c: Connection, task: str, *, shown: Collection[str] = (), limit: int = 5, agent: str = "") -> list[Selected]:
    """Choose at most five files, perhaps none. Nothing is written."""
    folder = folder_of(c)
    now_ns = int(c.clock.now().timestamp() * 1e9)
    chosen = Chooser(Shelf(folder)).choose(task, now_ns, shown, limit, agent=agent, types=c.memdir_rules.types)
    inside = Inside(folder)
    read = [_read(c, inside, one.chosen.card.path) for one in chosen]
    gone = c.gone([text for text, _trust in read], LOOK_AROUND_S)
    return [_selected(one, trust, what) for one, (_text, trust), what in zip(chosen, read, gone, strict=True)]


def _read(c: Connection, inside: Inside, path: str) -> tuple[str, int]:
    """Give the text of a file and its trust: that of its note, unless the file says something else by now."""
    try:
        file = read_file(c, inside, path)
    except TacitError:
        return "", _UNREAD
    found = holding(c, path)
    same = found and found.agreement and found.agreement.hash == file.hash and found.record.status == "active"
    return file.clean, found.record.trust if found and same else _UNREAD


def _selected(one: Aged, trust: int, gone: tuple[str, ...]) -> Selected:
    card = one.chosen.card
    return Selected(
        path=card.path, name=card.name, type=card.type, description=card.description, wrong=card.wrong,
        written=datetime.fromtimestamp(one.written_ns / 1e9, UTC), age=one.age, age_days=one.days, trust=trust,
        trust_label=LABELS[trust], gone=gone, score=round(one.chosen.score, 4), words=one.chosen.words,
    )  # fmt: skip
