"""Set up the checks of advice before an agent gets it; the guard is loaded when there is advice to judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypedDict

from tacit.app.config import Settings
from tacit.files.project_id import git_root
from tacit.files.settings_files import KG

if TYPE_CHECKING:
    from tacit.failures.lexicon_advice import LexiconAdvice
    from tacit.files.cause_check import CauseCheck
    from tacit.guard.packs import RulePacks
    from tacit.guard.verdict import CommandLocation
    from tacit.model.payload import KeptTurn


class AdviceJudges(TypedDict):
    """The functions that a connection calls before it gives advice to an agent."""

    is_safe_command: Callable[[str], bool]
    is_safe_advice: Callable[[str], bool]


def advice_judges(settings: Settings, packs: Callable[[], RulePacks] | None = None) -> AdviceJudges:
    """Return functions that judge commands and sentences by the guard rules of this installation.

    `packs` returns these rules, where the caller has them already.
    """

    @cache
    def rules() -> tuple[CommandLocation, RulePacks]:
        from tacit.app.guard_setup import guard_place, load_guard

        return guard_place(settings), packs() if packs else load_guard(settings).packs

    def safe_command(command: str) -> bool:
        from tacit.guard.advice import is_safe_command

        return is_safe_command(command, *rules())

    def safe_advice(text: str) -> bool:
        from tacit.guard.advice import is_safe_advice

        return is_safe_advice(text, *rules())

    return {"is_safe_command": safe_command, "is_safe_advice": safe_advice}


def look_from(settings: Settings, environ: Mapping[str, str], cwd: str) -> CauseCheck:
    """Return the check whether causes still stand in a folder, limited to its project."""
    from tacit.files.cause_check import CauseCheck

    return CauseCheck(git_root(settings.cwd) or settings.cwd, settings.cwd / cwd, environ)


def lexicon_advice(settings: Settings, line: str) -> Sequence[LexiconAdvice]:
    """Return what the lexicon of a home and a project says before a command; nothing is loaded where there is none."""
    places = (settings.home / "lexicon", *(folder / KG for folder in (settings.cwd, *settings.cwd.parents)))
    if not any(place.is_dir() for place in places):
        return ()
    from tacit.failures.lexicon_advice import advice_before
    from tacit.failures.load_lexicon import load_lexicon

    return advice_before(load_lexicon(settings.home, settings.cwd), line)


def what_worked(failed: KeptTurn, later: Iterable[KeptTurn]) -> tuple[str, int] | None:
    """Return what worked after a turn that failed, with the same aim, and in which turn."""
    from tacit.failures.rules import made_it_work as rule

    return rule.what_worked(failed, later)
