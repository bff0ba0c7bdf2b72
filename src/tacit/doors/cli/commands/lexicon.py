"""lexicon: words that mean the same: list, check, match, replace, export."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options, read
from tacit.doors.cli.renamed_option import renamed_option
from tacit.doors.cli.verb_commands import group
from tacit.failures.load_lexicon import LoadedLexicon, load_lexicon, thesaurus
from tacit.model.payload import plain
from tacit.text.lexicon import Concept
from tacit.text.plural import plural

FOUND = 5


lexicon = group(
    "lexicon", "Words that mean the same: your files, the repository's `docs/src/kg`, and learned corrections."
)


def _load(call: CommandCall, *, own: bool = False) -> LoadedLexicon:
    with call.memory() as memory:
        learned = memory.learned.concepts()
    return load_lexicon(call.settings.home, call.settings.cwd, learned, own=own)


@lexicon.command("list")
@options
def list_(call: CommandCall) -> None:
    """List the concepts: where each comes from, its title and its synonyms."""
    loaded = _load(call)

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (origin, one.key, one.title, _blank(one.priority), cell(", ".join(one.synonyms), 80))
            for origin, one in loaded.entries
        ]
        table(["from", "key", "title", "priority", "synonyms"], rows, empty="no concepts")

    concepts = [{"origin": origin, **_concept(one)} for origin, one in loaded.entries]
    call.answer("lexicon", {"concepts": concepts}, show)


def _blank(value: int | None) -> str:
    return "" if value is None else str(value)


def _concept(one: Concept) -> dict[str, Any]:
    document: dict[str, Any] = one._asdict() | {"routes": [route._asdict() for route in one.routes]}
    return plain(document)  # type: ignore[no-any-return]


@lexicon.command("check")
@options
def check(call: CommandCall) -> int:
    """Check the files for invalid values, and for words that two files claim. Exits 5 if there are findings."""
    loaded = _load(call)

    def show() -> None:
        from tacit.doors.cli.render import say

        say(*(f"{one.path}:{one.line}: {one.message}" if one.line else f"{one.path}: {one.message}"
              for one in loaded.warnings))  # fmt: skip
        counts = (plural(len(loaded.entries), "concept"), plural(len(loaded.lexicon), "word"))
        say(f"{', '.join(counts)}, {plural(len(loaded.warnings), 'warning')}")

    warnings = [one._asdict() for one in loaded.warnings]
    document = {"concepts": len(loaded.entries), "words": len(loaded.lexicon), "warnings": warnings}
    call.answer("lexicon.check", document, show)
    return FOUND if warnings else 0


@lexicon.command("match")
@click.argument("text", default="-")
@options
def match(call: CommandCall, text: str) -> None:
    """Find the concepts in TEXT, or in standard input: whole words, the longest match, outside URLs and paths."""
    found = list(_load(call).lexicon.find(read(text)))

    def show() -> None:
        from tacit.doors.cli.render import table

        rows = [(one.start, one.end, one.pattern, one.concept.key, one.concept.title) for one in found]
        table(["start", "end", "words", "key", "title"], rows, empty="nothing was found")

    keys = list(dict.fromkeys(one.concept.key for one in found))
    matches = [
        {"start": one.start, "end": one.end, "pattern": one.pattern, "key": one.concept.key, "title": one.concept.title}
        for one in found
    ]
    call.answer("lexicon.match", {"matches": matches, "keys": keys}, show)


@lexicon.command("replace")
@click.argument("text", default="-")
@click.option(
    "--command", "command", is_flag=True, help="Treat TEXT as a command line; the repository's files are not used."
)
@options
def replace(call: CommandCall, text: str, command: bool) -> None:
    """Replace synonyms in TEXT, or in standard input, by the title of their concept. Nothing is run.

    Replacements are listed on standard error. With --command, words are replaced only at the start of a command, never
    in quotes.
    """
    original = read(text)
    done = _load(call, own=command).lexicon.replace(original, command=command)
    document = {
        "result": done.text, "original": original, "replacements": len(done.replacements),
        "changed": bool(done.replacements), "replaced": [one._asdict() for one in done.replacements],
    }  # fmt: skip

    def show() -> None:
        sys.stdout.write(done.text if done.text.endswith("\n") else f"{done.text}\n")
        for one in done.replacements:
            call.tell(f"{one.old!r} became {one.new!r} ({one.key})")

    call.answer("lexicon.replace", document, show)


@lexicon.command("export")
@renamed_option(
    "--out", former="--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The file to write; default: standard output.",
)  # fmt: skip
@click.option("--name", default="tacit", show_default=True, help="The name of the thesaurus.")
@options
def export(call: CommandCall, out: Path | None, name: str) -> None:
    """Write the lexicon as a thesaurus in JSON."""
    words = thesaurus(_load(call), name)
    written = json.dumps(words, indent=2, ensure_ascii=False) + "\n"
    if out is not None:
        from tacit.files.atomic import write_named

        write_named(out, written.encode(errors="replace"))

    def show() -> None:
        from tacit.doors.cli.render import say

        if out is None:
            sys.stdout.write(written)
        else:
            say(f"wrote {plural(len(words['data']), 'word')} to {out}")

    call.answer("lexicon.export", {"path": str(out) if out else "", **words}, show)
