"""Lines designed to be slow: how long the guard takes for them, from 4 KB to beyond its size limit."""

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
    ("echo ", "$(", ""), ("rm -rf ~;", "a|", "a"), ("", "x=1|", ""), ("", "a=(", ""), ("case x in ", "a;", ""),
    ("case x in ", "&>", ""), ("for x in ", ";;", ""), ("case x in ", "-# ", ""), ("[[ ", "a<b ", ""),
    ("$(", "&>\\\n", ""), ("case x in ", "select -", ""), ("[[ ", "coproc ", ""), ("", "${x", ""),
)  # fmt: skip


def lines(size_bytes: int) -> Iterator[str]:
    """Return a line of each shape, of about this length."""
    for before, repeated, after in SHAPES:
        yield before + repeated * ((size_bytes - len(before) - len(after)) // len(repeated)) + after


def figures() -> list[Figure]:
    """Measure the slowest of them."""
    sizes = {"4 KB": 4_096, "16 KB": 16_384, "64 KB": MOST_BYTES, "1 MB": 1_000_000}
    spent = {name: max(map(_spent_ms, lines(size))) for name, size in sizes.items()}
    return [
        *(Figure(f"made to take long, {name}, slowest", most, "ms") for name, most in spent.items()),
        Figure("made to take long, slowest of all", max(spent.values()), "ms", 100.0),
    ]


def _spent_ms(line: str) -> float:
    begun = time.perf_counter()
    judge(line)
    return 1_000 * (time.perf_counter() - begun)
