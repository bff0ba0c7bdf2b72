"""Long modules and functions are a list that may only shrink."""

from __future__ import annotations

from tests.architecture.source import functions, modules

MODULE_LINES = 400
FUNCTION_LINES = 40

# Each with the reason why it is one piece; "path" for a module, "path::Class.method" for a function.
LONG: dict[str, str] = {}


def long_ones() -> dict[str, int]:
    """Return what exceeds the limits, with its length."""
    found = {m.name: m.lines for m in modules() if m.lines > MODULE_LINES}
    for module in modules():
        for name, node in functions(module.tree):
            # The signature of a verb is its declaration, and as long as its arguments are many.
            length = (node.end_lineno or node.lineno) - node.body[0].lineno + 1
            if length > FUNCTION_LINES:
                found[f"{module.name}::{name}"] = length
    return found


def test_nothing_new_is_long() -> None:
    """A module over 400 lines or a function whose body is over 40 needs a second room, or a reason in the list."""
    assert {} == {name: lines for name, lines in long_ones().items() if name not in LONG}


def test_the_list_only_shrinks() -> None:
    """What is no longer long leaves the list."""
    assert [] == sorted(LONG.keys() - long_ones().keys())


def test_every_exception_has_a_reason() -> None:
    """A reason is a sentence, not a placeholder."""
    assert [] == [name for name, reason in LONG.items() if len(reason.split()) < 3]
