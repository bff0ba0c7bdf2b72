"""The searchable text of a session's own record: its prompts and commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.model.session import Turn
from tacit.sessions.rules.commands.commits import commits_in
from tacit.sessions.rules.commands.line_commands import shortened_command
from tacit.sessions.rules.commands.telling_commands import MATTERS, telling_command
from tacit.sessions.rules.own_words import own_words, telling_words
from tacit.sessions.rules.private_span import PrivateSpan

TITLE_CHARS = 200
BODY_CHARS = 20_000
PROMPT_CHARS = 2_000
COMMAND_CHARS = 500
_READ_CHARS = 2_000
"""How much of a command is read to find what the session is called."""
_TITLE_WORDS = 2
_NO_WORDS = 2
"""So few characters are an answer to a question of the agent's."""
_MOST_READ = 200
"""How many commands are read to find the one that tells most."""
_SENDS = "git push"
# Redacted before it is cut: half a secret would not be recognised.
BEFORE_REDACTION = 4


class SessionDigest:
    """The searchable text of a session: its prompts and commands in order, redacted, up to a limit."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._private = PrivateSpan()
        self.hides = self._is_titled = False
        self._parts: list[str] = []
        self._chars = 0
        self._said = ""
        self._worked: list[str] = []
        self.turns = self.prompts = self.commands = self.failures = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of a session: of a private one, what its program put there says nothing."""
        return not self.turns or (self.hides and not self.prompts and not self.commands)

    @property
    def title(self) -> str:
        """What the session is called: the first prompt that says something, or else what was done; or empty."""
        done = "" if self._is_titled else one_line(_done_title(self._worked))
        return done or (self._said if len(self._said) > _NO_WORDS else "")

    @property
    def any_title(self) -> str:
        """What it is called if nothing says anything: the first command, or a prompt such as `y`."""
        looked = next((f"$ {shortened_command(line)}" for line in self._worked if line), "")
        return one_line(looked or self._said)

    @property
    def body(self) -> str:
        """The digest as one text."""
        return "\n".join(self._parts)[:BODY_CHARS]

    def take(self, turn: Turn) -> None:
        """Add one turn; what a private prompt covers is left out."""
        if self._private.covers(turn):
            self.hides = True
            return
        self.turns += 1
        if turn.tool and turn.tool.command:
            self.commands += 1
            is_failed = turn.outcome is not None and turn.outcome.ok is False
            self.failures += is_failed
            if not (self._is_titled or is_failed) and len(self._worked) < _MOST_READ:
                self._worked.append(self._cleaned(turn.tool.command, _READ_CHARS))
            self._add("$ ", turn.tool.command, COMMAND_CHARS)
        elif turn.role == "user" and turn.text.strip():
            self.prompts += 1
            added = self._add("", turn.text, PROMPT_CHARS)
            if not self._is_titled and not turn.text.lstrip().startswith("/"):
                said = added or self._cleaned(turn.text, PROMPT_CHARS)
                # The first prompt that says something; "ls" and "test" are titles only of what has no better one.
                self._is_titled = telling_words(own_words(said)) >= _TITLE_WORDS
                self._said = one_line(said) if self._is_titled or not self._said else self._said

    def _add(self, mark: str, text: str, most: int) -> str:
        if self._chars >= BODY_CHARS:
            return ""
        text = self._cleaned(text, most)
        self._parts.append(mark + text)
        self._chars += len(mark) + len(text) + 1
        return text

    def _cleaned(self, text: str, most: int) -> str:
        return self._redact(text[: most * BEFORE_REDACTION])[:most].strip()


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"


def _done_title(lines: Sequence[str]) -> str:
    """Return the subject of the first commit that lines made, or else the line that tells most; empty if none does."""
    if commit := next((subject for line in lines for subject in commits_in(line)), ""):
        return commit
    told = [found[1] for line in lines if (found := telling_command(line))]
    # Of equal ones the first.
    return f"$ {best}" if (best := max(told, key=_tells, default="")) else ""


def _tells(command: str) -> int:
    if command.startswith(_SENDS):
        # What was sent, it does not say.
        return 0
    return 2 if MATTERS.match(command) else 1
