"""A recap tells how a session ended: what was taken back, what was not sent, what failed and was not run again."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.recap_text import recap_text, recap_title

from .test_recap import edited, only_looked, ran, said, told

REJECTED = (
    " ! [rejected]  main -> main (fetch first)\nerror: failed to push some refs to 'https://git.example/till.git'"
)


def answer(text: str) -> Turn:
    return Turn(role="assistant", text=text)


def test_an_answer_that_only_agrees_says_nothing_of_how_it_ended():
    found = told(
        said("use uv"), answer("Done: the project is managed by uv."), said("always"), answer("Understood: uv.")
    )

    assert "Done: the project is managed by uv." == found.outcome


def test_items_of_a_list_of_tasks_say_which_are_open():
    """Judged on 18 November: "Bug identified and fixed" was one ticked item of a list with four open ones."""
    listed = "The till rounds half up now.\n\n- [x] Bug identified and fixed\n- [ ] Refunds\n\nGood luck!"
    ended = "The till rounds half up now. [x] Bug identified and fixed; [ ] Refunds"

    assert ended == told(said("fix it"), answer(listed)).outcome


def test_a_polite_ending_is_not_how_it_ended():
    polite = "You're welcome! Please don't hesitate to reach out if the till breaks again."

    assert "The till rounds half up now." == told(answer("The till rounds half up now."), answer(polite)).outcome


def test_thanks_after_a_word_of_praise_are_no_request():
    assert ("Fix the till",) == asked("Fix the till", "Great work! Thanks for fixing this critical bug.")
    assert ("Fix the till",) == asked(
        "Fix the till", "Great work! The tests pass. Thanks for fixing this critical bug."
    )
    assert ("Fix the till",) == asked("Fix the till", "passt, danke dir!")


@pytest.mark.parametrize(("prompt", "told_as"), [
    ("Rename foo to bar. Thanks!", "Rename foo to bar"), ("Can you fix the login? thanks", "Can you fix the login?"),
    ("Drop the users table. Run the migration. Thanks in advance", "Drop the users table. Run the migration"),
    ("Works. Thanks, but the footer is still red", "Works. Thanks, but the footer is still red"),
    ("Thanks. Please now migrate the database to 15", "migrate the database to 15"),
    ("the mail should say thanks", "the mail should say thanks"),
])  # fmt: skip
def test_a_request_that_ends_with_thanks_is_one(prompt, told_as):
    """A review: it was taken for thanks alone, and not told."""
    assert (told_as,) == asked(prompt)


@pytest.mark.parametrize(("prompt", "told_as"), [
    ('Get this right:\nfmt(365) == "1y"\nparse("1mo") == 30', 'Get this right: fmt(365) == "1y" parse("1mo") == 30'),
    ("For Monday:\n- **Fix** the till **now**\n> \"and the menu\"", "For Monday: Fix the till now, and the menu"),
    ("Add DELETE /links/<id>", "Add DELETE /links/<id>"),
])  # fmt: skip
def test_marks_at_the_end_of_a_line_belong_to_it(prompt, told_as):
    """The recap of a played session had `fmt(…) == "1y` and `DELETE /links/<id`."""
    assert (told_as,) == asked(prompt)


def test_praise_before_a_request_is_no_part_of_it():
    assert ("the Sessions button has a space in front of it",) == asked(
        "awesome! the Sessions button has a space in front of it"
    )
    assert ("great ideas need great tests in the till",) == asked("great ideas need great tests in the till")


def test_a_commit_that_was_reverted_is_not_told_as_done():
    """A newcomer's trial: a refactoring that was reverted was told as changed and committed, also to agents."""
    split = edited("/w/till.py"), ran("git add -A && git commit -m 'Split the till'")
    found = told(said("Split the till into two files"), *split, ran("git revert --no-edit HEAD"))

    assert ((), ()) == (found.commits, found.files)
    assert "Committed and reverted: Split the till" in found.failed
    other = told(edited("/w/a.py"), ran("git commit -am 'Add a'"), *split, ran("git revert HEAD --no-edit"))
    assert (("Add a",), ("a.py",)) == (other.commits, other.files)
    older = told(*split, ran("git revert --no-edit 1f2e3d4"))
    assert ("Split the till",) == older.commits


