"""What a memory names, and whether a working tree still has it."""

import subprocess

import pytest

from tacit.files.working_tree import WorkingTree
from tacit.text.file_claims import MOST_CLAIMS, claims_of


@pytest.mark.parametrize(
    ("span", "kind", "text"),
    [
        ("src/app.py", "path", "src/app.py"), ("src/app.py:12", "path", "src/app.py"),
        ("./src/app.py", "path", "src/app.py"),
        ("src/app.py#L3-L9", "path", "src/app.py"), ("src/parts/", "path", "src/parts/"),
        ("read_front_matter", "name", "read_front_matter"), ("load()", "name", "load"),
        ("a.b.load(x, y)", "name", "load"),
        ("FrontMatter", "name", "FrontMatter"), ("MAX_LINES", "name", "MAX_LINES"),
        ("std::fs::read_dir", "name", "read_dir"),
        ("--dry-run", "flag", "--dry-run"), ("--limit 5", "flag", "--limit"),
        ("src/ship.sh --fast", "path", "src/ship.sh"), ("git push origin", "command", "git"),
        ("make test", "target", "test"), ("npm run build:all -- -x", "target", "build:all"),
        ("just ship", "target", "ship"),
    ],
)  # fmt: skip
def test_code_spans_claim_things(span, kind, text):
    """Paths with or without a line, names, flags, targets."""
    assert [(kind, text, 2)] == [(one.kind, one.text, one.line) for one in claims_of(f"first\nsee `{span}` there")]


@pytest.mark.parametrize(
    "span",
    ["word", "Two words", "to be, or not", "https://x.org/a.py", "x=1 y", "../x.py", "a", "8443", "x = 1", "main", ""],
)
def test_other_spans_claim_nothing(span):
    """Plain words, numbers, addresses, other programs' flags."""
    assert [] == claims_of(f"see `{span}`")


def test_claims_are_bounded():
    """A long file is not a long search."""
    assert MOST_CLAIMS == len(claims_of("".join(f"`name_{number}` " for number in range(5_000))))


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "repo"
    (root / "src" / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "src" / "app.py").write_text("def load_things(): ...\nparser.add('--dry-run')\n")
    (root / "Makefile").write_text("VERSION := 1\ntest: build\n\tpytest\n")
    (root / "package.json").write_text('{"scripts": {"build": "x"}}')
    (root / "memory").mkdir()
    (root / "memory" / "a.md").write_text("`forget_things` and `--gone`")
    return root


def test_what_is_gone_is_named_and_nothing_else(tree):
    """From any folder of the repository; a memory that lies in the tree proves nothing about itself."""
    text = (
        "`src/app.py` `src/gone.py` `src/nowhere/` `origin/main` `load_things` `forget_things()` `--dry-run` `--gone` "
        "`make test` `make ship` `make VERSION` `npm run build` `npm run lint` `just x` "
        "`git push origin` `frobctl apply x` `pytest run x` `src/gone.sh -v`"
    )
    gone = WorkingTree(tree / "src" / "deep", (tree / "memory",)).gone(claims_of(text))

    wanted = [
        "src/gone.py",
        "src/nowhere/",
        "forget_things",
        "--gone",
        "ship",
        "VERSION",
        "lint",
        "frobctl",
        "src/gone.sh",
    ]
    assert wanted == [claim.text for claim in gone]


def test_outside_a_repository_only_paths_are_looked_for(tmp_path):
    """There is no telling what else should be there."""
    gone = WorkingTree(tmp_path).gone(claims_of("`absent_things` `frobctl apply x` `src/gone.py`"))

    assert ["src/gone.py"] == [claim.text for claim in gone]


def test_without_time_nothing_is_said_to_be_gone(tree):
    """Doubt marks nothing; paths take no time."""
    gone = WorkingTree(tree, most_files=0).gone(claims_of("`absent_things` `src/gone.py`"))

    assert ["src/gone.py"] == [claim.text for claim in gone]


def test_odd_trees_are_looked_through(tree, tmp_path):
    """Links out, devices, broken lists of targets: no crash, nothing followed."""
    import os

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.py").write_text("outside_name")
    (tree / "link").symlink_to(tmp_path / "out")
    (tree / "link.py").symlink_to(tmp_path / "out" / "x.py")
    os.mkfifo(tree / "fifo")
    (tree / "package.json").write_text("[[[")

    gone = WorkingTree(tree).gone(claims_of("`outside_name` `npm run build`"))
    assert ["outside_name", "build"] == [claim.text for claim in gone]
