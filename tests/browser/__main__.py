"""`python -m tests.browser`: every page and action of the dashboard in a real browser. `make test-web` runs it.

Screenshots for the docs come from the same run. Without a browser it says what to install, and that nothing was tested.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.browser.chromium import program

CHECKS = Path(__file__).parent / "pages.py"


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"test-web: {line}\n")
    sys.stdout.flush()


def installed() -> bool:
    """Return whether there is a browser; as root on Debian it is installed first."""
    if program():
        return True
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing chromium with apt-get")
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            done = subprocess.run(["apt-get", "-qq", *words], env=env, capture_output=True, text=True, check=False)
            if done.returncode:
                say(f"apt-get {words[0]} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
                break
    return bool(program())


def main(words: list[str]) -> int:
    """Run the checks, and return the exit code."""
    if not installed():
        say("NOT tested, because there is no chromium here; `apt-get install chromium`, then `make test-web` again")
        return 0
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:xdist", str(CHECKS), *words]
    return subprocess.run(line, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
