"""What a line makes itself: things it deletes again, links to folders, and copies of secrets under other names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.guard.args import read
from tacit.guard.secrets.sources import is_key, tells_secret
from tacit.guard.verdict import Verdict
from tacit.shell.command import Command, ShellWord

_MAKERS = frozenset({"create", "run", "createdb", "add", "init", "up", "start"})
_DELETED_BY = {"createdb": "dropdb", "createuser": "dropuser"}
_RULES = frozenset({
    "database.drop-tools", "clusters.delete", "docker.remove", "docker.remove-force", "kubernetes.delete",
    "git.worktree-force",
})  # fmt: skip


_COPIERS = frozenset({"cp", "mv", "install", "gcp", "ditto"})
_PACKERS = frozenset({"tar", "zip", "7z", "7za", "rar"})
MOST_OTHER_NAMES = 20


class MadeHere:
    """The names of what the commands of a line have made so far."""

    def __init__(self) -> None:
        self._names: set[tuple[str, str]] = set()
        self._links: dict[str, ShellWord] = {}
        self._moved: dict[str, ShellWord] = {}
        """Where something was moved to, and from where: deleting it there deletes it."""
        self._secrets: dict[str, ShellWord] = {}
        """Copies and archives of secrets."""

    def note(self, command: Command) -> None:
        """Note the operands of a command that makes something."""
        words = [word.shown for word in command.args]
        if command.name in _MAKERS or not _MAKERS.isdisjoint(words[:3]):
            program = _DELETED_BY.get(command.name or "", command.name or "")
            named = (word.partition("=")[2] or word for word in words if not word.startswith("--") or "=" in word)
            self._names.update((program, name) for name in named)
        if len(self._links) + len(self._moved) + len(self._secrets) < MOST_OTHER_NAMES:
            self._note_other_names(command)

    def _note_other_names(self, command: Command) -> None:
        args = read(command)
        keys = [word for word in args.operands if is_key(word)]
        if command.name == "ln" and args.may("-s", "--symbolic") and len(args.operands) == 2:
            target, link = args.operands
            # In a folder the link has the name of its target, if that is known.
            named = "" if target.holes else target.shown.rstrip("/").rsplit("/", 1)[-1].replace("~", "")
            is_inside = bool(link.shown.endswith("/") and named)
            self._links[link.shown + named if is_inside else link.shown.rstrip("/")] = target
        elif command.name in ("mv", "gmv") and len(args.operands) == 2 and not keys:
            self._moved[args.operands[1].shown.rstrip("/")] = args.operands[0]
        elif command.name in _COPIERS and len(args.operands) > 1 and keys and keys[0] is not args.operands[-1]:
            self._secrets[args.operands[-1].shown.rstrip("/")] = keys[0]
        elif command.name in _PACKERS and keys:
            self._secrets |= {word.shown: keys[0] for word in args.operands if word is not keys[0]}
        for one in command.redirects:
            if one.operator.startswith(">") and tells_secret(command):
                self._secrets[one.target.shown] = keys[0] if keys else ShellWord(("~/.netrc",))

    def by_other_names(self, command: Command) -> Iterator[Command]:
        """Return a command with the names that links and copies made by the line stand for."""
        for made, meant in (self._links | self._moved | self._secrets).items():
            if len(made) < 3 or not any(made in word.shown for word in command.args):
                continue
            pattern = re.compile(rf"(?<![\w./-]){re.escape(made)}(?![\w.-])")
            words = [_renamed(word, pattern, meant) for word in command.args]
            if words != list(command.args):
                yield command._replace(words=(command.words[0], *words))

    def applies(self, command: Command, verdict: Verdict) -> bool:
        """Return whether a verdict on a command under other names holds: removing a link removes nothing else."""
        if verdict.rule.startswith("secrets."):
            return True
        inside = any(word.shown.startswith(f"{link}/") for link in self._links for word in command.args)
        deleted = verdict.family == "files" and any(
            word.shown.rstrip("/*") == moved for moved in self._moved for word in command.args
        )
        return (inside or deleted) and verdict.verdict != "allow"

    def softened(self, command: Command, verdict: Verdict) -> Verdict:
        """Return a verdict as a question if everything that a command deletes was made by the line itself.

        Making it may have failed because it was there before, so it is not allowed either.
        """
        if verdict.verdict != "deny" or verdict.rule not in _RULES:
            return verdict
        last = command.args[-1].shown if command.args else ""
        started = any(hole.source.startswith(("docker run", "podman run")) for w in command.args for hole in w.holes)
        if started:
            return verdict._replace(verdict="ask")
        return verdict._replace(verdict="ask") if last and (command.name or "", last) in self._names else verdict


def _renamed(word: ShellWord, pattern: re.Pattern[str], meant: ShellWord) -> ShellWord:
    if word.holes:
        return word
    head, found, tail = word.shown, pattern.search(word.shown), ""
    if found is None:
        return word
    head, tail = word.shown[: found.start()], word.shown[found.end() :]
    return word._replace(pieces=tuple(piece for piece in (head, *meant.pieces, tail) if piece != ""))
