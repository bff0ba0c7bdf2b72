"""A prompt is private if `#private` is a word of its own in what a person typed."""

import pytest

from tacit.text.program_prompts import is_private
from tests.timing import assert_growth, cpu_s

MARKED = [
    "#private who is in the merger mail", "  #Private my salary", "please do this #private flamingo budget",
    "who is in the merger mail? #private", "do it (#private), and quickly", "do it, #private: the budget",
    "the log says\n```\nerror: #1\n```\nand this is #private",
    "don't tell #private it's ours", 'a 5" screen #private, 6" too',
    "<log>\nx\n</log> #private", "see this:\n```\nthat nobody closed\n#private",
    "请看 #private 预算", "/review #private the budget",
]  # fmt: skip
NOT_MARKED = [
    "", "why is this.#private undefined?", "rename #privateKey to #secret", "see https://a.b/page#private",
    "what does `#private` mean?", 'he wrote "do it #private" in the mail', "class A {\n  #private = 1;\n  #private;\n}",
    "```js\nclass A { #private }\n```\nwhat is this?", "~~~\n#private\n~~~", "call a.#private() or #private() there",
    "> please do this #private\nwhat does he mean?", "<note>\nbegin with #private\n</note>\nfix it",
    "see [the part](#private) of it", "body #private {\n color: red }", "make the private key",
]  # fmt: skip


@pytest.mark.parametrize("prompt", MARKED)
def test_the_mark_counts_anywhere(prompt):
    """A newcomer's trial: `please do this #private flamingo budget` was kept and quoted."""
    assert is_private(prompt)


@pytest.mark.parametrize("prompt", NOT_MARKED)
def test_code_and_what_is_quoted_hold_no_mark(prompt):
    """What somebody else wrote says nothing of the prompt."""
    assert not is_private(prompt)


@pytest.mark.parametrize("part", ["<a>", "```\n", '"x', "`", "'y ", "<a \n", "</a>\n", "#private-"])
def test_no_prompt_takes_long(part):
    """Ten times the text takes about ten times as long."""
    text = "x" + part * 300 + " #private("

    assert_growth(lambda times: cpu_s(lambda: is_private(text * times)), 10, 100, factor=20, slack_s=0.05)
