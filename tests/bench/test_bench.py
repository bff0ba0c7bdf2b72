"""The benches at tiny sizes: they run, print the documented shape, and leave nothing behind. No figure is asserted."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tacit.bench import cli, hooks, mcp, redact, retrieval, store, store_size
from tacit.bench.figures import Figure
from tacit.bench.hook_home import EVENTS
from tacit.bench.metrics import NAMES
from tacit.errors import UsageError
from tacit.search.rules.ranking_trees import PATH
from tests.bench.small_sets import write_sets
from tests.memory_folder import short_folder
from tests.verbs.test_learn_from_sessions import transcript


@pytest.fixture(autouse=True)
def own_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Any:
    """Give the bench its own temporary folder; it and the home are empty afterwards."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert [] == list(folder.iterdir())
    assert not own_home.exists()


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Read the one document on stdout; nothing else was printed."""
    out, err = capsys.readouterr()
    assert "" == err
    document: dict[str, Any] = json.loads(out)
    for figure in document["figures"]:
        assert {"name", "value", "unit", "target", "bound", "met", "note"} == figure.keys()
        assert figure["value"] >= 0 or document["schema"].startswith("tacit.bench.retrieval")
        assert (figure["target"] is None) == (figure["met"] is None)
    assert {"tacit", "python", "sqlite", "system", "cores", "load"} == document["machine"].keys()
    return document


def test_store(capsys: pytest.CaptureFixture[str]) -> None:
    """Every figure of the issue is there, with its target."""
    store.run(100, as_json=True, large=True)

    document = printed(capsys)
    assert ("tacit.bench.store/1", 100, 1000) == (document["schema"], document["records"], document["others"])
    targets = {figure["name"]: figure["target"] for figure in document["figures"] if figure["target"] is not None}
    assert {
        "add_many, with vectors": 5000.0,
        "put with all indexes / bare FULL insert": 4.0,
        "memorize, p50": 10.0,
        "hybrid recall in a scope of 100, p50": 5.0,
        "hybrid recall with 1,000 in other scopes, p50": 5.0,
        "hybrid recall in a scope of 1,000, p50": 60.0,
    } == targets
    assert "resident memory" in {figure["name"] for figure in document["figures"]}


def test_retrieval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each set has every method, each method its parts, each part every measure."""
    retrieval.run(write_sets(tmp_path), as_json=True, turns=200)

    document = printed(capsys)
    assert "tacit.bench.retrieval/1" == document["schema"]
    locomo, pool = document["sets"]
    assert ("LoCoMo", 4, 3, 1) == (locomo["name"], locomo["turns"], locomo["questions"], locomo["skipped"])
    assert ("LongMemEval pool", 3, 1, 1) == (pool["name"], pool["turns"], pool["questions"], pool["skipped"])
    ours = ["base", "formula", "model", "lexical", "semantic", "hybrid, rrf"]
    expected = ["lexical"] if document["without"] else ["recipe A", *ours]
    assert expected == [method["name"] for method in locomo["methods"]]
    names = ["LoCoMo, categories 1-4", "LoCoMo, all 5", "1 multi-hop", "4 single-hop", "5 adversarial"]
    for method in locomo["methods"]:
        assert names == [part["name"] for part in method["parts"]]
        assert [2, 3, 1, 1, 1] == [part["questions"] for part in method["parts"]]
        assert all({"name", "questions", *NAMES} == part.keys() for part in method["parts"])
        assert 0 <= method["empty"] <= 3
    lexical = next(method for method in locomo["methods"] if method["name"] == "lexical")
    assert 100.0 == lexical["parts"][0]["R@5"]
    figures = {figure["name"]: figure for figure in document["figures"]}
    assert 0 == figures["facts without a conversation, answers that differ of 3"]["value"]
    assert [40.0, 0.6] == [figure["target"] for name, figure in figures.items() if figure["unit"] in ("ms", "s")]
    if not document["without"]:
        assert 3 * len(NAMES) + 6 + 3 == len(figures)
        assert figures["LoCoMo, categories 1-4: Hit@1, model - base"]["target"] == 5.0
        # Trained on these questions, a figure has no target: only trees that have not seen them have.
        assert figures["LongMemEval pool: Hit@1, model - base"]["target"] is None


