"""A real `tacit` with a terminal on stdin and stderr."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

# Whoever runs the tests, an agent too: in this process a person is at the terminal.
AS_PERSON = """
import sys
import tacit.app.open
tacit.app.open._actor = lambda _env, _settings: "user"
from tacit.doors.cli.main import run
run(sys.argv[1:])
"""


def at_terminal(
    folder: Path, *words: str, typed: str = "", person: bool = False, env: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Run `tacit` at a terminal where `typed` is typed; gives exit code, stdout, and what the terminal showed."""
    main, side = pty.openpty()
    # The terminal keeps what is typed ahead until somebody reads it.
    os.write(main, typed.encode())
    program = ["-c", AS_PERSON] if person else ["-m", "tacit"]
    try:
        done = subprocess.run(
            [sys.executable, *program, *words], stdin=side, stderr=side, stdout=subprocess.PIPE, cwd=folder,
            env={**os.environ, "TACIT_EMBEDDER": "off", **(env or {})}, timeout=600, check=False,
        )  # fmt: skip
    finally:
        os.close(side)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(main)
    return done.returncode, done.stdout.decode(), shown.decode()
