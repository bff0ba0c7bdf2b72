"""status, doctor, verify, maintain, sync, pause."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import Any

import click

from tacit.app.examine import CALLERS, examine
from tacit.app.guard_setup import settings_problems
from tacit.app.hook_status import hooks_state, named_aside
from tacit.app.memory import Memory
from tacit.app.person_actions import pause_all, resume_all
from tacit.doors.cli.command_call import CommandCall, options, whole_scope
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import Given, VerbCommand, View, arguments_of, sentence, verb_command
from tacit.errors import UsageError
from tacit.exchange.share.accepted import shared_line
from tacit.files.helper_wanted import SERVING
from tacit.model.kinds import RULE, kind_shown
from tacit.model.payload import plain
from tacit.model.record import replace
from tacit.model.report import Verification
from tacit.model.results import SyncReceipt
from tacit.search.rules.relevance_cutoff import FIX
from tacit.text.plural import plural


@click.command()
@partial(options, tolerate_errors=True)
def status(call: CommandCall) -> None:
    """Show the settings and contents of this memory, and what is off or incomplete."""
    with call.memory() as memory:
        found = memory.status() | {"hooks": hooks_state(call.settings) | {"serving": _serving(call)}}
        kept = _kept(found["records"], memory) if not call.as_json else {}
    problems, notices = settings_problems(call.settings)
    found["warnings"][:0] = [f"{one.message}; {one.hint}" for one in problems]
    found["notices"] = notices

    def show() -> None:
        from tacit.doors.cli.render import say

        say(f"store   {found['store']} ({found['engine']['engine']}, {found['engine']['size_bytes']:,} bytes)")
        say(f"scope   {found['scope']} (reads {', '.join(found['reads'])})", f"you     {CALLERS[found['actor']]}")
        counts = ", ".join(plural(count, kind) for kind, count in kept.items())
        say(f"holds   {counts or 'nothing yet'}", f"meaning {_meaning(found)}")
        say(f"hooks   {_hooks(found['hooks'])}", f"start   {_start(found['start'])}")
        say(*(f"shares  {shared_line(one)}" for one in found["shared"]))
        say(*([f"moved   {found['moved']}"] if found["moved"] else []))
        say(*(f"pending {one['what']}: {one['command']}" for one in found["decisions"]))
        say(*(f"warning {warning}" for warning in found["warnings"]))

    call.answer("status", found, show)


def _kept(records: dict[str, int], memory: Memory) -> dict[str, int]:
    """Return the counts of records in the words of `tacit` alone: fixes that were learned are no rules."""
    kept = {kind_shown(kind): count for kind, count in records.items()}
    knows = memory.overview().knows
    told = {kind: knows.get(kind, 0) for kind in (RULE, FIX)}
    kept = told | {kind: count for kind, count in kept.items() if kind not in told}
    return {kind: count for kind, count in kept.items() if count}


def _start(tokens: dict[str, int]) -> str:
    """Return what the start of a session costs, by part."""
    parts = ", ".join(f"{name} {count}" for name, count in tokens.items() if name != "tokens" and count)
    return f"{tokens['tokens']} tokens injected at session start ({parts})" if parts else "nothing is injected"


def _meaning(found: dict[str, Any]) -> str:
    semantic = found["semantic"]
    if not semantic["on"]:
        return f"off: {semantic['why']}"
    return f"{semantic['model']}: {semantic['embedded']} records"


def _serving(call: CommandCall) -> dict[str, Any] | None:
    """Return where the server of this home listens."""
    if not (call.settings.home / SERVING).exists():
        return None
    from tacit.doors.server import serving

    facts = serving(call.settings.home)
    return facts._asdict() if facts else None


def _helper(server: dict[str, Any]) -> str:
    return f"helper: process {server['pid']}" + (f" on 127.0.0.1:{server['port']}" if server["port"] else "")


def _hooks(state: dict[str, Any]) -> str:
    agents = ", ".join(dict.fromkeys(one["agent"] for one in state["connected"])) or "no agent connected"
    server = state["serving"]
    parts = [
        "the guard is off" if state["guard_off"] else "",
        _helper(server) if server else "",
        f"last capture {state['last_capture'][:16]}" if state["last_capture"] else "",
        f"{state['waiting']} waiting to be stored" if state["waiting"] else "",
        f"{state['held']} kept in memory until the disk has room" if state["held"] else "",
        f"{state['sessions_waiting']} sessions to learn from" if state["sessions_waiting"] else "",
        f"{state['set_aside']} set aside: {named_aside(state)}" if state["set_aside"] else "",
        _problems(state),
    ]
    return "; ".join([agents, *(part for part in parts if part)])


def _problems(state: dict[str, Any]) -> str:
    if not state["last_problem"]:
        return ""
    text = f"last problem {str(state['last_problem'].get('at', ''))[:16]}: {state['last_problem'].get('problem', '')}"
    return f"{text} ({state['problems_in_7_days']} in 7 days)" if state["problems_in_7_days"] else text


@click.command()
@partial(whole_scope, tolerate_errors=True)
def doctor(call: CommandCall) -> int:
    """Show problems and how to fix them. Exits 1 only if something is broken."""
    with call.progress("examining") as progress:
        found = examine(call.settings, call.caller, call.store, progress)

    def show() -> None:
        from tacit.doors.cli.render import findings

        findings(found)

    broken = any(finding.level == "error" for finding in found)
    call.answer("doctor", {"ok": not broken, "findings": plain(found)}, show)
    return 1 if broken else 0


def _verified(outcome: Verification, _given: Given) -> None:
    from tacit.doors.cli.render import findings, say

    findings(outcome.findings)
    state = "sound" if outcome.ok else "NOT sound"
    counts = (plural(outcome.events, "event"), plural(outcome.seals, "seal"), plural(outcome.records, "record version"))
    say(f"{state}: {', '.join(counts)}, {outcome.unsealed} unsealed, {outcome.erased} erased")
    if outcome.skipped:
        say(f"not checked again: {outcome.skipped}")


verify = verb_command(
    Memory.verify, View("verify", _verified, exit_code=lambda outcome: 0 if outcome.ok else 5, doing="verifying"),
    help="Check the seals, compare every record with the log, and check the index. Exits 5 on problems.",
)  # fmt: skip


@click.command(cls=VerbCommand)
@arguments_of(Memory.maintain)
@whole_scope
def maintain(call: CommandCall, rebuild: bool) -> None:
    """Run one bounded pass of maintenance: archive, embed, compact, update lessons. Schedule it every 6 hours."""
    with call.memory() as memory, call.progress("embedding") as progress:
        done = memory.maintain(rebuild=rebuild, progress=progress)
        memory.episodes.learn(limit=10_000)
    from tacit.doors.hooks.answer import catch_up, record

    problems: list[str] = []

    def tell(said: str) -> None:
        record(call.settings.home, call.caller.clock, said)
        problems.append(call.clean(said[:500]))

    catch_up(call.settings, call.caller.clock, tell=tell, early=True)
    done = replace(done, notices=(*done.notices, *problems))

    def show() -> None:
        from tacit.doors.cli.render import say

        say(f"archived {done.pruned}, embedded {done.embedded} ({done.waiting} waiting)")
        moved = (done.lessons_proposed, done.lessons_on_trial, done.lessons_demoted)
        if any(moved):
            say("lessons: {} proposed, {} now on trial, {} demoted".format(*moved))
        say(f"{done.vector_files} vector files written")
        if rebuild:
            say(f"rebuilt the index over {done.rebuilt} records")
        say(*done.notices)

    call.answer("maintain", plain(done), show)


def _synced(done: SyncReceipt, _given: Given) -> str:
    drained = done.drained
    stored = f"stored {plural(drained.calls, 'call')} and {plural(drained.sessions, 'session')}"
    left = f"{drained.waiting + drained.sessions_waiting} waiting, {drained.set_aside} set aside"
    problems = [f"problem: {problem}" for problem in drained.problems]
    return "\n".join([f"{stored}; {left}", f"{done.store} is at event {done.seq}", *problems])


sync = verb_command(Memory.sync, sentence("sync", _synced, doing="storing"))


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@click.command()
@click.option("--for", "span", default="1h", show_default=True, metavar="TIME", help="The duration: 30m, 8h or 2d.")
@click.option("--end", is_flag=True, help="Switch tacit on again.")
@whole_scope
def pause(call: CommandCall, span: str, end: bool) -> None:
    """Switch tacit off for a while: nothing is written, nothing is injected. Only a person may do this."""
    if end:
        resume_all(call.settings, call.caller)
        said(call, "pause", {"paused": False}, "on again")
        return
    found = re.fullmatch(r"(\d{1,6})([smhd])", span.strip())
    if not found:
        raise UsageError(f"{span[:40]!r} is not a duration", "write it like 30m, 8h or 2d")
    until = pause_all(call.settings, call.caller, timedelta(seconds=int(found[1]) * _UNITS[found[2]]))
    sentence = f"off until {until:%Y-%m-%d %H:%M} UTC; `tacit pause --end` switches on"
    said(call, "pause", {"paused": True, "until": plain(until)}, sentence)
