"""A session has one name on every screen, its short id, and every command that takes a session takes the same names."""

import uuid

import pytest

from tests.agents import made

FIRST, SECOND = "5e551017-0000-4000-8000-000000000001", "5e551017-0000-4000-8000-000000000002"


def transcript(folder, id, about):
    """Write a session of a prompt, a command that failed, and an answer."""
    rows = [
        made.claude_user(1, f"round the {about}"), made.claude_says(2, "m1", made.use("t", "Bash", command="make")),
        made.claude_user(3, [made.gave("t", "Exit code 2\nboom", error=True)]),
        made.claude_says(4, "m2", made.said(f"the {about} is rounded")),
    ]  # fmt: skip
    return made.lines(folder / f"{id}.jsonl", [row | {"sessionId": id} for row in rows])


@pytest.fixture
def kept(tacit, tmp_path, own_home):
    """Keep two sessions whose ids begin alike, and return their documents by the agent's own ids."""
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[sessions]\nkeep = "turns"\n')
    paths = [str(transcript(tmp_path / "t", id, about)) for id, about in ((FIRST, "till"), (SECOND, "fence"))]
    tacit("sessions", "import", *paths)
    return {one["id"]: one for one in tacit("sessions", "list", "--json").json["sessions"]}


def parts(tacit, kind):
    return tacit("list", "--kind", kind, "--all", "--limit", "100", "--json").json["records"]


def test_the_command_that_recall_prints_opens_the_hit(tacit, kept):
    """A newcomer's trial: the id was cut after 12 letters, which 60 sessions shared."""
    told = [
        line for kind in ((), ("--kind", "turn")) for line in tacit("recall", "till rounded", *kind).out.splitlines()
    ]
    opened = [line.partition("tacit sessions show ")[2].split() for line in told if "tacit sessions show" in line]
    shown = [tacit("sessions", "show", *words) for words in opened]

    assert shown and {0} == {one.code for one in shown}
    assert [words[0] for words in opened] == [one.out.split()[2] for one in shown]
    assert {one["short"] for one in kept.values()} >= {words[0] for words in opened}
    assert any(len(words) == 3 and words[1] == "--turn" for words in opened)


def test_every_screen_calls_a_session_the_same(tacit, kept):
    """A newcomer's trial: three names for one session."""
    short, turn = kept[FIRST]["short"], next(one for one in parts(tacit, "turn") if "till" in one["body"])
    screens = [
        tacit("sessions", "list").out, tacit("timeline").out, tacit("recap", FIRST).out, tacit("why", turn["id"]).out,
        tacit("sessions", "show", FIRST).out.splitlines()[0], tacit("forget", "--session", FIRST, "--dry-run").out,
    ]  # fmt: skip

    assert [True] * 6 == [short in screen for screen in screens]
    assert [False] * 6 == [FIRST in screen for screen in screens]


def test_every_command_takes_every_name(tacit, kept):
    """The short id, its beginning, the record's id, the agent's own id, a turn's and the recap's."""
    one = kept[FIRST]
    turn = next(part for part in parts(tacit, "turn") if "till" in part["body"])
    recap = next(part for part in parts(tacit, "recap") if "till" in part["body"])
    names = [one["short"], one["short"].lower(), one["record"], FIRST, f"claude:{FIRST}", turn["id"], turn["id"][-8:],
             recap["id"], recap["id"][-8:]]  # fmt: skip
    for name in names:
        shown = tacit("sessions", "show", name, "--json").json["id"]
        told = tacit("recap", name, "--json").json["recaps"][0]["id"]
        gone = tacit("forget", "--session", name, "--dry-run", "--json").json["records"][0]["id"]

        assert (FIRST, one["short"], one["record"], 0) == (shown, told, gone, tacit("sessions", "learn", name).code)


def test_a_beginning_that_only_one_session_has_is_a_name(tacit, tmp_path):
    """Of the agent's own id."""
    tacit("sessions", "import", str(made.claude(tmp_path / "t")))
    answers = [tacit(*words, made.CLAUDE_ID[:6]) for words in (("sessions", "show"), ("recap",))]

    assert [0, 0] == [one.code for one in answers]


def test_the_id_of_a_turn_opens_its_place(tacit, kept):
    """A newcomer's trial: `sessions show` of a turn was an error."""
    turn = next(one for one in parts(tacit, "turn") if "the till is rounded" in one["body"])
    shown = tacit("sessions", "show", turn["id"][-8:], "--json").json

    assert 1 == shown["first"] and "the till is rounded" == shown["turns"][2]["text"]
    assert FIRST == shown["id"]


@pytest.mark.parametrize("words", [
    ("sessions", "show"), ("recap",), ("forget", "--dry-run", "--session"), ("sessions", "learn"),
])  # fmt: skip
def test_what_means_no_session_or_several_is_an_error(tacit, kept, words):
    """Exit 3: how many there are and what to do, or where they are listed."""
    several, none = tacit(*words, FIRST[:12]), tacit(*words, "nope")

    assert (3, 3) == (several.code, none.code)
    assert "2 sessions begin with '5e551017-000' here" in several.err and "write more of it" in several.err
    assert "there is no session 'nope' in this project" in none.err and "`tacit sessions list`" in none.err


