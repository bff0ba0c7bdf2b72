"""Build the small C client that agents call for every hook, where a C compiler exists."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_COMPILERS = ("cc", "gcc", "clang")
_TIMEOUT_S = 60


def build_client(source: Path, target: Path, program: str, version: str) -> str:
    """Compile the client for a `tacit` program, and return why there is none; empty if it was built.

    A client that was built for the same program and version is kept as it is.
    """
    built = f"tacit-hook {version} for {program}"
    if _says(target) == built:
        return ""
    builds = compiler()
    if not builds:
        return "there is no C compiler"
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    problem = ""
    try:
        # Linked statically it starts faster; not every system can.
        for how in (["-static"], []):
            done = subprocess.run(
                [builds, "-O2", *how, f'-DTACIT="{_c_text(program)}"', f'-DBUILT="{_c_text(built)}"', "-o",
                 str(fresh), str(source)],
                capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
            )  # fmt: skip
            if done.returncode == 0 and _says(fresh) == built:
                fresh.chmod(0o700)
                fresh.replace(target)
                return ""
            problem = " ".join(done.stderr.split())[:200]
    except (OSError, subprocess.SubprocessError) as error:
        problem = str(error)[:200]
    finally:
        fresh.unlink(missing_ok=True)
    return f"{builds} could not build it: {problem}"


def compiler() -> str:
    """Return the path of a C compiler; empty if there is none."""
    return next((found for name in _COMPILERS if (found := shutil.which(name))), "")


def _says(client: Path) -> str:
    """Return what a client says of itself; empty if it does not run."""
    try:
        done = subprocess.run([str(client), "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _c_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
