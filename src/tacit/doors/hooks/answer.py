"""A hook's payload answered in full: read, judged, looked up, kept. What goes wrong is recorded, not raised."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tacit.admission.admit import cleared
from tacit.agents.hook_dialects import read_hook, write_answer
from tacit.agents.registry import ALIASES, HOOKED
from tacit.app.config import Settings
from tacit.app.deferred_work import Ration, drain_all, drain_calls, drain_sessions, queue_session
from tacit.app.guard_setup import load_guard
from tacit.app.memory import Memory
from tacit.app.open import (
    PATIENCE_S,
    connect,
    home_folder,
    hook_caller,
    redact_error,
    replay_environment,
    settings_in,
    spool_target,
    store_mark,
)
from tacit.app.redactor_setup import cleaner
from tacit.doors.hooks.surroundings import KNOWN, MOST_BYTES, RULES, folder_of, here, stamp
from tacit.errors import StoreError, TacitError
from tacit.files.atomic import write_atomic
from tacit.files.hook_errors import CAPTURED, JOURNAL, log_hook_error
from tacit.files.off_switch import off_reason
from tacit.files.spool import SPOOL, spool
from tacit.loop.answer_hook import judged
from tacit.model.hook import HookAnswer, HookCall, ShownRecord
from tacit.model.results import DrainReport
from tacit.ports.clock import Clock
from tacit.procedures.replay_environment import ReplayEnvironment

# Moments that leave something behind; only they are spooled when the store cannot be had.
_KEPT = ("after_tool", "prompt")
# Taken in on the way by a hook, for others: a few, and not before a tool, where somebody waits for a verdict. Each of
# the two is about 40 ms on an idle machine. Never bounded by time: a busy one would not come to any of it.
_CALLS_AT_ONCE = 6
_TURNS_AT_ONCE = 15
# Files looked at for it: those of another store of this home are passed over.
_LOOKED_AT = 200
# What is kept of a long text is less than this. In whatever script they are, all texts together go into the spool.
_SPOOLED_CHARS = 40_000
_SPOOLED_PROMPT_CHARS = 100_000


class HookEnvironment(NamedTuple):
    """What answers the hooks of one project: made for one call, or kept for many."""

    settings: Settings
    guard: Callable[[], ReplayEnvironment]
    """Loads the rules; only what is about to run is judged."""
    memory: Callable[[bool], Memory] | None
    """Opens the memory; True lets it make a store. None where the settings are broken: which one is not known."""
    done: Callable[[Memory], None] = Memory.close
    """Gives it back."""


def respond(agent: str, data: bytes) -> dict[str, Any]:
    """Answer one payload. Whatever happens, the answer is one that lets the agent go on."""
    return respond_in(agent, data, build, here())


def respond_in(agent: str, data: bytes, find: Callable[[str], HookEnvironment], place: str) -> dict[str, Any]:
    """Answer one payload for its project: that of the folder it names, or of the place it comes from."""
    clock = hook_caller().clock
    try:
        call = read_hook(agent, _payload(data))
        if call is None:
            known = ALIASES.get(agent, agent) in HOOKED
            problem = "not a payload" if known else f"no agent {agent[:40]!r} has hooks: {', '.join(HOOKED)} have"
            record(home_folder(), clock, problem, agent)
            return {}
        environment = _found(find, folder_of(call.cwd, place), partial(record, home_folder(), clock, agent=agent))
        return write_answer(call, _answer(environment, call, clock))
    except Exception as error:
        # A hook must never break the agent it serves; what happened is told by status and doctor.
        record(home_folder(), clock, explained(error), agent)
        return {}


def _found(find: Callable[[str], HookEnvironment], cwd: str, tell: Callable[[str], None]) -> HookEnvironment:
    """Find what answers for a folder; a mistake in the settings never switches the guard off."""
    try:
        return find(cwd)
    except Exception as error:
        tell(f"{explained(error)}; the guard judged by its built-in rules")
        settings = settings_in(Path(cwd), despite=True)
        return HookEnvironment(settings, lambda: replay_environment(settings, despite=True), None)


def record(home: Path, clock: Clock, problem: str, agent: str = "") -> None:
    """Note what went wrong, without any secret that may be in it."""
    who = {"agent": redact_error(agent[:40])} if agent else {}
    log_hook_error(home / JOURNAL, clock.now(), **who, problem=redact_error(problem[:2_000])[:500])


def explained(error: BaseException) -> str:
    """Say what an error says."""
    return error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"


def build(cwd: str) -> HookEnvironment:
    """Make what answers for a folder, for one call, and write the cache that the cold path goes by."""
    settings = settings_in(Path(cwd))
    write_cold_cache(settings)
    return HookEnvironment(settings, lambda: replay_environment(settings), lambda makes: _opened(settings, makes))


def _opened(settings: Settings, makes: bool) -> Memory:
    return connect(settings, hook_caller(str(settings.cwd)), create=makes, at_door=True, patience_s=PATIENCE_S)


def write_cold_cache(settings: Settings) -> None:
    """Write down which programs the guard knows, and where the store is, for processes that start cold."""
    path = settings.home / KNOWN
    now = stamp(str(settings.home))
    try:
        if json.loads(path.read_bytes()).get("stamp") == now:
            return
    except (OSError, ValueError, AttributeError, RecursionError):
        pass
    from tacit.guard.known_programs import known_names
    from tacit.guard.packs import plain_rules

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


def _answer(environment: HookEnvironment, call: HookCall, clock: Clock) -> HookAnswer:
    settings = environment.settings
    off = settings.off or off_reason(settings.home, settings.project, clock.now())
    if off and not settings.off_by_project:
        return HookAnswer()
    judgement = _judged(environment, call, clock) if call.moment == "before_tool" else HookAnswer()
    if off or call.moment == "other" or judgement.deny or call.is_private or environment.memory is None:
        return judgement
    try:
        if call.moment in ("session_end", "compact"):
            queue_session(settings.home, call, store_mark(settings))
            return judgement
        told = _told(environment, environment.memory, call, clock)
        refusal = {"deny": told.deny, "ask": ""} if told.deny else {}
        judgement = msgspec.structs.replace(judgement, context=told.context, **refusal)
        if call.moment != "before_tool":
            _catch_up(settings, clock, call)
    except Exception as error:
        # What is known by then stands, whatever becomes of the rest.
        record(settings.home, clock, explained(error), call.agent)
    return judgement


def _judged(environment: HookEnvironment, call: HookCall, clock: Clock) -> HookAnswer:
    """Judge what is about to run; rules that cannot be loaded leave the built-in ones."""
    try:
        rules = environment.guard()
    except Exception as error:
        problem = f"{explained(error)}; the guard judged by its built-in rules"
        record(environment.settings.home, clock, problem, call.agent)
        rules = replay_environment(environment.settings, despite=True)
    return judged(rules, call)


def _told(environment: HookEnvironment, opened: Callable[[bool], Memory], call: HookCall, clock: Clock) -> HookAnswer:
    """Ask the memory; when it cannot be had, what would be lost waits in the spool, redacted."""
    settings = environment.settings
    try:
        memory = opened(call.moment in _KEPT)
        try:
            answer = memory.hooks.answer(call)
        finally:
            environment.done(memory)
        if call.moment in _KEPT:
            captured(settings.home)
    except StoreError as error:
        record(settings.home, clock, explained(error), call.agent)
        if call.moment in _KEPT:
            _keep_for_later(settings, call)
        return HookAnswer()
    if answer.owed:
        _keep_for_later(settings, call, answer.owed)
    return answer


def _keep_for_later(settings: Settings, call: HookCall, owed: tuple[ShownRecord, ...] = ()) -> None:
    """Leave a call in the spool, with the scope it belongs to: whoever takes it in may be somewhere else."""
    clean = cleaner(settings)
    tool = call.tool and msgspec.structs.replace(
        call.tool, command=_beginning(call.tool.command, _SPOOLED_CHARS, clean), paths=()
    )
    ends = call.outcome.output if call.outcome else ""
    if len(ends) > 2 * _SPOOLED_CHARS:
        last = clean(ends[-2 * _SPOOLED_CHARS :])[-_SPOOLED_CHARS:]
        ends = f"{_beginning(ends, _SPOOLED_CHARS, clean)}\n{last}"
    outcome = call.outcome and msgspec.structs.replace(call.outcome, output=ends)
    prompt = _beginning(call.prompt, _SPOOLED_PROMPT_CHARS, clean)
    small = msgspec.structs.replace(call, tool=tool, outcome=outcome, prompt=prompt)
    scope = settings.scope or (f"project:{settings.project}" if settings.project else "")
    body = {"scope": scope, "store": store_mark(settings), "call": cleared(msgspec.to_builtins(small), clean)}
    spool(settings.home / SPOOL, body | ({"shown": cleared(msgspec.to_builtins(owed), clean)} if owed else {}))


def _beginning(text: str, most: int, clean: Callable[[str], str]) -> str:
    """Give the beginning of a text, cut only after secrets are out: half a secret would not be known for one."""
    return text if len(text) <= most else clean(text[: 2 * most])[:most]


def captured(folder: Path) -> None:
    """Note when something was captured last, where `status` looks."""
    with suppress(OSError):
        path = folder / CAPTURED
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)


def _catch_up(settings: Settings, clock: Clock, call: HookCall) -> None:
    """Do a little of what others left behind."""
    left = spool_target(settings, partial(record, settings.home, clock))
    drain_calls(left, _CALLS_AT_ONCE, enough=Ration(_LOOKED_AT))
    if call.moment == "session_start":
        drain_sessions(left, turns=_TURNS_AT_ONCE, enough=Ration(_LOOKED_AT))


def catch_up(
    settings: Settings, clock: Clock, *, enough: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] | None = None,
) -> DrainReport:  # fmt: skip
    """Do all that hooks left behind: what waits to be stored, and sessions to be learned from."""
    return drain_all(spool_target(settings, tell or partial(record, settings.home, clock)), enough=enough)
