"""`tacit sessions` at the command line: the documents of the contract, the announced verbs, exit codes."""

import json
import subprocess
import sys

import pytest

from tests.agents import made

SECRET = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"


@pytest.fixture
def home(own_home):
    """The home of the agents."""
    return own_home.parent


def test_show_a_file_gives_the_document_of_the_contract(tacit, tmp_path, own_home):
    """Role, text and time of every turn; tool and outcome where there is one, and only there; no store is made."""
    document = tacit("sessions", "show", "--file", str(made.claude(tmp_path)), "--agent", "claude-code", "--json").json
    tools = [turn for turn in document["turns"] if "tool" in turn]
    plain = [turn for turn in document["turns"] if "tool" not in turn]

    assert ("tacit.session/1", made.CLAUDE_ID, "claude", made.ROOT) == tuple(
        document[name] for name in ("schema", "id", "agent", "cwd")
    )
    assert {"name": "Bash", "command": "make test", "paths": []}.items() <= tools[0]["tool"].items()
    assert {"ok": False, "exit_code": 2}.items() <= tools[0]["outcome"].items()
    assert all({"role", "text", "at"} <= turn.keys() for turn in document["turns"])
    assert all({"ok", "exit_code", "output"} <= turn["outcome"].keys() for turn in tools)
    assert not any("outcome" in turn for turn in plain)
    assert not (own_home / "memory.db").exists()


@pytest.mark.parametrize("name", made.MADE)
def test_show_reads_every_format(tacit, tmp_path, name):
    """Any agent's file is shown without naming the agent, to programs and to people."""
    path = made.MADE[name].write(tmp_path / "t")
    answer = tacit("sessions", "show", "--file", str(path), "--json")
    told = tacit("sessions", "show", "--file", str(path))

    assert (0, made.MADE[name].agent, made.MADE[name].count.turns) == (
        answer.code,
        answer.json["agent"],
        len(answer.json["turns"]),
    )
    assert (0, True) == (told.code, told.out.startswith(f"{made.MADE[name].agent} session"))


def test_show_without_secrets(tacit, tmp_path):
    """What was said in a session is shown without its secrets: who asks may be an agent."""
    rows = [
        made.claude_user(1, f"token {SECRET}"),
        made.claude_says(2, "m", made.use("t", "Bash", command=f"curl -H 'Authorization: Bearer {SECRET}' host")),
        made.claude_user(3, [made.gave("t", f"GITHUB_TOKEN={SECRET}")]),
    ]
    path = made.lines(tmp_path / "s.jsonl", rows)
    answers = [tacit("sessions", "show", "--file", str(path), *more).out for more in ((), ("--json",))]

    assert [False, False] == [SECRET in answer for answer in answers]


def test_import_list_show_search(tacit, tmp_path):
    """What is imported is listed with the id that `show` takes, by people and by programs."""
    path = made.claude(tmp_path / "t")
    brought = tacit("sessions", "import", str(path), "--json").json
    listed = tacit("sessions", "list", "--json").json["sessions"]
    told = tacit("sessions", "list").out
    shown = tacit("sessions", "show", listed[0]["id"], "--json").json
    found = tacit("sessions", "search", "rounding till", "--json").json

    assert ("tacit.session_import/1", 1, 0) == (brought["schema"], brought["new"], brought["unchanged"])
    assert [made.CLAUDE_ID] == [one["id"] for one in listed]
    assert listed[0]["short"] == listed[0]["record"][-8:] and listed[0]["short"] in told.split()
    assert (made.CLAUDE_ID, 17, []) == (shown["id"], len(shown["turns"]), shown["children"])
    assert ("tacit.sessions/1", [made.CLAUDE_ID]) == (found["schema"], [one["id"] for one in found["sessions"]])


def test_a_search_prints_the_line_that_matched(tacit, tmp_path):
    """A newcomer's trial: it printed titles alone, which said nothing of why a session was found."""
    tacit("sessions", "import", str(made.claude(tmp_path)))
    told = tacit("sessions", "search", "rm build").out.splitlines()

    assert ["Die Kasse rundet falsch. Fix the rounding in the till 🧾", "    $ rm -rf build"] == [
        told[0].split("  ", 3)[-1], told[1],
    ]  # fmt: skip
    assert "nothing was found" in tacit("sessions", "search", "zebra").out


