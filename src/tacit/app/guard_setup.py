"""Set up the guard of an installation: built-in rules, the user's own rules, and configured severities."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tacit.app.config import CONFIG_FILE, Settings, first_few
from tacit.errors import ConfigError
from tacit.files.gitignore import ignored_names
from tacit.files.project_id import git_root
from tacit.files.settings_files import KG, settings_files
from tacit.guard.lexicon_rules import MOST_RULES, rules_of, warnings_of
from tacit.guard.packs import RulePacks, built_in, read_pack
from tacit.guard.verdict import CommandLocation, GuardRule, Verdict
from tacit.text.lexicon import Concept, read_concept

UNSET = "hooks guard with the default severities and store nothing"
"""What broken settings mean."""


class LoadedGuard(NamedTuple):
    """The guard of an installation: its rules, and which files and rules were left out."""

    packs: RulePacks
    problems: tuple[ConfigError, ...]
    """What is wrong in the home: settings, packs and lexicon files that do not count."""
    notices: tuple[str, ...]
    """What is wrong in the project's files."""


def load_guard(settings: Settings) -> LoadedGuard:
    """Make the guard of this installation: built-in packs, the user's packs, and the severities from the settings.

    A file that cannot be read is left out and reported; every other rule holds. A project may only tighten rules.
    """
    packs, problems = built_in(), list[ConfigError]()
    for file in settings_files(settings.home, "guard", ".toml", own=True):
        try:
            packs = packs.and_(read_pack(file.content(), file.path))
        except ConfigError as error:
            problems.append(error)
    own, wrong = _lexicon_rules(settings.home, "lexicon", own=True)
    packs = packs.and_(own)
    problems += wrong
    problems += [
        ConfigError(
            f"the guard has no rule {rule[:60]!r}, which {CONFIG_FILE} sets",
            "docs/guard.md lists the families; `tacit guard --explain` names rules",
        )
        for rule, _severity in settings.guard.severity
        if rule not in packs.rules
    ]
    packs = packs.adjusted(dict(settings.guard.severity))
    root, ignored = git_root(settings.cwd), list[ConfigError]()
    if root is not None:
        more, ignored = _lexicon_rules(root, KG, own=False)
        packs = packs.and_(rule for rule in more if rule.id not in packs.rules)
    packs = packs.adjusted(dict(settings.guard.project_severity), only_tighter=True)
    return LoadedGuard(packs, tuple(problems), first_few([f"ignored: {error.message}" for error in ignored]))


def sound_packs(settings: Settings, *, tolerate_errors: bool = False) -> RulePacks:
    """Return the guard's rules. A file that cannot be read is an error; with `tolerate_errors`, it is left out."""
    packs, problems, _notices = load_guard(settings)
    if problems and not tolerate_errors:
        raise problems[0]
    return packs


class GuardJudges(NamedTuple):
    """The guard as hooks and replays call it: each function judges something in a folder."""

    guard: Callable[[str, str], Verdict]
    """Judges a command line."""
    guard_write: Callable[[str, str], Verdict]
    """Judges the path that a tool is about to write."""


def guard_judges(settings: Settings, packs: RulePacks) -> GuardJudges:
    """Return the functions that judge by these rules."""
    from tacit.guard.judge import judge, judge_write

    # Looked up once for each folder: they are made anew when the project around it changes.
    place = lru_cache(64)(lambda cwd: guard_place(settings, cwd))
    return GuardJudges(
        lambda command, cwd: judge(command, place(cwd), packs), lambda path, cwd: judge_write(path, place(cwd), packs)
    )


def _lexicon_rules(root: Path, place: str, *, own: bool) -> tuple[list[GuardRule], list[ConfigError]]:
    """Return the guard rules of a lexicon, and what is wrong with its files; invalid values are left out."""
    concepts, wrong = list[Concept](), list[ConfigError]()
    for file in settings_files(root, place, ".md", own=own):
        try:
            concepts.append(read_concept(file.path, file.content())[0])
        except ConfigError as error:
            wrong.append(error)
    rules = rules_of(concepts)
    if len(rules) > MOST_RULES:
        problem = f"only the first {MOST_RULES:,} rules in {root / place} count"
        wrong.append(ConfigError(problem, "shorten the lists of synonyms"))
    return rules[:MOST_RULES], wrong


def settings_problems(settings: Settings) -> tuple[list[ConfigError], list[str]]:
    """Return what is wrong with a person's settings and guard rules, and what is wrong with a project's files."""
    broken = [ConfigError(settings.broken, f"correct it; until then {UNSET}")] if settings.broken else []
    loaded = load_guard(settings)
    return [*broken, *loaded.problems], [*settings.notices, *loaded.notices]


def guard_warnings(settings: Settings) -> list[tuple[str, str]]:
    """Return what is ignored when the guard is set up, as pairs of place and problem, for `guard check-rules`."""
    root = git_root(settings.cwd)
    found: list[tuple[str, str]] = []
    files = settings_files(settings.home, "lexicon", ".md", own=True)
    for file in (*files, *(settings_files(root, KG, ".md", own=False) if root is not None else ())):
        concept, warned = read_concept(file.path, file.text)
        found += [(file.path, file.problem)] if file.problem else []
        found += [(f"{one.path}:{one.line}", one.message) for one in warned]
        found += [(file.path, message) for message in warnings_of(concept)]
    rules = load_guard(settings).packs.rules
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
    project = str(root) if root else ""
    return CommandLocation(
        str(folder), home.rstrip("/") or "/", project, str(settings.home), ignored_names(project or str(folder))
    )
