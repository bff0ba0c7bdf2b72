"""The program that an agent's hooks call: the C client of this home, or `tacit hook` where none can be built."""

from __future__ import annotations

import shlex
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from tacit.run.build_client import build_client, compiler
from tacit.version import __version__

CLIENT = "bin/tacit-hook"


class HookProgram(NamedTuple):
    """The beginning of a hook's command line, to which the agent and the event are added, and what to know about it."""

    line: str
    notice: str = ""


def hook_program(home: Path, program: str, *, build: bool = True) -> HookProgram:
    """Build the C client for a `tacit` program, and return what hooks call. Without `build`, nothing is written."""
    client = home / CLIENT
    line = f"{shlex.quote(program)} hook"
    if not build:
        return HookProgram(shlex.quote(str(client)) if compiler() else line)
    with as_file(files("tacit.doors.hooks") / "tacit_hook.c") as source:
        version = f"{__version__}-{crc32(source.read_bytes()):08x}"
        problem = build_client(source, client, program, version)
    if problem:
        return HookProgram(line, f"hooks are slower, because each starts Python: {problem}")
    return HookProgram(shlex.quote(str(client)))
