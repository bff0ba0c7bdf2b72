"""Names of PowerShell: aliases, verbs, and names that only other shells have."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

ALIASES = {
    "%": "foreach-object", "?": "where-object", "foreach": "foreach-object", "where": "where-object",
    "ac": "add-content", "cat": "get-content", "gc": "get-content", "type": "get-content", "cd": "set-location",
    "chdir": "set-location", "sl": "set-location", "pushd": "push-location", "popd": "pop-location",
    "clc": "clear-content", "cli": "clear-item", "clp": "clear-itemproperty", "clv": "clear-variable",
    "copy": "copy-item", "cp": "copy-item", "cpi": "copy-item", "cvpa": "convert-path", "del": "remove-item",
    "erase": "remove-item", "rd": "remove-item", "ri": "remove-item", "rm": "remove-item", "rmdir": "remove-item",
    "dir": "get-childitem", "ls": "get-childitem", "gci": "get-childitem", "gi": "get-item", "gp": "get-itemproperty",
    "gpv": "get-itempropertyvalue", "gl": "get-location", "pwd": "get-location", "gm": "get-member",
    "gps": "get-process", "ps": "get-process", "gsv": "get-service", "gv": "get-variable", "gal": "get-alias",
    "gcm": "get-command", "gu": "get-unique", "gwmi": "get-wmiobject", "gcim": "get-ciminstance",
    "icm": "invoke-command",
    "iex": "invoke-expression", "ihy": "invoke-history", "ii": "invoke-item", "irm": "invoke-restmethod",
    "iwr": "invoke-webrequest", "iwmi": "invoke-wmimethod", "icim": "invoke-cimmethod", "rwmi": "remove-wmiobject",
    "rcim": "remove-ciminstance", "kill": "stop-process", "spps": "stop-process", "spsv": "stop-service",
    "sasv": "start-service", "saps": "start-process", "start": "start-process", "sajb": "start-job",
    "sleep": "start-sleep", "md": "mkdir", "mi": "move-item", "move": "move-item", "mv": "move-item",
    "mp": "move-itemproperty", "ni": "new-item", "nal": "new-alias", "sal": "set-alias", "si": "set-item",
    "sp": "set-itemproperty", "rp": "remove-itemproperty", "sc": "set-content", "sv": "set-variable",
    "set": "set-variable", "rni": "rename-item", "ren": "rename-item", "rnp": "rename-itemproperty",
    "rvpa": "resolve-path", "rv": "remove-variable", "sls": "select-string", "select": "select-object",
    "sort": "sort-object", "group": "group-object", "measure": "measure-object", "diff": "compare-object",
    "compare": "compare-object", "tee": "tee-object", "ft": "format-table", "fl": "format-list", "fw": "format-wide",
    "fc": "format-custom", "oh": "out-host", "ogv": "out-gridview", "echo": "write-output", "write": "write-output",
    "ipmo": "import-module", "rmo": "remove-module", "ipcsv": "import-csv", "epcsv": "export-csv",
    "gjb": "get-job", "rcjb": "receive-job", "rjb": "remove-job", "spjb": "stop-job", "wjb": "wait-job",
    "nsn": "new-pssession", "etsn": "enter-pssession", "exsn": "exit-pssession", "rsn": "remove-pssession",
    "cls": "clear-host", "clear": "clear-host", "h": "get-history", "history": "get-history", "man": "get-help",
    "help": "get-help", "stz": "set-timezone", "ndr": "new-psdrive", "mount": "new-psdrive", "rdr": "remove-psdrive",
}  # fmt: skip
# Also programs of other shells: only their parameters show that they are PowerShell's.
SHARED = frozenset({
    "cat", "cd", "chdir", "cp", "rm", "rmdir", "ls", "dir", "pwd", "ps", "kill", "sleep", "md", "mv", "ni", "set",
    "sort", "group", "diff", "compare", "tee", "echo", "write", "man", "help", "history", "clear", "mount", "del",
    "erase", "rd", "copy", "move", "type", "start", "h", "sc", "select", "where", "measure", "foreach", "fc", "cli",
    "%", "?", "ren", "popd", "pushd", "sp", "gp", "gu", "gl", "si", "mi", "ii", "ac", "sl", "gm", "fl", "ft", "fw",
    "oh", "gv",
})  # fmt: skip
VERBS = frozenset({
    "add", "approve", "assert", "backup", "block", "build", "checkpoint", "clear", "close", "compare", "complete",
    "compress", "confirm", "connect", "convert", "convertfrom", "convertto", "copy", "debug", "deny", "deploy",
    "disable", "disconnect", "dismount", "edit", "enable", "enter", "exit", "expand", "export", "find", "foreach",
    "format", "get", "grant", "group", "hide", "import", "initialize", "install", "invoke", "join", "limit", "lock",
    "measure", "merge", "mount", "move", "new", "open", "optimize", "out", "ping", "pop", "protect", "publish",
    "push", "read", "receive", "redo", "register", "remove", "rename", "repair", "request", "reset", "resize",
    "resolve", "restart", "restore", "resume", "revoke", "save", "search", "select", "send", "set", "show", "skip",
    "sort", "split", "start", "step", "stop", "submit", "suspend", "switch", "sync", "tee", "test", "trace",
    "unblock", "undo", "uninstall", "unlock", "unprotect", "unpublish", "unregister", "update", "use", "wait",
    "watch", "where", "write",
})  # fmt: skip
HARSH = frozenset({
    "clear", "disable", "dismount", "format", "initialize", "remove", "reset", "restart", "revoke", "stop", "suspend",
    "uninstall", "unregister", "block", "deny", "disconnect", "limit", "lock", "unpublish",
})  # fmt: skip
"""Verbs that take something away. A noun that is not known to be harmless is asked about."""
_KNOWN_LOWER = frozenset(ALIASES.values())
_NAME = lazy_pattern(r"([A-Za-z]+)-([A-Za-z]\w*)")
POSIX_ONLY = frozenset({
    "export", "declare", "local", "source", "unset", "eval", "exec", "read", "trap", "shift", "then", "fi", "done",
    "esac", "elif", "typeset", "readonly", "let", "hash", "test", "printf", "sudo", "nohup", "env", "xargs", "alias",
    "builtin", "command", "getopts", "ulimit", "umask", "wait", "disown", "bg", "jobs", "shopt", "times",
})  # fmt: skip
"""Command names that show that a line is for another shell."""


def canonical(name: str) -> str:
    """Return a cmdlet in lower case, an alias as what it stands for, a program without the ending of its file."""
    low = name.lower()
    if low in ALIASES:
        return ALIASES[low]
    if low.startswith(("microsoft.powershell.", "cimcmdlets\\", "storage\\")) and "\\" in low:
        low = low.rpartition("\\")[2]
    if "/" in low or "\\" in low or low.endswith((".exe", ".cmd", ".bat", ".com")):
        path = name.replace("\\", "/")
        return path.rsplit(".", 1)[0] if low.endswith((".exe", ".cmd", ".bat", ".com")) else path
    return low if is_cmdlet(name) else name


def is_cmdlet(name: str) -> bool:
    """Return whether a name is a verb of PowerShell and a noun."""
    found = _NAME.fullmatch(name)
    return bool(found) and found[1].lower() in VERBS  # type: ignore[index]


def verb_of(name: str) -> str:
    """Return the verb of a command's name."""
    return name.partition("-")[0].lower()


def is_sign(name: str) -> bool:
    """Return whether a command's name is one that only PowerShell has."""
    low = name.lower()
    if low in ALIASES:
        return low not in SHARED
    found = _NAME.fullmatch(name)
    if not found or found[1].lower() not in VERBS:
        return False
    return low in _KNOWN_LOWER or (name[0].isupper() and found[2][0].isupper())
