"""Which files are not where they were before a session: those that it moved, and those that it deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tacit.guard.reading_programs import READERS
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commands.file_steps import EVERYTHING, FileStep, file_steps
from tacit.sessions.rules.commands.line_commands import line_commands
from tacit.sessions.rules.commands.shell_changes import SCRATCH, Turns, is_in, plain_path
from tacit.sessions.rules.commands.standing_changes import StandingChanges
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

_MOST_MOVED = 2
_MOST_DELETED = 3
_GLOBS = frozenset("*?[$")
# A file that somebody wrote; not what a program leaves, and not what is only there for a while.
_FILE = lazy_pattern(r"\A[^*?\[$]+\.(?!lock\b|log\b|tmp\b|pyc\b|bak\b|orig\b|pid\b|sock\b)\w{1,6}\Z")
_SOURCE = lazy_pattern(
    r"\.(?:pyi?|[cm]?[jt]sx?|astro|vue|svelte|go|rs|java|kts?|rb|php|cc?|cpp|hh?|hpp|cs|swift|scala|exs?|lua|fish|sh|ps1"
    r"|s?css|less|html?|md|mdx|rst|toml|ya?ml|sql|proto|tf)\Z"
)
_REMOVES = lazy_pattern(r"\b(?:rm|unlink)\s")
_MOVES = lazy_pattern(r"\bmv\s")
# They print what is in a file, which is there then.
_SHOWING = frozenset({"cat", "head", "tail", "grep", "rg", "sed", "wc", "nl", "less", "bat"})


def moved_files(turns: Turns, cwd: str) -> Iterator[str]:
    """Return the files and folders that were moved, each with where to; a few of many."""
    turns = list(turns)
    if not any(_MOVES.search(turn.command) for turn, _text in turns):
        return
    ledger: StandingChanges[tuple[str, str]] = StandingChanges()
    for turn, _text in turns:
        for step in _steps(turn):
            old, new = plain_path(step.path, cwd), plain_path(step.to, cwd)
            if step.what == "move" and turn.ok:
                # What was moved back was not moved.
                if (new, old) in ledger.entries:
                    ledger.drop([(new, old)])
                elif step.is_sure and _is_of_project(old, new):
                    ledger.open[old, new] = 1
            elif step.what in ("remove", "remove if there"):
                ledger.drop([one for one in ledger.entries if is_in(one[1], old)])
            elif step.what == "restore" and old == EVERYTHING:
                ledger.open.clear()
            elif not step.path:
                ledger.follow(step.what)
    told = [f"{old} to {new}" for old, new in ledger.entries]
    yield from (*told[:_MOST_MOVED], *(["others"] if len(told) > _MOST_MOVED else []))


def _is_of_project(old: str, new: str) -> bool:
    if any(one.startswith(SCRATCH) or not _GLOBS.isdisjoint(one) for one in (old, new)):
        return False
    return not (old.startswith("/") and new.startswith("/"))


def deleted_files(turns: Turns, cwd: str) -> Iterator[str]:
    """Return the files that were deleted by name, neither made before nor there again afterwards; a few of many."""
    turns = list(turns)
    if not any(turn.gone or _REMOVES.search(turn.command) for turn, _text in turns):
        return
    made: set[str] = set()
    before = _gone_before(turns)
    ledger: StandingChanges[str] = StandingChanges()
    for place, (turn, _text) in enumerate(turns):
        if turn.ok and not turn.error and ledger.is_begun:
            ledger.drop(_shown(turn.command, ledger.entries))
        # What git listed as new was made here, as far as anybody knows.
        made.update((turn.uncommitted or ())[: turn.untracked])
        for step in _steps(turn):
            path = plain_path(step.path, cwd)
            if step.what in ("write", "perhaps write", "move"):
                there = _there(step, cwd)
                made |= there
                ledger.drop([one for one in ledger.entries if any(is_in(one, path) for path in there)])
            elif step.what in ("remove", "remove if there"):
                # What programs make is seldom source code.
                is_known = "git rm" in turn.command or (step.what == "remove" and bool(_SOURCE.search(path)))
                is_known = is_known or _was_seen(path, turns[:place])
                if turn.ok and step.is_sure and is_known and _is_own(path) and not _is_made(path, made):
                    ledger.open[path] = 1
            elif step.what in ("restore", "perhaps restore"):
                # Where all is brought back, what a commit deleted is not.
                gone = [one for one in ledger.entries if is_in(one, path)]
                ledger.drop(gone, committed=path != EVERYTHING)
            elif not step.path:
                ledger.follow(step.what)
        for path in turn.gone:
            if path not in before and _is_own(path) and not _is_made(path, made):
                ledger.open[path] = 1
    # Called by its whole path, and as git calls it.
    deleted = [one for one in ledger.entries if not any(other.endswith(f"/{one}") for other in ledger.entries)]
    yield from (*deleted[:_MOST_DELETED], *(["others"] if len(deleted) > _MOST_DELETED else []))


def _gone_before(turns: Sequence[tuple[KeptTurn, str]]) -> frozenset[str]:
    """Return what was deleted before a session, as git says when it is asked first."""
    asked = (turn for turn, _text in turns if turn.uncommitted is not None or turn.gone or turn.paths)
    first = next(asked, None)
    return frozenset(first.gone) if first is not None and first.uncommitted is not None else frozenset()


def _steps(turn: KeptTurn) -> Iterable[FileStep]:
    """Return what a turn did to files; nothing if it failed."""
    if turn.ok is False or turn.error:
        return ()
    return file_steps(turn.command) if turn.command else [FileStep("write", path) for path in turn.paths]


def _there(step: FileStep, cwd: str) -> set[str]:
    """Return what is there after a step; what is moved may be in a folder afterwards."""
    paths = {step.path} if step.what != "move" else {step.to, f"{step.to}/{step.path.rpartition('/')[2]}"}
    return {plain_path(path, cwd) for path in paths} - {EVERYTHING}


def _is_own(path: str) -> bool:
    return bool(_FILE.search(path)) and not path.startswith(SCRATCH)


def _is_made(path: str, made: Iterable[str]) -> bool:
    """Return whether a file was written before; where the folder is not known, one with its name."""
    names = (one.removeprefix("?/") for one in made)
    return any(path == one or path.endswith(f"/{one}") or one.endswith(f"/{path}") for one in names)


def _was_seen(path: str, earlier: Sequence[tuple[KeptTurn, str]]) -> bool:
    """Return whether a prompt named a file, or a command that only reads was the first one to do so."""
    name = path.rpartition("/")[2]
    for turn, text in earlier:
        if turn.role == "user" and name in text:
            return True
        if not turn.command and turn.tool != "Write" and any(one.endswith(name) for one in turn.paths):
            return True
        if name in turn.command and turn.ok is not False:
            # What another program was told may be what it made.
            commands = line_commands(turn.command)
            if any(_names(one, name) for one in commands):
                return all(one.name in READERS for one in commands)
    return False


def _names(command: Command, name: str) -> bool:
    return command.name not in ("echo", "printf") and any(name in word.shown for word in command.args)


def _shown(command: str, deleted: Iterable[str]) -> list[str]:
    """Return which of the files that were deleted a command shows: somebody wrote them again."""
    named = [path for path in deleted if path.rpartition("/")[2] in command]
    showing = [one for one in line_commands(command) if one.name in _SHOWING] if named else []
    return [path for path in named if any(_names(one, path.rpartition("/")[2]) for one in showing)]
