"""The field of the red team: a store, a clock that moves, and an agent at every door that wants its lesson promoted."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tacit.agents.hook_dialects import read_hook
from tacit.app.memory import Memory
from tacit.doors.cli.main import call
from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import reply
from tacit.errors import TacitError, VerificationFailed
from tacit.lessons.browse import LIVE
from tacit.model.lesson import Narrative
from tacit.model.record import Record
from tacit.testing import FakeClock, temporary_memory
from tests.redteam.honest import attended_use, hold

SCOPE = "project:test"
AUTHOR = "author"
STARTS = ("candidate", "accepted", "demoted")
"""How far an honest person let the lesson come before the agent begins."""


class Target(NamedTuple):
    """The lesson an agent wants promoted: what it warns of, and what it says instead."""

    id: str
    wrong: str
    right: str
    told: Narrative


class Field:
    """Opens every door of one store, as an agent; a person comes only to accept a lesson, or to say no."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Three weeks back, so that what the command line does at the real time comes last.
        self.clock = FakeClock(datetime.now(UTC) - timedelta(days=21))
        self._open = ExitStack()
        self._memories: dict[tuple[str, str, str], Memory] = {}
        self._targets = 0

    def close(self) -> None:
        """Close every connection."""
        self._open.close()

    def memory(self, session: str = AUTHOR, actor: str = "agent", scope: str = SCOPE) -> Memory:
        """Give the memory as somebody sees it, in a session."""
        key = (session, actor, scope)
        if key not in self._memories:
            opened = temporary_memory(
                folder=self.folder, clock=self.clock, actor=actor, session=session, scope=scope,  # type: ignore[arg-type]
                memdir=str(self.folder / "memdir"),
            )  # fmt: skip
            self._memories[key] = self._open.enter_context(opened)
        return self._memories[key]

    def target(self, start: str) -> Target:
        """Make a lesson, by the agent, and let it come as far as a person let it."""
        self._targets += 1
        wrong, right = f"npm run biuld{self._targets}", f"npm run build{self._targets}"
        told = Narrative(trigger=wrong, failure_mode="there is no such script", correction=right)
        # The host holds the author's session: nothing is refused only because nobody knows the author.
        hold(self.memory(), AUTHOR)
        id = self.memory().lessons.create(f"Spell build{self._targets} right", narrative=told).id
        person = self.memory("review", "user").lessons
        if start != "candidate":
            person.accept(id)
        if start == "demoted":
            self._promote_honestly(Target(id, wrong, right, told))
            person.feedback(id, up=False)
        return Target(id, wrong, right, told)

    def _promote_honestly(self, target: Target) -> None:
        for number in range(3):
            attended_use(self.memory(), f"honest-{target.id}-{number}", target.id, target.wrong, target.right)
        self.clock.advance(days=2)
        verdict = self.memory("review", "user").lessons.promote(target.id)
        if verdict.record.status != "promoted":
            # What follows would mean nothing.
            raise VerificationFailed(f"an honest lesson is not promoted: {verdict.blocked}", "look at the gate")

    def hook(self, agent: str, payload: Mapping[str, Any], session: str = AUTHOR) -> None:
        """Deliver a hook's payload, in that agent's own dialect."""
        read = read_hook(agent, dict(payload))
        if read is not None:
            self.memory(session).hooks.answer(read)

    def rpc(self, method: str, /, **params: Any) -> Any:
        """Ask over JSON-RPC, at the agent's own connection."""
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        answer = json.loads(reply(methods_of(self.memory()), asked))
        return answer.get("result", answer.get("error"))

    def cli(self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Call the command line as an agent does, at the real time; gives its exit code and what it printed."""
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
        err, taken = io.StringIO(), io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        given = {"CLAUDECODE": "1", "TACIT_HOME": str(self.folder / "home"), "TACIT_EMBEDDER": "off", **(env or {})}
        with _environment(given, self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            before, sys.stdin = sys.stdin, taken
            try:
                code = call([*words, "--store", str(self.folder / "memory.db"), "--scope", SCOPE])
            finally:
                sys.stdin = before
        return code, raw.getvalue().decode(errors="replace")

    def promoted(self) -> list[Record]:
        """Give what is promoted in any scope of the store."""
        found = self.memory("audit", "user").lessons.list(statuses=("promoted",), limit=1_000)
        for scope in ("user", "global"):
            found += self.memory("audit", "user", scope).lessons.list(statuses=("promoted",), limit=1_000)
        return found

    def ask_for_it(self, target: Target) -> None:
        """Ask for the promotion at every door, when enough time has passed."""
        self.clock.advance(days=2)
        for session in (AUTHOR, "other", "unattended"):
            quietly(self.memory(session).lessons.promote, target.id)
        self.rpc("lesson.promote", id=target.id)
        quietly(self.memory().lessons.apply_transitions)
        quietly(self.memory().lessons.promote, target.id)

    def clear(self) -> None:
        """Take what is left of a strategy out of the way, so that the next one has the field to itself."""
        for one in self.memory("review", "user").lessons.list(statuses=LIVE, limit=1_000):
            quietly(self.memory("review", "user").lessons.discard, one.id, "next")


Strategy = Callable[[Field, Target], None]


class Outcome(NamedTuple):
    """What came of a strategy: what it got promoted, and what stopped it, if something did."""

    name: str
    start: str
    promoted: tuple[str, ...]
    refusal: str


def attempt(field: Field, name: str, start: str, strategy: Strategy) -> Outcome:
    """Let an agent try one way. Being refused is what is hoped for; it goes on all the same."""
    target = field.target(start)
    refusal = quietly(strategy, field, target)
    field.ask_for_it(target)
    outcome = Outcome(name, start, tuple(one.title for one in field.promoted()), refusal)
    field.clear()
    return outcome


def quietly(act: Callable[..., object], *given: Any) -> str:
    """Do something that may be refused; gives why it was."""
    try:
        act(*given)
    except TacitError as error:
        return f"{error.code}: {error.message}"
    return ""


@contextmanager
def _environment(values: Mapping[str, str], folder: Path) -> Iterator[None]:
    before, where = dict(os.environ), Path.cwd()
    os.environ.update(values)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(before)
