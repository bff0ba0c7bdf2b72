"""Recaps of odd sessions: nothing in a transcript keeps a recap from being made, or makes it say too much."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.asked import is_work
from tacit.sessions.rules.kept_turns import kept_turns, refused_by
from tacit.sessions.rules.recap import recap_of
from tacit.sessions.rules.recap_text import recap_text
from tests.timing import assert_growth, cpu_s

from .test_recap import edited, ran, said, told

REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected"


def answer(text: str) -> Turn:
    return Turn(role="assistant", text=text)


def refused(command: str = "", path: str = "") -> Turn:
    tool = ToolCall(name="Bash" if command else "Edit", kind="shell" if command else "edit", command=command,
                    paths=(path,) if path else ())  # fmt: skip
    return Turn(role="assistant", tool=tool, outcome=ToolOutcome(ok=False, output=REFUSED, refused=True))


def test_the_same_answer_to_each_request_is_told():
    """A review: four equal answers raised an IndexError, and no session of the import was kept."""
    failing = answer("API Error: the service of the model is overloaded at this moment")
    turns = [turn for number in range(4) for turn in (said(f"what about part {number} of the shop"), failing)]

    assert "the service of the model is overloaded" in told(*turns).outcome


@pytest.mark.parametrize("text", ["**", "** **", "```", "\n", "- ", "|", "#", "…", "\x00", "** \n **"])
def test_an_answer_of_marks_alone_is_none(text):
    """A review: an answer that was cut after its first ** raised a ValueError."""
    assert told(said("Fix the till"), answer(text)).outcome in ("", text.strip())


def test_what_a_program_asked_is_not_told_as_what_a_person_asked():
    """A review: it was "Asked: …" in the recap, and a session's start told it as what was typed."""
    turns = (said("Review the open pull request of the till"), answer("It rounds half up now."))
    kept = list(kept_turns(turns, "claude:1", "claude", str, "program"))
    found = recap_of([(one.turn, one.text) for one in kept], session="claude:1", agent="claude")

    assert ((), "Review the open pull request of the till") == (found.asked, found.given)


def test_what_was_stopped_after_it_had_been_done_is_told():
    """A review: the stop was not told, and the push stood at the end as if it had been done once more."""
    assert (
        "The user stopped `git push origin main`"
        in told(said("Push it"), ran("git push origin main"), edited("/w/a.py"), refused("git push origin main")).failed
    )


def test_an_edit_that_was_refused_first_and_done_then_is_not_told_as_stopped():
    """A review: "Changed a.py. The user stopped an edit of a.py." """
    found = told(said("Fix it"), refused(path="/w/a.py"), edited("/w/a.py"))

    assert (("a.py",), ()) == (found.files, found.failed)


def test_what_the_user_said_about_hooks_is_not_said_by_one():
    """A review: the user's own words were taken for those of a hook."""
    assert "the user" == refused_by(f"{REFUSED}. the user said:\nput this into a custom hook instead")
    assert "a hook" == refused_by("PreToolUse:Bash hook error: no pushes on Friday")


def test_taking_back_the_last_prompt_leaves_the_one_before_it():
    """A review: after "ok" the request before it was taken back."""
    request = "Implement the billing export as CSV"

    assert (request,) == told(said(request), said("ok"), said("please ignore my last message")).asked
    assert (request,) == told(said(request), said("Paint it red"), said("sorry, ignore my last message")).asked


@pytest.mark.parametrize("line", [
    "cat > src/parser.py <<'E'\nx = 1\nE", "sed -i s/a/b/ f", "cd x && sed -i s/a/b/ f", "find . -name '*.o' -delete",
    "ls && rm -rf build", "sleep 5 && gh pr merge 3", "git status; make", "uv run x.py", "cat a | tee-ish b",
])  # fmt: skip
def test_a_line_that_goes_on_after_it_looked_is_work(line):
    """A review: it was judged by its first word alone, and an answer from before it was told as what came of it."""
    assert is_work(line)


@pytest.mark.parametrize("line", [
    "", "ls", "cat a | grep 'x > y' 2>&1", "git log --oneline -3 && git status", "cd /w && rg -n 'a && rm b' src",
    "echo \"a; rm b\"", "sed -n 1,5p f", "find . -name x 2>/dev/null", "curl -s http://x | head",
])  # fmt: skip
def test_a_line_that_only_looks_is_no_work(line):
    assert not is_work(line)


def test_many_prompts_are_told_in_linear_time():
    """A review: 600 prompts took five seconds, as each was compared with all others."""

    def seconds(count: int) -> float:
        prompts = [said(f"Rework part {number} of the menu in {number} colours") for number in range(count)]
        return cpu_s(lambda: recap_text(told(*prompts)))

    assert_growth(seconds, 300, 1_200, factor=8, slack_s=0.2, what="prompts")
