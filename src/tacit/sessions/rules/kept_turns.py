"""What is kept of a session's turns: prompts, answers, commands with how they ended, and files that were written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from tacit.failures.rules.causes import cause_of, clean_lines, hidden_cause
from tacit.failures.rules.line_parts import meant_parts
from tacit.failures.rules.telling_lines import (
    failed_test,
    is_greeting,
    is_mute,
    last_told,
    telling_lines,
    thrown_lines,
    without_mark,
)
from tacit.failures.rules.timed_out import timed_out
from tacit.failures.rules.worked_next import LOOKING
from tacit.model.payload import KeptTurn
from tacit.model.record import replace
from tacit.model.session import AskedBy, ToolOutcome, Turn
from tacit.sessions.rules.commands.command_results import BACKGROUND, SENT_BY_GIT, result_of
from tacit.sessions.rules.commands.exit_codes import goes_on, meant_outcome
from tacit.sessions.rules.commands.git_log import logged
from tacit.sessions.rules.commands.git_status import git_status, gone_files
from tacit.sessions.rules.own_words import PROGRAM, shortened
from tacit.sessions.rules.private_span import PrivateSpan
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part

MOST_CHARS = 4_000
"""How much of one turn is kept."""
_ERROR_CHARS = 300
_RESULT_CHARS = 120
_SUBJECT_CHARS = 100
"""How much is kept of the subject of a commit that git lists."""
STOPPED = "(tacit guard, "
"""What the guard's reasons contain: all that such a command printed, which has no exit code."""
BY_USER = "the user"
_BY_GUARD, _BY_HOOK, _BY_RULE = "the guard", "a hook", "a permission rule"
_BY = {f"stopped by {who}": who for who in (BY_USER, _BY_HOOK, _BY_RULE)}
_DENIED = "Permission to use "
_OF_A_HOOK = lazy_pattern(r"\bhook\b", re.I)
OUTPUT_READ = 8_000
"""How much of an output is read to find its error."""
_PATHS = 20
# Redacted before it is cut: half a secret would not be recognised.
_BEFORE_REDACTION = 2
_COUNTED = lazy_pattern(r"\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failing|errors?|failures?)\b", re.I)
_OF_A_TEST = frozenset({"other", "state", "usage", "path", "permission"})
"""Kinds of causes that a test may also speak of."""
_USAGE = lazy_pattern(r"(?i)usage\b")
_BEFORE_USAGE = 3
_OF_TESTS = lazy_pattern(r"(?i)\b(?:in [\d.]+ ?s|tests?|passed|skipped)\b")
# Of PowerShell only the last is the same in every language.
_SAYS_ERROR = lazy_pattern(
    r"^(?:error(?P<about> [a-z ]{1,40})?|fatal|usage)\b:[^\n]+|^(?:npm error|❌)[^\n]+|^ ?ERR_PNPM_[^\n]+"
    r"|^python (?:was not found|wurde nicht gefunden)\b[^\n]*"
    r"|^(?:E +)?(?-i:(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): )[^\n]+"
    r"|^(?-i:(?:--- )?FAIL)\b[^\n]*|^[^\n]*\bELIFECYCLE\b[^\n]*|^✖ [1-9]\d* problems?\b[^\n]*"
    r"|^[^\n]*\berror TS\d+: [^\n]*"
    r"|^[^\n]*: (?:command not found|no such file or directory)[^\n]*|FullyQualifiedErrorId\s*:[^\n]+",
    re.I | re.M,
)
_ENDED = lazy_pattern(r"(?m)^[^\n]*\bELIFECYCLE\b[^\n]*")
# Each of these errors has one of these parts, in which no letter has a third case; to look for them is much quicker.
_ERROR_PARTS = (
    "error",
    "fatal",
    "age:",
    "❌",
    "fail",
    "✖",
    "fecycle",
    "not found",
    "uch f",
    "err_",
    "exception",
    "gefunden",
)
# A shell in an editor marks the end of a command and its exit code.
_MARKED_END = lazy_pattern(r"\](?:633|133);D;(\d{1,3})\b")
# What git prints when a commit was made, and when a branch or tag was sent.
_COMMITTED_BY_GIT = lazy_pattern(r"(?m)^\[[^\]\n]{1,80} [0-9a-f]{7,40}\] ")
# What programs print that sent something out, by their names.
_SENT_BY_OTHERS = (
    ("vercel", lazy_pattern(r"(?m)^\W*Production: https://")), ("netlify", lazy_pattern(r"\bDeploy is live!")),
    ("wrangler", lazy_pattern(r"(?m)^(?:Deployed|Published) \S+")), ("firebase", lazy_pattern(r"\bDeploy complete!")),
    ("npm publish", lazy_pattern(r"(?m)^\+ (?:@[\w.-]+/)?[\w.-]+@\d")),
    ("docker push", lazy_pattern(r"\bdigest: sha256:[0-9a-f]{64}")),
    ("cargo publish", lazy_pattern(r"(?m)^\s*Published \S+ v\d")), ("twine upload", lazy_pattern(r"(?m)^View at:")),
)  # fmt: skip
_OF_POWERSHELL = "FullyQualifiedErrorId"
# The error and nothing else, in any language: "At line:1 char:73".
_UNREAD = lazy_pattern(
    r"(?s)\s*(?:PS [^\n>]*>[^\n]*\n)?[^\n]{0,400}:\d{1,6} \S{1,30}:\d{1,6}\n.*ParserError: \(.*"
    r"FullyQualifiedErrorId[^\n]*\s*(?:PS [^\n>]*>\s*)?"
)
# The error of a profile, which a shell runs when it starts.
_OF_A_PROFILE = lazy_pattern(r"file\.ps1: ?\d+ \S+: ?\d+")
_NOT_EDITED = lazy_pattern(
    r"(?:unsupported call|unknown tool|no such file)\b|(?:error|failed|invalid)\b[^\n]{0,60}:"
    r"|[^\n]{0,60}\b(?:verification failed|permission denied|does not exist|not found)\s*(?:[.:]|$)",
    re.I,
)
REFUSED = lazy_pattern(r"\A[^\n]{0,60}\b(?:blocked|refused|rejected|denied)\b", re.I)
"""The short output of a command that a person or a program kept from being run."""
_REFUSED_CHARS = 600
_NOT_COMMITTED = lazy_pattern(r"^(?:nothing to commit|no(?:thing| changes) added to commit)\b[^\n]*", re.M)
HIDES = lazy_pattern(r"[^|]\|[^|]|;\s*\S|\|\||\n\s*\S|[^&>]&\s*$")
"""What makes the exit code of a line that of another command."""
Redact = Callable[[str], str]


