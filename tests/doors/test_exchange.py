"""Out and in at the command line, and the memory tool over the wire."""

import json

import pytest

from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import IMMUNE, MISSING, PARAMS, reply
from tacit.testing import temporary_memory
from tests.foreign import FORMS, SECRET, made


@pytest.mark.parametrize("form", FORMS)
def test_each_form_answers_with_its_report(form, tacit, tmp_path):
    """A dry run makes no store; then it comes in, once; counts by kind and what was skipped, for both readers."""
    source = str(made(form, tmp_path))
    dry = tacit("import", form, source, "--dry-run", "--json")
    assert "does not exist yet" in tacit("doctor").out
    first, second = (tacit("import", form, source, "--json").json for _ in range(2))

    assert ("tacit.import/1", True) == (dry.json["schema"], dry.json["dry_run"])
    assert (dry.json["written"], form) == (first["written"], first["form"])
    assert ({}, {}) == (second["written"], second["changed"])
    assert "unchanged:" in tacit("import", form, source).out


def test_wrong_sources_have_their_exit_codes(tacit, tmp_path):
    """Not there 3, none of theirs 2; an unknown form names what there is."""
    text = tmp_path / "x.txt"
    text.write_text("x")

    assert 3 == tacit("import", "markdown", str(tmp_path / "none")).code
    assert (2, "usage") == ((bad := tacit("import", "claude-mem", str(text), "--json")).code, bad.json["error"]["code"])
    assert 2 == tacit("import", "mem0", str(text)).code
    assert 0 == tacit("export", "--help").code


def test_exports_answer_and_a_hand_edit_is_a_conflict(tacit, person, tmp_path):
    """Exit 0, a diff for people; exit 6 and the reason when somebody changed what we would write."""
    person()
    tacit("procedure", "record", "Ship it")
    tacit("procedure", "add-step", "ship-it", "make ship")
    first = tacit("export", "skills", "--json")
    page = tmp_path / "work/.agents/skills/ship-it/SKILL.md"
    assert (0, ["ship-it/SKILL.md"]) == (first.code, first.json["written"])
    page.write_text(page.read_text() + "mine")
    again = tacit("export", "skills", "--dir", ".agents/skills")
    assert (6, True) == (again.code, "kept ship-it/SKILL.md" in again.out)
    assert 6 == tacit("export", "skills", "--json").code
    assert "would write" in tacit("export", "skills", "--dir", ".claude/skills", "--dry-run").out
    assert not (tmp_path / "work/.claude").exists()
    assert "nothing to change" in tacit("export", "lessons", "--to", "CLAUDE.md").out
    assert not (tmp_path / "work/CLAUDE.md").exists()
    assert 6 == tacit("export", "mirror", ".").code


def test_without_a_store_nothing_is_taken_away(tacit, tmp_path):
    """A store that is not there says nothing about what is out of use."""
    for words in (["lessons", "--to", "AGENTS.md"], ["skills"], ["learnings", "l"], ["mirror", "m"]):
        answer = tacit("export", *words, "--json")
        assert (3, "not_found") == (answer.code, answer.json["error"]["code"])
    assert [] == list((tmp_path / "work").iterdir())


def test_choosing_by_a_model_says_when_rules_did(tacit):
    """Without a model the notice stands beside the answer."""
    tacit(
        "memdir", "remember", "Port 8443.", "--type", "project", "--name", "Ports", "--description", "port of staging"
    )
    answer = tacit("memdir", "select", "port of staging", "--model", "--json")

    assert (0, "rules", 1) == (answer.code, answer.json["by"], len(answer.json["files"]))
    assert "no language model is configured" in answer.json["notice"]
    assert "no language model" in tacit("memdir", "select", "port of staging", "--model").err


@pytest.fixture
def call(tmp_path):
    """Return `call(method, **params)`: one request, its result or error."""
    with temporary_memory(memdir=str(tmp_path / "memdir")) as memory:
        methods = methods_of(memory)

        def ask(method, **params):
            line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": f"memory_tool.{method}", "params": params}).encode()
            answer = json.loads(reply(methods, line))
            return answer.get("result", answer.get("error"))

        yield ask


