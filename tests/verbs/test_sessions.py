"""Sessions taken in: once, again when they grow, in their own scope, without secrets; turns stay where they lie."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tacit import NotFound, SwitchedOff
from tacit.app.verbs.sessions import in_file
from tacit.model.record import payload_of
from tacit.model.session import Session
from tacit.testing import temporary_memory
from tests.agents import made

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def transcript(tmp_path):
    return made.claude(tmp_path / "transcripts")


def bring(memory, *paths, named=True):
    return memory.sessions.import_found(memory.sessions.discover([(path, "") for path in paths], named=named))


def test_a_session_is_taken_in_once(memory, transcript):
    """What did not change is passed over; a session is known by its agent and that agent's id."""
    first, second = bring(memory, transcript), bring(memory, transcript)
    (record,) = first.new

    assert (1, 0, 0, 1) == (len(first.new), first.unchanged, len(second.new), second.unchanged)
    assert f"claude:{made.CLAUDE_ID}" == record.key
    assert "Die Kasse rundet falsch. Fix the rounding in the till 🧾" == record.title


def test_what_is_counted_of_a_session(memory, transcript):
    """A record tells where the transcript lies and what was counted in it; the turns are not copied."""
    (record,) = bring(memory, transcript).new
    session = payload_of(record, Session)

    assert (17, 3, 6, 2) == (session.turns, session.prompts, session.commands, session.failures)
    assert (str(transcript), made.ROOT, "trunk") == (session.path, session.cwd, session.branch)
    assert {"block.novelty": 1, "wholly-new": 1} == session.unknown
    assert "$ make check" in record.body and "all good" not in record.body


def test_a_session_that_grew_is_read_anew(memory, transcript):
    """A transcript that goes on gives the next version of the same record."""
    (before,) = bring(memory, transcript).new
    with transcript.open("a") as file:
        file.write(json.dumps(made.claude_user(40, "one more thing")) + "\n")
    (after,) = bring(memory, transcript).grown

    assert (before.id, before.version + 1) == (after.id, after.version)
    assert (18, True) == (payload_of(after, Session).turns, "one more thing" in after.body)


def test_a_touched_file_is_looked_at_again(memory, transcript):
    """Equal size and another time is a change: a transcript may be rewritten in place."""
    bring(memory, transcript)
    os.utime(transcript, ns=(1, 1))

    assert 1 == len(bring(memory, transcript).grown)


def test_no_secret_reaches_the_store(memory, tmp_path):
    """Prompts and commands lose their secrets before they are kept, in title, digest and counts alike."""
    rows = [
        made.claude_user(1, f"use {SECRET} to push"),
        made.claude_says(2, "m", made.use("t", "Bash", command=f"git push https://x:{SECRET}@host/r.git")),
        made.claude_user(3, "x" * 1_990 + f" {SECRET}"),
    ]
    (record,) = bring(memory, made.lines(tmp_path / "s.jsonl", rows)).new
    exported = b"".join(memory.export_lines()).decode()

    assert SECRET not in record.title + record.body
    assert (False, False) == (SECRET in exported, SECRET[:20] in exported)


def test_private_prompts_leave_no_trace(memory, tmp_path):
    """A prompt with #private is neither kept nor counted."""
    rows = [made.claude_user(1, "#private my salary"), made.claude_user(2, "round the till")]
    (record,) = bring(memory, made.lines(tmp_path / "s.jsonl", rows)).new

    assert ("round the till", 1, 1) == (
        record.title,
        payload_of(record, Session).prompts,
        payload_of(record, Session).turns,
    )
    assert "salary" not in record.body


def test_the_mark_counts_at_the_end_of_a_long_prompt(memory, tmp_path):
    """A prompt is read up to a limit, and the mark may stand behind it."""
    rows = [made.claude_user(1, f"my salary {'is high ' * 2_000} #private"), made.claude_user(2, "round the till")]
    (record,) = bring(memory, made.lines(tmp_path / "s.jsonl", rows)).new

    assert "round the till" == record.body


def test_a_session_is_called_by_the_first_prompt_that_says_something(memory, tmp_path):
    """A newcomer's trial: sessions were listed as "ls", "test" and "[Image 1]"."""
    rows = [made.claude_user(n, said) for n, said in enumerate(("ls", "test", "round the till", "paint the shop"), 1)]
    (record,) = bring(memory, made.lines(tmp_path / "s.jsonl", rows)).new
    (short,) = bring(memory, made.lines(tmp_path / "t.jsonl", [{**row, "sessionId": "t"} for row in rows[:2]])).new

    assert ("round the till", "ls") == (record.title, short.title)


