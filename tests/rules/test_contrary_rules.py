"""Rules that cannot both hold."""

import pytest

from tacit.failures.rules.contrary_rules import are_contrary
from tacit.model.failure import Correction

CONTRARY = [
    (("npm", "bun"), ("npm", "pnpm")), (("npm", "bun"), ("bun", "npm")), (("npm", "bun"), ("bun", "pnpm")),
    (("npm", "bun"), ("yarn", "npm")), (("npm", "bun"), ("npm", "use pnpm")),
    (("", "never push to main"), ("", "always push to main")), (("", "Don't use tabs"), ("", "use tabs")),
    (("pytest", "pytest -x"), ("pytest", "tox")),
    (("npm", "bun"), ("", "always use npm")), (("npm", "bun"), ("", "never use bun")),
]  # fmt: skip
COMPATIBLE = [
    (("npm", "bun"), ("npm", "bun")), (("npm", "bun"), ("npm", "use bun")), (("npm", "bun"), ("make", "just")),
    (("", "never push to main"), ("", "never push to release")), (("", "always run tests"), ("", "always run lint")),
    (("npm", "bun"), ("", "always use bun")), (("npm", "bun"), ("", "never use npm")),
    (("", "never commit secrets"), ("pip", "uv pip")), (("pytest", "pytest -x"), ("pytest", "pytest -n 4")),
    (("git pus", "git push"), ("git push", "git push -u origin main")),
]  # fmt: skip


def rule(original, corrected):
    return Correction(type="tool-preference", original=original, corrected=corrected)


@pytest.mark.parametrize(("one", "other"), CONTRARY)
def test_contrary(one, other):
    assert are_contrary(rule(*one), rule(*other))
    assert are_contrary(rule(*other), rule(*one))


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_compatible(one, other):
    assert not are_contrary(rule(*one), rule(*other))
    assert not are_contrary(rule(*other), rule(*one))
