"""The cause of a failure: what the error names, and the keys under which a later command meets the same cause."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tacit.failures.rules.error_patterns import MOST_LINE_CHARS, MOST_LINES, PATTERNS, CauseKind
from tacit.failures.rules.line_parts import PREPARATION, LinePart, bare_name, is_unquoted_glob, line_parts, meant_parts
from tacit.model.kinds import text_digest
from tacit.text.patterns import lazy_pattern

KEY_BYTES = 900
AND = "syntax &&"
"""The key of a shell that does not know `&&`."""
MOST_KEYS = 200
PACKAGE_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
TARGET_RUNNERS = frozenset({"make", "just", "task", "mise", "gradle", "gradlew"})
_GIT_REMOTE = frozenset({"push", "pull", "fetch", "clone", "ls-remote"})
_COLOURS = lazy_pattern(r"\x1b\[[0-9;?]{0,30}[A-Za-z]|\x1b\][^\x07\x1b]{0,1000}\x07|\[\d{1,3}(?:;\d{1,3}){0,8}m")
_MOST_ERROR_CHARS = 80_000
_SHELL = lazy_pattern(r"(?:\S*/)?(?:ba|z|da|fi|k)?sh(?:\.exe)?:(?:\d+:| line \d+:| \d+:)? |\(eval\):\d+: |env: ")
_NUMBERS = lazy_pattern(r"(?<![^\s/=,])(?:\d{1,20}|(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40})(?![^\s/,])")
_MAY_FAIL = lazy_pattern(r"\|\||(?<![&>])&(?![&>\d])|(?:^|[\s;(])(?:!|if|while|until)\s")
_NO_FILE = lazy_pattern(r"no such file or directory\s*$", re.IGNORECASE)
_CD = lazy_pattern(r"(?:^|[\s:(])cd:")
_RULER = lazy_pattern(r"[\W_]*")
_HOST = lazy_pattern(r"(?:https?|ssh|git)://(?:[^/@\s]*@)?([\w.-]+(?::\d+)?)|(?:^|@)([\w-]+(?:\.[\w-]+)+)(?=:|$)")
_IMPORT = lazy_pattern(
    r"(?:^|[\n;\"'])[ \t]{0,40}(?:from[ \t]{1,9}([\w.]{1,200})[ \t]{1,9}import|import[ \t]{1,9}([\w.]{1,200}))"
    r"|require\(['\"]([^'\"\n]{1,200})['\"]\)"
)
_FIELD_SPLIT = lazy_pattern(r"[,=]")
# What such an error names is a word of the line; a name that is not in it belongs to something else.
_SAID_IN_LINE: frozenset[CauseKind] = frozenset({"option", "value", "subcommand", "script", "glob"})
# What these causes name stands in the command that fails again.
NAMED: frozenset[CauseKind] = frozenset({"program", "option", "value", "subcommand", "script", "path", "glob"})


class Cause(NamedTuple):
    """Why a command failed, according to its error."""

    kind: CauseKind
    name: str
    """What the error names: a program, an option, a path, a host; empty where it names nothing."""
    subject: str
    """Place, program and subcommand of the command that failed."""
    line: str
    """The line of the error that says so."""
    key: str
    """Under which the same cause is found again."""
    part: LinePart


def cause_of(line: str, error: str, exit_code: int | None = None) -> Cause | None:
    """Find the cause of a failure in the words of its error; None for a line without a command."""
    parts = meant_parts(line)
    if not parts:
        return None
    lines = clean_lines(error)
    # What the end of an error says is usually the error; what begins with the name of a program is its own word.
    for pattern in PATTERNS:
        for text in lines:
            found = pattern.pattern.search(text)
            if found is None:
                continue
            groups = found.groupdict()
            name = (groups.get("name") or groups.get("and") or "").strip("\"'`‘’ ")
            if groups.get("letter"):
                name = f"-{groups['letter']}"
            if pattern.kind in _SAID_IN_LINE and name and name not in line:
                continue  # it speaks of something else
            if pattern.kind == "path" and exit_code == 127 and _is_program(name, parts):
                return _cause("program", name, text, _blamed(parts, "program", name, text))
            if pattern.kind == "program" and _NO_FILE.search(text) and not _is_program(name, parts):
                continue  # a redirection that finds no folder
            part = _blamed(parts, pattern.kind, name, text)
            if pattern.kind == "path":
                part = _entering(line, text) or part
                name = _as_said(part, name)
            if pattern.kind == "syntax" and not name and part.runs_file and not _SHELL.match(text):
                continue  # an error in a program of the project, not in the command
            return _cause(pattern.kind, name, text, part)
    telling = next((text for text in lines if "error" in text.lower()), lines[-1] if lines else "")
    return _cause("other", "", telling, _blamed(parts, "other", "", telling))


def hidden_cause(line: str, output: str) -> Cause | None:
    """Find a failure that the exit code of a line hides: behind a pipe, before `; true`, in a loop.

    Only messages of a shell or of a program of the line count, because other output may be about anything.
    """
    parts = meant_parts(line)
    names = {one.name.lower() for one in parts} | ({"fatal"} if any(one.name == "git" for one in parts) else set())
    own = []
    for text in clean_lines(output):
        head = text.partition(": ")[0].lower().rsplit("/", 1)[-1]
        if _SHELL.match(text) or head in names:
            own.append(text)
    cause = cause_of(line, "\n".join(own)) if own else None
    return cause if cause is not None and cause.kind not in ("other", "usage", "remote", "value") else None


def clean_lines(error: str) -> list[str]:
    """Return the lines of an error that say something: without colours, rulers and the agent's own first line."""
    found = []
    for line in _COLOURS.sub("", error[-_MOST_ERROR_CHARS:]).splitlines()[-MOST_LINES:]:
        text = " ".join(line.removeprefix("Output: ").split())[:MOST_LINE_CHARS]
        if text and not _RULER.fullmatch(text) and not text.startswith(("Exit code", "Command exited with")):
            found.append(text)
    return found


