"""Lines that a shell understands and the grammar does not: the source is changed, at the same length, until it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from tacit.shell.grammar import parser
from tacit.shell.line_continuations import MOST_ROUNDS, JoinedLines
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_OPEN_DOCUMENTS = 4
_COMPOUND = r"(?=[ \t]+(?:(?:if|while|until|for|case|select)(?=[\s(]|$)|[<>({]|\d?>))"
_UNREAD = lazy_pattern(rf"(?<![^\s;&|(){{}}])(?:!|coproc(?:[ \t]+\w+)??){_COMPOUND}")
# The grammar's scanner looks characters up in C tables that lack them, and crashes on some: `{` before an emoji. To a
# shell all of them are letters of a word, so letters replace them; positions in the tree are those of the text.
_LETTERS = bytes(range(128)) + b"x" * 128


# After a newline the grammar reads an escaped letter as a part of the line before: `true` and `\rm` become one command.
_ESCAPED = re.compile(rb"(\n[ \t]*)\\(?=[\w!~/.:@%+,=-])")


# The grammar reads no such mark in the name of a program that follows a pipe at once: `a|yarn@1`.
_PROGRAM_MARK = re.compile(rb"((?<!\|)\|[\w./-]*)[@%#](?=[\w|\s.]|$)")
# The grammar takes an escaped character at the beginning of a here-document for a word of the line before.
_DOCUMENT_START = re.compile(rb"(<<[^\n]*\n[ \t]*)\\[$`\\]")
# After `<<E` a line `E` that begins with a tab is text; only `<<-E` ends with it.
_INDENTED_MARK = re.compile(rb"(?<!<)<<[ \t]*[\\'\"]?([\w.]+)")


def tree_of(source: bytes) -> Node:
    """Return the syntax tree of a text. Read words from the text by their positions, not from the tree."""
    read = _ESCAPED.sub(rb"\1x", source) if b"\n" in source and b"\\" in source else source
    if b"|" in read:
        read = _PROGRAM_MARK.sub(rb"\1x", read)
    if b"<<" in source:
        read = _DOCUMENT_START.sub(rb"\1xx", read)
        for mark in set(_INDENTED_MARK.findall(read)[:MOST_OPEN_DOCUMENTS]) if b"\n\t" in read else ():
            read = re.sub(rb"(?m)^\t+(?=%s$)" % re.escape(mark), lambda found: b"x" * len(found.group(0)), read)
    return parser().parse(read.translate(_LETTERS)).root_node


def blanked(text: str) -> str:
    """Return a text in which every white space character of the shell is a space, at the same positions."""
    # Only we treat a carriage return as white space: what comes before it must not hide what comes after.
    text = text.replace("\r", "\n")
    # The grammar supports neither `!` nor `coproc` before a compound command; what they change does not matter here.
    return _UNREAD.sub(lambda found: " " * len(found.group(0)), text) if "!" in text or "coproc" in text else text


def repaired(joined: JoinedLines) -> JoinedLines:
    """Return a source that the grammar reads as a shell does, as far as possible."""
    joined = _with_lines_ended(joined)
    if not joined.root.has_error:
        return joined
    source = joined.source
    for change in _CHANGES:
        before, source = source, change(source)
        if source != before and not (root := tree_of(source)).has_error:
            return joined._replace(source=source, root=root)
    if b"<<" in joined.source:
        joined = _with_documents_first(_with_documents_ended(joined))
    return joined


def _with_lines_ended(joined: JoinedLines) -> JoinedLines:
    """Return a source in which every command ends with its line.

    After `a | b | c` the grammar reads a next line that has a redirection as arguments of the last command.
    """
    if b"\n" not in joined.source:
        return joined
    for _ in range(MOST_ROUNDS):
        source = bytearray(joined.source)
        for start, end in _gaps(joined.root):
            if b"\n" in source[start:end]:
                source[start:end] = b";".ljust(end - start)
        if source == joined.source:
            return joined
        joined = joined._replace(source=bytes(source), root=tree_of(bytes(source)))
    return joined._replace(is_complete=False)


def _gaps(root: Node) -> Iterator[tuple[int, int]]:
    """Return what is between the words of a command, comments included."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = node.children
        waiting += children
        words = [one for one in children if one.type != "comment"] if node.type == "command" else []
        yield from ((one.end_byte, two.start_byte) for one, two in pairwise(words))


