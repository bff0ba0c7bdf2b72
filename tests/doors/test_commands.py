"""Every command: help, one JSON document, something for people, and its exit codes."""

import contextlib
import os
import re
import shutil
import sqlite3
import sys
import unicodedata

import click
import pytest

from tacit.app.memory import Memory
from tacit.app.open import open_memory
from tacit.doors.cli import render
from tacit.doors.cli.command_call import counted
from tacit.doors.cli.main import COMMANDS, LazyGroup, cli
from tacit.exchange.share.folder import mark_folder
from tacit.exchange.share.home import AcceptedFolder, ShareHome
from tests.foreign import ENDINGS, FORMS, made

TEXT = "the staging api listens on port 8443"


def leaves(command, words=()):
    """Give the words of every command there is."""
    if isinstance(command, click.Group):
        context = click.Context(command, help_option_names=["-h", "--help"])
        for name in command.list_commands(context):
            yield from leaves(command.get_command(context, name), (*words, name))
    else:
        yield words


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Make a memory with one of everything, once; gives its home, its folder and what commands need to name."""
    home, work = (tmp_path_factory.mktemp(name) for name in ("prepared-home", "prepared-work"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TACIT_HOME": str(home), "TACIT_EMBEDDER": "off", "USER": "ann"}.items():
            patch.setenv(name, value)
        patch.chdir(work)
        with open_memory() as memory:
            names = tell(memory, work)
        shared = work / "shared"
        shared.mkdir()
        id = mark_folder(shared, "0" * 32)
        # What a person did once at a terminal.
        accepted = AcceptedFolder(id=id, path=str(shared), scopes=("project:demo",), pushes=True)
        ShareHome(home).keep_folder(accepted)
        return home, work, names


def tell(memory, work):
    """Fill a memory with one of everything, and a folder with what leaves it; gives what commands need to name."""
    fact = memory.memorize(TEXT, entity=("service", "api"), tags=["net"])
    memory.memorize(TEXT, importance=0.9)
    other = memory.memorize("the staging api listens on port 9000", entity=("service", "api"))
    memory.entities.add("service", "db", "keeps things")
    memory.relations.add("api", "calls", "db", strength=0.5)
    memory.relations.add("api", "feeds", "db")
    memory.terms.add("SLO", "service level objective", category="ops")
    memory.terms.add("SLA", "service level agreement")
    memory.terms.link("SLA", fact.id)
    memory.namespaces.add("lab", "for trials")
    memory.backup(work / "backup.db")
    (work / "export.jsonl").write_bytes(b"\n".join(memory.export_lines()))
    for form in FORMS:
        made(form, work)
    return {"fact": fact.id, "other": other.id}


@pytest.fixture
def story(tacit, prepared, own_home, tmp_path):
    """Give the test its own copy of that memory."""
    home, work, names = prepared
    shutil.copytree(home, own_home)
    shutil.copytree(work, tmp_path / "work", dirs_exist_ok=True)
    return names


# words of the command -> (its arguments, the schema's thing); names in braces come from the story.
EXAMPLES = {
    "memorize": (["deploys are manual"], "memorize"),
    "remember": (["deploys are always manual"], "remember"),
    "log": ([], "log"),
    "recap": (["--last"], "recap"),
    "timeline": ([], "timeline"),
    "stats": ([], "weekly_stats"),
    "consolidate conflicts": ([], "conflicts"),
    "recall": (["which port does staging use?", "--graph", "--explain"], "recall"),
    "context": (["--guidance"], "context"),
    "consolidate stats": ([], "stats"),
    "consolidate prune": (["--dry-run"], "prune"),
    "consolidate merge": (["--dry-run"], "merge"),
    "consolidate rollback": (["{fact}", "1"], "rollback"),
    "consolidate resolve": (["{other}", "{fact}", "--how", "keep"], "resolve"),
    "list": (["--kind", "fact", "--limit", "1"], "list"),
    "show": (["{fact}"], "record"),
    "why": (["{fact}"], "why"),
    "history": (["{fact}"], "history"),
    "edit": (["{fact}", "--importance", "0.4"], "revise"),
    "rollback": (["{fact}", "1"], "rollback"),
    "undo": ([], "undo"),
    "redact": (["deploys are manual"], "redact"),
    "scan": ([], "scan"),
    "remove": (["{fact}"], "retire"),
    "forget": (["{fact}"], None),
    "entity add": (["file", "main.py"], "entity"),
    "entity show": (["service/api"], "entity"),
    "entity list": (["--kind", "service"], "entities"),
    "entity search": (["keeps"], "entities"),
    "entity remove": (["db"], "entity"),
    "relation add": (["db", "serves", "api"], "relation"),
    "relation list": ([], "relations"),
    "relation remove": (["api", "calls", "db"], "relation"),
    "relation walk": (["api", "--depth", "3"], "walk"),
    "term add": (["RPO", "recovery point objective"], "term"),
    "term show": (["sla"], "term"),
    "term list": (["--category", "ops"], "terms"),
    "term search": (["objective"], "terms"),
    "term link": (["SLO", "{fact}"], "term"),
    "term unlink": (["SLA", "{fact}"], "term"),
    "term remove": (["SLO"], "term"),
    "namespace add": (["net"], "namespace"),
    "namespace list": ([], "namespaces"),
    "namespace show": (["lab"], "namespace"),
    "namespace remove": (["lab"], "namespace"),
    "export jsonl": (["--out", "second.jsonl"], "export"),
    "export lessons": (["--out", "AGENTS.md"], "export"),
    "export skills": ([], "export"),
    "export learnings": (["learnings"], "export"),
    "export procedures": (["procedures.jsonl"], "export"),
    "export mirror": (["mirror"], "export"),
    "import FILE|FOLDER": (["from-markdown", "--dry-run"], "import"),
    "import jsonl": (["export.jsonl"], "import"),
    **{f"import {form}": ([f"from-{form}{ENDINGS.get(form, '')}", "--dry-run"], "import") for form in FORMS},
    "backup": (["second.db"], "backup"),
    "restore": (["backup.db"], None),
    "uninstall": (["--dry-run"], "uninstall"),
    "config get": ([], "config"),
    "config set": (["limits.tags", "5"], "config_set"),
    "config path": ([], "config_path"),
    "scope list": ([], "scopes"),
    "scope move": (["project:a", "project:b"], None),
    "scope merge": (["project:a", "project:b"], None),
    "share init": (["shared"], None),
    "share accept": (["shared"], None),
    "share push": ([], "share_push"),
    "share pull": ([], "share_pull"),
    "share list": ([], "share_folders"),
    "share remove": (["shared"], None),
    "share key export": (["share.key"], None),
    "share key import": (["share.key"], None),
    "migrate": (["backup.db", "copy.db", "--dry-run"], "migrate"),
    "guard": (["git status && ls", "--explain"], "guard"),
    "mcp": (["--list"], "mcp"),
    "status": ([], "status"),
    "doctor": ([], "doctor"),
    "verify": ([], "verify"),
    "audit junk": (["--days", "0"], "audit"),
    "maintain": (["--rebuild"], "maintain"),
    "sync": ([], "sync"),
    "pause": (["--for", "1h"], None),
    "init": ([], "init"),
    "version": ([], "version"),
}
# Measured and told elsewhere; here they only have help.
TRIALS = {"demo", "help", "completion"}
# Groups whose every command has its examples in a module of their own beside this one.
ELSEWHERE = (
    "bench", "procedure", "learn", "sessions", "lexicon", "hook", "connect", "disconnect", "serve", "episode", "lesson",
    "rpc", "memdir", "quarantine", "approve", "mute", "note", "skill", "persona",
    "team", "manifest", "task", "open",
)  # fmt: skip


def test_no_command_is_left_out():
    """The examples below cover every command there is, and the overview lists each with a sentence."""
    assert (set(EXAMPLES) - {"consolidate rollback"}) | TRIALS == {
        " ".join(words) for words in leaves(cli) if words[0] not in ELSEWHERE
    }
    assert isinstance(cli, LazyGroup)
    assert all(line.endswith(".") for _module, line in COMMANDS.values())


def test_a_command_that_asks_one_question_starts_one_thread(tacit, monkeypatch):
    """A thread per core costs more than the search; a command that runs programs of the user sets nothing for them."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    tacit("status")
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    tacit("recall", "port")

    assert (None, "1") == (before, os.environ["OPENBLAS_NUM_THREADS"])


