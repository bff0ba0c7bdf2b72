"""Installs the wheel from a package index into empty environments, and prints how large they become.

usage: packaging.py

Three sets: the core, `all`, and `all` without the packages that wordllama asks for, since tacit reads two files of
wordllama and imports nothing. Sizes are as `du` counts them, in MB, without pip, setuptools and byte code. `make test`
measures the first two from the lock, without an index.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
INSTALLER = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
STARTS = "import tacit.doors.cli.main"
MEANS = "from tacit.embed.static import load_static; load_static()"


class Installation(NamedTuple):
    """What is given to pip, call by call, and a line of Python that must run afterwards."""

    calls: list[list[str]]
    check: str


SETS = {
    "core": Installation([["{wheel}"]], STARTS),
    "all": Installation([["{wheel}[all]"]], MEANS),
    "all, wordllama alone": Installation(
        [["{wheel}[mcp,postgres,redact]", "numpy>=2"], ["--no-deps", "wordllama>=0.4"]], MEANS
    ),
}


def main() -> int:
    """Build, install and measure."""
    with tempfile.TemporaryDirectory(prefix="tacit-packaging-") as folder:
        _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
        [wheel] = Path(folder).glob("*.whl")
        print(f"{'set':<22}{'MB':>6}{'packages':>10}")
        for number, (name, installation) in enumerate(SETS.items()):
            target = Path(folder) / str(number)
            venv.create(target, with_pip=True)
            python = str(target / "bin" / "python")
            for words in installation.calls:
                asked = [word.format(wheel=wheel) for word in words]
                _run(python, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-compile", *asked)
            _run(python, "-B", "-c", installation.check)
            [site] = target.glob("lib/python*/site-packages")
            kept = [path for path in site.iterdir() if not path.name.startswith(INSTALLER)]
            packages = sum(path.name.endswith(".dist-info") for path in kept)
            print(f"{name:<22}{sum(map(_disk_bytes, kept)) / 2**20:>6.0f}{packages:>10}", flush=True)
    return 0


def _disk_bytes(path: Path) -> int:
    """Return the blocks of a file or of everything below a folder, in bytes."""
    below = path.rglob("*") if path.is_dir() else ()
    return sum(each.lstat().st_blocks * 512 for each in (path, *below))


def _run(*words: str, cwd: Path | None = None) -> None:
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


if __name__ == "__main__":
    sys.exit(main())
