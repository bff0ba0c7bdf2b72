"""Which command of a line an error is about; of commands inside others, the inner one or the one that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.failures.rules.cause_keys import GIT_REMOTE, NAMED
from tacit.failures.rules.error_patterns import CauseKind
from tacit.failures.rules.line_parts import LinePart, line_parts
from tacit.text.patterns import lazy_pattern

CARRIERS = frozenset({
    "git", "find", "gfind", "fd", "fdfind", "xargs", "gxargs", "parallel", "sem", "watch", "tar", "rsync", "make",
    "gmake", "trap", "alias", "tmux", "screen", "nodemon", "watchexec", "entr", "rg", "vim", "nvim", "vi", "emacs",
})  # fmt: skip
"""They run a command as a part of what they do, for each commit or file: their failure is seldom that command's alone.

All others (`sudo`, `bash -c`, `ssh host`, `uv run`) do nothing else: it is the inner command that fails.
"""
# Of what these run, the arguments are not in the line.
_FOR_EACH = frozenset({"find", "gfind", "fd", "fdfind", "xargs", "gxargs", "parallel", "sem"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
# What programs that only run another one say of themselves, where their name does not come first.
_OWN_WORDS = {
    "ssh": lazy_pattern(
        r"(?i)ssh: |kex_exchange|host key verification|\S+: permission denied \(|too many authentication|client_loop"
        r"|connection (?:closed|reset) by|connection to \S+ (?:closed|timed|refused)"
    ),
    "docker": lazy_pattern(r"(?i)error response from daemon|error: no such container|cannot connect to the docker"),
    "podman": lazy_pattern(r"(?i)error: (?:no such container|no container with)"),
    "kubectl": lazy_pattern(r"(?i)error from server|unable to connect to the server|the connection to the server"),
}
# Their errors begin with their names: what begins otherwise is another command's.
_NAMING_THEMSELVES = frozenset({
    "rm", "rmdir", "cp", "mv", "ln", "mkdir", "mktemp", "touch", "chmod", "chown", "cat", "head", "tail", "ls", "wc",
    "sort", "uniq", "tee", "printf", "echo", "cd", "pushd", "popd", "sleep", "kill", "cut", "tr", "basename", "dirname",
    "readlink", "realpath", "true", "false", ":",
})  # fmt: skip
_HEAD_ENDS = "[]()"
_INSIDE: frozenset[CauseKind] = frozenset({"option", "value", "subcommand", "script", "module", "glob"})
_CD = lazy_pattern(r"(?:^|[\s:(])cd:")


def blamed(parts: Sequence[LinePart], kind: CauseKind, name: str, text: str) -> LinePart:
    """Return the command an error is about: the error contains its words or begins with its name; else the last."""
    if kind == "program" and name:
        base = name.rsplit("/", 1)[-1]
        if found := next((one for one in parts if one.name == base or one.name == name), None):
            return found
    return _answerable(_said_of(parts, kind, name, text), kind, name, text)


def _said_of(parts: Sequence[LinePart], kind: CauseKind, name: str, text: str) -> LinePart:
    heads = _head(text)
    begins = [one for one in parts if one.name.lower() == heads or (heads == "fatal" and one.name == "git")]
    if name and kind in NAMED:
        holding = [one for one in (begins or parts) if name.lstrip("-") and name in one.text]
        if holding:
            return holding[-1]
    if begins:
        return begins[-1]
    if kind in ("network", "auth", "remote") or text.startswith(("error:", "hint:", "remote:")):
        remote = [one for one in parts if one.name == "git" and one.subcommand in GIT_REMOTE]
        if remote:
            return remote[0]
    fed = [one for one in parts if one.command.feeder is None]
    if kind == "glob":
        return (fed or parts)[-1]  # the shell says so, of any command
    # A script may have ended before its last command; it is not one that would have said its name.
    likely = [one for one in fed or parts if one.above or one.name not in _NAMING_THEMSELVES]
    return (likely or fed or parts)[-1]


def _answerable(part: LinePart, kind: CauseKind, name: str, text: str) -> LinePart:
    """Return a command, or the one that runs it if the error is that one's, or does not tell whose it is."""
    outer = part.above
    while outer is not None:
        carries = outer.name in CARRIERS and not _is_of_inner(part, outer, kind, name, text)
        if carries or _says_itself(outer, part, text):
            part = outer
        outer = outer.above
    return part


def _says_itself(outer: LinePart, inner: LinePart, text: str) -> bool:
    own = _OWN_WORDS.get(outer.name)
    if own is not None and (found := own.match(text)):
        # Git on that host may be denied, too, by another one.
        host = text.partition(":")[0].rpartition("@")[2]
        return "denied" not in found[0].lower() or host in outer.text
    return outer.name not in _SHELLS and outer.name != inner.name and _head(text) == outer.name.lower()


def _is_of_inner(inner: LinePart, outer: LinePart, kind: CauseKind, name: str, text: str) -> bool:
    if inner.name != outer.name and _head(text) == inner.name.lower():
        return bool(name) or outer.name not in _FOR_EACH
    return kind in _INSIDE and bool(name) and name in inner.text


def _head(text: str) -> str:
    return text.lower().split(":")[0].split(" ")[0].strip(_HEAD_ENDS)


def entering(line: str, text: str) -> LinePart | None:
    """Return the `cd` of a line, if an error is about it."""
    return next((one for one in line_parts(line) if one.name == "cd"), None) if _CD.search(text) else None


def carried(part: LinePart) -> Iterable[LinePart]:
    """Return the commands that a command runs as a part of what it does."""
    return [one for one in line_parts(part.text) if one.nested] if part.name in CARRIERS else ()
