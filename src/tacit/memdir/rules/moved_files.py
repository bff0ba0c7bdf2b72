"""Which new files are files that were moved: with the same content, or edited and still mostly the same."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

_LEAST_ALIKE = 0.6
_MOST_WORDS = 500
_MOST_PAIRS = 400


class SyncedFile(NamedTuple):
    """A file by the hash of its content, and its text."""

    hash: str
    text: str


def moved_files(lost: Mapping[str, SyncedFile], fresh: Mapping[str, SyncedFile]) -> dict[str, str]:
    """Return for each new file that was moved the path that it had.

    Of several with one content, the one with the same name; if that is not clear, none.
    """
    found: dict[str, str] = {}
    for path, file in fresh.items():
        same = [old for old, one in lost.items() if one.hash == file.hash and old not in found.values()]
        named = [old for old in same if posixpath.basename(old) == posixpath.basename(path)]
        if old := same[0] if len(same) == 1 else named[0] if len(named) == 1 else "":
            found[path] = old
    hashes = {one.hash for one in lost.values()}
    left = {path: one for path, one in lost.items() if path not in found.values()}
    edited = {path: one for path, one in fresh.items() if path not in found and one.hash not in hashes}
    return found | _edited(left, edited)


def _edited(lost: Mapping[str, SyncedFile], fresh: Mapping[str, SyncedFile]) -> dict[str, str]:
    """Return the pairs that are most alike, as far as none of the two is as much alike another file."""
    if len(lost) * len(fresh) > _MOST_PAIRS:
        return {}
    before, after = ({path: _words(one.text) for path, one in files.items()} for files in (lost, fresh))
    pairs = sorted(((_alike(before[old], after[path]), path, old) for path in after for old in before), reverse=True)
    found: dict[str, str] = {}
    settled: set[str] = set()
    for share, equal in groupby(pairs, key=itemgetter(0)):
        tied = [(path, old) for _share, path, old in equal if share >= _LEAST_ALIKE and settled.isdisjoint((path, old))]
        often = Counter(one for pair in tied for one in pair)
        found |= {path: old for path, old in tied if often[path] == often[old] == 1}
        settled |= often.keys()
    return found


def _alike(before: list[str], after: list[str]) -> float:
    return SequenceMatcher(None, before, after, autojunk=False).ratio() if before and after else 0.0


def _words(text: str) -> list[str]:
    """Return the words of a topic file, without those that every such file has."""
    lines = (line for line in text.splitlines() if line.strip("- \ufeff") and not line.startswith("type:"))
    return [word for line in lines for word in line.split()][:_MOST_WORDS]