def test_what_was_not_sent_is_told_though_a_pipe_hides_it():
    """Judged on 18 November: three pushes were rejected behind `| tail`, and the recap told only the commit."""
    rejected = ran("git push origin main 2>&1 | tail -5", output=REJECTED)

    assert any(one.startswith("`git push origin main` failed (") for one in told(rejected).failed)
    assert not any("push" in one for one in told(rejected, ran("git push origin main")).failed)


def test_what_was_pushed_is_told_even_if_much_was_asked():
    prompts = [said(f"Please change the {name} of the till so that it shows {name * 9}") for name in "abcdefgh"]
    made = [
        ran(f"git commit -m 'feat: the till shows {name * 20} and more of it, as it was asked for'") for name in "ab"
    ]

    assert "Ran `git push`." in recap_text(told(*prompts, *made, ran("git push"))).splitlines()


@pytest.mark.parametrize(("command", "looks"), [
    ("cat a.py | head -5", True), ("cd src && ls; git log --oneline", True), ("grep -rn till . > /dev/null 2>&1", True),
    ("cat > a.py <<'E'\nx\nE", False), ("sed -i s/a/b/ a.py", False), ("rm a.py", False), ("npm run x", False),
    ("find . -name x -delete", False), ("git checkout main", False), ("echo x > a.py", False),
])  # fmt: skip
def test_a_session_that_only_looked_changed_nothing(command, looks):
    found = told(said("Where is the till configured?"), ran(command))

    assert looks == only_looked(found)
    assert not only_looked(told(said("Where is the till?"), ran(command), edited("/w/a.py")))


def test_an_error_in_the_output_counts_where_no_outcome_is_known():
    """Judged on 18 November: a migration that could not reach its database was told as if it had worked."""
    found = told(ran("npx prisma migrate deploy", None, "Error: P1001: Can't reach database server"))

    assert ("`npx prisma migrate deploy` failed (Error: P1001: Can't reach database server)",) == found.failed
    assert () == found.commands


def test_a_check_before_many_prompts_was_early():
    check, later = ran("pytest", output="3 passed in 0.1s"), [said(f"Paint the {one} wall") for one in "abcd"]

    assert ("Checked: `pytest`: 3 passed",) == told(check, *later[:3]).failed
    assert ("Checked early on: `pytest`: 3 passed",) == told(check, *later).failed


def test_a_check_of_which_nothing_is_known_is_not_told():
    unknown = ran("mypy a.py | head -3", output="")

    assert ("Checked: `pytest`: 3 passed",) == told(ran("pytest", output="3 passed in 0.1s"), unknown).failed
    assert () == told(unknown).failed


def test_a_check_on_a_line_of_its_own_is_one():
    """The line before it was read together with it, and `cd app` and `pytest` were one word."""
    assert ("Checked: `pytest`: 3 passed",) == told(ran("cd app\npytest", output="3 passed in 0.1s")).failed


def test_the_test_that_failed_is_named():
    output = "FAILED tests/test_till.py::test_total - assert 1 == 2\n1 failed, 8 passed in 0.3s"

    assert ("Checked: `pytest`: 8 passed, 1 failed (tests/test_till.py::test_total)",) == told(
        ran("pytest", False, output)
    ).failed


def test_what_was_changed_before_a_command_worked_is_named():
    """A newcomer's trial: `uv lock` "worked in the end", and the edit that made it work was not told."""
    failed = ran("uv lock", False, "error: no version of jinja2 fits")
    found = told(failed, ran("cat pyproject.toml"), edited("/w/pyproject.toml"), ran("uv lock"))

    assert (
        "`uv lock` failed (error: no version of jinja2 fits), and worked after pyproject.toml was changed"
        in found.failed
    )


def test_files_that_a_shell_writes_whole_were_changed():
    """A newcomer's trial: patches that Codex applies in a shell were in no recap."""
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/till.py\n@@\n-a\n+b\n*** End Patch\nEOF"
    written = "cat > docs/till.md <<'E'\ntext\nE"

    assert ("src/till.py", "docs/till.md") == told(ran(patch), ran(written), ran("cat > /tmp/x.py <<'E'\nE")).files
    assert () == told(ran(patch, False)).files


def test_an_edit_that_was_refused_in_words_changed_nothing():
    """A newcomer's trial: `unsupported call: apply_patch` was told as a change of README.md."""
    call = ToolCall(name="apply_patch", kind="edit", paths=("/w/README.md",))
    refused = Turn(role="assistant", tool=call, outcome=ToolOutcome(output="unsupported call: apply_patch"))
    written = Turn(role="assistant", tool=call, outcome=ToolOutcome(output="Success. Updated README.md"))

    assert ((), ("README.md",)) == (told(refused).files, told(written).files)


