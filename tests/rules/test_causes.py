"""The cause of a failure, from the words of its error, and what meets the same cause again."""

import pytest
from hypothesis import given, strategies as st

from tacit.failures.rules.cause_keys import keys_met, program_keys
from tacit.failures.rules.causes import cause_of, clean_lines, hidden_cause, stored_cause
from tacit.failures.rules.command_kinds import hides_failure
from tacit.failures.rules.fixes import fix_in
from tacit.failures.rules.line_parts import passed_parts
from tacit.model.failure import Failure

CAUSES = [
    ("swag init", "/bin/bash: line 1: swag: command not found", 127, "program", "swag"),
    ("ghostty --help", "zsh:1: command not found: ghostty", 127, "program", "ghostty"),
    ("sh -c 'bc'", "sh: 1: bc: not found", 127, "program", "bc"),
    ("env A=1 golangci-lint run", "env: golangci-lint: No such file or directory", 127, "program", "golangci-lint"),
    ("foo x", "'foo' is not recognized as an internal or external command", 1, "program", "foo"),
    ("entire status --no-pager", "Error: unknown flag: --no-pager", 1, "option", "--no-pager"),
    ("gh pr diff 1 --stat", "unknown flag: --stat", 1, "option", "--stat"),
    ("workmux send x -m y", "error: unexpected argument '-m' found", 2, "option", "-m"),
    ("cat -A x", "cat: illegal option -- A", 1, "option", "-A"),
    ("gh pr view 1 --json a,merged", 'Unknown JSON field: "merged"', 1, "value", "merged"),
    ("git log origin/x..y", "fatal: ambiguous argument 'origin/x..y': unknown revision", 128, "value", "origin/x..y"),
    ("git brnch", "git: 'brnch' is not a git command. See 'git --help'.", 1, "subcommand", "brnch"),
    ("gh pr chekout 1", 'unknown command "chekout" for "gh pr"', 1, "subcommand", "chekout"),
    ("cargo biuld", "error: no such command: `biuld`", 101, "subcommand", "biuld"),
    ("npm run biuld", 'npm error Missing script: "biuld"', 1, "script", "biuld"),
    ("make shipp", "make: *** No rule to make target 'shipp'.  Stop.", 2, "script", "shipp"),
    ("mise run lnt", "mise ERROR no task lnt found", 1, "script", "lnt"),
    ("python -c 'import httpx'", "ModuleNotFoundError: No module named 'httpx'", 1, "module", "httpx"),
    ("node a.js", "Error: Cannot find module 'left-pad'", 1, "module", "left-pad"),
    ("sed -n 1p a/b.ts", "sed: can't read a/b.ts: No such file or directory", 2, "path", "a/b.ts"),
    ("md5sum go/x", "md5sum: go/x: No such file or directory", 1, "path", "go/x"),
    ("git add a/b.yml", "fatal: pathspec 'a/b.yml' did not match any files", 128, "path", "a/b.yml"),
    ("git -C /w/x status", "fatal: cannot change to '/w/x': No such file or directory", 128, "path", "/w/x"),
    ("curl https://go.dev/V?m=t", "(eval):1: no matches found: https://go.dev/V?m=t", 1, "glob",
     "https://go.dev/V?m=t"),
    ("python -c 'x", "SyntaxError: unterminated string literal", 1, "syntax", ""),
    ("cat /etc/shadow", "cat: /etc/shadow: Permission denied", 1, "permission", ""),
    ("ssh root@h ls", "root@h: Permission denied (publickey).", 255, "auth", "root@h"),
    ("git clone https://x.dev/a", "fatal: could not read Username for 'https://x.dev'", 128, "auth", "https://x.dev"),
    ("curl http://127.0.0.1:5/", "curl: (7) Failed to connect to 127.0.0.1 port 5 after 0 ms", 7, "network",
     "127.0.0.1 port 5"),
    ("git push", "ssh: connect to host github.com port 22: Operation timed out", 128, "network", "github.com port 22"),
    ("git push origin main", "remote: error: GH013: Repository rule violations found", 1, "remote", "GH013"),
    ("git pull --rebase", "error: cannot pull with rebase: You have unstaged changes.", 1, "state", "unstaged changes"),
    ("fly deploy", "something else went wrong", 1, "other", ""),
]  # fmt: skip


