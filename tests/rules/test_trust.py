"""Trust comes from the origin alone."""

from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from tacit.admission.invisible_characters import unseen
from tacit.admission.trust import LABELS, is_low, trust_of
from tacit.model.origin import Actor, Origin
from tacit.model.payload import Fact, KeptTurn, Recap
from tacit.model.record import Record, replace
from tacit.model.session import Session

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ACTORS = st.sampled_from(get_args(Actor))


def record(actor="agent", title="", body="", **changes):
    made = Record(
        id="fact_1", kind="fact", tenant="t", scope="global", key="", status="active", title=title, body=body, tags=(),
        importance=0.5, origin=Origin(actor=actor), version=1, created_at=NOW, updated_at=NOW, at=None, trust=1,
        payload=Fact(), payload_v=1,
    )  # fmt: skip
    return replace(made, **changes)


@given(ACTORS, st.text(), st.text(), st.floats(0, 1), st.integers(0, 3))
def test_nothing_a_record_says_raises_its_trust(actor, title, body, importance, claimed):
    """Only a person gives 3; anybody else gives 1; hidden characters give 0; importance and claims do not count."""
    trust = trust_of(record(actor, title, body, importance=importance, trust=claimed))

    assert (0 if unseen(title) or unseen(body) else 3 if actor == "user" else 1) == trust
    assert trust in LABELS


@given(ACTORS, st.integers(0, 3))
def test_what_is_low(actor, trust):
    """Flagged is low, and so is anything unverified that neither a person nor the agent itself wrote."""
    low = trust == 0 or (trust == 1 and actor in ("tool", "file", "import", "pack"))

    assert low == is_low(record(actor, trust=trust))


def test_a_claimed_origin_counts_for_nothing():
    """An import that claims a person is an import."""
    made = record(origin=Origin(actor="import", claimed={"actor": "user", "trust": 3}))

    assert 1 == trust_of(made)


@pytest.mark.parametrize(("kind", "payload", "trust"), [
    ("turn", KeptTurn(author="user", number=1, role="user"), 3), ("turn", KeptTurn(), 3),
    ("turn", KeptTurn(author="claude", number=2, role="tool", command="make"), 1),
    ("turn", KeptTurn(author="program", number=3, role="user"), 1), ("turn", KeptTurn(author="Ann"), 1),
    ("recap", Recap(author="claude", agent="claude"), 1), ("session", Session(agent="claude", external="s"), 1),
    ("fact", Fact(author="claude"), 3),
])  # fmt: skip
def test_what_an_agent_said_is_not_the_users_whoever_imported_it(kind, payload, trust):
    """F3: of a session, the user's is what the user typed."""
    assert trust == trust_of(record("user", kind=kind, payload=payload))
    assert 1 == trust_of(record("agent", kind=kind, payload=payload))
