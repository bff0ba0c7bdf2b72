"""The tables of the SQLite store, and the numbered steps that create them. docs/formats.md explains each."""

from __future__ import annotations

from tacit.store.trust_of_sessions import AGENTS_WORDS

APPLICATION_ID = 0x74616369  # "taci": a file with another id belongs to another program

_RECORD_FIELDS = """
  tenant TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, scope TEXT NOT NULL, key TEXT, status TEXT NOT NULL,
  title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL, importance REAL NOT NULL, origin TEXT NOT NULL,
  actor TEXT NOT NULL, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, at TEXT,
  trust INTEGER NOT NULL, payload TEXT NOT NULL, payload_v INTEGER NOT NULL, hash TEXT NOT NULL"""

SEARCH = """
CREATE VIRTUAL TABLE search USING fts5(
  gate, title, body, tags, extra, content='', tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'''")"""

_FIRST = (
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE migrations(number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)",
    """CREATE TABLE scopes(number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, scope TEXT NOT NULL,
       epoch INTEGER NOT NULL DEFAULT 0, UNIQUE(tenant, scope))""",
    "CREATE TABLE records(n INTEGER PRIMARY KEY," + _RECORD_FIELDS + ", UNIQUE(tenant, id))",
    """CREATE UNIQUE INDEX records_key ON records(tenant, scope, kind, key)
       WHERE key IS NOT NULL AND status <> 'retired'""",
    # Each index is one more page to write on every commit; listings by time sort the entries of this one.
    "CREATE INDEX records_importance ON records(tenant, scope, status, kind, importance, created_at, id)",
    "CREATE TABLE versions("
    + _RECORD_FIELDS
    + ", until TEXT NOT NULL, PRIMARY KEY(tenant, id, version)) WITHOUT ROWID",
    """CREATE TABLE facets(tenant TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL,
       PRIMARY KEY(tenant, name, value, id)) WITHOUT ROWID""",
    """CREATE TABLE links(tenant TEXT NOT NULL, source TEXT NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL,
       scope TEXT NOT NULL, since TEXT NOT NULL, until TEXT, weight REAL NOT NULL, payload TEXT NOT NULL,
       PRIMARY KEY(tenant, source, relation, target, scope, since)) WITHOUT ROWID""",
    "CREATE INDEX links_target ON links(tenant, target, relation)",
    """CREATE TABLE events(tenant TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL,
       type TEXT NOT NULL, subject TEXT NOT NULL, scope TEXT NOT NULL, session TEXT NOT NULL, digest TEXT NOT NULL,
       salt BLOB, payload TEXT, PRIMARY KEY(tenant, seq)) WITHOUT ROWID""",
    "CREATE INDEX events_subject ON events(tenant, subject, seq)",
    """CREATE TABLE seals(tenant TEXT NOT NULL, number INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
       hash TEXT NOT NULL, PRIMARY KEY(tenant, number)) WITHOUT ROWID""",
    """CREATE TABLE tallies(tenant TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL,
       PRIMARY KEY(tenant, subject, name)) WITHOUT ROWID""",
    """CREATE TABLE once(tenant TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL,
       PRIMARY KEY(tenant, key)) WITHOUT ROWID""",
    """CREATE TABLE vectors(tenant TEXT NOT NULL, id TEXT NOT NULL, model TEXT NOT NULL, scope TEXT NOT NULL,
       stamp INTEGER NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, vector BLOB NOT NULL,
       PRIMARY KEY(tenant, id, model)) WITHOUT ROWID""",
    "CREATE INDEX vectors_stamp ON vectors(tenant, model, scope, stamp)",
    SEARCH,
)

