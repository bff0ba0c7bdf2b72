"""Which files a session changed: those that it wrote, and did not remove or bring back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commands.command_results import COMMITTED, files_committed
from tacit.sessions.rules.commands.commits import commits_in
from tacit.sessions.rules.commands.file_steps import EVERYTHING, FileStep, file_steps, may_write
from tacit.sessions.rules.commands.head_steps import head_steps
from tacit.sessions.rules.commands.shell_changes import Turns, is_in, is_written, plain_path
from tacit.sessions.rules.commands.standing_changes import StandingChanges

_MOST_FILES, _MOST_SINCE = 6, 3


class ChangedFiles(NamedTuple):
    """The files that were changed, and those of them that no commit has."""

    names: tuple[str, ...] = ()
    """At the end how many more there are, or `others` if that is not known."""
    since_commit: tuple[str, ...] = ()
    """Empty if there was no commit of any of them."""
    only_committed: bool = False
    """Whether nothing says that the session changed them: they were staged, and perhaps changed before."""


def changed_files(turns: Turns, cwd: str, made: Iterable[KeptTurn]) -> ChangedFiles:
    """Return the files that were changed, those that were written most often first; `made` has the commits."""
    turns = list(turns)
    ledger, staged = _followed(turns, cwd, made)
    # What else a shell wrote is not listed; what was staged by name was changed.
    # How many there are is not known: a folder may be among them, and others may have been staged otherwise.
    root = _root_of([*ledger.entries, *staged.entries], [turn.command for turn, _text in turns])
    counted = list(dict.fromkeys(path.removeprefix(root) for path, _count in ledger.entries.most_common()))
    called = dict.fromkeys(path.removeprefix(root) for path, _count in staged.entries.most_common())
    names = [path for path in called if path not in counted]
    # What was staged without a change of it is in no commit.
    names = names if len(names) + len(counted) <= _held_by_commits(turns) else []
    # A folder says less than the files in it.
    within = {str(folder) for path in (*counted, *names) for folder in PurePosixPath(path).parents}
    names = [one for one in names if one not in within]
    lines = "\n".join(turn.command for turn, _text in turns) if names else ""
    folders = {one: None for one in names if f"{one}/" in lines}
    found = [*counted, *(one for one in names if one not in folders), *(f"{one}/" for one in folders)]
    # What a commit holds that no tool wrote, a shell did.
    # Of several commits nobody knows how many files they have together.
    held = _files_in_commits(turns)
    left = max(len(found), *held, 0) - min(len(found), _MOST_FILES)
    more = ["others" if names or len(held) > 1 else f"{left} more"] if found and left else []
    since = list(dict.fromkeys(path.removeprefix(root) for path, _ in ledger.open.most_common())) if ledger.kept else []
    also = ["others"] if len(since) > _MOST_SINCE else []
    return ChangedFiles((*found[:_MOST_FILES], *more), (*since[:_MOST_SINCE], *also), bool(staged.kept) and not counted)


def _followed(
    turns: Turns, cwd: str, made: Iterable[KeptTurn]
) -> tuple[StandingChanges[str], StandingChanges[str]]:  # fmt: skip
    """Return what was written, and what was staged by name, and stays."""
    ledger: StandingChanges[str] = StandingChanges()
    staged: StandingChanges[str] = StandingChanges()
    # Those without an outcome that were made, as what was sent afterwards holds them.
    sent = {turn.number for turn in made if turn.ok is None and commits_in(turn.command)}
    # What git said is deleted is staged as such.
    gone: set[str] = set()
    for turn, _text in turns:
        if turn.ok is False or turn.error:
            continue
        gone -= {plain_path(path, cwd) for path in turn.paths}
        # A path beside a command was read from it; only a tool that edits writes what it names.
        if not turn.command:
            ledger.open.update(plain_path(path, cwd) for path in turn.paths)
        # Where nothing was changed yet, nothing is taken back.
        is_begun = ledger.is_begun or staged.is_begun
        is_read = turn.command and (is_begun or " add " in turn.command or may_write(turn.command))
        for step in file_steps(turn.command) if is_read else ():
            _note_written(ledger, step, cwd)
            if (turn.ok or turn.number in sent) and plain_path(step.path, cwd) not in gone:
                _note_staged(staged, step, cwd)
        if turn.gone:
            gone |= set(turn.gone)
            for one in (ledger, staged):
                one.drop([path for path in one.entries if any(is_in(path, name) for name in turn.gone)])
    return ledger, staged


def _root_of(paths: Iterable[str], lines: Sequence[str]) -> str:
    """Return the folder in which a session really was, if it called files by their whole paths and also shorter."""
    whole = [path for path in paths if path.startswith("/")]
    roots: Counter[str] = Counter()
    for path in paths if whole else ():
        if not path.startswith(("/", "..", "?")):
            roots.update(one.removesuffix(path) for one in whole if one.endswith(f"/{path}") and "/" in path)
            # A bare name may be that of another file.
            named = (one.removesuffix(path) for one in whole if one.endswith(f"/{path}") and "/" not in path)
            roots.update(one for one in named if any(f" {one.rstrip('/')} " in f"{line} " for line in lines))
    return roots.most_common(1)[0][0] if roots else ""


def _note_written(ledger: StandingChanges[str], step: FileStep, cwd: str) -> None:
    path = plain_path(step.path, cwd)
    match step.what:
        case "write" if is_written(step, cwd):
            ledger.open[path] += 1
        case "remove" | "remove if there":
            ledger.drop([one for one in ledger.entries if is_in(one, path)])
        case "restore":
            ledger.drop([one for one in ledger.open if is_in(one, path)], committed=False)
        case "perhaps restore":
            # A folder may be a branch.
            ledger.drop([path], committed=False)
        case _ if not step.path:
            ledger.follow(step.what)


def _note_staged(staged: StandingChanges[str], step: FileStep, cwd: str) -> None:
    if step.what == "stage" and step.is_sure:
        staged.open[plain_path(step.path, cwd)] += 1
    elif step.what in ("remove", "remove if there"):
        path = plain_path(step.path, cwd)
        staged.drop([one for one in staged.entries if is_in(one, path)])
    elif step.what == "restore" and step.path == EVERYTHING:
        staged.open.clear()
    elif not step.path:
        staged.follow(step.what)


def _held_by_commits(turns: Turns) -> float:
    """Return how many files the commits have at most; no limit if one does not say it."""
    made = [turn for turn, _text in turns if turn.result.startswith(COMMITTED)]
    asked = [turn for turn, _text in turns if commits_in(turn.command) and turn.ok is not False]
    is_known = len(made) == len(asked) and all(files_committed(turn.result) for turn in made)
    return sum(files_committed(turn.result) for turn in made) if made and is_known else math.inf


def _files_in_commits(turns: Turns) -> list[int]:
    """Return how many files each commit has that was made and not taken back, as far as git says it."""
    made: list[int] = []
    # What a revert reverts is known only right after a commit.
    is_last = False
    for turn, _text in turns:
        for step in head_steps(turn.command) if made and turn.ok else ():
            if step.what == "back" or (step.what == "revert" and is_last):
                del made[max(0, len(made) - max(step.taken, 1)) :]
            made = made if step.what != "revert other" else []
            is_last = is_last and step.what not in ("back", "revert", "revert other", "move")
        if files := files_committed(turn.result):
            made.append(files - len(turn.gone))
            is_last = True
    return made
