"""A recap is made of what was asked, changed, run and committed; nothing in it is invented."""

import re

import pytest
from hypothesis import given, strategies as st

from tacit.model.payload import KeptTurn
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.commands.command_results import _OPENS
from tacit.sessions.rules.commands.telling_commands import MATTERS, MATTERS_WITHIN
from tacit.sessions.rules.kept_turns import _ERROR_PARTS, _SAYS_ERROR, MOST_CHARS, kept_turns
from tacit.sessions.rules.own_words import _PARAGRAPH_END
from tacit.sessions.rules.recap import recap_of
from tacit.sessions.rules.recap_text import MOST_WORDS, recap_text, recap_title


def ran(command: str, ok: bool | None = True, output: str = "", code: int | None = 0) -> Turn:
    tool = ToolCall(name="Bash", kind="shell", command=command)
    return Turn(role="assistant", tool=tool, outcome=ToolOutcome(ok=ok, output=output, exit_code=code if ok else None))


def edited(*paths: str) -> Turn:
    return Turn(role="assistant", tool=ToolCall(name="Edit", kind="edit", paths=paths), outcome=ToolOutcome(ok=True))


def said(text: str) -> Turn:
    return Turn(role="user", text=text)


def told(*turns: Turn):
    kept = kept_turns(turns, "claude:1", "claude", lambda text: text.replace("hunter2", "[redacted:password]"))
    return recap_of([(one.turn, one.text) for one in kept], session="claude:1", agent="claude", cwd="/w")


def only_looked(found) -> bool:
    return any(one.startswith("Only read-only") for one in found.failed)


def test_what_a_recap_tells():
    found = told(
        said("Switch the build from npm to pnpm.\nDetails follow."), ran("ls -la"), ran("npm run biuld",
        False, "npm error Missing script: biuld"),
        ran("npm run build"), edited("/w/package.json", "/w/ci.yml"), ran("git commit -am 'Use pnpm'"),
        said("thanks, looks good now"),
        Turn(role="assistant", text="The build uses pnpm now. CI is green."),
    )  # fmt: skip

    assert ("Switch the build from npm to pnpm. Details follow",) == found.asked
    assert (("package.json", "ci.yml"), ("Use pnpm",)) == (found.files, found.commits)
    assert (
        "`npm run biuld` failed (npm error Missing script: biuld); `npm run build` worked",
        "Checked before the last change: `npm run build` passed",
    ) == found.failed
    assert () == found.commands
    assert "The build uses pnpm now. CI is green." == found.outcome


def test_another_spelling_of_a_program_that_never_ran_is_what_worked_instead():
    """A newcomer's trial: `python` was a shim of nothing, and the recap did not tell that `python3` worked."""
    found = told(
        said("Run the script of the till"),
        ran("cd app && python till.py", False, "shellenv.sh: line 18: /bin/ps: Operation not permitted"),
        ran("cd app && python till.py", False, "error: target shim binary not found"), ran("python3 till.py"),
    )  # fmt: skip

    assert ("`python till.py` failed (error: target shim binary not found); `python3 till.py` worked",) == found.failed


def test_a_request_after_a_sentence_that_says_no_is_told():
    """A blind judge: "The operator has no indication that …" hid the request that followed."""
    about = "If the till fails in the night the shop sells on. The clerk has no indication that it does. "
    others = [
        f"Change the {name} of the tills so that it shows {name * 9} at the end" for name in ("day", "sum", "row")
    ]

    first = said(f"{about * 4}Show it on the screen of the till.")
    assert "Show it on the screen of the till" in told(first, ran("make"), *map(said, others)).asked[0]


@pytest.mark.parametrize(("command", "output", "error"), [
    ("py till.py", "Counting …\nError importing modules: No module named 'tills'\n",
     "Error importing modules: No module named 'tills'"),
    ("python till.py", 'Traceback (most recent call last):\n  File "till.py", line 1\nKeyError: \'season\'\n',
     "KeyError: 'season'"),
    ("pytest tests", "E   ModuleNotFoundError: No module named 'tills.values'\n",
     "ModuleNotFoundError: No module named 'tills.values'"),
    ("pnpm build", "Error fetching the feed: timed out\nError: no feed\n ELIFECYCLE  Command failed.\n",
     "ELIFECYCLE Error: no feed"),
    ("python till.py", "0 errors. Error handling is on: see the docs\n", ""),
])  # fmt: skip
def test_an_error_that_a_program_prints_is_kept_where_no_outcome_is_known(command, output, error):
    """A newcomer pasted an error of the session and found nothing; a recap told as run what had failed so."""
    kept = [one.turn for one in kept_turns([ran(command, None, output)], "claude:1", "claude", str)]

    assert [error] == [one.error for one in kept]


def answered(*texts):
    turns = [turn for text in texts for turn in (Turn(role="assistant", text=text), said("not today. thanks"))]
    return told(said("Review the till of the shop"), *turns).outcome


ROUNDED = "Rounding is half up now. CI is green."


@pytest.mark.parametrize(("last", "ended"), [
    ("You're welcome!", ROUNDED), ("Hello! How can I assist you today?", ROUNDED),
    ("Great! Let me know if you need anything else.", ROUNDED), ("It looks like...", ROUNDED),
    ("You’re welcome! If you'd like, I can add tests.", ROUNDED), ("Alright, have a good evening!", ROUNDED),
    ("Bitte, gern.", ROUNDED),
    ("You're welcome! Here's a summary:\n\n**Bug Fixed:**\n- Double charge on\n  renewal (in `till.py`)\n- receipts",
     "Bug Fixed: Double charge on renewal (in `till.py`); receipts"),
])  # fmt: skip
def test_a_recap_ends_with_the_last_answer_that_says_something(last, ended):
    """A newcomer's trial: sessions ended with "You're welcome!", and a greeting."""
    assert ended == answered(ROUNDED, last)


@pytest.mark.parametrize(("last", "ended"), [
    ("Hello! I listed the files.", "I listed the files."), ("You're on main.", "You're on main."),
    ("## Summary\n\nPerfect! The script in package.json ran\nand printed `2`. All is well.",
     "The script in package.json ran and printed `2`. All is well."),
    ("```python\nx = total\n```\nWhich rounding should the till use?", "Which rounding should the till use?"),
    ("Merged.\n\n- **Customers**: 8 → 6\n- **Orders**: still 66\n\nDoes it handle that?",
     "Merged. Customers: 8 → 6; Orders: still 66"),
    ("All sorted:\n\n| branch | state |\n| --- | :--- |\n| `main` | pushed |\n| `old` | deleted |  |\n\nJust say so.",
     "All sorted: `main`: pushed; `old`: deleted"),
    ("This is where it stands, nothing is committed:\n\n1. `store.py`: complete.\n2. not begun: import",
     "This is where it stands, nothing is committed: `store.py`: complete; not begun: import"),
])  # fmt: skip
def test_what_an_answer_says_came_of_it(last, ended):
    """A list or table that is announced is what came of it; a head of a table is not."""
    recap = told(said("Review the till of the shop"), Turn(role="assistant", text=last))

    assert ended == recap.outcome


def test_a_sentence_of_a_recap_that_is_cut_says_so():
    """It ended within a word: "with a clean working directory. T"."""
    ended = answered("The till rounds half up in " + "src/till/rounding.py and " * 20)

    assert ended.endswith((" and…", "rounding.py…"))
    assert len(ended) <= 260
    assert "" == answered("You're welcome!")


@pytest.mark.parametrize(("command", "subject"), [
    ('git commit -m "Fix it"', "Fix it"), ("git add -A && git commit -qam 'One: two'", "One: two"), ("git log -3",
    None),
    ("git commit -m \"$(cat <<'EOF'\nfeat: x\n\nbody\nEOF\n)\"", "feat: x"), ("git commit --message=done", "done"),
    ('git commit -m "$MESSAGE"', "$MESSAGE"), ("git commit --amend --no-edit", None),
])  # fmt: skip
def test_subjects_of_commits_are_read(command, subject):
    assert ((subject,) if subject else ()) == told(ran(command)).commits


def test_only_the_same_command_can_have_mended_what_failed():
    failed, other, again = ran("npm test", False, "1 failed"), ran("npm test -- till"), ran("npm test")

    assert ("Checked: `npm test` failed (1 failed)",) == told(failed).failed
    assert ("Checked: `npm test` failed (1 failed); `npm test -- till` passed",) == told(failed, other).failed
    assert ("Checked: `npm test` passed",) == told(failed, again).failed
    named = told(failed, edited("/w/till.py"), again).failed
    assert ("`npm test` failed (1 failed), and worked after till.py was changed",) == named


def test_what_left_the_machine_and_how_many_commits_there_were():
    commits = [ran(f"git commit -m 'c{number}'") for number in range(7)]
    found = told(said("ship it now"), *commits, ran("git push origin main && echo done"), ran("ls"))

    assert ("git push origin main",) == found.commands
    assert "Committed, among others: c0; c2; c4; c6." in recap_text(found)


