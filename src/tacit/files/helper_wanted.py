"""Whether a hook may start the helper process: a person says so when an agent is connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HELPER = "helper"


def want_helper(home: Path, wanted: bool) -> None:
    """Keep whether a hook may start the helper: the empty file `helper` in the home exists, or does not."""
    path = home / HELPER
    if wanted:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
    else:
        path.unlink(missing_ok=True)
