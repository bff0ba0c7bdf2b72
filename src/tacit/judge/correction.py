"""Corrections in what a user says: what is to be done instead, found anywhere in a prompt."""

from __future__ import annotations

from typing import NamedTuple

from tacit.model.learned import CorrectionType


class Found(NamedTuple):
    """A correction in a prompt: `corrected` instead of `original`, and the sentence that says so."""

    type: CorrectionType
    original: str
    corrected: str
    sentence: str
    confidence: float


def corrections_in(prompt: str) -> list[Found]:
    """Find the corrections in a prompt."""
    return []
