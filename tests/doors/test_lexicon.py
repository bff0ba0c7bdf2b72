"""`tacit lexicon` reads the user's words, the repository's and what was learned; the second rewrites no command."""

import json

import pytest

from tacit.doors.hooks.cold import has_nothing_to_say
from tests.doors.speakers import Claude, hook, memory_here


@pytest.fixture
def words(own_home, tmp_path):
    """Write one concept of the user's and one of the repository's; return both folders."""
    mine, kg = own_home / "lexicon", tmp_path / "work" / "docs" / "src" / "kg"

    def write(folder, name, text):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    write(mine, "pnpm.md", "# pnpm\nsynonyms:: npm\n")
    yield lambda name, text, *, own=False: write(mine if own else kg, name, text)


def test_concepts_are_listed_with_where_they_come_from(tacit, words):
    """The user's, the repository's, and what was learned."""
    words("rust.md", "# Rust\nsynonyms:: rustlang\npriority:: 80\n")
    tacit("learn", "correction", "--original", "pip", "--corrected", "uv")
    answer = tacit("lexicon", "list", "--json")

    assert 0 == answer.code
    assert "tacit.lexicon/1" == answer.json["schema"]
    assert [("user", "pnpm"), ("project", "rust"), ("learned", "uv")] == [
        (one["origin"], one["title"].lower()) for one in answer.json["concepts"]
    ]
    assert "rustlang" in tacit("lexicon", "list").out


def test_nothing_there_is_no_error(tacit):
    """No files, no store: no concepts, and the text stays."""
    assert "no concepts" in tacit("lexicon", "list").out
    assert (0, "npm\n") == (tacit("lexicon", "replace", "npm").code, tacit("lexicon", "replace", "npm").out)


def test_check_tells_what_is_wrong_and_exits_5(tacit, words):
    """Bad values with their line, a word of two files with both names; without anything it exits 0."""
    assert 0 == tacit("lexicon", "check").code
    words("yarn.md", "# yarn\nsynonyms:: npm\npriority:: lots\n")
    answer = tacit("lexicon", "check", "--json")

    assert (5, 2) == (answer.code, len(answer.json["warnings"]))
    assert 5 == tacit("lexicon", "check").code
    assert "pnpm.md" in tacit("lexicon", "check").out and "yarn.md:3" in tacit("lexicon", "check").out


def test_what_cannot_be_read_is_a_warning(tacit, words, tmp_path):
    """A binary file and a link that leads out of the repository are passed over and told."""
    words("bad.md", "a\0b")
    (tmp_path / "secret.md").write_text("# secret\nsynonyms:: s3cret\n")
    (tmp_path / "work" / "docs" / "src" / "kg" / "link.md").symlink_to(tmp_path / "secret.md")
    answer = tacit("lexicon", "check", "--json")

    assert 5 == answer.code
    assert {"bad.md", "link.md"} == {one["path"].rsplit("/", 1)[-1] for one in answer.json["warnings"]}
    assert "secret" not in tacit("lexicon", "list").out


def test_match_and_replace_say_what_they_found(tacit, words):
    """Whole words with their places; replacements counted and shown; `-` reads standard input."""
    found = tacit("lexicon", "match", "npm and pnpm-lock", "--json").json
    done = tacit("lexicon", "replace", "-", "--json", stdin=b"npm, npm and https://npm.dev").json

    assert [(0, 3, "npm", "pnpm")] == [(m["start"], m["end"], m["pattern"], m["key"]) for m in found["matches"]]
    assert ["pnpm"] == found["keys"]
    assert ("pnpm, pnpm and https://npm.dev", 2, True) == (done["result"], done["replacements"], done["changed"])
    shown = tacit("lexicon", "replace", "npm install")
    assert ("pnpm install\n", True) == (shown.out, "'npm' became 'pnpm'" in shown.err)
    assert "nothing was found" in tacit("lexicon", "match", "x").out


def test_a_command_is_never_rewritten_by_the_repository(tacit, words):
    """Its files count for texts; for commands only the user's own and what was learned do, and bans never."""
    words("evil.md", "# curl evil.example\nsynonyms:: make\npriority:: 100\n")
    tacit("learn", "correction", "--original", "pip install", "--corrected", "uv add")
    tacit("learn", "correction", "--original", "yarn", "--corrected", "don't use yarn")
    line = "make && npm i && pip install x && yarn && echo npm"

    assert "curl evil.example" in tacit("lexicon", "replace", line).out
    assert "make && pnpm i && uv add x && yarn && echo npm\n" == tacit("lexicon", "replace", "--command", line).out


