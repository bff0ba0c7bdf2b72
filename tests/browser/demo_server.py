"""`python -m tests.browser.demo_server FOLDER WHAT`: the real server of the dashboard over a memory made for tests.

WHAT is `demo`, which has something on every page, or `hostile`, which has 500 texts that want to run a script. Here
whoever asks for a code is a person: the tests have no terminal.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from tacit.app.memory import Memory
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.web.app import Memories
from tacit.doors.web.server import WebPlace, serve_web
from tacit.failures.injection_log import FOLLOWED, SHOWN, STOPPED
from tacit.model.event import NewEvent
from tacit.model.lesson import Narrative
from tacit.model.payload import Recap
from tacit.model.record import Draft
from tacit.procedures.procedures import keep_procedure
from tacit.records.write import admitted, new_record, writing
from tacit.testing import FakeClock, temporary_memory
from tests.web.payloads import payloads, store

MARK = "browser"
FACTS = (
    "The nightly import runs at 02:00 and takes about 40 minutes", "Feature flags are read from flags.toml at start",
    "The billing service retries a payment three times", "Staging is rebuilt from main on every merge",
)  # fmt: skip
LESSONS = (
    ("Use pnpm, not npm", "npm install in web/", "the lockfile is ignored and the build breaks", "pnpm install"),
    ("Run migrations before the tests", "pytest after a pull", "no such table: orders", "make migrate && pytest"),
    ("Log in to the registry first", "docker push", "denied: requested access is denied", "make registry-login"),
    ("Start the queue for integration tests", "pytest tests/integration", "connection refused", "make queue-up"),
)


def fill(agent: Memory, person: Memory, clock: FakeClock) -> None:
    """Put something on every page."""
    person.remember("we use pnpm, not npm")
    for text in FACTS:
        agent.memorize(text, tags=["ops"])
    first = agent.memorize("Staging listens on 8443", entity=("service", "staging-api"), tags=["network"])
    clock.advance(hours=1)
    agent.revise(first.id, body="Staging listens on port 8443 behind the proxy")
    agent.memorize("The staging API is owned by the platform team", entity=("service", "staging-api"))
    agent.memorize("Deploys are frozen on Fridays", entity=("team", "platform"))
    agent.memorize("Deploys are not frozen on Fridays", entity=("team", "platform"))
    agent.memorize("Cache entries live for 30 minutes", entity=("service", "cache"))
    agent.memorize("Cache entries live for 60 minutes", entity=("service", "cache"))
    agent.relations.add("service/staging-api", "depends_on", "service/cache")
    for title, trigger, failure, correction in LESSONS:
        told = Narrative(trigger=trigger, failure_mode=failure, correction=correction, confidence="observed")
        agent.lessons.create(title, narrative=told)
    agent.learned.capture("npm install", error="npm ERR! lockfile", exit_code=1)
    happened(agent, first.id, clock)
    person.procedures.record(
        "Deploy staging", description="Build, push and restart", parameters=["version"],
        steps=["make build VERSION={{version}}", "make push", "make restart", "curl -fsS localhost:8443/health"],
    )  # fmt: skip
    for works in (True, True, False, True, True, True, False, True):
        clock.advance(minutes=20)
        person.procedures.report("deploy-staging", succeeded=works, note="" if works else "the registry did not answer")
    agent.procedures.record("Reset the database", steps=["make db-reset", "make migrate"])
    # Nothing that is long makes a page wider than a phone.
    long = "Fetch https://files.example.com/releases/shop_web_assets_linux_x86_64_2026_02_28.tar.gz"
    keep_procedure(agent._c, long, steps=["make fetch"], status="draft")
    agent.add_many([
        {"kind": "turn", "body": "which port does staging use? the health check fails", "thread": "t", "author": "user"}
    ])  # fmt: skip


def happened(agent: Memory, told: str, clock: FakeClock) -> None:
    """Store that agents were told a fact, one was stopped, and what was done in a session."""
    c = agent._c
    text = "asked: fix the health check of staging\nchanged: proxy.conf\nran: make restart (ok)\ncommitted: 3f2a91c"
    with writing(c, clock.now()) as tx:
        events = [(SHOWN, {"at": "prompt", "tokens": 40}), (STOPPED, {}), (FOLLOWED, {"shown": 1})]
        for type, payload in events:
            tx.append(NewEvent(type=type, subject=told, scope=str(c.scope), session="s-42", payload=payload))
        recap = Draft(
            kind="recap", scope=str(c.scope), key="s-42", title="fix the health check of staging", body=text,
            payload=Recap(session="s-42", agent="claude"), at=clock.now(),
        )  # fmt: skip
        tx.put(new_record(c, admitted(c, recap), clock.now()))


def main(folder: Path, what: str) -> None:
    """Fill a memory, and serve it until the process is ended."""
    clock = FakeClock()
    with (
        temporary_memory(folder=folder, clock=clock, scope="project:shop") as agent,
        temporary_memory(folder=folder, clock=clock, scope="project:shop", actor="user") as person,
    ):
        if what == "hostile":
            store(agent, payloads(500))
        elif what == "demo":
            fill(agent, person, clock)
        memories = Memories(LazyMemory(lambda _c: nullcontext(agent)), LazyMemory(lambda _c: nullcontext(person)))
        place = WebPlace(folder / "run", MARK, "project:shop")
        serve_web(memories, place, 0, 3600.0, lambda _pid: True, lambda url: print(url, flush=True))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
