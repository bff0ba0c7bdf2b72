"""Which files a command writes, changes or removes: by redirection, as operands, or by an option."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from tacit.guard.args import ParsedArgs, read
from tacit.shell.command import Command, Redirect, ShellWord

How = Literal["write", "add", "change", "remove", "alter", "allow", "unpack"]
"""A new content, more content, a change, no file any more, another mode or time, more rights, or files in a folder."""


class WrittenWord(NamedTuple):
    """A word that names what a command writes, and how."""

    word: ShellWord
    how: How


_TO = ("-o", "-O", "--output", "--output-document", "--out", "-out")
OUTPUT_WRITERS = frozenset({
    "git", "curl", "wget", "sort", "gsort", "openssl", "gpg", "gpg2", "gcc", "g++", "cc", "clang", "rustc", "go",
    "aria2c", "yq", "jq", "pandoc", "uniq",
})  # fmt: skip
COPIERS = frozenset({"cp", "gcp", "mv", "gmv", "install", "ginstall", "ln", "gln", "link", "rsync", "scp", "ditto"})
_COPY_VALUES = {"install": "tSmog", "rsync": "efBTM", "scp": "iPFoJlcSXD"}
_COPY_LONGS = (
    "target-directory suffix mode owner group exclude exclude-from include include-from files-from filter rsh"
    " rsync-path backup-dir link-dest compare-dest copy-dest"
    " partial-dir temp-dir log-file port chmod chown max-size min-size"
)
_OPERANDS: dict[str, How] = {
    **dict.fromkeys(("tee", "sponge"), "write"),
    **dict.fromkeys(("patch", "ed", "ex", "sd", "dos2unix", "truncate", "gtruncate"), "change"),
    **dict.fromkeys(("rm", "grm", "unlink", "srm", "shred", "wipe", "rmdir", "trash"), "remove"),
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl", "touch", "mkdir", "mkfifo", "mknod"), "alter"),
}  # fmt: skip
_UNPACKERS = frozenset({"tar", "gtar", "bsdtar", "unzip", "7z", "7za", "cpio", "unrar"})
_IN_PLACE = re.compile(r"-[A-Za-z\d]*i(?:\W.*)?|-i.*|-pi.*|--in-?place(?:=.*)?")
IN_PLACE_EDITORS = frozenset({"sed", "gsed", "perl", "ruby", "yq", "awk", "gawk"})
# Modes that only let a file run.
_RUNNABLE = re.compile(r"[ua]?\+x|7[57]5|700")
_GIT_CHANGES = frozenset({"checkout", "restore", "rm", "mv"})


def written_words(command: Command) -> Iterator[WrittenWord]:
    """Return the words that name what a command writes, changes or removes."""
    yield from (
        WrittenWord(one.target, "add" if ">>" in one.operator else "write") for one in output_redirects(command)
    )
    name = command.name or ""
    if name in COPIERS:
        yield from _copied(command)
    elif name in _OPERANDS:
        words = read(command, values="nsr" if "trunc" in name else "").operands
        how: How = "allow" if name == "chmod" and words and _RUNNABLE.fullmatch(words[0].shown) else _OPERANDS[name]
        yield from (WrittenWord(word, how) for word in words)
    elif name in IN_PLACE_EDITORS and edits_in_place(command):
        yield from (WrittenWord(word, "change") for word in read(command).operands)
    elif name in _UNPACKERS:
        yield from _unpacked(command)
    elif name == "dd":
        yield from (WrittenWord(_without(word, 3), "change") for word in command.args if word.head.startswith("of="))
    elif name == "git":
        words = tuple(word for word in command.args if not word.head.startswith("-"))
        if words and words[0].text in _GIT_CHANGES and not any(word.text == "--cached" for word in command.args):
            yield from (WrittenWord(word, "remove") for word in words[1:])
        elif words and words[0].text == "clone":
            yield WrittenWord(words[-1], "write")
    if name in OUTPUT_WRITERS:
        yield from (WrittenWord(word, "write") for word in output_options(command.args))


def output_redirects(command: Command) -> Iterator[Redirect]:
    """Return the redirections that open a file for writing; copying a descriptor, as in `2>&1`, does not."""
    for one in command.redirects:
        if ">" in one.operator and not (one.operator.endswith("&") and re.fullmatch(r"\d+-?|-", one.target.shown)):
            yield one


def output_options(args: Sequence[ShellWord]) -> Iterator[ShellWord]:
    """Return the files that options such as `-o` and `--output=` name."""
    for word, after in pairwise(args):
        if word.text in _TO or re.fullmatch(r"-[A-Za-z]*[oO]", word.text or ""):
            yield after
    for word in args:
        if word.head.partition("=")[0] in _TO and "=" in word.head:
            yield _without(word, word.head.index("=") + 1)


def edits_in_place(command: Command) -> bool:
    """Return whether an editor of streams changes the files it reads."""
    texts = [word.text or "" for word in command.args]
    if command.name in ("awk", "gawk"):
        return "inplace" in texts
    return any(_IN_PLACE.fullmatch(text) for text in texts)


def target_of(args: ParsedArgs) -> tuple[ShellWord | None, tuple[ShellWord, ...]]:
    """Return where cp, mv and similar programs write, and what they take."""
    named = args.value("-t", "--target-directory")
    if named is not None:
        return named, args.operands
    return (args.operands[-1], args.operands[:-1]) if len(args.operands) > 1 else (None, args.operands)


def _copied(command: Command) -> Iterator[WrittenWord]:
    args = read(command, values=_COPY_VALUES.get(command.name or "", "tS"), longs=_COPY_LONGS)
    target, sources = target_of(args)
    if command.name in ("mv", "gmv"):
        yield from (WrittenWord(word, "remove") for word in sources)
    if target is None or re.match(r"[\w.@-]+:", target.shown) or (command.name == "cp" and _is_backup(target, sources)):
        return
    if command.name in ("ln", "gln"):
        yield WrittenWord(target, "remove")
    if command.name not in ("ln", "gln") or args.may("-f", "--force"):
        yield WrittenWord(target, "write")
    for word in sources:
        # The target may be a folder, and then the file in it has the name of the source.
        base = word.shown.rstrip("/").rpartition("/")[2]
        is_named = base not in (".", "*", "")
        within = target._replace(pieces=(*target.pieces, f"/{base}")) if is_named else target
        yield WrittenWord(within, "change" if is_named else "unpack")


_BACKUP = re.compile(r"[._-]?(?:bak|backup|orig|old|save|copy|before|prev|\d{6,})", re.I)


def _is_backup(target: ShellWord, sources: tuple[ShellWord, ...]) -> bool:
    """Return whether a copy is made beside the original, under a name that says so: `nginx.conf.bak-2026`."""
    original = sources[0].text if len(sources) == 1 else None
    return (
        bool(original)
        and target.head.startswith(original or "")
        and bool(_BACKUP.match(target.head[len(original or "") :]))
    )


def _unpacked(command: Command) -> Iterator[WrittenWord]:
    args = read(command, values="fCdDo" if (command.name or "").startswith("7z") else "fCdD", longs="file directory")
    takes = command.name not in ("tar", "gtar", "bsdtar") or args.may("-x", "--extract", "--get")
    takes = takes or any("x" in word for word in args.words[:1] if len(word) < 6)
    target = args.value("-C", "--directory", "-d", "-D", "-o")
    if takes and target is not None:
        yield WrittenWord(target, "unpack")


def _without(word: ShellWord, count: int) -> ShellWord:
    """Return a word without its first characters: the value of `of=value`."""
    return word._replace(pieces=tuple(piece for piece in (word.head[count:], *word.pieces[1:]) if piece != ""))
