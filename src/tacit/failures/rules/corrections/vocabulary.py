"""Words that show what a correction is about: tools, code, names, style, values, and verbs such as "use"."""

from __future__ import annotations

import re

from tacit.model.failure import CorrectionType
from tacit.text.patterns import lazy_pattern


def words_in(text: str) -> frozenset[str]:
    """Return the words of a space-separated list."""
    return frozenset(text.split())


TOOLS = words_in("""
    npm npx pnpm yarn bun bunx deno node nvm fnm volta corepack pip pip3 pipx pipenv poetry pdm uv uvx hatch conda
    mamba pixi tox nox cargo rustup go gofmt golangci-lint gradle gradlew maven mvn ant sbt bazel buck make cmake
    meson ninja just rake bundler bundle gem rails composer nuget dotnet msbuild mix rebar stack cabal ghc opam dune
    nix brew apt apt-get dnf yum pacman apk snap flatpak choco winget scoop docker docker-compose podman buildah
    compose kubectl k9s helm kustomize minikube kind terraform tofu opentofu pulumi ansible vagrant packer aws gcloud
    az gh glab git svn hg jj jujutsu curl wget httpie http xh rg ripgrep grep ag ack fd find sed awk jq yq cat bat ls
    eza exa less tmux screen zsh bash fish sh dash powershell vim nvim neovim emacs nano vscode cursor eslint prettier
    biome oxlint tslint standard rome ruff flake8 pylint black isort yapf autopep8 mypy pyright pyre pytest unittest
    nose nose2 doctest jest vitest mocha ava jasmine karma cypress playwright selenium puppeteer storybook webpack
    vite rollup esbuild swc parcel turbopack turbo nx lerna rush babel tsc tsx ts-node react vue svelte solid angular
    nextjs next.js nuxt remix astro express fastify koa hono nestjs axios fetch got request requests httpx aiohttp
    urllib urllib3 flask django fastapi starlette sanic tornado celery rq dramatiq gunicorn uvicorn nginx caddy apache
    traefik redux zustand mobx jotai recoil lodash ramda underscore moment date-fns dayjs luxon zod yup joi ajv
    valibot tailwind tailwindcss bootstrap sass styled-components emotion postgres postgresql psql mysql mariadb
    sqlite sqlite3 mongodb mongo redis valkey memcached elasticsearch opensearch clickhouse duckdb cassandra dynamodb
    kafka rabbitmq nats sqs sqlalchemy sqlmodel prisma drizzle typeorm sequelize knex alembic flyway liquibase
    hibernate pandas polars numpy pydantic msgspec attrs argparse click typer docopt loguru structlog rich textual
    jenkins circleci travis github-actions gitlab gitea bitbucket sudo doas su systemctl systemd crontab cron
    supervisor pm2 python python3 python2 ruby perl php java kotlin scala rustc clang gcc g++ lld mold sccache ccache
    protobuf protoc grpc graphql openapi swagger postman insomnia jira linear notion slack figma sentry datadog
    prometheus grafana shellcheck shfmt hadolint pre-commit husky lefthook lint-staged commitizen semgrep bandit trivy
    snyk dependabot renovate rm cp mv ssh scp rsync chmod chown tar
""")
STYLE = lazy_pattern(
    r"\b(?:tabs?|\d+ spaces|spaces?|indent\w*|quotes?|semicolons?|trailing commas?|emojis?|comments?|docstrings?|tone|"
    r"verbose|concise|brief|short|shorter|long|longer|explanations?|answers?|answer|replies|reply|respond|responses?|"
    r"summar(?:y|ies|i[sz]ing)|apologi\w+|bullet\w*|markdown|readme files|headings?|english|german|french|spanish|"
    r"british|american|spelling|commit messages?|conventional commits|co-authored-by|line length|sentences?|"
    r"capitali[sz]\w*|reformatting|small commits|wording|jargon|passive voice|oxford comma|error messages?)\b",
    re.I,
)
NAMING = lazy_pattern(
    r"\b(?:camel ?case|snake[_ -]?case|kebab[_ -]?case|pascal ?case|screaming_snake_case|naming|named?|names|"
    r"prefix(?:es)?|suffix(?:es)?|abbreviations?|hungarian notation|plural|singular|identifiers?)\b",
    re.I,
)
CODE = lazy_pattern(
    r"\b(?:f-strings?|callbacks?|promises?|async|await|loops?|comprehensions?|dataclass(?:es)?|dicts?|enums?|tuples?|"
    r"var|let|const|any|unknown|null|none|exceptions?|try|class(?:es)?|hooks|functions?|components?|inheritance|"
    r"composition|globals?|singletons?|magic numbers?|type hints?|types?|interfaces?|generics?|exports?|imports?|"
    r"returns?|nested|ifs|else|switch|mocks?|mocking|fakes?|stubs?|fixtures?|floats?|decimal|string formatting|"
    r"parameters?|raw sql|sql|regex(?:es)?|recursion|pathlib|os\.path|logging|prints?|parser|threads?|coroutines?|"
    r"pointers?|unsafe|macros?|goto|utc|local time|timestamps?|constructors?|getters?|setters?|properties|lambdas?|"
    r"arrow functions|early returns|assertions?|asserts?|constants?|literals?|immutab\w+|mutable|orm|queries|query)\b",
    re.I,
)
_CASE = lazy_pattern(r"(?:lower|upper|screaming)?[_ -]?(?:camel|snake|kebab|pascal)[_ -]?case", re.I)
_CODE_LIKE = lazy_pattern(r"\w\(|\)|::|->|=>|\w_\w|[a-z][A-Z]|\w\.[a-z]\w|[<>={}\[\]]|\$\w")
_VALUE = lazy_pattern(r"\d|[_/\\<>=@#$]|\w[.-]\w|\b[A-Z]{2,}\b|\w[a-z][A-Z]")
_CAPITAL = lazy_pattern(r"\b[A-Z]\w")
_NUMBER = lazy_pattern(r"(?:\w+ )?(?:v?\d[\d.:,]*)(?: ?\w{1,12})?$")
# Verbs of an order after "always" and "never"; a list, because prose is full of these two words.
VERBS = words_in("""
    use run rerun add write rewrite commit push pull merge rebase squash force-push amend tag release deploy publish
    ship check double-check verify validate test build compile lint format install uninstall upgrade update bump pin
    lock ask confirm wait read review look search create make generate delete remove drop keep leave put place store
    save log print throw raise catch swallow ignore suppress skip disable enable mock stub patch sleep import export
    include exclude name rename call prefix edit modify change touch overwrite replace restart answer reply respond
    explain say mention tell assume guess invent hardcode hard-code inline extract refactor duplicate copy move
    document comment annotate type declare define initialise initialize sanitise sanitize escape quote encode decode
    encrypt hash redact expose leak share cite link wrap handle follow respect prefer avoid set pass give take bring
    revert roll back-up back backup branch fix refer reference translate think plan try debug profile measure
    benchmark seed clean ping cherry-pick stage stash sign check-in reformat regenerate mutate write-protect
""")
# Everyday words, which are not names of tools.
EVERYDAY = words_in("""
    red green blue white black grey gray yellow orange purple pink left right top bottom up down first second third
    last before after old new big small large little more less true false yes no zero one two three four five six
    seven eight nine ten day week month year hours minutes seconds monday friday today tomorrow name title header
    footer button link links text image images icon icons table list page pages row rows column columns users user
    admin click hover ascending descending horizontal vertical
""")
# Habits of agents; "stop running" and "stop listening" are about programs.
HABITS = words_in("""
    using adding writing committing pushing creating asking apologizing apologising explaining generating putting
    making changing deleting removing editing touching installing importing wrapping mocking guessing assuming
    repeating formatting reformatting refactoring suggesting inventing ignoring skipping rewriting leaving calling
    naming renaming summarizing summarising giving telling commenting hardcoding hard-coding catching swallowing
    hallucinating overengineering over-engineering duplicating copying modifying disabling mentioning stubbing being
    truncating abbreviating amending force-pushing rebasing squashing
""")


