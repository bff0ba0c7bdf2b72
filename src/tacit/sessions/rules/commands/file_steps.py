"""What the commands of a line do to files, in order: write, remove, move, bring back, stage, and what git keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from tacit.guard.args import read
from tacit.guard.written_files import (
    IN_PLACE_EDITORS,
    OUTPUT_WRITERS,
    edits_in_place,
    output_options,
    output_redirects,
    written_words,
)  # fmt: skip
from tacit.sessions.rules.commands.head_steps import GitWords, git_words, head_step, may_change_git
from tacit.sessions.rules.commands.placed_commands import PlacedCommand, joined, placed_commands
from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.programs.printing import PRINTING
from tacit.text.patterns import lazy_pattern

What = Literal[
    "write", "perhaps write", "remove", "remove if there", "move", "restore", "perhaps restore", "stage",
    "stash", "unstash", "commit", "amend", "revert", "revert other", "back", "leave",
]  # fmt: skip
EVERYTHING = "."
"""Stands for all files."""
_FROM_AND_TO = 2
# To parse every line takes a hundred times as long as to look for these: what may write a file, and what else may
# do something to one. Each is tried only if a part of it is there.
_REDIRECTS = lazy_pattern(r">(?<![-=0-9<]>)[>|]?[ \t]*[\"']?(?!/(?:dev|tmp|var)/)[A-Za-z_./~@]")
_EDITS = lazy_pattern(r"(?:sed|perl|ruby|awk|yq)\b[^|;&\n]{0,80}\s-(?:\w*i|-in-?place)")
_PUTS_OUT = lazy_pattern(r"(?:sort|curl|wget|pandoc|git)\b[^|;&\n]*\s-(?:\w*[oO]\b|-output)")
_EDITORS = ("sed ", "perl ", "ruby ", "awk ", "yq ")
_PRINTERS = ("sort ", "curl ", "wget ", "pandoc ", " --output")
_ARRANGES = lazy_pattern(r"(?<![\w-])(?:rm|mv|cp|jj|gt|touch|unlink)\s")
_ARRANGERS = ("rm ", "mv ", "cp ", "jj ", "gt ", "touch ", "unlink ")
_PATCHED = lazy_pattern(r"(?m)^\*\*\* (?:Add|Update) File: ([\w./@+-]{1,200})$")
_PATCHING = lazy_pattern(r"(?:\A|[;&\n])\s*apply_patch\b")
_NAME = lazy_pattern(r"(?!nul\Z|NUL\Z|-)[^\s*?$|;{}<>'\"\\](?:[^*?$|;{}<>'\"\\\n]{0,200}[^\s*?$|;{}<>'\"\\])?")
# They write the files that they name; compilers and converters of formats do too, or mean something else by `-o`.
_WRITERS = frozenset({"tee", "sponge", "sort", "gsort", "curl", "wget", "pandoc"})
_REMOVERS = frozenset({"rm", "unlink"})
_ONLY_PRINTING = PRINTING - IN_PLACE_EDITORS - OUTPUT_WRITERS
_OTHER_GIT = {"jj": ("describe", "commit"), "gt": ("create", "modify", "c", "m")}
"""Programs that commit with git, and their words for it."""
_DRY = frozenset({"-n", "--dry-run", "--no-clobber"})
_SED = frozenset({"sed", "gsed"})
_VALUES = {"sed": "ef", "gsed": "ef", "perl": "eEMm", "ruby": "er", "awk": "ivfF", "gawk": "ivfF"}
"""Which letters of an editor have a value."""
_UNKNOWN = "?"


class FileStep(NamedTuple):
    """What is done to a file, or by git to all of them."""

    what: What
    path: str = ""
    """As it is called where the line begins, or from the root."""
    to: str = ""
    """Where it is moved."""
    is_sure: bool = True
    """Whether it is certain that it is done if the line works, and to this file."""


def may_write(line: str) -> bool:
    """Return whether a line may write a file by itself: quickly, and wrongly rather than not."""
    return bool(
        (">" in line and _REDIRECTS.search(line))
        or "*** Begin Patch" in line
        or "tee " in line
        or "sponge " in line
        or (any(map(line.__contains__, _EDITORS)) and _EDITS.search(line))
        or (any(map(line.__contains__, _PRINTERS)) and _PUTS_OUT.search(line))
    )


def _may_change(line: str) -> bool:
    return may_change_git(line) or bool(any(map(line.__contains__, _ARRANGERS)) and _ARRANGES.search(line))


@lru_cache(1_024)
def file_steps(line: str) -> tuple[FileStep, ...]:
    """Return what a line does to files, in order."""
    patched = _PATCHED.findall(line) if "*** Begin Patch" in line and _PATCHING.search(line) else []
    placed = placed_commands(line) if may_write(line) or _may_change(line) else []
    return (*(FileStep("write", path) for path in patched), *(step for one in placed for step in _steps(one, line)))


def _steps(placed: PlacedCommand, line: str) -> Iterator[FileStep]:
    command = placed.command
    git = git_words(command)
    if git:
        yield from _git_steps(git, placed)
    elif command.name in _REMOVERS:
        yield from _removed(placed)
    elif command.name == "mv":
        yield from _moved(placed, [word.text or "" for word in command.args])
    elif command.name in _OTHER_GIT and command.args and command.args[0].text in _OTHER_GIT[command.name]:
        yield FileStep("commit")
    if command.name in _ONLY_PRINTING and not command.redirects:
        return
    written = [word for word in _written(command, line) if _NAME.fullmatch(word.text or "") and "://" not in word.head]
    yield from (_step("write", placed, word.text or "") for word in written)
    # A copy or a download may be this file or one in it; it is there again, whatever it is.
    known = {word.text for word in written}
    for word, how in written_words(command) if not git else ():
        if word.text and word.text not in known and (how in ("write", "add", "change") or command.name == "touch"):
            yield _step("perhaps write", placed, word.text)


def _step(what: What, placed: PlacedCommand, path: str, to: str = "") -> FileStep:
    # That what was staged was there is certain also where it may not have been.
    is_sure = placed.is_known and (placed.is_run or what == "stage")
    return FileStep(what, joined(placed.folder, path), joined(placed.folder, to), is_sure)


def _written(command: Command, line: str) -> Iterator[ShellWord]:
    """Return the files that a command certainly writes or changes: no errors, no copies, no builds."""
    for one in output_redirects(command):
        if not line.encode(errors="replace")[: one.target.start].rstrip().endswith((b"2>", b"2>>")):
            yield one.target
    if command.name in _WRITERS:
        yield from (word for word, _how in written_words(command._replace(redirects=())))
    elif command.name == "git" and any(word.head.startswith("--output") for word in command.args):
        # Its `-o` is another option with each verb.
        yield from output_options(command.args)
    elif command.name in IN_PLACE_EDITORS and edits_in_place(command):
        yield from _edited(command)


def _edited(command: Command) -> tuple[ShellWord, ...]:
    """Return the files that an editor of streams changes: its operands without the script."""
    name = command.name or ""
    # On a Mac the ending of copies is a word of its own, and mostly empty.
    words = [_without_ending(word) if name in _SED else word for word in command.args if word.text != ""]
    found = read(
        command._replace(words=(command.words[0], *words)), values=_VALUES.get(name, ""), longs="expression file"
    )
    if name == "yq" or found.value("-e", "-E", "-f", "--expression", "--file") is None:
        return found.operands[1:]
    return found.operands


def _without_ending(word: ShellWord) -> ShellWord:
    """Return an option of sed without the ending that copies get: it may be made of letters that are options."""
    before, letter, ending = word.head.partition("i")
    is_cut = letter and ending and before.startswith("-") and before[:2] != "--" and not set(before) & set("ef")
    return literal(f"{before}i", word.start, word.end) if is_cut else word


def _removed(placed: PlacedCommand) -> Iterator[FileStep]:
    args = read(placed.command)
    # What it says is thrown away where it should not fail.
    silent = any(one.target.text == "/dev/null" for one in placed.command.redirects)
    what: What = "remove if there" if silent or args.may("-f", "--force") else "remove"
    yield from (_step(what, placed, word.text) for word in args.operands if word.text)


def _moved(placed: PlacedCommand, words: list[str]) -> Iterator[FileStep]:
    names = [word for word in words if word[:1] != "-"]
    is_plain = _DRY.isdisjoint(words) and not any(word.startswith("-t") for word in words)
    # A name that only the shell knows, such as `"$file"`, is empty here.
    if is_plain and len(names) == _FROM_AND_TO and all(names):
        yield _step("move", placed, *names)


def _git_steps(git: GitWords, placed: PlacedCommand) -> Iterator[FileStep]:
    """Return what a git command does to files."""
    verb, words, folder = git
    if head := head_step(git):
        yield FileStep("leave" if head.what == "move" else head.what)
    if not _DRY.isdisjoint(words):
        return
    if folder != "":
        known = folder is not None and folder.startswith("/")
        placed = placed._replace(folder=folder or _UNKNOWN, is_known=known)
    match verb:
        case "rm" if "--cached" not in words:
            yield from (_step("remove", placed, word) for word in git.named)
        case "mv":
            yield from _moved(placed, list(words))
        case "add" if not any(word.startswith("-") and word != "--" for word in words):
            yield from (_step("stage", placed, word) for word in words if _NAME.fullmatch(word) and word != EVERYTHING)
        case "reset" if "--hard" in words:
            yield FileStep("restore", EVERYTHING)
        case "clean" if any(word.startswith("-") and "f" in word for word in words):
            # Without a path it takes what is new, and nobody knows what that is.
            yield from _restored("restore", placed, git.named)
        case "restore" if "--staged" not in words or "--worktree" in words:
            yield from _restored("restore", placed, git.named)
        case "checkout" if "--" in words:
            yield from _restored("restore", placed, words[words.index("--") + 1 :])
        case "checkout" if not {"-b", "-B", "--orphan"} & set(words):
            paths = {word for word in git.named if word == EVERYTHING or word.endswith("/")}
            yield from _restored("restore", placed, sorted(paths))
            yield from _restored("perhaps restore", placed, [word for word in git.named if word not in paths])
        case "stash":
            yield from _stashed(git, placed)


def _restored(what: What, placed: PlacedCommand, words: Iterable[str]) -> Iterator[FileStep]:
    yield from (_step(what, placed, word) for word in words if word)


def _stashed(git: GitWords, placed: PlacedCommand) -> Iterator[FileStep]:
    verb = next(iter(git.named), "push")
    if verb in ("pop", "apply", "branch"):
        yield FileStep("unstash")
    elif verb in ("push", "save"):
        paths = git.words[git.words.index("--") + 1 :] if "--" in git.words else ()
        # Where only some files are put away, nobody asks for when they come back.
        yield from _restored("restore", placed, paths) if paths else iter([FileStep("stash")])