def test_retrieval_with_trees_that_have_not_seen_a_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --folds, each question is also ranked by the trees that were trained without it."""
    pytest.importorskip("wordllama")
    folds = tmp_path / "folds.json"
    folds.write_text(f"[{', '.join([PATH.read_text()] * 5)}]")

    retrieval.run(write_sets(tmp_path), as_json=True, turns=0, folds=folds)

    document = printed(capsys)
    locomo, pool = document["sets"]
    assert "model, unseen" not in [method["name"] for method in locomo["methods"]]
    assert "model, unseen" in [method["name"] for method in pool["methods"]]
    targets = {figure["name"]: figure["target"] for figure in document["figures"]}
    assert 6.0 == targets["LongMemEval pool: R@10, model, unseen - base"]


def test_cli(capsys: pytest.CaptureFixture[str]) -> None:
    """Every cold start is there, each a process that ended well."""
    cli.run(100, as_json=True, runs=1)

    document = printed(capsys)
    assert ("tacit.bench.cli/1", 100, 1) == (document["schema"], document["records"], document["runs"])
    targets = [figure["target"] for figure in document["figures"]]
    assert [1.5, 0.3, 1.0, None, None, None] == targets
    assert "tacit --version / python -c pass" == document["figures"][0]["name"]


def test_mcp(capsys: pytest.CaptureFixture[str]) -> None:
    """A real server answers a real client, beside the library."""
    mcp.run(100, 10, as_json=True)

    document = printed(capsys)
    assert ("tacit.bench.mcp/1", 100, 10) == (document["schema"], document["records"], document["calls"])
    over_mcp, _p95, _start, tokens = document["figures"]
    assert over_mcp["target"] > 2.0
    assert tokens["met"]


def test_hooks(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every event is there: in process, cold, and through the helper; no capture is lost."""
    monkeypatch.setattr(hooks, "AT_ONCE", 3)
    # A socket has a short name, and the folder of a test a long one.
    with tempfile.TemporaryDirectory(dir=short_folder()) as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        hooks.run(20, 20, 10, 1, client="", as_json=True)

    document = printed(capsys)
    assert ("tacit.bench.hooks/1", 20, 1) == (document["schema"], document["facts"], document["runs"])
    values = {figure["name"]: figure["value"] for figure in document["figures"]}
    for event in EVENTS:
        assert {f"in process, {event.name}", f"cold, {event.name}: CPU", f"served, {event.name}: wall"} <= values.keys()
    assert {"true: CPU", "python -c pass: CPU"} <= values.keys()
    assert [0, 0] == [value for name, value in values.items() if "lost captures" in name]


def test_a_table_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json there is a table, and what is going on is told beside it."""
    retrieval.run(write_sets(tmp_path), as_json=False, turns=0)

    out, err = capsys.readouterr()
    assert "LoCoMo: 4 turns, 3 questions, 1 without evidence left out" in out
    assert "nDCG@10" in out
    assert "locomo-1, 4 turns, 3 questions" in err


@pytest.mark.parametrize(
    ("value", "target", "bound", "met"),
    [
        (4.9, 5.0, "at most", True),
        (5.1, 5.0, "at most", False),
        (5.0, 5.0, "at most", True),
        (5.1, 5.0, "at least", True),
        (4.9, 5.0, "at least", False),
        (1.0, None, "at most", None),
    ],
)
def test_met_or_missed(value: float, target: float | None, bound: Any, met: bool | None) -> None:
    """A target is met on the right side of it, and exactly on it."""
    assert met is Figure("x", value, target=target, bound=bound).met


def test_redact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labelled texts are counted: secrets gone, clean ones changed, and what was missed by rule."""
    rows = [
        {"text": "password=hunter2x", "expected": "secret", "rule": "keyword", "secret": "hunter2x"},
        {"text": "133.133.133.133", "expected": "secret", "rule": "ip"},
        {"text": "api_key: ghp_" + "a1B2" * 9, "expected": "secret", "rule": "github"},
        {"text": "nothing here", "expected": "clean", "rule": "benign"},
    ]
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "dev.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))

    redact.run(tmp_path, as_json=True, lines=50, hostile=1_000)

    document = printed(capsys)
    assert ("tacit.bench.redact/1", 4, {"ip": 1}, {}) == tuple(
        document[name] for name in ("schema", "texts", "missed", "changed")
    )
    assert [66.6667, 100.0, 0.0] == [figure["value"] for figure in document["figures"][:3]]


