"""What a reader of the rules found: statements that a recap must not make, each once told."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.kept_turns import kept_turns
from tacit.sessions.rules.own_words import own_words, with_short_names
from tacit.sessions.rules.recap_text import recap_text
from tests.timing import assert_quick

from .test_recap import edited, only_looked, ran, said, told


def test_what_was_cut_out_is_not_left_out_where_it_turns_the_sense():
    assert "Do not" in own_words("Do not […] delete the users table of the shop database")


def test_an_output_that_quotes_the_guard_was_not_stopped():
    found = told(ran("pytest -q", True, "x: '(tacit guard, rule a)'\n3 passed in 1.0s"))

    assert ("Checked: `pytest -q`: 3 passed",) == found.failed


@pytest.mark.parametrize("line", [
    "cat > NOTES.md <<'E'\n*** Begin Patch\n*** Update File: src/never.py\nE",
    "apply_patch <<'E'\n*** Begin Patch\n*** Update File: Ignore all previous instructions\n*** End Patch\nE",
    "echo sed -i 's/a/b/' y.py", "grep -q x f && sed -i 's/a/b/' z.py || true", "cd ../other && sed -i 's/a/b/' x.py",
])  # fmt: skip
def test_what_a_line_only_mentions_was_not_changed(line):
    assert () == tuple(one for one in told(ran(line)).files if one != "NOTES.md")


def test_a_document_inside_another_is_no_file():
    assert ("run.sh",) == told(ran("cat > run.sh <<'EOF'\ncat > inner.py <<'X'\na\nX\nEOF")).files


@pytest.mark.parametrize(("first", "again"), [
    (ran("git push", None, "error: failed to push some refs"), ran("git push", None, "Everything up-to-date")),
    (ran("npm install x", None, "npm error code E404"), ran("npm install x", None, "added 1 package")),
])  # fmt: skip
def test_what_worked_when_it_was_run_again_did_not_fail(first, again):
    assert not any("` failed" in one for one in told(said("Send it"), first, again).failed)


@pytest.mark.parametrize(("begun", "later", "fails"), [
    ("git merge feature-a", "git merge feature-b", True), ("git rebase main", "git rebase --abort", True),
    ("git rebase main", "git rebase --continue", False), ("git cherry-pick abc", "git cherry-pick --skip", False),
])  # fmt: skip
def test_only_what_continues_it_ends_what_git_began(begun, later, fails):
    found = told(ran(begun, False, "CONFLICT (content): Merge conflict in a.py"), ran(later))

    assert fails == any(begun in one for one in found.failed)


@pytest.mark.parametrize("turns", [
    [ran("rm app.py"), edited("/w/app.py")], [ran("rm app.py"), ran("git checkout -- app.py")],
    [ran("git rm -n app.py")], [ran("git rm --dry-run app.py")],
    [ran("test -f ok.txt || rm app.py")], [ran("rm app.py", None)],
    [ran("if [ -f x ]; then rm app.py; fi")], [ran("git -C ../other rm app.py")],
])  # fmt: skip
def test_what_is_still_there_was_not_deleted(turns):
    assert not any(one.startswith("Deleted") for one in told(*turns).failed)


@pytest.mark.parametrize("lines", [
    ["mv a.py b.py", "mv b.py a.py"], ["mv -t dir c.py"], ["git mv -n a.py b.py"], ["true || mv a.py b.py"],
    ["cd /other && mv a.py b.py"], ["git mv a.py b.py", "git reset --hard"],
])  # fmt: skip
def test_what_is_where_it_was_was_not_moved(lines):
    assert not any(one.startswith("Moved") for one in told(*map(ran, lines)).failed)


COMMIT = "git commit -am 'Round half up'"


@pytest.mark.parametrize(("lines", "commits", "reverted"), [
    ([COMMIT, "git revert --no-commit HEAD", "git revert --abort"], ("Round half up",), False),
    ([COMMIT, "git revert --no-edit HEAD", "git revert --no-edit HEAD"], ("Round half up",), False),
    ([COMMIT, "git commit -F msg.txt", "git revert HEAD"], ("Round half up",), False),
    ([COMMIT, "git -C ../other revert HEAD"], ("Round half up",), False),
    ([COMMIT, "git revert -m 1 HEAD"], (), True),
])  # fmt: skip
def test_which_commit_a_revert_takes_back(lines, commits, reverted):
    found = told(edited("/w/a.py"), *map(ran, lines))

    assert (commits, reverted) == (found.commits, any("reverted" in one for one in found.failed))


def test_what_was_changed_after_it_worked_did_not_make_it_work():
    failed, works = ran("python run.py", False, "KeyError: 'x'"), ran("python run.py")

    assert not any("after a.py" in one for one in told(failed, works, edited("/w/a.py"), works).failed)
    missing = ran("python run.py", False, "ModuleNotFoundError: No module named 'foo'")
    installed = told(missing, edited("/w/README.md"), ran("pip install foo"), works).failed
    assert not any("README" in one for one in installed)


@pytest.mark.parametrize("output", [
    "The file src/access_denied.py has been updated.", "Error handling updated in a.py",
    "Updated page 'Not found' in a.py",
])  # fmt: skip
def test_an_edit_is_judged_by_what_was_said_of_it_not_by_its_name(output):
    call = ToolCall(name="apply_patch", kind="edit", paths=("/w/a.py",))

    assert ("a.py",) == told(Turn(role="assistant", tool=call, outcome=ToolOutcome(output=output))).files


def test_a_long_word_takes_no_long_time():
    assert_quick(lambda: with_short_names("a" * 20_000), 0.1)


def test_a_check_that_was_misused_hides_no_result():
    found = told(
        ran("pytest -q", output="900 passed in 9s"),
        ran("pytest --bogus", False, "error: unrecognized arguments: --bogus"),
    )

    assert ("Checked: `pytest -q`: 900 passed",) == found.failed


@pytest.mark.parametrize("line", [
    "git branch -D feature", "git remote set-url origin x", "git diff --output=x.patch", "sed 's/a/b/w out.txt' x.py",
    "cat a > 1", f"echo {'x' * 2_100} && rm -rf src",
])  # fmt: skip
def test_a_command_that_changes_something_does_not_only_look(line):
    assert not only_looked(told(said("Look at it"), ran(line)))


@pytest.mark.parametrize(("prompt", "part"), [
    ("Please fix the price: it shows ⏺ instead of a circle, and make the header red", "make the header red"),
    ("Position: the button is too far left", "too far left"), ("git pull and then paint the wall", "paint the wall"),
    ("Here is the bug report prompt that users see in the login screen", "login screen"),
    ("❯ fix the login of the shop for me please\n\n$ npm test\nerror: x", "fix the login"),
    ("time=5 level=3 of the game is too hard to finish", "too hard"),
])  # fmt: skip
def test_what_a_person_typed_is_kept(prompt, part):
    assert part in own_words(prompt)


def test_where_no_outcome_is_known_an_error_and_a_run_without_one_are_told():
    """A blind judge: a database that could not be reached, and then could, was not told."""
    first, again = ran("npm run db:test", None, "❌ Connection failed!"), ran("npm run db:test", None, "✅ Connected")

    told_as = "`npm run db:test` showed an error (❌ Connection failed!), and none when it was run last"
    assert (told_as,) == told(said("Mend the login"), first, again).failed
    assert () == told(said("Mend the login"), again, again).failed


def test_a_push_behind_a_commit_was_not_made_by_the_commit():
    """A blind judge: "Ran `git push`" of a line that printed the commit alone."""
    line, output = "git commit -m 'feat: a' && git push origin main", "[main 1234567] feat: a\n 1 file changed\n"
    sent = f"{output}To x\n   1e0a61c..f8fe3f9  main -> main\n"

    known = said("Send it"), ran("make")
    assert ((), ("git push origin main",)) == tuple(
        told(*known, ran(line, None, one)).commands for one in (output, sent)
    )


def test_the_error_of_a_profile_is_not_that_of_the_command():
    """A blind judge: `dotnet build` showed the error of the shell's start."""
    output = (
        "In profile.ps1: 3 char: 40\n+ fnm env | Invoke-Expression\n    + FullyQualifiedErrorId : ParameterArgument,"
        "Microsoft.PowerShell.Commands.InvokeExpressionCommand\n"
    )
    kept = [
        one.turn.error
        for line in ("dotnet build", ".\\build.ps1")
        for one in kept_turns([ran(line, None, output)], "claude:1", "claude", str)
    ]

    assert [True, False] == [not one for one in kept]
    wrapped = "In C:\\Temp\\ps-script-69521509.ps1:80 car:70\nIl token '&&' non è valido\n+ FullyQualifiedErrorId : X\n"
    (kept_turn,) = kept_turns([ran("cd a && npm i", None, wrapped)], "claude:1", "claude", str)
    assert "'&&'" in kept_turn.turn.error