def test_the_nearest_folder_upward_counts(tacit, words, tmp_path, monkeypatch):
    """From a folder inside the project its words are found; what lies above the repository is not looked at."""
    words("rust.md", "# Rust\nsynonyms:: rustlang\n")
    inner = tmp_path / "work" / "src" / "deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)

    assert "Rust\n" == tacit("lexicon", "replace", "rustlang").out
    (tmp_path / "work" / "src" / ".git").mkdir()
    assert "rustlang\n" == tacit("lexicon", "replace", "rustlang").out


def test_export_is_a_thesaurus(tacit, words, tmp_path):
    """Each synonym with a number and what stands in its place, in a file or on standard output."""
    path = tmp_path / "words.json"

    assert 0 == tacit("lexicon", "export", "--output", str(path), "--name", "mine").code
    expected = {"name": "mine", "data": {"npm": {"id": 1, "nterm": "pnpm", "url": None}}}
    assert expected == json.loads(path.read_text())
    assert expected == tacit("lexicon", "export", "--name", "mine").json
    assert expected["data"] == tacit("lexicon", "export", "--json").json["data"]


def _before(work, command, session="s1", call="a"):
    speaks = Claude(work)
    answer = hook("claude", speaks.before(session, command, call))
    return speaks.decision(answer), speaks.context(answer)


def test_a_repositorys_lexicon_warns_before_a_command(words, work):
    """S1: the file name is the concept, and its synonyms begin the command. Others wrote it, so nothing is stopped."""
    words("bun install.md", "synonyms:: npm install, npm i\n")
    decision, told = _before(work, "npm install left-pad")

    assert ("", True) == (decision, "Here `bun install` is used instead of `npm install`" in told)
    assert "unverified" in told and "docs/src/kg/bun install.md" in told


def test_the_users_own_lexicon_stops_a_command_once(words, work):
    """A person wrote it and it names a replacement: stopped, and insisting passes."""
    words("bun install.md", "synonyms:: npm install, npm i\n", own=True)
    memory_here().memorize("Staging listens on 8443")
    first, again = _before(work, "npm i left-pad"), _before(work, "npm i left-pad", call="b")

    assert "deny" == first[0]
    assert "Here `bun install` is used instead of `npm i`" in first[1]
    assert ("", "") == again


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("# bun install\nsynonyms:: npm install\n", "echo npm install"),
        ("# bun install\nsynonyms:: npm install\n", "git commit -m 'npm install'"),
        ("# Makefile\nsynonyms:: make\n", "make test"),
        ("# haystack\nsynonyms:: service\n", "service nginx status"),
        ("# bun install\nsynonyms:: npm install\n", "bun install"),
        ("# bun install\ntype:: document\nsynonyms:: npm install\n", "npm install"),
        ("# bash -c 'rm -rf ~'\nsynonyms:: npm install\n", "npm install"),
    ],
)
def test_the_lexicon_is_silent_about_prose_arguments_and_what_the_guard_would_not_allow(words, work, text, command):
    """A concept is told only where a command begins with its synonym, and only if its title is a command."""
    words("one.md", text, own=True)

    assert ("", "") == _before(work, command)


def test_what_the_lexicon_told_is_in_the_log(tacit, words, tmp_path):
    """`tacit log` names the concept."""
    words("bun install.md", "synonyms:: npm install\n", own=True)
    tacit("memorize", "Staging listens on 8443")
    _before(tmp_path / "work", "npm install left-pad")
    entries = tacit("log", "--what", "told", "--json").json["entries"]

    assert {("lexicon", "bun install")} == {(one["kind"], one["text"]) for one in entries}


def test_the_cold_path_knows_the_users_lexicon(words, work, own_home):
    """The quick answer leaves to the full path what the lexicon replaces, also when the file comes later."""
    speaks = Claude(work)
    command = json.dumps(speaks.before("s1", "npm install left-pad", "a")).encode()
    words("bun.md", "# bun\nsynonyms:: npm\n", own=True)
    hook("claude", speaks.before("s1", "ls", "x"))

    assert not has_nothing_to_say(str(own_home), "claude", command)
    (own_home / "lexicon" / "bun.md").unlink()
    (own_home / "lexicon" / "pnpm.md").unlink()
    hook("claude", speaks.before("s1", "ls", "y"))
    assert has_nothing_to_say(str(own_home), "claude", command)


def test_a_persons_newer_rule_overrules_the_lexicon(tacit, words, person, tmp_path):
    """Only one of the two may stop a command."""
    words("bun install.md", "# bun\nsynonyms:: npm\n", own=True)
    person()
    tacit("remember", "use npm instead of bun")

    assert ("", "") == _before(tmp_path / "work", "npm install")
    assert "Here `npm` is used instead of `bun`" in _before(tmp_path / "work", "bun install", call="z")[1]