@pytest.mark.parametrize("text", ["[Request interrupted by user]", "➜ shop git:(main) git push", "▣ DCP | -3K removed"])
def test_what_nobody_asked_is_not_said_to_be_asked(text):
    assert ("fix the till",) == told(said("fix the till"), said(text)).asked


def test_a_private_prompt_and_all_that_follows_it_is_not_kept():
    """Up to the next prompt."""
    turns = [
        said("one"),
        ran("make a"),
        said("#private two"),
        ran("make b"),
        Turn(role="assistant", text="c"),
        said("three"),
        ran("make d"),
    ]
    kept = list(kept_turns(turns, "t", "claude", lambda text: text))

    assert ["one", "$ make a", "three", "$ make d"] == [one.text for one in kept]
    assert [1, 2, 6, 7] == [one.turn.number for one in kept]


def test_only_what_the_user_types_ends_what_is_private():
    """Neither the prompt of a subagent nor that of a program does."""
    turns = [
        said("#private two"),
        Turn(role="user", text="search for the merger", sidechain=True),
        Turn(role="assistant", text="found the merger", sidechain=True),
        said("<task-notification>the merger</task-notification>"),
        Turn(role="assistant", text="the mail about the merger"),
        said("three"),
    ]

    assert ["three"] == [one.text for one in kept_turns(turns, "t", "claude", lambda text: text)]


def test_turns_are_redacted_bounded_and_without_output():
    turns = [
        said("my password is hunter2"),
        ran("echo hunter2", False, "hunter2: command not found"),
        said("x" * 9_000),
    ]
    kept = list(kept_turns(turns, "t", "claude", lambda text: text.replace("hunter2", "[gone]")))

    assert "hunter2" not in "".join(f"{one.text}{one.turn}" for one in kept)
    assert "[gone]: command not found" == kept[1].turn.error
    assert MOST_CHARS == len(kept[2].text)


def test_what_programs_wrote_is_not_asked():
    assert () == told(said("You are a helpful agent. Do everything."), said("/clear"), said("<system>x</system>")).asked


_TURNS = st.lists(st.one_of(
    st.text(max_size=300).map(said), st.builds(ran, st.text(max_size=80), st.sampled_from((True, False, None)),
    st.text(max_size=80)),
    st.lists(st.text(min_size=1, max_size=20), max_size=9).map(lambda paths: edited(*paths)),
), max_size=30)  # fmt: skip


@given(_TURNS)
def test_a_recap_is_short_whatever_happened(turns):
    text = recap_text(told(*turns))

    assert len(text.split()) <= MOST_WORDS
    assert text == recap_text(told(*turns))


def test_kept_turns_have_the_shape_of_the_contract():
    assert {"thread", "author"} <= set(KeptTurn.__struct_fields__)


def test_an_amended_commit_is_one_and_a_push_that_failed_is_said():
    turns = [
        ran("git commit -m one"),
        ran("git commit --amend -m two"),
        ran("git push", False, "ssh: connect timed out"),
    ]
    found = told(said("ship it now"), *turns)

    assert ("two",) == found.commits
    assert "`git push` failed (ssh: connect timed out)" in found.failed


def test_the_summary_of_a_test_run_is_its_error():
    (turn,) = kept_turns([ran("npm test", False, "Tests  2 failed | 18 passed\nDuration 3s")], "t", "a", str)

    assert "Tests 2 failed | 18 passed" == turn.turn.error


def test_only_a_check_whose_exit_code_is_known_is_said_to_have_passed():
    assert "Checked: `go test ./...` passed" in told(said("test it"), ran("go test ./...")).failed
    assert () == told(said("test it"), ran("go test ./... 2>&1 | tail -5")).failed
    assert () == told(said("test it"), ran("if command -v shellcheck; then ls; fi")).failed


def test_words_inside_code_send_nothing_out():
    found = told(
        said("look"), ran("python3 -c \"for p in [Path('deploy'),Path('docs')]: print(p)\""), ran("make deploy")
    )

    assert ("make deploy",) == found.commands


def test_a_role_given_by_a_program_was_not_asked():
    assert () == told(said("# Context\n\nYour name is **Dori**, an agent. You execute tasks."), ran("make")).asked


@pytest.mark.parametrize(("line", "ended"), [
    ("pytest -q", " passed"), ("cd api && pytest -q", " passed"), ("pytest -q > log 2>&1", " passed"),
    ("pytest -q && git push", " passed"), ("(cd api && pytest -q)", " passed"), ("pytest -q;", " passed"),
    ("pytest -q || true", ""), ("pytest -q | tail -3", ""), ("pytest -q; echo done", ""),
    ("pytest -q\necho done", ""),
    ("pytest -q &", ""), ("pytest -q && make x | tail", ""), ("if pytest -q; then echo yes; fi", ""),
    ("! pytest -q", ""),
])  # fmt: skip
def test_a_check_passed_only_if_the_exit_code_is_its_own(line, ended):
    """Otherwise nothing is said: where "outcome not known" was told, a later line often showed it."""
    checked = [one for one in told(ran(line)).failed if one.startswith("Checked")]

    assert ([f"Checked: `pytest -q`{ended}"] if ended else []) == checked


def test_without_an_exit_code_no_error_was_reported():
    assert ("Checked: `ruff check`, no error reported",) == told(ran("ruff check", code=None)).failed


@pytest.mark.parametrize(("line", "blamed"), [
    ("pytest -q", True), ("cd api && pytest -q", True), ("pytest -q 2>&1 | tail", True), ("npm ci && pytest -q", False),
    ("pytest -q && git push", False),
])  # fmt: skip
def test_a_check_failed_only_if_nothing_else_of_its_line_could_have(line, blamed):
    (said,) = [one for one in told(ran(line, False, "E  assert 1 == 2")).failed if one.startswith("Checked")]

    assert f"Checked: `{'pytest -q' if blamed else line}` failed (E assert 1 == 2)" == said


def test_what_another_command_mended_is_told():
    """F: `go` was not found, and its full path worked."""
    found = told(
        ran("go build ./cmd/shop", False, "/bin/bash: line 1: go: command not found"), ran("ls /usr/local"),
        ran("/usr/local/go/bin/go build ./cmd/shop"),
    )  # fmt: skip

    assert (
        "`go build ./cmd/shop` failed (/bin/bash: line 1: go: command not found); "
        "`/usr/local/go/bin/go build ./cmd/shop` worked"
    ) == found.failed[0]


FILLER = (
    "please continue", "this :)", "yes and commit and push the code", "I think you can do that too?", "ok go ahead",
    "Implement this", "ship it", "looks good, thanks!", "commit", "push", "continue with the next step", "try again",
)  # fmt: skip


@pytest.mark.parametrize("text", FILLER)
def test_a_prompt_that_only_goes_on_is_not_what_was_asked(text):
    """The session was about what was asked before it."""
    assert ("Move the receipts to PostgreSQL",) == told(
        said("Move the receipts to PostgreSQL"), ran("make a"), said(text), ran("make b"), ran("make c")
    ).asked


def test_the_prompts_that_say_most_are_told_in_order_and_first_of_all_the_first():
    """Work and edits that followed count; what was typed counts to its end, not to its first line break."""
    found = told(
        said("yes"), said("Can you install\nmistral-rs"), ran("cargo install mistralrs"),
        said("which port?"), said("hello there"),
        said("The Redis cache of the hosting provider is refused, move it to a subdomain"), edited("/w/a", "/w/b"),
        said("Fix the spectrum bug of the detector"), ran("make"), said("and blue buttons"), ran("make"),
        said("now translate the README into Japanese and German"), edited("/w/README.md"), said("please continue"),
    )  # fmt: skip

    assert (
        "Can you install mistral-rs", "The Redis cache of the hosting provider is refused, move it to a subdomain",
        "Fix the spectrum bug of the detector", "blue buttons", "translate the README into Japanese and German",
    ) == found.asked  # fmt: skip


def test_a_plan_that_was_agreed_on_is_told_by_its_title():
    plan = "Implement the following plan:\n\n# Phase 29: Rebase by revset\n\n## Context\nlong\n\n## Steps\n- One\n"

    assert ("Implement the following plan: Phase 29: Rebase by revset",) == told(said(plan)).asked


def test_an_image_before_a_prompt_does_not_hide_it():
    assert ("Why is the till red?",) == told(said("[Image 1] Why is the till red?")).asked


@pytest.mark.parametrize("command", [
    "git commit -q -F - <<'EOF'\nfix: round half up\n\nwhy\nEOF", "jj describe -m 'fix: round half up'",
])  # fmt: skip
def test_subjects_of_commits_from_a_document_and_of_jj_are_read(command):
    assert ("fix: round half up",) == told(ran(command)).commits