def test_staged_files_beyond_the_first_are_said_to_be_there():
    names = " ".join(f"f{number}.py" for number in range(9))

    assert "others" == told(ran(f"git add {names}")).files[-1]


@pytest.mark.parametrize("line", [
    "echo --- deploy refs ---", "npx wrangler deploy --dry-run", "git fetch || git push --force",
    "git merge --ff-only origin/main", "python -m py_compile till.py",
])  # fmt: skip
def test_what_did_not_happen_or_says_little_was_not_run(line):
    """Judged on 18 November: "Ran `mise install go`", and an install behind `||` that was never run."""
    assert () == told(said("Deploy the till"), ran(line)).commands


def test_the_broadest_test_is_told_beside_the_last():
    """Judged on 18 November: "5 passed" was told of a session in which 117 tests had passed."""
    runs = [ran("pytest tests", output="117 passed in 3s"), ran("pytest tests/till.py", output="5 passed in 1s")]

    assert ("Checked: `pytest tests`: 117 passed; `pytest tests/till.py`: 5 passed",) == told(*runs).failed
    assert ("Checked: `pytest tests/till.py`: 5 passed",) == told(
        edited("/w/till.py"), ran("pytest a", output="9 passed in 1s"), runs[1]
    ).failed


def test_a_benchmark_is_no_test_and_a_run_without_an_end_did_not_pass():
    benchmark = ran("go test -run x -bench=. ./till")
    stopped = ran("go test -race ./...", None, "ok  \tshop.example/till\t0.4s")

    assert not any("go test" in one for one in told(benchmark).failed)
    assert () == told(ran("ls"), stopped).failed


def test_what_the_guard_stopped_is_told():
    """A newcomer's trial: an agent said that it had undone a commit, and the guard had kept it from doing so."""
    reason = "it throws away uncommitted changes: --hard (tacit guard, git.reset-hard). Instead: git stash."
    stopped = ToolOutcome(output=reason, refused=True)
    call = ToolCall(name="Bash", kind="shell", command="git reset --hard HEAD~1")
    found = told(ran("git commit -m 'Rename it'"), Turn(role="assistant", tool=call, outcome=stopped))

    assert (("Rename it",), ("The guard stopped `git reset --hard HEAD~1`",)) == (found.commits, found.failed)
    undone = told(said("undo it"), Turn(role="assistant", tool=call, outcome=stopped), answer("The rename is undone."))
    assert recap_text(undone).endswith(
        "The guard stopped `git reset --hard HEAD~1`.\nThe agent said afterwards: The rename is undone."
    )


def test_pull_requests_are_told_even_if_much_was_asked():
    prompts = [said(f"Please change the {name} of the till so that it shows {name * 9}") for name in "abcdefgh"]
    made = ran("gh pr create --fill", output="https://github.com/o/r/pull/53\n")

    assert "Opened pull request #53." in recap_text(
        told(*prompts, made, *[ran(f"git commit -m '{one * 90}'") for one in "abc"])
    )


def test_deleted_files_are_told():
    """Judged on 18 November: three files were deleted on request, and the recap ended with the request."""
    found = told(said("Delete the old notes of the till"), ran("rm docs/till.md && git rm -q old.py"))

    assert "Deleted docs/till.md and old.py" in found.failed
    own = told(edited("/w/x.py"), ran("rm x.py"), ran("rm -rf build /tmp/a.py *.md"), ran("rm .git/index.lock"))
    assert not any(one.startswith("Deleted") for one in own.failed)


def test_files_that_were_moved_or_edited_by_a_shell_are_told():
    """Judged on 18 November: a reorganisation by `mv` and `git mv` alone had a recap that told nothing of it."""
    found = told(said("Tidy up"), ran("git mv till.py shop/till.py"), ran("mv docs old && mv a.md *.txt /tmp/x"))

    assert "Moved till.py to shop/till.py and docs to old" in found.failed
    assert ("till.py",) == told(ran("sed -i 's/a/b/' till.py && ls")).files
    assert () == told(ran("mv a b", False, "mv: cannot stat 'a'")).files


