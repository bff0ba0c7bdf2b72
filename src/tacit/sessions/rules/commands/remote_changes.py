"""What a session did on other machines over ssh: the files that it wrote there, and the services that it changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.failures.rules.line_parts import LinePart, line_parts
from tacit.guard.written_files import written_words
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commands.line_commands import shortened_command
from tacit.sessions.rules.commands.shell_changes import SCRATCH
from tacit.sessions.rules.commands.telling_commands import MATTERS
from tacit.sessions.rules.commands.what_worked import has_known_outcomes
from tacit.text.patterns import lazy_pattern

_MOST_FILES, _MOST_COMMANDS = 3, 2
_OPENS, _CLOSES = lazy_pattern(r"\b(?:if|while|until) "), lazy_pattern(r"\b(?:fi|done)\b")
_SEPARATES = lazy_pattern(r"\|\||&&|[;\n]")
_COPY = lazy_pattern(r"[.-](?:bak|backup|old|orig|tmp)\b")
_AS_ROOT = frozenset({"sudo", "doas"})
# What changes a service, beside what matters everywhere.
_SERVES = lazy_pattern(
    r"(?:systemctl (?:\S+ )*?(?:start|stop|restart|reload|enable|disable)"
    r"|service [\w@.-]+ (?:start|stop|restart|reload)|nginx -s reload|certbot\b(?! (?:certificates|--version|--help))"
    r"|(?:pm2|supervisorctl) (?:start|stop|restart|reload))\b"
)


def remote_changes(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return in words, for each machine, the files that were written there and the last commands that changed more."""
    files: dict[str, dict[str, None]] = {}
    ran: dict[str, dict[str, None]] = {}
    is_known = has_known_outcomes(commands)
    for turn in commands:
        is_open = turn.ok is None and is_known
        if turn.ok is False or turn.error or is_open or "ssh " not in turn.command:
            continue
        for part in line_parts(turn.command):
            if _is_perhaps(turn.command, part.text):
                continue
            host = part.host.removeprefix("ssh ").strip().rpartition("@")[2] if part.host.startswith("ssh ") else ""
            if not host or " " in host:
                continue
            # A redirection at the end of a list belongs to all of it.
            wrote = [path for path in _written(part) if not _is_perhaps(turn.command, path, last=True)]
            files.setdefault(host, {}).update(dict.fromkeys(wrote))
            if part.name not in _AS_ROOT and (_SERVES.match(part.text) or MATTERS.match(part.text)):
                # The last one counts.
                done = ran.setdefault(host, {})
                done.pop(text := shortened_command(part.text), None)
                done[text] = None
    for host in dict.fromkeys([*files, *ran]):
        wrote, last = list(files.get(host, ())), list(ran.get(host, ()))[-_MOST_COMMANDS:]
        more = " and others" if len(wrote) > _MOST_FILES else ""
        told = [f"wrote {', '.join(wrote[:_MOST_FILES])}{more}"] if wrote else []
        told += [f"ran {', '.join(f'`{one}`' for one in last)}"] if last else []
        if told:
            yield f"On {host}: {'; '.join(told)}"


def _is_perhaps(line: str, text: str, *, last: bool = False) -> bool:
    """Return whether a text of a line stands behind `||` or in a condition, so that it was perhaps not done."""
    begun = line[: line.rfind(text) if last else line.find(text)]
    separators = _SEPARATES.findall(begun)
    is_inside = len(_OPENS.findall(begun)) > len(_CLOSES.findall(begun))
    return is_inside or separators[-1:] == ["||"]


def _written(part: LinePart) -> Iterator[str]:
    words = [one for one in written_words(part.command) if one.word.text]
    given = {word.text for word in part.command.args}
    for one in words:
        path = one.word.text or ""
        # Of a copy into what may be a folder only the folder is named.
        if path.rpartition("/")[0] in given:
            continue
        is_script = any(char in path for char in " {;")
        is_kept = (
            not is_script and path.startswith(("/", "~/")) and not path.startswith(SCRATCH) and not _COPY.search(path)
        )
        if is_kept and one.how != "remove":
            yield path
