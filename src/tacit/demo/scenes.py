"""Four scenes, as a person sees them: a mistake stopped, a rule kept, a procedure mended, a command denied.

Everything is real: the hooks answer as they answer an agent, and the commands are run. Only the agent is played.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tacit.demo.command_runner import DemoRunner
from tacit.text.frame import GUIDANCE_HEAD

_MISSING = 'Exit code 1\nnpm error Missing script: "biuld"'
_SHIP = "sh scripts/ship.sh"


def show(stage: DemoRunner) -> None:
    """Play the scenes, with a pause between them at a terminal."""
    stage.say(
        "tacit is a memory for coding agents: one local file, no key, no network.\n"
        "Four scenes, in a scratch home that is removed at the end. The agent is played; the memory is real."
    )
    for number, scene in enumerate(SCENES):
        if number:
            stage.pause()
        scene(stage)
    stage.chapter("Your agent")
    stage.say("One line connects it, reads its old sessions, and shows what it learned:\n")
    stage.show_command(f"{_program()} init")
    stage.say("\n`tacit demo --all` is the long tour; `tacit help` lists the commands.")


def _program() -> str:
    return "tacit" if shutil.which("tacit") else str(Path(sys.executable).with_name("tacit"))


def mistake(stage: DemoRunner) -> None:
    """A mistake of yesterday is stopped before it is made again, with the fix."""
    stage.chapter("A mistake is stopped")
    stage.folder.joinpath("package.json").write_text('{"scripts": {"build": "vite build"}}')
    stage.say("Yesterday an agent mistyped a command, and found out by itself:\n")
    stage.act("npm run biuld", session="yesterday", fails=_MISSING)
    stage.act("npm run build", session="yesterday")
    stage.say("\nToday another agent, with no idea of yesterday, is about to do the same:\n")
    stage.act("npm run biuld", session="today")
    stage.act("npm run build", session="today")
    stage.say("\nIt was stopped once, before the command ran. What came of it:")
    stage.run("stats")


def rule(stage: DemoRunner) -> None:
    """What a user says once is told in the next session."""
    stage.chapter("A rule is kept")
    stage.say("You say it once, in the middle of something else:\n")
    said = "fix the login test. and from now on use pnpm, not npm"
    stage.prompt(said, session="monday")
    _write_transcript(stage, "monday", said)
    stage.quietly("sessions", "import")
    stage.quietly("sessions", "learn")
    stage.say("\nThe next session starts with it, as your own rule:\n")
    stage.start(session="tuesday", but=(GUIDANCE_HEAD,))
    stage.say("\nAnd an agent that forgets is told at the command:\n")
    stage.act("npm install left-pad", session="tuesday")


def procedure(stage: DemoRunner) -> None:
    """Steps that worked are replayed under the guard; when the world changes, one step is mended."""
    stage.chapter("A procedure is replayed, and mended")
    scripts = stage.folder / "scripts"
    scripts.mkdir()
    (scripts / "ship.sh").write_text("echo shipped to staging\n")
    stage.say("Steps that worked are kept, and run again, each judged by the guard:")
    stage.run("procedure", "record", "Ship docs", "--trigger", "the docs changed")
    stage.run("procedure", "add-step", "ship-docs", _SHIP, "--precondition", "file exists scripts/ship.sh")
    stage.run("procedure", "replay", "ship-docs")
    (scripts / "ship.sh").rename(scripts / "release.sh")
    stage.say("\nSomebody renames the script. The condition of the step says what is missing, and nothing is run:")
    stage.run("procedure", "replay", "ship-docs", leaves=5)
    stage.say("\nThe step is mended, and works again; its health counts from the change:")
    stage.run(
        "procedure", "edit-step", "ship-docs", "1", "--command", "sh scripts/release.sh",
        "--precondition", "file exists scripts/release.sh",
    )  # fmt: skip
    stage.run("procedure", "replay", "ship-docs")
    stage.run("procedure", "health", "ship-docs")


def denied(stage: DemoRunner) -> None:
    """What cannot be undone is denied, however it is written; its harmless neighbour passes."""
    stage.chapter("A command is denied")
    stage.say("What cannot be brought back is denied, however it is written; its harmless neighbours pass:\n")
    for command in ("rm -rf ~", "bash -c 'cd / && rm -rf ~/*'", "rm -rf node_modules", "git commit -m 'rm -rf ~'"):
        stage.act(command, session="friday", asks_only=True)


def _write_transcript(stage: DemoRunner, session: str, said: str) -> None:
    """Write down the prompt where Claude Code writes its sessions: what it holds is evidence of what you said."""
    folder = stage.home / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    line = {
        "type": "user", "sessionId": session, "uuid": "u1", "cwd": str(stage.folder), "version": "2.0.0",
        "timestamp": "2026-03-02T10:00:00.000Z", "message": {"role": "user", "content": said},
    }  # fmt: skip
    (folder / f"{session}.jsonl").write_text(json.dumps(line) + "\n")


SCENES: tuple[Callable[[DemoRunner], None], ...] = (mistake, rule, procedure, denied)
