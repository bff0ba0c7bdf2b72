"""Lines of our own, one for each way to lose something, and what people run all day: none passes, none is held back.

They stand in text files, one to a line, a line break written as `\\n`. They say what they are, not what the guard says.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.guard.fast_path import is_plain
from tacit.guard.judge import explain, gravest, judge
from tacit.guard.packs import built_in
from tacit.guard.verdict import CommandLocation

HERE = Path(__file__).parent / "guard_lines"


def lines(name: str) -> list[str]:
    """Return the lines of a file."""
    texts = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [text.replace("\\n", "\n") if "<<" in text else text for text in texts]


def test_nothing_that_destroys_is_allowed(figures):
    """What deletes, overwrites, publishes, leaks or switches off is denied, or a person is asked."""
    found = lines("destructive")
    figures("guard: destructive lines", len(found))

    assert [] == [line for line in found if judge(line).verdict == "allow"]


@pytest.mark.parametrize("name", ["everyday", "quoted"])
def test_nothing_harmless_is_held_back(name, figures):
    """What people run all day is allowed, and so is what only speaks of commands."""
    found = lines(name)
    figures(f"guard: {name} lines", len(found))

    assert {} == {line: said.rule for line in found if (said := judge(line)).verdict != "allow"}


def test_the_fast_path_needs_no_parser():
    """A plain line is answered before the grammar is loaded: hooks start a process for each."""
    code = "import sys; from tacit.guard.judge import judge; print(judge('ls -la src').verdict, *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ})
    verdict, *loaded = done.stdout.split()

    assert "allow" == verdict
    assert {"tree_sitter", "tree_sitter_bash"}.isdisjoint(loaded)


def test_the_fast_path_agrees_on_every_line(figures):
    """Where it answers, the full judgement says the same: our lines, and every example of every pack."""
    packs = built_in()
    examples = [one for rule in packs.rules.values() for one in (*rule.deny_examples, *rule.allow_examples)]
    plain = [
        one for one in (*lines("destructive"), *lines("everyday"), *lines("quoted"), *examples) if is_plain(one, packs)
    ]
    figures("guard: lines the fast path answers", len(plain))

    assert [] == [one for one in plain if gravest(explain(one, CommandLocation(), packs)).verdict != "allow"]
    assert plain
