"""Procedures: how things are done here, as steps that can be run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.model.procedure import Parameter, Procedure
from tacit.model.record import payload_of
from tacit.model.verb import arg
from tacit.procedures import files, find_by_name, health, procedures, replay as replaying, runs, search
from tacit.procedures.find_by_name import ExactName, exact_procedure
from tacit.procedures.live_output import Tell
from tacit.procedures.replay import Ask, ReplayResult
from tacit.procedures.replay_environment import ReplayEnvironment
from tacit.procedures.replay_plan import ReplayRequest
from tacit.procedures.rules.replay_steps import wanting
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection
from tacit.sessions.transcript import Transcript

if TYPE_CHECKING:
    from tacit.loop.learn_from_sessions import SessionProcedure


class Procedures(Noun):
    """The procedures of a memory."""

    NOUN = "procedures"

    def __init__(self, connection: Connection, environment: Callable[[], ReplayEnvironment]) -> None:
        super().__init__(connection)
        # Made anew for each replay: the commit, the variables and the guard's rules are those of that moment.
        self._environment = environment

    record = verb(procedures.record, creates=True)
    get = verb(find_by_name.find_procedure)
    show = verb(health.show_procedure)
    list = verb(find_by_name.list_procedures)
    overview = verb(health.overview)
    describe = verb(procedures.describe)
    rename = verb(procedures.rename)
    retire = verb(procedures.retire)
    delete = verb(procedures.delete)
    add_step = verb(procedures.add_step, creates=True)
    edit_step = verb(procedures.edit_step)
    move_step = verb(procedures.move_step)
    remove_step = verb(procedures.remove_step)
    enable = verb(procedures.enable)
    disable = verb(procedures.disable)
    merge = verb(procedures.merge)
    alike = verb(search.find_alike)
    search = verb(search.search)
    report = verb(runs.report)
    success = verb(runs.success)
    failure = verb(runs.failure)
    run = verb(runs.run_of)
    runs = verb(runs.list_runs)
    health = verb(health.checkup)
    chosen = verb(files.chosen)
    import_text = verb(files.import_text, creates=True)
    warnings = staticmethod(procedures.warnings)

    @verb(on_wire=False)
    def replay(
        self, name: ExactName, *,
        params: Annotated[Mapping[str, str] | None, arg("The value of a parameter; repeatable.")] = None,
        dry_run: DryRun = False, first: Annotated[int, arg("Start with this step.", option="--from", metavar="N")] = 1,
        only: Annotated[Sequence[int], arg("Run only this step; repeatable, or a list such as 1,3.")] = (),
        yes: Annotated[bool, arg("Accept conditions that cannot be checked; they are stored as assumed.")] = False,
        allow_privileged: Annotated[bool, arg("Run privileged steps too.")] = False,
        skip_privileged: Annotated[bool, arg("Skip privileged steps; the run then counts as partial.")] = False,
        timeout_s: Annotated[float | None, arg("Time limit per step.", option="--timeout", metavar="S")] = None,
        ask: Ask | None = None, tell: Tell | None = None,
    ) -> ReplayResult:  # fmt: skip
        """Replay a procedure step by step under guard. `ask` asks a person; `tell` is called with each event."""
        request = ReplayRequest(
            params or {}, dry_run, first, tuple(only), yes, allow_privileged, skip_privileged, timeout_s
        )
        return replaying.replay(self._c, self._environment(), name, request, ask, tell)

    @verb(on_wire=False)
    def wanting(
        self, name: ExactName, params: Annotated[Mapping[str, str], arg("The values known so far.", option="--param")]
    ) -> tuple[Parameter, ...]:
        """List the parameters of a procedure that have no value yet."""
        payload = payload_of(exact_procedure(self._c, name), Procedure)
        return tuple(wanting(payload.parameters, params, self._environment().environ))

    @verb(creates=True, on_wire=False)
    def from_session(
        self, transcript: Transcript, *, title: Annotated[str, arg("The title; default: the first command.")] = "",
        keep: Annotated[Sequence[int], arg(
            "The numbers of the commands to use; default: all that worked. A person may choose others."
        )] = (),
    ) -> SessionProcedure:  # fmt: skip
        """Make a draft of the commands that worked in a session. A person enables it: tacit procedure enable."""
        from tacit.loop.learn_from_sessions import from_session

        return from_session(self._c, transcript, title=title, keep=keep)
