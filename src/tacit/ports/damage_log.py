"""The damage log: which rows and files of a store could not be read, so that a reply can name what it left out."""

from __future__ import annotations

MOST = 1_000
_NAMED = 5


class DamageLog:
    """What a store came across since it was opened: each damaged thing once, with the time it was met last."""

    def __init__(self) -> None:
        self._met: dict[str, int] = {}
        self._told: set[str] = set()
        self._count = 0

    def note(self, what: str) -> None:
        """Note that something could not be read; `what` names it and holds none of its content."""
        self._count += 1
        if what in self._met or len(self._met) < MOST:
            self._met[what] = self._count

    def mark(self) -> int:
        """Return a mark for `since`."""
        return self._count

    def since(self, mark: int) -> list[str]:
        """Return what was met since a mark."""
        # Copied: another thread may note something meanwhile.
        return [what for what, met in list(self._met.items()) if met > mark]

    def tell(self, what: list[str]) -> tuple[str, ...]:
        """Return one sentence that names these as left out, or nothing; they count as told."""
        self._told |= set(what)
        if not what:
            return ()
        more = f"; and {len(what) - _NAMED} more" if len(what) > _NAMED else ""
        return (f"left out because of damage: {'; '.join(what[:_NAMED])}{more} (`tacit doctor` says what to do)",)

    def untold(self) -> tuple[str, ...]:
        """Return the sentence about what no reply has named yet, or nothing."""
        return self.tell([what for what in self.since(0) if what not in self._told])
