"""share: records that travel between homes through a folder; keys that a person carries between their own machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.app.verbs.share import Share
from tacit.doors.cli.verb_commands import Given, View, group, sentence
from tacit.model.payload import plain
from tacit.model.transfer import PullReport, PushReport, SharedFolder, ShareKeyReport, Skipped
from tacit.text.plural import plural

share = group("share", "Share records between homes through a folder, such as a git repository or a synced drive.")
key = group("key", "Keys that you carry between your own machines, so that your records keep their trust.")
_MOST_SHOWN = 20


def _accepted(one: SharedFolder, _given: Given) -> str:
    does = "pushes to it and pulls from it" if one.pushes else "pulls from it"
    follows = "tacit share push" if one.pushes and not one.has_others else "tacit share pull"
    accepted = f"{one.path} is accepted: this home {does}, {', '.join(one.scopes)}"
    return "\n".join((accepted, *one.notices, f"next: {follows}"))


def _named(title: str, found: Sequence[Skipped]) -> Iterator[str]:
    if found:
        yield f"{title}:"
        yield from (f"  {one.what}: {one.why}" for one in found[:_MOST_SHOWN])
    if len(found) > _MOST_SHOWN:
        yield f"  and {len(found) - _MOST_SHOWN:,} more; --json lists them"


def _pushed(reports: Sequence[PushReport], _given: Given) -> None:
    from tacit.doors.cli.render import say

    for one in reports:
        say(
            f"{one.path}: {plural(one.written, 'record')} written, {one.removed:,} removed, {one.unchanged:,} unchanged"
        )
        say(*_named("held back", one.held_back))
        say(*(f"{count:,} not shared: {why}" for why, count in sorted(one.private.items())))
        say(*_named("skipped in the folder", one.skipped), *one.notices)


def _pulled(reports: Sequence[PullReport], _given: Given) -> None:
    from tacit.doors.cli.render import say

    for one in reports:
        new, changed = sum(one.written.values()), sum(one.changed.values())
        counts = f"{changed:,} changed, {one.removed:,} removed, {one.unchanged:,} unchanged"
        say(f"{one.path}: {plural(new, 'new record')}, {counts}")
        gone = [Skipped(f"{removed.kind} {removed.id}", removed.text) for removed in one.removed_records]
        say(*_named("removed by the author", gone))
        say(*_named("not taken", one.left), *_named("skipped in the folder", one.skipped), *one.notices)


def _listed(found: Sequence[SharedFolder], _given: Given) -> None:
    from tacit.doors.cli.render import say, table

    rows = [
        (one.path, ", ".join(one.scopes), "push and pull" if one.pushes else "pull", f"{one.records:,}",
         one.pushed_at[:16], one.pulled_at[:16])
        for one in found
    ]  # fmt: skip
    table(
        ["folder", "scopes", "does", "records", "pushed", "pulled"], rows,
        empty="no folder is shared; a person can run `tacit share init DIR`",
    )  # fmt: skip
    if waiting := sum(one.waiting for one in found):
        wait, them = ("waits", "it") if waiting == 1 else ("wait", "them")
        say(f"{plural(waiting, 'change')} by other homes {wait}: `tacit share pull` shows {them}")


def _exported(one: ShareKeyReport, _given: Given) -> str:
    return f"key {one.id} is in {one.path}\ncarry it to your other machine yourself: tacit share key import {one.path}"


def _imported(one: ShareKeyReport, _given: Given) -> str:
    signs = "this home signs with it" if one.signs else "this home signs with its own key and trusts this one too"
    return f"key {one.id} is kept; {signs}"


def _folders(found: Sequence[object], _given: Given) -> dict[str, object]:
    return {"folders": plain(found)}


share.verb(Share.init, sentence("share_folder", _accepted))
share.verb(Share.accept, sentence("share_folder", _accepted))
share.verb(Share.push, View("share_push", _pushed, _folders))
share.verb(Share.pull, View("share_pull", _pulled, _folders))
share.verb(Share.list, View("share_folders", _listed, _folders))
share.verb(Share.remove, sentence("share_folder", lambda one, _given: f"{one.path} is not used any more"))
key.verb(Share.export_key, sentence("share_key", _exported), "export")
key.verb(Share.import_key, sentence("share_key", _imported), "import")
share.add_command(key)
