"""What a line makes itself and then deletes: a question is enough, because what is lost was made a moment ago."""

from __future__ import annotations

from tacit.guard.verdict import Verdict
from tacit.shell.command import Command

_MAKERS = frozenset({"create", "run", "createdb", "add", "init", "up", "start"})
_DELETED_BY = {"createdb": "dropdb", "createuser": "dropuser"}
_RULES = frozenset({
    "database.drop-tools", "clusters.delete", "docker.remove", "docker.remove-force", "kubernetes.delete",
    "git.worktree-force",
})  # fmt: skip


class MadeHere:
    """The names of what the commands of a line have made so far."""

    def __init__(self) -> None:
        self._names: set[tuple[str, str]] = set()

    def note(self, command: Command) -> None:
        """Note the operands of a command that makes something."""
        words = [word.shown for word in command.args]
        if command.name in _MAKERS or not _MAKERS.isdisjoint(words[:3]):
            program = _DELETED_BY.get(command.name or "", command.name or "")
            named = (word.partition("=")[2] or word for word in words if not word.startswith("--") or "=" in word)
            self._names.update((program, name) for name in named)

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
