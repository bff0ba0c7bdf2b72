"""The tables of the SQLite store, and the numbered steps that create them. docs/formats.md explains each."""

from __future__ import annotations

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

MIGRATIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = ((1, "the first tables", _FIRST),)
NEWEST = MIGRATIONS[-1][0]
