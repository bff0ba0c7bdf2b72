"""Commands made from verbs: options and arguments come from the declaration, the output is written by hand."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args, get_origin

import click

from tacit.app.memory import Memory
from tacit.app.verbs.declare import Argument, Verb
from tacit.doors.cli.command_call import CommandCall, options, read, record_document
from tacit.doors.cli.renamed_option import RenamedOption
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.record import Record, RecordPage


class Given(SimpleNamespace):
    """The input of a command: the arguments of its verb, its own options, and `call`."""

    call: CommandCall

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class View(NamedTuple):
    """How a result is presented: its name in the document, and functions that make the document and print for people.

    `exit_code` returns the exit code for a result.
    """

    thing: str
    show: Callable[[Any, Given], object]
    document: Callable[[Any, Given], dict[str, Any]] = lambda result, _given: plain(result)
    exit_code: Callable[[Any], int] = lambda _result: 0
    doing: str = ""
    """The label of the progress bar."""
    asks: Mapping[str, Any] = {}
    """Arguments that the verb gets instead of the given ones, which the view applies itself."""
    beside: Callable[[Memory, Any], Mapping[str, Any]] = lambda _memory, _result: {}
    """Returns what the view reads for people while the memory is open; it is added to what was given."""


def sentence(
    thing: str, said: Callable[[Any, Given], str],
    document: Callable[[Any, Given], dict[str, Any]] = lambda result, _given: plain(result), doing: str = "",
) -> View:  # fmt: skip
    """Return a view that prints one sentence or a few lines, or answers with the result as a document."""

    def show(result: Any, given: Given) -> None:
        from tacit.doors.cli.render import say

        say(said(result, given))

    return View(thing, show, document, doing=doing)


def of_record(thing: str, said: Callable[[Record, Given], str]) -> View:
    """Return a view that prints one sentence about a record, or answers with the record as a document."""
    return sentence(thing, said, lambda record, _given: {"record": record_document(record)})


def of_records(thing: str, show: Callable[[Sequence[Record]], None], field: str = "records") -> View:
    """Return a view that prints records as lines, or answers with a document that lists them."""
    return View(
        thing, lambda records, _given: show(records),
        lambda records, _given: {field: [record_document(record) for record in records]},
    )  # fmt: skip


def of_page(thing: str, show: Callable[[Sequence[Record]], None]) -> View:
    """Return a view that prints a page of records, and how to get the next page."""

    def print_(page: RecordPage, given: Given) -> None:
        from tacit.doors.cli.render import say

        show(page.records)
        if page.next:
            number = vars(given).get("page") if not vars(given).get("after") else None
            say(f"more: --page {number + 1}" if number else f"more: --after {page.next}")
        say(*page.notices)

    def document(page: RecordPage, _given: Given) -> dict[str, Any]:
        records = [record_document(record) for record in page.records]
        return {"records": records, "next": page.next, "notices": list(page.notices)}

    return View(thing, print_, document)


class VerbCommand(click.Command):
    """A command whose help lists its arguments too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        if about := [row for row in getattr(self.callback, "__about__", ()) if row[1]]:
            with formatter.section("Arguments"):
                formatter.write_dl(about)
        super().format_options(ctx, formatter)


class Group(click.Group):
    """A noun on the command line: its verbs, and their former names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.former: dict[str, str] = {}
        self._unlisted: set[str] = set()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands, without those that are only here because older command lines use them."""
        return [name for name in super().list_commands(ctx) if name not in self._unlisted]

    def also(self, command: click.Command) -> None:
        """Let a command of another noun work here too, hidden from the help."""
        self.add_command(command)
        self._unlisted.add(str(command.name))

    def alias(self, old: str, new: str) -> None:
        """Keep an older name working, hidden from the help."""
        self.former[old] = new

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command by its current or former name."""
        return super().get_command(ctx, self.former.get(cmd_name, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their whole first sentence, wrapped and not cut."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _first_sentence(one)) for name, one in found if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def verb(
        self, verb: Verb[..., Any], view: View, name: str = "", *, aliases: Sequence[str] = (), **spelled: Any
    ) -> None:
        """Make a command from a verb, with the arguments of `verb_command`."""
        name = name or verb.name.rstrip("_").replace("_", "-")
        self.add_command(verb_command(verb, view, name, **spelled))
        for old in aliases:
            self.alias(old, name)


def _first_sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help."""
    said = " ".join((command.help or command.short_help or "").split("\n\n")[0].split())
    end = said.find(". ")
    return said if end < 0 else said[: end + 1]


