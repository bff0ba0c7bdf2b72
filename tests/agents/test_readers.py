"""Every format gives the same shape: its turns, its joined results, and where the exit code was hidden."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tacit.agents.reading import tool_call_pairing as joining
from tacit.agents.registry import NAMES as AGENTS
from tacit.agents.transcripts import Transcript, detect, transcripts
from tacit.errors import UsageError
from tacit.model.session import Turn
from tests.agents import made
from tests.agents.made import MADE, Count


def only(path: Path, agent: str = "") -> tuple[Transcript, list[Turn]]:
    """Read the one session of a file."""
    (transcript,) = transcripts(path, agent)
    return transcript, list(transcript)


def count(turns: list[Turn]) -> Count:
    """Count as the tables do."""
    ended = [turn.outcome for turn in turns if turn.outcome]
    return Count(
        len(turns),
        sum(bool(turn.tool and turn.tool.command) for turn in turns),
        sum(outcome.ok is False for outcome in ended),
        sum(outcome.refused for outcome in ended),
    )


def ran(turns: list[Turn]) -> dict[str, tuple[bool | None, int | None, bool]]:
    """Give what came of each command: ok, exit code, refused."""
    return {
        turn.tool.command: (turn.outcome.ok, turn.outcome.exit_code, turn.outcome.refused)
        for turn in turns
        if turn.tool and turn.tool.command and turn.outcome
    }


def prompts(turns: list[Turn]) -> list[str]:
    """Give what the user said."""
    return [turn.text for turn in turns if turn.role == "user" and turn.text]


@pytest.mark.parametrize("name", MADE)
def test_counts_agree_with_those_made_by_hand(name: str, tmp_path: Path) -> None:
    """Each fixture holds as many turns, commands, failures and refusals as a person counts in it."""
    transcript, turns = only(MADE[name].write(tmp_path))

    assert MADE[name].count == count(turns)
    assert (MADE[name].agent, MADE[name].id, MADE[name].cwd) == (
        transcript.head.agent,
        transcript.head.id,
        transcript.head.cwd,
    )


@pytest.mark.parametrize("name", MADE)
def test_says_whose_file_it_is(name: str, tmp_path: Path) -> None:
    """Nobody has to name the agent, for a file or for the folder it lies in."""
    path, whose = MADE[name].write(tmp_path), MADE[name].shape or MADE[name].agent

    assert (whose, whose) == (detect(path), detect(tmp_path))


@pytest.mark.parametrize("name", MADE)
def test_reads_the_same_again(name: str, tmp_path: Path) -> None:
    """Going through a transcript twice gives the same turns, and each carries what every caller may rely on."""
    transcript, turns = only(MADE[name].write(tmp_path))

    assert turns == list(transcript)
    assert all(turn.text or turn.tool for turn in turns)
    assert all(turn.outcome is not None for turn in turns if turn.tool)
    assert all(turn.tool is not None for turn in turns if turn.outcome)


def test_a_folder_gives_everything_in_it(tmp_path: Path) -> None:
    """A folder of all agents at once gives each session once, read in its own way."""
    for number, one in enumerate(MADE.values()):
        one.write(tmp_path / f"{number}")
    made.aider(tmp_path / "aider")
    found = [(transcript.peek().agent, transcript.head.id) for transcript in transcripts(tmp_path)]

    assert sorted(one.id for one in MADE.values()) == sorted(id for agent, id in found if agent != "aider")
    assert set(AGENTS) == {agent for agent, _id in found}


def test_an_unknown_agent_is_a_usage_error(tmp_path: Path) -> None:
    """A name that is no agent's is answered with those there are; the announced aliases are."""
    path = made.claude(tmp_path)
    with pytest.raises(UsageError, match="unknown agent"):
        list(transcripts(path, "clawed"))

    assert "claude" == next(iter(transcripts(path, "claude-code"))).peek().agent


