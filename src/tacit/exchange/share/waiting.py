"""Changes by other homes that wait for a person: they rely on what is here, so a pull does not take them."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.exchange.share.home import ShareHome, WaitingChange
from tacit.records.connection import Connection


def still_waiting(c: Connection, waiting: Mapping[str, WaitingChange]) -> set[str]:
    """Return which of these records are as they were when a pull left them: others have to be looked at anew."""
    here = c.store.get_many(list(waiting), c.store.scopes()) if waiting else {}
    return {id for id, record in here.items() if record.version == waiting[id].version}


def waiting_changes(c: Connection) -> int:
    """Count the changes that wait in all shared folders of this home."""
    if c.home is None:
        return 0
    home = ShareHome(c.home)
    return len({id for folder in home.folders() for id in still_waiting(c, home.waiting(folder))})
