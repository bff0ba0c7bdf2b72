"""Deferred hook work: calls that could not be stored and sessions that ended, processed by a later call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import thread_time
from typing import NamedTuple

import msgspec

from tacit.admission.admit import cleared
from tacit.app.config import Settings
from tacit.app.memory import Memory
from tacit.app.redactor_setup import Cleaner
from tacit.errors import ConfigError, NotFound, StoreBusy, StoreError, SwitchedOff, TacitError
from tacit.files.spool import JOBS, MOST_FILES, SPOOL, SpoolEntry, Took, drain, set_aside, spool, waiting
from tacit.loop.learn_from_sessions import LearningProgress
from tacit.model.hook import HookCall, Moment, ShownRecord
from tacit.model.results import DrainReport
from tacit.sessions.discover import DiscoveredSession
from tacit.sessions.files_touched import MOST_PATHS
from tacit.sessions.session_jobs import (
    DONE,
    IMPORTED_EVERY_S,
    due_at,
    ended,
    goes_on,
    has_grown,
    look_again,
    transcript_mark,
    waiting_sessions,
    was_seen,
)

MAY_COME_S = 60.0
"""For so long a transcript that is not there is waited for."""
# The largest transcript that is read at the start of a session: reading it takes about 20 ms.
QUICK_BYTES = 300_000
# Sessions it opens a memory for, should the first of them have to wait.
_QUICK_TRIES = 3
# What a hook processes for others: a few calls, about 40 ms, and not before a tool, where somebody waits for a verdict.
# At a start also a session, for a bounded time of CPU: the clock on the wall runs out too early on a busy machine.
_CALLS_AT_ONCE = 6
CPU_AT_START_S = 0.15
# At the end of a session nobody waits: about a second.
_TURNS_AT_END = 400
# Files looked at for it: those of another store of this home are passed over.
_LOOKED_AT = 200
# What is kept of a long text is less than this. In whatever script they are, all texts together go into the spool.
_SPOOLED_CHARS = 40_000
_SPOOLED_PROMPT_CHARS = 100_000
Open = Callable[[str, str], Memory]
"""Opens the memory of a folder, in a given scope or in the folder's own."""
Tell = Callable[[str], None]
"""Records a problem."""
_never = bool
IsKept = Callable[[Memory, Sequence[DiscoveredSession]], bool]
"""Keeps what is new of sessions; returns whether that is enough for now."""


def _not_yet(_memory: Memory, _found: Sequence[DiscoveredSession]) -> bool:
    return False


class SpoolTarget(NamedTuple):
    """Where deferred work is kept, which store it belongs to, and how that store is opened."""

    home: Path
    mark: str
    """The name of the store in queued work. Work for another store is left alone."""
    open: Open
    tell: Tell
    now: Callable[[], datetime]


class Ration:
    """How much work is done at once: a count, not a time, because on a busy machine time runs out too early."""

    def __init__(self, most: int) -> None:
        self._left = most

    def __call__(self) -> bool:
        """Count one piece of work, and return whether the ration is used up."""
        self._left -= 1
        return self._left < 0


class CpuRation:
    """How much work is done at once: a time of this thread on the CPU."""

    def __init__(self, seconds: float) -> None:
        self._until = thread_time() + seconds

    def __call__(self) -> bool:
        """Return whether the time is used up."""
        return thread_time() >= self._until


def defer_call(settings: Settings, call: HookCall, store: str, owed: tuple[ShownRecord, ...] = ()) -> None:
    """Put a call into the spool, redacted, with the scope and store it belongs to."""
    clean = Cleaner(settings)
    tool = call.tool and msgspec.structs.replace(
        call.tool, command=_beginning(call.tool.command, _SPOOLED_CHARS, clean), paths=call.tool.paths[:MOST_PATHS]
    )
    ends = call.outcome.output if call.outcome else ""
    if len(ends) > 2 * _SPOOLED_CHARS:
        last = clean(ends[-2 * _SPOOLED_CHARS :])[-_SPOOLED_CHARS:]
        ends = f"{_beginning(ends, _SPOOLED_CHARS, clean)}\n{last}"
    outcome = call.outcome and msgspec.structs.replace(call.outcome, output=ends)
    prompt = _beginning(call.prompt, _SPOOLED_PROMPT_CHARS, clean)
    small = msgspec.structs.replace(call, tool=tool, outcome=outcome, prompt=prompt)
    scope = settings.scope or (f"project:{settings.project}" if settings.project else "")
    body = {"scope": scope, "store": store, "call": cleared(msgspec.to_builtins(small), clean)}
    body |= {"shown": cleared(msgspec.to_builtins(owed), clean)} if owed else {}
    # Which file was written is worth no wait.
    spool(settings.home / SPOOL, body, durable=not call.is_edit)


def _beginning(text: str, most: int, clean: Callable[[str], str]) -> str:
    """Return the beginning of a text, cut after secrets are redacted, because half a secret would not be recognised."""
    return text if len(text) <= most else clean(text[: 2 * most])[:most]


