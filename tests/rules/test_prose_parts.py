"""Prose written for agents: what is a rule, a fact or a note, and that nothing of a page is lost or doubled."""

import pytest
from hypothesis import given, strategies as st

from tacit.exchange.rules.page_sections import LONG_CHARS, page_sections
from tacit.exchange.rules.prose_parts import prose_parts

PAGE = """# Shop API

This is the backend of the shop. It is written in Go.

@docs/more.md

## Commands

- Build: `make build`
- `make lint` - run all linters
- Run `make dev` to start a server

## Style

- Use pnpm, not npm.
- **Never** use `any`
- **Errors**: wrap every error with context
- Functions
  - Keep functions short
  - No default exports
- Prefer composition over inheritance. It is easier to test.

Always use TypeScript. Never commit to main. Write small functions.

### Don't

- Commit generated files
- Never rewrite history

### Before pushing

- Run the tests

Use table tests for these cases:

- parsers

## Deploy

1. Build the image
2. Push it

Then check:

```bash
# no heading
kubectl get pods
```

<!-- a remark -->

The staging API listens on port 8443.

**Why:** the old port was taken.

<!-- tacit:lessons begin v1 for=1 -->
- something learned
<!-- tacit:lessons end -->

## Nothing below
"""


def said(kind, page=PAGE, **more):
    return [part.text for part in prose_parts(page, **more) if part.kind == kind]


def uncovered(page):
    """Return the characters that are in no part, or in more than one."""
    covered = [0] * len(page)
    for part in prose_parts(page):
        for start, end in part.spans:
            for place in range(start, end):
                covered[place] += 1
    return [(place, char) for place, char in enumerate(page) if covered[place] != 1 and not char.isspace()], max(
        covered, default=0
    )


def test_rules_facts_and_notes_of_a_page():
    """Orders and preferences are rules, statements facts, code and steps one note per heading."""
    assert [
        "Style: Use pnpm, not npm.",
        "Style: Never use `any`",
        "Style: Errors: wrap every error with context",
        "Style: Functions: Keep functions short",
        "Style: Functions: No default exports",
        "Style: Prefer composition over inheritance. It is easier to test.",
        "Style: Always use TypeScript.",
        "Style: Never commit to main.",
        "Style: Write small functions.",
        "Don't: Commit generated files",
        "Don't: Never rewrite history",
        "Before pushing: Run the tests",
    ] == said("rule")
    assert [
        "This is the backend of the shop. It is written in Go.",
        "Commands: Build: `make build`",
        "Commands: `make lint` - run all linters",
        "Commands: Run `make dev` to start a server",
        "Before pushing: Use table tests for these cases: parsers",
        "Deploy: The staging API listens on port 8443. Why: the old port was taken.",
    ] == said("fact")
    assert ["1. Build the image\n2. Push it\n\nThen check:\n\n```bash\n# no heading\nkubectl get pods\n```"] == said(
        "note"
    )
    assert ["it includes another file; import that file too", "it is a comment",
            "tacit wrote this block itself (`tacit export lessons`)", "there is no text below it"] == [
        part.why for part in prose_parts(PAGE) if part.kind == "skip"
    ]  # fmt: skip


def test_a_rule_has_what_to_do_and_what_it_replaces():
    """Pairs are found as in prompts; what a heading forbids is never kept without the heading."""
    rules = {part.line: part.statement.rule for part in prose_parts(PAGE) if part.statement.rule}
    found = {line: (rule.original, rule.corrected) for line, rule in rules.items()}

    assert [("npm", "pnpm"), ("inheritance", "composition"), ("", "Don't: Commit generated files"),
            ("", "Never rewrite history"), ("", "Before pushing: Run the tests")] == [
        found[PAGE[: PAGE.index(text)].count("\n") + 1]
        for text in ("Use pnpm", "Prefer", "Commit generated", "Never rewrite", "Run the tests")
    ]  # fmt: skip
    assert all(rule.confidence >= 0.6 for rule in rules.values())


