"""What fails by design, how much a failure matters, and whether a later command is its fix."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.command_kinds import fails_by_design
from tacit.failures.rules.failure_and_fix import holds_words, importance
from tacit.failures.rules.fixes import fitted_fix, fix_in, is_applied

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def fix_of(failed, error, worked):
    cause = cause_of(failed, error, 1)
    return fix_in(cause, failed, worked) if cause else ""


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [("docker compose upp -d", 'unknown docker command: "compose upp"', "docker compose up -d"),
     ("docker-compose up -d", "bash: docker-compose: command not found", "docker compose up -d"),
     ("make deploy", "ENV is not set", "ENV=staging make deploy"),
     ("cargo build", "error: feature ssl is required", "cargo build --features ssl"),
     ("npm run build", 'npm error Missing script: "build"', "cd app && npm run build"),
     ("python m.py", "ModuleNotFoundError: No module named 'django'", "source .venv/bin/activate && python m.py"),
     ("npm run biuld", 'npm error Missing script: "biuld"', "npm run build"),
     ("pythn x.py", "bash: pythn: command not found", "python x.py"),
     ("git comit -m x", "git: 'comit' is not a git command. See 'git --help'.", "git commit -m x"),
     ("apt install foo", "E: Could not open lock file: Permission denied", "sudo apt install foo"),
     ("npm install", "npm error ERESOLVE unable to resolve", "npm install --legacy-peer-deps"),
     ("rg x src", "bash: rg: command not found", "grep x src"),
     ("pytest", "bash: pytest: command not found", "uv run pytest"),
     ("vitest --run", "bash: vitest: command not found", "pnpm exec vitest --run"),
     ("tsc", "bash: tsc: command not found", "./node_modules/.bin/tsc"),
     ("black", "bash: black: command not found", "python3 -m black"),
     ("git push", "fatal: The current branch x has no upstream branch", "git push -u origin main"),
     ("gti status", "bash: gti: command not found", "git status"),
     ("alembic up", "bash: alembic: command not found", "uv run alembic up"),
     ("prettierx --write a.js", "bash: prettierx: command not found", "npx prettierx --write a.js"),
     ("staticcheck ./...", "zsh: command not found: staticcheck", "go tool staticcheck ./..."),
     ("pytest tests", "bash: pytest: command not found", "python -m pytest tests"),
     ("rtk bun run test", 'error: unknown command "bun" for rtk', "bun run test"),
     ("docker ps", "bash: docker: command not found", "/usr/local/bin/docker ps"),
     ("kubectl get pod -n wbe", 'namespaces "wbe" not found', "kubectl get pod -n web"),
     ("pip install foo", "ERROR: Could not find a version", "pip install foo==1.2"),
     ("docker build .", "failed to compute cache key", "docker build --no-cache ."),
     ("make deploy", "ENV is missing", "make deploy ENV=prod"),
     ("cat src/utlis/a.py", "cat: src/utlis/a.py: No such file or directory", "cat src/utils/a.py"),
     ("npm install x", "bash: npm: command not found", "bun install x"),
     ("curl https://x.dev/a?b=1", "zsh: no matches found: https://x.dev/a?b=1", "curl 'https://x.dev/a?b=1'"),
     ("git log --stat origin/a..b", "fatal: ambiguous argument 'origin/a..b': unknown revision", "git log --stat a..b"),
     ("gh pr view 5 --json state,merged", 'Unknown JSON field: "merged"', "gh pr view 5 --json state,mergedAt")],
)  # fmt: skip
def test_fixes(failed, error, worked):
    """S7: spelt right, provided, entered first, with what was asked for, or by another program."""
    assert fix_of(failed, error, worked)


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [("npm run build", 'Missing script: "build"', "npm run lint"),
     ("staticcheck ./...", "zsh: command not found: staticcheck", "go test ./..."),
     ("pip install foo", "", "pip install bar"),
     ("git log --oneline a..b", "fatal: ambiguous argument 'a..b': unknown revision", "git log --oneline -3"),
     ("make", "no rule", "make clean"), ("git checkout main", "error: pathspec 'main' did not", "git checkout -b x"),
     ("kubectl get pods -n web", "", "kubectl get nodes"), ("node app.js", "", "eslint app.js"),
     ("cat notes.txt", "cat: notes.txt: No such file or directory", "touch notes.txt"),
     ("make install", "", "make uninstall"), ("git checkout v1", "", "git checkout v2"),
     ("deploy target-a", "", "deploy target-b"), ("npm run start", 'Missing script: "start"', "npm run restart"),
     ("git push origin main", "", "git pull origin main"), ("npm install", "", "npm install left-pad"),
     ("x y", "", "echo x y"), ("cargo build", "", "git status"), ("npm", "", "npm run build"), ("x", "", "x"),
     ("git push", "", "git status"), ("entire trail show", 'unknown command "show"', "entire trail show --help"),
     ("git status", "fatal: not a git repository", "git status -sb"), ("dotnet build", "CS1", "dotnet build x.csproj"),
     ("ghostty --help", "zsh: command not found: ghostty", "aerospace --help"),
     ('gh issue comment 5 -b "see `wx-7.2`"', "zsh:1: command not found: wx-7.2", "tk close wx-7.2"),
     ("fetchx", "zsh: command not found: fetchx", "grep fetchx"),
     ("fetchx a", "bash: fetchx: command not found", "mv fetchx a"),
     ("fetchx", "zsh: command not found: fetchx", "git checkout fetchx"),
     ("fetchx", "zsh: command not found: fetchx", "brew install fetchx"),
     ("fetchx", "zsh: command not found: fetchx", "docker build -t fetchx"),
     ("cat a.md", "cat: a.md: No such file or directory", "cat b.md"),
     ("sed -n 1,5p src/a/x.go", "sed: src/a/x.go: No such file or directory", "sed -n 1,5p src/b/x.go")],
)  # fmt: skip
def test_no_fixes(failed, error, worked):
    """L3: help, another target, another file, the opposite, or just anything that came next."""
    assert "" == fix_of(failed, error, worked)


def test_a_fix_is_told_with_what_was_put_around_it():
    """The program alone would fail again."""
    error = "zsh:1: command not found: doctor-x"

    assert "fish -lc 'doctor-x --quick'" == fix_of("doctor-x --quick", error, "fish -lc 'doctor-x --quick'")


@pytest.mark.parametrize(("worked", "fix"), [
    ("export PATH=$PATH:/o/go && go run web.go &\nsleep 2\necho up", "export PATH=$PATH:/o/go && go run web.go"),
    ("export PATH=$PATH:/o/go\ngo run web.go\nls -la", "export PATH=$PATH:/o/go; go run web.go"),
])  # fmt: skip
def test_a_fix_of_several_lines_is_a_line_that_runs(worked, fix):
    """Joined by blanks it was another command; what came after it is not part of it."""
    assert fix == fix_of("go run web.go", "bash: go: command not found", worked)


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_two_lines_can_be_compared(failed, worked, error):
    """Whatever they are; and nothing mends itself."""
    assert isinstance(fix_of(failed, error, worked), str)
    assert "" == fix_of(failed, error, failed)


def test_a_command_that_has_the_fix_is_left_alone():
    """What the fix added stands in it already."""
    fix = "bun add -g --registry https://r.example x"

    assert is_applied("bun add -g x", fix, "bun add -g --registry https://r.example y")
    assert not is_applied("bun add -g x", fix, "bun add -g y")


@pytest.mark.parametrize(
    ("command", "error", "by_design"),
    [("ls -la", "", True), ("lsblk", "", False), ("[ -f x ]", "", True), ("agda x", "", False),
     ("pytest", "", True), ("npm test", "", True), ("test -f x", "", True), ("grepx y", "", False),
     ("findmnt", "", False), ("killall x", "", True), ("make testdata", "", False), ("make test", "", True),
     ("cargo test --all", "", True), ("make ship", "", False), ("mise run lint", "", True), ("bun run check", "", True),
     ("pnpm check-types", "", True), ("dart analyze", "", True), ("cargo check", "", True), ("uv run pytest", "", True),
     ("npx tsc --noEmit", "", True), ("./scripts/check.sh", "", True), ("python -m mypy src", "", True),
     ("ls | xargs eslint", "boom", True), ("find . -exec ruff check {} +", "boom", True),
     ("find . -exec shipit {} +", "boom", False), ("git rebase --exec 'make test' main", "boom", True),
     ("eslint .", "bash: eslint: command not found", False), ("npm run lint", 'Missing script: "lint"', False),
     ("gofmt -x", "flag provided but not defined: -x", False), ("timeout 45 x", "command not found: timeout", False)],
)  # fmt: skip
def test_what_fails_by_design_is_known_by_its_kind(command, error, by_design):
    """Tests, checkers, compilers and searches, also as scripts; but not one that is missing or called wrongly."""
    cause = cause_of(command, error, 1)

    assert by_design == (cause is None or fails_by_design(cause))


@pytest.mark.parametrize(("command", "error"), [
    ("gh pr checks 90", "build\tpending\t0\thttps://ci.example/1"), ("gh pr checks 7 --repo a/b", "lint\tfail\t9s"),
    ("gh run watch 22 --exit-status", "X main deploy"), ("gh run view 22 --exit-status", "X deploy failed"),
    ("gh pr view --json url", 'no pull requests found for branch "topic"'),
    ("kubectl rollout status deploy/web", "error: deployment exceeded its progress deadline"),
    ("kubectl wait --for=condition=ready pod/x", "error: timed out waiting for the condition on pods/x"),
    ("docker compose ps web", "no such service is running"), ("docker inspect web", "Error: No such object: web"),
    ("systemctl is-active nginx", "inactive"), ("systemctl status nginx", "nginx.service - inactive (dead)"),
    ("ping -c 1 db.example", "1 packets transmitted, 0 received"), ("nc -z localhost 5432", "connection refused"),
    ("pg_isready -h db", "db:5432 - no response"), ("curl -sf http://localhost:3000/", "curl: (22) error: 503"),
    ("curl -fsS https://api.example/healthz", "curl: (22) The requested URL returned error: 503"),
    ("terraform plan -detailed-exitcode", "Plan: 1 to add"), ("git diff --exit-code", "-a\n+b"), ("cmp a b", "differ"),
    ("git config --get core.hooksPath", ""), ("git rev-parse --verify -q topic", "fatal: Needed a single revision"),
    ("lsof -ti:8080", ""), ("ps -p 4711", "PID TTY TIME CMD"), ("tmux has-session -t x", "can't find session: x"),
    ("jq -e .ready a.json", "false"), ("npm outdated", "left-pad 1.0.0 1.3.0"), ("pip show httpx", "not found"),
    ("aws cloudformation wait stack-exists", "Waiter StackExists failed: Max attempts exceeded"),
])  # fmt: skip
def test_an_answer_about_the_world_is_no_failure_of_the_command(command, error):
    """`gh pr checks 90` was stopped before it ran, because its checks had been pending."""
    assert fails_by_design(cause_of(command, error, 1))


@pytest.mark.parametrize(("command", "error"), [
    ("gh pr checks 90 --wach", "unknown flag: --wach"), ("gh pr cheks 90", 'unknown command "cheks" for "gh pr"'),
    ("gh pr checks 90", "gh: command not found"), ("gh pr merge 90", "GraphQL: Pull Request is still a draft"),
    ("gh pr checks 90", "To get started with GitHub CLI, please run: gh auth login"),
    ("docker compose ps", "no configuration file provided: not found"), ("jq -e .a[ x", "jq: error: syntax error"),
    ("curl -f https://api.example/v2", "curl: (22) The requested URL returned error: 404"),
    ("git config core.hooksPath", "boom"), ("systemctl restart nginx", "Job for nginx.service failed"),
    ("kubectl apply -f a.yaml", "the server could not find it"), ("docker compose up", "no such service: web"),
    ("glab ci run -b mian", "no such branch"), ("brew services start redsi", "Error: Formula redsi is not installed"),
    ("git rebase --exec 'make test' mian", "fatal: invalid upstream 'mian'"),
])  # fmt: skip
def test_a_question_that_is_asked_wrongly_is_a_failure(command, error):
    """What the command itself has wrong is learned, whatever it asks."""
    assert not fails_by_design(cause_of(command, error, 1))


@pytest.mark.parametrize(("failed", "error", "worked"), [
    ("curl -s http://localhost:3000/x", "curl: (7) Failed to connect to localhost port 3000",
     "curl -s --retry 5 http://localhost:3000/x"),
    ("fly deploy web", "boom", "fly deploy web --watch"), ("gh release view 1", "boom", "gh release view 1 --retry 3"),
])  # fmt: skip
def test_to_wait_until_it_works_is_no_fix(failed, error, worked):
    """`--watch` was told as "what worked": the checks were done by then."""
    assert "" == fix_of(failed, error, worked)


def test_settings_name_more_as_a_shell_would():
    """A star stands for anything."""
    assert fails_by_design(cause_of("make flaky-thing", ""), ("make flaky*",))
    assert not fails_by_design(cause_of("make ship", ""), ("make flaky*",))


@given(
    st.integers(-300, 300) | st.none(), st.integers(-5, 10**6), st.integers(-10**6, 10**6), st.booleans()
)  # fmt: skip
def test_importance_is_bounded_and_adds_up(code, count, hours, corrected):
    """Whatever the clock says: set back, the newest is simply new."""
    found = importance(code, count, NOW - timedelta(hours=hours), corrected=corrected, now=NOW)
    sum_ = 0.3 * found.severity + 0.3 * found.repetition + 0.2 * found.recency + 0.2 * found.corrected

    assert all(0 <= part <= 1 for part in found)
    assert found.total == pytest.approx(sum_)


def test_the_seeds_own_figures():
    """Exit 1 the first time is 0.32 (it was seen once); grave, repeated and corrected 0.94."""
    assert importance(1, 1, NOW, corrected=False, now=NOW).total == pytest.approx(0.09 + 0.03 + 0.2)
    assert importance(130, 10, NOW, corrected=True, now=NOW).total == pytest.approx(0.94)


def test_words_are_whole():
    """Part of a word is not the word."""
    assert holds_words(["npm", "run", "x"], ["npm", "run"])
    assert not holds_words(["pnpm", "run"], ["npm"])
    assert not holds_words(["npm"], [])


@pytest.mark.parametrize(("failed", "worked"), [
    ("xblack src tests", ".venv/bin/xblack -q src tests"),
    ("xpsql -c 'select 1'", "docker exec db xpsql -c 'select 1'"),
    ("xpsql -c 'select 1'", "docker compose exec -T web xpsql -c 'select 1'"),
    ("xconvert a.png b.jpg", "magick xconvert a.png b.jpg"), ("xbat notes.md", "cat notes.md"),
])  # fmt: skip
def test_a_missing_program_is_found_by_its_path_in_a_container_or_behind_another(failed, worked):
    """A reviewer: these fixes were lost when a word that is only an argument no longer counted."""
    assert worked == fix_of(failed, f"bash: {failed.split()[0]}: command not found", worked)


@pytest.mark.parametrize(("failed", "worked"), [
    ("xtree src", "rm -rf src"), ("xbat notes.md", "rm notes.md"), ("xbat notes.md", "git add notes.md"),
    ("xbat notes.md", "echo xbat notes.md"), ("xbat notes.md", "truncate -s0 notes.md"),
])  # fmt: skip
def test_what_removes_or_changes_a_file_does_not_do_another_program_s_work(failed, worked):
    """A reviewer: `rm notes.md` was told as what worked in the place of a missing pager."""
    assert "" == fix_of(failed, f"bash: {failed.split()[0]}: command not found", worked)


def test_an_option_that_the_error_asks_for_is_a_fix_though_it_waits():
    assert fix_of("watchd start", "required: --interval", "watchd start --interval 5")
    assert "" == fix_of("rsync -a --dry-run a b", "rsync: -a cannot be used with --dry-run", "rsync -a a b")


@pytest.mark.parametrize(("fix", "failed", "now", "fitted"), [
    ("gh pr view 5 --json state", "gh pr view 5", "gh pr view 7", "gh pr view 7 --json state"),
    ("python3 a.py", "python a.py", "python b.py", "python3 b.py"), ("npm run build", "npm run biuld", "npm run biuld",
     "npm run build"),
    ("gh pr view 5 --json state", "gh pr view 5", "gh pr view 7 --web", ""), ("make ship", "make shp", "make tst", ""),
    ("cp a a.txt a", "cp a b", "cp c b", ""),
])  # fmt: skip
def test_a_fix_is_told_with_the_arguments_of_the_command_at_hand(fix, failed, now, fitted):
    """A newcomer's trial: before `gh pr view 7` the agent was told to read pull request 5."""
    assert fitted == fitted_fix(fix, failed, now)


def test_what_a_script_ends_with_did_not_fail():
    """A newcomer's trial: `exit "$failed"` was stopped, whatever had gone wrong before it."""
    assert fails_by_design(cause_of('make; exit "$failed"', "read-only variable: status", 1))
