"""Which files the commands of a session looked at, and the commands that looked around."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from tacit.guard.args import read
from tacit.guard.reading_programs import READERS
from tacit.sessions.rules.commands.head_steps import git_words
from tacit.sessions.rules.commands.line_commands import line_commands, shortened_command, split_line
from tacit.sessions.rules.commands.placed_commands import PlacedCommand, joined, placed_commands
from tacit.sessions.rules.commands.shell_changes import SCRATCH, plain_path
from tacit.shell.command import Command
from tacit.shell.programs.printing import PRINTING_GIT
from tacit.text.patterns import lazy_pattern

_MOST_FILES, _MOST_COMMANDS = 4, 2
_NAME_CHARS = 50
# A revision may stand before it: `HEAD:src/till.py`.
_FILE = lazy_pattern(r"(?:[\w.^~/-]{1,60}:)?((?!\S*\.\.\w)[^\s*?$|;{}<>'\"\\:=%]{1,200}\.[A-Za-z][\w-]{0,7})")
_HIDDEN = lazy_pattern(r"\s*(?:2|&)>\s*/dev/null\b")
_HOME = lazy_pattern(r"\A\$(?:\{HOME\}|HOME)/")
# Their first operand is what they look for, or how; and which of their options have a value.
_PATTERN_FIRST = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), "efABCmd"), "rg": "efgtTABCmMj", "ag": "ABCmG", "ack": "ABCm",
    "sed": "ef", "gsed": "ef", "awk": "vfF", "gawk": "vfF", "mawk": "vfF", "jq": "f", "yq": "",
}  # fmt: skip
_NO_FILES = frozenset({"echo", "printf", "find", "fd", "fdfind", "cd", "pushd", "popd", "which", "type", "test", "["})
_SILENT = frozenset({"echo", "printf", "cd", "pushd", "popd", "true", "false", "sleep", "test", "[", None})


def files_looked_at(lines: Sequence[str], cwd: str) -> list[str]:
    """Return the files that lines read most, the most read first; of one with a long name its end."""
    files = Counter(
        plain_path(path, cwd) for line in lines for one in placed_commands(line)
        if not _hides_errors(line, one.command) for path in _files(one)
    )  # fmt: skip
    told = (name for name, _count in files.most_common() if not name.startswith((*SCRATCH, "../")))
    return [one if len(one) <= _NAME_CHARS else _end_of(one) for one in islice(told, _MOST_FILES)]


def _hides_errors(line: str, command: Command) -> bool:
    """Return whether nobody would see that a file is not there."""
    _before, text, after = split_line(line, command)
    return bool(_HIDDEN.search(text) or _HIDDEN.match(after))


def _end_of(path: str) -> str:
    """Return a file with the folder that it lies in, or without it if that is too long."""
    above, _slash, name = path.rpartition("/")
    folder = above.rpartition("/")[2]
    end = f"{folder}/{name}"
    return f"…/{end if folder and len(end) <= _NAME_CHARS else name}"


def looking_commands(lines: Sequence[str]) -> list[str]:
    """Return the first commands of lines that say what they look at, as code."""
    texts = (
        split_line(line, one)[1] for line in lines for one in line_commands(line)
        if one.name not in _SILENT and not split_line(line, one)[0].rstrip().endswith("|")
    )  # fmt: skip
    return [f"`{shortened_command(text)}`" for text in dict.fromkeys(texts) if "\n" not in text][:_MOST_COMMANDS]


def _files(placed: PlacedCommand) -> Iterator[str]:
    """Return the files that a command reads, each once."""
    command, name = placed.command, placed.command.name or ""
    if git := git_words(command):
        words = list(git.words) if git.verb in PRINTING_GIT and git.folder == "" else []
    elif name in READERS and name not in _NO_FILES:
        found = read(command, values=_PATTERN_FIRST.get(name, ""), longs="include exclude glob type")
        is_given = found.value("-e", "-f", "--regexp", "--file") is not None
        first = 1 if name in _PATTERN_FIRST and not is_given else 0
        words = [_HOME.sub("~/", word.shown) for word in found.operands[first:]]
    else:
        words = []
    named = (file[1] for word in words if (file := _FILE.fullmatch(word)))
    yield from dict.fromkeys(path if path.startswith("~/") else joined(placed.folder, path) for path in named)
