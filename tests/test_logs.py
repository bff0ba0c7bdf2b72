"""Logging goes to stderr alone, one redacted line per event."""

from __future__ import annotations

import json
import logging

import pytest

from tacit import logs


def keep(text: str) -> str:
    """Redact nothing."""
    return text


def hide(text: str) -> str:
    """Redact the one secret of these tests."""
    return text.replace("hunter2", "[secret]")


def test_the_library_is_quiet_until_configured(capfd: pytest.CaptureFixture[str]) -> None:
    """Without `configure`, not even a warning is printed."""
    root = logging.getLogger(logs.ROOT)
    root.propagate = False  # pytest's own handler hangs on the root logger
    logs.get("store").warning("nobody asked")

    assert ("", "") == capfd.readouterr()


@pytest.mark.parametrize(
    ("name", "full"), [("store", "tacit.store"), ("tacit.store", "tacit.store"), ("tacit", "tacit")]
)
def test_every_logger_is_under_tacit(name: str, full: str) -> None:
    """Rooms and module names end in the same tree."""
    assert full == logs.get(name).name


def test_human_lines_go_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    """One line with time, level, logger and message; stdout stays clean."""
    logs.configure("info", "human", keep)
    logs.get("store").info("opened %s", "a.db")

    out, err = capfd.readouterr()
    assert "" == out
    assert err.endswith(" info    tacit.store: opened a.db\n")
    assert 1 == err.count("\n")


def test_json_lines_are_json(capfd: pytest.CaptureFixture[str]) -> None:
    """Each event is one JSON object that gives the message back exactly."""
    logs.configure("debug", "json", keep)
    message = 'tab\t newline\n quote" bell\x07 delete\x7f line\u2028 bidi\u202e lone\ud800 ü'
    logs.get("store").debug(message)

    out, err = capfd.readouterr()
    event = json.loads(err)
    assert "" == out
    assert ("debug", "tacit.store", message) == (event["level"], event["logger"], event["message"])
    assert event["at"].endswith("Z")
    assert err.rstrip("\n").isprintable() and err.isascii()


@pytest.mark.parametrize("hostile", ["a\nb", "a\r\x1b[2Jb", "a\u2028b", "a\u202eb", "a\ud800b", "a\x00b", "a\x85b"])
def test_a_message_cannot_forge_a_line(hostile: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Control, line-separating, bidirectional and unencodable characters are escaped."""
    logs.configure("info", "human", keep)
    logs.get("store").info(hostile)

    err = capfd.readouterr().err
    assert 1 == err.count("\n")
    assert err.rstrip("\n").isprintable()


@pytest.mark.parametrize("fmt", logs.FORMATS)
def test_secrets_are_redacted(fmt: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Message, arguments and traceback all pass the redactor."""
    logs.configure("info", fmt, hide)
    try:
        raise RuntimeError("hunter2 in the error")
    except RuntimeError:
        logs.get("store").exception("password %s", "hunter2")

    err = capfd.readouterr().err
    assert "hunter2" not in err
    assert 2 <= err.count("[secret]")
    assert 1 == err.count("\n")


def test_a_broken_redactor_withholds_the_message(capfd: pytest.CaptureFixture[str]) -> None:
    """When redaction fails, the event is announced without its text."""

    def broken(text: str) -> str:
        raise KeyError(text)

    logs.configure("info", "human", broken)
    logs.get("store").info("hunter2")

    err = capfd.readouterr().err
    assert "hunter2" not in err
    assert "withheld: the redactor failed with KeyError" in err


def test_an_event_that_cannot_be_formatted_is_said_to_be_lost(capfd: pytest.CaptureFixture[str]) -> None:
    """A wrong format string costs the event, not the program, and shows no argument."""
    logs.configure("info", "human", keep)
    logs.get("store").info("%d", "hunter2")

    assert "tacit.logs: an event of tacit.store was lost (TypeError)\n" == capfd.readouterr().err


def test_a_closed_stderr_is_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a stderr there is nobody to tell; the program goes on."""
    logs.configure("info", "human", keep)
    monkeypatch.setattr("sys.stderr", None)

    logs.get("store").info("into the void")


def test_level_and_second_configuration(capfd: pytest.CaptureFixture[str]) -> None:
    """Events below the level are dropped; the last `configure` alone counts; `off` is silent."""
    logs.configure("debug", "json", keep)
    logs.configure("error", "human", keep)
    logs.get("store").warning("too quiet")
    logs.get("store").error("loud")
    logs.configure("off", "human", keep)
    logs.get("store").critical("never")

    err = capfd.readouterr().err
    assert ["loud"] == [line.rsplit(": ", 1)[1] for line in err.splitlines()]


@pytest.mark.parametrize(("level", "fmt"), [("loud", "human"), ("info", "xml"), ("", "json")])
def test_unknown_settings_are_named(level: str, fmt: str) -> None:
    """A wrong level or format is an error that lists the choices."""
    with pytest.raises(ValueError, match="is unknown; choose one of"):
        logs.configure(level, fmt, keep)
