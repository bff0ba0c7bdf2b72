"""What a prompt is reminded of, and what that costs: two searches, no count of vectors, procedures only if they fit."""

import pytest

from tacit.loop.reminders import reminders
from tacit.model.record import short_id
from tacit.testing import FakeEmbedder, temporary_memory


@pytest.fixture
def memory():
    with temporary_memory(embedder=FakeEmbedder()) as opened:
        opened.memorize("The staging API listens on port 8443")
        opened.learned.correction("npm", "pnpm", context="use pnpm instead of npm")
        keys = opened.procedures.record("Rotate keys").key
        opened.procedures.add_step(keys, "echo rotate")
        yield opened


def titles(memory, prompt):
    return [one.text for one in reminders(memory._c, prompt)]


def test_a_prompt_costs_two_searches_and_no_count_of_vectors(memory, monkeypatch):
    """One for rules, lessons and procedures, one for facts; what has no vector yet is counted for `recall` only."""
    store, searches = type(memory._c.store), []
    match = store.match

    def counted(self, *arguments):
        searches.append(arguments[1].kinds)
        return match(self, *arguments)

    monkeypatch.setattr(store, "match", counted)
    monkeypatch.setattr(store, "coverage", lambda *_: 1 / 0)
    told = titles(memory, "install the staging API with npm and rotate the keys")

    assert [("correction", "lesson", "procedure"), ("fact", "note", "term")] == searches
    assert ["pnpm" in told[0], "8443" in told[1], "rotate-keys" in told[2]] == [True, True, True]


def test_a_procedure_is_offered_only_where_it_fits(memory):
    """S29: "write a haiku" was offered "Rotate keys", with a score of 0.13."""
    assert not any("procedure" in text for text in titles(memory, "write a haiku"))
    assert any("rotate-keys" in text for text in titles(memory, "please rotate all keys"))


def test_every_line_ends_with_the_id_of_its_record(memory):
    """`tacit why` explains a line by it, as agents are told at a start."""
    memory.learned.correction("", "always run the unit tests of the staging API before a release")
    memory.memorize("Releases of the staging API are cut on Tuesdays")
    told = reminders(memory._c, "install the staging API release with npm, rotate the keys, run the unit tests")

    assert {"correction", "fact", "procedure"} == {one.id.partition("_")[0] for one in told}
    assert [short_id(one.id) for one in told] == [one.text.rstrip("]").split()[-1].lstrip("[") for one in told]
    assert [one.id for one in told] == [memory.why(one.text.rpartition("[")[2]).record.id for one in told]
