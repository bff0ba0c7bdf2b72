"""Which values variables may have after branches, loops, subshells and functions, and what those run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from tacit.shell.assignments import AssignmentParser
from tacit.shell.command import UNKNOWN, Command, Doubt, Piece, ShellWord, UnknownPart, literal, telling
from tacit.shell.expand import Env
from tacit.shell.parameter_expansion import array, elements
from tacit.shell.printed_output import output_of
from tacit.shell.redirections import fed_by
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_CALLS = 8
"""How many calls of a function are followed one by one."""
MOST_CHOICES = 4
# Commands that may call a function by a name in their arguments.
_CALLING = frozenset({"eval", "trap", "time", "coproc", "export", "declare", "typeset", "mapfile", "readarray"})
_NAME = lazy_pattern(r"[\w-]+")
_POSITIONAL = lazy_pattern(r"\$(?:[1-9@*#]|\{[!#]?[1-9@*#])|\bshift\b|\bfor\s+\w+\s*(?:;|\n|do\b)")


Value = TypeVar("Value")


class ControlFlowParser(AssignmentParser):
    """Reads branches, loops and functions."""

    def __init__(self, source: bytes, env: Env) -> None:
        super().__init__(source, env)
        self._functions: dict[str, Node] = {}
        """Functions that read their arguments."""
        self._changes: dict[str, Env] = {}
        """What the other functions do to variables."""
        self._calls: dict[str, int] = {}
        self._active: list[str] = []

    def function(self, node: Node, stdin: Command | None) -> list[Command]:
        """Read a function. One that reads its arguments is read where it is called."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                self.inside(child)
        if name is None or body is None:
            return []
        self._calls[self.text(name)] = 0
        self._functions.pop(self.text(name), None)
        if _POSITIONAL.search(self.text(body)):
            self._functions[self.text(name)] = body
            return []
        before = dict(self.env)
        found = self._body_of(self.text(name), body, stdin)
        self._changes[self.text(name)] = {key: one for key, one in self.env.items() if before.get(key) != one}
        self.env = before
        return found

    def uncalled(self) -> None:
        """Read the functions that nothing called, or that are called by a text, whatever their arguments are."""
        if not self._functions:
            return
        named = {one for command in self.commands if command.name in _CALLING for one in _names_in(command)}
        for name, body in list(self._functions.items()):
            if not self._calls[name] or name in named:
                self._body_of(name, body, None)

    def called(self, command: Command, feeder: Command | None) -> list[Command]:
        """Read what a function does with the arguments of a call; nothing if a command is no such call."""
        if not self._calls:
            return []
        name = command.words[0].text if command.words else None
        body = self._functions.get(name or "")
        self.env |= self._changes.get(name or "", {})
        if name is None or body is None or name in self._active:
            return []
        self._calls[name] += 1
        if self._calls[name] > MOST_CALLS + 1:
            return []
        before = {key: value for key, value in self.env.items() if key == "#" or key.isdecimal()}
        # Many calls are read as one with any arguments.
        given = array("@", list(command.args)) if self._calls[name] <= MOST_CALLS else {}
        self.env = {key: value for key, value in self.env.items() if key not in before} | given
        found = self._body_of(name, body, feeder)
        self.env = {key: value for key, value in self.env.items() if key not in given} | before
        return found

    def _body_of(self, name: str, body: Node, stdin: Command | None) -> list[Command]:
        before = len(self.commands)
        variables, references = dict(self.env), dict(self.references)
        self._active.append(name)
        self.locals.append(set())
        self.has_arguments = True
        found = self.statement(body, stdin)
        self._active.pop()
        own = self.locals.pop()
        self.env = _restored(self.env, variables, own) if own else self.env
        self.references = _restored(self.references, references, own)
        self.has_arguments = bool(self._active)
        if [command.name for command in self.commands[before:]].count(name) > 1:
            self.doubts.append(Doubt("a function calls itself more than once", body.start_byte, body.end_byte))
        return found

    def loop(self, node: Node, stdin: Command | None) -> list[Command]:
        """Read `for`, with each value it is given; with many, or unknown ones, with any value."""
        name, found = "", list[Command]()
        values: list[ShellWord] = []
        if not any(child.type == "in" for child in node.children):
            values = [ShellWord(one) for one in elements("@", self.env) or ()]
        for child in node.named_children:
            if child.type == "variable_name":
                name = self.text(child)
            elif child.type == "do_group":
                for value in telling(values) or [UNKNOWN]:
                    self.set({name: value.pieces})
                    found += self.perhaps(child, stdin)
            else:
                values += self.words(child)
        self.env.pop(name, None)
        return found

    def reading_loop(self, node: Node, stdin: Command) -> list[Command]:
        """Read `while read …` with each line of an input that is known."""
        printed = output_of(stdin)
        text = printed.text or "" if printed is not None else ""
        lines = text.removesuffix("\n").split("\n")
        rounds = [fed_by(line) for line in telling([literal(line) for line in lines])] if text else [stdin]
        return [found for one in rounds for child in node.named_children for found in self.perhaps(child, one)]

    def apart(self, node: Node, stdin: Command | None) -> list[Command]:
        """Read a statement of another process, whose variables are its own."""
        before = dict(self.env)
        found = self.statement(node, stdin)
        self.env = before
        return found

    def perhaps(self, node: Node, stdin: Command | None) -> list[Command]:
        """Read a statement that may not run."""
        before = dict(self.env)
        found = self.statement(node, stdin)
        if self.env != before:
            self.env = _any_of([before, self.env])
        return found

    def each_choice(self, node: Node) -> Iterator[None]:
        """Set the variables that a node uses, and that have one of several values, to one after the other."""
        text = self.text(node) if "$" in self.text(node) else ""
        open_ones = {key: _hole(one).choices for key, one in self.env.items() if text and _hole(one).choices}
        used = {key: one for key, one in open_ones.items() if f"${key}" in text or f"${{{key}" in text}
        before = {key: self.env[key] for key in used}
        for number in range(max(map(len, used.values()), default=1)):
            self.env |= {key: choices[min(number, len(choices) - 1)] for key, choices in used.items()}
            yield
        self.env |= before

    def branches(self, node: Node, stdin: Command | None) -> list[Command]:
        """Read `if` and `case`: one of their branches runs, or none."""
        found: list[Command] = []
        before, ends = dict(self.env), [dict(self.env)]
        for child in node.named_children:
            if child.type in ("elif_clause", "else_clause", "case_item"):
                ends.append(self.env)
                self.env = dict(before)
            found += self.statement(child, stdin)
        self.env = _any_of([*ends, self.env])
        return found


