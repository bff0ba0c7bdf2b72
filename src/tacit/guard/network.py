"""The network: requests that delete, copies that replace a system, and secrets that are sent out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.guard.args import read
from tacit.guard.path_kinds import is_key, is_secret, puts_secret
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.shell.command import Command, ShellWord
from tacit.text.patterns import lazy_pattern

_CURL_VALUES = "XHdFoTubAeDKEmwxrzCcQUtYyP"
_CURL_LONGS = ("request header data data-raw data-binary data-urlencode form output upload-file user cookie user-agent "
               "referer url proxy cert key cacert max-time connect-timeout write-out json range retry resolve "
               "interface")  # fmt: skip
_DELETING = lazy_pattern(
    r"/(?:\w*_)?(?:delete|destroy|purge|wipe|drop|truncate|shutdown|terminate|kill|quit|deactivate|revoke|remove"
    r"|uninstall|factory_reset|doDelete|flushall)(?:_\w+)?(?:[/?]|$)|/_close\b"
    r"|[?&](?:action|method|op|_method)=(?:delete|destroy|purge)", re.I,
)  # fmt: skip
_COPYING = frozenset({"cp", "mv", "sync", "copy", "copyto", "move", "upload", "put", "rsync"})


def _at(command: Command, rule: str, detail: str) -> RuleMatch:
    return RuleMatch(rule, command.start, command.end, detail)


def curl(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge curl by its method and the data it sends."""
    args = read(command, values=_CURL_VALUES, longs=_CURL_LONGS)
    method = args.value("-X", "--request")
    urls = [*args.operands, *(word for name, word in args.values if name == "--url")]
    sent = [word for name, word in args.values if name in ("-d", "--data", "--data-raw", "--data-binary", "--json",
                                        "-F", "--form", "-T",
                                                           "--upload-file", "--data-urlencode", "-H",
                                                           "--header")]  # fmt: skip
    said = (method.shown if method is not None else "").upper().strip("'\"")
    if said == "DELETE":
        yield _at(command, "http.delete", "DELETE")
    elif (said in ("POST", "PUT", "PATCH") or sent) and any(_DELETING.search(url.shown) for url in urls):
        yield _at(command, "http.delete", urls[0].shown)
    if any("X-HTTP-Method-Override: DELETE".lower() in word.shown.lower() for word in sent):
        yield _at(command, "http.delete", "method override")
    uploads = [word for name, word in args.values if name in ("-T", "--upload-file")]
    yield from _leaking(command, [*sent, *urls], uploads)


def _leaking(
    command: Command, sent: Sequence[ShellWord] = (), uploads: Sequence[ShellWord] = ()
) -> Iterator[RuleMatch]:
    """Notice a secret that is sent: named in the line, inserted by substitution, or read by the command before."""
    named = any(is_secret(word) and ("@" in word.shown or "=" in word.shown) for word in sent)
    named = named or any(map(is_secret, uploads)) or any(puts_secret(word) for word in sent)
    feeder = command.feeder
    fed = feeder is not None and (any(is_secret(word) for word in feeder.args) or _tells_secrets(feeder))
    if named or fed:
        yield _at(command, "secrets.sent", command.words[0].shown)


def _tells_secrets(command: Command) -> bool:
    """Return whether a command itself prints secrets."""
    exports = command.name in ("gpg", "gpg2") and any(w.head.startswith("--export-secret") for w in command.args)
    return exports or command.name in ("env", "printenv", "set")


def piped_secret(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge data that is piped to the network. What ssh is told names files of the other machine."""
    yield from _leaking(command, () if command.name == "ssh" else command.args)


def carried(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge data that is copied to another machine: a person's key folder, not a project's file."""
    words = read(command).words
    shares = words[:2] == ("gist", "create")
    copies = not _COPYING.isdisjoint(words[:4])
    if (shares and any(map(is_secret, command.args))) or (copies and any(map(is_key, command.args[:-1]))):
        yield _at(command, "secrets.sent", command.words[0].shown)


def socat(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge commands sent to the socket of a load balancer."""
    said = command.stdin.shown if command.stdin is not None else ""
    if any("haproxy" in word.shown for word in command.args) and re.match(
        r"\s*(?:disable|shutdown|set|del|clear|kill)\b", said
    ):
        yield _at(command, "haproxy.socket", said.strip()[:40])
    yield from _leaking(command)


def httpie(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge httpie and similar tools: the method is a word."""
    args = read(command, values="ao", longs="auth output auth-type session timeout")
    words = [word.upper() for word in args.words[:1]]
    if words == ["DELETE"] or (words in (["POST"], ["PUT"]) and any(_DELETING.search(w) for w in args.words[1:])):
        yield _at(command, "http.delete", " ".join(args.words[:2]))


def wget(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge wget by its method and the data it sends."""
    args = read(
        command,
        values="OoaePU",
        longs="method post-file post-data body-data body-file output-document header user-agent",
    )
    method = args.value("--method")
    if method is not None and method.shown.upper() == "DELETE":
        yield _at(command, "http.delete", "DELETE")
    sent = [word for name, word in args.values if name in ("--post-file", "--body-file", "--post-data", "--body-data")]
    if any(is_secret(word) or word.shown == "/etc/passwd" for word in sent) or any(map(puts_secret, command.args)):
        yield _at(command, "secrets.sent", "wget")


def scp(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge scp: writes to system folders of another machine, and keys that leave this one."""
    args = read(command, values="cFiJloPSX")
    if len(args.operands) < 2:
        return
    target = args.operands[-1].shown
    host, colon, path = target.partition(":")
    if colon and re.match(
        r"/(?:$|etc|boot|bin|sbin|lib|lib64|usr|root/?$|root/\.|dev|sys|proc|var/(?:lib|www|spool))(?:/|$)?", path or "x"
    ):
        yield _at(command, "remote.system", target)
    if not colon and re.match(r"/(?:$|etc|boot|bin|sbin|lib|lib64|usr|dev|sys)(?:/|$)", target):
        yield _at(command, "remote.system", target)
    if colon and any(is_key(word) for word in args.operands[:-1]):
        yield _at(command, "secrets.sent", host)


def rsync(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge rsync by what it deletes at the destination."""
    args = read(command, values="ef", longs="rsh filter exclude include files-from max-delete")
    if args.has("-n", "--dry-run", "--list-only"):
        return
    if args.words and ":" in args.words[-1]:
        yield from (_at(command, "secrets.sent", word.shown) for word in args.operands[:-1] if is_key(word))
    if any(flag.startswith("--del") for flag in args.flags) or args.has("--remove-source-files"):
        yield _at(command, "remote.delete", "--delete")
