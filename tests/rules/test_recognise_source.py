"""What a file or folder is, by its name, its first bytes and what lies in it."""

import pytest
from hypothesis import given, strategies as st

from tacit.exchange.readers.registry import FORMS
from tacit.exchange.rules.recognise_source import JSONL, SourceSample, recognise

ENTITY = b'{"type": "entity", "name": "api", "entityType": "service", "observations": []}\n'
TOPIC = b"---\nname: x\ndescription: y\ntype: feedback\n---\ntext\n"


@pytest.mark.parametrize(
    ("name", "head", "form"),
    [
        *((name, b"- a\n", "instructions") for name in (
            "CLAUDE.md", "AGENTS.md", "GEMINI.md", "copilot-instructions.md", ".cursorrules", "web.mdc",
            "CLAUDE.local.md", "go.instructions.md",
        )),
        ("MEMORY.md", b"- a\n", "memdir"),
        ("notes.md", b"# Notes\n", "markdown"),
        ("notes.txt", b"Notes\n", "markdown"),
        ("api.md", b"---\ntitle: API\npermalink: api\n---\n", "basic-memory"),
        ("memory.json", ENTITY, "mcp-memory"),
        ("memory.jsonl", b'{"type":"relation","from":"a","to":"b","relationType":"calls"}\n', "mcp-memory"),
        ("cut.jsonl", b'{"type": "entity", "entityType": "a", "observations": ["' + b"x" * 70_000, "mcp-memory"),
        ("all.jsonl", b'{"type": "header", "schema": "tacit.export/1", "tenant": "local"}\n', JSONL),
        ("procedures.jsonl", b'{"id": "p", "title": "Ship", "steps": [{"ordinal": 1}]}\n', "terraphim"),
        ("backup.json", b'{"backup_id": "b", "episodes": []}', "self-learning"),
    ],
)  # fmt: skip
def test_files(name, head, form):
    """By name where agents fix it, else by content."""
    assert form == recognise(SourceSample(name, head)).form


@pytest.mark.parametrize(
    ("files", "form"),
    [
        ([".obsidian/", "a.md", "CLAUDE.md"], "obsidian"),
        (["CLAUDE.md", "src/", "src/a.py"], "instructions"),
        ([".cursor/", ".cursor/rules/", ".cursor/rules/a.mdc"], "instructions"),
        ([".github/", ".github/copilot-instructions.md", "README.md"], "instructions"),
        (["a.mdc", "b.mdc"], "instructions"),
        ([".git/", "MEMORY.md", "README.md"], "instructions"),
        (["MEMORY.md", "topic.md"], "memdir"),
        (["claude-mem.db", "logs/"], "claude-mem"),
        (["learning-1.md"], "terraphim"),
        (["procedures.jsonl"], "terraphim"),
        (["lessons/", "memories/", "lessons/active/a.md"], "loop-engine"),
        (["a.md", "deep/b.md"], "markdown"),
    ],
)
def test_folders(files, form):
    """By the names in them."""
    assert form == recognise(SourceSample("x", files=dict.fromkeys(files, b"# A\n"))).form


@pytest.mark.parametrize(
    ("head", "form"),
    [(TOPIC, "memdir"), (b"---\ntitle: A\npermalink: a\n---\n", "basic-memory"),
     (b"---\nid: a\ntrigger: when\n---\n", "instincts"), (b"---\nid: a\n", "markdown")],
)  # fmt: skip
def test_folders_of_pages(head, form):
    """By what their pages begin with."""
    assert form == recognise(SourceSample("x", files={"page.md": head})).form


def test_databases():
    """By their tables; our own store is named, and what to do with it."""
    tables = {
        "claude-mem": {"observations", "session_summaries"},
        "hippocampal": {"facts", "entities", "relations", "glossary"},
        "": {"records", "events", "seals"},
    }

    assert tables.keys() == {recognise(SourceSample("x.db", tables=frozenset(one))).form for one in tables.values()}
    assert None is recognise(SourceSample("x.db", tables=frozenset({"something"})))


@pytest.mark.parametrize(
    "sample",
    [
        SourceSample("x.bin", b"\0\1"), SourceSample("x.md", b"a\0b"), SourceSample("x.json", b'{"a": 1}'),
        SourceSample("x.json", b"[]"), SourceSample("x.py", b"print()"), SourceSample("x", files={}),
        SourceSample("x", files={"a.py": b"", "b/": b""}), SourceSample("x.md", b"  \n"),
    ],
)  # fmt: skip
def test_what_is_nothing_known(sample):
    """Nothing is guessed."""
    assert None is recognise(sample)


def test_copies_for_reading_and_skills_say_what_to_do():
    """They are recognised, and not imported."""
    for files in (
        {"tacit-files.json": b"", "facts.md": b""},
        {"ship/SKILL.md": b"---\nname: ship\n---\n", "ship/": b""},
    ):
        found = recognise(SourceSample("x", files=files))

        assert ("", True, True) == (found.form, bool(found.why), bool(found.hint))


@given(st.text(max_size=20), st.binary(max_size=300))
def test_anything_is_looked_at_without_a_crash(name, head):
    """Whatever the bytes are, the answer is a form that exists, or none."""
    found = recognise(SourceSample(name, head))

    assert found is None or found.form in {*FORMS, JSONL}
