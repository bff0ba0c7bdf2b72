"""Logging: the `tacit` logger tree, to stderr only, redacted, one line per event.

A library logs nothing until a door calls `configure`. Logged text may come from anywhere (commands, transcripts,
foreign files), so every line is redacted, and then its control characters are escaped. Neither a secret nor a forged
second line is printed.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import TextIO

ROOT = "tacit"
LEVELS = ("debug", "info", "warning", "error", "off")
FORMATS = ("human", "json")

Redactor = Callable[[str], str]

# Without our own handler, logging would print warnings itself, unredacted.
logging.getLogger(ROOT).addHandler(logging.NullHandler())


def get(name: str) -> logging.Logger:
    """Return the logger of a module (`__name__`) or of a room (`store`)."""
    return logging.getLogger(name if name == ROOT or name.startswith(f"{ROOT}.") else f"{ROOT}.{name}")


def configure(level: str, fmt: str, redact: Redactor) -> None:
    """Send events of at least `level` to stderr in the format `fmt`. A second call replaces the first.

    Raises:
        ValueError: `level` is not one of LEVELS, or `fmt` not one of FORMATS.
    """
    if level not in LEVELS:
        raise ValueError(f"log level {level!r} is unknown; choose one of {', '.join(LEVELS)}")
    if fmt not in FORMATS:
        raise ValueError(f"log format {fmt!r} is unknown; choose one of {', '.join(FORMATS)}")
    root = logging.getLogger(ROOT)
    for handler in [h for h in root.handlers if isinstance(h, _Stderr)]:
        root.removeHandler(handler)
    handler = _Stderr()
    handler.setFormatter(_Json(redact) if fmt == "json" else _Human(redact))
    root.addHandler(handler)
    root.setLevel(logging.CRITICAL + 1 if level == "off" else level.upper())
    root.propagate = False  # a handler of the host application would print the event again, unredacted


def fields(**values: str | float) -> dict[str, dict[str, str | float]]:
    """Return extra fields for an event: `log.info("called", extra=fields(ms=3))`."""
    return {"fields": values}


def escape(text: str) -> str:
    """Make `text` one printable line: control, bidirectional and lone surrogate characters become escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes events to the current `sys.stderr`; if an event cannot be written, its content is never shown."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override] # the base class keeps a stream; ours must follow sys.stderr
        return sys.stderr

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 # the name is logging's
        cause = sys.exc_info()[0]
        try:
            sys.stderr.write(f"tacit.logs: an event of {escape(record.name)} was lost ({cause and cause.__name__})\n")
        except (OSError, ValueError, AttributeError):
            return  # stderr itself is gone, so this cannot be reported


class _RedactingFormatter(logging.Formatter):
    """Base of both formats: formats the message with its traceback and redacts them as one text."""

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact
        self.converter = time.gmtime  # times are UTC

    def text(self, record: logging.LogRecord) -> str:
        """Return the redacted text of the event, or a placeholder when the redactor fails."""
        text = record.getMessage()
        if record.exc_info:
            text = f"{text}\n{self.formatException(record.exc_info)}"
        try:
            return self._redact(text)
        except Exception as error:  # noqa: BLE001 # a broken redactor must withhold the text, whatever it raises
            return f"(withheld: the redactor failed with {type(error).__name__})"


class _Human(_RedactingFormatter):
    def format(self, record: logging.LogRecord) -> str:
        more = "".join(f" {name}={value}" for name, value in getattr(record, "fields", {}).items())
        text = escape(self.text(record) + more)
        return f"{self.formatTime(record)} {record.levelname.lower():7} {record.name}: {text}"


class _Json(_RedactingFormatter):
    def format(self, record: logging.LogRecord) -> str:
        event = {
            "at": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.text(record),
            **getattr(record, "fields", {}),
        }
        return json.dumps(event, ensure_ascii=True).replace("\x7f", "\\u007f")
