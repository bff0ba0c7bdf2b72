"""Secrets that leave the machine: in requests, names that are looked up, mails, copies, and folders that are served."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.guard.args import read
from tacit.guard.path_kinds import kind_of
from tacit.guard.secrets.sources import is_key, is_secret, puts_secret, reads_secret, secret_variables, tells_secret
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.shell.command import Command, ShellWord, literal
from tacit.text.patterns import lazy_pattern

Findings = Iterator[RuleMatch]
_HOST = lazy_pattern(r"(?:\w+://)?(?:[^/@\s]*@)?(\[[0-9a-f:]+\]|[^/:?#\s]+)", re.I)
_LOCAL = lazy_pattern(
    r"localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?|.*\.(?:local|localhost|test|internal)|host\.docker\.internal"
    r"|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+",
    re.I,
)
# The beginning of a variable's name, or the program that prints a token -> a part of the hosts it is meant for.
_MEANT_FOR = {
    "OPENAI": "openai", "ANTHROPIC": "anthropic", "CLAUDE": "anthropic", "GITHUB": "github", "GH": "github",
    "GITLAB": "gitlab", "AWS": "amazonaws", "SLACK": "slack", "STRIPE": "stripe", "NPM": "npmjs", "PYPI": "pypi",
    "HF": "hugging", "HUGGINGFACE": "hugging", "HUGGING": "hugging", "GOOGLE": "google", "GEMINI": "google",
    "GCP": "google", "AZURE": "azure", "CLOUDFLARE": "cloudflare", "CF": "cloudflare", "DIGITALOCEAN": "digitalocean",
    "VERCEL": "vercel", "NETLIFY": "netlify", "HEROKU": "heroku", "SENTRY": "sentry", "DATADOG": "datadog",
    "TWILIO": "twilio", "SENDGRID": "sendgrid", "MAILGUN": "mailgun", "TELEGRAM": "telegram", "DISCORD": "discord",
    "NOTION": "notion", "LINEAR": "linear", "DOCKER": "docker", "FLY": "fly", "MISTRAL": "mistral", "GROQ": "groq",
    "gh": "github", "glab": "gitlab", "gcloud": "google", "aws": "amazonaws",
}  # fmt: skip
_ATTACHED = lazy_pattern(r"(?:^|=)[@<]|^-$")
_ENCODES = lazy_pattern(r"\b(?:xxd|base64|base32|basenc|od|hexdump|openssl)\b")
_STDIN = lazy_pattern(r"(?:^|=)@(?:-|/dev/stdin)(?:;|$)|^[-.]$")


def _at(command: Command, rule: str = "secrets.sent", detail: str = "") -> RuleMatch:
    return RuleMatch(rule, command.start, command.end, detail or command.words[0].shown)


def request(
    command: Command, urls: Sequence[ShellWord], data: Sequence[ShellWord], headers: Sequence[ShellWord] = (),
    uploads: Sequence[ShellWord] = (),
) -> Findings:  # fmt: skip
    """Judge a request: its address, what it sends, and the headers by which it says who is asking."""
    hosts = [found.group(1) for url in urls if (found := _HOST.match(url.shown))]
    if hosts and all(_LOCAL.fullmatch(host) for host in hosts):
        return
    files = (word for word in (*data, *headers) if _ATTACHED.search(word.head))
    named = any(map(is_secret, (*files, *uploads)))
    put = any(map(puts_secret, (*urls, *data, *uploads)))
    fed = any(_STDIN.search(word.shown) for word in (*data, *uploads)) and reads_secret(command)
    if named or put or fed:
        yield _at(command)
        return
    sent = {name for word in (*urls, *data) for name in secret_variables(word)}
    shown = {name for word in headers for name in (*secret_variables(word), *_printers(word))}
    strange = any(_is_strange(name, hosts, known=False) for name in sent)
    if strange or any(_is_strange(name, hosts, known=True) for name in shown):
        yield _at(command, "secrets.elsewhere", ", ".join(sorted(sent | shown)))


def _printers(word: ShellWord) -> Iterator[str]:
    """Return the programs that print a token for a header; a key of a person is no token."""
    for hole in word.holes:
        if puts_secret(ShellWord((hole,))):
            yield hole.source.split()[0] if hole.source.split() else ""


def _is_strange(name: str, hosts: Sequence[str], *, known: bool) -> bool:
    """Return whether a secret goes to a host it is not meant for; with `known`, only if it is known for which."""
    first = name.split("_")[0]
    meant = _MEANT_FOR.get(first) or ("" if known and name.isupper() else first.lower())
    told = [host for host in hosts if "$" not in host and "\u2026" not in host]
    return bool(meant and told) and not any(meant in host.lower() for host in told)


def looked_up(command: Command, place: CommandLocation) -> Findings:
    """Judge a name that is looked up: everything in it goes to whoever answers for the domain."""
    for word in command.args:
        encoded = any(_ENCODES.search(hole.source) for hole in word.holes)
        if encoded or puts_secret(word) or any(secret_variables(word)):
            yield _at(command)
            return


def piped(command: Command, place: CommandLocation) -> Findings:
    """Judge data that is piped to the network, or sent as a mail."""
    named = [word for word in command.args if is_secret(word) and not word.head.startswith("-")]
    texts = (*command.args, *([command.stdin] if command.stdin is not None else ()))
    named += [word for word in texts if any(is_secret(literal(path)) for path in _PUT.findall(word.shown))]
    mails = command.name in _MAILERS
    if reads_secret(command) or any(map(puts_secret, command.args)) or (named and (mails or command.name in _SENDERS)):
        yield _at(command)


# Programs that send the files they name: `logger -f FILE`, `socat FILE:… TCP:…`.
_SENDERS = frozenset({"ftp", "lftp", "tftp", "ncftp", "ncftpput", "smbclient", "logger", "socat"})
_PUT = lazy_pattern(r"(?:^|[;\n'\"])\s*(?:put|mput|reput|mirror\s+-R|send)\s+(?:-\w+\s+)*([^\s;'\"]+)")


def to_machine(command: Command, place: CommandLocation) -> Findings:
    """Judge what goes to another machine of the person: the files of a project may, a person's keys may not."""
    files = [one.target for one in command.redirects if one.operator.startswith("<")]
    if command.name == "sftp" and command.stdin is not None:
        files += [literal(path) for path in _PUT.findall(command.stdin.shown)]
    before = command.feeder
    personal = before is not None and (any(map(is_key, before.args)) or before.name in ("env", "gpg"))
    fed = personal and tells_secret(before)
    if fed or any(map(is_key, files)):
        yield _at(command)


