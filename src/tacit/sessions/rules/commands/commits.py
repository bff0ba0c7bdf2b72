"""Which commits were made in a session and not taken back, and which of many are told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commands.command_results import COMMITTED, SENT, lines_committed
from tacit.sessions.rules.commands.git_log import compared, first_listed, newest_before
from tacit.sessions.rules.commands.head_steps import HeadStep, git_words, head_steps
from tacit.sessions.rules.commands.line_commands import LINE_READ, line_commands
from tacit.sessions.rules.commands.placed_commands import placed_commands
from tacit.sessions.rules.commands.telling_commands import sent_commands
from tacit.sessions.rules.own_words import in_one_line, shortened
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

_LINE_CHARS = 160
_MANY = 40
"""A line that says `commit` more often is made of something else, and would take long to read."""
_COMMIT = lazy_pattern(
    r"\b(?:git\b[^|;&\n]*?\bcommit|jj (?:describe|commit)|gt (?:create|modify|c|m))\b"
    r"(?:[^|;&\n]*?\s(?:-F|--file[ =])\s*-\s*<<-?\s*['\"]?\w+['\"]?[^\n]*\n(?P<file>[^\n]+)"
    r"|.*?\s(?:-[a-z]*m|--message)(?=[ =\"'])[ =]*"
    r"(?:\"\$\(cat <<-?\s*'?\"?(\w+)'?\"?\n(?P<document>[^\n]+)"
    r"|\"(?P<double>[^\"\n]+)|'(?P<single>[^'\n]+)|(?P<bare>[^\s\"';&|]+)))",
    re.S,
)
# A branch or a tag that is removed or sent by itself contains no new commit.
_SENT = lazy_pattern(r"\bgit push\b(?![^;&|\n]*(?:--delete|-d |--tags|--dry-run|\s:\S|\bv\d))")
# Of another worktree, in a folder that is there only for a while.
_SCRATCH = lazy_pattern(r"(?s)\$\(mktemp -d\b.*\bgit worktree add\b")
_SWITCHES = lazy_pattern(r"\bgit (?:switch|checkout)\b[^;&|\n]*")
_FORCED = lazy_pattern(r"\bgit push\b[^;&|\n]*\s(?:-f\b|--force|--mirror|\+\S)")
# What git and gh print if nothing was sent, and a pipe hides that they failed.
NOT_SENT = lazy_pattern(
    r"failed to push|\[(?:remote )?rejected\]|unable to access|could not read from remote|repository not found"
    r"|permission (?:to \S+ )?denied|pull request create failed|has no upstream branch|\Aremote: error:|hook declined",
    re.I,
)
_NOTHING = lazy_pattern(r"(?:nothing|no changes added) to commit\b|nothing added to commit\b")
_MERGE = lazy_pattern(r"Merge (?:branch|pull request|remote-tracking|tag|\S+ into)\b", re.I)
# What polishes other commits.
_AFTERWORK = lazy_pattern(
    r"(?:simplify|polish|tidy|clean ?up|address|apply|format|reformat|lint|rename|bump|fix (?:typos?|lint|format|nits?)"
    r"|update (?:docs?|readme|changelog)|annotate)\b",
    re.I,
)
_HOUSEKEEPING = frozenset({"chore", "style", "ci", "build", "debug", "cleanup", "wip", "lint"})


class CommitHistory(NamedTuple):
    """The subjects of the commits that stay, and of those that were reverted."""

    made: list[str]
    reverted: list[str]


class GitLine(NamedTuple):
    """A line that worked, with what else is known of git when it ran."""

    line: str
    newest: str = ""
    """The newest commit before it, by git's log; empty if that is not known."""
    is_sent: bool = False
    """Whether it certainly sent the branch on which the session works."""


def made_commits(lines: Iterable[str]) -> list[str]:
    """Return the subjects of the commits that lines made and did not take back."""
    return commit_history(map(GitLine, lines)).made


