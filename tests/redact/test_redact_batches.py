"""Redaction of many texts at once: what a batch calls unchanged is unchanged by the plain path as well."""

from __future__ import annotations

from hypothesis import given, settings as hypothesis_settings, strategies as st

from tacit.redact import BUILT_IN, Redactor, Secret
from tacit.text.secret_marks import NAME_PARTS
from tests.redact.generated import PASSWORDS, TOKENS, Draw
from tests.rules.made_up import CONTEXTS, everywhere, plain_password, secrets

REDACTOR = Redactor(lambda _secret: "0" * 8)
ANCHORS = [anchor for rule in BUILT_IN for anchor in rule.anchors]
SIGNS = [
    " ",
    "\n",
    "=",
    ": ",
    '"',
    "'",
    "\\",
    "\\\n",
    '" +\n "',
    " . ",
    "&",
    "(",
    ",",
    "\\u0067",
    "[redacted:key:01234567]",
]
PIECES = st.one_of(
    st.sampled_from(ANCHORS),
    st.sampled_from([*NAME_PARTS, "api_key", "password is", " as the password", "dropbox", "the", "ſ", "İ", "K"]),
    st.sampled_from(SIGNS),
    st.sampled_from(sorted(secrets(3).values(), key=len)[:60]),
    st.text("abcXYZ019_-./+=", max_size=40),
)
TEXTS = st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=12)


def disagreeing(texts: list[str], redactor: Redactor = REDACTOR) -> list[str]:
    """Return the texts that a batch calls unchanged, and the plain path changes."""
    return [text for text in redactor.untouched(texts) if redactor.clean(text) != text]


@given(TEXTS)
@hypothesis_settings(max_examples=400)
def test_a_batch_never_spares_what_the_plain_path_takes(texts: list[str]) -> None:
    """Whatever is before and after a text in its batch, a text is unchanged only if it is so alone."""
    assert [] == disagreeing(texts)


def test_a_batch_never_spares_a_secret_of_any_kind() -> None:
    """Every kind of secret, wherever it stands, is left to the rules, in batches of any order."""
    texts = [text for _kind, _secret, text in everywhere(4)]
    texts += [write(plain_password(seed)) for seed in range(20) for write in CONTEXTS.values()]
    texts += [make(Draw(seed)) for seed in range(3) for make in (*TOKENS.values(), *PASSWORDS.values())]

    assert [] == disagreeing(texts)
    assert [] == disagreeing(texts[::-1])


def test_prose_is_recognised_at_once() -> None:
    """A text without anchors is found unchanged without its rules, or batches would save nothing."""
    prose = ["Deploys go out on Thursdays", "Ann prefers small commits", "sort by created_at"]

    assert set(prose) == REDACTOR.untouched([*prose, "password=hunter2x"])


def test_patterns_of_the_settings_apply_in_batches() -> None:
    """A text that only a configured pattern takes is not called unchanged."""

    def tickets(text: str) -> list[Secret]:
        at = text.find("ticket")
        return [Secret("ticket", at, at + 6, "setting")] if at >= 0 else []

    redactor = Redactor(lambda _secret: "0" * 8, more=tickets)

    assert {"a text"} == redactor.untouched(["a text", "a ticket"])
