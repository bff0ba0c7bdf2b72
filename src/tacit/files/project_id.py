"""The project of a folder: its git remote, or else its git root, so that worktrees share one memory."""

from __future__ import annotations

import re
from pathlib import Path

from tacit.files.plain_file import read_plain
from tacit.text.patterns import lazy_pattern

_MOST_BYTES = 50_000_000
_SCP = lazy_pattern(r"^([^:/\s]+):(?!//)(.+)$")
_URL = lazy_pattern(r"^[a-z][a-z0-9+.-]*://([^/\s]+)/(.+)$", re.IGNORECASE)


def project_id(folder: Path) -> str:
    """Return the id of the project a folder is in; empty outside any git repository."""
    remote, place = project_ids(folder)
    return remote or place


def project_ids(folder: Path) -> tuple[str, str]:
    """Return the id by remote and the id by path of the project a folder is in; empty where there is none."""
    root = git_root(folder)
    if root is None:
        return "", ""
    common = _common_folder(root)
    return remote_id(_origin(common / "config")), _quoted(str(common.parent if common.name == ".git" else common))


def remote_url(folder: Path) -> str:
    """Return the address of the git remote of the repository a folder is in; empty if there is none."""
    root = git_root(folder)
    return _origin(_common_folder(root) / "config").strip() if root else ""


def git_root(folder: Path) -> Path | None:
    """Return the top of the working tree a folder is in."""
    try:
        folder = folder.resolve()
    except OSError:
        return None
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def _common_folder(root: Path) -> Path:
    """Follow a worktree or submodule to the folder that holds the configuration all worktrees share."""
    dot = root / ".git"
    if dot.is_dir():
        return dot
    try:
        target = _text(dot).removeprefix("gitdir:").strip()
        folder = (root / target).resolve()
        common = folder / "commondir"
        return (folder / _text(common).strip()).resolve() if common.exists() else folder
    except (OSError, ValueError):
        return dot


def _origin(config: Path) -> str:
    import configparser

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(_text(config))
    except (OSError, configparser.Error, AttributeError):  # a value that goes on after a name without one
        return ""
    remotes = [name for name in parser.sections() if name.startswith('remote "')]
    first = 'remote "origin"' if 'remote "origin"' in remotes else next(iter(sorted(remotes)), "")
    return parser.get(first, "url", fallback="") or "" if first else ""


def head_commit(folder: Path) -> str:
    """Return the commit that is checked out in a folder; empty if there is none or it cannot be read."""
    root = git_root(folder)
    if root is None:
        return ""
    common = _common_folder(root)
    try:
        own = root / ".git"
        own = own if own.is_dir() else Path(_text(own).partition("gitdir:")[2].strip())
        head = _text(root / own / "HEAD").strip()
        if not head.startswith("ref: "):
            return head[:64]
        name = head.removeprefix("ref: ")
        loose = next((place / name for place in (root / own, common) if (place / name).is_file()), None)
        if loose:
            return _text(loose).strip()[:64]
        packed = _text(common / "packed-refs").splitlines()
        return next((line.split(" ")[0] for line in packed if line.endswith(f" {name}")), "")
    except (OSError, ValueError):
        return ""


def _text(path: Path) -> str:
    return read_plain(path, _MOST_BYTES).decode(errors="replace")


def remote_id(url: str) -> str:
    """Return host and path of a remote, equal for every spelling. Credentials are removed."""
    url = url.strip()
    found = _URL.match(url) or _SCP.match(url)
    if not found:
        return ""
    # Before the last @ are the credentials, after ? or # the options: neither identifies a project.
    host = found[1].rpartition("@")[2].lower().partition(":")[0]
    path = re.split(r"[?#]", found[2])[0].strip("/")
    return _quoted(f"{host}/{path.removesuffix('.git')}") if host and path else ""


def _quoted(text: str) -> str:
    # A scope contains no spaces; a path may.
    escaped = re.sub(r"[%\s\x00-\x1f\x7f]", lambda found: f"%{ord(found[0]):02X}", text)
    return escaped.replace("/namespace:", "/namespace%3A")[:400]
