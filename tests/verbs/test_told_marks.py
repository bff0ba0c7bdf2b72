"""Whatever is told unasked says since when it is known, and what in it is gone."""

import re
import subprocess

import pytest

from tacit.loop.reminders import reminders
from tacit.loop.session_start import session_start
from tacit.loop.warnings import warnings_for
from tacit.model.lesson import Narrative
from tacit.testing import FakeClock, temporary_memory
from tacit.text.frame import is_own

HERE = "scripts/deploy.sh"
GONE = "scripts/release.sh"
SINCE = re.compile(r"since \d{4}-\d\d-\d\d|last on \d{4}-\d\d-\d\d")


@pytest.fixture
def tree(tmp_path):
    """A repository with one of the two scripts."""
    root = tmp_path / "home"
    (root / "scripts").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / HERE).write_text("echo deploy\n")
    return root


@pytest.fixture
def opened(tree):
    """Return `opened(actor)`: one memory of the repository."""
    return lambda actor="user", **more: temporary_memory(folder=tree, actor=actor, clock=FakeClock(), **more)


def write(memory, script):
    """Write everything that hooks tell, each naming a script, without backquotes."""
    memory.memorize(f"Releases are cut with {script} on Tuesdays", importance=0.9)
    memory.remember(f"always run {script} instead of fab")
    memory.notes.create(f"Releases need {script} and a tag")
    memory.procedures.record("Release the staging API", steps=[f"bash {script} now"], triggers=["release staging"])
    memory.learned.capture("make relase", error="make: *** No rule to make target 'relase'.  Stop.", exit_code=2)


def told(memory):
    """Return every line that a start, a prompt and a command get."""
    c = memory._c
    start = session_start(c).text.splitlines()
    prompt = [f"- {one.text}" for one in reminders(c, "release the staging API: how are releases cut, with fab?")]
    command = [f"- {one.text}" for one in warnings_for(c, "fab release", "")]
    lines = [*start, *prompt, *command]
    return [line for line in lines if re.match(r"\d+\.|- ", line) and "session of" not in line]


@pytest.mark.parametrize(("script", "gone"), [(HERE, False), (GONE, True)])
def test_every_line_has_its_age_and_what_is_gone(opened, script, gone):
    """S5: rules, facts, notes and procedures, at a start, a prompt and a command; what is there is not marked."""
    with opened() as memory:
        write(memory, script)
        lines = told(memory)
        context = memory.context().text

    assert [] == [line for line in lines if not SINCE.search(line)]
    assert {script in line for line in lines} >= {True}
    about = [line for line in lines if script in line or "procedure" in line]
    assert len(about) >= 4
    assert {gone} == {f"gone: {script}" in line for line in about}
    assert gone == (f"gone: {script}" in context)


def test_lessons_say_it_too(opened):
    """S5: at a start, at a prompt, and on trial before a command."""
    with opened() as memory:
        told = Narrative(trigger="fab release", failure_mode="it stops", correction=f"run {GONE}", by="user")
        id = memory.lessons.create("fab release stops halfway", narrative=told).id
        memory.lessons.accept(id)
        lines = [one.text for one in warnings_for(memory._c, "fab release", "")]

    assert lines
    assert [] == [line for line in lines if not (SINCE.search(line) and f"gone: {GONE}" in line)]


def test_a_failure_says_when_it_failed_last_and_whether_its_fix_is_gone(opened):
    """S5: the date of the last time, and the fix that nobody can run any more."""
    with opened("agent") as memory:
        id = memory.learned.capture("make relase", error="No rule to make target 'relase'", exit_code=2).id
        memory.learned.correct(id, f"run {GONE}")
        (line,) = [one.text for one in warnings_for(memory._c, "make relase", "") if one.id == id]

    assert "failed here 1 time, last on 2026-" in line
    assert f"Gone: `{GONE}`" in line


def test_what_another_scope_names_is_not_said_to_be_gone(opened):
    """S5: a fact for all projects may be about a path of another one."""
    with opened(scope="global") as memory:
        memory.memorize(f"Releases are cut with {GONE} on Tuesdays")
    with opened() as memory:
        hits = memory.recall("how are releases cut")
        lines = told(memory)

    assert [[]] == [[label for label in hit.why.labels if "no longer" in label] for hit in hits]
    assert not any("gone" in line for line in lines)


@pytest.mark.parametrize("kind", ["fact", "note"])
def test_recall_labels_facts_and_notes_without_a_file(opened, kind):
    """S5: they were never checked; a path needs no backquotes."""
    with opened() as memory:
        memory.add_many([{"kind": kind, "body": f"Releases are cut with {GONE}, never with {HERE}"}])
        (hit,) = memory.recall("how are releases cut")

    assert f"names {GONE}, which no longer exists" in hit.why.labels
    assert not any(HERE in label for label in hit.why.labels)


def test_marked_lines_are_known_as_our_own(opened):
    """S5: what comes back in a transcript with its marks is not learned again."""
    with opened() as memory:
        write(memory, GONE)
        prompt = [f"- {one.text}" for one in reminders(memory._c, "how are releases cut?")]

    assert [] == [line for line in prompt if line.startswith("- [") and not is_own(line)]
