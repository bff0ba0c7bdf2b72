"""The helper pulls and pushes shared folders every few minutes; a broken one is told of, and the others go on."""

import json
from pathlib import Path

import pytest

from tacit.app.open import hook_caller, open_memory, settings_in
from tacit.doors.background_sharing import EVERY_S, BackgroundSharing

SCOPE = "project:acme/app"


@pytest.fixture
def folders(work, tmp_path, monkeypatch):
    """Share a scope through two folders, as a person did once."""
    monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "user")
    made = [tmp_path / name for name in ("first", "second")]
    with open_memory(scope=SCOPE) as memory:
        for folder in made:
            folder.mkdir()
            memory.share.init(folder)
        memory.memorize("the staging port is 8443")
    monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "agent")
    return made


def chunks(folder):
    return len(list(folder.glob("writers/*/*.chunk")))


def test_the_helper_shares_every_few_minutes(folders):
    """It pushes at once what is new, not again before the time has come, and then only if there is news."""
    now, told = [100.0], []
    sharing = BackgroundSharing(lambda: now[0])

    def work():
        sharing.work(settings_in(Path("/")), hook_caller(), told.append)
        return chunks(folders[0])

    first = work()
    with open_memory(scope=SCOPE) as memory:
        memory.memorize("deploys happen on Tuesdays")
    early = work()
    now[0] += EVERY_S
    due = work()
    now[0] += EVERY_S

    assert ([1, 1, 2, 2], []) == ([first, early, due, work()], told)


def test_a_broken_folder_does_not_stop_the_others(folders):
    """The first folder is another one now: it is told of, and the second is served."""
    mark = folders[0] / "tacit-share.json"
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"id": "a" * 32}))
    told = []
    BackgroundSharing(lambda: 100.0).work(settings_in(Path("/")), hook_caller(), told.append)

    assert [0, 1] == [chunks(folder) for folder in folders]
    assert 1 == len(told)
    assert str(folders[0]) in told[0]


def test_without_a_folder_nothing_happens(work):
    """No store is opened in a home where nobody accepted a folder."""
    BackgroundSharing(lambda: 100.0).work(settings_in(Path("/")), hook_caller(), pytest.fail)

    assert not (settings_in(Path("/")).home / "share").exists()
