"""What git commands do to the commit that a branch stands on: make one, take it back, revert it, or go to another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from tacit.sessions.rules.commands.line_commands import line_commands
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

ALL = 1_000_000
"""How many commits are taken back where it is not known which of them stayed."""
_BACK = lazy_pattern(r"HEAD(?:~(?P<count>\d*)|(?P<ups>\^+))")
_PATH_LIKE = lazy_pattern(r"\A\.|/\Z|\.[A-Za-z]\w{0,5}\Z")
# What only asks git is not read.
_CHANGES = lazy_pattern(
    r"git\b[^|;&\n]{0,200}?\s"
    r"(?:add|am|bisect|checkout|cherry-pick|clean|commit|merge|mv|pull|rebase|reset|restore|revert|rm|stash|switch)\b"
)
# They go to another commit, or make one without a message.
_MOVING = frozenset({"pull", "merge", "cherry-pick", "rebase", "am", "bisect"})
_ENDING = frozenset({"--abort", "--quit"})
_STAYING = _ENDING | {"-n", "--no-commit"}
_NEW_BRANCH = frozenset({"-b", "-B", "-c", "-C", "--create", "--orphan"})
_MODES = frozenset({"--soft", "--hard", "--mixed"})


class GitWords(NamedTuple):
    """What git is asked to do: its verb and what follows, and where."""

    verb: str
    words: tuple[str, ...]
    folder: str | None = ""
    """The folder that `-C` names; empty where the shell is, None if it is not known."""

    @property
    def named(self) -> list[str]:
        """What is neither an option nor the mark before paths."""
        return [word for word in self.words if not word.startswith("-")]


class HeadStep(NamedTuple):
    """What becomes of the last commit, and how many commits are taken back."""

    what: Literal["commit", "amend", "revert", "revert other", "back", "move"]
    taken: int = 0
    keeps_message: bool = False
    """Whether an amended commit is called as before."""


def git_words(command: Command) -> GitWords | None:
    """Return what git is asked to do, without options for git itself; None if a command does not run it."""
    if command.name != "git":
        return None
    words = [word.text or "" for word in command.args]
    folder: str | None = ""
    while words and words[0].startswith("-"):
        if words[0] == "-C":
            folder = words[1] or None if words[1:] and folder == "" else None
        words = words[2:] if words[0] in ("-C", "-c") else words[1:]
    return GitWords(words[0], tuple(words[1:]), folder) if words else None


def may_change_git(line: str) -> bool:
    """Return whether git may change a file or the last commit: quickly, and wrongly rather than not."""
    return "git" in line and bool(_CHANGES.search(line))


@lru_cache(1_024)
def head_steps(line: str) -> tuple[HeadStep, ...]:
    """Return what a line does to the last commit, in order."""
    found = (git_words(command) for command in (line_commands(line) if may_change_git(line) else ()))
    return tuple(step for words in found if words for step in [head_step(words)] if step)


def head_step(git: GitWords) -> HeadStep | None:
    """Return what a git command does to the last commit; None if it stays."""
    match git.verb:
        case "commit":
            if "--dry-run" in git.words:
                return None
            is_amended = "--amend" in git.words
            return HeadStep("amend" if is_amended else "commit", keeps_message=is_amended and "--no-edit" in git.words)
        case "reset" if taken := _taken_back(git):
            return HeadStep("back", taken)
        case "revert" if git.folder == "" and _ENDING.isdisjoint(git.words):
            named = [word for before, word in pairwise(["", *git.words]) if word[:1] != "-" and before != "-m"]
            is_last = named == ["HEAD"] and _STAYING.isdisjoint(git.words)
            return HeadStep("revert" if is_last else "revert other")
        # What is done in another folder is done to another repository.
        case _ if git.folder != "" or not _STAYING.isdisjoint(git.words):
            return None
        case "checkout" | "switch" | "reset":
            return HeadStep("move") if _goes_elsewhere(git) else None
        case verb:
            return HeadStep("move") if verb in _MOVING else None


def _taken_back(git: GitWords) -> int:
    """Return how many of the commits that were made a reset takes back."""
    named = git.named
    if not named or "--" in git.words:
        return 0
    if back := _BACK.fullmatch(named[0]):
        return len(back["ups"]) if back["ups"] else int(back["count"] or 1)
    # Back to another branch or commit: which of them stayed is not known.
    return ALL if named[0] != "HEAD" and not _MODES.isdisjoint(git.words) else 0


def _goes_elsewhere(git: GitWords) -> bool:
    """Return whether a command goes to another commit, rather than to paths or to a new branch at the same one."""
    named = git.named
    if not named or "--" in git.words:
        return "-" in git.words
    if not _NEW_BRANCH.isdisjoint(git.words):
        return len(named) > 1
    return len(named) == 1 and named[0] != "HEAD" and not is_path_like(named)


def is_path_like(words: Sequence[str]) -> bool:
    """Return whether words look like paths, and not like branches."""
    return all(map(_PATH_LIKE.search, words))
