"""What commands did to files: which ones they certainly wrote or moved, and whether they only looked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.line_commands import LINE_READ, line_commands
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

_MOST_MOVED = 2
_FROM_AND_TO = 2
UNSURE = lazy_pattern(r"\|\||\b(?:if|for|while|until|case)\b|\bgit -C\b|\b(?:cd|pushd) |--dry-run|\s-n\b")
"""A line in which a command may not have been run, may change nothing, or may be about another folder."""
_PATCHED = lazy_pattern(r"(?m)^\*\*\* (?:Add|Update) File: ([\w./@+-]{1,200})$")
_PATCHING = lazy_pattern(r"(?:\A|[;&\n])\s*apply_patch\b")
_SCRATCH = ("/tmp/", "/dev/", "/var/")  # noqa: S108 - places to leave out, none to write to
_GLOBS = frozenset("*?[$")
# They print something and change nothing, unless they are told to.
_PRINTING = frozenset({
    "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "pwd", "cd", "echo", "printf", "which", "type", "wc",
    "sed", "tree", "file", "stat", "du", "df", "ps", "jq", "diff", "sort", "uniq", "cut", "tr", "nl", "whoami",
    "uname", "true", "test", "[", "basename", "dirname", "column", "less", "man", "printenv",
})  # fmt: skip
_WRITING = ("-i", "--in-place", "-exec", "-ok", "-delete", "-o", "--output", "-x", "-X", "-fprint")
_WRITES_IN_SED = lazy_pattern(r"(?:\A|[/;\d$pge])w ")
_LISTING = frozenset({"-a", "-v", "-vv", "-r", "-l", "--all", "--list", "--show-current"})
LOOKING_GIT = frozenset({"status", "log", "diff", "show", "branch", "remote", "rev-parse", "fetch"})
"""What git is asked to do if it only looks; by its first word."""
Turns = Iterable[tuple[KeptTurn, str]]


def plain_path(path: str, cwd: str) -> str:
    """Return a path as the project calls it."""
    return (path.removeprefix(f"{cwd}/") if cwd else path).removeprefix("./").rstrip("/")


def written_by(line: str) -> list[str]:
    """Return the files that a line certainly writes: with a patch in Codex's form, with `cat > file` or `sed -i`."""
    if "*** Begin Patch" in line:
        return _PATCHED.findall(line) if _PATCHING.search(line) else []
    if not ("sed -i" in line or "<<" in line) or UNSURE.search(line.partition("<<")[0]):
        return []
    found = [path for command in line_commands(line) for path in _written(command)]
    return [path for path in found if path and not path.startswith(_SCRATCH) and _GLOBS.isdisjoint(path)]


def _written(command: Command) -> list[str]:
    if command.name == "cat":
        return [one.target.text or "" for one in command.redirects if one.operator in (">", ">>")]
    words = [word.text or "" for word in command.args]
    if command.name == "sed" and any(word.startswith("-i") for word in words):
        # The last word is a file if a script stands before it.
        return words[-1:] if sum(not word.startswith("-") and word != "" for word in words) > 1 else []
    return []


def moved_files(turns: Turns, cwd: str) -> Iterator[str]:
    """Return the files and folders that were moved, each with where to; a few of many."""
    moved: dict[tuple[str, str], None] = {}
    for turn, _text in turns:
        line = turn.command
        if turn.ok and "reset" in line and "--hard" in line:
            moved.clear()
        if "mv" not in line or not turn.ok or turn.error or UNSURE.search(line):
            continue
        for command in line_commands(line):
            words = [word.text or "" for word in command.args]
            names = (
                words[1:] if command.name == "git" and words[:1] == ["mv"] else words if command.name == "mv" else []
            )
            names = [] if any(word.startswith("-t") for word in names) else [one for one in names if one[:1] != "-"]
            if len(names) == _FROM_AND_TO and not any(one.startswith(_SCRATCH) or _GLOBS & set(one) for one in names):
                old, new = (plain_path(one, cwd) for one in names)
                # What was moved back was not moved.
                if (new, old) in moved:
                    del moved[new, old]
                else:
                    moved[old, new] = None
    told = [f"{old} to {new}" for old, new in moved]
    yield from (*told[:_MOST_MOVED], *(["others"] if len(told) > _MOST_MOVED else []))


def only_looked(turns: Turns) -> bool:
    """Return whether a session wrote no file and each of its commands only printed something."""
    kept = [turn for turn, _text in turns]
    if any(turn.paths and not turn.command for turn in kept) or any(len(turn.command) > LINE_READ for turn in kept):
        return False
    return all(_only_prints(command) for turn in kept if turn.command for command in line_commands(turn.command))


def _only_prints(command: Command) -> bool:
    if any(">" in one.operator and "&" not in one.operator and one.target.text != "/dev/null"
           for one in command.redirects):  # fmt: skip
        return False
    words = [word.text or "" for word in command.args]
    if any(word.startswith(_WRITING) for word in words):
        return False
    if command.name == "git":
        first, rest = (words[0] if words else ""), words[1:]
        return first in LOOKING_GIT and (first not in ("branch", "remote") or _LISTING.issuperset(rest))
    return command.name in _PRINTING and not (command.name == "sed" and any(map(_WRITES_IN_SED.search, words)))
