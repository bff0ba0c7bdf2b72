"""One name per thing: class names are unique, the glossary is short, and retired words stay away."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from tests.architecture.source import ROOT, modules

# Words of the former private dialect, as names. Each is in docs/glossary.md under its plain name.
RETIRED = {"house", "crew", "haul", "minds", "workshop", "stint", "visitor", "despite"}


def test_class_names_are_unique() -> None:
    """Whoever reads a class name knows which class it is."""
    places = defaultdict(list)
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.name)

    assert {} == {name: found for name, found in places.items() if len(found) > 1}


def test_the_glossary_is_short() -> None:
    """At most 40 terms."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = [row for row in re.findall(r"^\| ([^|]+) \|", text, re.M) if row not in ("term", "---")]

    assert 20 <= len(terms) <= 40


def test_retired_words_name_nothing() -> None:
    """No module, class or function is named for a word of the former dialect."""
    found = [
        f"{module.name}: {name}"
        for module in modules()
        for name in [
            module.path.stem,
            *(n.name for n in ast.walk(module.tree) if isinstance(n, ast.ClassDef | ast.FunctionDef)),
        ]
        if RETIRED & set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))
    ]

    assert [] == found
