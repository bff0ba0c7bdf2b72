"""Shells, and programs that pass a string to one: bash -c, eval, su -c, ssh, watch."""

from __future__ import annotations

import re
from collections.abc import Callable

from tacit.shell.command import Command, Doubt, ShellWord, UnknownPart, literal
from tacit.shell.options import OptionSpec, after_options, split_options
from tacit.shell.parameter_expansion import array
from tacit.shell.rerun_text import INPUT_FILES, NestedCommands, joined, joint, run_stdin, run_text, run_words
from tacit.text.patterns import lazy_pattern

SHELLS = frozenset({
    "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash", "csh", "tcsh", "yash", "pwsh", "powershell",
    "cmd",
    "pwsh.exe", "powershell.exe", "cmd.exe", "bash.exe",
})  # fmt: skip


SSH = OptionSpec("bcDEeFIiJLlmOopQRSWwM", "ssh port predict client server")


def shell(command: Command) -> NestedCommands:
    """Return the commands that a shell runs: after -c, or from its input."""
    args = command.args
    if (command.name or "").removesuffix(".exe") in ("pwsh", "powershell"):
        return _powershell(command)
    index = 0
    while index < len(args):
        text = args[index].text
        if text is None and args[index].file_name is None:
            return NestedCommands((), (_unknown(args[index]),))
        if text is None or _only_checks(args):
            return NestedCommands()
        if text in ("--", "-"):
            index += 1
            break
        if text in INPUT_FILES:
            return run_stdin(command)
        if _OPEN_FILE.fullmatch(text):
            return NestedCommands((), (Doubt("it runs what was opened before", command.start, command.end),))
        if not (text.lower().startswith(("-", "+", "/c", "/k")) and len(text) > 1):
            break
        if text.lower() in ("/c", "/k"):
            # To cmd a caret before a letter means nothing.
            plain = tuple(map(_without_carets, args[index + 1 :]))
            return run_text(command, joined(plain))
        if text == "--command" or (re.fullmatch(r"-\w*c\w*", text) and not text.startswith("--")):
            rest = args[index + 1 :]
            while len(rest) > 1 and (rest[0].text or "").startswith("-"):
                rest = rest[1:]
            return _run_string(command, *rest) if rest else NestedCommands()
        index += 2 if text in ("--rcfile", "--init-file") or (text[1] != "-" and text[-1] in "oO") else 1
    if args[index:] and not _reads_stdin(args[:index]):
        return NestedCommands()
    return run_stdin(command)


_VALUED = ("-executionpolicy", "-windowstyle", "-version", "-outputformat", "-inputformat", "-configurationname",
           "-workingdirectory", "-psconsolefile", "-settingsfile", "-custompipename", "-ep", "-ex", "-wd")  # fmt: skip


def _powershell(command: Command) -> NestedCommands:
    """Return the commands of a line that PowerShell is given: as it is, encoded, or by its input."""
    from tacit.shell.powershell.reading import decoded, powershell_text

    def read(word: ShellWord) -> NestedCommands:
        script = powershell_text(word)
        unknown = (_unknown(word),) if word.text is None and not word.head else ()
        start, end = word.start or command.start, word.end or command.end
        placed = tuple(one._replace(start=start, end=end) for one in script.commands)
        return NestedCommands(placed, (*script.doubts, *unknown), script.work)

    args = command.args
    for number, word in enumerate(args):
        # Parameters may be abbreviated, and begin with a slash or two dashes.
        flag = (word.text or "").lower()
        name = "-" + flag.lstrip("-/") if flag[:1] in ("-", "/") else ""
        rest = args[number + 1 :]
        if not name or len(name) < 2:
            by_file = (command.name or "").startswith("pwsh") or (word.text or "").lower().endswith(".ps1")
            return NestedCommands() if by_file else read(joined(args[number:]))
        if "-encodedcommand".startswith(name) or name == "-ec":
            text = decoded(rest[0].text or "") if rest else None
            return read(ShellWord((text,), word.start, word.end)) if text else NestedCommands((), (_unknown(word),))
        if "-command".startswith(name) or "-commandwithargs".startswith(name) or name == "-cwa":
            return read(joined(rest)) if rest and rest[0].text != "-" else run_stdin(command)
        if "-file".startswith(name):
            return NestedCommands() if rest and rest[0].text != "-" else run_stdin(command)
        if any(one.startswith(name) for one in _VALUED):
            return _powershell(command._replace(words=(command.words[0], *rest[1:])))
    if command.stdin is not None:
        return read(command.stdin)
    return run_stdin(command)


_OPEN_FILE = lazy_pattern(r"/(?:dev|proc/(?:self|\d+|\$\$))/fd/\d+")


def _only_checks(args: tuple[ShellWord, ...]) -> bool:
    """Return whether a shell is told to check a script and not to run it."""
    return args[0].text == "-n" and not any(word.head.startswith("+") for word in args)


def _run_string(command: Command, word: ShellWord, *args: ShellWord) -> NestedCommands:
    """Return the commands of a text; the words after it are its arguments, from `$0` on."""
    own = {"0": args[0].pieces} if args else {}
    command = command._replace(variables={**array("@", list(args[1:])), **own})
    if command.name == "fish" and word.text is not None:
        from tacit.shell.fish import as_posix

        word = word._replace(pieces=(as_posix(word.text),))
    return run_text(command, word)