def test_every_command_has_help(tacit):
    """`--help` works on every group and command, names its usage and arguments, and ends well."""
    paths = {words[:depth] for words in leaves(cli) for depth in range(len(words) + 1)}
    for words in sorted(paths):
        answer = tacit(*words, "--help")

        assert (0, "") == (answer.code, answer.err), words
        assert f"Usage: {' '.join(('tacit', *words))}" in answer.out
        assert not re.search(r"[A-Z]_\b", answer.out), "an argument has the name of a variable"
        cut = [line for line in answer.out.splitlines() if line.endswith("...") and "Usage:" not in line]
        assert [] == [line for line in cut if not line.strip().endswith(("]...", "}..."))], "a line is cut"
    assert all(name in tacit("help", "--all").out for name in COMMANDS)


def spelled(words, story):
    return [word.format(**story) for word in words]


@pytest.mark.parametrize("command", sorted(EXAMPLES))
def test_every_command_answers_with_one_document(tacit, story, command):
    """With --json there is exactly one document on stdout, of the command's schema, and nothing on stderr."""
    words, thing = EXAMPLES[command]
    answer = tacit(*command.split(), *spelled(words, story), "--json")

    if thing is None:
        assert (4, "person_needed") == (answer.code, answer.json["error"]["code"])
        assert {"code", "message", "hint"} <= set(answer.json["error"])
    else:
        assert (0, f"tacit.{thing}/1") == (answer.code, answer.json["schema"]), answer
    assert "" == answer.err
    assert 1 == answer.out.count("\n")


