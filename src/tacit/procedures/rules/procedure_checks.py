"""Check a procedure before it is stored; compare and merge procedures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.errors import UsageError
from tacit.model.procedure import Parameter, Procedure, ProcedureStep
from tacit.model.record import replace
from tacit.procedures.rules.conditions import read_condition
from tacit.shell.grammar_repairs import tree_of
from tacit.shell.parse import MOST_BYTES, parse
from tacit.shell.signature import signature_of
from tacit.shell.template import NAME, marked, parameters_in
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_regex import compiled

MOST_STEPS = 200
MOST_TIMEOUT_S = 7 * 86_400
ALIKE = 0.8
_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def checked(payload: Procedure) -> Procedure:
    """Check that steps parse, conditions are valid and parameters are declared, and return the procedure to store.

    A parameter that a step uses and that is not declared is added, without a default.
    """
    if len(payload.steps) > MOST_STEPS:
        raise UsageError(f"a procedure has at most {MOST_STEPS} steps", "split it into several")
    for number, step in enumerate(payload.steps, 1):
        _check_step(number, step)
    names = [one.name for one in payload.parameters]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"the parameter {twice[0]} is declared twice", "declare it once")
    for one in payload.parameters:
        _check_parameter(one)
    used = dict.fromkeys(name for step in payload.steps for name in parameters_of(step))
    # A parameter with nothing but a name was added for a step; without the step it goes too.
    kept = tuple(one for one in payload.parameters if one.name in used or one != Parameter(name=one.name))
    return replace(payload, parameters=(*kept, *(Parameter(name=name) for name in used if name not in names)))


def parameters_of(step: ProcedureStep) -> tuple[str, ...]:
    """List the parameters that a step uses."""
    texts = (step.command, step.cwd, step.precondition, step.postcondition, *(v for v in step.env.values() if v))
    return tuple(dict.fromkeys(name for text in texts for name in parameters_in(text)))


def steps_with_parameters(payload: Procedure) -> frozenset[int]:
    """Return the numbers of the steps that use a parameter."""
    return frozenset(number for number, step in enumerate(payload.steps, 1) if parameters_of(step))


def check_timeout(timeout_s: float, whose: str) -> None:
    """Raise an error unless a timeout is more than 0 seconds and at most a week."""
    if not 0 < timeout_s <= MOST_TIMEOUT_S:
        raise UsageError(f"the timeout of {whose} must be more than 0 seconds and at most a week", "give it in seconds")


def is_cut(step: ProcedureStep) -> bool:
    """Return whether a secret was removed from a step's command or variables, so that it cannot run."""
    texts = (step.command, step.cwd, step.precondition, step.postcondition, *(v for v in step.env.values() if v))
    return any("[redacted:" in text for text in texts)


def body_of(payload: Procedure) -> str:
    """Return the searchable text of a procedure: its description, triggers and commands."""
    lines = [payload.description, *payload.triggers, *(step.command for step in payload.steps)]
    return "\n".join(line for line in lines if line)


def signatures_of(steps: Sequence[ProcedureStep]) -> tuple[str, ...]:
    """Return the signatures of steps: the same commands with other values have equal signatures."""
    return tuple(
        " ; ".join(signature_of(command) for command in parse(marked(step.command)[0]).commands) for step in steps
    )


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the similarity of two lists of signatures, from 0 to 1: the share they have in common, in order."""
    if not one or not other:
        return 0.0
    # The longest common subsequence: the same steps in another order are something else.
    row = [0] * (len(other) + 1)
    for mine in one:
        above = row[:]
        for place, theirs in enumerate(other, 1):
            row[place] = above[place - 1] + 1 if mine == theirs else max(above[place], row[place - 1])
    return 2 * row[-1] / (len(one) + len(other))


def joined(kept: Procedure, other: Procedure) -> Procedure:
    """Add the parts of another procedure to a procedure. A command that is already there is not added again."""
    commands = {step.command for step in kept.steps}
    names = {one.name for one in kept.parameters}
    return replace(
        kept, steps=(*kept.steps, *(step for step in other.steps if step.command not in commands)),
        parameters=(*kept.parameters, *(one for one in other.parameters if one.name not in names)),
        triggers=tuple(dict.fromkeys((*kept.triggers, *other.triggers))),
        description=kept.description or other.description,
        # Runs of both count.
        windows=(*kept.windows, *other.windows),
    )  # fmt: skip


def _check_step(number: int, step: ProcedureStep) -> None:
    where = f"step {number}"
    if not step.command.strip():
        raise UsageError(f"{where} has no command", "give the command it runs")
    if len(step.command) > MOST_BYTES:
        raise UsageError(f"{where} is over {MOST_BYTES:,} characters", "put it into a script and run that")
    # What it would do is the guard's business; here it only has to be a command.
    plain = marked(step.command)[0]
    is_broken = any(doubt.what == "it is not well formed" for doubt in parse(plain).doubts)
    # `[ -f x ]` and `(( n > 1 ))` run no program, but are steps; a comment is not.
    says = any(node.type != "comment" for node in tree_of(plain.encode(errors="replace")).named_children)
    if not says:
        raise UsageError(f"{where} runs nothing: {step.command[:80]!r}", "give the command it runs")
    if is_broken:
        raise UsageError(f"{where} is not a command the shell can read: {step.command[:80]!r}", "fix its quoting")
    if step.timeout_s is not None:
        check_timeout(step.timeout_s, where)
    for name in step.env:
        if not _VARIABLE.fullmatch(name):
            raise UsageError(
                f"{name[:60]!r} is not a valid variable name ({where})", "names have letters, digits and _"
            )
    for text, after in ((step.precondition, False), (step.postcondition, True)):
        try:
            read_condition(text, after=after) if text else None
        except UsageError as error:
            raise UsageError(f"{where}: {error}", error.hint) from None


def _check_parameter(one: Parameter) -> None:
    if not re.fullmatch(NAME, one.name):
        raise UsageError(f"{one.name[:60]!r} is not a valid parameter name", "names have letters, digits and _")
    if one.secret and one.default is not None:
        raise UsageError(
            f"the parameter {one.name} is secret, so a default is not allowed", "it is asked for at each replay"
        )
    if (one.default or "").startswith("-") and not one.pattern:
        raise UsageError(
            f"the default of {one.name} begins with a dash, which a program may read as an option",
            f"permit it with a pattern: --param {one.name}={one.default}~PATTERN",
        )
    if one.pattern:
        pattern = compiled(one.pattern, f"the pattern of {one.name}")
        if one.default is not None and not pattern.fullmatch(one.default):
            raise UsageError(f"the default of {one.name} does not match its pattern", "change one of them")
