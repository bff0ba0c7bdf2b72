"""What builtins do to the known variables: read, mapfile, printf -v, set and shift."""

from __future__ import annotations

import re

from tacit.shell.command import UNKNOWN, Command, ShellWord, UnknownPart, literal
from tacit.shell.expand import Env
from tacit.shell.options import OptionSpec, after_options, split_options
from tacit.shell.parameter_expansion import array, elements
from tacit.shell.printed_output import output_of

MOST_FEEDERS = 5
SETTING = frozenset({"read", "mapfile", "readarray", "printf", "set", "time", "shift"})
"""The builtins that set variables."""
_READ = OptionSpec("adinNptu", "")
_MAPFILE = OptionSpec("dnOsucC", "")


def effects(command: Command, env: Env) -> Env:
    """Return the variables that a builtin sets."""
    match command.name:
        case "read":
            return _read(command, env)
        case "mapfile" | "readarray":
            return _lines(command)
        case "printf" if len(command.words) > 3 and command.args[0].text == "-v":
            printed = output_of(command._replace(words=(command.words[0], *command.words[3:])))
            return {command.args[1].text or "": printed.pieces if printed is not None else UNKNOWN.pieces}
        case "set" if command.args and (command.args[0].text == "--" or command.args[0].head[:1] not in ("-", "+")):
            return array("@", [word for word in command.args if word.text != "--"])
        case "time":
            pairs = [word.head.partition("=") for word in command.args]
            return {name: (value,) for name, equals, value in pairs if equals and name.isidentifier()}
        case "shift" if (known := elements("@", env)) is not None:
            count = command.args[0].text if command.args else "1"
            return array("@", [ShellWord(one) for one in known[int(count) if count and count.isdecimal() else 1 :]])
    return {}


def input_of(command: Command) -> str | None:
    """Return what a command reads, if that is known."""
    if command.stdin is not None:
        return command.stdin.text
    targets = [one.target for one in command.redirects if one.operator.startswith("<")]
    return next((one.holes[0].content for one in targets if one.holes), None)


def _split(text: str, command: Command, env: Env, most: int = 0) -> list[str]:
    marks = "".join(map(str, (*dict(command.assigns).get("IFS", ShellWord(env.get("IFS", (" \t\n",)))).pieces,)))
    parts = re.split(f"[{re.escape(marks)}]+", text.strip(" \t\n"), maxsplit=most) if marks else [text]
    return [part for part in parts if part]


def _read(command: Command, env: Env) -> Env:
    given = {option: value for option, value in split_options(command.args, _READ) if value is not None}
    names = [word.text or word.head for word in after_options(command.args, _READ)]
    text = input_of(command)
    if text is not None and "d" not in given:
        # Which of several lines it is depends on what was read before.
        text = text.removesuffix("\n") if "\n" not in text.removesuffix("\n") else None
    if "a" in given:
        name = given["a"].text or ""
        words = _split(text, command, env) if text is not None else None
        return array(name, [literal(one) for one in words]) if words is not None else {name: UNKNOWN.pieces}
    if text is None:
        part = UnknownPart(source=_source(command.feeder))
        return {name: (part,) for name in names if name.isidentifier()}
    names = names or ["REPLY"]
    values = _split(text, command, env, len(names) - 1) if len(names) > 1 else [text.strip(" \t\n")]
    return {name: (value,) for name, value in zip(names, (*values, *[""] * len(names)), strict=False)}


def _source(feeder: Command | None) -> str:
    """Return the commands of a pipe whose output is read."""
    parts: list[str] = []
    while feeder is not None and len(parts) < MOST_FEEDERS:
        parts.append(" ".join(word.shown for word in feeder.words))
        feeder = feeder.feeder
    return " | ".join(reversed(parts))


def _lines(command: Command) -> Env:
    given = {option: value for option, value in split_options(command.args, _MAPFILE) if value is not None}
    names = after_options(command.args, _MAPFILE)
    name = names[0].text or "" if names else "MAPFILE"
    text, end = input_of(command), (given["d"].text or "\0") if "d" in given else "\n"
    if text is None:
        return {f"{name}[#]": (), name: UNKNOWN.pieces}
    return array(name, [literal(line) for line in text.removesuffix(end).split(end)])
