"""`tacit episode` at the command line: every verb, as a document and for people."""

from pathlib import Path

import pytest


@pytest.fixture
def id(tacit):
    return tacit("episode", "start", "Build REST endpoint", "--domain", "web", "--language", "python", "--json").json[
        "id"
    ]


def test_a_life_at_the_command_line(tacit, id):
    """Start, steps, checkpoint, completion, and what is known before the next one."""
    assert (
        0
        == tacit(
            "episode", "step", id, "pytest", "run tests", "--result", "error", "--observation", "-", stdin=b"1 failed"
        ).code
    )
    assert (
        0
        == tacit(
            "episode", "step", id, "edit", "mend it", "--result", "success", "--parameters", '{"file": "a.py"}'
        ).code
    )
    assert 0 == tacit("episode", "checkpoint", id, "half way").code
    done = tacit("episode", "complete", id, "success", "--result", "it works", "--duration-ms", "900")
    shown = tacit("episode", "show", id, "--json").json
    found = tacit("episode", "search", "REST endpoint", "--domain", "web", "--receipt", "--json").json

    assert "reward" in done.out
    assert ["1 failed", None] == [step.get("observation") for step in shown["steps"]]
    assert [id] == [one["record"]["id"] for one in found["episodes"]]
    assert 0 == tacit("episode", "feedback", found["receipt"], "helped").code
    assert 6 == tacit("episode", "feedback", found["receipt"], "helped").code


def test_every_verb_answers(tacit, id):
    """With a schema, and with words."""
    other = tacit("episode", "start", "another", "--json").json["id"]
    for words, schema in [
        (["step", id, "t", "--result", "success"], "episode"), (["list"], "episodes"), (["timeline", id], "timeline"),
        (["checkpoint", id, "why"], "episode"), (["relate", id, "follows", other], "link"), (["tag", id, "a-b"],
        "episode"),
        (["tag"], "tags"), (["complete", id, "partial"], "episode"), (["show", id], "episode"), (["learn"],
        "episodes.learn"),
        (["search", "another"], "episodes.relevant"), (["archive", id], "episode"), (["archive", id, "--restore"],
        "episode"),
        (["forget", other], "forget"),
    ]:  # fmt: skip
        answer = tacit("episode", *words, "--json")
        assert (0, f"tacit.{schema}/1") == (answer.code, answer.json["schema"]), words
    for words in (["list"], ["show", id], ["timeline", id], ["search", "another"], ["tag"], ["learn"]):
        answer = tacit("episode", *words)
        assert (0, True) == (answer.code, bool(answer.out.strip())), words


@pytest.mark.parametrize(
    ("words", "code"),
    [(["show", "episode_gone"], 3), (["step", "{id}", "t", "--result", "won"], 2), (["complete", "{id}", "won"], 2),
     (["step", "{id}", "t", "--parameters", "[1]"], 2), (["relate", "{id}", "follows", "{id}"], 2),
     (["tag", "{id}", "a b"], 2),
     (["feedback", "receipt_gone", "helped"], 3), (["start", " "], 2), (["list", "--min-reward", "2"], 2),
     (["list", "--min-reward", "nan"], 2), (["list", "--type", "odd"], 2), (["list", "--since", "no day"], 2)],
)  # fmt: skip
def test_mistakes_have_exit_codes(tacit, id, words, code):
    """Typed, and one sentence each."""
    answer = tacit("episode", *(word.format(id=id) for word in words), "--json")

    assert code == answer.code
    assert answer.json["error"]["hint"]


def test_lists_are_narrowed_before_they_are_cut(tacit, id):
    """By type, time and reward; and each write says what it left where."""
    step = tacit("episode", "step", id, "pytest", "run tests", "--result", "success", "--json").json["written"]
    done = tacit("episode", "complete", id, "success", "--json").json["written"]
    other = tacit("episode", "start", "Find the leak", "--type", "debugging", "--json").json["id"]

    def listed(*words):
        return [one["id"] for one in tacit("episode", "list", *words, "--limit", "1", "--json").json["episodes"]]

    assert [other] == listed("--type", "debugging") == listed("--since", "2020-01-01")
    assert [id] == listed("--min-reward", "0.1") == listed("--type", "other")
    assert [] == listed("--max-reward", "0.01") == listed("--until", "2020-01-01")
    assert (1, 0, True, True) == (step["steps"], step["waiting"], step["lasting"], 0 < step["seq"] < done["seq"])
    assert step["store"] == done["store"] == tacit("status", "--json").json["store"]