@pytest.mark.parametrize(
    ("ran", "title"),
    [
        (["git status", "npm test", "git add . && git commit -m 'paint the fence'"], "paint the fence"),
        (["ls", "npm test", "npm install left-pad", "git push"], "$ npm install left-pad"),
        (["ls -l", "cat till.py"], "$ ls -l"),
        ([], "y"),
    ],
)
def test_a_session_whose_prompts_say_nothing_is_called_by_what_was_done(memory, tmp_path, ran, title):
    """A newcomer's trial: sessions were listed as "y", "1" and "claude session"."""
    calls = [made.claude_says(2, f"m{n}", made.use(f"t{n}", "Bash", command=line)) for n, line in enumerate(ran)]
    done = {"stdout": "", "stderr": "", "interrupted": False}
    ends = [made.claude_user(3, [made.gave(f"t{n}", "ok")], toolUseResult=done) for n in range(len(ran))]
    rows = [made.claude_user(1, "y"), *calls, *ends]
    (record,) = bring(memory, made.lines(tmp_path / "s.jsonl", rows)).new

    assert title == record.title


def test_a_session_with_only_private_prompts_is_not_recorded(memory, tmp_path):
    """A newcomer's trial: what Codex itself puts into a transcript made a session of it, with 0 prompts."""
    rows = [
        made.codex_row("session_meta", 1, id="p", cwd=str(tmp_path)), made.codex_text(2, "developer", "Use the till."),
        made.codex_text(3, "user", "#private my salary"), made.codex_text(4, "assistant", "It is high."),
    ]  # fmt: skip
    brought = memory.sessions.import_found(
        memory.sessions.discover([(made.lines(tmp_path / "p.jsonl", rows), "codex")], named=True)
    )

    assert ((), 1) == (brought.new, brought.empty)


def test_long_sessions_have_a_bounded_digest(memory, tmp_path):
    """However long a session is, what is kept of it is not."""
    rows = [made.claude_user(n % 60, f"prompt {n} " + "y" * 3_000) for n in range(60)]
    (record,) = bring(memory, made.lines(tmp_path / "s.jsonl", rows)).new

    assert (True, True) == (len(record.body) <= 20_000, len(record.title) <= 200)
    assert 60 == payload_of(record, Session).prompts


@pytest.fixture
def projects(tmp_path):
    """Two projects with a git repository each, and a session of Claude's in either."""
    made_in = {}
    for name in ("own", "other"):
        folder = tmp_path / name / "src"
        folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
        rows = [{**made.claude_user(1, f"of {name}"), "cwd": str(folder), "sessionId": name}]
        made_in[name] = made.lines(tmp_path / "t" / f"{name}.jsonl", rows)
    return made_in


def test_sessions_belong_to_their_project(memory, projects, tmp_path):
    """A memory takes in what is of its own scope, and says how much belongs elsewhere."""
    own = f"project:{tmp_path / 'own'}"
    with temporary_memory(folder=tmp_path / "home2", scope=own) as mine:
        outcome = bring(mine, *projects.values(), named=False)

    assert (["of own"], {f"project:{tmp_path / 'other'}": 1}) == ([one.title for one in outcome.new], outcome.elsewhere)


def test_a_folder_that_is_gone(memory, tmp_path):
    """A session whose folder is gone is the user's, unless it lay below this project or somebody named its file."""
    below = {**made.claude_user(1, "below"), "cwd": str(tmp_path / "home" / "gone"), "sessionId": "b"}
    away = {**made.claude_user(1, "away"), "cwd": "/nowhere/at/all", "sessionId": "a"}
    files = [made.lines(tmp_path / f"{row['sessionId']}.jsonl", [row]) for row in (below, away)]
    found = bring(memory, *files, named=False)
    named = bring(memory, *files, named=True)

    assert (["below"], {"user:tester": 1}) == ([one.title for one in found.new], found.elsewhere)
    assert (["away"], {}) == ([one.title for one in named.new], named.elsewhere)


def test_a_retired_session_stays_out(memory, transcript):
    """What was taken out of use does not come back by itself."""
    (record,) = bring(memory, transcript).new
    memory.retire(record.id)
    outcome = bring(memory, transcript)

    assert ((), (), 1, []) == (outcome.new, outcome.grown, outcome.unchanged, memory.sessions.list())


def test_empty_sessions_are_not_kept(memory, tmp_path):
    """A transcript in which nothing happened is counted, not kept."""
    path = made.lines(tmp_path / "s.jsonl", [made.codex_row("session_meta", 0, id="x", cwd="/w")])
    outcome = bring(memory, path)

    assert ((), 1) == (outcome.new, outcome.empty)