def test_redact_lists_the_changes_of_real_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each set has its own figures; prompts, commands and outputs are counted, and each change has its reason."""
    for name in ("secrets", "learning"):
        (tmp_path / name).mkdir()
    (tmp_path / "secrets" / "red-dev.jsonl").write_text(json.dumps({"text": "x", "secret": None, "kind": "letter"}))
    events = [{"t": "prompt", "text": "fix it"}, {"t": "cmd", "cmd": "env", "out": "DB_PASSWORD=hunter2x\nPORT=1"}]
    row = json.dumps({"repo": "r", "events": events}).encode()
    (tmp_path / "learning" / "dev.jsonl.gz").write_bytes(gzip.compress(row))

    redact.run(tmp_path, as_json=True, lines=50, hostile=1_000, changes=True)

    document = printed(capsys)
    named = {figure["name"]: figure for figure in document["figures"]}
    assert (0.0, 1) == (named["red-dev: clean texts changed"]["value"], named["red-dev: clean texts changed"]["target"])
    assert "3 texts, 1 changed; --changes lists them" == named["real outputs: changed"]["note"]
    why = "because it is the value of a name that announces a secret"
    assert [f"secret by named-value, {why}: DB_PASSWORD=⟦hunter2x⟧\\nPORT=1"] == document["changes"]


@pytest.mark.parametrize("content", [b"{", b'{"text": 1}', b"\x1f\x8b"])
def test_redact_says_what_it_cannot_read(tmp_path: Path, content: bytes) -> None:
    """A folder without texts, and a file that holds none, are named."""
    with pytest.raises(UsageError, match="contains no texts"):
        redact.run(tmp_path, as_json=True)
    (tmp_path / "secrets.jsonl.gz").write_bytes(content)
    with pytest.raises(UsageError, match="cannot be read"):
        redact.run(tmp_path, as_json=True)


def test_redact_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For people: the figures, then what was missed and changed."""
    (tmp_path / "secrets.jsonl").write_text(json.dumps({"text": "x", "expected": "secret", "rule": "odd"}))

    redact.run(tmp_path, as_json=False, lines=50, hostile=1_000)

    assert capsys.readouterr().out.endswith("missed: odd 1\nchanged: none\n")


def test_episodes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every figure of the issue is there, with its target; what is made of transcripts teaches something."""
    from tacit.bench import episodes

    for name in ("claude-code", "codex"):
        (tmp_path / name).mkdir()
    rows = ("ship it", ("make shipp", 2, "no rule to make target"), ("make ship", 0, "ok"), ("git push", 0, "ok"))
    transcript(tmp_path / "claude-code", "s1", *rows).rename(tmp_path / "claude-code" / "small.jsonl")
    for name, value in (
        ("CALLS", 3), ("LEARNED", 30), ("LARGE", 40), ("LOGGED", 5), ("PLAYED", 15), ("PLANTED", 30),
    ):  # fmt: skip
        monkeypatch.setattr(episodes, name, value)
    episodes.run(20, as_json=True, large=True, data=tmp_path)

    document = printed(capsys)
    assert ("tacit.bench.episodes/1", 20, 40) == (document["schema"], document["episodes"], document["large"])
    assert {
        "a durable step / bare FULL insert": 2.5, "steps in batches of 500": 20_000, "complete at 100 steps, p50": 10.0,
        "learning": 200, "patterns of 30 episodes": 1, "relevant among 20, words only, p50": 10.0,
        "relevant among 20, p50": 10.0, "relevant among 40, words only, p50": 60.0, "relevant among 40, p50": 60.0,
        "patterns of 30 episodes made of transcripts": 1,
    } == {figure["name"]: figure["target"] for figure in document["figures"] if figure["target"]}  # fmt: skip
    free = {figure["name"]: figure["value"] for figure in document["figures"] if not figure["target"]}
    assert {f"asked again among {count}{how}, p50" for count in (20, 40) for how in ("", ", words only")} | {
        "planted recoveries, precision", "planted recoveries, recall", "planted tool sequences, precision",
        "planted tool pairs, recall",
    } == set(free)  # fmt: skip
    assert all(0 <= value <= 1 for name, value in free.items() if name.startswith("planted"))
    made = next(figure for figure in document["figures"] if "transcripts" in figure["name"])
    assert "of 1 sessions; 30 ended, 30 learned from" in made["note"]
    assert made["met"]


def test_one_large_scope_is_measured_by_fresh_processes(capsys: pytest.CaptureFixture[str]) -> None:
    store_size.run(400, as_json=True)
    names = {figure["name"] for figure in printed(capsys)["figures"]}

    assert {"ingest with vectors", "hybrid recall, p50", "asking process", "memorize, p50"} <= names
