"""A bad value on the command line ends with exit 2, whichever command and option it is given to, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from tacit.app.open import open_memory
from tacit.doors.cli.main import cli
from tests.doors.test_commands import EXAMPLES, prepared, spelled, story  # noqa: F401 - fixtures

# By the name of the parameter: what cannot be a value of it.
BAD_BY_NAME = {
    "importance": ("2", "-1", "nan"), "min_importance": ("2", "nan"), "scope": ("everything", "project:"),
    "store": ("mysql://x",), "also": ("project:x", "nonsense"), "kinds": ("zzz",), "statuses": ("zzz",),
    "status": ("zzz",), "after": ("junk",), "namespace": ("a/b",), "span": ("soon",), "idle": ("soon",),
    "min_score": ("nan",), "confidence": ("2", "nan"), "strength": ("nan",), "entity": ("nokind",),
}  # fmt: skip
TIMES = {"since", "until", "as_of", "valid_at", "valid_from", "valid_to", "at"}
# What runs until it is stopped, or belongs to other programs.
LEFT_OUT = {"hook", "serve", "rpc", "mcp", "demo", "bench"}


def leaves(command: click.Command = cli, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something, by its words."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command, help_option_names=["-h", "--help"])
    for name in command.list_commands(context):
        if path or name not in LEFT_OUT:
            yield from leaves(command.get_command(context, name), f"{path} {name}".strip())


COMMANDS = dict(leaves())


def bad_values(option: click.Option) -> list[str]:
    """Return what cannot be a value of an option, by its type and its name."""
    kind = option.type
    found = list(BAD_BY_NAME.get(option.name or "", ()))
    if option.name in TIMES or option.metavar == "TIME":
        found.append("soon")
    if isinstance(kind, click.Choice):
        found.append("zzz")
    if kind in (click.INT, click.FLOAT) or isinstance(kind, click.IntRange | click.FloatRange):
        found.append("abc")
    if isinstance(kind, click.IntRange):
        found += [str(kind.min - 1)] if kind.min is not None else []
        found += [str(kind.max + 1)] if kind.max is not None else []
    found += ["{broken"] if option.metavar == "JSON" else []
    return found + (["novalue"] if option.metavar == "NAME=VALUE" else [])


def cases(command: click.Command) -> list[str]:
    """Return each option of a command with each bad value."""
    given = [one for one in command.params if isinstance(one, click.Option) and not one.is_flag]
    return [f"{one.opts[-1]}={value}" for one in given for value in bad_values(one)]


def arguments(path: str, names: dict[str, str]) -> list[str]:
    """Return arguments for a command: those of its example, or some word for each that it needs."""
    if path in EXAMPLES:
        return spelled(EXAMPLES[path][0], names)
    needed = [one for one in COMMANDS[path].params if isinstance(one, click.Argument) and one.required]
    words = [
        one.type.choices[0] if isinstance(one.type, click.Choice)
        else "export.jsonl" if isinstance(one.type, click.Path | click.File) else "1"
        for one in needed
    ]  # fmt: skip
    more = [one for one in COMMANDS[path].params if isinstance(one, click.Option) and one.required]
    return [*words, *(f"{one.opts[-1]}={getattr(one.type, 'choices', ['1'])[0]}" for one in more)]


@pytest.mark.parametrize("path", sorted(path for path, command in COMMANDS.items() if cases(command)))
def test_a_bad_value_is_a_usage_error_everywhere(tacit, story, person, path):  # noqa: F811
    """Exit 2, one error that says what it is; nothing is written."""
    person()
    words = arguments(path, story)

    def newest():
        with open_memory() as memory:
            return [event.seq for event in memory.events(limit=1)]

    before, wrong = newest(), {}
    for case in cases(COMMANDS[path]):
        answer = tacit(*path.split(), *words, case, "--json")
        error = answer.json.get("error", {"code": "", "message": answer.out})
        option, _, value = case.partition("=")
        words_for_it = (option, option.strip("-"), value, "cursor" if option == "--after" else option)
        about = any(word in error["message"] for word in words_for_it)
        if (answer.code, error["code"], about) != (2, "usage", True):
            wrong[case] = (answer.code, error["message"][:100])

    assert {} == wrong
    assert before == newest()
