"""A rule that only names a tool to use stands against the others that do its job."""

import pytest

from tacit.failures.rules.chosen_tools import chosen_tool
from tacit.failures.rules.person_rules import anchors, chosen_instead


@pytest.mark.parametrize(("rule", "line", "pair"), [
    ("use uv as the package manager", "pip3 install requests", ("pip3", "uv")),
    ("use uv as the package manager", "sudo python3 -m pip install requests", ("pip", "uv")),
    ("we use pnpm", "cd web && npm install", ("npm", "pnpm")), ("use pnpm for everything", "yarn", ("yarn", "pnpm")),
    ("from now on use pnpm, please", "npm run build", ("npm", "pnpm")), ("use bun here", "npm test", ("npm", "bun")),
    ("we switched to podman", "docker ps", ("docker", "podman")), ("use vitest", "npx jest a.ts", ("jest", "vitest")),
    ("use uv as the package manager", "uv pip install requests", None), ("we use pnpm", "npm view left-pad", None),
    ("use uv as the package manager", "pip3 --version", None), ("we use pnpm", "npm install -g pnpm", None),
    ("we use pnpm", "grep 'npm install' README.md", None), ("use bun for the tests", "npm install", None),
    ("use pnpm", "npm --silent install", ("npm", "pnpm")), ("use pnpm", "npm token create", None),
    ("use pnpm", "npm dist-tag add x@1 latest", None), ("use pnpm", "npm help install", None),
    ("use uv as the package manager", "pip cache remove x", None),
    ("use uv as the package manager", "npm install", None), ("use the second one", "npm install", None),
])  # fmt: skip
def test_a_chosen_tool_replaces_the_others_of_its_job(rule, line, pair):
    """`pip3 install` ran unnoticed, although uv was to be the package manager."""
    assert pair == chosen_instead(rule, line)


def test_a_choice_is_found_by_the_programs_that_it_replaces():
    """The program of a command is all that a hook looks up."""
    assert ("npm", "yarn", "bun") == anchors("we use pnpm")
    assert "" == chosen_tool("use pnpm to debug the release script")
