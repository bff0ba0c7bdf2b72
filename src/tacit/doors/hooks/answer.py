"""The full path of a hook: read the payload, judge the command, ask the memory, record.

Errors are logged, never raised.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tacit.agents.hook_dialects import hooked_agent, read_hook, unreadable_call, write_answer
from tacit.agents.registry import HOOKED
from tacit.app.agent_sessions import note_session
from tacit.app.config import Settings
from tacit.app.nouns import MemoryNouns
from tacit.app.open import (
    connect_for_hook,
    home_folder,
    hook_caller,
    redact_error,
    settings_in,
    spool_target,
    store_mark,
)
from tacit.doors.hooks.cold import is_changed_by_tree
from tacit.doors.hooks.held_calls import HeldCalls, is_disk_full
from tacit.doors.hooks.surroundings import KNOWN, MOST_BYTES, RULES, folder_of, here, one_thread, stamp
from tacit.errors import StoreError, TacitError
from tacit.files.atomic import write_atomic
from tacit.files.hook_errors import CAPTURED, JOURNAL, last, log_hook_error
from tacit.files.off_switch import off_reason
from tacit.files.plain_file import read_plain
from tacit.files.spool import JOBS, SPOOL, waiting
from tacit.model.hook import HookAnswer, HookCall, ShownRecord
from tacit.ports.clock import Clock
from tacit.text.program_prompts import is_private

if TYPE_CHECKING:
    from tacit.app.guard_setup import GuardJudges
    from tacit.guard.packs import RulePacks
    from tacit.model.results import DrainReport
    from tacit.procedures.replay_environment import ReplayEnvironment

# Moments that leave something behind; only they are spooled when the store cannot be had.
_KEPT = ("after_tool", "prompt")
_WHILE_IT_RUNS = ("turn_end", "subagent_end", "compact")
_LATER = (*_WHILE_IT_RUNS, "session_end")
# Moments at which it matters whether a person or another agent gives the prompts.
_OF_USER = ("prompt", *_LATER)


class NotStored(Exception):
    """The helper could neither store a call nor put it into the spool: whoever asked is to try it."""


class HookEnvironment(NamedTuple):
    """What is needed to answer the hooks of one project; it is built for one call, or kept for many."""

    settings: Settings
    guard: Callable[[], GuardJudges | ReplayEnvironment]
    """Loads the rules; only what is about to run is judged."""
    memory: Callable[[bool], Any] | None
    """Opens the memory, with its nouns at least; True lets it make a store. None where the settings are broken."""
    done: Callable[[Any], None] = MemoryNouns.close
    """Gives it back."""
    has_worker: bool = False
    """Whether the process learns from ended sessions by itself."""
    held: HeldCalls | None = None
    """Keeps in memory what a full disk does not take. None where the process ends with the call."""


def respond(agent: str, data: bytes, event: str = "") -> dict[str, Any]:
    """Answer one payload. Whatever goes wrong, the answer lets the agent continue."""
    return respond_in(agent, data, build, here(), event, os.getpid())


def respond_in(
    agent: str, data: bytes, find: Callable[[str], HookEnvironment], place: str, event: str = "", pid: int = 0,
    after: list[Callable[[], None]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Answer one payload for its project: that of the folder in the payload, or of the folder the hook runs in.

    `pid` is the process that the agent started for the hook. What can wait until the answer is sent goes to `after`.
    """
    clock = hook_caller().clock
    call = None
    try:
        if agent and not hooked_agent(agent):
            known = ", ".join(HOOKED)
            record(home_folder(), clock, f"unknown agent {agent[:40]!r}: read as claude's; known: {known}", agent)
        call = read_hook(agent, _payload(data), event)
        if call is None:
            return _unread(agent, event, data, find, place, clock)
        tell = partial(record, home_folder(), clock, agent=agent, once=True)
        environment = _found(find, folder_of(call.cwd, place), tell)
        if call.session and pid:
            if after is not None and call.moment not in _OF_USER:
                after.append(partial(_note, call, pid))
            else:
                above = note_session(home_folder(), pid, call.session, call.agent)
                call = msgspec.structs.replace(call, nested=above.nested, started_by=above.sessions)
        return write_answer(call, _answer(environment, call, clock))
    except (MemoryError, NotStored):
        raise  # whoever asked does the work itself
    except Exception as error:
        # A hook must never break the agent it serves; what happened is told by status and doctor.
        record(home_folder(), clock, explained(error), agent)
        return doubt(call, "this command could not be judged")


def _note(call: HookCall, pid: int) -> None:
    note_session(home_folder(), pid, call.session, call.agent)


