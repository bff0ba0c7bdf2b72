"""The off switches: a pause with an end, a file per project."""

from datetime import UTC, datetime, timedelta

import pytest

from tacit.files.off_switch import off_reason, pause, paused_until, project_switch, resume

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_a_pause_ends_by_itself_or_by_hand(tmp_path):
    """On until paused, off until the end, on again after it or after resuming."""
    assert "" == off_reason(tmp_path, "", NOW)
    pause(tmp_path, NOW + timedelta(hours=1))

    assert "paused until 2026-03-01 11:00 UTC" == off_reason(tmp_path, "", NOW)
    assert "" == off_reason(tmp_path, "", NOW + timedelta(hours=1))
    resume(tmp_path)
    resume(tmp_path)
    assert ("", None) == (off_reason(tmp_path, "", NOW), paused_until(tmp_path))


@pytest.mark.parametrize("content", [b"", b"junk", b"{}", b"[]", b'{"until": 5}', b'{"until": "soon"}'])
def test_a_pause_that_cannot_be_read_is_a_pause(tmp_path, content):
    """Doubt is off, not on."""
    (tmp_path / "pause.json").write_bytes(content)

    assert off_reason(tmp_path, "", NOW).startswith("paused until 9999")


@pytest.mark.parametrize("project", ["plain", "example.org/team/app", "/a folder/a b", "x" * 300])
def test_a_project_can_be_switched_off_alone(tmp_path, project):
    """The project's file, named like its id, switches it off and no other; an id no file can have is hashed."""
    switch = project_switch(tmp_path, project)
    switch.parent.mkdir(parents=True)
    switch.touch()

    assert "switched off for this project" == off_reason(tmp_path, project, NOW)
    assert ("", "") == (off_reason(tmp_path, "another", NOW), off_reason(tmp_path, "", NOW))
    assert tmp_path / "off" in switch.parents
