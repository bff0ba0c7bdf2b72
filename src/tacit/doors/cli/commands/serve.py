"""serve: start the server process that answers hooks quickly, show its status, or stop it."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import click

from tacit.app.open import start_server
from tacit.app.start_helper import IDLE, LOG
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.errors import Conflict, TacitError, UsageError

if TYPE_CHECKING:
    from tacit.doors.server import ServerAddress

_UNITS = {"s": 1, "m": 60, "h": 3600}
_STARTS_WITHIN_S = 300.0
_POLL_S = 0.05


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=None, help="Also answer HTTP on this loopback port; 0: a free one."
)
@click.option(
    "--idle", default="", metavar="TIME", help="Exit after this long without a call: 30m, 2h; with --detach 15m."
)
@click.option("--detach", is_flag=True, help="Start it in the background, and show where it listens.")
@click.option("--status", "asking", is_flag=True, help="Show whether a server runs for this home, and where.")
@click.option("--stop", "stopping", is_flag=True, help="Stop the server of this home.")
@whole_scope
def serve(call: CommandCall, port: int | None, idle: str, detach: bool, asking: bool, stopping: bool) -> None:
    """Run the helper: it answers hooks on a Unix socket and learns from ended sessions, until stopped or idle."""
    if detach + asking + stopping > 1:
        raise UsageError("--detach, --status and --stop cannot be combined", "use one of them")
    if asking or stopping:
        _about(call, stopping=stopping)
        return
    seconds = duration(idle)
    if detach:
        listens = ["--port", str(port)] if port is not None else []
        facts = _detached(call, [*listens, "--idle", idle or IDLE])
        call.answer("serve", facts._asdict(), lambda: click.echo(_where(facts) + "; `tacit serve --stop` stops it"))
        return
    from tacit.doors.server import serve as run

    try:
        facts = run(port, seconds, tell=lambda found: call.tell(
            f"serving on {_listens(found)}; Ctrl-C stops it"
        ))  # fmt: skip
    except OSError as error:
        if port is None:
            raise TacitError(f"cannot listen on {call.settings.home}/run/serve.sock: {error.strerror}") from None
        raise UsageError(f"cannot listen on port {port}: {error.strerror}", "choose another with --port") from None
    call.answer("serve", facts._asdict(), lambda: None)


def _about(call: CommandCall, *, stopping: bool) -> None:
    from tacit.doors.server import serving, stop

    home = call.settings.home
    facts = stop(home) if stopping else serving(home)
    document = {"serving": facts._asdict() if facts and not stopping else None, "stopped": stopping and bool(facts)}
    sentence = "no server runs for this home"
    if facts:
        sentence = f"stopped process {facts.pid}" if stopping else _where(facts)
    call.answer("serve", document, lambda: click.echo(sentence))


def _where(facts: ServerAddress) -> str:
    return f"process {facts.pid} serves on {_listens(facts)}"


def _listens(facts: ServerAddress) -> str:
    return f"127.0.0.1:{facts.port} and {facts.socket}" if facts.port else facts.socket


def _detached(call: CommandCall, words: list[str]) -> ServerAddress:
    """Start a server in the background, and wait until it listens."""
    from tacit.doors.server import serving

    home = call.settings.home
    if (running := serving(home)) is not None:
        raise Conflict("another `tacit serve` runs for this home", f"it is process {running.pid}; --stop stops it")
    log = home / LOG
    started = start_server(home, words)
    until = time.monotonic() + _STARTS_WITHIN_S
    while not started.has_ended() and time.monotonic() < until:
        facts = serving(home)
        if facts is not None and facts.pid == started.pid:
            return facts
        time.sleep(_POLL_S)
    output = " ".join(log.read_text(errors="replace").split())[:300] or "it printed nothing"
    raise TacitError(f"the server did not start: {output}", f"its log is {log}")


def duration(text: str) -> float | None:
    """Return the seconds of a time such as 30m; None for an empty text."""
    if not text:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found:
        raise UsageError(f"{text[:40]!r} is not a duration", "write 30s, 10m or 2h")
    return float(found[1]) * _UNITS[found[2]]
