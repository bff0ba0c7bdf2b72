"""The repository names no machine and no package index, and every module says what it is."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

# Taken before any test changes HOME.
MACHINE = {str(path) for path in (ROOT, Path.home()) if len(path.parts) > 2}
EXAMPLE_USERS = "alice|bob|dev|me|user|you"
# Written with a bracket each, so that this file does not match itself.
PATTERNS = {
    "a machine's path": re.compile(rf"(?<![\w.~$}}-])/(?:[w]ork|[r]oot|home/(?!(?:{EXAMPLE_USERS})/)[a-z_][\w.-]*)/"),
    "a person's folder": re.compile(rf"(?<![\w.~-])/[U]sers/(?!(?:{EXAMPLE_USERS})/)[\w.-]+/"),
    "a package index": re.compile(
        r"--(?:extra-)?[i]ndex-url|https?://[^\s\"'`)]+/[s]imple\b|^\s*[i]ndex-url\s*=", re.M
    ),
    "a resolved address in a lock": re.compile(r'"[r]esolved":\s*"http|^\s*[r]egistry\s*=\s*"?http', re.M),
}
# Files that may match, with the reason: {("docs/caveats.md", "a machine's path"): "why"}
EXCUSED: dict[tuple[str, str], str] = {}


def tracked() -> list[Path]:
    """Return the files git knows or would add, or skip where this is not a checkout."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [path for name in done.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def texts() -> list[tuple[str, str]]:
    """Return (name, text) of every tracked text file."""
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content[:8192]:
            found.append((path.relative_to(ROOT).as_posix(), content.decode("utf-8", "replace")))
    return found


def test_no_machine_and_no_index_is_named() -> None:
    """A clone works anywhere: no absolute path of a machine, no address of an index."""
    wrong = []
    for name, text in texts():
        wrong += [f"{name}: {path}" for path in MACHINE if path in text]
        for what, pattern in PATTERNS.items():
            hit = pattern.search(text)
            if hit and (name, what) not in EXCUSED:
                wrong.append(f"{name}:{text.count(chr(10), 0, hit.start()) + 1}: {what}: {hit.group()!r}")

    assert [] == wrong


def test_every_module_starts_with_a_docstring() -> None:
    """The first statement of every module says what it is for."""
    wrong = [
        path.relative_to(ROOT).as_posix()
        for folder in ("src", "tests", "tools")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert [] == wrong
