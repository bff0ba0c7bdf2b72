"""Ways to wrap a command so that it still runs; the guard must say of each what it says of the command itself."""

from __future__ import annotations

import base64
import re
import shlex
import zlib
from collections.abc import Callable

Wrap = Callable[[str], str]


def _q(command: str) -> str:
    return shlex.quote(command)


def _b64(command: str) -> str:
    return base64.b64encode(command.encode()).decode()


def _mark(command: str) -> str:
    """Give a marker of its own, so that a document inside another does not end it."""
    return f"E{zlib.crc32(command.encode()):x}"


def _document(head: str, command: str, tail: str = "") -> str:
    return f"{head} <<'{_mark(command)}'{tail}\n{command}\n{_mark(command)}"


def _assigned(command: str) -> str:
    """Set variables in front; before anything but a simple command that would be an error, and nothing would run."""
    words = re.match(r"([\w./-]+)(?=[ \t])", command.lstrip())
    is_simple = words is not None and words.group(1) not in RESERVED and not command.startswith(" ")
    return f"FOO=1 BAR=2 {command if is_simple else 'sh -c ' + _q(command)}"


RESERVED = ("if", "while", "until", "for", "case", "select", "function", "time", "coproc")


def _python(command: str) -> str:
    return f"import os; os.system({command!r})"


