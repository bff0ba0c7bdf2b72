"""Runs the examples of README.md and docs/ and puts the real output under each command.

usage: tour.py print|write [PAGE…]

Every line of a ```console block that begins with `$ ` is run by a shell, in order, in one scratch home per page; `cd`
holds for the rest of the page. Ids, times, the machine and the scratch folder are written in a fixed form, since they
differ from run to run: the first id that a page prints is always the same, the second another one, and so on; in a
command such an id stands for the real one. A test compares each page with a fresh run.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"(?<!:)\b[0-9A-HJKMNP-TV-Z]{8}\b")
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_FIXED = (
    # First, because a tag may happen to have digits only, as an id may.
    (re.compile(r"(?<=\[redacted:)([a-z-]+):[0-9a-f]{8}\b"), r"\1:5f0c2a91"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "2026-03-01"),
    (re.compile(r"\b2026-03-01([ T])\d\d:\d\d\b"), r"2026-03-01\g<1>10:00"),
    (re.compile(r"\b20\d\d-W\d\d\b"), "2026-W10"),
    (re.compile(r"\b\d+\.\d\d s\b"), "0.01 s"),
    (re.compile(rf"\bhost {re.escape(socket.gethostname())}\b"), "host laptop"),
)


def pages() -> list[Path]:
    """Return the pages that have examples to run, the README first."""
    found = [README, *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if _BLOCK.search(page.read_text(encoding="utf-8"))]


def shown_id(number: int) -> str:
    """Give the form of the n-th id of a page."""
    return "".join(_DIGITS[byte % len(_DIGITS)] for byte in hashlib.sha256(b"%d" % number).digest()[:8])


def fixed(text: str, folder: str, ids: dict[str, str]) -> str:
    """Write what differs from run to run in one form; `ids` gets each new id with its form."""
    text = _ID.sub(lambda found: ids.setdefault(found[0], shown_id(len(ids))), text.replace(folder, "~"))
    for pattern, form in _FIXED:
        text = pattern.sub(form, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def ran(text: str) -> str:
    """Give the text with the real output under every command."""
    with tempfile.TemporaryDirectory(prefix="tacit-tour-") as folder:
        shell = _Shell(Path(folder).resolve())
        return _BLOCK.sub(lambda block: "```console\n" + "\n".join(shell.shown(block[1])) + "\n```", text)


class _Shell:
    """Runs lines one after the other in one scratch home, and remembers the directory."""

    def __init__(self, home: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TACIT_")}
        own = {"HOME": str(home), "TACIT_HOME": f"{home}/.tacit", "COLUMNS": "200", "NO_COLOR": "1", "USER": "you"}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        self._env = {**kept, **own, "PATH": path}
        self._home = self._cwd = home
        self._ids: dict[str, str] = {}

    def shown(self, block: str) -> Iterator[str]:
        for line in block.splitlines():
            if line.startswith("$ cd "):
                self._cwd = (self._cwd / line.removeprefix("$ cd ")).resolve(strict=True)
                yield line
            elif line.startswith("$ "):
                yield f"{line}\n{self._output(line[2:])}".rstrip()

    def _output(self, line: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", self._with_ids(line)], env=self._env, cwd=self._cwd, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=600,
        )  # fmt: skip
        return fixed(done.stdout, str(self._home), self._ids)

    def _with_ids(self, line: str) -> str:
        real = {shown: id for id, shown in self._ids.items()}
        return _ID.sub(lambda found: real.get(found[0], found[0]), line)


def main(words: list[str]) -> int:
    """Print or write pages."""
    match words:
        case ["print" | "write" as verb, *names]:
            for page in [Path(name).resolve() for name in names] or pages():
                text = ran(page.read_text(encoding="utf-8"))
                if verb == "print":
                    print(text, end="")
                else:
                    page.write_text(text, encoding="utf-8")
                    print(f"wrote {page.relative_to(ROOT)}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