def test_what_was_changed_before_the_first_work_is_not_left_uncommitted():
    status = " M old.py\n M till.py\n"
    looked = [ran(one) for one in ("ls", "cat a.py", "git log -3", "rg till")]

    assert ("till.py",) == told(*looked, ran("git status --short", output=" M old.py\n"), ran("make x"),
                                ran("git status --short", output=status)).uncommitted  # fmt: skip


def test_what_git_began_and_ended_otherwise_did_not_fail():
    """Judged on 18 November: a rebase with a conflict was told as failed though it was continued to its end."""
    conflict = ran("git rebase origin/main", False, "CONFLICT (content): Merge conflict in README.md")

    assert any("git rebase" in one for one in told(conflict).failed)
    assert () == told(conflict, ran("git add README.md && GIT_EDITOR=true git rebase --continue")).failed


def test_a_check_of_an_agent_that_tells_no_outcomes_is_told_by_its_output():
    """Judged on 18 November: fifteen builds that said "built in" were in no recap, because no exit code was known."""
    built = ran("npm run build", None, "✓ built in 1.2s")

    assert ("Checked: `npm run build` passed",) == told(said("Build the shop"), built).failed
    assert () == told(said("Build the shop"), ran("npm run build", None, "")).failed


def test_a_check_that_was_called_in_a_wrong_way_checked_nothing():
    wrong = ran("go test ./agents/till", False, "go: cannot find main module, but found .git/config in /w")

    assert ("Checked: `go test ./till` passed",) == told(wrong, ran("go test ./till")).failed


def test_a_checker_behind_variables_is_one_and_is_told_without_them():
    line = f"env GOCACHE=/tmp/cache LINT_CACHE=/tmp/lint /home/dev/{'tools/' * 9}golangci-lint run ./internal/till"

    assert ("Checked: `…/tools/golangci-lint run ./internal/till` passed",) == told(ran(line)).failed


@pytest.mark.parametrize(("output", "ended"), [
    ("  Total Tests:   30\n  Passed:        30\n  Failed:        0\n", ": 30 passed"),
    ("Passed: 28\nFailed: 2\n", ": 28 passed, 2 failed"),
])  # fmt: skip
def test_the_counts_of_a_script_are_told(output, ended):
    assert (f"Checked: `./smoke-test.sh`{ended}",) == told(ran("./smoke-test.sh", output=output)).failed


def test_a_reason_that_says_only_that_it_failed_is_left_out():
    failed = ran("pnpm check", False, "[ELIFECYCLE] Command failed with exit code 1.")

    assert ("Checked: `pnpm check` failed",) == told(failed).failed


# -- what was asked -----------------------------------------------------------------------------------------------


def asked(*prompts: str) -> tuple[str, ...]:
    return told(*map(said, prompts)).asked


def test_the_last_prompt_is_told():
    """Judged on 18 November: "phase 1 is done, let's go on tomorrow" was the last of many prompts, and not told."""
    prompts = [
        f"Please paint the {colour} wall of the shop today"
        for colour in ("red", "blue", "green", "grey", "brown", "white")
    ]

    assert (
        "i consider phase 1 as done, lets continue tomorrow with the other phases"
        == asked(*prompts, "i consider phase 1 as done, lets continue tomorrow with the other phases")[-1]
    )


def test_what_most_was_done_for_is_told():
    """Judged on 18 November: a short request that half of the session's work followed was left out for questions."""
    asides = [
        said(f"why do we have the {one} namespace, what is the difference with the other one?") for one in "abcdefg"
    ]
    found = told(
        said("close the issue about prepare"), said("finish the docs followups"), *[ran("make docs")] * 40, *asides
    )

    assert "finish the docs followups" in found.asked


def test_an_order_after_a_question_belongs_to_it():
    found = told(said("How could yinshi use compaction?"), said("create a task list and implement"), ran("make x"))

    assert ("How could yinshi use compaction? (then: create a task list and implement)",) == found.asked
    assert 2 == len(told(said("How could yinshi use compaction?"), said("can you fix the linting of the till")).asked)


def test_a_remark_at_the_end_is_not_told_as_the_last_request():
    """Judged on 18 November: "and last: dude, that sounds like flattery"."""
    work = (
        "Please paint the red wall of the shop", "Add a second till beside the door",
        "Rename every receipt by its date", "Move the lamps to the window",
        "Write down what the suppliers owe", "Replace the broken scale in the kitchen",
        "Build a shelf for the spices",
    )  # fmt: skip
    told_asks = asked(*work, "that sounds like flattery")

    assert "flattery" not in " ".join(told_asks)


