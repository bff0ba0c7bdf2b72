"""What the pages show, and what their actions do, as an agent and as a person."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html import unescape
from urllib.parse import quote

import pytest

from tacit.doors.web.app import PAGES
from tacit.doors.web.render import environment, seen
from tacit.failures.injection_log import SHOWN, stop_once
from tacit.files.spool import SPOOL, spool
from tacit.lessons.rules.promotion_gate import gate, gate_lines
from tacit.model.event import NewEvent
from tacit.model.hook import ShownRecord
from tacit.model.lesson import Narrative
from tacit.model.payload import KeptTurn, Recap
from tacit.model.record import Draft
from tacit.model.session import Session
from tacit.records.write import admitted, new_record, writing
from tacit.testing import temporary_memory


def words(answer) -> str:
    """Return the text of a page without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())


def conflict(memory):
    """Store two facts that contradict each other; give their ids, the older first."""
    older = memory.memorize("Staging listens on 8443", entity=("service", "staging"))
    newer = memory.memorize("Staging listens on 9443", entity=("service", "staging"))
    assert newer.conflicts
    return older.id, newer.id


def lesson(memory, title="Use pnpm, not npm"):
    """Store a candidate."""
    told = Narrative(trigger=f"npm install, {title}", failure_mode="the lockfile is ignored", correction="pnpm install")
    return memory.lessons.create(title, narrative=told).id


EMPTY = (
    "/sessions",
    "/known",
    "/search",
    "/review",
    "/procedures",
    "/search?q=x&kind=fact",
    "/search/sessions?q=x&alone=1",
)


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_memory_teaches(web, path):
    """Where there is nothing yet, the page says which command brings something."""
    answer = web.get(path)

    assert 200 == answer.status_code
    assert re.search(r"<code>tacit (remember|init|lesson|procedure|sessions)", answer.text)


def test_today_shows_what_happened(web):
    web.agent.memorize("Staging listens on 8443")
    web.agent.learned.correction("npm", "pnpm")
    counted, shown = words(web.get("/known")), words(web.get("/"))

    assert "1 fact" in counted
    assert "1 rule" in counted
    assert "kept Staging listens on 8443" in shown


def test_today_names_changes_by_other_homes(web, tmp_path):
    """What a pull left because a person relies on it is to decide, with the command that shows it."""
    shared = tmp_path / "shared"
    shared.mkdir()
    with temporary_memory(folder=tmp_path / "other", actor="user") as other:
        for memory in (web.person, other):
            memory.share.init(shared, "team:core")
        with temporary_memory(folder=tmp_path, actor="user", scope="team:core") as team:
            id = team.memorize("Deploys need two approvals").id
        web.person.share.push()
        other.share.pull()
    with temporary_memory(folder=tmp_path / "other", actor="agent", scope="team:core") as other:
        other.revise(id, body="Deploys need no approval")
        other.share.push()
    web.agent.share.sync()

    assert "1 change by other homes waits: tacit share pull" in words(web.get("/known"))


def test_a_page_says_before_a_click_what_needs_the_code(web):
    """Who is not a person yet reads it above the buttons; a person does not."""
    id = lesson(web.agent)
    before = [words(web.get(path)) for path in ("/review", f"/record/{id}")]
    web.become_person()
    after = [words(web.get(path)) for path in ("/review", f"/record/{id}")]

    assert all("needs your code: act as yourself" in one for one in before)
    assert not any("needs your code" in one for one in after)


@pytest.mark.parametrize(
    ("way", "statuses"),
    [("newer", ("superseded", "active")), ("older", ("active", "archived")), ("both", ("active", "active"))],
)
def test_a_conflict_is_decided(web, way, statuses):
    """The first page shows both texts; each button settles it and says so."""
    older, newer = conflict(web.agent)

    assert "1 pair of facts contradict each other" in words(web.get("/known"))
    assert "Staging listens on 9443" in words(web.get("/conflicts"))
    assert "needs your code" not in words(web.get("/conflicts"))
    assert 303 == web.post("/settle", id=newer, other=older, way=way).status_code
    assert statuses == tuple(web.agent.get(id).status for id in (older, newer))
    assert "Settled:" in words(web.get("/"))
    assert [] == web.agent.conflicts()


