"""`tacit`: nouns then verbs. Commands are loaded on use, and every error ends as one sentence."""

from __future__ import annotations

import errno
import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from tacit.errors import NotFound, PersonNeeded, TacitError
from tacit.version import __version__

_REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT)
# group -> command -> (module, one line for the overview); a module is imported only when its command runs.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Every day": {
        "remember": ("facts", "Keep a rule, a fact or a note, in plain words."),
        "recall": ("facts", "Find what is known about something, with reasons."),
        "recap": ("recap", "What was done in the last sessions, in a few words."),
        "log": ("records", "What was kept, learned, told and stopped, newest first."),
        "why": ("records", "Where a record comes from, and when agents were told it."),
        "open": ("home.open", "Open the dashboard in a browser."),
        "list": ("records", "List what is kept, page by page."),
        "remove": ("records", "Retire a record; undo brings it back."),
        "undo": ("records", "Take back the last write."),
        "forget": ("forget", "Delete records for good; shows them and asks first."),
        "import": ("import_", "Import CLAUDE.md, other memories, vaults, or an export."),
    },
    "Set up and safety": {
        "init": ("setup.init", "Connect your agents and import what you have."),
        "connect": ("setup.connect", "Add tacit's hooks and MCP server to agents."),
        "config": ("home.config", "Settings: read them, change one, find the file."),
        "doctor": ("maintain", "Check the installation and say how to fix it."),
        "guard": ("guard", "Judge a command before it runs."),
    },
    "What it keeps": {
        "learn": ("failures", "Rules, and failures with what worked instead."),
        "lesson": ("lesson.commands", "Lessons: candidates, evidence, promotion."),
        "procedure": ("procedure.group", "Recorded steps: record, replay under the guard, health."),
        "episode": ("episode.commands", "Tasks that were tried and how they went."),
        "note": ("notes", "Notes: add, list, search, compress, consolidate."),
        "memdir": ("memdir", "Memory kept in Markdown files: sync, add, select, lint."),
        "sessions": ("session.group", "Agent sessions: sources, list, show, search, import."),
        "timeline": ("recap", "Sessions by day: what was asked, run and committed."),
        "stats": ("records", "What the memory was worth, per week."),
        "entity": ("graph", "Things facts are about: services, files, people."),
        "relation": ("graph", "How entities are connected."),
        "term": ("graph", "Definitions of words used here."),
        "lexicon": ("lexicon", "Words that mean the same: list, check, match, replace."),
        "scope": ("home.scope", "Scopes of the store: list, move, merge."),
        "share": ("home.share", "Share records between homes through a folder."),
    },
    "Everything else": {
        "edit": ("records", "Change a record; the old version stays in its history."),
        "disconnect": ("setup.connect", "Remove tacit from an agent's settings."),
        "pause": ("maintain", "Switch everything off for a while."),
        "skill": ("skills_and_teams", "Skills for agents."),
        "persona": ("skills_and_teams", "Roles an agent can take."),
        "team": ("skills_and_teams", "Groups of personas and skills."),
        "task": ("skills_and_teams", "Tasks and the phases they went through."),
        "namespace": ("graph", "Parts of a scope."),
        "memorize": ("facts", "Store a fact; duplicates are merged, contradictions are reported."),
        "context": ("facts", "Print the block of facts and lessons for a prompt."),
        "consolidate": ("facts", "Facts: statistics, prune, merge, resolve conflicts."),
        "show": ("records", "Show one record."),
        "history": ("records", "Show every version of a record."),
        "rollback": ("records", "Bring back an older version, as a new one."),
        "quarantine": ("records", "Stop trusting records and what was derived from them."),
        "approve": ("records", "Approve records, as a person."),
        "manifest": ("skills_and_teams", "What a host's model should see: lessons, notes, skills."),
        "mute": ("failures", "Stop telling a failure, correction or lesson to agents."),
        "export": ("export", "Export everything, or files that other tools read."),
        "backup": ("home.backup", "Copy the store while it is in use."),
        "restore": ("home.backup", "Replace the store by a backup."),
        "migrate": ("home.backup", "Copy a store to another one: file to server, or back."),
        "uninstall": ("home.uninstall", "Remove tacit from all agents, and the home if you say so."),
        "redact": ("secrets", "Remove secrets from a text."),
        "scan": ("secrets", "Find secrets in the store or in files."),
        "hook": ("hook", "Answer a hook of an agent; see connect."),
        "rpc": ("rpc", "JSON-RPC 2.0 on standard input and output, or a socket."),
        "mcp": ("mcp", "MCP tools for agents on standard input and output."),
        "serve": ("serve", "Run the server that answers hooks."),
        "status": ("maintain", "Settings and contents of this memory, and what is off."),
        "verify": ("maintain", "Check the log, the records and the index."),
        "audit": ("audit", "Find junk: duplicates, unused, without evidence, flagged."),
        "maintain": ("maintain", "Run one bounded pass of maintenance."),
        "sync": ("maintain", "Process queued hook data and print a summary."),
        "bench": ("tacit.bench.commands", "Measure the performance of this installation."),
        "demo": ("tacit.demo.command", "A tour in a temporary home."),
        "help": ("overview", "Explain a command, or list them all."),
        "version": ("overview", "Print the version."),
        "completion": ("overview", "Print the completion script of a shell."),
    },
}
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}
REST = "Everything else"


