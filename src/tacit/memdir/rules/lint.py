"""Find, with pure functions, problems in the files of a memory directory that a person or an agent can fix."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from tacit.memdir.rules.front_matter import read_front_matter
from tacit.memdir.rules.index import MOST_BYTES, MOST_LINES, NAME
from tacit.memdir.rules.topic_file import AGENTS, LOGS, TEAM, entry, is_conflict, private_in_team, targets_in

MOST_LINE_CHARS = 200
# Shorter lines are in many texts by chance.
_LEAST_REPEATED_CHARS = 30


class LintFinding(NamedTuple):
    """One finding: the place, the rule, and a sentence."""

    file: str
    line: int
    rule: str
    message: str


def lint(
    files: Mapping[str, str], instructions: Mapping[str, str], secret_lines: Callable[[str], list[int]],
    gone: Callable[[str], list[tuple[int, str]]], aside: Collection[str] = (), unlisted: Collection[str] = (),
) -> list[LintFinding]:  # fmt: skip
    """List the problems of a memory directory. `files` are its texts by path, including the index.

    `gone` returns the names in a text that no longer exist, with their lines. Paths in `aside` exist, or are in a
    folder that does, but are not checked; paths in `unlisted` do not belong in the index.
    """
    found = [*_index(files, aside, unlisted), *_duplicates(files), *_repeated(files, instructions)]
    for path, text in files.items():
        found += [LintFinding(path, line, "secret", "holds a secret") for line in secret_lines(text)]
        if path == NAME:
            continue
        if why := private_in_team(path, text):
            found.append(LintFinding(path, 1, "private", why))
        top = read_front_matter(text)
        if top.wrong or not (top.name and top.description):
            message = top.wrong or "has no name or no description in its front matter"
            found.append(LintFinding(path, 1, "front-matter", message))
        found += [
            LintFinding(path, line, "gone", f"names {what[:100]}, which does not exist") for line, what in gone(text)
        ]
    return sorted(found)


def _index(files: Mapping[str, str], aside: Collection[str], unlisted: Collection[str]) -> Iterator[LintFinding]:
    lines = files.get(NAME, "").splitlines()
    listed = set()
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_LINE_CHARS:
            yield LintFinding(NAME, number, "long-line", f"has {len(line)} characters; keep it under {MOST_LINE_CHARS}")
        for target in targets_in(line):
            path = posixpath.normpath(target)
            if not _is_there(path, files, aside):
                yield LintFinding(NAME, number, "dead-link", f"{target[:100]} does not exist")
            elif path in listed:
                yield LintFinding(NAME, number, "listed-twice", f"{target[:100]} is already listed above")
            listed.add(path)
    if len(lines) > MOST_LINES or len(files.get(NAME, "").encode(errors="replace")) > MOST_BYTES:
        yield LintFinding(
            NAME, 0, "too-large", f"is over {MOST_LINES} lines or {MOST_BYTES:,} bytes; the rest is not loaded"
        )
    # Some folders have their own index, and logs are not listed.
    for path in files.keys() - listed - {NAME} - set(unlisted):
        if is_conflict(path):
            yield LintFinding(
                path, 0, "conflict", "is the other version of a conflict; resolve it and remove this file"
            )
        elif not path.startswith((LOGS, TEAM, AGENTS)):
            yield LintFinding(path, 0, "orphan", f"is not listed in {NAME}")


def _duplicates(files: Mapping[str, str]) -> Iterator[LintFinding]:
    seen: dict[str, str] = {}
    for path in sorted(files.keys() - {NAME}):
        body = " ".join(read_front_matter(files[path]).body.split()).casefold()
        if body and (first := seen.setdefault(body, path)) != path:
            yield LintFinding(path, 0, "duplicate", f"has the same text as {first}")


def _repeated(files: Mapping[str, str], instructions: Mapping[str, str]) -> Iterator[LintFinding]:
    known = {_bare(line): name for name, text in instructions.items() for line in text.splitlines()}
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if len(bare := _bare(line)) >= _LEAST_REPEATED_CHARS and bare in known:
                yield LintFinding(path, number, "repeated", f"is already in {known[bare]}")


def _bare(line: str) -> str:
    return " ".join(line.split()).lstrip("-*#>+ ").rstrip(".").casefold()


def _is_there(path: str, files: Mapping[str, str], aside: Collection[str]) -> bool:
    return path in files or any(path == one or path.startswith(f"{one}/") for one in aside)


def fixed_index(
    files: Mapping[str, str], aside: Collection[str] = (), unlisted: Collection[str] = (),
    clean: Callable[[str], str] = str,
) -> str:  # fmt: skip
    """Return the index without entries whose links are all dead, and with an entry for each unlisted file.

    All other lines stay unchanged, including line ends. `clean` redacts the new lines.
    """
    before = files.get(NAME, "")
    end = "\r\n" if "\r\n" in before else "\n"
    kept = []
    for line in before.splitlines(keepends=True):
        targets = targets_in(line)
        is_entry = line.lstrip().startswith(("- ", "* "))
        if not (is_entry and targets and not any(_is_there(posixpath.normpath(one), files, aside) for one in targets)):
            kept.append(line)
    added = [entry(one.file, files[one.file]) for one in sorted(_index(files, aside, unlisted)) if one.rule == "orphan"]
    if added and kept and not kept[-1].endswith("\n"):
        kept[-1] += end
    return "".join([*kept, *(clean(line) + end for line in added)])