def test_a_conflict_with_a_person_needs_the_person(web):
    """What a person wrote an agent's browser does not decide; the page says so above the buttons and after a click."""
    older, newer = conflict(web.person)
    before = words(web.get("/conflicts"))
    refused = web.post("/settle", id=newer, other=older, way="newer")

    assert 403 == refused.status_code
    assert "Act as yourself" in words(refused)
    assert "active" == web.person.get(older).status
    assert "needs your code: act as yourself" in before
    assert "needs your code" not in words(web.become_person().get("/conflicts"))
    assert 303 == web.post("/settle", id=newer, other=older, way="newer").status_code


def test_search_explains_its_hits_and_groups_sessions(web):
    """What is known comes first with its reasons, what was said in sessions after it."""
    web.agent.memorize("Staging listens on 8443")
    web.agent.add_many([{"kind": "turn", "body": "which port does staging use?", "thread": "t", "author": "user"}])
    page, part = web.get("/search?q=staging+port"), web.get("/search/hits?q=staging+port", **{"HX-Request": "true"})

    assert "Staging listens on 8443" in words(part)
    assert "why this rank signal rank raw share" in words(part)
    assert "which port does staging use?" not in words(part)
    assert words(part) in words(page)
    assert "<html" not in part.text
    later = re.search('hx-get="[^"]*(/search/sessions[^"]+)"', part.text)[1].replace("&amp;", "&")
    assert words(web.get(later)).startswith("In sessions which port does staging use?")


def test_weak_hits_are_shown_when_asked_for(web):
    """A hit far below the best is noise: it is counted, and one click away."""
    web.agent.memorize("The staging port of the billing service is 8443")
    web.agent.memorize("A port is a place where ships unload wine, cloth and grain before the winter storms")
    near = web.get("/search?q=staging+port+of+the+billing+service")
    everything = words(web.get("/search?q=staging+port+of+the+billing+service&all=1"))

    assert ("8443" in words(near), "ships" in words(near), "1 weaker hit" in words(near)) == (True, False, True)
    assert ("ships" in everything, "weaker hit" in everything) == (True, False)


def test_filters_narrow_the_search(web):
    web.agent.memorize("Staging listens on 8443")
    web.person.memorize("Staging is owned by Ann")
    web.agent.notes.create("Staging has three replicas", title="replicas")
    found = {path: words(web.get(f"/search/hits?q=staging&{path}")) for path in ("kind=note", "trust=3", "since=30d")}

    assert ("replicas" in found["kind=note"], "8443" in found["kind=note"]) == (True, False)
    assert ("Ann" in found["trust=3"], "8443" in found["trust=3"]) == (True, False)
    assert "8443" in found["since=30d"]
    assert 400 == web.get("/search?kind=nonsense").status_code
    assert 400 == web.get("/search?trust=x").status_code


def test_without_a_question_the_newest_are_listed_page_by_page(web):
    web.agent.add_many([{"kind": "note", "title": f"note {number}", "body": "x"} for number in range(25)])
    first = web.get("/search")
    older = re.search(r'<a href="[^"]*(/search\?[^"]+)">older', first.text)[1].replace("&amp;", "&")

    assert "note 24" in words(first)
    assert "note 4" in words(web.get(older))
    assert "older" not in words(web.get(older))


def test_a_record_shows_its_versions_and_brings_one_back(web):
    id = web.agent.memorize("Staging listens on 8443").id
    web.agent.revise(id, body="Staging listens on 9443")
    shown = web.get(f"/record/{id}").text

    assert '<span class="minus">-Staging listens on 8443</span>' in shown
    assert '<span class="plus">+Staging listens on 9443</span>' in shown
    assert 303 == web.post(f"/record/{id}/rollback", version="1").status_code
    assert "Staging listens on 8443" == web.agent.get(id).body
    assert "Version 1 is back, as version 3." in words(web.get(f"/record/{id}"))


