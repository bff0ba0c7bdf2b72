"""What the tests of the dashboard share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tacit.testing import FakeClock, temporary_memory
from tests.web.dashboards import Web


@pytest.fixture
def web(tmp_path) -> Iterator[Web]:
    """Give a dashboard of an empty memory, with a browser that has entered."""
    clock = FakeClock()
    with (
        temporary_memory(folder=tmp_path, clock=clock) as agent,
        temporary_memory(folder=tmp_path, clock=clock, actor="user") as person,
    ):
        yield Web(agent, person, tmp_path).enter()