def test_a_prompt_is_not_cut_before_what_a_word_leads_to():
    rest = "button of the header as blue as the sky over the harbour in the summer when it does not rain much " * 3
    (first, *_others) = told(
        said(f"Please make the download {rest}"), *[said(f"Paint the {one} wall {rest}") for one in "abcd"]
    ).asked

    assert not first.removesuffix("…").endswith((" the", " a", " in", " of", " as", " it"))


def test_what_is_said_below_a_copied_shell_is_what_was_asked():
    shell = "❯ cd ~\n❯ git clone git@host:shop/till.git\nERROR: Repository not found.\n"
    copied = f"{shell}~➜    0s how do i fix this so i can clone it"

    assert ("how do i fix this so i can clone it: ERROR: Repository not found",) == asked(copied)
    # What git says of a repository is no word of a person.
    assert not any(
        "the repository exists" in one for one in asked(copied.partition("~➜")[0] + "\nand the repository exists.")
    )


@pytest.mark.parametrize(("prompt", "asks"), [
    ("could you describe them? ⏺ Got it, I will describe them now.", ("could you describe them?",)),
    ("still issues […] the league of Nord has no results", ("the league of Nord has no results",)),
    ("paint the red wall of the shop […] and so on", ("paint the red wall of the shop…",)), ("git status", ()),
])  # fmt: skip
def test_what_an_agent_said_or_a_program_cut_is_not_what_was_asked(prompt, asks):
    assert asks == asked(prompt)


def test_lines_of_a_log_are_not_what_was_asked():
    log = 'time=2026-04-15T13:45:04.173+02:00 level=INFO msg="planning" refs=152\n2026-04-15T13:45:05 done'

    assert ("could we find the default branch first?",) == asked(f"{log}\n\ncould we find the default branch first?")


def test_quotes_around_a_long_path_stay_balanced():
    path = "`src/features/hooks/very/long/folder/types.ts`"
    (found,) = asked(f"Refactor the model in {path} and {'then describe the reasons ' * 30}")

    assert found.count("`") == 2


def test_a_frame_that_every_agent_gets_is_no_task():
    """Four sessions had the recap "You are executing tasks from a Playbook"; what was committed says more."""
    frame = "# Context\n\nYour name is **Dora**. You are executing tasks from a **Playbook**.\n\n# Rules\n\n- Exit"
    found = told(said(frame), ran("git commit -m 'Add the task providers'"))

    assert ("", "Add the task providers") == (found.given, recap_title(found))


def test_an_error_is_cut_after_a_word_and_without_the_beginning_of_an_address():
    address = "https://git.example/a/very/long/path/of/a/repository.git/"
    error = f"fatal: unable to access '{address}': The URL returned error: 403"
    (found, *_rest) = told(ran("git push", False, error)).failed

    assert found.endswith("error: 403)")


COMMIT = "git commit -m 'Split the till'"
GIT_SAID = "[main 1a2b3c4] Split the till\n Date: Mon Mar 2 10:00:00 2026\n {} changed, 90 insertions(+)\n"


@pytest.mark.parametrize(("turns", "told_as"), [
    ([ran("sed -i s/a/b/ docs/till.md"), ran(COMMIT, output=GIT_SAID.format("8 files"))],
     "Changed docs/till.md and 7 more."),
    ([edited("a.py", "b.py"), ran(COMMIT, output=GIT_SAID.format("2 files"))], "Changed a.py and b.py."),
    ([edited("a.py", "b.py"), ran(COMMIT, output=GIT_SAID.format("1 file"))], "Changed a.py and b.py."),
    ([edited("a.py"), ran(COMMIT, output=GIT_SAID.format("9 files")), ran("git revert HEAD")], ""),
    ([edited("a.py"), ran(COMMIT, output=GIT_SAID.format("9 files")), ran("git reset --soft HEAD~1")], "Changed a.py."),
    ([ran(f"git add a.py b.py && {COMMIT}", ok=None, output="", code=None), ran("git push")],
     "The commits include a.py and b.py."),
    ([ran(f"git add a.py b.py && {COMMIT}", ok=None, output="", code=None), ran("ls")], ""),
    ([ran("git add src docs"), ran(COMMIT, output=GIT_SAID.format("8 files"))],
     "The commits include src, docs and others."),
    ([edited("a.py"), ran(COMMIT, output=GIT_SAID.format("2 files")), edited("b.py"),
      ran(COMMIT.replace("Split", "Close"), output=GIT_SAID.format("5 files").replace("Split", "Close"))],
     "Changed a.py, b.py and others."),
])  # fmt: skip
def test_a_commit_says_how_many_files_were_changed(turns, told_as):
    """A blind judge: "Changed docs/deployment.md" stood for a commit of eight files, of which one was named."""
    assert told_as == next(
        (one for one in recap_text(told(*turns)).splitlines() if one.startswith(("Changed", "The commits"))), ""
    )