@pytest.mark.parametrize("command", sorted(EXAMPLES))
def test_every_command_speaks_to_people(tacit, story, command):
    """Without --json there is text, not JSON, and no markup or control characters in it."""
    words, thing = EXAMPLES[command]
    answer = tacit(*command.split(), *spelled(words, story))
    said = answer.out if thing else answer.err

    assert (0 if thing else 4) == answer.code
    assert said.strip()
    assert not said.startswith("{")
    assert "\x1b" not in said


HOSTILE = (
    "evil \x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 "
    "\u202edesrever\u2066 \x08\x7f\x9b31m [bold]markup[/bold]"
)


def test_text_from_memory_cannot_reach_the_terminal(tacit):
    """Escape sequences, links and reordering in any stored field are shown as escapes by every reading command."""
    fact = tacit(
        "memorize",
        f"{HOSTILE} staging",
        "--entity",
        f"{HOSTILE}/{HOSTILE}",
        "--tag",
        HOSTILE,
        "--source",
        HOSTILE,
        "--json",
    ).json
    tacit("memorize", f"{HOSTILE} staging", "--importance", "0.9")
    tacit("entity", "add", "service", "other")
    tacit("entity", "add", "service", "named \u202eother", "--description", HOSTILE)
    tacit("relation", "add", fact["entity"], "\u202edesrever\u2066 [bold]calls[/bold]", "service/other")
    tacit("term", "add", HOSTILE, HOSTILE, "--category", HOSTILE)
    tacit("term", "link", HOSTILE, fact["id"])
    tacit("namespace", "add", "lab\u202e", "--description", HOSTILE)
    id = fact["id"]
    commands = [
        ["recall", "evil staging", "--graph", "--explain", "--include-body"],
        ["context"],
        ["list"],
        ["show", id],
        ["history", id],
        ["entity", "show", fact["entity"]],
        ["entity", "list"],
        ["entity", "search", "evil"],
        ["relation", "list"],
        ["relation", "walk", fact["entity"]],
        ["term", "show", HOSTILE],
        ["term", "list"],
        ["term", "search", "evil"],
        ["namespace", "list"],
        ["namespace", "show", "lab\u202e"],
        ["consolidate", "stats"],
        ["status"],
        ["doctor"],
        ["show", HOSTILE],
        ["entity", "show", HOSTILE],
        ["recall", "x", "--mode", HOSTILE],
        [HOSTILE],
        ["list", f"--{HOSTILE}"],
        ["retire", id],
        ["undo"],
    ]
    for words in commands:
        answer = tacit(*words)
        shown = (answer.out + answer.err).replace("\n", "")

        assert shown or words == ["context"], words
        assert [] == [char for char in shown if unicodedata.category(char) in ("Cc", "Cf")], words
    assert "[bold]markup[/bold]" in tacit("recall", "evil staging").out