def group(name: str, sentence: str) -> Group:
    """Make a noun's group."""
    return Group(name, help=sentence)


def verb_command(
    verb: Verb[..., Any], view: View, name: str = "", *, defaults: Mapping[str, Any] | None = None,
    more: Sequence[Callable[..., Any]] = (), help: str = "", but: Sequence[str] = (),
    former: Mapping[str, str] | None = None,
) -> click.Command:  # fmt: skip
    """Make one command from a verb.

    `more` are additional options. One with the name of an argument replaces that argument; if the verb takes further
    fields, all of them are passed on; otherwise they are for the view only. `but` are arguments that the command does
    not offer. `former` names older flags, which still work.
    """

    def run(call: CommandCall, **values: Any) -> int:
        beside: dict[str, Any] = {}

        def look(memory: Memory, result: Any) -> None:
            beside.update({} if call.as_json else view.beside(memory, result))

        result = call_verb(call, verb, {**values, **view.asks}, view.doing, look)
        given = Given(call=call, **values, **beside)
        call.answer(view.thing, view.document(result, given), lambda: view.show(result, given))
        return view.exit_code(result)

    run.__doc__ = help or inspect.cleandoc(verb.__doc__ or "")
    rooms = not verb.is_whole
    decorated: Callable[..., Any] = options(run, namespaces=rooms, creates=rooms and verb.creates)
    for decorate in more:
        decorated = decorate(decorated)
    decorated = arguments_of(verb, defaults=defaults, but=but, former=former)(decorated)
    return click.command(name or verb.name.replace("_", "-"), cls=VerbCommand)(decorated)


def call_verb(
    call: CommandCall, verb: Verb[..., Any], values: Mapping[str, Any], doing: str = "",
    look: Callable[[Memory, Any], None] = lambda _memory, _result: None,
) -> Any:  # fmt: skip
    """Call a verb with the values from the command line; `look` is given the result while the memory is open."""
    takes_progress = "progress" in inspect.signature(verb.function).parameters
    # The memory is opened first: whoever types a text learns before it that there is no store to put it in.
    # A dry run is never the first to write.
    with call.memory(writes=verb.creates and not values.get("dry_run")) as memory:
        positional, named = _given(verb, values)
        if not (doing or takes_progress):
            result = verb.of(memory)(*positional, **named)
        else:
            with call.progress(doing or verb.name) as progress:
                result = verb.of(memory)(*positional, **named, **({"progress": progress} if takes_progress else {}))
        look(memory, result)
        return result


