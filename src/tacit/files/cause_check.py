"""Check whether the cause of a failure still stands, by looking below the project and on PATH. Nothing is run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from tacit.files.plain_file import read_plain
from tacit.text.patterns import lazy_pattern

Looked = Literal["stands", "gone", "unknown"]
MOST_LOOKS = 20
MOST_FILES = 3
MOST_BYTES = 256 * 1024
_MODULE_FOLDERS = ("", "src", "lib", "node_modules")
_REVISION = lazy_pattern(r"(?!.*\.\.)[\w-][\w./-]{0,200}")
_PACKAGE_RUNNERS = ("npm", "pnpm", "yarn", "bun")
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")


class CauseCheck:
    """One check of a cause: the files it reads are counted, and over the limit the answer is unknown."""

    def __init__(self, project: Path, cwd: Path, environ: Mapping[str, str]) -> None:
        self._project, self._cwd = Path(os.path.normpath(project)), Path(os.path.normpath(cwd))
        self._path = [one for one in environ.get("PATH", "").split(os.pathsep) if one]
        self._looks, self._files = 0, 0

    def look(self, kind: str, name: str, base: str = "", runner: str = "") -> tuple[Looked, str]:
        """Return whether what an error named is still missing, and what was looked at, in a few words.

        `base` is a folder that the command enters first; `runner` starts the script.
        """
        try:
            match kind:
                case "program":
                    return self._program(name, base)
                case "path" | "value" if runner == "git":
                    return self._revision(name, base, kind)
                case "path":
                    return self._there(name, base, name)
                case "script":
                    return self._script(name, base, runner)
                case "module":
                    return self._module(name, base, runner)
                case "glob":
                    return self._glob(name, base)
        except (OSError, ValueError, RecursionError):
            return "unknown", ""
        return "unknown", ""

    def _program(self, name: str, base: str) -> tuple[Looked, str]:
        if "/" in name:
            return self._there(name, base, name)
        for folder in self._path:
            if not self._may_look():
                return "unknown", ""
            if os.access(f"{folder}/{name}", os.X_OK):
                return "gone", ""
        return ("stands", f"{name} is not on PATH") if self._path else ("unknown", "")

    def _there(self, name: str, base: str, said: str) -> tuple[Looked, str]:
        path = self._inside(name, base)
        if path is None or not self._may_look():
            return "unknown", ""
        return ("gone", "") if os.path.lexists(path) else ("stands", f"{said} does not exist")

    def _revision(self, name: str, base: str, kind: str) -> tuple[Looked, str]:
        """Look for a file, or for a branch or tag, that git did not know."""
        there = self._there(name, base, name) if kind == "path" else ("unknown", "")
        git = self._project / ".git"
        if there[0] == "gone" or not git.is_dir() or not _REVISION.fullmatch(name):
            return there
        packed = self._read(".git/packed-refs", "")
        for folder in ("heads", "tags", "remotes"):
            loose = git / "refs" / folder / name
            if self._may_look() and (loose.is_file() or f" refs/{folder}/{name}\n" in (packed or "")):
                return "gone", ""
        return there if kind == "path" else ("stands", f"there is no branch or tag {name}")

    def _script(self, name: str, base: str, runner: str) -> tuple[Looked, str]:
        if runner == "make":
            for file in _MAKEFILES:
                if (text := self._read(file, base)) is not None:
                    target = rf"^(?![\s#])[^:=\n]*(?<![\w./-]){re.escape(name)}(?![\w./-])[^:=\n]*:"
                    found = re.search(target, text, re.M) or "%" in text or "include " in text
                    return ("gone", "") if found else ("stands", f"{file} has no target {name}")
            return "unknown", ""
        if runner not in _PACKAGE_RUNNERS:
            return "unknown", ""
        text = self._read("package.json", base)
        settings = json.loads(text) if text else None
        scripts = settings.get("scripts") if isinstance(settings, dict) else None
        if not isinstance(scripts, dict):
            return "unknown", ""
        return ("gone", "") if name in scripts else ("stands", f"package.json has no script {name}")

    def _module(self, name: str, base: str, runner: str) -> tuple[Looked, str]:
        first = name.split(".")[0] if runner.startswith("py") else name
        for folder in _MODULE_FOLDERS:
            for form in (first, f"{first}.py", f"{first}.js", f"{first}.ts"):
                path = self._inside(f"./{folder}/{form}", base)
                if path is not None and self._may_look() and path.exists():
                    return "gone", ""
        return "unknown", ""

    def _glob(self, name: str, base: str) -> tuple[Looked, str]:
        if "://" in name or "=" in name:
            return "stands", "no file has such a name"
        path = self._inside(name, base)
        if path is None or not self._may_look():
            return "unknown", ""
        found = next(path.parent.glob(path.name), None) if path.parent.is_dir() else None
        return ("gone", "") if found is not None else ("stands", f"no file matches {name}")

    def _inside(self, name: str, base: str) -> Path | None:
        """Return a path if it is below the project; other paths are not checked."""
        if "\\" in name or name.startswith("~") or "$" in name or "\0" in name:
            return None
        path = Path(os.path.normpath(self._cwd / base / name))
        if not path.is_relative_to(self._project):
            return None
        # A linked folder leads out of the project.
        return path if Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(self._project)) else None

    def _read(self, name: str, base: str) -> str | None:
        path = self._inside(name, base)
        if path is None or self._files >= MOST_FILES or not self._may_look():
            return None
        self._files += 1
        try:
            return read_plain(path, MOST_BYTES, follow=False).decode(errors="replace")
        except OSError:
            return None

    def _may_look(self) -> bool:
        self._looks += 1
        return self._looks <= MOST_LOOKS
