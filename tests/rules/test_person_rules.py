"""Rules a person gave reach the command and the prompt they speak of, and no other."""

import pytest

from tacit.failures.rules.corrections.find import corrections_in
from tacit.failures.rules.person_rules import anchors, fits, rule_of, speaks_of

TOLD = [
    ("never push to main", "git push origin main"),
    ("never push to main", "cd app && git push origin HEAD:main"),
    ("never push to main", "sudo git -C app push -q origin +main"),
    ("never push directly to the main branch", "git push origin main --tags"),
    ("never force-push to main", "git push --force origin main"),
    ("never force-push", "git push -f"),
    ("never commit without running make lint first", "git commit -am x"),
    ("never push without asking", "git push"),
    ("Never use git push --force on main", "git push origin main --force"),
    ("don't ever call git commit --amend", "git commit --amend --no-edit"),
    ("never run rm -rf build", "rm -fr ./build/"),
    ("never install with pip", "pip install requests"),
    ("always run pytest with -x", "pytest tests/unit"),
    ("always run pytest with -x", "uv run pytest -q"),
    ("always run npm with --silent", "npm install left-pad"),
    ("always pass --frozen to uv sync", "uv sync --all-extras"),
    ("always run make lint before committing", "git commit -m 'done'"),
    ("always use --force-with-lease when pushing", "git push origin topic"),
    ("Always deploy with the -v flag", "make deploy"),
    ("never amend commits", "git commit --amend"),
    ("never rebase main", "git rebase main"),
    ("stop pushing to main", "git push origin main"),
]
TRAPS = [
    ("never push to main", "git push origin feature-main-menu"),
    ("never push to main", "git push origin main:backup"),
    ("never push to main", "git push origin feature/main"),
    ("never push to main", "git pull origin main"),
    ("never push to main", "git commit -m 'never push to main'"),
    ("never push to main", "echo main && git push origin dev"),
    ("never push to main", "docker push main"),
    ("never push to main", "grep -rn 'push main' docs"),
    ("never force-push to main", "git push origin main"),
    ("never force-push", "git push --follow-tags"),
    ("Never use git push --force on main", "git push --force origin dev"),
    ("don't ever call git commit --amend", "git commit -m amend"),
    ("never run rm -rf build", "rm -rf dist"),
    ("never run rm -rf build", "rm build"),
    ("never commit secrets", "git commit -am x"),
    ("never commit without running make lint first", "make lint && git commit -am x"),
    ("never install with pip", "uv pip list"),
    ("always run pytest with -x", "pytest -x tests"),
    ("always run pytest with -x", "pip install pytest"),
    ("always run npm with --silent", "pnpm install"),
    ("always pass --frozen to uv sync", "uv sync --frozen"),
    ("always pass --frozen to uv sync", "uv pip sync requirements.txt"),
    ("always run make lint before committing", "git log --grep commit"),
    ("always use python3 -m venv", "python3 setup.py build"),
    ("Always deploy with the -v flag", "kubectl get deploy"),
    ("Always deploy with the -v flag", "make deploy -v"),
    ("always write tests first", "make tests"),
    ("never rebase main", "git rebase --abort"),
    ("always use type hints", "python hints.py"),
    ("use make test", "make test"),
]
PROMPTS = [
    ("", "never push to main", "push to main now", True),
    ("", "never push to main", "Please push these changes to main and tag them", True),
    ("", "never push to main", "push this to the dev branch", False),
    ("", "never push to main", "what does the main function do?", False),
    ("", "always run pytest with -x", "run pytest for the parser", True),
    ("", "always run pytest with -x", "run pytest with -x for the parser", False),
    ("", "always run pytest with -x", "run the linter", False),
    ("", "never use emojis in replies", "write replies with a few emojis", True),
    ("", "never use emojis in replies", "add an emoji picker to the page", False),
    ("npm", "bun", "install lodash with npm", True),
    ("npm", "bun", "replace npm with bun in the scripts", False),
    ("spaces", "tabs", "strip trailing spaces", False),
    ("jest", "vitest", "why does jest hang?", True),
    ("", "always write tests first", "write the docs first", False),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "command"), TOLD)
def test_a_rule_is_told_before_the_command_it_speaks_of(rule, command):
    """All of its telling words are there: the program and one more, or the command itself."""
    assert speaks_of(rule, command)


@pytest.mark.parametrize(("rule", "command"), TRAPS)
def test_a_rule_is_not_told_before_another_command(rule, command):
    """Another object, another program, words in a message, or the rule is kept already."""
    assert not speaks_of(rule, command)


@pytest.mark.parametrize(("rule", "command"), TOLD)
def test_what_is_told_can_be_looked_up_by_a_word_of_the_command(rule, command):
    """A look-up by facets finds it; nothing is scanned."""
    assert set(anchors(rule)) & {word.rpartition("/")[2] for word in command.split()}


@pytest.mark.parametrize(("original", "corrected", "prompt", "expected"), PROMPTS)
def test_a_prompt_is_reminded_of_what_it_speaks_of(original, corrected, prompt, expected):
    """Of a rule by all its telling words; of a tool by the name of the one it replaces."""
    assert expected == fits(original, corrected, prompt)


@pytest.mark.parametrize(
    "text", ["", "never", "always", "never ", "bun", "always \x00", "never use", "avoid -", "stop it"]
)
def test_what_is_no_rule_concerns_nothing(text):
    """Nor does it break anything."""
    assert not speaks_of(text, "git push origin main")
    assert () == anchors(text)
    assert rule_of(text) is None or not rule_of(text).names_a_command


@pytest.mark.parametrize(("rule", "_command"), TOLD)
def test_the_rules_here_are_learned_as_they_are_said(rule, _command):
    """So that the cases are those of real prompts."""
    said = [one.corrected for one in corrections_in(rule)]

    assert [] == said or said == [rule]
