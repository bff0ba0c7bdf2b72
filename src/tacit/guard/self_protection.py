"""Protection of the guard itself: tacit's files, the agent settings that call it, and the switch that turns it off."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.guard.args import read
from tacit.guard.path_kinds import resolved
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.shell.command import Command, ShellWord

# Where agents configure what they call before they act.
SETTINGS = (
    ".claude/settings.json", ".claude/settings.local.json", ".claude.json", ".codex/config.toml", ".codex/hooks.json",
    ".cursor/hooks.json", ".gemini/settings.json", ".config/opencode/opencode.json", ".aider.conf.yml",
    ".copilot/config.json",
    ".config/github-copilot/hooks.json", ".github/hooks/", ".clinerules/hooks/", ".opencode/plugin/",
)  # fmt: skip
_WRITERS = frozenset(
    {"tee", "cp", "mv", "rm", "ln", "install", "truncate", "dd", "shred", "unlink", "rsync", "chmod", "rmdir"}
)
_EDITORS = frozenset({"sed", "gsed", "perl", "ruby"})


def own(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Notice a write to the guard's own files or settings, and a command that switches it off."""
    if any(name == "TACIT_OFF" and (word.text or "1") not in ("", "0") for name, word in command.assigns):
        yield RuleMatch("self.switched-off", command.start, command.end, "TACIT_OFF")
    name = command.name
    if name == "export" and any(w.head.startswith("TACIT_OFF=") and w.head != "TACIT_OFF=0" for w in command.args):
        yield RuleMatch("self.switched-off", command.start, command.end, "TACIT_OFF")
    written = [one.target for one in command.redirects if ">" in one.operator and not one.operator.endswith("&")]
    if name in _WRITERS:
        operands = read(command).operands
        written += operands[-1:] if name in ("cp", "install", "rsync", "ln") else operands
        written += [w._replace(pieces=(w.head[3:], *w.pieces[1:])) for w in command.args if w.head.startswith("of=")]
    elif name in _EDITORS and any((w.text or "").startswith(("-i", "--in-place", "-pi")) for w in command.args):
        written += read(command).operands
    for word in written:
        if _is_own(word, place):
            yield RuleMatch("self.write", command.start, command.end, word.shown)
            return


def _is_own(word: ShellWord, place: CommandLocation) -> bool:
    path = resolved(word, place)
    if path is None:
        return False
    house = place.tacit or f"{place.home}/.tacit"
    if path == house or path.startswith(f"{house}/"):
        return True
    return any(path.endswith(f"/{one}") or (one.endswith("/") and f"/{one}" in f"{path}/") for one in SETTINGS)
