"""import: an export of ours, or what another memory left behind."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click

from tacit.doors.cli.command_call import CommandCall, counted, options
from tacit.doors.cli.commands.records import said
from tacit.exchange.readers.registry import FORMS
from tacit.model.payload import plain
from tacit.model.transfer import ImportReport
from tacit.text.plural import plural

_MOST_SHOWN = 20


@click.group("import")
def import_() -> None:
    """Bring things in: an export of ours (jsonl), or what another memory left behind.

    What comes from elsewhere is trusted as an import: it may inform, labelled. Twice is no more than once.
    """


@import_.command("jsonl")
@click.argument("file", type=click.File("rb"))
@options
def jsonl(door: CommandCall, file: IO[bytes]) -> None:
    """Bring an export in (`-` reads standard input): ids, versions, links and times kept, authors as claims."""
    with door.memory(writes=True) as memory, door.progress("importing") as progress:
        done = memory.import_lines(counted(file, progress))
    sentence = (
        f"imported {plural(done.records, 'record')}, {plural(done.versions, 'older version')}, "
        f"{plural(done.links, 'link')}; {done.skipped} were here already"
    )
    if done.lowered:
        sentence += (
            f"; {plural(done.lowered, 'record')} claimed more trust than an import gets (`tacit approve` vouches)"
        )
    if done.candidates:
        sentence += f"; {plural(done.candidates, 'lesson')} accepted there came in to be judged here"
    said(door, "import", {"form": "jsonl", **plain(done)}, sentence)


def _foreign(form: str, what: str) -> None:
    """Make the command of one form."""

    def bring(door: CommandCall, path: Path, dry_run: bool) -> None:
        with door.memory(writes=not dry_run) as memory, door.progress("importing"):
            done = memory.exchange.bring_in(form, path, dry_run=dry_run)
        door.answer("import", plain(done), lambda: _show(done))

    bring.__doc__ = f"""Bring in {what}.

    Each thing keeps where it came from; what changed there since becomes a new version, what did not is left alone.
    """
    command = click.option("--dry-run", is_flag=True, help="Only say what would come in.")(options(bring))
    command = click.argument("path", type=click.Path(path_type=Path))(command)
    import_.command(form)(command)


def _show(done: ImportReport) -> None:
    from tacit.doors.cli.render import say

    verbs = ("would bring in", "would change") if done.dry_run else ("brought in", "changed")
    for verb, counts in ((verbs[0], done.written), (verbs[1], done.changed), ("unchanged:", done.unchanged)):
        if counts:
            say(f"{verb} {', '.join(plural(count, kind) for kind, count in sorted(counts.items()))}")
    if not (done.written or done.changed or done.unchanged):
        say("there is nothing in it to bring in")
    say(*(f"skipped {one.what}: {one.why}" for one in done.skipped[:_MOST_SHOWN]))
    more = len(done.skipped) - _MOST_SHOWN + done.skipped_more
    if more > 0:
        say(f"and {more:,} more were skipped; --json names them")
    say(*done.notices)


for _form, (_module, _what) in FORMS.items():
    _foreign(_form, _what)