def test_a_record_says_why_as_a_chain(web):
    """What it rests on, and what that rests on, each with how."""
    first = web.agent.notes.create("Deploys failed on Fridays", title="incident")
    second = web.agent.notes.create("The freeze begins on Thursday", title="freeze")
    merged = web.agent.notes.compress([first.id, second.id])
    shown = words(web.get(f"/record/{merged.record.id}"))

    assert re.search(r"(derived from|replaces) note incident unverified, by agent", shown)
    assert re.search(r"(derived from|replaces) note freeze", shown)


def test_a_record_says_when_agents_were_told_and_what_they_did(web):
    id = web.agent.memorize("Staging listens on 8443").id
    c = web.agent._c
    with writing(c, c.clock.now()) as tx:
        tx.append(NewEvent(type=SHOWN, subject=id, scope=str(c.scope), session="s-1", payload={"at": "before_tool"}))
    shown = words(web.get(f"/record/{id}"))

    assert "before tool s-1 not known" in shown


def test_the_graph_has_the_records_and_their_links(web):
    id = web.agent.memorize("Staging listens on 8443", entity=("service", "staging")).id
    found = json.loads(web.get(f"/record/{id}/graph").text)

    assert [True, False] == sorted((one["here"] for one in found["nodes"]), reverse=True)
    assert {"fact", "entity"} == {one["kind"] for one in found["nodes"]}
    assert ["about"] == [one["relation"] for one in found["links"]]


def test_a_record_is_edited_approved_and_taken_out_of_use(web):
    id = web.agent.memorize("Staging listens on 8443").id

    assert 303 == web.post(f"/record/{id}/edit", body="Staging listens on 9443").status_code
    assert "Staging listens on 9443" == web.agent.get(id).body
    assert 403 == web.post(f"/record/{id}/approve").status_code
    web.become_person()
    assert 303 == web.post(f"/record/{id}/approve").status_code
    assert 3 == web.agent.get(id).trust
    assert 303 == web.post(f"/record/{id}/approve", withdraw="1").status_code
    assert 1 == web.agent.get(id).trust
    assert 303 == web.post(f"/record/{id}/remove").status_code
    assert "retired" == web.agent.get(id).status


def test_review_shows_the_gate_line_by_line(web):
    """Each check of the gate is one line, met or missing, and the missing ones are the gate's reasons."""
    id = lesson(web.agent)
    facts = web.agent.lessons.why(id).facts
    shown = web.get("/review").text

    assert [one.label for one in gate(facts)] == [one.label for one in gate_lines(facts) if one.is_missing]
    assert sum(one.is_missing for one in gate_lines(facts)) == shown.count('<li class="missing">')
    assert sum(not one.is_missing for one in gate_lines(facts)) == shown.count('<li class="met">')
    assert "followed 0 of 3 times" in shown
    assert {"a", "e", "d", "o"} == set(re.findall('data-key="(.)"', shown))


def test_lessons_further_down_are_shown_when_they_are_looked_at(web):
    """The gate of each takes a while: the first ones are there at once, the others are loaded one by one."""
    for number in range(4):
        lesson(web.agent, f"lesson {number}")
    page = web.get("/review").text
    later = re.findall('hx-get="[^"]*(/review/[^/]+/basis)"', page)

    assert 2 == page.count("<summary>The gate</summary>") == len(later)
    assert "followed 0 of 3 times" in words(web.get(later[0]))


def test_a_lesson_is_accepted_by_a_person_only(web):
    id = lesson(web.agent)
    refused = web.post(f"/review/{id}/accept", at="0")
    accepted = web.become_person().post(f"/review/{id}/accept", at="0")

    assert (403, 303) == (refused.status_code, accepted.status_code)
    assert accepted.headers["location"].endswith("/review?at=0")
    assert "active" == web.agent.lessons.get(id).status
    assert "On trial" in words(web.get("/review"))


def test_a_lesson_is_edited_discarded_and_questioned(web):
    edited, discarded, questioned = (lesson(web.agent, title) for title in ("use pnpm", "run lint", "ask first"))
    web.become_person()
    told = {"trigger": "npm ci", "failure_mode": "it fails", "correction": "pnpm install", "at": "1"}

    assert "npm install" in web.get(f"/review/{edited}/edit").text
    assert 303 == web.post(f"/review/{edited}/edit", **told).status_code
    assert ("npm ci", "active") == (
        web.agent.lessons.get(edited).payload.narrative.trigger,
        web.agent.lessons.get(edited).status,
    )
    assert 303 == web.post(f"/review/{discarded}/discard", at="0").status_code
    assert "discarded" == web.agent.lessons.get(discarded).status
    assert 303 == web.post(f"/review/{questioned}/want", what="a second session", at="0").status_code
    assert "a second session" in words(web.get("/review"))
    assert "Not promoted: " in words(web.get("/review" if web.post(f"/review/{edited}/promote").status_code else "/"))


