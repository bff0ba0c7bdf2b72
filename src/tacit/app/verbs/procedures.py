"""Procedures: how things are done here, as steps that can be run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.model.procedure import Parameter, Procedure, ProcedureStep
from tacit.model.record import Record, payload_of
from tacit.model.report import Forgotten
from tacit.procedures import files as procedure_files
from tacit.procedures import find_by_name as named
from tacit.procedures import health as checkup
from tacit.procedures import procedures, replay, runs
from tacit.procedures import search as finding
from tacit.procedures.live_output import Tell
from tacit.procedures.replay import Ask, ReplayRequest, ReplayResult
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.rules.health import Health
from tacit.procedures.rules.replay_steps import wanting
from tacit.records.connection import Connection

if TYPE_CHECKING:
    from tacit.loop.learn_from_sessions import SessionProcedure
    from tacit.sessions.transcript import Transcript

Parameters = Sequence[Parameter | Mapping[str, Any]]
# Inside the class `list` is a verb.
Records = list[Record]
Finds = list[finding.ProcedureHit]
Steps = list[dict[str, Any]]
Checkups = list[checkup.ProcedureHealth]
Twins = list[tuple[Record, float]]


class Procedures:
    """The procedures of a memory."""

    def __init__(self, connection: Connection, workshop: Callable[[], ReplayEnvironment]) -> None:
        self._c = connection
        # Made anew for each replay: the commit, the variables and the guard's rules are those of that moment.
        self._workshop = workshop

    def record(
        self, title: str, *, description: str = "", tags: Sequence[str] = (), triggers: Sequence[str] = (),
        parameters: Parameters = (), steps: Sequence[ProcedureStep | str] = (),
    ) -> Record:  # fmt: skip
        """Record a procedure; steps are commands, or `ProcedureStep`s with directories, conditions and the rest."""
        return procedures.record(
            self._c, title, description=description, tags=tags, triggers=triggers, parameters=parameters, steps=steps
        )

    def add_step(self, name: str, step: ProcedureStep | str, *, at: int | None = None) -> Record:
        """Add a step, at the end or as number `at`."""
        return procedures.add_step(self._c, name, step, at=at)

    def edit_step(self, name: str, number: int, **changes: Any) -> Record:
        """Change parts of a step; what is not given stays."""
        return procedures.edit_step(self._c, name, number, **changes)

    def remove_step(self, name: str, number: int) -> Record:
        """Take a step out."""
        return procedures.remove_step(self._c, name, number)

    def move_step(self, name: str, number: int, to: int) -> Record:
        """Move a step to another place."""
        return procedures.move_step(self._c, name, number, to)

    def describe(
        self, name: str, *, description: str | None = None, tags: Sequence[str] | None = None,
        triggers: Sequence[str] | None = None, parameters: Parameters | None = None,
    ) -> Record:  # fmt: skip
        """Change what is said of a procedure; what is not given stays."""
        return procedures.describe(
            self._c, name, description=description, tags=tags, triggers=triggers, parameters=parameters
        )

    def rename(self, name: str, title: str) -> Record:
        """Give a procedure another title, and the slug that goes with it."""
        return procedures.rename(self._c, name, title)

    def get(self, name: str) -> Record:
        """Give a procedure by id, slug, or the beginning of either."""
        return named.find_procedure(self._c, name)

    def list(self, *, statuses: Sequence[str] = named.LIVE) -> Records:
        """List procedures, newest first."""
        return named.procedures(self._c, tuple(statuses))[::-1]

    def search(self, query: str, *, limit: int = 5) -> Finds:
        """Find procedures by a task, a trigger, or the beginning of a command; each with why and how reliable."""
        return finding.search(self._c, query, limit)

    def replay(
        self, name: str, *, params: Mapping[str, str] | None = None, dry_run: bool = False, first: int = 1,
        only: Sequence[int] = (), yes: bool = False, allow_privileged: bool = False, skip_privileged: bool = False,
        timeout_s: float | None = None, ask: Ask | None = None, tell: Tell | None = None,
    ) -> ReplayResult:  # fmt: skip
        """Run a procedure again, step by step, under guard. `ask` reaches a person; `tell` hears what happens."""
        wish = ReplayRequest(
            params or {}, dry_run, first, tuple(only), yes, allow_privileged, skip_privileged, timeout_s
        )
        return replay.replay(self._c, self._workshop(), name, wish, ask, tell)

    def wanting(self, name: str, params: Mapping[str, str]) -> tuple[Parameter, ...]:
        """Give the parameters of a procedure that have no value yet."""
        payload = payload_of(self.get(name), Procedure)
        return tuple(wanting(payload.parameters, params, self._workshop().environ))

    def report(self, name: str, *, succeeded: bool, note: str = "") -> Health:
        """Say how a procedure went that was run by hand; it counts, and is evidence of nothing else."""
        return runs.report(self._c, name, succeeded=succeeded, note=note)[1]

    def runs(self, name: str, *, limit: int = 20) -> Records:
        """Give the runs of a procedure, newest first."""
        return [*runs.runs_of(self._c, self.get(name), limit)]

    def run(self, id: str) -> tuple[Record, Steps]:
        """Give one run, and what was kept of each of its steps."""
        return runs.run_of(self._c, id)

    def health(self, name: str = "") -> Checkups:
        """Look how one procedure does, or all of them; those that do worst come first."""
        return checkup.checkup(self._c, name)

    def enable(self, name: str) -> Record:
        """Offer a procedure again, and count its runs anew."""
        return procedures.enable(self._c, name)

    def disable(self, name: str, reason: str = "") -> Record:
        """Stop offering a procedure."""
        return procedures.disable(self._c, name, reason)

    def retire(self, name: str) -> Record:
        """Take a procedure out of use; `undo` brings it back."""
        return procedures.retire(self._c, name)

    def delete(self, name: str) -> Forgotten:
        """Delete a procedure for good, with the records of its runs."""
        return procedures.delete(self._c, name)

    def merge(self, name: str, other: str) -> Record:
        """Let one procedure take over another's steps, tags, triggers and runs; the other is retired."""
        return procedures.merge(self._c, name, other)

    def alike(self, name: str) -> Twins:
        """Find procedures that run nearly the same, most alike first."""
        return finding.alike(self._c, self.get(name))

    def oddities(self, record: Record) -> tuple[str, ...]:
        """Say what its author should know about a procedure as it was stored."""
        return procedures.oddities(self._c, record)

    def chosen(self, *names: str) -> Records:
        """Give the procedures that are named, or all of this scope."""
        return procedure_files.chosen(self._c, names)

    def from_session(self, transcript: Transcript, *, title: str = "", keep: Sequence[int] = ()) -> SessionProcedure:
        """Make a draft of what worked in a session; `keep` chooses among its commands by number."""
        from tacit.loop.learn_from_sessions import from_session

        return from_session(self._c, transcript, title=title, keep=keep)

    def bring_in(self, text: str, what: str = "the text") -> procedure_files.ProcedureImport:
        """Record every procedure of a YAML or JSONL file that is not here yet."""
        return procedure_files.bring_in(self._c, text, what)
