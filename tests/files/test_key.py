"""The installation's key: made once, for its owner alone, the same for all who ask at once."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from tacit.files.install_key import SIZE_BYTES, installation_key


def test_a_key_is_made_once(tmp_path):
    """The first call makes it, readable by its owner alone; later calls give the same."""
    path = tmp_path / "home" / "redact.key"

    key = installation_key(path)

    assert (SIZE_BYTES, key) == (len(key), installation_key(path))
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert ["redact.key"] == [file.name for file in path.parent.iterdir()]


def test_all_who_ask_at_once_get_the_same_key(tmp_path):
    """Of many who make it at the same time, one wins and all hold its key."""
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(installation_key, [tmp_path / "redact.key"] * 64))

    assert 1 == len(keys)


def test_half_a_key_is_none(tmp_path):
    """A file of another size is refused, not used."""
    path = tmp_path / "redact.key"
    path.write_bytes(b"short")

    with pytest.raises(ValueError, match="5 bytes"):
        installation_key(path)