# After the end of a block the next word of the grammar needs no separator: `(a) done`, `fi }`.
_UNSEPARATED = re.compile(rb"((?:[)}]|\b(?:done|fi|esac)))[ \t](?=[ \t]*(?:(?:done|fi|esac|then|do|else|elif)\b|\}))")


def _with_words_apart(source: bytes) -> bytes:
    return _UNSEPARATED.sub(rb"\1;", source)


# The grammar reads no pipe after `<<E 2>&1`; written before the here-document, the redirection means the same.
_REDIRECTED_DOCUMENT = re.compile(
    rb"(<<-?[ \t]*(?:'[^'\n]+'|\"[^\"\n]+\"|\\?[\w.-]+))"
    rb"((?:[ \t]+(?:\d*>&\d|\d*>>?[ \t]*[\w./~-]+|&>>?[ \t]*[\w./~-]+))+)"
    rb"(?=[ \t]*\|)"
)


def _with_redirections_first(source: bytes) -> bytes:
    return _REDIRECTED_DOCUMENT.sub(lambda found: found.group(2).lstrip() + b" " + found.group(1), source)


# zsh: which files a pattern means, without the letters that run code: `*.png(N)`, `*(.om[1,5])`.
_QUALIFIERS = re.compile(rb"(?<=\*)([\w.-]*)(\([NDnoOYLF./@^,\d\[\]mh-]{1,12}\))(?=[\s;)\"]|$)")


def _with_plain_patterns(source: bytes) -> bytes:
    return _QUALIFIERS.sub(lambda found: found.group(1) + b"x" * len(found.group(2)), source)


_REFUSED = re.compile(rb"[ \t]*(?:[|&;)][^\n]*)?")
_BACKQUOTES = re.compile(rb"\\.|`", re.S)


def _with_backquotes_closed(source: bytes) -> bytes:
    """Return a source without the backquotes that run nothing.

    Every shell refuses the last one of an odd number, and a command that begins with `|`. What the others run is read.
    """
    places = [found.start() for found in _BACKQUOTES.finditer(source) if found.group(0) == b"`"]
    made = bytearray(source)
    for start, end in zip(places[::2], places[1::2], strict=False):
        if _REFUSED.fullmatch(source, start + 1, end):
            made[start : end + 1] = b"x" * (end + 1 - start)
    if len(places) % 2:
        made[places[-1]] = ord("x")
    return bytes(made)


_CHANGES = (_with_words_apart, _with_redirections_first, _with_plain_patterns, _with_backquotes_closed)


# A here-document without its last line ends with the text.
_DOCUMENT = re.compile(rb"<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\\\?([\w.-]+))")


def _with_documents_ended(joined: JoinedLines) -> JoinedLines:
    marks = [next(filter(None, found.groups())) for found in _DOCUMENT.finditer(joined.source)]
    lines = {line.strip() for line in joined.source.split(b"\n")}
    missing = [mark for mark in dict.fromkeys(marks) if mark not in lines]
    if not missing or len(missing) > MOST_OPEN_DOCUMENTS:
        return joined
    source = joined.source + b"".join(b"\n" + mark for mark in missing) + b"\n"
    root = tree_of(source)
    return joined if root.has_error else joined._replace(source=source, root=root)


# `cat <<E; ls`: what follows on the line of a here-document.
_FOLLOWED = re.compile(
    rb"(?<![^\n])([^\n#]*?<<-?[ \t]*['\"\\]?([\w.]+)['\"]?[^;&|\n'\"`$()]*)(?:;|&&)([^\n]+)\n"
    rb"((?:[^\n]*\n)*?)(\t*\2)(?=\n|$)"
)


def _with_documents_first(joined: JoinedLines) -> JoinedLines:
    """Return a source in which a here-document comes before the next command of its line."""
    source = joined.source
    for _ in range(MOST_OPEN_DOCUMENTS):
        moved = _FOLLOWED.sub(rb"\1\n\4\5\n\3", source, count=1)
        if moved == source:
            break
        source = moved
    root = tree_of(source) if source != joined.source else joined.root
    return joined if root.has_error else joined._replace(source=source, root=root)


_BRACES = re.compile(rb"(?<![^\s;&|(])\{([^\s{}]+,[^\s{}]*)\}")


def with_braces_spread(source: bytes) -> bytes:
    """Return a source in which braces at the place of a command are expanded: `{rm,-rf,x}` is a command."""
    return _BRACES.sub(lambda found: b" " + found.group(1).replace(b",", b" ") + b" ", source)
