"""The screen of `tacit` alone, and help, version, completion."""

from __future__ import annotations

import sys
from typing import Any

import click

from tacit.app.guard_setup import settings_problems
from tacit.app.hook_status import hooks_state
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.main import GROUPS, cli, write_groups
from tacit.errors import UsageError
from tacit.model.results import Overview
from tacit.text.plural import plural
from tacit.version import __version__

_SHELLS = ("bash", "zsh", "fish")


def screen() -> None:
    """Show what the memory of this project knows, what happened, and what needs a person."""
    call = CommandCall(False, "", "", (), tolerate_errors=True)
    problems, _notices = settings_problems(call.settings)
    with call.memory() as memory:
        found = memory.overview()
    _show(found, hooks_state(call.settings), [f"{one.message}; {one.hint}" for one in problems])


def _show(found: Overview, hooks: dict[str, Any], problems: list[str]) -> None:
    from tacit.doors.cli.render import one_line, say

    agents = ", ".join(dict.fromkeys(one["agent"] for one in hooks["connected"]))
    say(f"tacit {__version__}: the memory of {found.scope}")
    # Each kind has one word on every screen.
    knows = ", ".join(plural(count, kind.removeprefix("known ")) for kind, count in found.knows.items())
    say("", f"knows      {knows or 'nothing yet'}")
    say(f"agents     {agents or 'none connected'}")
    if found.week:
        say(f"this week  {found.week}")
    if found.off:
        say(f"off        {found.off}")
    if found.happened:
        say("", "latest")
        say(*(f"  {one.at:%m-%d %H:%M}  {one.what}: {one_line(one.text, 70)}" for one in found.happened))
    say(
        "",
        "needs your attention" if found.waiting or problems else "nothing needs your attention",
        *(f"  {one}" for one in problems),
    )
    say(*(f"  {one.what}: {one.command}" for one in found.waiting))
    say("", *_next(found, bool(agents)))


def _next(found: Overview, connected: bool) -> list[str]:
    """Return what to do next, depending on how far somebody has come."""
    if not connected:
        return ["next: `tacit init` connects your agents; `tacit help` lists the commands"]
    if not found.knows:
        return [
            'next: tell your agent "remember: …", or run `tacit remember "SENTENCE"`; `tacit help` lists the commands'
        ]
    return ["`tacit log` shows more of this, `tacit help` lists the commands"]


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "everything", is_flag=True, help="List every command.")
def help(words: tuple[str, ...], everything: bool) -> None:
    """Explain a command, or list the commands."""
    context = click.Context(cli, info_name="tacit", **cli.context_settings)
    if everything:
        formatter = context.make_formatter()
        write_groups(formatter, list(GROUPS))
        click.echo(formatter.getvalue().lstrip("\n").rstrip("\n"))
        return
    command: click.Command = cli
    for word in words:
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            raise UsageError(f"there is no command `{' '.join(words)[:60]}`", "`tacit help --all` lists every command")
        context = click.Context(found, info_name=word, parent=context, max_content_width=100)
        command = found
    click.echo(command.get_help(context))


@click.command()
@whole_scope
def version(call: CommandCall) -> None:
    """Print the version."""
    call.answer("version", {"version": __version__}, lambda: click.echo(f"tacit {__version__}"))


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Print the script that completes tacit's commands in a shell, and how to load it."""
    from click.shell_completion import get_completion_class

    if shell is None:
        click.echo("add one of these lines to the start file of your shell:\n")
        click.echo('bash  ~/.bashrc                   eval "$(tacit completion bash)"')
        click.echo('zsh   ~/.zshrc                    eval "$(tacit completion zsh)"')
        click.echo("fish  ~/.config/fish/config.fish  tacit completion fish | source")
        return
    made = get_completion_class(shell)
    if made is None:
        raise UsageError(f"there is no completion for {shell}", f"use {', '.join(_SHELLS)}")
    sys.stdout.write(made(cli, {}, "tacit", "_TACIT_COMPLETE").source() + "\n")