def test_the_memory_tool_over_the_wire(call, tmp_path):
    """All six commands, with the texts of the tool, secrets taken out."""
    assert "File created successfully" in call("create", path="/memories/a.md", file_text=f"one\n{SECRET}\n")["text"]
    assert SECRET not in (tmp_path / "memdir/a.md").read_text()
    assert "edited" in call("str_replace", path="/memories/a.md", old_str="one", new_str="two")["text"]
    assert "edited" in call("insert", path="/memories/a.md", insert_line=0, insert_text="zero")["text"]
    assert "     1\tzero" in call("view", path="/memories/a.md", view_range=[1, 1])["text"]
    assert "renamed" in call("rename", old_path="/memories/a.md", new_path="/memories/b.md")["text"]
    assert "b.md" in call("view", path="/memories")["text"]
    assert "deleted" in call("delete", path="/memories/b.md")["text"]
    assert [] == list((tmp_path / "memdir").iterdir())


@pytest.mark.parametrize("path", ["/memories/../x", "/etc/passwd", "/memories/%2e%2e/x", "/memories/a\\..\\x"])
def test_no_path_leaves_the_memory_by_wire(call, path, tmp_path):
    """The same guards as at the other doors; errors have the codes of the wire."""
    before = sorted(tmp_path.iterdir())
    for method, params in (("create", {"file_text": "x"}), ("view", {}), ("delete", {})):
        assert call(method, path=path, **params)["code"] in (PARAMS, MISSING, IMMUNE)
    assert before == sorted(tmp_path.iterdir())
    assert MISSING == call("view", path="/memories/none.md")["code"]
    assert PARAMS == call("create", path="/memories/a.md")["code"]
    assert PARAMS == call("insert", path="/memories/a.md", insert_line="first", insert_text="x")["code"]


def test_asking_before_saving_holds_on_the_wire(tmp_path):
    """Where a person decides what is saved, only `view` works; switched off, nothing does."""
    from tacit.model.settings import MemdirRules

    for settings, view in ({"memdir_rules": MemdirRules(ask=True)}, True), ({"memdir_off": True}, False):
        with temporary_memory(memdir=str(tmp_path / "memdir"), **settings) as memory:
            methods = methods_of(memory)
            answers = [
                json.loads(reply(methods, json.dumps(
                    {"jsonrpc": "2.0", "id": 1, "method": f"memory_tool.{name}", "params": params}
                ).encode()))
                for name, params in (
                    ("create", {"path": "/memories/a.md", "file_text": "x"}), ("view", {"path": "/memories"}),
                )
            ]  # fmt: skip
            assert ["error" in answers[0], "error" in answers[1]] == [True, not view]


def test_an_export_of_nothing_makes_nothing_and_says_why(tacit, person, tmp_path):
    """No empty file, no empty folder; the reason is in the sentence and in the document."""
    person()
    tacit("memorize", "The API listens on port 8080")
    file, folder = tmp_path / "p.jsonl", tmp_path / "out1"
    said = {
        "lesson is promoted": ("lessons", "--out", str(tmp_path / "CLAUDE.md")),
        "no procedures": ("procedures", str(file)),
        "no failures or corrections": ("learnings", str(folder)),
        "no active procedures": ("skills", "--out", str(folder)),
    }
    for words, command in said.items():
        assert (0, True) == ((found := tacit("export", *command)).code, words in found.out)
        assert words in tacit("export", *command, "--json").json["notices"][0]

    assert [] == [one for one in (file, folder, tmp_path / "CLAUDE.md") if one.exists()]


def test_an_import_says_what_came_in_with_less_standing(tacit, person, tmp_path):
    """A person's fact comes in as an import: in the sentence and in the document; a second time nothing does."""
    person()
    tacit("memorize", "The API listens on port 8080")
    out = tmp_path / "all.jsonl"
    tacit("export", "jsonl", "--out", str(out))
    first = tacit("import", "jsonl", str(out), "--store", str(tmp_path / "a.db"))
    document = tacit("import", "jsonl", str(out), "--store", str(tmp_path / "b.db"), "--json").json
    again = tacit("import", "jsonl", str(out), "--store", str(tmp_path / "b.db"), "--json").json

    assert "1 record claimed more trust than an import gets" in first.out
    assert ((1, 0), (0, 0)) == tuple((one["lowered"], one["candidates"]) for one in (document, again))
