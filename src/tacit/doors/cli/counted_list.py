"""A list up to a limit that says how many results were left out, and how to get them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.app.verbs.declare import Verb
from tacit.doors.cli.verb_commands import Given, View


def counted(verb: Verb[..., Any], view: View) -> View:
    """Return a view that cuts a list itself. It is for verbs that find everything before they cut."""
    most = next(int(one.meta.le) for one in verb.arguments() if one.name == "limit" and one.meta and one.meta.le)

    def show(found: Sequence[Any], given: Given) -> None:
        from tacit.doors.cli.render import say

        view.show(found[: given.limit], given)
        say(*_left_out(found, given.limit, most))

    def document(found: Sequence[Any], given: Given) -> dict[str, Any]:
        return {**view.document(found[: given.limit], given), "notices": _left_out(found, given.limit, most)}

    return view._replace(show=show, document=document, asks={"limit": most})


def _left_out(found: Sequence[Any], limit: int, most: int) -> list[str]:
    total = f"{len(found):,}" + (" or more" if len(found) == most else "")
    notice = f"{limit:,} of {total} are shown; --limit {len(found)} shows all {len(found)}"
    return [notice] if len(found) > limit else []
