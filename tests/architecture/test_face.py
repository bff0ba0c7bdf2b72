"""The public face is `__all__`, documented, and light to import."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types

import pytest

from tests.architecture.source import ROOT

FACES = ("tacit", "tacit.testing")
HEAVY = {"click", "numpy", "rich", "sqlite3", "tokenizers", "wordllama"}


@pytest.mark.parametrize("name", FACES)
def test_the_face_is_exactly_all(name: str) -> None:
    """Every public name is in `__all__`, every name in `__all__` exists, sorted without regard to case."""
    face = importlib.import_module(name)
    shown = {n for n in dir(face) if not n.startswith("_") and _is_own(face, n)}

    assert sorted(face.__all__, key=str.casefold) == list(face.__all__)
    assert [] == [n for n in face.__all__ if not hasattr(face, n)]
    assert {n for n in face.__all__ if not n.startswith("_")} == shown, "define __dir__ to return __all__"


def _is_own(face: types.ModuleType, name: str) -> bool:
    """Tell whether a name is shown on purpose: no module, and at `tacit.testing` nothing it imported for itself."""
    thing = getattr(face, name)
    if isinstance(thing, types.ModuleType):
        return False
    return face.__name__ == "tacit" or getattr(thing, "__module__", None) == face.__name__


def test_the_documented_api_is_current() -> None:
    """docs/api.txt is what tools/api.py prints; `make api` writes it."""
    printed = _python(str(ROOT / "tools" / "api.py"), "print")

    assert printed == (ROOT / "docs" / "api.txt").read_text(encoding="utf-8"), "run `make api`"


def test_the_rules_of_the_guard_are_described_as_they_are():
    """docs/guard-rules.md is what tools/guard_rules.py prints; `make api` writes it."""
    printed = _python(str(ROOT / "tools" / "guard_rules.py"), "print")

    assert printed == (ROOT / "docs" / "guard-rules.md").read_text(encoding="utf-8"), "run `make api`"


def test_importing_the_package_is_light() -> None:
    """`import tacit` loads nothing that a quick command would have to pay for."""
    # What was there before does not count: coverage, when it measures this run, brings modules of its own.
    program = "import sys; before = set(sys.modules); import tacit; print(*(set(sys.modules) - before))"
    loaded = _python("-c", program).split()

    assert set() == {name.split(".")[0] for name in loaded} & HEAVY


def _python(*args: str) -> str:
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