def test_errors_have_their_exit_codes_and_one_shape(tacit, story):
    """Usage 2, not found 3, refused 4, conflict 6; with --json a document, without it a sentence on stderr."""
    tacit("memorize", "x y z", "--namespace", "lab")
    for words, code, name in [
        (["bogus"], 2, "usage"),
        (["recall"], 2, "usage"),
        (["recall", "x", "--limit", "0"], 2, "usage"),
        (["recall", "x", "--since", "soon"], 2, "usage"),
        (["recall", "x", "--scope", "everything"], 2, "usage"),
        (["recall", "x", "--bogus"], 2, "usage"),
        (["memorize", ""], 2, "usage"),
        (["memorize", "x", "--entity", "nokind"], 2, "usage"),
        (["list", "--after", "junk"], 2, "usage"),
        (["list", "--kind", "zzz"], 2, "usage"),
        (["pause", "--for", "soon"], 2, "usage"),
        (["import", "jsonl", "missing.jsonl"], 2, "usage"),
        (["status", "--store", "mysql://x"], 2, "usage"),
        (["status", "--store", "postgresql://127.0.0.1:1/x"], 1, "store_unreachable"),
        (["show", "fact_nope"], 3, "not_found"),
        (["show", "\udcff"], 3, "not_found"),
        (["history", "\udcff"], 3, "not_found"),
        (["forget", "\udcff", "--dry-run"], 3, "not_found"),
        (["forget", "\udcff"], 4, "person_needed"),
        (["entity", "show", "\udcff"], 3, "not_found"),
        (["term", "show", "nope"], 3, "not_found"),
        (["relation", "remove", "api", "eats", "db"], 3, "not_found"),
        (["namespace", "show", "nope"], 3, "not_found"),
        (["rollback", story["fact"], "99"], 3, "not_found"),
        (["memorize", "x", "--importance", "2"], 2, "usage"),
        (["memorize", "\udcff"], 4, "not_admitted"),
        (["pause"], 4, "person_needed"),
        (["restore", "backup.db"], 4, "person_needed"),
        (["namespace", "remove", "lab"], 6, "conflict"),
        (["export", "jsonl", "--out", "export.jsonl"], 6, "conflict"),
        (["backup", "backup.db"], 6, "conflict"),
        (["status", "--store", "export.jsonl"], 1, "store_damaged"),
    ]:
        document, sentence = tacit(*words, "--json"), tacit(*words)

        assert (code, name) == (document.code, document.json["error"]["code"]), (words, document)
        assert {"code", "message", "hint"} <= set(document.json["error"])
        assert code == sentence.code
        assert sentence.err.startswith("tacit: "), sentence
        assert "unexpected" not in sentence.err
        assert "Traceback" not in sentence.err


