"""`tacit learn`: failures and corrections by hand, ranked, found, compiled, and shared."""

import json

import pytest

from tacit.failures.corrections import corrections, keep_correction
from tacit.failures.corroboration import add_corroboration
from tacit.failures.failures import capture
from tacit.failures.injection_log import FOLLOWED as _FOLLOWED
from tacit.loop.session_start import session_start
from tacit.model.failure import Correction
from tacit.model.record import short_id
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory
from tacit.text.frame import RULES_HEAD
from tests.doors.speakers import memory_here


@pytest.mark.parametrize("begins", ["f", "failure_", "failure_01"])
def test_a_short_beginning_of_an_id_means_nothing(tacit, begins):
    """S25: `learn correct f` corrected the only failure there was, whichever was meant."""
    tacit("learn", "capture", "git push -f", "--error", "remote rejected", "--exit-code", "1")
    tacit("learn", "add-correction", "npm", "pnpm")

    assert 3 == tacit("learn", "correct", begins, "push to a branch").code
    assert "push to a branch" not in tacit("learn", "list", "--json").out
    assert 3 == tacit("learn", "shared", "reject", begins.replace("failure", "correction")).code


def test_a_failure_is_captured_corrected_listed_and_found(tacit):
    """The announced lines, with a correction as an argument or an option; ids by their beginning."""
    first = tacit("learn", "capture", "git push -f", "--error", "remote rejected", "--exit-code", "1", "--json").json
    tacit("learn", "capture", "git push -f", "--error", "remote rejected", "--exit-code", "1")
    assert 0 == tacit("learn", "correct", first["id"][:-1], "push to a branch").code
    assert 0 == tacit("learn", "correct", first["id"], "--correction", "push to a branch of your own").code
    listed = tacit("learn", "list", "--json").json["learned"]
    found = tacit("learn", "search", "push rejected", "--json").json["learned"]

    assert (first["id"], 2) == (listed[0]["id"], listed[0]["seen"])
    assert "push to a branch of your own" == listed[0]["record"]["payload"]["correction"]
    assert first["id"] in [one["id"] for one in found]
    assert [] == tacit("learn", "search", "PUSH", "--exact", "--json").json["learned"]
    assert first["id"] in [
        one["id"] for one in tacit("learn", "search", "git push -f", "--exact", "--json").json["learned"]
    ]
    assert 3 == tacit("learn", "correct", "failure_gone", "x").code
    assert 2 == tacit("learn", "correct", first["id"]).code
    assert 2 == tacit("learn", "search", "x", "--exact", "--semantic").code
    assert tacit("learn", "capture", "pytest -q", "--error", "x", "--json").json["ignored"]