def test_a_session_that_was_forgotten_is_said_to_be_so(tacit, kept, person):
    """A newcomer's trial: the hint was that an import adds more, which never brings it back."""
    short = tacit("sessions", "show", FIRST, "--json").json["short"]
    person()
    tacit("forget", "--session", FIRST, "--yes")
    answers = [tacit("sessions", "show", name) for name in (FIRST, short, short.lower())]

    assert [3, 3, 3] == [one.code for one in answers]
    assert all("was forgotten" in one.err and "no import brings it back" in one.err for one in answers)


def test_an_id_that_was_typed_is_not_redacted(tacit, kept):
    """A newcomer's trial: "there is no session '[redacted:secret:29eab906]' here"."""
    shorts = ("7EDZPV3W", "Q4X9KZ7M", "3F7HN2WB", "M8VT5R1C", "ZX81QK4D")
    ids = [*shorts, *(str(uuid.UUID(int=number**9, version=4)) for number in range(10_000, 10_010))]
    answers = [tacit("sessions", "show", id) for id in ids] + [tacit("forget", "--session", id) for id in ids]

    assert {3, 4} == {one.code for one in answers}
    assert [True] * 30 == [id in one.err for id, one in zip(ids * 2, answers, strict=True)]


def test_a_secret_that_was_typed_is_redacted(tacit, kept):
    """What has not the form of an id stays a secret."""
    secret = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"

    assert secret not in tacit("sessions", "show", secret).err


def test_the_record_of_a_session_stands_for_the_whole_session(tacit, kept, person, tmp_path):
    """A newcomer's trial: its turns and recap were still found, and the next import brought it back."""
    person()
    short = kept[FIRST]["short"]
    shown = tacit("forget", short, "--dry-run").out.splitlines()
    done = tacit("forget", short, "--yes")
    again = tacit("sessions", "import", str(tmp_path / "t"), "--json").json

    assert ["1 whole session, with 3 turns and 1 recap; no import brings it back", "5 records would go"] == shown[-2:]
    assert (0, "forgot 5 records; this cannot be undone\n") == (done.code, done.out)
    assert (0, 1, 1) == (again["new"], again["unchanged"], again["forgotten"])
    assert not [one for kind in ("turn", "recap") for one in parts(tacit, kind) if "till" in one["body"]]


def test_nothing_to_forget_is_an_error(tacit, kept, person):
    """A newcomer's trial: it asked to confirm that nothing is deleted."""
    person()
    answers = [tacit("forget", "--session", "nope", *more) for more in ((), ("--dry-run",), ("--yes",))]

    assert [3, 3, 3] == [one.code for one in answers]
    assert [""] * 3 == [one.out for one in answers]


def test_a_long_list_is_cut_and_the_count_stands_last(tacit):
    """A newcomer's trial: 300 lines, and the count was gone from the screen when the question came."""
    ids = [tacit("memorize", f"shelf {number} holds {number * 7} nails", "--json").json["id"] for number in range(14)]
    shown = tacit("forget", *ids, "--dry-run").out.splitlines()

    assert ["  and 2 more", "14 records would go"] == shown[-2:] and 14 == len(shown)


def test_a_rule_is_shown_once_and_called_a_rule(tacit):
    """A newcomer's trial: it was called a correction, and its text was shown twice."""
    rule = tacit("remember", "use pnpm instead of npm", "--json").json["record"]
    shown = tacit("forget", rule["id"], "--dry-run").out

    assert [f"  rule {rule['id'][-8:]}: npm → pnpm", "1 record would go"] == shown.splitlines()


def test_the_list_fits_a_narrow_terminal(tacit, tmp_path, monkeypatch):
    """A newcomer's trial: ten lines for each session, and the date was broken."""
    rows = [made.claude_user(1, "round the till 🧾 " * 20)]
    tacit("sessions", "import", str(made.lines(tmp_path / "t" / "s.jsonl", rows)))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("tacit.doors.cli.render.on_terminal", lambda: True)
    head, line = tacit("sessions", "list").out.splitlines()

    assert ["id", "agent", "began", "what"] == head.split()
    assert line.rstrip().endswith("…") and 70 < len(line.rstrip()) <= 80


def test_the_sessions_of_a_draft_are_named_whole(tacit, tmp_path):
    """A newcomer's trial: the id was cut off and useless."""
    for id in ("one", "two"):
        rows = [made.claude_user(1, "ship it")]
        for number, command in enumerate(("make build", "make ship"), 2):
            rows.append(made.claude_says(number, f"m{number}", made.use(f"t{number}", "Bash", command=command)))
            rows.append(made.claude_user(number, [made.gave(f"t{number}", "done")]))
        made.lines(tmp_path / "t" / f"{id}.jsonl", [row | {"sessionId": id} for row in rows])
    tacit("sessions", "import", str(tmp_path / "t"))
    shorts = {one["short"] for one in tacit("sessions", "list", "--json").json["sessions"]}
    told = next(line for line in tacit("sessions", "learn").out.splitlines() if "worked in 2 sessions" in line)

    assert all(short in told for short in shorts) and "session_" not in told
