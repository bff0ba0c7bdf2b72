"""The lexicon reads what it can, warns about the rest, and finds and replaces whole words only."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from tacit.text.lexicon import Concept, Lexicon, Route, read_concept
from tacit.text.phrase_table import MOST_TOKENS, PhraseTable, spelled

FILE = """# bun add
Install with Bun.
synonyms:: npm install, yarn install, n
Synonyms:: npm i
priority:: 70
priority:: 5
pinned:: yes
type::: document
"""


def test_a_file_is_read():
    """Stem, title, synonyms of several lines, the first of repeated directives."""
    concept, warned = read_concept("docs/bun install.md", FILE)

    assert ("bun install", "bun add", 70, True, "document") == (
        concept.key, concept.title, concept.priority, concept.pinned, concept.kind
    )  # fmt: skip
    assert ("npm install", "yarn install", "n", "npm i") == concept.synonyms
    assert [] == warned


def test_a_title_with_a_gap_takes_no_time_without_end():
    """A repository's file is somebody else's: its longest line is read once."""
    gap = " " * 200_000
    concept, _warned = read_concept("x.md", f"# a{gap}b{gap}\nsynonyms:: c\n")

    assert (f"a{gap}b", ("c",)) == (concept.title, concept.synonyms)


def test_bad_values_are_warnings_with_their_place():
    """A bad value is told with file and line, and passed over."""
    concept, warned = read_concept("a.md", "priority:: high\npinned:: maybe\ntrigger::\nroute:: a, b\n")

    assert [("a.md", 1), ("a.md", 2), ("a.md", 3)] == [(one.path, one.line) for one in warned]
    assert (None, False, "", "a") == (concept.priority, concept.pinned, concept.trigger, concept.title)


def test_routes_are_read_with_what_belongs_to_them():
    """What is said of a route belongs to the one before; a file with a route is a configuration unless it says else."""
    text = "route:: a, big\naction:: ask {prompt}\nis_free:: yes\nroute:: b, small\n"
    concept, warned = read_concept("a.md", text)

    assert (Route("a", "big", "ask {prompt}", True), Route("b", "small")) == concept.routes
    assert ("config_document", []) == (concept.kind, warned)


@pytest.mark.parametrize(
    "line",
    ["route:: a", "route::", "action:: x", "is_free:: yes", "type::: thing", "priority:: 101", "priority:: -1",
     "priority:: ٣", "priority:: 99999999999", "pinned::", "synonyms:: ,", "trigger:: "],
)  # fmt: skip
def test_every_bad_value_is_one_warning(line):
    """Whatever is wrong, there is a concept, and a warning that names the line."""
    concept, [warned] = read_concept("a.md", f"\n{line}\n")

    assert ("a", 2, "kg_entry") == (concept.key, warned.line, concept.kind)


def test_whole_words_are_found_and_the_longest_wins():
    """`npm` inside a word is none, case and spaces do not matter, and one letter means nothing."""
    lexicon = Lexicon([read_concept("bun.md", FILE)[0], read_concept("npm.md", "synonyms:: npm")[0]])

    assert ["npm install", "npm"] == [one.pattern for one in lexicon.find("run NPM  install, not pnpm; npm too, n")]
    assert [] == list(Lexicon([]).find("anything"))


def lexicon_of(**synonyms):
    """Return a lexicon of concepts by key."""
    return Lexicon(Concept(key, key, tuple(words)) for key, words in synonyms.items())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("npm install", "bun install"),
        ('Use npm, or (npm) or "npm": `npm`. npm\'s', 'Use bun, or (bun) or "bun": `bun`. bun\'s'),
        ("pnpm npmrc npm_x x_npm npm2 npm-check pre-npm", ""),
        ("rm -rf x", ""),
        ("https://npm.example/npm?q=npm,npm a@npm.dev npm@10 ./npm ~/npm/x a/npm npm/x C:\\npm", ""),
        ("www.npm.com npm.cmd npm:latest x=npm #npm $npm", ""),
        ("NPM\tand\nnpm", "bun\tand\nbun"),
        ("bun add", ""),
        ("naïve npm ünpm npmü", "naïve bun ünpm npmü"),
    ],
)
def test_only_whole_words_outside_of_names_are_replaced(text, expected):
    """Never inside a word, a URL, an address, a path or an option; what is replaced is counted and shown."""
    done = lexicon_of(bun=["npm"], **{"Readiness Feedback": ["rf"]}).replace(text)

    assert (expected or text) == done.text
    assert all(text[one.start : one.end] == one.old and one.new == "bun" for one in done.replacements)
    assert text.lower().count("npm") >= len(done.replacements) == (expected or text).count("bun") - text.count("bun")


def test_a_concept_that_is_a_path_is_found_where_it_stands_alone():
    """`ci/cd` is a word here; inside a longer path it is none."""
    lexicon = lexicon_of(pipeline=["ci/cd"])

    assert "the pipeline. x/ci/cd" == lexicon.replace("the ci/cd. x/ci/cd").text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("npm install x", "bun add x"),
        ("cd a && npm install; sudo npm install | CI=1 npm install", "cd a && bun add; sudo bun add | CI=1 bun add"),
        ("git commit -m 'npm install' && echo npm install", ""),
        ('echo "; npm install"', ""),
        ("echo a\\;npm install", ""),
        ("cat <<E\nnpm install\nE", ""),
        ("# npm install", ""),
        ("npm install'x'", ""),
        ("npm installer", ""),
        ("npm install>log", ""),
        ("echo 'open", ""),
    ],
)
def test_in_a_command_only_its_beginning_is_replaced(line, expected):
    """Quoted text, arguments, documents and comments stay, and a line that cannot be made out stays whole."""
    lexicon = lexicon_of(**{"bun add": ["npm install"]})

    assert (expected or line) == lexicon.replace(line, command=True).text


def test_a_word_of_two_files_is_told_and_the_higher_priority_has_it():
    """The warning names both files; with equal priority the first by name has it."""
    low, high = Concept("a", "a", ("x y",), priority=10, path="k/a.md"), Concept("b", "b", ("X  Y",), path="k/b.md")
    [warned] = Lexicon([low, high]).warnings

    assert ["b"] == [one.concept.key for one in Lexicon([low, high]).find("x y")]
    assert "k/a.md" in warned.message and "k/b.md" in warned.message
    assert ["a"] == [one.concept.key for one in Lexicon([high, low._replace(priority=None)]).find("x y")]


def test_rules_of_the_guard_are_found_and_replace_nothing():
    """A word that is held back has nothing to stand in its place."""
    lexicon = Lexicon([Concept("no-npm", "no npm here", ("npm",), kind="guard-deny")])

    assert ("npm", ("no-npm",)) == (lexicon.replace("npm").text, lexicon.keys_in("npm and npm"))


def test_a_phrase_that_is_too_long_is_told():
    """It is not found, and a warning says so."""
    lexicon = lexicon_of(long=["a " * (MOST_TOKENS + 1)])

    assert 1 == len(lexicon.warnings)


PARTS = st.lists(
    st.sampled_from(["a", "b", "ab", "A", "é", "-", ".", "/", " ", "  ", "\n", "+", "'s", "_", "1"]), max_size=12
)


@given(st.lists(PARTS.map("".join), max_size=8), PARTS.map("".join))
def test_the_table_finds_what_trying_everything_finds(phrases, text):
    """Leftmost and longest, with the same idea of a whole word, however the text is spaced."""
    known = {spelled(one) for one in phrases if spelled(one)}
    found = list(PhraseTable(known).find(text))
    alone = [(one.start, one.end) for one in found]

    assert alone == sorted(alone)
    assert all(a[1] <= b[0] for a, b in pairwise(alone))
    assert all(spelled(text[one.start : one.end]) == one.phrase and one.phrase in known for one in found)
    # What a phrase finds by itself is found by all together, or a longer or earlier one lies over it.
    for phrase in known:
        for span in PhraseTable({phrase}).find(text):
            assert any(one.start < span.end and span.start < one.end for one in found)


def test_the_work_grows_with_the_text_not_with_the_lexicon():
    """Ten thousand phrases cost a text no more look-ups than ten."""

    class Counting(dict):
        asked = 0

        def __contains__(self, key):
            Counting.asked += 1
            return super().__contains__(key)

    table = PhraseTable({f"word{n} other{n % 7}" for n in range(10_000)})
    table._lengths = Counting(table._lengths)
    list(table.find("word1 x y z word2 other2 " * 8))

    assert 8 * 6 == Counting.asked
