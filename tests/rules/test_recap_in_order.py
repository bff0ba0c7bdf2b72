"""A recap tells what was asked after all that was done where it belongs: at the end."""

import pytest

from tacit.sessions.rules.recap_text import recap_text

from .test_recap import edited, ran, said, told
from .test_recap_of_the_end import answer, asked

PLAN = said("Add a test harness for the tills")
PASSED = ran("pytest", output="4 passed in 1s")


def lines(*turns):
    return recap_text(told(*turns)).splitlines()


def test_what_was_asked_after_the_last_work_is_told_after_it():
    """Three readers on 19 November: tests that passed before an objection read as its answer."""
    objection = said("But it does not do the same as the tests of the command line")

    assert [
        "Asked: Add a test harness for the tills.",
        "Checked: `pytest`: 4 passed.",
        "Then asked: But it does not do the same as the tests of the command line.",
    ] == lines(PLAN, PASSED, objection, ran("gh pr view 554 --json files"), ran("git show HEAD:e2e/till.py"))


def test_an_answer_to_it_is_told_after_it_and_one_from_before_before_it():
    question = said("Which of the tills rounds down?")
    built = answer("The harness covers all tills.")
    answered = answer("The till of the museum rounds down.")

    assert [
        "Then asked: Which of the tills rounds down?",
        "The agent said: The harness covers all tills. … The till of the museum rounds down.",
    ] == lines(PLAN, edited("tills.py"), built, question, answered)[-2:]
    assert ["The agent said: The harness covers all tills.", "Then asked: Which of the tills rounds down?"] == lines(
        PLAN, edited("tills.py"), built, question
    )[-2:]


def test_where_nothing_is_told_of_work_nothing_came_after_it():
    assert ["Asked: Add a test harness for the tills; Which till rounds down?"] == lines(
        PLAN, ran("curl -s localhost"), said("Which till rounds down?")
    )


@pytest.mark.parametrize(("begin", "goes_on"), [
    ("Review the staged changes", " for: 1) correctness of rounding"),
    ("Learn to load the tills without the bypass", ". With exception, could one say that"),
])  # fmt: skip
def test_a_prompt_is_cut_where_something_ends(begin, goes_on):
    """They ended with "for: 1)…" and "With exception…"."""
    begin += " of the tills, printers, drawers and scales that customers see in all shops of the four museums"
    begin += " and of the stations where trains from the north and the south stop at night"
    others = [f"Please change the {name} of the tills so that it shows {name * 9} in the end" for name in "abcd"]

    assert f"{begin}…" in asked(*others[:2], begin + goes_on + " much more" * 40, *others[2:])


def test_what_is_run_again_under_another_name_was_run_again():
    """Ten runs by `python -m pytest` of the file that `uv run pytest` ran were overlooked."""
    failed = ran("uv run pytest tests/test_till.py -q", False, "1 failed in 1s")
    again = ran("python -m pytest tests/test_till.py --junit-xml=a.xml; cat a.xml")

    assert "not run again" in recap_text(told(PLAN, failed, ran("git commit -m 'Add a till'")))
    assert "not run again" not in recap_text(told(PLAN, failed, again, ran("git commit -m 'Add a till'")))


@pytest.mark.parametrize("error", [
    "zoxide: you are already in the only match", "bash: line 1: cd: apps/api: No such file or directory",
])  # fmt: skip
def test_a_folder_that_was_not_entered_is_no_failed_check(error):
    assert "failed" not in recap_text(told(PLAN, ran("cd apps/api && pytest -q", False, error)))


@pytest.mark.parametrize(("line", "output", "shown"), [
    ("go vet ./... 2>&1 | head -30", "(Bash completed with no output)", "Checked: `go vet ./...` passed."),
    ("cd web && npx tsc --noEmit | tail -5", "", "Checked: `npx tsc --noEmit` passed."),
    ("go build ./... 2>/dev/null | head", "", ""), ("go vet ./... | grep till", "", ""),
    ("go test ./... | head", "", ""),
    ("tsc | head", "a.ts(1,2): error TS2322: no", "Checked: `tsc` failed (a.ts(1,2): error TS2322: no)."),
])  # fmt: skip
def test_a_checker_that_prints_nothing_behind_a_pipe_found_nothing(line, output, shown):
    assert shown == "\n".join(one for one in lines(PLAN, ran(line, output=output)) if one.startswith("Checked"))