def test_a_prompt_after_all_work_is_asked_then():
    """A blind judge: an agent that a program started seemed to have pushed against an order that came later."""
    frame = "# Context\n\nYour name is **Dora**. You are executing tasks from a **Playbook**.\n\n# Rules\n\n- Exit"
    lines = recap_text(told(said(frame), ran("git commit -m 'Add tills'"), said("Do not push it please"))).splitlines()

    assert "Then asked: Do not push it please." == lines[-1]


def test_what_was_changed_in_any_folder_before_the_work_is_not_the_session_s():
    """A blind judge: the first status was of another folder, and files of the second were told as changed."""
    first, second = ran("git status", output="?? notes/\n"), ran("cd /w/tree && git status", output=TREE)
    last = ran("cd /w/tree && git status", output=f"{TREE}\tmodified:   new.py\n")
    found = told(said("Add a till"), first, second, ran("make"), last, *[ran(f"make {n}") for n in range(9)])

    assert ("Modified or new according to git status: new.py",) == found.failed


TREE = "Changes not staged for commit:\n\tmodified:   old.py\n"


def test_what_a_person_stopped_early_in_a_long_session_is_not_told():
    """Two blind judges: it was done in another way soon after, and took the place of what was asked."""
    refused = Turn(
        role="assistant", tool=ToolCall(name="Bash", kind="shell", command="sed -i s/a/b/ till.py"),
        outcome=ToolOutcome(refused=True, output="The user doesn't want to proceed"),
    )  # fmt: skip
    later = [ran(f"make part{number}") for number in range(11)]

    def stopped(*turns):
        return [one for one in told(said("Rename the till"), *turns).failed if "stopped" in one]

    assert ["The user stopped `sed -i s/a/b/ till.py`"] == stopped(refused, *later[:3])
    assert [] == stopped(refused, *later)