def test_a_hint_reads_what_says_nothing(tmp_path: Path) -> None:
    """Bare lines that could be anybody's are read as the named agent's; content that speaks is read as what it is."""
    bare = made.lines(
        tmp_path / "bare.jsonl", [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    )
    kin = made.lines(tmp_path / "kin.jsonl", [made.claude_user(1, "hello")])
    codex, kindred = only(bare, "codex"), only(kin, "aider")

    assert ("", ["hello", "hi"]) == (detect(bare), [turn.text for turn in codex[1]])
    assert ("aider", ["hello"]) == (kindred[0].head.agent, [turn.text for turn in kindred[1]])


# -- Claude Code ------------------------------------------------------------------------------------------------------


def test_claude_results_join_their_calls(tmp_path: Path) -> None:
    """Results come as lists in messages of the user's, out of order; each reaches its call, with its exit code."""
    _transcript, turns = only(made.claude(tmp_path))

    assert {
        "make test": (False, 2, False),
        "make check": (True, None, False),
        "rm -rf build": (None, None, True),
        "sleep 900": (None, None, True),
        "make serve": (False, 3, False),
        "git status": (None, None, False),
    } == ran(turns)


def test_claude_prompts_are_those_of_a_person(tmp_path: Path) -> None:
    """Caveats, summaries, notifications and commands without words are not what the user asked for."""
    _transcript, turns = only(made.claude(tmp_path))

    assert ["Die Kasse rundet falsch. Fix the rounding in the till 🧾", "/review the till", "and hurry"] == prompts(
        turns
    )


def test_claude_unknown_blocks_cost_nothing(tmp_path: Path) -> None:
    """A block or line of an unknown type is counted by name, and everything beside it is read."""
    transcript, turns = only(made.claude(tmp_path))

    assert {"block.novelty": 1, "wholly-new": 1} == transcript.reading.unknown
    assert "make check" in ran(turns)


def test_claude_one_message_over_many_lines_is_one(tmp_path: Path) -> None:
    """Parts of one message that follow each other are one turn, and a part that is told twice is told once."""
    _transcript, turns = only(made.claude(tmp_path))

    assert "Rounded.\nTwice checked." == turns[-1].text


def test_claude_missing_result_is_no_success(tmp_path: Path) -> None:
    """Of a call whose result never came nobody knows how it went."""
    path = made.lines(tmp_path / "s.jsonl", [made.claude_says(1, "m", made.use("t", "Bash", command="make"))])

    assert {"make": (None, None, False)} == ran(only(path)[1])


def test_claude_subagents_and_resumed_sessions_are_linked(tmp_path: Path) -> None:
    """A subagent names the session it worked for, a resumed or forked session the one before it."""
    main = made.claude(tmp_path)
    inside = main.with_suffix("") / "subagents" / "agent-a1.jsonl"
    helper = made.lines(inside, [made.claude_user(1, "look", isSidechain=True, agentId="a1")])
    loose = made.lines(tmp_path / "agent-b2.jsonl", [made.claude_user(1, "look", isSidechain=True, agentId="b2")])
    older = made.claude_user(1, "before")
    newer = {**made.claude_user(2, "after"), "sessionId": "new-id"}
    resumed = made.lines(tmp_path / "new-id.jsonl", [older, newer])
    forked = {**made.claude_user(1, "x"), "sessionId": "f", "forkedFrom": {"sessionId": "origin", "messageUuid": "m"}}
    fork = made.lines(tmp_path / "f.jsonl", [forked])
    heads = [only(path)[0].head for path in (helper, loose, resumed, fork)]

    assert [
        ("agent-a1", made.CLAUDE_ID), ("agent-b2", made.CLAUDE_ID), ("new-id", made.CLAUDE_ID), ("f", "origin"),
    ] == [(head.id, head.parent) for head in heads]  # fmt: skip
    assert all(turn.sidechain for turn in only(helper)[1])


def test_claude_head(tmp_path: Path) -> None:
    """The head tells folder, branch, model, title and times."""
    head = only(made.claude(tmp_path))[0].head

    assert (made.ROOT, "trunk", "claude-opus-5", "Till rounding") == (head.cwd, head.branch, head.model, head.title)
    assert head.started_at is not None and head.ended_at is not None
    assert ("2026-10-04T09:00:01.250000+00:00", 26) == (head.started_at.isoformat(), head.ended_at.second)


# -- Codex ------------------------------------------------------------------------------------------------------------


def test_codex_exit_codes_from_every_hiding_place(tmp_path: Path) -> None:
    """JSON in a text, two headings, an event, and a later look at what runs: each gives its exit code."""
    _transcript, turns = only(made.codex(tmp_path))

    assert {
        "pytest -q": (False, 1, False),
        "pytest -q tests/till": (True, 0, False),
        "make lint": (False, 2, False),
        "make ship": (False, 127, False),
        "rm -rf dist": (None, None, True),
        "npm run dev": (False, 130, False),
        "sleep 100": (None, None, True),
    } == ran(turns)


def test_codex_tells_twice_and_is_heard_once(tmp_path: Path) -> None:
    """What stands there as an item, as an event and in an envelope is one turn; what is injected is no prompt."""
    _transcript, turns = only(made.codex(tmp_path))

    assert ["Make the till round half up", "thanks"] == prompts(turns)
    assert ["It rounds half up now."] == [turn.text for turn in turns if turn.role == "assistant" and not turn.tool]


def test_codex_paths_and_folders(tmp_path: Path) -> None:
    """A patch names its files, and a command the folder it ran in where that is another."""
    _transcript, turns = only(made.codex(tmp_path))
    tools = {turn.tool.call: turn for turn in turns if turn.tool}

    assert ("till.py", "new.py") == tools["c5"].tool.paths  # type: ignore[union-attr]
    assert (f"{made.ROOT}/src", "") == (tools["c1"].cwd, tools["c2"].cwd)


def test_codex_repeats_that_are_meant(tmp_path: Path) -> None:
    """The same words said twice by the user are two prompts, whoever tells of them."""
    rows = [
        row
        for n in (1, 2)
        for row in (made.codex_text(n, "user", "go on"), made.codex_event(n, "user_message", message="go on"))
    ]
    _transcript, turns = only(made.lines(tmp_path / "c.jsonl", rows))

    assert ["go on", "go on"] == prompts(turns)


def test_codex_subagent_and_fork(tmp_path: Path) -> None:
    """A subagent and a fork name the thread they came from, and the forebear's own heading does not replace theirs."""
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "boss", "depth": 1}}}
    sub = [made.codex_row("session_meta", 0, id="sub", source=spawned), made.codex_text(1, "user", "look")]
    fork = [
        made.codex_row("session_meta", 0, id="two", forked_from_id="one"),
        made.codex_row("session_meta", 0, id="one"),
    ]
    first, second = (only(made.lines(tmp_path / f"{n}.jsonl", rows)) for n, rows in enumerate((sub, fork)))

    assert [("sub", "boss"), ("two", "one")] == [(one[0].head.id, one[0].head.parent) for one in (first, second)]
    assert first[1][0].sidechain