def _cause(kind: CauseKind, name: str, text: str, part: LinePart) -> Cause:
    return Cause(kind, name, part.subject, text, short_key(key_of(kind, name, part)), part)


def key_of(kind: CauseKind, name: str, part: LinePart) -> str:
    """Return the key of a cause: its kind, what it names, and where it holds."""
    place, program = part.place, part.name
    match kind:
        case "program":
            return f"program {place}{name}"
        case "option" | "subcommand":
            return f"{kind} {place}{program} {name}"
        case "value":
            return f"value {part.subject} {name}"
        case "script":
            return f"script {place}{program} {name}"
        case "module":
            return f"module {part.subject}" if part.runs_file else f"module {place}{bare_name(program)} {name}"
        case "path":
            return _path_key(part, name) if name else f"path {part.subject}"
        case "glob":
            return f"glob {place}".strip()
        case "syntax" if "&&" in name or name == "InvalidEndOfLine":
            return AND
        case "network" | "auth":
            return f"{kind} {place}{program} {host_of(part, name) or part.subcommand}".strip()
        case "remote":
            return f"remote {place}{program} {part.subcommand}".strip()
        case "other" | "syntax" if kind == "other" or not part.subcommand:
            return _text_key(kind, part)
    return f"{kind} {part.subject}"


def short_key(key: str) -> str:
    """Return a key that every store takes: a long one is cut, and ends with the digest of the whole."""
    data = key.encode(errors="replace")
    if len(data) <= KEY_BYTES:
        return key
    return f"{data[: KEY_BYTES - 40].decode(errors='ignore')} {text_digest(key)[:32]}"


def keys_met(line: str) -> dict[str, LinePart]:
    """Return the keys of the causes that a command line could meet, each with the command that would meet it."""
    found: dict[str, LinePart] = {}
    parts = line_parts(line)
    if "&&" in line and parts:
        found[AND] = parts[-1]
    for part in parts:
        for key in _keys(part):
            if len(found) >= MOST_KEYS:
                return found
            found.setdefault(short_key(key), part)
    return found


def cause_keys(parts: list[LinePart], line: str) -> dict[str, LinePart]:
    """Return the keys of the causes that are gone after some commands of a line succeeded."""
    found = {short_key(key): part for part in parts for key in _keys(part)}
    return found | ({AND: parts[-1]} if parts and "&&" in line else {})


def program_keys(line: str) -> dict[str, LinePart]:
    """Return the keys of the programs that a line certainly found on the path."""
    if _MAY_FAIL.search(line):
        return {}
    parts = [
        part for part in line_parts(line) if not part.has_own_path and "/" not in (part.command.words[0].text or "")
    ]
    return {f"program {part.place}{part.name}": part for part in parts}


