"""What people and programs read: tables that stay whole in a pipe, versions that tell what changed, hints that hold."""

import re
import stat
import sys

import pytest

from tacit.app.open import open_memory

TEXT = "the staging api listens on port 8443"
LONG = "the staging api " + "really " * 40 + "listens"


@pytest.fixture
def terminal(tacit, monkeypatch):
    """Return `terminal(*words)`: the same command line with a terminal of 100 columns for its output."""

    def run(*words):
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "100")
            patch.setattr(sys.stdout, "isatty", lambda: True)
            return tacit(*words)

    return run


# -- tables -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["20", "80"])
def test_a_pipe_gets_every_row_whole_on_one_line(tacit, monkeypatch, columns):
    """Whatever the width of the terminal was, a table in a pipe has one line per row and cuts nothing."""
    monkeypatch.setenv("COLUMNS", columns)
    fact = tacit("memorize", LONG, "--json").json["id"]
    tacit("entity", "add", "service", "api", "--description", LONG)
    tacit("entity", "add", "service", "db")
    tacit("relation", "add", "api", "is_called_very_often_and_at_any_time_of_the_day_by", "db")
    tacit("term", "add", "API", LONG)
    tacit("namespace", "add", "lab", "--description", LONG)

    for words in (["list", "--kind", "fact"], ["history", fact], ["entity", "search", "really"], ["term", "list"]):
        lines = tacit(*words).out.splitlines()
        assert (2, True) == (len(lines), LONG in lines[1]), words
    assert [True] == [LONG in line for line in tacit("namespace", "list").out.splitlines()[1:]]
    assert re.fullmatch(r"api +is_called\w+ +db +1", tacit("relation", "list").out.splitlines()[1])
    graph = tacit("memorize", TEXT, "--entity", "service/api", "--json").json["id"]
    shown = tacit("recall", "port 8443", "--graph").out
    assert graph[-8:] in shown
    assert "api is_called_very_often_and_at_any_time_of_the_day_by db (1)" in shown


def test_a_terminal_gets_the_beginning_of_a_long_text(terminal):
    """On a terminal a long text is cut and folded to the width there is."""
    terminal("memorize", LONG)
    shown = re.sub(r"\x1b\[\d*m", "", terminal("list").out)

    assert LONG[:20] in shown
    assert LONG.split()[-1] not in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_lists_and_histories_show_title_and_text(tacit):
    """A record that has both is shown with both."""
    with open_memory() as memory:
        [note] = memory.add_many([{"kind": "note", "title": "Standup", "body": "Bob fixed the flaky test"}])

    for words in (["list"], ["history", note], ["undo"]):
        assert "Standup: Bob fixed the flaky test" in tacit(*words).out, words


def test_a_history_tells_what_changed_where_the_text_did_not(tacit):
    """Versions of equal text name what else they changed, from what to what; others show their text."""
    fact = tacit("memorize", TEXT, "--importance", "0.5", "--json").json["id"]
    tacit("memorize", TEXT, "--importance", "0.95", "--tag", "network")
    tacit("revise", fact, "--valid-to", "2026-02-01")
    tacit("revise", fact, "--body", "it listens on 9000")
    texts = [line.partition("  agent")[2] for line in tacit("history", fact).out.splitlines()[1:]]

    assert TEXT in texts[0]
    assert "same text; importance 0.5 -> 0.95, tags none -> network" in texts[1]
    assert "same text; valid_to none -> 2026-02-01T00:00:00" in texts[2]
    assert "it listens on 9000" in texts[3]


def test_a_record_is_shown_in_words(tacit):
    """Lists and structures are spelt for people, empty ones left out; a trust of 0 is shown."""
    hidden = tacit(
        "memorize", "the api\u200b is up", "--tag", "network", "--tag", "ops", "--source", "a talk", "--json"
    )
    tagged, bare = tacit("show", hidden.json["id"]).out, tacit("show", tacit("memorize", TEXT, "--json").json["id"]).out

    assert re.search(r"^ +tags  network, ops$", tagged, re.M)
    assert re.search(r"^ +payload  source a talk$", tagged, re.M)
    assert re.search(r"^ +origin  actor agent, ", tagged, re.M)
    assert re.search(r"^ +trust  0$", tagged, re.M)
    assert [] == [line for line in bare.splitlines() if re.search(r"tags|payload  |[\[\](){}']", line)]


