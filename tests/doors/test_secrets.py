"""Secrets never land: not in the store, its log, exports, logs or messages; `redact` and `scan` at the door."""

import json

import pytest

from tacit.app.open import open_memory
from tacit.model.record import replace
from tacit.testing import temporary_memory
from tests.rules.made_up import secrets

TOKEN = secrets(11)["github"]


def everything_in(*folders):
    """Give every byte of every file under some folders."""
    return b"\n".join(file.read_bytes() for folder in folders for file in sorted(folder.rglob("*")) if file.is_file())


def test_redact_is_text_in_and_text_out(tacit):
    """Standard input comes out as it was, but for the secrets; equal ones get equal tags."""
    answer = tacit("redact", stdin=f"a {TOKEN}\r\n\u00e9 {TOKEN}".encode())

    placeholder = answer.out[2:].partition("\n")[0].rstrip("\r")
    assert (0, "") == (answer.code, answer.err)
    assert placeholder.startswith("[redacted:github:")
    assert 2 == answer.out.count(placeholder)


def test_redact_keeps_bytes_that_are_no_text(process):
    """What is not UTF-8 goes through unharmed."""
    answer = process("redact", "--json", stdin=b"\xff\xfe " + TOKEN.encode())

    assert 0 == answer.code
    assert TOKEN not in answer.out


def test_redact_answers_line_by_line(tacit):
    """With --jsonl each line gives one line: the text, and what was found in code points of the input."""
    rows = [{"text": f"🔑 {TOKEN}"}, {"text": "nothing"}, {"text": ""}]

    answer = tacit("redact", "--jsonl", stdin="\n".join(map(json.dumps, rows)).encode())

    first, second, third = map(json.loads, answer.out.splitlines())
    assert [{"kind": "github", "start": 2, "end": 2 + len(TOKEN)}] == first["found"]
    assert TOKEN not in first["text"]
    assert [{"text": "nothing", "found": []}, {"text": "", "found": []}] == [second, third]


def test_redact_says_why(tacit):
    """With --explain each secret comes with its rule and a sentence, on standard error or in the line; never itself."""
    text = f"one\npassword=hunter2x {TOKEN}"

    said = tacit("redact", "--explain", stdin=text.encode())
    line = tacit("redact", "--explain", "--jsonl", stdin=json.dumps({"text": text}).encode())

    found = json.loads(line.out)["found"]
    assert [("named-value", 13), ("token-github", 22)] == [(one["rule"], one["start"]) for one in found]
    assert "it is the value of a name that announces a secret" == found[0]["why"]
    assert "line 2: secret: it is the value of a name that announces a secret (named-value)\n" in said.err
    assert not any(secret in said.err + line.out for secret in ("hunter2x", TOKEN))


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"text": 1}', b"[" * 100_000])
def test_redact_refuses_what_is_no_line(tacit, line):
    """A line that is no object with a text is named, and its content is not."""
    answer = tacit("redact", "--jsonl", stdin=b'{"text": "a"}\n' + line)

    assert 2 == answer.code
    assert "line 2" in answer.err


def test_tags_are_the_installations_own(tacit, own_home):
    """A tag is keyed: another installation gives another, and the key is made once."""
    first, second = tacit("redact", stdin=TOKEN.encode()).out, tacit("redact", stdin=TOKEN.encode()).out
    (own_home / "redact.key").write_bytes(b"k" * 32)

    assert first == second
    assert [f"[redacted:github:{tag}]" for tag in (first[-9:-1],)] == [first]


def test_no_byte_of_a_secret_lands(tacit, own_home, tmp_path, monkeypatch):
    """One secret per field and kind through the command line and the library: none is in any file or message."""
    monkeypatch.setenv("TACIT_LOG", "debug")
    made = list(secrets(21).values())
    one = iter(value.replace("\n", " ") for value in made)
    said = [
        tacit("memorize", f"the key is {next(one)}", "--entity", f"service/{next(one)}", "--tag", next(one)),
        tacit("memorize", "-", stdin=f"log:\n{next(one)}\n".encode()),
        tacit("entity", "add", "host", next(one), f"reached with {next(one)}"),
        tacit("entity", "add", "host", "db", "keeps things"), tacit("entity", "add", "host", "web", "shows them"),
        tacit("relation", "add", "db", next(one), "web"),
        tacit("term", "add", next(one), f"means {next(one)}"),
        tacit("namespace", "add", next(one)), tacit("memorize", "x", "--namespace", next(one)),
        tacit("memorize", "y", "--importance", next(one)), tacit("show", next(one)), tacit(next(one)),
        tacit("list", "--kind", next(one)), tacit("recall", next(one)), tacit("memorize", "z", f"--{next(one)}"),
        tacit("export", "jsonl", "--out", str(tmp_path / "out.jsonl")), tacit("show", next(one), "--json"),
    ]  # fmt: skip
    with open_memory() as memory:
        memory.memorize(f"a fact with {next(one)}", source=next(one), tags=[next(one)], entity=("host", next(one)))
        memory.add_many([{"kind": "note", "title": next(one), "body": next(one), "tags": [next(one)]}])
        with pytest.raises(Exception, match="kind"):
            memory.add_many([{"kind": next(one), "title": "t"}])
        fact = memory.memorize("something to revise")
        memory.revise(fact.id, body=f"now with {next(one)}", title=next(one))
        memory.memorize(" and ".join(one))
        lines = b"\n".join(memory.export_lines())
    held = everything_in(own_home, tmp_path) + lines + "".join(answer.out + answer.err for answer in said).encode()

    assert [] == [kind for kind, value in secrets(21).items() if value.replace("\n", " ").encode() in held]
    assert b"[redacted:github:" in held


