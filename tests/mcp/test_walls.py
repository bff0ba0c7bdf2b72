"""No call of a tool writes outside its scope, in another's name, or over what a person wrote."""

import json

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from tacit.app.open import connect, current_caller, current_settings
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.mcp.calls import call_tool
from tacit.doors.mcp.tools import TOOLS, offered
from tacit.model.origin import Origin
from tacit.model.record import replace

# What somebody would try who wants to be somebody else, or somewhere else.
FORGED = {
    "scope": ["global", "project:elsewhere", "user:ann", "user", {"exact": "global"}], "actor": ["user"],
    "origin": [{"actor": "user"}], "by": ["user"], "authored_by": ["user"], "trust": [3], "namespace": ["a", "../b"],
    "cwd": ["/"], "session": ["s1"], "also": [["team:x"]], "force": [True], "yes": [True], "approved": [True],
    "store": ["/tmp/x.db"], "kind": ["lesson"], "status": ["promoted"], "key": ["x"], "enforcement": ["deny"],
}  # fmt: skip
PLAIN = (
    ("remember", {"text": "Deploys happen on Fridays"}), ("note", {"action": "add", "body": "A note of an agent"}),
    ("lesson", {"action": "add", "description": "Build before testing"}),
    ("procedure", {"action": "record", "title": "Build", "steps": ["make"]}),
    ("episode", {"action": "start", "task": "Build it"}),
)  # fmt: skip
TEXTS = st.sampled_from(["Staging listens on 8443", "use bun instead of npm", "project:elsewhere", "user", "", "true"])
VALUES = st.one_of(
    TEXTS, st.text(max_size=30), st.integers(-1, 700), st.booleans(), st.none(), st.lists(TEXTS, max_size=3),
    st.dictionaries(st.sampled_from(["trigger", "failure_mode", "correction", "by", "x"]), TEXTS, max_size=4),
)  # fmt: skip


FITTING = {
    "string": TEXTS, "integer": st.integers(1, 20), "number": st.floats(0, 1), "boolean": st.booleans(),
    "array": st.lists(TEXTS, max_size=2),
    "object": st.fixed_dictionaries(dict.fromkeys(("trigger", "failure_mode", "correction"), TEXTS)),
}  # fmt: skip


@st.composite
def calls(draw, ids):
    """Give a call of a tool: mostly right arguments, some wrong ones, some that are forged."""
    tool = draw(st.sampled_from(TOOLS))
    action = draw(st.sampled_from(sorted(tool.actions)))
    arguments = {"action": action} if tool.by_name else {}
    shapes = tool.schema()["properties"]
    for name in tool.actions[action].arguments:
        fitting = st.sampled_from(ids) if name in ("id", "name") else FITTING[shapes[name]["type"]]
        if "enum" in shapes[name]:
            fitting = st.sampled_from(shapes[name]["enum"])
        if draw(st.integers(0, 9)):
            arguments[name] = draw(fitting if draw(st.integers(0, 9)) else VALUES)
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(sorted(FORGED)))
        arguments[name] = draw(st.sampled_from(FORGED[name]))
    return tool.name, arguments


def exported(memory):
    """Return every record and event of the store, whatever its scope."""
    return [json.loads(line) for line in memory.export_lines()]


@pytest.mark.soak
def test_no_call_leaves_its_scope_or_its_name(work, monkeypatch):
    """Whoever started the server: a person at a terminal makes no person of those who call it."""
    monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "user")
    here = current_settings()
    person = current_caller(here)
    assert "user" == person.origin.actor
    theirs = []
    for scope in ("project:demo", "project:elsewhere", "global", "user"):
        with connect(here, person, scope=scope) as memory:
            theirs.append(memory.memorize(f"A person's word about {scope}, port 8443").id)
            theirs.append(memory.notes.create(f"A person's note in {scope}").id)
            theirs.append(memory.lessons.create(f"A person's lesson in {scope}").id)
            theirs.append(memory.procedures.record(f"Procedure of {scope}", steps=["true"]).id)
    with connect(here, person, scope="project:demo") as memory:
        before = {one["id"]: one for one in exported(memory) if one.get("id") in theirs}
    agent = type(person)(replace(person.origin, actor="agent"), person.clock)
    opened = LazyMemory(lambda creates: connect(here, agent, scope="project:demo", create=creates, at_door=True))
    names = [*theirs, *(id[-8:] for id in theirs), "procedure-of-project-demo", "procedure-of-global"]

    @hypothesis_settings(max_examples=hypothesis_settings().max_examples)
    @given(st.data())
    def every_call(data):
        tool, arguments = data.draw(calls(names))
        answer = call_tool(opened, offered()[tool], arguments)
        forged = set(arguments) & FORGED.keys() - {"kinds"}
        assert answer.failed or not forged
        assert "Traceback" not in answer.text
        json.dumps(answer.values)

    every_call()
    for tool, arguments in PLAIN:
        assert not call_tool(opened, offered()[tool], arguments).failed
    opened.close()
    with connect(here, person, scope="project:demo") as memory:
        after = exported(memory)
        assert memory.verify().ok
    records = [one for one in after if "origin" in one and "id" in one]
    fresh = [one for one in records if one["id"] not in theirs]

    assert before == {one["id"]: one for one in records if one["id"] in theirs}
    assert {"fact", "note", "lesson", "procedure", "episode"} <= {one["kind"] for one in fresh}
    assert {"project:demo"} == {one["scope"] for one in fresh}
    assert {"agent"} == {one["origin"]["actor"] for one in fresh}
    assert {0, 1} >= {one["trust"] for one in fresh}


def test_the_command_makes_an_agent_of_everybody(work, monkeypatch):
    """`tacit mcp` at a person's terminal is still an agent's."""
    from tacit.doors.cli.command_call import CommandCall

    monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "user")
    call = CommandCall(as_json=False, store="", scope="", also=())

    assert isinstance(call.caller.origin, Origin)
    assert ("user", "agent") == (call.caller.origin.actor, call.as_agent().caller.origin.actor)