def test_importance_is_live_bounded_and_explained():
    """It rises with repetition and a correction, decays with time, and says why."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        record = memory.learned.capture("make ship", error="no rule", exit_code=2)
        (fresh,) = memory.learned.list()
        for _ in range(12):
            memory.learned.capture("make ship", error="no rule", exit_code=2)
        (often,) = memory.learned.list()
        memory.learned.correct(record.id, "make deploy")
        corrected = next(one for one in memory.learned.list() if one.record.id == record.id)
        clock.advance(days=300)
        old = next(one for one in memory.learned.list() if one.record.id == record.id)

        assert fresh.importance.total == pytest.approx(0.3 * 0.4 + 0.3 * 0.1 + 0.2)
        assert fresh.importance.total < often.importance.total < corrected.importance.total <= 1
        assert corrected.importance.total - often.importance.total == pytest.approx(0.2)
        assert old.importance.recency < 0.01 < corrected.importance.recency


@pytest.mark.parametrize(
    ("line", "error", "blamed"),
    [("cd app && npm run biuld", "npm error", "npm run biuld"), ("make a && make b", "", "make b"),
     ("pythn x.py; ls", "bash: line 1: pythn: command not found", "pythn x.py"),
     ("npm ci && fly deploy", "error: no app is named\nfly failed", "fly deploy"),
     ("npm ci && fly deploy", "npm: not in the lock file", "npm ci"),
     ('python3 -c "import x; print(1)"', "Traceback", 'python3 -c "import x; print(1)"'),
     ("export A=1 && ./run.sh", "", "./run.sh")],
)  # fmt: skip
def test_the_part_that_failed_is_blamed(line, error, blamed):
    """Not the directory before it, and not a piece of a quoted program."""
    with temporary_memory() as memory:
        record = memory.learned.capture(line, error=error, exit_code=1)

        assert blamed == (record.payload.failing or record.payload.command)


def test_other_failures_of_one_program_are_other_failures():
    """`git push` says nothing about `git stash`, and one file nothing about another; a number may be any number."""
    with temporary_memory() as memory:
        ids = {memory.learned.capture(f"gh pr merge {number}", exit_code=1).id for number in (7, 8)}
        files = {memory.learned.capture(f"psql -f {name}.sql", exit_code=1).id for name in ("bad", "good")}
        other = memory.learned.capture("git stash drop", exit_code=1)

        assert (1, 2) == (len(ids), len(files))
        assert other.id not in ids


def test_corrections_are_typed_merged_and_compiled(tacit, tmp_path):
    """Said twice is once; the thesaurus and the lexicon hold them, whatever signs are in them."""
    for corrected in ("bun", "Bun"):
        tacit("learn", "add-correction", "--original", "npm", "--corrected", corrected, "--type", "tool-preference")
    tacit("learn", "add-correction", "--original", "a, b `c`", "--corrected", "d", "--type", "tool-preference")
    tacit("learn", "add-correction", "--original", "", "--corrected", "tabs", "--type", "style-preference")
    (tmp_path / "work" / "mine.json").write_text(
        '{"name": "x", "data": {"npm": {"nterm": "yarn"}, "vi": {"nterm": "vim"}}}'
    )
    assert 0 == tacit("learn", "compile", "--out", "out.json", "--merge-with", "mine.json").code
    data = json.loads((tmp_path / "work" / "out.json").read_text())["data"]
    pages = tacit("learn", "export-kg", "--output", "kg", "--json").json["files"]

    assert {"npm": "bun", "vi": "vim", "a, b `c`": "d"} == {
        word: entry["nterm"].lower() for word, entry in data.items()
    }
    assert 2 == len(pages)
    assert "synonyms:: npm" in (tmp_path / "work" / "kg" / "bun.md").read_text()
    assert "synonyms" not in (tmp_path / "work" / "kg" / "d.md").read_text()
    assert 2 == tacit("learn", "add-correction", "--original", "x", "--corrected", " ").code
    assert 2 == tacit("learn", "add-correction", "--original", "x", "--corrected", "y", "--type", "magic").code


def test_meaning_finds_what_words_do_not():
    """Without an embedder there is nothing to search by, and nothing is made up."""
    with temporary_memory(embedder=FakeEmbedder()) as memory:
        memory.learned.capture("deploy staging", error="the cluster is gone", exit_code=1)

        assert 1 == len(memory.learned.query("cluster gone", semantic=True))
    with temporary_memory() as memory:
        memory.learned.capture("deploy staging", error="x", exit_code=1)

        assert [] == memory.learned.query("cluster gone", semantic=True)


def test_what_is_shared_is_judged_by_what_happened_with_it(tmp_path):
    """One agent's word is 1; worked for two agents 2; a person's yes 3; a no is kept with its reason, for good."""
    with temporary_memory(folder=tmp_path) as memory:
        kept = memory.learned.correction("npm", "bun")
        other = memory.learned.correction("tabs", "spaces", type="style-preference")
        with pytest.raises(Exception, match="level 1"):
            memory.learned.promote(kept.id, 2)
        with pytest.raises(Exception, match="only a person"):
            memory.learned.approve(kept.id)
    for agent in ("claude", "codex"):
        with temporary_memory(folder=tmp_path) as memory:
            follow(memory, kept.id, agent)
    with temporary_memory(folder=tmp_path) as memory:
        assert 2 == memory.learned.promote(kept.id, 2).level
        memory.learned.reject(other.id, "tabs are fine")
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        assert 3 == memory.learned.promote(kept.id, 3).level
        standings = memory.learned.shared()

        assert [(kept.id, 3, ""), (other.id, 1, "tabs are fine")] == [
            (s.record.id, s.level, s.rejected) for s in standings
        ]
        assert {"total": 2, "levels": {"l3": 1}, "rejected": 1, "approval_rate": 0.5} == memory.learned.stats()
        assert memory.verify().ok


def follow(memory, id, agent):
    """Note that an agent followed a warning and that it went well, as its hooks would."""
    from tacit.model.event import NewEvent

    c = memory._c
    with c.store.transaction(c.origin, c.clock.now()) as tx:
        tx.append(NewEvent(type=_FOLLOWED, subject=id, scope=str(c.scope), payload={"ok": True, "agent": agent}))


def test_a_projects_corrections_are_brought_to_everybody_once(tacit):
    """Importing twice doubles nothing."""
    tacit("learn", "add-correction", "--original", "npm", "--corrected", "bun")
    for _ in range(2):
        assert 0 == tacit("learn", "shared", "import").code

    assert 1 == len(tacit("learn", "list", "--scope", "global", "--json").json["learned"])
    assert 2 == len(tacit("learn", "list", "--global", "--json").json["learned"])
    assert 2 == tacit("learn", "shared", "import", "--to", "user").code
    for words in (["list"], ["stats"], ["list", "--trust-level", "l1"]):
        assert 0 == tacit("learn", "shared", *words).code
    assert 4 == tacit("learn", "shared", "approve", tacit("learn", "list", "--json").json["learned"][0]["id"]).code


def test_a_failure_is_as_old_as_it_is_not_as_its_reading():
    """What an old transcript tells happened then: it is not the newest thing for having been read today."""
    from tacit.failures.failures import ReportSource, capture

    clock = FakeClock()
    with temporary_memory(clock=clock) as memory:
        then = clock.now()
        clock.advance(days=90)
        capture(memory._c, "make ship", "no rule", 2, delivery=ReportSource(session="s", once="a", at=then))
        (old,) = memory.learned.list()
        capture(memory._c, "make ship", "no rule", 2, delivery=ReportSource(session="s", once="b"))
        (fresh,) = memory.learned.list()

        assert old.importance.recency == pytest.approx(0.125)
        assert fresh.importance.recency == pytest.approx(1)


def test_a_long_command_is_kept_as_far_as_it_says_something():
    """A script of many pages that failed is a failure all the same."""
    with temporary_memory() as memory:
        record = memory.learned.capture(f"python3 - <<'X'\n{'x = 1' * 40_000}\nX", error="Traceback", exit_code=1)

        assert len(record.payload.command) < 5_000


def test_a_query_gives_as_many_as_it_may_beside_what_mends_them():
    """What mends a failure is told with it, and takes nobody's place."""
    with temporary_memory() as memory:
        for number in range(4):
            failed = memory.learned.capture(f"ship{number} cargo", error="boom", exit_code=1)
            memory.learned.correct(failed.id, f"ship{number} cargo --now")
        found = memory.learned.query("cargo", limit=4)

    assert ["failure"] * 4 == [one.record.kind for one in found]


