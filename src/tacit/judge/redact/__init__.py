"""Redaction: find secrets in any text and put placeholders in their place. Pure; keys come from outside."""

from __future__ import annotations

from tacit.judge.redact.redactor import BUILT_IN, Redactor, find, no_more, redact
from tacit.judge.redact.rule import Rule
from tacit.model.secret import Secret

__all__ = ["BUILT_IN", "Redactor", "Rule", "Secret", "find", "no_more", "redact"]