def test_import_again_reads_nothing(tacit, tmp_path):
    """A second import passes over what did not change, and says so."""
    path = made.codex(tmp_path)
    first, second = tacit("sessions", "import", str(path)), tacit("sessions", "import", str(path))

    assert (True, True) == ("1 new session" in first.out, "1 unchanged" in second.out)
    assert "brand_new_event" in first.out


def test_import_finds_what_agents_keep(tacit, home, tmp_path):
    """Without a path, everything agents keep is looked through; what belongs elsewhere is counted, or taken in."""
    shop = tmp_path / "shop"
    shop.mkdir()
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    rows = [{**made.claude_user(1, "of the shop"), "cwd": str(shop), "sessionId": "s"}]
    made.lines(home / ".claude" / "projects" / "-shop" / "s.jsonl", rows)
    made.codex(home / ".codex" / "sessions" / "2026")
    here = tacit("sessions", "import", "--json").json
    everywhere = tacit("sessions", "import", "--all", "--json").json
    there = tacit("sessions", "list", "--scope", f"project:{shop}", "--json").json["sessions"]

    assert (1, {f"project:{shop}": 1}) == (here["new"], here["elsewhere"])
    assert (1, 1, {}) == (everywhere["new"], everywhere["unchanged"], everywhere["elsewhere"])
    assert {"s", made.CODEX_ID} == {one["id"] for one in there}


def test_a_file_that_is_named_is_imported_into_its_project(tacit, tmp_path):
    """A newcomer's trial: a named file of another project was left out, and only a folder was asked for."""
    shop = tmp_path / "shop"
    shop.mkdir()
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    path = made.lines(tmp_path / "s.jsonl", [{**made.claude_user(1, "round it"), "cwd": str(shop), "sessionId": "s"}])
    document = tacit("sessions", "import", str(path), "--json").json

    assert (1, {}, 1) == (document["new"], document["elsewhere"], document["scopes"][f"project:{shop}"])


def test_an_import_says_where_sessions_went(tacit, tmp_path):
    """The projects by name, with counts, and the folders that are not on this machine."""
    shop = tmp_path / "shop"
    shop.mkdir()
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    for name, cwd in (("a", shop), ("b", shop), ("c", "/gone/farm")):
        rows = [{**made.claude_user(1, "round the till"), "cwd": str(cwd), "sessionId": name}]
        made.lines(tmp_path / "t" / f"{name}.jsonl", rows)
    here = tacit("sessions", "import", str(tmp_path / "t")).out
    everywhere = tacit("sessions", "import", str(tmp_path / "t"), "--all").out

    assert f"2 sessions of project:{shop} (2): --all imports them too" in here
    assert "1 ran in a folder that does not exist here; filed under user:" in here and ": /gone/farm (1)" in here
    assert f"into project:{shop} (2)" in everywhere and "--all" not in everywhere


def test_a_turn_is_shown_with_when_it_was_said(tacit, tmp_path, monkeypatch):
    """The day of the session, and under another name that of the import."""
    monkeypatch.setattr("tacit.app.person_actions.person_only", lambda *_: None)
    tacit("config", "set", "sessions.keep", "turns")
    tacit("sessions", "import", str(made.claude(tmp_path / "t")))
    turn = tacit("recall", "rounding till", "--kind", "turn", "--json").json["hits"][0]["record"]
    shown, listed = tacit("show", turn["id"]).out, tacit("list", "--kind", "turn").out

    assert f"said at  {turn['at'][:10]}" in shown and f"kept at  {turn['created_at'][:10]}" in shown
    assert turn["at"][:10] in listed and turn["created_at"][:10] not in listed


def test_lowering_what_is_kept_says_that_it_stays_and_how_to_delete_it(tacit, tmp_path, monkeypatch):
    """Trial of 18 November: it said what raising says, and an import that recall would not find what it found."""
    monkeypatch.setattr("tacit.app.person_actions.person_only", lambda *_: None)
    raised = tacit("config", "set", "sessions.keep", "turns").out
    tacit("sessions", "import", str(made.claude(tmp_path / "t")))
    lowered = tacit("config", "set", "sessions.keep", "none").out
    would = tacit("sessions", "drop", "--dry-run", "--json").json
    asked = tacit("sessions", "drop", "--yes")

    assert ("sessions import" in raised, "sessions drop" in raised) == (True, False)
    assert ("sessions import" in lowered, "`tacit sessions drop` deletes it" in lowered) == (False, True)
    assert (True, 1, 1, True) == (would["turns"] > 3, would["recaps"], would["sessions"], would["dry_run"])
    # The tests run as an agent.
    assert (4, True) == (asked.code, "only a person" in asked.err)


