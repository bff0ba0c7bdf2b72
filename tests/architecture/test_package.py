"""What is installed holds no attack: those live in tests/redteam, and are run from there."""

from __future__ import annotations

import ast
import re

from tacit.admission.instruction_detection import find_instructions
from tests.architecture.source import PACKAGE, ROOT, modules

ATTACKS = re.compile(r"poison|red_?team|strateg|attack|jailbreak|hostile_text", re.I)
# The patterns that know such a text contain its words.
RULES = {"instruction_patterns.py"}
_WORDS = re.compile(r"\w+\W+\w+\W+\w+")


def test_no_module_of_the_package_is_named_for_attacks() -> None:
    """The wheel is src/tacit as it lies there; a strategy or a poison text has no file in it."""
    names = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts]

    assert [] == [name for name in names if ATTACKS.search(name)]


def test_no_text_of_the_package_gives_its_reader_orders() -> None:
    """No string in a module is one that the judge of orders flags; its own patterns aside."""
    told = [
        (module.name, node.lineno)
        for module in modules()
        if module.path.name not in RULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _WORDS.search(node.value)
        if find_instructions(node.value)
    ]

    assert [] == told


def test_the_attacks_are_where_the_tests_find_them() -> None:
    """The rule above would also hold if they were lost."""
    assert (ROOT / "tests" / "redteam" / "poison.py").is_file()
