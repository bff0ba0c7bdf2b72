"""The plain names in a project's .gitignore: folders that the project itself does not keep."""

from __future__ import annotations

from tacit.files.plain_file import read_plain

MOST_BYTES = 65_536


def ignored_names(root: str) -> frozenset[str]:
    """Return the names of a .gitignore that have no pattern and no folder before them; empty without a file."""
    try:
        text = read_plain(f"{root}/.gitignore", MOST_BYTES).decode(errors="replace") if root else ""
    except (OSError, ValueError):
        return frozenset()
    lines = [line.strip() for line in text.splitlines()]
    names = {line.strip("/") for line in lines if line and not line.startswith(("#", "!"))}
    kept = {line[1:].strip("/") for line in lines if line.startswith("!")}
    return frozenset(name for name in names - kept if "/" not in name and "*" not in name)
