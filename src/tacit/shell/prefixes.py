"""Programs that run the rest of their line: sudo, env, nohup, timeout, `poetry run`."""

from __future__ import annotations

from tacit.shell.model import Command, Doubt, Word
from tacit.shell.options import Prefix, after_options, split_options
from tacit.shell.strings import Inner, after_dashes, joined, joint, run_line, run_stdin, run_text, run_words

# Programs that run the rest of their line. Options that take a value, then how many operands come first.
PREFIXES: dict[str, Prefix] = {
    "sudo": Prefix(
        "ughpCRTDUrt", "user group host prompt close-from chroot command-timeout chdir other-user role type"
    ),
    "doas": Prefix("uC", ""),
    "env": Prefix("uCS", "unset chdir split-string"),
    "!": Prefix("", ""),
    "nohup": Prefix("", ""),
    "nice": Prefix("n", "adjustment"),
    "ionice": Prefix("cnpPu", "class classdata pid pgid uid"),
    "time": Prefix("fo", "format output"),
    "timeout": Prefix("ks", "kill-after signal", 1),
    "gtimeout": Prefix("ks", "kill-after signal", 1),
    "setsid": Prefix("", ""),
    "chrt": Prefix("TPDp", "sched-runtime sched-period sched-deadline pid", 1),
    "taskset": Prefix("p", "pid", 1),
    "stdbuf": Prefix("ioe", "input output error"),
    "unbuffer": Prefix("", ""),
    "command": Prefix("", ""),
    "builtin": Prefix("", ""),
    "exec": Prefix("a", ""),
    "strace": Prefix("eopsuaEIOPSUX", "trace output attach"),
    "ltrace": Prefix("eopsuanlxFD", "output"),
    "caffeinate": Prefix("tw", ""),
    "fakeroot": Prefix("lsib", "lib faked save-file load-file"),
    "faketime": Prefix("f", "", 1),
    "systemd-run": Prefix(
        "pHMtuE", "unit property description slice uid gid nice working-directory setenv machine host"
    ),
    "systemd-inhibit": Prefix("", "what who why mode"),
    "dbus-run-session": Prefix("", "config-file dbus-daemon"),
    "xvfb-run": Prefix("ensfpw", "server-num server-args auth-file error-file xauth-protocol wait"),
    "chroot": Prefix("", "userspec groups", 1),
    "nsenter": Prefix("tSGrw", "target setuid setgid root wd"),
    "unshare": Prefix("SGRw", "setuid setgid root wd propagation"),
    "prlimit": Prefix("p", "pid"),
    "cpulimit": Prefix("lpPei", "limit pid exe path"),
    "numactl": Prefix("NmCiplP", "cpunodebind membind physcpubind interleave preferred localalloc"),
    "schedtool": Prefix("pna", ""),
    "setpriv": Prefix("", "reuid regid groups inh-caps ambient-caps bounding-set"),
    "capsh": Prefix("", ""),
    "firejail": Prefix("", ""),
    "torsocks": Prefix("aupP", ""),
    "proxychains": Prefix("f", ""),
    "proxychains4": Prefix("f", ""),
    "rlwrap": Prefix("fHpsSbCDOPqtwz", ""),
    "entr": Prefix("", ""),
    "sg": Prefix("", "", 1),
    "busybox": Prefix("", ""),
    "toybox": Prefix("", ""),
    "npx": Prefix("pc", "package call"),
    "bunx": Prefix("p", "package"),
    "pnpx": Prefix("", ""),
    "uvx": Prefix("p", "from with python index-url"),
    "dotenv": Prefix("efvcp", ""),
    "retry": Prefix("tds", "times delay"),
    "gosu": Prefix("", "", 1),
    "su-exec": Prefix("", "", 1),
    "tini": Prefix("pe", ""),
    "dumb-init": Prefix("r", "rewrite"),
    "catchsegv": Prefix("", ""),
    "valgrind": Prefix("", ""),
    "coproc": Prefix("", ""),
    "ssh-agent": Prefix("aEt", ""),
    "dtach": Prefix("acnNArez", ""),
    "abduco": Prefix("aAcne", ""),
    "noglob": Prefix("", ""),
    "nocorrect": Prefix("", ""),
    "pkexec": Prefix("", "user"),
    "run0": Prefix("u", "user group chdir setenv unit property description slice nice"),
    "sshpass": Prefix("pfdP", ""),
    "proot": Prefix("rbqwk", "rootfs bind"),
    "eatmydata": Prefix("", ""),
    "chronic": Prefix("", ""),
    "ifne": Prefix("", ""),
    "chpst": Prefix("ubeodmfcrt", ""),
    "softlimit": Prefix("acdfloprst", ""),
    "envdir": Prefix("", "", 1),
    "envchain": Prefix("", "", 1),
    "setarch": Prefix("", "", 1),
    "linux32": Prefix("", ""),
    "linux64": Prefix("", ""),
    "arch": Prefix("e", ""),
    "dotenvx": Prefix("f", "env-file"),
    "xdotool": Prefix("", "", 1),
    "dbus-launch": Prefix("", ""),
    "tsocks": Prefix("", ""),
    "torify": Prefix("", ""),
    "rr": Prefix("", "", 1),
    "heaptrack": Prefix("o", "output"),
    "watchexec": Prefix("wedsfi", "watch exts ignore debounce signal filter shell"),
    "foreman": Prefix("ef", "env procfile", 1),
    "honcho": Prefix("ef", "env procfile", 1),
    "gdbserver": Prefix("", "", 1),
    "systemd-cat": Prefix("tp", "identifier priority"),
    "systemd-nspawn": Prefix("DMu", "directory machine user"),
    "concurrently": Prefix("nckps", "names prefix kill-others success"),
    "hyperfine": Prefix("wmMrnpcSu", "warmup min-runs max-runs runs setup prepare cleanup shell export-json"),
}
# program -> the words after which a command line follows, such as `poetry run`.
RUNNERS: dict[str, tuple[str, ...]] = {
    "poetry": ("run",), "pipenv": ("run",), "uv": ("run",), "rye": ("run",), "pdm": ("run",), "hatch": ("run",),
    "bundle": ("exec",), "pipx": ("run",), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "npm": ("exec",),
    "mise": ("exec", "x"), "asdf": ("exec",), "devbox": ("run",), "op": ("run",), "doppler": ("run",),
    "aws-vault": ("exec",), "chamber": ("exec",), "conda": ("run",), "mamba": ("run",), "vault": ("exec",),
    "perf": ("stat", "record"), "rbenv": ("exec",), "pyenv": ("exec",), "nodenv": ("exec",), "heroku": ("run",),
    "cross-env": (), "lerna": ("exec",), "turbo": (), "nx": (), "infisical": ("run",), "teller": ("run",),
    "direnv": ("exec",), "dotenv": ("run",), "multipass": ("exec",), "toolbox": ("run",), "pixi": ("run",),
    "micromamba": ("run",),
    "apptainer": ("exec",), "singularity": ("exec",), "wsl": ("--", "-e", "--exec"), "sops": ("exec-env",),
    "nomad": ("exec",),
}  # fmt: skip


