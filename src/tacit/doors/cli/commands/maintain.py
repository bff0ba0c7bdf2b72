"""status, doctor, verify, maintain, sync, pause."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import Any

import click

from tacit.app.guard_setup import settings_problem
from tacit.app.hook_status import hooks_state
from tacit.app.open import UNSET, examine, pause_all, resume_all
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.records import said
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.results import DrainReport
from tacit.text.plural import plural


@click.command()
@partial(options, tolerate_errors=True)
def status(door: CommandCall) -> None:
    """Tell what this memory is, what it holds, and what is off or behind."""
    with door.memory() as memory:
        found = memory.status() | {"hooks": hooks_state(door.settings) | {"serving": _serving(door)}}
    if wrong := settings_problem(door.settings):
        found["warnings"].insert(0, f"{wrong}; {UNSET}")

    def show() -> None:
        from tacit.doors.cli.render import say

        say(f"store   {found['store']} ({found['engine']['engine']}, {found['engine']['size_bytes']:,} bytes)")
        say(f"scope   {found['scope']} (reads {', '.join(found['reads'])})", f"you are {found['actor']}")
        counts = ", ".join(plural(count, kind) for kind, count in found["records"].items())
        say(f"holds   {counts or 'nothing yet'}", f"meaning {_meaning(found)}")
        say(f"hooks   {_hooks(found['hooks'])}")
        say(*(f"warning {warning}" for warning in found["warnings"]))

    door.answer("status", found, show)


def _meaning(found: dict[str, Any]) -> str:
    semantic, by = found["semantic"], found["engine"].get("vectors", "")
    if not semantic["on"]:
        return f"off: {semantic['why']}"
    return f"{semantic['model']}: {semantic['embedded']} records" + (f", searched by {by}" if by else "")


def _serving(door: CommandCall) -> dict[str, Any] | None:
    """Say where a server of this home listens."""
    if not (door.settings.home / "run" / "serve.json").exists():
        return None
    from tacit.doors.server import serving

    facts = serving(door.settings.home)
    return facts._asdict() if facts else None


def _hooks(state: dict[str, Any]) -> str:
    agents = ", ".join(dict.fromkeys(one["agent"] for one in state["connected"])) or "no agent connected"
    server = state["serving"]
    parts = [
        f"served on 127.0.0.1:{server['port']} by process {server['pid']}" if server else "",
        f"last capture {state['last_capture'][:16]}" if state["last_capture"] else "",
        f"{state['waiting']} waiting to be stored" if state["waiting"] else "",
        f"{state['sessions_waiting']} sessions to learn from" if state["sessions_waiting"] else "",
        f"{state['set_aside']} set aside" if state["set_aside"] else "",
        _problems(state),
    ]
    return "; ".join([agents, *(part for part in parts if part)])


def _problems(state: dict[str, Any]) -> str:
    if not state["last_problem"]:
        return ""
    said = f"last problem {str(state['last_problem'].get('at', ''))[:16]}: {state['last_problem'].get('problem', '')}"
    return f"{said} ({state['problems_in_7_days']} in 7 days)" if state["problems_in_7_days"] else said


@click.command()
@partial(options, tolerate_errors=True)
def doctor(door: CommandCall) -> int:
    """Say what is wrong and what to do about it. Exits 1 only when something is broken."""
    with door.progress("examining"):
        found = examine(door.settings, door.guest, door.store)

    def show() -> None:
        from tacit.doors.cli.render import findings

        findings(found)

    broken = any(finding.level == "error" for finding in found)
    door.answer("doctor", {"ok": not broken, "findings": plain(found)}, show)
    return 1 if broken else 0


@click.command()
@options
def verify(door: CommandCall) -> int:
    """Check the log's seals, every record against it, and the index. Exits 5 when something is broken."""
    with door.memory() as memory, door.progress("verifying"):
        outcome = memory.verify()

    def show() -> None:
        from tacit.doors.cli.render import findings, say

        findings(outcome.findings)
        state = "sound" if outcome.ok else "NOT sound"
        say(
            f"{state}: {outcome.events} events under {outcome.seals} seals, {outcome.records} record versions, "
            f"{outcome.unsealed} unsealed, {outcome.erased} erased"
        )

    door.answer("verify", plain(outcome), show)
    return 0 if outcome.ok else 5


@click.command()
@click.option("--rebuild", is_flag=True, help="Also drop and rebuild the text index.")
@options
def maintain(door: CommandCall, rebuild: bool) -> None:
    """Do one bounded pass: archive what decayed, embed what waits, compact. For a scheduler, every 6 hours."""
    with door.memory() as memory, door.progress("embedding") as progress:
        done = memory.maintain(rebuild=rebuild, progress=progress)
        memory.episodes.learn(limit=10_000)
    from tacit.doors.hooks.answer import catch_up

    catch_up(door.settings, door.guest.clock)

    def show() -> None:
        from tacit.doors.cli.render import say

        say(f"archived {done.pruned}, embedded {done.embedded} ({done.waiting} wait)")
        moved = (done.lessons_proposed, done.lessons_on_trial, done.lessons_demoted)
        if any(moved):
            say("lessons: {} proposed, {} now on trial, {} demoted".format(*moved))
        say(f"{done.vector_files} vector files written")
        if rebuild:
            say(f"rebuilt the index over {done.rebuilt} records")
        say(*done.notices)

    door.answer("maintain", plain(done), show)


@click.command()
@options
def sync(door: CommandCall) -> None:
    """Take in what hooks left behind, and say where the store stands then."""
    with door.memory() as memory, door.progress("taking in"):
        done = memory.sync()

    def show() -> None:
        from tacit.doors.cli.render import say

        drained = done.drained
        say(f"took in {plural(drained.calls, 'call')} and {plural(drained.sessions, 'session')}; {_left(drained)}")
        say(f"{done.store} stands at event {done.seq}", *(f"problem: {said}" for said in drained.problems))

    door.answer("sync", plain(done), show)


def _left(drained: DrainReport) -> str:
    return f"{drained.waiting + drained.sessions_waiting} wait, {drained.set_aside} set aside"


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@click.command()
@click.option("--for", "span", default="1h", show_default=True, metavar="TIME", help="For example 30m, 8h or 2d.")
@click.option("--end", is_flag=True, help="Switch on again.")
@options
def pause(door: CommandCall, span: str, end: bool) -> None:
    """Switch everything off for a while: nothing is written, nothing is injected. Only a person may."""
    if end:
        resume_all(door.settings, door.guest)
        said(door, "pause", {"paused": False}, "on again")
        return
    found = re.fullmatch(r"(\d{1,6})([smhd])", span.strip())
    if not found:
        raise UsageError(f"{span[:40]!r} is not a span of time", "write it like 30m, 8h or 2d")
    until = pause_all(door.settings, door.guest, timedelta(seconds=int(found[1]) * _UNITS[found[2]]))
    said(
        door,
        "pause",
        {"paused": True, "until": plain(until)},
        f"off until {until:%Y-%m-%d %H:%M} UTC; `tacit pause --end` switches on",
    )
