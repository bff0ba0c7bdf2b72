"""The instructions for a host model about its memory directory: what to save, how to save it, and when to read it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

TYPES = (
    ("user", "who the person is: their role, their goals, what they know and how they like to work",
     "when you learn something about the person that will matter another day", "to fit what you say and do to them",
     "always private"),
    ("feedback", "how work is to be done here: corrections, and ways that were confirmed",
     "when you are corrected, or when an unusual way of yours is approved", "so that nobody has to say it twice",
     "private, unless it is a convention of the whole project"),
    ("project", "what is going on and why: goals, decisions, deadlines, incidents that the code does not show",
     "when you learn who does what, why, or by when; write dates out, since `Thursday` means nothing later",
     "to understand what lies behind a request", "for the team rather than private"),
    ("reference", "where things are kept outside this project: boards, dashboards, documents",
     "when you learn of a place and what it is for", "when something has to be looked up there",
     "usually for the team"),
)  # fmt: skip
PRIVATE = ("user", "feedback")
"""The types that never go into the team's folder."""
_NOT = (
    "How the code is built, its conventions, its paths: the code says that itself.",
    "Who changed what: `git log` and `git blame` know better.",
    "How a bug was fixed: the fix is in the code, and the reason belongs into the commit.",
    "What the project's instruction files say already.",
    "What is only true for this task: the steps you are at, things to do in this conversation.",
    "Secrets of any kind: passwords, tokens, keys.",
)


def memory_prompt(
    folder: str, index: str, *, name: str = "auto memory", team: str = "", extra: Sequence[str] = (),
    skip_index: bool = False, embedded: bool = False, transcripts: str = "", types: Collection[str] = (),
    ask: bool = False,
) -> str:  # fmt: skip
    """Return the instructions with the current index. `team` is the shared folder, if there is one.

    `types` are the types that are kept; if it is empty, all are. With `ask`, memories are proposed, not written.
    """
    parts = [
        _intro(name, folder, team), _types(team, types), _not_to_save(team),
        _proposing() if ask else _how_to_save(team, skip_index, types),
        _when(), _before(), *(["\n".join(["## Further", "", *(f"- {line}" for line in extra)])] if extra else []),
        _searching(folder, transcripts, embedded), _index(index),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _intro(name: str, folder: str, team: str) -> str:
    lines = [
        f"# {name}",
        "",
        f"You keep a memory in files under `{folder}`. The folder is there; write to it directly.",
    ]
    if team:
        lines.append(f"What everybody on the project should know goes under `{team}`, which has an index of its own.")
    lines += [
        "", "It is for what helps later conversations: who you work with, how they want it, what lies behind it.",
        "Asked to remember something, save it at once, as the type it is. Asked to forget it, find it and remove it.",
    ]  # fmt: skip
    return "\n".join(lines)


def _types(team: str, types: Collection[str]) -> str:
    lines = ["## Types of memory", ""]
    for name, what, when, use, scope in (one for one in TYPES if not types or one[0] in types):
        lines += [f"- **{name}**: {what}.", f"  - Save it {when}.", f"  - Use it {use}."]
        lines += [f"  - Scope: {scope}."] if team else []
    lines += ["", "A feedback or project memory says the rule or the fact first, then **Why:** and **How to apply:**."]
    return "\n".join(lines)


def _not_to_save(team: str) -> str:
    lines = ["## What NOT to save in memory", "", *(f"- {line}" for line in _NOT)]
    if team:
        lines.append("- Above all nothing private and no secret under the team's folder.")
    return "\n".join(
        [*lines, "", "That holds also when you are asked to: then ask what was surprising about it, and keep that."]
    )


def _proposing() -> str:
    call = 'tacit memdir add "what it is" --type feedback --name "a short name" --description "when it matters"'
    return "\n".join([
        "## How to save memories", "",
        "A person decides what is kept here, so do not write to these files yourself.", "",
        "**Step 1**: propose the memory:", "", "```sh", call, "```", "",
        "**Step 2**: say that you did; `tacit memdir status` shows it, and `tacit memdir accept` is theirs to run.",
    ])  # fmt: skip


def _how_to_save(team: str, skip_index: bool, types: Collection[str]) -> str:
    kept = (name for name, *_rest in TYPES if not types or name in types)
    file = [
        "```markdown", "---", "name: a short name", "description: one line by which you will know whether it matters",
        f"type: {' | '.join(kept)}", "---", "", "what it is", "```",
    ]  # fmt: skip
    if skip_index:
        return "\n".join(["## How to save memories", "", "Write each memory into a file of its own:", "", *file])
    where = " of the same folder" if team else ""
    return "\n".join([
        "## How to save memories", "",
        "**Step 1**: write the memory into a file of its own, for example `feedback_tests.md`:", "", *file, "",
        f"**Step 2**: add one line about it to `MEMORY.md`{where}: `- [Title](file.md): what it is about`. It is",
        "loaded with every conversation and cut after 200 lines, so keep lines short and never write a memory into it.",
        "", "Change or remove memories that turn out wrong. Look for one to update before you write another.",
    ])  # fmt: skip


def _when() -> str:
    return "\n".join([
        "## When to access memories", "", "- When something you know may matter, or the person speaks of earlier work.",
        "- Always when you are asked to check, recall or remember.",
        "- Never when you are told to ignore memory: then act as if it were empty.",
        "- A memory is how things were when it was written. Check it against what you see now; where they differ,",
        "  trust what you see and mend the memory.",
    ])  # fmt: skip


def _before() -> str:
    return "\n".join([
        "## Before recommending from memory", "", "- A memory names a file: see that it is there.",
        "- It names a function, a flag or a command: search for it.",
        "- The person is about to act on it: verify it first.",
        "- It sums up a state of things: that state is frozen; ask the code, or git, for today's.",
    ])  # fmt: skip


def _searching(folder: str, transcripts: str, embedded: bool) -> str:
    def search(path: str, files: str) -> str:
        if embedded:
            return f'Grep with pattern="<words>" path="{path}" glob="{files}"'
        return f'grep -rn "<words>" {path} --include="{files}"'

    lines = [
        "## Searching past context",
        "",
        "1. Search topic files:",
        "   ```",
        f"   {search(folder, '*.md')}",
        "   ```",
    ]
    if transcripts:
        lines += ["2. Session transcript logs, as a last resort: they are large and slow:", "   ```"]
        lines += [f"   {search(transcripts, '*.jsonl')}", "   ```"]
    else:
        lines.append('2. Session transcript logs, as a last resort: `tacit sessions search "WORDS"`.')
    return "\n".join([*lines, "Use narrow search terms: an error, a path, a name."])


def _index(index: str) -> str:
    return f"## MEMORY.md\n\n{index or 'It is empty as yet: what you save will be listed here.'}"
