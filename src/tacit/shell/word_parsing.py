"""Words in a syntax tree: quotes, variables and substitutions, before and after expansion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.shell.command import UNKNOWN, Doubt, Piece, ShellWord, UnknownPart
from tacit.shell.expand import Env, WordPiece, ansi_c, words_of
from tacit.shell.parameter_expansion import PARAMETER, elements, expanded
from tacit.shell.work_budget import MOST_WORK
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node


MOST_REFERENCES = 8
HOLE = lazy_pattern(r"\$\{(tacit_hole_\d+)\}")
"""How an unknown part is written in a text that is parsed again."""
# In double quotes and in a here-document, single quotes inside `${…}` quote nothing: what they enclose runs.
_PROMPT = lazy_pattern(r"@P\}$")
_NOT_QUOTED = lazy_pattern(r"'[^']*(?:\$\(|`)")
_QUOTED = frozenset({"string", "raw_string"})
# Without escapes, expansions, braces and a tilde at the beginning.
_PLAIN = lazy_pattern(r"[\w./:=@%+,*?-]+", re.ASCII)
_PLAIN_QUOTED = lazy_pattern(r"(?!~)[^\\$`{\x80-\U0010ffff]+")
_PLAIN_WORK = 2
"""The work of a word of one piece: the word and the piece."""


class WordParser:
    """Parses words. The commands inside them are handled by the walk over the tree."""

    def __init__(self, source: bytes, env: Env) -> None:
        self.source = source
        self.env = env
        self.references: dict[str, str] = {}
        """Names that stand for another variable, after `declare -n`."""
        self.has_arguments = False
        """Whether `$@` may be something: in a function."""
        self.work = 0
        self.doubts: list[Doubt] = []

    def spent(self, units: int = 1) -> bool:
        """Count work, and return whether the budget still allows more. Nothing more is examined once it is used up."""
        self.work += units
        return self.work <= MOST_WORK

    @property
    def is_spent(self) -> bool:
        """Whether no work is left."""
        return self.work > MOST_WORK

    def inside(self, node: Node) -> None:
        """Parse the commands inside a value."""
        raise NotImplementedError

    def embedded(self, text: str, node: Node) -> None:
        """Read the commands inside a text that the grammar leaves whole."""
        raise NotImplementedError

    def printed(self, node: Node) -> str | None:
        """Parse a substitution, and return its output if that is known."""
        raise NotImplementedError

    def fed(self, node: Node) -> None:
        """Parse a process substitution whose commands read what another command prints."""
        raise NotImplementedError

    def text(self, node: Node) -> str:
        """Return the source of a node."""
        return self.source[node.start_byte : node.end_byte].decode(errors="replace")

    def joined(self, nodes: list[Node]) -> ShellWord | None:
        """Return the first word of some nodes, unsplit."""
        words = [word for node in nodes for word in self.words(node, splitting=False)]
        return words[0] if words else None

    def words(self, node: Node, *, splitting: bool = True) -> list[ShellWord]:
        """Return the words that a node expands to: none, one, or several if the shell splits or expands it."""
        if (plain := self._plain_word(node)) is not None:
            return [plain]
        if not self.spent():
            return [UNKNOWN]
        made = words_of(list(self._atoms(node, False)), node.start_byte, node.end_byte, splitting=splitting)
        return made if len(made) < 2 or self.spent(len(made)) else [UNKNOWN]

    def _plain_word(self, node: Node) -> ShellWord | None:
        """Return the word of a node in which nothing is expanded or escaped, as most are; None for any other."""
        kind, start, end = node.type, node.start_byte, node.end_byte
        quoted = kind in _QUOTED
        if not (quoted or kind == "word") or node.has_error or self.work + _PLAIN_WORK > MOST_WORK:
            return None
        text = self.source[start + quoted : end - quoted].decode(errors="replace")
        if not (_PLAIN_QUOTED if quoted else _PLAIN).fullmatch(text):
            return None
        self.work += _PLAIN_WORK
        return ShellWord((text,), start, end, quoted)

    def _atoms(self, node: Node, quoted: bool) -> Iterator[WordPiece]:
        if not self.spent():
            yield WordPiece(UnknownPart(), "quoted")
            return
        match node.type:
            case "word" | "number" | "extglob_pattern" | "regex" | "variable_name" | "special_variable_name":
                text = self.text(node)
                if "(" in text or "`" in text:
                    self.embedded(text, node)
                yield WordPiece(text, "quoted" if quoted else "bare")
            case "string_content":
                yield WordPiece(self.text(node), "string")
            case "raw_string":
                yield from (WordPiece(piece, "quoted") for piece in self.filled(self.text(node)[1:-1]))
            case "ansi_c_string":
                yield from (WordPiece(piece, "quoted") for piece in self.filled(ansi_c(self.text(node)[2:-1])))
            case "simple_expansion" | "expansion":
                yield from self._variable(node, quoted)
            case "command_substitution":
                yield self._substituted(node, quoted)
            case "process_substitution":
                source = self.text(node).strip("<>()").strip()
                if self.text(node).startswith(">"):
                    self.fed(node)
                    yield WordPiece(UnknownPart(source=source), "quoted")
                else:
                    yield WordPiece(UnknownPart(source=source, content=self.printed(node)), "quoted")
            case "arithmetic_expansion":
                self.inside(node)
                yield WordPiece(UnknownPart(source=self.text(node).strip("<>$()").strip()), "quoted")
            case "string" | "translated_string":
                yield from self._string(node)
            case "concatenation" | "brace_expression":
                yield from self._glued(node, quoted)
            case _:
                self.inside(node)
                yield WordPiece(self.text(node), "quoted" if quoted else "bare")

    def filled(self, text: str) -> Iterator[Piece]:
        """Return a quoted text with its unknown parts: the shell that made the text put their values between quotes."""
        at = 0
        for found in HOLE.finditer(text):
            if (known := self.env.get(found.group(1))) is not None:
                yield text[at : found.start()]
                yield from known
                at = found.end()
        yield text[at:]

    def _glued(self, node: Node, quoted: bool) -> Iterator[WordPiece]:
        at = node.start_byte
        for child in node.children:
            if self.is_spent:
                yield WordPiece(UnknownPart(), "quoted")
                return
            if child.start_byte > at:
                yield WordPiece(self.source[at : child.start_byte].decode(errors="replace"), "bare")
            yield from self._atoms(child, quoted)
            at = child.end_byte

    def _string(self, node: Node) -> Iterator[WordPiece]:
        yield WordPiece("", "quoted")
        at = node.start_byte + 1 if node.type == "string" else node.start_byte + 2
        for child in node.named_children:
            if child.type == "string_content":
                continue
            yield WordPiece(self.source[at : child.start_byte].decode(errors="replace"), "string")
            yield from self._atoms(child, True)
            at = child.end_byte
        yield WordPiece(self.source[at : node.end_byte - 1].decode(errors="replace"), "string")

    def _variable(self, node: Node, quoted: bool) -> Iterator[WordPiece]:
        inner = self._referred(self.text(node)[2:-1] if node.type == "expansion" else self.text(node)[1:])
        kind = "quoted" if quoted else "value"
        found = PARAMETER.fullmatch(inner)
        name, operator = (found.group(3), found.group(1) + found.group(2) + found.group(4)) if found else ("", "?")
        if name == "IFS" and not quoted:
            yield WordPiece(" ", "value")
            return
        if (listed := elements(inner, self.env)) is not None:
            yield from self._listed(listed, quoted, together=quoted and "*" in inner)
            return
        if inner in ("@", "*") and not self.has_arguments and self._is_glued(node):
            yield WordPiece("", kind)
            return
        self._check_expansion(node, name)
        default = self._default(node)
        known = self._used(name, operator, default)
        for piece in known if known is not None else self._expanded(inner, operator, default):
            yield WordPiece(self._separated(piece) if kind == "value" else piece, kind)

    def _used(self, name: str, operator: str, default: ShellWord | None) -> tuple[Piece, ...] | None:
        """Return a known value as it is, or the default that is used instead of it."""
        known = self.env.get(name)
        if default is None or known is None:
            return known if not operator else None
        is_empty = operator.startswith(":") and all(piece == "" for piece in known)
        uses_default = is_empty != operator.lstrip(":").startswith("+")
        return default.pieces if uses_default else known if "+" not in operator[:2] else ("",)

    def _expanded(self, inner: str, operator: str, default: ShellWord | None) -> tuple[Piece, ...]:
        """Return what an operator makes of a known value; what is not known is an unknown part."""
        value = expanded(inner, self.env) if operator and default is None and self.spent(10) else None
        if value is not None and not operator.endswith("@P"):
            return (value,)
        found = PARAMETER.fullmatch(inner)
        name = found.group(3) if found and found.group(3)[-1] != "]" else ""
        return (UnknownPart(name, tuple(default.pieces) if default and "+" not in operator[:2] else ()),)

    def _referred(self, inner: str) -> str:
        """Return the inside of an expansion with the name that a reference stands for."""
        found = PARAMETER.fullmatch(inner) if self.references else None
        name = found.group(3).partition("[")[0] if found else ""
        return inner.replace(name, self.target(name), 1) if name in self.references else inner

    def target(self, name: str) -> str:
        """Return the variable that a name stands for in the end."""
        for _ in range(MOST_REFERENCES):
            name = self.references.get(name, name)
        return name

    def _listed(self, listed: list[tuple[Piece, ...]], quoted: bool, *, together: bool) -> Iterator[WordPiece]:
        if not listed:
            yield WordPiece("", "nothing")
        for at, pieces in enumerate(listed):
            if at:
                yield WordPiece(" ", "quoted" if together else "break")
            for piece in pieces or ("",):
                yield WordPiece(piece, "quoted") if quoted else WordPiece(self._separated(piece), "value")

    def _is_glued(self, node: Node) -> bool:
        """Return whether a variable is a part of a word."""
        before, after = self.source[: node.start_byte][-1:], self.source[node.end_byte :][:1]
        return any(one.isalnum() or one in b"_./-=" for one in (before, after) if one)

    def _check_expansion(self, node: Node, name: str) -> None:
        """Doubt an expansion that runs what it expands, or whose quotes are none."""
        text = self.text(node) if node.type == "expansion" else ""
        if _PROMPT.search(text) and not self._is_plain(name):
            value = expanded(self._referred(text[2:-3]), self.env)
            if value is None:
                doubt = Doubt("a variable is expanded as a prompt, which runs commands in it", node.start_byte)
                self.doubts.append(doubt)
            else:
                self.embedded(value, node)
        if _NOT_QUOTED.search(text):
            self.doubts.append(Doubt("quotes inside a variable may quote nothing", node.start_byte, node.end_byte))

    def _is_plain(self, name: str) -> bool:
        """Return whether the value of a variable is known and runs nothing when it is expanded again."""
        pieces = self.env.get(name)
        return pieces is not None and all(isinstance(one, str) and "$(" not in one and "`" not in one for one in pieces)

    def _separated(self, piece: Piece) -> Piece:
        """Return a value in which the separators that the line has set are spaces."""
        marks = "".join(one for one in self.env.get("IFS", ()) if isinstance(one, str))
        return piece.translate(dict.fromkeys(map(ord, marks), " ")) if isinstance(piece, str) and marks else piece

    def _default(self, node: Node) -> ShellWord | None:
        """Return the value used for an unset variable: `${NAME:-this}`."""
        if node.type != "expansion":
            return None
        marks = [c.type for c in node.children if not c.is_named]
        if not any(mark in (":-", "-", ":=", "=", ":+", "+") for mark in marks):
            for child in node.named_children:
                self.inside(child)
            return None
        values = [w for c in node.named_children if c.type != "variable_name" for w in self.words(c, splitting=False)]
        return values[0] if len(values) == 1 else UNKNOWN

    def _substituted(self, node: Node, quoted: bool) -> WordPiece:
        kind = "quoted" if quoted else "value"
        text = self.printed(node)
        if text is None:
            return WordPiece(UnknownPart("", (), self.text(node).strip("`$()").strip()), kind)
        plain = text.rstrip("\n")
        return WordPiece(plain if quoted else self._separated(plain), kind)

    def heredoc_pieces(self, node: Node, text: str) -> Iterator[str | UnknownPart]:
        """Return the pieces of a here-document whose marker is not quoted: text and substitutions."""
        if not any(c.type in ("simple_expansion", "expansion", "command_substitution") for c in node.named_children):
            yield text
            return
        at = node.start_byte
        for child in node.named_children:
            if child.type == "heredoc_content":
                continue
            yield self.source[at : child.start_byte].decode(errors="replace")
            for word in self.words(child, splitting=False) or [UNKNOWN]:
                yield from word.pieces
            at = child.end_byte
        yield self.source[at : node.end_byte].decode(errors="replace")