@pytest.mark.parametrize(("command", "error", "code", "kind", "name"), CAUSES)
def test_an_error_says_its_cause(command, error, code, kind, name):
    """The kind, the thing it names, and a key that the same command meets again."""
    cause = cause_of(command, f"Exit code {code}\n{error}", code)

    assert (kind, name) == (cause.kind, cause.name)
    assert cause.key in keys_met(command)


@pytest.mark.parametrize(
    ("first", "error", "again"),
    [("entire status --no-pager", "unknown flag: --no-pager", "entire search x --no-pager"),
     ("swag init -g a.go", "bash: swag: command not found", "cd go && swag fmt"),
     ("gh pr view 1 --json a,merged", 'Unknown JSON field: "merged"', "gh pr view 22 --json merged,state"),
     ("git push origin main", "ssh: connect to host github.com port 22: timed out", "git pull --rebase && make"),
     ("gh api a/b?c=1", "zsh:1: no matches found: a/b?c=1", "curl -s https://x.dev/y?z=2"),
     ("cd a && x", 'Das Token "&&" ist kein gültiges Anweisungstrennzeichen', "cd b && python t.py")],
)  # fmt: skip
def test_other_words_meet_the_same_cause(first, error, again):
    """The option, the program, the field, the remote, the shell is the cause, not the list of words."""
    assert cause_of(first, error, 1).key in keys_met(again)


@pytest.mark.parametrize(
    ("first", "error", "other"),
    [("cat /etc/nope/one.conf", "cat: /etc/nope/one.conf: No such file or directory", "cat README.md"),
     ("python tools/a.py", "boom", "python tools/b.py"), ("python - <<E\na\nE", "boom", "python - <<E\nb\nE"),
     ("bash -c 'make alpha'", "boom", "bash -c 'make beta'"), ("psql -f bad.sql", "ERROR: x", "psql -f good.sql"),
     ("curl http://a.example/", "curl: (6) Could not resolve host: a.example", "curl http://b.example/"),
     ("python -c 'import a'", "No module named 'a'", "python -c 'import b'"),
     ("python x.py", "bash: python: command not found", "uv run python x.py"),
     ("go build", "bash: go: command not found", "PATH=/usr/local/go/bin:$PATH go build"),
     ("git add a/x.go", "fatal: pathspec 'a/x.go' did not match any files", "cd /repo && git add a/x.go")],
)  # fmt: skip
def test_another_thing_is_another_cause(first, error, other):
    """S2: one file, host, script, text or place says nothing about another."""
    assert cause_of(first, error, 1).key not in keys_met(other)


@pytest.mark.parametrize(
    ("line", "error", "blamed"),
    [("git pull --rebase && bd push && git status", "ssh: connect to host github.com port 22: x", "git pull --rebase"),
     ("ls src | head -5 && cat nope.md", "cat: nope.md: No such file or directory", "cat nope.md"),
     ("cat a.json | jq --argfile x y", "jq: Unknown option --argfile", "jq --argfile x y"),
     ("npm ci && fly deploy", "npm: not in the lock file", "npm ci"),
     # A newcomer's trial: what a script would have done last was blamed for the error of what ended it.
     ('set -e\nTMP=$(mktemp -d)\ngo run ./sync --json x y\nprintf done\nrm -rf "$TMP"',
      "error: too many positional arguments\nexit status 1", "go run ./sync --json x y"),
     ("make till && rm -rf build", "rm: build: Permission denied", "rm -rf build")],
)  # fmt: skip
def test_the_part_that_the_error_names_is_blamed(line, error, blamed):
    """L2: not simply the last part of a chain."""
    assert blamed == cause_of(line, error, 1).part.text


