"""Programs that run a command somewhere else: containers, clusters, terminals."""

from __future__ import annotations

from collections.abc import Callable

from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.options import OptionSpec, after_options
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
                inside = after_options(rest, prefix)[1:]
                return (
                    NestedCommands() if _is_harmless_inside(command, word.text, inside) else run_words(command, inside)
                )
        return NestedCommands()

    return unwrap


# Options that let a new container reach something outside of it.
_REACHES = lazy_pattern(
    r"-v.*|--(?:volume|mount|volumes-from|privileged|pid|device|ipc|cap-add|net(?:work)?=host|userns)\b.*"
)
_NETWORK = lazy_pattern(
    r"curl|wget|\bnc\b|ncat|socat|ssh|scp|git|aws|gsutil|http|telnet|dig|psql|mysql|mongo|redis|kubectl"
)


def _is_harmless_inside(command: Command, verb: str | None, inside: tuple[ShellWord, ...]) -> bool:
    """Return whether a new container reaches nothing outside of it, and so deletes only what is its own."""
    if command.name not in ("docker", "podman", "nerdctl") or verb != "run":
        return False
    if any(word.text == "compose" for word in command.args[:6]):
        return False  # the file of the project may mount anything
    reaches = any(_REACHES.fullmatch(word.head) for word in command.args)
    return not reaches and not any(_NETWORK.search(word.shown) for word in inside)


_KEYS = frozenset({"Enter", "C-m", "C-j", "KPEnter", "^M", "C-c", "Escape", "Space", "-l"})


def terminal(command: Command) -> NestedCommands:
    """Return the commands that tmux and screen start or type."""
    for number, word in enumerate(command.args):
        if number and command.args[number - 1].text in ("-L", "-S", "-f", "-c"):
            continue  # the name of a socket, a file or a folder
        if word.text in ("set-hook", "bind-key", "bind", "confirm-before", "confirm", "command-prompt"):
            # Commands of tmux, which run when something happens: in one word, or in the words that follow.
            said = command.args[-1] if " " in command.args[-1].shown else literal("")
            apart = (run_words(command, (command.words[0], *command.args[at:])) for at in (number + 1, number + 2))
            return joint((run_text(command, ShellWord(("tmux ", *said.pieces))), *apart))
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


_TASK = lazy_pattern(
    r"(?m)^\s*-?\s*(?:ansible\.(?:builtin|legacy)\.)?(?:command|shell|raw|script):\s*(?:cmd:\s*)?[|>-]*\s*(.+)$"
)


_FORMATS = lazy_pattern(r"filesystem:\s*\{?[^}]*?\bdev:\s*([^\s,}]+)")


def _playbook(command: Command) -> NestedCommands:
    """Return the commands of a playbook on standard input."""
    given = command.stdin.shown if command.stdin is not None else ""
    told = [found.group(1).strip("'\"") for found in _TASK.finditer(given)]
    told += [f"mkfs {found.group(1)}" for found in _FORMATS.finditer(given)]
    return joint(run_text(command, literal(text)) for text in told)


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
    "salt": _salt, "salt-call": _salt, "salt-ssh": _salt, "ansible-playbook": _playbook, "adb": _salt,
    "crontab": _crontab,
    **dict.fromkeys(("pssh", "parallel-ssh", "prun"), _named(OptionSpec("hHlptoeO", "hosts host user par timeout", 0))),
}  # fmt: skip