def _restored(after: dict[str, Value], before: dict[str, Value], own: set[str]) -> dict[str, Value]:
    """Return what is known after a function, with its own variables as they were before."""
    kept = {key: one for key, one in after.items() if key.partition("[")[0] not in own}
    return kept | {key: one for key, one in before.items() if key.partition("[")[0] in own}


def _names_in(command: Command) -> list[str]:
    return _NAME.findall(" ".join(word.shown for word in command.args))


def _choices(values: set[tuple[Piece, ...]]) -> tuple[tuple[Piece, ...], ...]:
    """Return values as choices, also those that were choices before; none if one of them is not known."""
    made = {choice for one in values for choice in (_hole(one).choices or (one,))}
    known = all(isinstance(piece, str) for one in made for piece in one)
    return tuple(sorted(made, key=str)) if known and len(made) <= MOST_CHOICES else ()


def _hole(pieces: tuple[Piece, ...]) -> UnknownPart:
    return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], UnknownPart) else UnknownPart()


def _any_of(ends: list[Env]) -> Env:
    """Return what is known if one of several ways was taken: a value that is different on another way is not."""
    made: Env = {}
    for key in {key for env in ends for key in env}:
        values = {env[key] for env in ends if key in env}
        counted = key.endswith("#]") or key == "#"
        if len(values) == 1 and not (counted and any(key not in env for env in ends)):
            made[key] = values.pop()
        else:
            made[key] = () if counted else (UnknownPart(choices=_choices(values)),)
    return made