@pytest.mark.parametrize(("line", "check"), [
    ("mise exec -- go test ./...", True), ("npm run test:unit", True), ("uv run pytest", True), ("cargo clippy", True),
    ("git add mise-tasks tests", False), ("pip install pytest", False), ("npm i -D eslint", False), ("ls tests", False),
    ("cp -r build /srv", False), ("git checkout -b ci", False), ("mise current golangci-lint", False),
    ("python -m mypy src", True), ("npx -y tsc", True), ("./node_modules/.bin/biome check a.ts", True),
    ("timeout 60 pytest -q", True), ("brew info shellcheck", False),
])  # fmt: skip
def test_what_is_a_check(line, check):
    assert check == any(one.startswith("Checked") for one in told(ran(line)).failed)


@pytest.mark.parametrize(("commands", "shown"), [
    (("git tag | tail -3", "make docs"), ("make docs",)), (("git tag v2", "git tag -l"), ("git tag v2",)),
    (("Get-ChildItem src", "make docs"), ("make docs",)), (("npm i left-pad", "make docs"), ("npm i left-pad",)),
    (("make docs", "make build"), ("make docs",)), (("bash -n x.sh", "stow --no till", "make docs"), ("make docs",)),
    (("cd a && vercel --prod",), ("vercel --prod",)),
])  # fmt: skip
def test_only_what_does_something_was_run(commands, shown):
    """Lists of tags and of files are looks; how a build ended is told by itself; a deployment leaves the machine."""
    assert shown == told(*(ran(one) for one in commands)).commands


def test_a_formatter_that_only_checks_is_a_check():
    """What it prints is code, not an error."""
    checked = ran("cargo clippy"), ran("cargo fmt --check", False, "-  let error = 1;")

    assert ("Checked: `cargo fmt --check` failed",) == told(*checked).failed
    assert ("Checked: `cargo clippy` passed",) == told(*checked, ran("cargo fmt")).failed


def test_a_search_in_what_a_check_printed_does_not_say_how_it_ended():
    """It fails where nothing was found."""
    assert () == told(ran("npx tsc --noEmit 2>&1 | grep till", False, "(none)")).failed


def test_a_test_that_was_stopped_is_not_told():
    stopped = ran("go test ./shop", ok=None)

    assert ("Checked: `go test ./till` passed",) == told(ran("go test ./till"), stopped).failed
    assert () == told(ran("ls"), stopped).failed


def test_of_a_very_long_line_only_whole_commands_are_told():
    """Half a path is another path."""
    long = f"cat > note.md << 'EOF'\n{'word ' * 394}\nEOF\ngh pr review 3 --body-file note.md"

    assert () == told(ran(long)).commands


def test_of_several_checks_on_a_line_the_test_and_the_last_are_told():
    both = "Checked: `go test ./till` passed; `go vet ./till` passed"
    assert (both,) == told(ran("go vet ./till && go test ./till")).failed


@pytest.mark.parametrize(("command", "output", "ended"), [
    ("go test ./till 2>&1 | tail -5", "ok  \tshop.example/till\t0.4s", "`go test ./till` passed"),
    ("golangci-lint run | head -3", "0 issues.", "`golangci-lint run` passed"),
    ("cargo test 2>&1 | tail -4", "test result: ok. 9 passed; 0 failed; 0 ignored", "`cargo test` passed"),
    ("go test ./till 2>&1 | tail -5", "--- FAIL: TestTotal\nFAIL", "`go test ./till` failed (--- FAIL: TestTotal)"),
    ("go test ./... 2>&1 | tail", "ok  \tshop.example/till\t0.4s\nFAIL\tshop.example/shop\t0.1s",
     "`go test ./...` failed (FAIL shop.example/shop 0.1s)"),
    ("go test ./... | head -1", "ok  \tshop.example/till\t0.4s", ""),
    ("npx tsc --noEmit | head -2", "till.ts(3,1): error TS2304: Cannot find name 'x'.",
     "`npx tsc --noEmit` failed (till.ts(3,1): error TS2304: Cannot find name 'x'.)"),
    ("go vet ./till && go test ./till | tail -1", "ok  \tshop.example/till\t0.4s", "`go test ./till` passed"),
    ("golangci-lint run; go test ./till | head -1", "0 issues.", ""),
])  # fmt: skip
def test_behind_a_pipe_the_output_says_how_a_check_ended(command, output, ended):
    """Trial of 18 November: `go test | tail` that printed FAIL was told as if nothing was known of it."""
    found = told(ran("ls"), ran(command, output=output)).failed

    assert ((f"Checked: {ended}",) if ended else ()) == found


def test_a_check_with_another_environment_is_the_same_check():
    found = told(
        ran("go test ./till", False, "open /cache: operation not permitted"),
        ran("env GOCACHE=/tmp/c go test ./till", output="ok  \tshop.example/till\t0.4s"),
    )  # fmt: skip

    assert "Checked: `env GOCACHE=/tmp/c go test ./till` passed" == found.failed[-1]


def test_a_check_in_the_wrong_folder_did_not_stay_red():
    found = told(
        ran("go test ./api/till", False, "go: cannot find main module; to create one: go mod init"),
        ran("go test ./till"),
    )

    assert ("Checked: `go test ./till` passed",) == found.failed


def test_the_last_check_that_passed_is_told_beside_the_test():
    """Judged on 18 November: somebody asked for a clean linter, and only the test was told."""
    found = told(said("make the linter pass"), ran("mise run lint"), ran("go test ./..."))

    assert ("Checked: `mise run lint` passed; `go test ./...` passed",) == found.failed


def test_a_check_that_failed_without_a_reason_is_told_once():
    found = told(ran("go test ./...", False, "FAIL"), ran("go test ./..."))

    assert ("Checked: `go test ./...` passed",) == found.failed


def test_a_command_that_has_no_end_was_perhaps_stopped():
    """Where outcomes are told, it is not among what was run; where none is, it is. A commit needs an outcome."""
    turns = ran("make docs", ok=True), ran("git commit -m 'Later'", ok=None), ran("npm install till", ok=None)

    assert ((), ()) == (told(*turns).commits, told(*turns).commands)
    assert ((), ("npm install till",)) == (told(*turns[1:]).commits, told(*turns[1:]).commands)
    assert ("Commit attempted, result not recorded: Later",) == told(*turns[1:]).failed


@pytest.mark.parametrize("text", ["till.js?v=7f2:8 class loaded\nfailed", "y", "src/till.ts:12 error"])
def test_what_was_pasted_is_not_what_was_asked(text):
    assert () == told(said(text)).asked


def test_what_had_failed_before_is_not_what_worked_instead():
    """Draw of 18 November: a fixer mended the code, and the check without an option was said to have worked instead."""
    found = told(
        ran("npm run check", False, "Found 4 errors."), ran("npm run check -- --write", False,
        "error: unknown option '--write'"), ran("npm run fix"), ran("npm run check"),
    )  # fmt: skip

    assert ("Checked: `npm run check` passed",) == found.failed


@pytest.mark.parametrize("output", [
    "Il token '&&' non e un separatore\n    + FullyQualifiedErrorId : InvalidEndOfLine",
    "bash: line 1: make: command not found",
])  # fmt: skip
def test_a_command_whose_output_is_an_error_was_not_run_even_if_nobody_tells_outcomes(output):
    def unknown(command, output=""):
        return ran(command, None, output, None)

    found = told(unknown("make tables", output), unknown("npm run dev"))

    assert ("npm run dev",) == found.commands


def test_a_commit_whose_end_nobody_knows_is_told_as_such():
    """It was the last thing that was done, and says what the work was."""
    found = told(said("fix the doubled receipts"), ran("go test ./..."), ran("git commit -m 'Trim receipts'", ok=None))

    assert () == found.commits
    assert "Commit attempted, result not recorded: Trim receipts" in found.failed


def test_a_prompt_that_is_alone_is_told_longer():
    """What it was about came after 160 characters."""
    prompt = f"Time for another look at the shop. {'The pictures are of the till. ' * 5}The first receipt is doubled"

    assert (prompt,) == told(said(prompt)).asked


def test_each_part_of_a_long_session_is_told():
    """Of hundreds of prompts, the first four were told."""
    asked = [f"Rework {one * 9}and colours" for one in ("shop ", "till ", "menu ", "page ", "door ", "bell ")]
    asked += ["Make German the language", "Translate the menu of the shop", "Bring back the coloured circles"]
    found = told(*map(said, asked), said("go on"))
    text = recap_text(found)

    assert (asked[0], 7) == (found.asked[0], len(found.asked))
    assert found.asked[-1] in asked[-3:]
    assert text.startswith("Asked, among other things: Rework shop")


