"""The lexicon reads what it can, warns about the rest, and finds whole words."""

from tacit.text.lexicon import Lexicon, read_concept

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


def test_bad_values_are_warnings_with_their_place():
    """A bad value is told with file and line, and passed over."""
    concept, warned = read_concept("a.md", "priority:: high\npinned:: maybe\ntrigger::\nroute:: a, b\n")

    assert [("a.md", 1), ("a.md", 2), ("a.md", 3)] == [(one.path, one.line) for one in warned]
    assert (None, False, "", "a") == (concept.priority, concept.pinned, concept.trigger, concept.title)


def test_whole_words_are_found_and_the_longest_wins():
    """`npm` inside a word is none, case and spaces do not matter, and one letter means nothing."""
    lexicon = Lexicon([read_concept("bun.md", FILE)[0], read_concept("npm.md", "synonyms:: npm")[0]])

    assert ["npm install", "npm"] == [one.pattern for one in lexicon.find("run NPM  install, not pnpm; npm too, n")]
    assert [] == list(Lexicon([]).find("anything"))