def committed(command: Command, place: CommandLocation) -> Findings:
    """Judge a secret in the message of a commit, a tag or a note: it goes wherever the history goes."""
    args = read(command, values="mFC", longs="message file")
    if args.words[:1] and args.words[0] in ("commit", "tag", "notes", "merge"):
        given = [word for name, word in args.values if name in ("-F", "--file")]
        if any(map(puts_secret, command.args)) or any(map(is_secret, given)):
            yield _at(command)


_FORGE_OWN = frozenset({"secret", "variable", "auth", "config", "ssh-key", "gpg-key"})


def to_forge(command: Command, place: CommandLocation) -> Findings:
    """Judge what gh and glab publish: issues, comments, gists, releases."""
    args = read(command, values="bBFtnRf", longs="body body-file title notes notes-file repo field raw-field input")
    if args.words[:1] and args.words[0] in _FORGE_OWN:
        return
    files = [word for name, word in args.values if name in ("-F", "--body-file", "--notes-file", "--input")]
    shared = args.operands if args.words[:1] in (("gist",), ("release",), ("snippet",)) else ()
    put = any(map(puts_secret, (*(word for _name, word in args.values), *args.operands)))
    fed = any(word.text in ("-", "/dev/stdin") for word in (*files, *shared)) and reads_secret(command)
    if put or fed or any(map(is_secret, (*files, *shared))):
        yield _at(command)


_COPYING = frozenset({"cp", "mv", "sync", "copy", "copyto", "move", "upload", "put", "rsync", "rcat", "pipe"})


def to_bucket(command: Command, place: CommandLocation) -> Findings:
    """Judge data that is copied to a bucket: a person's key folder, not a project's file."""
    if not _COPYING.isdisjoint(read(command).words[:4]):
        fed = any(word.text == "-" for word in command.args) or command.name == "rclone"
        if any(map(is_key, command.args[:-1])) or (fed and reads_secret(command)):
            yield _at(command)


def shared(command: Command, place: CommandLocation) -> Findings:
    """Judge programs that hand a file to anybody who has a code or an address."""
    if any(map(is_secret, command.args)) or any(map(puts_secret, command.args)) or reads_secret(command):
        yield _at(command)