def git_lines(commands: Sequence[KeptTurn], certain: Sequence[KeptTurn]) -> list[GitLine]:
    """Return the lines that worked, of all commands of a session, with what else is known of git."""
    named: set[str] = set()
    found: list[GitLine] = []
    is_forced = any(_FORCED.search(turn.command) for turn in commands if "push" in turn.command)
    for turn, newest in zip(certain, newest_before(commands, certain), strict=True):
        named |= {name for one in _SWITCHES.finditer(turn.command) for name in one[0].split()}
        found.append(GitLine(turn.command, newest, not is_forced and _sends(turn, named)))
    return found


def _sends(turn: KeptTurn, branches: AbstractSet[str]) -> bool:
    """Return whether a line certainly sent the branch on which the session works."""
    if " push" not in turn.command or NOT_SENT.search(turn.error):
        return False
    if not (turn.result.endswith(SENT) or (turn.ok and any(one.is_own for one in sent_commands(turn.command)))):
        return False
    pushed = (git_words(one.command) for one in placed_commands(turn.command))
    named = [git.named[1:] for git in pushed if git and git.verb == "push" and not git.folder]
    return any(not names or (len(names) == 1 and (names[0] == "HEAD" or names[0] in branches)) for names in named)


def commit_history(lines: Iterable[GitLine]) -> CommitHistory:
    """Return what became of the commits that lines made; an amended one has its last subject."""
    commits = _Commits()
    for line, newest, is_sent in lines:
        found = [one for one in commits_in(line) if one not in commits.made]
        if not (found or commits.made or commits.reverted):
            continue
        # What is in the rest of a very long line is not known.
        is_cut = len(line) > LINE_READ and "commit" in line
        for step in head_steps(line) or ([HeadStep("commit")] if is_cut else []):
            if not step.keeps_message:
                found = commits.stepped(step, found, newest)
        commits.add(found)
        if is_sent:
            commits.sent |= set(commits.made)
    return CommitHistory(commits.made, commits.reverted)


class _Commits:
    """The commits that a session made, while its commands are followed."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.reverted: list[str] = []
        self.sent: set[str] = set()
        """What was sent stays, whatever branch is reset here."""
        # What a revert reverts is known only right after a commit of which the subject is known.
        self._last: Literal["known", "unknown", "reverted"] = "unknown"

    def add(self, subjects: Sequence[str]) -> None:
        """Note commits that were made."""
        if subjects:
            self.made += subjects
            self._last = "known"

    def stepped(self, step: HeadStep, found: list[str], newest: str) -> list[str]:
        """Note what a step of git does, and return which subjects of its line are still to come."""
        if step.what == "back":
            taken = set(self.made[max(0, len(self.made) - step.taken) :]) - self.sent
            self.made = [one for one in self.made if one not in taken]
        if step.what == "amend" and found and self._last != "reverted" and self._is_last(newest):
            self.made.pop()
        if step.what == "revert" and self._last == "reverted" and self.reverted:
            # A revert of a revert brings the commit back.
            self.add([self.reverted.pop()])
        elif step.what == "revert" and self._last == "known" and self.made:
            self.reverted.append(self.made.pop())
            self._last = "reverted"
        elif step.what in ("commit", "amend") and found:
            self.add(found)
            return []
        elif step.what != "amend":
            self._last = "unknown"
        return found

    def _is_last(self, newest: str) -> bool:
        """Return whether the last commit is the session's: what runs an agent may commit too."""
        return bool(self.made) and (not newest or compared(newest) == compared(self.made[-1]))


@lru_cache(1_024)
def commits_in(line: str) -> tuple[str, ...]:
    """Return the subjects of the commits that a line makes and names."""
    said = line.count("commit") + line.count("gt ") + line.count("jj ")
    if said and _SCRATCH.search(line.partition("commit")[0]):
        return ()
    found: Iterable[re.Match[str]] = _COMMIT.finditer(line) if 0 < said < _MANY else ()
    if len(line) > LINE_READ:
        # In a document, or in quotes, it is what is written down.
        found = [one for one in found if _is_outside(line[: one.start()])]
    subjects = [next(filter(None, one.groupdict().values()), "").strip() for one in found]
    # Words that another command prints are no commit.
    made = sum(_commits(one) for one in line_commands(line)) if subjects and len(line) <= LINE_READ else 1
    named = (shortened(in_one_line(one), _LINE_CHARS) for one in subjects[:made] if one and not one.startswith("$("))
    return tuple(dict.fromkeys(named))


