"""Databases: statements that drop, empty or grant access, in arguments or input of a client."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

CLIENTS = (
    "psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "clickhouse-client", "clickhouse", "cqlsh", "mongo", "mongosh",
    "redis-cli",
    "valkey-cli", "bq", "snowsql", "duckdb", "trino", "presto", "usql", "pgcli", "mycli", "litecli", "cockroach",
    "influx", "sqlplus",
    "isql", "osql", "spanner-cli", "wrangler", "turso", "supabase", "hive", "beeline", "impala-shell", "spark-sql",
    "neo4j-admin",
    "cypher-shell", "etcdctl", "rails", "manage.py", "django-admin", "artisan", "rake", "pgbench",
)  # fmt: skip
STATEMENTS = (
    "DROP",
    "drop",
    "TRUNCATE",
    "DELETE",
    "delete",
    "GRANT",
    "grant",
    "ALTER",
    "UPDATE",
    "REVOKE",
    "Drop",
    "Delete",
)
_MODELS = frozenset({"manage.py", "rails", "artisan", "mongosh", "mongo", "django-admin", "rake"})
_DROPS = lazy_pattern(
    r"\bdrop\s++(?:table|database|schema|index|view|materialized\s++view|user|role|function|sequence|type|column"
    r"|keyspace|collection|policy"
    r"|constraint|trigger|extension|tablespace|publication|subscription|owned|stage|warehouse|server|cluster)\b"
    r"|\btruncate\s++(?:table\s++)?[\w\"`\[.]+|\bdetach\s++delete\b|\bdrop(?:database"
    r"|collection|user)?\s*\(", re.I,
)  # fmt: skip
_DELETE = lazy_pattern(
    r"\bdelete\s++from\s++(?:only\s++)?[\w\"'`\[\].]+\s*+(;|$|--|\bwhere\s++(?:true|1\s*=\s*1|1)\b)", re.I
)
_DELETE_SOME = lazy_pattern(r"\bdelete\s++from\b|\.(?:deleteOne|deleteMany|findOneAndDelete)\(", re.I)
_UPDATE = lazy_pattern(r"\bupdate\s++[\w\"`.]+\s++set\b", re.I)
_WHERE = lazy_pattern(r"\bwhere\b", re.I)
_ALTER_DROP = (lazy_pattern(r"\balter\s++table\b", re.I), lazy_pattern(r"\bdrop\b", re.I))
_GRANT = lazy_pattern(r"\bgrant\s++(?:all|super|dba)\b", re.I)
_OTHER = lazy_pattern(r"\b(?:flushall|flushdb|shutdown|debug\s++segfault|config\s++resetstat|script\s++flush|swapdb)\b"
                    r"|\bdb\.dropDatabase\b"
                    r"|\.(?:drop|deleteMany|remove)\s*+\(\s*+(?:\{\s*+\}\s*+)?\)|\bdel\s++--prefix\b|\bdestroy_all\b"
                    r"|\bdelete_all\b", re.I)  # fmt: skip


# Clients of databases in which a transaction takes back everything, DROP and TRUNCATE included.
_TRANSACTIONAL = frozenset({"psql", "pgcli", "sqlite3", "litecli", "cockroach", "duckdb"})
_TAKEN_BACK = lazy_pattern(
    r"\s*+(?:begin|start\s++transaction)\b(?!.*\b(?:commit|end)\b).*;\s*rollback\s*;?\s*", re.I | re.S
)


def _is_taken_back(text: str) -> bool:
    """Return whether a text is one transaction that ends in ROLLBACK, without a COMMIT or a command of the client."""
    return "\\" not in text and bool(_TAKEN_BACK.fullmatch(text))


_JOINED = lazy_pattern(r"'\s*(?:\|\||\.\.|\+)\s*'|\"\s*(?:\.\.|\+)\s*\"")
_PLANNED = lazy_pattern(r"\s*explain\b(?!\s*\(?[^;()]*\banaly[sz]e\b)[^;]*;?\s*", re.I)
_ALTER_DELETE = lazy_pattern(r"\balter\s++table\s++\S+\s++delete\s++where\s++(true|1(?:\s*=\s*1)?)?\b", re.I)
_MODEL_DELETE = lazy_pattern(
    r"\.(?:objects|_base_manager|_default_manager)?\.?all\(\)\.delete\(|\.query\.delete\(|"
    r"\.delete_many\(\s*(?:\{\s*\})?\s*\)|"
    r"\.deleteMany\(\s*(?:\{\s*\})?\s*\)"
    r"|\.destroy\(\s*\{\s*where:\s*\{\s*\}|\.truncate\(|(?:^|\s)(?:flush|reset_db|db:drop|db:reset|"
    r"db:schema:load"
    r"|migrate:fresh|migrate:reset|db:wipe)\b(?!.*--help)"
)
_RESTORES = lazy_pattern(r"(?:^|\s)\.(?:restore\s+\S|open\s+--?new\b)", re.I)


# A text that a column is compared with is data.
_COMPARED = lazy_pattern(r"(\b(?:i?like|similar\s++to)\b|[\w\"`)]\s*(?:=|<>|!=|~\*?))\s*'(?:[^']|'')*'", re.I)
_COMMENT = lazy_pattern(r"/\*.*?\*/", re.S)
# MySQL runs what is in such a comment.
_RUN_COMMENT = lazy_pattern(r"/\*!\d*(.*?)\*/", re.S)
# Statements that are only known when they run.
_MADE = lazy_pattern(
    r"\bexecute\s++(?:immediate\b(?!\s*')|format\s*\(|\(\s*select\b|\w+\s*\|\|)|\bsp_executesql\b|\bexec\s*\(\s*@"
    r"|\bprepare\s++\w+\s++from\s++@|\\gexec\b",
    re.I,
)
_TO_NETWORK = lazy_pattern(
    r"\bto\s++program\s++'[^']*\b(?:curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|telnet|openssl|mail|sendmail)\b", re.I
)
_INDEXED = lazy_pattern(r"\[\s*[\"'](\w+)[\"']\s*\]")
_CONCAT = lazy_pattern(r"\bconcat(?:_ws)?\(([^()]*)\)", re.I)


def _concatenated(found: re.Match[str]) -> str:
    return "".join(re.findall(r"'([^']*)'", found.group(1)))


def findings_in(text: str) -> Iterator[tuple[str, str]]:
    """Return the rules a statement breaks."""
    text = _COMPARED.sub(
        r"\1 ''",
        _CONCAT.sub(
            _concatenated, _INDEXED.sub(r".\1", _JOINED.sub("", _COMMENT.sub(" ", _RUN_COMMENT.sub(r" \1 ", text))))
        ),
    )
    if match := _TO_NETWORK.search(text):
        yield "sql.sent", match.group(0)
    if match := _MADE.search(text):
        yield "sql.made", match.group(0)
    if match := _ALTER_DELETE.search(text):
        yield ("sql.delete-all" if match.group(1) else "sql.delete-some"), match.group(0)
    if match := _RESTORES.search(text):
        yield "sql.restore", match.group(0)
    if match := _DROPS.search(text):
        yield "sql.drop", match.group(0)
    if match := _DELETE.search(text):
        yield "sql.delete-all", match.group(0)
    elif match := _DELETE_SOME.search(text):
        yield "sql.delete-some", match.group(0)
    for one in text.split(";"):
        if _ALTER_DROP[0].search(one) and _ALTER_DROP[1].search(one):
            yield "sql.drop", one.strip()[:60]
        if (match := _UPDATE.search(one)) and not _WHERE.search(one, match.end()):
            yield "sql.update-all", match.group(0)
    if match := _GRANT.search(text):
        yield "sql.grant", match.group(0)
    if match := _OTHER.search(text):
        yield "sql.flush", match.group(0)


def judged(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge the statements that a database client gets, in its arguments or as input."""
    texts = [word.shown for word in command.args]
    if command.stdin is not None:
        texts.append(command.stdin.shown)
    texts = [text for text in texts if not _PLANNED.fullmatch(text)]
    if command.name in _TRANSACTIONAL:
        texts = [text for text in texts if not _is_taken_back(text)]
    if command.name == "sqlite3" and ":memory:" in texts:
        return
    if command.name in _MODELS and (match := next(filter(None, map(_MODEL_DELETE.search, texts)), None)):
        yield RuleMatch("sql.delete-all", command.start, command.end, match.group(0))
    seen = set()
    for text in (*texts, " ".join(texts)):
        for rule, detail in findings_in(text):
            if rule not in seen:
                seen.add(rule)
                yield RuleMatch(rule, command.start, command.end, detail)


def sent_raw(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge what is sent to a server in its own protocol: Redis and memcached understand plain words."""
    given = command.stdin.shown if command.stdin is not None else ""
    if found := _RAW.search(given):
        yield RuleMatch("sql.flush", command.start, command.end, found.group(0))


_RAW = lazy_pattern(r"\b(?:flushall|flushdb|flush_all|shutdown)\b", re.I)


def spoken(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge a line that is itself a database statement."""
    text = " ".join(word.shown for word in command.words)
    for rule, detail in findings_in(text):
        yield RuleMatch(rule, command.start, command.end, detail)
