"""The programs that the guard has rules about. Any other program with plain words is allowed without parsing."""

from __future__ import annotations

from tacit.guard.code.one_liners import INTERPRETERS
from tacit.guard.hidden_commands import HEADS
from tacit.guard.packs import RulePacks
from tacit.guard.program_judges import JUDGES
from tacit.guard.uncertain_commands import RESERVED
from tacit.shell.unwrap import WRAPPERS


def known_names(packs: RulePacks) -> dict[str, list[str]]:
    """Return the program names in rules, patterns of further names, and words that may be program names."""
    programs = {program for rule in packs.rules.values() for program in rule.programs}
    globs = {program for program in programs if any(mark in program for mark in "*?[")}
    names = {*JUDGES, *WRAPPERS, *RESERVED, *INTERPRETERS, *(programs - globs)}
    return {"names": sorted(names), "globs": sorted(globs), "heads": sorted(HEADS)}
