"""An agent is a module: transcript, hook dialect and connect in one place, known to the rest by its registry."""

from __future__ import annotations

from tacit.agents.registry import ALIASES, HOOKED, NAMES, agent


def test_every_agent_is_a_module_that_says_who_it_is() -> None:
    """The registry and the modules agree on names and on who has hooks."""
    assert list(NAMES) == [agent(name).name for name in NAMES]
    assert list(HOOKED) == [name for name in NAMES if agent(name).hooks is not None]
    assert set(ALIASES.values()) <= set(NAMES)