def test_what_most_prompts_are_about_is_told():
    """Long remarks about details were told, and not the few words that said what the session was for."""
    details = [f"the {one} of the page moved a little to the left when I opened it on my phone" for one in
               ("logo", "footer", "button", "picture", "headline", "border", "shadow", "search field")]  # fmt: skip
    about = [f"{one} with gridlib" for one in ("Sort the columns", "Freeze the first column")]
    asked = ["the lists look old", *details[:4], "Replace all lists by gridlib", *details[4:], *about, "thanks"]

    assert "Replace all lists by gridlib" in told(*map(said, asked)).asked


def test_of_prompts_of_one_template_not_all_are_told():
    """Nine requests for a review took the place of what was built."""
    parts = ("tokens", "fetch retries", "mid-stream faults", "the shared fixtures", "sessions", "docs", "benchmarks")
    reviews = [turn for one in parts for turn in (said(f"Review commit abc123 about {one}"), ran("make docs"))]
    asked = [said("Get an overview"), said("Turn the memo into an issue list"), said("Split the engine into packages")]
    found = told(*asked, *reviews).asked

    assert {"Turn the memo into an issue list", "Split the engine into packages"} <= set(found)


def test_agreement_with_a_plan_belongs_to_the_question():
    """A question stood there as if nobody had answered it."""
    found = told(
        said("Could the picker show previews of the pictures?"), said("That sounds like a good plan implement it")
    )

    assert "(then: That sounds like a good plan implement it)" in found.asked[0]


def test_what_the_agent_said_reads_as_its_words_and_is_told_before_less():
    """However much else there is."""
    turns = [ran(f"git commit -m '{number} {'word ' * 25}'") for number in range(4)]
    text = recap_text(told(said("Ship the till"), *turns, Turn(role="assistant", text="All four are on main now.")))

    assert text.endswith("The agent said: All four are on main now.")


@pytest.mark.parametrize(("text", "asked"), [
    ("❯ can you link the hooks to the .claude folder?", ("can you link the hooks to the .claude folder?",)),
    ("❯ npm install left-pad", ()), ("> git push origin till", ()),
])  # fmt: skip
def test_the_sign_before_what_was_typed_is_left_out(text, asked):
    """The prompt of an agent was copied with its sign, and the recap lacked it."""
    assert asked == told(said(text)).asked


def test_long_paths_leave_room_for_what_was_asked():
    place = "C:\\DailyBalance_Project\\frontend\\src\\pages\\finance"
    asked = [
        said(f"{one} of the shop, {one[::-1]}") for one in ("Add a menu", "Draw the pages", "Translate it", "Sell")
    ]
    last = said(f"I want one change: in {place} the list of payments asks before it deletes one{' and so on' * 40}")

    assert r"in …\src\pages\finance the list of payments" in told(*asked, last).asked[-1]


def test_where_only_failures_are_told_the_others_were_run():
    """An agent writes down exit codes of failures only."""
    found = told(said("link the hooks"), ran("ls hooks", False, "ls: hooks: No such file"), ran("ln -s a b", ok=None))

    assert ("ln -s a b",) == found.commands


def test_a_script_that_is_called_after_a_check_is_one():
    found = told(ran("scripts/test-filter.sh till", False, "Total: 87  Pass: 86  Fail: 1"))

    assert ("Checked: `scripts/test-filter.sh till`: 86 passed, 1 failed",) == found.failed
    assert () == told(ran("scripts/create-test-data.sh")).failed
    assert () == told(ran('bd q "Look into failures of scripts/test-filter.sh"')).failed


def test_what_could_not_be_sent_is_told_by_itself():
    """Not by the file that was written before it on the same line."""
    line = "cat > /tmp/body.md <<'EOF'\n## Summary\n- long\nEOF\n\ngh pr edit 15 --body-file /tmp/body.md"

    assert ("`gh pr edit 15 --body-file /tmp/body.md` failed (GraphQL: refused)",) == told(
        ran(line, False, "GraphQL: refused")
    ).failed


@pytest.mark.parametrize(("command", "output", "worked"), [
    ("golangci-lint run --disable-all | tail -5", "Error: unknown flag: --disable-all", False),
    ("terraform apply | tail -5", "error: no such workspace", False),
    ("golangci-lint run | tail -5", "0 issues.", False),
    ("terraform apply | tail -5", "Apply complete!", True),
])  # fmt: skip
def test_what_a_pipe_hides_was_not_run(command, output, worked):
    """The exit code is that of `tail`: a check may have failed, and the output may say that it did."""
    assert worked == bool(told(ran(command, True, output)).commands)


def test_a_search_that_prints_errors_has_none():
    (turn,) = kept_turns([ran("grep -rn error src | head", True, "error: x")], "t", "a", str)

    assert "" == turn.turn.error


def test_what_was_sent_is_told_before_what_failed_on_the_way():
    failed = [ran(f"make {one}", False, "a long error " * 8) for one in ("a", "b")]
    again = [ran(f"make {one}") for one in ("a", "b")]
    commits = [ran(f"git commit -m '{number} {'word ' * 17}'") for number in range(4)]
    text = recap_text(told(said("Ship the till"), *failed, *again, *commits, ran("git push")))

    assert text.endswith("Ran `git push`.")


def test_what_makes_room_on_a_line_is_not_what_was_run():
    """`rm hooks` was told, and that they were linked anew was not."""
    assert ("ln -s /srv/hooks hooks",) == told(ran("cd .claude && rm hooks && ln -s /srv/hooks hooks")).commands
    chores = ran("rm -rf build"), ran("Remove-Item a"), ran("gh api repos/x"), ran("pnpm exec oxfmt a")

    assert () == told(said("Make room for the till"), *chores).commands


def test_of_many_commits_those_are_told_that_add_most():
    subjects = ["fix: retry", "debug: look", "fix: key", "cleanup: all", "feat: count the tills", "docs: tills", "x"]
    text = recap_text(told(*(ran(f"git commit -m '{one}'") for one in subjects)))

    assert text.startswith("Committed, among others: fix: retry; fix: key; feat: count the tills; x.")


def test_what_codex_puts_around_a_prompt_is_left_out():
    text = "# Files mentioned by the user:\n\n## a.png: /w/a.png\n\n## My request for Codex:\nadd this image on top"

    assert ("add this image on top",) == told(said(text)).asked


def test_lines_of_a_log_are_not_what_was_asked():
    assert ("When I restart I get this error",) == told(
        said("When I restart I get this error\n\n[03:59:47] INFO Notification 03:59:47\n8:52:10 PM: Build failed")
    ).asked


def test_a_long_address_leaves_room_even_if_its_end_is_long():
    address = "http://127.0.0.1:5000/league/stats?season=25%2F26&week=1&league=BZL+N2&database=db_real"
    asked = [said(f"{one * 12}once") for one in ("Rework the buttons ", "Colour every page ", "Sell tills online ")]

    assert "…/stats?season=25%2F26&we… no league is loaded" in told(
        *asked, said(f"Look at {address} no league is loaded, {'whatever button of it I press ' * 5}")
    ).asked[-1]  # fmt: skip


def test_a_text_that_stands_for_another_is_not_what_the_agent_said():
    assert "Rounding is half up now." == answered("Rounding is half up now.", "[trimmed]")


def test_what_was_worked_at_is_told_rather_than_what_was_talked_about():
    talk = "I still do not understand the benefit of this plugin over that editor, it supports all models anyway"
    found = told(
        said("Which presets of the till are there?"), *(said(f"{talk}, {one}") for one in "abc"),
        said("add sidekick.nvim"), *(ran(f"nvim {one}") for one in range(20)),
        said("ok, once more: what does the till do?"), said("Why is the receipt red?"),
    )  # fmt: skip

    assert "add sidekick.nvim" in found.asked


def test_what_is_copied_from_an_answer_is_not_what_was_asked():
    answer = Turn(role="assistant", text="Note written. Now opening it in the editor.\nNot in tmux, so it was skipped.")
    pasted = said("Not in tmux, so it was skipped.\nThis is wrong, we are in tmux: mend the script")

    assert "This is wrong, we are in tmux: mend the script" == told(said("Write a note"), answer, pasted).asked[-1]


def test_of_prompts_that_weigh_the_same_the_one_that_says_most_is_told():
    asked = [said(f"Why does button {one} of page login not open its form at all?") for one in "abcdefgh"]
    long = "Make a whole page for my own files, sheets, pictures and letters, with upload, search, folders and preview"

    assert any(one.startswith("Make a whole page") for one in told(*asked, said(long), *asked[:1]).asked)


@pytest.mark.parametrize(("line", "left"), [
    ("rm src/a.py", ("src/b.py",)), ("git checkout src/a.py", ("src/b.py",)), ("git restore src", ()),
    ("git reset --hard", ()), ("git checkout .", ()), ("git checkout main", ("src/a.py", "src/b.py")),
    ("git commit -am x && git reset --hard", ("src/a.py", "src/b.py")), ("rm -rf ./src", ()),
    ("git reset HEAD src/a.py", ("src/a.py", "src/b.py")), ("git restore --staged src", ("src/a.py", "src/b.py")),
    ("git rm --cached src/a.py", ("src/a.py", "src/b.py")), ("git rm src/a.py", ("src/b.py",)),
])  # fmt: skip
def test_a_file_that_was_removed_or_brought_back_was_not_changed(line, left):
    assert left == told(edited("/w/src/a.py", "/w/src/b.py"), ran(line)).files


