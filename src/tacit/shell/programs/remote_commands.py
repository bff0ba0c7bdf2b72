"""Programs that run a command somewhere else: containers, clusters, terminals, git, make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.options import OptionSpec, after_options, split_options
from tacit.shell.rerun_text import NestedCommands, after_dashes, joined, joint, run_line, run_text, run_words
from tacit.text.patterns import lazy_pattern


def _container(verbs: tuple[str, ...], prefix: OptionSpec) -> Callable[[Command], NestedCommands]:
    """Return the reader of `docker exec NAME command …`."""

    def unwrap(command: Command) -> NestedCommands:
        for number, word in enumerate(command.args):
            if word.text in verbs:
                rest = command.args[number + 1 :]
                if (plain := after_dashes(rest)) is not None:
                    return run_words(command, plain)
                return run_words(command, after_options(rest, prefix)[1:])
        return NestedCommands()

    return unwrap


_KEYS = frozenset({"Enter", "C-m", "C-j", "KPEnter", "^M", "C-c", "Escape", "Space", "-l"})


def terminal(command: Command) -> NestedCommands:
    """Return the commands that tmux and screen start or type."""
    for number, word in enumerate(command.args):
        if word.text in ("new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane",
        "run-shell",
                         "run", "send-keys", "send", "-dm", "-dmS", "stuff", "popup", "if-shell"):  # fmt: skip
            rest = after_options(command.args[number + 1 :], OptionSpec("tscnxyFeESX", ""))
            # After `-dmS` comes the name of the session.
            rest = rest[1:] if word.text == "-dmS" else rest
            if word.text in ("send-keys", "send", "stuff"):
                return run_text(command, joined(tuple(one for one in rest if one.text not in _KEYS)))
            return run_line(command, rest)
    return NestedCommands()


def nix(command: Command) -> NestedCommands:
    """Return the commands that run inside the environment."""
    for number, word in enumerate(command.args[:-1]):
        if word.text in ("--run", "--command", "-c"):
            rest = command.args[number + 1 :]
            return run_text(command, rest[0]) if word.text == "--run" or len(rest) == 1 else run_words(command, rest)
    return NestedCommands()


_GIT = OptionSpec("cC", "git-dir work-tree namespace exec-path config-env")
# Settings whose values git runs as commands.
GIT_COMMANDS = lazy_pattern(
    r"core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..+"
    r"|diff\.external|diff\..+\.(?:command|textconv)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver"
    r"|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg\.(?:.+\.)?program|interactive\.difffilter"
    r"|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|web\.browser|browser\..+\.cmd|man\..+\.cmd"
    r"|trailer\..+\.(?:cmd|command)|sendemail\.(?:smtpserver|tocmd|cccmd)|imap\.tunnel|submodule\..+\.update",
    re.I,
)
_GIT_RUNS = {
    "rebase": ("-x", "--exec"), "bisect": ("run",), "submodule": ("foreach",),
    "filter-branch": ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter"),
    "difftool": ("-x", "--extcmd"), "for-each-repo": (), "clone": ("-u", "--upload-pack"),
    "fetch": ("--upload-pack",), "pull": ("--upload-pack",), "ls-remote": ("--upload-pack", "--exec"),
    "fetch-pack": ("--upload-pack", "--exec"), "push": ("--receive-pack", "--exec"), "archive": ("--exec",),
    "send-pack": ("--receive-pack", "--exec"), "grep": ("-O", "--open-files-in-pager"),
}  # fmt: skip
# A transport that runs a command: `ext::sh -c …`, where `% ` is a space.
_EXT = lazy_pattern(r"ext::(.+)", re.S)


def git(command: Command) -> NestedCommands:
    """Return the commands that git itself runs: aliases and settings on the same line, `rebase -x`, `bisect run`."""
    return joint(_git_parts(command))


def _git_parts(command: Command) -> Iterator[NestedCommands]:
    for option, value in split_options(command.args, _GIT):
        text = value.text if value is not None else None
        if option != "c" or value is None or not text:
            continue
        name, _equals, body = text.partition("=")
        if name.lower().startswith("alias."):
            said = body[1:] if body.startswith("!") else f"git {body}"
            yield run_text(command, literal(said, value.start, value.end))
        elif GIT_COMMANDS.fullmatch(name) and (body.startswith("!") or not name.lower().startswith("cred")):
            yield run_text(command, literal(body.removeprefix("!"), value.start, value.end))
    words = [word.text for word in command.args]
    for word in command.args:
        if found := _EXT.match(word.shown):
            parts = (re.sub(r"%(.)", r"\1", one) for one in re.split(r"(?<!%) ", found.group(1)) if one)
            yield run_words(command, tuple(literal(one, word.start, word.end) for one in parts))
    for verb in _GIT_RUNS.keys() & set(words):
        for number, word in enumerate(command.args):
            if word.text in _GIT_RUNS[verb] and number + 1 < len(command.args):
                rest = command.args[number + 1 :]
                if verb == "submodule":
                    rest = tuple(one for one in rest if one.text not in ("--recursive", "--quiet", "-q"))
                yield run_line(command, rest if verb in ("bisect", "submodule") else rest[:1])
            attached = next((o for o in _GIT_RUNS[verb] if word.head.startswith(f"{o}=" if o[1] == "-" else o)), "")
            if attached and word.text not in _GIT_RUNS[verb]:
                rest_of = word.head[len(attached) :].removeprefix("=")
                yield run_text(command, ShellWord((rest_of, *word.pieces[1:]), word.start, word.end))


def make(command: Command) -> NestedCommands:
    """Return the commands of a makefile on standard input, or of a shell given to make."""
    if command.stdin is not None and any(
        word.text in ("-", "/dev/stdin", "-f-", "-f/dev/stdin") for word in command.args
    ):
        recipe = command.stdin.shown.split("\n")
        return run_text(command, literal("\n".join(line.lstrip("\t @-") for line in recipe if line.startswith("\t"))))
    return joint(_make_parts(command))


_SHELL_CALL = lazy_pattern(
    r"\$[({](?:shell\s+|[a-z]+ .*?shell\s+)((?:[^(){}]|\([^()]*\))*)[)}]|(?:^|\n)\w+\s*!=\s*(.+)"
)
_RECIPE = lazy_pattern(r"(?:^|\n)[^\n=#]*::?[^\n;=]*(?:;|\n\t)[@+-]*([^\n]*)")


def _make_parts(command: Command) -> Iterator[NestedCommands]:
    for word, after in pairwise((*command.args, literal(""))):
        name, equals, value = word.head.partition("=")
        if name == "SHELL" and equals:
            yield run_text(command, ShellWord((value, *word.pieces[1:]), word.start, word.end))
        elif name in ("--eval", "-E"):
            text = "".join((value, *(p if isinstance(p, str) else f"$({p.name})" for p in word.pieces[1:])))
            text = text if equals else after.shown
            # make writes `$$` for the `$` of a shell, and `$(HOME)` for `$HOME`.
            calls = [next(filter(None, found.groups()), "") for found in _SHELL_CALL.finditer(text)]
            for line in (*calls, *(found.group(1) for found in _RECIPE.finditer(text))):
                said = re.sub(r"\$[({](\w+)[)}]", r"${\1}", line.replace("$$", "$"))
                yield run_text(command, literal(said, word.start, word.end))


_DOCKER = OptionSpec("euwvpmhlac",
                 "env user workdir volume publish name network entrypoint env-file label memory cpus mount "
                 "platform hostname add-host cap-add cap-drop device restart log-driver gpus ulimit security-opt pull "
                 ""
                 "shm-size tmpfs index file project-name profile context host config")  # fmt: skip
_KUBE = OptionSpec("cnlfo", "container namespace context kubeconfig cluster user selector image target")
_MACHINE = OptionSpec("nMuE", "name machine user uid setenv")


def _named(prefix: OptionSpec) -> Callable[[Command], NestedCommands]:
    """Return the reader of `PROGRAM [options] PLACE command …`."""

    def unwrap(command: Command) -> NestedCommands:
        rest = after_options(command.args, prefix)
        return run_line(command, rest)

    return unwrap


def _after_dashes(command: Command) -> NestedCommands:
    return run_words(command, after_dashes(command.args) or ())


def _salt(command: Command) -> NestedCommands:
    """Return what `cmd.run` runs, for salt and similar tools: the words after it."""
    for number, word in enumerate(command.args):
        if word.text in ("cmd.run", "cmd.shell", "cmd.run_all", "shell"):
            return run_line(command, command.args[number + 1 :])
    return NestedCommands()


def _crontab(command: Command) -> NestedCommands:
    """Return what the jobs in a crontab on standard input would run."""
    if command.stdin is None or any(word.text == "-l" for word in command.args):
        return NestedCommands()
    lines = [line.split(None, 1 if line.startswith("@") else 5) for line in command.stdin.shown.split("\n")]
    jobs = [fields[-1] for fields in lines if len(fields) in (2, 6) and not fields[0].startswith("#")]
    return joint(run_text(command, literal(job, command.start, command.end)) for job in jobs)


HOSTS: dict[str, Callable[[Command], NestedCommands]] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), _container(("exec", "run"),
    _DOCKER)),
    "kubectl": _container(("exec", "debug", "run"), _KUBE), "k": _container(("exec", "debug"), _KUBE),
    "oc": _container(("exec", "rsh", "debug"), _KUBE), "lxc": _container(("exec",), _KUBE),
    "incus": _container(("exec",), _KUBE),
    "crictl": _container(("exec",), _KUBE), "ctr": _container(("exec",), _KUBE), "machinectl": _container(("shell",),
    _MACHINE),
    "lxc-attach": _after_dashes, "distrobox": _after_dashes, "gnome-terminal": _after_dashes, "kitty": _after_dashes,
    "heroku": _after_dashes, "pdsh": _named(OptionSpec("wgxflu", "", 0)), "clush": _named(OptionSpec("wgxflu", "")),
    "salt": _salt, "salt-call": _salt, "salt-ssh": _salt, "adb": _salt, "crontab": _crontab,
    **dict.fromkeys(("pssh", "parallel-ssh", "prun"), _named(OptionSpec("hHlptoeO", "hosts host user par timeout", 0))),
}  # fmt: skip
