"""Which hooks Codex itself would run: it skips, without a word, what the user has not trusted."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tacit.agents.hook_settings import is_ours
from tacit.agents.ignored_hooks import set_to, settings_at
from tacit.text.loose_fields import items, mapping, text


def ignored_hooks(folder: Path, project: Path | None) -> list[str]:
    """Find what switches hooks off, and which of ours, of the user or of a project, were not trusted."""
    config = folder / "config.toml"
    state = mapping(settings_at(config), "hooks", "state")
    path = project / ".codex" / "hooks.json" if project else folder / "hooks.json"
    missing, changed = [], []
    for event, groups in mapping(settings_at(path), "hooks").items():
        for place, group in enumerate(groups if isinstance(groups, list) else []):
            for number, handler in enumerate(items(group, "hooks")):
                if not is_ours(handler):
                    continue
                name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")
                known = mapping(state, f"{path}:{name}:{place}:{number}")
                if not text(known, "trusted_hash"):
                    missing.append(event)
                elif text(known, "trusted_hash") != trust_hash(name, group, handler) or known.get("enabled") is False:
                    changed.append(f"{event} (changed or disabled)")
    found = set_to([config], False, ("features", "hooks"), ("features", "codex_hooks"))
    if each := ", ".join([*missing, *changed]):
        found.append(f"Codex skips hooks that you have not trusted: {each}; review them with /hooks in Codex")
    return found


def trust_hash(event: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    """Return the hash by which Codex 0.166 knows a hook that was trusted."""
    own = {"type": "command", "command": handler.get("command"), "timeout": handler.get("timeout"), "async": False}
    matcher = {"matcher": group["matcher"]} if "matcher" in group else {}
    hook = json.dumps({"event_name": event, "hooks": [own], **matcher}, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(hook.encode()).hexdigest()}"
