"""`tacit why` on the command line and over JSON-RPC."""

import json

MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "why"}


def test_why_on_the_command_line(tacit):
    id = tacit("memorize", "Staging listens on 8443", "--json").json["id"]
    shown = tacit("why", id[-8:])
    document = tacit("why", id[-8:], "--json").json

    assert 0 == shown.code
    assert "Staging listens on 8443" in shown.out
    assert "said by an agent" in shown.out
    assert ("tacit.why/1", id, id[-8:]) == (document["schema"], document["record"]["id"], document["short"])
    assert document["sentences"]


def test_an_unknown_id_exits_3(tacit):
    tacit("memorize", "Staging listens on 8443")
    answer = tacit("why", "ZZZZZZZZ", "--json")

    assert (3, "not_found") == (answer.code, answer.json["error"]["code"])


def test_why_over_json_rpc(tacit):
    id = tacit("memorize", "Staging listens on 8443", "--json").json["id"]
    asked = [{**MESSAGE, "params": {"id": id[-8:]}}, {**MESSAGE, "id": 2, "params": {"id": "ZZZZZZZZ"}}]
    said = tacit("rpc", stdin=b"".join(json.dumps(one).encode() + b"\n" for one in asked)).out.splitlines()
    found, missing = (json.loads(line) for line in said)

    assert id == found["result"]["record"]["id"]
    assert -32002 == missing["error"]["code"]
