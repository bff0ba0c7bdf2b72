"""The edges of the wire: numbers JSON does not know, answers it cannot say, long messages, a place that is taken."""

import json
import os
import stat
import subprocess
import sys
import time

import pytest

from tacit.doors.rpc.client import RpcClient, RpcFailed
from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import MOST_BYTES, reply
from tacit.testing import temporary_memory

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def call():
    with temporary_memory() as memory:
        methods = methods_of(memory)

        def ask(method, **params):
            answer = json.loads(reply(methods, json.dumps({**PING, "method": method, "params": params}).encode()))
            return answer.get("result", answer.get("error"))

        ask.methods, ask.memory = methods, memory
        yield ask


def strictly(line):
    """Read JSON as its standard has it."""
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize(("id", "code"), [("NaN", -32700), ("Infinity", -32700), ("1e999", -32600), ("-1e999", -32600)])
def test_a_number_that_json_does_not_know_is_no_id(call, id, code):
    """It came back as it was, and no strict reader could read the reply."""
    answer = strictly(reply(call.methods, f'{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}'.encode()))

    assert (None, code) == (answer["id"], answer["error"]["code"])


@pytest.mark.parametrize("odd", [float("nan"), object(), {1: {2}}])
def test_an_answer_that_is_no_json_is_an_error_of_its_own(odd):
    """It ended the server; in a batch it took the other answers along."""
    methods = {"odd": lambda _params: odd, "ping": lambda _params: "here"}
    odd_one = {**PING, "id": 2, "method": "odd"}
    alone = strictly(reply(methods, json.dumps(odd_one).encode()))
    batch = strictly(reply(methods, json.dumps([PING, odd_one]).encode()))

    assert (2, -32603) == (alone["id"], alone["error"]["code"])
    assert [(1, "here"), (2, None)] == [(one["id"], one.get("result")) for one in batch]


def test_a_message_that_is_too_long_is_answered_once(process):
    """Its rest was read as messages of their own, each with an error."""
    long = json.dumps({**PING, "params": {"x": "y" * (2 * MOST_BYTES)}}).encode()
    answer = process("rpc", stdin=long + b"\n" + json.dumps(PING).encode() + b"\n")

    assert [None, 1] == [json.loads(line)["id"] for line in answer.out.splitlines()]


def test_a_place_where_somebody_listens_is_taken(tmp_path, own_home):
    """The second took the first one's place, and nobody reached the first any more. Only the owner may connect."""
    path = tmp_path / "s"
    command = [sys.executable, "-m", "tacit", "rpc", "--socket", str(path)]
    started = subprocess.Popen(command, env=dict(os.environ))
    try:
        until = time.monotonic() + 600
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.02)
        mode = stat.S_IMODE(path.stat().st_mode)
        second = subprocess.run(command, env=dict(os.environ), capture_output=True, check=False, timeout=600)
        with RpcClient.at(path) as client:
            assert client.call("ping")["ok"]
    finally:
        started.terminate()
        started.wait(600)

    assert (6, 0o600) == (second.returncode, mode)


def test_lessons_come_page_by_page(call):
    """Each page read a million lessons, if there were so many, to show fifty."""
    ids = [call("lesson.create", description=f"lesson {number}")["id"] for number in range(5)]
    asked = []
    real = call.memory.lessons.list
    call.memory.lessons.list = lambda **given: asked.append(given["limit"]) or real(**given)
    pages = [call("lesson.list", limit=2, offset=offset) for offset in (0, 2, 4)]

    assert [2, 4, 6] == asked
    assert list(reversed(ids)) == [row["id"] for page in pages for row in page["results"]]
    assert {5} == {page["total"] for page in pages}


def test_recalled_lessons_say_how_near_they_are_and_how_often_they_were_followed(call):
    """As the table of the wire has it."""
    call("lesson.create", description="use bun for installs")
    call("lesson.create", description="use bun")
    results = call("lesson.recall", query="bun installs")["results"]

    assert [1.0, True] == [results[0]["similarity"], 0 <= results[1]["similarity"] < 1]
    assert [0, 0] == [row["applied_count"] for row in results]


def test_a_blocked_promotion_is_not_told_as_a_blocked_supersession(call):
    """Any conflict that named the word had the other's code."""
    one, two = (call("lesson.create", description=text)["id"] for text in ("one", "two"))
    call("lesson.supersede", old_id=one, new_id=two)

    assert -32000 == call("lesson.promote", id=one)["code"]
    assert -32005 == call("lesson.discard", id=one)["code"]
    circle = call("lesson.supersede", old_id=two, new_id=one)
    assert (-32004, True) == (circle["code"], "cycle" in circle["data"]["reason"])