def test_scan_finds_what_came_in_before(tacit, monkeypatch):
    """A secret that is in the store already is named by kind, record and field, with how to delete it; never shown."""
    with temporary_unredacted(monkeypatch) as memory:
        id = memory.memorize(f"the old key is {TOKEN}").id
    answer, document = tacit("scan"), tacit("scan", "--json").json

    assert 5 == answer.code
    assert f"tacit forget {id[-8:]}" in answer.out
    assert [("github", id, "body")] == [(f["kind"], f["where"], f["field"]) for f in document["found"]][:1]
    assert TOKEN not in answer.out + json.dumps(document)


def temporary_unredacted(monkeypatch):
    """Open the memory as it was before there were rules."""
    memory = open_memory()
    memory._c = replace(memory._c, redact=lambda text: text)
    return memory


def test_an_export_of_an_old_store_holds_no_secret(tacit, monkeypatch):
    """What came in before a rule knew it does not leave."""
    with temporary_unredacted(monkeypatch) as memory:
        memory.memorize(f"the old key is {TOKEN}", entity=("host", TOKEN), tags=[TOKEN])

    assert TOKEN not in tacit("export", "jsonl").out


def test_scan_reads_files(tacit, tmp_path):
    """Files are read line by line under a folder; version control, binary files and links are left out."""
    work = tmp_path / "work"
    (work / ".git").mkdir()
    for name, text in {".git/config": TOKEN, "a.txt": f"one\n{TOKEN}\n", "b.bin": f"\0{TOKEN}", "c.md": "fine"}.items():
        (work / name).write_text(text)
    (work / "link").symlink_to(work / "a.txt")

    answer = tacit("scan", ".", "--json")

    assert 5 == answer.code
    assert ["it has the form of a token of this issuer"] == [one["why"] for one in answer.json["found"]]
    assert [("github", "a.txt", 2)] == [(f["kind"], f["where"], f["line"]) for f in answer.json["found"]]
    assert (0, "no secrets found\n") == (tacit("scan", "c.md").code, tacit("scan", "c.md").out)
    assert 3 == tacit("scan", "nowhere").code


def test_scan_says_what_it_left_out(tacit, tmp_path, monkeypatch):
    """A file that is too large is named."""
    monkeypatch.setattr("tacit.files.text_files.MOST_BYTES", 3)
    monkeypatch.setattr("tacit.doors.cli.commands.secrets.MOST_BYTES", 3)
    (tmp_path / "work" / "large").write_text("12345")

    assert ["large (over 3 bytes)"] == tacit("scan", ".", "--json").json["skipped"]


def test_patterns_of_ones_own(tacit, own_home):
    """A pattern in the settings adds a kind; its group `secret` is what goes."""
    own_home.mkdir()
    (own_home / "config.toml").write_text(
        '[redact]\npatterns = [{kind = "badge", pattern = "badge (?P<secret>[0-9]{4})"}]\n'
        f'allow = [{{text = "{TOKEN}", reason = "in the docs"}}]\n'
    )

    answer = tacit("redact", stdin=f"badge 1234 {TOKEN}".encode()).out

    assert answer.startswith("badge [redacted:badge:")
    assert answer.endswith(TOKEN)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('patterns = [{kind = "x", pattern = "(?=a)"}]', "cannot be used"),
        ('patterns = [{kind = "X!", pattern = "a"}]', "config.toml"),
        ('allow = [{text = "a"}]', "reason"),
    ],
)
def test_settings_that_cannot_work_are_refused(tacit, own_home, settings, said):
    """A pattern the engine cannot run, a kind that is none, an exception without a reason: named, nothing opened."""
    own_home.mkdir()
    (own_home / "config.toml").write_text(f"[redact]\n{settings}\n")

    answer = tacit("redact", stdin=b"a")

    assert 2 == answer.code
    assert said in answer.err


def test_a_home_without_a_key_still_redacts(tacit, own_home):
    """Where the key cannot be read, tags are this process's own; the secret goes all the same."""
    own_home.mkdir()
    (own_home / "redact.key").mkdir()

    assert TOKEN not in tacit("redact", stdin=TOKEN.encode()).out


def test_temporary_memories_redact_too():
    """The memory for tests has the same way in."""
    with temporary_memory() as memory:
        assert TOKEN not in memory.memorize(f"key {TOKEN}").record.body


def test_a_scope_is_not_named_after_a_secret(tacit, own_home):
    """Under a name that holds a secret nothing is written, and the refusal does not repeat it."""
    answer = tacit("memorize", "a fact", "--scope", f"project:{TOKEN}")

    assert 4 == answer.code
    assert "the name of this scope contains a secret" in answer.err
    assert TOKEN not in answer.out + answer.err
    assert TOKEN.encode() not in everything_in(own_home)


def test_the_place_of_a_backup_is_recorded_without_its_secrets(tmp_path):
    """A copy goes where it was sent; the event that says where holds no secret."""
    with temporary_memory() as memory:
        memory.memorize("a fact")
        made = memory.backup(tmp_path / f"{TOKEN}.db")

        assert made.exists()
        assert TOKEN not in str(memory.events())
