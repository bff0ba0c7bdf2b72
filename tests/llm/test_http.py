"""The HTTP model against a real server on this machine: what it is sent, retries, and answers that are wrong."""

import json

import pytest

from tacit import ConfigError, LlmFailed, http_json as posting
from tacit.llm.http import HttpLlm
from tacit.model.settings import LlmSettings
from tacit.ports.llm import LlmReply, LlmRequest
from tests.answering import Server

KEY = "sk-topsecret"
ASKED = LlmRequest("Say what went well.", "Task: build", {"type": "object"}, 50)


def said(content, **more):
    answer = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], "usage": {"total_tokens": 42}}
    return 200, json.dumps(answer | more).encode()


def good(_asked):
    return said('{"ok": true}')


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


def model(server, key="", **changes):
    return HttpLlm(LlmSettings(use="http", url=server.url, model="m", **changes), key)


def test_a_question_is_sent_as_such_servers_take_it(server):
    """Temperature zero, the schema as the format, the key in the header only; the answer comes with what it cost."""
    asked = model(server, KEY)
    answer = asked.ask(ASKED)
    body = server.asked[0]

    assert LlmReply({"ok": True}, 42) == answer
    assert ("/v1/chat/completions", f"Bearer {KEY}", "127.0.0.1/m") == (
        server.paths[0], server.headers[0]["Authorization"], asked.model,
    )  # fmt: skip
    assert (0, 50, {"type": "object"}) == (
        body["temperature"], body["max_tokens"], body["response_format"]["json_schema"]["schema"],
    )  # fmt: skip
    assert [ASKED.instructions, ASKED.text] == [message["content"] for message in body["messages"]]
    assert KEY not in json.dumps(body)


def test_a_server_that_does_not_count_is_not_free(server):
    """Without a usable count the cost is estimated."""
    for usage in (None, {}, {"total_tokens": -1}, {"total_tokens": True}, {"total_tokens": "many"}, [1]):
        server.answers.append(said('{"ok": true}', usage=usage))

        assert model(server).ask(ASKED).tokens > 5


@pytest.mark.parametrize("trouble", ["hang up", (503, b""), (429, b"")])
def test_passing_trouble_is_tried_again(server, no_waiting, trouble):
    """What may pass is asked again after a pause."""
    server.answers.append(trouble)

    assert {"ok": True} == model(server).ask(ASKED).value
    assert 1 == len(no_waiting)


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_tried_again(server, status):
    """A refusal stays one, and its error shows neither the key nor what was asked."""
    server.answers.append((status, b"sk-topsecret"))
    with pytest.raises(LlmFailed, match=str(status)) as caught:
        model(server, KEY).ask(ASKED)

    assert 1 == len(server.asked)
    assert KEY not in str(caught.value)
    assert ASKED.text not in str(caught.value)


def test_a_server_that_hangs_is_left_after_the_timeout(server):
    """Nobody waits longer than the settings say, retries included."""
    server.answers += ["hang", "hang"]
    with pytest.raises(LlmFailed, match="did not answer"):
        model(server, timeout_s=0.05, retries=1).ask(ASKED)


@pytest.mark.parametrize(
    "answer",
    [
        (200, b""), (200, b"[]"), (200, b"{}"), (200, b'{"choices": []}'), (200, b'{"choices": [{"message": null}]}'),
        said("not json"), said(None), said(["x"]), (200, b"[" * 100_000),
        said('{"ok"', choices=[{"message": {"content": "{}"}, "finish_reason": "length"}]),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_a_typed_error(server, answer):
    """Whatever comes back that is no whole answer is LlmFailed, never part of one."""
    server.answers.append(answer)
    with pytest.raises(LlmFailed):
        model(server).ask(ASKED)


def test_settings_that_cannot_work_are_named_without_their_secrets():
    """An address that is none, and a key no header can hold, are said without showing them."""
    for url in ("ftp://me:hunter2@host", "http://", "localhost"):
        with pytest.raises(ConfigError) as caught:
            HttpLlm(LlmSettings(use="http", url=url, model="m"))

        assert "hunter2" not in str(caught.value)
    with pytest.raises(ConfigError, match="no HTTP header") as caught:
        HttpLlm(LlmSettings(use="http", url="http://host", model="m", key_env="K"), "näh")

    assert "näh" not in str(caught.value)