def test_a_project_that_is_switched_off_is_left_out(tacit, home, tmp_path):
    """Taking in everything leaves out a project whose own file says that nothing is captured there."""
    shop = tmp_path / "shop"
    shop.mkdir()
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    (shop / ".tacit.toml").write_text("off = true\n")
    rows = [{**made.claude_user(1, "of the shop"), "cwd": str(shop), "sessionId": "s"}]
    made.lines(home / ".claude" / "projects" / "-shop" / "s.jsonl", rows)
    answer = tacit("sessions", "import", "--all", "--json")

    assert (0, 0, {f"project:{shop}": 1}) == (answer.code, answer.json["new"], answer.json["elsewhere"])
    assert "left out" in answer.err


def test_sources_are_told(tacit, home):
    """Where agents keep transcripts, and how many there are."""
    made.codex(home / ".codex" / "sessions" / "2026")
    document = tacit("sessions", "sources", "--json").json
    told = tacit("sessions", "sources").out
    codex = next(one for one in document["sources"] if one["root"] == str(home / ".codex" / "sessions"))

    assert ("tacit.session_sources/1", True, 1) == (document["schema"], codex["exists"], codex["files"])
    assert str(home / ".codex" / "sessions") in told


def test_a_copy_does_not_replace_what_the_agent_wrote(tacit, home, tmp_path):
    """SpecStory's histories are found in the project; what it wrote of a session of the host's is no second session."""
    history = tmp_path / "work" / ".specstory" / "history"
    made.specstory(history)
    made.specstory_old(history)
    source = next(one for one in tacit("sessions", "sources", "--json").json["sources"] if one["agent"] == "specstory")
    copies = tacit("sessions", "import", "--agent", "specstory", "--json").json
    rows = [{**made.claude_user(1, "round the till"), "cwd": str(tmp_path / "work"), "sessionId": made.SPECSTORY_ID}]
    own = made.lines(home / ".claude" / "projects" / "-work" / f"{made.SPECSTORY_ID}.jsonl", rows)
    better = tacit("sessions", "import", "--json").json
    again = tacit("sessions", "import", "--json").json
    listed = {one["id"]: one for one in tacit("sessions", "list", "--json").json["sessions"]}

    assert (str(history), 2) == (source["root"], source["files"])
    assert {"claude", "specstory"} == {one["agent"] for one in copies["sessions"]}
    assert [(2, 0, 0), (0, 1, 2), (0, 0, 3)] == [
        (one["new"], one["grown"], one["unchanged"]) for one in (copies, better, again)
    ]
    assert (2, str(own), True) == (len(listed), *(listed[made.SPECSTORY_ID][name] for name in ("path", "hosted")))


def test_what_was_left_out_is_said(tacit, tmp_path):
    """N19: learning and listing stop at a limit; both say so, how much is left, and how to get it."""
    for number in range(22):
        rows = [
            {**made.claude_user(1, f"prompt {number}"), "sessionId": f"s{number}"},
            made.claude_says(2, "m", made.use("t", "Bash", command=f"make part{number}")),
            made.claude_user(3, [made.gave("t", "Exit code 2\nboom", error=True)]),
        ]
        made.lines(tmp_path / "t" / f"s{number}.jsonl", rows)
    tacit("sessions", "import", str(tmp_path / "t"))
    learn, listed, learned = ("sessions", "learn"), ("sessions", "list"), ("learn", "list")
    some = [tacit(*words, "--json").json["notices"] for words in (learn, listed, learned)]
    told = [tacit(*words).out.splitlines()[-1] for words in (learn, listed, learned)]
    whole = [*learn, "--all"], [*listed, "--limit", "22"], [*learned, "--limit", "22"]

    assert [
        ["20 of 22 sessions were read, the newest; --all reads all of them"],
        ["20 of 22 are shown; --limit 22 shows all 22"],
        ["10 of 20 are shown; --limit 20 shows all 20"],
    ] == some
    assert [one for (one,) in some] == told
    assert [[], [], []] == [tacit(*words, "--json").json["notices"] for words in whole]


def test_exit_codes(tacit, tmp_path):
    """An unknown session or file is 3, a missing or wrong argument 2, an empty list 0."""
    (tmp_path / "notes.txt").write_text("hello")

    assert 3 == tacit("sessions", "show", "nobody", "--json").code
    assert 3 == tacit("sessions", "show", "--file", str(tmp_path / "none.jsonl")).code
    assert 3 == tacit("sessions", "show", "--file", str(tmp_path / "notes.txt")).code
    assert 2 == tacit("sessions", "show").code
    assert 2 == tacit("sessions", "list", "--agent", "clawed").code
    assert (0, []) == ((answer := tacit("sessions", "list", "--json")).code, answer.json["sessions"])