def _unread(
    agent: str, event: str, data: bytes, find: Callable[[str], HookEnvironment], place: str, clock: Clock
) -> dict[str, Any]:  # fmt: skip
    """Answer a payload that cannot be read: a question before a command, unless tacit is switched off."""
    record(home_folder(), clock, "a payload could not be read", agent)
    tell = partial(record, home_folder(), clock, agent=agent, once=True)
    settings = _found(find, folder_of("", place), tell).settings
    off = settings.off or off_reason(settings.home, settings.project, clock.now())
    if (off and not settings.off_by_project) or settings.guard.off:
        return {}
    return doubt(unreadable_call(agent, data, event), "the call could not be read, so nobody knows what would run")


def doubt(call: HookCall | None, reason: str) -> dict[str, Any]:
    """Answer with a question, if a command is about to run."""
    if call is None or call.moment != "before_tool":
        return {}
    return write_answer(call, HookAnswer(ask=f"{reason} (tacit guard); `tacit doctor` may say why"))


def _found(find: Callable[[str], HookEnvironment], cwd: str, tell: Callable[[str], None]) -> HookEnvironment:
    """Return the environment of a folder; a mistake in the settings never switches the guard off."""
    try:
        return find(cwd)
    except MemoryError:
        raise
    except Exception as error:
        tell(f"{explained(error)}; the guard judged by its built-in rules")
        settings = settings_in(Path(cwd), tolerate_errors=True)
        return HookEnvironment(settings, lambda: _tolerant_guard(settings), None)


def _tolerant_guard(settings: Settings) -> GuardJudges:
    from tacit.app.guard_setup import guard_judges, sound_packs

    return guard_judges(settings, sound_packs(settings, tolerate_errors=True))


def record(home: Path, clock: Clock, problem: str, agent: str = "", *, once: bool = False) -> None:
    """Record a problem, redacted; with `once`, only if it is not the last one recorded."""
    who = {"agent": redact_error(agent[:40])} if agent else {}
    said = redact_error(problem[:2_000])[:500]
    if not (once and (last(home / JOURNAL) or {}).get("problem") == said):
        log_hook_error(home / JOURNAL, clock.now(), **who, problem=said)


def explained(error: BaseException) -> str:
    """Return the text of an error."""
    return error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"


def build(cwd: str) -> HookEnvironment:
    """Build the environment of a folder for one call, and write the cache that the cold path reads."""
    one_thread()
    settings = settings_in(Path(cwd))
    write_cold_cache(settings)

    @cache
    def packs() -> RulePacks:
        return _packs(settings)

    def guard() -> GuardJudges:
        from tacit.app.guard_setup import guard_judges

        return guard_judges(settings, packs())

    return HookEnvironment(settings, guard, lambda makes: connect_for_hook(settings, create=makes, packs=packs))


def _packs(settings: Settings) -> RulePacks:
    """Return the guard's rules: from the cache, unless the project has files that may change them."""
    from tacit.app.guard_setup import sound_packs
    from tacit.doors.hooks.cold_guard import cached_packs

    home = str(settings.home)
    kept = None if is_changed_by_tree(str(settings.cwd)) else cached_packs(home, stamp(home))
    return kept or sound_packs(settings)


def write_cold_cache(settings: Settings) -> None:
    """Write the cache for the cold path: which programs the guard knows, and where the store is."""
    path = settings.home / KNOWN
    now = stamp(str(settings.home))
    try:
        if json.loads(read_plain(path, MOST_BYTES)).get("stamp") == now:
            return
    except (OSError, ValueError, AttributeError, RecursionError):
        pass
    from tacit.app.guard_setup import load_guard
    from tacit.doors.hooks.cold_guard import rules_cache
    from tacit.guard.known_programs import known_names

    # What one project says of its own is for its own folder, and no cold start goes by it there.
    packs, problems, _notices = load_guard(msgspec.structs.replace(settings, cwd=Path("/")))
    if problems or settings.guard.off_somewhere:
        return  # the full path records them, and knows where the guard is off
    # Only a file can be looked into from there; the address of a server may hold a password.
    # Patterns of one's own may redact a signature, which the cold path could not foresee.
    store = settings.store if settings.store.startswith("/") and not settings.redact.patterns else ""
    known = {"stamp": now, "store": store, "tenant": settings.tenant, **known_names(packs)}
    if (settings.home / "lexicon").is_dir():
        from tacit.failures.lexicon_advice import first_words
        from tacit.failures.load_lexicon import load_lexicon

        known["replaced"] = first_words(load_lexicon(settings.home, Path("/"), own=True))
    # A home that cannot be written costs the quick way, not the answer.
    with suppress(OSError):
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(settings.home / RULES, rules_cache(packs, now), durable=False)
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
    guards = call.moment == "before_tool" and not settings.guard.off
    judgement = _judged(environment, call, clock) if guards else HookAnswer()
    # The memory knows about commands; a file that is about to be written is for the guard alone.
    is_write = call.moment == "before_tool" and not (call.tool and call.tool.command)
    is_left = is_write or is_private(call.prompt)
    if off or call.moment == "other" or judgement.deny or environment.memory is None or is_left:
        return judgement
    try:
        if call.moment in _LATER or call.is_edit:
            _for_later(environment, call, clock)
            return judgement
        told = _told(environment, environment.memory, call, clock)
        if told is None:
            return judgement
        refusal = {"deny": told.deny, "ask": ""} if told.deny else {}
        judgement = msgspec.structs.replace(judgement, context=told.context, **refusal)
        if call.moment == "prompt" and settings.sessions.keep != "none":
            _for_later(environment, call, clock)
        if call.moment != "before_tool" and not environment.has_worker and _has_deferred_work(settings.home, call):
            from tacit.app.deferred_work import drain_a_little

            drain_a_little(spool_target(settings, partial(record, settings.home, clock)), call.moment)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and call.moment in _KEPT:
            return _unkept(environment, call, clock, judgement, error)
        # What is known by then stands, whatever becomes of the rest.
        record(settings.home, clock, explained(error), call.agent)
    return judgement