def test_a_file_that_is_written_again_was_changed():
    assert ("a.py",) == told(edited("/w/a.py"), ran("git checkout a.py"), edited("/w/a.py")).files


@pytest.mark.parametrize(("line", "left"), [
    ("git reset --soft HEAD~1", ("one",)), ("git reset HEAD^^", ()), ("git reset --hard HEAD~", ("one",)),
    ("git reset HEAD a.py", ("one", "two")),
])  # fmt: skip
def test_a_commit_that_was_taken_back_was_not_made(line, left):
    assert left == told(ran("git commit -m one"), ran("git commit -m two"), ran(line)).commits


def test_words_about_a_commit_are_none():
    assert () == told(ran("echo \"next: git commit -m 'Ship it'\"")).commits


@pytest.mark.parametrize("output", ["checking\n✓ No uncommitted changes", "ℹ 3 files", "PASS till.test.ts", "----"])
def test_a_line_that_is_no_error_is_not_why_a_check_failed(output):
    assert ("Checked: `scripts/validate.sh` failed",) == told(ran("scripts/validate.sh", False, output)).failed


@pytest.mark.parametrize("sign", ["❯", "$", "➜", "dev@box:~/src$"])
def test_a_copied_command_is_told_with_its_error(sign):
    """The whole prompt was left out, because a shell's sign was in it; or its output took all the room."""
    prompt = (
        f"this should work, or did the syntax change:\n\n{sign} go run ./cmd/git-sync sync \\\n    --tags \\\n    -v\n"
        "listing refs\nerror: list target refs: cannot read hash\nexit status 1"
    )
    error = "error: list target refs: cannot read hash"

    assert (f"this should work, or did the syntax change: go run ./cmd/git-sync sync: {error}",) == told(
        said(prompt)
    ).asked


def test_commits_before_a_reset_to_another_branch_are_not_told():
    """They were squashed into one, or thrown away; which is not known."""
    turns = [ran("git commit -m 'Trim what is allocated'"), ran("git commit -m 'Revert the cache'")]
    turns += [ran("git reset --soft main"), ran("git commit -m 'Trim without a cache'")]

    assert ("Trim without a cache",) == told(said("look at the cache"), *turns).commits


def test_changing_the_folder_and_asking_for_help_is_nothing_that_was_done():
    """Four such lines were all that a recap told."""
    turns = [ran('Set-Location "C:\\src\\league"'), ran("tool --help"), ran("go env GOPATH"), ran("make deploy-docs")]

    assert ("make deploy-docs",) == told(said("publish the pages of the league"), *turns).commands


def test_a_short_first_question_is_told():
    """It was the point of the session, and had one word that says something."""
    assert "Why is C-s O failing?" == told(said("Why is C-s O failing?"), said("Generate the list from $HOME")).asked[0]


def test_what_was_asked_has_the_room_that_nothing_else_needs():
    """Prompts were cut before the word that mattered while half of the 120 words were free."""
    long = [
        f"{what} come from the server, and {what.lower()[::-1]} are drawn, {' '.join([what[::2]] * 8)}, by the page"
        for what in ("Colours of the map", "Numbers below it", "Borders and hints", "Titles in red", "Long legends")
    ]
    free = told(*map(said, long))
    crowded = told(*map(said, long), *(ran(f"git commit -m '{n} {'word ' * 20}'") for n in range(4)))

    assert sum(map(len, crowded.asked)) <= 400 < sum(map(len, free.asked))
    assert len(recap_text(free).split()) <= 120


def test_the_mark_of_a_shells_end_says_how_a_command_ended():
    """Editors leave it in the output; where no outcome was told, three commands that failed were told as run."""
    turns = [ran("npm install tsx", ok=None, output="npm error code ECONNRESET\n\x1b]633;D;1", code=None)]
    turns += [ran("npm run seed", ok=None, output="❌ Error during seeding: no database", code=None)]
    turns += [ran("npm run docs", ok=None, output="done\n\x1b]633;D;0", code=None)]
    kept = list(kept_turns(turns, "t", "a", str))

    assert [(False, 1), (None, None), (True, 0)] == [(one.turn.ok, one.turn.exit_code) for one in kept]
    assert "❌ Error during seeding: no database" == kept[1].turn.error
    assert ("npm run docs",) == told(*turns[1:]).commands
    assert ("`npm install tsx` failed (npm error code ECONNRESET)",) == told(*turns).failed


@pytest.mark.parametrize("message", ["docs: explain git reset --hard main", "fix: handle reset HEAD~ and --amend"])
def test_words_of_a_message_take_no_commit_back(message):
    turns = [ran("git commit -m 'feat: parser'"), ran("git commit -m 'feat: lexer'"), ran(f"git commit -m '{message}'")]

    assert ("feat: parser", "feat: lexer", message) == told(said("write a parser"), *turns).commits


@pytest.mark.parametrize(("line", "stays"), [
    ("git checkout -b docs", True), ("git checkout docs", True), ("git checkout -- docs/", False),
    ("git checkout ./docs/a.md", False), ("git restore docs/a.md", False), ("rm /repo/docs/a.md", False),
    ("cd /tmp/x && rm -f docs/a.md", True), ("rm a.md", True), ("git checkout .", False),
])  # fmt: skip
def test_a_file_is_changed_unless_it_was_removed_or_brought_back(line, stays):
    turns = [said("describe the till"), edited("/repo/docs/a.md"), ran(line)]
    kept = [(one.turn, one.text) for one in kept_turns(turns, "claude:1", "claude", str)]

    assert (("docs/a.md",) if stays else ()) == recap_of(kept, session="claude:1", agent="claude", cwd="/repo").files


def test_a_commit_that_was_thrown_away_protects_no_file():
    turns = [edited("src/b.py"), ran("git commit -m 'feat: b'"), ran("git reset --hard HEAD~1")]

    assert ((), ()) == ((recap := told(said("write b"), *turns)).files, recap.commits)


def test_a_yes_is_nothing_else_that_was_asked():
    assert not told(said("Fix the login page redirect loop"), said("yes")).asked_more


# -- fourth blind reading: what was told as done without an outcome, and what was told instead of the work ----------


def test_what_was_kept_from_running_checked_nothing():
    """A guard refused the line with the test, and the recap said that it was checked."""
    blocked = "TDD Guard blocked a shell-based source mutation. Use the edit tool."

    assert () == told(ran("cat > t.py <<'X'\nx\nX\npytest t.py", ok=None, output=blocked, code=None)).failed


@pytest.mark.parametrize(("output", "ok"), [
    ("[main 1a2b3c4] Trim receipts\n 1 file changed, 2 insertions(+)", True), ("", None),
    ("On branch main\nno changes added to commit", None),
])  # fmt: skip
def test_git_says_whether_a_commit_was_made(output, ok):
    found = told(ran("git commit -m 'Trim receipts'", ok=None, output=output, code=None))

    assert (("Trim receipts",) if ok else ()) == found.commits
    assert ("no changes" not in output and not ok) == any("not recorded" in one for one in found.failed)


def test_a_commit_behind_which_the_status_is_clean_was_made():
    """`nothing to commit` was printed by the command after it."""
    output = "[main 1a2b3c4] Trim receipts\nnothing to commit, working tree clean"

    assert ("Trim receipts",) == told(ran("git commit -m 'Trim receipts'; git status", output=output)).commits
    assert () == told(ran("git commit -m 'Trim receipts'; git status", output=output.partition("\n")[2])).commits


@pytest.mark.parametrize(("output", "told_as"), [
    ("===== 3 failed, 10 passed, 1 skipped in 2.34s =====", "`pytest`: 10 passed, 3 failed"),
    ("620 passed in 12.0s", "`pytest`: 620 passed"),
    ("test result: ok. 632 passed; 0 failed; 0 ignored; finished in 0.5s", "`pytest` passed"),
    (" Test Files  1 failed | 6 passed (7)\n      Tests  36 passed (37)", "`pytest`: 36 passed, 1 test file failed"),
    ("Tests:       1 failed, 5 passed, 6 total", "`pytest`: 5 passed, 1 failed"),
    ("  12 passing (3s)\n  2 failing", "`pytest`: 12 passed, 2 failed"), ("# pass 57\n# fail 0", "`pytest`: 57 passed"),
    ("test result: ok. 2 passed; 0 failed\ntest result: ok. 3 passed; 0 failed", "`pytest` passed"),
])  # fmt: skip
def test_the_counts_of_a_test_run_are_told_even_behind_a_pipe(output, told_as):
    """Of several summaries the first ones may be cut."""
    assert (f"Checked: {told_as}",) == told(ran("pytest | tail -5", output=output)).failed


