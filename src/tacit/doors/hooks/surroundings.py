"""What the cold and the full path of a hook share: paths of files, and what an answer depends on.

This module imports as little of the standard library as possible, because an interpreter starts for every hook.
"""

import os

MOST_BYTES = 10 * 1024 * 1024
SOCKET = "run/serve.sock"
KNOWN = "cache/hooks.json"
RULES = "cache/rules.marshal"
_KNOWN_TO_HELPER = ("TACIT_HOME", "TACIT_LOG", "TACIT_OFF")
_MOST_MARKED = 10_000


class _Reading:
    """The settings with which JSON is parsed: those of the standard library."""

    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int, parse_constant = float, int, float


def parse_json(data: bytes) -> object:
    """Read JSON with the scanner that `json` is built on: importing `json` itself costs a third of a cold start."""
    try:
        from _json import make_scanner
    except ImportError:  # not CPython
        import json

        return json.loads(data)
    text = data.decode().strip(" \t\r\n")
    try:
        value, end = make_scanner(_Reading)(text, 0)  # type: ignore[arg-type]
    except StopIteration:
        raise ValueError("not JSON") from None
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def home_of(environ: os._Environ[str]) -> str:
    """Return the home as the settings define it, without reading a settings file."""
    home = environ.get("TACIT_HOME") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".tacit")
    return os.path.abspath(os.path.expanduser(home))


def here() -> str:
    """Return the working directory, or the root if the working directory no longer exists."""
    try:
        return os.getcwd()
    except OSError:
        return "/"


def folder_of(cwd: object, otherwise: str) -> str:
    """Return the folder of a call, or the given default if the call has no folder or one that no longer exists."""
    if isinstance(cwd, str) and cwd.startswith("/") and "\0" not in cwd and os.path.isdir(cwd):
        return cwd
    return otherwise if os.path.isdir(otherwise) else "/"


def has_own_settings(environ: os._Environ[str]) -> bool:
    """Return whether a variable of ours is set that a helper, which has its own, would not know about."""
    return any(name.startswith("TACIT_") and name not in _KNOWN_TO_HELPER for name in environ)


def stamp(home: str) -> list[object]:
    """Return what the cache depends on: the version, and the state of the settings files."""
    from tacit.version import __version__

    found: list[object] = [__version__, _mark("TACIT_STORE"), _mark("TACIT_TENANT")]
    for name in ("config.toml", "stores.json", "guard", "lexicon"):
        found += marks(os.path.join(home, name))
    return found


def _mark(name: str) -> int:
    """Return a hash of a variable instead of its value, because the address of a store may contain a password."""
    value = os.environ.get(name, "")
    if not value:
        return 0
    from zlib import crc32

    return crc32(value.encode(errors="surrogateescape"))


def marks(path: str) -> list[object]:
    """Return the state of a file, or a folder and its files; for a folder with too many files, of the folder only."""
    try:
        inside = sorted(os.listdir(path))
    except NotADirectoryError:
        inside = []
    except OSError:
        return [[path, 0, 0, 0]]
    inside = inside if len(inside) <= _MOST_MARKED else []
    found: list[object] = []
    for place in (path, *(os.path.join(path, name) for name in inside)):
        try:
            status = os.stat(place)
            found.append([place, status.st_mtime_ns, status.st_size, status.st_ino])
        except OSError:
            found.append([place, 0, 0, 0])
    return found


def one_thread() -> None:
    """Keep numpy from starting a thread for each core: in a process that asks one question, that is half of its time.

    It has no effect once numpy is imported.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, which it prefers to `typing`, and which takes as long as itself."""
    import sys

    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # importing it is an ImportError now
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]
