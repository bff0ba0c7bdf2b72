"""What the output of a command says came of it: tests that passed, a pull request, a commit."""

from __future__ import annotations

import json
import re

from tacit.text.patterns import lazy_pattern
from tacit.text.plural import plural

_READ = 20_000
_COMMAND_READ = 2_000
LEFT_OUT = "\n[…]\n"
"""Stands where the middle of an output was left out."""
# Without one of these the patterns find nothing, and to look for them is much quicker.
_WELL_WORDS = (
    "ok ", "ok\t", "ok.", "issues", "All checks passed!", "built in", "Complete!", "Successfully ran", "BUILD SUCCESS",
)  # fmt: skip
_WORDS = ("passed", "failed", "passing", "# pass ", "Total:", "Passed:", " pass\n")
_COLOUR = lazy_pattern(r"\x1b\[[\d;]*m")
# The summary of pytest, cargo, jest and vitest, mocha, scripts that count, and the runners of node and bun.
_SUMMARY = lazy_pattern(
    r"^=* ?(?=(?:\d{1,9} (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?),? )+in [\d.]+ ?s)"
    r"(?P<pytest>.*)$"
    r"|^test result: \w+\. (?P<cargo>[^\n]*)$"
    r"|^[ \t]*Tests:?\s{1,10}(?P<jest>\d{1,9} (?:failed|passed|skipped|todo)\b[^\n]*)$"
    r"|^[ \t]*(?P<mocha>\d{1,9} passing)\b[^\n]*(?:\n[ \t]*\d{1,9} pending[^\n]*)?"
    r"(?:\n[ \t]*(?P<failing>\d{1,9} failing))?"
    r"|^[^\w\n]{0,20}Total:[ \t]*\d{1,9}\s+Pass(?:ed)?:\s*(?P<total>\d{1,9})\s+Fail(?:ed)?:\s*(?P<less>\d{1,9})\s*$"
    r"|^[ \t]*Passed:[ \t]*(?P<each>\d{1,9})[ \t]*\n[ \t]*Failed:[ \t]*(?P<wrong>\d{1,9})[ \t]*$"
    r"|^# pass (?P<node>\d{1,9})\n# fail (?P<fail>\d{1,9})$|^ *(?P<bun>\d{1,9}) pass\n *(?P<less_bun>\d{1,9}) fail$",
    re.M,
)
# What checkers that count nothing print if all is well: go, golangci-lint, mypy, ruff; cargo if its count may be cut.
_SAYS_WELL = lazy_pattern(
    r"^(?:(?P<each>ok[ \t]+\S+/\S+[ \t]|test result: ok\.)"
    r"|0 issues\.|\[build\] Complete!|✓ built in |BUILD SUCCESS|Success: no issues found|All checks passed!"
    r"|[^\w\n]*Successfully ran target )",
    re.M,
)
# Checkers that print nothing if all is well, at the end of a line.
_SILENT = lazy_pattern(
    r"(?s)(?:.*(?:&&|;|\n))?\s*(?:[A-Z_]+=\S+ +)*(?:(?:npx|bunx|yarn|timeout \S+|(?:pnpm|mise) exec(?: --)?|uv run) +)*"
    r"(?:go (?:build|vet)|(?:vue-)?tsc|eslint|shellcheck|flake8|staticcheck)(?![\w-])(?:>&\d|[^|;&\n])*"
    r"(?:\|\s*(?:head|tail|cat)\b[^|;&\n]*)?"
)
_SILENT_PARTS = ("go build", "go vet", "tsc", "eslint", "shellcheck", "flake8", "staticcheck")
_NOTHING = lazy_pattern(r"\s*(?:\(?(?:Bash completed with )?no output\)?\s*)?", re.I)
_SAYS_OTHER = lazy_pattern(
    r"(?-i:\bFAIL(?:ED)?\b)|\b[1-9]\d* (?:errors?|issues?|problems?|failed)\b|error(?:\[\w+\])?:|\bpanic:"
    r"|\bELIFECYCLE\b|\bexit (?:status|code) [1-9]|\bTraceback \(|\bfatal:"
    r"|\b(?:Segmentation fault|core dumped|Aborted|Killed)\b",
    re.I,
)
# What runners print if nothing was tested, and what says that something was.
_NO_TESTS = lazy_pattern(
    r"(?m)^(?:test result: \w+\. 0 passed; 0 failed|ok[ \t]+\S+[ \t][^\n]*\[no tests to run\]"
    r"|\?[ \t]+\S+[ \t]+\[no test files\]|=* ?(?:no tests ran|\d+ deselected) in |No tests? (?:files? )?found\b)"
)
_TESTED = lazy_pattern(
    r"(?m)^test result: \w+\. (?!0 passed; 0 failed)|^ok[ \t]+\S+[ \t](?![^\n]*\[no tests)|^[ \t]*(?:--- )?FAIL\b"
    r"|\b[1-9]\d* (?:passed|failed|passing|failing|errors?)\b"
)
_NO_TESTS_WORDS = ("0 passed; 0 failed", "[no test", "no tests ran", " deselected in ", "No test", "--- SKIP")
ALL_WELL = "passed"
"""What came of a check that counts nothing and says that all is well."""
TESTS_WELL = "tests passed"
"""The same of tests: each package says so."""
NO_TESTS = "no tests ran"
COMMITTED = "committed"
"""What came of a line in which git says that it made a commit; behind it, how many files and lines are in it."""
SENT = "sent"
"""What came of a line in which git says that it sent a branch or a tag; it stands behind what else came of it."""
SENT_BY_GIT = lazy_pattern(r"(?m)^ [ +*!] ?(?:[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|\[new (?:branch|tag)\]) +\S+ +-> ")
BACKGROUND = "in the background"
"""What came of a command that runs on: nobody knows yet."""
_COMMITTED = lazy_pattern(
    r"^\[[^\]\n]{1,80} [0-9a-f]{7,40}\] (?P<subject>[^\n]+)"
    r"(?:\n(?: [^\n]*\n){0,3}? (?P<files>\d{1,6}) files? changed"
    r"(?:, (?P<added>\d{1,7}) insertions?\(\+\))?(?:, (?P<taken>\d{1,7}) deletions?\(-\))?)?",
    re.M,
)
_LOGGED = lazy_pattern(r"\A(?:[^\n]*\n){0,3}?[0-9a-f]{7,40} (?:\([^)\n]*\) )?(?P<subject>[^\n]{4,})")
_FILES_COMMITTED = lazy_pattern(rf"{COMMITTED} (\d{{1,6}}) files?\b(?:, (\d{{1,8}}) lines?\b)?")
_SUBJECT_CHARS = 30
_FAILED_FILES = lazy_pattern(r"^[ \t]*Test (?:Files|Suites):?\s{1,10}(\d{1,9}) failed\b", re.M)
# As pytest, go, cargo, vitest and jest name a test that failed.
_FAILED_TEST = lazy_pattern(
    r"(?m)^(?:FAILED (\S+::\S+)|[ \t]*--- FAIL: (\w\S*)|test (\S+) \.\.\. FAILED"
    r"|[ \t]*(?:FAIL|✗|×|✕)[ \t]+(\S[^\n]{3,}))"
)
_COUNT = lazy_pattern(r"\b(\d{1,9}) (passed|passing|failed|failing|errors?)\b")
# What stands alone on a line, or as Graphite prints it.
_OPENED = lazy_pattern(
    r"^https://\S+/(?:pull|pulls|merge_requests|issues)/(\d{1,9})[ \t]*$"
    r"|: https://(?:[^\s/]+/){1,6}(\d{1,9}) \(created\)[ \t]*$",
    re.M,
)
_CREATED = lazy_pattern(
    r"(?mi)^[^\n]{0,40}\bcreated\b[^\n]{0,40}https://\S+/(?:pull|pulls|merge_requests|issues)/(\d{1,9})[ \t]*$"
)
# Several packages are tested, and each prints a summary.
_MANY = lazy_pattern(r"\s(?:-r|--recursive|--workspaces|-ws|--all|run-many|affected)\b|\b(?:turbo|lerna|nx|rush)\b")
_CUT = lazy_pattern(r"\|\s*(?:tail|head|grep|rg|sed|awk)\b")
_WITHOUT_END = lazy_pattern(r"\|\s*(?:head|grep|rg|sed|awk)\b")
_OPENS = lazy_pattern(r"\b(?:gh|glab) (?:pr|mr|issue) create\b|\bgt (?:submit|ss|stack submit)\b")
_VIEWS_ALONE = lazy_pattern(r"(?:cd [^;&|\n]+&& *)?(?:gh|glab) (?:pr|mr|issue) view\b[^;&\n]*")
_TO_A_FILE = lazy_pattern(r">(?!&|\s*/dev/(?:stdout|stderr))|\s(?:-o|--output(?:-file)?)[ =]")
_VIEWS = lazy_pattern(r"\b(?:gh|glab) (?P<what>pr|mr|issue) view\b(?: (?:\S*/)?(?P<number>\d{1,9})\b)?")
# As gh prints it for a program, and in JSON, where what is quoted in a text has a backslash before it.
_TITLE = lazy_pattern(r"(?m)^title:[ \t]*(?P<plain>\S[^\n]*)|(?<!\\)\"title\":\s*(?P<json>\"(?:[^\"\\\n]|\\.)+\")")
_NUMBER = lazy_pattern(
    r"(?m)^number:[ \t]*(\d{1,9})|(?<!\\)\"number\":\s*(\d{1,9})|/(?:pull|issues|merge_requests)/(\d{1,9})\b"
)
_STATE = lazy_pattern(r"(?m)^state:[ \t]*(\w+)|(?<!\\)\"state\":\s*\"(\w+)\"")
SHOWN = lazy_pattern(r"(?:pull request|merge request|issue) (#\d{1,9}): .+")
"""What came of a command that showed a pull request or an issue: its number and title."""
_KINDS = {"pr": "pull request", "mr": "merge request", "issue": "issue"}
_MEANING = {"passing": "passed", "failing": "failed", "error": "errors"}


