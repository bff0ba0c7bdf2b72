"""Prints every rule of the guard: its verdict, its reason and an example.

usage: guard_rules.py print|write

`write` puts the text into docs/guard-rules.md; a test compares the two.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from tacit.guard.packs import built_in
from tacit.guard.verdict import WEIGHTS, GuardRule

TARGET = Path(__file__).resolve().parents[1] / "docs" / "guard-rules.md"
HEAD = """# The rules of the guard

Every built-in rule, by family: the verdict, why, and a line that it is about. [guard.md](guard.md#the-ladder)
explains the ladder of verdicts and how to change a rule. Written by `make api`.
"""


def text() -> str:
    """Return the page."""
    rules = sorted(built_in().rules.values(), key=lambda rule: (rule.family, -WEIGHTS[rule.severity], rule.id))
    parts = [HEAD]
    for family, members in groupby(rules, key=lambda rule: rule.family):
        head = ("| rule | verdict | it is stopped because | for example |", "| --- | --- | --- | --- |")
        parts += [f"## {family}", "", *head, *map(row, members), ""]
    return "\n".join(parts)


def row(rule: GuardRule) -> str:
    """Return the line of one rule."""
    example = min(rule.deny_examples, key=len, default="").replace("|", "\\|").replace("\n", " ")
    return f"| `{rule.id}` | {rule.severity} | {rule.reason.replace('|', '/')} | {f'`{example}`' if example else ''} |"


def main() -> None:
    """Print the page, or write it."""
    if sys.argv[1:] == ["write"]:
        TARGET.write_text(text(), encoding="utf-8")
    else:
        sys.stdout.write(text())


if __name__ == "__main__":
    main()
