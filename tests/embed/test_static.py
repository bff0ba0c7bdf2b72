"""The static embedder: unit rows, a document's vector depends on the document alone."""

import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tokenizers", reason="comes with wordllama")

from hypothesis import given, strategies as st  # noqa: E402

from tacit.embed import static  # noqa: E402
from tacit.embed.static import StaticEmbedder, load_static  # noqa: E402
from tacit.errors import MissingExtra  # noqa: E402

EMBEDDER = load_static()
PARTS = static._WordParts(EMBEDDER._pieces)
ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=200)


def test_what_it_says_of_itself():
    """The model id names weights and rule, the dimension is the rows' own, nothing leaves the machine."""
    assert EMBEDDER.model.startswith("wordllama-l2_supercat_256-")
    assert EMBEDDER.model.endswith("-mean-2")
    assert (1, EMBEDDER.dim) == EMBEDDER.embed(["x"]).shape
    assert EMBEDDER.local is True
    assert (0, EMBEDDER.dim) == EMBEDDER.embed([]).shape


def test_near_in_meaning_is_near():
    """A paraphrase is closer than an unrelated text."""
    query, near, far = EMBEDDER.embed(["where do backups go?", "Backups are stored in a bucket", "The cat sleeps"])

    assert query @ near > query @ far + 0.2


@given(st.lists(ANY_TEXT, max_size=6))
def test_rows_have_length_one_or_zero(texts):
    """Any text gives a finite float32 row; a text without words gives zeros."""
    rows = EMBEDDER.embed(texts)

    assert np.float32 == rows.dtype
    for text, row in zip(texts, rows, strict=True):
        assert (1.0 if text.split() else 0.0) == pytest.approx(float(np.linalg.norm(row)), abs=1e-5)


@given(st.lists(ANY_TEXT, min_size=1, max_size=6))
def test_a_vector_depends_on_its_document_alone(texts):
    """Neighbours in the batch, and texts met before, change nothing."""
    together = EMBEDDER.embed(texts)
    fresh = StaticEmbedder(EMBEDDER._weights, EMBEDDER._pieces, EMBEDDER.model)

    assert np.array_equal(together, np.concatenate([fresh.embed([text]) for text in texts]))


def test_words_are_spelt_as_the_tokenizer_spells_them():
    """Our byte pair encoding agrees with the library the vectors were trained with."""
    import tokenizers

    folder = static._package_folder()
    reference = tokenizers.Tokenizer.from_file(str(folder / static._TOKENIZER))
    prose = (
        "the staging format_tool_error HttpServerError2, naïve 東京 🎉 <0x41> --no-verify «x» l'été 1,200 unspeakable"
    )
    for word in prose.split(" "):
        wanted = reference.encode(word, add_special_tokens=False).ids

        assert tuple(wanted) == static._spell(static._WORD_START + word, EMBEDDER._pieces)


@given(st.text(alphabet=st.one_of(st.sampled_from("ab\u2581 /._-0²½é漢ß\u0301🎉»\0"), st.characters()), max_size=40))
def test_a_word_is_the_sum_of_its_parts(word):
    """Many words are spelt part by part, which gives what spelling them whole gives."""
    assert PARTS._are_pieces_inside
    assert static._spell(word, EMBEDDER._pieces) == PARTS.spell(word)


def test_words_of_pieces_that_go_across_parts_are_spelt_whole():
    """Another vocabulary may join letters and signs."""
    pieces = {"a": 300, "-": 301, "a-": 302}

    assert (302, 300) == static._WordParts(pieces).spell("a-a")


def test_special_tokens_cannot_be_typed():
    """A text that spells a control token is just text."""
    assert all(number >= static._FIRST_PIECE for number in static._spell("<s></s><unk>", EMBEDDER._pieces))


def test_the_word_table_stays_bounded(monkeypatch):
    """Meeting more words than fit starts the table over and changes no vector."""
    monkeypatch.setattr(static, "_CACHED_WORDS", 8)
    small = StaticEmbedder(EMBEDDER._weights, EMBEDDER._pieces, EMBEDDER.model)
    texts = [f"word{i} and {i} more" for i in range(20)]
    for text in texts:
        small.embed([text])

    assert len(small._spelt) <= 9
    assert np.array_equal(EMBEDDER.embed(texts), small.embed(texts))


@pytest.mark.parametrize("text", ["a" * 1_000_000, "字" * 300_000, "word " * 200_000, "\0" * 100_000])
def test_only_so_much_of_a_text_is_read(text):
    """A huge body gives the vector of its beginning."""
    assert np.array_equal(EMBEDDER.embed([text]), EMBEDDER.embed([text[: static._MOST_CHARACTERS]]))


def test_missing_package_is_said_with_the_remedy(monkeypatch):
    """Without the extra the error names it."""
    monkeypatch.setattr(static.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as caught:
        load_static()

    assert "tacit[semantic]" in caught.value.hint


def test_damaged_weights_are_said(monkeypatch, tmp_path):
    """A package without its files, or with files of another kind, is as good as missing."""
    monkeypatch.setattr(static, "_package_folder", lambda: tmp_path)
    with pytest.raises(MissingExtra):
        load_static()
    (tmp_path / "weights").mkdir()
    (tmp_path / static._WEIGHTS).write_bytes(b"\xff" * 64)
    with pytest.raises(MissingExtra):
        load_static()


def test_the_package_itself_is_never_imported():
    """Its files are enough; importing it would cost half a second."""
    code = (
        "import sys; from tacit.embed.static import load_static; load_static().embed(['x']);"
        "print(sorted({'wordllama', 'tokenizers', 'safetensors'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert "[]" == printed.strip()