ROOM = "tacit.doors.cli.commands"
ALIASES = {"memory": "note", "retire": "remove", "revise": "edit", "search": "recall", "add": "remember", "ls": "list"}
"""Other names of commands: older ones, and those that people try first."""
POINTERS = {
    "install": "`tacit init` connects your agents, `tacit connect claude` connects one",
    "setup": "`tacit init` sets everything up",
    "delete": "`tacit remove` retires a record, and `tacit undo` brings it back; `tacit forget` deletes it for good",
    "rm": "`tacit remove` retires a record, and `tacit undo` brings it back; `tacit forget` deletes it for good",
    "settings": "`tacit config` shows and changes settings",
    "rules": "`tacit list --kind rule` lists the rules, `tacit remember` adds one",
    "facts": "`tacit list --kind fact` lists the facts, `tacit remember` adds one",
    "fact": "`tacit remember` keeps a fact, `tacit list --kind fact` lists the facts",
    "conflict": "`tacit consolidate conflicts` lists facts that contradict each other",
    "conflicts": "`tacit consolidate conflicts` lists facts that contradict each other",
    "update": "`tacit edit` changes a record; tacit itself is updated with what installed it",
    "start": "`tacit init` sets everything up; hooks start the helper by themselves",
}
"""What to use instead of a command that people try and that does not exist."""


ONE_QUESTION = ("recall", "context")
"""The commands that search once and start no program of the user."""


class LazyGroup(click.Group):
    """A group that knows the names of its commands and imports them on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all commands, in a helpful order for a newcomer."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name not in COMMANDS:
            return None
        named = COMMANDS[cmd_name][0]
        if cmd_name in ONE_QUESTION:
            from tacit.doors.hooks.surroundings import one_thread

            one_thread()
        module = importlib.import_module(named if named.startswith("tacit.") else f"{ROOM}.{named}")
        command: click.Command = getattr(module, cmd_name.replace("import", "import_").replace("list", "list_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command. For an unknown name, suggest the nearest one."""
        if args[0] not in COMMANDS and args[0] not in ALIASES:
            from difflib import get_close_matches

            if args[0] in POINTERS:
                ctx.fail(f"No such command {args[0]!r}: {POINTERS[args[0]]}.")
            nearest = get_close_matches(args[0], COMMANDS, 1)
            ctx.fail(f"No such command {args[0]!r}." + "".join(f" Did you mean {name!r}?" for name in nearest))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first screen from the table, without importing any command."""
        write_groups(formatter, [title for title in GROUPS if title != REST])
        formatter.write_paragraph()
        formatter.write_text(
            "`tacit` alone shows what this project's memory knows. `tacit help --all` lists every command, "
            "`tacit help COMMAND` explains one."
        )


def write_groups(formatter: click.HelpFormatter, titles: list[str]) -> None:
    """Write the commands of these groups."""
    for title in titles:
        with formatter.section(title):
            formatter.write_dl([(name, line) for name, (_module, line) in GROUPS[title].items()])


@click.group(
    cls=LazyGroup, invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip
@click.version_option(__version__, "-V", "--version", prog_name="tacit", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A local-first memory for AI coding agents.

    \b
    Start with:  tacit init
    then:        tacit remember "always run make lint before committing"
    """
    if ctx.invoked_subcommand is None:
        from tacit.doors.cli.commands.overview import screen

        screen()