def test_codex_packed_rollouts_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a module for zstd a packed rollout is no error: a note says what to install."""
    path = tmp_path / "rollout-2026-10-05T10-00-00-019f0c2a-7b11-7d00-8a00-5a5a5a5a5a5b.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\x00" * 20)
    monkeypatch.setattr("tacit.agents.reading.json_lines.importlib.import_module", _no_module)
    transcript, turns = only(path)

    assert ("codex", [], "019f0c2a-7b11-7d00-8a00-5a5a5a5a5a5b") == (detect(path), turns, transcript.head.id)
    assert "zstandard" in transcript.reading.notes[0]


def _no_module(name: str) -> None:
    raise ImportError(name)


# -- Cursor -----------------------------------------------------------------------------------------------------------


def test_cursor_prompts_and_exit_codes(tmp_path: Path) -> None:
    """What stands around a question is taken off it; results find their calls though ids differ or are missing."""
    _transcript, turns = only(made.cursor(tmp_path))

    assert ["round the till"] == prompts(turns)
    assert {"make test": (False, 2, False), "make check": (None, None, False)} == ran(turns)


def test_cursor_results_never_reach_an_earlier_message(tmp_path: Path) -> None:
    """A result without an id belongs to the message before it, not to a call that never got one."""

    def call(command: str) -> dict[str, object]:
        return {"type": "tool_use", "name": "Shell", "input": {"command": command}}

    rows = [
        {"role": "assistant", "message": {"content": [call("lost")]}},
        {"role": "assistant", "message": {"content": [call("found")]}},
        {"role": "user", "message": {"content": [{"type": "tool_result", "content": '{"output": "", "exitCode": 1}'}]}},
    ]

    assert {"lost": (None, None, False), "found": (False, 1, False)} == ran(
        only(made.lines(tmp_path / "s.jsonl", rows))[1]
    )


def test_cursor_folder_from_its_flattened_name(tmp_path: Path) -> None:
    """The folder of a project is found again from the name it was flattened to."""
    folder = tmp_path / "my.shop-two"
    folder.mkdir()
    flat = str(folder).lstrip("/").replace("/", "-").replace(".", "-").replace("_", "-")
    rows = [{"role": "user", "message": {"content": [made.said("hi")]}}]
    path = made.lines(tmp_path / "projects" / flat / "agent-transcripts" / "i" / "i.jsonl", rows)

    assert str(folder) == only(path)[0].head.cwd


def test_cursor_editor_looks_keys_up(tmp_path: Path) -> None:
    """A conversation's bubbles are looked up by key; one that is gone is counted, the rest read."""
    transcript, turns = only(made.cursor_editor(tmp_path))

    assert {"make till": (False, 1, False), "make all": (None, None, True)} == ran(turns)
    assert (1, 1791014500000) == (transcript.reading.broken, transcript.stamp[1])


def test_cursor_editor_never_walks_the_table(tmp_path: Path) -> None:
    """Every question to the large database is answered by the index of its keys."""
    from tacit.agents import cursor_editor

    store = sqlite3.connect(made.cursor_editor(tmp_path))
    asked = [cursor_editor._COMPOSERS, cursor_editor._VALUE, cursor_editor._ITEM]
    plans = [str(store.execute(f"EXPLAIN QUERY PLAN {one}", ("x",) * one.count("?")).fetchall()) for one in asked]
    store.close()

    assert [True] * 3 == ["SEARCH" in plan and "SCAN" not in plan for plan in plans]


def test_cursor_chats_of_old(tmp_path: Path) -> None:
    """Tabs of the oldest versions are sessions as well; a change elsewhere in the database does not change them."""
    tab = {"tabId": "t9", "chatTitle": "Old", "bubbles": [{"type": "user", "text": "hi"}, {"type": "ai", "text": "ho"}]}
    path = tmp_path / "workspaceStorage" / "w" / "state.vscdb"
    path.parent.mkdir(parents=True)
    made._keys(path, "ItemTable", {"workbench.panel.aichat.view.aichat.chatdata": {"tabs": [tab]}})
    transcript, turns = only(path)
    before = transcript.stamp
    os.utime(path, (1, 1))

    assert ("t9", [("user", "hi"), ("assistant", "ho")]) == (transcript.head.id, [(t.role, t.text) for t in turns])
    assert before == only(path)[0].stamp


# -- Aider ------------------------------------------------------------------------------------------------------------


def test_aider_history_is_many_sessions(tmp_path: Path) -> None:
    """Every start in the one file begins a session of its own, with a time and an id."""
    first, second = transcripts(made.aider(tmp_path))
    turns = [list(first), list(second)]

    assert [Count(12, 2, 0), Count(4, 0, 0)] == [count(some) for some in turns]
    assert first.head.id != second.head.id
    assert first.head.started_at is not None and second.head.started_at is not None
    assert first.head.started_at < second.head.started_at
    assert (str(tmp_path), "claude-3-7-sonnet") == (first.head.cwd, first.head.model)