def counted_tests(command: str, output: str) -> str:
    """Return the counts of the only summary in an output; empty if there is none, or one of several may be cut."""
    if not any(map(output.__contains__, _WORDS)) or _MANY.search(command):
        return ""
    plain = _COLOUR.sub("", output[-_READ:])
    found = list(_SUMMARY.finditer(plain))
    if len(found) != 1:
        return ""
    groups = found[0].groupdict(default="")
    # It prints a summary for each crate; what was cut may have had another.
    if groups["cargo"] and (len(output) > _READ or LEFT_OUT in output or _CUT.search(command)):
        return ""
    if passed := groups["node"] or groups["total"] or groups["each"] or groups["bun"]:
        failed = groups["fail"] or groups["less"] or groups["wrong"] or groups["less_bun"]
        return _told({"passed": int(passed), "failed": int(failed)})
    counted = _COUNT.findall(" ".join(groups.values()))
    counts = {_MEANING.get(what, what): int(many) for many, what in sorted(counted, key=lambda one: one[1][0] != "p")}
    # A file that could not be loaded has no tests to count.
    if not counts.get("failed") and (files := _FAILED_FILES.search(plain)):
        return ", ".join(filter(None, (_told(counts), f"{plural(int(files[1]), 'test file')} failed")))
    return _told(counts)


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{many} {what}" for what, many in counts.items() if many)


