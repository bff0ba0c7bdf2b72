"""Answer a hook call: judge and warn before a tool, learn after it, remind at a prompt or a session start."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import StoreError
from tacit.failures.injection_log import INSIST, record_reaction, show_once, stop_once
from tacit.loop.judge_call import REASON_CHARS
from tacit.model.hook import HookAnswer, HookCall, ShownRecord
from tacit.model.record import Record, id_mark, payload_of, replace
from tacit.model.session import ToolCall
from tacit.records.connection import Connection
from tacit.sessions.files_touched import note_files
from tacit.text.frame import REMINDERS_HEAD, framed
from tacit.text.program_prompts import is_private

# A hook is a process that answers one moment, so each moment loads what it needs itself.
# What else hands prompts to an agent (a schedule, a system, a program) is not its user, and corrects nobody.
_SAID_BY_USER = ("", "user")


def preload() -> None:
    """Load what all moments need, for a process that answers many hooks."""
    from importlib import import_module

    for name in ("failures.failures", "lessons.user_feedback", "loop.reminders", "loop.session_start", "loop.warnings"):
        import_module(f"tacit.{name}")


def answer_hook(c: Connection, call: HookCall, once: str = "") -> HookAnswer:
    """Record what happened, and return what is known about the call that is about to happen."""
    match call.moment:
        case "before_tool" if call.tool is not None and call.tool.command:
            return _before(c, call, call.tool)
        case "after_tool" if call.is_edit and call.tool is not None:
            if call.outcome is None or call.outcome.ok is not False:
                note_files(c, call.session, call.cwd, call.tool.paths)
        case "after_tool":
            _after(c, call, once)
        case "prompt" if not is_private(call.prompt):
            return _prompt(c, call)
        case "session_start" if call.hears:
            return _start(c, call)
    return HookAnswer()


def _before(c: Connection, call: HookCall, tool: ToolCall) -> HookAnswer:
    """Return what is known about a command that is about to run; a command that would fail again is stopped once."""
    from tacit.loop.warnings import warnings_for

    known = warnings_for(c, tool.command, call.cwd, call.session)
    if not call.hears:
        # This agent passes on the reason of a denial, and nothing else.
        known = [one for one in known if one.stops or one.denies]
    if not known:
        return HookAnswer()
    try:
        if not c.store.lasting:
            # Before there is a store, nobody would remember that the command was stopped.
            known = [replace(one, stops=False) for one in known]
        fresh, stops = stop_once(c, call.session, tool.command, known, tool.call)
    except StoreError:
        # What cannot be remembered cannot be stopped once.
        return _denied(HookAnswer(context=_reminder([one.text for one in known]), owed=tuple(known)), known)
    if stops is not None and not any(one.denies for one in known):
        return HookAnswer(deny=f"{' '.join(fresh)[: REASON_CHARS - len(INSIST)]}{INSIST}")
    return _denied(HookAnswer(context=_reminder(fresh)), known)


def _reminder(lines: Sequence[str]) -> str:
    return "\n".join([REMINDERS_HEAD, *(f"- {line}" for line in lines)]) if lines else ""


def note_shown(c: Connection, call: HookCall, owed: Sequence[ShownRecord]) -> None:
    """Record what was shown while the store was busy."""
    show_once(c, call.session, owed, call.moment, call.tool.call if call.tool else "")


def _told(c: Connection, call: HookCall, known: Sequence[ShownRecord], also: Sequence[str] = ()) -> HookAnswer:
    """Return what was not shown yet in this session, and record it as shown: at once, or later if the store is busy."""
    owed: tuple[ShownRecord, ...] = ()
    try:
        fresh = show_once(c, call.session, known, call.moment) if known else []
    except StoreError:
        fresh, owed = [one.text for one in known], tuple(known)
    return HookAnswer(context=_reminder([*fresh, *also]), owed=owed)


def _denied(answer: HookAnswer, known: Sequence[ShownRecord]) -> HookAnswer:
    """Turn an answer into a denial if a promoted lesson has the enforcement `deny`."""
    against = next((one for one in known if one.denies), None)
    if against is None:
        return answer
    return replace(answer, deny=f"{against.text} (tacit lesson {against.id})"[:REASON_CHARS], context="")


def _start(c: Connection, call: HookCall) -> HookAnswer:
    from tacit.loop.session_start import session_start

    block = session_start(c)
    if not block.text:
        return HookAnswer()
    # What a session has read at its start is not told to it again at a prompt.
    known = [ShownRecord(id="", text=block.text), *(ShownRecord(id=id, text=id, once=True) for id in block.ids)]
    try:
        # Whatever was shown before is shown again: a session that is resumed, or compacted, begins anew.
        show_once(c, call.session, known, call.moment, call.source)
    except StoreError:
        return HookAnswer(context=block.text, owed=tuple(known))
    return HookAnswer(context=block.text)


def _after(c: Connection, call: HookCall, once: str) -> None:
    from tacit.failures.failures import ReportSource, capture, capture_hidden, note_success

    tool, outcome = call.tool, call.outcome
    # What goes on in the background has no outcome yet, whatever the tool that started it says.
    if tool is None or outcome is None or not tool.command or outcome.ok is None or tool.background:
        return
    delivery = ReportSource(session=call.session, once=delivery_key(call) or once, call=tool.call)
    ignore, cwd = c.hooks.ignore, call.cwd
    hidden = (
        capture_hidden(c, tool.command, outcome.output, cwd=cwd, delivery=delivery, ignore=ignore)
        if outcome.ok
        else None
    )
    record_reaction(c, call.session, tool.command, ok=outcome.ok, call=tool.call, hidden=hidden is not None, cwd=cwd)
    if not outcome.ok:
        capture(c, tool.command, outcome.output, outcome.exit_code, cwd=cwd, delivery=delivery, ignore=ignore)
    elif hidden is None:
        note_success(c, tool.command, delivery=delivery)


def delivery_key(call: HookCall) -> str:
    """Return the idempotency key of a delivery: a call that is reported twice is recorded once."""
    # Without an id nothing tells one call from its repetition, so every delivery counts.
    mark = call.tool.call if call.tool else ""
    return f"hook:{call.session}:{call.moment}:{mark}" if mark else ""


def _prompt(c: Connection, call: HookCall) -> HookAnswer:
    text = call.prompt.strip()
    if not text:
        return HookAnswer()
    from tacit.failures.corrections import contrary_rules, keep_correction
    from tacit.failures.rules.quiet import SURE
    from tacit.lessons.user_feedback import record_feedback
    from tacit.loop.prompt_rules import SaidInPrompt, prompt_key, said_in
    from tacit.loop.remember import keep_facts
    from tacit.loop.reminders import reminders
    from tacit.model.failure import Correction

    told = said_in(c, text) if call.source in _SAID_BY_USER else SaidInPrompt([], [], [])
    kept = [
        keep_correction(
            c, Correction(
                type=found.type, original=found.original, corrected=found.corrected, context=found.sentence,
                confidence=found.confidence, source="agent" if call.nested else "prompt",
            ), session=call.session, once=prompt_key(call.session, text, found),
        ) for found in told.rules
    ]  # fmt: skip
    saved = keep_facts(c, told.facts)
    record_feedback(c, call.session, text, c.clock.now(), held=False)
    sure = [one for one in kept if payload_of(one, Correction).confidence >= SURE and not call.nested]
    known = [_saved(one) for one in (*sure, *saved)] if call.hears else []
    # What the user has just said is not told back, nor what it replaces.
    said = {one.id for one in (*kept, *saved, *(old for one in kept for old in contrary_rules(c.store, one)))}
    known += reminders(c, text, said) if call.hears else []
    refused = [_refused(len(told.refused))] if told.refused and call.hears else []
    return _told(c, call, known, also=refused) if known or refused else HookAnswer()


def _refused(count: int) -> str:
    """Return that something in a prompt was not kept, and why; it is not repeated, because it is unsafe as advice."""
    rules = "a rule in this prompt was" if count == 1 else f"{count} rules in this prompt were"
    return f"{rules} not kept in the memory: asking for less caution, or for a command that the guard would not allow"


def _saved(record: Record) -> ShownRecord:
    """Return the confirmation that something was kept, as the user asked."""
    rule = record.kind == "correction"
    said = (
        f"kept as the user's rule: {framed(record.title, 200)}"
        if rule
        else f"saved as the user asked: {framed(record.body, 200)}"
    )
    return ShownRecord(id=record.id, text=f"{said}{id_mark(record)}", once=True, confirms=True)