def test_a_transcript_that_is_gone(tacit, tmp_path):
    """When the file is gone the error says so, and the id still names the record."""
    path = made.claude(tmp_path)
    tacit("sessions", "import", str(path))
    path.unlink()
    answer = tacit("sessions", "show", made.CLAUDE_ID, "--json")

    assert (3, True) == (answer.code, "no longer exists" in answer.json["error"]["message"])


def test_one_of_many_by_its_id(tacit, tmp_path):
    """Of a file with many sessions the latest is shown, or the one that is named."""
    path = made.aider(tmp_path)
    tacit("sessions", "import", str(path))
    ids = [one["id"] for one in tacit("sessions", "list", "--json").json["sessions"]]
    counts = [
        len(tacit("sessions", "show", *([id] if id else []), "--file", str(path), "--json").json["turns"])
        for id in ("", *ids)
    ]

    assert [4, 4, 12] == counts


def test_bench(tmp_path, capsys):
    """The bench counts files it knows and reads a large one; it is told how much."""
    from tacit.bench.sessions import run

    made.lines(
        tmp_path / "transcripts" / "codex" / "codex_050_legacy.jsonl", [made.codex_row("session_meta", 0, id="x")]
    )
    run(tmp_path, as_json=True, megabytes=1, small=20)
    document = json.loads(capsys.readouterr().out)

    assert ("tacit.bench.sessions/1", 1, [True]) == (
        document["schema"],
        document["megabytes"],
        [one["agrees"] for one in document["files"]],
    )


