"""JSON-RPC 2.0 by its letter, and the methods under their own names; callers are agents whatever they claim."""

import json
import random
import socket
import subprocess
import sys
import time

import pytest

from tacit import StoreUnreachable
from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import reply
from tacit.testing import FakeClock, temporary_memory


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


NAMES = (
    "id", "query", "description", "content", "limit", "polarity", "scope", "evidence", "mode", "ids", "task", "tool",
    "narrative", "statuses", "scope_filter", "task_id", "phase", "force", "name", "fields", "old_id", "new_id",
)  # fmt: skip
VALUES = [None, True, 0, -1, 1e308, "", "x" * 300, [], {}, ["a"], {"a": 1}, "\x00", "\ud800", "note_x", 2**70, [["a"]],
          {"trigger": 1}, "project:test", ["note_x", "note_y"], {"exact": "global"}]  # fmt: skip


def some_request(dice, names, number):
    """Make a request, more or less: right in most of its parts, wrong in some."""
    message = {
        "jsonrpc": dice.choice(["2.0", "2.0", "2.0", "1.0", 2]),
        "id": dice.choice([number, f"n{number}", number + 0.5]),
    }
    message["method"] = dice.choice(names)
    params = {name: dice.choice(VALUES) for name in dice.sample(NAMES, 4)}
    message["params"] = dice.choice([params, params, dice.choice(VALUES)])
    for key in ("jsonrpc", "id", "method", "params"):
        if dice.random() < 0.08:
            del message[key]
    if dice.random() < 0.05:
        message["id"] = dice.choice([{}, [], True])
    return message


def test_each_valid_id_gets_exactly_one_reply_whatever_is_sent(call, budget, figures):
    """Mutated messages, alone and in batches: every id comes back once, nothing is unexpected, all still works."""
    seed = random.randrange(2**32)
    dice = random.Random(seed)
    figures("rpc seed", seed)
    count = budget(5_000, soak=500_000)
    names = [*call.methods, "no.such", "", 5]
    done = 0
    while done < count:
        batch = [some_request(dice, names, done + n) for n in range(dice.choice([1, 1, 1, 2, 5]))]
        done += len(batch)
        line = json.dumps(batch if len(batch) > 1 or dice.random() < 0.1 else batch[0])
        broken = dice.random() < 0.05
        if broken:
            line = line[: dice.randrange(len(line))]
        answer = reply(call.methods, line.encode(errors="surrogatepass"))
        told = json.loads(answer) if answer else []
        told = told if isinstance(told, list) else [told]
        assert all(("result" in one) != ("error" in one) for one in told), seed
        assert [] == [one for one in told if one.get("error", {}).get("code") == -32603], seed
        if not broken:
            valid = [one["id"] for one in batch if "id" in one and isinstance(one["id"], str | int | float)]
            valid = [id for id in valid if not isinstance(id, bool)]
            assert sorted(map(str, valid)) == sorted(str(one["id"]) for one in told if one["id"] is not None), seed
    figures("fuzz rpc", done)

    assert call("ping")["ok"]


def test_standard_output_speaks_the_protocol_alone(process):
    """One line for each request that has an id, and nothing else."""
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "ping"}]
    answer = process("rpc", stdin=b"\n".join(json.dumps(line).encode() for line in lines) + b"\nnot json\n")

    assert [1, None] == [json.loads(line)["id"] for line in answer.out.splitlines()]
    assert 0 == answer.code