def test_two_repositories_are_not_told_as_one():
    """A blind judge: git was asked in two repositories, and the recap listed what was changed in the smaller one."""
    statuses = (
        ran("git status --short", output=" M Brewfile\n"),
        ran("git status --short", output=" M lua/colours.lua\n"),
    )
    begun = edited("/w/Brewfile"), edited("/w/lua/colours.lua")

    assert ("lua/colours.lua", "in another repository Brewfile") == told(*begun, *statuses).uncommitted
    assert ("lua/colours.lua",) == told(*begun, statuses[0], ran("git stash"), statuses[1]).uncommitted
    assert ("lua/colours.lua",) == told(*begun, statuses[0], *[ran("make")] * 5, statuses[1]).uncommitted


def test_what_git_lists_as_changed_was_perhaps_changed_in_the_session():
    """ "No command changed anything" was told where git listed changes, of a transcript without its edits."""
    state = ran("git status --short", output=" M till.py\n")

    assert () == told(said("Review the till"), state, said("now the parser of the shop"), ran("git diff")).failed


def test_a_state_before_another_request_is_not_how_it_ended():
    """A blind judge: the status was of the middle of the session."""
    state = edited("/w/till.py"), ran("git status --short", output=" M till.py\n")
    another = said("The agents need a type column in the schema as well")

    assert ("till.py",) == told(*state, said("thanks, that was all")).uncommitted
    assert ("till.py",) == told(*state, another).uncommitted
    assert () == told(*state, another, ran("git diff --stat", output=" db.py | 3 +-")).uncommitted


@pytest.mark.parametrize("line", [
    'me=2026-04-15T13:45:04.826+02:00 level=INFO msg="batch fetched" refs=152', 'level=warn msg="no head"',
    'ts=2026-04-15T13:45:04Z caller=main.go:12 level=error err="no head"',
])  # fmt: skip
def test_a_line_of_a_log_is_not_what_was_asked(line):
    """A blind judge: "me=2026-04-15… level=INFO" was told as a request, where the beginning of a log was cut."""
    assert ("Could we find the default branch first?",) == asked(f"{line}\n\nCould we find the default branch first?")


def test_what_the_guard_stopped_is_told_once():
    """A recap told each of two commands twice, as failed and as stopped."""
    stopped = "it deletes a tag (tacit guard, git.tag-delete)."
    found = told(said("clean up"), ran("git tag -d v1", False, stopped), ran("git push -f origin main", False, stopped))

    assert ("The guard stopped `git tag -d v1` and `git push -f origin main`",) == found.failed


@pytest.mark.parametrize(("answers", "outcome"), [
    ([answer("Three customers were charged twice."), answer("Here's the report you wanted:\n```\nx\n```")],
     "Three customers were charged twice."),
    ([answer("Three customers were charged twice."), ran("make report"), answer("Here's the report you wanted:")],
     "Three customers were charged twice."),
    ([answer("Three customers were charged twice."), answer("Now let me write the incident report.")],
     "Three customers were charged twice."),
    ([answer("Done, the till works again."), edited("a.py"), answer("I'll look at the refunds next.")],
     "Done, the till works again."),
])  # fmt: skip
def test_what_is_only_announced_is_not_how_it_ended(answers, outcome):
    assert outcome == told(*answers).outcome


