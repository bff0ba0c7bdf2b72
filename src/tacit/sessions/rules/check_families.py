"""What a check looks at, so that one under another name is known to have looked at the same."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

ALL = "all"
"""What a check looks at that runs the others: `pnpm check`, `make ci`."""
TESTS, LINT = "tests", "lint"
_LINTERS = frozenset({
    "lint", "eslint", "oxlint", "biome", "ruff", "golangci-lint", "clippy", "shellcheck", "flake8", "pylint", "vet",
    "stylelint", "ultracite", "rubocop", "staticcheck", "linting",
})  # fmt: skip
_TYPES = frozenset({
    "typecheck", "type-check", "check-types", "types", "tsc", "vue-tsc", "mypy", "pyright", "svelte-check", "astro",
})  # fmt: skip
_ALL = frozenset({"check", "checks", "ci", "validate", "verify", "all", "precommit", "pre-commit", "preflight"})
_KINDS = ((LINT, _LINTERS), ("types", _TYPES), ("build", frozenset({"build"})), (ALL, _ALL))
_STARTING = frozenset(
    {"python", "python3", "npx", "uv", "uvx", "poetry", "npm", "pnpm", "yarn", "bun", "bunx", "run", "exec", "time"}
)
_PARTS = lazy_pattern(r"[:/]")


def family_of(command: str, *, is_test: bool) -> str:
    """Return what a check looks at: lint, types, build, tests, or all; empty if its words do not say it."""
    if is_test:
        return TESTS
    words = {part for word in command.split() if not word.startswith("-") for part in _PARTS.split(word)}
    if words >= {"cargo", "check"} or words >= {"deno", "check"}:
        return "types"
    return next((kind for kind, names in _KINDS if not names.isdisjoint(words)), "")


def covers(later: str, family: str, earlier: str, of: str) -> bool:
    """Return whether a later check of a family may have looked at what an earlier one of the family `of` did."""
    if family == ALL:
        return True
    if not family or family != of:
        return False
    # Other tests say nothing of these; all of them do, or those of a folder that holds them.
    return family != TESTS or all(any(one.startswith(word) for one in _named(earlier)) for word in _named(later))


def named_files(command: str) -> set[str]:
    """Return the files that a check names, without their folders, of which it may show less."""
    names = (word.rpartition("/")[2].partition("::")[0] for word in _named(command))
    return {name for name in names if "." in name.strip(".")}


def _named(command: str) -> list[str]:
    """Return what a command names beside its options and what starts it."""
    words = (word.removeprefix("./").removesuffix("...") for word in command.split() if not word.startswith("-"))
    return [word for word in words if word and word != "." and word not in _STARTING and "=" not in word]
