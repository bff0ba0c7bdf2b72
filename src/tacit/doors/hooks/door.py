"""A hook's payload answered in full: read, judged, looked up, kept. What goes wrong is recorded, not raised."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tacit.capture.dialects import read_hook, write_answer
from tacit.config import Settings
from tacit.doors.hooks.cold import KNOWN, MOST_BYTES, RULES, folder_of, here, stamp
from tacit.doors.hooks.jobs import queue_session, work
from tacit.errors import ConfigError, StoreError, SwitchedOff, TacitError
from tacit.files.atomic import write_atomic
from tacit.files.journal import CAPTURED, JOURNAL, note
from tacit.files.spool import MOST_FILES, SPOOL, Spooled, Took, drain, spool
from tacit.files.switch import off_reason
from tacit.flows.hook import judged
from tacit.flows.workshop import Workshop
from tacit.guards import load_guard
from tacit.house import agent_visitor, cleaned, cleaner, connect, home_folder, settings_in, workshop
from tacit.judge.admit import cleared
from tacit.memory.memory import Memory
from tacit.model.hook import Answer, HookCall, Shown
from tacit.ports.clock import Clock

# Moments that leave something behind; only they are spooled when the store cannot be had.
_KEPT = ("after_tool", "prompt")
# Taken in on the way by a hook, for others: a few, and not before a tool, where somebody waits for a verdict.
_DRAINED_AT_ONCE = 20
_DRAINED_S = 0.05
# Agents give a hook 10 seconds. A store that is busy for longer than this gets what there is to keep later.
PATIENCE_S = 2.0
# What is kept of a long text is less than this; secrets are looked for in all of it first.
_SPOOLED_CHARS = 100_000


class House(NamedTuple):
    """What answers the hooks of one project: made for one call, or kept for many."""

    settings: Settings
    shop: Workshop
    memory: Callable[[bool], Memory]
    """Opens the memory; True lets it make a store."""
    done: Callable[[Memory], None] = Memory.close
    """Gives it back."""


def respond(agent: str, data: bytes) -> dict[str, Any]:
    """Answer one payload. Whatever happens, the answer is one that lets the agent go on."""
    return respond_in(agent, data, build, here())


def respond_in(agent: str, data: bytes, find: Callable[[str], House], place: str) -> dict[str, Any]:
    """Answer one payload in the house of its project: that of the folder it names, or of the place it comes from."""
    clock = agent_visitor().clock
    try:
        call = read_hook(agent, _payload(data))
        if call is None:
            record(home_folder(), clock, "not a payload of a known agent", agent)
            return {}
        return write_answer(call, _answer(find(folder_of(call.cwd, place)), call, clock))
    except Exception as error:
        # A hook must never break the agent it serves; what happened is told by status and doctor.
        record(home_folder(), clock, explained(error), agent)
        return {}


def record(home: Path, clock: Clock, problem: str, agent: str = "") -> None:
    """Note what went wrong, without any secret that may be in it."""
    who = {"agent": cleaned(agent[:40])} if agent else {}
    note(home / JOURNAL, clock.now(), **who, problem=cleaned(problem[:2_000])[:500])


def explained(error: BaseException) -> str:
    """Say what an error says."""
    return error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"


def build(cwd: str) -> House:
    """Build the house of a folder for one call, and leave behind what the cold path goes by."""
    settings = settings_in(Path(cwd))
    leave_known(settings)
    return House(settings, workshop(settings), lambda makes: _opened(settings, makes))


def _opened(settings: Settings, makes: bool, scope: str = "") -> Memory:
    guest = agent_visitor(str(settings.cwd))
    return connect(settings, guest, scope=scope, create=makes, at_door=True, patience_s=PATIENCE_S)


def leave_known(settings: Settings) -> None:
    """Write down which programs the guard knows, and where the store is, for processes that start cold."""
    path = settings.home / KNOWN
    now = stamp(str(settings.home))
    try:
        if json.loads(path.read_bytes()).get("stamp") == now:
            return
    except (OSError, ValueError, AttributeError, RecursionError):
        pass
    from tacit.judge.guard.known import known_names
    from tacit.judge.guard.packs import plain_rules

    # What one project says of its own is for its own folder, and no cold start goes by it there.
    packs = load_guard(msgspec.structs.replace(settings, cwd=Path("/")))
    rules = {"stamp": now, "rules": plain_rules(packs)}
    # Only a file can be looked into from there; the address of a server may hold a password.
    store = settings.store if settings.store.startswith("/") else ""
    known = {"stamp": now, "store": store, "tenant": settings.tenant, **known_names(packs)}
    # A home that cannot be written costs the quick way, not the answer.
    with suppress(OSError):
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(settings.home / RULES, json.dumps(rules).encode(), durable=False)
        write_atomic(path, json.dumps(known).encode(), durable=False)


def _payload(data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _answer(house: House, call: HookCall, clock: Clock) -> Answer:
    settings = house.settings
    off = settings.off or off_reason(settings.home, settings.project, clock.now())
    if off and not settings.off_by_project:
        return Answer()
    judgement = judged(house.shop, call)
    if off or call.moment == "other" or judgement.deny or call.is_private:
        return judgement
    try:
        if call.moment in ("session_end", "compact"):
            queue_session(settings.home, call, store_mark(settings))
            return judgement
        told = _told(house, call, clock)
        if call.moment != "before_tool":
            _catch_up(settings, clock, call)
    except Exception as error:
        # What the guard says stands, whatever becomes of the memory.
        record(settings.home, clock, explained(error), call.agent)
        return judgement
    return msgspec.structs.replace(judgement, context=told.context)


def _told(house: House, call: HookCall, clock: Clock) -> Answer:
    """Ask the memory; when it cannot be had, what would be lost waits in the spool, redacted."""
    settings = house.settings
    try:
        memory = house.memory(call.moment in _KEPT)
        try:
            answer = memory.hooks.answer(call)
        finally:
            house.done(memory)
        if call.moment in _KEPT:
            captured(settings.home)
    except StoreError as error:
        record(settings.home, clock, explained(error), call.agent)
        if call.moment in _KEPT:
            _keep_for_later(settings, call)
        return Answer()
    if answer.owed:
        _keep_for_later(settings, call, answer.owed)
    return answer


def _keep_for_later(settings: Settings, call: HookCall, owed: tuple[Shown, ...] = ()) -> None:
    """Leave a call in the spool, with the scope it belongs to: whoever takes it in may be somewhere else."""
    clean = cleaner(settings)
    tool = call.tool and msgspec.structs.replace(call.tool, command=call.tool.command[:_SPOOLED_CHARS])
    ends = call.outcome.output if call.outcome else ""
    if len(ends) > 2 * _SPOOLED_CHARS:
        # Two pieces that are much longer than what is kept of them, so that no half of a secret ends up in that.
        ends = f"{ends[:_SPOOLED_CHARS]}\n{ends[-_SPOOLED_CHARS:]}"
    outcome = call.outcome and msgspec.structs.replace(call.outcome, output=ends)
    small = msgspec.structs.replace(call, tool=tool, outcome=outcome, prompt=call.prompt[:_SPOOLED_CHARS])
    scope = settings.scope or (f"project:{settings.project}" if settings.project else "")
    body = {"scope": scope, "store": store_mark(settings), "call": cleared(msgspec.to_builtins(small), clean)}
    spool(settings.home / SPOOL, body | ({"shown": cleared(msgspec.to_builtins(owed), clean)} if owed else {}))


def store_mark(settings: Settings) -> str:
    """Name a store without saying where it is: its address may hold a password."""
    return hashlib.sha256(f"{settings.store}\n{settings.tenant}".encode(errors="replace")).hexdigest()[:16]


def captured(folder: Path) -> None:
    """Note when something was captured last, where `status` looks."""
    with suppress(OSError):
        path = folder / CAPTURED
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)


def open_for_writing(cwd: str, scope: str = "") -> Memory:
    """Open the memory of a folder, making its store if there is none."""
    return _opened(settings_in(Path(folder_of(cwd, "/"))), True, scope)


def _catch_up(settings: Settings, clock: Clock, call: HookCall) -> None:
    """Do a little of what others left behind."""
    until = time.monotonic() + _DRAINED_S
    drain_spool(settings, clock, _DRAINED_AT_ONCE, enough=lambda: time.monotonic() > until)
    if call.moment == "session_start":
        tell = partial(record, settings.home, clock)
        work(settings.home, open_for_writing, tell, store_mark(settings), quick=True)


def catch_up(
    settings: Settings, clock: Clock, *, enough: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] | None = None,
) -> None:  # fmt: skip
    """Do all that hooks left behind: what waits to be stored, and sessions to be learned from."""
    drain_spool(settings, clock, enough=enough)
    said = tell or partial(record, settings.home, clock)
    work(settings.home, open_for_writing, said, store_mark(settings), enough=enough)


def drain_spool(
    settings: Settings, clock: Clock, most: int = MOST_FILES, *, enough: Callable[[], bool] = lambda: False
) -> None:
    """Take in what waits, or a little of it. Each goes where it came from, which may be another project."""
    mark = store_mark(settings)

    def take(one: Spooled) -> Took:
        try:
            return _taken(one, mark)
        except (StoreError, ConfigError, SwitchedOff, OSError):
            return "later"
        except Exception as error:
            # Kept beside the others, out of the way: whatever is wrong with it, they are not to wait for it.
            record(settings.home, clock, f"{one.path.name}: {explained(error)}")
            return "refused"

    for aside in drain(settings.home / SPOOL, take, most, enough=enough):
        record(settings.home, clock, f"{aside.path.name} is {aside.why} and was set aside")


def _taken(one: Spooled, mark: str) -> Took:
    if one.body.get("store", mark) != mark:
        return "later"  # it belongs to another store of this home
    # Nobody listens any more: it is learned from, and nothing is said.
    call = msgspec.convert({**one.body["call"], "hears": False}, HookCall)
    with open_for_writing(call.cwd, str(one.body.get("scope", ""))) as memory:
        if shown := one.body.get("shown"):
            memory.hooks.note_shown(call, msgspec.convert(shown, tuple[Shown, ...]))
        else:
            memory.hooks.answer(call, once=f"spool:{one.name}")
    return "taken"
