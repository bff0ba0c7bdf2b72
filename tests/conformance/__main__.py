"""`python -m tests.conformance`: the official MCP suite against our server. `make conformance` runs it.

Two surfaces are checked. `product` is what `tacit mcp --http` offers; scenarios that need fixtures or features it does
not have are listed in expected/, and an entry that passes after all is an error. `fixtures` is a server with what the
suite calls by name, on the same HTTP app. `--write` writes the table into docs/mcp.md and the lists into expected/.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "conformance"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@22"
EXPECTED = Path(__file__).parent / "expected"
DOCS = ROOT / "docs" / "mcp.md"
REVISIONS = ("2026-07-28", "2025-11-25")
SURFACES = ("product", "fixtures")
_BEGIN, _END = "<!-- conformance: begin -->", "<!-- conformance: end -->"
_SCENARIO = re.compile(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed", re.M)
# Extensions and scenarios that the revision does not require yet.
_UNSCORED = re.compile(r"^  [✓✗] ([\w-]+) \(", re.M)
_STARTS_WITHIN_S = 120.0


class Outcome(NamedTuple):
    """The result of one surface and revision: the checks that passed and failed, by scenario."""

    surface: str
    revision: str
    scenarios: dict[str, tuple[int, int]]
    output: str

    @property
    def failing(self) -> list[str]:
        """The scenarios with failed checks."""
        return [name for name, (_passed, failed) in self.scenarios.items() if failed]

    @property
    def surprises(self) -> list[str]:
        """What is not as expected: scenarios that fail and are not listed, or are listed and pass."""
        listed = set(expected(self.surface, self.revision).read_text().split())
        return sorted(listed ^ set(self.failing)) if self.scenarios else ["nothing ran"]


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def installed() -> str:
    """Install the suite and a Node that it runs on; return what is missing, in a sentence."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return "install Node and npm, then run `make conformance` again"
    if not (WORK / "node_modules" / SUITE.rpartition("@")[0]).is_dir():
        WORK.mkdir(parents=True, exist_ok=True)
        (WORK / "package.json").write_text('{"private": true}\n')
        say(f"installing {SUITE} and {NODE} into {WORK.relative_to(ROOT)}")
        words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", NODE, SUITE]
        done = subprocess.run(words, cwd=WORK, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"npm could not install {SUITE}: {(done.stderr.strip().splitlines() or ['?'])[-1]}"
    return ""


def suite(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the suite with its own Node."""
    program = WORK / "node_modules" / SUITE.rpartition("@")[0] / "dist" / "index.js"
    node = WORK / "node_modules" / ".bin" / "node"
    return subprocess.run([node, program, *words], cwd=WORK, capture_output=True, text=True, check=False)


def run(surface: str, revision: str) -> Outcome:
    """Run all scenarios that a revision requires against a surface."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port = line.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "TACIT_HOME": home, "TACIT_EMBEDDER": "off"}
        log = (WORK / f"{surface}-{revision}.log").open("wb")
        server = subprocess.Popen(
            [sys.executable, "-m", f"tests.conformance.{surface}_server", str(port)], cwd=ROOT, env=env, stdout=log,
            stderr=log,
        )  # fmt: skip
        try:
            _wait_for(server, port)
            done = suite("server", "--url", f"http://127.0.0.1:{port}/mcp", "--requirements", revision)
        finally:
            server.terminate()
            server.wait()
            log.close()
    unscored = set(_UNSCORED.findall(done.stdout))
    found = {
        name: (int(passed), int(failed))
        for name, passed, failed in _SCENARIO.findall(done.stdout)
        if name not in unscored
    }
    return Outcome(surface, revision, found, done.stdout + done.stderr)


def expected(surface: str, revision: str) -> Path:
    """Return the file that lists the scenarios of a surface that fail, one a line."""
    return EXPECTED / f"{surface}-{revision}.txt"


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("conformance: the server did not start")


def table(outcomes: list[Outcome]) -> str:
    """Return the results as a Markdown table."""
    lines = ["| surface | revision | scenarios passed | checks passed | checks failed | as expected |",
             "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for one in outcomes:
        sums = Counter[str]()
        for passed, failed in one.scenarios.values():
            sums.update(passed=passed, failed=failed)
        good = f"{len(one.scenarios) - len(one.failing)} of {len(one.scenarios)}"
        lines.append(
            f"| {one.surface} | {one.revision} | {good} | {sums['passed']} | {sums['failed']} "
            f"| {'no: ' + ', '.join(one.surprises) if one.surprises else 'yes'} |"
        )
    return "\n".join(lines)


def write(outcomes: list[Outcome]) -> None:
    """Write what failed into expected/, and the table into the documentation."""
    for one in outcomes:
        expected(one.surface, one.revision).write_text("".join(f"{name}\n" for name in one.failing))
    before, _, rest = DOCS.read_text().partition(_BEGIN)
    DOCS.write_text(f"{before}{_BEGIN}\n{table(outcomes)}\n{_END}{rest.partition(_END)[2]}")


def main() -> None:
    """Run the suite and print the table; exit 1 if something is not as expected."""
    options = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    options.add_argument("--write", action="store_true", help="take the results as the expected ones")
    given = options.parse_args()
    if missing := installed():
        say(f"conformance: left out; {missing}")
        return
    outcomes = [run(surface, revision) for surface in SURFACES for revision in REVISIONS]
    if given.write:
        write(outcomes)
    say(table(outcomes))
    for one in outcomes:
        (WORK / f"{one.surface}-{one.revision}.out").write_text(one.output)
    if any(one.surprises for one in outcomes):
        sys.exit(f"conformance: not as expected; {WORK.relative_to(ROOT)}/*.out and *.log say more")


if __name__ == "__main__":
    main()
