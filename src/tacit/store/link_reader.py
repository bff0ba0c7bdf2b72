"""Reading links: those of some records, and those of a relation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

from tacit.model.link import Link
from tacit.model.timestamps import stamp
from tacit.store.filters import marks
from tacit.store.row_reader import RowReader
from tacit.store.rows import LINK_COLUMNS, row_link

T = TypeVar("T")


class LinkReader(RowReader):
    """The queries of links."""

    POINTING_AT = "links"
    """The links table, with the hint for reading it by target."""

    def _walls(self, scopes: Sequence[str]) -> list[str]:
        raise NotImplementedError("a subclass knows which namespaces there are")

    def links(
        self, ids: Sequence[str], scopes: Sequence[str], *, relation: str = "", incoming: bool = True,
        outgoing: bool = True, as_of: datetime | None = None,
    ) -> list[Link]:  # fmt: skip
        """Return the links that touch any of `ids`, strongest first, then newest."""
        more, and_values = (" AND relation = ?", [relation]) if relation else ("", [])
        if as_of is None:
            more += " AND until IS NULL"
        else:
            more += " AND since <= ? AND (until IS NULL OR until > ?)"
            and_values = [*and_values, stamp(as_of), stamp(as_of)]
        sides = (("source", "links", outgoing), ("target", self.POINTING_AT, incoming))
        wanted = [(column, table) for column, table, asked in sides if asked]
        walls, found = frozenset(scopes), dict[tuple[Any, ...], Link]()
        for part in batches(ids) if wanted else ():
            sql = " UNION ALL ".join(
                f"SELECT {LINK_COLUMNS} FROM {table} WHERE tenant = ? AND {column} IN ({marks(part)}){more}"
                for column, table in wanted
            )
            rows = self._all(sql, [self.tenant, *part, *and_values] * len(wanted))
            here = (row for row in rows if inside(row[3], walls))
            found |= {(x.source, x.relation, x.target, x.scope, x.since): x for x in self._sound(here, row_link)}
        return sorted(found.values(), key=lambda link: (link.weight, link.since, link.target), reverse=True)

    def linked(self, relation: str, scopes: Sequence[str], limit: int) -> list[Link]:
        """Return the newest links of a relation that hold now."""
        walls = self._walls(scopes)
        sql = (
            f"SELECT {LINK_COLUMNS} FROM links WHERE tenant = ? AND relation = ? AND scope IN ({marks(walls)}) "
            "AND until IS NULL ORDER BY since DESC, source, target LIMIT ?"
        )
        rows = self._all(sql, [self.tenant, relation, *walls, limit]) if walls else []
        return list(self._sound(map(tuple, rows), row_link))


def inside(scope: object, under: Collection[str]) -> bool:
    """Return whether a scope is one of these, or a namespace of one of them; one that is damaged is not."""
    if not isinstance(scope, str):
        return False
    return scope in under or ("/namespace:" in scope and scope.partition("/namespace:")[0] in under)


def batches(items: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
