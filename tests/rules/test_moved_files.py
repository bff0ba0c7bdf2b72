"""Which new files are files that were moved and edited."""

from tacit.memdir.rules.moved_files import SyncedFile, moved_files

A, B = (" ".join(f"{name}{n}" for n in range(9)) for name in ("alpha", "beta"))


def _files(**texts: str) -> dict[str, SyncedFile]:
    return {path: SyncedFile(str(hash(text)), text) for path, text in texts.items()}


def test_two_pairs_that_are_equally_alike_are_both_moved():
    """That another file changed as much says nothing about this one."""
    assert {"x": "a", "y": "b"} == moved_files(_files(a=A, b=B), _files(x=f"{A} more", y=f"{B} more"))


def test_a_file_that_is_equally_alike_two_others_is_not_moved():
    """Also where a pair that has nothing to do with them stands between the two."""
    lost, fresh = _files(a=A, b=B, c=A), _files(x=f"{A} more", y=f"{B} more")

    assert {"y": "b"} == moved_files(lost, fresh)


def test_a_pair_that_is_more_alike_is_found_beside_lesser_ones_that_are_not_clear():
    """What is settled takes no part in the doubt about others."""
    lost = _files(a=A, b=A.replace("alpha0", "z"), c=A.replace("alpha1", "z"))

    assert {"x": "a"} == moved_files(lost, _files(x=f"{A} more"))