FILTER = "git filter-branch --index-filter 'git rm --cached big.bin' HEAD"


@pytest.mark.parametrize(
    ("line", "error", "blamed"),
    [(FILTER, "Cannot rewrite branches: You have unstaged changes.", FILTER),
     (FILTER, "Rewrite 4f2 (4/9)\nerror: invalid path 'a/b'", FILTER),
     ("git rebase --exec 'make ship' main", "error: could not apply 1a2b", "git rebase --exec 'make ship' main"),
     ("git rebase --exec 'make ship' main", "make: *** [ship] Error 2", "make ship"),
     ("git bisect run ./try.sh", "bisect run failed: exit code 128", "git bisect run ./try.sh"),
     ("git submodule foreach 'git pull'", "fatal: run_command failed for lib", "git submodule foreach 'git pull'"),
     ("find . -exec shipit {} +", "boom", "find . -exec shipit {} +"),
     ("ls | xargs -n1 shipit", "boom", "xargs -n1 shipit"),
     ("find . -exec rm {} +", "rm: cannot remove 'a': Permission denied", "find . -exec rm {} +"),
     ("ls | xargs shipit --al", "error: unexpected argument '--al' found", "shipit --al …"),
     ("ssh web 'make ship'", "boom", "make ship"), ("bash -c 'make a && make b'", "boom", "make b"),
     ("ssh web 'make ship'", "ssh: connect to host web port 22: Connection timed out", "ssh web 'make ship'"),
     ("ssh web 'make ship'", "web: Permission denied (publickey).", "ssh web 'make ship'"),
     ("ssh web 'cd /srv && git pull'", "git@github.com: Permission denied (publickey).", "git pull"),
     ("sudo -n shipit", "sudo: a password is required", "sudo -n shipit"), ("sudo -n shipit", "boom", "shipit"),
     ("docker exec web make ship", "Error: No such container: web", "docker exec web make ship"),
     ("docker exec web make ship", "boom", "make ship"),
     ("timeout 5 shipit", "bash: shipit: command not found", "shipit"),
     ("ls | xargs shipit", "xargs: shipit: command not found", "shipit …")],
)  # fmt: skip
def test_of_a_command_in_another_the_one_is_blamed_whose_error_it_is(line, error, blamed):
    """A failed `git filter-branch` was kept as a failure of the `git rm` that it was to run for each commit."""
    cause = cause_of(line, error, 1)

    assert blamed == cause.part.text
    assert cause.key in keys_met(line)


def test_with_a_command_passes_what_ran_it():
    """Else what was blamed on `xargs` would be told for ever."""
    assert ["xargs -n1 shipit", "shipit …"] == [part.text for part in passed_parts("ls | xargs -n1 shipit")]


def test_a_stored_failure_of_the_outer_command_stays_its_own():
    """It was read back as a failure of the command inside."""
    stored = Failure(signature="", command=FILTER, cause="state", subject="git filter-branch", line="unstaged changes")

    assert FILTER == stored_cause(stored).part.text


def test_a_stored_failure_behind_a_runner_is_not_fixed_by_the_same_again():
    """`npx tills` was told as what worked instead of `tills`, though `npx tills` was what had failed."""
    cause = cause_of("npx tills make", "boom", 1)
    stored = Failure(
        signature="",
        command="npx tills make",
        failing=cause.part.text,
        cause=cause.kind,
        subject=cause.subject,
        line="x",
    )

    assert "" == fix_in(stored_cause(stored), stored.failing, "npx tills make")


def test_failures_behind_a_pipe_are_read():
    """The exit code of `| tail` hides them; what a program says of itself does not, and data proves nothing."""
    missing = hidden_cause("swag init 2>&1 | tail -5", "bash: line 1: swag: command not found")

    assert ("program", "swag") == (missing.kind, missing.name)
    assert hides_failure("swag init | tail -5")
    assert not hides_failure("swag init || true")
    assert hidden_cause("cat log.txt | tail -5", "12:00 worker: redis: command not found\nerror: x") is None


