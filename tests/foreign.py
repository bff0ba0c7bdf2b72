"""What other memories leave behind, written by us from their documented shapes: one small source of each form."""

import json
import sqlite3

FORMS = (
    "terraphim", "loop-engine", "hippocampal", "self-learning", "mcp-memory", "claude-mem", "instincts", "markdown",
    "instructions", "memdir", "basic-memory", "obsidian",
)  # fmt: skip
# Nothing of this is real; it only looks like a key.
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def terraphim(folder, error="error: unknown option --prodd"):
    """A learning, the same failure once more, a correction, and two procedures."""
    for number, more in ((1, ""), (2, "correction: use --prod\n")):
        write(folder / f"learning-{number:032x}-17.md", (
            f"---\nid: {number:032x}-17\ncommand: deploy --prodd\nexit_code: 2\nsource: Project\n"
            f"captured_at: 2026-01-0{number}T10:00:00+00:00\nworking_dir: /srv/app\nhostname: box\n{more}"
            "tags:\n  - learning\n  - exit-2\nimportance_total: 0.2900\n---\n\n## Command\n\n`deploy --prodd`\n\n"
            f"## Error Output\n\n```\n{error}\n```\n"
        ))  # fmt: skip
    # As the original writes it: by hand, so that a colon in a value is no YAML.
    write(folder / "correction-c1.md", (
        "---\nid: c1\ntype: correction\ncorrection_type: tool-preference\nsource: Project\n"
        "captured_at: 2026-01-03T10:00:00+00:00\nworking_dir: /srv: app\ntags:\n  - correction\n---\n\n"
        "## Original\n\n`npm install`\n\n## Corrected\n\n`bun add`\n\n## Context\n\nuse bun instead of npm\n"
    ))  # fmt: skip
    step = {"ordinal": 1, "command": "make ship", "precondition": None, "postcondition": None, "working_dir": "/srv",
            "privileged": False, "tags": []}  # fmt: skip
    lines = [
        {"id": f"p{n}", "title": title, "description": "", "steps": [step], "tags": ["ops"], "source_session": None,
         "confidence": {"success_count": 9, "failure_count": 1, "score": 0.9}, "disabled": n == 2,
         "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"}
        for n, title in ((1, "Ship it"), (2, "Ship it late"))
    ]  # fmt: skip
    write(folder / "procedures.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return folder


def loop_engine(folder, description="Use make ship to deploy"):
    """A promoted lesson of a "user", one discarded, one superseded, memories, a skill, a persona, a team, a ledger."""
    write(folder / "lessons/promoted/les-1.md", (
        f"---\nid: les-1\ndescription: {description}\nstatus: promoted\nauthored_by: user\napplied_count: 99\n"
        "thumbs_up_count: 9\ncreated_at: 2026-01-01T10:00:00.000Z\ncausal_narrative:\n  trigger: kubectl apply\n"
        "  failure_mode: it skips the checks\n  correction: make ship\n  confidence: observed\n"
        "  evidence_refs:\n    - memory: mem-1\n    - quote: never by hand\n  generated_by: user\n---\n"
        "Do not deploy by hand.\n"
    ))  # fmt: skip
    write(folder / "lessons/discarded/les-2.md", "---\nid: les-2\ndescription: Wrong idea\n---\nNo.\n")
    write(folder / "lessons/superseded/les-3.md",
          "---\nid: les-3\ndescription: Older idea\nsuperseded_by: les-1\n---\nOld.\n")  # fmt: skip
    write(folder / "memories/mem-1.md",
          "---\nid: mem-1\ndescription: Deploys\nscope:\n  team: core\n---\nBy make ship.\n")  # fmt: skip
    write(folder / "memories/mem-2.md", "---\nid: mem-2\ndescription: Sum\nderived_from: [mem-1]\n---\nAll in one.\n")
    write(folder / "skills/review-sql/SKILL.md", (
        "---\nname: Review SQL\ndescription: Looks at SQL\ntype: analytical\nactivation: path_triggered\n"
        "paths: ['*.sql']\nallowed-tools: Read, Grep\nauthored_by: user\n---\nLook for missing indexes.\n"
    ))  # fmt: skip
    write(folder / "personas/ann/PERSONA.md", "---\nname: Ann\ndescription: asks why\n---\nAsks why, twice.\n")
    write(folder / "teams/core/TEAM.md",
          "---\nname: Core\nmembers:\n  - kind: persona\n    id: ann\n  - bob\n---\nThey ship.\n")  # fmt: skip
    write(folder / "phase_ledger/fix-1/code.yaml", "phase: code\nnote: done\nlogged_at: 2026-01-01T10:00:00Z\n")
    return folder


def hippocampal(path, content="The API listens on 8443"):
    """Entities and a relation, facts in and outside a namespace, a term with links."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        db.executescript("""
            CREATE TABLE namespaces(id TEXT PRIMARY KEY, name TEXT UNIQUE, description TEXT);
            CREATE TABLE entities(id TEXT PRIMARY KEY, kind TEXT, name TEXT, description TEXT DEFAULT '',
                                  created_at TEXT, updated_at TEXT, namespace_id TEXT);
            CREATE TABLE relations(id TEXT PRIMARY KEY, source_id TEXT, target_id TEXT, kind TEXT, strength REAL,
                                   created_at TEXT, session_id TEXT, namespace_id TEXT);
            CREATE TABLE facts(id TEXT PRIMARY KEY, entity_id TEXT, content TEXT, source TEXT DEFAULT '',
                               importance REAL, created_at TEXT, session_id TEXT, namespace_id TEXT,
                               version INTEGER DEFAULT 1);
            CREATE TABLE glossary(id TEXT PRIMARY KEY, term TEXT, definition TEXT, category TEXT, namespace_id TEXT);
            CREATE TABLE fact_glossary(fact_id TEXT, glossary_id TEXT);
            CREATE TABLE entity_glossary(entity_id TEXT, glossary_id TEXT);
            CREATE TABLE fact_versions(id TEXT, fact_id TEXT, content TEXT, version INTEGER);
        """)
        db.execute("INSERT INTO namespaces VALUES('n1', 'workspace:/srv/lab', '')")
        entities = [("e1", "service", "api", None), ("e2", "service", "db", None), ("e3", "file", "a.py", "n1")]
        db.executemany("INSERT INTO entities VALUES(?, ?, ?, '', '2026-01-01 10:00:00', '', ?)", entities)
        relations = [("r1", "e1", "e2", "calls", 0.5), ("r2", "e2", "e1", "feeds", 7), ("r3", "e1", "e1", "is", 1),
                     ("r4", "e1", "gone", "calls", 1), ("r5", "e1", "e2", "about", 1)]  # fmt: skip
        db.executemany("INSERT INTO relations VALUES(?, ?, ?, ?, ?, '', '', NULL)", relations)
        facts = [
            ("f1", "e1", content, 0.9, None),
            ("f2", "e3", "Only in the lab", 0.4, "n1"),
            ("f3", None, " ", 0.1, None),
        ]
        db.executemany("INSERT INTO facts VALUES(?, ?, ?, 'memorize', ?, '2026-01-01 10:00:00', 's1', ?, 3)", facts)
        db.execute("INSERT INTO glossary VALUES('g1', 'SLO', 'service level objective', 'ops', NULL)")
        db.execute("INSERT INTO fact_glossary VALUES('f1', 'g1')")
        db.execute("INSERT INTO entity_glossary VALUES('e1', 'g1')")
        db.execute("INSERT INTO fact_versions VALUES('v1', 'f1', 'older', 1)")
    db.close()
    return path


def self_learning(path, verdict="it works"):
    """Two episodes, a pattern of each type, a heuristic."""
    context = {"language": "Python", "framework": None, "complexity": "Complex", "domain": "web", "tags": ["api"]}
    steps = [
        {"step_number": 1, "tool": "pytest", "action": "run tests", "result": {"Error": {"message": "1 failed"}}},
        {"step_number": 2, "tool": "edit", "action": "mend it", "result": {"Success": {"output": "ok"}}},
        {"step_number": 3, "tool": "pytest", "action": "again", "result": "Timeout"},
    ]
    episode = {
        "episode_id": "ep-1", "task_type": "code_generation", "task_description": "Build an endpoint", "steps": steps,
        "context": context, "start_time": "2026-01-01T10:00:00Z", "end_time": "2026-01-01T10:05:00Z", "tags": ["rest"],
        "outcome": {"PartialSuccess": {"verdict": verdict, "completed": ["a"], "failed": ["b"]}},
        "reward": {"total": 2.4, "base": 1.0}, "reflection": {"successes": ["kept calm"], "insights": []},
    }  # fmt: skip
    patterns = [
        {"ToolSequence": {"id": "pt-1", "tools": ["pytest", "edit"], "context": context, "success_rate": 0.9,
                          "occurrence_count": 12}},
        {"DecisionPoint": {"id": "pt-2", "condition": "tests fail", "action": "read the log", "context": context,
                           "outcome_stats": {"success_count": 3, "failure_count": 1, "total_count": 4}}},
        {"pattern_id": "pt-3", "pattern_type": "error_recovery",
         "pattern_data": json.dumps({"ErrorRecovery": {"error_type": "timeout", "recovery_steps": ["retry"]}})},
        {"ContextPattern": {"id": "pt-4", "context_features": ["web"], "recommended_approach": "testing"}},
    ]  # fmt: skip
    heuristic = {"heuristic_id": "h-1", "condition": "In web", "action": "use pytest", "confidence": 3.2,
                 "evidence": {"episode_ids": [], "success_rate": 1.0, "sample_size": 4}}  # fmt: skip
    backup = {"backup_id": "b", "episodes": [episode, {**episode, "episode_id": "ep-2", "outcome": None}],
              "patterns": patterns, "heuristics": [heuristic]}  # fmt: skip
    return write(path, json.dumps(backup))


def mcp_memory(path, observation="listens on 8443"):
    """Entities that point at each other in a circle, with observations."""
    lines = [
        {"type": "entity", "name": "api", "entityType": "service", "observations": [observation, "is old"]},
        {"type": "entity", "name": "db", "entityType": "service", "observations": ["is old"]},
        {"type": "relation", "from": "api", "to": "db", "relationType": "calls"},
        {"type": "relation", "from": "db", "to": "api", "relationType": "feeds"},
        {"type": "relation", "from": "api", "to": "api", "relationType": "is"},
        {"type": "relation", "from": "api", "to": "gone", "relationType": "calls"},
    ]
    return write(path, "".join(json.dumps(line) + "\n" for line in lines))


def claude_mem(path, narrative="The port was 8080 and is 8443 now."):
    """An observation and a summary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        db.executescript("""
            CREATE TABLE observations(id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT,
                type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
                files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER, created_at TEXT,
                created_at_epoch INTEGER);
            CREATE TABLE session_summaries(id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
                investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT,
                created_at_epoch INTEGER);
        """)
        row = ("s-1", "shop", None, "bugfix", "Port changed", "of staging", '["8443 is open"]', narrative,
               '["how-it-works"]', '["a.py"]', "[not json", 1, 5_000, "2026-01-01T10:00:00Z",
               1_767_261_600_000)  # fmt: skip
        db.execute(f"INSERT INTO observations VALUES(1{', ?' * 15})", row)
        summary = ("s-1", "shop", "Change the port", "", "It is 8443", "Done", "", None, "2026-01-01T10:00:00Z", 1)
        db.execute(f"INSERT INTO session_summaries VALUES(1{', ?' * 10})", summary)
    db.close()
    return path


def instincts(folder, action="Use functional patterns."):
    """One file with one rule, one with two."""
    block = (
        "---\nid: {id}\ntrigger: \"when writing functions\"\nconfidence: 0.7\ndomain: \"code-style\"\n"
        "source: \"session-observation\"\n---\n\n# {id}\n\n## Action\n{action}\n\n## Evidence\n- seen 5 times\n\n"
    )  # fmt: skip
    write(folder / "personal/one.md", block.format(id="prefer-functions", action=action))
    write(folder / "inherited/two.yaml", "".join(block.format(id=id, action="Do it.") for id in ("first", "second")))
    return folder


def markdown(folder, body="The staging API listens on 8443.\n"):
    """Three pages, one with front matter."""
    write(folder / "a.md", f"---\nname: Staging\ndescription: ports\ntags: [net]\ndate: 2026-01-01\n---\n{body}")
    write(folder / "deep/b.md", "# A heading\n\nText with --- in it.\n")
    write(folder / "c.markdown", "Plain.\n")
    return folder


def instructions(folder, statement="The staging API listens on 8443."):
    """A repository with files for two agents, and a rule of Cursor that holds for some files."""
    write(folder / "CLAUDE.md", (
        f"# Shop\n\n{statement}\n\n## Style\n\n- Use pnpm, not npm.\n- Always add a test\n\n"
        "## Deploy\n\n1. Build it\n2. Ship it\n"
    ))  # fmt: skip
    write(folder / "AGENTS.md", "- Use pnpm, not npm.\n- The queue is in Redis.\n")
    write(folder / ".cursor/rules/web.mdc", (
        "---\ndescription: web\nglobs: **/*.tsx\nalwaysApply: false\n---\n- Prefer functions over classes\n"
    ))  # fmt: skip
    return folder


def memdir(folder, body="The staging API listens on 8443.\n"):
    """An index, a topic, and what the user said."""
    write(folder / "MEMORY.md", "- [Staging](staging.md): ports\n\nThe team lives in Berlin.\n")
    write(folder / "staging.md", f"---\nname: Staging\ndescription: ports\ntype: reference\n---\n{body}")
    write(folder / "tests.md", (
        "---\nname: Tests\ndescription: how to test\ntype: feedback\n---\nUse real databases, not mocks.\n\n"
        "**Why:** a mock hid a broken migration.\n"
    ))  # fmt: skip
    return folder


def basic_memory(folder, observation="listens on 8443"):
    """Two pages that refer to each other, one of them to a third that is not there."""
    write(folder / "services/api.md", (
        "---\ntitle: API\ntype: service\npermalink: services/api\ntags: [net]\n---\n# API\n\nIt is old.\n\n"
        f"## Observations\n- [port] {observation} #net\n- [ ] a task\n\n"
        "## Relations\n- calls [[DB]]\n- replaces [[Nobody]]\n"
    ))  # fmt: skip
    write(
        folder / "services/db.md",
        "---\ntitle: DB\ntype: service\npermalink: services/db\n---\n- feeds [[services/api]]\n",
    )
    return folder


def obsidian(folder, body="The staging API listens on 8443.\n"):
    """A vault with two pages and a picture."""
    write(folder / ".obsidian/app.json", "{}")
    write(folder / "Staging.md", f"---\ntags: [net]\n---\n{body}See [[Ports]]. #infra\n")
    write(folder / "deep/Ports.md", "# Ports\n\n8443 is open.\n")
    (folder / "a.png").write_bytes(b"\x89PNG\0")
    return folder


MAKERS = {
    "terraphim": terraphim, "loop-engine": loop_engine, "hippocampal": hippocampal, "self-learning": self_learning,
    "mcp-memory": mcp_memory, "claude-mem": claude_mem, "instincts": instincts, "markdown": markdown,
    "instructions": instructions, "memdir": memdir, "basic-memory": basic_memory, "obsidian": obsidian,
}  # fmt: skip
ENDINGS = {"hippocampal": ".db", "self-learning": ".json", "mcp-memory": ".jsonl", "claude-mem": ".db"}


def made(form, folder, *words):
    """Make a source of a form in a folder, and give where it lies."""
    return MAKERS[form](folder / f"from-{form}{ENDINGS.get(form, '')}", *words)
