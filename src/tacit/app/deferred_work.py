"""What hooks left behind: calls that could not be stored, and sessions that ended. One way in, whoever takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from tacit.app.memory import Memory
from tacit.errors import ConfigError, NotFound, StoreError, SwitchedOff, TacitError
from tacit.files.spool import MOST_FILES, SPOOL, SpoolEntry, Took, drain, set_aside, spool, waiting
from tacit.loop.learn_from_sessions import LearningProgress
from tacit.model.hook import HookCall, ShownRecord
from tacit.model.results import DrainReport
from tacit.sessions.sessions import DiscoveredSession

JOBS = "jobs"
# What a hook may do for another one: about 50 ms of reading.
QUICK_BYTES = 20_000
Open = Callable[[str, str], Memory]
"""Opens the memory of a folder, in a scope or in that of the folder."""
Tell = Callable[[str], None]
"""Notes what went wrong."""
_never = bool


class SpoolTarget(NamedTuple):
    """Where things were left, which store of that home they are taken into, and who opens it."""

    home: Path
    mark: str
    """The store's name in what waits: what is of another store stays."""
    open: Open
    tell: Tell


def queue_session(home: Path, call: HookCall, store: str = "") -> None:
    """Leave a session to be taken in; a session that is left twice is taken in once, with all that is in it then."""
    if call.transcript.startswith("/"):
        spool(home / JOBS, {"agent": call.agent, "transcript": call.transcript, "cwd": call.cwd, "store": store})


def drain_all(left: SpoolTarget, *, enough: Callable[[], bool] = _never) -> DrainReport:
    """Take in everything that waits: calls first, then sessions."""
    calls = drain_calls(left, enough=enough)
    sessions = drain_sessions(left, enough=enough)
    return DrainReport(
        calls=calls, sessions=sessions, waiting=waiting(left.home / SPOOL), sessions_waiting=waiting(left.home / JOBS),
        set_aside=set_aside(left.home / SPOOL) + set_aside(left.home / JOBS),
    )  # fmt: skip


def drain_calls(left: SpoolTarget, most: int = MOST_FILES, *, enough: Callable[[], bool] = _never) -> int:
    """Take in calls, or a few of them; gives how many. Each goes where it came from, maybe another project."""
    taken = 0

    def take(one: SpoolEntry) -> Took:
        nonlocal taken
        try:
            took = _call(left, one)
        except (StoreError, ConfigError, SwitchedOff, OSError):
            return "later"
        except Exception as error:  # noqa: BLE001  (told, and the file is set aside)
            # Kept beside the others, out of the way: whatever is wrong with it, they are not to wait for it.
            left.tell(f"{one.path.name}: {_said(error)}")
            return "refused"
        taken += took == "taken"
        return took

    for aside in drain(left.home / SPOOL, take, most, enough=enough):
        left.tell(f"{aside.path.name} is {aside.why} and was set aside")
    return taken


def _call(left: SpoolTarget, one: SpoolEntry) -> Took:
    if one.body.get("store", left.mark) != left.mark:
        return "later"  # it belongs to another store of this home
    # Nobody listens any more: it is learned from, and nothing is said.
    call = msgspec.convert({**one.body["call"], "hears": False}, HookCall)
    with left.open(call.cwd, str(one.body.get("scope", ""))) as memory:
        if shown := one.body.get("shown"):
            memory.hooks.note_shown(call, msgspec.convert(shown, tuple[ShownRecord, ...]))
        else:
            memory.hooks.answer(call, once=f"spool:{one.name}")
    return "taken"


def drain_sessions(left: SpoolTarget, *, quick: bool = False, enough: Callable[[], bool] = _never) -> int:
    """Take in sessions and learn from them; gives how many. Quick does one small one and leaves what is large.

    When it is enough, the rest of a session is left to be gone on with.
    """
    taken = 0

    def take(job: SpoolEntry) -> Took:
        nonlocal taken
        path = Path(str(job.body.get("transcript", "")))
        stint = LearningProgress(_done(job), enough)
        try:
            if job.body.get("store", left.mark) != left.mark or (quick and path.stat().st_size > QUICK_BYTES):
                return "later"
            _learn(path, str(job.body.get("agent", "")), str(job.body.get("cwd", "")), left.open, stint)
            if stint.stopped:
                spool(left.home / JOBS, {**job.body, "done": stint.done})
        except FileNotFoundError:
            left.tell(f"a session could not be taken in: {path} is gone")
            return "taken"
        except (StoreError, ConfigError, SwitchedOff, OSError) as error:
            left.tell(f"a session waits: {error}")
            return "later"
        except Exception as error:  # noqa: BLE001  (told, and the file is set aside)
            # Whatever is wrong with one transcript, the others are not to wait for it.
            left.tell(f"a session could not be taken in: {path}: {_said(error)}")
            return "refused"
        taken += not stint.stopped
        return "taken"

    for aside in drain(left.home / JOBS, take, 1 if quick else MOST_FILES, enough=enough):
        left.tell(f"{aside.path.name} is {aside.why} and was set aside")
    return taken


def _said(error: Exception) -> str:
    return error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"


def _done(job: SpoolEntry) -> int:
    """Say how many turns of a session were learned from already."""
    done = job.body.get("done")
    return done if isinstance(done, int) else 0


def _learn(path: Path, agent: str, cwd: str, open_memory: Open, stint: LearningProgress) -> None:
    """Take in the sessions of a transcript, each into the memory of the folder it began in, and learn from them."""
    path.stat()
    with open_memory(cwd, "") as memory:
        found = memory.sessions.discover([(path, agent)], named=True)
        elsewhere = {one.head.cwd for one in found if one.scope != str(memory.scope)}
        _learn_in(memory, found, stint)
    for folder in sorted(elsewhere):
        if stint.stopped:
            return
        with open_memory(folder, "") as memory:
            _learn_in(memory, memory.sessions.discover([(path, agent)], named=True), stint)


def _learn_in(memory: Memory, found: Sequence[DiscoveredSession], stint: LearningProgress) -> None:
    brought = memory.sessions.import_found(found)
    records = {record.id: record for record in (*brought.new, *brought.grown)}
    for name in {one.head.id for one in found if one.scope == str(memory.scope)}:
        # Also what was taken in before: perhaps by somebody who did not learn from it, or did not get that far.
        with suppress(NotFound):
            known = memory.sessions.get(name)
            records.setdefault(known.id, known)
    # In the same order each time, so that what was left can be gone on with.
    memory.sessions.learn(sorted(records.values(), key=lambda record: record.id), stint=stint)