def test_the_last_test_is_told_beside_a_check_that_came_after_it():
    found = told(ran("pytest"), ran("ruff check tests/unit"))

    assert ("Checked: `pytest` passed; `ruff check tests/unit` passed",) == found.failed


def test_what_trouble_the_user_ended_with_is_told_as_the_last():
    """Quotes of things that were done made an unfinished session look finished."""
    things = ["Split the team page into modules", "Draw a league table", "Remove backups of templates", "Rename routes",
              "Add a red menu", "Write a legend", "Sort the players by points"]  # fmt: skip
    turns = [turn for one in things for turn in (said(one), ran("make docs"), ran("make docs"))]
    found = told(*turns, said("still issues on the league page"))

    assert "\nThen asked: still issues on the league page." in recap_text(found)
    assert not told(*turns, said("still issues here"), ran("git commit -m 'Mend the league page'")).asked_last


CONSOLE = """no data is shown
stats?team=x&season=25 🚀 Initialising
button-manager.js?v=7:12 loaded
Uncaught ReferenceError: rgbToHsl is not defined
    at getColor (color.js:3:4)"""
STACK = """it crashes
Traceback (most recent call last):
  File "a.py", line 3, in run
KeyError: 'till'"""


@pytest.mark.parametrize(("text", "asked"), [
    (CONSOLE, "no data is shown, Uncaught ReferenceError: rgbToHsl is not defined"),
    (STACK, "it crashes KeyError: 'till'"),
    ("/opsx:propose a dark mode for tills", "/opsx:propose a dark mode for tills"),
    ("these are my steps:\n$ cd /var/www\nlong output", "these are my steps: cd /var/www …"),
])  # fmt: skip
def test_of_a_pasted_log_the_error_is_told(text, asked):
    assert (asked,) == told(said(text)).asked


def test_a_long_prompt_is_told_from_where_it_asks():
    """It was cut before what was asked."""
    long = (
        f"Everything works now, {'and well, ' * 30}lets split the page of the league into modules {'and so on ' * 50}"
    )

    assert told(said(long), said("Sell tills")).asked[0].startswith("… lets split the page of the league into modules")


def test_nearly_the_same_prompt_is_told_once():
    found = told(said("Fix the till"), *(said(f"All {one}. Update plan.md and README, then commit, push, publish")
                 for one in ("fine", "good")), said("List receipts"))  # fmt: skip

    assert 3 == len(found.asked)


def test_a_commit_by_graphite_is_one():
    assert ("feat: a link card",) == told(ran('gt create -a -m "feat: a link card"')).commits


@pytest.mark.parametrize(("after", "is_made"), [
    (ran("git push"), True), (ran("git push", False, "fatal: no remote"), False), (ran("ls"), False),
])  # fmt: skip
def test_a_commit_that_was_sent_was_made(after, is_made):
    found = told(ran("git commit -m 'Trim receipts'", ok=None, output="", code=None), after)

    assert (("Trim receipts",) if is_made else ()) == found.commits


def test_what_is_told_as_the_last_was_the_last():
    """`yes, commit` says nothing by itself, but it came after."""
    turns = [said("Draw the league"), said("Sell tills online"), said("the menu is still red")]
    more = [said(one) for one in ("Rename routes to German", "Remove all backups", "Add hints for colours", "Fix it")]

    assert told(*turns[:1], *more, *turns[1:]).asked_last
    assert not told(*turns[:1], *more, *turns[1:], said("yes, please commit")).asked_last


def test_a_question_that_was_followed_by_an_order_tells_both():
    found = told(
        said("Is there a way to install iWallpaper on every device?"), said("Make this change"), ran("make docs")
    )

    assert ("Is there a way to install iWallpaper on every device? (then: Make this change)",) == found.asked


def test_what_failed_before_a_commit_is_told_as_not_run_again():
    """Judged on 18 November: a type check that failed twice was left out, and all looked green."""
    check = ran("npm run check", False, "Found 7 errors.")
    before = ("Checked: `npm run check` failed (Found 7 errors.), not run again",)

    assert before == told(check, ran("git commit -m 'Mend the till'")).failed
    assert ("Checked: `npm run check` failed (Found 7 errors.)",) == told(check).failed


def test_a_check_that_stays_red_is_told_beside_the_test():
    found = told(ran("npm run lint", False, "5 problems"), ran("npm test"), ran("npm run build"))

    assert ("Checked: `npm run lint` failed (5 problems); `npm test` passed; `npm run build` passed",) == found.failed
    mended = told(ran("npm run lint", False, "5 problems"), ran("npm run lint -- --fix"), ran("npm test"))
    assert "Checked: `npm run lint -- --fix` passed; `npm test` passed" == mended.failed[-1]


def test_files_that_were_staged_by_name_were_changed():
    """A shell wrote them, which no tool tells."""
    assert ("README.md", "src/till.py") == told(ran("git add README.md src/till.py && git commit -m x")).files
    assert () == told(ran("git add -A"), ran("git add ."), ran("git add src/*.py"), ran("git add a", False)).files
    assert ("b.py", "README.md") == told(edited("/w/b.py"), ran("git add README.md b.py")).files


def test_paragraphs_do_not_run_into_each_other():
    text = "Use dataset_type instead\n\nInstead of the user's id, take the one of the session"

    assert ("Use dataset_type instead. Instead of the user's id, take the one of the session",) == told(
        said(text)
    ).asked


@pytest.mark.parametrize("text", ["Unknown skill: export", "@src/till.py", '{\n"command": "ls"\n}'])
def test_what_a_program_said_is_not_what_was_asked(text):
    assert () == told(said(text)).asked


@pytest.mark.parametrize(("prompts", "asked"), [
    (["Mend the till", "Perfect, thank you for all your help with this critical issue!"], ("Mend the till",)),
    (["Start", "Go on"], ("Start", "Go on")), (["y"], ()), (["/code-review", "/clear"], ("/code-review",)),
    (["Mend the till", "┌  Add credential"], ("Mend the till",)),
])  # fmt: skip
def test_what_is_told_where_little_was_typed(prompts, asked):
    """Thanks are about no work; prompts that say nothing by themselves are told if there is no other."""
    assert asked == told(*map(said, prompts)).asked


def test_commits_that_do_not_fit_are_told_shorter():
    """They were left out whole, and say more than anything else."""
    asked = [
        said(f"{one} {'and more words ' * 12}") for one in ("Sell tills", "Draw menus", "Print bells", "Mend doors")
    ]
    text = recap_text(told(*asked, *(ran(f"git commit -m '{one} {'word ' * 18}'") for one in "abcd")))

    assert "Committed, among others: a word" in text
    assert len(text.split()) <= MOST_WORDS


SHORT = " M src/till.py\n?? docs/new.md\nR  a.py -> b.py\n"
LONG = """On branch main
Changes not staged for commit:
  (use "git add <file>..." to update what will be committed)
	modified:   src/till.py
	modified:   vendored (modified content, untracked content)

no changes added to commit"""


@pytest.mark.parametrize(("turns", "files"), [
    ([ran("git status --short", output=SHORT)], ("docs/new.md", "src/till.py", "b.py")),
    ([ran("git status", output=LONG)], ("src/till.py", "vendored")),
    ([ran("git status -s", output=SHORT), ran("git commit -am x")], ()),
    ([ran("git status -s", output=SHORT), ran("git status -s", output="")], ()),
    ([ran("git status", output=LONG), ran("git status", output="nothing to commit, working tree clean")], ()),
    ([ran("git status -s", False, SHORT)], ()), ([ran("cat notes", output=SHORT)], ()),
    ([ran("git -c core.fsmonitor=false status -s", output=SHORT)], ("docs/new.md", "src/till.py", "b.py")),
    ([ran("(cd a; git status -s); (cd b; git status -s)", output=SHORT)], ()),
    ([ran("git status -s", output=" M .beads/x\n M bun.lock\n M a.py\n M cut/pa\n[…]\n M b.py\n M c.py\n M d.py")],
     ("a.py", "b.py", "c.py", "d.py", ".beads/x", "others")),
])  # fmt: skip
def test_what_git_lists_at_the_end_is_not_committed(turns, files):
    """Where nothing was committed, nobody could know what was changed."""
    found = told(*turns)

    assert files == found.uncommitted
    assert bool(files) == ("Not committed at the last git status: " in recap_text(found))


def test_a_pull_request_is_told_with_its_number():
    opened = ran("gh pr create --title Till --body x", output="Creating pull request\nhttps://github.com/a/b/pull/53\n")

    assert "Ran `gh pr create --title Till --body x`.\nOpened pull request #53." == recap_text(told(opened))


def test_names_of_files_are_redacted():
    (kept,) = kept_turns(
        [ran("git status -s", output=" M hunter2.txt")], "t", "a", lambda one: one.replace("hunter2", "*")
    )

    assert ("*.txt",) == kept.turn.uncommitted


