"""A private prompt covers what follows it, wherever a session is read."""

from tacit.episodes.from_sessions import task_of
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.digest import SessionDigest
from tacit.sessions.rules.kept_turns import kept_turns

TURNS = [
    Turn(role="user", text="fix the login page"),
    Turn(role="assistant", tool=ToolCall(name="Bash", command="make login"), outcome=ToolOutcome(ok=True)),
    Turn(role="user", text="#private who is in the merger mail"),
    Turn(role="assistant", tool=ToolCall(name="Bash", command="cat merger-mail.txt"), outcome=ToolOutcome(ok=False)),
    Turn(role="assistant", text="Ann and Ben"),
    Turn(role="user", text="now the logout page"),
    Turn(role="assistant", tool=ToolCall(name="Bash", command="make logout"), outcome=ToolOutcome(ok=True)),
]


def test_it_covers_commands_and_answers_up_to_the_next_prompt():
    """In the digest, in turns and in episodes; the digest and episodes kept the commands."""
    digest = SessionDigest(str)
    for turn in TURNS:
        digest.take(turn)
    kept = "\n".join(one.text for one in kept_turns(TURNS, "t", "claude", str))
    steps = [step.action for step in task_of(TURNS).steps]

    assert not any("merger" in text for text in (digest.body, kept, *steps))
    assert ("fix the login page\n$ make login\nnow the logout page\n$ make logout", 2, 0) == (
        digest.body, digest.commands, digest.failures,
    )  # fmt: skip
    assert ["make login", "make logout"] == steps


def test_it_counts_where_a_person_typed_it_in_a_prompt():
    """It was kept, with what was done for it, unless the prompt began with it."""
    turns = [*TURNS]
    turns[2] = Turn(role="user", text="please look #private who is in the merger mail")
    kept = "\n".join(one.text for one in kept_turns(turns, "t", "claude", str))

    assert "merger" not in kept and "Ann" not in kept and "make logout" in kept
