"""Build output and caches: what a tool makes again, and nobody writes by hand."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import pairwise

from tacit.guard.path_kinds import kind_of, resolved
from tacit.guard.verdict import CommandLocation
from tacit.shell.command import Command, ShellWord

# Nobody gives a folder of their own such a name, wherever it is.
_CACHES = (
    "node_modules", ".pnpm-store", "__pycache__",
    ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".next", ".nuxt",
    ".turbo", ".svelte-kit", ".parcel-cache", ".angular", ".expo", ".vite", ".output", ".tox", ".nox", ".venv",
    ".eggs", "*.egg-info", "htmlcov", ".nyc_output", ".gradle", ".dart_tool", ".terraform", "DerivedData", ".aws-sam",
    ".serverless", ".stack-work", "dist-newstyle", ".zig-cache", "zig-cache", "zig-out", "elm-stuff",
    "bower_components", ".ipynb_checkpoints", ".sass-cache", "cmake-build-*", "storybook-static", "playwright-report",
    ".docusaurus", ".astro", ".vercel", ".jest-cache", ".rpt2_cache*", ".eslintcache", ".cache-loader",
    ".bundle", ".import_cache",
)  # fmt: skip
# Within a project these are build output.
_OUTPUT = (
    "dist", "out", "target", "coverage", "_build", "obj", "venv", ".cache", "tmp", "temp", "test-results",
    "_site", "site-packages", "CMakeFiles", "Debug", "Release", "x64", ".build", "Pods", "bazel-*",
)  # fmt: skip
# Build output if the project does not keep it; otherwise its sources may be there.
_IF_IGNORED = frozenset({"build", "lib", "bin", "gen", "generated", "vendor", "cache"})
# Files that a compiler, an interpreter or an editor leaves behind.
_LEFT = (
    "*.pyc", "*.pyo", "*.pyd", "*.o", "*.obj", "*.class", "*.swp", "*.swo", "*.tmp", "*.temp", "*~", "*.orig",
    "*.rej", "*.gcda", "*.gcno", "*.tsbuildinfo", ".DS_Store", "Thumbs.db", "*.egg-info", ".coverage", "*.elc",
    "*.beam", "*.hi", "*.dSYM",
)  # fmt: skip


# Written anew by the next install.
_LOCKS = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "poetry.lock",
    "uv.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "Gemfile.lock", "composer.lock", "Podfile.lock", "mix.lock",
    "pubspec.lock", "flake.lock", "deno.lock", "go.sum",
})  # fmt: skip


def is_made_again(word: ShellWord, place: CommandLocation) -> bool:
    """Return whether a path is build output or a cache, or is in one."""
    path = resolved(word, place)
    last = word.shown.rstrip("/").rsplit("/", 1)[-1]
    if path is None and word.head[:1] != "/":
        # Whatever the folder is, this is its cache.
        return _is_any(last, _CACHES)
    if last in _LEFT and kind_of(word, place) == "inside":
        return True
    if last in _LOCKS and kind_of(word, place) == "inside":
        return True
    if path is None or "*" in word.shown.replace("*.egg-info", "").removesuffix("/*"):
        return False
    project = place.project or place.cwd
    below = next((root for root in (project, place.cwd) if path.startswith(f"{root}/")), "")
    if below and below != place.home:
        parts = path[len(below) + 1 :].split("/")
        unkept = _IF_IGNORED & place.ignored
        return any(part in unkept or _is_any(part, (*_CACHES, *_OUTPUT)) for part in parts)
    return kind_of(word, place) == "outside" and any(_is_any(part, _CACHES) for part in path.split("/"))


_PATHS = ("-path", "-ipath", "-wholename")


def finds_made_again(command: Command, roots: list[ShellWord], place: CommandLocation) -> bool:
    """Return whether find chooses nothing but build output, caches and what editors leave behind."""
    if {kind_of(root, place) for root in roots} & {"root", "home", "system", "unknown", "device", "git"}:
        return False
    texts = [word.text for word in command.args]
    # What is left out by its path narrows the choice.
    left_out = [at for at, pair in enumerate(pairwise(texts)) if pair[0] in ("!", "-not") and pair[1] in _PATHS]
    for at in reversed(left_out):
        del texts[at : at + 3]
    if any(text in ("!", "-not", ",") for text in texts):
        return False
    if all(is_made_again(root, place) for root in roots):
        return True
    chosen = [texts[at + 1] or "" for at, text in enumerate(texts[:-1]) if text in ("-name", "-iname")]
    alternatives = sum(text in ("-o", "-or") for text in texts)
    return len(chosen) > alternatives and all(one in (*_LEFT, *_CACHES) for one in chosen)


def _is_any(part: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(part, pattern) for pattern in patterns)
