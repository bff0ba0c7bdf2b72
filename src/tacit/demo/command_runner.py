"""The runner of the tour: it shows a command line, runs exactly that, and shows its output."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tacit.errors import TacitError
from tacit.failures.injection_log import INSIST
from tacit.logs import escape
from tacit.text.frame import REMINDERS_HEAD

SCOPE = "project:shop"
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{8}\b")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
# Only to prevent hanging: a busy machine is slow.
_SECONDS = 600


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Hold signals back while a process is started: an exception in there would leave it running, unknown to us."""
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _frame: came.append(number))
              for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}  # fmt: skip
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if came:
        signal.raise_signal(came[0])


class DemoRunner:
    """A scratch home with a project in it, and a terminal to print to."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "shop"
        self.folder.mkdir(exist_ok=True)
        self._out = Console(highlight=False, markup=False)
        self._chapters = self._calls = 0

    def chapter(self, title: str) -> None:
        """Open a chapter."""
        self._chapters += 1
        self._out.print()
        self._out.print(Text(f"{self._chapters}. {title}", style="bold cyan"))

    def say(self, sentence: str) -> None:
        """Print a text."""
        self._out.print(Text(sentence), soft_wrap=not self._out.is_terminal)

    def pause(self) -> None:
        """Wait for Enter, if somebody is at a terminal."""
        if sys.stdin.isatty() and self._out.is_terminal:
            self._out.print()
            self._out.input(Text("Enter for the next scene ", style="dim"))

    def act(self, command: str, *, session: str, fails: str = "", asks_only: bool = False) -> None:
        """Play an agent that wants to run a command: show what the hook says, and what comes of it."""
        self._calls += 1
        call = f"call{self._calls}"
        self._out.print(Text().append("agent  ", "magenta").append(f"$ {command}", "bold"), soft_wrap=True)
        answer = self._heard("PreToolUse", session, call, command)
        stopped = str(answer.get("permissionDecisionReason") or "")
        told = str(answer.get("additionalContext") or "")
        if stopped or told:
            self._tacit("stopped: " if INSIST in stopped else "denied: " if stopped else "", stopped or told)
            if stopped:
                return
        if asks_only:
            self._tacit("", "no objection")
        elif fails:
            self._out.print(Text(f"       {fails.splitlines()[-1]}", style="red"), soft_wrap=True)
            self._heard("PostToolUseFailure", session, call, command, error=fails)
        else:
            self._out.print(Text("       works", style="green"))
            self._heard("PostToolUse", session, call, command, tool_response={"stdout": "ok", "stderr": ""})

    def prompt(self, said: str, *, session: str) -> None:
        """Play a user who says something to an agent: show what the memory makes of it."""
        self._out.print(Text().append("you    ", "blue").append(f"> {said}", "bold"), soft_wrap=True)
        answer = self._heard("UserPromptSubmit", session, "", "", prompt=said)
        self._tacit("", str(answer.get("additionalContext") or ""))

    def start(self, *, session: str, but: tuple[str, ...] = ()) -> None:
        """Play the start of a session: show what the agent is told, without paragraphs that begin with `but`."""
        answer = self._heard("SessionStart", session, "", "", source="startup")
        parts = str(answer.get("additionalContext") or "").split("\n\n")
        self._tacit("", "\n".join(part for part in parts if not part.startswith(but)))

    def _tacit(self, what: str, said: str) -> None:
        lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith(REMINDERS_HEAD)]
        for number, line in enumerate(lines):
            head = "tacit  " if not number else "       "
            shown = (
                Text()
                .append(head, "cyan")
                .append(what if not number else "", "bold red")
                .append(line.removeprefix("- "))
            )
            self._out.print(shown, soft_wrap=not self._out.is_terminal)

    def _heard(self, event: str, session: str, call: str, command: str, **more: object) -> dict[str, Any]:
        """Ask the hook of an agent, and return what it answers."""
        payload = {"session_id": session, "cwd": str(self.folder), "hook_event_name": event, **more}
        if command:
            payload |= {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call}
        done = self._started(("hook", "claude"), json.dumps(payload).encode())
        said = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
        return dict(said) if isinstance(said, dict) else {}

    def quietly(self, *words: str) -> None:
        """Run a command without showing it."""
        done = self._started(words, b"")
        if done.returncode:
            raise TacitError(f"`tacit {words[0]}` exited with {done.returncode}", "please report it; the tour stops")

    def show_command(self, line: str) -> None:
        """Show a command line that is not run."""
        self._out.print(Text().append("$ ", "dim").append(line, "bold"), soft_wrap=True)

    def hook(self, event: str, command: str, call: str, *, session: str = "one", **more: object) -> None:
        """Act as an agent's hook: show what it sends, and the answer."""
        payload = {
            "session_id": session, "cwd": str(self.folder), "hook_event_name": event, "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": call, **more,
        }  # fmt: skip
        self._run(("hook", "claude"), f"  # {event}: {command}", json.dumps(payload).encode())

    def append(self, file: Path, text: str) -> None:
        """Act as an editor: append a line to a file of the scratch home, and show it."""
        with (self.home / file).open("a", encoding="utf-8") as opened:
            opened.write(text)
        self._out.print()
        self._out.print(Text().append("$ ", "dim").append(f"printf {text!r} >> ~/{file}", "bold"), soft_wrap=True)

    def run(self, *words: str, leaves: int = 0) -> list[str]:
        """Show a command line, run it, show its output, and return the ids in it.

        `leaves` is the exit code to expect.
        """
        return self._run(words, "", b"", leaves)

    def _run(self, words: tuple[str, ...], note: str, stdin: bytes, leaves: int = 0) -> list[str]:
        self._out.print()
        typed = Text().append("$ ", "dim").append(shlex.join(("tacit", *words)), "bold").append(note, "dim")
        self._out.print(typed, soft_wrap=True)
        done = self._started(words, stdin)
        said = done.stdout.decode(errors="replace").rstrip("\n")
        for line in said.split("\n") if said else ():
            self._show(line)
        if done.returncode != leaves:
            raise TacitError(f"`tacit {words[0]}` exited with {done.returncode}", "please report it; the tour stops")
        return list(dict.fromkeys(_ID.findall(_STYLE.sub("", said))))

    def _started(self, words: tuple[str, ...], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        line = [sys.executable, "-m", "tacit", *words]
        started: subprocess.Popen[bytes] | None = None
        try:
            with _signals_deferred():
                started = subprocess.Popen(
                    line, cwd=self.folder, env=self._environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )  # fmt: skip
            said, _ = started.communicate(stdin, timeout=_SECONDS)
        except BaseException:
            # What goes on would write into the scratch home after it was removed.
            if started is not None:
                with started:
                    started.kill()
            raise
        return subprocess.CompletedProcess(line, started.returncode, said)

    def _show(self, line: str) -> None:
        """Show a line of a command's output unchanged; only its colours are codes, the rest is text."""
        shown = Text.from_ansi(line) if self._out.is_terminal else Text(escape(_STYLE.sub("", line)))
        self._out.print(Text("  ").append_text(shown), soft_wrap=True)

    def _environment(self) -> dict[str, str]:
        """Return the environment of a command. Nothing is inherited: no settings, agent or other home can interfere."""
        width = shutil.get_terminal_size((100, 24)).columns
        colours = {"FORCE_COLOR": "1", "TERM": "xterm-256color"} if self._out.is_terminal else {"NO_COLOR": "1"}
        return {
            "HOME": str(self.home), "TACIT_HOME": str(self.home / ".tacit"), "TACIT_SCOPE": SCOPE,
            "TACIT_USER": "you", "LANG": "C.UTF-8", "COLUMNS": str(max(80, width - 2)),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        } | colours  # fmt: skip