def test_procedures_show_health_and_runs(web):
    web.agent.procedures.record("Deploy staging", steps=["make deploy"])
    web.agent.procedures.success("deploy-staging")
    web.agent.procedures.failure("deploy-staging", note="no network")
    id = web.agent.procedures.get("deploy-staging").id
    listed, shown = web.get("/procedures").text, words(web.get(f"/procedure/{id}"))

    assert 'aria-label="1 of 2 worked, oldest first"' in listed
    assert 'class="ok"' in listed
    assert "no network" in shown
    assert ["success", "failed"] == json.loads(web.get(f"/procedure/{id}/runs").text)["outcomes"]


def test_a_dry_run_shows_what_would_run_and_runs_nothing(web):
    """Values are filled in, the guard judges each step, and nothing is stored."""
    web.agent.procedures.record("Clean", steps=["touch made-{{name}}", "rm -rf /"], parameters=["name"])
    id = web.agent.procedures.get("clean").id
    answer = web.post(f"/procedure/{id}/dry-run", **{"param.name": "by-test"})
    part = web.client.post(
        web.at(f"/procedure/{id}/dry-run"), data={"csrf": web.csrf(), "param.name": "by-test"},
        headers={"Origin": "http://127.0.0.1:8000", "HX-Request": "true"},
    )  # fmt: skip

    assert "touch made-by-test" in words(answer)
    assert 'class="tag verdict-deny"' in answer.text
    assert ("<html" in answer.text, "<html" in part.text) == (True, False)
    assert "touch made-by-test" in part.text
    assert [] == [*web.agent.procedures.runs(id), *web.folder.rglob("made-*")]


def test_a_procedure_is_disabled_and_enabled(web):
    web.person.procedures.record("Deploy", steps=["make deploy"])
    id = web.person.procedures.get("deploy").id
    web.become_person()

    assert 303 == web.post(f"/procedure/{id}/disable").status_code
    assert "disabled" == web.agent.procedures.get("deploy").status
    assert 303 == web.post(f"/procedure/{id}/enable").status_code
    assert "active" == web.agent.procedures.get("deploy").status


def test_a_draft_is_listed_apart_and_enabled_by_a_person_only(web):
    web.agent.procedures.record("Deploy", steps=["make deploy"])
    id = web.agent.procedures.get("deploy").id

    assert "Deploy" in words(web.get("/procedures"))
    assert 200 == web.get(f"/procedure/{id}").status_code


@pytest.mark.parametrize("id", ["fact_x", "../enter", "%00", "a" * 3_000, "procedure_01KJMDEB800000000000000001"])
def test_what_does_not_exist_is_a_page_that_says_so(web, id):
    """A malformed id is not found: a sentence, the way back, no trace of the program."""
    for path in ("/record/{id}", "/procedure/{id}", "/review/{id}/edit", "/record/{id}/graph"):
        answer = web.get(path.format(id=id))
        assert answer.status_code in (401, 404, 400), path
        assert "Traceback" not in answer.text


