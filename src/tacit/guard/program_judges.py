"""The table of judges: which judge handles which program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tacit.guard import files, git, network, sql_statements as queries
from tacit.guard.secrets import sent
from tacit.guard.self_protection import CONCERNED, protected
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.guard.written_files import COPIERS, OUTPUT_WRITERS
from tacit.shell.command import Command

Judge = Callable[[Command, CommandLocation], Iterator[RuleMatch]]

everywhere: tuple[Judge, ...] = (files.redirected, protected, sent.to_device, sent.to_address)
"""The judges that look at every command."""
JUDGES: dict[str, tuple[Judge, ...]] = {
    **dict.fromkeys(("rm", "grm", "unlink", "srm"), (files.remove,)),
    **dict.fromkeys(("rimraf", "del-cli"), (files.removed_by_node,)), "rmdir": (files.remove_folder,),
    "shred": (files.shredded,), "wipe": (files.shredded,),
    "truncate": (files.truncated,), "find": (files.found,),
    "gfind": (files.found,), "dd": (files.copied_raw,), "dcfldd": (files.copied_raw,), "mv": (files.moved,),
    "cp": (files.moved,), "gmv": (files.moved,), "tee": (files.fed_nothing,), "sponge": (files.fed_nothing,),
    "ln": (files.linked,),
    "chmod": (files.opened,), "chown": (files.opened,), "chgrp": (files.opened,), "setfacl": (files.opened,),
    **dict.fromkeys(("tar", "unzip", "7z", "7za"), (files.unpacked,)), "git": (*git.JUDGES, sent.committed),
    "curl": (network.curl,), "http": (network.httpie,), "https": (network.httpie,), "xh": (network.httpie,),
    "httpie": (network.httpie,), "wget": (network.wget,), "scp": (network.scp,), "rsync": (network.rsync,),
    **{name: (judged,) for name, judged in sent.JUDGES.items()}, "socat": (network.socat, sent.piped),
    "sed": (files.edited,),
    **dict.fromkeys(("gsed", "perl", "ruby", "ed", "ex"), (files.edited,)),
    **dict.fromkeys(queries.CLIENTS, (queries.judged,)),
    **dict.fromkeys(queries.STATEMENTS, (queries.spoken,)),
}  # fmt: skip
for _name in ("docker", "podman", "nerdctl"):
    JUDGES[_name] = (*JUDGES.get(_name, ()), sent.mounted)
for _name in ("openssl", "gpg", "gpg2", "zip", "7z", "7za", "age", "rage", "ccrypt", "mcrypt", "aescrypt", "ccencrypt"):
    JUDGES[_name] = (*JUDGES.get(_name, ()), files.encrypted)
for _name in ("nc", "ncat", "netcat", "telnet"):
    JUDGES[_name] = (*JUDGES.get(_name, ()), queries.sent_raw)
for _verb in ("reset", "clean", "checkout", "restore", "push", "branch", "stash", "commit", "tag", "update-ref",
              "switch", "rm",
              "filter-branch", "filter-repo", "gc", "prune", "reflog", "rebase", "worktree", "config"):  # fmt: skip
    JUDGES[f"git-{_verb}"] = git.JUDGES
# The judges above look at these, so that no line with one of them is plain.
for _name in (*OUTPUT_WRITERS, *COPIERS, *CONCERNED, "sponge"):
    JUDGES.setdefault(_name, ())