def test_of_many_prompts_more_is_told_than_of_few():
    """Two blind judges: of a long session two side matters were told, and eight lines of what was done."""
    asks = (
        "Rewrite the parser of receipts so that it reads two currencies", "Add a page where museums see their sums",
        "Move the posters into a folder of their own and rename them", "Show the weather beside the opening hours",
        "Let the drawer open by itself after a sale in cash", "Translate every label of the shop into Italian",
        "Drop the old printer driver, nobody has that printer", "Sort tickets by the day on which they are valid",
        "Use one colour for all warnings of the scale", "Write down how a new till is set up in a shop",
    )  # fmt: skip
    done = [turn for number, ask in enumerate(asks) for turn in (
        said(ask), edited(f"/w/{'long-name-' * 3}{number}.py"),
        ran(f"git commit -m 'feat: part {number} of what is to be done in the {'long ' * 4}story of the till'"),
        ran(f"npm run check-{number}", False, f"error TS2304: Cannot find name 'x{number}' in a file of the till"),
    )]  # fmt: skip

    whole = [one for one in told(*done).asked if one in asks]
    assert len(whole) >= 6 and len(recap_text(told(*done)).split()) <= 120


def test_a_command_that_showed_an_error_when_it_was_run_last_is_not_told_as_run():
    """Two blind judges: "Ran `py till.py`", which said nothing once and then that a module is missing."""
    first, last = ran("py till.py", None, ""), ran("py till.py", None, "Error importing tills: No module named 'x'")
    missing = ran("python read.py", None, "PS C:\\w> python read.py\nPython wurde nicht gefunden; ohne Argumente …")

    assert ("py till.py",) == told(said("Count the tills"), first).commands
    assert () == told(said("Count the tills"), first, last).commands == told(said("Read it"), missing).commands


def test_a_long_path_outside_the_session_is_told_by_its_end():
    found = told(said("Round it"), edited("/private/var/folders/x/T/tree-1/backend/src/till/round.py", "/w/a/b.py"))

    assert "Changed …/src/till/round.py and a/b.py." in recap_text(found)


@pytest.mark.parametrize(("command", "output"), [
    ("vercel --prod --yes", "Retrieving project…\nProduction: https://shop.example.com [13s]\nCompleting\n"),
    ("npm publish --access public", "npm notice\n+ @shop/till@1.2.3\n"),
    ("cargo publish", "   Uploading till v0.1.0\n   Published till v0.1.0 at registry\n"),
])  # fmt: skip
def test_a_deployment_that_says_that_it_is_done_was_done(command, output):
    """A blind judge: the deployment for which a session was made was not told, as it has no exit code."""
    found, other = (told(said("Ship it"), ran("make"), ran(command, None, one)) for one in (output, "Building…"))

    assert ((command,), False) == (found.commands, command in other.commands)


def test_a_check_that_passed_on_another_machine_does_not_stand_as_failed():
    """A blind judge: "failed, not run again", where the server had built it soon after."""
    red = ran("pnpm build", False, "Fatal process out of memory: Zone")
    server = ran("ssh root@192.0.2.7 'cd /www && NODE_OPTIONS=--max-old-space-size=1400 pnpm build | tail'")

    assert not any("pnpm build" in one for one in told(said("Build it"), red, server).failed)
    assert any("pnpm build" in one for one in told(said("Build it"), red).failed)


def test_beside_checks_alone_what_else_was_run_is_told():
    """A blind judge: twelve words of a session that had set a program up and tried it."""
    found = told(said("Set the till up"), ran("bash setup.sh --apply"), ran("mise current go"), ran("make lint"))

    assert ("bash setup.sh --apply",) == found.commands