def _without_carets(word: ShellWord) -> ShellWord:
    return word._replace(pieces=tuple(one.replace("^", "") if isinstance(one, str) else one for one in word.pieces))


def _unknown(word: ShellWord) -> Doubt:
    return Doubt("what it runs is unknown", word.start, word.end)


def _reads_stdin(options: tuple[ShellWord, ...]) -> bool:
    return any((word.text or "").startswith("-") and "s" in (word.text or "")[1:] for word in options)


def eval_(command: Command) -> NestedCommands:
    """Return the commands in the joined arguments."""
    args = command.args[1:] if command.args and command.args[0].text == "--" else command.args
    return run_text(command, joined(args)) if args else NestedCommands()


_COMMANDS = frozenset({"c", "command", "session-command"})


def dash_c(
    values: str, long: str = "command session-command shell group user supp-group"
) -> Callable[[Command], NestedCommands]:
    """Return the reader of `-c STRING`; `values` and `long` name the options that take values."""

    def unwrap(command: Command) -> NestedCommands:
        spec = OptionSpec(values + "c", long)
        rest, given = command.args, list[ShellWord]()
        while rest:
            split = split_options(rest, spec)
            given += [value for option, value in split if value is not None and option in _COMMANDS]
            # Options may follow the name of the user.
            rest = after_options(rest, spec)[1:]
        if given:
            return joint(run_text(command, value) for value in given)
        rest = after_options(command.args, spec)
        if command.name == "runuser" and len(rest) > 1:
            return run_words(command, rest)
        return run_stdin(command) if command.name in ("su", "runuser") else NestedCommands()

    return unwrap


_PROXY = lazy_pattern(r"(?:proxy|local|knownhosts)command(?:\s*=\s*|\s+)(.*)", re.I | re.S)
_SCP = OptionSpec("cDFiJloPSXbBR", "")


def ssh(command: Command) -> NestedCommands:
    """Return what runs on the other machine, and the command that makes the connection."""
    split = split_options(command.args, SSH)
    options = [value for option, value in split if option in ("o", "ssh") and value is not None]
    parts = [run_text(command, after) for word in options if (after := _proxy(word)) is not None]
    rest = after_options(command.args, SSH)
    rest = (*rest[:1], *(rest[2:] if len(rest) > 1 and rest[1].text == "--" else rest[1:]))
    if len(rest) > 1:
        parts.append(run_text(command, joined(rest[1:])))
    elif rest:
        parts.append(run_stdin(command))
    return joint(parts)


def _proxy(word: ShellWord) -> ShellWord | None:
    """Return the command of `-o ProxyCommand=…` and similar options."""
    found = _PROXY.fullmatch(word.head)
    return ShellWord((found.group(1), *word.pieces[1:]), word.start, word.end) if found else None


def copied(command: Command) -> NestedCommands:
    """Return the command by which scp or sftp makes its connection."""
    split = split_options(command.args, _SCP)
    given = [value for option, value in split if option == "o" and value is not None]
    return joint(run_text(command, after) for word in given if (after := _proxy(word)) is not None)


def watch(command: Command) -> NestedCommands:
    """Return the command that is run repeatedly."""
    spec = OptionSpec("nqs", "interval equexit shotsdir", others="exec")
    rest = after_options(command.args, spec)
    if any(option in ("x", "exec") for option, _value in split_options(command.args, spec)):
        return run_words(command, rest)
    return run_text(command, joined(rest)) if rest else NestedCommands()


def mapfile(command: Command) -> NestedCommands:
    """Return the command that mapfile runs for the lines it reads."""
    given = [value for option, value in split_options(command.args, OptionSpec("dnOsucC", "")) if option == "C"]
    return joint(run_text(command, joined((value, literal("0")))) for value in given if value is not None)


def trap(command: Command) -> NestedCommands:
    """Return the command that a signal would run."""
    args = [arg for arg in command.args if arg.text not in ("-", "--", "-l", "-p")]
    return run_text(command, args[0]) if len(args) > 1 else NestedCommands()


def alias(command: Command) -> NestedCommands:
    """Return the command that a new alias would run."""
    named = ((arg, *arg.head.partition("=")) for arg in command.args)
    return joint(
        run_text(command, ShellWord((value, *arg.pieces[1:], *more), arg.start, arg.end))
        for arg, name, equals, value in named
        if equals and name
        # Whoever uses the name gives it arguments.
        for more in ((), (" ", UnknownPart()))
    )


ZSH_FILES = tuple(f"zf_{name}" for name in ("rm", "rmdir", "mv", "ln", "mkdir", "chmod", "chown", "chgrp", "sync"))
"""What the module zsh/files names the programs that it has built in."""


def zsh_file(command: Command) -> NestedCommands:
    """Return the program that a builtin of zsh does the work of."""
    return run_words(command, (literal((command.name or "").removeprefix("zf_")), *command.args))


def flock(command: Command) -> NestedCommands:
    """Return the command that runs while the lock is held."""
    prefix = OptionSpec("wEc", "wait timeout conflict-exit-code command")
    for option, value in split_options(command.args, prefix):
        if option in ("c", "command") and value is not None:
            return run_text(command, value)
    rest = after_options(command.args, prefix)
    if len(rest) > 2 and rest[1].text == "-c":
        return run_text(command, rest[2])
    return run_words(command, rest[1:])
