"""Texts that a pattern with two ways to read a repetition takes exponentially long for."""

from __future__ import annotations

import random
import re._constants as ops
import re._parser as parser
from collections.abc import Iterator
from typing import Any

_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_CLASSES = {ops.CATEGORY_DIGIT: "0", ops.CATEGORY_SPACE: " ", ops.CATEGORY_NOT_WORD: "-"}
_MOST = 60
_TIMES = 45
_ENDS = ("\uffff", "!\n")


def pumped(pattern: str, seed: int = 3) -> Iterator[str]:
    """Return texts that match a pattern up to one of its repetitions, repeat that often, and then do not match."""
    dice = random.Random(seed)
    met: set[tuple[str, str]] = set()
    for before, part in _repetitions(parser.parse(pattern), "", dice):
        if part and (before, part) not in met and len(met) < _MOST:
            met.add((before, part))
            yield from ((before + part * _TIMES)[:1_500] + end for end in _ENDS)


def _repetitions(tree: Any, before: str, dice: random.Random) -> Iterator[tuple[str, str]]:
    for op, value in tree:
        if op in _REPEATS:
            if value[1] >= 8:
                yield from ((before, _sample(value[2], dice)) for _ in range(3))
            yield from _repetitions(value[2], before, dice)
        elif op is ops.SUBPATTERN:
            yield from _repetitions(value[3], before, dice)
        elif op is ops.ATOMIC_GROUP:
            yield from _repetitions(value, before, dice)
        elif op is ops.BRANCH:
            for branch in value[1]:
                yield from _repetitions(branch, before, dice)
        before += _sample([(op, value)], dice)


def _sample(tree: Any, dice: random.Random) -> str:
    """Return a text that a part of a pattern matches; what it looks at around itself is not regarded."""
    return "".join(_one(op, value, dice) for op, value in tree)


def _one(op: Any, value: Any, dice: random.Random) -> str:
    if op in _REPEATS:
        least = max(value[0], dice.randint(0, 1) if value[1] else 0)
        return "".join(_sample(value[2], dice) for _ in range(least))
    known = {
        ops.LITERAL: lambda: chr(value),
        ops.NOT_LITERAL: lambda: "x" if value != ord("x") else "y",
        ops.ANY: lambda: "x",
        ops.GROUPREF: lambda: "x",
        ops.IN: lambda: _member(value, dice),
        ops.SUBPATTERN: lambda: _sample(value[3], dice),
        ops.ATOMIC_GROUP: lambda: _sample(value, dice),
        ops.BRANCH: lambda: _sample(dice.choice(value[1]), dice),
    }
    return known[op]() if op in known else ""


def _member(members: Any, dice: random.Random) -> str:
    found = []
    for op, value in members:
        if op is ops.LITERAL:
            found.append(chr(value))
        elif op is ops.RANGE:
            found.append(chr(dice.randint(*value)))
        elif op is ops.CATEGORY:
            found.append(_CLASSES.get(value, "a"))
    if members[0][0] is not ops.NEGATE:
        return dice.choice(found)
    return next((one for one in "a0- xZ;|\n" if one not in found), "q")