def run(argv: list[str] | None = None) -> None:
    """Run a command line and exit with its exit code."""
    words = sys.argv[1:] if argv is None else argv
    sys.exit(call(words))


def call(words: list[str]) -> int:
    """Run a command line and return its exit code. An error is printed as one sentence, never as a traceback."""
    as_json = "--json" in words
    try:
        outcome = cli.main(words, prog_name="tacit", standalone_mode=False)
        # A reader that has left shows only now, when the last of the answer leaves our hands.
        sys.stdout.flush()
        return outcome if isinstance(outcome, int) else 0
    except SystemExit:
        # click leaves by itself when the reader of our output left; so do we.
        return silence()
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")
        return 2
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except TacitError as error:
        # What was not found, and what the user may type instead, are told by the ids that were typed.
        typed = words if isinstance(error, NotFound | PersonNeeded) else ()
        return report(error.code, error.message, error.hint, error.exit_code, as_json, error.details, typed)
    except click.UsageError as error:
        return report("usage", one_sentence(error), _where_to_look(error), 2, as_json)
    except click.ClickException as error:
        return report("failure", one_sentence(error), "", 1, as_json)
    except (KeyboardInterrupt, click.Abort):
        return report("interrupted", "interrupted", "", 130, as_json)
    except BrokenPipeError:
        return silence()
    except Exception as error:
        from tacit import logs

        logs.get("doors.cli").debug("unexpected", exc_info=True)
        if isinstance(error, OSError) and error.errno in _REFUSED:
            said = f"cannot use {error.filename or 'a file'}: {(error.strerror or '').lower()}"
            return report("failure", said, "make room, or make it readable and writable, and try again", 1, as_json)
        name = type(error).__name__
        return report(
            "failure", f"something unexpected happened: {name}: {error}", "TACIT_LOG=debug shows more", 1, as_json
        )


def _where_to_look(error: click.UsageError) -> str:
    """Return where the right words are; those of a small group are listed."""
    if error.ctx is None:
        return "see `tacit --help`"
    group, see = error.ctx.command, f"see `{error.ctx.command_path} --help`"
    if not error.message.startswith("No such command") or group is cli or not isinstance(group, click.Group):
        return see
    return f"it is one of {', '.join(group.list_commands(error.ctx))}; {see}"


def one_sentence(error: click.ClickException) -> str:
    """Return an error of click on one line; click prints choices as a list."""
    return " ".join(error.format_message().split())


def silence() -> int:
    """Exit quietly when the reader of our output has closed it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def report(
    code: str, message: str, hint: str, exit_code: int, as_json: bool, details: dict[str, Any] | None = None,
    typed: Sequence[str] = (),
) -> int:  # fmt: skip
    """Report an error: as a document for programs, as a sentence for people. Ids that were typed are no secrets."""
    from tacit.app.open import redact_error
    from tacit.doors.cli.short_ids import shorten_ids, typed_ids
    from tacit.logs import escape

    # An error may quote what it refuses.
    ids = typed_ids(typed)
    message, hint = redact_error(message, ids), redact_error(hint, ids)
    if as_json:
        shown = {
            name: redact_error(value, ids) if isinstance(value, str) else value
            for name, value in (details or {}).items()
            if isinstance(value, str | int | float | list)
        }
        document: dict[str, Any] = {"code": code, "message": message, "hint": hint}
        if shown:
            document["details"] = shown
        sys.stdout.write(json.dumps({"error": document}, ensure_ascii=True) + "\n")
    else:
        sys.stderr.write(f"tacit: {escape(shorten_ids(message))}\n")
        if hint:
            sys.stderr.write(f"  {escape(shorten_ids(hint))}\n")
    return exit_code