def test_an_export_is_lines_or_a_file(tacit, tmp_path):
    """Without a file the lines go to stdout; asking for one document of them is a usage error; a bad path is named."""
    tacit("memorize", TEXT)
    lines = tacit("export", "jsonl")
    (tmp_path / "work" / "file").touch()

    assert (0, 3) == (lines.code, lines.out.count('"type":'))
    assert (2, "usage") == ((asked := tacit("export", "jsonl", "--json")).code, asked.json["error"]["code"])
    assert (3, "not_found") == ((bad := tacit("export", "--out", "file/x", "--json")).code, bad.json["error"]["code"])
    assert lines.out == (tmp_path / "work" / tacit("export", "--out", "x", "--json").json["path"]).read_text()


def test_an_export_makes_no_folders(tacit, tmp_path):
    """A folder that is not there is an error that names it, and stays away."""
    tacit("memorize", TEXT)
    refused = tacit("export", "--out", "a/b/c.jsonl")

    assert (3, True) == (refused.code, "no folder a/b;" in refused.err)
    assert not (tmp_path / "work" / "a").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["relation", "add", "a"], "Missing argument 'RELATION'."),
        (["relation", "remove", "a"], "Missing argument 'RELATION'."),
        (["import", "markdown"], "Missing argument 'PATH'."),
        (["consolidate", "resolve", "a", "b"], "Missing option '--how'. Choose from: supersede, keep, discard"),
    ],
)
def test_a_wrong_call_is_named_in_one_readable_line(tacit, words, sentence):
    """Errors of the parser name things as the help does and hold no escapes, for people and for programs."""
    assert f"tacit: {sentence}" == tacit(*words).err.splitlines()[0]
    assert sentence == tacit(*words, "--json").json["error"]["message"]


def test_undo_says_what_it_took_back(tacit):
    """The type of the write and the beginning of each text, also where only a link was made; JSON names the same."""
    long = "the staging api " + "really " * 20
    kept = tacit("memorize", long, "--json").json["id"]
    tacit("entity", "add", "service", "api")
    tacit("entity", "add", "service", "db")
    tacit("relation", "add", "api", "calls", "db")
    shown = [tacit("undo").out.splitlines() for _ in range(3)]
    document = tacit("undo", "--json").json

    assert ["undone: relation.added", "undone: entity.added"] == [lines[0].partition(" (")[0] for lines in shown[:2]]
    assert [["api", "db"], ["db"], ["api"]] == [[line.partition(": ")[2] for line in lines[1:]] for lines in shown]
    assert ("fact.memorized", [kept]) == (document["type"], document["ids"])
    assert [long] == [record["body"] for record in document["records"]]
    tacit("memorize", long)

    assert f"{long[:79]}…" == tacit("undo").out.splitlines()[1].partition(": ")[2]


def test_undo_of_many_shows_some(tacit):
    """After twenty records the rest is a number."""
    with open_memory() as memory:
        memory.add_many([{"kind": "note", "body": f"note {n}"} for n in range(25)])
    lines = tacit("undo").out.splitlines()

    assert (22, "  and 5 more") == (len(lines), lines[-1])


def test_revise_names_what_it_contradicts(tacit, story):
    """New words that contradict another fact are told with the way to settle it."""
    kept = tacit("memorize", "the build takes 4 minutes", "--json").json["id"]
    other = tacit("memorize", "the build is slow", "--json").json["id"]
    said = tacit("revise", other, "--body", "the build takes 9 minutes").out
    document = tacit("revise", other, "--body", "the build takes 8 minutes", "--json").json

    line = f"tacit consolidate resolve {other[-8:]} {kept[-8:]} --how"
    assert f"contradicts {kept[-8:]} (number: 4 / 9)" in said
    assert [f"{line} {how}" for how in ("supersede", "keep", "discard")] == [
        line.strip() for line in said.splitlines() if line.strip().startswith("tacit ")
    ]
    assert [(other, kept)] == [(pair["id"], pair["other"]) for pair in document["conflicts"]]