_SERVED = lazy_pattern(r"(?:-d|--directory|-t|-h|--root|--path|-r|--folder|--base)(?:=(.+))?", re.S)


def served(command: Command, place: CommandLocation) -> Findings:
    """Judge a folder that is served to the network: a whole home, or the folder of keys."""
    words = list(command.args)
    folders = [word for word in words if not word.head.startswith("-")]
    for at, word in enumerate(words):
        if (found := _SERVED.fullmatch(word.head)) and found.group(1):
            folders.append(word._replace(pieces=(found.group(1), *word.pieces[1:])))
        elif word.head.startswith("file://"):
            folders.append(literal(word.head[7:]))
        elif word.text == "ssh://localhost:22" or (command.name in ("ngrok", "bore") and word.text == "22" and at):
            yield _at(command, "remote.tunnel", word.shown)
    named = [word for word in folders if kind_of(word, place) in ("root", "home") or is_key(word) or _is_home(word)]
    starts = bool(command.args) or command.name in ("http-server", "serve", "miniserve")
    if named or (starts and place.cwd in (place.home, "/") and command.name in _WHERE_IT_IS):
        yield _at(command, "secrets.served", named[0].shown if named else place.cwd)


def _is_home(word: ShellWord) -> bool:
    return bool(re.fullmatch(r"(?:/(?:home|Users)/[^/]+|/root)/?", word.shown))


_MAILERS = frozenset({"mail", "mailx", "s-nail", "mutt", "neomutt", "sendmail", "msmtp", "swaks", "ssmtp", "himalaya"})
_WHERE_IT_IS = frozenset({"http.server", "http-server", "serve", "miniserve", "SimpleHTTPServer"})
_LOOKUPS = ("dig", "nslookup", "host", "drill", "delv", "kdig", "dog", "doggo", "ping", "ping6", "resolvectl", "getent")
_PIPES = ("nc", "ncat", "netcat", "telnet", "socat", "websocat", "openssl", "ftp", "lftp", "tftp", "wscat", "logger",
          "ncftp", "ncftpput", "smbclient")  # fmt: skip
_SHARERS = ("pastebinit", "wormhole", "magic-wormhole", "croc", "ffsend", "transfer", "wgetpaste", "termbin", "0x0",
            "dropbox", "mega-put", "megaput")  # fmt: skip
_SERVERS = ("http.server", "SimpleHTTPServer", "http-server", "serve", "miniserve", "darkhttpd", "httpd", "php",
            "caddy", "ngrok", "cloudflared", "bore", "twistd", "updog", "pyftpdlib", "webfsd")  # fmt: skip
JUDGES = {
    **dict.fromkeys(_LOOKUPS, looked_up), **dict.fromkeys((*_PIPES, *_MAILERS), piped),
    **dict.fromkeys(("ssh", "sftp"), to_machine), **dict.fromkeys(("gh", "glab"), to_forge),
    **dict.fromkeys(("aws", "gsutil", "gcloud", "rclone", "az", "s3cmd", "mc", "b2", "s5cmd", "azcopy"), to_bucket),
    **dict.fromkeys(_SHARERS, shared), **dict.fromkeys(_SERVERS, served),
}  # fmt: skip


def to_address(command: Command, place: CommandLocation) -> Findings:
    """Judge an address that holds a secret, whatever program gets it; a token for its own host is how one logs in."""
    for word in command.args:
        found = _HOST.match(word.shown) if "://" in word.shown and word.holes else None
        if found and any(_is_strange(name, [found.group(1)], known=True) for name in _printers(word)):
            yield _at(command)
            return


def mounted(command: Command, place: CommandLocation) -> Findings:
    """Judge keys of a person that a container can read."""
    for word in command.args:
        if ":" in word.shown and is_key(word) and not word.head.startswith("--env"):
            yield _at(command, "secrets.mounted", word.shown)


def to_device(command: Command, place: CommandLocation) -> Findings:
    """Judge a redirection to `/dev/tcp/…`, which is a connection."""
    for one in command.redirects:
        _empty, _dev, kind, *rest = (*one.target.shown.split("/"), "", "")
        is_connection = kind in ("tcp", "udp") and ">" in one.operator
        if is_connection and tells_secret(command) and not _LOCAL.fullmatch(rest[0] if rest else ""):
            yield _at(command, detail=one.target.shown)