class TurnText(NamedTuple):
    """A turn that is kept, its searchable text and when it was."""

    turn: KeptTurn
    text: str
    source: Turn


def finished(turns: Sequence[Turn], *, goes_on: bool, in_place: bool = False) -> Sequence[Turn]:
    """Return the turns of a session; while it goes on, up to a command at the end that has not ended yet.

    The commands that ran beside it wait with it, and all are kept once their outcomes are in the transcript. So does an
    answer at the end of a transcript whose turns are written again as they grow (`in_place`).
    """
    end = first = len(turns)
    if goes_on and in_place and turns and turns[-1].tool is None and turns[-1].role == "assistant":
        return turns[:-1]
    while goes_on and first and (call := turns[first - 1]).tool is not None:
        first -= 1
        if call.outcome is None or call.outcome == ToolOutcome():
            end = first
    return turns[:end]


def kept_turns(
    turns: Iterable[Turn], thread: str, agent: str, redact: Redact, asked_by: AskedBy = "",
    known: Collection[int] = (),
) -> Iterator[TurnText]:  # fmt: skip
    """Return the turns to keep, redacted, each with its place in the session, and by whom; not those that are known.

    A private prompt, and everything up to the next prompt that the user types, is not kept.
    """
    private = PrivateSpan()
    for number, turn in enumerate(turns, 1):
        if private.covers(turn) or number in known:
            continue
        author = _author(turn, agent, asked_by)
        if (made := _kept(turn, KeptTurn(author=author, thread=thread, number=number), redact)) is not None:
            yield made


def _author(turn: Turn, agent: str, asked_by: AskedBy) -> str:
    """Return who said a turn: the user only what the user typed, not what a program or another agent asked."""
    if turn.role != "user" or turn.sidechain:
        return agent
    if asked_by in ("program", "agent"):
        return asked_by
    return PROGRAM if is_by_program(typed_part(turn.text)) else "user"