def test_tests_of_a_task_with_a_folder_are_tests():
    counted = ran("mise run //apps/api:test:unit -- tests/a.py 2>&1 | tail -5", output="3 failed, 8 passed in 2.1s")

    assert "Checked: `mise run //apps/api:test:unit -- tests/a.py`: 8 passed, 3 failed." in lines(PLAN, counted)


def test_what_failed_and_was_done_in_another_way_did_not_fail():
    text = "--description 'What follows is long\nand has a second line'"
    first = ran(f'bd create "chore: remove the old workspace" --set-metadata x {text}', False, "Error: unknown flag")

    assert "failed" not in recap_text(told(PLAN, first, ran(f'bd create "chore: remove the old workspace" {text}')))


def test_where_nothing_else_is_told_what_was_arranged_is():
    moved = ran("mv /srv/tills/AUDIT.md /srv/tills/archive/audit.md")

    assert "Ran `mv /srv/tills/AUDIT.md /srv/tills/archive/audit.md`." in lines(PLAN, ran("ls /srv"), moved)


def test_what_worked_in_the_place_of_a_command_is_told_by_what_differs():
    """Both were told in the same words: only their folder differs, and that of a long path is not shown."""
    script, rest = (
        "/home/dev/{}/skills/tills/scripts/dispatch-a-prompt.sh",
        " --handle the-till-of-the-museum --prompt-file a.md",
    )
    failed = ran(
        script.format(".agents") + rest, False, f"zsh:1: no such file or directory: {script.format('.agents')}", 127
    )
    told_lines = lines(PLAN, failed, ran(script.format(".codex") + rest))

    assert any(
        line.endswith("`/home/dev/.codex/skills/tills/scripts/dispatch-a-prompt.sh` worked.") for line in told_lines
    )


def test_tests_that_show_no_result_are_not_told():
    """A blind judge: "no error reported" was told of tests for which no program was there."""
    shown = ran("python -m pytest tests -q", True, "Python wurde nicht gefunden", None)
    linted = ran("npm run lint", True, "checked", None)

    assert ["Checked: `npm run lint`, no error reported."] == lines(PLAN, shown, linted)[1:]


def test_a_check_that_failed_and_was_run_on_another_machine_is_not_how_it_ended():
    failed = ran("pnpm build", False, "Fatal process out of memory")
    server = ran('ssh shop "cd till && NODE_OPTIONS=--max-old-space-size=1400 pnpm build"')

    assert any("pnpm build` failed" in line for line in lines(PLAN, failed))
    assert not any("pnpm build` failed" in line for line in lines(PLAN, failed, server, ran("pnpm lint")))


def test_what_is_pasted_is_told_with_the_question_about_it():
    """A blind judge: the words of another agent read as what was asked for."""
    pasted = (
        "Not primarily. The main cause is the option itself, not what was run before. " + "It fetches all tills. " * 12
    )

    assert "can you explain me this?" in lines(said(f"{pasted}can you explain me this?"), *[said("x y z")] * 4)[0]


def test_what_only_finds_lines_of_an_output_was_not_run():
    """ "Ran `findstr /C:passed`" was told of tests behind a pipe."""
    assert "findstr" not in recap_text(told(PLAN, ran('python.exe -m pytest tests -v | findstr /C:"passed"', None)))


def test_a_long_status_before_other_commands_is_read():
    status = "On branch main\nChanges not staged for commit:\n\tmodified:   till.py\n\n---\nmodified: of no file\n"

    assert "Not committed at the last git status: till.py." in lines(
        PLAN, ran("git status && echo --- && grep -rc git-sync . | head", output=status)
    )


def test_what_pnpm_says_of_a_command_that_it_cannot_run_is_an_error():
    output = " ERR_PNPM_CANNOT_DEPLOY  A deploy is only possible from inside a workspace\n"

    assert not any(line.startswith("Ran") for line in lines(PLAN, ran("pnpm deploy | tail -3", True, output, None)))
