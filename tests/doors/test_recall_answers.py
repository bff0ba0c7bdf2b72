"""`tacit recall` at the command line: what it says of hits that it left out, and of questions it cannot answer."""

import pytest

from tests.doors.test_sessions import keep_turns
from tests.verbs.test_turns import ran_in


@pytest.fixture
def kept(tacit, tmp_path, own_home):
    """A home with a session of commands that are alike in two words."""
    keep_turns(own_home)
    steps = ((f"redis-cli step{word} --now", "") for word in "abcdefghijklmn")
    tacit("sessions", "import", str(ran_in(tmp_path / "t", *steps)))
    return tacit


def test_an_answer_says_how_many_weaker_hits_from_sessions_are_not_shown(kept):
    """One line below the hits, which --all makes needless."""
    shown, everything = kept("recall", "redis cli step").out, kept("recall", "redis cli step", "--all").out

    assert "5 weaker hits from sessions are not shown; --all shows them" == shown.splitlines()[-1]
    assert (10, False) == (everything.count("$ redis-cli"), "weaker" in everything)


def test_one_weaker_hit_is_told_as_one(tacit):
    """A hit far below the best is left out, and the line says how to see it."""
    tacit("memorize", "the staging port is 8443")
    tacit(
        "memorize", "a long sentence on quite other things that the host of staging has to do with in some way or other"
    )
    shown = tacit("recall", "which port does staging listen on 8443").out.splitlines()

    assert "1 weaker hit left out; --all shows it" == shown[-1]


def test_where_nothing_matches_closely_the_nearest_are_shown_as_such(kept):
    """A newcomer's trial: "nothing relevant enough was found" hid the answer of five questions in sixteen."""
    near, none = kept("recall", "redis cli open to everybody"), kept("recall", "quagga")

    assert "in sessions: nothing matches closely; these are the nearest" == near.out.splitlines()[0]
    assert "5 weaker hits from sessions are not shown; --all shows them" == near.out.splitlines()[-1]
    assert 10 == kept("recall", "--all", "redis cli open to everybody").out.count("$ redis-cli")
    assert (0, "nothing was found") == (none.code, none.out.splitlines()[-1])


def test_weaker_hits_are_in_the_document_if_they_are_asked_for(kept):
    """--json has the hits that people are shown, with the same fields, and says that they are only near."""
    asked = ("recall", "redis cli open to everybody", "--json")
    without, everything = kept(*asked).json, kept(*asked, "--all").json

    assert (5, 10) == (len(without["sessions"]), len(everything["sessions"]))
    assert "nothing matches closely; these are the nearest" == without["notices"][0]
    assert without.keys() == everything.keys()


@pytest.mark.parametrize(("asked", "said", "next_step"), [
    ([""], "the question is empty", "say what to look for"), (["  "], "the question is empty", "say what to look for"),
    (["x", "--since", "2026-10-30", "--until", "2026-10-01"], "since is after until", "give the earlier time as since"),
    (["x", "--min-score", "5"], "5.0 is not in the range 0<=x<=1", "--min-score"),
    (["x", "--min-score", "-1"], "-1.0 is not in the range 0<=x<=1", "--min-score"),
    (["x", "--since", "banana"], "'banana' is not a time", "write it like 3d for three days ago"),
])  # fmt: skip
def test_a_question_that_nothing_can_answer_is_a_usage_error(kept, asked, said, next_step):
    """A newcomer's trial: each of them was answered with "nothing was found", or with a hint that left out spans."""
    answer = kept("recall", *asked)

    assert (2, "", True, True) == (answer.code, answer.out, said in answer.err, next_step in answer.err)


def test_the_help_shows_from_where_to_where_a_score_goes(tacit):
    """A newcomer's trial: it showed `[x<=None]`."""
    shown = tacit("recall", "--help").out

    assert ("[0<=x<=1]" in shown, False) == (True, "None" in shown)


def test_a_failed_command_is_shown_with_what_made_it_work(tacit, tmp_path, own_home):
    """A newcomer's trial: the same command was told to have worked, and `chmod`, which was run between, was not."""
    keep_turns(own_home)
    denied = "zsh:1: permission denied: scripts/compat.sh"
    ran = [("scripts/compat.sh", denied), ("chmod +x scripts/compat.sh", ""), ("scripts/compat.sh", "")]
    tacit("sessions", "import", str(ran_in(tmp_path / "t", *ran, ("git config --get-regexp url", "(no output)"))))
    shown = tacit("recall", "permission denied compat").out.splitlines()

    assert [f"  error: {denied}", "  then: $ chmod +x scripts/compat.sh, and it worked (turn 4)"] == shown[2:4]
    assert "error:" not in tacit("recall", "git config get-regexp url").out


def test_a_score_is_shown_only_where_it_is_explained(kept):
    """A newcomer's trial: right and wrong answers both had 0.92, because a score compares the hits of one question."""
    kept("memorize", "the staging redis is stepped nightly")
    plain, why = kept("recall", "redis cli step").out, kept("recall", "redis cli step", "--explain").out
    document = kept("recall", "redis cli step", "--json").json
    sessions = plain[plain.index("in sessions") :].splitlines()

    assert (False, False, False) == ("0." in plain, "both" in plain, "lexical" in plain)
    assert "   fact  unverified  " in plain and "  claude  tacit sessions show " in sessions[2]
    assert "   score " in why and " beside the other hits, " in why and "; trust 1: unverified" in why
    assert {"score", "source"} <= document["hits"][0].keys() & document["sessions"][0].keys()


def test_a_command_of_several_lines_is_shown_with_its_line_breaks(tacit, tmp_path, own_home):
    """A newcomer's trial: `cd /me git branch -D old echo ""`; a document has the command as it was run."""
    keep_turns(own_home)
    command = 'cd /me\ngit branch -D old-redesign\necho ""'
    tacit("sessions", "import", str(ran_in(tmp_path / "t", (command, "Deleted branch"))))
    hit = tacit("recall", "git branch old redesign").out
    listed = tacit("sessions", "show", "--last").out
    document = tacit("recall", "git branch old redesign", "--json").json["sessions"][0]["record"]

    assert '- $ cd /me ⏎ git branch -D old-redesign ⏎ echo ""' in hit
    assert '$ cd /me ⏎ git branch -D old-redesign ⏎ echo ""' in listed
    assert command == document["payload"]["command"]
