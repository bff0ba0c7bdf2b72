"""Access files inside a folder, and never outside it: names are checked strictly, and no link in the path is followed.

Each folder of the path is opened relative to its parent, so that nobody can replace a folder by a link between the
check and the use.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tacit.errors import Conflict, NotFound, Refused, StoreFull, StoreReadOnly, TacitError, UsageError
from tacit.files.plain_file import NotPlain, read_plain
from tacit.text.patterns import lazy_pattern

MOST_DEPTH = 16
_MOST_NAME_BYTES = 200
_MOST_COMPARED_BYTES = 10_000_000
_ENCODED = lazy_pattern(r"%[0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}")
_DRIVE = lazy_pattern(r"[A-Za-z]:")
_SPECIAL = frozenset("./\\:%~\0")
# Characters that look like slashes and dots and that no Unicode normalisation turns into them.
_LOOK_ALIKES = frozenset("\u2044\u2215\u2216\u29f5\u29f8\u29f9\u2571\u2572\u3033\u0660\u06f0\u06d4\u0701\u0702\ua4f8")
_RESERVED = lazy_pattern(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def parts_inside(name: str) -> tuple[str, ...]:
    """Return the names in a relative path. A path that could lead out of the folder, in any spelling, is refused."""
    if wrong := _wrong(name):
        raise UsageError(
            f"{name[:80]!r} is not a path inside this folder: {wrong}", "give a plain relative path such as notes/a.md"
        )
    return tuple(name.split("/"))


def _wrong(name: str) -> str:
    if not name:
        return "it is empty"
    if "\\" in name or name.startswith("/") or _DRIVE.match(name):
        return "it is absolute, or has backslashes"
    if _ENCODED.search(name):
        return "it is encoded"
    if any(_hides(char) for char in name):
        return "it contains a character that is invisible or looks like another"
    parts = name.split("/")
    if len(parts) > MOST_DEPTH:
        return f"it is over {MOST_DEPTH} folders deep"
    return next((wrong for part in parts if (wrong := _wrong_part(part))), "")


def _wrong_part(part: str) -> str:
    if not part or part.startswith("."):
        return "a part of it is empty or begins with a dot"
    if part.startswith("~") or part[-1] in ". " or part[0] == " " or ":" in part:
        return "a part of it has another meaning on some systems"
    if _RESERVED.fullmatch(part):
        return "a part of it is a device on some systems"
    return "a part of it is too long" if len(os.fsencode(part)) > _MOST_NAME_BYTES else ""


def _hides(char: str) -> bool:
    """Return whether a character is invisible, or looks like a dot, slash or colon."""
    if " " <= char < "\x7f":
        return False
    if char in _LOOK_ALIKES or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"):
        return True
    return not _SPECIAL.isdisjoint(unicodedata.normalize("NFKC", char))


class SafeFolder:
    """A folder whose files are read and written by their names within it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str, most_bytes: int) -> bytes:
        """Read a plain file.

        Raises:
            NotFound: there is no such file.
            Refused: the path contains a link.
            UsageError: the name leads elsewhere, or it is not a plain file within the size limit.
        """
        *folders, file = parts_inside(name)
        with _typed(name), self._folder(folders) as folder:
            return read_at(folder, file, name, most_bytes)

    def write(self, name: str, content: bytes, *, new: bool = False, over: str = "", mode: int = 0o600) -> None:
        """Write a file so that a reader or a crash sees the old or the new content.

        With `new`, the file must not exist.

        `over` is the hash of the content it may replace; content that was written meanwhile stays. With a `mode` that
        lets others read, an existing file keeps its permissions.

        Raises:
            Conflict: the file exists although `new` is set, or its content has changed meanwhile.
            Refused: the path contains a link, or the file has hard links.
            StoreFull, StoreReadOnly: the disk refused; nothing was changed.
        """
        *folders, file = parts_inside(name)
        with _typed(name), self._folder(folders, make=True) as folder:
            status = _status(folder, file)
            if status is not None:
                if new:
                    raise Conflict(f"{name} already exists", "choose another name")
                _own_file(status, name)
            temporary = f".{file[:40]}.{os.getpid()}.{os.urandom(4).hex()}"
            try:
                kept = stat.S_IMODE(status.st_mode) & 0o777 if status is not None and mode != 0o600 else mode
                _write_at(folder, temporary, content, kept)
                if new:
                    os.link(temporary, file, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
                else:
                    _expect(folder, file, name, over)
                    os.rename(temporary, file, src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                raise Conflict(f"{name} already exists", "choose another name") from None
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
            os.fsync(folder)

    def remove(self, name: str, *, over: str = "") -> None:
        """Remove a file, or a folder with everything in it. Targets of links stay.

        Raises:
            Conflict: `over` is the hash of the content that may be removed, and the content has changed meanwhile.
        """
        *folders, file = parts_inside(name)
        with _typed(name), self._folder(folders) as folder:
            if stat.S_ISDIR(self._there(folder, file, name).st_mode):
                import shutil

                shutil.rmtree(file, dir_fd=folder)
            else:
                _expect(folder, file, name, over)
                os.unlink(file, dir_fd=folder)
            os.fsync(folder)

    def move(self, old: str, new: str) -> None:
        """Rename a file or folder. An existing one is never replaced."""
        *source, before = parts_inside(old)
        *target, after = parts_inside(new)
        if (*target, after)[: len(source) + 1] == (*source, before):
            raise UsageError(f"{new[:80]} is inside {old[:80]}", "choose another name")
        with _typed(old), self._folder(source) as here:
            status = self._there(here, before, old)
            with self._folder(target, make=True) as there:
                if _status(there, after) is not None:
                    raise Conflict(f"{new} already exists", "choose another name")
                if stat.S_ISDIR(status.st_mode):
                    # Only an empty folder that was made at this very moment could be replaced.
                    os.rename(before, after, src_dir_fd=here, dst_dir_fd=there)
                else:
                    _own_file(status, old)
                    try:
                        os.link(before, after, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
                    except FileExistsError:
                        raise Conflict(f"{new} already exists", "choose another name") from None
                    os.unlink(before, dir_fd=here)
                os.fsync(there)
            os.fsync(here)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of a name ("" is the folder itself), or None if it does not exist.

        Links are not followed.
        """
        folders: Sequence[str]
        *folders, file = parts_inside(name) if name else (".",)
        try:
            with _typed(name), self._folder(folders) as folder:
                return os.fstat(folder) if file == "." else _status(folder, file)
        except NotFound:
            return None

    def make(self, name: str = "") -> None:
        """Make a folder with its parents ("" is the folder itself). An existing folder stays unchanged.

        Raises:
            Refused: the path contains a link.
        """
        with _typed(name or str(self.root)), self._folder(parts_inside(name) if name else (), make=True):
            pass

    @contextmanager
    def folder(self, name: str = "") -> Iterator[int]:
        """Open a folder ("" is the folder itself)."""
        with _typed(name or str(self.root)), self._folder(parts_inside(name) if name else ()) as opened:
            yield opened

    @contextmanager
    def _folder(self, names: Sequence[str], *, make: bool = False) -> Iterator[int]:
        if make:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        # The root is the user's own choice and may be a link; anything inside it may not.
        opened = os.open(self.root, _FOLDER & ~os.O_NOFOLLOW)
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=opened)
                following = os.open(name, _FOLDER, dir_fd=opened)
                os.close(opened)
                opened = following
            yield opened
        finally:
            os.close(opened)

    @staticmethod
    def _there(folder: int, file: str, name: str) -> os.stat_result:
        status = _status(folder, file)
        if status is None:
            raise NotFound(f"there is no {name} in this folder", "list the files that exist")
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise Refused(f"{name} is a link or a device", "nothing was changed; check the file")
        return status


def _expect(folder: int, file: str, name: str, over: str) -> None:
    """Refuse to replace content that is not what was read."""
    if not over:
        return
    try:
        now = hashlib.sha256(read_at(folder, file, name, _MOST_COMPARED_BYTES)).hexdigest()
    except FileNotFoundError:
        now = "gone"
    if now != over:
        raise Conflict(f"{name} was changed meanwhile", "check it, then try again; nothing was replaced")


def read_at(folder: int, file: str, name: str, most_bytes: int) -> bytes:
    """Read a plain file of an opened folder. Errors use `name`."""
    try:
        return read_plain(file, most_bytes, follow=False, folder=folder)
    except NotPlain:
        raise UsageError(f"{name} is not a plain file of at most {most_bytes:,} bytes", "nothing was read") from None


def _write_at(folder: int, file: str, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(file, _NEW, mode, dir_fd=folder), "wb") as out:
        out.write(content)
        if mode != 0o600:
            os.fchmod(out.fileno(), mode)
        out.flush()
        os.fsync(out.fileno())


def _status(folder: int, file: str) -> os.stat_result | None:
    try:
        return os.stat(file, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _own_file(status: os.stat_result, name: str) -> None:
    """Refuse to write anything that is not a plain file or has hard links."""
    if stat.S_ISLNK(status.st_mode):
        raise Refused(f"{name} is a link", "nothing was written; check the file")
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{name} is not a plain file", "nothing was written; check the file")
    if status.st_nlink > 1:
        raise Refused(f"{name} is a hard link", "nothing was written; make a copy of it")


@contextmanager
def _typed(name: str) -> Iterator[None]:
    """Turn errors of the operating system into ours."""
    try:
        yield
    except OSError as error:
        raise _error(error, name[:200]) from None


def _error(error: OSError, name: str) -> TacitError:
    what = error.errno
    if what == errno.ENOENT:
        return NotFound(f"there is no {name} in this folder", "list the files that exist")
    if what in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return Refused(f"{name}: there is a link or a file where a folder should be", "nothing was changed")
    if what in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StoreFull(f"{name} was not written: {os.strerror(what)}", "free some space, then try again")
    if what in (errno.EROFS, errno.EACCES, errno.EPERM):
        return StoreReadOnly(f"{name}: {os.strerror(what)}", "check its permissions")
    return UsageError(f"{name}: {os.strerror(what or 0)}", "check the file; nothing was changed")
