"""The target of an export: shared arguments, and the check before any file is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tacit.errors import NotFound
from tacit.model.verb import arg
from tacit.records.connection import Connection

File = Annotated[str | Path, arg("The file to write.", metavar="FILE")]
Folder = Annotated[str | Path, arg("The folder to write to.", metavar="DIR")]


def target_of(c: Connection, path: str | Path) -> Path:
    """Return the path to write to.

    Raises an error without a store, because all earlier files would look out of date.
    """
    c.writable()
    if not c.store.engine()["exists"]:
        raise NotFound("there is no store here yet, so nothing was written", "the first `tacit memorize` creates it")
    return Path(path).expanduser()
