"""Distilling: which commands of a session are worth keeping, what recurs, and what varies."""

import pytest
from hypothesis import given, strategies as st

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.procedures.rules.repeated_commands import (
    LONGEST_RUN,
    MOST_RUNS,
    WorkedCommand,
    done_in,
    offered_in,
    recurring,
    varying,
)


def ran(command, ok=True, cwd="", **more):
    return Turn(role="assistant", cwd=cwd, tool=ToolCall(name="Bash", kind="shell", command=command, **more),
                outcome=ToolOutcome(ok=ok, exit_code=0 if ok else 1))  # fmt: skip


def commands(*turns, cwd="/w"):
    return [(one.command, one.cwd) for one in done_in(turns, cwd)]


def test_what_worked_and_did_something_is_kept_in_order():
    """Failures, refusals, unknown ends, looking around and what runs in the background are left out."""
    refused = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make x"),
                   outcome=ToolOutcome(ok=None, refused=True))  # fmt: skip
    pending = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make y"))
    turns = [ran("npm ci"), ran("npm test", ok=False), ran("ls -la"), refused, pending, ran("git status"),
             ran("serve &", background=True),
             ran("npm run build | tee log"), Turn(role="user", text="npm run x")]  # fmt: skip

    assert [("npm ci", "/w"), ("npm run build | tee log", "/w")] == commands(*turns)


def test_what_has_no_outcome_can_be_chosen_by_hand():
    """S26: transcripts without outcomes had no command to choose; failures and refusals are never offered."""
    refused = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make x"),
                   outcome=ToolOutcome(refused=True))  # fmt: skip
    pending = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make y"))
    turns = [ran("npm ci"), ran("make z", ok=None), refused, pending, ran("ls", ok=None), ran("make q", ok=False),
             ran("npm ci", ok=None), ran("make z", ok=None), ran("make y", ok=True)]  # fmt: skip

    assert [("npm ci", True), ("make z", False), ("make y", True)] == [
        (one.command, one.is_certain) for one in offered_in(turns)
    ]


@pytest.mark.parametrize("command", ["lsof -i", "lsblk", "dateutil x", "catalog build", "echo hi > f", "git push",
                                     "cat a > b", "kubectl apply -f x", "which x && make"])  # fmt: skip
def test_what_only_begins_like_looking_around_is_kept(command):
    """A whole word counts, and what is written into a file was done."""
    assert [command] == [one for one, _cwd in commands(ran(command))]


@pytest.mark.parametrize(
    "command", ["ls", "pwd", "cat x | head", "cd x", "git log --oneline", "echo hi", "grep -r x .", ""]
)
def test_looking_around_is_left_out(command):
    """Also in a pipe."""
    assert [] == commands(ran(command))


def test_a_change_of_directory_becomes_the_directory():
    """`cd X && cmd` is `cmd` in X, from where the session was."""
    turns = [ran("cd app && cargo build"), ran("cd /srv/x && make"), ran("cd 'a b' && make", cwd="/else"),
             ran("cd $X && make"), ran("cd app; make all")]  # fmt: skip

    assert [
        ("cargo build", "/w/app"), ("make", "/srv/x"), ("make", "/else/a b"), ("cd $X && make", "/w"),
        ("cd app; make all", "/w"),
    ] == commands(*turns)  # fmt: skip


@pytest.mark.parametrize(
    "line", ['cd "a\\" && make', "cd a\\ && make", "cd a\\ b && make", "cd - && make", "cd -P a && make"]
)
def test_a_directory_that_is_not_plainly_named_stays_in_the_line(line):
    """No directory is made up, and nothing breaks."""
    assert commands(ran(line)) in ([], [(line, "/w")])


@given(st.text(st.sampled_from("cd \\\"'&;-~$`ab/\n"), max_size=30))
def test_any_line_can_be_looked_at(line):
    """Whatever was typed, there is an answer."""
    assert len(commands(ran(line), ran(f"cd {line} && make ship"))) <= 2


def test_what_was_done_again_is_done_where_it_was_done_last():
    """Build, test, build, test is build, test."""
    assert ["make lint", "make build", "make check"] == [
        one for one, _cwd in commands(*(ran(f"make {word}") for word in ("build", "check", "lint", "build", "check")))
    ]


def test_what_recurs_in_several_sessions_is_found_longest_first():
    """With other values the same; inside a longer one only if it is commoner; one session proves nothing."""

    def session(*lines):
        return done_in([ran(line) for line in lines], "/w")

    one = session("git checkout -b fix-1", "make build", "make check", "git push origin fix-1")
    two = session("make build", "make check", "npm run x")
    three = session("git checkout -b fix-2", "make build", "make check", "git push origin fix-2")
    found = recurring([("a", one), ("b", two), ("c", three), ("d", session("x y", "z w"))])

    assert [["make build", "make check"]] == [
        [step.command for step in one.steps] for one in found if len(one.sessions) == 3
    ]
    assert all(len(one.sessions) >= 2 for one in found)
    assert not any("x y" in [step.command for step in one.steps] for one in found)


def test_words_that_differ_between_sessions_are_named():
    """They are offered as parameters; words that never differ are not."""
    mine = done_in([ran("deploy --tag 1.2 src/app.py")])
    others = [done_in([ran("deploy --tag 1.3 src/app.py")]), done_in([ran("deploy --tag 1.4 src/app.py")])]

    assert [(1, "1.2", ("1.3", "1.4"))] == [tuple(one) for one in varying(mine, others)]


def test_what_recurs_is_found_in_a_long_history():
    """Tens of thousands of runs that recur are compared with what is in each other, not all with all."""
    done = [WorkedCommand(f"run {number}", "", f"signature {number}") for number in range(20_000)]
    (first, *rest) = recurring([("s1", done), ("s2", done)])

    assert (LONGEST_RUN, MOST_RUNS - 1) == (len(first.steps), len(rest))
