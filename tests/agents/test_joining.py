"""Calls and results: whatever order they come in, nothing is lost, doubled or moved."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.model.session import ToolCall, ToolOutcome, Turn

STEPS = st.lists(
    st.tuples(st.sampled_from(["say", "call", "result", "refuse", "nameless"]), st.integers(0, 6)), max_size=60
)


@given(STEPS, st.integers(1, 8))
def test_nothing_is_lost_doubled_or_moved(steps: list[tuple[str, int]], most: int) -> None:
    """Turns come out in the order they went in, each once, and never more are held back than the bound says."""
    joiner = ToolCallPairing(most_turns=most)
    put: list[int] = []
    got: list[Turn] = []
    open_now: set[str] = set()
    for number, (what, which) in enumerate(steps):
        turn = Turn(role="assistant", text=f"{number}")
        match what:
            case "say":
                joiner.say(turn)
                put.append(number)
            case "call":
                fresh = not joiner.waits(f"c{which}")
                joiner.call(Turn(role="assistant", text=f"{number}", tool=ToolCall(name="t", call=f"c{which}")))
                put += [number] if fresh else []
                open_now.add(f"c{which}")
            case "nameless":
                joiner.call(Turn(role="assistant", text=f"{number}", tool=ToolCall(name="t")))
                put.append(number)
            case "result" if joiner.waits(f"c{which}"):
                joiner.result(f"c{which}", ToolOutcome(ok=True, exit_code=which))
            case "refuse":
                joiner.refuse()
        got += joiner.ready()

        assert len(put) - len(got) <= most
    got += joiner.rest()

    assert [f"{number}" for number in put] == [turn.text for turn in got]
    assert all(turn.outcome is not None for turn in got if turn.tool)


@given(st.permutations(range(6)))
def test_results_in_any_order_reach_their_calls(order: list[int]) -> None:
    """Parallel calls get each its own result, in whatever order the results come."""
    joiner = ToolCallPairing()
    for number in range(6):
        joiner.call(Turn(role="assistant", tool=ToolCall(name="t", call=f"c{number}")))
    for number in order:
        joiner.result(f"c{number}", ToolOutcome(exit_code=number))

    assert list(range(6)) == [turn.outcome.exit_code for turn in joiner.rest() if turn.outcome]


def test_a_result_nobody_asked_for_is_a_turn() -> None:
    """A result whose call is not there is kept as a turn of its own; a second result of a call adds nothing."""
    joiner = ToolCallPairing()
    joiner.result("lost", ToolOutcome(ok=False, output="boom"), name="bash")
    joiner.call(Turn(role="assistant", tool=ToolCall(name="t", call="c")))
    joiner.result("c", ToolOutcome(ok=True))
    joiner.result("c", ToolOutcome(ok=False))
    first, second = joiner.rest()

    assert ("tool", "bash", "boom") == (
        first.role,
        first.tool and first.tool.name,
        first.outcome and first.outcome.output,
    )
    assert second.outcome is not None and second.outcome.ok is True


def test_long_texts_are_held_back_by_their_size() -> None:
    """A few huge turns behind a waiting call are let go as early as many small ones."""
    joiner = ToolCallPairing(most_chars=1_000)
    joiner.call(Turn(role="assistant", tool=ToolCall(name="t", call="never")))
    for _ in range(3):
        joiner.say(Turn(role="user", text="x" * 600))

    assert 4 == len(list(joiner.ready()))
