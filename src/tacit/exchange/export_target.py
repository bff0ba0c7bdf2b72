"""Where exports write to: the arguments they share, and the check before any file is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tacit.errors import NotFound
from tacit.model.verb import arg
from tacit.records.connection import Connection

File = Annotated[str | Path, arg("The file to write.", metavar="FILE")]
Folder = Annotated[str | Path, arg("The folder to write to.", metavar="DIR")]


def target_of(c: Connection, path: str | Path) -> Path:
    """Return the path to write to. Refused without a store: every file of an earlier export would look out of use."""
    c.writable()
    if not c.store.engine()["exists"]:
        raise NotFound("there is no store here yet, so nothing was written", "the first `tacit memorize` makes it")
    return Path(path).expanduser()