def _keys(part: LinePart) -> Iterator[str]:
    place, program = part.place, part.name
    first = part.command.words[0].text or ""
    if not part.has_own_path:
        yield f"program {place}{first if '/' in first else program}"
    if program in PREPARATION:
        if program == "cd":
            yield from (_path_key(part, word.text) for word in part.command.args[:1] if word.text)
        return
    words = part.command.args
    texts = [word.text for word in words if word.text]
    for text in texts:
        if text.startswith("-") and len(text) > 1:
            yield f"option {place}{program} {text.partition('=')[0]}"
            if not text.startswith("--") and text[1:].isalpha():
                yield from (f"option {place}{program} -{letter}" for letter in text[1:6])
        elif len(text) < 200 and "\n" not in text:
            yield _path_key(part, text)
            if ":" in text:
                yield _path_key(part, text.partition(":")[2])
        if "," in text or "=" in text:
            yield from (f"value {part.subject} {one}" for one in _FIELD_SPLIT.split(text)[:40])
    yield from (f"value {part.subject} {text}" for text in texts[:20])
    for text in (part.subcommand.split() or texts[:1])[:2]:
        yield f"subcommand {place}{program} {text}"
    if program in PACKAGE_RUNNERS or program in TARGET_RUNNERS:
        yield from (f"script {place}{program} {text}" for text in texts[:3])
    if any(is_unquoted_glob(word) for word in words):
        yield f"glob {place}".strip()
    yield from (f"module {place}{bare_name(program)} {name}" for name in _imported(texts))
    for kind in ("network", "auth"):
        yield f"{kind} {place}{program} {host_of(part, '') or part.subcommand}".strip()
    for kind in ("remote", "state", "usage", "permission", "syntax", "module"):
        yield f"{kind} {part.subject}"
    for kind in ("other", "syntax"):
        yield _text_key(kind, part)


def _text_key(kind: str, part: LinePart) -> str:
    """Return the key of a failure that a command's own text causes, with numbers and hashes replaced by their class."""
    given = part.command.stdin
    document = f" <<{text_digest(given.shown)}" if given is not None and part.command.feeder is None else ""
    return f"{kind} {part.place}{_NUMBERS.sub('#', ' '.join(part.text.split()))}{document}"


def _path_key(part: LinePart, path: str) -> str:
    """Return the key of a path that a program does not find, seen from where the line began."""
    return f"path {part.place}{part.name} {posixpath.normpath(posixpath.join(part.base, path))}"


def host_of(part: LinePart, name: str) -> str:
    """Return the host that a command talks to, with its port; `git` for a remote of git, whose address is elsewhere."""
    if part.name == "git" and part.subcommand in _GIT_REMOTE:
        return "git"
    for word in part.command.args:
        if found := _HOST.search(word.text or ""):
            return found[1] or found[2]
    if part.name == "ssh":
        return next((w.text for w in part.command.args if w.text and not w.text.startswith("-")), "")
    return name.replace(" port ", ":") if "." in name else ""


def _blamed(parts: list[LinePart], kind: CauseKind, name: str, text: str) -> LinePart:
    """Return the command an error is about: the error contains its words or begins with its name; else the last."""
    if kind == "program" and name:
        base = name.rsplit("/", 1)[-1]
        if found := next((one for one in parts if one.name == base or one.name == name), None):
            return found
    heads = text.lower().split(":")[0].split(" ")[0].strip("[]()")
    begins = [one for one in parts if one.name.lower() == heads or (heads == "fatal" and one.name == "git")]
    if name and kind in NAMED:
        holding = [one for one in (begins or parts) if name.lstrip("-") and name in one.text]
        if holding:
            return holding[-1]
    if begins:
        return begins[-1]
    if kind in ("network", "auth", "remote") or text.startswith(("error:", "hint:", "remote:")):
        remote = [one for one in parts if one.name == "git" and one.subcommand in _GIT_REMOTE]
        if remote:
            return remote[0]
    fed = [one for one in parts if one.command.feeder is None]
    return (fed or parts)[-1]


def _entering(line: str, text: str) -> LinePart | None:
    """Return the `cd` of a line, if an error is about it."""
    return next((one for one in line_parts(line) if one.name == "cd"), None) if _CD.search(text) else None


def _as_said(part: LinePart, name: str) -> str:
    """Return a path as the command names it: some programs make it absolute in their errors."""
    words = (word.text for word in part.command.args if word.text)
    return next((word for word in words if name.endswith(f"/{word.removeprefix('./')}")), name)


def _is_program(name: str, parts: Iterable[LinePart]) -> bool:
    return any((one.command.words[0].text or "") == name or one.name == name.rsplit("/", 1)[-1] for one in parts)


def _imported(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        if "import" in text or "require" in text:
            for one in _IMPORT.finditer(text[:4_000]):
                name = next(filter(None, one.groups()))
                found[name] = None
                found.update(dict.fromkeys(re.split(r"\.", name)[:1]))
    return list(found)[:20]