def test_a_test_that_was_run_again_at_the_end_of_a_long_line_is_told_as_it_ended():
    """A recap said `1 failed` of a test that had passed behind a file which was written on the same line."""
    long = f"cat > t.tsx <<'EOF'\n{'word ' * 500}\nEOF\nnpm run test -- t.tsx"
    found = told(ran("npm run test -- t.tsx", False, "Tests  1 failed (1)"), ran(long, output="Tests  1 passed (1)"))

    assert "Checked: `npm run test -- t.tsx`: 1 passed" == found.failed[-1]


# -- a reviewer's findings: what was told of another command, or of an older state ---------------------------


OPENED = "https://github.com/o/r/pull/53\n"
REJECTED = "120 passed in 3.2s\nerror: failed to push some refs to 'x'"


@pytest.mark.parametrize(("turns", "checks"), [
    ([ran("pytest -q && ruff check . && mypy src", output="120 passed in 3.21s")],
     "Checked: `pytest -q`: 120 passed; `mypy src` passed"),
    ([ran("pytest -q; ruff check .", output="1 failed, 119 passed in 3.21s")],
     "Checked: `pytest -q`: 119 passed, 1 failed; `ruff check .` passed"),
    ([ran("make build && tail -3 old.log", output="== 3 failed, 9 passed in 2.0s ==")], "Checked: `make build` passed"),
    ([ran("npm test", False, "broken"), ran('gh pr create --body "Ran npm test locally"', output=OPENED)],
     "Checked: `npm test` failed (broken)"),
    ([ran("pytest -q && git push", False, REJECTED)], "Checked: `pytest -q`: 120 passed"),
    ([ran("make check"), edited("/w/a"), ran("make check", False, "3 problems"), ran("git commit -m x")],
     "Checked: `make check` failed (3 problems), not run again"),
    ([ran("cargo test", output=f"test result: FAILED. 1 passed; 1 failed\n{'x' * 21_000}\ntest result: ok. 5 passed;")],
     "Checked: `cargo test` passed"),
    ([ran("pnpm -r test | tail -4", output=" Tests  5 passed (5)")], ""),
    ([ran("pytest", False, "1 failed in 0.1s"), ran("pytest --version"), ran("pytest --collect-only")],
     "Checked: `pytest`: 1 failed"),
    ([ran("make -C test clean")], ""),
    ([ran("pytest", output="9" * 5_000 + " passed in 1s")], "Checked: `pytest` passed"),
])  # fmt: skip
def test_a_check_is_told_with_its_own_result(turns, checks):
    assert checks == next((one for one in told(*turns).failed if one.startswith("Checked")), "")


@pytest.mark.parametrize(("turns", "files"), [
    ([ran("git status -s && git diff", output=" M README.md\ndiff --git\n A memory for agents.")], ("README.md",)),
    ([ran("git status; cat meta.yml", output="nothing to commit, working tree clean\n  deleted: false")], ()),
    ([ran("git status", output=LONG), ran("git status", output="Untracked files:\n\tnotes.txt")], ("notes.txt",)),
    ([ran("git status -s", output=SHORT), ran("git status -s; git status -s", output=SHORT * 2_000)], ()),
    ([ran("cd ../other && git status -s", output=SHORT)], ()),
    ([ran("pytest; git status -s", output=f".\n4 passed in 1s\n{SHORT}")], ("docs/new.md", "src/till.py", "b.py")),
    ([ran("pytest -q; git status -s", output="..\n4 passed in 0.2s")], ()),
    ([ran("cd /w/a && git status -s && cd /w/b && git status -s", output=SHORT)], ()),
])  # fmt: skip
def test_only_the_last_answer_of_git_counts(turns, files):
    assert files == told(*turns).uncommitted


@pytest.mark.parametrize(("line", "output", "shown"), [
    ("git push -u a b && gh pr create --fill", OPENED,
     "Ran `git push -u a b`, `gh pr create --fill`.\nOpened pull request #53."),
    ("gh issue create --fill", "https://github.com/o/r/issues/7\n", "Ran `gh issue create --fill`.\nOpened issue #7."),
    ('gh pr create --title "npm → pnpm"', OPENED, "Ran `gh pr create --title npm → pnpm`.\nOpened pull request #53."),
    ('git tag -a v1 -m "npm → pnpm"', "", 'Ran `git tag -a v1 -m "npm → pnpm"`.'),
    ("gh pr create --fill", f"a pull request already exists:\n{OPENED}", "Ran `gh pr create --fill`."),
])  # fmt: skip
def test_the_number_of_a_pull_request_is_told_of_what_opened_it(line, output, shown):
    assert shown == recap_text(told(ran(line, output=output)))


@pytest.mark.parametrize("after", ["git push origin --delete old", "git push --tags", "git push --dry-run"])
def test_what_sends_no_commits_shows_none(after):
    assert () == told(ran("git commit -m x", ok=None, output="", code=None), ran(after)).commits


def test_what_was_staged_and_reset_or_elsewhere_was_not_changed():
    assert () == told(ran("git add till.py"), ran("git reset --hard HEAD")).files
    assert () == told(ran("git -C ../other add x.py"), ran("cd packages/web && git add index.ts")).files


def test_a_request_is_not_cut_behind_a_negation():
    """`delete the production database` was told of a prompt that forbade it."""
    long = f"Whatever happens do not, under any circumstances, delete the production database {'or the tables ' * 40}"

    assert "do not" in told(said(long), said("Sell tills online")).asked[0]


@pytest.mark.parametrize(
    "text", ["localhost:3000 shows a blank page after login", '"timeout": should be 30 seconds here']
)
def test_what_looks_like_a_log_and_is_none_was_asked(text):
    assert 1 == len(told(said(text)).asked)


def test_settings_of_an_agent_are_not_what_was_asked():
    assert () == told(said("/model opus"), said("/compact keep the tests")).asked


@pytest.mark.parametrize("line", [
    f"pytest {'2>a' * 100}; x", f"pytest {'>' * 300}; x", f"pytest{' ' * 1_900}; x", f"pytest {'2>&1 ' * 300}; x",
    f"pytest && {' ' * 1_900}|x", "git commit " * 150,
])  # fmt: skip
def test_no_line_takes_long(line):
    """Some took exponential time: it would never end."""
    assert told(said("Sell tills"), ran(line, False, "1 failed")).asked


@pytest.mark.parametrize(("prompt", "asked"), [
    ("# Build a shop for old books\n\nYou are a senior engineer.\n## Stack\n- Python", "Build a shop for old books"),
    ("# Review findings:\n\n## Finding 1\n[P1] The total is wrong\n\n## My request for Codex:\nmake the linter pass",
     "make the linter pass"),
    (("Runtime TypeError\nundefined is not iterable\nsrc/till.js (12:12) @ total\n\n  10 | export function total() {\n"
      "> 12 |   sum(lines)\n     |   ^\nCall Stack\nhow do I repair the till?"),
     "Runtime TypeError undefined is not iterable, how do I repair the till?"),
    (("On branch main\nUntracked files:\n  (use \"git add <file>...\" to include)\n\tmodified:   till.py\n"
      "Why is the till untracked?"), "Why is the till untracked?"),
    ("We get this error:\n```\nParsing error: the till was not found in the project\nSee the docs\n```\nFix it",
     "We get this error: Fix it: error: the till was not found in the project"),
    ("make the stars darker like this one <div id=\"par […] in the original? that picture is bad",
     "make the stars darker like this one <div id=\"par…"),
    ("the smoke test works now, but then I did this:\n\n❯ shop sync \\\n    --all\n\nand it took 74 GB of memory",
     "the smoke test works now, but then I did this: shop sync … and it took 74 GB of memory"),
])  # fmt: skip
def test_pasted_frames_states_and_templates_are_not_what_was_asked(prompt, asked):
    """Judged on 18 November: stack frames, a status of git and a template stood in the place of the request."""
    assert (asked,) == told(said(prompt), ran("make docs")).asked


def test_what_is_cut_ends_with_a_clause():
    """Judged on 18 November: "propose a robust…", "I'm fine…": the sense came after the cut."""
    long = "list all places where the till is read from the store, " * 3
    found = told(
        said(f"{long}and propose a robust, central function for it"), *(said(f"then {long}{n}") for n in range(9))
    )

    assert all(one.endswith(("store…", "function for it", *map(str, range(9)))) for one in found.asked)


def test_a_prompt_with_work_is_told_rather_than_one_with_looks():
    """Judged on 18 November: a question that was answered by reading stood for the work of an afternoon."""
    first = said("Write a till for the shop in the corner")
    found = told(
        first, said("did you find the receipts of the shop somewhere"), *(ran(f"cat receipt{n}") for n in range(4)),
        said("print the receipts in two columns"), *(ran(f"make receipt{n}") for n in range(4)),
        *(one for n in range(12) for one in (said(f"colour {n} of the corner shop"), ran(f"make colour{n}"))),
    )  # fmt: skip

    assert "print the receipts in two columns" in found.asked


