"""Load the lexicon for a folder: the user's files, the repository's files, and learned corrections."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tacit.failures.learned_search import ConceptFile
from tacit.failures.rules.corrections.find import forbids
from tacit.files.project_id import git_root
from tacit.files.settings_files import KG, SettingsFile, settings_files
from tacit.text.lexicon import LEAST_CHARS, Concept, Lexicon, LexiconWarning, read_concept, spelled

Origin = Literal["user", "project", "learned"]
# Only these may rewrite commands; a repository's files are written by whoever wrote the repository.
OWN: tuple[Origin, ...] = ("user", "learned")


class LexiconFile(NamedTuple):
    """A file of a lexicon."""

    origin: Origin
    path: str
    text: str


class LoadedLexicon(NamedTuple):
    """A lexicon: its concepts with the file each came from, and warnings about what was skipped."""

    lexicon: Lexicon
    entries: tuple[tuple[Origin, Concept], ...]
    warnings: tuple[LexiconWarning, ...]


def load_lexicon(home: Path, cwd: Path, learned: Iterable[ConceptFile] = (), *, own: bool = False) -> LoadedLexicon:
    """Load the lexicon for a folder. With `own`, only the user's files are read, not those of the repository."""
    warned: list[LexiconWarning] = []
    sources = list(_files("user", settings_files(home, "lexicon", ".md", own=True), warned))
    root = None if own else _kg_root(cwd)
    if root is not None:
        sources += _files("project", settings_files(root, KG, ".md", own=False), warned)
    sources += [LexiconFile("learned", f"learned/{page.name}", page.text) for page in learned]
    loaded = _read(_digest(sources), _Sources(sources))
    return loaded._replace(warnings=(*warned, *loaded.warnings))


def _kg_root(cwd: Path) -> Path | None:
    """Return the nearest `docs/src/kg` folder, from a folder upward and within its repository."""
    root = git_root(cwd)
    for place in (cwd, *cwd.parents):
        if (place / KG).is_dir():
            return place
        if place == root:
            break
    return None


def _files(origin: Origin, found: Iterable[SettingsFile], warned: list[LexiconWarning]) -> Iterator[LexiconFile]:
    for file in found:
        if file.problem:
            warned.append(LexiconWarning(file.path, 0, file.problem))
        else:
            yield LexiconFile(origin, file.path, file.text)


class _Sources(tuple[LexiconFile, ...]):
    """Sources that a cache identifies by their digest alone."""

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sources)


def _digest(sources: Iterable[LexiconFile]) -> str:
    content = hashlib.sha256()
    for source in sources:
        for part in source:
            content.update(part.encode(errors="surrogatepass") + b"\0")
    return content.hexdigest()


@lru_cache(8)
def _read(digest: str, sources: _Sources) -> LoadedLexicon:
    """Read the concepts, cached by digest: the same content is read once per process."""
    entries: list[tuple[Origin, Concept]] = []
    warned: list[LexiconWarning] = []
    for source in sources:
        concept, found = read_concept(source.path, source.text)
        # A learned ban replaces nothing, so it has no synonyms to match.
        if source.origin == "learned" and forbids(concept.title):
            continue
        warned += found
        warned += [
            LexiconWarning(source.path, 0, f"synonym {one[:40]!r} is too short to be matched")
            for one in concept.synonyms
            if len(spelled(one)) < LEAST_CHARS
        ]
        entries.append((source.origin, concept))
    lexicon = Lexicon(concept for _origin, concept in entries)
    return LoadedLexicon(lexicon, tuple(entries), (*warned, *lexicon.warnings))


def thesaurus(loaded: LoadedLexicon, name: str = "tacit") -> dict[str, Any]:
    """Return the lexicon as a thesaurus: each synonym with the number and title of its concept."""
    numbers = {id(concept): number for number, concept in enumerate(loaded.lexicon.concepts, 1)}
    entries = {
        pattern: {"id": numbers[id(concept)], "nterm": concept.title, "url": None}
        for pattern, concept in sorted(loaded.lexicon.words(), key=lambda one: (numbers[id(one[1])], one[0]))
        if pattern != spelled(concept.title)
    }
    return {"name": name, "data": entries}