def test_trouble_is_reported(memory, tmp_path):
    """What could not be read is told by file: broken lines, unknown types, notes."""
    path = made.codex(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"broken')
    (trouble,) = bring(memory, path).unread

    assert (str(path), 1, {"event_msg.brand_new_event": 1}) == (trouble.path, trouble.broken, trouble.unknown)


def test_every_format_is_taken_in(memory, tmp_path):
    """All agents at once, from one folder: each session is in the list under its own id."""
    for number, one in enumerate(made.MADE.values()):
        if one.write not in (made.opencode_flat, made.opencode_export):
            one.write(tmp_path / "t" / f"{number}")
    made.aider(tmp_path / "t" / "aider")
    steps = []
    found = memory.sessions.discover([(tmp_path / "t", "")], named=True)
    outcome = memory.sessions.import_found(found, progress=lambda done, total: steps.append((done, total)))
    listed = memory.sessions.list(limit=100)

    assert (17, 17, (17, 17)) == (len(outcome.new), len(listed), steps[-1])
    assert ["copilot"] == [payload_of(one, Session).agent for one in memory.sessions.list(agent="copilot")]


def test_sessions_are_found_by_what_was_done(memory, tmp_path):
    """Search finds a session by its prompts and its commands; plain recall does not show sessions."""
    bring(memory, made.claude(tmp_path), made.cursor_chat(tmp_path))
    by_command = memory.sessions.search("coins count")

    assert ["cursor"] == [payload_of(hit.record, Session).agent for hit in by_command]
    assert [] == list(memory.recall("coins count"))


def test_a_session_by_any_of_its_names(memory, transcript):
    """The record's id, the agent's id, both with a beginning, and agent:id name one session."""
    (record,) = bring(memory, transcript).new
    get = memory.sessions.get

    assert {record.id} == {get(name).id for name in (record.id, made.CLAUDE_ID, record.key, made.CLAUDE_ID[:8])}
    with pytest.raises(NotFound, match="there is no session"):
        get("nobody")


def test_turns_are_read_from_where_they_lie(memory, transcript):
    """Opening a session reads its transcript; when that is gone, this is said plainly and what was kept is named."""
    (record,) = bring(memory, transcript).new
    turns = list(memory.sessions.open(made.CLAUDE_ID))
    transcript.unlink()

    assert 17 == len(turns)
    with pytest.raises(NotFound, match="no longer exists") as gone:
        memory.sessions.open(record.id)
    assert record.id in gone.value.hint


def test_one_of_many_in_a_file(memory, tmp_path):
    """Of a history with many sessions, each is opened by its own id."""
    outcome = bring(memory, made.aider(tmp_path))
    names = [payload_of(record, Session).external for record in outcome.new]
    turns = [len(list(memory.sessions.open(name))) for name in names]

    assert [12, 4] == turns
    assert 4 == len(list(in_file(tmp_path / ".aider.chat.history.md")))
    assert 12 == len(list(in_file(tmp_path / ".aider.chat.history.md", "", names[0])))


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_a_session_that_follows_changes_none_before_it(memory, tmp_path, end):
    """C16: of a history with many sessions, only the one that was continued has grown, however the file ended."""
    path = made.aider(tmp_path)
    path.write_text(path.read_text().rstrip("\n") + end)
    bring(memory, path)
    with path.open("a") as history:
        history.write("\n# aider chat started at 2026-11-16 08:00:00\n\n#### build it\n")
    added = bring(memory, path)
    with path.open("a") as history:
        history.write("\nIt is built.\n")
    grown = bring(memory, path)

    assert (1, 0, 2) == (len(added.new), len(added.grown), added.unchanged)
    assert (0, 1, 2) == (len(grown.new), len(grown.grown), grown.unchanged)


def test_subagents_hang_on_their_session(memory, transcript):
    """The sessions a session started are found from it."""
    inside = transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    made.lines(inside, [made.claude_user(1, "look", isSidechain=True, agentId="a1")])
    bring(memory, transcript, inside)

    assert ["agent-a1"] == [payload_of(one, Session).external for one in memory.sessions.children(made.CLAUDE_ID)]


def test_the_same_session_in_two_files(memory, transcript, tmp_path):
    """A copy of a session does not take turns with its original: the larger one is kept."""
    bring(memory, transcript)
    copy = made.lines(tmp_path / "copy" / transcript.name, made.claude_rows()[:5])
    first = bring(memory, transcript, copy)

    assert (2, 0, 1) == (first.unchanged, len(first.grown), len(memory.sessions.list()))


def test_nothing_is_written_while_switched_off(transcript, tmp_path):
    """Switched off, nothing is taken in."""
    with temporary_memory(folder=tmp_path / "off", off="because") as memory:
        found = memory.sessions.discover([(transcript, "")], named=True)
        with pytest.raises(SwitchedOff):
            memory.sessions.import_found(found)


def test_what_is_no_transcript(tmp_path):
    """A file nobody knows, or that is not there, is said to be so."""
    (tmp_path / "notes.txt").write_text("hello")
    for path in (tmp_path / "notes.txt", Path("/nowhere/s.jsonl")):
        with pytest.raises(NotFound):
            in_file(path)