def result_of(command: str, output: str, ok: bool | None = True) -> str:
    """Return what came of a command in a few words; empty if its output does not say it."""
    done = _done(command, output, ok)
    may_tell = done.startswith((COMMITTED, "#")) or not done
    is_sent = may_tell and " push" in command and SENT_BY_GIT.search(output[-_READ:])
    return f"{done}{', ' if done else ''}{SENT}" if is_sent else done


def _done(command: str, output: str, ok: bool | None) -> str:
    opens = (" create" in command or "gt s" in command) and _OPENS.search(command)
    if opens and "already exists" not in output and (number := _opened(output)):
        return f"#{number}"
    shown = _shown(command, output)
    # What a pull request says is not what a check beside it printed.
    if shown and _VIEWS_ALONE.fullmatch(command):
        return shown
    if any(map(output.__contains__, _NO_TESTS_WORDS)) and _tested_nothing(output[-_READ:]):
        return NO_TESTS
    if counted := counted_tests(command, output):
        return f"{counted}{_first_failed(output)}" if "failed" in counted else counted
    # Of silence the exit code says whether all is well, and what was written to a file nobody sees.
    if well := _well(command, output[-_READ:], is_silence_good=bool(ok) and not _TO_A_FILE.search(command)):
        return well
    if shown:
        return shown
    printed = _COMMITTED.search(output[:_READ]) if "commit" in command else None
    if not printed or printed["subject"].strip()[:_SUBJECT_CHARS] not in command:
        # Quiet, and then asked for the log.
        logged = _LOGGED.search(output[:_READ]) if "git commit" in command.partition("git log")[0] else None
        subject = logged["subject"].strip() if logged and "nothing to commit" not in output[:_READ] else ""
        return COMMITTED if subject and any(f"{mark}{subject}" in command for mark in "\"'\n") else ""
    if not printed["files"]:
        return COMMITTED
    lines = int(printed["added"] or 0) + int(printed["taken"] or 0)
    size = f", {plural(lines, 'line')}" if lines else ""
    return f"{COMMITTED} {plural(int(printed['files']), 'file')}{size}"


