"""Whether a hook may start the helper process: a person says so when an agent is connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SERVING = "run/serve.json"
"""Where the helper that runs says where it listens."""
HELPER = "helper"
DECLINED = "no-helper"


def want_helper(home: Path, wanted: bool | None) -> None:
    """Keep whether a hook may start the helper: the file `helper` exists, or `no-helper` does.

    Without a new decision, an earlier one holds; if there is none, a hook may.
    """
    if wanted is None:
        wanted = not (home / DECLINED).exists()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / (HELPER if wanted else DECLINED)).touch(mode=0o600)
    (home / (DECLINED if wanted else HELPER)).unlink(missing_ok=True)


def is_wanted(home: Path) -> bool:
    """Return whether a hook may start the helper, once an agent is connected."""
    return not (home / DECLINED).exists()
