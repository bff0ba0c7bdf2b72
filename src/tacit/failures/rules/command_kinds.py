"""Recognise commands that fail by design: tests, checkers, compilers, searches and questions, also as scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from tacit.failures.rules.answers import is_answer
from tacit.failures.rules.blame import carried
from tacit.failures.rules.causes import Cause
from tacit.failures.rules.line_parts import LinePart, meant_parts
from tacit.text.patterns import lazy_pattern

# Words of a program, a script or a target that say what it is for.
_PURPOSE = lazy_pattern(
    r"(?:^|[:_./ -])(?:tests?|testing|specs?|e2e|lint(?:er|ing)?|checks?|typecheck|type-check|check-types|format|fmt|"
    r"verify|validate|coverage|bench|benchmarks?|audit|build|compile|typegen|vet|clippy|analy[sz]e|smoke|unit|integration)"
    r"(?=$|[:_./ -])",
    re.IGNORECASE,
)
_SCRIPT_LINE = lazy_pattern(r"\.sh: line \d+: ")
TESTERS = frozenset({
    "pytest", "unittest", "jest", "vitest", "mocha", "tox", "nox", "rspec", "ctest", "phpunit", "ava", "playwright",
    "cypress", "bats", "gotestsum", "nextest",
})  # fmt: skip
"""Programs that run tests."""
LINTERS = frozenset({
    "eslint", "ruff", "mypy", "pyright", "flake8", "pylint", "tsc", "vue-tsc", "biome", "oxlint", "stylelint",
    "shellcheck", "golangci-lint", "staticcheck", "clang-tidy", "rubocop", "swiftlint", "ktlint", "hadolint",
    "actionlint", "yamllint", "markdownlint", "svelte-check", "ultracite", "pre-commit",
})  # fmt: skip
"""Programs that check code and types."""
_CHECKERS = TESTERS | LINTERS | {
    "black", "isort", "oxfmt", "prettier", "shfmt", "gofmt", "knip", "ty", "astro", "gcc", "g++", "clang", "cc",
    "rustc", "javac", "ghc", "swiftc", "kotlinc", "zig", "cmake", "ninja", "msbuild", "xcodebuild", "webpack", "vite",
    "rollup", "esbuild", "tsup", "turbo", "nx", "gradle", "gradlew", "mvn", "mvnw", "sbt", "bazel", "meson", "latexmk",
    "pdflatex", "terraform", "tofu", "lefthook", "husky", "semgrep", "trivy", "gitleaks", "py_compile", "compileall",
}  # fmt: skip
_CHECKING = {
    "cargo": {"test", "check", "clippy", "build", "fmt", "bench", "nextest", "run"},
    "go": {"test", "vet", "build", "run", "install"}, "dotnet": {"test", "build", "format"},
    "dart": {"analyze", "test"},
    "flutter": {"analyze", "test", "build"}, "swift": {"build", "test"}, "deno": {"test", "lint", "check", "fmt"},
    "bun": {"test", "build"}, "npm": {"test", "t", "audit"}, "pnpm": {"test", "audit"}, "yarn": {"test", "audit"},
    "mix": {"test", "compile", "format"}, "composer": {"test"}, "rake": {"test", "spec"}, "helm": {"lint"},
    "git": {"diff", "grep", "merge-base", "show-ref", "check-ignore", "bisect"},
}  # fmt: skip
_SEARCHES = frozenset({
    "grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "[[", "which", "type", "pgrep", "false",
    "ls", "find", "fd", "kill", "pkill", "killall", "command", "tacit",
})  # fmt: skip
_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-delete", "-x", "-X", "--exec", "--exec-batch"})
_RUNNERS = frozenset(
    {"npm", "pnpm", "yarn", "bun", "mise", "make", "just", "task", "rake", "nox", "tox", "poe", "hatch", "uv"}
)


def is_checker(part: LinePart) -> bool:
    """Return whether a failing exit code of a command only reports on the code, or that nothing was found."""
    name = part.name.lower().removesuffix(".exe")
    words = part.subcommand.split()
    if name in _CHECKERS or (name in _SEARCHES and not _acts(part)):
        return True
    if words and words[0] in _CHECKING.get(name, ()):
        return True
    if words[:1] == ["-m"] and len(words) > 1:
        return words[1].split(".")[0] in _CHECKERS
    if name in _RUNNERS:
        rest = [word.text or "" for word in part.command.args if not (word.text or "-").startswith("-")]
        return any(_PURPOSE.search(word) or word in _CHECKERS for word in rest[:3])
    # A script of the project that is named for it: `./scripts/check.sh`, `python tests/run.py`.
    script = words[0] if words else ""
    first = part.command.words[0].text or ""
    return any("/" in one and bool(_PURPOSE.search(one.rsplit(".", 1)[0])) for one in (first, script))


def _acts(part: LinePart) -> bool:
    """Return whether a search does something with what it finds."""
    return part.name in ("find", "fd") and any(word.text in _ACTIONS for word in part.command.args)


# They say how a script ends, whatever went wrong before.
_ENDING = frozenset({"exit", "return", "false"})


def fails_by_design(cause: Cause, more: Iterable[str] = ()) -> bool:
    """Return whether what failed is a test, a checker, a search or a question; `more` are shell patterns."""
    text = " ".join(cause.part.text.split())
    if any(fnmatchcase(text, pattern) for pattern in more):
        return True
    # A checker that is not there, is called with an option it does not know, or is a broken script fails otherwise.
    if cause.kind == "syntax" and _SCRIPT_LINE.search(cause.line):
        return False
    if cause.kind in ("program", "script", "option", "subcommand", "glob"):
        return False
    if cause.part.name in _ENDING:
        return True
    is_own = cause.line.partition(":")[0].lower() in ("fatal", cause.part.name)
    return is_checker(cause.part) or (not is_own and any(map(is_checker, carried(cause.part)))) or is_answer(cause)


def hides_failure(line: str) -> bool:
    """Return whether the exit code of a line may hide that a command in it failed: a pipe, `; true`, a loop."""
    if "||" in line:
        return False  # whoever wrote it expects that it may fail
    return ";" in line or "\n" in line.strip() or any(one.command.feeder is not None for one in meant_parts(line))
