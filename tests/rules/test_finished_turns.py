"""Which turns of a session that goes on are complete."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.kept_turns import finished

ASKED = Turn(role="user", text="build it")
ANSWERED = Turn(role="assistant", text="I will first")
RAN = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make"), outcome=ToolOutcome(ok=True))
RUNS = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make slow"))


@pytest.mark.parametrize(
    ("turns", "goes_on", "in_place", "count"),
    [
        ([ASKED, RAN, ANSWERED], True, False, 3), ([ASKED, RAN, ANSWERED], True, True, 2),
        ([ASKED, RAN, ANSWERED], False, True, 3), ([ASKED], True, True, 1), ([ASKED, RAN], True, True, 2),
        ([ASKED, RAN, RUNS], True, False, 2), ([ASKED, RAN, RUNS], False, False, 3), ([], True, True, 0),
    ],
)  # fmt: skip
def test_what_may_still_grow_waits(turns, goes_on, in_place, count):
    """A command without an outcome, and the last answer where turns are written again; until the session has ended."""
    assert turns[:count] == list(finished(turns, goes_on=goes_on, in_place=in_place))
