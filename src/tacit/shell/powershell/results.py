"""What a cmdlet gives, where that matters for what runs later: paths, texts, and where a value comes from."""

from __future__ import annotations

from tacit.shell.command import literal
from tacit.shell.powershell.arguments import Arguments
from tacit.shell.powershell.values import Arg, Values, merged, unknown

_PASSING = frozenset({"where-object", "sort-object", "select-object", "tee-object", "write-output", "get-unique"})


def value_of_command(name: str, args: list[Arg], fed: Values, source: str) -> Values:
    """Return what a command gives, where that matters for what runs later."""
    given = Arguments(args)
    if name == "get-childitem":
        chosen = given.values("filter", "include")
        wanted = chosen[0].pieces if len(chosen) == 1 else ("*",)
        paths = given.paths() or (literal("."),)
        return tuple(
            path if any(mark in path.shown for mark in "*?") else merged([*path.pieces, "/", *wanted]) for path in paths
        )
    if name in _PASSING and fed:
        return fed
    if name == "write-output" and len(given.operands) == 1:
        return (given.operands[0],)
    if name in ("get-item", "resolve-path", "convert-path") and given.operands:
        return given.paths()
    if name == "join-path" and len(given.operands) == 2:
        return (merged([*given.operands[0].pieces, "/", *given.operands[1].pieces]),)
    if name == "get-location":
        return (literal("."),)
    return unknown(source)