def test_aider_prose_is_the_agents(tmp_path: Path) -> None:
    """Prose after a prompt is the agent's, lines of a prompt are one prompt, and commands carry their output."""
    first, _second = transcripts(made.aider(tmp_path))
    turns = list(first)
    commands = {turn.tool.command: turn for turn in turns if turn.tool and turn.tool.command}

    assert ["round the till\nhalf up, please"] == prompts(turns)
    assert "I will change `till.py`." in [turn.text for turn in turns if turn.role == "assistant"]
    assert ("user", "assistant") == (commands["make test"].role, commands["pip install shop"].role)
    assert "make: *** [test] Error 2\n2 failed" == commands["make test"].outcome.output  # type: ignore[union-attr]


def test_aider_two_starts_in_one_second(tmp_path: Path) -> None:
    """Two sessions that began in the same second have two ids; so has what stands before the first start."""
    start = "# aider chat started at 2026-09-30 14:02:11\n\n#### hi\n\n"
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(f"#### cut off\n\n{start}{start}")

    assert 3 == len({one.id for one in transcripts(path)})


# -- the others -------------------------------------------------------------------------------------------------------


def test_gemini_takes_back_and_replaces(tmp_path: Path) -> None:
    """A message that is written anew stands once, in its last form; what was taken back is gone."""
    _transcript, turns = only(made.gemini(tmp_path))

    assert ["round the till"] == prompts(turns)
    assert {"make": (False, 2, False), "make ok": (True, 0, False), "make clean": (None, None, True)} == ran(turns)


def test_gemini_files_are_read_by_what_is_in_them(tmp_path: Path) -> None:
    """JSON lines in a file called .json, and a document in one called .jsonl, are read as what they are."""
    lines = made.gemini(tmp_path / "lines")
    page = made.gemini_page(tmp_path / "page")
    swapped = lines.rename(lines.with_suffix(".json")), page.rename(page.with_suffix(".jsonl"))

    assert ["gemini", "gemini"] == [detect(path) for path in swapped]
    assert [MADE["gemini"].count, MADE["gemini page"].count] == [count(only(path)[1]) for path in swapped]


def test_gemini_prompts_are_what_was_typed(tmp_path: Path) -> None:
    """A prompt that names a file has its content added for the model; the user typed the name."""
    rows = [
        {"sessionId": "g", "projectHash": "p"},
        {"id": "1", "type": "user", "content": [{"text": "round @till.py"}, {"text": "x = 1"}],
         "displayContent": [{"text": "round @till.py"}]},
    ]  # fmt: skip

    assert ["round @till.py"] == prompts(only(made.lines(tmp_path / "session-1.jsonl", rows))[1])


def test_gemini_context_made_anew_keeps_what_was_said(tmp_path: Path) -> None:
    """When the model's context is set anew, what was said before it stays said."""
    fresh = {"$set": {"messages": [{"id": "n1", "type": "user", "content": "a summary"}]}}
    rows = [{"sessionId": "s", "projectHash": "p"}, {"id": "a", "type": "user", "content": "hi"}, fresh]
    path = made.lines(tmp_path / "session-x.jsonl", rows)

    assert ["hi", "a summary"] == prompts(only(path)[1])


def test_opencode_completed_with_an_exit_code_is_a_failure(tmp_path: Path) -> None:
    """Completed is not successful; a rejected permission is no failure. Database and trees tell the same."""
    expected = {
        "make test": (False, 1, False), "make check": (True, 0, False), "rm -rf x": (None, None, True),
        "make bake": (False, None, False),
    }  # fmt: skip
    database, child = transcripts(made.opencode_database(tmp_path / "db"))
    trees = [only(write(tmp_path / name))[1] for name, write in (("a", made.opencode_tree), ("b", made.opencode_flat))]

    assert [expected] * 3 == [ran(list(database)), *map(ran, trees)]
    assert (["count the zoo"], "ses_till") == (prompts(list(child)), child.head.parent)


def test_the_quotes_of_opencode_run_are_not_part_of_a_prompt(tmp_path: Path) -> None:
    """It puts them around a prompt with blanks; quotes that a person typed stay."""
    asked = []
    for prompt in ('"paint the till"', '"paint" the "till"', '"paint"', '"paint \\"the\\" till"'):
        message = {"info": {"role": "user", "id": "m"}, "parts": [{"type": "text", "text": prompt}]}
        path = made.page(tmp_path / "session.json", {**made.opencode_exported(), "messages": [message]})
        asked += [turn.text for turn in only(path)[1]]

    assert ["paint the till", '"paint" the "till"', '"paint"', 'paint "the" till'] == asked


def test_what_the_user_stopped_in_opencode_was_not_done(tmp_path: Path) -> None:
    """A newcomer's trial: "Ran `npm install …`", whose output ends with "User aborted the command"."""
    output = "(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
    state = {"input": {"command": "npm install x"}, "status": "completed", "output": output, "metadata": {}}
    part = {"type": "tool", "callID": "o1", "tool": "bash", "state": state}
    message = {"info": {"id": "m1", "role": "assistant", "time": {"created": 1}}, "parts": [part]}
    path = made.page(tmp_path / "session.json", {**made.opencode_exported(), "messages": [message]})
    (turn,) = only(path)[1]

    assert turn.outcome is not None and turn.outcome.refused


