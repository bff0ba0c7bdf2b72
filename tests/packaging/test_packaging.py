"""Wheel and sdist are complete, and the wheel works in an empty environment with nothing but what it requires.

Nothing here asks a package index; `make packaging` installs from one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.docs.pages import ROOT
from tests.packaging.installed import MB, copy_into, installed, needed, size_bytes, tacit_in

CORE_MB = 40
ALL_MB = 190


def build(source: Path, target: Path, *kinds: str) -> list[Path]:
    """Build distributions with the locked backend, without an isolated environment."""
    before = set(target.iterdir())
    asked = [word for kind in kinds for word in ("-t", kind)]
    line = [sys.executable, "-m", "hatchling", "build", "-d", str(target), *asked]
    subprocess.run(line, cwd=source, check=True, capture_output=True, timeout=300)
    return sorted(set(target.iterdir()) - before)


def contents(wheel: Path) -> dict[str, int]:
    """Return the checksum of every file in a wheel."""
    with ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a wheel and an sdist of this tree."""
    wheel, sdist = build(ROOT, tmp_path_factory.mktemp("dist"), "sdist", "wheel")
    return wheel, sdist


@pytest.fixture
def site(built, tmp_path) -> Path:
    """Return the site-packages folder of an empty environment in which the wheel lies."""
    venv.create(tmp_path / "empty", with_pip=False)
    [site] = (tmp_path / "empty").glob("lib/python*/site-packages")
    with ZipFile(built[0]) as archive:
        archive.extractall(site)  # noqa: S202 - we built it
    return site


def test_a_wheel_from_the_sdist_is_the_same(built, tmp_path):
    """What is needed to build is in the sdist, and so are the tests and the docs."""
    wheel, sdist = built
    dist, unpacked = tmp_path / "dist", tmp_path / "unpacked"
    dist.mkdir()
    with tarfile.open(sdist) as archive:
        # Python before 3.11.4 has no filters; it is our own archive.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(unpacked)  # noqa: S202
    [source] = unpacked.iterdir()

    [again] = build(source, dist, "wheel")

    assert contents(wheel) == contents(again)
    assert [] == [name for name in ("docs/README.md", "tests/conftest.py", "Makefile") if not (source / name).is_file()]


def test_the_wheel_holds_the_package_and_nothing_else(built):
    """No tests, no docs, no caches; both licence files."""
    names = contents(built[0])
    strangers = [name for name in names if not re.match(r"tacit(-[^/]+\.dist-info)?/", name) or "__pycache__" in name]

    assert [] == strangers
    assert {"LICENSE", "THIRD_PARTY_LICENSES.md"} == {Path(name).name for name in names if "/licenses/" in name}


def test_the_wheel_works_in_an_empty_environment(site, tmp_path, figures):
    """With the required packages and no others, a rule is kept and found, the guard judges, and a hook answers."""
    packages = needed(tacit_in(site))
    copy_into(site, packages.values())
    home = tmp_path / "home"
    home.mkdir()
    python = tmp_path / "empty" / "bin" / "python"

    run(python, home, "remember", "we use pnpm, not npm")

    assert "npm → pnpm" in run(python, home, "list")
    assert "allow" == run(python, home, "guard", "git status").strip()
    assert "{}" in run(python, home, "hook", "claude", said='{"hook_event_name": "Stop"}')
    figures("core installed, packages", len(packages) + 1)
    size = size_bytes([tacit_in(site), *packages.values()])
    figures("core installed, MB", round(size / MB, 1))
    assert size <= CORE_MB * MB


def test_everything_together_is_small(site, figures):
    """`tacit[all]`, as the lock has it: the sum of all files, without byte code."""
    packages = needed(tacit_in(site), ["all"])

    figures("all installed, packages", len(packages) + 1)
    size = size_bytes([tacit_in(site), *packages.values()])
    figures("all installed, MB", round(size / MB, 1))
    assert size <= ALL_MB * MB


def test_search_by_meaning_needs_two_files_of_wordllama(site, tmp_path):
    """Without the packages that wordllama asks for, every vector is the same, bit for bit: `pip install --no-deps`."""
    static = pytest.importorskip("tacit.embed.static", reason="the extra `semantic` is not installed")
    copy_into(site, [*needed(tacit_in(site)).values(), installed("numpy"), installed("wordllama")])
    texts = ["The staging API listens on port 8443", "naïve café, 日本語 \U0001f600", "", "def f(x): return x + 1"]
    code = f"from tacit.embed.static import load_static; print(load_static().embed({texts!a}).tobytes().hex())"

    line = [tmp_path / "empty" / "bin" / "python", "-I", "-c", code]
    printed = subprocess.run(line, capture_output=True, text=True, check=True, timeout=300).stdout

    assert static.load_static().embed(texts).tobytes().hex() == printed.strip()


def run(python: Path, home: Path, *words: str, said: str = "") -> str:
    """Run tacit with the interpreter of an environment, and return what it prints."""
    env = {"HOME": str(home), "TACIT_HOME": str(home / ".tacit"), "PATH": os.defpath, "LANG": "C.UTF-8"}
    line = [python, "-B", "-m", "tacit", *words]
    done = subprocess.run(line, env=env, cwd=home, input=said, capture_output=True, text=True, check=False, timeout=300)
    assert 0 == done.returncode, done.stderr
    return done.stdout