def _kept(turn: Turn, said: KeptTurn, redact: Redact) -> TurnText | None:
    if turn.tool is None:
        text = _cut(turn.text, redact) if turn.role in ("user", "assistant") else ""
        return TurnText(replace(said, role=turn.role), text, turn) if text else None
    tool, outcome = turn.tool, turn.outcome
    if not tool.command and tool.kind != "edit":
        return None
    if outcome is not None and outcome.refused:
        outcome = replace(outcome, ok=False, exit_code=None)
    if outcome is not None and tool.command:
        outcome = meant_outcome(tool.command, outcome)
    if outcome is not None and outcome.ok is None:
        outcome = _by_output(tool.command, outcome) if tool.command else _edited(outcome)
    command = _cut(tool.command, redact)
    paths = tuple(redact(path) for path in tool.paths[:_PATHS])
    error = _error(command, outcome, redact) if outcome is not None else ""
    kept = replace(
        said, role="tool", tool=tool.name[:100], command=command, paths=paths,
        ok=outcome.ok if outcome is not None else None, exit_code=outcome.exit_code if outcome is not None else None,
        error=error, result=_result(command, outcome, redact) if outcome is not None else "",
    )  # fmt: skip
    if outcome is not None and outcome.ok is not False and (status := git_status(command, outcome.output)):
        kept = replace(kept, uncommitted=tuple(map(redact, status.files)), untracked=status.new)
    if outcome is not None and outcome.ok is not False and (gone := gone_files(command, outcome.output)):
        kept = replace(kept, gone=tuple(map(redact, gone)))
    if outcome is not None and (subjects := logged(tool.command, outcome.output)):
        kept = replace(kept, logged=tuple(redact(one)[:_SUBJECT_CHARS] for one in subjects))
    # "Why did the push fail" finds what says that it failed.
    ended = ": ".join(filter(None, ("failed" if kept.ok is False and not stopped_by(kept) else "", error)))
    wrote = "did not write" if kept.ok is False else "wrote"
    text = "\n".join(filter(None, (f"$ {command}" if command else f"{wrote} {' '.join(paths)}", ended)))
    return TurnText(kept, text[:MOST_CHARS], turn) if command or paths else None


def stopped_by(turn: KeptTurn) -> str:
    """Return who kept a turn from being done: the guard, the user or a hook; empty if it was done."""
    if turn.ok is not False or turn.exit_code is not None:
        return ""
    return _BY_GUARD if STOPPED in turn.error else _BY.get(turn.error, "")


def refused_by(output: str) -> str:
    """Return who refused what an agent wanted to do, by what it was told."""
    if STOPPED in output:
        return _BY_GUARD
    if output.lstrip().startswith(_DENIED):
        return _BY_RULE
    # What the user said about it may be about hooks.
    return _BY_HOOK if _OF_A_HOOK.search(output[:_REFUSED_CHARS].partition("user said")[0]) else BY_USER


def _edited(outcome: ToolOutcome) -> ToolOutcome:
    """Return the outcome of an edit: some agents only say in words that nothing was written."""
    return replace(outcome, ok=False) if _NOT_EDITED.match(outcome.output) else outcome


def _by_output(command: str, outcome: ToolOutcome) -> ToolOutcome:
    """Return an outcome that an agent does not report, if the output tells it."""
    output = outcome.output[-OUTPUT_READ:]
    if ends := _MARKED_END.findall(output):
        return replace(outcome, ok=ends[-1] == "0", exit_code=int(ends[-1]))
    if len(output) <= _REFUSED_CHARS and REFUSED.search(output):
        return replace(outcome, ok=False)
    # Of several commands another one may have failed.
    is_done = ("git" in command and _done_by_git(command, output)) or any(
        name in command and said.search(output) for name, said in _SENT_BY_OTHERS
    )
    return replace(outcome, ok=True) if is_done and not HIDES.search(command) else outcome


def _done_by_git(command: str, output: str) -> bool:
    """Return whether git says that it made a commit or, where it should, that it sent one."""
    sent = bool(SENT_BY_GIT.search(output))
    return sent or (" push" not in command and bool(_COMMITTED_BY_GIT.search(output)))


def _result(command: str, outcome: ToolOutcome, redact: Redact) -> str:
    if goes_on(outcome.output):
        return BACKGROUND
    return shortened(redact(result_of(command, outcome.output, outcome.ok)), _RESULT_CHARS)