def test_opencode_session_by_its_file(tmp_path: Path) -> None:
    """The file of one session, or the folder of its messages, gives that session."""
    root = made.opencode_tree(tmp_path)
    by_file = only(root / "session" / "p1" / "ses_till.json")[1]
    by_folder = only(root / "message" / "ses_till")[1]

    assert 7 == len(by_file) == len(by_folder)


def test_copilot_calls_are_told_up_to_three_times(tmp_path: Path) -> None:
    """Asked for, begun, completed: one call, its exit code from the last line of its output."""
    _transcript, turns = only(made.copilot(tmp_path))

    assert {
        "make test": (False, 2, False), "make check": (True, 0, False), "rm -rf x": (None, None, True),
        "sleep 99": (None, None, True),
    } == ran(turns)  # fmt: skip


def test_copilot_folder_from_the_file_beside(tmp_path: Path) -> None:
    """Where the log does not tell the folder, the file beside it does."""
    rows = [row for row in made.copilot_rows() if row["type"] != "session.start"]
    path = made.lines(tmp_path / "cp-1" / "events.jsonl", rows)
    (path.parent / "workspace.yaml").write_text(f"id: cp-1\ncwd: {made.ROOT}\nbranch: trunk\n")

    assert ("cp-1", made.ROOT, "trunk") == ((head := only(path)[0].head).id, head.cwd, head.branch)


def test_cline_calls_as_tags_and_as_blocks(tmp_path: Path) -> None:
    """Tags in what is said and blocks are the same calls; a denial with feedback is a refusal and a prompt."""
    _transcript, turns = only(made.cline(tmp_path))

    assert {"make test": (False, 2, False), "rm -rf x": (None, None, True), "make check": (True, None, False)} == ran(
        turns
    )
    assert ["round the till", "never delete"] == prompts(turns)


def test_cline_several_commands_in_one_call(tmp_path: Path) -> None:
    """A call that runs several commands is as many turns, each with its own outcome; a fork names its origin."""
    transcript, turns = only(made.cline_session(tmp_path))

    assert {"make test": (False, None, False), "make check": (True, None, False)} == ran(turns)
    assert "s0" == transcript.head.parent


def test_cline_from_what_was_shown(tmp_path: Path) -> None:
    """Where only what the user was shown is kept, that is read."""
    shown = [
        {"ts": 1791200000000, "type": "say", "say": "task", "text": "round"},
        {"ts": 1791200001000, "type": "ask", "ask": "command", "text": "make test"},
        {"ts": 1791200002000, "type": "say", "say": "command_output", "text": "Command failed with exit code 2."},
        {"ts": 1791200003000, "type": "say", "say": "completion_result", "text": "done"},
    ]
    path = made.page(tmp_path / "tasks" / "1791200000000" / "ui_messages.json", shown)

    assert {"make test": (False, 2, False)} == ran(only(path)[1])


# -- bounds -----------------------------------------------------------------------------------------------------------


def test_outputs_lose_their_middle(tmp_path: Path) -> None:
    """A long output keeps both ends and says what was left out."""
    call = made.claude_says(1, "m", made.use("t", "Bash", command="cat big"))
    path = made.lines(tmp_path / "s.jsonl", [call, made.claude_user(2, [made.gave("t", "A" + "x" * 500_000 + "Z")])])
    outcome = only(path)[1][0].outcome

    assert outcome is not None
    assert (True, True, True) == (outcome.output[0] == "A", outcome.output[-1] == "Z", len(outcome.output) < 66_000)


