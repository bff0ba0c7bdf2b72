"""What the cold and the full path of a hook share: where things lie, and what an answer depends on.

On the standard library, and as little of it as can be: an interpreter starts for every hook.
"""

import os

MOST_BYTES = 10 * 1024 * 1024
SOCKET = "run/serve.sock"
KNOWN = "cache/hooks.json"
RULES = "cache/rules.json"
# They change nothing that a hook does.
_IDLE_VARIABLES = ("TACIT_HOME", "TACIT_LOG", "TACIT_LOG_FORMAT", "TACIT_REPLAY_DEPTH")
_MOST_MARKED = 10_000
_WHO = ("HOME", "USER", "LOGNAME")


class _Reading:
    """How JSON is read: as the standard library does."""

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
    """Return the home, as the settings do, without reading any."""
    home = environ.get("TACIT_HOME") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".tacit")
    return os.path.abspath(os.path.expanduser(home))


def here() -> str:
    """Return the working directory; the root where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return "/"


def folder_of(cwd: object, otherwise: str) -> str:
    """Return the folder of a call; if it names none, or one that is gone, the other one."""
    if isinstance(cwd, str) and cwd.startswith("/") and "\0" not in cwd and os.path.isdir(cwd):
        return cwd
    return otherwise if os.path.isdir(otherwise) else "/"


def surroundings() -> str:
    """Encode what an answer depends on beside the payload: a server with another environment must not answer."""
    names = sorted(n for n in os.environ if (n.startswith("TACIT_") and n not in _IDLE_VARIABLES) or n in _WHO)
    return "\0".join(f"{name}={os.environ[name]}" for name in names).encode(errors="surrogateescape").hex() or "00"


def stamp(home: str) -> list[object]:
    """Return what the cache depends on: the version, and the state of the settings files."""
    from tacit.version import __version__

    found: list[object] = [__version__, _mark("TACIT_STORE"), _mark("TACIT_TENANT")]
    for name in ("config.toml", "stores.json", "guard", "lexicon"):
        found += marks(os.path.join(home, name))
    return found


def _mark(name: str) -> int:
    """Return what changes with a variable, and not what it says: a store's address may hold a password."""
    value = os.environ.get(name, "")
    if not value:
        return 0
    from zlib import crc32

    return crc32(value.encode(errors="surrogateescape"))


def marks(path: str) -> list[object]:
    """Return the state of a file, or of a folder and its files; of a folder with too many files, its own."""
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
