"""No pattern of ours takes exponentially long, whatever text it is used on."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import tacit
from tacit.redact import BUILT_IN
from tests.text.pumped_texts import pumped

SRC = Path(tacit.__file__).parent
MAKERS = ("lazy_pattern", "compiled", "compile")
# Used by `match` or `sub` only, where the repetition is the end: it is never tried a second time.
ENDS = (r"<#.*?(?:#>|\Z)", r"|//[^\n]*|/\*.*?\*/)*", r"(?:[~.]{0,2}/[\w.@+-]+)+/?", r"\d{2,3}(?:\s*(?:,|\)\s*")
BUDGET_S = 1.0


def test_no_pattern_takes_exponentially_long() -> None:
    """To redact a value of 49 characters took hours: its 40 digits could be read in groups of one to three."""
    patterns = sorted({*in_source(), *(rule.pattern for rule in BUILT_IN)})
    slow = {pattern: text for pattern in patterns if not any(end in pattern for end in ENDS)
            for text in pumped(pattern) if takes_long(pattern, text)}  # fmt: skip

    assert len(patterns) > 900
    assert {} == slow


def test_such_a_pattern_is_noticed() -> None:
    """The one that was in use, and one that every book on the subject has."""
    for pattern in (r"[A-Za-z]?[a-z]+(?:[A-Z]{1,4}[a-z]*|\d{1,3})*", r"(?:a+)+"):
        assert any(takes_long(pattern, text) for text in pumped(pattern))


def in_source() -> Iterator[str]:
    """Return the patterns that the source gives to what makes patterns, by text or by the name of a constant."""
    for info in pkgutil.walk_packages([str(SRC)], "tacit."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
            if isinstance(node, ast.Call) and node.args and called(node) in MAKERS:
                given = node.args[0]
                value = (
                    given.value if isinstance(given, ast.Constant) else getattr(module, getattr(given, "id", ""), "")
                )
                if isinstance(value, str) and value:
                    yield value
        yield from (one._source for one in vars(module).values() if type(one).__name__ == "_Uncompiled")


def called(node: ast.Call) -> str:
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


class TakesLong(Exception):
    """A pattern was tried for longer than any that tries each way once."""


def takes_long(pattern: str, text: str) -> bool:
    """Return whether a pattern is tried on a text for seconds of this process' time."""

    def stop(*_signal: object) -> None:
        raise TakesLong

    found = re.compile(pattern)
    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, BUDGET_S)
        found.fullmatch(text)
        found.search(text)
    except TakesLong:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return False
