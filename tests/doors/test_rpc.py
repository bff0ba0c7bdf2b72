"""JSON-RPC 2.0 by its letter, and the methods under their own names; callers are agents whatever they claim."""

import json
import random
import socket
import subprocess
import sys
import time

import pytest

from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import reply
from tacit.testing import temporary_memory


@pytest.fixture
def call():
    """Return `call(method, **params)`: one request, its result or error."""
    with temporary_memory() as memory:
        methods = methods_of(memory)

        def ask(method, **params):
            answer = json.loads(
                reply(methods, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode())
            )
            return answer.get("result", answer.get("error"))

        ask.methods = methods
        ask.memory = memory
        yield ask


@pytest.mark.parametrize(
    ("message", "code"),
    [("{", -32700), ("[]", -32600), ("1", -32600), ("[1]", -32600), ('{"id": 1, "method": "ping"}', -32600),
     ('{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600), ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
     ('{"jsonrpc": "2.0", "id": 1, "method": "no.such"}', -32601),
     ('{"jsonrpc": "2.0", "id": 1, "method": "memory.get", "params": [1]}', -32602),
     ('{"jsonrpc": "2.0", "id": 1, "method": "memory.get", "params": {}}', -32602),
     ('{"jsonrpc": "2.0", "id": 1, "method": "memory.get", "params": {"id": "note_gone"}}', -32002)],
)  # fmt: skip
def test_what_is_wrong_has_its_code(call, message, code):
    """Parse, request, method, params, and what is not there."""
    answer = json.loads(reply(call.methods, message.encode()))
    answer = answer[0] if isinstance(answer, list) else answer

    assert code == answer["error"]["code"]


def test_notifications_get_no_reply_and_batches_one_each(call):
    """Ids come back as they were, null included; a batch of notifications is silence."""
    ping = {"jsonrpc": "2.0", "method": "ping"}
    batch = [ping, {**ping, "id": "a"}, {**ping, "id": None}, {**ping, "id": 1.5}]

    assert (
        b"" == reply(call.methods, json.dumps(ping).encode()) == reply(call.methods, json.dumps([ping, ping]).encode())
    )
    assert ["a", None, 1.5] == [one["id"] for one in json.loads(reply(call.methods, json.dumps(batch).encode()))]
    assert b"" == reply(call.methods, json.dumps({**ping, "method": "no.such"}).encode())


def test_memories_live_and_are_found(call):
    """Created, read, changed, listed, searched by words, taken out of use."""
    made = call("memory.create", description="staging port", content="staging listens on 8443")
    found = call("memory.search", query="staging port", mode="text")
    changed = call("memory.update", id=made["id"], content="staging listens on 9443")
    listed = call("memory.list")

    assert [made["id"]] == [one["id"] for one in found["results"]]
    assert ("staging listens on 9443", [made["id"]]) == (changed["content"], [one["id"] for one in listed["results"]])
    assert -32001 == call("memory.delete", id=made["id"], force=True)["code"]
    assert "retired" == call("memory.delete", id=made["id"])["status"]
    assert -32002 == call("memory.get", id=made["id"])["code"]
    assert -32602 == call("memory.search", query="x", min_similarity="high")["code"]


def test_no_claim_of_a_caller_decides(call):
    """An author, an origin, a seed, a force: accepted as words, and the door's own value is shown."""
    made = call("lesson.create", description="x", body="y", evidence=["seen twice"], authored_by="user", pack_id="p",
                seed_as_promoted=True, origin={"actor": "user"})  # fmt: skip
    for _ in range(5):
        call("lesson.capture_feedback", id=made["id"], polarity="thumbs_up")
    blocked = call("lesson.promote", id=made["id"])

    assert ("pending", "agent", ["not-a-person"]) == (made["status"], made["authored_by"], made["reasons"])
    assert (-32000, True) == (blocked["code"], bool(blocked["data"]["reasons"]))
    assert "pending" == call("lesson.list")["results"][0]["status"]
    assert "missing-external-signal-sources" in " ".join(call("lesson.why", id=made["id"])["reasons"])


def test_lessons_are_listed_recalled_superseded_and_discarded(call):
    """Every row of the table about lessons."""
    one, two = (call("lesson.create", description=text)["id"] for text in ("use bun", "use bun for installs"))
    assert 2 == call("lesson.list")["total"]
    assert one in [row["id"] for row in call("lesson.recall", query="bun")["results"]]
    assert call("lesson.supersede", old_id=one, new_id=two)["ok"]
    assert "error" not in call("lesson.discard", id=two, reason="no")
    assert -32001 == call("lesson.discard", id=two, force=True)["code"]
    assert -32602 == call("lesson.capture_feedback", id=two, polarity="great")["code"]
    assert call("ping")["ok"]
    assert "text" in call("context")
    assert (
        call("fact.memorize", content="deploys run on Friday")["id"]
        == call("recall", query="deploys Friday")["hits"][0]["id"]
    )


def test_anything_gets_one_reply_or_none_and_ends_nothing(call, budget, figures):
    """Mutated messages of every kind: each valid id is answered once, and the next request still works."""
    seed = random.randrange(2**32)
    dice = random.Random(seed)
    figures("rpc seed", seed)
    count = budget(5_000, soak=500_000)
    names = [*call.methods, "no.such", ""]
    values = [None, True, 0, -1, 1e308, "", "x" * 300, [], {}, ["a"], {"a": 1}, "\x00", "\ud800", "note_x", 2**70]
    for _ in range(count):
        message = {
            "jsonrpc": dice.choice(["2.0", "2.0", "1.0", 2]),
            "id": dice.choice(values),
            "method": dice.choice(names),
        }
        keys = dice.sample(
            ["id", "query", "description", "content", "limit", "polarity", "scope", "evidence", "mode"], 3
        )
        message["params"] = dice.choice([{key: dice.choice(values) for key in keys}, dice.choice(values)])
        for key in list(message):
            if dice.random() < 0.1:
                del message[key]
        line = json.dumps(message)
        if dice.random() < 0.1:
            line = line[: dice.randrange(len(line))]
        answer = reply(call.methods, line.encode(errors="surrogatepass"))
        if answer:
            told = json.loads(answer)
            assert ("result" in told) != ("error" in told)
    figures("fuzz rpc", count)

    assert call("ping")["ok"]


def test_standard_output_speaks_the_protocol_alone(process):
    """One line for each request that has an id, and nothing else."""
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "ping"}]
    answer = process("rpc", stdin=b"\n".join(json.dumps(line).encode() for line in lines) + b"\nnot json\n")

    assert [1, None] == [json.loads(line)["id"] for line in answer.out.splitlines()]
    assert 0 == answer.code


def test_a_socket_answers_too_and_nothing_else_is_touched(tmp_path, own_home):
    """Several callers; a file that is no socket stays."""
    import os

    (tmp_path / "file").write_text("mine")
    refused = subprocess.run([sys.executable, "-m", "tacit", "rpc", "--socket", str(tmp_path / "file")],
                             capture_output=True, env=dict(os.environ), check=False)  # fmt: skip
    path = tmp_path / "s"
    started = subprocess.Popen([sys.executable, "-m", "tacit", "rpc", "--socket", str(path)], env=dict(os.environ))
    try:
        until = time.monotonic() + 30
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.02)
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(path))
                line.sendall(b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n')
                assert 7 == json.loads(line.makefile().readline())["id"]
    finally:
        started.terminate()
        started.wait(10)

    assert (6, "mine") == (refused.returncode, (tmp_path / "file").read_text())
