"""Open plain files only: for a device, a pipe or a folder, an error is raised at once, without waiting.

This module imports as little of the standard library as possible, because the cold path of a hook reads its cache with
it.
"""

from __future__ import annotations

import os
import stat

from tacit.files.open_stores import is_open, looking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

# Without O_NONBLOCK, opening a pipe waits for its writer; without O_NOCTTY, a terminal could become ours.
_PLAIN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class NotPlain(OSError):
    """The path is not a regular file, or the file is too large."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)


def open_plain(path: str | os.PathLike[str], *, follow: bool = True, folder: int | None = None) -> BinaryIO:
    """Open a regular file to read its bytes; without `follow`, a symbolic link is an error.

    Raises:
        OSError: it cannot be opened; `NotPlain` if it is not a regular file, or a store that is open here: when it is
            closed again, the locks of that store would be gone.
    """
    with looking:
        if is_open(path, folder):
            raise NotPlain("it is a store that is open here")
        handle = os.open(path, _PLAIN | (0 if follow else os.O_NOFOLLOW), dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotPlain("it is not a regular file")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_plain(
    path: str | os.PathLike[str], most_bytes: int, *, follow: bool = True, folder: int | None = None
) -> bytes:
    """Read a regular file of at most so many bytes; the size is checked while reading, because a file may grow.

    Raises:
        OSError: it cannot be read; `NotPlain` if it is not a regular file within the size limit.
    """
    with open_plain(path, follow=follow, folder=folder) as file:
        is_small = os.fstat(file.fileno()).st_size <= most_bytes
        content = file.read(most_bytes + 1) if is_small else b""
    if not is_small or len(content) > most_bytes:
        raise NotPlain(f"it is over {most_bytes:,} bytes")
    return content
