"""Programs that run the rest of their line: sudo, env, nohup, timeout, `poetry run`."""

from __future__ import annotations

from tacit.shell.command import Command, Doubt, ShellWord
from tacit.shell.options import OptionSpec, after_options, split_options
from tacit.shell.rerun_text import NestedCommands, after_dashes, joined, joint, run_line, run_stdin, run_text, run_words
from tacit.text.patterns import lazy_pattern

# Programs that run the rest of their line: options that take a value, then how many operands come first.
PREFIXES: dict[str, OptionSpec] = {
    "sudo": OptionSpec(
        "ughpCRTDUrt", "user group host prompt close-from chroot command-timeout chdir other-user role type"
    ),
    "doas": OptionSpec("uC", ""),
    "wsl": OptionSpec("du", "distribution user cd shell-type exec"),
    "env": OptionSpec("uCS", "unset chdir split-string"),
    "!": OptionSpec("", ""),
    "nohup": OptionSpec("", ""),
    "nice": OptionSpec("n", "adjustment"),
    "ionice": OptionSpec("cnpPu", "class classdata pid pgid uid"),
    "time": OptionSpec("fo", "format output"),
    "timeout": OptionSpec("ks", "kill-after signal", 1),
    "gtimeout": OptionSpec("ks", "kill-after signal", 1),
    "setsid": OptionSpec("", ""),
    "chrt": OptionSpec("TPDp", "sched-runtime sched-period sched-deadline pid", 1),
    "taskset": OptionSpec("p", "pid", 1),
    "stdbuf": OptionSpec("ioe", "input output error"),
    "unbuffer": OptionSpec("", ""),
    "command": OptionSpec("", ""),
    "builtin": OptionSpec("", ""),
    "exec": OptionSpec("a", ""),
    "strace": OptionSpec("eopsuaEIOPSUX", "trace output attach"),
    "ltrace": OptionSpec("eopsuanlxFD", "output"),
    "caffeinate": OptionSpec("tw", ""),
    "fakeroot": OptionSpec("lsib", "lib faked save-file load-file"),
    "faketime": OptionSpec("f", "", 1),
    "systemd-run": OptionSpec(
        "pHMtuE", "unit property description slice uid gid nice working-directory setenv machine host"
    ),
    "systemd-inhibit": OptionSpec("", "what who why mode"),
    "dbus-run-session": OptionSpec("", "config-file dbus-daemon"),
    "xvfb-run": OptionSpec("ensfpw", "server-num server-args auth-file error-file xauth-protocol wait"),
    "chroot": OptionSpec("", "userspec groups", 1),
    "nsenter": OptionSpec("tSGrw", "target setuid setgid root wd"),
    "unshare": OptionSpec("SGRw", "setuid setgid root wd propagation"),
    "prlimit": OptionSpec("p", "pid"),
    "cpulimit": OptionSpec("lpPei", "limit pid exe path"),
    "numactl": OptionSpec("NmCiplP", "cpunodebind membind physcpubind interleave preferred localalloc"),
    "schedtool": OptionSpec("pna", ""),
    "setpriv": OptionSpec("", "reuid regid groups inh-caps ambient-caps bounding-set"),
    "firejail": OptionSpec("", ""),
    "torsocks": OptionSpec("aupP", ""),
    "proxychains": OptionSpec("f", ""),
    "proxychains4": OptionSpec("f", ""),
    "rlwrap": OptionSpec("fHpsSbCDOPqtwz", ""),
    "entr": OptionSpec("", ""),
    "sg": OptionSpec("", "", 1),
    "busybox": OptionSpec("", ""),
    "toybox": OptionSpec("", ""),
    "npx": OptionSpec("pc", "package call"),
    "bunx": OptionSpec("p", "package"),
    "pnpx": OptionSpec("", ""),
    "uvx": OptionSpec("p", "from with python index-url"),
    "dotenv": OptionSpec("efvcp", ""),
    "retry": OptionSpec("tds", "times delay"),
    "gosu": OptionSpec("", "", 1),
    "su-exec": OptionSpec("", "", 1),
    "tini": OptionSpec("pe", ""),
    "dumb-init": OptionSpec("r", "rewrite"),
    "catchsegv": OptionSpec("", ""),
    "valgrind": OptionSpec("", ""),
    "coproc": OptionSpec("", ""),
    "ssh-agent": OptionSpec("aEt", ""),
    "dtach": OptionSpec("acnNArez", ""),
    "abduco": OptionSpec("aAcne", ""),
    "noglob": OptionSpec("", ""),
    "nocorrect": OptionSpec("", ""),
    "pkexec": OptionSpec("", "user"),
    "run0": OptionSpec("u", "user group chdir setenv unit property description slice nice"),
    "sshpass": OptionSpec("pfdP", ""),
    "proot": OptionSpec("rbqwk", "rootfs bind"),
    "eatmydata": OptionSpec("", ""),
    "chronic": OptionSpec("", ""),
    "ifne": OptionSpec("", ""),
    "chpst": OptionSpec("ubeodmfcrt", ""),
    "softlimit": OptionSpec("acdfloprst", ""),
    "envdir": OptionSpec("", "", 1),
    "envchain": OptionSpec("", "", 1),
    "setarch": OptionSpec("", ""),
    "linux32": OptionSpec("", ""),
    "linux64": OptionSpec("", ""),
    "arch": OptionSpec("e", ""),
    "dotenvx": OptionSpec("f", "env-file"),
    "xdotool": OptionSpec("", "", 1),
    "dbus-launch": OptionSpec("", ""),
    "tsocks": OptionSpec("", ""),
    "torify": OptionSpec("", ""),
    "rr": OptionSpec("", "", 1),
    "heaptrack": OptionSpec("o", "output"),
    "watchexec": OptionSpec("wedsfi", "watch exts ignore debounce signal filter shell"),
    "foreman": OptionSpec("ef", "env procfile", 1),
    "honcho": OptionSpec("ef", "env procfile", 1),
    "gdbserver": OptionSpec("", "", 1),
    "systemd-cat": OptionSpec("tp", "identifier priority"),
    "systemd-nspawn": OptionSpec("DMu", "directory machine user"),
    "concurrently": OptionSpec("nckps", "names prefix kill-others success"),
    "hyperfine": OptionSpec(
        "wmMrnpcCsSuPDL",
        "warmup min-runs max-runs runs setup prepare cleanup conclude shell export-json export-markdown",
    ),
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


# These run a single word by a shell, and several words directly.
_LINES = frozenset({"sg", "hyperfine", "entr", "concurrently", "watchexec", "chronic"})
# These accept NAME=value before the command.
_SETTERS = frozenset({"env", "sudo", "doas", "systemd-run", "dotenv", "cross-env", "run0", "coproc"})
# These name a place first: a folder, a machine, an image.
_PLACES = frozenset({"direnv", "multipass", "apptainer", "singularity", "sops"})


def prefixed(command: Command, prefix: OptionSpec) -> NestedCommands:
    """Return the rest of the line after the program's own options and operands."""
    name = command.name
    split = split_options(command.args, prefix)
    rest = after_options(command.args, prefix)
    if name == "setarch" and rest and _ARCHITECTURE.fullmatch(rest[0].text or ""):
        rest = rest[1:]
    if name == "hyperfine":
        # What prepares a run is run too.
        rest = (*rest, *(value for option, value in split if option in _AROUND_RUNS and value is not None))
    strings = [v for option, v in split if (name, option) in _STRING_OPTIONS and v is not None]
    if strings:
        return run_text(command, joined((strings[0], *(rest if name == "env" else ()))))
    if name == "command" and any(option in ("v", "V") for option, _value in split):
        # It only prints where programs are; but program names have no options, so a line with options was meant to run.
        meant = any(word.head.startswith("-") for word in rest)
        return NestedCommands(
            (), (Doubt("it looks up the path of a whole command", command.start, command.end),) * meant
        )
    given, rest = _settings(rest) if name in _SETTERS else ((), rest)
    if name == "env" and given and rest and rest[0].head.startswith("-"):
        return prefixed(command._replace(words=(command.words[0], *rest)), prefix)
    if name in _LINES:
        if len(rest) > 1 and rest[0].text == "-c":
            return run_text(command, rest[1])
        if len(rest) == 1 or name in ("hyperfine", "concurrently"):
            return joint(run_text(command, word) for word in rest)
    if name in ("sudo", "doas", "pkexec", "run0") and not rest:
        return run_stdin(command)
    if rest and name in ("npx", "bunx", "pnpx", "uvx") and "@" in rest[0].head[1:]:
        # `package@version`, whose program has the name of the package.
        at = rest[0].head.index("@", 1)
        rest = (rest[0]._replace(pieces=(rest[0].head[:at],)), *rest[1:])
    return NestedCommands((command._replace(words=rest, assigns=given),)) if rest else NestedCommands()


_ARCHITECTURE = lazy_pattern(
    r"(?:linux|uname)\S*|x86_64|i[3-6]86|athlon|arm\S*|aarch64|mips\S*|ppc\S*|s390\S*|sparc\S*|riscv\S*|ia64|"
    r"parisc\S*|alpha\S*"
)
_AROUND_RUNS = frozenset({"p", "prepare", "s", "setup", "c", "cleanup", "C", "conclude"})
_STRING_OPTIONS = frozenset({("env", "S"), ("env", "split-string"), ("npx", "c"), ("npx", "call")})


def _settings(rest: tuple[ShellWord, ...]) -> tuple[tuple[tuple[str, ShellWord], ...], tuple[ShellWord, ...]]:
    """Split the leading assignments from the command."""
    given = []
    while rest and _is_assignment(rest[0]):
        name, _equals, value = rest[0].head.partition("=")
        given.append((name, ShellWord((value, *rest[0].pieces[1:]), rest[0].start, rest[0].end)))
        rest = rest[1:]
    return tuple(given), rest


def _is_assignment(word: ShellWord) -> bool:
    name, equals, _value = word.head.partition("=")
    return bool(equals) and name.removesuffix("%%").replace("_", "a").isalnum()


_RUN_OPTIONS = OptionSpec("npefcs", "name prefix env env-file project package with from python cwd dir config group")


def runner(command: Command, verbs: tuple[str, ...]) -> NestedCommands:
    """Return the words after the word that means "run"."""
    if not verbs:
        return run_words(command, _settings(command.args)[1])
    for number, word in enumerate(command.args):
        if word.text in verbs:
            rest = command.args[number + 1 :]
            if (dashed := after_dashes(rest)) is not None:
                return run_words(command, dashed)
            # Which of its options take a value varies; both readings count, so that no option can hide the command.
            plain = rest
            while plain and (plain[0].text or "").startswith("-"):
                plain = plain[1:]
            readings = dict.fromkeys((plain, after_options(rest, _RUN_OPTIONS)))
            return joint(run_line(command, one[1:] if command.name in _PLACES else one) for one in readings)
        if not (word.text or "").startswith("-"):
            return NestedCommands()
    return NestedCommands()
