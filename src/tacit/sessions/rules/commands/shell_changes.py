"""What commands did to files: which ones they certainly wrote, and whether they only looked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tacit.guard.args import read
from tacit.guard.written_files import IN_PLACE_EDITORS, OUTPUT_WRITERS, written_words
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.asked import is_work
from tacit.sessions.rules.commands.file_steps import EVERYTHING, FileStep, file_steps, may_write
from tacit.sessions.rules.commands.head_steps import git_words
from tacit.sessions.rules.commands.line_commands import LINE_READ, is_at, line_commands, shortened_command, split_line
from tacit.shell.command import Command
from tacit.shell.programs.printing import LOOKING_GIT, PRINTING
from tacit.text.patterns import lazy_pattern

Turns = Iterable[tuple[KeptTurn, str]]
SCRATCH = ("/tmp/", "/private/tmp/", "/dev/", "/var/tmp/", "/var/log/", "/var/run/")  # noqa: S108 - places to leave out, none to write to
# What a program leaves, or what is there only for a while.
_LEFT = lazy_pattern(r"\.(?:log|tmp|pid|bak)\Z")
# Programs that only print, and the options with which they change or run something; what they write is asked elsewhere.
_CHANGING = {
    "find": ("-exec", "-ok", "-delete", "-fprint", "-fls"), "fd": ("-x", "-X", "--exec"), "rg": ("--pre",),
    "tree": ("-o",), "less": ("-o", "-O", "--log-file", "--LOG-FILE"), "file": ("-C", "--compile"),
}  # fmt: skip
_MAY_WRITE = IN_PLACE_EDITORS | OUTPUT_WRITERS
_PROGRAM = lazy_pattern(r"(?:cd \S+ && )?(?!git -|cd\s)[a-z][\w-]*(?:\s|\Z)")
_WRITES_IN_SED = lazy_pattern(r"(?:\A|[/;\d$pge])w ")
_LISTING = frozenset({"-a", "-v", "-vv", "-r", "-l", "--all", "--list", "--show-current"})


def plain_path(path: str, cwd: str) -> str:
    """Return a path as the project calls it."""
    if cwd and path == cwd:
        return EVERYTHING
    return (path.removeprefix(f"{cwd}/") if cwd else path).removeprefix("./").rstrip("/")


def is_in(path: str, name: str) -> bool:
    """Return whether a path is what a name names, or is in it."""
    return (
        name == EVERYTHING or path == name or path.startswith(f"{name}/") or ("/" in name and path.endswith(f"/{name}"))
    )


def written_by(line: str) -> list[str]:
    """Return the files that a line certainly writes: with a patch in Codex's form, with `cat > file` or `sed -i`."""
    return [step.path for step in file_steps(line) if is_written(step, "")] if may_write(line) else []


def is_written(step: FileStep, cwd: str) -> bool:
    """Return whether a step certainly writes a file that is not only there for a while."""
    path = plain_path(step.path, cwd)
    return step.what == "write" and step.is_sure and not path.startswith(SCRATCH) and not _LEFT.search(path)


def only_looked(turns: Turns) -> bool:
    """Return whether a session wrote no file and each of its commands only printed something."""
    kept = [turn for turn, _text in turns]
    if any(turn.paths and not turn.command for turn in kept) or any(len(turn.command) > LINE_READ for turn in kept):
        return False
    lines = [turn.command for turn in kept if turn.command]
    # Most sessions do something plainly; to parse their lines up to that takes much longer.
    if any(_PROGRAM.match(line) and is_work(line) for line in lines):
        return False
    return all(_only_prints(command) for line in lines for command in line_commands(line))


def doing_command(line: str) -> str:
    """Return the first command of a line that does more than print; empty if there is none."""
    for command in line_commands(line):
        if command.name and not _only_prints(command):
            text = split_line(line, command)[1]
            return shortened_command(text) if is_at(command, text) else ""
    return ""


def _only_prints(command: Command) -> bool:
    """Return whether a command changes nothing: it is one that prints, and is not told to do more."""
    name = command.name or ""
    words = [word.text or "" for word in command.args]
    if git := git_words(command):
        lists = git.verb not in ("branch", "remote") or _LISTING.issuperset(git.words)
        if git.verb not in LOOKING_GIT or not lists:
            return False
    elif name == "find" and _prints_what_it_finds(words):
        return True
    elif name not in PRINTING or any(word.startswith(_CHANGING.get(name, ("\0",))) for word in words):
        return False
    writes = command.redirects or name in _MAY_WRITE
    if writes and any(one.word.text != "/dev/null" for one in written_words(command)):
        return False
    if name == "uniq":
        # Its second operand is where it writes.
        return len(read(command, values="fsw").operands) <= 1
    return name != "sed" or not any(map(_WRITES_IN_SED.search, words))


def _prints_what_it_finds(words: Sequence[str]) -> bool:
    """Return whether `find` runs only programs that print for what it finds."""
    run = [after for before, after in pairwise(words) if before.startswith(("-exec", "-ok"))]
    changes = any(word.startswith(("-delete", "-fprint", "-fls")) for word in words)
    return not changes and PRINTING - _MAY_WRITE >= set(run)
