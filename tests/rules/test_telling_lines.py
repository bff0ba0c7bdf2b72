"""Of a failed command the line is kept that says what went wrong, not a header, a count, a usage or a greeting."""

import re

import pytest
from hypothesis import given, strategies as st

from tacit.failures.rules import telling_lines
from tacit.failures.rules.causes import cause_of
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.kept_turns import kept_turns

from .test_recap import told

VITEST = """ ❯ src/till.test.ts (19 tests | 1 failed) 17ms
     × handles NaN 2ms
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
 FAIL  src/till.test.ts > price > handles NaN
AssertionError: expected '$NaN' to be 'NaN' // Object.is equality
 Test Files  1 failed | 2 passed (3)
      Tests  1 failed | 28 passed (29)"""
GO = """--- FAIL: TestTill (0.00s)
    till_test.go:87: commit: cannot auto-sign commit: disable commit.gpgSign
FAIL
FAIL\tshop.example/till\t0.1s
FAIL"""
GO_AS_IT_RUNS = """=== RUN   TestBox
    box_test.go:4: opening box 4
--- PASS: TestBox (0.00s)
=== RUN   TestTill
    till_test.go:9: opening till 3
    till_test.go:12: total = 5, want 4
--- FAIL: TestTill (0.00s)
FAIL"""
TESTIFY = """--- FAIL: TestTill (0.00s)
    --- FAIL: TestTill/refunds (0.00s)
        till_test.go:12:
            Error Trace:\t/w/till_test.go:12
            Error:      \tNot equal: expected: 1, actual: 2
FAIL"""
RUST = """thread 'till::tests::adds' (41) panicked at src/till.rs:9:5:
assertion `left == right` failed
  left: 3
test result: FAILED. 12 passed; 1 failed; 0 ignored"""
ESLINT = """/w/src/till.ts
  47:15  error  Unexpected token {

✖ 1 problem (1 error, 0 warnings)"""
BIOME = """src/till.ts:3:5 lint/style/useConst  FIXABLE  ━━━━━━━━━━

  × This let declares a variable that is only assigned once.

Found 1 error."""
ASTRO = """Error fetching the feed: Error: getaddrinfo ENOTFOUND feed.example
12:00:01 [ERROR] [build] Caught error rendering /box.png: TypeError: fetch failed
  Stack trace:

  Caused by:
  getaddrinfo ENOTFOUND cdn.example
    at GetAddrInfoReqWrap.onlookupall (node:dns:122:26)
[ELIFECYCLE] Command failed with exit code 1."""


def kept(command: str, output: str, *, ok: bool = False, code: int | None = 1) -> str:
    turn = Turn(
        role="assistant",
        tool=ToolCall(name="Bash", kind="shell", command=command),
        outcome=ToolOutcome(ok=ok, output=output, exit_code=None if ok else code),
    )
    (found,) = kept_turns([turn], "t", "a", str)
    return found.turn.error