# How many records and vectors a scope has, kept by the write itself: counting takes time that grows with the store.
COUNTS = (
    "DELETE FROM counts", "DELETE FROM vector_counts",
    """INSERT INTO counts(tenant, scope, kind, status, records)
       SELECT tenant, scope, kind, status, count(*) FROM records GROUP BY 1, 2, 3, 4""",
    """INSERT INTO vector_counts(tenant, model, scope, kind, status, vectors)
       SELECT tenant, model, scope, kind, status, count(*) FROM vectors GROUP BY 1, 2, 3, 4, 5""",
)  # fmt: skip
_SECOND = (
    """CREATE TABLE counts(tenant TEXT NOT NULL, scope TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL,
       records INTEGER NOT NULL, PRIMARY KEY(tenant, scope, kind, status)) WITHOUT ROWID""",
    """CREATE TABLE vector_counts(tenant TEXT NOT NULL, model TEXT NOT NULL, scope TEXT NOT NULL, kind TEXT NOT NULL,
       status TEXT NOT NULL, vectors INTEGER NOT NULL, PRIMARY KEY(tenant, model, scope, kind, status))
       WITHOUT ROWID""",
    """CREATE TRIGGER record_added AFTER INSERT ON records BEGIN
       INSERT INTO counts(tenant, scope, kind, status, records)
       VALUES (NEW.tenant, NEW.scope, NEW.kind, NEW.status, 1)
       ON CONFLICT(tenant, scope, kind, status) DO UPDATE SET records = records + 1; END""",
    """CREATE TRIGGER record_removed AFTER DELETE ON records BEGIN
       UPDATE counts SET records = records - 1 WHERE tenant = OLD.tenant AND scope = OLD.scope AND kind = OLD.kind
       AND status = OLD.status; END""",
    """CREATE TRIGGER record_changed AFTER UPDATE ON records
       WHEN (OLD.tenant, OLD.scope, OLD.kind, OLD.status) <> (NEW.tenant, NEW.scope, NEW.kind, NEW.status) BEGIN
       UPDATE counts SET records = records - 1 WHERE tenant = OLD.tenant AND scope = OLD.scope AND kind = OLD.kind
       AND status = OLD.status;
       INSERT INTO counts(tenant, scope, kind, status, records)
       VALUES (NEW.tenant, NEW.scope, NEW.kind, NEW.status, 1)
       ON CONFLICT(tenant, scope, kind, status) DO UPDATE SET records = records + 1; END""",
    """CREATE TRIGGER vector_added AFTER INSERT ON vectors BEGIN
       INSERT INTO vector_counts(tenant, model, scope, kind, status, vectors)
       VALUES (NEW.tenant, NEW.model, NEW.scope, NEW.kind, NEW.status, 1)
       ON CONFLICT(tenant, model, scope, kind, status) DO UPDATE SET vectors = vectors + 1; END""",
    """CREATE TRIGGER vector_removed AFTER DELETE ON vectors BEGIN
       UPDATE vector_counts SET vectors = vectors - 1 WHERE tenant = OLD.tenant AND model = OLD.model
       AND scope = OLD.scope AND kind = OLD.kind AND status = OLD.status; END""",
    """CREATE TRIGGER vector_changed AFTER UPDATE ON vectors
       WHEN (OLD.tenant, OLD.model, OLD.scope, OLD.kind, OLD.status)
         <> (NEW.tenant, NEW.model, NEW.scope, NEW.kind, NEW.status) BEGIN
       UPDATE vector_counts SET vectors = vectors - 1 WHERE tenant = OLD.tenant AND model = OLD.model
       AND scope = OLD.scope AND kind = OLD.kind AND status = OLD.status;
       INSERT INTO vector_counts(tenant, model, scope, kind, status, vectors)
       VALUES (NEW.tenant, NEW.model, NEW.scope, NEW.kind, NEW.status, 1)
       ON CONFLICT(tenant, model, scope, kind, status) DO UPDATE SET vectors = vectors + 1; END""",
    # Which rows changed since the word index was written; the last one stays, so that the numbers go on.
    "CREATE TABLE word_changes(change INTEGER PRIMARY KEY, n INTEGER NOT NULL)",
    "CREATE TRIGGER words_added AFTER INSERT ON records BEGIN INSERT INTO word_changes(n) VALUES (NEW.n); END",
    "CREATE TRIGGER words_changed AFTER UPDATE ON records BEGIN INSERT INTO word_changes(n) VALUES (NEW.n); END",
    "CREATE TRIGGER words_removed AFTER DELETE ON records BEGIN INSERT INTO word_changes(n) VALUES (OLD.n); END",
    # The few records that a session's start may tell.
    """CREATE INDEX records_trusted ON records(tenant, scope, status, kind, importance, created_at, id)
       WHERE trust >= 2""",
    *COUNTS[2:],
)

# As in the second step, but without a clause that can fail in the middle: with one, SQLite copies every page that a
# single row touches before it writes the row, which was half of what adding records cost.
_FOURTH = (
    "DROP TRIGGER record_added", "DROP TRIGGER vector_added",
    """CREATE TRIGGER record_added AFTER INSERT ON records BEGIN
       INSERT INTO counts(tenant, scope, kind, status, records)
       SELECT NEW.tenant, NEW.scope, NEW.kind, NEW.status, 0 WHERE NOT EXISTS (SELECT 1 FROM counts
       WHERE tenant = NEW.tenant AND scope = NEW.scope AND kind = NEW.kind AND status = NEW.status);
       UPDATE counts SET records = records + 1
       WHERE tenant = NEW.tenant AND scope = NEW.scope AND kind = NEW.kind AND status = NEW.status; END""",
    """CREATE TRIGGER vector_added AFTER INSERT ON vectors BEGIN
       INSERT INTO vector_counts(tenant, model, scope, kind, status, vectors)
       SELECT NEW.tenant, NEW.model, NEW.scope, NEW.kind, NEW.status, 0 WHERE NOT EXISTS (SELECT 1 FROM vector_counts
       WHERE tenant = NEW.tenant AND model = NEW.model AND scope = NEW.scope AND kind = NEW.kind
       AND status = NEW.status);
       UPDATE vector_counts SET vectors = vectors + 1 WHERE tenant = NEW.tenant AND model = NEW.model
       AND scope = NEW.scope AND kind = NEW.kind AND status = NEW.status; END""",
)  # fmt: skip

MIGRATIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (1, "the first tables", _FIRST), (2, "counts of records and vectors, trusted records", _SECOND),
    (3, "what agents said is not the user's", AGENTS_WORDS), (4, "rows are counted in less time", _FOURTH),
)  # fmt: skip
NEWEST = MIGRATIONS[-1][0]
