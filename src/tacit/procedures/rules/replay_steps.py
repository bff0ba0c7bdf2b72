"""Pure decisions of a replay: the values of parameters, the variables of a step, and the result of a step."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from urllib.parse import quote

from tacit.errors import UsageError
from tacit.model.command_run import CommandResult
from tacit.model.procedure import Parameter, ProcedureStep, StepState
from tacit.model.settings import REPLAY_DEPTH, ReplayRules
from tacit.shell.template import (
    NAME,
    filled,
    is_computed,
    is_plain,
    marked,
    parameters_in,
    put_in,
    read_as_code,
    same_commands,
)
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_regex import compiled

PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR")
"""Variables that every program needs. A step gets other variables of the caller only if it names them."""
GIVEN = "TACIT_PARAM_"
MOST_OUTPUT_CHARS = 64_000
# A shorter line of a secret is too common to be taken out of every text.
MASKED_LINE = 4
_STAND_IN = lazy_pattern(rf"tacit\.({NAME})\.tacit")
_SIGNALS = {2: "interrupted", 6: "aborted", 9: "killed", 11: "crashed", 13: "cut off", 15: "terminated"}


def values_of(
    parameters: Sequence[Parameter], given: Mapping[str, str], environ: Mapping[str, str], *, lenient: bool = False
) -> dict[str, str]:
    """Return the value of each parameter: the given one, else its variable's, else its default.

    `lenient` allows gaps.
    """
    known = {one.name for one in parameters}
    if unknown := sorted(set(given) - known):
        raise UsageError(
            f"unknown parameter {unknown[0][:60]!r}",
            f"the procedure has {', '.join(sorted(known))}" if known else "the procedure has no parameters",
        )
    values = {}
    for one in parameters:
        value = given.get(one.name, environ.get(f"{GIVEN}{one.name.upper()}", one.default))
        if value is None:
            if lenient:
                continue
            raise UsageError(f"the parameter {one.name} has no value", f"give one: --param {one.name}=…")
        if value.startswith("-") and not one.pattern:
            # A program would read it as an option.
            raise UsageError(f"the value of {one.name} begins with a dash", "add a pattern that allows it")
        if one.pattern and not compiled(one.pattern, f"the pattern of {one.name}").fullmatch(value):
            shown = "its value" if one.secret else repr(value[:60])
            raise UsageError(f"{shown} does not match the pattern of {one.name}: {one.pattern}", "give another value")
        values[one.name] = value
    return values


def wanting(parameters: Sequence[Parameter], given: Mapping[str, str], environ: Mapping[str, str]) -> list[Parameter]:
    """Return the parameters that have no value."""
    found = values_of(parameters, given, environ, lenient=True)
    return [one for one in parameters if one.name not in found]


def fill(text: str, values: Mapping[str, str], *, shell: bool = True) -> str:
    """Fill values into a text. In a command a value stays one word and can never add a command.

    A missing value is replaced by a placeholder word, so that a dry run can be judged; `shown` writes `{{name}}`.
    """
    names = parameters_in(text)
    if not names:
        return text
    values = {name: values.get(name, _stand_in(name)) for name in names}
    if not shell:
        return put_in(text, values)
    command = filled(text, values)
    if all(is_plain(value) for value in values.values()):
        return command
    plain, marks = marked(text)
    for name, mark in marks.items():
        if not is_plain(values[name]) and (read_as_code(plain, mark) or is_computed(plain, values[name])):
            raise _refused(name, "it would become part of a program's code")
    if not same_commands(plain, marks, command):
        raise _refused(
            next(name for name in values if not is_plain(values[name])), "it would change what the step runs"
        )
    return command


def shown(text: str, values: Mapping[str, str], secrets: Collection[str], *, shell: bool = True) -> str:
    """Fill values into a text for people; secrets are replaced by their names."""
    text = fill(text, {name: value for name, value in values.items() if name not in secrets}, shell=shell)
    return unfilled(text, {name: f"[secret:{name}]" for name in secrets if name in values})


def unfilled(text: str, names: Mapping[str, str]) -> str:
    """Replace placeholder words by text for people: the given names, else `{{name}}`."""
    return _STAND_IN.sub(lambda found: names.get(found[1], f"{{{{{found[1]}}}}}"), text)


def _stand_in(name: str) -> str:
    return f"tacit.{name}.tacit"


def spellings(value: str) -> list[str]:
    """List the forms in which a secret may appear in output, longest first: plain, quoted, escaped, line by line."""
    escaped = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe="")
    quoted = (re.sub(r'([\\"$`])', r"\\\1", value), value.replace("'", "'\\''"), value.replace("'", "'\"'\"'"))
    lines = [line.strip() for line in value.splitlines() if len(line.strip()) >= MASKED_LINE]
    return sorted({one for one in (value, *escaped, *quoted, *lines) if one}, key=lambda one: (-len(one), one))


def variables_of(
    step: ProcedureStep, values: Mapping[str, str], environ: Mapping[str, str], rules: ReplayRules, depth: int
) -> dict[str, str]:
    """Return the variables of a step: those every program needs, those from the settings, and those it names."""
    seen = {name: value for name, value in environ.items() if name in PASSED or name.startswith("LC_")}
    seen |= {name: environ[name] for name in rules.env if name in environ}
    for name, value in step.env.items():
        if value is not None:
            seen[name] = fill(value, values, shell=False)
        elif name in environ:
            seen[name] = environ[name]
    return seen | {REPLAY_DEPTH: str(depth + 1)}


def assignments(step: ProcedureStep, values: Mapping[str, str]) -> str:
    """Return the variables that a step sets, in the form written before a command."""
    given = ((name, fill(value, values, shell=False)) for name, value in step.env.items() if value)
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in given)


def approval(command: str, directory: str) -> str:
    """Return the hash that identifies a person's approval: exactly this command in exactly this directory."""
    return hashlib.sha256(f"{directory}\0{command}".encode(errors="surrogatepass")).hexdigest()


