"""Texts made to be slow to redact: one long line, nothing but quotes, names, values, halves of tokens."""

from __future__ import annotations

from tacit.bench.figures import Figure
from tacit.bench.timing import Timing
from tacit.redact import Redactor
from tacit.text.secret_marks import GITHUB

HOSTILE_SIZE = 1_000_000
# What is repeated to the end.
PIECES = (
    "a", '"', "=", "\\", "a1B2c3D4", "dG9rZW49", "password", "password ", "key=", 'password="', "://a:", "eyJ.ey",
    "s.", "login a password ", "password is a1B2!x ", "abcdef1! as the password ", "curl -u a:",
    "sid=a1B2c3D4e5F6g7H8i9J0; ",
    f'"{GITHUB[0]}" + ', "token\\\n", "\\u0067hp_", "password: |\n  a\n", "-----BEGIN PRIVATE KEY-----",
    "a_b1C2d3E4f5G6h7I8j9K0l1 ",
)  # fmt: skip


def slowest(redactor: Redactor, size: int) -> Figure:
    """Return how long the slowest of the texts takes, and which one it is."""
    took: dict[str, float] = {}
    for piece in PIECES:
        timing = Timing()
        text = piece * (size // len(piece))
        with timing.clocked():
            redactor.clean(text)
        took[piece] = min(timing.cpu)
    worst = max(took, key=took.__getitem__)
    name = f"{size / 1e6:g} MB made to be slow"
    return Figure(name, took[worst], "s", 1.0, note=f"the slowest of {len(PIECES)}: {worst!r} repeated")
