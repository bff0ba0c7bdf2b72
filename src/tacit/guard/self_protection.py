"""Protect the guard and the protected files: find commands that write these files or would switch the guard off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.guard.code.one_liners import is_interpreter
from tacit.guard.path_kinds import kind_of_path
from tacit.guard.protected_paths import is_own, path_of_word, rule_for, rule_for_folder, written_path
from tacit.guard.reading_programs import READERS
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.guard.written_files import WrittenWord, written_words
from tacit.shell.command import Command, Script, ShellWord
from tacit.shell.programs.command_prefixes import PREFIXES
from tacit.shell.programs.shells import SHELLS
from tacit.shell.unwrap import WRAPPERS, everything, inner
from tacit.text.patterns import lazy_pattern

Finding = tuple[str, str]
"""A rule, and what it is about."""
MOST_PARTS = 200
_SWITCH = lazy_pattern(r"TACIT_OFF(?:=(?!0?$).*)?", re.S)
_SWITCHED = lazy_pattern(r"\bTACIT_OFF\b(?!=0?(?:['\"\s]|$))")
_MOVED = lazy_pattern(r"TACIT_(?:HOME|STORE|TENANT)=.*", re.S)
_EXPORTERS = frozenset({"export", "declare", "typeset", "setenv", "set", "launchctl", "systemctl"})
_ENVIRONMENT = lazy_pattern(r".*/(?:\.env[^/]*|[^/]*rc|[^/]*profile|environment)")
_ENDERS = frozenset({"kill", "pkill", "killall", "skill", "fuser"})
_MANAGERS = frozenset({"systemctl", "launchctl", "service"})
_ENDING = frozenset({"stop", "kill", "disable", "mask", "restart", "unload", "bootout", "remove"})
_PROCESS = lazy_pattern(r"(?:(?<![\w/.-])|bin/)tacit(?![/\w-])|\.tacit/")
_FINDS_PROGRAM = lazy_pattern(r"(?:which|command\s+-v|type\s+-[pP]|whereis|realpath|readlink)\b.*\btacit\b")
_CHECKING = frozenset({"--check", "--noEmit", "--dry-run", "--list-different"})
_SITE = lazy_pattern(r"\bsite\b|sysconfig|getsitepackages|purelib")
_PROGRAM = lazy_pattern(r".*bin/tacit|.*/site-packages/tacit(?:-[^/]*|/.*)?|.*/(?:tools|venvs)/tacit(?:/.*)?")
# Programs that give another program a terminal. A terminal is how tacit recognises a person.
TERMINALS = frozenset({
    "script", "expect", "unbuffer", "tmux", "screen", "byobu", "zellij", "socat", "dtach", "abduco", "ttyd",
    "asciinema", "faketty", "rlwrap", "xterm", "urxvt", "st", "konsole", "gnome-terminal", "xfce4-terminal",
    "alacritty", "kitty", "wezterm", "terminator", "xdotool", "ydotool", "wtype", "winpty", "empty", "reptyr",
})  # fmt: skip
AGENTS = frozenset({"claude", "codex", "gemini", "cursor-agent", "opencode", "copilot", "cline", "aider"})
_AGENT_VARIABLES = frozenset({"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "CODEX_HOME", "HOME", "XDG_CONFIG_HOME"})
CONCERNED = _EXPORTERS | _ENDERS | _MANAGERS | TERMINALS | {"hash", "enable", "alias"}
"""Programs that may switch the guard off in a line of plain words."""
_TYPED = lazy_pattern(r"(?:^|[\s:/;&|'\"(])tacit\s+[a-z]")
_MARKS = ("tacit", "TACIT", ".claude", ".codex", ".cursor", ".gemini", "opencode", "copilot", ".github", ".clinerules",
          "Cline", "managed-settings", "codex/")  # fmt: skip
_WRITING_SCRIPT = lazy_pattern(r">|\bw\s")
_SEPARATORS = lazy_pattern(r"[=:,@\s'\"`()\[\]{}<>;|&]+")


def protected(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Notice what a command writes to protected paths, and what would switch the guard off."""
    found = list(dict.fromkeys(_written(command, place)))
    if _concerns(command, place):
        found += [*_switches(command), *_ends(command), *_makes_terminal(command)]
        if not any(rule == "self.write" for rule, _detail in found):
            found += _touches(command, place)
    yield from (RuleMatch(rule, command.start, command.end, detail) for rule, detail in found)


def _written(command: Command, place: CommandLocation) -> Iterator[Finding]:
    for written in written_words(command):
        path = path_of_word(written.word, place)
        rule = _rule(written, path, place)
        if not rule.startswith("self.") and written.how in ("write", "add") and _ENVIRONMENT.fullmatch(path):
            rule = "self.switched-off" if any(map(_SWITCHED.search, _texts(command))) else rule
        if not rule and path.endswith(".pth") and any(_SITE.search(hole.source) for hole in written.word.holes):
            rule = "file.startup"
        if rule == "self.project" and kind_of_path(path, place) == "temporary":
            rule = ""
        finds = any(_FINDS_PROGRAM.search(hole.source) for hole in written.word.holes)
        if not rule and (finds or _PROGRAM.fullmatch(path)):
            rule = "self.write"
        if rule:
            yield rule, written.word.shown