@pytest.mark.parametrize(("command", "output", "error"), [
    ("npm run test", VITEST, "FAIL handles NaN: AssertionError: expected '$NaN' to be 'NaN' // Object.is equality"),
    ("npm run test", VITEST[: VITEST.index(" FAIL ")], "FAIL: handles NaN"),
    ("go test ./...", GO, "FAIL TestTill: commit: cannot auto-sign commit: disable commit.gpgSign"),
    ("go test -v ./...", GO_AS_IT_RUNS, "FAIL TestTill: total = 5, want 4"),
    ("go test ./...", TESTIFY, "FAIL TestTill/refunds: Not equal: expected: 1, actual: 2"),
    ("cargo test", RUST, "FAIL till::tests::adds: assertion `left == right` failed"),
    ("npm run lint", ESLINT, "/w/src/till.ts:47:15 error Unexpected token {"),
    ("npx biome check", BIOME, "src/till.ts:3:5: This let declares a variable that is only assigned once."),
    ("npm run test", "\n> vitest run\n\nNo test files found, exiting with code 1\n\ninclude: src/**\nexclude:  **/x/**",
     "No test files found, exiting with code 1"),
    ("sleep 2 echo", "sleep: invalid time interval 'echo'\nTry 'sleep --help' for more information.",
     "sleep: invalid time interval 'echo'"),
    ("till --json -v", "Error: one format at a time\n\nUSAGE:\n  till [--json]", "Error: one format at a time"),
    ("pnpm lint", 'undefined\n[ERR_PNPM_X] Command "eslint" not found\n\nDid you mean "pnpm exec oxlint"?',
     '[ERR_PNPM_X] Command "eslint" not found'),
    ("go build ./...", "# shop.example/till\ntill.go:9:2: undefined: box\nFAIL\tshop.example/till [build failed]",
     "till.go:9:2: undefined: box"),
    ("mise run lint", "till.go:9:2: unused box (errcheck)\n1 issues:\n[lint] ERROR task failed",
     "till.go:9:2: unused box (errcheck)"),
    ("python -m pytest -q", "E   TypeError: no till\n=== 1 failed in 0.17s ===", "TypeError: no till"),
    ("mypy src", 'till.py:9: error: "Till" has no box\nFound 1 error in 1 file', 'till.py:9: error: "Till" has no box'),
    ("python till.py", "  File \"b.py\", li\nne 3, in get\n\n    raise KeyError(key) from err\nKeyError: 'box'",
     "KeyError: 'box'"),
    ("ssh till uptime", "Ubuntu 24.04.4 LTS", ""),
])  # fmt: skip
def test_the_line_is_kept_that_says_what_went_wrong(command, output, error):
    """A newcomer and a judge saw headers, counts, usages, hints and a greeting as errors."""
    assert error == kept(command, output)


def test_a_test_that_shows_code_has_its_summary():
    output = 'def test_box():\n    """The box must not be empty."""\n    assert box.items == 3\n1 failed in 0.2s'

    assert "1 failed in 0.2s" == kept("pytest -q", output)


@pytest.mark.parametrize(("command", "output", "error"), [
    ("pnpm build 2>&1 | tail -40", ASTRO, "ELIFECYCLE getaddrinfo ENOTFOUND cdn.example"),
    ("go test ./... 2>&1 | tail", GO, "FAIL TestTill: commit: cannot auto-sign commit: disable commit.gpgSign"),
    ("npx eslint . | tail", ESLINT, "✖ /w/src/till.ts:47:15 error Unexpected token {"),
    ("till add --help | head", "Usage: till add [NAME]\n  NAME  that does not exist", "Usage: till add [NAME]"),
])  # fmt: skip
def test_behind_a_pipe_the_output_says_why(command, output, error):
    assert error == kept(command, output, ok=True)


def test_a_recap_tells_why_without_marks():
    """Judged: `pnpm build` failed, without a cause."""
    turn = Turn(
        role="assistant",
        tool=ToolCall(name="Bash", kind="shell", command="pnpm build 2>&1 | tail -40"),
        outcome=ToolOutcome(ok=True, output=ASTRO),
    )

    assert ("Checked: `pnpm build` failed (getaddrinfo ENOTFOUND cdn.example)",) == told(turn).failed


def test_another_line_of_an_error_has_the_same_key():
    """Failures are found again by the command that is blamed."""
    counted = cause_of("npm ci && till check", "till: box 3\nFound 2 errors.")
    said = cause_of("npm ci && till check", "till: box 3\nsrc/a.ts: error TS1: no box\nFound 2 errors.")

    assert (counted.key, "src/a.ts: error TS1: no box") == (said.key, said.line)


@given(st.text(st.sampled_from("aE:1 ./(\n[]×❯|─FAIL>-"), max_size=400))
def test_any_output_has_a_line_or_none(output):
    lines = output.splitlines()
    line = telling_lines.telling_line(lines)

    assert not line or re.search(r"\w", line)
