"""A hook's payload answered in full: read, judged, looked up, kept. What goes wrong is recorded, not raised."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from tacit.capture.dialects import read_hook, write_answer
from tacit.clock import SystemClock
from tacit.config import Settings, load_settings
from tacit.errors import StoreError, TacitError
from tacit.files.journal import note
from tacit.files.spool import Spooled, drain, spool
from tacit.files.switch import off_reason
from tacit.flows.hook import judged
from tacit.house import Visitor, cleaner, connect, workshop
from tacit.judge.admit import cleared
from tacit.model.hook import Answer, HookCall
from tacit.model.origin import UNATTENDED, Origin

MOST_BYTES = 10 * 1024 * 1024
JOURNAL = "hooks.jsonl"
SPOOL = "spool"
# Moments that leave something behind; only they are spooled when the store cannot be had.
_KEPT = ("after_tool", "prompt")
_DRAINED_AT_ONCE = 20


def respond(agent: str, data: bytes) -> dict[str, Any]:
    """Answer one payload. Whatever happens, the answer is one that lets the agent go on."""
    clock = SystemClock()
    home = Path(os.environ.get("TACIT_HOME") or Path(os.environ.get("HOME") or Path.home()) / ".tacit")
    try:
        call = read_hook(agent, _payload(data))
        if call is None:
            note(home / JOURNAL, clock.now(), agent=agent[:40], problem="not a payload of a known agent")
            return {}
        settings = load_settings(os.environ, _folder(call.cwd))
        return write_answer(call, _answer(settings, call, clock))
    except Exception as error:
        # A hook must never break the agent it serves; what happened is told by status and doctor.
        message = error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"
        note(home / JOURNAL, clock.now(), agent=agent[:40], problem=message[:500])
        return {}


def _payload(data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _folder(cwd: str) -> Path:
    folder = Path(cwd) if cwd.startswith("/") else Path.cwd()
    return folder if folder.is_dir() else Path.cwd()


def _answer(settings: Settings, call: HookCall, clock: SystemClock) -> Answer:
    off = settings.off or off_reason(settings.home, settings.project, clock.now())
    if off and not settings.off_by_project:
        return Answer()
    judgement = judged(workshop(settings), call)
    if off or call.moment == "other" or judgement.deny:
        return judgement
    told = _told(settings, call, clock)
    return msgspec.structs.replace(judgement, context=told.context)


def _told(settings: Settings, call: HookCall, clock: SystemClock) -> Answer:
    """Ask the memory; when it cannot be had, what would be lost waits in the spool, redacted."""
    origin = Origin(
        actor="agent", agent=call.agent, session=call.session or UNATTENDED, host=socket.gethostname(),
        cwd=str(settings.cwd),
    )  # fmt: skip
    guest = Visitor(origin, clock)
    try:
        with connect(settings, guest, create=call.moment in _KEPT, at_door=True) as memory:
            _drain(settings, guest, clock)
            return memory.hooks.answer(call)
    except StoreError as error:
        note(settings.home / JOURNAL, clock.now(), agent=call.agent, problem=error.message[:500])
        if call.moment in _KEPT:
            spool(settings.home / SPOOL, cleared(msgspec.to_builtins(call), cleaner(settings)))
        return Answer()


def _drain(settings: Settings, guest: Visitor, clock: SystemClock) -> None:
    """Take in a little of what waits. Each goes where it came from, which may be another project."""

    def take(one: Spooled) -> None:
        call = msgspec.convert(one.body, HookCall)
        there = load_settings(os.environ, _folder(call.cwd))
        origin = msgspec.structs.replace(
            guest.origin, agent=call.agent, session=call.session or UNATTENDED, cwd=call.cwd
        )
        with connect(there, replace(guest, origin=origin), at_door=True) as memory:
            memory.hooks.answer(call, once=f"spool:{one.name}")

    for damaged in drain(settings.home / SPOOL, take, _DRAINED_AT_ONCE):
        note(settings.home / JOURNAL, clock.now(), problem=f"{damaged.name} is damaged and was set aside")