def test_both_rollbacks_are_one_command(tacit, story):
    """`rollback` and `consolidate rollback` do and say the same."""
    first = tacit("rollback", story["fact"], "1").out
    tacit("undo")
    second = tacit("consolidate", "rollback", story["fact"], "1").out

    assert first.replace("at version 3", "at version 5") == second
    assert "at version 3" in first


def test_lists_say_what_things_are(tacit, story):
    """Entities are listed with their kind, terms with their definition; pages say how to go on."""
    entities, terms = tacit("entity", "list").out, tacit("term", "list").out

    assert re.search(r"\b[0-9A-Z]{8} +service +db +keeps things", entities)
    assert re.search(r"\b[0-9A-Z]{8} +ops +SLO +service level objective", terms)
    assert "more: --after" in tacit("entity", "list", "--limit", "1").out
    assert re.search("SLO +service level", tacit("term", "search", "objective").out)


def test_a_budget_too_small_for_any_fact_is_told(tacit):
    """The block is empty and a sentence beside it says why; with nothing to show there is nothing to say."""
    empty = tacit("context", "--budget", "1")
    tacit("memorize", TEXT)
    small, enough = tacit("context", "--budget", "5"), tacit("context")

    assert (0, "", "") == (empty.code, empty.out, empty.err)
    assert (0, "") == (small.code, small.out)
    assert small.err.startswith("tacit: no fact fits into 5 tokens")
    assert (True, "") == (TEXT in enough.out, enough.err)


def test_without_a_command_there_is_help(tacit, monkeypatch):
    """A group alone shows what there is, readably, as a usage error."""
    monkeypatch.setattr("tests.doors.conftest._Stdin.isatty", lambda _self: True)
    for words in (["consolidate"], ["entity"]):
        answer = tacit(*words)

        assert (2, "") == (answer.code, answer.out)
        assert answer.err.startswith("Usage: tacit")
        assert len(answer.err.splitlines()) > 5


def test_reading_before_the_first_write_makes_no_file(tacit, own_home):
    """Every command that needs something to be there answers empty, or not found, and leaves no store and no home."""
    for words, code in [
        (["recall", "x"], 0),
        (["context"], 0),
        (["consolidate", "stats"], 0),
        (["consolidate", "prune", "--dry-run"], 0),
        (["consolidate", "merge", "--dry-run"], 0),
        (["list"], 0),
        (["entity", "list"], 0),
        (["entity", "search", "x"], 0),
        (["relation", "list"], 0),
        (["term", "list"], 0),
        (["term", "search", "x"], 0),
        (["namespace", "list"], 0),
        (["export", "jsonl"], 0),
        (["status"], 0),
        (["doctor"], 0),
        (["verify"], 0),
        (["show", "fact_x"], 3),
        (["history", "fact_x"], 3),
        (["entity", "show", "x"], 3),
        (["term", "show", "x"], 3),
        (["namespace", "show", "x"], 3),
        (["undo"], 3),
        (["retire", "fact_x"], 3),
        (["forget", "fact_x", "--dry-run"], 3),
        (["rollback", "fact_x", "1"], 3),
        (["revise", "fact_x", "--title", "x"], 3),
        (["consolidate", "prune"], 0),
        (["consolidate", "merge"], 0),
        (["consolidate", "rollback", "fact_x", "1"], 3),
        (["consolidate", "resolve", "fact_x", "fact_y", "--how", "keep"], 3),
        (["entity", "remove", "x"], 3),
        (["relation", "remove", "x", "calls", "y"], 3),
        (["term", "remove", "x"], 3),
        (["term", "link", "x", "fact_x"], 3),
        (["term", "unlink", "x", "fact_x"], 3),
        (["namespace", "remove", "x"], 3),
        (["backup", "copy.db"], 3),
        (["maintain"], 0),
    ]:
        assert code == tacit(*words).code, words
    assert not own_home.exists()


