"""Sources that mean harm or are broken: every reader ends, says what it left, follows no link and runs nothing."""

import json
import os
import sqlite3

import pytest
from hypothesis import given, strategies as st

from tacit.errors import NotFound, StoreBusy, TacitError, UsageError
from tacit.exchange.readers.import_batch import ImportBatch
from tacit.exchange.readers.registry import FORMS, read_source
from tacit.exchange.readers.untrusted_files import MOST_FILE_BYTES, parted
from tests.foreign import ENDINGS, made, write

FOLDERS = ("terraphim", "loop-engine", "instincts", "markdown", "memdir", "basic-memory", "obsidian")
FILES = ("self-learning", "mcp-memory")
DATABASES = ("hippocampal", "claude-mem")
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
TOPS = {
    "bomb": f"---\n{BOMB}---\ntext\n",
    "tag": "---\nid: !!python/object/apply:os.system ['touch ran']\n---\ntext\n",
    "twice": "---\nid: x\nid: y\ntrigger: t\n---\ntext\n",
    "endless": "---\nid: x\ntrigger: t\n",
    "list": "---\n- a\n---\ntext\n",
    "deep": f"---\nid: {'[' * 200}{']' * 200}\n---\ntext\n",
    "no-text": "---\nid: {a: 1}\ntrigger: [1]\ncommand: 7\n---\n",
}
PLACES = {
    "terraphim": "learning-{}.md", "loop-engine": "lessons/active/{}.md", "instincts": "{}.md", "markdown": "{}.md",
    "memdir": "{}.md", "basic-memory": "{}.md", "obsidian": "{}.md",
}  # fmt: skip


@pytest.mark.parametrize("form", FOLDERS)
def test_wrong_front_matter_is_left_and_the_rest_is_read(form, tmp_path, monkeypatch):
    """Bombs, tags, keys twice, no end, no mapping, too deep: each is one line of the report; good ones come along."""
    monkeypatch.chdir(tmp_path)
    source = made(form, tmp_path)
    good = len(read_source(form, source).items)
    for name, text in TOPS.items():
        write(source / PLACES[form].format(name), text)
    batch = read_source(form, source)
    named = {one.what for one in batch.skipped}

    assert good <= len(batch.items) <= good + 2
    for name in ("bomb", "tag", "list", "deep"):
        assert PLACES[form].format(name) in named, name
    assert all(one.why for one in batch.skipped)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("form", FOLDERS)
def test_links_binaries_giants_and_what_is_no_file(form, tmp_path, figures):
    """A link out of the folder, one to a folder, a pipe, bytes, a sparse giant and no UTF-8: none is read."""
    source = made(form, tmp_path)
    good = len(read_source(form, source).items)
    outside = write(tmp_path / "outside/secret.md", "---\nid: s\ntrigger: t\ncommand: c\n---\nsecret\n")
    place = (source / PLACES[form].format("x")).parent
    place.mkdir(parents=True, exist_ok=True)
    (place / "linked.md").symlink_to(outside)
    (place / "folder.md").mkdir()
    (source / "linked-folder").symlink_to(outside.parent, target_is_directory=True)
    os.mkfifo(place / "pipe.md")
    (place / "bytes.md").write_bytes(b"---\nid: b\n---\n\0\1\2")
    (place / "latin.md").write_bytes(b"---\nid: l\n---\ncaf\xe9\n")
    with (place / "sparse.md").open("wb") as giant:
        giant.truncate(100 * 1024 * 1024)
    batch = read_source(form, source)
    left = {one.what.rpartition("/")[2]: one.why for one in batch.skipped}

    assert good == len(batch.items)
    assert {"linked.md", "pipe.md", "bytes.md", "latin.md", "sparse.md", "linked-folder"} <= set(left)
    assert "secret" not in str(batch.items)
    figures("hostile files left", len(left))


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("content", [b"\0\1\2", b"\xff\xfe", b"not json\n[1]\n", b"", b"[]", b'{"a": 1}', b"[" * 5_000])
def test_a_file_that_is_none_of_theirs(form, content, tmp_path):
    """Binary, empty or of another shape: a usage error, or lines that are left; never a crash and never an item."""
    path = tmp_path / "x.json"
    path.write_bytes(content)
    try:
        batch = read_source(form, path)
    except UsageError as error:
        assert error.hint
    else:
        assert [] == batch.items


@pytest.mark.parametrize("form", FILES)
def test_giants_pipes_and_folders_are_refused(form, tmp_path):
    """By size before they are read, and without waiting for a writer."""
    giant = tmp_path / "giant.json"
    with giant.open("wb") as file:
        file.truncate(MOST_FILE_BYTES + 1)
    os.mkfifo(tmp_path / "pipe")
    for path in (giant, tmp_path / "pipe", tmp_path):
        with pytest.raises(UsageError):
            read_source(form, path)