# -- backups ----------------------------------------------------------------------------------------------------


def test_a_backup_needs_no_target(tacit, own_home):
    """A fresh home gets its backups folder, for its owner alone; two backups are two files."""
    tacit("memorize", TEXT)
    made = [tacit("backup", "--json") for _ in range(2)]
    folder = own_home / "backups"

    assert [0, 0] == [answer.code for answer in made]
    assert {str(path) for path in folder.iterdir()} == {answer.json["path"] for answer in made}
    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)


def test_a_backup_of_nothing_makes_no_folder(tacit, own_home):
    """Before the first write there is nothing to copy, and no home appears."""
    assert 3 == tacit("backup").code
    assert not own_home.exists()


def test_a_backup_makes_no_folder_that_was_named(tacit, tmp_path, own_home):
    """A named folder that is not there is refused, and so is a default one that cannot be made."""
    tacit("memorize", TEXT)

    assert 1 == tacit("backup", "a/copy.db").code
    assert not (tmp_path / "work" / "a").exists()
    (own_home / "backups").write_text("in the way")
    assert (2, True) == ((refused := tacit("backup")).code, "backups cannot be created" in refused.err)


# -- hints that hold --------------------------------------------------------------------------------------------


def test_the_doctor_says_where_the_list_of_stores_is(tacit, own_home, tmp_path):
    """A known store that is gone comes with the whole path of the file that lists it."""
    tacit("memorize", TEXT, "--store", "other.db")
    (tmp_path / "work" / "other.db").unlink()

    assert f"remove its entry from {own_home / 'stores.json'}" in tacit("doctor").out


def test_a_namespace_that_holds_something_names_ways_that_exist(tacit):
    """The commands of the hint list what is in it and take it out; then the namespace goes."""
    tacit("namespace", "add", "lab")
    fact = tacit("memorize", TEXT, "--namespace", "lab", "--json").json["id"]
    refused = tacit("namespace", "remove", "lab")
    listing, remove = re.findall("`tacit ([^`]+)`", refused.err)

    assert (6, "remove") == (refused.code, remove)
    assert "still contains 1 record\n" in refused.err
    assert fact[-8:] in tacit(*listing.split()).out
    assert (0, 0) == (tacit(remove, fact).code, tacit("namespace", "remove", "lab").code)


def test_an_unknown_command_names_the_nearest(tacit):
    """A slip of the hand is answered with what was probably meant; something else is not."""
    assert "tacit: No such command 'recal'. Did you mean 'recall'?" == tacit("recal", "x").err.splitlines()[0]
    assert "tacit: No such command 'zzzz'." == tacit("zzzz").err.splitlines()[0]
    assert "Did you mean 'add'?" in tacit("entity", "ad").err


def test_the_examples_of_the_help_are_lines_of_their_own(tacit):
    """Each command of the overview can be copied as it stands."""
    lines = [line.partition("tacit ")[2] for line in tacit("--help").out.splitlines() if ":  " in line]

    assert ["init", 'remember "always run make lint before committing"'] == lines


# -- what became of a write -------------------------------------------------------------------------------------


def test_hidden_characters_are_told_when_they_come_in(tacit):
    """Memorizing and revising say that a text is flagged, and why; JSON has it among the notices."""
    said = tacit("memorize", "the api\u200b is up")
    told = tacit("memorize", "the db\u200b is up", "--json").json
    fact = tacit("memorize", TEXT, "--json").json
    revised = tacit("revise", fact["id"], "--body", "the api\u202e is down", "--json").json

    assert "flagged, trust 0: it contains invisible characters (U+200B)" in said.out
    assert [True] == [notice.startswith("flagged") for notice in told["notices"]]
    assert [True] == ["U+202E" in notice for notice in revised["notices"]]
    assert [] == fact["notices"]


