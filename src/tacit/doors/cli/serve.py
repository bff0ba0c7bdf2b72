"""serve: one process that answers hooks quickly."""

from __future__ import annotations

import re

import click

from tacit.doors.cli.door import Door, options
from tacit.errors import UsageError

_UNITS = {"s": 1, "m": 60, "h": 3600}


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=7842, show_default=True, help="0 takes any free one.")
@click.option("--idle", default="", metavar="TIME", help="Leave when nobody called for so long: 30m, 2h.")
@options
def serve(door: Door, port: int, idle: str) -> None:
    """Answer hooks over loopback HTTP and a Unix socket, until it is stopped."""
    from tacit.doors.serve import serve as run

    try:
        facts = run(port, _seconds(idle), tell=lambda found: door.tell(
            f"serving on 127.0.0.1:{found.port} and {found.socket}; Ctrl-C stops it"
        ))  # fmt: skip
    except OSError as error:
        raise UsageError(f"port {port} cannot be had: {error.strerror}", "choose another with --port") from None
    door.answer("serve", facts._asdict(), lambda: None)


def _seconds(text: str) -> float | None:
    if not text:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found:
        raise UsageError(f"{text[:40]!r} is no span of time", "write 30s, 10m or 2h")
    return float(found[1]) * _UNITS[found[2]]