def drain_at_end(left: SpoolTarget) -> None:
    """Learn from sessions that ended, while nobody waits for an answer: many turns, of sessions of any size."""
    drain_sessions(left, ration=Ration(_TURNS_AT_END - 1), enough=Ration(_LOOKED_AT))


def drain_a_little(left: SpoolTarget, moment: Moment) -> None:
    """Process a little deferred work during another call: a few calls, and at a session start a part of a session."""
    cpu = CpuRation(CPU_AT_START_S)
    drain_calls(left, _CALLS_AT_ONCE, enough=Ration(_LOOKED_AT))
    if moment == "session_start":
        drain_sessions(left, ration=cpu, most_bytes=QUICK_BYTES, enough=Ration(_LOOKED_AT))


def drain_all(left: SpoolTarget, *, enough: Callable[[], bool] = _never, early: bool = False) -> DrainReport:
    """Process everything in the queue: calls first, then sessions; `early` also those that go on and wait."""
    calls = drain_calls(left, enough=enough)
    sessions = drain_sessions(left, enough=enough, early=early)
    return DrainReport(
        calls=calls, sessions=sessions, waiting=waiting(left.home / SPOOL),
        sessions_waiting=waiting_sessions(left.home / JOBS, left.now().timestamp()),
        set_aside=len(set_aside(left.home / SPOOL) + set_aside(left.home / JOBS)),
    )  # fmt: skip


def drain_calls(left: SpoolTarget, most: int = MOST_FILES, *, enough: Callable[[], bool] = _never) -> int:
    """Process queued calls, all or a few, and return how many. Each call is stored in the project that it came from."""
    taken = tried = 0
    busy = False

    def take(one: SpoolEntry) -> Took:
        nonlocal taken, tried, busy
        if one.body.get("store", left.mark) != left.mark:
            return "later"  # it belongs to another store of this home
        tried += 1
        try:
            took = _call(left, one)
        except (StoreError, ConfigError, SwitchedOff, OSError) as error:
            # The others would wait for the same lock, one after the other.
            busy = isinstance(error, StoreBusy)
            return "later"
        except Exception as error:  # noqa: BLE001  (told, and the file is set aside)
            # Kept beside the others, out of the way: whatever is wrong with it, they are not to wait for it.
            left.tell(f"{one.path.name}: {_said(error)}")
            return "refused"
        taken += took == "taken"
        return took

    for aside in drain(left.home / SPOOL, take, enough=lambda: busy or tried >= most or enough()):
        left.tell(f"{aside.path.name} is {aside.why} and was set aside")
    return taken


def _call(left: SpoolTarget, one: SpoolEntry) -> Took:
    # Replayed late: it is learned from, and no answer is sent.
    call = msgspec.convert({**one.body["call"], "hears": False}, HookCall)
    with left.open(call.cwd, str(one.body.get("scope", ""))) as memory:
        if shown := one.body.get("shown"):
            memory.hooks.note_shown(call, msgspec.convert(shown, tuple[ShownRecord, ...]))
        else:
            memory.hooks.answer(call, once=f"spool:{one.name}")
    return "taken"


def drain_sessions(
    left: SpoolTarget, *, ration: Callable[[], bool] | None = None, most_bytes: int = 0,
    enough: Callable[[], bool] = _never, early: bool = False,
) -> int:  # fmt: skip
    """Import queued sessions, learn from them, and return how many were processed.

    A session that goes on waits for its time, unless `early`. The rest of a session stays queued when `enough` returns
    True. `ration` limits the work to a part of one session, whose transcript has at most `most_bytes`; 0 is any size.
    """
    taken = tried = 0
    busy = False

    def take(job: SpoolEntry) -> Took:
        nonlocal taken, tried, busy
        path = Path(str(job.body.get("transcript", "")))
        # The first turn is always taken.
        resume = LearningProgress(_done(job), ration or enough)
        try:
            waits = not early and due_at(job) > left.now().timestamp()
            if waits or job.body.get("store", left.mark) != left.mark or 0 < most_bytes < path.stat().st_size:
                return "later"
            tried += 1
            if goes_on(job):
                taken += early and has_grown(job, path)
                return _meanwhile(job, path, left, resume, at_once=early or ration is not None)
            _take_whole(job, path, left, resume)
        except FileNotFoundError:
            return _gave_up(job, path, left)
        except (StoreError, ConfigError, SwitchedOff, OSError) as error:
            left.tell(f"a session waits: {error}")
            busy = isinstance(error, StoreBusy)
            return "later"
        except Exception as error:  # noqa: BLE001  (told, and the file is set aside)
            # Whatever is wrong with one transcript, the others are not to wait for it.
            left.tell(f"a session could not be imported: {path}: {_said(error)}")
            return "refused"
        taken += not resume.stopped
        return "taken"

    most, tries = (1, _QUICK_TRIES) if ration else (MOST_FILES, MOST_FILES)
    for aside in drain(left.home / JOBS, take, most, enough=lambda: busy or tried >= tries or enough()):
        left.tell(f"{aside.path.name} is {aside.why} and was set aside")
    return taken


