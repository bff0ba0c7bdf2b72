"""Commands that ask how things stand: their exit code is an answer, or the world was not ready. Neither is a mistake.

Checks are pending, a service is not up yet, nothing listens, a setting is not set: the command was right, and the same
command says something else later.
"""

from __future__ import annotations

from tacit.failures.rules.cause_keys import host_of
from tacit.failures.rules.causes import Cause
from tacit.failures.rules.line_parts import LinePart
from tacit.text.patterns import lazy_pattern

# Whatever they are asked.
_ASKING = frozenset({
    "ping", "ping6", "pg_isready", "nc", "ncat", "telnet", "dig", "nslookup", "host", "traceroute", "getent", "lsof",
    "fuser", "mountpoint", "pidof", "ps", "wait-on", "wait-for-it", "wait-for-it.sh", "expr", "comm", "cmp", "diff",
    "groups", "stat",
})  # fmt: skip
_CONTAINERS = (
    "compose ps", "compose top", "compose port", "inspect", "container inspect", "image inspect", "volume inspect",
    "network inspect", "manifest inspect", "ps", "port", "top", "wait", "info",
)  # fmt: skip
# What a program is asked to do, if that only tells a state.
_ASKING_FOR: dict[str, tuple[str, ...]] = {
    "gh": ("pr checks", "pr status", "run watch", "run view", "auth status"),
    "glab": ("ci status", "ci view", "ci list", "ci trace"),
    "kubectl": ("rollout status", "wait", "diff", "auth"), "helm": ("status", "list"),
    "docker": _CONTAINERS, "podman": _CONTAINERS, "docker-compose": ("ps", "top", "port"),
    "systemctl": ("is-active", "is-enabled", "is-failed", "is-system-running", "status"),
    "launchctl": ("list", "print"),
    "supervisorctl": ("status",), "pm2": ("list", "describe"), "terraform": ("plan",), "tofu": ("plan",),
    "fly": ("status",), "flyctl": ("status",), "vercel": ("inspect",), "supabase": ("status",),
    "tmux": ("has-session", "has"), "brew": ("list", "ls", "outdated", "services list",
    "services info"), "pip": ("show", "check"),
    "pip3": ("show", "check"), "npm": ("ls", "list", "outdated", "view", "ping"), "pnpm": ("ls", "list", "outdated",
    "view"), "yarn": ("list", "outdated", "info"), "cargo": ("outdated",),
    "git": ("symbolic-ref", "show-ref", "merge-tree", "merge-base", "diff", "diff-index", "diff-files",
    "diff-tree", "grep"),
}  # fmt: skip
# These tell a state only with one of the options; by program, or by program and subcommand.
_ASKING_WITH: dict[str, tuple[str, ...]] = {
    "git config": ("--get", "--get-all", "--get-regexp", "--get-urlmatch"), "git cat-file": ("-e",),
    "git ls-remote": ("--exit-code",),
    "git rev-parse": ("--verify", "-q", "--quiet"), "jq": ("-e", "--exit-status"), "yq": ("-e", "--exit-status"),
    "wget": ("--spider",), "dpkg": ("-s", "-l", "-L", "-S"), "rpm": ("-q", "-qa", "-qi"), "kill": ("-0",),
    "pacman": ("-Q", "-Qi", "-Qs"), "redis-cli": ("ping",), "mysqladmin": ("ping", "status"), "service": ("status",),
    "aws": ("wait",),
}  # fmt: skip
_FETCHING = frozenset({"curl", "wget", "http", "xh", "grpcurl"})
# That a host cannot be reached is what these find out.
_REACHING = frozenset({
    "ping", "ping6", "pg_isready", "nc", "ncat", "telnet", "dig", "nslookup", "host", "traceroute", "wait-on",
    "wait-for-it", "wait-for-it.sh", "redis-cli", "mysqladmin",
})  # fmt: skip
_THIS_MACHINE = lazy_pattern(r"(?i)(?:localhost|127(?:\.\d+){1,3}|0\.0\.0\.0|host\.docker\.internal)(?::\d+)?")
_LOCAL_ADDRESS = lazy_pattern(r"(?i)(?:https?://)?(?:localhost|127(?:\.\d+){1,3}|0\.0\.0\.0|\[::1?\])?:\d+(?:/|$)")
_HEALTH = lazy_pattern(r"(?i)/(?:[\w-]*health[\w-]*|livez?|readyz?|readiness|liveness|alive|ping|status)(?:[/?#]|$)")
# Whatever is asked for, the command itself is wrong.
_MISTAKEN = lazy_pattern(
    r"(?i)\A(?:jq|yq): |\busage\b|\b(?:invalid|unknown|unrecogni[sz]ed|illegal)\b|\bsyntax\b|\bno configuration file\b"
    r"|\b(?:requires|required|must be|must provide|must specify)\b"
)
_NOTHING_THERE = lazy_pattern(
    r"(?i)\bno (?:open )?(?:pull requests?|merge requests?|checks?|runs?|jobs?) (?:found|rep)"
)


def is_answer(cause: Cause) -> bool:
    """Return whether a command failed because of what it found out, and not because of how it was called."""
    part = cause.part
    if cause.kind == "network":
        return part.name in _REACHING
    if cause.kind != "other" or _MISTAKEN.search(cause.line):
        return False
    if part.name == "git" and cause.line.startswith("error:"):
        return False
    return asks_how_it_is(part) or (part.name in ("gh", "glab") and bool(_NOTHING_THERE.search(cause.line)))


def asks_how_it_is(part: LinePart) -> bool:
    """Return whether a command asks about a state that changes, and tells the answer by its exit code."""
    name, subcommand = part.name, part.subcommand
    if name in _ASKING or asks_a_service(part):
        return True
    if any(subcommand == one or subcommand.startswith(f"{one} ") for one in _ASKING_FOR.get(name, ())):
        return True
    options = (*_ASKING_WITH.get(name, ()), *_ASKING_WITH.get(f"{name} {subcommand}", ()))
    return any((word.text or "").partition("=")[0] in options for word in part.command.args)


def asks_a_service(part: LinePart) -> bool:
    """Return whether a command asks a service whether it is up: one of this machine, or an address for that."""
    if part.name not in _FETCHING:
        return False
    if _THIS_MACHINE.fullmatch(host_of(part, "")):
        return True
    return any(_HEALTH.search(text) or _LOCAL_ADDRESS.match(text) for word in part.command.args if (text := word.text))


def passes_by_itself(cause: Cause) -> bool:
    """Return whether what failed works once the world is ready, so that no other command is its fix."""
    return is_answer(cause) or (cause.kind == "network" and asks_a_service(cause.part))
