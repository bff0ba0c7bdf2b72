"""import: an export of tacit, or the memory of another tool."""

from __future__ import annotations

from typing import IO, Any

import click

from tacit.app.verbs.exchange import Exchange
from tacit.doors.cli.command_call import CommandCall, counted, lines_of, options
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of, call_verb
from tacit.exchange.readers.registry import FORMS
from tacit.model.payload import plain
from tacit.model.transfer import ImportReport
from tacit.text.plural import plural

_MOST_SHOWN = 20


@click.group("import")
def import_() -> None:
    """Import an export of tacit (jsonl), or the memory of another tool.

    Imported records are trusted as imports: they may be shown with a label. Importing twice changes nothing.
    """


@import_.command("jsonl")
@click.argument("file", type=click.File("rb"))
@options
def jsonl(call: CommandCall, file: IO[bytes]) -> None:
    """Import an export (`-` reads standard input). Ids, versions, links and times are kept; authors become claims."""
    with call.memory(writes=True) as memory, call.progress("importing") as progress:
        done = memory.import_lines(counted(lines_of(file), progress))
    sentence = (
        f"imported {plural(done.records, 'record')}, {plural(done.versions, 'older version')}, "
        f"{plural(done.links, 'link')}; {done.skipped} were here already"
    )
    if done.lowered:
        sentence += (
            f"; {plural(done.lowered, 'record')} claimed more trust than an import gets (`tacit approve` raises it)"
        )
    if done.candidates:
        sentence += f"; {plural(done.candidates, 'lesson')} accepted there became candidates here"
    said(call, "import", {"form": "jsonl", **plain(done)}, sentence)


def _add_command(form: str, what: str) -> None:
    """Add the command of one format."""

    def run(call: CommandCall, **values: Any) -> None:
        done = call_verb(call, Exchange.import_, {"form": form, **values}, "importing")
        call.answer("import", plain(done), lambda: _show(done))

    run.__doc__ = f"""Import {what}.

    Unchanged items are skipped; an item that changed there becomes a new version here.
    """
    import_.command(form, cls=VerbCommand)(arguments_of(Exchange.import_, but=("form",))(options(run)))


def _show(done: ImportReport) -> None:
    from tacit.doors.cli.render import say

    verbs = ("would import", "would change") if done.dry_run else ("imported", "changed")
    for verb, counts in ((verbs[0], done.written), (verbs[1], done.changed), ("unchanged:", done.unchanged)):
        if counts:
            say(f"{verb} {', '.join(plural(count, kind) for kind, count in sorted(counts.items()))}")
    if not (done.written or done.changed or done.unchanged):
        say("there is nothing in it to import")
    say(*(f"skipped {one.what}: {one.why}" for one in done.skipped[:_MOST_SHOWN]))
    more = len(done.skipped) - _MOST_SHOWN + done.skipped_more
    if more > 0:
        say(f"and {more:,} more were skipped; --json lists them")
    say(*done.notices)


for _form, (_module, _what) in FORMS.items():
    _add_command(_form, _what)
