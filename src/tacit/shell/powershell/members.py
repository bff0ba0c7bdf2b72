"""Methods of .NET that delete, write, start or fetch something, as commands of the same meaning."""

from __future__ import annotations

from tacit.shell.command import Command, Doubt, Redirect, ShellWord, literal
from tacit.shell.powershell.paths import posix_path
from tacit.shell.powershell.values import Values, merged, unknown
from tacit.text.patterns import lazy_pattern

Made = tuple[list[Command], ShellWord | None, list[Doubt]]
FETCHES = lazy_pattern(
    r"\b(?:irm|iwr|curl|wget|Invoke-WebRequest|Invoke-RestMethod|Download(?:String|Data|File)|WebClient|HttpClient"
    r"|Start-BitsTransfer|WebRequest|GetStringAsync|Net\.Sockets)\b", 2,
)  # fmt: skip
_NOTHING: Made = ([], None, [])
_WRITES = frozenset({"writealltext", "writeallbytes", "writealllines", "create", "createtext", "openwrite"})
_STARTS = frozenset({"run", "exec", "shellexecute", "invokescript", "start"})


def is_fetched(word: ShellWord) -> bool:
    """Return whether a value comes from the network."""
    return any(FETCHES.search(hole.source) for hole in word.holes)


def _command(*words: str | ShellWord) -> Command:
    return Command(tuple(literal(word) if isinstance(word, str) else word for word in words))


def static_called(type_name: str, method: str, args: Values) -> Made:
    """Return the commands with the meaning of `[Type]::Method(…)`."""
    kind, verb = type_name.lower().removeprefix("system."), method.lower()
    if kind in ("io.directory", "io.file") and args:
        return _files(kind, verb, args)
    if kind == "diagnostics.process" and verb == "start" and args:
        given = [word for one in args[1:] for word in split_words(one)]
        return [Command((args[0], *given))], None, []
    if kind.endswith("scriptblock") and verb == "create" and args:
        return run_text(args[0])
    if kind == "environment" and verb == "setenvironmentvariable" and args:
        lasting = len(args) > 2 and (args[2].text or "machine").lower() in ("machine", "user", "1", "2")
        name = args[0].text or "\u2026"
        if lasting:
            return [_command("tacit-registry-write", f"HKCU:/Environment/{name}")], None, []
        value = args[1] if len(args) > 1 else literal("")
        known = ((name, value),) if value.text is not None else ()
        made = Command((literal("export"), ShellWord((f"{name}=", *value.pieces))), assigns=known)
        return [made], None, []
    if kind.startswith("microsoft.win32.registry") and verb in ("setvalue", "deletesubkeytree", "deletesubkey"):
        return [_command("tacit-registry-write", args[0] if args else literal("\u2026"))], None, []
    if kind == "reflection.assembly" and verb.startswith("load") and verb != "loadwithpartialname":
        return [], None, [Doubt("it runs code that is not in the line")]
    return _NOTHING


def _files(kind: str, verb: str, args: Values) -> Made:
    path = posix_path(args[0])
    if verb == "delete":
        whole = len(args) > 1 and (args[1].text or "$true").lower() not in ("$false", "0")
        flags = "-rf" if whole else "-f"
        return [_command("rm", flags, "--", path) if kind == "io.file" or whole else _command("rmdir", path)], None, []
    if verb in _WRITES or verb.startswith("appendall"):
        operator = ">>" if verb.startswith("append") else ">"
        return [Command((literal("printf"),), redirects=(Redirect(operator, path),))], None, []
    if verb in ("move", "copy", "replace") and len(args) > 1:
        return [_command("cp" if verb == "copy" else "mv", path, posix_path(args[1]))], None, []
    return _NOTHING


def called(values: Values, method: str, args: Values, source: str) -> Made:
    """Return the commands with the meaning of a method that is called on something."""
    verb = method.lower()
    if verb.startswith("download") and args:
        out = ("-o", posix_path(args[1])) if verb.startswith("downloadfile") and len(args) > 1 else ()
        return [_command("curl", args[0], *out)], None, []
    if verb in ("delete", "deletesubkeytree"):
        known = [posix_path(value) for value in values if value.text]
        if known and len(known) == len(values):
            return [_command("rm", "-rf" if args else "-f", "--", *known)], None, []
        return [_command("tacit-deletes-unknown", source[:80])], None, []
    if verb in ("kill", "terminate"):
        return [_command("tacit-cmdlet", "stop-process")], None, []
    if verb in _STARTS and args and (args[0].text is not None or verb == "invokescript"):
        return run_text(args[0])
    return _NOTHING


def run_text(word: ShellWord) -> Made:
    """Return what is run when PowerShell is given a text: the text, or what a server sends."""
    if is_fetched(word):
        return [Command((literal("sh"),), piped=True, feeder=_command("curl", word))], None, []
    return [], word, []


def split_words(word: ShellWord) -> list[ShellWord]:
    """Return the words of an argument that holds several of them."""
    if word.text is None:
        return [word]
    return [literal(one.strip("'\"")) for one in word.text.split()]


def method_value(type_name: str, method: str, args: Values, source: str) -> Values:
    """Return what a method gives, where that matters for what runs later."""
    if method.lower() == "combine" and args:
        pieces = [piece for number, word in enumerate(args) for piece in (("/",) if number else ()) + word.pieces]
        return (merged(list(pieces)),)
    if method.lower() in ("gettemppath", "gettempfilename"):
        return (literal("/tmp/x"),)  # noqa: S108
    return unknown(source)