def test_a_call_without_a_result_holds_back_only_so_much(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A call that waits for ever is given unresolved once the bound is reached, and what follows in its order."""
    monkeypatch.setattr(joining.ToolCallPairing, "__init__", _small(joining.ToolCallPairing.__init__))
    rows = [made.claude_says(1, "m0", made.use("never", "Bash", command="lost"))]
    rows += [made.claude_user(2, f"prompt {n}") for n in range(50)]
    path = made.lines(tmp_path / "s.jsonl", [*rows, made.claude_user(3, [made.gave("never", "late")])])
    stream = iter(next(iter(transcripts(path))))
    first = next(stream)

    assert ("lost", None) == (first.tool and first.tool.command, first.outcome and first.outcome.ok)
    assert [f"prompt {n}" for n in range(50)] == [turn.text for turn in stream]


def _small(made_by):  # type: ignore[no-untyped-def]
    return lambda self: made_by(self, most_turns=10)


def test_foreign_databases_are_never_changed(tmp_path: Path) -> None:
    """Reading a database whose program is at work, log and all, leaves its bytes as they are and sees what is new."""
    path = made.opencode_database(tmp_path)
    busy = sqlite3.connect(path)
    busy.execute("PRAGMA journal_mode=WAL")
    busy.execute("INSERT INTO message VALUES ('m3', 'ses_till', 3, ?)", (json.dumps({"role": "user"}),))
    busy.execute(
        "INSERT INTO part VALUES ('m3-0', 'm3', 'ses_till', ?)", (json.dumps({"type": "text", "text": "late"}),)
    )
    busy.commit()
    before = path.read_bytes(), (tmp_path / "opencode.db-wal").read_bytes()
    busy.execute("BEGIN IMMEDIATE")
    turns = list(next(iter(transcripts(path))))
    busy.rollback()

    assert "late" == turns[-1].text
    assert before == (path.read_bytes(), (tmp_path / "opencode.db-wal").read_bytes())
    busy.close()


def test_reading_a_database_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """A database that nobody has open is read without the files that opening one in its mode would leave."""
    path = made.opencode_database(tmp_path / "quiet")
    store = sqlite3.connect(path)
    store.execute("PRAGMA journal_mode=WAL")
    store.close()
    list(next(iter(transcripts(path))))

    assert ["opencode.db"] == [file.name for file in path.parent.iterdir()]


def test_a_database_where_nothing_may_be_written(tmp_path: Path) -> None:
    """A database in a folder that may not be written is read as it lies there."""
    path = made.opencode_database(tmp_path / "locked")
    store = sqlite3.connect(path)
    store.execute("PRAGMA journal_mode=WAL")
    store.close()
    path.parent.chmod(0o500)
    try:
        turns = list(next(iter(transcripts(path))))
    finally:
        path.parent.chmod(0o700)

    assert 7 == len(turns)


# -- further layouts --------------------------------------------------------------------------------------------------


def test_opencode_oldest_tree(tmp_path: Path) -> None:
    """The first layout, with everything under one folder and parts by session and message, tells the same."""
    own = tmp_path / "storage" / "session"
    made.page(own / "info" / "ses_till.json", made.OPENCODE_SESSION)
    for number, (message, parts) in enumerate(made.opencode_parts()):
        made.page(own / "message" / "ses_till" / f"msg_{number}.json", message)
        for place, part in enumerate(parts):
            made.page(own / "part" / "ses_till" / message["id"] / f"prt_{place:03}.json", part)
    by_folder, by_file = only(tmp_path / "storage"), only(own / "info" / "ses_till.json")

    assert MADE["opencode tree"].count == count(by_folder[1]) == count(by_file[1])


def test_opencode_ids_do_not_lead_out_of_the_tree(tmp_path: Path) -> None:
    """An id that reads like a path names no folder outside."""
    root = made.opencode_tree(tmp_path)
    made.page(tmp_path / "out" / "x.json", {"type": "text", "text": "not yours"})
    made.page(root / "message" / "ses_till" / "msg_0.json", {"id": "../../out", "role": "user"})
    texts = [turn.text for turn in only(root)[1]]

    assert "not yours" not in texts


def test_claude_exports_are_read(tmp_path: Path) -> None:
    """A session that was exported as one document is read like its lines."""
    path = made.page(tmp_path / "session.json", {"loglines": made.claude_rows()})

    assert ("claude", MADE["claude"].count) == (detect(path), count(only(path)[1]))


def test_claude_subagents_of_subfolders(tmp_path: Path) -> None:
    """Subagents that lie deeper, by workflow, belong to the same session."""
    path = tmp_path / made.CLAUDE_ID / "subagents" / "workflows" / "w1" / "agent-c3.jsonl"
    made.lines(path, [made.claude_user(1, "look", isSidechain=True, agentId="c3")])

    assert ("agent-c3", made.CLAUDE_ID) == ((head := only(path)[0].head).id, head.parent)


def test_aider_repeats_what_is_asked(tmp_path: Path) -> None:
    """A question that Aider writes down with its command and without is one prompt; other commands stay."""
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(
        "#### /ask why?  \n\n#### why?  \n\nBecause.\n\n#### /drop  \n> dropped\n\n#### so\n#### \n#### be it\n"
    )
    turns = only(path)[1]

    assert ["why?", "/drop", "so\n\nbe it"] == prompts(turns)


def test_cursor_editor_arguments_as_they_come(tmp_path: Path) -> None:
    """Arguments may be an object, a tool be named by another field, and an error be marked beside the status."""
    path = tmp_path / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    failed = {"tool": "run_terminal_cmd", "params": {"command": "make"}, "status": "completed",
              "additionalData": {"status": "error"}}  # fmt: skip
    composer = {"conversation": [{"type": 1, "text": "hi"}, {"type": 2, "bubbleId": "b", "toolFormerData": failed}],
                "workspaceIdentifier": {"uri": {"fsPath": made.ROOT}}}  # fmt: skip
    made._keys(path, "cursorDiskKV", {"composerData:c1": composer})
    transcript, turns = only(path)

    assert ({"make": (False, None, False)}, made.ROOT) == (ran(turns), transcript.head.cwd)


def test_aider_declined_commands_are_refusals(tmp_path: Path) -> None:
    """A command Aider offered and the user declined was not run; one that was allowed stands there once."""
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(
        "#### go\n\nDone.\n\n> Applied edit to a.py  \n> make test  \n> Run shell command? (Y)es/(N)o [Yes]: n  \n"
        "> make check  \n> Run shell command? (Y)es/(N)o/(S)kip all [Yes]: y  \n> Running make check  \n"
        "> Add command output to the chat? (Y)es/(N)o [Yes]: y  \n"
    )

    assert {"make test": (None, None, True), "make check": (None, None, False)} == ran(only(path)[1])


def test_cline_kin_tell_exit_codes_in_a_heading(tmp_path: Path) -> None:
    """Kindred writers name the exit code above the output, and commands may have many lines."""
    told = "Command executed in terminal within working directory '/w'.\nExit code: 3\nOutput:\nExit code: 0"
    messages = [
        {"role": "assistant", "content": "<execute_command><command>cat <<X\na\nX</command></execute_command>"},
        {"role": "user", "content": [made.said(f"[execute_command for 'cat <<X\na\nX'] Result:\n{told}")]},
    ]
    path = made.page(tmp_path / "tasks" / "7" / "api_conversation_history.json", messages)

    assert {"cat <<X\na\nX": (False, 3, False)} == ran(only(path)[1])


def test_codex_commands_of_the_user(tmp_path: Path) -> None:
    """A command the user typed is the user's; what is only typed to a running command is no command."""
    ended = {"command": ["bash", "-lc", "git log"], "exit_code": 0, "status": "completed"}
    rows = [
        made.codex_event(1, "exec_command_end", call_id="u1", source="user_shell", **ended),
        made.codex_event(2, "exec_command_end", call_id="u2", source="unified_exec_interaction", **ended),
    ]
    (turn,) = only(made.lines(tmp_path / "c.jsonl", rows))[1]

    assert ("user", "git log") == (turn.role, turn.tool and turn.tool.command)


def test_claude_reminders_are_taken_off_a_prompt(tmp_path: Path) -> None:
    """What the program puts beside a prompt is taken off it; alone, it is no prompt."""
    reminder = "<system-reminder>Be brief.</system-reminder>"
    rows = [
        made.claude_user(
            1, [made.said("<ide_opened_file>a.py</ide_opened_file>"), made.said("mend it"), made.said(reminder)]
        ),
        made.claude_user(2, reminder),
    ]
    turns = only(made.lines(tmp_path / "s.jsonl", rows))[1]

    assert [("user", "mend it"), ("system", reminder)] == [(turn.role, turn.text) for turn in turns]


def test_claude_texts_beside_results(tmp_path: Path) -> None:
    """A text beside a result is a failure only if it says so; a rejection there is a refusal."""
    calls = [made.claude_says(1, "m", made.use(id, "Bash", command=id)) for id in ("good", "bad", "stopped")]
    results = [
        made.claude_user(2, [made.gave("good", "3 rows")], toolUseResult="3 rows"),
        made.claude_user(3, [made.gave("bad", "")], toolUseResult="Error: Exit code 9\nboom"),
        made.claude_user(4, [made.gave("stopped", "no", error=True)], toolUseResult="User rejected tool use"),
    ]
    turns = only(made.lines(tmp_path / "s.jsonl", [*calls, *results]))[1]

    assert {"good": (True, None, False), "bad": (False, 9, False), "stopped": (None, None, True)} == ran(turns)


# -- older and newer tellings -----------------------------------------------------------------------------------------


def test_claude_loose_calls_and_results(tmp_path: Path) -> None:
    """Calls and results that stand outside of messages are joined by what they have: an id, a name, their order."""
    rows = [
        made.claude_row("tool_use", 1, name="bash", input={"command": "cat a"}),
        made.claude_row("tool_result", 2, name="bash", output="# a"),
        made.claude_row(
            "tool", 3, message={"tool_name": "bash", "tool_input": {"command": "cat b"}, "tool_output": "b"}
        ),
        made.claude_row("tool_use", 4, id="x", name="bash", input={"command": "cat c"}),
        made.claude_row("tool_result", 5, tool_use_id="x", output="no c", exit_code=1),
    ]
    turns = only(made.lines(tmp_path / "s.jsonl", rows))[1]

    assert {"cat a": (True, None, False), "cat b": (True, None, False), "cat c": (False, 1, False)} == ran(turns)


def test_codex_newer_envelopes(tmp_path: Path) -> None:
    """Items in the newer envelope are commands, patches and servers' tools, once though told twice."""

    def item(second: int, kind: str, **fields: object) -> dict[str, object]:
        return made.codex_event(second, "item_completed", item={"type": kind, **fields})

    rows = [
        made.codex_event(0, "thread_name_updated", thread_name="Till"),
        item(1, "CommandExecution", id="k1", command=["bash", "-lc", "make"], exit_code=2, aggregated_output="boom"),
        made.codex_event(1, "exec_command_end", call_id="k1", command=["bash", "-lc", "make"], exit_code=2),
        item(2, "CommandExecution", id="k2", command=["rm", "x"], status="declined"),
        item(3, "FileChange", id="k3", changes=[{"path": "a.py"}], status="failed"),
        item(4, "McpToolCall", id="k4", server="db", tool="query", error={"message": "down"}),
        item(5, "AgentMessage", id="k5", content=[{"type": "Text", "text": "done"}]),
        item(6, "Reasoning", id="k6"),
        item(7, "Telepathy", id="k7"),
        made.codex_event(8, "dynamic_tool_call_response", call_id="k8", tool="open", success=False, error="no"),
    ]
    transcript, turns = only(made.lines(tmp_path / "c.jsonl", rows))

    assert {"make": (False, 2, False), "rm x": (None, None, True)} == ran(turns)
    assert [("a.py",)] == [turn.tool.paths for turn in turns if turn.tool and turn.tool.kind == "edit"]
    assert (6, 4, "Till") == (len(turns), count(turns).failures, transcript.head.title)
    assert {"item_completed.Telepathy": 1} == transcript.reading.unknown


def test_codex_first_versions(tmp_path: Path) -> None:
    """The first versions wrote items without an envelope, after a line that tells who they are."""
    rows = [
        {"id": "old-1", "timestamp": "2025-06-01T10:00:00Z", "instructions": None, "git": {"branch": "trunk"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "local_shell_call", "call_id": "l1", "status": "completed",
         "action": {"type": "exec", "command": ["bash", "-lc", "ls"], "working_directory": "/w"}},
        {"type": "function_call_output", "call_id": "l1", "output": {"content": "a", "success": True}},
    ]  # fmt: skip
    path = made.lines(tmp_path / "rollout.jsonl", rows)
    transcript, turns = only(path)

    assert ("codex", "old-1", "trunk") == (detect(path), transcript.head.id, transcript.head.branch)
    assert (["hello"], {"ls": (True, None, False)}) == (prompts(turns), ran(turns))


def test_cursor_subagents_are_linked(tmp_path: Path) -> None:
    """A subagent's transcript names the one whose folder it lies in."""
    row = {"role": "user", "message": {"content": [made.said("look")]}}
    alone = made.lines(tmp_path / "boss" / "subagents" / "kid.jsonl", [row])
    made.lines(tmp_path / "two" / "parent.jsonl", [row])
    beside = made.lines(tmp_path / "two" / "subagents" / "kid.jsonl", [row])

    assert ["boss", "parent"] == [only(path)[0].head.parent for path in (alone, beside)]
    assert only(alone)[1][0].sidechain


def test_cursor_chat_folder_from_the_file_beside(tmp_path: Path) -> None:
    """What a chat's root does not tell, the file beside the database may; numbers in the root are stepped over."""
    path = made.cursor_chat(tmp_path)
    made.page(path.parent / "meta.json", {"cwd": "/elsewhere", "title": "x"})
    store = sqlite3.connect(path)
    (root,) = store.execute("SELECT data FROM blobs WHERE id = 'r00t'").fetchone()
    odd = (
        b"\x18\x96\x01"
        b"\x21" + b"\x00" * 8 + b"\x2d" + b"\x00" * 4 + made.field(1, b"short") + made.field(1, b"\x01" * 32)
    )
    store.execute("UPDATE blobs SET data = ? WHERE id = 'r00t'", (odd + root,))
    store.commit()
    store.close()
    transcript, turns = only(path)

    assert (5, 1, "/elsewhere") == (len(turns), transcript.reading.broken, transcript.head.cwd)


def test_gemini_folders_and_subagents(tmp_path: Path) -> None:
    """The list of projects tells the folder of a chat, and a subagent's chat lies in a folder named for its parent."""
    chats = tmp_path / ".gemini" / "tmp" / "shop" / "chats"
    made.page(tmp_path / ".gemini" / "projects.json", {"projects": {"/srv/other": "other", made.ROOT: "shop"}})
    rows = [{"sessionId": "s", "projectHash": "p", "kind": "subagent"}, {"id": "a", "type": "user", "content": "look"}]
    transcript, turns = only(made.lines(chats / "boss" / "kid.jsonl", rows))

    assert (made.ROOT, "boss", True) == (transcript.head.cwd, transcript.head.parent, turns[0].sidechain)


def test_cline_folder_from_the_list_of_tasks(tmp_path: Path) -> None:
    """The list of tasks tells folder and model where the task itself does not."""
    task = {"id": "42", "cwdOnTaskInitialization": "/srv/till", "modelId": "opus"}
    made.page(tmp_path / "state" / "taskHistory.json", [{"id": "41"}, task])
    path = made.page(
        tmp_path / "tasks" / "42" / "api_conversation_history.json",
        [{"role": "user", "content": "<task>\nhi\n</task>"}],
    )
    transcript, turns = only(path)

    assert (["hi"], "/srv/till", "opus") == (prompts(turns), transcript.head.cwd, transcript.head.model)


def test_tools_name_their_files() -> None:
    """Commands as words, files in lists, patches and kinds of tools are read from arguments of any shape."""
    from tacit.agents.reading.tool_names import tool_of

    assert ("/a", "/b") == tool_of("read_files", {"files": [{"path": "/a"}, "/b", 3]}).paths
    assert "echo 'a b'" == tool_of("shell", {"command": ["echo", "a b"]}).command
    assert ("shell", "make") == ((tool := tool_of("mystery", '{"command": "make"}')).kind, tool.command)
    assert ["mcp", "edit", "read", "other"] == [
        tool_of(name, 7).kind for name in ("mcp__x__y", "Write", "Grep", "Task")
    ]


@pytest.mark.parametrize(
    ("output", "refused"),
    [
        ("Permission to use Bash with command rm has been denied.", True),
        ("PreToolUse:Bash hook error: tacit says no", True),
        ("half\n<error>Command was aborted before completion</error>", True),
        ("Error: The user doesn't want to take this action right now.", True),
        ("<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>", False),
    ],
)
def test_what_never_ran_is_no_failure(output: str, refused: bool, tmp_path: Path) -> None:
    """A call that was denied, stopped or cancelled did not fail: it did not run to its end."""
    rows = [
        made.claude_says(1, "m", made.use("t", "Bash", command="x")),
        made.claude_user(2, [made.gave("t", output, error=True)]),
    ]

    assert {"x": (None, None, refused)} == ran(only(made.lines(tmp_path / "s.jsonl", rows))[1])
