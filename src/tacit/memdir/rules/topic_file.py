"""The text of a topic file: split it into front matter and body, build it, and make its line in the index."""

from __future__ import annotations

import posixpath
import re
from typing import Any, NamedTuple
from urllib.parse import unquote

from tacit.errors import UsageError
from tacit.memdir.rules.front_matter import FrontMatter, read_front_matter
from tacit.memdir.rules.index import NAME
from tacit.memdir.rules.prompt import PRIVATE
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_yaml import read_yaml, write_yaml

# A target with spaces or brackets stands between angle brackets; a title may follow.
_LINK = lazy_pattern(
    r"(\[[^\]\n]*\]\()(?:<([^<>\n]+\.md)(#[^<>\n]*)?>|([^)\s<>]+\.md)(#[^)\s]*)?)((?:[ \t]+\"[^\"\n]*\")?\))"
)
_NEEDS_BRACKETS = lazy_pattern(r"[\s()<>]")
LOGS = "logs/"
AGENTS = "agents/"
TEAM = "team/"
_ONESELF = lazy_pattern(
    r"(?:^|(?<=[\s(,;:]))(?:I(?:'(?:m|ve|d|ll))?|[Mm]y|[Mm]yself)(?=[\s,;:!?)]|\.(?:\s|$)|$)", re.MULTILINE
)
_CONFLICT = lazy_pattern(r"\.conflict-\d{4}-\d{2}-\d{2}-[0-9a-f]{8}\.md$")


class TopicText(NamedTuple):
    """A split text: the front matter with its fences, its fields, and the text below."""

    top: str
    said: FrontMatter
    body: str


def apart(text: str) -> TopicText:
    """Split a text. Joining top and body gives the text again, byte for byte."""
    said = read_front_matter(text)
    if said.wrong or not text.endswith(said.body):
        return TopicText("", said._replace(body=text), text)
    return TopicText(text[: len(text) - len(said.body)], said, said.body)


def named(top: str, path: str) -> str:
    """Return the name in the front matter of a file, or else its file name."""
    return read_front_matter(top).name or posixpath.basename(path).removesuffix(".md")


def topped(name: str, description: str, type: str) -> str:
    """Build front matter."""
    said = {"name": name, "description": description, "type": type}
    return f"---\n{write_yaml({key: value for key, value in said.items() if value})}---\n"


def renamed(top: str, name: str) -> str:
    """Return front matter with another name; other fields stay."""
    inner = re.sub(r"^---[ \t]*\r?\n|^---[ \t]*\r?\n?\Z", "", top.removeprefix("\ufeff"), flags=re.MULTILINE)
    try:
        fields: Any = read_yaml(inner, "front matter") if inner.strip() else {}
    except UsageError:
        return top
    return f"---\n{write_yaml({'name': name} | fields | {'name': name})}---\n" if isinstance(fields, dict) else top


def conflict_name(path: str, day: str, digest: str) -> str:
    """Return the name of the conflict file next to `path`. The same text gives the same name."""
    return f"{path.removesuffix('.md')[:140]}.conflict-{day}-{digest[:8]}.md"


def is_conflict(path: str) -> bool:
    """Return whether a file contains the other version of a conflict."""
    return _CONFLICT.search(path) is not None


def is_kept(path: str) -> bool:
    """Return whether a topic file gets a note. Logs and conflict files do not."""
    return not path.startswith(LOGS) and not is_conflict(path)


def index_of(path: str) -> str:
    """Return the path of the index that lists a file. The team's and each agent's folder have their own index."""
    if path.startswith(AGENTS) and path.count("/") > 1:
        return f"{'/'.join(path.split('/')[:2])}/{NAME}"
    return f"{TEAM}{NAME}" if path.startswith(TEAM) else NAME


def private_in_team(path: str, text: str) -> str:
    """Return why a file may not be in the team's folder; empty if it may, or is not there."""
    kind = read_front_matter(text).type if path.startswith(TEAM) else ""
    return f"a memory of the type {kind} is private, and {TEAM} is for everybody" if kind in PRIVATE else ""


def speaks_of_oneself(text: str) -> bool:
    """Return whether a text is about whoever says it: such a thing is private, whatever type it is given."""
    return _ONESELF.search(text) is not None


def targets_in(text: str) -> list[str]:
    """Return the files that a text links to, as its links spell them."""
    return [_target(found) for found in _LINK.finditer(text)]


def _target(found: re.Match[str]) -> str:
    return found[2] or unquote(found[4])


def _spelt(target: str, part: str = "") -> str:
    """Return the target of a link, and the part of the page, so that the link is read as one."""
    return f"<{target}{part}>" if _NEEDS_BRACKETS.search(target) else f"{target}{part}"


def entry(path: str, text: str) -> str:
    """Return the line that lists a file in its index."""
    said = read_front_matter(text)
    within = posixpath.relpath(path, posixpath.dirname(index_of(path)) or ".")
    title = re.sub(r"[\[\]()]", "", said.name)[:60] or within.removesuffix(".md")
    return f"- [{title}]({_spelt(within)})" + (f": {said.description[:120]}" if said.description else "")


def listed(index: str, path: str, line: str) -> str:
    """Return an index with a line for a file added at its end, or unchanged if it links to the file already."""
    within = posixpath.relpath(path, posixpath.dirname(index_of(path)) or ".")
    if any(posixpath.normpath(target) == within for target in targets_in(index)):
        return index
    end = "\r\n" if "\r\n" in index else "\n"
    ended = index if not index or index.endswith("\n") else f"{index}{end}"
    return f"{ended}{line}{end}"


def relinked(text: str, place: str, old: str, new: str, into: str | None = None) -> str:
    """Return an index in the folder `place`, or a line of it, with its links to a moved file leading to the new path.

    `into` is the folder of the index that a line is moved to.
    """
    written = (place if into is None else into) or "."

    def target(found: re.Match[str]) -> str:
        if posixpath.normpath(posixpath.join(place, _target(found))) != old:
            return found[0]
        return f"{found[1]}{_spelt(posixpath.relpath(new, written), found[3] or found[5] or '')}{found[6]}"

    return _LINK.sub(target, text)


def lines_of(index: str, place: str, path: str) -> list[str]:
    """Return the lines of an index that list one file: list items whose only link leads to it."""
    listing = (line.rstrip("\r\n") for line in index.splitlines() if line.lstrip().startswith(("- ", "* ", "+ ")))
    leads = ((line, [posixpath.normpath(posixpath.join(place, one)) for one in targets_in(line)]) for line in listing)
    return [line for line, paths in leads if paths == [path]]


def unlisted(index: str, line: str) -> str:
    """Return an index without this exact line. A line that was edited by hand stays."""
    lines = index.splitlines(keepends=True)
    return "".join(one for one in lines if one.rstrip("\r\n") != line)
