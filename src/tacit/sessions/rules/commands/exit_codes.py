"""What a reported outcome means: an exit code that is an answer is no failure, and what runs on has no end."""

from __future__ import annotations

from tacit.failures.rules.causes import own_lines
from tacit.failures.rules.line_parts import PREPARATION, LinePart, meant_parts
from tacit.model.record import replace
from tacit.model.session import ToolOutcome
from tacit.shell.programs.printing import PRINTING, PRINTING_GIT
from tacit.text.patterns import lazy_pattern

# With this exit code they say that files differ, that nothing was found, or that something is not so.
_ANSWER = 1
_ANSWERING = frozenset({"diff", "cmp", "grep", "egrep", "fgrep", "rg", "ag", "test", "[", "[[", "comm", "pgrep"})
_ANSWERING_GIT = frozenset({"diff", "grep", "merge-base", "show-ref", "check-ignore", "diff-index", "diff-tree"})
_WRONG = lazy_pattern(r"(?im)^(?:error|fatal|usage)\b:|^(?![-+<> ]).{0,200}\b(?:no such file|permission denied)")
_GOES_ON = lazy_pattern(
    r"\ACommand (?:is )?(?:running|was manually)\b[^\n]{0,40}\bbackground(?:ed)?\b[^\n]{0,40}\bwith ID\b"
)
# As agents say it, behind what was printed until then or before it.
_TIMED_OUT = lazy_pattern(
    r"(?m)^(?:bash|shell) tool terminated command after exceeding timeout (?P<ms>\d{1,9} ms)"
    r"|^(?:Error: )?Command timed out after "
    r"(?P<time>\d[\d.]*(?: ?m(?:s|in)?\b| ?s\b| seconds| minutes)(?: [\d.]+ ?s\b)?)"
)
_END_READ = 400


def meant_outcome(command: str, outcome: ToolOutcome) -> ToolOutcome:
    """Return an outcome as it is meant: without a failure that is an answer, and without an end that nobody knows."""
    if goes_on(outcome.output):
        return replace(outcome, ok=None, exit_code=None)
    if timed_out(outcome.output):
        return replace(outcome, ok=False, exit_code=None)
    if outcome.ok is False and outcome.exit_code == _ANSWER and not outcome.refused and _answers(command, outcome):
        return replace(outcome, ok=True)
    return outcome


def goes_on(output: str) -> bool:
    """Return whether a command was put into the background: how it ended is not known."""
    return output.startswith("Command ") and bool(_GOES_ON.match(output))


def timed_out(output: str) -> str:
    """Return after what time an agent ended a command that took too long; empty if it did not."""
    said = _TIMED_OUT.search(output[-_END_READ:])
    return f"timed out after {said['ms'] or said['time']}" if said else ""


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
