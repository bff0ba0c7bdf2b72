"""Doubt: programs with unknown names, shells fed from the network, and settings that change what runs next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tacit.guard.program_judges import JUDGES
from tacit.guard.verdict import RuleMatch
from tacit.shell.command import Command, ShellWord, UnknownPart
from tacit.shell.eval_output import is_printer
from tacit.shell.options import after_options, split_options
from tacit.shell.programs.shells import SHELLS, SSH
from tacit.text.patterns import lazy_pattern

MOST_FEEDERS = 20
_FETCHERS = frozenset({"curl", "wget", "http", "https", "xh", "fetch", "lynx", "aria2c", "nc", "ncat", "socat"})
_INTERPRETERS = SHELLS | {"python", "python3", "python2", "perl", "ruby", "node", "php", "lua", "deno", "bun"}
_BARE = lazy_pattern(r"-[ilsx]+|--login|--norc|--noprofile|--posix")
# Options after which code follows, not the name of a script.
_CODE = lazy_pattern(r"-\w*[ceErpn]\w*|--eval|--print|-m")
_FETCHED = lazy_pattern(r"\b(?:curl|wget|https?|xh|fetch|lynx|aria2c|nc|ncat|socat|ssh|ftp|Invoke-WebRequest|iwr)\b")
_NO_SHELL = frozenset("NGOTVQWf")
_DECODERS = frozenset({"rev", "base64", "gbase64", "base32", "xxd", "uudecode", "basenc"})
# As a command name, these mean that the line was not understood.
RESERVED = frozenset({"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
                      "function", "select", "{", "}"})  # fmt: skip
_LOADERS = frozenset(
    {
        "BASH_ENV",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "PERL5OPT",
        "PYTHONSTARTUP",
        "RUBYOPT",
        "PROMPT_COMMAND",
        "PS4",
        "LD_AUDIT",
        "GCONV_PATH",
        "PERL5DB",
        "ZDOTDIR",
        "GIT_TEMPLATE_DIR",
        "GIT_EXEC_PATH",
    }
)
# What these edit decides what starts, or who may act as whom.
_EDITED = frozenset({"crontab", "visudo", "vipw", "vigr", "sudoedit"})
_LOADED = {"NODE_OPTIONS": ("--require", "-r ", "--import", "--loader"), "JAVA_TOOL_OPTIONS": ("-javaagent", "-agent"),
           "_JAVA_OPTIONS": ("-javaagent", "-agent"), "MAVEN_OPTS": ("-javaagent",), "PYTHONWARNINGS": ("antigravity",),
           "PYTHONBREAKPOINT": ("",)}  # fmt: skip
_SKIPPING = frozenset(
    {"HUSKY", "HUSKY_SKIP_HOOKS", "SKIP", "LEFTHOOK", "OVERCOMMIT_DISABLE", "PRE_COMMIT_ALLOW_NO_CONFIG"}
)


def doubtful(command: Command) -> Iterator[RuleMatch]:
    """Return matches for commands that cannot be judged, or must not count as safe."""
    yield from _settings(command)
    if not command.words:
        return
    first = command.words[0]
    name = command.name or ""
    odd = not first.quoted and (name in RESERVED or (len(command.words) > 1 and any(c in first.shown for c in "?*[")))
    if (command.name is None and _is_unknown(first)) or (odd and name not in ("[", "[[")):
        yield RuleMatch("shell.unknown-program", command.start, command.end, first.shown)
    fed = name in _INTERPRETERS and command.piped and not _reads_file(command)
    if fed and not _FETCHERS.isdisjoint(_sources(command.feeder)):
        yield RuleMatch("remote.pipe-to-shell", command.start, command.end, name)
    if name in SHELLS and not _DECODERS.isdisjoint(_sources(command.feeder)):
        yield RuleMatch("shell.decoded", command.start, command.end, name)
    if name == "coproc" and len(command.words) > 1 and _waits_for_code(command.args):
        yield RuleMatch("shell.interactive", command.start, command.end, command.args[0].shown)
    if script := _substituted_script(command):
        rule = "remote.run-substitution" if _FETCHED.search(script.source) else "shell.runs-output"
        if not is_printer(script.source):
            yield RuleMatch(rule, command.start, command.end, name)
    if name in SHELLS and any(
        "/dev/tcp/" in one.target.shown or "/dev/udp/" in one.target.shown for one in command.redirects
    ):
        yield RuleMatch("remote.shell", command.start, command.end, name)


_LETTER = lazy_pattern(r"[A-Za-z]")


def _is_unknown(word: ShellWord) -> bool:
    """Return whether a program is unknown: `$x`, or `r${x}m`, but not `python$V` or `${CROSS}gcc`."""
    first, last = (word.pieces[0], word.pieces[-1]) if word.pieces else ("", "")
    if isinstance(first, UnknownPart):
        named = isinstance(last, str) and first.name and "/" not in word.shown
        return not named or any(one != last and one.endswith(str(last)) for one in JUDGES)
    return isinstance(last, str) and "/" not in word.shown and bool(_LETTER.match(first[-1:]) and _LETTER.match(last))


def _substituted_script(command: Command) -> UnknownPart | None:
    """Return the substitution whose output is the script that an interpreter, `source` or make runs."""
    name = command.name or ""
    words: list[ShellWord] = []
    if name in ("make", "gmake"):
        words = [two for one, two in pairwise(command.args) if one.text == "-f"]
    elif name in _INTERPRETERS | {"source", "."}:
        # What follows code or a script are its arguments.
        options = [at for at, word in enumerate(command.args) if not (word.text or "").startswith("-")]
        words = list(command.args[options[0] : options[0] + 1]) if options else []
        code = [two for one, two in pairwise(command.args) if _CODE.fullmatch(one.head) and one.text != "-m"]
        given = any(_CODE.fullmatch(word.head) for word in command.args[: options[0] if options else 0])
        words = code[:1] if given else words
    return next((word.holes[0] for word in words if word.shown == "\u2026"), None)


def _waits_for_code(words: tuple[ShellWord, ...]) -> bool:
    """Return whether a command is an interpreter that is given nothing but options, none of them code."""
    rest = [word.shown for word in words if "=" not in word.head]
    named = bool(rest) and rest[0].rsplit("/", 1)[-1] in _INTERPRETERS
    return named and all(text.startswith("-") and not _CODE.fullmatch(text) for text in rest[1:])


def interactive(command: Command) -> Iterator[RuleMatch]:
    """Notice a shell, here or on another machine, that is started without a command and without input."""
    name, texts = command.name or "", [word.text or "\u2026" for word in command.args]
    if command.stdin is not None or command.piped or any("<" in one.operator for one in command.redirects):
        return
    starts = name in SHELLS - {"cmd", "cmd.exe"} and all(_BARE.fullmatch(text) for text in texts)
    starts = starts or (name in ("sudo", "doas") and len(texts) == 1 and texts[0] in SHELLS | {"-s", "-i", "su"})
    if name == "ssh":
        given = {option for option, _value in split_options(command.args, SSH)}
        starts = len(after_options(command.args, SSH)) == 1 and given.isdisjoint(_NO_SHELL)
    if starts:
        yield RuleMatch("shell.interactive", command.start, command.end, name)


def _settings(command: Command) -> Iterator[RuleMatch]:
    """Notice settings that change what runs: before a command, or exported for everything after."""
    given = list(command.assigns)
    if command.name in ("export", "declare", "typeset"):
        heads = [word.head.partition("=") for word in command.args]
        given += [(name, ShellWord((value or "\u2026",))) for name, equals, value in heads if equals]
    for name, value in given:
        # A program's own ENV is common; for a shell it names a file to run first.
        loads = name in _LOADERS or name.startswith("BASH_FUNC_") or (name == "ENV" and command.name in SHELLS)
        loads = loads or (name in ("EDITOR", "VISUAL") and command.name in _EDITED and " " in value.shown.strip())
        if name == "PS4" and not value.holes and "$(" not in (value.text or "") and "`" not in (value.text or ""):
            loads = False
        loads = loads or any(mark in value.shown for mark in _LOADED.get(name, ()))
        if loads and (value.text or value.holes):
            yield RuleMatch("shell.loader", command.start, command.end, name)
        elif (
            name in _SKIPPING
            and command.name in ("git", "git-commit", "export", "declare", "typeset")
            and value.text not in ("", "1" if name == "HUSKY" else "")
        ):
            yield RuleMatch("hooks.bypass", command.start, command.end, name)


def _sources(command: Command | None) -> Iterator[str]:
    """Return the programs of a pipe, the last one first, up to a limit beyond which the verdict is unsure anyway."""
    for _ in range(MOST_FEEDERS):
        if command is None:
            return
        yield command.name or ""
        command = command.feeder


def _reads_file(command: Command) -> bool:
    return any(not word.shown.startswith("-") for word in command.args) and "-s" not in _text(command).split()


def _text(command: Command) -> str:
    return " ".join(word.shown for word in command.words)
