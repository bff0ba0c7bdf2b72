"""Cmdlets as commands of the same meaning: `Remove-Item -Recurse` is `rm -rf`, `Invoke-WebRequest` is `curl`.

What has no such command becomes `tacit-cmdlet NAME …`, which the rules for Windows match.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tacit.shell.command import Command, Doubt, Redirect, ShellWord, literal
from tacit.shell.eval_output import is_printer
from tacit.shell.powershell.arguments import CLUSTERS, Arguments
from tacit.shell.powershell.members import is_fetched, run_text, split_words
from tacit.shell.powershell.names import HARSH, canonical, is_cmdlet, verb_of
from tacit.shell.powershell.paths import drive_of, posix_path, registry_path
from tacit.shell.powershell.values import Arg, Values, joined, merged, unknown

CMDLET = "tacit-cmdlet"
REGISTRY_WRITE, REGISTRY_REMOVE = "tacit-registry-write", "tacit-registry-remove"
_MOST_FEEDERS = 20
# They take away something of the session only.
_MILD = frozenset({
    "clear-host", "clear-variable", "clear-history", "remove-variable", "remove-job", "remove-module",
    "remove-psdrive", "remove-pssession", "remove-event", "remove-psbreakpoint", "remove-typedata", "remove-alias",
    "remove-pssnapin", "stop-job", "stop-transcript", "stop-trace", "disconnect-pssession", "disable-psbreakpoint",
    "format-table", "format-list", "format-wide", "format-custom", "format-hex", "format-xml", "format-default",
    "restart-job", "suspend-job", "lock-bitlocker", "clear-recyclebin", "remove-markdown", "format-json",
    "format-string", "format-color", "format-date", "format-text", "format-size", "format-bytes",
    "disable-psreadline", "format-output",
}) - {"lock-bitlocker", "clear-recyclebin"}  # fmt: skip
_SHARED_PARAMETERS = [
    "recurse", "force", "erroraction", "ea", "literalpath", "path", "itemtype", "filter", "usebasicparsing", "uri",
    "outfile", "destination", "confirm", "whatif", "include", "exclude", "name", "directory", "fo",
]  # fmt: skip


class Found(NamedTuple):
    """What a command of PowerShell runs."""

    commands: tuple[Command, ...] = ()
    text: ShellWord | None = None
    """A text that it runs as a line."""
    alias: tuple[str, str] | None = None
    doubts: tuple[Doubt, ...] = ()
    signs: int = 0


class Call(NamedTuple):
    """A command of PowerShell as it is called."""

    name: str
    args: Arguments
    feeder: Command | None
    fed: Values


Handler = Callable[[Call], Found]


def commands_of(
    name: str, word: ShellWord, args: list[Arg], redirects: list[Redirect], feeder: Command | None, fed: Values
) -> Found:  # fmt: skip
    """Return the commands that a command of PowerShell stands for."""
    call = Call(name, Arguments(args), feeder, fed)
    written = tuple(Redirect(one.operator, posix_path(one.target)) for one in redirects)
    found = _found(call, word)
    signs = int(name != (word.text or "").lower() and any(arg.name in _SHARED_PARAMETERS for arg in args))
    made = [one._replace(piped=one.piped or feeder is not None, feeder=one.feeder or feeder) for one in found.commands]
    if written:
        made.append(Command((literal("printf"),), redirects=written))
    return found._replace(commands=tuple(made), signs=signs)


def cmdlet_in_shell(command: Command) -> tuple[Command, ...]:
    """Return the commands that a cmdlet stands for that another shell is given by name."""
    args = [
        Arg(word.head[1:].lower(), raw=word.head) if word.text and word.text[0] == "-" and word.text[1:2].isalpha()
        else Arg("", (word,))
        for word in command.args
    ]  # fmt: skip
    first = command.words[0]
    return commands_of(canonical(first.text or ""), first, args, [], command.feeder, ()).commands


def _found(call: Call, word: ShellWord) -> Found:
    if word.text is None:
        if is_fetched(word):
            commands, _text, _doubts = run_text(word)
            return Found(tuple(commands))
        return Found((Command((word, *call.args.words())),))
    if (is_cmdlet(call.name) or call.name in HANDLERS) and call.args.has("whatif") and not call.args.splat:
        return Found()
    if call.name in ("curl", "wget") and (call.args.has("usebasicparsing") or call.args.values("uri", "outfile")):
        return _request(call)
    handler = HANDLERS.get(call.name)
    if handler is not None:
        return handler(call)
    if is_cmdlet(call.name):
        return _other(call)
    return Found((Command((literal(call.name), *call.args.words())),))


def _other(call: Call) -> Found:
    if verb_of(call.name) in HARSH and call.name in _MILD:
        return Found()
    return Found((Command((literal(CMDLET), literal(call.name), *call.args.words())),))


def _made(*words: str | ShellWord, redirects: tuple[Redirect, ...] = ()) -> Found:
    return Found((Command(tuple(literal(w) if isinstance(w, str) else w for w in words), redirects=redirects),))


def _paths(words: Values) -> Values:
    return tuple(posix_path(word) for word in words)


# -- files ------------------------------------------------------------------------------------------------------


# Only these take a value, so that no path is mistaken for one. `-f` could be -Filter, and is no name then.
_REMOVE_VALUED = frozenset({
    "path", "literalpath", "lp", "pspath", "filter", "include", "exclude", "credential", "stream", "erroraction", "ea",
    "warningaction", "wa", "errorvariable", "ev", "outvariable", "ov", "informationaction", "outbuffer",
    "pipelinevariable",
})  # fmt: skip


def _remove(call: Call) -> Found:
    given = [arg._replace(name="force") if arg.name == "f" else arg for arg in call.args.all]
    args = Arguments(given, _REMOVE_VALUED)
    paths = tuple(word for word in args.paths() if not (word.text or "").lower().startswith(("/s", "/q", "/f")))
    cluster = [arg.name for arg in args.all if arg.name in CLUSTERS]
    recursive = args.has("recurse") or bool(cluster) or args.splat or len(paths) < len(args.paths())
    force = args.has("force") or bool(cluster)
    if not paths and (call.fed or call.feeder is not None):
        paths = call.fed or unknown()
        found = _finder(call.feeder)
        if found is not None and (not recursive or all("." in (word.text or "").rpartition("/")[2] for word in paths)):
            return _made(*found.words, "-delete")
    if not paths and args.splat:
        paths = unknown()
    keys = [word for word in paths if registry_path(word)]
    files = [word for word in paths if not registry_path(word) and drive_of(word) in ("", "cert")]
    made: list[Command] = []
    if keys:
        made.append(Command((literal(REGISTRY_REMOVE), *keys, *((literal("-r"),) if recursive else ()))))
    if files:
        flags = ["-rf"] if recursive else ["-f"] if force else []
        flags += ["--"] if any(word.head.startswith("-") for word in files) else []
        made.append(Command((literal("rm"), *map(literal, flags), *_paths(tuple(files)))))
    return Found(tuple(made))


def _finder(command: Command | None) -> Command | None:
    """Return the command that lists a tree whose files the following commands are given."""
    for _ in range(_MOST_FEEDERS):
        if command is None or command.name == "find":
            return command
        command = command.feeder
    return None


def _list(call: Call) -> Found:
    paths = _paths(call.args.paths()) or (literal("."),)
    if not call.args.has("recurse"):
        return _made("ls", *paths)
    chosen = call.args.values("filter", "include")
    return _made("find", *paths, *((literal("-name"), chosen[0]) if len(chosen) == 1 else ()))


def _written(call: Call) -> Found:
    args = call.args
    paths = args.paths("path", "literalpath", "filepath", "lp", "pspath", "destinationpath", "outfile", first=True)
    files = tuple(word for word in paths if not drive_of(word) and not registry_path(word))
    operator = ">>" if call.name == "add-content" or args.has("append") else ">"
    return _made("printf", redirects=tuple(Redirect(operator, word) for word in _paths(files)))


def _copied(call: Call) -> Found:
    args = call.args
    paths = args.values("path", "literalpath")
    target = args.values("destination", "newname")
    rest = list(args.places)
    paths = paths or (rest.pop(0) if rest else call.fed)
    target = target or (rest.pop(0) if rest else ())
    program = "cp" if call.name == "copy-item" else "mv"
    flags = ("-r",) if program == "cp" and args.has("recurse") else ()
    if call.name == "rename-item":
        target = tuple(target)
    return _made(program, *flags, *_paths(paths), *_paths(target or (literal("."),)))


def _new(call: Call) -> Found:
    args = call.args
    paths = args.paths("path", "literalpath", first=True) or args.values("name")
    if args.values("path") and args.values("name"):
        names = args.values("name")
        paths = tuple(merged([*one.pieces, "/", *two.pieces]) for one in args.values("path") for two in names)
    if any(map(registry_path, paths)):
        return _made(REGISTRY_WRITE, *paths)
    if paths and drive_of(paths[0]) == "env":
        return _variable(paths[0], args.values("value"))
    kind = ((args.values("itemtype", "type") or (literal("file"),))[0].text or "").lower()
    if kind in ("symboliclink", "junction", "hardlink"):
        target = args.values("target", "value") or unknown()
        return _made("ln", "-s", *_paths(target), *_paths(paths))
    if kind.startswith("d"):
        return _made("mkdir", "-p", *_paths(paths))
    if args.has("force"):
        return _made("printf", redirects=tuple(Redirect(">", path) for path in _paths(paths)))
    return _made("touch", *_paths(paths))


def _located(call: Call) -> Found:
    return _made("cd", *_paths(call.args.paths(first=True)))


def _read(call: Call) -> Found:
    return _made("cat", *_paths(call.args.paths()))


def _property(call: Call) -> Found:
    paths = call.args.paths(first=True)
    if any(map(registry_path, paths)):
        verb = REGISTRY_REMOVE if call.name.startswith(("remove", "clear")) else REGISTRY_WRITE
        return _made(verb, *paths, *call.args.operands[1:2])
    if paths and drive_of(paths[0]) == "env":
        value = call.args.values("value") or (call.args.places[1] if len(call.args.places) > 1 else unknown())
        return _variable(paths[0], value)
    if paths and drive_of(paths[0]) in ("alias", "function"):
        return Found(doubts=(Doubt("it changes what a command's name means"),))
    return Found()


def _variable(path: ShellWord, value: Values) -> Found:
    name = (path.text or "").partition(":")[2].strip("\\/")
    word = value[0] if len(value) == 1 else ShellWord(unknown()[0].pieces)
    known = ((name, word),) if word.text is not None else ()
    return Found((Command((literal("export"), ShellWord((f"{name}=", *word.pieces))), assigns=known),))


# -- programs and texts -----------------------------------------------------------------------------------------


def _request(call: Call) -> Found:
    args = call.args
    url = args.values("uri") or (args.places[0] if args.places else call.fed)
    words: list[str | ShellWord] = ["curl", *url[:1]]
    for value in args.values("method")[:1]:
        words += ["-X", value]
    for value in args.values("body", "form"):
        words += ["-d", ShellWord(("=", *value.pieces))]
    for value in args.values("headers"):
        words += ["-H", value]
    for value in args.values("infile"):
        words += ["-T", posix_path(value)]
    for value in args.values("outfile"):
        words += ["-o", posix_path(value)]
    return _made(*words)


def _expression(call: Call) -> Found:
    words = call.args.values("command") or tuple(call.args.operands) or call.fed
    if call.args.blocks or (not words and call.feeder is None and not call.args.splat):
        return Found()  # without a text, `iex` is the shell of Elixir
    first = _first_feeder(call.feeder)
    if first is not None and is_printer(" ".join(word.shown for word in first.words)):
        return Found()
    words = words if words and not call.args.splat else unknown()
    word = joined(words) if len(words) > 1 else words[0]
    if is_fetched(word) or _fetches(call.feeder):
        commands, _text, _doubts = run_text(unknown("curl")[0])
        return Found(tuple(commands))
    return Found(text=word)


def _first_feeder(command: Command | None) -> Command | None:
    for _ in range(_MOST_FEEDERS):
        if command is None or command.feeder is None:
            return command
        command = command.feeder
    return None


def _fetches(command: Command | None) -> bool:
    for _ in range(_MOST_FEEDERS):
        if command is None:
            return False
        if command.name in ("curl", "wget"):
            return True
        command = command.feeder
    return True


def _started(call: Call) -> Found:
    args = call.args
    rest = list(args.places)
    program = args.values("filepath") or (rest.pop(0) if rest else ())
    given = args.values("argumentlist", "args") or tuple(word for words in rest for word in words)
    if not program:
        return Found(doubts=(Doubt("what it runs is unknown"),)) if args.splat else Found()
    # It looks for the program in the folder too, so that this may be a file that the line has fetched.
    here = ("./",) if "." in program[0].head and not program[0].head.startswith((".", "/", "\\")) else ()
    program = (ShellWord((*here, *program[0].pieces)),) if ":" not in program[0].head else program
    words = [*_paths(program[:1]), *(word for one in given for word in split_words(one))]
    if len(given) == 1 and (given[0].text or "").lower().startswith(("-command ", "-c ", "/c ")):
        flag, _blank, text = (given[0].text or "").partition(" ")
        words = [*_paths(program[:1]), literal(flag), literal(text.strip())]
    elevated = any((word.text or "").lower() == "runas" for word in args.values("verb"))
    found = _made(*(("sudo",) if elevated else ()), *words)
    return found._replace(commands=(*found.commands, *_made(CMDLET, "start-elevated").commands)) if elevated else found


def _block_runner(call: Call) -> Found:
    if call.args.blocks or call.args.values("filepath"):
        return Found()
    return Found(doubts=(Doubt("what it runs is unknown"),))


def _processes(call: Call) -> Found:
    ids = call.args.values("id") or tuple(w for w in call.args.operands if (w.text or "").isdigit())
    if ids and not call.args.values("name"):
        return _made("kill", *ids)
    return _other(call)


def _policy(call: Call) -> Found:
    said = [word.text or "" for word in (*call.args.values("scope"), *call.args.operands)]
    return Found() if any(text.lower() == "process" for text in said) else _other(call)


def _alias(call: Call) -> Found:
    names = call.args.values("name") or tuple(call.args.operands[:1])
    targets = call.args.values("value", "definition") or tuple(call.args.operands[1:2])
    name, target = (names[0].text if names else None), (targets[0].text if targets else None)
    if name is None or target is None:
        return Found(doubts=(Doubt("it changes what a command's name means"),))
    return Found(alias=(name.lower(), target))


def _types(call: Call) -> Found:
    if call.args.values("assemblyname", "assembly"):
        return Found()
    return Found(doubts=(Doubt("it runs code of another language"),))


def _each(call: Call) -> Found:
    named = [(word.text or "").lower() for word in (*call.args.operands[:1], *call.args.values("membername"))]
    if not call.args.blocks and any(name in ("delete", "kill", "terminate") for name in named):
        return _made("tacit-deletes-unknown", named[0])
    return Found()


def _said(call: Call) -> Found:
    return _made("echo", *call.args.operands)


def _query(call: Call) -> Found:
    queries = call.args.values("query", "inputfile") or tuple(call.args.operands[:1])
    return _made("sqlcmd", "-Q", *queries[:1]) if queries else Found()


def _quiet(_call: Call) -> Found:
    return Found()


HANDLERS: dict[str, Handler] = {
    "remove-item": _remove, "clear-item": _remove, "get-childitem": _list,
    **dict.fromkeys(("set-content", "add-content", "clear-content", "out-file", "tee-object", "export-csv",
                     "export-clixml", "export-json", "start-transcript"), _written),
    **dict.fromkeys(("copy-item", "move-item", "rename-item"), _copied), "new-item": _new,
    "mkdir": lambda call: _made("mkdir", "-p", *_paths(call.args.paths())),
    **dict.fromkeys(("set-location", "push-location"), _located), "get-content": _read, "select-string": _quiet,
    **dict.fromkeys(("set-itemproperty", "new-itemproperty", "remove-itemproperty", "clear-itemproperty",
                     "rename-itemproperty", "move-itemproperty", "set-item"), _property),
    **dict.fromkeys(("invoke-webrequest", "invoke-restmethod"), _request), "invoke-expression": _expression,
    "start-process": _started, "invoke-item": _started,
    **dict.fromkeys(("invoke-command", "start-job", "start-threadjob"), _block_runner), "stop-process": _processes,
    "set-executionpolicy": _policy, "set-alias": _alias, "new-alias": _alias, "add-type": _types,
    **dict.fromkeys(("invoke-sqlcmd", "invoke-dbaquery", "invoke-sqlcmd2"), _query),
    "foreach-object": _each, "where-object": _quiet, "write-output": _said, "write-host": _said,
}  # fmt: skip
