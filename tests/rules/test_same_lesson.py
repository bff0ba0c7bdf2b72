"""Whether two lessons are the same: what other words leave equal, and what one word makes different."""

import pytest
from hypothesis import given, strategies as some

from tacit.lessons.rules.same_lesson import LessonText, same_lesson, same_words

SAME = [
    ("use bun instead of npm", "Use bun, not npm"), ("use bun instead of npm", "Never use npm, use bun"),
    ("use bun instead of npm", "don't use npm but bun"), ("use bun instead of npm", "replace npm with bun"),
    ("use bun instead of npm", "we prefer bun over npm"), ("use bun instead of npm", "Please use bun rather than npm."),
    ("Run the tests before you commit", "Before you commit, run the tests"),
    ("Run the tests before you commit", "Always run tests before committing"),
    ("Use `npm ci` instead of `npm install`", "use npm ci, not npm install"),
    ("Deploys go through make ship", "A deploy goes through `make ship`"), ("use bun", "use bun, always"),
    ("Always pass --frozen-lockfile to bun install", "pass --frozen-lockfile to bun install"),
    ("the staging API listens on port 8443", "The API of staging is listening on port 8443!"), ("use it", "USE  it"),
]  # fmt: skip
DIFFERENT = [
    ("use bun instead of npm", "use npm instead of bun"), ("use bun instead of npm", "use pnpm instead of npm"),
    ("use bun, not npm", "use bun"), ("replace bun with npm", "replace npm with bun"),
    ("run lint before tests", "run tests before lint"), ("run tests after lint", "run tests before lint"),
    ("copy the dump to staging", "copy staging to the dump"), ("migrate from npm to bun", "migrate from bun to npm"),
    ("use python 3.11 for the old service we run", "use python 3.12 for the old service we run"),
    ("never edit src/a.py by hand in any branch", "never edit src/b.py by hand in any branch"),
    ("never commit secrets", "commit secrets"), ("always deploy on Friday", "never deploy on Friday"),
    ("never run migrations without a backup", "never run migrations with a backup"),
    ("pass -x to pytest in every long run of the suite", "pass -v to pytest in every long run of the suite"),
    ("run `make tests`", "run `make test`"), ("Make y1, not x1", "Make y2, not x2"), ("one", "two"), ("", "x"),
    ("Benutze npm für dieses große alte Projekt", "Benutze nicht npm für dieses große alte Projekt"),
    ("一直使用npm安装依赖包", "不使用npm安装依赖包"), ("use it", "run it"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_other_words_for_the_same(one, other):
    assert same_words(one, other)
    assert same_words(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_nearly_the_same_words_for_something_else(one, other):
    assert not same_words(one, other)
    assert not same_words(other, one)


WORDS = "bun yarn lint deploy staging cache schema branch release docker queue token index server client driver parser"
words = some.lists(some.sampled_from(WORDS.split()), min_size=2, max_size=8, unique=True)
texts = some.text(max_size=60) | words.map(" ".join)
numbers = some.integers(0, 99).map(str) | some.sampled_from(["1.2.3", "v2.0", "src/app.py", "--fast", "/etc/hosts"])


@given(texts, texts)
def test_it_is_the_same_both_ways_and_as_itself(one, other):
    assert same_words(one, one)
    assert same_words(one, other) == same_words(other, one)


@given(words, some.randoms())
def test_order_case_plural_and_small_words_change_nothing(some_words, chance):
    shuffled = [chance.choice([word, word.upper(), f"{word}s", f"the {word}"]) for word in some_words]
    chance.shuffle(shuffled)

    assert same_words(" ".join(some_words), f"Please always use {' and '.join(shuffled)} here.")


@given(words, numbers, numbers)
def test_another_number_version_path_or_flag_is_another_lesson(some_words, one, other):
    said = " ".join(some_words)

    assert (one == other) == same_words(f"{said} {one}", f"{said} {other}")
    assert not same_words(said, f"{said} {one}")


@given(words)
def test_a_negation_is_another_lesson(some_words):
    said = " ".join(some_words)

    assert not same_words(said, f"never {said}")
    assert same_words(f"don't {said}", f"never {said}")


@given(words)
def test_the_other_direction_is_another_lesson(some_words):
    one, other = some_words[0], " ".join(some_words[1:])

    assert not same_words(f"use {one} instead of {other}", f"use {other} instead of {one}")
    assert same_words(f"use {one} instead of {other}", f"do not use {other}, use {one}")


def test_commands_decide_and_words_that_name_them():
    """Equal commands are one lesson; the same words about other commands only if they name what they are about."""
    pair = ("npm run biuld", "npm run build")

    assert same_lesson(LessonText("Spell it right", *pair), LessonText("Mind the script", *pair))
    assert not same_lesson(
        LessonText("Spell it right", *pair), LessonText("Spell it right", "git statsu", "git status")
    )
    assert same_lesson(
        LessonText("Spell build right", *pair), LessonText("Spell build right", "npm run biuld -s", pair[1])
    )
    assert same_lesson(LessonText("Spell it right", *pair), LessonText("Spell it right"))
    assert not same_lesson(LessonText("one", "x", "x"), LessonText("two", "x", "x"))
