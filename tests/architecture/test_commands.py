"""The command line and its page in the docs are the same thing."""

import re
from pathlib import Path

import click

from tacit.doors.cli.main import ALIASES, COMMANDS, cli
from tools.commands import TARGET, pages, text

ROOT = Path(__file__).resolve().parents[2]


def test_every_command_has_help():
    """A command says what it does, and so does each of its options that is not obvious from its name."""
    bare = [path for path, help_ in pages(cli) if len(help_.splitlines()) < 5]

    assert [] == bare


def test_the_docs_hold_every_command_as_the_program_prints_it():
    """docs/cli.md is what the program says; `make api` writes it."""
    assert text() == TARGET.read_text(encoding="utf-8")


def test_the_overview_lists_every_command_without_importing_it():
    """The table in `main` names commands that exist, with a line each."""
    context = click.Context(cli, **cli.context_settings)

    assert list(COMMANDS) == cli.list_commands(context)
    assert [] == [name for name in COMMANDS if cli.get_command(context, name) is None]
    assert [] == [name for name, (_module, line) in COMMANDS.items() if not line.endswith(".")]


def test_commands_named_in_prose_exist():
    """README and docs name no command that the program does not have."""
    known = {path for path, _help in pages(cli)} | {f"tacit {name}" for name in ALIASES}
    prose = "\n".join(page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    named = set(re.findall(r"`(tacit [a-z]+)\b", prose))

    assert set() == {name for name in named if name not in known}