def _unkept(
    environment: HookEnvironment, call: HookCall, clock: Clock, judgement: HookAnswer, error: OSError
) -> HookAnswer:
    """Answer a call that neither the store nor the spool took: say so, and keep it in memory where the disk is full."""
    settings, held, why = environment.settings, environment.held, f"{environment.settings.home} ({error.strerror})"
    if held is not None and is_disk_full(error):
        size = len(call.prompt) + len(call.tool.command if call.tool else "")
        size += len(call.outcome.output if call.outcome else "")
        if held.hold(size, partial(_defer_call, settings, call)):
            said = f"nothing can be stored in {why}; it is kept in memory until there is room"
        else:
            said = f"nothing can be stored in {why}, and no more can be kept in memory: this is lost"
    elif environment.has_worker:
        raise NotStored from error
    elif error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        # No room is not what is missing.
        record(settings.home, clock, explained(error), call.agent)
        return judgement
    else:
        said = f"nothing can be stored in {why}; this is lost unless the session's transcript is imported later"
    record(settings.home, clock, said, call.agent, once=True)
    if not environment.has_worker:
        # The log is on the same disk.
        with suppress(OSError):
            os.write(2, f"tacit: {said}\n".encode())
    failed = call.moment == "after_tool" and call.outcome is not None and call.outcome.ok is False
    return msgspec.structs.replace(judgement, context=f"tacit: {said}. Free some space.") if failed else judgement


def _for_later(environment: HookEnvironment, call: HookCall, clock: Clock) -> None:
    """Queue what nobody waits for: a transcript to learn from, or the path of a file that was written."""
    from tacit.sessions.session_jobs import queue_meanwhile, queue_session

    settings = environment.settings
    if call.is_edit:
        _defer_call(settings, call)
    elif call.moment in (*_WHILE_IT_RUNS, "prompt"):
        queue_meanwhile(settings.home, call, clock.now(), store_mark(settings))
    else:
        queue_session(settings.home, call, store_mark(settings))
        if not environment.has_worker:
            from tacit.app.deferred_work import drain_at_end

            drain_at_end(spool_target(settings, partial(record, settings.home, clock)))


def _has_deferred_work(home: Path, call: HookCall) -> bool:
    return bool(waiting(home / SPOOL)) or (call.moment == "session_start" and bool(waiting(home / JOBS)))


def _judged(environment: HookEnvironment, call: HookCall, clock: Clock) -> HookAnswer:
    """Judge what is about to run. If rules cannot be loaded, use the built-in rules; if these fail too, ask."""
    from tacit.loop.judge_call import judged

    try:
        rules = environment.guard()
    except MemoryError:
        raise
    except Exception as error:
        problem = f"{explained(error)}; the guard judged without it"
        record(environment.settings.home, clock, problem, call.agent, once=True)
        rules = _tolerant_guard(environment.settings)
    return judged(rules.guard, rules.guard_write, call)


def _told(
    environment: HookEnvironment, opened: Callable[[bool], MemoryNouns], call: HookCall, clock: Clock
) -> HookAnswer | None:
    """Ask the memory. If the store is not available, put the call into the spool, redacted, and return None."""
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
            _defer_call(settings, call)
        return None
    if answer.owed:
        _defer_call(settings, call, answer.owed)
    return answer


def _defer_call(settings: Settings, call: HookCall, owed: tuple[ShownRecord, ...] = ()) -> None:
    from tacit.app.deferred_work import defer_call

    defer_call(settings, call, store_mark(settings), owed)


def captured(folder: Path) -> None:
    """Note the time of the last capture in the file that `status` reads."""
    with suppress(OSError):
        path = folder / CAPTURED
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)


def catch_up(
    settings: Settings, clock: Clock, *, enough: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] | None = None, early: bool = False,
) -> DrainReport:  # fmt: skip
    """Process all deferred hook work: calls to be stored, and sessions to learn from."""
    from tacit.app.deferred_work import drain_all

    left = spool_target(settings, tell or partial(record, settings.home, clock))
    return drain_all(left, enough=enough, early=early)
