"""The runner of the tour: it shows a command line, runs exactly that, and shows its output."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tacit.errors import TacitError
from tacit.logs import escape

SCOPE = "project:shop"
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{8}\b")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
# Only to prevent hanging: a busy machine is slow.
_SECONDS = 600


class DemoRunner:
    """A scratch home, and a terminal to print to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._out = Console(highlight=False, markup=False)
        self._chapters = 0

    def chapter(self, title: str) -> None:
        """Open a chapter."""
        self._chapters += 1
        self._out.print()
        self._out.print(Text(f"{self._chapters}. {title}", style="bold cyan"))

    def say(self, sentence: str) -> None:
        """Print a text."""
        self._out.print(Text(sentence), soft_wrap=not self._out.is_terminal)

    def hook(self, event: str, command: str, call: str, *, session: str = "one", **more: object) -> None:
        """Act as an agent's hook: show what it sends, and the answer."""
        payload = {
            "session_id": session, "cwd": str(self.folder), "hook_event_name": event, "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": call, **more,
        }  # fmt: skip
        self._run(("hook", "claude"), f"  # {event}: {command}", json.dumps(payload).encode())

    def append(self, file: Path, text: str) -> None:
        """Act as an editor: append a line to a file of the scratch home, and show it."""
        with (self.folder / file).open("a", encoding="utf-8") as opened:
            opened.write(text)
        self._out.print()
        self._out.print(Text().append("$ ", "dim").append(f"printf {text!r} >> {file}", "bold"), soft_wrap=True)

    def run(self, *words: str, leaves: int = 0) -> list[str]:
        """Show a command line, run it, show its output, and return the ids in it.

        `leaves` is the exit code to expect.
        """
        return self._run(words, "", b"", leaves)

    def _run(self, words: tuple[str, ...], note: str, stdin: bytes, leaves: int = 0) -> list[str]:
        self._out.print()
        typed = Text().append("$ ", "dim").append(shlex.join(("tacit", *words)), "bold").append(note, "dim")
        self._out.print(typed, soft_wrap=True)
        done = subprocess.run(
            [sys.executable, "-m", "tacit", *words], cwd=self.folder, env=self._environment(), timeout=_SECONDS,
            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        said = done.stdout.decode(errors="replace").rstrip("\n")
        for line in said.split("\n") if said else ():
            self._show(line)
        if done.returncode != leaves:
            raise TacitError(f"`tacit {words[0]}` exited with {done.returncode}", "please report it; the tour stops")
        return list(dict.fromkeys(_ID.findall(_STYLE.sub("", said))))

    def _show(self, line: str) -> None:
        """Show a line of a command's output unchanged; only its colours are codes, the rest is text."""
        shown = Text.from_ansi(line) if self._out.is_terminal else Text(escape(_STYLE.sub("", line)))
        self._out.print(Text("  ").append_text(shown), soft_wrap=True)

    def _environment(self) -> dict[str, str]:
        """Return the environment of a command. Nothing is inherited: no settings, agent or other home can interfere."""
        width = shutil.get_terminal_size((100, 24)).columns
        colours = {"FORCE_COLOR": "1", "TERM": "xterm-256color"} if self._out.is_terminal else {"NO_COLOR": "1"}
        return {
            "HOME": str(self.folder), "TACIT_HOME": str(self.folder / "home"), "TACIT_SCOPE": SCOPE,
            "TACIT_USER": "you", "LANG": "C.UTF-8", "COLUMNS": str(max(80, width - 2)),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        } | colours  # fmt: skip
