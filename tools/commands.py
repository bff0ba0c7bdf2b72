"""Writes docs/cli.md: the help of every command, as the program prints it.

usage: commands.py print|write

A test compares the page with the program, so a command without help, or one that is not in the docs, fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tacit.doors.cli.main import cli

TARGET = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
HEAD = """# The command line

Nouns, then verbs. Every command takes `--json` and then prints one JSON document, `{"schema": "tacit.<thing>/1", …}`,
on standard output; an error is `{"error": {"code", "message", "hint"}}`. Diagnostics go to standard error.

Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 refused by policy, 5 condition or verification failed, 6 conflict
or locked, 130 interrupted. An empty result is ok.

Written by `make api`; a test compares this page with the program.
"""
WIDTH = 100


def pages(command: click.Command, path: tuple[str, ...] = ("tacit",)) -> Iterator[tuple[str, str]]:
    """Give the help of a command and of everything below it."""
    # A command remembers the names of its help option from its first context, so this one has to be a real one.
    context = click.Context(
        command, info_name=" ".join(path), help_option_names=["-h", "--help"], max_content_width=WIDTH,
        terminal_width=WIDTH,
    )  # fmt: skip
    yield " ".join(path), command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from pages(below, (*path, name))


def text() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for path, help_ in pages(cli):
        parts.append(f"## `{path}`\n\n```\n{help_.rstrip()}\n```\n")
    return "\n".join(parts)


def main(words: list[str]) -> int:
    """Print or write the page."""
    match words:
        case ["print"]:
            print(text(), end="")
        case ["write"]:
            TARGET.write_text(text(), encoding="utf-8")
            print(f"wrote {TARGET.name}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
