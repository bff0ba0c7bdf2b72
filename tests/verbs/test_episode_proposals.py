"""Enough good episodes propose a draft procedure; a person decides about it."""

import pytest

from tacit.model.procedure import Procedure
from tacit.model.record import payload_of
from tacit.testing import temporary_memory


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def shipped(memory, number, outcome="success"):
    trying = memory.episodes.start(f"Ship {number}", domain="web")
    for tool, action, result, said in (
        ("make", "make lint", "success", ""), ("npm", "npm run build", "error", "Error: no such script 7"),
        ("npm", "npm ci --quiet", "success", ""), ("git", "git push origin main", "success", ""),
    ):  # fmt: skip
        trying.step(tool, action, result=result, observation=said)
    trying.complete(outcome, duration_ms=1000)


def test_what_went_well_five_times_is_proposed_once(memory):
    """As a draft with the commands of an episode, the longest sequence first; again, nothing is proposed anew."""
    for number in range(4):
        shipped(memory, number)
    early = memory.episodes.learn()
    shipped(memory, 5)
    first = memory.episodes.learn()
    for number in range(6, 16):
        shipped(memory, number)
    again = memory.episodes.learn()
    drafts = [memory.get(id) for id in first.drafts]
    for one in drafts:
        memory.retire(one.id)
    for number in range(16, 21):
        shipped(memory, number)

    assert ((), ()) == (early.drafts, again.drafts)
    assert () == memory.episodes.learn().drafts
    assert {"draft"} == {one.status for one in drafts}
    assert ["make lint", "npm ci --quiet", "git push origin main"] == [
        step.command for step in payload_of(drafts[0], Procedure).steps
    ]


def test_what_is_no_command_or_went_badly_is_not_proposed(memory):
    """Tools without a command line stay patterns; failures propose nothing."""
    for number in range(6):
        shipped(memory, number, "failure")
        trying = memory.episodes.start(f"Edit {number}", domain="docs")
        for tool in ("Read", "Edit", "Write"):
            trying.step(tool, f"file {number}", result="success")
        trying.complete("success", duration_ms=1000)
    worked = memory.episodes.learn()

    assert (12, ()) == (worked.learned, worked.drafts)