def step_state(ran: CommandResult, expected: int, limit_s: float, *, tolerated: bool) -> tuple[StepState, str]:
    """Return the state in which a step ended, and the reason if it did not pass."""
    if ran.ending == "interrupted":
        return "interrupted", ran.problem or "interrupted"
    if ran.ending == "not_started":
        return "failed", ran.problem
    if ran.ending == "exited" and ran.exit_code == expected:
        return "passed", "processes that it left running were stopped" if ran.left_behind else ""
    if ran.ending == "timed_out":
        why = f"it was stopped after {limit_s:g} s" if not ran.problem else f"after {limit_s:g} s, {ran.problem}"
    elif ran.signal:
        why = f"it was {_SIGNALS.get(ran.signal, 'ended')} by signal {ran.signal}"
    else:
        why = f"it exited with {ran.exit_code}" + (f", not {expected}" if expected else "")
    return ("tolerated" if tolerated and ran.ending == "exited" else "failed"), why


def is_binary(output: bytes) -> bool:
    """Return whether output is binary. Colours and a few control characters still count as text."""
    sample = output[:8192]
    odd = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in sample)
    return b"\0" in sample or odd > max(2, len(sample) // 20)


def clean_output(output: bytes, masked: Callable[[str], str]) -> str:
    """Return output as text that can be stored. For binary output this is only its size.

    Secrets are removed before the text is shortened, because half a secret would not be recognised.
    """
    if is_binary(output):
        return f"[binary output, {len(output):,} bytes not kept]"
    text = masked(output.decode(errors="replace").replace("\0", "\ufffd"))
    if len(text) <= MOST_OUTPUT_CHARS:
        return text
    half = MOST_OUTPUT_CHARS // 4
    return f"{text[:half]}\n[… {len(text) - MOST_OUTPUT_CHARS:,} characters left out …]\n{text[-3 * half :]}"


def _refused(name: str, why: str) -> UsageError:
    return UsageError(
        f"the value of {name} is refused: {why}",
        "use letters, digits and ./:@%+,=- only, or make it a separate argument in the step",
    )
