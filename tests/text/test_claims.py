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


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("The parser is in src/parse/tokens.py.", ["src/parse/tokens.py"]),
        ("Run ./scripts/deploy.sh, then check (docs/ops/runbook.md).", ["scripts/deploy.sh", "docs/ops/runbook.md"]),
        ("see 'app/models/user.rb:42' or \u201capi/x.graphql\u201d", ["app/models/user.rb", "api/x.graphql"]),
        (".github/workflows/ci.yml runs it; deploy/Dockerfile too", [".github/workflows/ci.yml", "deploy/Dockerfile"]),
        ("`src/a.py` and src/a.py", ["src/a.py"]),
        ("web/src/app.tsx#L3-L9", ["web/src/app.tsx"]),
        ("tests/test_retry.py::TestRetry::test_backoff[3-a] is flaky", ["tests/test_retry.py"]),
        ("The image is built from ./docker/Dockerfile.prod by ./bin/build", ["docker/Dockerfile.prod", "bin/build"]),
        ("Read [the guide](docs/howto.md#how-to) and [this](docs/x.md).", ["docs/howto.md", "docs/x.md"]),
        ("Migrations live in db/migrations/, seeds in db/seeds/.", ["db/migrations/", "db/seeds/"]),
    ],
)  # fmt: skip
def test_paths_are_known_without_code_spans(text, paths):
    """S5: facts are sentences, and few people quote the paths in them."""
    assert paths == [one.text for one in claims_of(text) if one.kind == "path"]


@pytest.mark.parametrize("text", [
    "and/or", "TCP/IP", "origin/main", "read/write.", "n/a", "1/2.5", "node/18.x", "github.com/acme/app.py",
    "https://x.org/a/b.py", "/etc/nginx/nginx.conf", "~/notes/a.md", "$HOME/a/b.sh", "@types/node/index.d.ts",
    "--out=reports/x.xml", "dist/app.js", "node_modules/x/y.js", "../up/x.py", "application/json", "feature/v1.2",
    "C:/x/y.py", "a/b", "either/or.then", "feature/", "./../x.py", "[a](https://x.org/b.md)", "a::b/c",
    "github.com/a/b/",
])  # fmt: skip
def test_other_words_with_slashes_are_no_paths(text):
    """S5: hosts, absolute paths, what is built, branches, versions and plain words are not said to be gone."""
    assert [] == claims_of(f"we use {text} here")


def test_a_folder_is_gone_only_below_one_that_is_there(tree):
    """S5: what ends in a slash may as well be a place in a bucket."""
    (tree / "db").mkdir()
    gone = WorkingTree(tree).gone(claims_of("rows are in db/migrations/, logs in bucket/2026/"))

    assert ["db/migrations/"] == [claim.text for claim in gone]


def test_a_path_in_a_part_of_the_repository_is_there(tree):
    """S5: a memory of a large repository names paths from the folder of its part."""
    (tree / "packages" / "web" / "lib").mkdir(parents=True)
    (tree / "packages" / "web" / "lib" / "x.ts").write_text("")
    gone = WorkingTree(tree).gone(claims_of("lib/x.ts and web/lib/x.ts and lib/y.ts"))

    assert ["lib/y.ts"] == [claim.text for claim in gone]
