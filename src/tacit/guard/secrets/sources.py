"""Secrets: the places where they are kept, the variables that hold them, and the commands that print them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.shell.command import Command, ShellWord, UnknownPart, literal
from tacit.shell.parse import parse
from tacit.text.patterns import lazy_pattern

MOST_FEEDERS = 20
_SECRETS = (
    ".ssh/id_", "id_rsa", "id_ed25519", "id_ecdsa", "/.ssh", "/.aws", ".netrc", ".pgpass", ".my.cnf", ".kube/config",
    ".gnupg", ".docker/config", "/etc/shadow", ".npmrc", ".pypirc", ".git-credentials", ".config/gcloud", ".azure/",
    "credentials.json", ".env", ".config/gh/hosts", ".vault-token", ".terraform.d/credentials", ".password-store",
    "/keyrings", "login.keychain", "Login Data", "cookies.sqlite", "logins.json", "key4.db", "_history", "/environ",
    "/.config/op", ".claude/.credentials", ".codex/auth", ".gem/credentials", ".cargo/credentials", ".boto", ".s3cfg",
    "serviceaccount/token", "/secrets.yml", "/secrets.yaml", "master.key",
)  # fmt: skip
_PROJECTS = frozenset({".env", ".npmrc", "credentials.json", "/secrets.yml", "/secrets.yaml", "master.key", "_history"})
_KEYS = tuple(part for part in _SECRETS if part not in _PROJECTS)
# Files that look like secrets and hold none.
_OPEN = lazy_pattern(
    r"(?:\.pub|known_hosts\w*|\.env\.(?:example|sample|template|dist|test|defaults?)|authorized_keys|/\.ssh/config)$"
)
_NAME = lazy_pattern(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PAT|CREDENTIALS?|AUTH|PRIVATE_KEY|ACCESS_KEY|DSN"
    r"|DATABASE_URL|CONNECTION_STRING)(?:_ID|_FILE|_BASE64|_\d+)?$",
    re.I,
)
# Commands that print secrets: program -> what follows it.
_TELLERS = {
    name: lazy_pattern(pattern, re.I)
    for names, pattern in (
        ("git", r"credential(?:-\w+)? (?:fill|get)|config .*(?:extraheader|token|passw|credential)"),
        ("gh glab", r"auth (?:token|status .*(?:-t\b|--show-token))"),
        ("aws", r"configure (?:get|export)|get-se\S+-(?:token|value)|assume-role|decryption|access-key|get-\S*passw"),
        ("gcloud", r"print-(?:access|identity)-token|secrets versions access|keys create"),
        ("az", r"get-access-token|keyvault secret show|keys list|list-keys|connection-string"),
        ("kubectl oc k", r"get (?:secrets?\b|\S+,secrets?\b)|config view.*--raw|create token|get-token"),
        ("vault bao", r"kv get|read |token (?:lookup|create)|print token|unwrap"),
        ("op", r"read |item get|document get"),
        ("bw lpass", r"get|export|show"),
        ("pass gopass", r"show |(?!git|ls|insert|init|generate)[\w/.@-]+"),
        ("security", r"find-\w+-password|dump-keychain|export"),
        ("secret-tool keyring", r"lookup|search|get"),
        ("gpg gpg2", r"--export-secret|(?:^|\s)-d\b|--decrypt"),
        ("sops age rage", r"(?:^|\s)-d\b|decrypt"),
        ("ansible-vault", r"view|decrypt"),
        ("heroku", r"config(?:\s|$)|config:get|auth:token|pg:credentials"),
        ("doppler chamber infisical", r"secrets|read|export|env"),
        ("npm pnpm yarn", r"token|config (?:get|list|ls).*"),
        ("trufflehog gitleaks detect-secrets", r""),
        ("terraform tofu", r"output|state pull|show"),
        ("pulumi", r"--show-secrets|stack export"),
        ("printenv", r"^$|(?:^|_|\s)\w*(?:key|token|secret|pass|auth|cred)\w*"),
        ("export declare typeset", r"^-\w*[px]\w*$"),
        ("compgen", r"-[ve]"),
        ("jq gojq jaq yq", r"(?:^|\s)-\w*n.*(?:\benv\b|\$ENV\b|\$__prog_args)(?!\.\w|\[)"),
        ("awk gawk mawk", r"\bin\s+ENVIRON\b"),
        ("perl", r"%ENV|keys\s*\(?\s*%ENV"),
        ("ruby", r"\bENV\b(?!\[|\.fetch)"),
        ("node nodejs bun deno", r"process\.env\b(?!\.\w|\[)|Deno\.env\.toObject"),
        ("python python3", r"\bos\.environ\b(?!\.(?:get|setdefault|update|pop)|\[)|\benviron\.(?:items|copy)"),
        ("php", r"getenv\(\)|\$_(?:ENV|SERVER)\b(?!\[)|phpinfo"),
        ("docker podman", r"config|secret inspect"),
        ("pbpaste xclip wl-paste", r""),
        ("netsh", r"key=clear"),
    )
    for name in names.split()
}
_VARIABLES = lazy_pattern(r"\b(?:os\.environ|process\.env|meta\.env|Deno\.env)\b")
_FILTERS = frozenset({"jq", "gojq", "jaq", "yq"})
_CODED = frozenset({"python", "python3", "node", "ruby", "perl", "php", "lua", "deno", "bun"})
# Programs that do something else with a file they name than print it.
_NOT_PRINTING = frozenset({
    "ls", "stat", "test", "[", "[[", "chmod", "chown", "chgrp", "rm", "mkdir", "touch", "cd", "pushd", "find", "git",
    "ssh", "ssh-add", "docker", "docker-compose", "podman", "kubectl", "helm", "source", ".", "export", "echo",
    "printf", "cp", "mv", "ln", "vim", "nano", "code", "node", "npm", "python", "python3", "dotenv", "env", "set",
    "unset", "ssh-keygen", "file", "du", "wc", "sha256sum", "md5sum", "diff", "cmp", "tee", "true", ":", "terraform",
})  # fmt: skip


def is_secret(word: ShellWord) -> bool:
    """Return whether a word names a place where secrets are kept."""
    return _names(word.shown, _SECRETS)


def names_secret(word: ShellWord) -> bool:
    """Return whether a text mentions a place where secrets are kept."""
    return any(_names(part.rstrip(".,;:'\""), _SECRETS) for part in word.shown.split())


def is_key(word: ShellWord) -> bool:
    """Return whether a word is a path where a person's own keys are kept, which no project deploys."""
    return _names(word.shown, _KEYS)