def _cut(text: str, redact: Redact) -> str:
    return redact(text[: MOST_CHARS * _BEFORE_REDACTION])[:MOST_CHARS].strip()


def _error(command: str, outcome: ToolOutcome, redact: Redact) -> str:
    """Return the line of an output that says what went wrong."""
    if STOPPED in outcome.output and outcome.ok is False and outcome.exit_code is None:
        return redact(next(line for line in outcome.output.splitlines() if STOPPED in line))[:_ERROR_CHARS]
    if outcome.refused:
        return f"stopped by {refused_by(outcome.output)}"
    if outcome.exit_code != 0 and (stopped := timed_out(outcome.output)):
        return stopped
    if outcome.ok is not False:
        return _hidden_error(command, outcome, redact)[:_ERROR_CHARS]
    output = redact(outcome.output[-OUTPUT_READ:])
    cause = cause_of(command, output)
    lines = clean_lines(output)
    if cause is None or cause.kind in _OF_A_TEST:
        # What a test says, and else the summary of a test run, says more than its last line.
        counted = next(filter(_COUNTED.search, lines), "") if cause is None or cause.kind == "other" else ""
        # The code of a test and what it prints may speak of anything.
        said = thrown_lines(lines) if _OF_TESTS.search(counted) else telling_lines(lines)
        if told := failed_test(lines) or (counted and next(said, counted)):
            return told[:_ERROR_CHARS]
    line = cause.line if cause is not None else lines[-1] if lines else ""
    return line[:_ERROR_CHARS] if not is_greeting(line) else ""


def _said_error(output: str) -> re.Match[str] | None:
    """Return the first error in an output, looking from the first line that has a part of one."""
    small = output.lower()
    places = [at for at in map(small.find, _ERROR_PARTS) if at >= 0]
    if not places:
        return None
    # A few letters have a longer lower case, and places are then others.
    start = output.rfind("\n", 0, min(places)) + 1 if len(small) == len(output) else 0
    said = _SAYS_ERROR.search(output, start)
    # "Error fetching …" was perhaps passed over; with the other a script of npm ended.
    return (said and said["about"] and _ENDED.search(output, start)) or said


def _hidden_error(command: str, outcome: ToolOutcome, redact: Redact) -> str:
    """Return what an output says went wrong, if the exit code is not known or is that of another command."""
    begun = outcome.output[:OUTPUT_READ]
    # What PowerShell could not read did not run, whatever is said of its end.
    is_unread = _OF_POWERSHELL in begun and bool(_UNREAD.fullmatch(begun))
    if outcome.ok and not is_unread and not HIDES.search(command):
        return ""
    said = _said_error(begun)
    if said is None and "commit" in command and not (_COMMITTED_BY_GIT.search(begun) or SENT_BY_GIT.search(begun)):
        said = _NOT_COMMITTED.search(begun)
    if said is None or (said[0].startswith(_OF_POWERSHELL) and ".ps1" not in command and _OF_A_PROFILE.search(begun)):
        return ""
    # What a search or a file holds is about anything.
    if not (is_unread and "&&" in command) and all(part.name in LOOKING for part in meant_parts(command)):
        return ""
    cause = hidden_cause(command, redact(begun))
    if cause is None and said[0].startswith(_OF_POWERSHELL):
        # It prints what is wrong above, in the words of its language.
        found = cause_of(command, redact(begun))
        cause = found if found is not None and found.kind != "other" else None
    return (
        without_mark(cause.line)
        if cause
        else _told_error(" ".join(redact(said[0]).split()), clean_lines(redact(begun)))
    )


def _told_error(said: str, lines: Sequence[str]) -> str:
    """Return an error in an output, with what says why in the place of a count, a usage or an exit code."""
    if said.startswith(("--- FAIL", "FAIL")):
        return failed_test(lines) or said
    if not is_mute(said):
        return without_mark(said)
    if "ELIFECYCLE" in said:
        # What went wrong before may have been passed over; it ended with what was printed last.
        why = last_told(lines)
        return f"ELIFECYCLE {why}" if why else said
    if _USAGE.match(said):
        # What is wrong stands before it; what it lists is how to do it.
        place = next((at for at, line in enumerate(lines) if _USAGE.match(line)), 0)
        lines = lines[max(0, place - _BEFORE_USAGE) : place]
    why = next(telling_lines(lines), "")
    # The mark says that a check failed.
    return f"✖ {why}" if why and said.startswith("✖") else why or said
