"""Runs the README's tour and puts the real output under each command.

usage: tour.py print|write

Every line of a ```console block that begins with `$ ` is run, in order, in one scratch home. Ids, days and the scratch
folder are written in a fixed form, since they differ from run to run. A test compares the README with a fresh run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "README.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_FIXED = ((re.compile(r"\b[0-9A-HJKMNP-TV-Z]{8}\b"), "K7H2MQ4X"), (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "2026-03-01"))


def fixed(text: str, folder: str) -> str:
    """Write what differs from run to run in one form."""
    text = text.replace(folder, "~")
    for pattern, form in _FIXED:
        text = pattern.sub(form, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def ran(text: str) -> str:
    """Give the text with the real output under every command."""
    with tempfile.TemporaryDirectory(prefix="tacit-tour-") as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TACIT_")}
        own = {"HOME": folder, "TACIT_HOME": f"{folder}/.tacit", "COLUMNS": "200", "NO_COLOR": "1", "USER": "you"}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return _BLOCK.sub(lambda block: _block(block[1], {**kept, **own, "PATH": path}, folder), text)


def _block(block: str, env: dict[str, str], folder: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    shown = [f"{line}\n{_output(line[2:], env, folder)}".rstrip() for line in commands]
    return "```console\n" + "\n".join(shown) + "\n```"


def _output(line: str, env: dict[str, str], folder: str) -> str:
    done = subprocess.run(
        shlex.split(line, comments=True), env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    return fixed(done.stdout + done.stderr, folder)


def main(words: list[str]) -> int:
    """Print or write the README."""
    text = ran(TARGET.read_text(encoding="utf-8"))
    match words:
        case ["print"]:
            print(text, end="")
        case ["write"]:
            TARGET.write_text(text, encoding="utf-8")
            print(f"wrote {TARGET.name}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
