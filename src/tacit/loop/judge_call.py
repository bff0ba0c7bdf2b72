"""Judge what a tool of an agent is about to run or to write, by the guard alone."""

from __future__ import annotations

from collections.abc import Callable

from tacit.guard.verdict import Verdict, decide
from tacit.model.hook import HookAnswer, HookCall

REASON_CHARS = 2_000
Judge = Callable[[str, str], Verdict]
"""Judges a command, or the path of a file, in a folder."""


def judged(guard: Judge, guard_write: Judge, call: HookCall) -> HookAnswer:
    """Judge what a tool is about to run or to write, by the guard alone, without the memory."""
    if call.moment != "before_tool" or call.tool is None:
        return HookAnswer()
    verdicts = [guard(call.tool.command, call.cwd)] if call.tool.command else []
    verdicts += [guard_write(path, call.cwd) for path in call.tool.paths if call.tool.kind == "edit"]
    verdict = max(verdicts, key=lambda one: one.weight, default=Verdict("allow"))
    decision = decide(verdict.verdict, "hook")
    if decision == "allow":
        return HookAnswer()
    instead = f" Instead: {verdict.alternative}." if verdict.alternative else ""
    # A reason may quote the command, or the name a repository's file gave a rule: one line, as much as agents take.
    reason = " ".join(f"{verdict.reason} (tacit guard, {verdict.rule}).{instead}".split())[:REASON_CHARS]
    return HookAnswer(deny=f"{reason} {loosened(verdict.rule)}") if decision == "deny" else HookAnswer(ask=reason)


def loosened(rule: str) -> str:
    """Return how a person can make a guard rule ask instead of deny."""
    return f'Only a person may loosen it: severity = {{ "{rule}" = "ask" }} under [guard] in config.toml.'