def _rule(written: WrittenWord, path: str, place: CommandLocation) -> str:
    match written.how:
        case "write" | "add":
            return rule_for(path, place, adds=written.how == "add")
        case "change":
            return rule_for(path, place, named_only=True)
        case "remove":
            rule = rule_for_folder(path, place)
            return "secrets.keys" if rule == "file.keys" else rule
        case "allow":
            return ""
    # A mode or a time, or files in a folder whose names are not known.
    rule = rule_for_folder(path, place) if written.how == "unpack" else rule_for(path, place, named_only=True)
    if rule == "self.write" and not is_own(path, place):
        return "self.touch"
    return rule if written.how == "unpack" or rule.startswith("self.") else ""


def _concerns(command: Command, place: CommandLocation) -> bool:
    """Return whether a command mentions tacit or the folder of an agent, so that a closer look is needed."""
    feeder = command.feeder.args if command.feeder is not None else ()
    sources = (hole.source for word in command.args for hole in word.holes)
    names = (name for name, _word in command.assigns)
    text = " ".join((place.cwd, *_texts(command), *sources, *names, *(word.shown for word in feeder)))
    return any(mark in text for mark in _MARKS) or bool(place.tacit and place.tacit in text) or (
        command.name in AGENTS and bool(command.assigns)
    )  # fmt: skip


def _texts(command: Command) -> list[str]:
    return [*(word.shown for word in command.words), command.stdin.shown if command.stdin is not None else ""]


def _switches(command: Command) -> Iterator[Finding]:
    """Notice a variable that switches the guard off, or that moves the folder of tacit or of an agent."""
    name, words = command.name or "", [word.shown for word in command.args]
    assigned = any(key == "TACIT_OFF" and (word.text or "1") not in ("", "0") for key, word in command.assigns)
    if assigned or (name not in READERS and name != "unset" and any(map(_SWITCH.fullmatch, words))):
        yield "self.switched-off", "TACIT_OFF"
    if name in _EXPORTERS and any(map(_MOVED.fullmatch, words)):
        yield "self.touch", "TACIT_HOME"
    if name in AGENTS and not _AGENT_VARIABLES.isdisjoint(key for key, _word in command.assigns):
        yield "self.agent-home", name
    if name in ("alias", "hash", "enable") and any(re.match(r"tacit(?:=|$)", word) for word in words):
        yield "self.touch", "tacit"


def _ends(command: Command) -> Iterator[Finding]:
    """Notice that tacit's processes are ended: by name, or by a process id that was looked up by name."""
    name, words = command.name or "", [word.shown for word in command.args]
    sources = [hole.source for word in command.args for hole in word.holes]
    fed = [word.shown for word in command.feeder.args] if command.feeder is not None else []
    ends = name in _ENDERS or (name in _MANAGERS and not _ENDING.isdisjoint(words))
    by_name = ends and any(map(_PROCESS.search, (*words, *sources)))
    by_pipe = name in ("kill", "xargs") and "kill" in (name, *words) and any(map(_PROCESS.search, fed))
    if by_name or by_pipe:
        yield "self.stopped", name


def _makes_terminal(command: Command) -> Iterator[Finding]:
    """Notice tacit in a terminal that a command makes."""
    name = command.name or ""
    remote = name in ("ssh", "mosh") and any(re.fullmatch(r"-\w*t\w*", word.shown) for word in command.args)
    if name not in TERMINALS and not remote:
        return
    nested = everything(Script(inner(command).commands))
    runs = any(isinstance(one, Command) and one.name == "tacit" for one, _depth in nested)
    named = name not in WRAPPERS and any(word.shown.rpartition("/")[2] == "tacit" for word in command.args[:-1])
    if runs or named or any(map(_TYPED.search, _texts(command)[1:])):
        yield "self.terminal", name


def _touches(command: Command, place: CommandLocation) -> Iterator[Finding]:
    """Notice an argument that names our files, or an agent's settings, for a program not known to only read."""
    name = command.name or ""
    if any(word.text in _CHECKING for word in command.args):
        return
    if name not in READERS and name not in PREFIXES and name not in SHELLS:
        words = (*command.args, *([command.stdin] if command.stdin is not None and is_interpreter(name) else ()))
        named = (word.shown for word in words if _names_own(word, is_interpreter(name), place))
        yield from (("self.touch", one[:100]) for one in named)
    elif name in ("sed", "gsed", "awk", "gawk", "mawk"):
        scripts = (word for word in command.args if _WRITING_SCRIPT.search(word.shown))
        yield from (("self.touch", word.shown[:100]) for word in scripts if _names_own(word, True, place))


def _names_own(word: ShellWord, is_code: bool, place: CommandLocation) -> bool:
    pieces = (p if isinstance(p, str) else place.home if p.name == "HOME" else "$" for p in word.pieces)
    text = "".join(pieces)
    # Prose mentions files; code names them in its strings.
    if re.search(r"\s", text) and not is_code:
        return False
    parts = [part for part in _SEPARATORS.split(text)[:MOST_PARTS] if "/" in part or "." in part]
    # An option may be attached to its value: `-o/path`.
    paths = [written_path(re.sub(r"^-[A-Za-z](?=[/~.])", "", part), place) for part in parts]
    return any(rule_for(path, place, named_only=True) == "self.write" for path in (path_of_word(word, place), *paths))
