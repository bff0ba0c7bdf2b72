"""What a sentence is about: the way of working, which rules are made for, or the product that is being built."""

from __future__ import annotations

import re

from tacit.failures.rules.corrections.vocabulary import NAMING, STYLE, TOOLS, words_in
from tacit.text.patterns import lazy_pattern

_WORK = lazy_pattern(
    r"\b(?:commit\w*|push(?:es|ed|ing)?|pull requests?|prs?|branch(?:es)?|main|master|merg\w+|rebas\w+|squash\w*|git|"
    r"github|gitlab|worktrees?|releas\w+|changelogs?|gitignore|upstream|origin|sign(?:ed|ing)?(?= (?:my |your |off |"
    r"the )?"
    r"commits?)|hooks?|prints?|print(?:f| statements?)|console\.log|log(?:s|ging|ger)|hard-?cod\w+|magic numbers?|"
    r"comments?|docstrings?|type hints?|imports?|exports?|naming|conventions?|indent\w*|semicolons?|line endings?|"
    r"newlines?|format(?:ting|ter)|lint\w*|file ?names?|emojis?|emoticons?|(?:em )?dashes|dead code|"
    r"generated (?:files?|code)|vendor(?:ed)?|todos?|mocks?|"
    r"tests?|testing|tdd|test[- ]driven development|patch(?:es)?|prompts?|coverage|evals?|e2e|fixtures?|dependenc\w+|"
    r"packages?|lock ?files?|env vars?|"
    r"environment variables?|"
    r"secrets?|credentials?|api keys?|\.env|config(?:uration)?(?: files?)?|docs|documentation|documented|readme\w*|"
    r"package manager|venv|virtualenv|docker|containers?|cli|mcps?|scripts?|shell|terminal|ci|build(?:s|ing)?|"
    r"compil\w+|"
    r"deploy\w*|staging|production|dev server|answers?|repl(?:y|ies)|respon\w+|explain\w*|explanations?|summar\w+|"
    r"(?:tell|show|give|ask|instruct|remind) me|english|german|french|spanish|japanese|chinese|full paths?|"
    r"absolute paths?|approv\w+|permissions?|sub-?agents?|agents?|skills?|sessions?|code ?base|repo(?:sitory|s)?|"
    r"migrations?|refactor\w*|backwards? compatib\w+|deprecat\w+|code review|review\w*|tickets?|issues?|plan mode|"
    r"version numbers?|imperative mood|sudo|git history|pipelines?|workflows?|monorepo|source code|typescript|"
    r"javascript|"
    r"python|rust|golang|commands?|memory)\b",
    re.I,
)
_PRODUCT = lazy_pattern(
    r"\b(?:buttons?|click\w*|hover\w*|pages?|screens?|modals?|pop-?ups?|colou?rs?|theme|dark mode|charts?|graphs?|"
    r"plots?|"
    r"tables?|columns?|rows?|customers?|visitors?|players?|maps?|markers?|images?|pictures?|icons?|header|footer|"
    r"cards?|"
    r"menus?|sidebar|nav(?:bar|igation)?|log ?in|log ?out|sign ?up|drop-?downs?|labels?|tooltips?|animations?|fonts?|"
    r"layout|forms?|fields?|inputs?|widgets?|scroll\w*|sensors?|games?|scores?|points|prices?|carts?|bubbles?|panes?|"
    r"windows?|desktop|dialog|placeholder|checkbox|slider|banner|video|audio|music|tweets?|posts?|articles?|urls?|"
    r"notifications?|background|padding|margins?|borders?|headline|logo|avatar|profile|dashboard|timeline)\b",
    re.I,
)
# A tool that a project settles for once: what installs, runs, tests, formats and publishes it.
LASTING_TOOLS = words_in("""
    npm npx pnpm yarn bun bunx deno pip pip3 pipx pipenv poetry pdm uv uvx hatch conda mamba pixi tox nox cargo gradle
    maven mvn sbt bazel make cmake meson ninja just mise task rake bundler composer nix brew docker podman eslint
    prettier biome oxlint ruff flake8 pylint black mypy pyright pytest unittest jest vitest mocha gh glab graphite jj
    turbo nx
""")
# What people call such tools when they ask for one.
_JOBS = {
    "package-manager": words_in(
        "npm pnpm yarn bun pip pip3 pipx pipenv poetry pdm uv conda mamba pixi cargo composer brew"
    ),
    "test-runner": words_in("pytest unittest jest vitest mocha tox nox"),
    "linter": words_in("eslint oxlint biome ruff flake8 pylint"),
    "formatter": words_in("prettier biome ruff black"),
    "type-checker": words_in("mypy pyright tsc"),
}
# Names of tools that are everyday words name no tool by themselves.
_NAMES = TOOLS - words_in("""
    just make find go got fetch black standard request requests rich click slack linear notion less cat screen compose
    solid task stack mix ant ack hatch dash fish insomnia celery express remix astro rome mocha karma rush kind bundle
    composer gem rails http nose attrs emotion moment underscore tornado caddy apache bootstrap react parcel swagger
    cursor supervisor textual flask cp rm mv tar su ls
""")
_WORD = lazy_pattern(r"[\w.+-]+")


def is_about_work(text: str) -> bool:
    """Return whether a text is about how the work is done: version control, tests, tools, code style, answers."""
    return bool(_WORK.search(text) or STYLE.search(text) or NAMING.search(text) or names_tool(text))


def is_about_product(text: str) -> bool:
    """Return whether a text is about what is being built: its screens, its data, its users."""
    return bool(_PRODUCT.search(text))


def names_tool(text: str) -> bool:
    """Return whether a text names a program or a library."""
    return any(word.lower().rstrip(".") in _NAMES for word in _WORD.findall(text))


def tool_jobs(text: str) -> tuple[str, ...]:
    """Return what the tools that a text names are for, in the words of a question: "which package manager?"."""
    named = {word.lower().rstrip(".") for word in _WORD.findall(text)}
    return tuple(job for job, tools in _JOBS.items() if not named.isdisjoint(tools))
