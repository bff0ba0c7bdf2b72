"""What the cold path asks the memory: whether anything learned may concern a command. The memory is not opened.

The rules are in `failures/rules/quiet.py`; what cannot be decided by them is decided by the full path.
"""

from __future__ import annotations

from tacit.app.quick_store import is_certain
from tacit.doors.hooks.surroundings import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tacit.app.quick_store import QuickLook

# A secret is kept in other words than these. The rest of a text is kept as it stands.
_LONGEST_WORD = 15
_LONGEST_KEY = 900
_LONGEST_SESSION = 200
_MOST_WORDS = 2_000
_FLAGS = ("-u", "-p", "-w", "-k", "-a")
_TELLTALE = (
    "bearer", "login", "=", ":", "@", "%", "<<<", "sudo", "-stdin", "\\", '" +', "' +", "kennwort", "net use",
    "encrypt_",
)  # fmt: skip


def is_quiet_before(known: dict[str, object], command: str, session: object, plain: Sequence[str]) -> bool:
    """Return whether the full path would certainly tell nothing before a command.

    `plain` are the words of a command that needs no parser; empty for other lines.
    """
    return _asked(known, lambda look: _before(look, command, session, plain))


def is_quiet_after(known: dict[str, object], command: str, session: str, output: str, plain: Sequence[str]) -> bool:
    """Return whether the full path would certainly record nothing after a command that succeeded."""
    return _asked(known, lambda look: _after(look, command, session, output, plain))


def is_usual_session(session: object) -> bool:
    """Return whether the name of a session is stored as it is: the full path cuts and cleans others."""
    return isinstance(session, str) and session.isprintable() and len(session) <= _LONGEST_SESSION


def _asked(known: dict[str, object], question: Callable[[QuickLook], bool]) -> bool:
    return is_certain(known.get("store"), known.get("tenant"), question)


def _before(look: QuickLook, command: str, session: object, plain: Sequence[str]) -> bool:
    words = command.split()
    if not _are_corrections_unsaid(look, words, command):
        return False
    if plain and not look.has("program", _names(plain)):
        from tacit.shell.plain_command import plain_signature

        return _has_no_lesson(look, [plain_signature(list(plain))])
    from tacit.failures.rules.cause_keys import keys_met
    from tacit.failures.rules.failure_and_fix import signatures_in
    from tacit.failures.rules.line_parts import meant_parts, program_names
    from tacit.failures.rules.quiet import is_untold

    if not _has_no_lesson(look, signatures_in(command)):
        return False
    if not (is_kept_as_it_is(command) or not look.has("program", program_names(command)) or _has_no_secret(command)):
        return False
    met = keys_met(command)
    subjects = list(dict.fromkeys(part.subject for part in meant_parts(command) if part.subject))
    by_key, by_subject = look.failures("cause", list(met)), look.failures("subject", subjects)
    if not all(is_untold(key, "", newest, exact=True, in_session=False) for key, _key, newest, _session in by_key):
        return False
    usual = is_usual_session(session)
    return all(
        is_untold(key, subject, newest, exact=False, in_session=not usual or (bool(session) and session == where))
        for key, subject, newest, where in by_subject
        if key not in met
    )


def _after(look: QuickLook, command: str, session: str, output: str, plain: Sequence[str]) -> bool:
    if session and _awaits_something(look, session):
        return False
    if plain and not look.has("program", _names(plain)):
        return True
    from tacit.failures.rules.cause_keys import cause_keys, program_keys
    from tacit.failures.rules.line_parts import passed_parts, program_names
    from tacit.failures.rules.quiet import is_unchanged

    if output and any(mark in command for mark in "|;\n") and _may_hide_failure(command, output):
        return False
    if not look.has("program", program_names(command)):
        return True
    if not is_kept_as_it_is(command) and not _has_no_secret(command):
        return False
    parts = passed_parts(command)
    keys = cause_keys(parts, command) | program_keys(command)
    by_key = look.failures("cause", list(keys))
    by_subject = look.failures("subject", [part.subject for part in parts if part.subject])
    return all(is_unchanged(key, newest, exact=True) for key, _key, newest, _session in by_key) and all(
        is_unchanged(key, newest, exact=False) for key, _subject, newest, _session in by_subject if key not in keys
    )


def _are_corrections_unsaid(look: QuickLook, words: list[str], command: str) -> bool:
    programs = list(dict.fromkeys(word.rpartition("/")[2][:60] for word in words[:_MOST_WORDS]))
    payloads = look.corrections([name for name in programs if name])
    if not payloads:
        return True
    from tacit.failures.rules.quiet import is_unsaid

    said = [parse_json(payload.encode()) for payload in payloads]
    return all(isinstance(one, dict) and is_unsaid(one, words, command) for one in said)


def _has_no_lesson(look: QuickLook, signatures: list[str]) -> bool:
    if not all(len(one) <= _LONGEST_KEY and (is_kept_as_it_is(one) or _has_no_secret(one)) for one in signatures):
        return False
    return not look.has_lesson(signatures)


def _awaits_something(look: QuickLook, session: str) -> bool:
    """Return whether a session had a failure that this command may fix, or a warning that it may follow or ignore."""
    from tacit.failures.rules.quiet import LOOK_BACK

    for type, payload in look.happened(session, LOOK_BACK):
        shown = parse_json(payload.encode()) if type == "injected" and payload else {}
        if type != "injected" or not isinstance(shown, dict) or shown.get("of") or shown.get("original"):
            return True
    return False


def _may_hide_failure(command: str, output: str) -> bool:
    """Return whether the output has a line that may be the error of a command whose exit code the line hides."""
    from tacit.failures.rules.causes import own_lines
    from tacit.failures.rules.line_parts import meant_parts

    return bool(own_lines(meant_parts(command), output))


def _names(words: Sequence[str]) -> list[str]:
    """Return the words of a plain command that may be a program, with and without a version."""
    names = [word.rpartition("/")[2] for word in words]
    return [*names, *(name.rstrip("0123456789.") for name in names[:1])]


def is_kept_as_it_is(text: str) -> bool:
    """Return whether a text certainly contains nothing that looks like a secret, without asking the redactor."""
    from tacit.text.secret_marks import NAME_PARTS

    folded = text.lower()
    if any(mark in folded for mark in (*NAME_PARTS, *_TELLTALE)) or any(
        len(word) > _LONGEST_WORD for word in text.split()
    ):
        return False
    # `-u me`, `-pS3cret`: what follows such a flag, or is stuck to it, may be one.
    return not any(word[:2].lower() in _FLAGS for word in text.split())


def _has_no_secret(text: str) -> bool:
    """Return whether the redactor finds nothing in a text; it is loaded only where the answer matters."""
    from tacit.redact import find

    return not find(text)
