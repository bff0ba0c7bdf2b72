"""The file of a home in which turns and recaps stay when the store is a server."""

from __future__ import annotations

from collections.abc import Callable

from tacit.records.connection import Connection


class LocalFile:
    """A second store, opened on first use."""

    def __init__(self, opened: Callable[[], Connection]) -> None:
        self._open = opened
        self._connection: Connection | None = None

    def connection(self) -> Connection:
        """Return the connection to the file, which is made if it does not exist."""
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def close(self) -> None:
        """Close the file, if it was opened."""
        if self._connection is not None:
            self._connection.store.close()