@pytest.mark.parametrize(("text", "outcome"), [
    ("Tables are renamed:\n- a migration\n- a test\n\nStill uncommitted. Do you want one commit or two?",
     "Tables are renamed: a migration; a test … Still uncommitted."),
    ("The till is released:\n- one tag\n\nWant me to store it? It is small.", "The till is released: one tag"),
    ("The till is released:\n- one tag\n\nGood night!", "The till is released: one tag"),
    (f"Both are done:\n{chr(10).join(f'- part {n} of the till is done now' for n in range(12))}",
     f"Both are done: {'; '.join(f'part {n} of the till is done now' for n in range(7))}; …"),
])  # fmt: skip
def test_how_an_answer_closes_is_told_and_lists_by_whole_items(text, outcome):
    """A blind judge: "Still uncommitted" was cut away, and lists ended within an item."""
    assert outcome == told(said("Rename it"), answer(text)).outcome
    assert "Still" not in told(said("Rename it"), answer(text), ran("git commit -m x")).outcome


def test_a_list_without_a_mark_at_its_end_is_whole():
    """A blind judge: the agent's last message, a list of what was open, was taken for one that was cut off."""
    crash = said("what about box 6?"), answer("It crashes: the statistics stop with an error at box six.")
    listed = (
        "OK, I leave it. Open for next time:\n\n- Uncommitted: boxes as a list\n- Not started: box six, plus a test"
    )
    cut = answer("On the copy it works, and the difference in size is")

    assert "Not started: box six, plus a test" in told(*crash, said("not today"), answer(listed)).outcome
    assert "difference" not in told(*crash, said("try it on a copy then, please"), cut).outcome


def test_a_quiet_commit_that_the_log_shows_was_made():
    """A blind judge: a commit that the user made was told as one without an outcome."""
    line = "git commit -qam 'totals: half a cent goes up' && git log --oneline -2"
    output = "1c304c1 (HEAD -> main) totals: half a cent goes up\n75dd2ac invoice totals"

    assert ("totals: half a cent goes up",) == told(ran(line, ok=None, output=output, code=None)).commits
    assert () == told(ran(line, ok=None, output="75dd2ac invoice totals", code=None)).commits


def test_a_tag_that_is_set_anew_is_not_told_as_deleted():
    """A blind judge: "Ran `git tag -d v2.3.1`", and the same line had set it again."""
    line = "git tag -d v2.3.1 && git tag -a v2.3.1 -m 'dalbit 2.3.1'"

    assert ("git tag -a v2.3.1 -m 'dalbit 2.3.1'",) == told(said("set the tag right"), ran(line)).commands


def test_what_was_changed_after_the_last_commit_is_told():
    """A blind judge: a change that was left uncommitted read as part of the commit before it."""
    turns = [edited("deck.py"), edited("main.py"), ran("git commit -am 'stats command'"), said("no string keys please")]
    state = ran("git status --short", output=" M main.py\n")

    assert ("Changed after the last commit: main.py",) == told(*turns, edited("main.py")).failed
    assert () == told(*turns, edited("main.py"), state).failed == told(*turns).failed == told(edited("deck.py")).failed


def test_a_prompt_that_was_typed_twice_is_one():
    assert recap_text(told(*[said("Review the code of the till")] * 2)).startswith("Asked: Review")


def test_a_command_that_prints_what_the_guard_says_was_not_stopped():
    """A review: a search of the guard's own documentation failed, and was told as stopped by the guard."""
    tool = ToolCall(name="Bash", kind="shell", command="grep -rn 'tacit guard' docs && false")
    printed = ToolOutcome(ok=False, output="docs/guard.md: (tacit guard, rule x)", exit_code=1)

    assert not [
        one for one in told(Turn(role="assistant", tool=tool, outcome=printed)).failed if "guard stopped" in one
    ]


def test_of_a_prompt_that_is_only_a_log_the_error_is_told():
    """The recap of a played session began with a system log, and the next prompt said no more than "still broken"."""
    log = "Nov 17 23:04:11 flux1 ingest[2211]: "
    lines = ("Traceback (most recent call last):", '  File "run.py", line 22, in <module>', "KeyError: 'unit'")

    assert ("KeyError: 'unit'",) == asked("\n".join(log + line for line in lines))


@pytest.mark.parametrize(("output", "why"), [
    ("Traceback:\n  File 'a.py', line 9\n  File \"b.py\", line 9, in main\n    print(f'Error: {e}')\nKeyError: 'till'",
     "KeyError: 'till'"),
    ("a.py 3 3 43%\nFAIL Required test coverage of 80% not reached\n===== 1 passed in 1.08s =====",
     "FAIL Required test coverage of 80% not reached"),
])  # fmt: skip
def test_why_a_check_failed_is_what_its_output_says_went_wrong(output, why):
    """A recap told a line of code, and "1 passed", as the reasons of failures."""
    assert (f"Checked: `pytest` failed ({why})",) == told(ran("pytest", False, output)).failed


