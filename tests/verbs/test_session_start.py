"""What a session is told at its start, within its budget."""

import pytest

from tacit.loop.session_start import GUIDANCE, session_start
from tacit.model.record import short_id
from tacit.model.settings import ContextRules
from tacit.testing import temporary_memory
from tacit.text.token_budget import estimate_tokens

ALONE = estimate_tokens(GUIDANCE)
BUDGETS = [1, 50, ALONE - 1, ALONE, ALONE + 1, ALONE + 20, ALONE + 60, ALONE + 80, ALONE + 120, 300, 400, 600]


@pytest.fixture
def folder(tmp_path):
    """Give a store with more facts and rules than a start may tell."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        rows = [{"kind": "fact", "body": f"Service {n} has port {n} and its owner is team {n % 7}"} for n in range(150)]
        memory.add_many(rows)
        for number in range(10):
            memory.learned.correction(f"tool{number} {'a' * 30 * number}", f"use other{number}")
    return tmp_path


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_start_keeps_to_its_budget(folder, budget):
    """The guidance comes first; where it does not fit, nothing is told."""
    with temporary_memory(folder=folder, context=ContextRules(facts=100, budget_tokens=budget)) as memory:
        told = session_start(memory._c)

    assert told.tokens <= budget
    assert told.text.startswith(GUIDANCE) if budget >= ALONE else not told.text
    assert told.ids or budget < 300


@pytest.mark.parametrize("most", [1, 8, 100, 1_000])
def test_facts_are_told_however_many_may_be(folder, most):
    """An id is paid for with its line, not for as many lines as there may be."""
    with temporary_memory(folder=folder, context=ContextRules(facts=most)) as memory:
        told = session_start(memory._c)
        known = [memory.get(id) for id in told.ids]

    assert min(most, 5) <= sum(one.kind == "fact" for one in known) <= most
    assert told.tokens <= 600
    lines = [line for line in told.text.splitlines() if line.endswith("]")]
    assert sorted(f"[{short_id(id)}]" for id in told.ids) == sorted(line.rpartition(" ")[2] for line in lines)