# These run one word by a shell, and several as they are.
_LINES = frozenset({"sg", "hyperfine", "entr", "concurrently", "watchexec", "chronic"})
# These take NAME=value in front of the command.
_SETTERS = frozenset({"env", "sudo", "doas", "systemd-run", "dotenv", "cross-env", "run0"})
# These name a place first: a folder, a machine, an image.
_PLACES = frozenset({"direnv", "multipass", "apptainer", "singularity", "sops"})


def prefixed(command: Command, prefix: Prefix) -> Inner:
    """Give the rest of the line, after the program's own options and operands."""
    name = command.name
    split = split_options(command.args, prefix)
    rest = after_options(command.args, prefix)
    strings = [v for option, v in split if (name, option) in _STRING_OPTIONS and v is not None]
    if strings:
        return run_text(command, joined((strings[0], *(rest if name == "env" else ()))))
    if name == "command" and any(option in ("v", "V") for option, _value in split):
        # It only prints where programs are; but names have no options, so a line with some was meant to run.
        meant = any(word.head.startswith("-") for word in rest)
        return Inner((), (Doubt("it asks for the place of a whole command", command.start, command.end),) * meant)
    given, rest = _settings(rest) if name in _SETTERS else ((), rest)
    if name in _LINES:
        if len(rest) > 1 and rest[0].text == "-c":
            return run_text(command, rest[1])
        if len(rest) == 1 or name in ("hyperfine", "concurrently"):
            return joint(run_text(command, word) for word in rest)
    if name in ("sudo", "doas", "pkexec", "run0") and not rest:
        return run_stdin(command)
    return Inner((command._replace(words=rest, assigns=given),)) if rest else Inner()


_STRING_OPTIONS = frozenset({("env", "S"), ("env", "split-string"), ("npx", "c"), ("npx", "call")})


def _settings(rest: tuple[Word, ...]) -> tuple[tuple[tuple[str, Word], ...], tuple[Word, ...]]:
    """Split the settings in front from the command."""
    given = []
    while rest and _is_assignment(rest[0]):
        name, _equals, value = rest[0].head.partition("=")
        given.append((name, Word((value, *rest[0].pieces[1:]), rest[0].start, rest[0].end)))
        rest = rest[1:]
    return tuple(given), rest


def _is_assignment(word: Word) -> bool:
    name, equals, _value = word.head.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum()


_RUN_OPTIONS = Prefix("npefcs", "name prefix env env-file project package with from python cwd dir config group")


def runner(command: Command, verbs: tuple[str, ...]) -> Inner:
    """Give what follows the word that says "run"."""
    if not verbs:
        return run_words(command, _settings(command.args)[1])
    for number, word in enumerate(command.args):
        if word.text in verbs:
            rest = command.args[number + 1 :]
            if (dashed := after_dashes(rest)) is not None:
                return run_words(command, dashed)
            # Which of its options take a value differs; both readings count, so that none can hide the command.
            plain = rest
            while plain and (plain[0].text or "").startswith("-"):
                plain = plain[1:]
            readings = dict.fromkeys((plain, after_options(rest, _RUN_OPTIONS)))
            return joint(run_line(command, one[1:] if command.name in _PLACES else one) for one in readings)
        if not (word.text or "").startswith("-"):
            return Inner()
    return Inner()