def stopped(tool, output):
    return Turn(role="assistant", tool=tool, outcome=ToolOutcome(refused=True, output=output))


def test_what_the_user_or_a_hook_stopped_was_not_done():
    """The recap of a played session said that a file was changed, and the user had refused the edit."""
    drop = ToolCall(name="Bash", kind="shell", command="sqlite3 shop.db 'DROP TABLE old'")
    edit = ToolCall(name="Edit", kind="edit", paths=("README.md",))
    remove = ToolCall(name="Bash", kind="shell", command="rm -rf out/tmp")
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    found = told(stopped(remove, "PreToolUse:Bash hook error: use .trash"), stopped(drop, no), stopped(edit, no))

    assert () == found.files
    by_user = "The user stopped `sqlite3 shop.db 'DROP TABLE old'` and an edit of README.md"
    assert (by_user, "A hook stopped `rm -rf out/tmp`") == found.failed
    assert () == told(stopped(drop, no), ran(drop.command)).failed


def test_how_long_a_command_may_take_is_not_told():
    assert ("Checked: `npm test`: 5 passed",) == told(ran("timeout 50 npm test", output="# pass 5\n# fail 0")).failed


def test_all_commits_of_a_line_are_told():
    """Of two commits that one line made, the recap of a played session told one."""
    line = (
        "git add Makefile && git commit -qm 'Makefile: -O2' && git add a.c && git commit -qm \"Hash table\" && git log"
    )

    assert ("Makefile: -O2", "Hash table") == told(ran(line)).commits
    assert ("Say it",) == told(ran("git commit -m 'Say it' && echo \"git commit -m 'no'\"")).commits


def test_a_commit_whose_push_was_refused_was_made():
    refused = "remote: error: hook declined to update refs/tags/v0.5.0\nerror: failed to push some refs"

    assert ("Release 0.5.0",) == told(ran("git commit -qam 'Release 0.5.0' && git push", False, refused)).commits
    assert () == told(ran("git push && git commit -qam 'Release 0.5.0'", False, refused)).commits


def test_what_was_sent_before_something_failed_is_not_told_as_failed():
    """A newcomer's trial: a branch had been pushed, and the branch that was to be removed after it was still there."""
    refused = "error: The branch 'backup' is not fully merged."

    assert () == told(ran("git push -u origin refunds && git branch -d backup", False, refused)).failed
    assert told(ran("git push -u origin refunds && ls", False, "error: failed to push some refs")).failed


def test_of_a_long_prompt_what_it_is_about_is_told_beside_what_it_asks_for():
    """The recap of a played session began with "… MEASURE first please", and nothing said what."""
    long = f"logtop got really slow since we have more clients. {'It reads the log. ' * 40}Please measure first"
    (prompt,) = asked(f"{long}, I want to see numbers for every change that you make to it. {'And be quick. ' * 30}")

    assert prompt.startswith("logtop got really slow since we have more clients.")
    assert "Please measure first, I want to see numbers" in prompt


def test_what_is_told_leaves_room_for_what_came_of_it():
    """Of a session with long prompts, the agent's answer did not fit."""
    prompts = [said(f"Why does part {n} of the worker {'try it again and again and ' * 12}give up?") for n in range(4)]
    answers = [answer(f"Because loop {n} is nested in another loop of the worker, which nobody saw.") for n in range(4)]
    text = recap_text(told(*(turn for pair in zip(prompts, answers, strict=True) for turn in pair)))

    assert "The agent said: Because loop 1" in text and "Because loop 3" in text


@pytest.mark.parametrize(
    "line", ["git revert --no-commit HEAD~1", "git revert --no-edit 3b738ee", "git revert -n HEAD"]
)
def test_what_a_revert_of_another_commit_may_have_taken_back_is_not_told(line):
    """A blind judge: a file that a revert had removed was told as changed."""
    turns = [edited("open.js"), ran("git add -A && git commit -m 'Redesign'"), edited("a.css"), ran("git commit -am x")]

    assert ("style.css",) == told(*turns, ran(line), edited("style.css")).files
    assert ("open.js", "a.css") == told(*turns, ran("git revert --abort")).files
