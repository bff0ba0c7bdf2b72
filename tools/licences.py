"""Judges the licences and known vulnerabilities of everything in requirements.lock.

usage: licences.py check|write|vulnerabilities

`check` compares every locked package with the allow-list and THIRD_PARTY_LICENSES.md with what it should say, `write`
writes that file, `vulnerabilities` asks pip-audit. Licences are read from the installed packages' own metadata.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
TARGET = ROOT / "THIRD_PARTY_LICENSES.md"
VENDORED = ROOT / "src" / "tacit" / "doors" / "web" / "static" / "vendor" / "vendor.json"

ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip
# Weak copyleft, judged package by package: used unmodified, nothing of it is copied into ours.
EXCUSED = {
    ("certifi", "MPL-2.0"): "a data file of root certificates, used unmodified; only requests needs it",
    ("hypothesis", "MPL-2.0"): "a development tool, never shipped",
    ("pathspec", "MPL-2.0"): "a development tool's dependency, never shipped",
    ("psycopg", "LGPL-3.0-only"): "the PostgreSQL driver, an optional extra, used unmodified",
    ("psycopg-binary", "LGPL-3.0-only"): "as psycopg",
    ("psycopg-pool", "LGPL-3.0-only"): "as psycopg",
    ("tqdm", "MPL-2.0"): "used unmodified; only huggingface-hub needs it",
}
# What metadata says in words, in SPDX terms.
SPDX = {
    "apache 2.0": "Apache-2.0",
    "apache license": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0-only",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
}
# Locked for platforms other than those we support, so never installed; read once from their own files.
OTHER = "other platforms"
ELSEWHERE = {"colorama": "BSD-3-Clause", "httpx2-jsfetch": "BSD-3-Clause", "tzdata": "Apache-2.0"}


@dataclass(frozen=True)
class Package:
    """One locked package: what it is, what it is needed for, under which licence."""

    name: str
    versions: tuple[str, ...]
    licence: str
    part: str

    @property
    def wrong(self) -> str:
        """Say why the licence is not accepted, or nothing."""
        if not self.licence:
            return f"{self.name}: no licence is known; install it or read its files"
        for term in re.split(r"\s+AND\s+", self.licence.strip("()")):
            choices = re.split(r"\s+OR\s+", term.strip("()"))
            if not any(choice in ALLOWED or (self.name, choice) in EXCUSED for choice in choices):
                return f"{self.name}: {term} is not on the allow-list"
        return ""


def locked() -> dict[str, list[str]]:
    """Return the locked names with their versions; a name has several when they differ by Python version."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", LOCK.read_text(encoding="utf-8"), re.M):
        found.setdefault(canonicalize_name(name), []).append(version)
    return found


def licence(name: str) -> str:
    """Return the SPDX expression of an installed package, or nothing when it is not installed or does not say."""
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classifiers = [c.split(" :: ")[-1] for c in metadata.get_all("Classifier") or [] if c.startswith("License ::")]
    words = classifiers or (metadata.get_all("License") or [""])[0].strip().splitlines()[:1]
    return " AND ".join(SPDX.get(word.strip().lower(), word.strip()) for word in words)


def recorded() -> dict[str, tuple[str, str]]:
    """Return (licence, part) of what this platform does not install, as THIRD_PARTY_LICENSES.md has it, or as read."""
    found: dict[str, tuple[str, str]] = {}
    part = ""
    for line in TARGET.read_text(encoding="utf-8").splitlines() if TARGET.exists() else ():
        if line.startswith("## "):
            part = line[3:].lower()
        elif len(cells := [cell.strip() for cell in line.split("|")]) == 5 and part:
            found[cells[1]] = (cells[3], part)
    return found | {name: (expression, OTHER) for name, expression in ELSEWHERE.items()}


def parts() -> dict[str, str]:
    """Tell what each package is needed for: the core, an extra, or (when in neither) development."""
    found: dict[str, str] = {}
    extras = [e for e in importlib.metadata.metadata("tacit").get_all("Provides-Extra") or [] if e != "all"]
    for part, extra in [("core", ""), *((f"extra {e}", e) for e in extras)]:
        rest = [("tacit", extra)]
        done = set()
        while rest:
            name, wanted = rest.pop()
            if (name, wanted) in done:
                continue
            done.add((name, wanted))
            if name != "tacit":
                found.setdefault(name, part)
            rest += requirements(name, wanted)
    return found