def test_reading_a_file_loads_no_store(tmp_path):
    """Reading a transcript needs neither a store nor a network; the readers load on use."""
    code = (
        "import sys; from pathlib import Path; from tacit.agents.transcripts import transcripts\n"
        f"list(next(iter(transcripts(Path({str(made.claude(tmp_path))!r})))))\n"
        "print(sorted(m for m in sys.modules if m.startswith(('tacit.store', 'tacit.app.open', 'click', 'rich'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()


def test_import_says_what_is_no_transcript(tacit, tmp_path):
    """A file that somebody named is not passed over in silence; the others are taken in."""
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(b"\x00\xff garbage")
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    told = tacit("sessions", "import", str(odd), str(empty), str(made.claude(tmp_path / "t")), "--json").json
    shown = tacit("sessions", "show", "--file", str(odd))

    assert (1, 2) == (told["new"], told["empty"])
    assert {str(odd), str(empty)} == {one["path"] for one in told["unread"] if "not a transcript" in str(one["notes"])}
    assert 3 == shown.code


def test_a_database_that_cannot_be_read_is_not_shown(tacit, tmp_path):
    """Not found, and why."""
    import sqlite3

    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as db:
        for table in ("session", "message", "part"):
            db.execute(f"CREATE TABLE {table} (id TEXT PRIMARY KEY) WITHOUT ROWID")
        db.execute("INSERT INTO session VALUES ('s')")
    db.close()
    shown = tacit("sessions", "show", "--file", str(path), "--json")

    assert (3, True) == (shown.code, "could not be read" in shown.json["error"]["message"])


def test_sessions_that_were_imported_before_get_their_turns(tacit, tmp_path, monkeypatch):
    """F2: a raised `sessions.keep` holds for them when they are imported again, and both commands say so."""
    monkeypatch.setattr("tacit.app.person_actions.person_only", lambda *_: None)
    path = str(made.claude(tmp_path / "t"))
    first = tacit("sessions", "import", path)
    before = tacit("recall", "rounding in the till", "--json").json["sessions"]
    said = tacit("config", "set", "sessions.keep", "turns").out
    second, third = (tacit("sessions", "import", path, "--json").json for _ in range(2))
    after = tacit("recall", "rounding in the till", "--json").json["sessions"]

    assert "sessions.keep turns" in first.out and "`tacit sessions import`" in said
    assert ([], True) == (before, bool(after))
    assert [(1, 0), (0, 1)] == [(one["grown"], one["unchanged"]) for one in (second, third)]
    assert [] == second["notices"]


def test_a_kept_turn_is_opened_by_its_number_and_one_that_is_not_there_is_an_error(tacit, tmp_path, monkeypatch):
    """F20: `--turn 999` says how many there are; of a kept session its number counts, not its place in the rest."""
    monkeypatch.setattr("tacit.app.person_actions.person_only", lambda *_: None)
    tacit("config", "set", "sessions.keep", "turns")
    rows = [
        made.claude_user(1, "#private this is not kept"), made.claude_says(2, "m1", made.said("nor is this")),
        made.claude_user(3, "round the till"), made.claude_says(4, "m2", made.said("it is rounded")),
    ]  # fmt: skip
    path = made.lines(tmp_path / "t" / f"{made.CLAUDE_ID}.jsonl", rows)
    tacit("sessions", "import", str(path))
    missing = tacit("sessions", "show", made.CLAUDE_ID, "--turn", "999")
    path.unlink()
    kept = tacit("sessions", "show", made.CLAUDE_ID, "--turn", "4", "--json").json
    gone = tacit("sessions", "show", made.CLAUDE_ID, "--turn", "999")

    assert (3, 3) == (missing.code, gone.code) and "4 turns, and no turn 999" in missing.err
    assert [3, 4] == [one["number"] for one in kept["turns"]] and 3 == kept["first"]


def test_an_import_says_why_nothing_came(tacit, tmp_path):
    """F20: a transcript without turns is named; a file that is none, alone, is an error."""
    package = tmp_path / "package.json"
    package.write_text('{"name": "shop"}')
    bare = made.lines(tmp_path / "t" / "rollout-x.jsonl", made.codex_rows()[:1])
    nothing, refused = tacit("sessions", "import", str(bare)), tacit("sessions", "import", str(package))

    assert 0 == nothing.code and "1 session left out: nothing was asked or run" in nothing.out
    assert 3 == refused.code and "not a transcript" in refused.err and "package.json" in refused.err


def test_failures_are_those_of_commands(tacit, tmp_path):
    """F20: "1 command, 3 failed" cannot be."""
    rows = [
        made.claude_user(1, "round the till"),
        made.claude_says(2, "m", made.use("t1", "Bash", command="make"), made.use("t2", "Read", file_path="/none")),
        made.claude_user(3, [made.gave("t1", "Exit code 2\nboom", error=True), made.gave("t2", "gone", error=True)]),
    ]  # fmt: skip
    tacit("sessions", "import", str(made.lines(tmp_path / "t" / "s.jsonl", rows)))
    (entry,) = tacit("timeline", "--json").json["entries"]

    assert (1, 1) == (entry["commands"], entry["failures"])


def test_two_times_of_a_recap_are_an_error(tacit):
    """F20."""
    answer = tacit("recap", "--last", "--week")

    assert 2 == answer.code and "--last and --week" in answer.err


def test_a_session_is_listed_when_it_began(tacit, tmp_path):
    """F11: its end is said if that was on another day."""
    rows = [made.claude_user(1, "round the till by night"), made.claude_says(2, "m", made.said("it is rounded"))]
    rows[0]["timestamp"], rows[1]["timestamp"] = "2026-11-10T12:38:00Z", "2026-11-11T12:03:00Z"
    tacit("sessions", "import", str(made.lines(tmp_path / "t" / "s.jsonl", rows)))
    (entry,) = tacit("timeline", "--json").json["entries"]
    (recap,) = tacit("recap", "--last", "--json").json["recaps"]
    shown = tacit("timeline").out + tacit("recap", "--last").out

    assert [("2026-11-10T12:38:00Z", "2026-11-11T12:03:00Z")] * 2 == [
        (one["at"], one["ended_at"]) for one in (entry, recap)
    ]
    assert 2 == shown.count(" to 2026-11-11 ") and shown.startswith("Tuesday, 2026-11-10")


def test_a_session_has_one_date_and_without_times_none(tacit, tmp_path, own_home):
    """A newcomer's trial: recall and the list showed the day of its end, or that of its import."""
    rows = [made.claude_user(1, "round the till by night"), made.claude_says(2, "m", made.said("it is rounded"))]
    rows[0]["timestamp"], rows[1]["timestamp"] = "2026-11-10T12:38:00Z", "2026-11-11T12:03:00Z"
    undated = [
        {name: value for name, value in row.items() if name != "timestamp"} | {"sessionId": "undated-1"}
        for row in (made.claude_user(1, "paint the fence"), made.claude_says(2, "m", made.said("it is painted")))
    ]
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[sessions]\nkeep = "turns"\n')
    tacit("sessions", "import", str(made.lines(tmp_path / "t" / "s.jsonl", rows)))
    tacit("sessions", "import", str(made.lines(tmp_path / "t" / "u.jsonl", undated)))
    recaps = [line for line in tacit("recall", "round the till").out.splitlines() if "  recap  " in line]
    fence = [line for line in tacit("recall", "paint the fence").out.splitlines() if "  claude  " in line]

    assert recaps and all("2026-11-10" in line for line in recaps)
    assert "2026-11-10" in tacit("sessions", "list").out
    assert fence and all("without a date" in line for line in fence)


def keep_turns(own_home):
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[sessions]\nkeep = "turns"\n')


def session(path, id, *times):
    rows = [made.claude_user(1, f"round the till {id}"), made.claude_says(2, "m", made.said("it is rounded"))]
    dated = [row | {"timestamp": at, "sessionId": id} for row, at in zip(rows, times, strict=True)]
    return str(made.lines(path / f"{id}.jsonl", dated))


def test_sessions_are_listed_by_what_is_shown(tacit, tmp_path, own_home):
    """A newcomer's trial: the day of the start was shown, and the list was in the order of their ends."""
    keep_turns(own_home)
    long = session(tmp_path, "long", "2026-11-02T10:00:00Z", "2026-11-12T10:00:00Z")
    short = session(tmp_path, "short", "2026-11-09T10:00:00Z", "2026-11-09T11:00:00Z")
    undated = made.lines(tmp_path / "u.jsonl", [
        {name: value for name, value in made.claude_user(1, "round it").items() if name != "timestamp"}
        | {"sessionId": "undated"}
    ])  # fmt: skip
    tacit("sessions", "import", long, short, str(undated))
    listed, recaps, days = tacit("sessions", "list"), tacit("recap", "--json"), tacit("timeline", "--json")

    assert ["short", "long", "it"] == [line.split()[-1] for line in listed.out.splitlines()[1:4]]
    assert "without a date" in listed.out.splitlines()[3]
    assert ["claude:short", "claude:long", "claude:undated"] == [one["session"] for one in recaps.json["recaps"]]
    assert ["claude:short", "claude:long", "claude:undated"] == [one["session"] for one in days.json["entries"]]


def test_an_import_says_what_comes_next(tacit, tmp_path, own_home):
    """A newcomer's trial: nothing was learned, and nobody said so."""
    path = str(made.claude(tmp_path / "t"))
    bare = tacit("sessions", "import", path).out
    keep_turns(own_home)
    kept, again = (tacit("sessions", "import", path).out for _ in range(2))

    assert bare.endswith("next, `tacit sessions learn` learns failures, fixes and lessons from them\n")
    assert "their turns and recaps are kept; next, `tacit sessions learn` learns" in kept
    assert "sessions learn" not in again


def test_a_turn_is_shown_whole_and_what_failed_at_a_glance(tacit, tmp_path, own_home):
    """A newcomer's trial: `--turn N` cut the turn, and what a command failed with was not to be seen."""
    keep_turns(own_home)
    long = "Round the till.\n\n" + "All of it, please. " * 60
    rows = [
        made.claude_user(1, long), made.claude_says(2, "m1", made.use("t1", "Bash", command="make biuld")),
        made.claude_user(3, [made.gave("t1", "Exit code 2\nmake: *** No rule to make target 'biuld'", error=True)]),
        made.claude_says(4, "m2", made.use("t2", "Bash", command="make build")),
        made.claude_user(5, [made.gave("t2", "done")]),
    ]  # fmt: skip
    path = made.lines(tmp_path / "t" / f"{made.CLAUDE_ID}.jsonl", rows)
    tacit("sessions", "import", str(path))
    shown = tacit("sessions", "show", made.CLAUDE_ID, "--turn", "1").out
    recalled = tacit("recall", "no rule to make target biuld", "--kind", "turn").out
    path.unlink()
    kept = tacit("sessions", "show", made.CLAUDE_ID, "--turn", "1").out
    lines = [
        "    2  $ make biuld   (exit 2)", "       error: make: *** No rule to make target 'biuld'",
        "       then: $ make build worked (turn 3)",
    ]  # fmt: skip

    for one in (shown, kept):
        assert f"    1  user: {long.strip()}" in one
        assert "\n".join(lines) in one
    assert recalled.startswith("\n".join([
        "1. $ make biuld   (exit 2)", "   error: make: *** No rule to make target 'biuld'",
        "   then: $ make build worked (turn 3)",
    ]))  # fmt: skip
