"""Switch the guard of hooks off or on, in a person's own `config.toml`. Everything else in the file stays as it is."""

from __future__ import annotations

from pathlib import Path

from tacit.app.config import CONFIG_FILE
from tacit.app.config_file import config_text, write_config
from tacit.files.toml_edit import with_value
from tacit.text.safe_toml import read_toml

ALL = "all"


def switch_guard(home: Path, where: str, *, off: bool) -> bool:
    """Switch the guard of hooks off or on in a project, given by its id, or in `all`; return whether that changed."""
    text = config_text(home)
    listed = [str(name) for name in read_toml(text, CONFIG_FILE).get("guard", {}).get("off", [])]
    wanted = [name for name in listed if name != where] + ([where] if off else [])
    if sorted(wanted) == sorted(listed):
        return False
    write_config(home, with_value(text, ("guard", "off"), wanted or None, CONFIG_FILE))
    return True
