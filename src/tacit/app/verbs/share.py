"""Share: records that travel between homes through a folder."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.exchange.share import accepted
from tacit.exchange.share.pull import pull as pull_folders, sync as sync_folders
from tacit.exchange.share.push import push as push_folders


class Share(Noun):
    """The shared folders of a home."""

    NOUN = "share"
    WHOLE = True

    init = verb(accepted.init, who="person", creates=True, on_wire=False)
    accept = verb(accepted.accept, who="person", creates=True, on_wire=False)
    push = verb(push_folders, on_wire=False)
    pull = verb(pull_folders, creates=True, on_wire=False)
    sync = verb(sync_folders, on_wire=False)
    list = verb(accepted.list_folders, on_wire=False)
    remove = verb(accepted.remove, who="person", on_wire=False)
    export_key = verb(accepted.export_key, who="person", on_wire=False)
    import_key = verb(accepted.import_key, who="person", on_wire=False)
