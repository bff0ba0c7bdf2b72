"""Takes the scripts and styles of the dashboard from their npm packages, at the versions named here.

usage: vendor_web.py write|check

`write` needs npm and a package index; it writes the files, their licences and vendor.json beside them. `check` compares
the files with vendor.json and needs neither.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "tacit" / "doors" / "web" / "static" / "vendor"
LIST = TARGET / "vendor.json"
LICENCE_FILE = "package/LICENSE"
# package -> version, licence as SPDX names it, files
PACKAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "htmx.org": ("2.0.11", "0BSD", ("dist/htmx.min.js",)),
    "uplot": ("1.6.32", "MIT", ("dist/uPlot.iife.min.js", "dist/uPlot.min.css")),
    "d3-dispatch": ("3.0.2", "ISC", ("dist/d3-dispatch.min.js",)),
    "d3-quadtree": ("3.0.2", "ISC", ("dist/d3-quadtree.min.js",)),
    "d3-timer": ("3.0.2", "ISC", ("dist/d3-timer.min.js",)),
    "d3-force": ("3.0.1", "ISC", ("dist/d3-force.min.js",)),
}


def packed(name: str, version: str, folder: Path) -> Path:
    """Fetch a package with npm, and return its archive."""
    words = ["npm", "pack", "--silent", "--pack-destination", str(folder), f"{name}@{version}"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return folder / done.stdout.strip().splitlines()[-1]


def taken(archive: Path, wanted: tuple[str, ...]) -> dict[str, bytes]:
    """Return the named files of a package and its licence, by their names here."""
    stem = archive.name.rpartition("-")[0]
    with tarfile.open(archive) as source:
        names = {f"package/{name}": Path(name).name for name in wanted} | {LICENCE_FILE: f"{stem}.LICENSE"}
        found = {kept: source.extractfile(name) for name, kept in names.items()}
        return {kept: file.read() for kept, file in found.items() if file is not None}


def write() -> int:
    """Write the files of every package, and the list of them."""
    listed = []
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        for name, (version, licence, wanted) in PACKAGES.items():
            files = taken(packed(name, version, Path(folder)), wanted)
            for kept, content in files.items():
                (TARGET / kept).write_bytes(content)
            hashes = {kept: hashlib.sha256(content).hexdigest() for kept, content in sorted(files.items())}
            listed.append({"package": name, "version": version, "licence": licence, "sha256": hashes})
    LIST.write_text(json.dumps({"packages": listed}, indent=2) + "\n", encoding="utf-8")
    return check()


def check() -> int:
    """Compare the files with the list; return 0 if they agree."""
    listed = json.loads(LIST.read_text(encoding="utf-8"))["packages"]
    expected = {name: digest for one in listed for name, digest in one["sha256"].items()}
    there = {path.name: path.read_bytes() for path in TARGET.iterdir() if path != LIST}
    actual = {name: hashlib.sha256(content).hexdigest() for name, content in there.items()}
    wrong = sorted(name for name in expected.keys() | actual.keys() if expected.get(name) != actual.get(name))
    if wrong:
        print(f"not as vendor.json says: {', '.join(wrong)}; `tools/vendor_web.py write` fetches them anew")
        return 1
    print(f"{len(actual)} files, {sum(map(len, there.values())):,} bytes, as vendor.json says")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["write"], ["check"]):
        sys.exit(__doc__)
    sys.exit(write() if sys.argv[1] == "write" else check())
