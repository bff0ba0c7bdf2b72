"""Options with a former name, which still works but is not in the help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click


class RenamedOption(click.Option):
    """An option with a former name, which still works but is not in the help."""

    def __init__(self, names: Sequence[str], former: str, **attributes: Any) -> None:
        super().__init__([*names, former], **attributes)
        self._former = former.lstrip(" /")

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Write the help without the former name."""
        everything = self.opts, self.secondary_opts
        self.opts, self.secondary_opts = ([name for name in names if name != self._former] for names in everything)
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts, self.secondary_opts = everything


def renamed_option(*names: str, former: str, **attributes: Any) -> Callable[..., Any]:
    """Add an option with a former name to a command that is written by hand."""
    return click.option(*names, cls=RenamedOption, former=former, **attributes)