def _said(error: Exception) -> str:
    return error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"


def _take_whole(job: SpoolEntry, path: Path, left: SpoolTarget, resume: LearningProgress) -> None:
    """Import a session that has ended, and learn from it; what is left when the work is stopped is queued again."""
    _learn(job, path, left.open, resume)
    if resume.stopped:
        spool(left.home / JOBS, {**job.body, DONE: resume.done})
    else:
        # A look before the end may have left out what ran last; its transcript need not have changed since.
        _learn(job, path, left.open, resume, _kept_whole)


def _meanwhile(job: SpoolEntry, path: Path, left: SpoolTarget, resume: LearningProgress, *, at_once: bool) -> Took:
    """Look at a session that goes on, if it has grown, and queue its next look; learn from it now if `at_once`.

    The first look at which it has not grown completes what is kept: some agents never say that a session ended.
    """
    began, mark, now = thread_time(), transcript_mark(path), left.now()
    grown = has_grown(job, path)
    if grown or at_once:
        # Whoever imported it before the first look did perhaps not learn from it.
        lately = was_seen(job) and not (grown and at_once)
        since = now - timedelta(seconds=IMPORTED_EVERY_S) if lately else now + timedelta(days=1)
        _learn(job, path, left.open, resume, partial(_kept_after, since))
        if resume.stopped:
            spool(left.home / JOBS, {**job.body, DONE: resume.done}, job.name, durable=False)
            return "later"
    elif was_seen(job) and not job.body.get("looks"):
        _learn(job, path, left.open, resume, _kept_at_rest)
    if look_again(job, left.home / JOBS, mark, now.timestamp(), thread_time() - began):
        return "later"
    # Its agent was killed: what it ran last has no end.
    _learn(ended(job), path, left.open, resume, _kept_whole)
    return "taken"


def _kept_after(since: datetime, memory: Memory, found: Sequence[DiscoveredSession]) -> bool:
    return memory.sessions.keep_growing(found, since)


def _kept_at_rest(memory: Memory, found: Sequence[DiscoveredSession]) -> bool:
    return _kept_whole(memory, [one._replace(rests=True) for one in found])


def _kept_whole(memory: Memory, found: Sequence[DiscoveredSession]) -> bool:
    """Keep the last turns of sessions that were imported before."""
    memory.sessions.keep_growing(found, datetime.fromtimestamp(0, UTC))
    return True


def _gave_up(job: SpoolEntry, path: Path, left: SpoolTarget) -> Took:
    """Leave a session whose transcript is not there; a new one waits, as some agents write it after the last hook."""
    with suppress(OSError):
        if left.now().timestamp() - job.path.stat().st_mtime < MAY_COME_S:
            return "later"
    left.tell(f"a session could not be imported: {path} no longer exists")
    return "taken"


def _done(job: SpoolEntry) -> int:
    """Return how many turns of a session were already learned from."""
    done = job.body.get(DONE)
    return done if isinstance(done, int) else 0


def _learn(
    job: SpoolEntry, path: Path, open_memory: Open, resume: LearningProgress, is_kept: IsKept = _not_yet
) -> None:
    """Import the sessions of a transcript, each into the memory of the folder it began in, and learn from them."""
    path.stat()
    with open_memory(str(job.body.get("cwd", "")), "") as memory:
        found = _found(memory, path, job)
        elsewhere = {one.head.cwd for one in found if one.scope != str(memory.scope)}
        if not is_kept(memory, found):
            _learn_in(memory, found, resume)
    for folder in sorted(elsewhere):
        if resume.stopped:
            return
        with open_memory(folder, "") as memory:
            found = _found(memory, path, job)
            if not is_kept(memory, found):
                _learn_in(memory, found, resume)


def _found(memory: Memory, path: Path, job: SpoolEntry) -> Sequence[DiscoveredSession]:
    """Return the session that was named, if a database has it among others, and whether an agent started it."""
    agent, session = str(job.body.get("agent", "")), str(job.body.get("session", ""))
    found = memory.sessions.discover([(path, agent)], named=True)
    nested, above = job.body.get("nested"), job.body.get("started_by")
    known = nested if isinstance(nested, bool) else None
    started_by = tuple(str(one) for one in above) if isinstance(above, list) else ()
    named = [one._replace(nested=known, started_by=started_by) for one in found if one.head.id == session]
    return [one._replace(goes_on=goes_on(job)) for one in named or found]


def _learn_in(memory: Memory, found: Sequence[DiscoveredSession], resume: LearningProgress) -> None:
    brought = memory.sessions.import_found(found)
    records = {record.id: record for record in (*brought.new, *brought.grown)}
    for name in {one.head.id for one in found if one.scope == str(memory.scope)}:
        # Also what was taken in before: perhaps by somebody who did not learn from it, or did not get that far.
        with suppress(NotFound):
            known = memory.sessions.get(name)
            records.setdefault(known.id, known)
    # In the same order each time, so that what was left can be gone on with.
    memory.sessions.learn(sorted(records.values(), key=lambda record: record.id), resume=resume)
