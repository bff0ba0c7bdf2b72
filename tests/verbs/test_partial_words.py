"""S19: parts of words find the words, below whole ones; names with marks (c++, .net) find what they name."""

import pytest

from tacit.testing import FakeEmbedder, temporary_memory

FACTS = (
    "The credentials of staging are in the vault",
    "Every tenant has its own schema",
    "Authentication happens at the gateway",
    "Migrations run before the deploy",
    "The configuration of nginx is generated",
    "rate_limiter.py holds the token bucket",
    "The repository is mirrored every night",
    "Kubernetes schedules the workers",
    "The engine is written in C++.",
    "Vitamin C is sold in the shop demo",
    "Option C was chosen for the layout",
    "The importer is a C# and F# program",
    "Our desktop client is a .NET 8 app",
    "Net income is reported monthly",
    "The website runs on Node.js 20",
    "Budget of R&D is fixed in May",
    "We compile the codec with C++17, others with C++-11 rules",
)


@pytest.fixture(scope="module")
def memory():
    """Hold the facts, searched by words."""
    with temporary_memory() as m:
        for fact in FACTS:
            m.memorize(fact)
        yield m


def bodies(found):
    return [hit.record.body for hit in found]


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("credent", 0), ("credentia", 0), ("credential", 0), ("Creden", 0), ("CREDENT?", 0), ("tenan", 1), ("ten", 1),
        ("authenticat", 2), ("authenticatio", 2), ("authent", 2), ("migratio", 3), ("migrat", 3), ("configurat", 4),
        ("configuratio", 4), ("ngin", 4), ("rate_lim", 5), ("rateLimi", 5), ("rate_limiter.p", 5), ("repositor", 6),
        ("c++17", 16), ("kuber", 7), ("schedul", 7), ("scheduli", 7), ("where are the credent of stag", 0),
    ],
)  # fmt: skip
def test_a_part_of_a_word_finds_the_word(memory, query, fact):
    """S19: `credent` and `tenan` found nothing by words; also parts that are longer than the stem in the index."""
    assert FACTS[fact] == bodies(memory.recall(query, mode="lexical"))[0]


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("straß", "Die Straßenbahn fährt nachts"), ("Straßenba", "Die Straßenbahn fährt nachts"),
        ("größen", "Größenangaben stehen in Zentimetern"), ("kontoauszü", "Kontoauszüge werden gedruckt"),
        ("déploi", "Le déploiement passe par Ansible"), ("facturaci", "La facturación usa Redis"),
        ("аутент", "Аутентификация через OAuth"), ("Аутентификаци", "Аутентификация через OAuth"),
        ("ポート", "ポートは8443です"),
    ],
)  # fmt: skip
def test_a_part_of_a_word_in_other_letters_finds_it_too(query, fact):
    """S19: `strass` found Straßenbahn and `straß` did not; of other scripts no part was looked for."""
    facts = (
        "Die Straßenbahn fährt nachts", "Größenangaben stehen in Zentimetern", "Kontoauszüge werden gedruckt",
        "Le déploiement passe par Ansible", "La facturación usa Redis", "Аутентификация через OAuth",
        "ポートは8443です",
    )  # fmt: skip
    with temporary_memory() as m:
        m.add_many([{"kind": "fact", "body": one} for one in facts])

        assert [fact] == bodies(m.recall(query, mode="lexical"))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("c++", {8, 16}), ("C++", {8, 16}), ("c++?", {8, 16}), ("c#", {11}), ("F#", {11}), (".net", {12}),
        (".NET", {12}), ("r&d", {15}), ("node.js", {14}), ("Node.js", {14}), ("C++ codec", {16, 8}),
    ],
)  # fmt: skip
def test_a_name_with_a_mark_finds_what_it_names(memory, query, wanted):
    """S19: `recall "c++"` gave vitamin C; ".net" gave net income. At the end of a sentence, too."""
    assert {FACTS[number] for number in wanted} == set(bodies(memory.recall(query, mode="lexical")))


@pytest.mark.parametrize("query", ["c++", "c#", ".net"])
def test_search_by_meaning_adds_nothing_to_a_name(query):
    """S19: by meaning, `c++` is like anything; what does not hold the name is no answer, and nobody is no answer."""
    with temporary_memory(embedder=FakeEmbedder()) as m:
        for fact in FACTS:
            m.memorize(fact)
        found = m.recall(query)

        assert found
        assert [] == [body for body in bodies(found) if query not in body.lower()]
        assert [] == bodies(m.recall("g++ j#"))


def test_whole_words_come_first():
    """S19: what only begins like a word of the query is found, and ranks below every record that has the word."""
    with temporary_memory() as m:
        long = " and so on at length with many more words that say nothing" * 5
        whole = [m.memorize(f"The auth header of {name} is signed{long}").id for name in ("billing", "search")]
        begun = [m.memorize(text).id for text in ("Authors sign off", "Authority of the vendor", "Authentication")]
        found = [hit.id for hit in m.recall("auth", mode="lexical", limit=10, min_score=0)]

        assert set(whole) == set(found[:2])
        assert set(begun) == set(found[2:])
        assert set(whole) == {hit.id for hit in m.recall("auth", mode="lexical", limit=2, min_score=0)}


def test_an_ordinary_query_is_left_alone(memory):
    """S19: words that are in the index mean themselves: nothing that only begins like them is added to a question."""
    found = bodies(memory.recall("where is the engine written", mode="lexical", limit=20))
    asked = memory.recall("net income", mode="lexical", limit=20)

    assert "The engine is written in C++." == found[0]
    assert "Net income is reported monthly" == bodies(asked)[0]


def test_a_part_that_nothing_begins_with_finds_nothing(memory):
    """S19: no guess is made from two letters, or from what is in no record."""
    for query in ("xy", "zzzqq", "credentt", "qu"):
        assert [] == bodies(memory.recall(query, mode="lexical")), query


def test_parts_keep_to_scopes_kinds_and_tags(tmp_path):
    """S19: what begins like a word elsewhere is neither found nor completed from."""
    with temporary_memory(folder=tmp_path, scope="project:other") as other:
        other.memorize("Credentials of the other project")
    with temporary_memory(folder=tmp_path) as m:
        assert [] == bodies(m.recall("credent", mode="lexical"))
        m.notes.create("Credentials are rotated", title="Rotation", tags=["ops"])
        assert [] == bodies(m.recall("credent", mode="lexical", kinds=["fact"]))
        assert [] == bodies(m.recall("credent", mode="lexical", tags=["dev"]))
        assert ["Credentials are rotated"] == bodies(m.recall("credent", mode="lexical", tags=["ops"]))
