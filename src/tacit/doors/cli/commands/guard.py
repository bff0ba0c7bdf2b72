"""guard: judge a command before it runs, and check the guard rules."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

import click

from tacit.app.guard_setup import guard_place, guard_warnings, load_guard
from tacit.doors.cli.command_call import CommandCall, json_lines, whole_scope
from tacit.errors import ConfigError, UsageError
from tacit.guard.check_rules import check_rules
from tacit.guard.judge import JudgedCommand, explain, gravest, judge
from tacit.guard.packs import RulePacks
from tacit.guard.verdict import POLICIES, Decision, Verdict, decide
from tacit.logs import escape
from tacit.loop.judge_call import loosened
from tacit.text.plural import plural

CODES: dict[Decision, int] = {"allow": 0, "deny": 4, "ask": 5, "unsure": 5}
CHECK = "check-rules"


@click.command()
@click.argument("command", required=False, metavar="[COMMAND|check-rules]")
@click.option("--cwd", default="", metavar="DIR", help="The directory it would run in; default: here.")
@click.option(
    "--policy",
    type=click.Choice(sorted(POLICIES)),
    help="Also show the decision for a hook, for a replay, or in strict mode.",
)
@click.option("--explain", "explaining", is_flag=True, help="Show every command found in the line, and its findings.")
@click.option(
    "--jsonl", is_flag=True, help='Read {"command", "cwd"?} per line, write {"command", "verdict", "rule", "reason"}.'
)
@partial(whole_scope, tolerate_errors=True)
def guard(
    call: CommandCall, command: str | None, cwd: str, policy: str | None, explaining: bool, jsonl: bool
) -> int:  # fmt: skip
    """Judge a command line without running it. Exits 0 for allow, 4 for deny, 5 for ask or unsure.

    `tacit guard check-rules` checks the rules instead: each must have examples and match them. The check also lists
    what was skipped in a lexicon, and exits 5 if there are findings.
    """
    if call.settings.broken and command == CHECK:
        raise ConfigError(call.settings.broken, "fix it first: it sets the severity of rules")
    if jsonl:
        return _lines(call, cwd, policy)
    if not command:
        raise UsageError("no command was given", 'give one: tacit guard "rm -rf build"')
    if command == CHECK:
        return _checked(call)
    place, packs = guard_place(call.settings, cwd), _packs(call)
    steps = explain(command, place, packs)
    verdict = gravest(steps)
    decision = decide(verdict.verdict, policy) if policy else verdict.verdict
    document = {**_document(command, verdict), "alternative": verdict.alternative, "family": verdict.family,
                "span": [verdict.start, verdict.end], "decision": decision}  # fmt: skip
    if explaining:
        document["steps"] = [_step(step) for step in steps]
    call.answer("guard", document, lambda: _show(command, verdict, decision, steps if explaining else []))
    return CODES[decision]


def _packs(call: CommandCall) -> RulePacks:
    """Load the guard; problems of settings and rules are printed, and all other rules count."""
    packs, problems, notices = load_guard(call.settings)
    if call.settings.broken:
        call.tell(f"{call.settings.broken}; judged with the default severities")
    for problem in (*(f"{one.message}; judged without it" for one in problems), *call.settings.notices, *notices):
        call.tell(problem)
    return packs


def _document(command: str, verdict: Verdict) -> dict[str, Any]:
    return {"command": command, "verdict": verdict.verdict, "rule": verdict.rule, "reason": verdict.reason}


def _step(step: JudgedCommand) -> dict[str, Any]:
    findings = [{"verdict": one.verdict, "rule": one.rule, "reason": one.reason} for one in step.verdicts]
    return {"command": step.shown, "depth": step.depth, "findings": findings}


def _show(command: str, verdict: Verdict, decision: Decision, steps: list[JudgedCommand]) -> None:
    from tacit.doors.cli.render import say

    for step in steps:
        if step.shown:
            say(f"{'  ' * step.depth}{step.shown}")
        say(*(f"{'  ' * step.depth}  ! {one.verdict} {one.rule}: {one.reason}" for one in step.verdicts))
    say(f"{decision}: {verdict.reason} ({verdict.rule})" if verdict.rule else decision)
    if verdict.rule:
        _mark(command, verdict)
        say(*([f"  instead: {verdict.alternative}"] if verdict.alternative else []))
        say(*([f"  {loosened(verdict.rule)}"] if decision == "deny" else []))


def _mark(command: str, verdict: Verdict) -> None:
    """Underline the part of the command that the verdict is about."""
    from tacit.doors.cli.render import say

    text = command.encode(errors="replace")
    before, inside = (text[a:b].decode(errors="replace") for a, b in ((0, verdict.start), (verdict.start, verdict.end)))
    line = inside.split("\n")[0]
    lead = escape(before.rsplit("\n", 1)[-1])
    say(f"  {lead}{escape(line)}", f"  {' ' * len(lead)}{'^' * max(1, min(len(escape(line)), 200))}")


def _lines(call: CommandCall, cwd: str, policy: str | None) -> int:
    packs = _packs(call)
    for value in json_lines("command"):
        where = value.get("cwd") if isinstance(value.get("cwd"), str) else cwd
        verdict = judge(value["command"], guard_place(call.settings, where or ""), packs)
        answer = _document(value["command"], verdict)
        if policy:
            answer["decision"] = decide(verdict.verdict, policy)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()  # the sender may wait for the answer to each line
    return 0


def _checked(call: CommandCall) -> int:
    packs, problems, _notices = load_guard(call.settings)
    if problems:
        raise problems[0]
    found = (*check_rules(packs), *guard_warnings(call.settings))
    findings = [{"rule": rule, "message": message} for rule, message in found]

    def show() -> None:
        from tacit.doors.cli.render import say

        say(*(f"{one['rule']}: {one['message']}" for one in findings))
        say(f"{plural(len(packs.rules), 'rule')}, {plural(len(findings), 'finding')}")

    call.answer("guard.rules", {"rules": len(packs.rules), "findings": findings}, show)
    return 5 if findings else 0
