"""The examples of the documentation are true: what can be run is run, and prints what stands there."""

from __future__ import annotations

import re
import shlex
from itertools import groupby

import click
import pytest

from tacit.doors.cli.main import cli
from tests.docs.pages import ROOT, blocks, pages
from tools import tour

NAMES = [page.relative_to(ROOT).as_posix() for page in tour.pages()]
JOINS = {"|", "||", "&&", ";", "&"}


@pytest.mark.parametrize("name", NAMES)
def test_examples_print_what_the_page_shows(name: str) -> None:
    """A fresh run of a page's examples gives the page, byte for byte; `make api` writes it."""
    text = (ROOT / name).read_text(encoding="utf-8")

    assert text == tour.ran(text)


def test_the_library_example_runs(tmp_path, monkeypatch):
    """The Python block of the README runs as it stands and finds the fact."""
    [block] = re.findall(r"```python\n(.*?)```", tour.README.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    shown: list[tuple] = []

    exec(compile(block, "README.md", "exec"), {"print": lambda *words: shown.append(words)})  # noqa: S102

    assert "The staging API listens on 8443" in [words[-1] for words in shown]


def commands(block: str) -> list[list[str]]:
    """Return the words of every call of tacit in a block of shell."""
    found = []
    for line in block.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars="|&;")
        lexer.whitespace_split = True
        lexer.commenters = "#"
        for joint, part in groupby(lexer, key=JOINS.__contains__):
            words = list(part)
            if not joint and "tacit" in words[:1]:
                found.append(words[1:])
    return found


def complaint(words: list[str]) -> str:
    """Say why the command line would refuse these words; nothing is run and no value is looked at."""
    command: click.Command = cli
    context = click.Context(command, info_name="tacit", **cli.context_settings)
    try:
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            command.parse_args(context, words)  # `import` puts a word before a path here
            name, found, words = command.resolve_command(context, [*context._protected_args, *context.args])
            if found is None:
                return f"no such command: {name}"
            command, context = found, click.Context(found, parent=context, info_name=name)
        options, rest, _ = command.make_parser(context).parse_args(list(words))
    except click.UsageError as error:
        return error.format_message()
    if rest:
        return f"left over: {rest}"
    needed = {each.name: each for each in command.params if isinstance(each, click.Argument) and each.required}
    given = {name for name, value in options.items() if isinstance(value, str | tuple) and value}
    return "" if options.get("help") is True else "".join(f"missing: {name}" for name in needed.keys() - given)


def test_commands_in_shell_blocks_parse() -> None:
    """Every `tacit …` in a block of shell names a command that exists, with options that it has."""
    wrong = [
        f"{page.relative_to(ROOT)}: tacit {shlex.join(words)}: {why}"
        for page in pages()
        for block in blocks(page, "sh", "bash", "console")
        for words in commands(block)
        if (why := complaint(words))
    ]

    assert [] == wrong


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("tacit recall port --limit 3 | head", ""),
        ("echo x | tacit redact && tacit why ID  # tacit nothing", ""),
        ("tacit recal port", "recal"),
        ("tacit recall port --lmit 3", "--lmit"),
        ("tacit why", "missing"),
        ("tacit import CLAUDE.md --dry-run", ""),
        ("tacit import CLAUDE.md --dry-rn", "--dry-rn"),
        ("tacit term ad x", "ad"),
    ],
)
def test_a_wrong_command_is_found(line: str, why: str) -> None:
    """The test above would fail for a misspelt command, option, noun, or a missing argument."""
    found = next(filter(None, map(complaint, commands(line))), "")

    assert (why == "") == (found == "")
    assert why in found