def secret_variables(word: ShellWord) -> Iterator[str]:
    """Return the variables in a word whose names say that they hold a secret."""
    return (hole.name for hole in word.holes if _NAME.search(hole.name))


def puts_secret(word: ShellWord) -> bool:
    """Return whether a word inserts the output of a command that reads or prints a secret."""
    return any(map(_source_tells, word.holes))


def _source_tells(hole: UnknownPart) -> bool:
    if not hole.source:
        return False
    if _names(hole.source, _SECRETS):
        # `< file` without a command reads it too.
        return True
    return any(map(tells_secret, parse(hole.source).commands))


def tells_secret(command: Command | None) -> bool:
    """Return whether a command prints a secret, itself or passed on from the commands before it in a pipe."""
    for _ in range(MOST_FEEDERS):
        if command is None:
            return False
        if _tells(command):
            return True
        command = command.feeder
    return False


def reads_secret(command: Command) -> bool:
    """Return whether the input of a command is a secret: from a pipe, a file, or a string."""
    given = command.stdin is not None and (puts_secret(command.stdin) or any(secret_variables(command.stdin)))
    files = any(one.operator.startswith("<") and is_secret(one.target) for one in command.redirects)
    return given or files or tells_secret(command.feeder)


def _tells(command: Command) -> bool:
    name = command.name or ""
    words = [word.shown for word in command.args]
    if name in ("env", "set") and not words:
        return True
    if (pattern := _TELLERS.get(name)) is not None and pattern.search(" ".join(words)):
        return True
    # Code that names a secret reads it.
    if name in _CODED and any(names_secret(literal(_VARIABLES.sub("", word))) for word in words if "(" in word):
        return True
    says = name in ("echo", "printf", "tee", "cat")
    if says and any(any(secret_variables(word)) or puts_secret(word) for word in command.args):
        return True
    # A filter of jq is no file.
    given = [word for word in command.args if name not in _FILTERS or "/" in word.shown]
    files = (*given, *(one.target for one in command.redirects if one.operator.startswith("<")))
    return name not in _NOT_PRINTING and any(map(is_secret, files))


def _names(text: str, parts: tuple[str, ...]) -> bool:
    return not _OPEN.search(text) and any(part in f"/{text}" for part in parts)
