"""What failed, what is a fix of it, and what fails by design."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from tacit.failures.rules.failure_and_fix import failing_part, holds_words, importance, is_fix, is_ignored

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("failed", "worked", "error"),
    [("npm run biuld", "npm run build", ""), ("npm install x", "bun install x", ""), ("pythn x.py", "python x.py", ""),
     ("git comit -m x", "git commit -m x", ""), ("apt install foo", "sudo apt install foo", ""),
     ("npm install", "npm install --legacy-peer-deps", ""), ("pip install foo", "pip install foo==1.2", ""),
     ("docker build .", "docker build --no-cache .", ""), ("make deploy", "make deploy ENV=prod", "ENV is missing"),
     ("kubectl get pod -n wbe", "kubectl get pod -n web", ""), ("gti status", "git status", "sh: gti: not found"),
     ("git push", "git push -u origin main", "fatal: no upstream branch"), ("alembic up", "uv run alembic up", "")],
)  # fmt: skip
def test_fixes(failed, worked, error):
    """The same thing spelt better, with other flags, with what was left out, or by another program."""
    assert is_fix(failed, worked, error)


@pytest.mark.parametrize(
    ("failed", "worked"),
    [("npm run build", "npm run lint"), ("pip install foo", "pip install bar"), ("make", "make clean"),
     ("git checkout main", "git checkout -b x"), ("kubectl get pods -n web", "kubectl get nodes"),
     ("cat notes.txt", "touch notes.txt"), ("node app.js", "eslint app.js"), ("make install", "make uninstall"),
     ("git checkout v1", "git checkout v2"), ("deploy target-a", "deploy target-b"),
     ("npm run start", "npm run restart"),
     ("git push origin main", "git pull origin main"), ("npm install", "npm install left-pad"), ("x y", "echo x y"),
     ("cargo build", "git status"), ("npm", "npm run build"), ("git push", "git status"), ("", "x"), ("x", "x")],
)  # fmt: skip
def test_no_fixes(failed, worked):
    """Another target, another file, the opposite, or just anything that came next."""
    assert not is_fix(failed, worked)


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_two_lines_can_be_compared(failed, worked, error):
    """Whatever they are; and nothing mends itself."""
    assert is_fix(failed, worked, error) in (True, False)
    assert not is_fix(failed, failed, error)


@pytest.mark.parametrize(
    ("command", "ignored"),
    [("ls -la", True), ("lsof -i :80", False), ("[ -f x ]", True), ("agda x", False), ("pytest", True),
     ("pytest-watch", False), ("npm test:unit", True), ("test -f x", True), ("grepx y", False), ("findmnt", False),
     ("typeset x", False), ("killall x", True), ("make testdata", True), ("cargo test --all", True),
     ("make ship", False)],
)  # fmt: skip
def test_what_fails_by_design_is_whole_words(command, ignored):
    """`ls` is ignored, `lsof` is not."""
    assert ignored == is_ignored(command)


def test_settings_name_more_as_a_shell_would():
    """A star stands for anything."""
    assert is_ignored("make flaky-thing", ("make flaky*",))
    assert not is_ignored("make ship", ("make flaky*",))


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


def test_blame_and_words():
    """Part of a chain, whole words only."""
    assert "npm ci" == failing_part("cd app && npm ci", "npm error").text
    assert failing_part("") is None
    assert holds_words(["npm", "run", "x"], ["npm", "run"])
    assert not holds_words(["pnpm", "run"], ["npm"])
    assert not holds_words(["npm"], [])
