"""The HTTP embedder against a real server on this machine: order, batches, retries, and answers that are wrong."""

import json

import numpy as np
import pytest

from tacit import ConfigError, EmbedderFailed, http_json as posting
from tacit.embed.http import HttpEmbedder
from tacit.model.settings import EmbedderSettings
from tacit.testing import temporary_memory
from tests.answering import Server

KEY = "sk-topsecret"


def vector(text):
    return [float(len(text)), 1.0, 0.0]


def good(asked):
    """Answer in reverse order, as a server may: the index says which is whose."""
    rows = [{"index": n, "embedding": vector(text)} for n, text in enumerate(asked["input"])]
    return 200, json.dumps({"data": rows[::-1]}).encode()


@pytest.fixture
def server():
    started = Server(good)
    yield started
    started.close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Count the pauses between attempts instead of sitting through them."""
    pauses = []
    monkeypatch.setattr(posting.time, "sleep", pauses.append)
    return pauses


def embedder(server, key="", **changes):
    return HttpEmbedder(EmbedderSettings(use="http", url=server.url, model="m", **changes), key)


def test_vectors_come_back_in_order_and_at_length_one(server):
    """The index decides the order, batches are as large as set, the key is in the header only, and dim is learned."""
    texts = ["a", "bbb", "", "cc", "ddddd"]
    asked = embedder(server, KEY, batch=2)
    found = asked.embed(texts)
    expected = np.array([vector(text or " ") for text in texts])

    assert expected / np.linalg.norm(expected, axis=1, keepdims=True) == pytest.approx(found)
    assert [["a", "bbb"], [" ", "cc"], ["ddddd"]] == [body["input"] for body in server.asked]
    assert {f"Bearer {KEY}"} == {headers["Authorization"] for headers in server.headers}
    assert ({"/v1/embeddings"}, 3, "127.0.0.1/m") == (set(server.paths), asked.dim, asked.model)
    assert KEY not in json.dumps(server.asked)
    assert (0, 3) == asked.embed([]).shape


def test_without_a_key_there_is_no_header_and_dimensions_are_asked_for(server):
    """A local server gets no key; a set dimension is part of the request and of the model's id."""
    asked = embedder(server, dim=3)
    asked.embed(["a"])

    assert "Authorization" not in server.headers[0]
    assert (3, "127.0.0.1/m-3") == (server.asked[0]["dimensions"], asked.model)


@pytest.mark.parametrize("trouble", [(503, b""), (429, b"slow down"), "hang up"])
def test_passing_trouble_is_tried_again(server, no_waiting, trouble):
    """Overload and a lost connection are retried with growing pauses, then answered."""
    server.answers = [trouble, trouble]

    assert (1, 3) == embedder(server).embed(["a"]).shape
    assert (3, 2) == (len(server.asked), len(no_waiting))


def test_lasting_trouble_is_an_error_after_the_retries(server, no_waiting):
    """When the retries are used up the error says what the server answered."""
    server.answers = [(503, b"")] * 9

    with pytest.raises(EmbedderFailed, match="answered 503"):
        embedder(server, retries=1).embed(["a"])
    assert 2 == len(server.asked)


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_a_refusal_is_not_tried_again(server, status):
    """What will not change by itself is asked once."""
    server.answers = [(status, b"{}")]

    with pytest.raises(EmbedderFailed, match=f"answered {status}"):
        embedder(server).embed(["a"])
    assert 1 == len(server.asked)


def test_a_server_that_does_not_answer_runs_into_the_timeout(server):
    """Waiting is bounded, and so is the number of attempts."""
    server.answers = ["hang"]

    with pytest.raises(EmbedderFailed, match="did not answer"):
        embedder(server, timeout_s=0.05, retries=0).embed(["a"])


def rows(*embeddings, index=None):
    data = [{"index": n if index is None else index[n], "embedding": e} for n, e in enumerate(embeddings)]
    return 200, json.dumps({"data": data}).encode()


@pytest.mark.parametrize(
    "answer",
    [
        (200, b""),
        (200, b"junk"),
        (200, b"[]"),
        (200, b"{}"),
        (200, b'{"data": 5}'),
        (200, b'{"data": [5, 6]}'),
        (200, b"[" * 100_000),
        (200, b'{"data": [{"index": 0}, {"index": 1}]}'),
        rows([1.0, 2.0]),
        rows([1.0], [2.0], [3.0]),
        rows([1.0, 2.0], [1.0]),
        rows([], []),
        rows("ab", "cd"),
        rows([float("nan")], [1.0]),
        rows([float("inf")], [1.0]),
        rows([1e39], [1.0]),
        rows([10**400], [1]),
        rows([None], [1.0]),
        rows([1.0], [2.0], index=[0, 0]),
        rows([1.0], [2.0], index=[1, 2]),
        rows([1.0], [2.0], index=["x", 1]),
    ],
    ids=repr,
)
def test_a_wrong_answer_is_a_typed_error(server, answer):
    """Garbage, missing vectors, other lengths, NaN and wrong numbering: an error, never half an answer."""
    server.answers = [answer]

    with pytest.raises(EmbedderFailed) as caught:
        embedder(server, KEY).embed(["my private text", "two"])
    assert "private" not in caught.value.message
    assert KEY not in caught.value.message


def test_another_length_than_set_or_learned_is_an_error(server):
    """A server whose vectors change their length is not believed."""
    server.answers = [rows([1.0, 2.0])]
    with pytest.raises(EmbedderFailed, match="3 finite"):
        embedder(server, dim=3).embed(["a"])
    learned = embedder(server)
    learned.embed(["a"])
    server.answers = [rows([1.0, 2.0])]
    with pytest.raises(EmbedderFailed):
        learned.embed(["a"])


@pytest.mark.parametrize(
    "url", ["", "ftp://me:hunter2@host", "http://", "http://me:hunter2@host:99999", "http://[::1", "host:80"]
)
def test_an_address_that_is_none_is_a_typed_error_without_its_password(url):
    """The settings are named, the address is not repeated."""
    with pytest.raises(ConfigError) as caught:
        HttpEmbedder(EmbedderSettings(use="http", url=url, model="m"))
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_a_key_no_header_can_hold_is_a_typed_error_that_does_not_show_it(server):
    """A line break around the key is forgiven; one inside it is refused without repeating the key."""
    embedder(server, f"{KEY}\n").embed(["a"])
    assert f"Bearer {KEY}" == server.headers[0]["Authorization"]
    for key in (f"{KEY}\nx", f"{KEY}\u2026"):
        with pytest.raises(ConfigError) as caught:
            embedder(server, key)
        assert KEY not in str(caught.value)


def test_a_memory_with_a_server_that_goes_away(server):
    """Writing never waits for it, maintain embeds, and when it is gone words still answer and say so."""
    asked = embedder(server, retries=0, timeout_s=600)
    with temporary_memory(embedder=asked) as memory:
        memory.memorize("the staging api listens on 8443")
        before = len(server.asked)
        done = memory.maintain()
        whole = memory.recall("staging api")
        server.answers = [(500, b"")] * 2
        degraded = memory.recall("staging api")

        assert (0, 1, 0) == (before, done.embedded, done.waiting)
        assert ((), "both") == (whole.notices, whole[0].source)
        assert ("lexical", True) == (degraded[0].source, "answered 500" in degraded.notices[0])
        assert (False, True) == (
            memory.status()["semantic"]["on"],
            "answered 500" in memory.status()["semantic"]["why"],
        )