def test_a_revision_that_changes_nothing_says_so(tacit):
    """The version stays, and the answer says why."""
    fact = tacit("memorize", TEXT, "--json").json["id"]
    said = tacit("revise", fact, "--body", TEXT)

    assert (0, [f"{fact[-8:]} is at version 1", "nothing changed"]) == (said.code, said.out.splitlines())
    assert ["nothing changed"] == tacit("revise", fact, "--importance", "0.5", "--json").json["notices"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ["list", "--status", "actve"],
            2,
            "'actve' is not a status\n  statuses: active, archived, candidate, complete",
        ),
        (["entity", "add", "", "x"], 2, "an entity needs a kind and a name\n  for example service and staging-api"),
        (["memorize", "x", "--entity", "nokind"], 2, "'nokind' does not name an entity by kind and name"),
        (["namespace", "add", "bad name/!"], 2, "'bad name/!' cannot be the name of a namespace"),
        (["memorize", "x", "--namespace", "bad name"], 2, "'bad name' cannot be the name of a namespace"),
        (
            ["memorize", "x", "--importance", "3"],
            2,
            "Invalid value for '--importance': 3.0 is not in the range 0<=x<=1",
        ),
        (["import", "jsonl", "-"], 2, "the file contains no export; nothing was imported"),
    ],
)
def test_a_refusal_speaks_of_what_was_asked(tacit, words, code, said):
    """What was wrong, with what, and what there is instead."""
    answer = tacit(*words)

    assert (code, True) == (answer.code, answer.err.startswith(f"tacit: {said}")), answer


def test_one_of_a_thing_is_not_many(tacit, person):
    """Counts and their nouns agree."""
    person()
    one = tacit("memorize", TEXT, "--json").json["id"]
    two = [tacit("memorize", text, "--json").json["id"] for text in ("deploys are manual", "lunch is at noon")]

    assert "forgot 1 record; this cannot be undone\n" == tacit("forget", one, "--yes").out
    assert "forgot 2 records; this cannot be undone\n" == tacit("forget", *two, "--yes").out


def test_a_list_names_kinds_leaves_out_what_was_captured_and_has_pages(tacit, work_history):
    """N20: text once, rules called rules, eight letters, `--page`; `--all` shows the rest."""
    assert "rule" in tacit("list").out and "failure" not in tacit("list").out
    assert "failure" in tacit("list", "--all").out
    first, second = (tacit("list", "--limit", "1", "--page", page).out.splitlines() for page in ("1", "2"))
    assert (3, "more: --page 2") == (len(first), first[-1])
    assert first[1] != second[1]
    assert "nothing is kept here yet" in tacit("list", "--page", "99").out
    assert 1 == tacit("list", "--kind", "rule").out.count("always use tabs")
    assert re.match(r"[0-9A-Z]{8}  rule ", tacit("list", "--kind", "rule").out.splitlines()[1])


@pytest.fixture
def work_history(tacit):
    tacit("memorize", TEXT)
    tacit("remember", "always use tabs")
    tacit("learn", "capture", "npm run biuld", "--error", "npm error Missing script", "--exit-code", "1")


def test_every_command_takes_the_letters_that_are_shown(tacit):
    """Short ids are accepted when they are unique: by commands that read, change, settle and remove."""
    fact = tacit("memorize", "the build takes 4 minutes", "--json").json["id"][-8:]
    other = tacit("memorize", "the build takes 9 minutes", "--json").json["id"][-8:]
    note = tacit("note", "add", "Release checklist: tag, build, publish", "--json").json["id"][-8:]

    for words in (
        ("show", fact), ("history", fact), ("why", fact), ("edit", fact, "--importance", "0.8"),
        ("rollback", fact, "1"), ("consolidate", "resolve", other, fact, "--how", "supersede"), ("note", "show", note),
        ("remove", other), ("undo",),
    ):  # fmt: skip
        answer = tacit(*words)
        assert 0 == answer.code, (words, answer.err)
    assert 3 == tacit("show", "ZZZZZZZZ").code


def test_an_export_is_not_poured_over_a_terminal(terminal):
    answer = terminal("export")
    assert (2, True) == (answer.code, "--out memory.jsonl" in answer.err)


def test_an_unknown_word_of_a_group_is_answered_with_its_words(tacit):
    """Whoever exports to a format that does not exist sees which ones do."""
    assert "it is one of jsonl, learnings, lessons" in tacit("export", "foo").err
