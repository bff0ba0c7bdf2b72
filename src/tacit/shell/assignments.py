"""Assignments: what is known about variables after they are set, declared or unset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.shell.command import UNKNOWN, Command, Doubt, ShellWord
from tacit.shell.embedded_commands import has_evaluated_subscript
from tacit.shell.expand import Env
from tacit.shell.parameter_expansion import array, elements
from tacit.shell.redirections import RedirectionParser

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_CHARS = 65_536
MOST_PIECES = 100
# Variables in which the shell expands substitutions when it shows them, or runs them.
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "BASH_ENV", "ENV"})
_DECLARING = frozenset({"declare", "typeset", "local"})
_CASES: dict[str, Callable[[str], str]] = {"l": str.lower, "u": str.upper}


class AssignmentParser(RedirectionParser):
    """Reads assignments and declarations."""

    def __init__(self, source: bytes, env: Env) -> None:
        super().__init__(source, env)
        self._fixed: set[str] = set()
        self._cases: dict[str, Callable[[str], str]] = {}
        """What is done to each value of a variable: after `declare -l`, for example."""
        self.locals: list[set[str]] = []
        """The variables of each function that is being read."""

    def set(self, values: Env) -> None:
        """Set variables, and those that they stand for."""
        for key, pieces in values.items():
            name, bracket, index = key.partition("[")
            target, change = self.target(name), self._cases.get(self.target(name))
            if target in self._fixed:
                continue
            made = tuple(change(one) if change and isinstance(one, str) else one for one in pieces)
            self.env[key] = self.env[f"{target}{bracket}{index}"] = made
            if bracket and index == "0]":
                self.env[target] = made

    def declaration(self, node: Node) -> list[Command]:
        """Read `declare`, `export`, `local`, `readonly` or `unset`."""
        # An exported variable applies to everything after it, as an assignment applies to one command.
        assigns: list[tuple[str, ShellWord]] = []
        keyword = node.children[0]
        words = [ShellWord((self.text(keyword),), keyword.start_byte, keyword.end_byte)]
        options = "".join(self.text(child)[1:] for child in node.named_children if self.text(child).startswith("-"))
        for child in node.named_children:
            name = self.text(child).strip("'\"").partition("=")[0]
            if self.text(keyword) in _DECLARING:
                self._declare(name, options)
            if child.type == "variable_assignment":
                assigns.append(self.assign(child))
                words.append(ShellWord((self.text(child),), child.start_byte, child.end_byte))
            else:
                words += self.words(child)
        self._set_by_words(words)
        if "n" in options and self.text(keyword) in _DECLARING:
            self.references |= {name: word.text for name, word in assigns if word.text}
        if "r" in options or self.text(keyword) == "readonly":
            self._fixed |= {word.head.partition("=")[0] for word in words[1:]}
        for word in words[1:]:
            if has_evaluated_subscript(word.shown):
                self.embedded(word.shown, node)
        # A value that is only known later is common (`EDITOR=$(which vim)`), and judged where it is used.
        known = tuple((name, word) for name, word in assigns if word.text is not None)
        made = Command(tuple(words), node.start_byte, node.end_byte, assigns=known)
        self.commands.append(made)
        return [made]

    def _declare(self, name: str, options: str) -> None:
        """Note what applies to a variable from now on."""
        for letter in _CASES.keys() & set(options):
            self._cases[name] = _CASES[letter]
        if self.locals and "g" not in options:
            self.locals[-1].add(name)

    def _set_by_words(self, words: list[ShellWord]) -> None:
        """Note variables that are set or unset by words: `declare "x=1"`."""
        for word in words[1:]:
            name, equals, value = word.head.partition("=")
            if words[0].text == "unset":
                self.env = {key: one for key, one in self.env.items() if key.partition("[")[0] != name}
            elif equals and not value.startswith("("):
                self.set({name: tuple(one for one in (value, *word.pieces[1:]) if one != "") or ("",)})

    def assign(self, node: Node) -> tuple[str, ShellWord]:
        """Read one assignment; returns the name and the value."""
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        key = self.text(name) if name is not None else ""
        adds = any(child.type == "+=" for child in node.children)
        if name is not None:
            self.inside(name)
        if value is not None and value.type == "array":
            self._assign_array(self.target(key), value, adds)
            return key, ShellWord((self.text(value),), value.start_byte, value.end_byte)
        words = self.words(value, splitting=False) if value is not None else [ShellWord(("",))]
        made = words[0] if len(words) == 1 else UNKNOWN
        if adds:
            made = ShellWord((*self.env.get(key, UNKNOWN.pieces), *made.pieces))
        # A text that doubles itself again and again is not followed.
        if len(made.pieces) > MOST_PIECES or sum(len(p) for p in made.pieces if isinstance(p, str)) > MOST_CHARS:
            made = UNKNOWN
        base, bracket, index = self.target(key).partition("[")
        if bracket and not index[:-1].isdecimal() and base in self.env:
            self.set({base: UNKNOWN.pieces})
        self.env.pop(f"{base}[#]", None)
        self.set({key: made.pieces})
        self._check_value(key, made.text or "", node)
        return key, made

    def _assign_array(self, key: str, value: Node, adds: bool) -> None:
        made = [ShellWord(one) for one in elements(f"{key}[@]", self.env) or ()] if adds else []
        known = not adds or f"{key}[#]" in self.env
        for child in value.named_children:
            if self.text(child).startswith("["):
                self.inside(child)
                known = False
            else:
                made += self.words(child)
        self.set(array(key, made) if known else {key: UNKNOWN.pieces, f"{key}[#]": ()})

    def _check_value(self, key: str, text: str, node: Node) -> None:
        """Find the commands in a value that the shell expands later, and doubt new names for commands."""
        prompts = self.target(key) in _PROMPTS and ("$(" in text or "`" in text)
        if prompts or has_evaluated_subscript(text):
            self.embedded(text, node)
        if key.startswith(("BASH_ALIASES[", "BASH_CMDS[")):
            self.doubts.append(Doubt("it gives a command another name", node.start_byte, node.end_byte))
