"""How the commands of a session that test, check or build ended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tacit.failures.rules.causes import cause_of
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.check_commands import STARTING, Check, checks_in
from tacit.sessions.rules.check_families import covers, family_of, named_files
from tacit.sessions.rules.commands.command_results import ALL_WELL, NO_TESTS, TESTS_WELL
from tacit.sessions.rules.commands.commits import commits_in
from tacit.sessions.rules.commands.line_commands import shortened_command
from tacit.sessions.rules.kept_turns import REFUSED
from tacit.sessions.rules.own_words import shortened, with_short_names
from tacit.text.patterns import lazy_pattern

PASSED = " passed"
NOT_AGAIN = ", not run again"
_FAILED, _SHOWED = " failed", " showed an error"
_BAD = (_FAILED, _SHOWED)
_MOST_RED = 3
_LOOKED_BACK = 50
"""Once a test was found, checks are looked for among so many of the last commands."""
_REASON_CHARS = 100
_PASSED_COUNT = lazy_pattern(r"(\d{1,9}) passed")
_COUNTS = lazy_pattern(r"\d{1,9} (?:passed|failed|errors|test files? failed)\b")
_BROADER = 3
"""A run with more than so many times the tests of the last one is told beside it."""
# What such an error says is about the command, not about the work: another command is its fix.
OF_THE_COMMAND = frozenset(
    {"program", "module", "option", "value", "subcommand", "script", "path", "syntax", "glob", "auth"}
)
# Run in another folder than the one it is for.
_ELSEWHERE = lazy_pattern(
    r"go mod init|go\.mod file not found|cannot find main module|build output \S+ already exists"
    r"|does not contain (?:main )?module|package\.json|Cargo\.toml"
)
# The folder in which a check was to run was not entered, so nothing ran.
NOT_ENTERED = lazy_pattern(r"\Azoxide: |\bcd: ")
# PowerShell runs nothing of such a line.
_NOT_UNDERSTOOD = lazy_pattern(r"not a valid statement separator")
# A sandbox or a full disk kept it from being run.
_NO_ACCESS = lazy_pattern(r"/\S*: (?:operation not permitted|read-only file system|no space left on device)\b", re.I)
_ELSEWHERE_RUN = lazy_pattern(r"\b(?:ssh|docker|podman|kubectl) ")
_OF_A_SHELL = lazy_pattern(r"\A(?:\S*/)?(?:ba|z|da|fi|k)?sh(?:\.exe)?:|\A\(eval\):|: line \d+: |parse error near")
# What a check prints that failed, though its exit code is not known or is that of another command.
_SAYS_FAILED = lazy_pattern(r"\A(?:--- )?FAIL\b|\A✖ |\berror TS\d+:|\bELIFECYCLE\b")
# What such an error begins with, which says no more than that.
_MARK = lazy_pattern(r"\A(?:FAIL: |FAIL (?=[^:]{1,80}: )|✖ |ELIFECYCLE (?!Command))")
# What an output ends with if nothing in it is an error.
_NO_REASON = lazy_pattern(
    r"\W*|(?:fail(?:ed|ures?)?|errors?)\W*|\W*(?:ELIFECYCLE|error)?\W*(?:command|process)\b.{0,30}\bexit co\w*\W*\d*\W*"
    r"|\(no output\)|[✓✔☑ℹ✅].*|(?:ok|pass(?:ed)?|info)\b.*",
    re.I,
)


class EndedCheck(NamedTuple):
    """A check, and in words how it ended."""

    turn: KeptTurn
    command: str
    ended: str

    @property
    def result(self) -> str:
        """How it ended, without why: `passed`, `failed`, or the counts of its tests; empty if nobody knows."""
        if self.ended.startswith(": "):
            counts = self.ended[2:].removesuffix(NOT_AGAIN).partition(" (")[0]
            return counts + (NOT_AGAIN if self.ended.endswith(NOT_AGAIN) else "")
        if self.ended.startswith(_SHOWED):
            return _SHOWED.strip()
        if self.ended.startswith(_FAILED):
            return f"failed{NOT_AGAIN if self.ended.endswith(NOT_AGAIN) else ''}"
        return "passed" if self.ended == PASSED else ""


def last_checks(commands: Sequence[KeptTurn], made: Iterable[KeptTurn], most_tests: int = 1) -> list[EndedCheck]:
    """Return how the last tests, one that failed and was not run again, and the last check ended, in their order.

    One that was kept from running is none.
    """
    committed = max((turn.number for turn in made if commits_in(turn.command)), default=-1)
    ran: list[_Run] = []
    counted: list[KeptTurn] = []
    again: set[str] = set()
    worked: list[str] = []
    has_test = False
    for place in range(len(commands) - 1, -1, -1):
        if has_test and place < len(commands) - _LOOKED_BACK:
            break
        turn = commands[place]
        checks = checks_in(turn.command)
        if _counts(turn) and not checks:
            counted.append(turn)
        for check in reversed(checks):
            # At the end of a long line it was run again.
            now = next((one for one in counted if check.counts and check.command in one.command), turn)
            subject = _subject(check.command)
            if subject in again or _is_void(now, check, subject, worked):
                continue
            ran.append(run := _Run(now, check, turn.number < committed))
            has_test = has_test or run.is_test
            # One that was called in a wrong way says nothing of the runs before it.
            again |= {subject} if now.ok is not False or not _misused(now) else set()
        worked += [turn.command] if turn.ok and not checks and len(worked) < _LOOKED_BACK else []
    return _told(ran, commands, most_tests)


class _Run(NamedTuple):
    """The last run of a check, and whether something was committed after it."""

    turn: KeptTurn
    check: Check
    before_commit: bool

    @property
    def is_test(self) -> bool:
        return self.check.is_test and not self.is_left

    @property
    def is_red(self) -> bool:
        """Whether it failed, or showed an error, and is not one that was called in a wrong way."""
        return self.is_bad and not _misused(self.turn)

    @property
    def is_bad(self) -> bool:
        """Whether it failed, or showed an error."""
        if self.turn.ok is False:
            return self.check.fails and bool(self.ended)
        # A test whose exit code nobody knows was often run on purpose to see it fail.
        is_plain = not self.turn.result and not self.check.is_test
        return is_plain and self.ended.startswith(_BAD)

    @property
    def is_left(self) -> bool:
        """Whether it failed before a commit: what it found is perhaps mended by that, and nobody looked."""
        return self.turn.ok is False and self.before_commit and not (self.check.counts and _counts(self.turn))

    @property
    def family(self) -> str:
        return family_of(self.check.command, is_test=self.check.is_test)

    @property
    def ended(self) -> str:
        return _ended(self.turn, self.check)

    @property
    def passed(self) -> int:
        """How many tests passed, if its output counts them and none failed."""
        counted = _PASSED_COUNT.fullmatch(self.turn.result) if self.check.counts else None
        return int(counted[1]) if counted else 0


def _told(ran: Sequence[_Run], commands: Sequence[KeptTurn], most_tests: int) -> list[EndedCheck]:
    """Return the last tests, one that failed, and the last check, in the order in which they were run."""
    ran = [one for one in ran if not (one.is_red and _ran_elsewhere(one, commands))]
    # What was perhaps looked at again under another name does not stand as it was.
    red = [one for place, one in enumerate(ran) if one.is_red and not any(_covers(run, one) for run in ran[:place])]
    red = list({one.family: one for one in reversed(red)}.values())[::-1]
    red = [*[one for one in red if not one.before_commit][:_MOST_RED], *[one for one in red if one.before_commit][:1]]
    # That a check was run says little; often a later line says how it ended.
    all_ran, ran = ran, [one for one in ran if one.ended]
    # A command that was called in a wrong way checked nothing.
    last = [one for one in ran if not one.is_left]
    last = [one for one in last if one.turn.ok is not False or not _misused(one.turn)] or last
    tests = [one for one in last if one.is_test]
    others = [one for one in last if not one.is_test and (one is last[0] or one.ended == PASSED)]
    # A few tests at the end say less than the many before them.
    broadest = max(tests, key=lambda one: one.passed, default=None)
    broad = [broadest] if broadest and broadest.passed > _BROADER * tests[0].passed else []
    chosen = [*tests[:most_tests], *broad, *red[:_MOST_RED], *(others or last)[:1]]
    told: dict[str, EndedCheck] = {}
    for one in sorted(chosen, key=lambda one: one.turn.number):
        command = _checked(one.turn, one.check)
        later = (run for run in all_ran if run.turn.number > one.turn.number)
        is_last = one.is_red and one.before_commit and not any(_is_of_same(run, one) for run in later)
        ended = f"{one.ended}{NOT_AGAIN if is_last else ''}"
        told.setdefault(f"{command}{ended}", EndedCheck(one.turn, command, ended))
    return list(told.values())


def _covers(later: _Run, red: _Run) -> bool:
    """Return whether a later check, which did not fail, perhaps looked at what an earlier one found."""
    is_well = later.turn.ok is not False and not later.is_bad
    return is_well and covers(later.check.command, later.family, red.check.command, red.family)


def _ran_elsewhere(red: _Run, commands: Sequence[KeptTurn]) -> bool:
    """Return whether what a check did was done afterwards on another machine, where it did not fail."""
    subject = _subject(red.check.command)
    later = (one for one in commands if one.number > red.turn.number and one.ok is not False and not one.error)
    return any(subject in one.command and _ELSEWHERE_RUN.search(one.command) for one in later)


def _is_of_same(later: _Run, earlier: _Run) -> bool:
    """Return whether a later check, however it ended, looked at what an earlier one did, or at one of its files."""
    one, other = later.check.command, earlier.check.command
    return covers(one, later.family, other, earlier.family) or not named_files(one).isdisjoint(named_files(other))


def _is_void(turn: KeptTurn, check: Check, subject: str, later: Sequence[str]) -> bool:
    """Return whether a check says nothing: no test ran, it was kept from running, or what it found was formatted."""
    if check.is_test and turn.result == NO_TESTS:
        return True
    kept_out = any(why.search(turn.error) for why in (REFUSED, NOT_ENTERED, _NOT_UNDERSTOOD))
    # What counts its tests ran them.
    kept_out = kept_out or (not _counts(turn) and bool(_NO_ACCESS.search(turn.error)))
    return turn.ok is False and (kept_out or _formats(check, subject, later))


def _formats(check: Check, subject: str, later: Sequence[str]) -> bool:
    """Return whether a formatter that only checked was run afterwards."""
    return check.only_looks and any(subject in line for line in later)


def _counts(turn: KeptTurn) -> bool:
    """Return whether the output of a command counts tests."""
    return bool(_COUNTS.match(turn.result))


def _misused(turn: KeptTurn) -> bool:
    """Return whether a command failed by the way it was called, which says nothing of the work."""
    cause = cause_of(turn.command, turn.error, turn.exit_code)
    if cause is not None and cause.kind == "syntax" and not cause.name:
        # It is the code that a check finds wrong, unless a shell says so.
        return bool(_OF_A_SHELL.search(turn.error))
    return bool(_ELSEWHERE.search(turn.error)) or (cause is not None and cause.kind in OF_THE_COMMAND)


def _subject(command: str) -> str:
    """Return the beginning of a command: what it checks, without how, and without what starts it."""
    words = [word for word in command.split() if not word.startswith("-") and "=" not in word]
    while len(words) > 1 and words[0] in STARTING:
        words = words[1:]
    return " ".join([words[0].rpartition("/")[2], *words[1:3]]) if words else ""


def _checked(turn: KeptTurn, check: Check) -> str:
    # If something else may have failed, it is the line that did.
    is_own = turn.ok is not False or check.fails or check.searched or (check.counts and _counts(turn))
    return check.command if is_own else shortened_command(turn.command)


def _ended(turn: KeptTurn, check: Check) -> str:
    """Return how a check ended, that it passed only by an exit code of its own; empty if that is not known."""
    if check.counts and _counts(turn):
        # It failed for another reason than a test.
        is_else = turn.ok is False and check.fails and "failed" not in turn.result and "error" not in turn.result
        return f" failed{why_failed(turn)}" if is_else else f": {turn.result}"
    # Each package says so by itself: of a run that was perhaps stopped the rest is not known.
    is_tested = turn.result == TESTS_WELL and turn.ok is not None and (check.alone or check.counts)
    is_well = is_tested or (check.alone and turn.result == ALL_WELL)
    if is_well and turn.ok is not False and not turn.error:
        return PASSED
    if check.alone and turn.ok is not False and _SAYS_FAILED.search(turn.error):
        return f" failed{why_failed(turn)}"
    if check.searched or (turn.ok is None and not turn.error):
        return ""
    if turn.ok is not False and turn.error:
        # Whether it went on is not known; what else is on its line may have said it.
        return f"{_SHOWED}{why_failed(turn)}" if check.alone and check.fails and not _misused(turn) else ""
    if not turn.ok:
        # What a formatter prints is the code that it would change.
        return " failed" if check.only_looks else f" failed{why_failed(turn)}"
    if not check.passes:
        return ""
    if turn.exit_code == 0:
        return PASSED
    # Tests that ran say so.
    return "" if check.is_test else ", no error reported"


def why_failed(turn: KeptTurn) -> str:
    """Return the error of a command in brackets, if it says why."""
    why = _MARK.sub("", turn.error, count=1)
    return "" if _NO_REASON.fullmatch(why) else f" ({shortened(with_short_names(why), _REASON_CHARS)})"
