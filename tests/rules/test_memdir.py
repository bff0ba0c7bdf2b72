"""Choosing topic files: at most five, perhaps none, in an order that does not change."""

import os

import pytest

from tacit.memdir.choose_topics import TopicChooser
from tacit.memdir.folder import TopicFolder
from tacit.memdir.rules.age_in_words import age_days, age_text
from tacit.memdir.rules.choose_topics import card_of, select

DAY_NS = 86_400_000_000_000


def test_a_name_counts_more_than_a_body():
    """And one word in a body is chance."""
    cards = [
        card_of("a.md", "the cache is mentioned here"),
        card_of("b.md", "---\nname: cache\n---\n"),
        card_of("c.md", "---\ndescription: cache rules\n---\n"),
    ]

    assert ["b.md", "c.md"] == [one.card.path for one in select("clear the cache", cards)]


def test_nothing_fits_nothing():
    """No files, no words, or none in common: an empty answer, not all of them."""
    cards = [card_of("a.md", "---\nname: cache\n---\n")]

    assert [[], [], [], []] == [
        select("cache", []), select("", cards), select("deploy", cards), select("cache", cards, shown={"a.md"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("days", "text"), [(0, "today"), (1, "yesterday"), (2, "2 days old, verify"), (47, "47 days old, verify")]
)
def test_age_in_words(days, text):
    """The future is today."""
    assert text == age_text(age_days(DAY_NS, DAY_NS + days * DAY_NS + 5))
    assert 0 == age_days(5 * DAY_NS, DAY_NS)


def test_changed_and_new_files_are_read_anew(tmp_path):
    """Gone ones are gone; links, fifos and hidden files are never chosen; the oldest of many is found."""
    folder = tmp_path / "m"
    folder.mkdir()
    (tmp_path / "out.md").write_text("---\nname: cache\n---\n")
    (folder / "link.md").symlink_to(tmp_path / "out.md")
    (folder / "dir").symlink_to(tmp_path)
    os.mkfifo(folder / "cache.md")
    (folder / ".cache.md").write_text("cache")
    for number in range(250):
        (folder / f"n{number}.md").write_text("---\nname: other\n---\n")
    chooser = TopicChooser(TopicFolder(folder))

    def chosen():
        return [one.chosen.card.path for one in chooser.choose("cache", 0)]

    assert [] == chosen()
    (folder / "n1.md").write_text("---\nname: the cache\n---\n")
    os.utime(folder / "n1.md", (1, 1))
    assert ["n1.md"] == chosen()
    (folder / "n1.md").unlink()
    assert [] == chosen()
    assert [] == TopicChooser(TopicFolder(tmp_path / "none")).choose("cache", 0)
