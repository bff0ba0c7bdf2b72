"""Which programs the guard has anything to say about: any other, with plain words, is allowed without a look."""

from __future__ import annotations

from tacit.guard.code import INTERPRETERS
from tacit.guard.doubts import RESERVED
from tacit.guard.hidden import HEADS
from tacit.guard.judges import JUDGES
from tacit.guard.packs import Packs
from tacit.shell.unwrap import WRAPPERS


def known_names(packs: Packs) -> dict[str, list[str]]:
    """Give the names of programs there are rules about, patterns for more of them, and words that could be one."""
    programs = {program for rule in packs.rules.values() for program in rule.programs}
    globs = {program for program in programs if any(mark in program for mark in "*?[")}
    names = {*JUDGES, *WRAPPERS, *RESERVED, *INTERPRETERS, *(programs - globs)}
    return {"names": sorted(names), "globs": sorted(globs), "heads": sorted(HEADS)}
