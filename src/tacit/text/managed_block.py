"""A managed block: the part of a person's file that tacit maintains, between two marks with a hash of its content.

Everything works on bytes, so that nothing outside the block can change, with any encoding or line ends.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

_BEGIN = re.compile(
    rb"^<!-- tacit:lessons begin v1 for=([0-9a-f]{12}) lead=([0-2]) sha256=([0-9a-f]{64}) -->[ \t]*(\r?\n)", re.M
)
_BEGUN = re.compile(rb"^<!-- tacit:lessons begin\b", re.MULTILINE)
_END = re.compile(rb"^<!-- tacit:lessons end -->", re.MULTILINE)


class ManagedBlock(NamedTuple):
    """The position of the block, how many line ends before it are ours, and whether its text is still what we wrote."""

    start: int
    end: int
    lead: int
    whose: str
    """The hashed scope of its lessons."""
    newline: bytes
    inner: bytes
    edited: bool


class BlockDamaged(ValueError):
    """The marks do not form one block: there are several, or one is missing."""


def find_block(content: bytes) -> ManagedBlock | None:
    """Find the block of a file, or return None if there is none.

    Raises:
        BlockDamaged: there are marks, but they do not form one whole block.
    """
    begun, ends = len(_BEGUN.findall(content)), list(_END.finditer(content))
    if not begun and not ends:
        return None
    begin = _BEGIN.search(content)
    if begin is None or begun != 1 or len(ends) != 1 or ends[0].start() < begin.end():
        raise BlockDamaged("the marks of the block are incomplete")
    inner = content[begin.end() : ends[0].start()]
    edited = _hash(inner) != begin[3].decode()
    return ManagedBlock(begin.start(), ends[0].end(), int(begin[2]), begin[1].decode(), begin[4], inner, edited)


def with_block(content: bytes, text: str, scope: str = "") -> bytes:
    """Return a file with `text` in the block. An empty text removes the block. All other bytes stay the same."""
    block = find_block(content)
    if not text:
        return content if block is None else _without(content, block)
    end = block.newline if block is not None else b"\r\n" if b"\r\n" in content else b"\n"
    inner = b"".join(line.encode() + end for line in text.rstrip("\n").split("\n"))
    if block is not None:
        return content[: block.start] + _marked(inner, block.lead, end, scope) + content[block.end :]
    lead = 0 if not content else 1 if content.endswith(b"\n") else 2
    return content + end * lead + _marked(inner, lead, end, scope) + end


def whose(scope: str) -> str:
    """Return a short hash of a scope, which distinguishes scopes without naming them."""
    return hashlib.sha256(scope.encode()).hexdigest()[:12]


def _marked(inner: bytes, lead: int, end: bytes, scope: str) -> bytes:
    begin = f"<!-- tacit:lessons begin v1 for={whose(scope)} lead={lead} sha256={_hash(inner)} -->".encode()
    return begin + end + inner + b"<!-- tacit:lessons end -->"


def _without(content: bytes, block: ManagedBlock) -> bytes:
    before, after = content[: block.start], content[block.end :]
    for _ in range(block.lead):
        before = before.removesuffix(block.newline)
    return before + after.removeprefix(block.newline)


def _hash(inner: bytes) -> str:
    # A checkout may change line ends; that does not count as an edit.
    return hashlib.sha256(inner.replace(b"\r\n", b"\n")).hexdigest()