def test_a_known_store_that_is_gone_is_named(tacit, own_home):
    """Reading and writing fail with the store's error; doctor exits 1 with the finding; no empty store appears."""
    tacit("memorize", TEXT)
    (own_home / "memory.db").rename(own_home / "elsewhere.db")

    assert (1, "store_missing") == ((answer := tacit("recall", "x", "--json")).code, answer.json["error"]["code"])
    assert "store_missing" == tacit("memorize", "x", "--json").json["error"]["code"]
    doctor = tacit("doctor", "--json")
    assert (1, False) == (doctor.code, doctor.json["ok"])
    assert not (own_home / "memory.db").exists()


def test_a_dash_reads_standard_input(tacit):
    """`-` stands for what is piped in: a fact, a query, a new body, an export; bytes that are no text are refused."""
    kept = tacit("memorize", "-", "--json", stdin="  Zürich is the capital of naught\n".encode()).json
    assert "  Zürich is the capital of naught\n" == kept["fact"]["body"]
    assert 1 == len(tacit("recall", "-", "--json", stdin=b"capital of naught").json["hits"])
    assert "new" == tacit("revise", kept["id"], "--body", "-", "--json", stdin=b"new").json["record"]["body"]
    exported = tacit("export", "jsonl").out.encode()
    again = tacit("import", "jsonl", "-", "--json", stdin=exported).json
    refused = tacit("memorize", "-", "--json", stdin=b"\xff")

    assert (0, 1) == (again["records"], again["skipped"])
    assert (2, "usage") == (refused.code, refused.json["error"]["code"])


def test_an_agent_gets_at_most_twenty_hits(tacit):
    """Whatever an agent asks for, its door gives no more than twenty."""
    for number in range(25):
        tacit("memorize", f"staging host number {number} has rack {number * 7}")

    assert 20 == len(tacit("recall", "staging host", "--limit", "100", "--json").json["hits"])
    assert 3 == len(tacit("recall", "staging host", "--limit", "3", "--json").json["hits"])


def test_long_texts_are_shortened_unless_asked_for(tacit):
    """Recall shows the beginning of a long body; --include-body shows all of it."""
    body = "staging " + "word " * 200
    tacit("memorize", body)
    short, whole = (
        tacit("recall", "staging", "--json", *more).json["hits"][0]["record"]["body"]
        for more in ([], ["--include-body"])
    )

    assert (241, True) == (len(short), short.endswith("…"))
    assert body == whole


def test_import_conflicts_exit_6_and_verify_exits_5(tacit, own_home):
    """A conflicting import writes nothing; a store that was tampered with fails its verification."""
    tacit("memorize", TEXT)
    exported = tacit("export", "jsonl").out
    changed = exported.replace("port 8443", "port 1")
    conflict = tacit("import", "jsonl", "-", "--json", stdin=changed.encode())
    malformed = tacit("import", "jsonl", "-", "--json", stdin=b'{"type": "header", "schema": "tacit.export/1"}\njunk')
    assert (6, "conflict") == (conflict.code, conflict.json["error"]["code"])
    assert re.match("fact_", conflict.json["error"]["details"]["ids"][0])
    assert (2, True) == (malformed.code, "line 2" in malformed.json["error"]["message"])
    assert TEXT == tacit("recall", "staging", "--json").json["hits"][0]["record"]["body"]
    db = sqlite3.connect(own_home / "memory.db")
    db.execute("UPDATE records SET body = 'changed'")
    db.commit()
    db.close()
    verified = tacit("verify", "--json")
    assert (5, False, "tacit.verify/1") == (verified.code, verified.json["ok"], verified.json["schema"])
    assert (5, 1) == (tacit("verify").code, tacit("doctor").code)