@pytest.mark.parametrize(
    ("line", "passed"),
    [("git pull && make ship && git push", ["git pull", "make ship", "git push"]), ("a; b", ["b"]), ("a | b", ["b"]),
     ("a || true", []), ("a\nb && c", ["b", "c"]), ("cd x && y", ["y"])],
)  # fmt: skip
def test_a_success_shows_what_certainly_passed(line, passed):
    """L1: all parts of an && chain; what a pipe or a semicolon may hide shows nothing."""
    assert passed == [part.text for part in passed_parts(line)]


@pytest.mark.parametrize(
    ("line", "found"),
    [("nox1 x", True), ("nox1 x && y", True), ("nox1 x || echo missing", False), ("if nox1; then y; fi", False),
     ("! nox1 x", False), ("nox1 x & wait", False), ("nox1 x 2>&1", True)],
)  # fmt: skip
def test_a_line_that_may_fail_does_not_show_that_a_program_is_there(line, found):
    """Its exit code is 0 whether the program was found or not."""
    assert found == ("program nox1" in program_keys(line))


def test_lines_of_an_error_are_clean():
    """L10, C15: no colours, rulers, exit codes or prefixes of the agent."""
    error = "Exit code 1\n\x1b[31merror\x1b[0m: x\n=======\n-----\nOutput: fatal: y\n"

    assert ["error: x", "fatal: y"] == clean_lines(error)


@given(st.text(max_size=200), st.text(max_size=400), st.integers(-1, 255) | st.none())
def test_any_line_and_error_can_be_read(line, error, code):
    """Whatever they are, and the key is short enough for a store."""
    cause = cause_of(line, error, code)

    assert cause is None or len(cause.key) <= 900
    assert len(keys_met(line)) <= 200


def test_keys_are_short_in_bytes_and_still_tell_apart():
    """A store indexes them; long ones end with a digest of the whole."""
    one, other = (cause_of(f"git commit -m '{'文' * 880}{end}'", "boom", 1).key for end in "ab")

    assert max(len(one.encode()), len(other.encode())) <= 900
    assert one != other


@pytest.mark.parametrize(
    ("line", "error", "kind", "key"),
    [("cd backend && npm ci", "bash: line 1: cd: backend: No such file or directory", "path", "path cd backend"),
     ("cd web && x", "(eval):cd:1: no such file or directory: web", "path", "path cd web"),
     ("python3 x.py", "python3: can't open file '/w/p/x.py': [Errno 2] No such file", "path", "path python3 x.py"),
     ("make all", "401 tests passed; 1 failed", "other", "other make all"),
     ("gh api x", "HTTP 401: Bad credentials", "auth", "auth gh api x")],
)  # fmt: skip
def test_what_an_error_is_about(line, error, kind, key):
    """The `cd` of a chain, a path that was made absolute, a number that is no status."""
    cause = cause_of(line, error, 1)

    assert (kind, key) == (cause.kind, cause.key)
    assert kind == "other" or cause.key in keys_met(line)


@pytest.mark.parametrize(
    "output", ["\x1b]" * 60_000, "\x1b[" * 60_000, "error: " * 60_000, ("x: " * 90 + "\n") * 2_000]
)
def test_an_output_made_to_be_slow_is_cut_first(output):
    """Patterns see the end of an output, and none of them looks again and again."""
    assert cause_of("make x", output, 1).kind in ("other", "usage")


def test_a_list_that_speaks_of_conflicts_is_not_why_a_command_failed():
    """A newcomer's trial: a recap told a line of a script's list as the reason, not "Unknown test group"."""
    said = "Unknown test group: setup\nAvailable groups:\n  drivers - merge conflict resolution\n  tmux - its settings"

    assert "Unknown test group: setup" == cause_of("./run-tests.sh setup", said, 1).line
    assert "state" == cause_of("git merge till", "CONFLICT (content): Merge conflict in till.py", 1).kind