WRAPPERS: dict[str, Wrap] = {
    "sudo": lambda c: f"sudo sh -c {_q(c)}",
    "sudo -u": lambda c: f"sudo -n -u root -- bash -c {_q(c)}",
    "doas": lambda c: f"doas sh -c {_q(c)}",
    "sh -c": lambda c: f"sh -c {_q(c)}",
    "bash -lc": lambda c: f"bash -lc {_q(c)}",
    "bash -xec": lambda c: f"bash -x -e -c {_q(c)}",
    "bash --norc -c": lambda c: f"bash --norc -c {_q(c)}",
    "zsh -ic": lambda c: f"/usr/bin/zsh -ic {_q(c)}",
    "env": lambda c: f"env -i PATH=/bin A=b sh -c {_q(c)}",
    "env -S": lambda c: f"env -S {_q('sh -c ' + _q(c))}",
    "nohup": lambda c: f"nohup sh -c {_q(c)} &",
    "nice": lambda c: f"nice -n 10 sh -c {_q(c)}",
    "ionice": lambda c: f"ionice -c 3 sh -c {_q(c)}",
    "timeout": lambda c: f"timeout -k 1 5s sh -c {_q(c)}",
    "time": lambda c: f"time -p sh -c {_q(c)}",
    "stdbuf": lambda c: f"stdbuf -oL sh -c {_q(c)}",
    "setsid": lambda c: f"setsid -w sh -c {_q(c)}",
    "chrt": lambda c: f"chrt -i 0 sh -c {_q(c)}",
    "taskset": lambda c: f"taskset 1 sh -c {_q(c)}",
    "strace": lambda c: f"strace -f -o /tmp/t sh -c {_q(c)}",
    "flock": lambda c: f"flock /tmp/l sh -c {_q(c)}",
    "flock -c": lambda c: f"flock /tmp/l -c {_q(c)}",
    "xargs": lambda c: f"echo x | xargs -I@line sh -c {_q(c)}",
    "xargs -0": lambda c: f"printf 'a\\0' | xargs -0 -n1 sh -c {_q(c)}",
    "find -exec": lambda c: f"find . -maxdepth 0 -exec sh -c {_q(c)} \\;",
    "parallel": lambda c: f"parallel -j2 {_q(c)} ::: a",
    "watch": lambda c: f"watch -n 5 {_q(c)}",
    "ssh": lambda c: f"ssh -p 22 user@host {_q(c)}",
    "su": lambda c: f"su - root -c {_q(c)}",
    "runuser": lambda c: f"runuser -u root -- sh -c {_q(c)}",
    "chroot": lambda c: f"chroot /mnt sh -c {_q(c)}",
    "unshare": lambda c: f"unshare -r sh -c {_q(c)}",
    "nsenter": lambda c: f"nsenter -t 1 sh -c {_q(c)}",
    "systemd-run": lambda c: f"systemd-run --user sh -c {_q(c)}",
    "docker exec": lambda c: f"docker exec -it web sh -c {_q(c)}",
    "docker run": lambda c: f"docker run --rm -v a:/b alpine sh -c {_q(c)}",
    "kubectl exec": lambda c: f"kubectl exec -n x pod -- sh -c {_q(c)}",
    "script": lambda c: f"script -qc {_q(c)} /dev/null",
    "tmux": lambda c: f"tmux new-session -d {_q(c)}",
    "screen": lambda c: f"screen -dm sh -c {_q(c)}",
    "busybox": lambda c: f"busybox sh -c {_q(c)}",
    "exec": lambda c: f"exec sh -c {_q(c)}",
    "command": lambda c: f"command sh -c {_q(c)}",
    "eval": lambda c: f"eval {_q(c)}",
    "eval echo": lambda c: f'eval "$(echo {_q(c)})"',
    "base64 eval": lambda c: f'eval "$(echo {_b64(c)} | base64 -d)"',
    "base64 pipe": lambda c: f"echo {_b64(c)} | base64 --decode | sh",
    "echo pipe": lambda c: f"echo {_q(c)} | bash",
    "printf pipe": lambda c: f"printf '%s\\n' {_q(c)} | sh -s",
    "here string": lambda c: f"bash <<< {_q(c)}",
    "here document": lambda c: _document("sh", c),
    "here document dash": lambda c: f"sh <<-EOF\n\t{c}\n\tEOF",
    "cat document": lambda c: _document("cat", c, " | bash"),
    "subshell": lambda c: f"( {c}\n)",
    "group": lambda c: f"{{ {c}\n}}",
    "substitution": lambda c: f"echo $( {c}\n)",
    "quoted substitution": lambda c: f'echo "x $( {c}\n) y"',
    "process substitution": lambda c: f"cat <( {c}\n)",
    "assignment": lambda c: f"x=$( {c}\n)",
    "and": lambda c: f"true && {c}",
    "or": lambda c: f"false || {c}",
    "semicolon": lambda c: f"cd sub; {c}",
    "background": lambda c: f"sleep 1 & {c}",
    "newline": lambda c: f"ls -la\n{c}",
    "carriage return": lambda c: f"ls -la\r\n{c}",
    "pipe": lambda c: f"echo ok | {c}",
    "if": lambda c: f"if true; then {c}\nfi",
    "if condition": lambda c: f"if {c}\nthen ls; fi",
    "else": lambda c: f"if false; then ls; else {c}\nfi",
    "while": lambda c: f"while true; do {c}\ndone",
    "for": lambda c: f"for i in a b; do {c}\ndone",
    "case": lambda c: f"case x in x) {c}\n;; esac",
    "not": lambda c: f"! {c}",
    "function": lambda c: f"f() {{ {c}\n}}; f",
    "variable": lambda c: f'X={_q(c)}; eval "$X"',
    "trap": lambda c: f"trap {_q(c)} EXIT",
    "alias": lambda c: f"alias ll={_q(c)}; ll",
    "git alias": lambda c: f"git -c alias.x={_q('!' + c)} x",
    "git bisect": lambda c: f"git bisect run sh -c {_q(c)}",
    "git rebase": lambda c: f"git rebase -x {_q(c)} main",
    "git submodule": lambda c: f"git submodule foreach {_q(c)}",
    "python": lambda c: f"python3 -c {_q(_python(c))}",
    "python subprocess": lambda c: f"python -c {_q(f'import subprocess as s; s.run({c!r}, shell=True)')}",
    "python document": lambda c: _document("python3", _python(c)),
    "perl": lambda c: f"perl -e {_q('system(' + repr(c) + ')')}",
    "ruby": lambda c: f"ruby -e {_q('system(' + repr(c) + ')')}",
    "node": lambda c: f"node -e {_q('require(`child_process`).execSync(' + repr(c) + ')')}",
    "php": lambda c: f"php -r {_q('system(' + repr(c) + ');')}",
    "npx": lambda c: f"npx -c {_q(c)}",
    "poetry": lambda c: f"poetry run sh -c {_q(c)}",
    "nix-shell": lambda c: f"nix-shell -p git --run {_q(c)}",
    "assignments": _assigned,
    "spaces": lambda c: f"   {c}   # clean up",
    "redirect": lambda c: f"{c} > /dev/null 2>&1",
}
