"""Redirections: which files, texts and here-documents a statement reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.shell.command import Command, Redirect, ShellWord, literal
from tacit.shell.expand import Env
from tacit.shell.line_continuations import is_quoted_document
from tacit.shell.printed_output import together
from tacit.shell.word_parsing import WordParser

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = frozenset({
    "compound_statement", "subshell", "while_statement", "for_statement", "c_style_for_statement", "if_statement",
    "case_statement", "function_definition",
})  # fmt: skip


def fed_by(text: ShellWord) -> Command:
    """Return a command that prints a text."""
    return Command((literal("cat"),), stdin=text)


def _content(redirects: list[Redirect]) -> ShellWord | None:
    """Return what `< <(…)` lets a command read, if that is known."""
    holes = [one.target.holes[0] for one in redirects if one.operator.startswith("<") and one.target.holes]
    return next((literal(hole.content) for hole in holes if hole.content is not None), None)


class RedirectionParser(WordParser):
    """Reads statements with redirections. The statements themselves are read by the walk over the tree."""

    def __init__(self, source: bytes, env: Env) -> None:
        super().__init__(source, env)
        self.commands: list[Command] = []
        self._fed: list[Node] = []
        """`>(…)` whose commands read what a command prints that is not yet read."""

    def statement(self, node: Node, stdin: Command | None = None) -> list[Command]:
        """Read a statement; returns its last commands."""
        raise NotImplementedError

    def pipeline(self, parts: list[Node], stdin: Command | None) -> list[Command]:
        """Read the commands of a pipe; returns the last ones."""
        raise NotImplementedError

    def redirected(self, node: Node, stdin: Command | None) -> list[Command]:
        """Read a statement with its redirections."""
        body = node.child_by_field_name("body")
        redirects: list[Redirect] = []
        extra: list[ShellWord] = []
        given: ShellWord | None = None
        after: list[Node] = []
        later: list[Node] = []
        for child in node.named_children:
            if self.is_spent:
                break
            if child.type == "file_redirect":
                self.redirect(child, extra, redirects)
            elif child.type == "herestring_redirect":
                given = self.joined(child.named_children)
            elif child.type == "heredoc_redirect":
                if body is not None and self.source[body.end_byte : child.start_byte].strip() == b"-":
                    extra.append(ShellWord(("-",), child.start_byte, child.start_byte))  # the grammar drops it
                given, more, rest = self._heredoc(child, extra, redirects)
                after += more
                later += rest
        before = len(self.commands)
        waiting, self._fed = self._fed, []
        read = given if given is not None else _content(redirects)
        kind = body.type if body is not None else ""
        # What is given to a block is for everything in it, and what is given to a pipe for its last command.
        feeder = fed_by(read) if read is not None and kind in (*_BLOCKS, "command") else stdin
        found = self.statement(body, feeder) if body is not None else []
        if not found:
            found = [Command((), node.start_byte, node.end_byte)]
            self.commands.append(found[0])
        found = self._amended(found, before, redirects, extra, given if kind not in _BLOCKS else None)
        self._fed = waiting
        if (feeder := together(found)) is not None:
            self.feed(feeder)
        if after:
            found = self.pipeline(after, found[-1])
        while later:
            found = self.statement(later.pop(0)) or found
        return found

    def fed(self, node: Node) -> None:
        """Note `>(…)`, whose commands read what the command prints in whose words it is."""
        self._fed.append(node)

    def feed(self, feeder: Command) -> None:
        """Read the commands that read what another one prints."""
        while self._fed:
            for child in self._fed.pop(0).named_children:
                self.statement(child, feeder)

    def _amended(
        self, found: list[Command], before: int, redirects: list[Redirect], extra: list[ShellWord],
        given: ShellWord | None,
    ) -> list[Command]:  # fmt: skip
        """Return the last commands of a statement with its redirections added."""
        amended = []
        ending = {id(command) for command in found}
        for place in range(before, len(self.commands)):
            command = self.commands[place]
            if id(command) not in ending:
                continue
            made = command._replace(
                redirects=(*command.redirects, *redirects), words=(*command.words, *extra),
                stdin=given if given is not None else command.stdin,
                piped=bool(given.holes) if given is not None else command.piped,
                feeder=command.feeder if given is None else None,
            )  # fmt: skip
            self.commands[place] = made
            amended.append(made)
        return amended

    def redirect(self, node: Node, words: list[ShellWord], redirects: list[Redirect]) -> None:
        """Read one redirection to or from a file."""
        operator = next((c.type for c in node.children if not c.is_named), ">")
        targets = [
            word for child in node.named_children if child.type != "file_descriptor" for word in self.words(child)
        ]
        if targets:
            redirects.append(Redirect(operator, targets[0]))
            # The grammar reads the words after a redirection as further targets; they are arguments.
            words += targets[1:]

    def _heredoc(
        self, node: Node, extra: list[ShellWord], redirects: list[Redirect]
    ) -> tuple[ShellWord | None, list[Node], list[Node]]:
        given: ShellWord | None = None
        after: list[Node] = []
        later: list[Node] = []
        for child in node.named_children:
            match child.type:
                case "heredoc_body":
                    text = self.text(child)
                    if node.children[0].type == "<<-" or self.text(node).startswith("<<-"):
                        text = "\n".join(line.lstrip("\t") for line in text.split("\n"))
                    if is_quoted_document(child):
                        pieces = self.filled(text)
                    else:
                        self.embedded(text, child)
                        pieces = self.heredoc_pieces(child, text)
                    given = ShellWord(tuple(pieces), child.start_byte, child.end_byte)
                case "pipeline":
                    after += child.named_children
                case "file_redirect":
                    self.redirect(child, extra, redirects)
                case "heredoc_start" | "heredoc_end" | "file_descriptor":
                    pass
                case "command" | "list" | "redirected_statement" | "compound_statement" | "subshell":
                    later.append(child)
                case _:
                    extra += self.words(child)
        return given, after, later
