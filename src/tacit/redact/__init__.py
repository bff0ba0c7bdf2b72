"""Redaction: find secrets in any text and replace them by placeholders. Pure; keys come from outside."""

from __future__ import annotations

from tacit.model.secret import Secret
from tacit.redact.redactor import BUILT_IN, Redactor, find, no_more, redact, why
from tacit.redact.rule import SecretRule

__all__ = ["BUILT_IN", "Redactor", "Secret", "SecretRule", "find", "no_more", "redact", "why"]
