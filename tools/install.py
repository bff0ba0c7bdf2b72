"""Run pip and show how far it is: one line that counts packages; its own output only if it fails.

usage: install.py TOTAL COMMAND...
"""

from __future__ import annotations

import subprocess
import sys


def main(total: int, command: list[str]) -> int:
    """Run a command of pip, and return its exit code."""
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        count = 0
        for line in running.stdout or ():
            lines.append(line)
            count += line.startswith("Collecting ")
            if line.startswith("Collecting ") and (sys.stdout.isatty() or count % 10 == 0):
                what = f"  {count} of {total} packages ({100 * count // max(total, 1)} %)"
                print(f"\r{what}" if sys.stdout.isatty() else what, end="" if sys.stdout.isatty() else "\n", flush=True)
            elif line.startswith("Installing "):
                print("\n  installing …" if sys.stdout.isatty() else "  installing …", flush=True)
    if running.returncode:
        print("".join(lines[-40:]), file=sys.stderr)
    return running.returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
