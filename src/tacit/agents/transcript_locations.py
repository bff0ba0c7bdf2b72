"""Where each agent keeps its transcripts, on Linux and macOS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from tacit.agents.agent import places
from tacit.agents.registry import NAMES, agent


class TranscriptLocation(msgspec.Struct, frozen=True, kw_only=True):
    """A place where an agent keeps transcripts, and whether the place exists on this machine."""

    agent: str
    root: str
    exists: bool


def sources(home: Path, env: Mapping[str, str], cwd: Path | None = None) -> list[TranscriptLocation]:
    """List every place to search, including the folders of the project in which some keep their histories."""
    where = places(home, env)
    found = [(name, root) for name in NAMES for root in agent(name).folders(where)]
    found += [(name, root) for name in NAMES if agent(name).in_project for root in _projects(name, cwd)] if cwd else []
    return [TranscriptLocation(agent=name, root=str(root), exists=root.is_dir()) for name, root in dict.fromkeys(found)]


def files_of(source: TranscriptLocation) -> Iterator[Path]:
    """Return the transcripts of a source, without duplicates, in a fixed order."""
    root = Path(source.root)
    seen: set[Path] = set()
    for pattern in agent(source.agent).files:
        for path in sorted(_glob(root, pattern)):
            if path not in seen and path.is_file():
                seen.add(path)
                yield path


def _glob(root: Path, pattern: str) -> Iterator[Path]:
    try:
        yield from root.glob(pattern)
    except OSError:
        # An unreadable folder has nothing for us.
        return


def _projects(name: str, cwd: Path) -> Iterator[Path]:
    """Return the folders of an agent's histories in a project and in those around it; if none has any, its own."""
    folders = [place / agent(name).in_project for place in (cwd, *cwd.parents)]
    patterns = agent(name).files
    found = [folder for folder in folders if any(path for pattern in patterns for path in _glob(folder, pattern))]
    yield from found or folders[:1]
