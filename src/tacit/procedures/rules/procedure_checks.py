"""What a procedure has to be before it is kept, and how two of them compare."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.errors import UsageError
from tacit.model.procedure import Parameter, Procedure, ProcedureStep
from tacit.model.record import replace
from tacit.procedures.rules.conditions import read_condition
from tacit.shell.parse import MOST_BYTES, parse, tree_of
from tacit.shell.signature import signature_of
from tacit.shell.template import NAME, marked, parameters_in
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_regex import compiled

MOST_STEPS = 200
MOST_TIMEOUT_S = 7 * 86_400
ALIKE = 0.8
_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def checked(payload: Procedure) -> Procedure:
    """Give a procedure that can be kept: steps that parse, conditions of a known form, parameters that are declared.

    A parameter that a step uses and nobody declared is declared, with no default.
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
    # One of which nothing is said but its name was declared for a step; it goes with it.
    kept = tuple(one for one in payload.parameters if one.name in used or one != Parameter(name=one.name))
    return replace(payload, parameters=(*kept, *(Parameter(name=name) for name in used if name not in names)))


def parameters_of(step: ProcedureStep) -> tuple[str, ...]:
    """Name the parameters a step uses anywhere."""
    texts = (step.command, step.cwd, step.precondition, step.postcondition, *(v for v in step.env.values() if v))
    return tuple(dict.fromkeys(name for text in texts for name in parameters_in(text)))


def check_timeout(timeout_s: float, whose: str) -> None:
    """Refuse a time no step can have; what is no number at all is refused too."""
    if not 0 < timeout_s <= MOST_TIMEOUT_S:
        raise UsageError(f"the timeout of {whose} must be more than 0 seconds and at most a week", "give it in seconds")


def is_cut(step: ProcedureStep) -> bool:
    """Say whether a secret was taken out of what a step runs or sees, so that it cannot run as it was meant."""
    texts = (step.command, step.cwd, step.precondition, step.postcondition, *(v for v in step.env.values() if v))
    return any("[redacted:" in text for text in texts)


def body_of(payload: Procedure) -> str:
    """Give the text by which a procedure is found: what it is for, when, and what it runs."""
    lines = [payload.description, *payload.triggers, *(step.command for step in payload.steps)]
    return "\n".join(line for line in lines if line)


def signatures_of(steps: Sequence[ProcedureStep]) -> tuple[str, ...]:
    """Give the signatures of what steps run: equal work has equal signatures, whatever the values."""
    return tuple(
        " ; ".join(signature_of(command) for command in parse(marked(step.command)[0]).commands) for step in steps
    )


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Say how alike two procedures are by their signatures: the share of both they have in common, in order."""
    if not one or not other:
        return 0.0
    # The longest common subsequence: the same steps in another order are other work.
    row = [0] * (len(other) + 1)
    for mine in one:
        above = row[:]
        for place, theirs in enumerate(other, 1):
            row[place] = above[place - 1] + 1 if mine == theirs else max(above[place], row[place - 1])
    return 2 * row[-1] / (len(one) + len(other))


def joined(kept: Procedure, other: Procedure) -> Procedure:
    """Let one procedure take over what another adds. A command that is there already is not added again."""
    commands = {step.command for step in kept.steps}
    names = {one.name for one in kept.parameters}
    return replace(
        kept, steps=(*kept.steps, *(step for step in other.steps if step.command not in commands)),
        parameters=(*kept.parameters, *(one for one in other.parameters if one.name not in names)),
        triggers=tuple(dict.fromkeys((*kept.triggers, *other.triggers))),
        description=kept.description or other.description,
        # Runs of either speak for both.
        windows=(*kept.windows, *other.windows),
    )  # fmt: skip


def _check_step(number: int, step: ProcedureStep) -> None:
    where = f"step {number}"
    if not step.command.strip():
        raise UsageError(f"{where} has no command", "give the command it runs")
    if len(step.command) > MOST_BYTES:
        raise UsageError(f"{where} is over {MOST_BYTES:,} characters", "put it into a script and run that")
    # Doubts about what it would do are the guard's; here it only has to be a command.
    plain = marked(step.command)[0]
    is_broken = any(doubt.what == "it is not well formed" for doubt in parse(plain).doubts)
    # `[ -f x ]` and `(( n > 1 ))` run no program, and are steps all the same; a comment is none.
    says = any(node.type != "comment" for node in tree_of(plain.encode(errors="replace")).named_children)
    if not says:
        raise UsageError(f"{where} runs nothing: {step.command[:80]!r}", "give the command it runs")
    if is_broken:
        raise UsageError(f"{where} is no command the shell could read: {step.command[:80]!r}", "mend its quoting")
    if step.timeout_s is not None:
        check_timeout(step.timeout_s, where)
    for name in step.env:
        if not _VARIABLE.fullmatch(name):
            raise UsageError(f"{name[:60]!r} cannot be a variable of {where}", "names have letters, digits and _")
    for text, after in ((step.precondition, False), (step.postcondition, True)):
        try:
            read_condition(text, after=after) if text else None
        except UsageError as error:
            raise UsageError(f"{where}: {error}", error.hint) from None


def _check_parameter(one: Parameter) -> None:
    if not re.fullmatch(NAME, one.name):
        raise UsageError(f"{one.name[:60]!r} cannot be a parameter", "names have letters, digits and _")
    if one.secret and one.default is not None:
        raise UsageError(f"the parameter {one.name} is secret, so it has no default", "it is asked for at each replay")
    if one.pattern:
        pattern = compiled(one.pattern, f"the pattern of {one.name}")
        if one.default is not None and not pattern.fullmatch(one.default):
            raise UsageError(f"the default of {one.name} does not match its pattern", "change one of them")
