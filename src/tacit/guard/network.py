"""The network: requests that delete, and copies that replace a system."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.guard.args import read
from tacit.guard.secrets.sent import piped, request
from tacit.guard.secrets.sources import is_key, is_secret, puts_secret
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.shell.command import Command, literal
from tacit.text.patterns import lazy_pattern

_CURL_VALUES = "XHdFoTubAeDKEmwxrzCcQUtYyP"
_CURL_LONGS = ("request header data data-raw data-binary data-urlencode form output upload-file user cookie user-agent "
               "referer url proxy cert key cacert max-time connect-timeout write-out json range retry resolve "
               "interface")  # fmt: skip
_DELETING = lazy_pattern(
    r"/(?:\w*_)?(?:delete|destroy|purge|wipe|drop|truncate|shutdown|terminate|kill|quit|deactivate|revoke|remove"
    r"|uninstall|factory_reset|doDelete|flushall|prune)(?:_\w+)?(?:[/?]|$)|/_close\b"
    r"|[?&](?:action|method|op|_method)=(?:delete|destroy|purge)", re.I,
)  # fmt: skip
_SYSTEM = lazy_pattern(
    r"/(?:$|etc|boot|bin|sbin|lib|lib64|usr|root/?$|root/\.|dev|sys|proc|var/(?:lib|www|spool))(?:/|$)?"
)
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


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
    settings = args.value("-K", "--config")
    if settings is not None and settings.text in ("-", "/dev/stdin") and command.stdin is not None:
        # Options that are given as input.
        given = [literal(line) for line in command.stdin.shown.replace("=", " ").split() if line]
        if any(map(is_secret, given)) or puts_secret(command.stdin):
            yield _at(command, "secrets.sent", "-K -")
    headers = [word for name, word in args.values if name in ("-H", "--header", "-u", "--user", "-b", "--cookie", "-A",
                                                              "--user-agent", "-e", "--referer")]  # fmt: skip
    uploads = [word for name, word in args.values if name in ("-T", "--upload-file")]
    yield from request(command, urls, [word for word in sent if word not in headers], headers, uploads)


def socat(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge commands sent to the socket of a load balancer."""
    said = command.stdin.shown if command.stdin is not None else ""
    if any("haproxy" in word.shown for word in command.args) and re.match(
        r"\s*(?:disable|shutdown|set|del|clear|kill)\b", said
    ):
        yield _at(command, "haproxy.socket", said.strip()[:40])
    yield from piped(command, place)


def httpie(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge httpie and similar tools: the method is a word."""
    args = read(command, values="ao", longs="auth output auth-type session timeout")
    words = [word.upper() for word in args.words[:1]]
    if words == ["DELETE"] or (words in (["POST"], ["PUT"]) and any(_DELETING.search(w) for w in args.words[1:])):
        yield _at(command, "http.delete", " ".join(args.words[:2]))
    operands = args.operands[1:] if words and words[0] in _METHODS else args.operands
    headers = [word for word in operands[1:] if ":" in word.head and "=" not in word.head]
    data = [word for word in operands[1:] if word not in headers]
    yield from request(command, operands[:1], [*data, literal("-")], headers)


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
    uploads = [word for name, word in args.values if name in ("--post-file", "--body-file")]
    data = [word for name, word in args.values if name in ("--post-data", "--body-data")]
    if any(word.shown == "/etc/passwd" for word in uploads):
        yield _at(command, "secrets.sent", "wget")
    headers = [word for name, word in args.values if name in ("--header", "--user-agent", "-U")]
    yield from request(command, args.operands, data, headers, uploads)


def scp(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge scp: writes to system folders of another machine, and keys that leave this one."""
    args = read(command, values="cFiJloPSX")
    if len(args.operands) < 2:
        return
    target = args.operands[-1].shown
    host, colon, path = target.partition(":")
    if colon and _SYSTEM.match(path or "x"):
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
