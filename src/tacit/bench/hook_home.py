"""The home in which `tacit bench hooks` measures: facts, failures of everyday programs, corrections, lessons."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tacit.app.config import load_settings
from tacit.app.memory import Memory
from tacit.app.open import connect, hook_caller
from tacit.bench.corpus import Corpus
from tacit.bench.scratch_home import Scratch
from tacit.bench.store import items
from tacit.errors import UsageError
from tacit.failures.corrections import key_of, title_of
from tacit.failures.failures import draft_of
from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.person_rules import anchors
from tacit.failures.rules.quiet import SEEN
from tacit.model.event import NewEvent
from tacit.model.failure import Correction
from tacit.model.record import Draft
from tacit.records.connection import Connection
from tacit.records.write import admitted, new_record

# Each line fails with its message; the number makes each a cause of its own.
_FAILURES = (
    ("git checkout branch{n}", "error: pathspec 'branch{n}' did not match any file(s) known to git"),
    ("git merge topic{n}", "merge: topic{n} - not something we can merge"),
    ("gh pr view --field{n}", "unknown flag: --field{n}"),
    ("npm run task{n}", 'npm error Missing script: "task{n}"'),
    ("cat src/part{n}.py", "cat: src/part{n}.py: No such file or directory"),
    ("ls lib{n}/", "ls: cannot access 'lib{n}/': No such file or directory"),
    ("python tools/step{n}.py", "ModuleNotFoundError: No module named 'package{n}'"),
    ("make target{n}", "make: *** No rule to make target 'target{n}'.  Stop."),
    ("tool{n} --all", "sh: 1: tool{n}: not found"),
    ("deploy service{n} --region r{n}", "service{n} is not ready"),
)  # fmt: skip
_CORRECTIONS = (
    ("npm install package{n}", "pnpm add package{n}", "prompt"),
    ("git checkout branch{n}", "git switch branch{n}", "fix"),
    ("ls lib{n}/", "ls libs/lib{n}/", "fix"),
    ("cat src/part{n}.py", "cat src/parts/part{n}.py", "fix"),
    ("tool{n} install", "other{n} install", "person"),
)
_REPEATED = "npm run task3"


class HookEvent(NamedTuple):
    """One event of an agent, and what it may cost."""

    name: str
    event: str
    fields: Mapping[str, Any]
    cold_cpu_ms: float
    warm_ms: float | None = None
    served_wall_ms: float | None = None
    """None for the hooks of tools, which are compared with `true`."""


def _shell(command: str, **more: object) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, **more}


_OK = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
EVENTS = (
    HookEvent("before ls -la", "PreToolUse", _shell("ls -la"), 60),
    HookEvent("before git status", "PreToolUse", _shell("git status"), 60),
    HookEvent("before a pipeline", "PreToolUse", _shell("cat README.md | grep -n foo | head -20"), 60),
    HookEvent("denied", "PreToolUse", _shell("rm -rf ~"), 120),
    HookEvent("warned", "PreToolUse", _shell(_REPEATED), 120),
    HookEvent("after success", "PostToolUse", _shell("npm run build", tool_response=_OK), 120),
    HookEvent("after failure", "PostToolUseFailure", _shell("make thing", error="Exit code 2\nmake: failed"), 120),
    HookEvent("prompt", "UserPromptSubmit", {"prompt": "install package3 with npm and deploy it"}, 250, 25, 30),
    HookEvent("session start", "SessionStart", {"source": "startup"}, 250, 40, 50),
)


def payload(command: str, folder: Path, call: str = "c") -> dict[str, Any]:
    """Return what Claude Code sends before a command runs."""
    return {
        "session_id": "bench", "transcript_path": "/x", "cwd": str(folder), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call,
    }  # fmt: skip


class HookHome:
    """A scratch home in which hooks find their settings by themselves, as they do outside of a benchmark."""

    def __init__(self, place: Scratch) -> None:
        self.folder, self.home = place.folder, place.home
        # The helper answers nobody whose variables name another store.
        self.environ = {name: value for name, value in place.environment().items() if name != "TACIT_STORE"}
        self.settings = load_settings(self.environ, place.folder)

    def memory(self) -> Memory:
        """Open the memory that the hooks use."""
        return connect(self.settings, hook_caller(str(self.folder)))

    def payload(self, one: HookEvent, number: int) -> dict[str, Any]:
        """Return what Claude Code sends at an event, each time for a new call; a failed command fails first there."""
        session = f"{one.name.replace(' ', '-')}-{number}-{os.getpid()}"
        call = {"tool_use_id": f"{session}-{time.monotonic_ns()}"} if "tool_name" in one.fields else {}
        common = {"session_id": session, "transcript_path": "/x", "cwd": str(self.folder)}
        return {**common, "hook_event_name": one.event, **one.fields, **call}

    def fill(self, facts: int, failures: int, corrections: int) -> None:
        """Add facts, and what was learned from commands of everyday programs."""
        with self.memory() as memory:
            c, now = memory._c, memory._c.clock.now()
            memory.add_many(items(Corpus().texts(facts)))
            learned = [_failure(c, number) for number in range(failures)]
            learned += [_correction(c, number) for number in range(corrections)]
            drafts = {(draft.kind, draft.key): admitted(c, draft) for draft in learned}
            records = [new_record(c, draft, now) for draft in drafts.values()]
            with c.store.transaction(c.origin, now) as tx:
                tx.add(records)
                for record in (one for one in records if one.kind == "failure"):
                    tx.append(NewEvent(type=SEEN, subject=record.id, scope=record.scope, session="past", payload={}))
            memory.maintain()


def _failure(c: Connection, number: int) -> Draft:
    command, error = (text.replace("{n}", str(number // len(_FAILURES))) for text in _FAILURES[number % len(_FAILURES)])
    code = 127 if "not found" in error else 1
    cause = cause_of(command, error, code)
    if cause is None:
        raise UsageError(f"{command} names no command", "change the list of failures")
    return draft_of(c, command, cause, error, code, "/")


def _correction(c: Connection, number: int) -> Draft:
    was, now, source = _CORRECTIONS[number % len(_CORRECTIONS)]
    original, corrected = (text.replace("{n}", str(number // len(_CORRECTIONS))) for text in (was, now))
    said = Correction(
        type="tool-preference", original=original, corrected=corrected, source=source,  # type: ignore[arg-type]
        confidence=0.6 if source == "fix" else 0.8, about=anchors(corrected),
    )  # fmt: skip
    return Draft(
        kind="correction", scope=str(c.scope), key=key_of(original, corrected), payload=said,
        title=title_of(original, corrected), body=f"{original}\n{corrected}",
    )  # fmt: skip
