"""A replay that is known not to finish does not begin: nothing runs, and the run counts for the health."""

import pytest

from tacit.model.procedure import Parameter, ProcedureStep
from tacit.testing import temporary_memory

ASKED = "npm publish"


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path, actor="agent") as opened:
        yield opened


def make(memory, *steps, **more):
    return memory.procedures.record("Job", steps=["touch one", *steps], **more).key


REFUSED = [
    (ProcedureStep(command="touch two", privileged=True), "refused", "needs --allow-privileged"),
    (ASKED, "refused", "only a person at a terminal can approve it"),
    (ProcedureStep(command="touch two", precondition="is the window open?"), "unmet", "--yes accepts it"),
    (ProcedureStep(command="touch two", postcondition="does the page look right?"), "unmet", "--yes accepts it"),
    (ProcedureStep(command="touch two", precondition="command rm -rf ~"), "unmet", "the guard says"),
    (ProcedureStep(command="touch two", postcondition=f"command {ASKED}"), "unmet", "the guard says"),
    ("rm -rf ~", "blocked", "the guard says deny"),
]


@pytest.mark.parametrize(("step", "outcome", "reason"), REFUSED)
def test_what_will_be_refused_stops_the_run_before_its_first_step(memory, tmp_path, step, outcome, reason):
    """S24: the steps before it ran, the run ended half way, and it counted nowhere."""
    name = make(memory, step, "touch three")
    replayed = memory.procedures.replay(name)

    assert (outcome, ["unrun", outcome, "unrun"]) == (replayed.run.outcome, [one.state for one in replayed.run.steps])
    assert replayed.run.reason.startswith("step 2: ")
    assert reason in replayed.run.reason
    assert replayed.run.reason.endswith("nothing was run")
    assert not (tmp_path / "one").exists()
    assert (1, 0) == (replayed.health.runs, replayed.health.successes)
    assert (2, True) == (memory.procedures.health(name)[0].failing_step, memory.verify().ok)


def test_a_variable_that_is_missing_is_known_too(memory, tmp_path):
    """S24: no step can set a variable of a later one; it says nothing about the procedure, so it does not count."""
    name = make(memory, ProcedureStep(command="touch two", precondition="env GONE_VARIABLE"))
    replayed = memory.procedures.replay(name)

    assert ("unmet", False, 0) == (replayed.run.outcome, (tmp_path / "one").exists(), replayed.health.runs)


@pytest.mark.parametrize(
    "step",
    [ProcedureStep(command="touch two", precondition="file exists one"), ProcedureStep(command="touch two", cwd="new"),
     ProcedureStep(command="touch two", precondition="command test -e one")],
)  # fmt: skip
def test_what_an_earlier_step_may_bring_about_is_not_known(memory, step):
    """S24: a file, a folder or the answer of a command may be there by then."""
    name = memory.procedures.record("Make", steps=["touch one && mkdir -p new", step]).key

    assert "success" == memory.procedures.replay(name).run.outcome


def test_with_what_it_needs_it_runs(memory, tmp_path):
    """S24: the flag, `--yes`, or leaving the step out."""
    name = make(
        memory, ProcedureStep(command="touch two", privileged=True),
        ProcedureStep(command="touch three", precondition="is it late?"),
    )  # fmt: skip
    outcomes = [
        memory.procedures.replay(name, **how).run.outcome
        for how in ({"yes": True}, {"allow_privileged": True}, {"skip_privileged": True, "yes": True},
                    {"allow_privileged": True, "yes": True})
    ]  # fmt: skip

    assert ["refused", "unmet", "partial", "success"] == outcomes
    assert "partial" == memory.procedures.replay(name, only=[1]).run.outcome


def test_a_person_is_asked_when_the_step_comes(tmp_path):
    """S24: what a person will say is not known before; a no counts for nothing."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        replayed = memory.procedures.replay(make(memory, ASKED), ask=lambda *_: False)

        assert ("refused", ["passed", "refused"]) == (replayed.run.outcome, [s.state for s in replayed.run.steps])
        assert ((tmp_path / "one").exists(), 0) == (True, replayed.health.runs)


def test_a_value_that_may_be_the_reason_does_not_count(memory):
    """S24: a procedure with parameters counted no blocked run at all, also not at a step that has none."""
    by_value = make(memory, "rm -rf {{what}}", parameters=[Parameter(name="what")])
    by_itself = make(memory, "echo {{what}}", "rm -rf ~", parameters=[Parameter(name="what")])
    runs = [memory.procedures.replay(name, params={"what": "/etc"}) for name in (by_value, by_itself)]

    assert [("blocked", 0), ("blocked", 1)] == [(one.run.outcome, one.health.runs) for one in runs]


def test_what_nobody_here_may_do_disables_an_agents_procedure_only(tmp_path):
    """S24: five refusals show that it does not help; what a person wrote waits for a person."""
    with temporary_memory(folder=tmp_path, actor="user") as person:
        person.procedures.record("Ship", steps=["touch one", ASKED])
    with temporary_memory(folder=tmp_path, actor="agent") as agent:
        agent.procedures.record("Sweep", steps=["touch one", ASKED])
        for _ in range(5):
            ship, sweep = agent.procedures.replay("ship"), agent.procedures.replay("sweep")
        states = [agent.procedures.get(name).status for name in ("ship", "sweep")]

    assert ["active", "disabled"] == states
    assert (5, "critical", None) == (ship.health.runs, ship.health.status, ship.disabled)
    assert "only a person at a terminal can approve it" in sweep.disabled.reason