def _opened(output: str) -> str:
    """Return the number of the pull request or issue that an output says was opened; empty if it says none."""
    if opened := _OPENED.search(output):
        return opened[1] or opened[2]
    # A program around gh says more on the line; with two addresses nobody knows which one is new.
    named = {found[1] for found in _CREATED.finditer(output)}
    return named.pop() if len(named) == 1 else ""


def _tested_nothing(output: str) -> bool:
    """Return whether a test runner says that it found no test to run."""
    plain = _COLOUR.sub("", output)
    is_skipped = "--- SKIP" in plain and "--- PASS" not in plain and "--- FAIL" not in plain
    return is_skipped or (bool(_NO_TESTS.search(plain)) and not _TESTED.search(plain))


def _shown(command: str, output: str) -> str:
    """Return the pull request or issue that a command showed, with its title; empty if it showed none."""
    asked = _VIEWS.search(command) if " view" in command else None
    # A milestone has a title too.
    title = _TITLE.search(output[:_READ]) if asked and "milestone" not in command else None
    number = asked and (asked["number"] or next(filter(None, _found(_NUMBER, output[:_READ])), ""))
    if asked is None or title is None or not number:
        return ""
    # Redacted before it is cut: half a secret would not be recognised.
    named = " ".join((title["plain"] or _plain(title["json"])).split())
    state = next(filter(None, _found(_STATE, output[:_READ])), "").lower()
    ended = f" ({state})" if state in ("merged", "closed") else ""
    return f"{_KINDS[asked['what']]} #{number}: {named}{ended}" if named else ""


def _found(pattern: re.Pattern[str], text: str) -> tuple[str | None, ...]:
    found = pattern.search(text)
    return found.groups() if found else ()


def _plain(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return ""


def files_committed(result: str) -> int:
    """Return how many files are in the commit that came of a command; 0 if that is not known."""
    found = _FILES_COMMITTED.match(result)
    return int(found[1]) if found else 0


def lines_committed(result: str) -> int:
    """Return how many lines the commit that came of a command adds and takes away; 0 if that is not known."""
    found = _FILES_COMMITTED.match(result)
    return int(found[2] or 0) if found else 0


def _first_failed(output: str) -> str:
    """Return the name of the first test that failed, in brackets; empty if none is named."""
    found = _FAILED_TEST.search(_COLOUR.sub("", output[-_READ:]))
    return f" ({next(filter(None, found.groups())).strip()})" if found else ""


def _well(command: str, output: str, *, is_silence_good: bool) -> str:
    """Return that all is well if an output says so, and nothing else."""
    if _NOTHING.fullmatch(output):
        is_silent = is_silence_good and any(map(command.__contains__, _SILENT_PARTS)) and "/dev/null" not in command
        return ALL_WELL if is_silent and _SILENT.fullmatch(command[:_COMMAND_READ]) else ""
    says = _SAYS_WELL.search(output) if any(map(output.__contains__, _WELL_WORDS)) else None
    if says is None or _SAYS_OTHER.search(_COLOUR.sub("", output)):
        return ""
    # Go and cargo print a line for each package, and at the end whether one failed.
    if says["each"]:
        return "" if _WITHOUT_END.search(command) else TESTS_WELL
    return ALL_WELL