def is_tool(text: str) -> bool:
    """Return whether a text names a program, a package manager or a library, possibly with arguments."""
    words = text.lower().split()
    return bool(words) and len(words) <= 4 and words[0] in TOOLS


def is_code(text: str) -> bool:
    """Return whether a text is code, or about code."""
    return bool(_CODE_LIKE.search(text) or CODE.search(text))


def is_case(*sides: str) -> bool:
    """Return whether all of these texts name naming styles: camelCase, snake_case."""
    return all(_CASE.fullmatch(side) for side in sides)


def is_value(text: str) -> bool:
    """Return whether a text is a value that can be corrected: a number, a path, a name."""
    return bool(_VALUE.search(text) or _CAPITAL.search(text) or is_tool(text))


def is_exact(text: str) -> bool:
    """Return whether a text is a value with only one correct spelling. A capitalised word does not count."""
    return bool(_VALUE.search(text) or is_tool(text))


def kind_of_pair(original: str, corrected: str) -> CorrectionType:
    """Return the type of a correction with both sides. A tool on either side makes it a tool preference."""
    sides = [side for side in (original, corrected) if side]
    if any(NAMING.search(side) for side in sides):
        return "naming"
    if any(is_tool(side) for side in sides):
        return "tool-preference"
    if sides and all(_NUMBER.match(side) for side in sides):
        return "fact-correction"
    return _manner(*sides)


def kind_of_order(text: str, named: str = "") -> CorrectionType:
    """Return the type of an order ("always …", "never …"). `named` is what it says to use or to avoid."""
    if named:
        found = kind_of_pair("", named)
        if found != "other":
            return found
    return "naming" if NAMING.search(text) else "style-preference" if STYLE.search(text) else "workflow-step"


def _manner(*sides: str) -> CorrectionType:
    if any(STYLE.search(side) for side in sides):
        return "style-preference"
    return "code-pattern" if any(is_code(side) for side in sides) else "other"
