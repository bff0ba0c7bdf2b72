"""What a reported outcome means: an exit code that is an answer is no failure, and what runs on has no end."""

from __future__ import annotations

from tacit.failures.rules.causes import own_lines
from tacit.failures.rules.line_parts import PREPARATION, LinePart, meant_parts
from tacit.failures.rules.timed_out import timed_out
from tacit.model.record import replace
from tacit.model.session import ToolOutcome
from tacit.shell.programs.printing import PRINTING, PRINTING_GIT
from tacit.text.patterns import lazy_pattern

# With this exit code they say that files differ, that nothing was found, or that something is not so.
_ANSWER = 1
_ANSWERING = frozenset({"diff", "cmp", "grep", "egrep", "fgrep", "rg", "ag", "test", "[", "[[", "comm", "pgrep"})
_ANSWERING_GIT = frozenset({"diff", "grep", "merge-base", "show-ref", "check-ignore", "diff-index", "diff-tree"})
_WRONG = lazy_pattern(r"(?im)^(?:error|fatal|usage)\b:|^(?![-+<> ]).{0,200}\b(?:no such file|permission denied)")
_PRINTS = lazy_pattern(r"\bgit (?:-[cC] \S+ )*(?:commit|push)\b|\bgh (?:pr|issue|release) create\b")
_QUIET = lazy_pattern(r"\s-(?:-quiet|[a-z]*q[a-z]*)\b|>|\|")
_GOES_ON = lazy_pattern(
    r"\ACommand (?:is )?(?:running|was manually)\b[^\n]{0,40}\bbackground(?:ed)?\b[^\n]{0,40}\bwith ID\b"
)


def meant_outcome(command: str, outcome: ToolOutcome) -> ToolOutcome:
    """Return an outcome as it is meant: without a failure that is an answer, and without an end that nobody knows."""
    if goes_on(outcome.output):
        return replace(outcome, ok=None, exit_code=None)
    if outcome.ok and outcome.exit_code is None and not outcome.output.strip() and _says_something(command):
        return replace(outcome, ok=None)
    if outcome.exit_code != 0 and timed_out(outcome.output):
        return replace(outcome, ok=False, exit_code=None)
    if outcome.ok is False and outcome.exit_code == _ANSWER and not outcome.refused and _answers(command, outcome):
        return replace(outcome, ok=True)
    return outcome


def _says_something(command: str) -> bool:
    """Return whether a line prints something if it is run, so that without an output nobody knows its outcome."""
    return bool(_PRINTS.search(command)) and not _QUIET.search(command)


def goes_on(output: str) -> bool:
    """Return whether a command was put into the background: how it ended is not known."""
    return output.startswith("Command ") and bool(_GOES_ON.match(output))


def _answers(command: str, outcome: ToolOutcome) -> bool:
    """Return whether a line only looks, and its last command answers with an exit code."""
    parts = meant_parts(command)
    if not parts or not _is_answer(parts[-1]) or not all(map(_only_prints, parts)):
        return False
    return not own_lines(parts, outcome.output) and not _WRONG.search(outcome.output)


def _is_answer(part: LinePart) -> bool:
    return part.name in _ANSWERING or (part.name == "git" and part.subcommand in _ANSWERING_GIT)


def _only_prints(part: LinePart) -> bool:
    is_git = part.name == "git" and part.subcommand in PRINTING_GIT | _ANSWERING_GIT
    return is_git or part.name in PRINTING or part.name in _ANSWERING or part.name in PREPARATION
