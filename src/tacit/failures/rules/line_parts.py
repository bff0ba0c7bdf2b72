"""The commands of a line with what identifies them: program, subcommand, and the host or container they run in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.parse import MOST_REMEMBERED, parse
from tacit.shell.unwrap import everything
from tacit.text.patterns import lazy_pattern

# Preparation; the command meant comes after them.
PREPARATION = frozenset(
    {
        "cd",
        "pushd",
        "popd",
        "export",
        "set",
        "source",
        ".",
        "unset",
        "umask",
        "mkdir",
        "echo",
        "printf",
        "true",
        "sleep",
    }
)
# They start another program, which is the one that fails.
WRAPPERS = frozenset({
    "sudo", "doas", "env", "time", "nohup", "timeout", "nice", "command", "exec", "xargs", "stdbuf", "rtk", "setsid",
    "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "npx", "bunx", "bundle", "xvfb-run", "bash", "sh", "zsh", "ssh",
})  # fmt: skip
# Their second word, too, says what is done.
_TWO_WORDS = frozenset({
    "gh", "glab", "docker", "podman", "kubectl", "gcloud", "aws", "az", "npm", "pnpm", "yarn", "bun", "mise", "fly",
    "heroku", "supabase", "doctl",
})  # fmt: skip
# What follows these programs is a file, a text or a value, never a subcommand.
_NO_SUBCOMMAND = frozenset({
    "cat", "sed", "head", "tail", "less", "more", "ls", "ll", "dir", "wc", "grep", "rg", "find", "awk", "cut", "tr",
    "sort", "uniq", "rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "ln", "stat", "file", "du", "df", "ps",
    "kill", "curl", "wget", "jq", "diff", "patch", "tee", "md5sum", "sha256sum", "tar", "unzip", "zip", "open", "which",
    "type", "cd", "psql", "mysql", "sqlite3", "rsync", "scp", "echo", "printf", "test", "xargs", "basename", "dirname",
    "read",
})  # fmt: skip
_INTERPRETERS = frozenset(
    {"python", "python3", "py", "node", "ruby", "perl", "php", "deno", "tsx", "ts-node", "bash", "sh", "zsh"}
)
_RUNS_TEXT = frozenset({"-c", "-e", "-p", "--eval", "-"})
_WITH_VALUE = {"git": ("-C", "-c", "--git-dir", "--work-tree"), "gh": ("-R", "--repo"), "docker": ("-H", "--context")}
_SSH_VALUES = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
# They run programs that are not on the path.
_OWN_PROGRAMS = frozenset({
    "uv", "uvx", "npx", "bunx", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "mise", "conda", "nix", "fish",
})  # fmt: skip
_PATH_SET = lazy_pattern(r"(?<![\w$])PATH=|(?:^|[\s;&])(?:source|\.)\s+\S")
_ELSEWHERE = frozenset({
    "-C", "-f", "--prefix", "--cwd", "--dir", "-w", "--workspace", "--filter", "--makefile", "--directory", "--git-dir",
})  # fmt: skip
_WORD = lazy_pattern(r"[a-z][\w:-]*")
_FOLDER = lazy_pattern(r"python\d?\.exe$", re.IGNORECASE)
_HIDES = lazy_pattern(r"\|\|\s*(?:true|:|echo)|;\s*(?:true|:)\s*$")


UNKNOWN_FOLDER = "/<unknown>"


class LinePart(NamedTuple):
    """One command of a line."""

    command: Command
    text: str
    """As it is written, without the rest of the line; the script of a remote command, where it is inside one."""
    name: str
    place: str = ""
    """The host or container it runs in, with a blank; empty here."""
    nested: bool = False
    base: str = ""
    """The folder that the line entered before it; empty where it entered none."""
    has_own_path: bool = False
    """Whether the line sets where programs are looked for."""
    above: LinePart | None = None
    """The command that runs it; None where the line does."""

    @property
    def subcommand(self) -> str:
        """What the program is asked to do: `pr view`, `-m pytest`, `tools/a.py`; empty where there is no such word."""
        words = [word.text for word in self.command.args]
        if self.name in _INTERPRETERS or _FOLDER.search(self.name):
            return _script(words)
        if self.name in _NO_SUBCOMMAND:
            return ""
        return " ".join(_leading(self.name, words))

    @property
    def host(self) -> str:
        """The host or container it runs in; empty here, also behind a program that finds other programs (`npx`)."""
        return self.place if self.place.startswith(("ssh ", "docker ", "podman ", "kubectl ")) else ""

    @property
    def is_elsewhere(self) -> bool:
        """Whether it works in a folder that a look from here does not find: on a host, or named by an option."""
        options = (word.text or "" for word in self.command.args)
        return bool(self.place) or any(one.partition("=")[0] in _ELSEWHERE for one in options)

    @property
    def runs_file(self) -> bool:
        """Whether an interpreter is given a file, and not a text."""
        first = self.subcommand or next((word.text or "" for word in self.command.args), "")
        runs = self.name in _INTERPRETERS or (self.name in ("bun", "deno") and "." in first)
        return runs and bool(first) and not first.startswith("-")

    @property
    def subject(self) -> str:
        """The place, program and subcommand: commands with the same subject fail and succeed together."""
        return f"{self.place}{self.name} {self.subcommand}".strip()


def line_parts(line: str) -> Sequence[LinePart]:
    """Return the commands of a line, also those inside other commands, in the order in which they run."""
    # The cause of a failure, what hides it and what mended it are looked for in the same line, one after the other.
    return _remembered(line) if len(line) <= MOST_REMEMBERED else _read(line)


def _read(line: str) -> tuple[LinePart, ...]:
    source = line.encode(errors="replace")
    found: list[LinePart] = []
    above: list[LinePart] = []
    base, has_own_path = "", bool(_PATH_SET.search(line))
    for command, depth in everything(parse(line)):
        if not isinstance(command, Command) or not command.name:
            continue
        parent = above[depth - 1] if 0 < depth <= len(above) else None
        text = source[command.start : command.end].decode(errors="replace").strip()
        if parent is not None:
            text = " ".join(word.shown for word in command.words)
        place = _place(parent) if parent is not None else ""
        part = LinePart(command, text, command.name, place, parent is not None, base, has_own_path, parent)
        if command.name in ("cd", "pushd", "popd") and not place:
            target = command.args[0].text if command.args else None
            # Where an unknown folder leads nobody can look.
            base = posixpath.join(base, target) if target and not target.startswith(("-", "~")) else UNKNOWN_FOLDER
        del above[depth:]
        above.append(part)
        found.append(part)
    if not found and line.strip() and parse(line).doubts:
        # It cannot be read; only its first word is taken for a program.
        first = line.split()[0][:200]
        found.append(LinePart(Command((literal(first),)), line.strip(), first.rsplit("/", 1)[-1]))
    return tuple(found)


_remembered = lru_cache(256)(_read)


def meant_parts(line: str) -> Sequence[LinePart]:
    """Return the commands of a line that do the work, without preparation and without what only starts another."""
    parts = line_parts(line)
    inner = {id(one) for one in parts if one.name in WRAPPERS and _has_inner(parts, one)}
    meant = [one for one in parts if one.name not in PREPARATION and id(one) not in inner]
    return meant or parts


def program_names(line: str) -> list[str]:
    """Return the programs of a line; a star where the cause of a failure may lie in the line itself."""
    anywhere = ["*"] if "&&" in line or "?" in line or "[" in line else []
    names = dict.fromkeys(name for part in line_parts(line) for name in (part.name, bare_name(part.name)))
    return [*names, *anywhere]


def bare_name(program: str) -> str:
    """Return the name of a program without its version: `python3.11` is `python`."""
    return program.rstrip("0123456789.") or program


def passed_parts(line: str) -> list[LinePart]:
    """Return the commands that certainly succeeded when a line did: those of its last `&&` chain, not before a pipe."""
    if _HIDES.search(line):
        return []
    meant = meant_parts(line)
    script = parse(line)
    if script.doubts or not meant:
        return []
    # With a command passed what ran it.
    runners = {id(above) for one in meant if (above := one.above) is not None}
    parts = [one for one in line_parts(line) if id(one) in runners or any(one is other for other in meant)]
    last = _last_statement(line)
    fed = {id(one.command.feeder) for one in parts if one.command.feeder is not None}
    return [
        one for one in parts
        if (one.nested or one.command.start >= last) and id(one.command) not in fed
    ]  # fmt: skip


def _last_statement(line: str) -> int:
    """Return where the last statement of a line begins: after the last `;`, line break or `||` outside of words."""
    commands = [one for one in parse(line).commands if one.name]
    source = line.encode(errors="replace")
    start = 0
    for before, after in pairwise(commands):
        between = source[before.end : after.start]
        if b";" in between or b"\n" in between or b"||" in between or b"&\n" in between:
            start = after.start
    return start


def _has_inner(parts: Sequence[LinePart], outer: LinePart) -> bool:
    place = next(number for number, one in enumerate(parts) if one is outer)
    return place + 1 < len(parts) and parts[place + 1].nested


def _place(parent: LinePart) -> str:
    """Return where commands inside another command run: on a host, in a container, or where the outer one runs."""
    words = [word.text or "" for word in parent.command.args]
    if parent.name == "ssh":
        named = (word for before, word in pairwise(["", *words]) if before not in _SSH_VALUES)
        host = next((word for word in named if not word.startswith("-")), "")
        return f"{parent.place}ssh {host} "
    if parent.name in ("docker", "podman", "kubectl") and "exec" in words[:2]:
        names = [word for word in words[words.index("exec") + 1 :] if word and not word.startswith("-")]
        return f"{parent.place}{parent.name} exec {names[0] if names else ''} "
    return f"{parent.place}{parent.name} " if parent.name in _OWN_PROGRAMS else parent.place


def _script(words: list[str | None]) -> str:
    """Return what an interpreter runs: a file, a module, or the option that carries the text."""
    for number, word in enumerate(words):
        if word is None:
            return ""
        if word == "-m" and number + 1 < len(words):
            return f"-m {words[number + 1]}"
        if word in _RUNS_TEXT:
            return word
        if not word.startswith("-"):
            return word
    return ""


def _leading(name: str, words: list[str | None]) -> Iterator[str]:
    """Return the first words of a command that are neither options nor values."""
    wanted = 2 if name in _TWO_WORDS else 1
    skip = False
    for word in words:
        if skip:
            skip = False
            continue
        if word is None:
            return
        if word.startswith("-"):
            skip = word in _WITH_VALUE.get(name, ())
            continue
        if not _WORD.fullmatch(word) or not wanted:
            return
        wanted -= 1
        yield word


def is_unquoted_glob(word: ShellWord) -> bool:
    """Return whether a shell would expand a word as a file pattern, although the word is probably meant literally."""
    text = word.text or ""
    if word.quoted or not text:
        return False
    return ("?" in text and ("://" in text or "=" in text)) or bool(re.search(r"\[[\w-]+\]", text))
