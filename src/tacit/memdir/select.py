"""Select topic files for a task, each with its trust and its outdated parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, NamedTuple

import msgspec

from tacit.admission.trust import LABELS
from tacit.errors import TacitError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.choose_topics import AgedTopic, TopicChooser
from tacit.memdir.file_notes import file_note, folder_of, read_file
from tacit.memdir.folder import TopicFolder
from tacit.memdir.instruction_filter import flag_of
from tacit.model.memdir_results import SelectedTopic
from tacit.model.verb import arg
from tacit.records.ask_model import ask_model
from tacit.records.connection import Connection

LOOK_AROUND_FILES = 10_000
_ASK = (
    "Choose the memory files that a coding agent needs for the task: at most {limit}, only those that surely help, by "
    "their paths exactly as they stand. If none surely helps, give an empty list."
)
_UNREAD = 1
Task = Annotated[str, arg("The task, in words.")]
Shown = Annotated[Sequence[str], arg("A file to leave out because it was already shown; repeatable.", metavar="FILE")]
Few = Annotated[int, arg("At most this many files.", ge=1, le=5)]
ForAgent = Annotated[str, arg("Include the folder of this agent.")]


class TopicSelection(NamedTuple):
    """The selected files, who selected them (`rules` or a model), and why no model did although one was requested."""

    files: list[SelectedTopic]
    by: str
    notice: str = ""


class _Choice(msgspec.Struct, frozen=True):
    files: list[str]


def select(
    c: Connection, task: Task, *, shown: Shown = (), limit: Few = 5, agent: ForAgent = ""
) -> list[SelectedTopic]:
    """Select the topic files for a task by rules: at most five, possibly none.

    Each comes with its age, its trust, and the names in it that no longer exist in the working tree.
    """
    chooser, now_ns = _chooser(c)
    chosen = chooser.choose(task, now_ns, shown, limit, agent=agent, types=c.memdir_rules.types, may=_may(c))
    return _selected_all(c, chosen)


def choose(c: Connection, task: Task, *, shown: Shown = (), limit: Few = 5, agent: ForAgent = "") -> TopicSelection:
    """Let the configured language model select among the newest files by their front matter; it may select none.

    If the model cannot be asked, or names files that do not exist, rules select instead, and the notice says so.
    """
    chooser, now_ns = _chooser(c)
    offered = chooser.offered(now_ns, shown, agent=agent, types=c.memdir_rules.types, may=_may(c))
    if not offered:
        return TopicSelection([], "rules")
    lines = [f"- {one.chosen.card.path} [{one.chosen.card.type}] {_line(one)}" for one in offered]
    answer = ask_model(
        c, "memdir selection", _ASK.format(limit=limit), "\n".join([f"Task: {task}", "", *lines]), _Choice
    )
    known = {one.chosen.card.path: one for one in offered}
    if answer.value is not None:
        named = list(dict.fromkeys(answer.value.files))
        chosen = [known[path] for path in named if path in known][:limit]
        if chosen or not named:
            return TopicSelection(_selected_all(c, chosen), answer.by)
    problem = answer.problem or ("it named no existing file" if answer.by else "no language model is configured")
    found = select(c, task, shown=shown, limit=limit, agent=agent)
    return TopicSelection(found, "rules", f"selected by rules, not by a model: {problem}")


def _chooser(c: Connection) -> tuple[TopicChooser, int]:
    return TopicChooser(TopicFolder(folder_of(c))), int(c.clock.now().timestamp() * 1e9)


def _may(c: Connection) -> Callable[[str], bool]:
    """Return whether a file may be selected: a file with instructions may not, unless a person approved it."""
    inside = SafeFolder(folder_of(c))

    def may(path: str) -> bool:
        try:
            file = read_file(c, inside, path)
        except TacitError:
            return True
        return not flag_of(c, path, file)

    return may


def _line(one: AgedTopic) -> str:
    card = one.chosen.card
    return " ".join(f"{card.name}: {card.description} ({one.age})".split())


def _selected_all(c: Connection, chosen: Sequence[AgedTopic]) -> list[SelectedTopic]:
    inside = SafeFolder(folder_of(c))
    read = [_read(c, inside, one.chosen.card.path) for one in chosen]
    gone = c.gone([text for text, _trust in read], LOOK_AROUND_FILES)
    return [_selected(one, trust, what) for one, (_text, trust), what in zip(chosen, read, gone, strict=True)]


def _read(c: Connection, inside: SafeFolder, path: str) -> tuple[str, int]:
    """Return the text of a file and its trust: the trust of its note, unless the file changed since the last sync."""
    try:
        file = read_file(c, inside, path)
    except TacitError:
        return "", _UNREAD
    found = file_note(c, path)
    same = found and found.agreement and found.agreement.hash == file.hash and found.record.status == "active"
    return file.clean, found.record.trust if found and same else _UNREAD


def _selected(one: AgedTopic, trust: int, gone: tuple[str, ...]) -> SelectedTopic:
    card = one.chosen.card
    return SelectedTopic(
        path=card.path, name=card.name, type=card.type, description=card.description, wrong=card.wrong,
        written=datetime.fromtimestamp(one.written_ns / 1e9, UTC), age=one.age, age_days=one.days, trust=trust,
        trust_label=LABELS[trust], gone=gone, score=round(one.chosen.score, 4), words=one.chosen.words,
    )  # fmt: skip
