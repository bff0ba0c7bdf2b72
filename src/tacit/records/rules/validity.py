"""Validity: when a fact holds in the world, which is not when it was recorded. A fact without dates always holds."""

from __future__ import annotations

from datetime import datetime

from tacit.model.payload import Fact, Payload


def holds(payload: Payload, at: datetime) -> bool:
    """Return whether a record is true at a time; only facts have dates."""
    if not isinstance(payload, Fact):
        return True
    return (payload.valid_from is None or payload.valid_from <= at) and not ended(payload, at)


def ended(fact: Fact, at: datetime) -> bool:
    """Return whether a fact had ended by a time."""
    return fact.valid_to is not None and fact.valid_to <= at


def over(payload: Payload, at: datetime) -> tuple[str, ...]:
    """Return the label of a fact that had ended by a time; empty if the fact still held."""
    if not isinstance(payload, Fact) or payload.valid_to is None or not ended(payload, at):
        return ()
    return (f"ended {payload.valid_to:%Y-%m-%d}",)


def together(one: Fact, two: Fact, now: datetime) -> bool:
    """Return whether two facts claim to hold at the same time.

    A fact that has ended never overlaps one that still holds.
    """
    if ended(one, now) != ended(two, now):
        return False
    return not (_before(one, two) or _before(two, one))


def _before(one: Fact, two: Fact) -> bool:
    return bool(one.valid_to and two.valid_from and one.valid_to <= two.valid_from)
