"""Kinds of paths: root, home, the repository, a device, something temporary."""

from __future__ import annotations

import posixpath

from tacit.guard.verdict import CommandLocation
from tacit.shell.command import ShellWord
from tacit.text.patterns import lazy_pattern

MOST_PIECES = 60
TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm")  # noqa: S108
SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/proc", "/root", "/sbin",
          "/srv",
          "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/private", "/run", "/mnt", "/media",
          "/home",
          "/Users", "/Volumes", "/snap", "/nix")  # fmt: skip
SAFE_DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero", "/dev/full")
_SAFE_FOLDERS = ("/dev/fd/", "/dev/pts/", "/dev/tcp/", "/dev/udp/")
# Files in memory: a folder like other temporary ones, in which a home or a project may be.
_MEMORY = "/dev/shm/"  # noqa: S108


# A file or folder that the line itself has just made, wherever it is.
_NEW = lazy_pattern(r"mktemp\b(?!.*[;&|$`])")
# Variables whose value is known, or almost always this one.
_VARIABLES = {
    "HOME": "{place.home}", "PWD": "{place.cwd}", "CLAUDE_PROJECT_DIR": "{place.cwd}",
    "XDG_CONFIG_HOME": "{place.home}/.config",
    "CLAUDE_CONFIG_DIR": "{place.home}/.claude", "CODEX_HOME": "{place.home}/.codex",
    "COPILOT_HOME": "{place.home}/.copilot",
}  # fmt: skip


def resolved(word: ShellWord, place: CommandLocation) -> str | None:
    """Return the absolute path that a word means; None if the path depends on an unknown part of the word."""
    if len(word.pieces) > MOST_PIECES:
        return None
    text = ""
    for number, piece in enumerate(word.pieces):
        if isinstance(piece, str):
            text += piece
        elif piece.name in ("TMPDIR", "TMP", "TEMP", "RUNNER_TEMP") and number == 0:
            if piece.default and resolved(ShellWord(piece.default), place) is None:
                return None
            text += "/tmp"  # noqa: S108
        elif number == 0 and is_new(word):
            text += "/tmp/\u2026"  # noqa: S108
        elif piece.name in _VARIABLES:
            text += _VARIABLES[piece.name].format(place=place)
        elif piece.name == "TACIT_HOME":
            text += place.tacit or f"{place.home}/.tacit"
        elif number and text.rstrip("/") and not text.rstrip("/").endswith("..") and text not in ("/", "./"):
            # Something below a known folder: as dangerous as that folder's contents.
            text += "\u2026"
        else:
            return None
    if text.startswith("~"):
        text = place.home + text[1:]
    return posixpath.normpath(posixpath.join(place.cwd, text)) if text else place.cwd


def is_new(word: ShellWord) -> bool:
    """Return whether a path is one that `mktemp` made in this line."""
    return bool(word.pieces) and not isinstance(word.pieces[0], str) and bool(_NEW.match(word.pieces[0].source))


def kind_of(word: ShellWord, place: CommandLocation) -> str:
    """Return the kind of a path: root, home, system, device, git, repository, temporary, inside, outside or unknown."""
    path = resolved(word, place)
    if path is None:
        return "unknown"
    return kind_of_path(path, place, word.shown)


def kind_of_path(path: str, place: CommandLocation, written: str = "") -> str:
    """Return the kind of an absolute path."""
    path = "/" + path.lstrip("/")
    bare = path.rstrip("*").rstrip("/") if path.endswith("*") else path
    if bare in ("", "/") or path == "/":
        return "root"
    if path.startswith("/dev/") and not path.startswith(_MEMORY):
        if path in SAFE_DEVICES or path.startswith(_SAFE_FOLDERS):
            return "temporary"
        return "device"
    root = place.project or place.cwd
    # A home or a project may itself be in a temporary folder; files in them are work, not rubbish.
    ours = root not in TEMPORARY and _touches(bare, root)
    ours = ours or (place.home not in TEMPORARY and _within(bare, (place.home,)))
    if _within(path, TEMPORARY) and not ours and "/.git/" not in path + "/":
        return "temporary" if bare not in TEMPORARY or path.endswith("*") else "system"
    if bare in (place.home, posixpath.dirname(place.home)) or place.home.startswith(bare + "/"):
        return "home"
    if "/.git/" in path + "/" and not path.endswith((".gitignore", ".gitattributes")):
        return "git"
    if bare == root or root.startswith(bare + "/"):
        return "repository"
    if path.startswith(root + "/"):
        return "inside"
    if path.startswith(place.home + "/"):
        return "outside"
    return "system" if _within(path, SYSTEM) or path.count("/") == 1 else "outside"


def _touches(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/") or root.startswith(path + "/")


def _within(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
