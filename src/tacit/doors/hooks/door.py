"""A hook's payload answered in full: read, judged, looked up, kept. What goes wrong is recorded, not raised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tacit.capture.dialects import read_hook, write_answer
from tacit.config import Settings
from tacit.doors.hooks.cold import KNOWN, MOST_BYTES, RULES, stamp
from tacit.doors.hooks.jobs import queue_session, work
from tacit.errors import StoreError, TacitError
from tacit.files.atomic import write_atomic
from tacit.files.journal import CAPTURED, JOURNAL, note
from tacit.files.spool import MOST_FILES, SPOOL, Spooled, drain, spool
from tacit.files.switch import off_reason
from tacit.flows.hook import judged
from tacit.flows.workshop import Workshop
from tacit.guards import load_guard
from tacit.house import agent_visitor, cleaner, connect, home_folder, settings_in, workshop
from tacit.judge.admit import cleared
from tacit.memory.memory import Memory
from tacit.model.hook import Answer, HookCall
from tacit.ports.clock import Clock

# Moments that leave something behind; only they are spooled when the store cannot be had.
_KEPT = ("after_tool", "prompt")
_DRAINED_AT_ONCE = 20


class House(NamedTuple):
    """What answers the hooks of one project: made for one call, or kept for many."""

    settings: Settings
    shop: Workshop
    memory: Callable[[bool], Memory]
    """Opens the memory; True lets it make a store."""
    keeps: bool = False
    """Whether the memory stays open after a call."""


def respond(agent: str, data: bytes) -> dict[str, Any]:
    """Answer one payload. Whatever happens, the answer is one that lets the agent go on."""
    return respond_in(agent, data, build)


def respond_in(agent: str, data: bytes, find: Callable[[str], House]) -> dict[str, Any]:
    """Answer one payload in the house of its project."""
    clock = agent_visitor().clock
    try:
        call = read_hook(agent, _payload(data))
        if call is None:
            note(home_folder() / JOURNAL, clock.now(), agent=agent[:40], problem="not a payload of a known agent")
            return {}
        return write_answer(call, _answer(find(call.cwd), call, clock))
    except Exception as error:
        # A hook must never break the agent it serves; what happened is told by status and doctor.
        message = error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"
        note(home_folder() / JOURNAL, clock.now(), agent=agent[:40], problem=message[:500])
        return {}


def build(cwd: str) -> House:
    """Build the house of a folder for one call, and leave behind what the cold path goes by."""
    settings = settings_in(folder_of(cwd))
    guest = agent_visitor(cwd)
    leave_known(settings)
    return House(settings, workshop(settings), lambda makes: connect(settings, guest, create=makes, at_door=True))


def leave_known(settings: Settings) -> None:
    """Write down which programs the guard knows, and where the store is, for processes that start cold."""
    path = settings.home / KNOWN
    now = stamp(str(settings.home))
    try:
        if json.loads(path.read_bytes()).get("stamp") == now:
            return
    except (OSError, ValueError):
        pass
    from tacit.judge.guard.known import known_names
    from tacit.judge.guard.packs import plain_rules

    # What one project says of its own is for its own folder, and no cold start goes by it there.
    packs = load_guard(msgspec.structs.replace(settings, cwd=Path("/")))
    where = {"store": settings.store, "tenant": settings.tenant}
    write_atomic(settings.home / RULES, json.dumps({"stamp": now, "rules": plain_rules(packs)}).encode(), durable=False)
    write_atomic(path, json.dumps({"stamp": now, **where, **known_names(packs)}).encode(), durable=False)


def folder_of(cwd: str) -> Path:
    """Give the folder a call speaks of; one that is gone is this process's own."""
    folder = Path(cwd) if cwd.startswith("/") else Path.cwd()
    return folder if folder.is_dir() else Path.cwd()


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
    if off or call.moment == "other" or judgement.deny:
        return judgement
    if call.moment in ("session_end", "compact"):
        queue_session(settings.home, call)
        return judgement
    told = _told(house, call, clock)
    if call.moment == "session_start":
        work(settings.home, clock, open_for_writing, quick=True)
    return msgspec.structs.replace(judgement, context=told.context)


def _told(house: House, call: HookCall, clock: Clock) -> Answer:
    """Ask the memory; when it cannot be had, what would be lost waits in the spool, redacted."""
    settings = house.settings
    try:
        memory = house.memory(call.moment in _KEPT)
        try:
            drain_spool(settings, clock, _DRAINED_AT_ONCE)
            answer = memory.hooks.answer(call)
            if call.moment in _KEPT:
                captured(settings.home)
            return answer
        finally:
            if not house.keeps:
                memory.close()
    except StoreError as error:
        note(settings.home / JOURNAL, clock.now(), agent=call.agent, problem=error.message[:500])
        if call.moment in _KEPT:
            spool(settings.home / SPOOL, cleared(msgspec.to_builtins(call), cleaner(settings)))
        return Answer()


def captured(folder: Path) -> None:
    """Note when something was captured last, where `status` looks."""
    path = folder / CAPTURED
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def open_for_writing(cwd: str) -> Memory:
    """Open the memory of a folder, making its store if there is none."""
    return build(cwd).memory(True)


def drain_spool(settings: Settings, clock: Clock, most: int = MOST_FILES) -> None:
    """Take in what waits, or a little of it. Each goes where it came from, which may be another project."""

    def take(one: Spooled) -> None:
        call = msgspec.convert(one.body, HookCall)
        with open_for_writing(call.cwd) as memory:
            memory.hooks.answer(call, once=f"spool:{one.name}")

    for damaged in drain(settings.home / SPOOL, take, most):
        note(settings.home / JOURNAL, clock.now(), problem=f"{damaged.name} is damaged and was set aside")