@pytest.mark.parametrize("form", ["self-learning", "mcp-memory"])
def test_wrong_types_cost_only_themselves(form, tmp_path):
    """Numbers for names, texts for lists, NaN, surrogates: left or read as nothing."""
    wrong = [7, None, [], {"type": "entity", "name": 5}, {"type": "entity", "name": "\ud800 half", "observations": "x"},
             {"type": "relation", "from": {}, "to": []}, {"type": "colour"}]  # fmt: skip
    path = made(form, tmp_path)
    if form == "mcp-memory":
        before = len(read_source(form, path).items)
        path.write_text(path.read_text() + "\n".join(json.dumps(one) for one in wrong) + '\n{"type": NaN}\n')
        batch = read_source(form, path)
        assert before + 1 == len(batch.items)
        assert len(wrong) <= len(batch.skipped) - 1
    else:
        episode = {"episode_id": "e", "task_description": "t", "steps": [1, {"tool": 5}], "outcome": [1], "context": 3,
                   "tags": {"a": 1}, "start_time": 1e400, "reward": "high"}  # fmt: skip
        path.write_text(json.dumps({"episodes": [episode, *wrong], "patterns": {"a": 1}, "heuristics": wrong}))
        batch = read_source(form, path)
        assert ["e"] == [item.id for item in batch.items]


@pytest.mark.parametrize("form", DATABASES)
def test_databases_that_are_none(form, tmp_path):
    """No SQLite, encrypted, cut off, of another program, a folder: one sentence each."""
    good = made(form, tmp_path)
    bad = {
        "text.db": b"hello", "encrypted.db": os.urandom(8_192), "empty.db": b"",
        "cut.db": good.read_bytes()[:3_000], "scrambled.db": good.read_bytes()[:16] + os.urandom(8_000),
    }  # fmt: skip
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE something(x)")
    other.close()
    for name in (*bad, "other.db"):
        with pytest.raises(UsageError) as refused:
            read_source(form, tmp_path / name)
        assert refused.value.hint
    with pytest.raises((UsageError, NotFound)):
        read_source(form, tmp_path)


@pytest.mark.parametrize("form", DATABASES)
def test_a_locked_database_is_said_to_be_in_use(form, tmp_path):
    """Nothing is waited for beyond a second; or what is written there already is read."""
    path = made(form, tmp_path)
    holder = sqlite3.connect(path, isolation_level=None)
    try:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("CREATE TABLE more(x)")
        try:
            assert read_source(form, path).items
        except StoreBusy as busy:
            assert "close" in busy.hint
    finally:
        holder.close()


@pytest.mark.parametrize("form", DATABASES)
def test_reading_a_database_changes_nothing(form, tmp_path):
    """Its bytes and the files beside it are as before."""
    path = made(form, tmp_path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()}
    read_source(form, path)

    assert before == {one.name: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()}


@pytest.mark.parametrize("form", DATABASES)
def test_columns_of_the_wrong_type(form, tmp_path):
    """Blobs, numbers and nulls where texts belong cost only their row."""
    path = made(form, tmp_path)
    good = len(read_source(form, path).items)
    with sqlite3.connect(path) as db:
        if form == "hippocampal":
            db.execute("INSERT INTO facts(id, content, importance) VALUES(x'00ff', 5, 'much'), ('f9', 'Ok', 'much')")
        else:
            db.execute("INSERT INTO observations(id, title, narrative) VALUES(9, x'ff', x'fe'), (10, 'Ok', 'Ok')")
    db.close()

    assert good + 1 == len(read_source(form, path).items)


@pytest.mark.parametrize("form", FORMS)
def test_one_id_twice_is_one_item(form, tmp_path):
    """The first counts; the second is left with the reason."""
    batch = read_source(form, made(form, tmp_path))
    batch.add(batch.items[0])

    assert "came before" in batch.skipped[-1].why
    assert len(batch.items) == len({(item.kind, item.id) for item in batch.items})


@pytest.mark.parametrize("form", FORMS)
def test_another_kind_of_place(form, tmp_path):
    """A file for a folder, or a folder for a file, is a usage error, unless the form reads both."""
    wrong = tmp_path / "wrong" if form in ENDINGS else write(tmp_path / "wrong.txt", "x")
    if form in ENDINGS:
        wrong.mkdir()
    if form == "terraphim":
        assert [] == read_source(form, wrong).items
    elif form in ("markdown", "instructions", "memdir", "basic-memory"):
        assert read_source(form, wrong).items
    else:
        with pytest.raises(TacitError):
            read_source(form, wrong)


@given(st.text(max_size=300))
def test_any_text_is_parted_without_a_crash(text):
    """Whatever the top is, there is an answer, and without a top all is body."""
    found = parted(text, "x")

    assert isinstance(found.top, dict)
    if not text.startswith("---"):
        assert ({}, text, "") == (found.top, found.body, found.wrong)


def test_there_is_an_end_to_what_is_named():
    """Of a million skipped things a thousand are named, and all are counted."""
    batch = ImportBatch("markdown")
    for number in range(1_500):
        batch.skip(f"{number}\n" * 200, "why")

    assert (1_000, 500) == (len(batch.skipped), batch.more_skipped)
    assert all(len(one.what) <= 200 and "\n" not in one.what for one in batch.skipped)