def requirements(name: str, extra: str) -> list[tuple[str, str]]:
    """Return what an installed package needs here, each with the extras it asks for."""
    try:
        lines = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    wanted = [r for r in map(Requirement, lines) if r.marker is None or r.marker.evaluate({"extra": extra})]
    return [(canonicalize_name(r.name), e) for r in wanted for e in ("", *sorted(r.extras))]


def packages() -> list[Package]:
    """Return every locked package, sorted by name."""
    part, known = parts(), recorded()
    installed = {canonicalize_name(d.name) for d in importlib.metadata.distributions()}
    return [
        Package(name, tuple(versions), licence(name), part.get(name, "development"))
        if name in installed
        else Package(name, tuple(versions), *known.get(name, ("", OTHER)))
        for name, versions in sorted(locked().items())
    ]


def vendored() -> list[dict[str, str]]:
    """Return the npm packages whose files the dashboard contains."""
    found: list[dict[str, str]] = json.loads(VENDORED.read_text(encoding="utf-8"))["packages"]
    return found


def document(found: list[Package]) -> str:
    """Return the text of THIRD_PARTY_LICENSES.md."""
    lines = [
        "# Third-party licences",
        "",
        "tacit itself is MIT (see LICENSE). These packages are installed beside it, under their own licences.",
        "Written by `make licences` from `requirements.lock`.",
        "",
        "## Contained in the dashboard",
        "",
        "Scripts and styles under `tacit/doors/web/static/vendor`, each beside its licence.",
        "",
        "| npm package | version | licence |",
        "| --- | --- | --- |",
        *(f"| {one['package']} | {one['version']} | {one['licence']} |" for one in vendored()),
    ]
    for part in sorted({p.part for p in found}, key=lambda p: (p != "core", p in {"development", OTHER}, p)):
        lines += ["", f"## {part[0].upper()}{part[1:]}", "", "| package | version | licence |", "| --- | --- | --- |"]
        lines += [f"| {p.name} | {', '.join(p.versions)} | {p.licence} |" for p in found if p.part == part]
    reasons = [(p.name, EXCUSED[p.name, term]) for p in found for term in terms(p) if (p.name, term) in EXCUSED]
    if reasons:
        lines += ["", "## Weak copyleft, each for a reason", ""]
        lines += [f"- {name}: {reason}." for name, reason in reasons]
    return "\n".join([*lines, ""])


def terms(package: Package) -> list[str]:
    """Return the licences an expression names."""
    return re.split(r"\s+(?:AND|OR)\s+", package.licence)


def check() -> int:
    """Print what is wrong with the licences; 0 when nothing is."""
    found = packages()
    wrong = [p.wrong for p in found if p.wrong]
    wrong += [f"{one['package']}: {one['licence']} is not on the allow-list" for one in vendored()
              if one["licence"] not in ALLOWED]  # fmt: skip
    if not TARGET.exists() or document(found) != TARGET.read_text(encoding="utf-8"):
        wrong.append(f"{TARGET.name} is not current: run `make licences`")
    for line in wrong:
        print(line)
    if not wrong:
        print(f"licences: {len(found)} locked packages, all on the allow-list")
    return 1 if wrong else 0


def vulnerabilities() -> int:
    """Ask pip-audit; say plainly for how many packages nobody answered."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "-r", str(LOCK)]
    try:
        done = subprocess.run(
            [*command, "--format", "json", "--progress-spinner", "off"],
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        answers = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        print("vulnerabilities: NOT checked, because no advisory service answered")
        return 0
    asked = [a for a in answers if "skip_reason" not in a]
    bad = [(a["name"], a["version"], v) for a in asked for v in a["vulns"]]
    for name, version, vulnerability in bad:
        fixed = ", ".join(vulnerability["fix_versions"]) or "none"
        print(f"{name} {version}: {vulnerability['id']} (fixed in: {fixed})")
    if len(asked) < len(answers):
        print(f"vulnerabilities: {len(answers) - len(asked)} of {len(answers)} packages NOT checked, "
              "because the index gave no advisories for them")  # fmt: skip
    if asked:
        print(f"vulnerabilities: {len(bad)} known in {len(asked)} packages checked")
    return 1 if bad else 0


def main(arguments: list[str]) -> int:
    """Do what the one argument says."""
    match arguments:
        case ["check"]:
            return check()
        case ["vulnerabilities"]:
            return vulnerabilities()
        case ["write"]:
            TARGET.write_text(document(packages()), encoding="utf-8")
            print(f"wrote {TARGET.name}")
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
