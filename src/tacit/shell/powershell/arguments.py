"""The arguments of a cmdlet, by the names of its parameters, which may be abbreviated."""

from __future__ import annotations

from tacit.shell.command import ShellWord, literal
from tacit.shell.powershell.values import Arg, Values

_SWITCHES = [
    "recurse", "force", "whatif", "confirm", "verbose", "debug", "passthru", "raw", "wait", "append", "nonewline",
    "noclobber", "usebasicparsing", "asjob", "directory", "hidden", "readonly", "nonewwindow", "simplematch",
    "casesensitive", "allmatches", "quiet", "list", "examples", "full", "detailed", "compress", "unique",
    "descending", "stable", "autosize", "wrap", "hidetableheaders", "notypeinformation", "skipcertificatecheck",
    "asstring", "ashashtable", "noelement", "line", "word", "character", "includeequal", "excludedifferent",
    "followsymlink", "deletebucketcontent", "removedata", "removeoem", "listavailable", "global", "allowclobber",
    "noenumerate",
]  # fmt: skip
CLUSTERS = frozenset({"rf", "fr", "rfv", "rvf", "vrf", "rv"})
"""Switches of `rm` as another shell has them."""
_VALUED = [
    "path", "literalpath", "filter", "include", "exclude", "erroraction", "ea", "warningaction", "wa",
    "errorvariable", "ev", "outvariable", "ov", "credential", "stream", "depth", "destination", "target", "value",
    "itemtype", "name", "newname", "uri", "method", "body", "headers", "outfile", "infile", "contenttype",
    "timeoutsec", "filepath", "argumentlist", "verb", "workingdirectory", "scriptblock", "command", "id",
    "computername", "encoding", "pattern", "property", "first", "last", "skip", "index", "scope", "executionpolicy",
    "inputobject", "session", "websession", "useragent", "proxy", "certificate", "form", "childpath", "taskname",
    "action", "trigger", "class", "windowstyle", "erroraction", "informationaction",
]  # fmt: skip


class Arguments:
    """What a cmdlet is given."""

    def __init__(self, args: list[Arg], valued: frozenset[str] = frozenset()) -> None:
        """Bind the arguments. Only the parameters of `valued` take a value, if they are given."""
        self.all = args
        self.blocks = any(arg.block for arg in args)
        self.splat = any(arg.splat for arg in args)
        self.named: list[tuple[str, Values]] = []
        self.operands: list[ShellWord] = []
        """The values that no parameter takes."""
        self.places: list[Values] = []
        """The same, by argument: `a, b` are one."""
        waiting = ""
        for arg in args:
            if arg.name:
                if waiting:
                    self.named.append((waiting, ()))
                takes = any(one.startswith(arg.name) for one in valued) if valued else not _is_switch(arg.name)
                waiting = arg.name if takes and not arg.values else ""
                if not waiting:
                    self.named.append((arg.name, arg.values))
            elif waiting:
                self.named.append((waiting, arg.values))
                waiting = ""
            elif not arg.splat and not arg.block:
                self.operands += arg.values
                self.places.append(arg.values)
        if waiting:
            self.named.append((waiting, ()))

    def has(self, name: str) -> bool:
        """Return whether a switch is on. A splatted table may hold any."""
        return any(
            name.startswith(given) and not any((value.text or "").lower() == "$false" for value in values)
            for given, values in self.named
        )

    def values(self, *names: str) -> Values:
        """Return the values of a parameter, by any of its names."""
        return tuple(
            value
            for given, values in self.named
            if any(name == given or (len(given) > 1 and name.startswith(given)) for name in names)
            for value in values
        )

    def paths(self, *names: str, first: bool = False) -> Values:
        """Return the paths a cmdlet is given: by a parameter, else by place."""
        named = self.values(*(names or ("path", "literalpath", "lp", "pspath")))
        return named or ((self.places[0] if self.places else ()) if first else tuple(self.operands))

    def words(self) -> Values:
        """Return the arguments as a program gets them."""
        out: list[ShellWord] = []
        for arg in self.all:
            if arg.name and arg.values:
                out += [ShellWord((arg.raw, *arg.values[0].pieces)), *arg.values[1:]]
            elif arg.name:
                out.append(literal(arg.raw))
            else:
                out += arg.values
        return tuple(out)


def _is_switch(name: str) -> bool:
    if name in CLUSTERS:
        return True
    if any(one.startswith(name) for one in _SWITCHES):
        return name in _SWITCHES or not any(one.startswith(name) for one in _VALUED) or name in ("r", "fo", "f")
    return False