def listens(path):
    """Say whether something answers at a socket; the file is there a moment before."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
    except OSError:
        return False
    return True


def test_a_socket_answers_too_and_nothing_else_is_touched(tmp_path, own_home):
    """Several callers; a file that is no socket stays."""
    import os

    (tmp_path / "file").write_text("mine")
    refused = subprocess.run([sys.executable, "-m", "tacit", "rpc", "--socket", str(tmp_path / "file")],
                             capture_output=True, env=dict(os.environ), check=False)  # fmt: skip
    path = tmp_path / "s"
    started = subprocess.Popen([sys.executable, "-m", "tacit", "rpc", "--socket", str(path)], env=dict(os.environ))
    try:
        until = time.monotonic() + 600
        while not listens(path) and time.monotonic() < until:
            time.sleep(0.02)
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(path))
                line.sendall(b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n')
                assert 7 == json.loads(line.makefile().readline())["id"]
    finally:
        started.terminate()
        started.wait(600)

    assert (6, "mine") == (refused.returncode, (tmp_path / "file").read_text())


def test_the_four_promises_hold_over_the_wire(tmp_path):
    """Gate, compression chain, immunity and symmetric release, each beside what happens without its reason."""
    from tacit.model.lesson import Evidence, Narrative
    from tests.scene import fail, follow

    clock = FakeClock()

    def open_as(actor, session):
        return temporary_memory(folder=tmp_path, actor=actor, session=session, clock=clock)

    with open_as("agent", "author") as agent, open_as("user", "p") as person:
        methods = methods_of(agent)

        def call(method, **params):
            line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
            answer = json.loads(reply(methods, line))
            return answer.get("result", answer.get("error"))

        told = {"trigger": "npm run biuld", "failure_mode": "no such script", "correction": "npm run build"}
        good = call("lesson.create", description="Spell it right", narrative=told)["id"]
        alone = call("lesson.create", description="Trust me", narrative={**told, "trigger": "npm run it"})["id"]
        for number in range(3):
            fail(agent, f"s{number}")
            follow(agent, good, f"s{number}")
            call("lesson.capture_feedback", id=alone, polarity="up")
        clock.advance(days=2)
        for id in (good, alone):
            person.lessons.accept(id)
        promoted, refused = call("lesson.promote", id=good), call("lesson.promote", id=alone)

        assert ("promoted", "active", True) == (promoted["status"], promoted["from"], promoted["ok"])
        assert (-32000, True) == (
            refused["code"],
            any("insufficient-applied" in one for one in refused["data"]["reasons"]),
        )
        assert promoted["status"] == call("lesson.promote", id=good)["status"]

        notes = [
            call("memory.create", description=f"note {n}", content=f"the port of {n} is 84{n}3")["id"] for n in range(3)
        ]
        made = call("memory.compress", ids=notes)
        again = call("memory.compress", ids=[made["id"], notes[0]])

        assert (notes, "project:test") == (made["derived_from"], made["scope"])
        assert again["id"] == call("memory.get", id=notes[1])["newest"]
        assert -32602 == call("memory.compress", ids=notes[:1])["code"]

        free, held = notes[1], notes[2]
        story = Narrative(**{**told, "trigger": "curl"}, evidence=(Evidence(kind="note", ref=held),))
        lesson = person.lessons.create("Mind the port", narrative=story)
        immune = call("memory.delete", id=held)

        assert (-32003, held, [lesson.id]) == (immune["code"], immune["data"]["memory_id"], immune["data"]["cited_by"])
        assert "retired" == call("memory.delete", id=free)["status"]
        assert 1 == call("memory.recompute_citations")["memories_recomputed"]
        assert -32003 == call("memory.delete", id=made["id"])["code"]  # what was made of it is held as well
        person.lessons.discard(lesson.id)

        assert 0 == call("memory.recompute_citations")["memories_recomputed"]
        assert "retired" == call("memory.delete", id=held)["status"]


def test_a_lesson_of_a_pack_is_one_and_keeps_what_was_said_against_it(call):
    """The same pack and external id is the same lesson, in other words maybe; a thumbs-down is not wiped by that."""
    first = call("lesson.create", description="use bun", pack_id="p", external_id="1")
    again = call("lesson.create", description="use bun, always", pack_id="p", external_id="1")
    call("lesson.capture_feedback", id=first["id"], polarity="-")
    last = call("lesson.create", description="use bun, always", pack_id="p", external_id="1")
    counts = call("lesson.capture_feedback", id=first["id"], polarity="-")

    assert [first["id"]] * 2 == [again["id"], last["id"]]
    assert [False, True, True] == [one["updated"] for one in (first, again, last)]
    assert "use bun, always" == call("lesson.get", id=first["id"])["description"]
    assert (0, 2) == (counts["thumbs_down_count"], counts["claimed_down"])


def test_filters_of_scope_in_every_spelling(call):
    """Exact, kind and any of; what is not read here is not found, and nonsense is a wrong param."""
    made = call("memory.create", content="of the project", scope={"project": "test"})["id"]
    for wanted in ("project:test", {"exact": "project:test"}, {"kind": "exact", "scope": {"project": "test"}},
                   {"kind": "project"}, {"any_of": ["project:test", "global"]},
                   {"any_of": {"scopes": ["project:test"]}}, {"scope": "project:test"}, None):  # fmt: skip
        assert [made] == [one["id"] for one in call("memory.list", scope_filter=wanted)["results"]], wanted
        assert 1 == call("memory.search", query="project", mode="text", scope_filter=wanted)["returned"]
    assert [] == call("memory.list", scope_filter={"kind": "team"})["results"]
    assert -32002 == call("memory.list", scope_filter="project:other")["code"]
    for wrong in (5, {"near": "x"}, {"exact": 5}, [], {"any_of": [5]}):
        assert -32602 == call("memory.list", scope_filter=wrong)["code"], wrong


def test_a_declared_method_has_one_shape(call):
    """Records are a list also when there are none, and a record that is not there is null, not a success."""
    assert {"records": []} == call("entity.search", query="nothing")
    assert {"record": None} == call("get", id="nope")


def test_the_schema_names_every_method_and_what_it_takes(tacit, call):
    """Made from the types: each method with its params, valid JSON Schema, and a sentence."""
    told = tacit("rpc", "--schema").json
    by_name = {one["name"]: one for one in told["methods"]}

    assert set(call.methods) == set(by_name)
    assert all(one["description"].endswith(".") for one in by_name.values())
    shape = told["$defs"][by_name["memory.search"]["params"]["$ref"].rpartition("/")[2]]
    assert (["query"], "semantic") == (shape["required"], shape["properties"]["mode"]["default"])


def test_the_other_verbs_answer(call):
    """Episodes, failures, corrections and records go over the wire as over the façade."""
    id = call("episode.start", task="Build it", language="python")["id"]
    call("episode.step", id=id, tool="make", action="all", result="success")
    done = call("episode.complete", id=id, outcome="success")
    assert (1, "success") == (done["episode"]["steps"], done["episode"]["outcome"])
    assert "receipt" in call("episode.relevant", task="Build it")
    assert call("learn.capture", command="npm run biuld", error="x", exit_code=1)["id"].startswith("failure_")
    assert call("learn.correction", original="npm", corrected="bun")["id"].startswith("correction_")
    assert 1 <= len(call("record.history", id=id)["versions"])
    assert call("record.get", id="nope")["record"] is None
    assert [] == call("procedure.list")["procedures"]
    assert -32602 == call("episode.step", id=id, tool="make", result="great")["code"]


def test_a_client_speaks_over_the_streams_of_a_process(own_home, monkeypatch, tmp_path):
    """Calls, batches, notifications and errors; once it left, and where nobody is, it says so."""
    from tacit.doors.rpc.client import RpcClient, RpcFailed

    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-m", "tacit", "rpc"]
    with (
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
        RpcClient(process.stdout, process.stdin) as client,
    ):
        id = client.call("memory.create", content="the staging api listens on 8443")["id"]
        client.notify("memory.create", content="said without waiting")
        got, missing = client.batch(("memory.get", {"id": id}), ("memory.get", {"id": "note_gone"}))

        assert (id, -32002) == (got["id"], missing.code)
        assert 2 == client.call("memory.list")["returned"]
        with pytest.raises(RpcFailed, match="-32601"):
            client.call("no.such")
    with pytest.raises(StoreUnreachable):
        client.call("ping")
    with pytest.raises(StoreUnreachable):
        RpcClient.at(tmp_path / "nobody")
