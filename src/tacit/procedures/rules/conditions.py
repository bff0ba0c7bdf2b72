"""Conditions of a step: known forms are checked automatically; any other text is a question for a person."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

from tacit.errors import UsageError
from tacit.procedures.rules.replay_steps import fill, shown
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_regex import compiled

Form = Literal["file", "command", "output", "env", "git", "exit", "ask"]
FORMS = "`file exists PATH`, `command CMD`, `output matches RE`, `env NAME`, `git clean`, `exit N`, or plain words"
_ENV = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_AFTER_ONLY: tuple[Form, ...] = ("output", "exit")


class Condition(NamedTuple):
    """A condition of a step: its form and its value."""

    form: Form
    value: str = ""


def read_condition(text: str, *, after: bool) -> Condition:
    """Parse a condition. A text that begins like a check but is not a valid one is an error, not a question."""
    found = _read(text.strip())
    if found.form in _AFTER_ONLY and not after:
        raise _unfit(text, f"`{found.form}` checks the result of a step, so it can only be a postcondition")
    if found.form == "output":
        compiled(found.value, "the pattern of that condition")
    return found


def with_values(condition: Condition, values: Mapping[str, str]) -> Condition:
    """Fill in the values of parameters: quoted in a command, escaped in a pattern."""
    if condition.form == "output":
        literal = {name: re.escape(value) for name, value in values.items()}
        pattern = fill(condition.value, literal, shell=False)
        compiled(pattern, "the pattern of that condition")
        return condition._replace(value=pattern)
    return condition._replace(value=fill(condition.value, values, shell=condition.form == "command"))


def in_words(text: str, values: Mapping[str, str], secrets: Collection[str]) -> str:
    """Return a condition with its values, as text that may be shown: without secrets."""
    first, _, rest = text.strip().partition(" ")
    if first == "command":
        return f"{first} {shown(rest, values, secrets)}"
    return shown(text, values, secrets, shell=False)


def _read(text: str) -> Condition:
    # Spaces between the words of the check do not matter; in a command or a pattern they do.
    first, rest = _split(text)
    second, third = _split(rest)
    match first:
        case "file" if second == "exists":
            if not third:
                raise _unfit(text, "`file exists` needs a path")
            return Condition("file", _unquoted(third))
        case "output" if second == "matches":
            if not third:
                raise _unfit(text, "`output matches` needs a pattern")
            return Condition("output", third)
        case "git" if rest == "clean":
            return Condition("git", "clean")
        case "command" | "env" | "exit":
            return _one_word(text, first, rest)
        case "ask:":
            return Condition("ask", rest)
    return Condition("ask", text)


def _split(text: str) -> tuple[str, str]:
    first, *rest = text.split(None, 1) or [""]
    return first, "".join(rest)


def _one_word(text: str, first: str, rest: str) -> Condition:
    if first == "command" and rest:
        return Condition("command", rest)
    if first == "env" and _ENV.fullmatch(rest):
        return Condition("env", rest)
    if first == "exit" and rest.isascii() and rest.isdigit() and int(rest) <= 255:
        return Condition("exit", str(int(rest)))
    needs = {"command": "a command", "env": "the name of a variable", "exit": "a number from 0 to 255"}[first]
    raise _unfit(text, f"`{first}` needs {needs}")


def _unquoted(path: str) -> str:
    try:
        words = shlex.split(path)
    except ValueError:
        return path
    return words[0] if len(words) == 1 else path


def _unfit(text: str, why: str) -> UsageError:
    return UsageError(
        f"{text[:80]!r} is not a condition: {why}", f"a condition is {FORMS}; start it with `ask: ` to ask a person"
    )
