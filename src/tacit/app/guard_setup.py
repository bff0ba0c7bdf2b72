"""Set up the guard of an installation: built-in rules, the user's own rules, and configured severities."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import structs

from tacit.app.config import Settings
from tacit.errors import ConfigError
from tacit.files.project_id import git_root
from tacit.guard.lexicon_rules import rules_of, warnings_of
from tacit.guard.packs import RulePacks, built_in, read_pack
from tacit.guard.verdict import CommandLocation
from tacit.model.settings import GuardSettings
from tacit.text.lexicon import Concept, read_concept


def load_guard(settings: Settings) -> RulePacks:
    """Make the guard of this installation: built-in packs, the user's, and how grave the settings say each rule is.

    What cannot be read is an error, never a guard without it. A project may only tighten.
    """

    packs = built_in()
    for path in sorted((settings.home / "guard").glob("*.toml")):
        packs = packs.and_(read_pack(read_setting(path), str(path)))
    packs = packs.and_(rules_of(concepts_in(settings.home / "lexicon")))
    unknown = [rule for rule, _severity in settings.guard.severity if rule not in packs.rules]
    if unknown:
        raise ConfigError(
            f"the guard has no rule {unknown[0][:60]!r}",
            "docs/guard.md lists the families; `tacit guard --explain` names rules",
        )
    packs = packs.adjusted(dict(settings.guard.severity))
    root = git_root(settings.cwd)
    if root is not None:
        packs = packs.and_(
            rule for rule in rules_of(concepts_in(root / "docs" / "src" / "kg")) if rule.id not in packs.rules
        )
    return packs.adjusted(dict(settings.guard.project_severity), only_tighter=True)


def guard_or_builtin(settings: Settings) -> RulePacks:
    """Make the guard; where the settings, or rules of one's own, cannot be read, the built-in ones still hold."""
    try:
        return load_guard(settings)
    except ConfigError:
        pass
    try:
        return load_guard(without_severities(settings))
    except ConfigError:
        return built_in()


def without_severities(settings: Settings) -> Settings:
    """Return the settings without configured severities."""
    return structs.replace(settings, guard=GuardSettings())


def settings_problem(settings: Settings) -> str:
    """Say what is wrong with what a person set: settings, or rules of the guard; empty when nothing is."""
    try:
        load_guard(settings)
    except ConfigError as error:
        return settings.broken or error.message
    return settings.broken


def guard_warnings(settings: Settings) -> list[tuple[str, str]]:
    """Return what is ignored when the guard is set up, as (where, what), for `guard check-rules`."""

    root = git_root(settings.cwd)
    found: list[tuple[str, str]] = []
    for folder in (settings.home / "lexicon", *([root / "docs" / "src" / "kg"] if root is not None else [])):
        for path in sorted(folder.glob("*.md")):
            concept, warned = read_concept(str(path), read_setting(path))
            found += [(f"{one.path}:{one.line}", one.message) for one in warned]
            found += [(str(path), message) for message in warnings_of(concept)]
    rules = load_guard(settings).rules
    found += [
        (rule, "is set in .tacit.toml, and no pack has it")
        for rule, _severity in settings.guard.project_severity
        if rule not in rules
    ]
    return found


def guard_place(settings: Settings, cwd: str = "") -> CommandLocation:
    """Describe where a command would run, for the guard."""

    folder = (settings.cwd / cwd).absolute() if cwd else settings.cwd
    root = git_root(folder)
    home = os.environ.get("HOME") or str(Path.home())
    return CommandLocation(str(folder), home.rstrip("/") or "/", str(root) if root else "", str(settings.home))


def concepts_in(folder: Path) -> list[Concept]:
    """Read the concepts of a folder; a value that is wrong in one is left out."""

    return [read_concept(str(path), read_setting(path))[0] for path in sorted(folder.glob("*.md"))]


def read_setting(path: Path) -> str:
    """Read a file of rules."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "mend the file; nothing is judged without it") from None
