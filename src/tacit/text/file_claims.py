"""Names in a text that should exist: paths, and in code spans also names, flags and commands, to be found in a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tacit.text.patterns import lazy_pattern

MOST_CLAIMS = 200
_SPAN = lazy_pattern(r"(?<!`)`([^`\n]{2,200})`(?!`)")
_PATH = lazy_pattern(r"(?:\./)?((?:[\w.@+-]+/)+(?:[\w@+-]+\.[A-Za-z]\w{0,7})?)(?:[:#](?:L?\d+|[\w.]+)(?:-L?\d+)?)?")
_CALL = lazy_pattern(r"((?:[A-Za-z_]\w*(?:\.|::))*)([A-Za-z_]\w*)\(\)?.*\)?", re.ASCII)
_NAME = lazy_pattern(
    r"(?:[A-Za-z_]\w*(?:\.|::))*([A-Za-z]\w*_\w+|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)", re.ASCII
)
_FLAG = lazy_pattern(r"(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[= ].*)?", re.ASCII)
_TARGET = lazy_pattern(r"(make|just|(?:npm|pnpm|yarn|bun) run) ([A-Za-z0-9][\w:./-]*)(?: .*)?", re.ASCII)
_COMMAND = lazy_pattern(r"([a-z][a-z0-9_-]{2,})(?: [\w./:=@,+-]+){1,12}", re.ASCII)
_LEAST_NAME_CHARS = 4
# After the path: a line, a part of the page, or a test in it.
_BARE = lazy_pattern(r"(\./)?((?:[\w.@+-]+/)+[\w.@+-]*)(?:[:#](?:L?\d+|[\w.-]+)(?:-L?\d+)?|(?:::[\w.\[\]-]+)+)?")
# Outside code spans only what surely is a path: `./` and what follows; folders, then a slash or a usual kind of file.
# `and/or`, `TCP/IP`, versions, branches and addresses are not.
_FILE = lazy_pattern(
    r"(?:.+\.(?:py|pyi|ipynb|[cm]?[jt]sx?|vue|svelte|go|rs|java|kts?|scala|swift|rb|php|pl|lua|r|jl|exs?|erl|hs|c|h|cc|cpp"
    r"|hpp|cs|fs|sh|bash|zsh|fish|ps1|bat|sql|proto|graphql|tf|toml|ya?ml|json|jsonl|jsonc|xml|ini|cfg|conf|env|lock|md"
    r"|mdx|rst|txt|adoc|html?|css|scss|less|csv|tsv|svg|gradle|cmake|mk|service|j2|tmpl|patch)"
    r"|(?:Make|Docker|Jenkins|Rake|Gem|Pip|Proc|Vagrant|Caddy|Brew)file(?:\.\w+)?|justfile)"
)
_AROUND = "\"'()[]{}<>,;:!?*_\u2018\u2019\u201c\u201d"
# What is made and not kept is often not there.
_MADE = frozenset({
    "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "out", "target", "tmp", "coverage",
    "vendor", ".git",
})  # fmt: skip


class Claim(NamedTuple):
    """A name in a text, and its line. `told_by` is the file that lists a target."""

    kind: Literal["path", "name", "flag", "target", "command"]
    text: str
    line: int
    told_by: str = ""


def claims_of(text: str) -> list[Claim]:
    """Return the names in a text that should exist, each once, in order."""
    found: dict[tuple[str, str, str], Claim] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for span in _SPAN.findall(line):
            for claim in _claims(span.strip(), number):
                found.setdefault((claim.kind, claim.text, claim.told_by), claim)
        for claim in _bare_paths(line, number):
            found.setdefault((claim.kind, claim.text, claim.told_by), claim)
        if len(found) >= MOST_CLAIMS:
            break
    return list(found.values())[:MOST_CLAIMS]


def _bare_paths(line: str, number: int) -> Iterator[Claim]:
    """Return the paths in a line outside its code spans."""
    if "/" not in line:
        return
    # A link in Markdown has no space before its target.
    for word in _SPAN.sub(" ", line).replace("](", " ").split():
        path = _BARE.fullmatch(word.lstrip(_AROUND).rstrip(f"{_AROUND}.")) if "/" in word else None
        if path is None:
            continue
        *folders, file = path[2].split("/")
        # A host has a dot in its first part; a folder may begin with one.
        is_host = "." in folders[0][1:] or folders[0].startswith("@")
        is_path = path[1] or (not is_host and (_FILE.fullmatch(file) or (not file and len(folders) > 1)))
        if is_path and not {"..", *_MADE} & set(folders):
            yield Claim("path", path[2], number)


def _claims(span: str, line: int) -> Iterator[Claim]:
    if target := _TARGET.fullmatch(span):
        told_by = {"make": "Makefile", "just": "justfile"}.get(target[1], "package.json")
        yield Claim("target", target[2], line, told_by)
    elif path := _PATH.fullmatch(span) or _PATH.fullmatch(span.split(" ", 1)[0]):
        if ".." not in path[1].split("/"):
            yield Claim("path", path[1], line)
    elif flag := _FLAG.fullmatch(span):
        yield Claim("flag", flag[1], line)
    elif (call := _CALL.fullmatch(span)) and len(call[2]) >= _LEAST_NAME_CHARS:
        yield Claim("name", call[2], line)
    elif (name := _NAME.fullmatch(span)) and len(name[1]) >= _LEAST_NAME_CHARS:
        yield Claim("name", name[1], line)
    elif command := _COMMAND.fullmatch(span):
        yield Claim("command", command[1], line)
