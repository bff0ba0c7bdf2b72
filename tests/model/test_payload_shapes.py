"""Payloads of every shape there was are read as today's, and today's is written as it always was."""

from pathlib import Path

import pytest
from msgspec import structs

from tacit.model.failure import Failure
from tacit.model.kinds import KINDS, decode_payload
from tacit.model.payload import Note
from tacit.model.record import encode_payload

GOLDEN = Path(__file__).parent / "golden"
OLD_FAILURE = Failure(
    signature="npm run biuld", command="npm run biuld", exit_code=1, error="npm error Missing script", cwd="/w",
    fixed_by="npm run build", fixed_signature="npm run build",
)  # fmt: skip
CAUSE = {"cause": "script", "named": "biuld", "subject": "npm run biuld", "line": "npm error Missing script"}
FREEZE = {"path": "team/freeze.md", "type": "project", "description": "no deploys on Friday"}


@pytest.mark.parametrize(
    ("kind", "shape", "payload"),
    [
        ("failure", 1, OLD_FAILURE),
        ("failure", 2, structs.replace(OLD_FAILURE, **CAUSE)),
        ("note", 1, Note(author="ann", source="wiki")),
        ("note", 2, Note(author="ann", source="wiki", top="---\nname: Freeze\n---\n", **FREEZE)),
    ],
)
def test_every_shape_is_read(kind, shape, payload):
    """A shape is a file that does not change; the newest is what is written now, byte for byte."""
    golden = (GOLDEN / f"{kind}-{shape}.json").read_bytes().strip()

    assert payload == decode_payload(kind, shape, golden)
    if shape == KINDS[kind].payload_v:
        assert golden == encode_payload(payload)


def test_every_shape_has_its_file():
    """Whoever changes a shape adds a file."""
    shaped = [(kind.name, shape) for kind in KINDS.values() if kind.payload_v > 1
              for shape in range(1, kind.payload_v + 1)]  # fmt: skip

    assert [] == [(name, shape) for name, shape in shaped if not (GOLDEN / f"{name}-{shape}.json").exists()]
