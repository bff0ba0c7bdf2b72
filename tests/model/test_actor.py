"""Who is calling: a person only with both terminals and no agent anywhere above."""

import pytest
from hypothesis import given, strategies as st

from tacit.model.person import AGENT_MARKERS, AGENT_PROGRAMS, actor

BOTH = (True, True)


@pytest.mark.parametrize(
    ("env", "ttys", "ancestors", "expected"),
    [
        ({}, BOTH, [], "user"),
        ({"PATH": "/bin", "EDITOR": "vim"}, BOTH, ["bash", "sshd", "tmux: server"], "user"),
        ({}, (False, True), [], "agent"),
        ({}, (True, False), [], "agent"),
        ({}, (False, False), [], "agent"),
        ({"CLAUDECODE": "1"}, BOTH, [], "agent"),
        ({"CLAUDECODE": ""}, BOTH, [], "agent"),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, BOTH, [], "agent"),
        ({"CODEX_SANDBOX": "1"}, BOTH, [], "agent"),
        ({"CURSOR_TRACE_ID": "1"}, BOTH, [], "agent"),
        ({"GEMINI_CLI": "1"}, BOTH, [], "agent"),
        ({"OPENCODE": "1"}, BOTH, [], "agent"),
        ({}, BOTH, ["bash", "claude"], "agent"),
        ({}, BOTH, ["Cursor"], "agent"),
        ({}, BOTH, ["claudette"], "user"),
    ],
)
def test_who_is_calling(env, ttys, ancestors, expected):
    """Terminals, markers in the environment and parent processes decide together."""
    assert expected == actor(env, ttys, ancestors)


NAMES = (
    st.text(min_size=1, max_size=12)
    | st.sampled_from(AGENT_MARKERS)
    | st.sampled_from([f"{m}X" for m in AGENT_MARKERS])
)
PROGRAMS = (
    st.text(max_size=12)
    | st.sampled_from(sorted(AGENT_PROGRAMS))
    | st.sampled_from([p.upper() for p in AGENT_PROGRAMS])
)


@given(st.dictionaries(NAMES, st.text(max_size=3)), st.tuples(st.booleans(), st.booleans()), st.lists(PROGRAMS))
def test_a_person_only_without_any_doubt(env, ttys, ancestors):
    """`user` exactly when both are terminals, no variable begins with a marker, and no ancestor is an agent."""
    marked = any(name.startswith(marker) for name in env for marker in AGENT_MARKERS)
    agents = any(name.lower() in AGENT_PROGRAMS for name in ancestors)

    assert ("user" if all(ttys) and not marked and not agents else "agent") == actor(env, ttys, ancestors)


@given(st.dictionaries(NAMES, st.just("")), st.lists(PROGRAMS), NAMES, PROGRAMS)
def test_more_to_see_never_makes_an_agent_a_person(env, ancestors, name, program):
    """Adding a variable or an ancestor can take the right away, never give it."""
    before = actor(env, BOTH, ancestors)
    after = actor(env | {name: ""}, BOTH, [*ancestors, program])

    assert before == "user" or after == "agent"


@pytest.mark.parametrize("name", ["ROO_ACTIVE", "GOOSE_TERMINAL", "QWEN_CODE", "AGENT", "AI_AGENT"])
def test_more_agents_are_known_by_their_variables(name):
    """R-medium: under a terminal of these agents a person-only verb was a person's."""
    assert "agent" == actor({name: "1"}, (True, True), ())
    assert "user" == actor({"AGENT_NAME": "build-7", "SSH_AGENT_PID": "1"}, (True, True), ())