def test_a_no_counts_however_often_it_was_followed_before(tmp_path):
    """And all that was rejected is there, not only the first of it."""
    with temporary_memory(folder=tmp_path) as memory:
        kept = [memory.learned.correction(f"tool{number}", f"other{number}") for number in range(3)]
        for _ in range(1_100):
            follow(memory, kept[0].id, "claude")
        for one in kept:
            memory.learned.reject(one.id, "no")

        assert (1_100, 0, 0) == tuple(one.good for one in memory.learned.shared())
        assert ["no"] * 3 == [one.rejected for one in memory.learned.shared()]
        assert 1 == len(memory.learned.shared(limit=1))


@pytest.mark.parametrize("actor", ["agent", "user"])
def test_a_correction_says_who_gave_it(actor):
    """An agent's own is not told as a rule of the user, whatever happens to it."""
    with temporary_memory(actor=actor) as memory:
        given = memory.learned.correction("npm run biuld", "npm run build")
        failure = capture(memory._c, "make shipp", "no rule", 2)
        memory.learned.correct(failure.id, "make ship")
        add_corroboration(memory._c, [one.id for one in corrections(memory._c)])
        told = session_start(memory._c).text

        assert {"person" if actor == "user" else "agent"} == {one.payload.source for one in corrections(memory._c)}
        assert (RULES_HEAD in told) is (actor == "user")
        assert short_id(given.id) in told


def test_many_events_of_one_kind_are_one_line_of_the_log(tacit):
    """A newcomer's trial: after `tacit init` thirty lines said that a command had failed; a document has each."""
    for number in range(5):
        tacit("learn", "capture", f"git push{'abcde'[number]}", "--error", "unknown", "--exit-code", "1")
    tacit("memorize", "the staging port is 8443")
    shown = tacit("log").out.splitlines()
    kept, failed = (line.split("  ", 1)[1] for line in shown[:2])
    entries, first = tacit("log", "--json").json["entries"], tacit("log", "--limit", "1").out.splitlines()

    assert kept.startswith("kept: the staging port is 8443  [")
    assert failed.startswith("a command failed: 5 entries, the last: git pushe  [")
    assert "`tacit why ID` explains one" == shown[2]
    assert (6, [shown[0], shown[2]]) == (len(entries), first)


def test_rules_and_fixes_have_one_count_and_one_word_everywhere(tacit):
    """A newcomer's trial: `tacit` said "2 rules, 2 fixes", `tacit status` "4 rules", `learn list` "correction"."""
    tacit("remember", "from now on use pnpm instead of npm")
    with memory_here() as memory:
        keep_correction(
            memory._c, Correction(type="tool-preference", original="npm i", corrected="npm ci", source="fix")
        )
    first, status, listed = tacit().out, tacit("status").out, tacit("learn", "list").out

    assert "knows      1 rule, 1 fix" in first and "holds   1 rule, 1 fix" in status
    assert ("correction" in listed, "rule" in listed) == (False, True)


def test_a_failure_with_a_known_fix_is_counted_as_a_fix(tacit):
    """A newcomer's trial: `tacit init` said "6 with a known fix", and the first screen knew of none."""
    found = tacit(
        "learn", "capture", "make shp", "--error", "No rule to make target 'shp'", "--exit-code", "2", "--json"
    )
    tacit("learn", "correct", found.json["id"], "make ship")

    assert "1 fix, 1 failure" in tacit().out
    assert "1 fix, 1 failure" in tacit("status").out