def test_feedback_names_what_it_is_about(tacit):
    """Patterns, heuristics, or all that was shown."""
    for number in range(3):
        made = tacit("episode", "start", f"Ship release {number}", "--domain", "web", "--json").json["id"]
        for tool, result, said in (("npm", "error", "npm: no lock file"), ("npm ci", "success", ""),
                                   ("git", "success", "")):  # fmt: skip
            tacit("episode", "step", made, tool, f"run {tool}", "--result", result, "--observation", said)
        tacit("episode", "complete", made, "success")
    tacit("episode", "learn")
    first, second = (
        tacit("episode", "search", "Ship release", "--domain", "web", "--receipt", "--json").json for _ in range(2)
    )
    advice = first["heuristics"][0]["record"]["id"]
    one = tacit("episode", "feedback", first["receipt"], "helped", "--heuristic", advice, "--json").json
    every = tacit("episode", "feedback", second["receipt"], "no-effect")

    assert (0, 1) == (one["patterns"], one["heuristics"])
    assert f"recorded for {len(second['patterns'])} patterns and 1 heuristic" in every.out


def test_many_at_once(tacit, id, tmp_path):
    """Sessions become episodes, and old ones lose their steps; each says what it did, and a dry run does nothing."""
    from tests.verbs.test_learn_from_sessions import transcript

    path = transcript(tmp_path, "s1", "Fix the login", ("pytest -q", 1, "AssertionError"), ("pytest -q", 0, "ok"))
    assert 3 == tacit("episode", "from-session", "--json").code
    assert 0 == tacit("sessions", "import", str(path), "--agent", "claude").code
    taken = tacit("episode", "from-session", "--json").json
    again = tacit("episode", "from-session")
    dry = tacit("episode", "prune", "--keep", "0", "--dry-run", "--json").json
    done = tacit("episode", "prune", "--keep", "0")

    assert ["Fix the login"] == [one["title"] for one in taken["ended"]]
    assert "1 known before" in again.out
    assert (1, True, 0) == (len(dry["episodes"]), dry["dry_run"], dry["bodies"])
    assert "erased 2 steps of 1 episode" in done.out
    assert 2 == tacit("episode", "prune", "--json").code


def test_the_worked_example_of_the_docs_runs(capsys, monkeypatch, tmp_path):
    """What docs/episodes.md shows is what happens."""
    page = (Path(__file__).parents[2] / "docs" / "episodes.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/episodes.md", "exec"), {})  # noqa: S102 - the page's own code

    assert "Build REST endpoint {'words': 1.0" in capsys.readouterr().out


def test_former_names_still_work_unseen(tacit, id):
    """`retain` is `prune`, `delete` is `forget`; a wrong status is refused with those there are."""
    wrong = tacit("episode", "list", "--status", "promoted", "--json")

    assert 0 == tacit("episode", "retain", "--keep", "0", "--dry-run").code
    assert 0 == tacit("episode", "delete", id).code
    assert "retain" not in tacit("episode", "--help").out
    assert (2, True) == (wrong.code, "complete" in wrong.json["error"]["hint"])


def test_what_is_open_counts_its_steps_and_what_is_found_says_why(tacit, id):
    """S23: open episodes said "0 steps", and the search gave scores without reasons."""
    tacit("episode", "step", id, "pytest", "run tests", "--result", "success")
    listed, shown = tacit("episode", "list", "--json").json["episodes"], tacit("episode", "show", id)
    tacit("episode", "complete", id, "success")
    found = tacit("episode", "search", "a REST endpoint")
    document = tacit("episode", "search", "a REST endpoint", "--json").json

    assert [1] == [one["payload"]["steps"] for one in listed]
    assert "1 step)" in shown.out
    assert "because it shares REST, endpoint; words 1.00, context 1.00" in found.out
    assert ["REST", "endpoint"] == document["episodes"][0]["shared"]


def test_a_task_that_nothing_is_about_says_so(tacit, id):
    """S22: something was advised whatever was asked."""
    tacit("episode", "complete", id, "success")
    answer = tacit("episode", "search", "order a pizza")

    assert (0, True) == (answer.code, answer.out.startswith("no episode here is about a similar task"))
