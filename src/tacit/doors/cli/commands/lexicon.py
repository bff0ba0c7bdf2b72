"""lexicon: words that stand for others: list, check, match, replace, export."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options, read
from tacit.failures.load_lexicon import LoadedLexicon, load_lexicon, thesaurus
from tacit.model.payload import plain
from tacit.text.lexicon import Concept, ConceptMatch, LexiconWarning
from tacit.text.plural import plural

FOUND = 5


@click.group()
def lexicon() -> None:
    """Words that stand for others: your files, the repository's `docs/src/kg`, and what was learned."""


def _load(door: CommandCall, *, own: bool = False) -> LoadedLexicon:
    with door.memory() as memory:
        learned = memory.learned.concepts()
    return load_lexicon(door.settings.home, door.settings.cwd, learned, own=own)


@lexicon.command("list")
@options
def list_(door: CommandCall) -> None:
    """List the concepts: where each comes from, what it is called, and what it stands for."""
    loaded = _load(door)

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (origin, one.key, one.title, _shown(one.priority), cell(", ".join(one.synonyms), 80))
            for origin, one in loaded.entries
        ]
        table(["from", "key", "title", "priority", "synonyms"], rows, empty="no concepts")

    concepts = [{"origin": origin, **_concept(one)} for origin, one in loaded.entries]
    door.answer("lexicon", {"concepts": concepts}, show)


def _shown(value: int | None) -> str:
    return "" if value is None else str(value)


def _concept(one: Concept) -> dict[str, Any]:
    document: dict[str, Any] = one._asdict() | {"routes": [route._asdict() for route in one.routes]}
    return plain(document)  # type: ignore[no-any-return]


@lexicon.command("check")
@options
def check(door: CommandCall) -> int:
    """Check the files: values that are wrong, and words that two files claim. Exits 5 when there is anything."""
    loaded = _load(door)

    def show() -> None:
        from tacit.doors.cli.render import say

        say(*(_line(one) for one in loaded.warnings))
        counts = (plural(len(loaded.entries), "concept"), plural(len(loaded.lexicon), "word"))
        say(f"{', '.join(counts)}, {plural(len(loaded.warnings), 'warning')}")

    warnings = [one._asdict() for one in loaded.warnings]
    document = {"concepts": len(loaded.entries), "words": len(loaded.lexicon), "warnings": warnings}
    door.answer("lexicon.check", document, show)
    return FOUND if warnings else 0


def _line(one: LexiconWarning) -> str:
    place = f"{one.path}:{one.line}" if one.line else one.path
    return f"{place}: {one.message}"


@lexicon.command("match")
@click.argument("text", default="-")
@options
def match(door: CommandCall, text: str) -> None:
    """Find the concepts in TEXT, or in standard input: whole words, the longest first, outside URLs and paths."""
    found = list(_load(door).lexicon.find(read(text)))

    def show() -> None:
        from tacit.doors.cli.render import table

        rows = [(one.start, one.end, one.pattern, one.concept.key, one.concept.title) for one in found]
        table(["start", "end", "words", "key", "title"], rows, empty="nothing was found")

    keys = list(dict.fromkeys(one.concept.key for one in found))
    door.answer("lexicon.match", {"matches": [_match(one) for one in found], "keys": keys}, show)


def _match(one: ConceptMatch) -> dict[str, Any]:
    return {"start": one.start, "end": one.end, "pattern": one.pattern, "key": one.concept.key,
            "title": one.concept.title}  # fmt: skip


@lexicon.command("replace")
@click.argument("text", default="-")
@click.option("--command", "command", is_flag=True, help="TEXT is a command line; a repository's files do not count.")
@options
def replace(door: CommandCall, text: str, command: bool) -> None:
    """Put what a concept is called in the place of its synonyms in TEXT, or in standard input. Nothing is run.

    What was replaced is told on standard error. With --command only where a command begins, never in quotes.
    """
    original = read(text)
    done = _load(door, own=command).lexicon.replace(original, command=command)
    document = {
        "result": done.text, "original": original, "replacements": len(done.replacements),
        "changed": bool(done.replacements), "replaced": [one._asdict() for one in done.replacements],
    }  # fmt: skip

    def show() -> None:
        sys.stdout.write(done.text if done.text.endswith("\n") else f"{done.text}\n")
        for one in done.replacements:
            door.tell(f"{one.old!r} became {one.new!r} ({one.key})")

    door.answer("lexicon.replace", document, show)


@lexicon.command("export")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=None, metavar="FILE")
@click.option("--name", default="tacit", show_default=True, help="What the thesaurus is called.")
@options
def export(door: CommandCall, output: Path | None, name: str) -> None:
    """Write the lexicon as a thesaurus in JSON, to FILE or to standard output."""
    words = thesaurus(_load(door), name)
    written = json.dumps(words, indent=2, ensure_ascii=False) + "\n"
    if output is not None:
        from tacit.files.atomic import write_atomic

        write_atomic(output, written.encode(errors="replace"))

    def show() -> None:
        from tacit.doors.cli.render import say

        if output is None:
            sys.stdout.write(written)
        else:
            say(f"wrote {plural(len(words['data']), 'word')} to {output}")

    door.answer("lexicon.export", {"path": str(output) if output else "", **words}, show)
