"""rpc: JSON-RPC 2.0 on standard input and output, or a Unix socket."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import socketserver
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from tacit.doors.cli.command_call import CommandCall, writing
from tacit.doors.rpc.methods import methods_of, schema
from tacit.doors.rpc.protocol import MOST_BYTES, Method, reply
from tacit.errors import Conflict, UsageError


@click.command()
@click.option(
    "--socket", "path", type=click.Path(path_type=Path), default=None, help="Listen on this Unix socket instead."
)
@click.option("--schema", "wants_schema", is_flag=True, help="Print every method with the JSON Schema of its params.")
@writing
def rpc(call: CommandCall, path: Path | None, wants_schema: bool) -> None:
    """Answer JSON-RPC 2.0, one message per line, until the caller disconnects. Every caller counts as an agent."""
    if wants_schema:
        click.echo(json.dumps({"schema": "tacit.rpc/1", **schema()}, indent=None if call.as_json else 2))
        return
    with call.as_agent().memory(writes=True) as memory:
        methods = methods_of(memory)
        if path is None:
            _talk(methods, memory.take_uses)
        else:
            _listen(path, methods, memory.take_uses)


TakeUses = Callable[[], Callable[[], None]]
"""Returns a function that writes what recall showed, for after the answer."""


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """Return the messages one by one; one that is too long is cut, and its rest is skipped."""
    while line := readline(MOST_BYTES + 2):
        if line.strip():
            yield line
        while not line.endswith(b"\n") and (line := readline(MOST_BYTES)):
            pass


def _talk(methods: dict[str, Method], take_uses: TakeUses) -> None:
    for line in _lines(sys.stdin.buffer.readline):
        if answer := reply(methods, line):
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
        take_uses()()


class _Handler(socketserver.StreamRequestHandler):
    """One caller on the socket."""

    server: _Server

    def handle(self) -> None:
        """Answer line by line, one caller at a time writing."""
        server = self.server
        for line in _lines(self.rfile.readline):
            with server.turn:
                answer = reply(server.methods, line)
                write_uses = server.take_uses()
            self.wfile.write(answer)
            write_uses()


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    methods: dict[str, Method]
    take_uses: TakeUses
    turn: threading.Lock
    daemon_threads = True
    request_queue_size = 64


def _answers(path: Path) -> bool:
    """Return whether a server listens at a socket; a stale socket file may be removed."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1.0)
        try:
            line.connect(str(path))
        except OSError:
            return False
        return True


def _listen(path: Path, methods: dict[str, Method], take_uses: TakeUses) -> None:
    if path.exists():
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise Conflict(f"{path} exists and is not a socket", "choose another path; nothing was changed")
        if _answers(path):
            raise Conflict(f"another process listens at {path}", "choose another path, or stop that process first")
        path.unlink()
    # Created for its owner only: whoever can connect can read the memory.
    before = os.umask(0o177)
    try:
        server = _Server(str(path), _Handler)
    except OSError as error:
        raise UsageError(f"cannot listen on {path}: {error.strerror or error}", "choose another path") from None
    finally:
        os.umask(before)
    server.methods, server.take_uses, server.turn = methods, take_uses, threading.Lock()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever(0.1)
    finally:
        server.server_close()
        path.unlink(missing_ok=True)