def _given(verb: Verb[..., Any], values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the values of a verb's arguments, by position and by name."""
    positional: list[Any] = []
    arguments, parameters = verb.arguments(), inspect.signature(verb.function).parameters
    own = {one.name for one in arguments}
    takes_fields = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    named = {name: value for name, value in values.items() if takes_fields and name not in own}
    for one in arguments:
        if one.name not in values:
            continue
        value = _read(one, values[one.name])
        if value is None and not one.optional:
            continue
        if one.many:
            positional += value
        elif _is_argument(one):
            positional.append(value)
        else:
            named[one.name] = value
    return positional, named


def _read(one: Argument, value: Any) -> Any:
    """Return a value as the verb takes it."""
    if value in (None, ()) and one.optional:
        return None
    if one.spelled("reads_input") and isinstance(value, str):
        return read(value)
    if isinstance(value, Mapping):
        return value
    if _is_object(one):
        return _object(one, value)
    if _is_mapping(one):
        return pairs(value, f"--{_singular(one)}", bare=type(None) in get_args(get_args(one.type)[1]))
    return value


def pairs(values: Sequence[str], option: str, *, bare: bool = False) -> dict[str, Any]:
    """Parse NAME=VALUE texts into a mapping. With `bare`, a NAME alone is allowed and has the value None."""
    if wrong := [value for value in values if "=" not in value and not bare]:
        raise UsageError(f"{wrong[0][:60]!r} is not NAME=VALUE", f"for example {option} name=value")
    split = (value.partition("=") for value in values)
    return {name: value if equals else None for name, equals, value in split}


def _object(one: Argument, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"{one.name} must be a JSON object", f"""for example --{one.name} '{{"file": "a.py"}}' """)
    return value


def arguments_of(
    verb: Verb[..., Any], *, defaults: Mapping[str, Any] | None = None, but: Sequence[str] = (),
    former: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Add the arguments and options of a verb to a command, except those it defines by hand."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        # Every command has the namespace among its common options.
        arguments = [one for one in verb.arguments() if one.name not in (*but, "namespace")]
        for one in reversed(arguments):
            default = (defaults or {}).get(one.name, one.default)
            old = (former or {}).get(one.name)
            changes = {"cls": RenamedOption, "former": old} if old else {}
            command = (_argument if _is_argument(one) else _option)(one, default, **changes)(command)
        about = [(one.spelled("metavar") or one.name.upper(), one.sentence) for one in arguments if _is_argument(one)]
        command.__about__ = [*about, *getattr(command, "__about__", ())]  # type: ignore[attr-defined]
        return command

    return decorate


def option_of(verb: Verb[..., Any], name: str, **changes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option for one argument of a verb, for a command that is written by hand."""
    one = next(one for one in verb.arguments() if one.name == name)
    return _option(one, changes.pop("default", one.default), **changes)


class FiniteNumber(click.FloatRange):
    """A number within bounds; what is not a number, and what has no end, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def _is_argument(one: Argument) -> bool:
    return one.positional and not one.spelled("option")


def _argument(one: Argument, default: Any) -> Callable[..., Any]:
    needed = default is inspect.Parameter.empty and not one.many
    attributes: dict[str, Any] = {"nargs": -1} if one.many or _is_many(one) or one.spelled("words") else {}
    if one.spelled("words"):
        attributes["callback"] = lambda _ctx, _parameter, value: " ".join(value)
    shown: dict[str, Any] = {} if attributes or default is inspect.Parameter.empty else {"default": default}
    return click.argument(one.name, required=needed, type=_type(one), metavar=_metavar(one), **shown, **attributes)


def _option(one: Argument, default: Any, **changes: Any) -> Callable[..., Any]:
    name = one.spelled("option") or f"--{_singular(one).replace('_', '-')}"
    attributes: dict[str, Any] = {"help": one.sentence or None, "metavar": _metavar(one)}
    if one.type is bool:
        both = f"{name}/--no-{name.removeprefix('--')}"
        name = name if default is False else both
        attributes |= {"is_flag": True, "default": default, "metavar": None}
    elif _is_many(one):
        attributes |= {"multiple": True, "type": _type(one), "default": default or None}
    elif default is inspect.Parameter.empty:
        # Without a default: click takes None for a value, and would not ask for it.
        attributes |= {"type": _type(one), "required": True}
    else:
        # An empty text is not one of the choices.
        default = None if default == "" and one.spelled("choices") else default
        attributes |= {"type": _type(one), "default": default, "show_default": default not in (None, "")}
    return click.option(name, one.name, **(attributes | changes))


def _singular(one: Argument) -> str:
    """Return the name of a repeatable option: `--tag` for tags, `--status` for statuses."""
    if not _is_many(one):
        return one.name
    for plural_, single in (("statuses", "status"), ("ies", "y"), ("s", "")):
        if one.name.endswith(plural_):
            return one.name.removesuffix(plural_) + single
    return one.name


def _metavar(one: Argument) -> str | None:
    made = "TIME" if _is_time(one) else "JSON" if _is_object(one) else "NAME=VALUE" if _is_mapping(one) else None
    return one.spelled("metavar") or made


def _type(one: Argument) -> click.ParamType[Any]:
    kind = get_args(one.type)[0] if _is_many(one) and not _is_mapping(one) else one.type
    if choices := one.spelled("choices"):
        return click.Choice(choices)
    low, high = (one.meta.ge, one.meta.le) if one.meta else (None, None)
    if kind is int:
        return click.IntRange(low, high) if low is not None or high is not None else click.INT  # type: ignore[arg-type]
    if kind is float:
        return FiniteNumber(low, high)
    if kind is Path or Path in get_args(kind):
        # `FILE` and `DIR` say what it may be.
        return click.Path(path_type=Path, file_okay=_metavar(one) != "DIR", dir_okay=_metavar(one) != "FILE")
    return click.STRING


def _is_time(one: Argument) -> bool:
    return one.type is datetime or datetime in get_args(one.type)


def _is_many(one: Argument) -> bool:
    origin = get_origin(one.type)
    return _is_mapping(one) or (origin is not None and issubclass(_class(one.type), Sequence))


def _is_mapping(one: Argument) -> bool:
    """Return whether an argument is given as NAME=VALUE, repeatable."""
    return issubclass(_class(one.type), Mapping) and not _is_object(one)


def _is_object(one: Argument) -> bool:
    """Return whether an argument is given as JSON, because values of any type have no other spelling."""
    return issubclass(_class(one.type), Mapping) and Any in get_args(one.type)


def _class(hint: Any) -> type:
    origin = get_origin(hint)
    return origin if isinstance(origin, type) else object
