"""Advice before a task, as a document and for people."""

from __future__ import annotations

from typing import Any

from tacit.doors.cli.command_call import record_document
from tacit.episodes.advice import SimilarEpisode, TaskAdvice
from tacit.episodes.learned_advice import Advice
from tacit.model.episode import Episode
from tacit.model.record import payload_of


def advice_document(found: TaskAdvice) -> dict[str, Any]:
    """Return advice as a document."""
    return {
        "task": found.task, "receipt": found.receipt or None, "episodes": [_similar(one) for one in found.episodes],
        "patterns": [_advice(one) for one in found.patterns], "heuristics": [_advice(one) for one in found.heuristics],
        "playbook": found.playbook._asdict() if found.playbook else None,
    }  # fmt: skip


def _similar(one: SimilarEpisode) -> dict[str, Any]:
    return {
        "score": round(one.score, 4), "why": one.why, "shared": list(one.shared), "record": record_document(one.record),
    }  # fmt: skip


def _advice(one: Advice) -> dict[str, Any]:
    return {
        "confidence": round(one.confidence, 4), "seen": one.seen, "good": one.good, "why": one.why,
        "record": record_document(one.record),
    }  # fmt: skip


_FEEDBACK = (("helped", "helped"), ("changed nothing", "no-effect"), ("was in the way", "hindered"))


def print_advice(found: TaskAdvice) -> None:
    """Print advice."""
    from tacit.doors.cli.render import say

    for one in found.episodes:
        outcome = payload_of(one.record, Episode).outcome
        say(f"{one.score:.2f}  {one.record.title}  ({outcome}, {one.record.id})", f"      {_why(one)}")
    say(*(f"pattern ({one.confidence:.2f}): {one.record.title}; {one.why}" for one in found.patterns))
    say(*(f"advice ({one.confidence:.2f}): {one.record.title}; {one.why}" for one in found.heuristics))
    if found.playbook:
        say(f"playbook ({found.playbook.confidence:.2f}): {' → '.join(found.playbook.steps)}")
        say(*(f"  avoid: {line}" for line in found.playbook.pitfalls), f"  expect: {found.playbook.expected}")
    if found.receipt:
        say(*(f"if it {how}: tacit episode feedback {found.receipt} {word}" for how, word in _FEEDBACK))
    if not (found.episodes or found.patterns or found.heuristics):
        say("no episode here is about a similar task; one must share enough words with it, or mean the same")


def _why(one: SimilarEpisode) -> str:
    """Say which words an episode shares with the task, and what its score is made of."""
    parts = ", ".join(f"{name} {value:.2f}" for name, value in one.why.items())
    return f"because it shares {', '.join(one.shared)}; {parts}" if one.shared else f"because of {parts}"
