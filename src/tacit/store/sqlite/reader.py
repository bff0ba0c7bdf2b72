"""Reads of the SQLite store: errors translated into ours, and BM25 by FTS5."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from tacit.errors import UsageError
from tacit.model.query import Filter, TextMatch
from tacit.store.filter_tokens import gate_groups
from tacit.store.filters import is_narrow, marks, narrowing
from tacit.store.row_reader import Rows
from tacit.store.sqlite.connect import in_our_words, is_undecodable, tolerant, translate
from tacit.store.sqlite.text_query import prefix_query, search_query
from tacit.store.text_reader import TextReader

# gate, title, body, tags, extra
WEIGHTS = (0.0, 2.0, 1.0, 1.5, 1.0)


class SqliteReader(TextReader):
    """Reads through `_db()`, on the connection that it returns."""

    # Without this hint, older planners read all links of the tenant to find those that point to a record.
    POINTING_AT = "links INDEXED BY links_target"
    # Without this hint it would read all events in the order of their numbers, and keep those of the subject.
    HAPPENED_TO = "events INDEXED BY events_subject"
    VECTORS_COUNTED = ("sum(vectors)", "vector_counts")

    def _db(self) -> sqlite3.Connection:
        raise NotImplementedError("a subclass decides which connection reads")

    def _all(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        try:
            return self._db().execute(sql, values).fetchall()
        except sqlite3.Error as error:
            if is_undecodable(error):
                return self._all_tolerant(sql, values)
            raise translate(error, self.location) from error
        except UnicodeDecodeError:
            return self._all_tolerant(sql, values)
        except UnicodeEncodeError:
            # No store contains text that is not valid Unicode: bound as bytes it matches nothing.
            return self._all(sql, [_bindable(value) for value in values])
        except OverflowError:
            raise UsageError("a number is too large for a store", "give a smaller one") from None

    def _kept_count(self, where: Filter, scopes: Sequence[str]) -> int | None:
        if is_narrow(where):
            return None
        sql, values = f"SELECT sum(records) FROM counts WHERE tenant = ? AND scope IN ({marks(scopes)})", [*scopes]
        for column, wanted in (("kind", where.kinds), ("status", where.statuses)):
            if wanted:
                sql += f" AND {column} IN ({marks(wanted)})"
                values += wanted
        return int(self._one(sql, [self.tenant, *values]) or 0)

    def _all_tolerant(self, sql: str, values: Sequence[Any]) -> Rows:
        """Read rows of which one holds bytes that are no text: whoever converts that row finds it damaged."""
        db = self._db()
        with in_our_words(self.location), tolerant(db):
            return db.execute(sql, values).fetchall()

    def match(self, tokens: Sequence[str], where: Filter, limit: int) -> list[TextMatch]:
        """Rank records by BM25 over their tokens. Any token may match."""
        numbers = list(self.searched(where.scopes).values())
        if not tokens or not numbers or limit <= 0:
            return []
        query = search_query(gate_groups(where, numbers), tokens)
        inner = "SELECT rowid AS n, -bm25(search, ?, ?, ?, ?, ?) AS score FROM search WHERE search MATCH ?"
        values: list[Any] = [*WEIGHTS, query]
        parts, more = narrowing(where, self.tenant)
        if where.actors:
            parts, more = [*parts, f"actor IN ({marks(where.actors)})"], [*more, *where.actors]
        if parts:
            # With the plus sign the index is searched once and rows are looked up in the list; else once per row.
            inner += f" AND +rowid IN (SELECT n FROM records WHERE {' AND '.join(parts)})"
            values += more
        sql = (
            f"SELECT r.id, m.score FROM ({inner} ORDER BY score DESC, n DESC LIMIT ?) m "
            "JOIN records r ON r.n = m.n ORDER BY m.score DESC, m.n DESC"
        )
        return [TextMatch(id, score) for id, score in self._all(sql, [*values, limit])]

    def absent(self, tokens: Sequence[str], where: Filter) -> list[str]:
        """Return the tokens that no record has."""
        numbers = list(self.searched(where.scopes).values())
        if not tokens or not numbers:
            return list(tokens)
        groups = gate_groups(where, numbers)
        held = self._all(
            f"SELECT {', '.join(_HOLDS for _token in tokens)}", [search_query(groups, [t]) for t in tokens]
        )
        return [token for token, here in zip(tokens, held[0], strict=True) if not here]

    def starting(self, prefix: str, where: Filter, limit: int) -> list[str]:
        """Return the ids of the newest records that have a token with this beginning."""
        numbers = list(self.searched(where.scopes).values())
        if not prefix or not numbers or limit <= 0:
            return []
        return [id for (id,) in self._all(_STARTING, [prefix_query(gate_groups(where, numbers), prefix), limit])]


_HOLDS = "EXISTS(SELECT 1 FROM search WHERE search MATCH ?)"
_STARTING = (
    "SELECT r.id FROM (SELECT rowid AS n FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?) m "
    "JOIN records r ON r.n = m.n ORDER BY m.n DESC"
)


def _bindable(value: Any) -> Any:
    return value.encode(errors="surrogatepass") if isinstance(value, str) and not value.isascii() else value
