"""Functions, their calls with known arguments, and loops over known values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.shell.command import UNKNOWN, Command, Doubt, ShellWord, literal
from tacit.shell.expand import Env
from tacit.shell.parameter_expansion import array, elements
from tacit.shell.printed_output import output_of
from tacit.shell.redirections import RedirectionParser, fed_by
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ROUNDS = 8
"""How many values of a loop, or calls of a function, are followed one by one."""
_POSITIONAL = lazy_pattern(r"\$(?:[1-9@*#]|\{[!#]?[1-9@*#])|\bshift\b|\bfor\s+\w+\s*(?:;|\n|do\b)")


class FunctionParser(RedirectionParser):
    """Reads functions and loops."""

    def __init__(self, source: bytes, env: Env) -> None:
        super().__init__(source, env)
        self._functions: dict[str, Node] = {}
        """Functions that read their arguments."""
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
        return self._body_of(self.text(name), body, stdin)

    def uncalled(self) -> None:
        """Read the functions that nothing called, whatever their arguments are."""
        for name, body in list(self._functions.items()):
            if not self._calls[name]:
                self._body_of(name, body, None)

    def called(self, command: Command, feeder: Command | None) -> list[Command]:
        """Read what a function does with the arguments of a call; nothing if a command is no such call."""
        name = command.words[0].text if command.words else None
        body = self._functions.get(name or "")
        if name is None or body is None or name in self._active:
            return []
        self._calls[name] += 1
        if self._calls[name] > MOST_ROUNDS + 1:
            return []
        before = {key: value for key, value in self.env.items() if key == "#" or key.isdecimal()}
        # Many calls are read as one with any arguments.
        given = array("@", list(command.args)) if self._calls[name] <= MOST_ROUNDS else {}
        self.env = {key: value for key, value in self.env.items() if key not in before} | given
        found = self._body_of(name, body, feeder)
        self.env = {key: value for key, value in self.env.items() if key not in given} | before
        return found

    def _body_of(self, name: str, body: Node, stdin: Command | None) -> list[Command]:
        before = len(self.commands)
        self._active.append(name)
        self.has_arguments = True
        found = self.statement(body, stdin)
        self._active.pop()
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
                for value in values if 0 < len(values) <= MOST_ROUNDS else [UNKNOWN]:
                    self.env[name] = value.pieces
                    found += self.statement(child, stdin)
            else:
                values += self.words(child)
        self.env.pop(name, None)
        return found

    def reading_loop(self, node: Node, stdin: Command) -> list[Command]:
        """Read `while read …` with each line of an input that is known."""
        printed = output_of(stdin)
        text = printed.text or "" if printed is not None else ""
        lines = text.removesuffix("\n").split("\n")
        rounds = [fed_by(literal(line)) for line in lines] if text and len(lines) <= MOST_ROUNDS else [stdin]
        return [found for one in rounds for child in node.named_children for found in self.statement(child, one)]
