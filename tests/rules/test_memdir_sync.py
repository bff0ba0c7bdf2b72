"""What a sync decides about one path: every state of file, note and agreement there is."""

import pytest

from tacit.memdir.rules.size_budget import TopicSize, evictions, over_budget
from tacit.memdir.rules.sync_decision import FileState, NoteState, SyncDecision, SyncedState, decide
from tacit.model.settings import MemdirRules

OLD, NEW, OURS = "a\nb\nc\n", "a\nb\nC\n", "A\nb\nc\n"


def file(text, clean=None):
    return FileState(f"hash of {text}", text, text if clean is None else clean)


def agreed(text, raw=None):
    return SyncedState(f"hash of {raw or text}", text)


def note(text, *former):
    return NoteState(text, retired=False, former=frozenset(former))


def retired(text):
    return NoteState(text, retired=True)


GONE = SyncedState("", "")


@pytest.mark.parametrize(
    ("there", "before", "here", "act", "text"),
    [
        # nothing known
        (None, None, None, "nothing", ""),
        (file(NEW), None, None, "take", ""),
        # a note that never had a file here
        (None, None, note(OLD), "unwritten", ""),
        (None, None, retired(OLD), "nothing", ""),
        (file(OLD), None, note(OLD), "agree", ""),
        (file(NEW), None, note(OLD), "conflict", ""),
        (file(OLD), None, note(NEW, OLD), "write", NEW),
        (file(OLD + "key", OLD), None, note(NEW, OLD), "conflict", ""),
        (file(NEW), None, retired(OLD), "take", ""),
        # both there, and agreed on once
        (file(OLD), agreed(OLD), note(OLD), "nothing", ""),
        (file(NEW), agreed(OLD), note(OLD), "take", ""),
        (file(OLD), agreed(OLD), note(OURS), "write", OURS),
        (file(NEW), agreed(OLD), note(NEW), "agree", ""),
        (file(NEW), agreed(OLD), note(OURS), "merge", "A\nb\nC\n"),
        (file("a\nb\nX\n"), agreed(OLD), note(NEW), "conflict", ""),
        # a secret that only the file has is a change of its own: it stays in the file
        (file("a\nb\nkey\n", OLD), agreed(OLD, "a\nb\nkey\n"), note(OURS), "write", "A\nb\nkey\n"),
        (file("a\nkey\nc\n", "a\n[x]\nc\n"), agreed("a\n[x]\nc\n", "a\nkey\nc\n"), note("a\ny\nc\n"), "conflict", ""),
        # deleted there
        (None, agreed(OLD), note(OLD), "retire", ""),
        (None, agreed(OLD), note(NEW), "again", NEW),
        (None, agreed(OLD), retired(OLD), "agree", ""),
        # retired here
        (file(OLD), agreed(OLD), retired(OLD), "remove", ""),
        (file(NEW), agreed(OLD), retired(OLD), "revive", ""),
        (file("key", "[x]"), agreed("[x]", "key"), retired("[x]"), "held", ""),
        # agreed that there is none
        (None, GONE, note(OLD), "write", OLD),
        (None, GONE, retired(OLD), "nothing", ""),
        (file(OLD), GONE, retired(NEW), "take", ""),
        (file(OLD), GONE, note(OLD), "agree", ""),
        (file(NEW), GONE, note(OLD), "conflict", ""),
    ],
)
def test_every_state_has_one_answer(there, before, here, act, text):
    """And what is to be written comes with it."""
    assert SyncDecision(act, text) == decide(there, before, here)


def test_a_budget_proposes_the_oldest_and_never_more_than_needed():
    """A person's own go last; within the budget there is nothing to say."""
    day = 86_400_000_000_000
    files = [
        TopicSize("new.md", 9 * day, 10, by_person=False), TopicSize("old.md", 1 * day, 10, by_person=False),
        TopicSize("mine.md", 0, 10, by_person=True),
    ]  # fmt: skip
    rules = MemdirRules(budget_files=2, budget_tokens=1_000)

    assert [("old.md", "9 days old, about 10 tokens")] == evictions(files, rules, 10 * day)
    assert "3 files (budget: 2)" == over_budget(files, rules)
    few = MemdirRules(budget_files=9, budget_tokens=10)
    assert ["old.md", "new.md"] == [path for path, _why in evictions(files, few, 10 * day)]
    assert "about 30 tokens (budget: 10)" == over_budget(files, few)
    assert ("", []) == (over_budget(files, MemdirRules()), evictions(files, MemdirRules(), 0))
