"""Standing rules of a user in a prompt: what lasts beyond the task is found, what belongs to the task is not."""

import pytest

from tacit.failures.rules.corrections.find import corrections_in
from tacit.loop.prompt_rules import rule_in
from tacit.testing import temporary_memory
from tacit.text.program_prompts import is_by_program, typed_part

# S6, word for word; what is said to be remembered is a fact.
MISSED = {
    "you should be using poetry, not pip": ("pip", "poetry"),
    "it should be camelCase not snake_case": ("snake_case", "camelCase"),
    "I told you already: bun, not npm!": ("npm", "bun"),
    "Can you please use tabs instead of spaces from now on": ("spaces", "tabs"),
    "replace npm with bun everywhere in this project": ("npm", "bun"),
    "use just instead of make": ("make", "just"),
    "from now on, write commit messages in imperative mood": (
        "", "from now on, write commit messages in imperative mood"
    ),
    "I prefer single quotes": ("", "I prefer single quotes"),
    "we don't do default exports in this codebase": ("", "we don't do default exports in this codebase"),
}  # fmt: skip
LASTING = [
    "going forward, open a pull request for each fix", "Please sign off your commits from now on.",
    "for every change you make, add a line to the changelog", "commit always before you rebase",
    "every commit must reference a ticket", "no secrets may be committed", "there must be no print statements in src",
    "generated files should never be edited", "Nothing should be hardcoded", "any force push is strictly forbidden",
    "I no longer use yarn", "we don't deploy from laptops anymore", "we switched to pnpm", "I prefer small commits",
    "we hate emojis in commit messages", "we only use conventional commits", "we use uv", "use uv",
    "use pnpm for everything",
    "stick with vitest", "use just as the task runner", "don't push to main",
    "never merge into master without a review",
    "do not give me scripts, only the command", "don't run the build locally, it builds in CI",
    "make sure that you don't use mocks anywhere in the tests", "put this into CLAUDE.md: never use em dashes",
    "edit my AGENTS.md to always run the linter", "can you always answer in German?", "could you only use the gh cli?",
    "ALWAYS sync with origin", "we don't write tests for scripts", "as a rule, keep functions short",
    "whenever you add an endpoint, update the docs", "No longer need redis, so never start it in a test",
    "No longer use make", "there is no point in adding comments to tests",
]  # fmt: skip
OTHER_LANGUAGES = [
    "a partir de ahora escribe los commits en inglés", "siempre usa pnpm", "ab jetzt bitte kleine Commits",
    "Kommentare immer auf Englisch", "désormais utilise uv", "d'ora in poi rispondi in italiano", "以后用中文回答",
    "不要直接推送到 main", "今後はテストを先に書いて", "main には push しないで", "npm は使わないで",
    "앞으로 커밋은 한국어로", "npm은 쓰지 마",
    "отныне пиши тесты", "nunca faça push na main", "parla italiano", "schreibe alles auf deutsch", "говори на русском",
    "中文对话", "日本語で答えて",
]  # fmt: skip
TASK = [
    # L4, L5: errors and notes are no rules.
    "NameError: name 'metrics' is not defined", "No functional changes needed", "TypeError: can only concatenate str",
    "Build failed: every test must pass",
    # The product.
    "the button should always be green", "users must never see the raw error", "every row should be clickable",
    "whenever I click save the dialog should close", "always show the newest post first in the timeline",
    "all inputs must be masked", "points should always be rounded",
    # This moment, this place.
    "don't push yet", "do not commit this time", "use the second one", "I prefer the first option",
    "I'd like this better",
    "for now use yarn", "don't change the tests in this file", "implement it but don't commit", "keep going",
    "we need to fix the build", "we have a problem with the tests", "we don't have tests yet",
    "we run into the same error",
    "I want the tests to pass", "I don't want this change", "before committing, add one more file",
    "set it up so that it works in the future", "we don't use that endpoint anymore, delete it",
    "The old API goes away. No longer need redis.", "we no longer need the staging server", "no longer need podman",
    "We don't need yarn any more", "we don't need the queue now", "I don't need docker anymore",
    # Questions, doubts, reports, pasted text.
    "should we always squash?", "do you always use npm?", "why do we use webpack?",
    "maybe we should always pin versions",
    "The README says: always run make first", "> never push to main", "```\nalways use tabs\n```",
    "So from now on every commit is linked?", "I would never use eval here",
]  # fmt: skip


@pytest.mark.parametrize(("prompt", "rule"), MISSED.items())
def test_the_corrections_that_were_missed_are_found(prompt, rule):
    """S6."""
    assert [rule] == [(one.original, one.corrected) for one in corrections_in(prompt)]
    assert all(one.confidence >= 0.6 for one in corrections_in(prompt)), "sure enough to be told"


@pytest.mark.parametrize("prompt", [*LASTING, *OTHER_LANGUAGES])
def test_what_lasts_is_found(prompt):
    (rule,) = corrections_in(prompt)
    assert rule.confidence >= 0.6


@pytest.mark.parametrize("prompt", TASK)
def test_what_belongs_to_the_task_is_not_a_rule(prompt):
    """L4, L5, the product, this moment, questions, pasted text."""
    assert [] == corrections_in(prompt)