def test_what_was_changed_before_the_session_is_not_left_uncommitted_by_it():
    """Judged on 18 November: folders that git listed at the beginning were told as what was left."""
    begun, ended = "?? .agents/\n M till.py\n M shop.py", "?? .agents/\n M till.py\n M shop.py\n M receipt.py"
    first, last = ran("git status --short", output=begun), ran("git status --short", output=ended)

    assert ("receipt.py",) == told(first, ran("make receipt"), last).uncommitted
    assert ("shop.py", "receipt.py") == told(first, edited("/w/shop.py", "/w/mytill.py"), last).uncommitted
    assert ("till.py", "shop.py", "receipt.py", ".agents/") == told(*[ran("make docs")] * 3, first, last).uncommitted


def test_a_state_that_is_too_old_is_not_told():
    state = ran("git status --short", output=" M till.py")

    assert ("till.py",) == told(state, ran("make docs"), *[ran("cat till.py")] * 9).uncommitted
    assert () == told(state, *[ran(f"make docs{n}") for n in range(6)]).uncommitted


def test_a_failure_that_nobody_mended_is_told():
    """Judged on 18 November: a service that could not be set up was left out for a test that worked in the end."""
    failed = ran("sudo systemctl enable till", False, "Failed to enable unit: access denied")
    said = "`sudo systemctl enable till` failed (Failed to enable unit: access denied)"

    assert said in told(failed, ran("make docs")).failed
    assert said not in told(failed, ran("sudo systemctl enable till")).failed
    unread = told(ran("cat till.py", False, "cat: till.py: No such file or directory"))
    assert ("`cat till.py` failed (cat: till.py: No such file or directory)",) == unread.failed


def test_a_prompt_that_is_taken_back_was_not_asked():
    """Judged on 18 November: what was meant for another chat was told as the main request."""
    found = told(
        said("Print the receipts twice"), said("call it update, not finalize"), said("sorry, ignore last message")
    )

    assert ("Print the receipts twice",) == found.asked


def test_that_it_works_is_told_last():
    first, *others = (said(f"count the {name} of the shop") for name in ("tills", "shelves", "lamps", "doors"))

    assert "everything works!" == told(first, *others, said("alright, everything works!")).asked[-1]
    assert "nothing works" not in told(first, *others, said("nothing works")).asked


@pytest.mark.parametrize("prompt", ["https://shop.example/till", "hid=hide"])
def test_an_address_or_a_correction_of_spelling_alone_asks_for_nothing(prompt):
    assert ("Print the receipts twice",) == told(said("Print the receipts twice"), said(prompt), ran("make docs")).asked


def test_the_title_of_a_task_is_what_was_asked():
    prompt = "# Task: Merge branches without force\n\n## Context\nYou are one of three agents.\n- a\n- b"

    assert ("Merge branches without force",) == told(said(prompt), ran("make docs")).asked


def test_a_commit_that_git_printed_was_made_whatever_else_the_line_did():
    """Judged on 18 November: git had printed the commit, and the recap said that its end was not known."""
    output = "[main 1a2b3c4] Trim receipts\n 1 file changed\nTo shop.example"

    line = "git add -A; git commit -m 'Trim receipts'; git push"
    assert ("Trim receipts",) == told(ran(line, ok=None, output=output, code=None)).commits


def test_of_many_short_words_as_many_prompts_are_told_as_fit():
    """Nothing was told of what was asked if that alone had more than 120 words."""
    words = ("ax", "ox", "mug", "pot", "jar", "tin")
    text = recap_text(told(*(said(f"fix {one} " * 60 + f"till {one}") for one in words)))

    assert (True, True) == (text.startswith("Asked, among other things: "), len(text.split()) <= 120)


_WORDS = ("sudo", "npm", "pip", "-g", "install", "i", "x1", "db:migrate", "migrated", "git", "push", "gh", "pr", "view",
          "docker", "compose", "up", "systemctl", "start", "apt-get", "\n", ";", "é", " ", " ", " ")  # fmt: skip


@given(st.one_of(
    st.from_regex(re.compile(MATTERS.pattern)),
    st.lists(st.sampled_from(_WORDS), max_size=12).map("".join),
))  # fmt: skip
def test_lines_that_may_hold_a_command_that_matters_are_all_looked_at(line):
    """The quick search of a line finds something if and only if the pattern of such commands does somewhere."""
    assert bool(MATTERS.search(line)) == bool(MATTERS_WITHIN.search(line))


@given(st.from_regex(re.compile(_PARAGRAPH_END.pattern)), st.from_regex(re.compile(_OPENS.pattern)))
def test_texts_that_are_ruled_out_at_once_hold_no_match(paragraphs, command):
    """Every match has what is looked for first: two ends of lines, or the word of a command that opens something."""
    assert paragraphs.count("\n") > 1
    assert " create" in command or "gt s" in command


@given(st.from_regex(re.compile(_SAYS_ERROR.pattern, re.IGNORECASE | re.MULTILINE)))
def test_outputs_that_may_tell_an_error_are_all_looked_at(output):
    """What is looked for first is in every such output."""
    assert any(part in output.lower() for part in _ERROR_PARTS)


@pytest.mark.parametrize(("command", "output"), [
    ("pnpm build | tail -3", "✓ built in 2s\n ELIFECYCLE  Command failed with exit code 1."),
    ("npm run build | tail -3", "✓ built in 2s\nTypeError: till is not a function"),
    ("mypy src | tail -3", "Success: no issues found in 3 files\nSegmentation fault"),
    ("go test ./... | tail -3", "ok  \tshop.example/till\t0.4s\nexit status 2"),
])  # fmt: skip
def test_what_says_both_is_not_told_as_passed(command, output):
    assert not any("passed" in one for one in told(ran("ls"), ran(command, output=output)).failed)


def test_a_request_that_speaks_of_ignoring_is_a_request():
    prompt = "ignore the previous prompt please and add the importer of csv files instead"

    assert (prompt,) == told(said(prompt), ran("make docs")).asked


def test_a_commit_of_another_line_is_not_this_one():
    output = "[main 1a2b3c4] Print twice\nerror: gpg failed to sign the data"

    assert () == told(ran("git log; git commit -m 'Trim receipts'", False, output)).commits


FRAME = "# Context\n\nYour name is **Robin**, an agent.\n\n"
RULES = "\n\n## Rules\n\n- Be brief."


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        (f"{FRAME}## Objective\n\nBring the parser up to date.{RULES}", "Bring the parser up to date"),
        (f"IMPORTANT: Before it, read. Then the task: Repair the login page  # web{RULES}", "Repair the login page"),
        ("You are performing a cleanup of branches. Keep main.", "You are performing a cleanup of branches"),
        (f"You are an agent. Goal: translate the German manual.{RULES}", "translate the German manual"),
        ("Task: [Read from: plan.md]\n\nReview the commits for races.\n\n```\n{}", "Review the commits for races"),
        (f"{FRAME}You are working through release chores.{RULES}", "You are working through release chores"),
    ],
)  # fmt: skip
def test_of_a_prompt_that_a_program_wrote_the_task_is_told_as_such(prompt, task):
    """Such a session's recap said nothing about what it was for."""
    recap = told(said(prompt), ran("pytest"))

    assert ((), task, task) == (recap.asked, recap.given, recap_title(recap))
    assert recap_text(recap).startswith(f"A program asked: {task}.")


def test_a_task_that_ends_where_a_list_begins_is_told_as_cut():
    recap = told(said(f"{FRAME}## Objective\n\nDescribe the parser of tills with:\n\n- dates\n{RULES}"), ran("pytest"))

    assert recap_text(recap).startswith("A program asked: Describe the parser of tills with…\n")


def test_the_task_of_a_subagent_is_told_as_such():
    """A recap of one said nothing but what had been run."""
    asked = replace(said("Search the repo for TODO comments. Be quick."), sidechain=True)
    recap = told(asked, ran("grep -rn TODO"))

    assert ((), "Search the repo for TODO comments") == (recap.asked, recap.given)


@pytest.mark.parametrize(
    "prompt", ["y", f"{FRAME}## Rules\n\nBe brief", f"{FRAME}Robin is a desktop application.{RULES}"]
)
def test_without_a_task_nothing_is_said_to_be_asked(prompt):
    """One word, a frame around nothing, and what a program says of itself."""
    assert "program asked" not in recap_text(told(said(prompt), ran("pytest")))


def test_what_a_person_asked_comes_before_what_a_program_did():
    """A frame is told only if there is nothing else."""
    recap = told(said(f"{FRAME}## Task\n\nBring the parser's tests up to date."), said("rename the parser module"))

    assert (("rename the parser module",), "") == (recap.asked, recap.given)
