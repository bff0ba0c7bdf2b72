"""A signature says what a command is, without the values that change."""

import pytest

from tacit.shell.parse import parse
from tacit.shell.signature import signature_of

SHAPES = {
    "npm run build": "npm run build", "npm run biuld": "npm run biuld",
    "/usr/bin/git show 3f5c1d2e4b": "git show <hash>",
    "curl -X GET https://a.b/c": "curl -X GET <url>", "head -n 20 src/a.py": "head -n <number> <path>",
    "git commit -m 'fix the bug'": "git commit -m <text>", "kill -9 123": "kill <number> <number>",
    "rm $x": "rm <value>",
    "pytest --maxfail=3": "pytest --maxfail=<number>", "$x": "<unknown>",
    "show 123e4567-e89b-12d3-a456-426614174000": "show <uuid>",
}  # fmt: skip


@pytest.mark.parametrize("text", sorted(SHAPES))
def test_only_values_become_classes(text):
    """Paths, numbers, hashes, URLs and quoted text do; bare words stay."""
    assert SHAPES[text] == signature_of(parse(text).commands[0])
