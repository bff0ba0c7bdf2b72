"""The home in which `tacit bench hooks` measures: facts, failures of everyday programs, corrections, lessons."""

from __future__ import annotations

from tacit.app.memory import Memory
from tacit.bench.corpus import Corpus
from tacit.bench.store import items
from tacit.errors import UsageError
from tacit.failures.corrections import key_of, title_of
from tacit.failures.failures import draft_of
from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.person_rules import anchors
from tacit.failures.rules.quiet import SEEN
from tacit.model.event import NewEvent
from tacit.model.failure import Correction
from tacit.model.record import Draft
from tacit.records.write import admitted, new_record

# Each line fails with its message; the number makes each a cause of its own.
_FAILURES = (
    ("git checkout branch{n}", "error: pathspec 'branch{n}' did not match any file(s) known to git"),
    ("git merge topic{n}", "merge: topic{n} - not something we can merge"),
    ("gh pr view --field{n}", "unknown flag: --field{n}"),
    ("npm run task{n}", 'npm error Missing script: "task{n}"'),
    ("cat src/part{n}.py", "cat: src/part{n}.py: No such file or directory"),
    ("ls lib{n}/", "ls: cannot access 'lib{n}/': No such file or directory"),
    ("python tools/step{n}.py", "ModuleNotFoundError: No module named 'package{n}'"),
    ("make target{n}", "make: *** No rule to make target 'target{n}'.  Stop."),
    ("tool{n} --all", "sh: 1: tool{n}: not found"),
    ("deploy service{n} --region r{n}", "service{n} is not ready"),
)  # fmt: skip
_CORRECTIONS = (
    ("npm install package{n}", "pnpm add package{n}", "prompt"),
    ("git checkout branch{n}", "git switch branch{n}", "fix"),
    ("ls lib{n}/", "ls libs/lib{n}/", "fix"),
    ("cat src/part{n}.py", "cat src/parts/part{n}.py", "fix"),
    ("tool{n} install", "other{n} install", "person"),
)
REPEATED = "npm run task3"
"""A command that failed for a cause that is told."""


def fill_home(memory: Memory, facts: int, failures: int, corrections: int) -> None:
    """Fill a memory with facts and with what was learned from commands of everyday programs."""
    c, now = memory._c, memory._c.clock.now()
    if facts:
        memory.add_many(items(Corpus().texts(facts)))
    learned = [_failure(memory, number) for number in range(failures)]
    learned += [_correction(memory, number) for number in range(corrections)]
    drafts = {(draft.kind, draft.key): admitted(c, draft) for draft in learned}
    records = [new_record(c, draft, now) for draft in drafts.values()]
    with c.store.transaction(c.origin, now) as tx:
        tx.add(records)
        for record in (one for one in records if one.kind == "failure"):
            tx.append(NewEvent(type=SEEN, subject=record.id, scope=record.scope, session="earlier", payload={}))
    memory.maintain()


def _failure(memory: Memory, number: int) -> Draft:
    command, error = (text.replace("{n}", str(number // len(_FAILURES))) for text in _FAILURES[number % len(_FAILURES)])
    code = 127 if "not found" in error else 1
    cause = cause_of(command, error, code)
    if cause is None:
        raise UsageError(f"{command} names no command", "change the list of failures")
    return draft_of(memory._c, command, cause, error, code, "/")


def _correction(memory: Memory, number: int) -> Draft:
    was, now, source = _CORRECTIONS[number % len(_CORRECTIONS)]
    original, corrected = (text.replace("{n}", str(number // len(_CORRECTIONS))) for text in (was, now))
    said = Correction(
        type="tool-preference", original=original, corrected=corrected, source=source,  # type: ignore[arg-type]
        confidence=0.6 if source == "fix" else 0.8, about=anchors(corrected),
    )  # fmt: skip
    return Draft(
        kind="correction", scope=str(memory._c.scope), key=key_of(original, corrected), payload=said,
        title=title_of(original, corrected), body=f"{original}\n{corrected}",
    )  # fmt: skip
