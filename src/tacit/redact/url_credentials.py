"""Credentials in URLs: `scheme://user:password@host`, and a token in place of the user."""

from __future__ import annotations

import re

from tacit.redact.dummy_values import is_mask, is_variable
from tacit.redact.rule import SecretRule, compiled
from tacit.redact.value_shapes import looks_drawn

# The last @ before the path ends the password, so that an @ in a password does not cut it short. The quantifiers are
# possessive and no part reaches into the next URL, so that every URL is read once, however long or many.
_CHARS = r"""[^\s"'`<>@:]*+"""
_LOGIN = (
    rf"""://[^\s:/?#@"'`<>\[\]{{}}]{{0,200}}+:(?P<secret>(?=[^\s"'`<>@]){_CHARS}(?::(?!//){_CHARS})*+"""
    r"""(?:@[^\s"'`<>/?#@]*+(?=@))*)@(?=[\w.\[$<{*%-])"""
)
_USER_ALONE = r"://(?P<secret>[\w.~%+-]{16,}+):?(?:x-oauth-basic)?@(?=[\w.-])"


def _given(found: re.Match[str]) -> bool:
    value = found["secret"]
    # A port, then a path with an @ further on: not a password.
    return not is_variable(value) and not is_mask(value) and not compiled(r"\d{1,5}(?:[/?#].*)?").fullmatch(value)


URLS = (
    SecretRule("url-password", "it is where an address has its password", "url", ("://",), _LOGIN, _given),
    SecretRule("url-token", "it is random and where an address has its user", "url", ("://",), _USER_ALONE,
               lambda found: looks_drawn(found["secret"], 16)),
)  # fmt: skip
