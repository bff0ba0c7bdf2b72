"""What an agent's own settings say against hooks: files that are read here only to tell a person about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tacit.files.plain_file import read_plain

_MOST_BYTES = 10_000_000


def settings_at(path: Path) -> dict[str, Any]:
    """Return the settings in a JSON or TOML file; nothing if there are none, or they cannot be read."""
    import tomllib

    from tacit.text.jsonc import parsed

    try:
        text = read_plain(path, _MOST_BYTES).decode()
        value = tomllib.loads(text) if path.suffix == ".toml" else parsed(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def set_to(paths: Iterable[Path], value: bool, *names: tuple[str, ...]) -> list[str]:
    """Return where one of these settings has this value; a setting is named by its keys, from the outside in."""
    found = []
    for path in paths:
        settings = settings_at(path)
        for keys in names:
            inner: Any = settings
            for key in keys:
                inner = inner.get(key) if isinstance(inner, dict) else None
            if inner is value:
                found.append(f"{path} sets {'.'.join(keys)} = {str(value).lower()}")
    return found