def _is_outside(begun: str) -> bool:
    """Return whether what follows the beginning of a line is in no document and in no quotes."""
    return "<<" not in begun and not begun.count('"') % 2 and not begun.count("'") % 2


def _commits(command: Command) -> bool:
    words = {word.text for word in command.args}
    is_made = "commit" in words and "--dry-run" not in words
    return command.name in ("jj", "gt") or (command.name == "git" and is_made)


def _is_own(line: str) -> bool:
    """Return whether the last commit of a line was made if the line worked."""
    commits = [one for one in placed_commands(line) if _commits(one.command)]
    # Of a long line with a long message the commit is not among those that are read.
    return commits[-1].is_own if commits else len(line) > LINE_READ


def commit_lines(commands: Sequence[KeptTurn], subjects: Sequence[str]) -> tuple[int, ...]:
    """Return how many lines each commit adds and takes away, by its subject; 0 where git does not say it."""
    known = {subject: lines_committed(turn.result) for turn in commands for subject in commits_in(turn.command)[-1:]}
    return tuple(known.get(one, 0) for one in subjects)


def committed(commits: Sequence[str], most: int, lines: Sequence[int] = ()) -> str:
    """Return in words what was committed: of many commits the first, and one of each part of the rest."""
    if len(commits) <= most:
        return f"Committed: {'; '.join(commits)}." if commits else ""
    # Not so many commits: two may have one message, and a message may not be in the command.
    sizes = dict(zip(commits, lines, strict=False))
    commits = [one for one in commits if not _MERGE.match(one)] or commits
    others, parts = commits[1:], min(most, len(commits)) - 1
    cuts = [len(others) * part // parts for part in range(parts + 1)] if parts else []

    def adds(subject: str) -> tuple[int, int]:
        return _adds(subject), sizes.get(subject, 0)

    # Of each part the one that adds most; of equal ones the latest.
    first = commits[0] if parts else max(commits, key=adds)
    told = [first, *(max(reversed(others[one:end]), key=adds) for one, end in pairwise(cuts))]
    return f"Committed, among others: {'; '.join(told)}."


def _adds(subject: str) -> int:
    """Return how much a commit adds, by the word that its subject begins with."""
    if _AFTERWORK.match(subject):
        return -2
    kind = subject.partition(":")[0].partition("(")[0].rstrip("!").lower()
    if kind in ("docs", "test"):
        return -1
    return 2 if kind == "feat" else 1 if kind in ("fix", "perf") else -2 if kind in _HOUSEKEEPING else 0


def made_places(commands: Sequence[KeptTurn]) -> frozenset[int]:
    """Return the places of the commands that made what they should, among them the commits.

    A commit was made if it worked, if git listed it, or else if what was sent afterwards contains it.
    """
    listed = first_listed(commands)
    sent = (place for place, turn in enumerate(commands) if turn.ok and _SENT.search(turn.command))
    last_sent = max(sent, default=-1)
    return frozenset(
        place for place, turn in enumerate(commands) if _is_made(turn, place, listed, is_sent=place < last_sent)
    )


def _is_made(turn: KeptTurn, place: int, listed: Mapping[str, int], *, is_sent: bool) -> bool:
    if turn.result.startswith(COMMITTED):
        return True
    if _NOTHING.match(turn.error):
        # What its log lists was made before.
        return False
    subjects = commits_in(turn.command)
    if any(listed.get(compared(one), -1) >= place for one in subjects):
        return True
    if turn.error and NOT_SENT.search(turn.error) and 0 <= turn.command.find("commit") < turn.command.rfind(" push"):
        # What should be sent was refused: the commit before it was made.
        return True
    if turn.ok is False or turn.error:
        return False
    if subjects and turn.result.endswith(SENT) and turn.command.find("commit") < turn.command.rfind(" push"):
        return True
    return bool(turn.ok and (not subjects or _is_own(turn.command))) or bool(subjects and is_sent)
