"""open: the dashboard in a browser."""

from __future__ import annotations

import time
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.app.start_helper import IDLE
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.serve import duration
from tacit.errors import PersonNeeded, TacitError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from tacit.doors.lazy_memory import LazyMemory
    from tacit.doors.web.server import WebPlace

_STARTS_WITHIN_S = 300.0
_POLL_S = 0.05
_LOG = "run/web.log"


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port on loopback; default: any free one.")
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@click.option("--code", "wants_code", is_flag=True, help="Print a code: with it, you act as yourself in the browser.")
@click.option("--idle", default=IDLE, metavar="TIME", help="Exit after this long without a request; default: 15m.")
@click.option("--foreground", is_flag=True, help="Serve in this process until Ctrl-C, or until idle.")
@options
def open(call: CommandCall, port: int, no_browser: bool, wants_code: bool, idle: str, foreground: bool) -> None:
    """Open the dashboard: what was learned today, search, records, lessons to review, procedures.

    The link works once. In the browser you may do what an agent may, until you type the code that --code prints.
    """
    from tacit.doors.web.extra import require_web

    require_web()
    idle_s = duration(idle)
    if wants_code and call.caller.origin.actor != "user":
        raise PersonNeeded("only a person may get a code", "run it yourself in a terminal, outside the agent")
    if foreground:
        _serve(call, port, idle_s)
        return
    if call.names_scope:
        with call.memory():
            pass  # a scope or namespace that does not exist is said here, not in a process behind it
    found, is_new = _running(call, ["--port", str(port), "--idle", idle])
    if wants_code:
        _code(call, found, is_new)
        return

    def show() -> None:
        click.echo(found["url"])
        call.tell("the link works once; `tacit open` prints another")
        if not no_browser:
            webbrowser.open(found["url"])

    answer = {name: found.get(name, "") for name in ("url", "pid", "mcp")}
    call.answer("open", {**answer, "started": is_new}, show)


def _code(call: CommandCall, found: dict[str, Any], is_new: bool) -> None:
    from tacit.doors.web.control_socket import ask

    told = ask(_place(call).socket, "code")
    if told is None or "person_code" not in told:
        refused = PersonNeeded if told and told.get("code") == PersonNeeded.code else TacitError
        raise refused(*((told["error"], told["hint"]) if told else ("the dashboard does not answer", "try again")))

    def show() -> None:
        if is_new:
            click.echo(found["url"])
        click.echo(f"code: {told['person_code']}")
        call.tell('type it on the page "Act as yourself" within ten minutes; it works once')

    url = {"url": found["url"]} if is_new else {}
    call.answer("open", {**url, "pid": found["pid"], "started": is_new, "code": told["person_code"]}, show)


def _place(call: CommandCall) -> WebPlace:
    from tacit.app.dashboard import memory_mark
    from tacit.doors.web.server import WebPlace

    mark = memory_mark(call.settings, call.store, call.scope, call.also)
    title = call.scope or call.settings.scope or call.settings.project or "your memory"
    return WebPlace(Path(call.settings.home, "run"), mark, title)


def _serve(call: CommandCall, port: int, idle_s: float | None) -> None:
    from tacit.app.dashboard import dashboard_caller, is_person_at_terminal
    from tacit.doors.lazy_memory import LazyMemory
    from tacit.doors.web.app import Memories
    from tacit.doors.web.server import serve_web

    def memory(is_person: bool) -> LazyMemory:
        caller = dashboard_caller(call.settings, is_person=is_person)
        return LazyMemory(lambda creates: call.with_caller(caller).memory(writes=creates))

    memories = Memories(memory(False), memory(True))
    tools = _tools if find_spec("mcp") else None
    serve_web(memories, _place(call), port, idle_s, is_person_at_terminal, click.echo, tools)


def _tools(memory: LazyMemory, port: int) -> ASGIApp:
    """Make the app of MCP, when it is asked for first."""
    from tacit.doors.mcp.http import http_app
    from tacit.doors.mcp.sdk_server import build

    return http_app(build(memory, over_http=True), port)


def _running(call: CommandCall, words: list[str]) -> tuple[dict[str, Any], bool]:
    """Return the answer of the dashboard that runs for this memory, or of one that is started now."""
    from tacit.app.open import start_dashboard
    from tacit.doors.web.control_socket import ask

    place = _place(call).socket
    if found := ask(place, "link"):
        return found, False
    log = Path(call.settings.home, _LOG)
    started = start_dashboard(call.settings, ["--foreground", *words, *call.scope_words()], call.store, log)
    until = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < until:
        # Another may have been first; then this one has ended, and the other one answers.
        if found := ask(place, "link"):
            return found, True
        if started.has_ended():
            break
        time.sleep(_POLL_S)
    if found := ask(place, "link"):
        return found, False
    output = " ".join(log.read_text(errors="replace").split())[:300] or "it printed nothing"
    raise TacitError(f"the dashboard did not start: {output}", f"its log is {log}")