@pytest.mark.parametrize(
    ("page", "kind", "text"),
    [
        ("- Test files live in tests/\n", "fact", "Test files live in tests/"),
        ("- Test every change\n", "rule", "Test every change"),
        ("- See docs/testing.md for more\n", "fact", "See docs/testing.md for more"),
        ("- IMPORTANT: never commit secrets\n", "rule", "never commit secrets"),
        ("Every change must have a test.\n", "rule", "Every change must have a test."),
        ("- See [the guide](docs/a.md)\n  for more\n", "fact", "See the guide for more"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "note", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("> quoted\n", "note", "> quoted"),
        (f"{'Long words. ' * 60}\n", "note", ("Long words. " * 60).strip()),
        ("- like this:\n  ```\n  code\n  ```\n", "note", "- like this:\n  ```\n  code\n  ```"),
        ("1. Always use tabs\n2. Never use spaces\n", "rule", "Always use tabs"),
        ("Title\n=====\n\nIt is old.\n", "fact", "It is old."),
        ("Part\n---\n\nIt is old.\n", "fact", "Part: It is old."),
        ("    indented code\n", "note", "    indented code"),
        ("![badge](a.svg)\n", "skip", "![badge](a.svg)"),
        ("日本語の文。\n", "fact", "日本語の文。"),
    ],
)
def test_what_one_text_becomes(page, kind, text):
    """The first part of a small page."""
    first = prose_parts(page)[0]

    assert (kind, text) == (first.kind, first.text)


def test_what_a_page_applies_to_goes_with_its_rules():
    """A rule for some files is never kept as a rule for all."""
    (part,) = prose_parts("- Prefer functions over classes\n", ("For files **/*.tsx",))

    assert ("", "For files **/*.tsx: Prefer functions over classes") == part.statement.rule[1:3]


LINES = st.sampled_from([
    "# One", "## Two", "### Don't", "Title", "===", "---", "- Use a, not b.", "  - nested: one", "* star", "+ plus",
    "1. first", "2) second", "   indented", "\ttab", "    code", "```", "~~~", "```python", "text. More text! And? Yes",
    "It depends.", "**Why:** because", "**Label**: value", "| a | b |", "> quote", "<!-- comment", "-->", "<!-- x -->",
    "<!-- tacit:lessons begin v1", "<!-- tacit:lessons end -->", "@a.md", "![i](b.png)", "", "", "Lead:", "- lead:",
    "x" * 600, "word " * 120, "- [ ] task", "- [a](b.md): c", "\\", "- ", "é \u2028 ü", "a\rb",
])  # fmt: skip


@given(st.lists(st.one_of(LINES, st.text(max_size=40)), max_size=25).map("\n".join))
def test_every_character_is_in_exactly_one_part(page):
    """Nothing is lost and nothing doubled, whatever the page is."""
    assert ([], True) == ((found := uncovered(page))[0], found[1] <= 1)


@pytest.mark.parametrize("page", ["\0", "\0\n\nUse tabs.", "- \0"])
def test_a_line_of_control_characters_is_no_order(page):
    """A page with one stopped an import of memory files."""
    assert uncovered(page)[0] == []


@given(st.lists(LINES, max_size=60).map("\n".join))
def test_sections_of_a_page_hold_all_its_lines(page):
    """A page that is split has the lines of the page, in order."""
    long = "\n\n".join([page] * (1 + LONG_CHARS // (len(page) + 1))) if page.strip() else page
    lines = [line.strip() for section in page_sections(long) for line in section.text.split("\n") if line.strip()]

    assert [line.strip() for line in long.split("\n") if line.strip()] == lines


def test_a_long_page_is_split_by_its_headings_and_a_short_one_is_not():
    """Each section has its heading; a long section is split again."""
    text = "words " * 500
    page = f"# Page\n\nStart.\n\n## A\n\n{text}\n\n### A1\n\n{text}\n\n### A2\n\nx\n\n## B\n\ny\n"

    assert [("# Page\n\nStart.", ())] == [(one.text, one.headings) for one in page_sections("# Page\n\nStart.\n")]
    assert [(), ("A",), ("A", "A1"), ("A", "A2"), ("B",)] == [one.headings for one in page_sections(page)]
    assert page_sections(page)[-1].text == "## B\n\ny"
