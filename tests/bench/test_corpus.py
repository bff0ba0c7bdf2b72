"""The made-up corpus has the shape it promises."""

from __future__ import annotations

from statistics import mean

from tacit.bench.corpus import Corpus
from tacit.text.stopwords import STOPWORDS


def test_a_seed_gives_the_same_corpus() -> None:
    """Two runs measure the same texts; another seed gives others."""
    assert Corpus(3).texts(20) == Corpus(3).texts(20)
    assert Corpus(3).texts(20) != Corpus(4).texts(20)


def test_texts_look_like_prose() -> None:
    """About forty words, no digits, common and rare words, and function words between them."""
    texts = Corpus().texts(500)
    words = [[word.strip(".").lower() for word in text.body.split()] for text in texts]

    assert 38 < mean(len(text) for text in words) < 42
    assert not any(character.isdigit() for text in texts for character in text.body)
    function = mean(mean(word in STOPWORDS for word in text) for text in words)
    assert 0.35 < function < 0.45
    holders: dict[str, int] = {}
    for text in texts:
        for word in set(text.content):
            holders[word] = holders.get(word, 0) + 1
    assert max(holders.values()) > 20
    assert sum(count == 1 for count in holders.values()) > len(holders) / 4


def test_queries_are_content_words_of_one_text() -> None:
    """Three to six of them."""
    corpus = Corpus()
    texts = corpus.texts(50)

    for query in corpus.queries(texts, 50):
        asked = set(query.split())
        assert 3 <= len(asked) <= 6
        assert any(asked <= set(text.content) for text in texts)
