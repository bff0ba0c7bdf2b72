"""import: a file or folder that is recognised, an export of tacit, or the memory of another tool."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any

import click

from tacit.app.verbs.exchange import Exchange
from tacit.doors.cli.command_call import CommandCall, counted, lines_of, whole_scope, writing
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import Group, VerbCommand, arguments_of, call_verb
from tacit.exchange.readers.registry import FORMS
from tacit.exchange.recognise import recognise_path
from tacit.exchange.rules.recognise_source import JSONL
from tacit.model.kinds import kind_shown
from tacit.model.payload import plain
from tacit.model.transfer import UNVERIFIED, ImportReport
from tacit.text.plural import plural

_MOST_SHOWN = 20
_MOST_OF_A_KIND = 200
_ANY = "FILE|FOLDER"
_FIRST = ("correction", "fact", "note")
_READS = (
    ("CLAUDE.md, AGENTS.md, GEMINI.md, copilot-instructions.md, .cursorrules, *.mdc", "rules, facts and notes"),
    ("a repository with any of these, .cursor/rules or .claude/rules", "the same, from all of them"),
    ("MEMORY.md, or a memory directory", "rules, facts and notes"),
    ("an Obsidian vault, or any folder or page of Markdown", "notes, one per heading of long pages"),
    ("a basic-memory folder", "entities, relations, facts and notes"),
    ("the database of claude-mem", "notes"),
    ("the JSONL file of the MCP memory server", "entities, relations and facts"),
    ("an export of tacit (JSONL, learnings, procedures.jsonl)", "what was exported"),
    ("loop-engine, hippocampal, self-learning, instincts, terraphim", "see docs/exchange.md"),
)


class ImportGroup(Group):
    """The sources by name; any other first word is the path of a file or folder to recognise."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let the command for paths take everything that does not name a source."""
        first = next((word for word in args if not word.startswith("-")), "")
        if first and first not in self.commands:
            args = [_ANY, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both ways to call it."""
        formatter.write_usage(ctx.command_path, f"{_ANY} [OPTIONS]")
        formatter.write_usage(ctx.command_path, "SOURCE PATH [OPTIONS]", prefix="       ")


@click.group("import", cls=ImportGroup, invoke_without_command=True)
@click.pass_context
def import_(context: click.Context) -> None:
    """Import a file or folder: tacit recognises it, shows what would be kept, and asks.

    Name the source to say yourself what it is. Imported records are trusted as imports: they may be shown with a label.
    Importing twice changes nothing.
    """
    if context.invoked_subcommand is None:
        from tacit.doors.cli.render import say, table

        table(["tacit import reads", "and keeps"], _READS, empty="")
        say("", f"tacit import {_ANY} shows what would be kept and asks; --dry-run only shows it")
        say(f"tacit import SOURCE PATH names the source: {JSONL}, {', '.join(FORMS)}")
        say("tacit sessions import PATH imports the transcripts of agents")


@import_.command(_ANY, cls=VerbCommand)
@click.argument("path", type=click.Path(path_type=Path), metavar="")
@click.option("--yes", "-y", is_flag=True, help="Import without asking.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--approve", is_flag=True, help="Approve the new items, as a person: they are your own words.")
@writing
def any_source(call: CommandCall, path: Path, yes: bool, dry_run: bool, approve: bool) -> int:
    """Recognise a file or folder, show what would be kept as rules, facts and notes, and import it.

    A person at a terminal is asked first. A script is not asked.
    """
    if str(path) == "-":
        raise click.UsageError("what is read from standard input cannot be recognised; use `tacit import jsonl -`")
    found = recognise_path(path)
    if found.form == JSONL:
        return _own_export(call, Path(found.path), dry_run=dry_run, approve=approve)
    asks = not (yes or dry_run or call.as_json) and call.caller.origin.actor == "user" and sys.stdin.isatty()
    values: dict[str, Any] = {"form": found.form, "path": Path(found.path), "approve": approve}
    if asks:
        shown = call_verb(call, Exchange.import_, values | {"dry_run": True}, "reading")
        preview(shown, found.why)
        if not (shown.written or shown.changed):
            return 0
        if not click.confirm("Import this?", default=True, err=True):
            call.tell("nothing was imported")
            return 0
        kept = sum(shown.written.get(kind, 0) for kind in ("correction", "fact"))
        if kept and not approve:
            question = "Are these your own words? Then they are approved, and agents get them from now on."
            values["approve"] = click.confirm(question, default=False, err=True)
    done = call_verb(call, Exchange.import_, values | {"dry_run": dry_run}, "importing")
    show = (lambda: preview(done, found.why)) if dry_run else (lambda: _show(done))
    call.answer("import", {**plain(done), "why": found.why}, show)
    return 0


def _own_export(call: CommandCall, path: Path, *, dry_run: bool, approve: bool) -> int:
    """Import an export of tacit, which has neither a preview nor an approval."""
    if dry_run or approve:
        option = "--dry-run" if dry_run else "--approve"
        raise click.UsageError(f"{path} is an export of tacit, which is imported as it is, without {option}")
    with path.open("rb") as file:
        _import_lines(call, file)
    return 0


@import_.command("jsonl")
@click.argument("file", type=click.File("rb"))
@whole_scope
def jsonl(call: CommandCall, file: IO[bytes]) -> None:
    """Import an export (`-` reads standard input). Ids, versions, links and times are kept; authors become claims."""
    _import_lines(call, file)


def _import_lines(call: CommandCall, file: IO[bytes]) -> None:
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
        call.answer("import", plain(done), lambda: preview(done) if done.dry_run else _show(done))

    run.__doc__ = f"""Import {what}.

    Unchanged items are skipped; an item that changed there becomes a new version here.
    """
    import_.command(form, cls=VerbCommand)(arguments_of(Exchange.import_, but=("form",))(writing(run)))


def preview(done: ImportReport, why: str = "") -> None:
    """Show what an import would do: counts, the first items of each kind, and what is skipped."""
    from tacit.doors.cli.render import say

    say(*((f"{done.source}: {why}",) if why else ()))
    _show_counts(done)
    kinds = {one.kind for one in done.items}
    for kind in sorted(kinds, key=lambda kind: (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind)):
        items = [one for one in done.items if one.kind == kind]
        say("", f"{kind_shown(kind)}s:")
        marks = [f"{'[changed] ' * one.changed}{'[flagged] ' * one.flagged}" for one in items]
        shown = list(zip(items, marks, strict=True))[:_MOST_OF_A_KIND]
        say(*(f"  {mark}{one.text[:160]}  ({one.where})" for one, mark in shown))
        if (more := len(items) - _MOST_OF_A_KIND) > 0:
            say(f"  and {more:,} more; --json lists them")
    say(*(("",) if kinds and done.skipped else ()))
    _show_rest(done)


def _show(done: ImportReport) -> None:
    """Show what an import did."""
    from tacit.doors.cli.render import say

    _show_counts(done)
    _show_rest(done)
    if done.approved:
        say(f"approved {plural(done.approved, 'record')}: agents are told them from now on")
    elif done.written:
        say(UNVERIFIED)


def _show_counts(done: ImportReport) -> None:
    from tacit.doors.cli.render import say

    verbs = ("would import", "would change") if done.dry_run else ("imported", "changed")
    for verb, counts in ((verbs[0], done.written), (verbs[1], done.changed), ("unchanged:", done.unchanged)):
        if counts:
            say(f"{verb} {', '.join(plural(count, kind_shown(kind)) for kind, count in sorted(counts.items()))}")
    if not (done.written or done.changed):
        say("nothing is new" if done.unchanged else "there is nothing in it to import")
    if flagged := sum(one.flagged for one in done.items):
        say(f"flagged, because they contain instructions to their reader or hidden text: {plural(flagged, 'item')}")


def _show_rest(done: ImportReport) -> None:
    """Show what was skipped, and why."""
    from tacit.doors.cli.render import say

    say(*(f"skipped {one.what}: {one.why}" for one in done.skipped[:_MOST_SHOWN]))
    more = len(done.skipped) - _MOST_SHOWN + done.skipped_more
    if more > 0:
        say(f"and {more:,} more were skipped; --json lists them")
    say(*done.notices)


for _form, (_module, _what) in FORMS.items():
    _add_command(_form, _what)