@pytest.mark.parametrize(
    "fields", [{"activation": []}, {"activation": 5}, {"paths": 5}, {"name": "x"}, {"self": 1}, {"status": "promoted"}]
)
def test_odd_fields_of_a_skill_are_wrong_params(call, fields):
    """Some of them were something unexpected."""
    assert -32602 == call("skill.create", name="Review", fields=fields)["code"]


def test_odd_members_of_a_team_are_wrong_params(call):
    assert -32602 == call("team.create", name="Crew", fields={"members": 5})["code"]


def test_a_batch_that_is_refused_whole_is_an_error(own_home, tmp_path):
    """The client took the error for a list of answers."""
    command = [sys.executable, "-m", "tacit", "rpc"]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as process,
        RpcClient(process.stdout, process.stdin) as client,
        pytest.raises(RpcFailed, match="1,000 requests"),
    ):
        client.batch(*([("ping", {})] * 1_001))


def test_an_unknown_parameter_is_an_error_of_every_method(call):
    """S14: it was ignored, so what a caller meant to set stayed as it was. Nothing is written, and the names are told.

    `memory.create` with a misspelt `scope` wrote into the project.
    """
    before = call.memory.stats().records
    said = {name: call(name, definitely_unknown=1) for name in call.methods}

    assert {} == {name: one for name, one in said.items() if one.get("code") != -32602}
    assert [] == [
        name for name, one in said.items() if "unknown" not in one["message"] and "missing" not in one["message"]
    ]
    wrong = call("memory.create", content="The port is 8443", scop="global")
    assert "scop" in wrong["message"]
    assert wrong["data"]["hint"].startswith("memory.create takes content, description, scope, origin, authored_by")
    assert before == call.memory.stats().records


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("lesson.create", {"description": "Mind the port", "narrative": {
            "trigger": "t", "failure_mode": "f", "correction": "c", "severity": "high"}}),
        ("memory.list", {"scope_filter": {"exact": "project:test", "also": "global"}}),
        ("memory.search", {"query": "port", "scope_filter": {"kind": "project", "any_of": ["global"]}}),
        ("manifest.assemble", {"memory_scope_filter": {"scope": "global", "deep": True}}),
        ("skill.create", {"name": "Deploy", "fields": {"colour": "red"}}),
        ("persona.create", {"name": "Reviewer", "fields": {"mood": "good"}}),
        ("procedure.record", {"title": "Ship it", "steps": [{"command": "make ship", "retries": 3}]}),
        ("procedure.record", {"title": "Ship it", "steps": [], "parameters": [{"name": "env", "type": "text"}]}),
        ("add_many", {"items": [{"kind": "note", "body": "The port is 8443", "colour": "red"}]}),
    ],
)  # fmt: skip
def test_an_unknown_name_inside_a_parameter_is_an_error_too(call, method, params):
    """S14: in a narrative, a filter of scopes, the fields of a skill, or a record of several."""
    before = call.memory.stats().records

    assert -32602 == call(method, **params)["code"]
    assert before == call.memory.stats().records


def test_a_claimed_origin_is_kept_beside_the_one_the_door_determined(call):
    """S14: `origin` and `authored_by` were dropped. They are claims: kept, redacted, and they raise nobody's trust."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    claim = {"actor": "user", "session": "s-1", "tool": f"curl -H {key}"}
    note = call("memory.create", content="The port is 8443", origin=claim, authored_by="alice")
    plain = call("memory.create", content="The queue is redis")
    lesson = call(
        "lesson.create", description="Mind the port", authored_by={"user": "alice"}, pack_id="p", external_id="1"
    )
    kept = call.memory.get(lesson["id"]).origin

    assert ("agent", 1) == (note["origin"]["actor"], note["trust"])
    assert ("alice", "user") == (note["origin"]["claimed"]["authored_by"], note["origin"]["claimed"]["origin"]["actor"])
    assert key not in json.dumps(note)
    assert "claimed" not in plain["origin"]
    assert ("agent", {"authored_by": {"user": "alice"}, "pack_id": "p"}) == (kept.actor, kept.claimed)
    assert any("it claims to be from" in one for one in call.memory.why(note["id"]).sentences)
    assert -32001 == call("memory.create", content="Too much", origin={"text": "x" * 5_000})["code"]
