"""What was done about a prompt: the turns up to the next prompt that a person typed, and those of many that tell it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.model.session import Turn
from tacit.sessions.rules.commands.commits import commits_in
from tacit.sessions.rules.commands.shell_changes import written_by
from tacit.sessions.rules.commands.telling_commands import telling_command
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part

_GOES_ON = lazy_pattern(
    r"(?:(?:yes|ok|okay|sure|please|now|just|good|great)[\s,.!]*)*"
    r"(?:continue|go (?:on|ahead)|proceed|carry on|keep going|do (?:it|that|so|both)|yes|ok|okay|sure|yep|next)?"
    r"(?:[\s,.!]*(?:please|then|now|with (?:it|that)))*[\s.!]*",
    re.I,
)
_SHORT = 200
_INTERRUPTED = "[Request interrupted"
"""How an agent notes that it was stopped, in the place of a prompt."""


def is_typed(turn: Turn) -> bool:
    """Return whether a turn is a prompt that a person typed."""
    said = turn.text.strip() if turn.role == "user" and turn.tool is None and not turn.sidechain else ""
    return bool(said) and not said.startswith(_INTERRUPTED) and not is_by_program(typed_part(said))


def _only_goes_on(said: str) -> bool:
    return len(said) <= _SHORT and _GOES_ON.fullmatch(said) is not None


def prompt_before(turns: Sequence[Turn], place: int) -> int | None:
    """Return the place of the prompt that a turn belongs to: its own, or the last one before; None without one."""
    return next((at for at in range(place, -1, -1) if is_typed(turns[at])), None)


def end_of_prompt(turns: Sequence[Turn], place: int) -> int:
    """Return the place of the next prompt after one, or the number of turns.

    A prompt that only says to go on belongs to it, and so does one before which nothing was done or said.
    """
    done = False
    for at in range(place + 1, len(turns)):
        if is_typed(turns[at]):
            if done and not _only_goes_on(turns[at].text.strip()):
                return at
        else:
            done = True
    return len(turns)


def telling_places(turns: Sequence[Turn], start: int, end: int) -> list[int]:
    """Return which turns tell what was done about the prompt at the start: what changed something, failed or answered.

    Of files that were written several times the first is returned, and of a command that worked several times too.
    """
    found: list[int] = [start]
    known: set[tuple[str, ...]] = set()
    for place in range(start + 1, end):
        turn = turns[place]
        if turn.tool is None or not (what := _done(turn)):
            continue
        is_failed = turn.outcome is not None and turn.outcome.ok is False
        if is_failed or what not in known:
            found.append(place)
        if not is_failed:
            known.add(what)
    answers = (at for at in range(end - 1, start, -1) if _answers(turns[at]))
    return sorted({*found, *list(answers)[:1]})


def _done(turn: Turn) -> tuple[str, ...]:
    """Return what a tool did, if that is telling: its command, or the files that it wrote."""
    tool, outcome = turn.tool, turn.outcome
    if tool is None:
        return ()
    line = tool.command
    if not line:
        return tool.paths if tool.kind == "edit" else ()
    is_failed = outcome is not None and outcome.ok is False
    is_telling = is_failed or commits_in(line) or written_by(line) or telling_command(line)
    return (line,) if is_telling else ()


def _answers(turn: Turn) -> bool:
    return turn.role == "assistant" and turn.tool is None and not turn.sidechain and bool(turn.text.strip())
