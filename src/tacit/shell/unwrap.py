"""Commands inside commands: what a command would itself run, at any depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from tacit.shell.command import Command, Doubt, Script, literal
from tacit.shell.options import OptionSpec, after_options, split_options, value_of
from tacit.shell.programs.command_prefixes import PREFIXES, RUNNERS, prefixed, runner
from tacit.shell.programs.editor_commands import EDITORS, edited
from tacit.shell.programs.git_and_make import MAKES, git, git_environment, make
from tacit.shell.programs.remote_commands import HOSTS, nix, terminal
from tacit.shell.programs.shells import (
    SHELLS,
    ZSH_FILES,
    alias,
    copied,
    dash_c,
    eval_,
    flock,
    mapfile,
    shell,
    ssh,
    trap,
    watch,
    zsh_file,
)
from tacit.shell.programs.xargs_and_find import find, parallel, xargs
from tacit.shell.rerun_text import (
    INPUT_FILES,
    NestedCommands,
    after_dashes,
    closed_up,
    joint,
    run_stdin,
    run_text,
    run_words,
    with_content,
)
from tacit.shell.work_budget import MOST_WORK, exhausted
from tacit.shell.written_scripts import WrittenScripts

MOST_DEPTH = 12
_APT_HOOKS = tuple(
    f"-o={group}::{when}-Invoke{end}"
    for group in ("APT::Update", "APT::Install", "DPkg", "Dpkg") for when in ("Pre", "Post") for end in ("::=", "=")
)  # fmt: skip
# program -> options whose value a shell will read. One that ends in `=` is the prefix of a value.
STRINGS: dict[str, tuple[str, ...]] = {
    "script": ("-c", "--command"), "vagrant": ("-c", "--command"), "gcloud": ("--command",), "flyctl": ("-C",
    "--command"),
    "fly": ("-C", "--command"), "nodemon": ("-x", "--exec"), "flatpak": ("--command",), "xterm": ("-e",),
    "gnome-terminal": ("-e", "-x", "--command"), "konsole": ("-e",), "xfce4-terminal": ("-e", "-x", "--command"),
    "alacritty": ("-e", "--command"), "terminator": ("-e", "-x"), "urxvt": ("-e",), "st": ("-e",), "wezterm": ("--",),
    "tar": ("--checkpoint-action=exec=", "--to-command", "-I", "--use-compress-program", "--rsh-command",
    "-F", "--info-script", "--new-volume-script"),
    "rsync": ("-e", "--rsh", "--rsync-path"), "zip": ("-TT", "--unzip-command"), "man": ("-P", "--pager"),
    "ansible": ("-a", "--args"), "npm": ("-c", "--call"), "pnpm": ("-c",), "watchexec": ("--",),
    "inotifywait": ("--exec",),
    "cargo-watch": ("-s", "--shell"), "cargo": ("-s",), "sort": ("--compress-program",), "split": ("--filter",),
    "fzf": ("--preview",), "compgen": ("-C",), "complete": ("-C",), "ag": ("--pager",), "bat": ("--pager",),
    **dict.fromkeys(("apt", "apt-get", "aptitude", "apt-cache"), _APT_HOOKS),
    "delta": ("--pager",), "gdb": ("--args",), "lldb": ("--",), "launchctl": ("--",),
}  # fmt: skip
# Variables whose value git, man and similar programs will run.
RUN_VARIABLES = frozenset({
    "PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_SSH", "GIT_PROXY_COMMAND", "LESSCLOSE", "MANOPT", "SYSTEMD_EDITOR",
    "KUBE_EDITOR", "BASH_COMMAND", "SYSTEMD_PAGER", "AWS_PAGER", "GH_PAGER", "BAT_PAGER", "PSQL_PAGER", "PSQL_EDITOR",
    "SSH_ASKPASS", "BROWSER", "PROMPT_COMMAND", "LESSOPEN", "SUDO_EDITOR", "RSYNC_RSH",
})  # fmt: skip


def _reads_input(command: Command) -> bool:
    """Return whether `source` reads its input: named as a file, or by a process substitution."""
    first = command.args[0] if command.args else None
    named = first is not None and first.text in INPUT_FILES
    return named or (command.piped and any(word.holes for word in command.args))


SPECIAL: dict[str, Callable[[Command], NestedCommands]] = {
    "eval": eval_, "su": dash_c("sgGw"), "runuser": dash_c("ugGsw"), "ssh": ssh, "mosh": ssh, "autossh": ssh,
    "watch": watch, "xargs": xargs, "gxargs": xargs, "parallel": parallel, "sem": parallel, "find": find,
    "gfind": find, "fd": find, "fdfind": find, "trap": trap, "alias": alias, "flock": flock, "tmux": terminal,
    **dict.fromkeys(ZSH_FILES, zsh_file),
    "screen": terminal, "byobu": terminal, "scp": copied, "mapfile": mapfile, "readarray": mapfile,
    "nix-shell": nix, "nix": nix, "git": git, "at": run_stdin, "batch": run_stdin, "make": make, "gmake": make,
    # What follows `--` are the arguments of a shell.
    "capsh": lambda c: run_words(c, (literal("bash"), *rest)) if (rest := after_dashes(c.args)) else NestedCommands(),
    **dict.fromkeys(("source", "."), lambda c: run_stdin(c) if _reads_input(c) else NestedCommands()),
    "rg": lambda c: _rg(c), "npm": lambda c: _package_scripts(c), "pnpm": lambda c: _package_scripts(c), **HOSTS,
    **dict.fromkeys(EDITORS, edited), "sftp": lambda c: joint((edited(c), copied(c))),
}  # fmt: skip
WRAPPERS = frozenset({*PREFIXES, *RUNNERS, *SHELLS, *SPECIAL, *STRINGS})


def inner(command: Command) -> NestedCommands:
    """Return the commands that a command would run itself."""
    name = command.name
    if name is None:
        return NestedCommands()
    return joint(_parts(command, name))


def _parts(command: Command, name: str) -> Iterator[NestedCommands]:
    yield from (run_text(command, value) for key, value in command.assigns if key in RUN_VARIABLES)
    if name in SHELLS:
        yield shell(command)
    elif name in PREFIXES:
        yield prefixed(command, PREFIXES[name])
    if name in RUNNERS:
        yield runner(command, RUNNERS[name])
    if name in SPECIAL:
        yield SPECIAL[name](command)
    if name in STRINGS and not _has_other_module(command):
        yield from _strings(command, STRINGS[name])
    yield from _from_environment(command, name)


def _has_other_module(command: Command) -> bool:
    """Return whether ansible is given a module that reads arguments of its own: no shell."""
    pairs = pairwise((*command.args, literal("")))
    named = [value for word, after in pairs for o in ("-m", "--module-name") if (value := value_of(word, after, o))]
    return command.name == "ansible" and any(
        (word.text or "").rsplit(".", 1)[-1] not in _SHELL_MODULES for word in named
    )


_SHELL_MODULES = frozenset({"command", "shell", "raw", "script", "expect", ""})


def _from_environment(command: Command, name: str) -> Iterator[NestedCommands]:
    """Return a command with the arguments that its program reads from a variable, and commands set by variables."""
    for key, value in command.assigns:
        if (name in ("terraform", "tofu") and key.startswith("TF_CLI_ARGS")) or (name in MAKES and key == "MAKEFLAGS"):
            more = tuple(literal(text) for text in (value.text or "").split())
            yield run_words(command, (*command.words, *more)) if more else NestedCommands()
    yield from git_environment(command)


def _rg(command: Command) -> NestedCommands:
    """Return the program that rg runs for every file it searches."""
    split = split_options(command.args, _RG)
    files = after_options(command.args, _RG)[1:] or (literal("."),)
    run = [value for name, value in split if name == "pre" and value is not None]
    words = (literal("find"), *files, literal("-exec"), *run, literal("{}"), literal(";"))
    return run_words(command, words) if run else NestedCommands()


def _package_scripts(command: Command) -> NestedCommands:
    """Return the commands that `npm pkg set scripts.x=…` stores, to be run by a name that says nothing of them."""
    if [word.text for word in command.args[:2]] != ["pkg", "set"]:
        return NestedCommands()
    pairs = ((word, word.head.partition("=")) for word in command.args[2:] if word.head.startswith("scripts."))
    return joint(run_text(command, word._replace(pieces=(value, *word.pieces[1:]))) for word, (_n, _e, value) in pairs)


_RG = OptionSpec("efgtTABCmrjdM", "pre pre-glob glob iglob type type-not regexp file max-count context replace")


def _strings(command: Command, options: tuple[str, ...]) -> Iterator[NestedCommands]:
    for number, (word, after) in enumerate(pairwise((*command.args, None))):
        for option in options:
            name, _equals, mark = option.partition("=")
            value = value_of(word, after, name) if word is not None else None
            if value is None or not value.head.startswith(mark):
                continue
            several = name in ("-e", "-x", "--", "--args") and command.name not in ("rsync", "nodemon")
            if several and value is after and number + 2 < len(command.args):
                yield run_words(command, command.args[number + 1 :])
            else:
                yield run_text(command, value._replace(pieces=(value.head[len(mark) :], *value.pieces[1:])))


class WorkBudget:
    """The cost of one judgement so far. All texts inside a line share it."""

    def __init__(self) -> None:
        self.done = 0

    def spent(self, units: int) -> bool:
        """Count work, and return whether any is left."""
        self.done += units
        return self.done <= MOST_WORK


def everything(script: Script, work: WorkBudget | None = None) -> Iterator[tuple[Command | Doubt, int]]:
    """Return every command that would run, outermost first, and every doubt, each with its nesting depth."""
    work = work or WorkBudget()
    for doubt in script.doubts:
        yield doubt, 0
    work.spent(script.work)
    rest = [(command, 0) for command in reversed(script.commands)]
    written = WrittenScripts()
    while rest:
        command, depth = rest.pop()
        yield command, depth
        if not work.spent(4 + len(command.words) + 3 * len(command.redirects)):
            yield exhausted(command.start, command.end), depth
            return
        if depth >= MOST_DEPTH:
            yield Doubt("it is nested too deep", command.start, command.end), depth
            continue
        part = joint((inner(command), written.run(command), with_content(command), closed_up(command)))
        written.note(command)
        work.spent(part.work)
        for doubt in part.doubts:
            yield doubt, depth + 1
        rest += [(one, depth + 1) for one in reversed(part.commands)]
