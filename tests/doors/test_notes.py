"""The command line of notes."""


def test_notes_from_one_end_to_the_other(tacit, person):
    """Add, list, show, search, compress, consolidate and delete; `memory` is the older name of it."""
    texts = ("The staging API listens on port 8443.", "Deploys go through make ship.", "The worker reads from redis.")
    ids = [tacit("note", "add", text, "--title", text[:20], "--json").json["id"] for text in texts]

    assert list(reversed(ids)) == [one["id"] for one in tacit("memory", "list", "--json").json["notes"]]
    assert [ids[0]] == [
        one["id"] for one in tacit("note", "search", "which port", "--limit", "1", "--json").json["notes"]
    ]
    assert texts[1] in tacit("note", "show", ids[1]).out
    made = tacit("note", "compress", *ids[:2], "--json").json

    assert (ids[:2], "rules") == (made["derived_from"], made["by"])
    assert made["id"] == tacit("note", "show", ids[0], "--newest", "--json").json["id"]
    done = tacit("note", "consolidate", *ids, "--json").json

    assert (True, ids) == (done["verified"], done["retired"])
    assert 0 == tacit("note", "remove", made["id"]).code
    assert [2, 2, 3] == [tacit("note", *w).code for w in (("compress", ids[0]), ("add", " "), ("show", "note_gone"))]
    assert 0 == tacit("note", "list", "--scope-kind", "project").code
    assert 3 == tacit("note", "list", "--in", "project:elsewhere").code


def test_what_a_persons_lesson_cites_is_refused_with_exit_4(tacit, person):
    """The refusal names what cites it; a person's force goes over it."""
    id = tacit("note", "add", "The lock file is bun's", "--json").json["id"]
    person()
    told = ("--trigger", "npm i", "--failure-mode", "x", "--correction", "bun i", "--evidence", id)
    lesson = tacit("lesson", "create", "Use bun", *told, "--json").json["id"]
    refused = tacit("note", "remove", id, "--json")

    assert (4, "immune") == (refused.code, refused.json["error"]["code"])
    assert f"cited by {lesson[-8:]}" in tacit("note", "show", id).out
    assert "immune" == tacit("forget", id, "--yes", "--json").json["error"]["code"]
    assert 0 == tacit("note", "remove", id, "--force").code