@pytest.mark.parametrize(("prompt", "rule"), [
    ("svn は使わないで。git で", "svn は使わないで。git で"),
    ("yarn は使わないで。pnpmで。お願い", "yarn は使わないで。pnpmで"),
    ("不要用 npm。用 pnpm。", "不要用 npm。用 pnpm"), ("npm은 쓰지 마. pnpm 써", "npm은 쓰지 마. pnpm 써"),
    ("npm は使わないで。ありがとう", "npm は使わないで"), ("npm は使わないで。pnpm?", "npm は使わないで"),
    ("npm は使わないで。pnpm のテストが落ちる理由を調べてほしい", "npm は使わないで"),
])  # fmt: skip
def test_a_short_sentence_after_a_ban_that_names_a_program_belongs_to_it(prompt, rule):
    """A rule was kept without its second sentence, which said what to use instead."""
    assert [rule] == [one.corrected for one in corrections_in(prompt)]


@pytest.mark.parametrize(("prompt", "pair"), [
    ("never use npm. pnpm instead", ("npm", "pnpm")), ("Don't use npm here. pnpm.", ("npm", "pnpm")),
    ("Don't use the graphite cli. Use gh.", ("the graphite cli", "gh")),
    ("stop using make. meson, please", ("make", "meson")),
    ("stop using npm. ok", ("npm", "stop using npm")), ("stop using npm. pnpm?", ("npm", "stop using npm")),
])  # fmt: skip
def test_a_ban_is_completed_by_the_name_alone(prompt, pair):
    """Only "use pnpm" completed it, and not "pnpm instead"."""
    assert [pair] == [(one.original, one.corrected) for one in corrections_in(prompt)]


def test_a_prompt_that_a_program_wrote_holds_no_rule_of_the_user():
    """Commands with a template, handovers between agents, and roles have the grammar of rules."""
    for prompt in (
        "You are a careful reviewer. Never edit files. Always answer with JSON.",
        "# Task\nFix it.\n\n## Rules\n- Never push\n- Always test",
        "Review the diff.\n\nReturn findings only. Never make changes.",
        "**Goal**: ship\n**Rules**: always use bun instead of npm",
    ):
        assert is_by_program(prompt)
        assert [] == corrections_in(prompt)
    assert not is_by_program("fix the tests\n- always use vitest\n- then push")


def test_what_an_editor_puts_before_the_prompt_is_left_out():
    wrapped = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py: a.py\n\n## My request for Codex:\nuse uv"
    assert "use uv" == typed_part(wrapped)
    assert ["use uv"] == [one.corrected for one in corrections_in(wrapped)]


@pytest.mark.parametrize(
    "prompt",
    ["I told you not to push to main", "I asked you not to commit the build", "i told you do not commit secrets"],
)
def test_what_was_forbidden_before_stays_forbidden(prompt):
    """The words are kept with their negation."""
    (rule,) = corrections_in(prompt)
    assert "not" in rule.corrected


def test_a_rule_is_one_sentence():
    """What says more is kept whole, as a fact."""
    assert rule_in("never use lodash") is not None
    assert rule_in("Staging listens on 8443") is None
    assert rule_in("Never use lodash. The bundle was 4 MB because of it, see the report of March.") is None


def test_remember_keeps_a_rule_as_a_rule(tmp_path):
    """Always, never, prefer, X not Y: told before the command, not only found by a search."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        for text in ("always run make lint before committing", "use bun not npm", "I prefer single quotes"):
            kept = memory.remember(text)
            assert ("correction", 3) == (kept.record.kind, kept.record.trust)
        assert "fact" == memory.remember("Staging listens on 8443").record.kind
        assert memory.remember("use bun not npm").merged


@pytest.mark.parametrize(
    "prompt",
    [
        "from now on whenever I ask for a plan, keep it short",
        "I will only be working in the api folder going forward.",
        "We should NEVER set timestamps by hand", "you need to always write the test before the code",
        "When the connection drops always check the state of the build",
        "please don't touch app code without asking me",
        "I told you do not do anything git related", "Put all deployment commands in the deploy.sh file",
        "add each prompt to prompts.md", "whenever I say ship it, I mean run make release", "for tests, use vitest",
        "when it comes to writing code please use British spelling", "we are using test driven development",
        "You have to use our mcp tool!", "Keep updating .gitignore as new files are created",
        "never go back to pip again",
        "update claude.md to NOT use emojis", "i use nvm", "please answer in German",
        "after each prompt list the files",
        "keep a log for all future sessions",
    ],
)  # fmt: skip
def test_other_forms_of_what_lasts(prompt):
    assert 1 == len(corrections_in(prompt))


@pytest.mark.parametrize(
    "prompt",
    [
        "you never run the tests", "you always do a great job", "let's make a plan before going forward",
        "OK, going forward.",
        "I get an error every time I open the settings", "never mind, the first one was better",
        "for the parser test, use a mock",
        "Stop editing", "I always use vim", "今後はどう進めますか", "nie wspominaj o commitach",
        "don't give anything away, just show the picture", "I prefer any of these",
    ],
)  # fmt: skip
def test_forms_that_only_look_alike(prompt):
    assert [] == corrections_in(prompt)
