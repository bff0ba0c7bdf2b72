"""Switch the guard of hooks off or on, in a person's own `config.toml`. Everything else in the file stays as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tacit.app.config import CONFIG_FILE
from tacit.errors import UsageError
from tacit.files.atomic import write_atomic
from tacit.files.settings_files import settings_file
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_toml import read_toml

ALL = "all"
_HEADER = lazy_pattern(r"^\[guard\][^\n]*\n", re.M)
_LINE = lazy_pattern(r"^off[ \t]*=[ \t]*\[[^\]\n]*\][^\n]*\n", re.M)


def switch_guard(home: Path, where: str, *, off: bool) -> bool:
    """Switch the guard of hooks off or on in a project, given by its id, or in `all`; return whether that changed."""
    file = settings_file(home, CONFIG_FILE, own=True)
    text = file.content() if file else ""
    fresh = switched(text, where, off=off)
    if fresh != text:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = home / CONFIG_FILE
        write_atomic(path.resolve() if path.is_symlink() else path, fresh.encode())
    return fresh != text


def switched(text: str, where: str, *, off: bool) -> str:
    """Return the text of the file with one name more, or less, in `off` of the table `[guard]`."""
    settings = read_toml(text, CONFIG_FILE)
    guard = settings.get("guard", {})
    listed = [str(name) for name in guard.get("off", [])]
    wanted = [name for name in listed if name != where] + ([where] if off else [])
    if sorted(wanted) == sorted(listed):
        return text
    line = f"off = {json.dumps(wanted)}\n" if wanted else ""
    before = text if not text or text.endswith("\n") else f"{text}\n"
    if found := _LINE.search(before) if "off" in guard else None:
        fresh = before[: found.start()] + line + before[found.end() :]
    elif found := _HEADER.search(before):
        fresh = before[: found.end()] + line + before[found.end() :]
    else:
        fresh = f"{before}{chr(10) if before else ''}[guard]\n{line}"
    rest = {name: value for name, value in guard.items() if name != "off"}
    hoped = {**settings, "guard": {**rest, "off": wanted} if wanted else rest}
    if read_toml(fresh, CONFIG_FILE) != hoped:
        raise UsageError(
            f"{CONFIG_FILE} is laid out in a way that cannot be changed safely",
            f"write `off = {json.dumps(wanted)}` below [guard] by hand",
        )
    return fresh
