"""Lines designed to be slow: how long the guard takes for them, at 4 KB, at 64 KB, and beyond its size limit."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tacit.bench.figures import Figure
from tacit.guard.judge import judge
from tacit.shell.parse import MOST_BYTES

# What is repeated, and the text around it.
SHAPES: tuple[tuple[str, str, str], ...] = (
    ("", "ls;", ""), ("echo ", "$(ls) ", ""), ("ls ", "{a,b,c,d}{a,b,c,d} ", ""), ("ls ", "a ", ""),
    ("a=b; ls ", "$a ", ""), ("ls ", "$a", ""), ("ls", "|cat", ""), ("cat x", "|sh", ""), ("ls ", ">a ", ""),
    ("", "cat <<E\nx\nE\n", ""),
    ("cat <<E\n", "$(ls) $x ", "\nE\n"), ("", "sudo ", "ls"), ("", "eval ", "ls"), ("", "ssh h ", "ls"),
    ("", "for i in a b c d e f g h; do ", "ls"), ("git rebase ", "-x ls ", ""), ("", "(", "ls"), ("gh ", "api ", ""),
    ("perl -e 'system", " ", "'"), ("python -c '", "x=1;", "'"), ("psql -c '", "delete from ", "'"),
    ("echo ", "$(", ""),
)  # fmt: skip


def lines(size_bytes: int) -> Iterator[str]:
    """Return a line of each shape, of about this length."""
    for before, repeated, after in SHAPES:
        yield before + repeated * ((size_bytes - len(before) - len(after)) // len(repeated)) + after


def figures() -> list[Figure]:
    """Measure the slowest of them."""
    large = "ls " + "a" * 1_000_000
    return [
        Figure("made to take long, 4 KB, slowest", max(map(_spent_ms, lines(4_096))), "ms"),
        Figure("made to take long, 64 KB, slowest", max(map(_spent_ms, lines(MOST_BYTES))), "ms"),
        Figure("a line of 1 MB", _spent_ms(large), "ms", 50.0, note=judge(large).verdict),
    ]


def _spent_ms(line: str) -> float:
    begun = time.perf_counter()
    judge(line)
    return 1_000 * (time.perf_counter() - begun)