def test_an_unexpected_error_is_a_page(web, monkeypatch):
    """Whatever breaks, the reader gets a sentence, and the next page works."""
    monkeypatch.setattr(web.agent._c.store, "count", lambda _where: 1 // 0)
    answer = web.get("/known")
    monkeypatch.undo()

    assert 500 == answer.status_code
    assert "ZeroDivisionError" in answer.text
    assert "division by zero" not in answer.text
    assert 200 == web.get("/").status_code


def test_a_secret_in_an_error_is_not_shown(web):
    token = "ghp_" + "a1B2" * 9
    answer = web.get(f"/search?since={token}")

    assert 400 == answer.status_code
    assert token not in answer.text.replace(f"value=&#34;{token}", "")


def test_times_are_for_the_script_to_rewrite(web):
    web.agent.memorize("Staging listens on 8443")

    assert '<time datetime="2026-03-01T10:00:00+00:00">2026-03-01 10:00 UTC</time>' in web.get("/search").text


def test_what_cannot_be_seen_is_shown():
    assert "a‹U+202E›b‹U+200B›‹U+0007›c\n\td" == seen("a\u202eb\u200b\x07c\n\td")


def test_templates_escape_by_default_and_know_no_unknown_name():
    made = environment()

    assert made.autoescape is True
    assert {"StrictUndefined"} == {made.undefined.__name__}


def test_every_page_is_counted_as_a_call(web):
    """The process ends only when nobody has looked for a while: every page counts."""
    before = web.activity.last
    for path in PAGES:
        web.get(path.replace("{id}", "x"))

    assert web.activity.last > before
    assert 0 == web.activity.busy


# -- sessions, ids, stops ----------------------------------------------------------------------------------------------


def recap(memory, title, day):
    """Keep a recap of a session that was on a day, or of which nobody knows the day."""
    c = memory._c
    at = datetime(2026, 2, day, tzinfo=UTC) if day else None
    made = Draft(
        kind="recap", scope=str(c.scope), key=f"s-{title}", title=title, body=f"asked: {title}", at=at,
        payload=Recap(session=f"s-{title}", agent="claude"),
    )  # fmt: skip
    with writing(c, c.clock.now()) as tx:
        tx.put(new_record(c, admitted(c, made), c.clock.now()))
        tx.append(NewEvent(type="session.recapped", scope=str(c.scope)))


def test_the_latest_session_is_first(web):
    """Sessions are in the order of their time, whenever they were imported."""
    for title, day in (("second", 7), ("third", 2), ("first", 15), ("fourth", 1)):
        recap(web.agent, title, day)
    shown = web.get("/sessions").text

    assert ["first", "second", "third", "fourth"] == re.findall(r"<bdi>(\w+)</bdi></summary>", shown)


def test_a_plan_is_called_by_what_it_is_about(web):
    """A newcomer's trial: "Implement the following plan:" filled half of each line."""
    recap(web.agent, "Implement the following plan: # Plan: Token Counter ## Context", 7)

    assert "<bdi>plan: Token Counter</bdi></summary>" in web.get("/sessions").text


def test_a_score_is_told_only_with_the_reasons(web):
    """It compares the hits of one question, and says nothing of how good the best is."""
    web.agent.memorize("Staging listens on 8443")
    shown = web.get("/search?q=staging+listens").text

    assert [1, 1] == [part.count("score 0.") for part in (shown, shown[shown.index("<details>") :])]


def test_a_session_without_a_date_is_last_and_says_so(web):
    for title, day in (("undated", 0), ("dated", 2)):
        recap(web.agent, title, day)
    shown = web.get("/sessions").text

    assert ["dated", "undated"] == re.findall(r"<bdi>(\w+)</bdi></summary>", shown)
    assert 1 == shown.count("without a date") == shown.count("<time ")


@pytest.mark.parametrize("spelt", ["{id}", "{short}", "[tacit {short}]", "tacit {short}"])
def test_search_finds_an_id_and_the_code_of_a_warning(web, spelt):
    """A failure, which is no plain hit, is found by what a warning ends with."""
    id = web.agent.learned.capture("npm run biuld", error="missing script: biuld", exit_code=1).id
    web.agent.memorize("Staging listens on 8443")
    query = spelt.format(id=id, short=id[-8:])
    shown = web.get(f"/search?q={quote(query)}").text

    assert f"/record/{id}" in shown
    assert "Nothing found" not in shown


def test_failures_are_a_kind_and_are_found_after_what_is_known(web):
    id = web.agent.learned.capture("npm run biuld", error="missing script: biuld", exit_code=1).id
    page, narrowed = web.get("/search").text, web.get("/search?q=npm+run+biuld&kind=failure").text
    after = web.get("/search/sessions?q=npm+run+biuld").text

    assert "<option>failure</option>" in page
    assert f"/record/{id}" in narrowed
    assert ("<h2>Failures</h2>" in after, f"/record/{id}" in after) == (True, True)


def test_nothing_found_is_not_said_above_what_is_found(web):
    """What sessions say comes after; only if they say nothing either, nothing was found."""
    web.agent.add_many([{"kind": "turn", "body": "the health check of staging fails", "thread": "t", "author": "user"}])
    page = web.get("/search?q=health+check").text
    [more] = re.findall(r'hx-get="[^"]*(/search/sessions[^"]+)"', page)
    none = re.findall(r'hx-get="[^"]*(/search/sessions[^"]+)"', web.get("/search?q=zebra").text)

    said = page + web.get(unescape(more)).text
    assert not any(words in said for words in ("Nothing found", "nothing relevant enough", "nothing was found"))
    assert "Nothing found" in web.get(unescape(none[0])).text


def test_a_record_shows_what_it_stopped(web):
    """Each command, when, and what came of it; secrets in it are not kept."""
    record = web.agent.learned.capture("npm run biuld", error="missing script: biuld", exit_code=1)
    shown = ShownRecord(id=record.id, text="failed before", of="npm run biuld", stops=True)
    before = words(web.get(f"/record/{record.id}"))
    token = "ghp_" + "a1B2" * 9
    stop_once(web.agent._c, "s-7", f"TOKEN={token} npm run biuld", [shown], "call")
    after = words(web.get(f"/record/{record.id}"))

    assert "It has stopped no command yet" in before
    assert "npm run biuld s-7 not known" in after
    assert token not in after


def test_a_turn_is_shown_in_its_session(web):
    """Its page leads to the turns before and after it, and the session to all of them."""
    c = web.agent._c
    turns = [
        Draft(kind="turn", scope=str(c.scope), key=f"s#{number}", body=f"turn number {number}",
              payload=KeptTurn(thread="s", number=number, role="user"))
        for number in range(1, 61)
    ]  # fmt: skip
    session = Draft(
        kind="session", scope=str(c.scope), key="s", title="fix it", payload=Session(agent="claude", external="s")
    )
    with writing(c, c.clock.now()) as tx:
        made = [new_record(c, admitted(c, one), c.clock.now()) for one in (*turns, session)]
        tx.add(made)
        tx.append(NewEvent(type="session.turns_kept", scope=str(c.scope)))
    page, whole = web.get(f"/record/{made[9].id}").text, web.get(f"/record/{made[-1].id}").text
    later = web.get(f"/record/{made[-1].id}?turn=41").text

    assert [f"turn number {number}" for number in range(5, 16) if number != 10] == re.findall(
        r"<bdi>(turn number \d+)</bdi></a>", page
    )
    assert f"/record/{made[-1].id}" in page
    assert (40, True, 20) == (whole.count("turn number"), "?turn=41" in whole, later.count("turn number"))


def test_a_version_says_which_field_changed(web):
    """A change that leaves title and text as they are is not an empty comparison."""
    id = web.agent.procedures.record("Deploy", steps=["make deploy"]).id
    web.agent.procedures.add_step("deploy", "make check", notes="wait for it")
    shown = web.get(f"/record/{id}").text

    assert re.search(r'class="plus">\+steps: .*make check', shown)


def test_after_the_code_one_is_where_one_was_refused(web):
    id = web.agent.memorize("Staging listens on 8443").id
    web.get(f"/record/{id}?x=1")
    web.get("/condition", **{"HX-Request": "true"})
    assert 403 == web.post(f"/record/{id}/approve").status_code
    answer = web.post("/person", code=web.access.new_code())

    assert answer.headers["location"] == web.at(f"/record/{id}?x=1")


def test_the_condition_names_the_backlog_and_the_shared_folders(web, tmp_path):
    """What hooks captured and waits, and each shared folder, or why it cannot be used."""
    home = web.agent._c.home
    spool(home / SPOOL, {"a": 1})
    shared = tmp_path / "shared"
    shared.mkdir()
    web.person.share.init(shared)
    fine = words(web.get("/condition"))
    (shared / "tacit-share.json").unlink()
    broken = words(web.get("/condition"))

    assert "1 capture of hooks to store" in fine
    assert f"Shared folder {shared} : push and pull, project:test" in fine
    assert "is not a shared folder" in broken
