"""Commands that are run for many values: xargs, parallel, find -exec."""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase

from tacit.shell.command import UNKNOWN, Command, Piece, ShellWord, UnknownPart, literal, telling
from tacit.shell.options import OptionSpec, after_options, split_options
from tacit.shell.programs.shells import SHELLS
from tacit.shell.rerun_text import NestedCommands, filled, joined, joint, run_stdin, run_text, run_words
from tacit.text.patterns import lazy_pattern

CHOOSING = frozenset({"-name", "-iname", "-path", "-regex", "-empty", "-newer", "-mtime"})
"""Tests by which find chooses files; without any, it finds everything."""
_CHANGERS = frozenset({"chmod", "chown", "chgrp"})


def xargs(command: Command) -> NestedCommands:
    """Return the command that runs with the words, or with each line, of the input."""
    # -e, -i and -l, and their long names, take an attached value or none.
    prefix = OptionSpec(
        "aEIJLnPsd", "arg-file delimiter max-args max-procs max-chars process-slot-var",
        others="replace max-lines eof null no-run-if-empty interactive verbose exit open-tty show-limits",
    )  # fmt: skip
    rest = after_options(command.args, prefix)
    # `command` is a part of the shell, so xargs finds no program of that name.
    if not rest or [word.text for word in rest] == ["command"]:
        return NestedCommands()
    split = split_options(command.args, prefix)
    marks = [value.text for option, value in split if option in ("I", "J", "replace") and value is not None]
    mark = marks[0] if marks else "{}" if any(option in ("i", "replace") for option, _value in split) else None
    bare = command._replace(stdin=None, piped=False, feeder=None)
    if mark:
        values = _lines(command)
        return joint(run_words(bare, tuple(filled(word, mark, value) for word in rest)) for value in values)
    given = _words(command)
    if rest[-1].text == "-c" and rest[0].shown.rsplit("/", 1)[-1] in SHELLS:
        given = (joined(given),)
    return run_words(bare, (*rest, *given))


def _words(command: Command) -> tuple[ShellWord, ...]:
    # What find was told to choose is not just anything: it is taken for one word, as if it were quoted.
    feeder = command.feeder
    chosen = feeder is not None and feeder.name == "find" and any(word.text in CHOOSING for word in feeder.args)
    unknown = UNKNOWN._replace(quoted=chosen)
    words: list[list[Piece]] = [[]]
    for piece in command.stdin.pieces if command.stdin is not None else ():
        if isinstance(piece, UnknownPart):
            words[-1].append(piece)
            continue
        # The first part belongs to the word before, the others begin words.
        first, *others = re.split(r"[\s\0]+", piece)
        words[-1].append(first)
        words += [[part] for part in others]
    made = (tuple(piece for piece in word if piece != "") for word in words)
    return tuple(ShellWord(pieces, command.start, command.end) for pieces in made if pieces) or (unknown,)


def _lines(command: Command) -> tuple[ShellWord, ...]:
    text = command.stdin.text if command.stdin is not None else None
    lines = [line.strip() for line in text.replace("\0", "\n").split("\n") if line.strip()] if text is not None else []
    return tuple(telling([literal(line, command.start, command.end) for line in lines])) or (UNKNOWN,)


def parallel(command: Command) -> NestedCommands:
    """Return the command that runs with each value: after `:::`, or from the input."""
    rest = after_options(command.args, _PARALLEL)
    if any(word.text in ("--dry-run", "--dryrun") for word in command.args[: len(command.args) - len(rest)]):
        return NestedCommands()
    if command.name == "sem":
        return run_text(command, joined(rest))
    marks = [at for at, word in enumerate(rest) if word.text in (":::", "::::", ":::+", "::::+")]
    words = rest[: marks[0]] if marks else rest
    values = (
        tuple(telling([word for word in rest[marks[0] + 1 :] if (word.text or "") not in (":::", "::::")]))
        if marks
        else ()
    )
    if marks and rest[marks[0]].text == "::::":
        values = ()
    values = values or (_lines(command) if command.stdin is not None else (UNKNOWN,))
    if not words:
        return joint(run_text(command, value) for value in values) if marks else run_stdin(command)
    # A command in one word is complete; to several words, each value is appended.
    whole = (len(words) == 1 and " " in words[0].shown) or any(_MARK.search(word.shown) for word in words)
    return joint(
        run_text(command, joined(tuple(_with_value(word, value) for word in words) if whole else (*words, value)))
        for value in values
    )


_MARK = lazy_pattern(r"\{\d*(?:\.|/|//|/\.)?\}")


def _with_value(word: ShellWord, value: ShellWord) -> ShellWord:
    """Return a word of parallel with a value in the place of its marks: `{}`, `{.}`, `{/}`, `{//}`, `{1}`."""
    text = value.shown
    folder, _slash, name = text.rpartition("/")
    parts = {".": posixpath.splitext(text)[0], "/": name, "//": folder, "/.": posixpath.splitext(name)[0]}
    for mark in dict.fromkeys(_MARK.findall(word.shown)):
        part = parts.get(mark.strip("{}0123456789"))
        word = filled(word, mark, literal(part) if part is not None and value.text is not None else value)
    return word


_PARALLEL = OptionSpec("jSaNLnIPsX", "jobs sshlogin arg-file joblog timeout delay colsep results id semaphorename")


def find(command: Command) -> NestedCommands:
    """Return the command that runs with each file found."""
    found: list[Command] = []
    args = command.args
    roots = _find_roots(args)
    index = 0
    while index < len(args):
        if args[index].text in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"):
            end = index + 1
            while end < len(args) and args[end].text not in (";", "+"):
                end += 1
            changes = index + 1 < end and (args[index + 1].text or "").rpartition("/")[2] in _CHANGERS
            # Applied to all that is found, these do what they do with -R.
            file = roots[0] if changes else ShellWord((*roots[0].pieces, "/", UnknownPart(), *_chosen_name(args)))
            # Each found file is one word, as if it were quoted.
            words = tuple(
                filled(word, "{}", file)._replace(quoted=word.quoted or "{}" in word.shown)
                for word in args[index + 1 : end]
            )
            if words and (command.name or "").startswith("fd") and words == args[index + 1 : end]:
                words = (*words, file)
            if changes:
                words = (words[0], literal("-R"), *words[1:])
            if words:
                found.append(command._replace(words=words, redirects=(), stdin=None))
            index = end
        index += 1
    return NestedCommands(tuple(found))


_PROTECTED = (".tacit", ".claude", ".codex", ".ssh", ".gnupg", ".aws", ".git", ".cursor", ".gemini")


def _chosen_name(args: tuple[ShellWord, ...]) -> tuple[str, ...]:
    """Return the name that everything found has, as the end of a path; nothing if there may be others."""
    texts = [word.text for word in args]
    names = [texts[at + 1] or "" for at, text in enumerate(texts[:-1]) if text == "-name"]
    # A pattern that a protected folder matches may be meant for it.
    meant = next((one for one in _PROTECTED for name in names if "*" in name.strip("*") and fnmatchcase(one, name)), "")
    if meant:
        return (f"/{meant}",)
    plain = len(names) == 1 and names[0].strip(".") and not any(mark in names[0] for mark in "*?[/")
    return (f"/{names[0]}",) if plain and not {"-o", "-or", "!", "-not", ","}.intersection(texts) else ()


def _find_roots(args: tuple[ShellWord, ...]) -> tuple[ShellWord, ...]:
    roots = []
    for word in args:
        if (word.text or word.head).startswith(("-", "(", "!")):
            break
        roots.append(word)
    return tuple(roots) or (literal("."),)