def test_settings_errors_and_notices_reach_the_caller(tacit, own_home, tmp_path, monkeypatch):
    """A broken config.toml is exit 2; what a project's file may not set is told on stderr beside the answer."""
    own_home.mkdir()
    (own_home / "config.toml").write_text("colour = 'red'")
    broken = tacit("recall", "x", "--json")
    assert (2, "config") == (broken.code, broken.json["error"]["code"])
    (own_home / "config.toml").unlink()
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / ".tacit.toml").write_text("store = '/evil'")
    noticed = tacit("recall", "x", "--json")
    assert (0, "tacit: ignored: .tacit.toml may not set store\n") == (noticed.code, noticed.err)
    assert "tacit.recall/1" == noticed.json["schema"]
    monkeypatch.setenv("TACIT_LOG", "loud")
    assert (2, "usage") == ((answer := tacit("status", "--json")).code, answer.json["error"]["code"])


def test_switched_off_writing_is_refused_and_reading_is_empty(tacit, monkeypatch):
    """TACIT_OFF: memorize exits 4, recall and context are empty and say why, status warns."""
    tacit("memorize", TEXT)
    monkeypatch.setenv("TACIT_OFF", "1")
    refused = tacit("memorize", "x", "--json")

    assert (4, "switched_off") == (refused.code, refused.json["error"]["code"])
    assert ([], ["tacit is off here: TACIT_OFF is set"]) == tuple(
        tacit("recall", "staging", "--json").json[k] for k in ("hits", "notices")
    )
    assert (0, "") == (tacit("context").code, tacit("context").out)
    assert "TACIT_OFF" in tacit("status").out


def test_an_unexpected_error_is_one_sentence(tacit, monkeypatch):
    """Whatever goes wrong ends as a sentence or a document, never as a traceback; an interrupt exits 130."""

    def fail(error):
        def method(*_args, **_kwargs):
            raise error

        return method

    tacit("consolidate", "stats")  # the command is made from the verb when it is first used
    monkeypatch.setattr(Memory, "stats", fail(RuntimeError("a\nb")))
    broken = tacit("consolidate", "stats")
    assert (1, "") == (broken.code, broken.out)
    assert "RuntimeError: a\\nb" in broken.err
    assert "failure" == tacit("consolidate", "stats", "--json").json["error"]["code"]
    monkeypatch.setattr(Memory, "stats", fail(KeyboardInterrupt()))
    assert (130, "interrupted") == (
        (answer := tacit("consolidate", "stats", "--json")).code,
        answer.json["error"]["code"],
    )


WATCHED = [
    ("importing", ["import", "jsonl", "export.jsonl"]),
    ("exporting", ["export", "--out", "second.jsonl"]),
    ("verifying", ["verify"]),
    ("examining", ["doctor"]),
    ("copying", ["backup", "second.db"]),
    ("restoring", ["restore", "backup.db"]),
    ("embedding", ["maintain"]),
    ("comparing", ["consolidate", "merge"]),
]


@pytest.mark.parametrize(("what", "words"), WATCHED, ids=[what for what, _words in WATCHED])
def test_what_takes_long_shows_a_bar_on_a_terminal_only(tacit, story, monkeypatch, what, words):
    """On a terminal there is a bar; piped, or as a document, there is nothing."""
    shown = []
    monkeypatch.setattr(render, "bar", lambda what: contextlib.nullcontext(shown.append(what)))
    tacit(*words, "--json")
    assert [] == shown
    with monkeypatch.context() as terminal:
        terminal.setattr(sys.stderr, "isatty", lambda: True)
        tacit(*(word.replace("second", "third") for word in words))

    assert [what] == shown


def test_a_bar_counts_where_nobody_knows_the_total(capsys):
    """Every hundredth item is told to the bar, with no total; without a bar nothing is told."""
    steps = []

    assert list(range(250)) == list(counted(range(250), lambda done, total: steps.append((done, total))))
    assert [(100, 0), (200, 0)] == steps
    assert [1, 2] == list(counted([1, 2], None))
    with render.bar("importing") as step:
        step(100, 0)
        step(3, 10)
    assert "" == capsys.readouterr().out
