"""The command line of skills, personas, teams, the manifest and tasks; and the same over the wire."""

import json

import pytest

from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import reply
from tacit.testing import temporary_memory


def test_each_verb_answers_with_its_document(tacit):
    """Create, show, list, archive and delete of all three; what comes up; what is not there exits 3, twice 6."""
    made = tacit(
        "skill", "add", "Review SQL", "--description", "d", "--activation", "path", "--path", "*.sql", "--json"
    )

    assert ("tacit.skill/1", "review-sql") == (made.json["schema"], made.json["key"])
    assert 6 == tacit("skill", "add", "Review SQL").code
    assert ["review-sql"] == [
        one["key"] for one in tacit("skill", "active", "--path", "a.sql", "--json").json["skills"]
    ]
    assert [] == tacit("skill", "active", "--json").json["skills"]
    assert 0 == tacit("persona", "add", "Ann", "--body", "asks why").code
    assert 0 == tacit("team", "add", "Crew", "--member", "persona:ann", "--member", "bob").code
    for kind, key in (("skill", "review-sql"), ("persona", "ann"), ("team", "crew")):
        assert key == tacit(kind, "show", key, "--json").json["key"]
        assert key in tacit(kind, "list").out
        assert key in tacit(kind, "show", key).out
        assert "archived" == tacit(kind, "archive", key, "--json").json["status"]
        assert [] == tacit(kind, "list", "--json").json[f"{kind}s"]
        assert 1 == len(tacit(kind, "list", "--all", "--json").json[f"{kind}s"])
        assert 0 == tacit(kind, "remove", key).code
        assert 3 == tacit(kind, "show", key).code


def test_manifest_and_task_answer(tacit):
    """One document each, and something for people."""
    tacit("note", "add", "The staging API listens on 8443")
    told = tacit("manifest", "--query", "staging", "--json").json

    assert ("tacit.manifest/1", 1) == (told["schema"], len(told["memories"]))
    assert "8443" in tacit("manifest", "--query", "staging").out
    assert True is tacit("task", "log", "fix-1", "code", "--note", "n", "--json").json["newly_recorded"]
    assert "logged before" in tacit("task", "log", "fix-1", "code").out
    assert ["code"] == [one["phase"] for one in tacit("task", "show", "fix-1", "--json").json["phases"]]
    assert "code" in tacit("task", "show", "fix-1").out
    assert 2 == tacit("task", "log", "fix 1", "code").code


@pytest.fixture
def call():
    """Return `call(method, **params)`: one request, its result or error."""
    with temporary_memory() as memory:
        methods = methods_of(memory)

        def ask(method, **params):
            line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
            answer = json.loads(reply(methods, line))
            return answer.get("result", answer.get("error"))

        yield ask


def test_the_same_over_the_wire(call):
    """manifest.assemble, task.* and the crew, with the words of the table."""
    assert "review" == call("skill.create", name="Review", fields={"activation": "auto"})["key"]
    assert 1 == len(call("skill.list")["skills"])
    assert "Ann" == call("persona.create", name="Ann")["name"]
    assert "archived" == call("persona.archive", id="ann")["status"]
    assert -32002 == call("team.get", id="nope")["code"]
    told = call("manifest.assemble", memory_query="x", record_applied=True, active_persona_ids=["nope"])

    assert ["review"] == [one["key"] for one in told["active_skills"]]
    assert 1 == told["assembly_stats"]["session_section_skips"]
    assert -32602 == call("manifest.assemble", statuses=[])["code"]
    assert [True, False] == [call("task.log_phase", task_id="t", phase="code")["newly_recorded"] for _ in range(2)]
    assert ["code"] == call("task.get_ledger", task_id="t")["phases_logged"]
    assert -32602 == call("task.log_phase", task_id="t", phase="party")["code"]


def test_older_names_go_on_working_unseen(tacit):
    """What was called create, update, delete, recall and remember is found by both names, and only the new is shown."""
    for noun, pairs in {
        "lesson": {"create": "add", "recall": "search"}, "note": {"delete": "remove"}, "memdir": {"remember": "add"},
        "skill": {"create": "add", "update": "edit", "delete": "remove"},
    }.items():  # fmt: skip
        listed = {line.split()[0] for line in tacit(noun, "--help").out.splitlines() if line.startswith("  ")}
        for old, new in pairs.items():
            assert (True, False) == (new in listed, old in listed)
            assert (
                tacit(noun, old, "--help").out.partition("\n\n")[2]
                == tacit(noun, new, "--help").out.partition("\n\n")[2]
            )
