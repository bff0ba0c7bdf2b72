"""redact, scan: remove secrets from a text, and find secrets that are already stored."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tacit.app.redactor_setup import load_redactor
from tacit.doors.cli.command_call import CommandCall, json_lines, options, typed, whole_scope
from tacit.errors import NotFound
from tacit.files.text_files import MOST_BYTES, read_text, text_files
from tacit.model.payload import plain
from tacit.model.report import Leak
from tacit.model.secret import Secret
from tacit.redact import why
from tacit.text.plural import plural

FOUND = 5


@click.command()
@click.argument("content", default="-")
@click.option(
    "--jsonl", is_flag=True, help='Read {"text": …} lines, write {"text", "found": [{"kind", "start", "end"}]}.'
)
@click.option("--explain", is_flag=True, help="Say why each secret was removed; with --jsonl, as rule and why.")
@whole_scope
def redact(call: CommandCall, content: str, jsonl: bool, explain: bool) -> None:
    """Remove the secrets from CONTENT, or from standard input: text in, text out, nothing stored.

    A secret becomes [redacted:KIND:TAG]; equal secrets get equal tags, which only this installation can compute.
    With --explain, standard error says for each secret which rule removed it and why.
    """
    redactor = load_redactor(call.settings)
    if jsonl:
        for line in _lines():
            text, found = redactor.found(line)
            answer = {"text": text, "found": [_found(secret, explain) for secret in found]}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()  # the sender may wait for the answer to each line
        return
    # Bytes that are not UTF-8 pass unchanged.
    given = typed().decode(errors="surrogateescape") if content == "-" else content
    text, found = redactor.found(given)

    def show() -> None:
        sys.stdout.flush()
        # Exact bytes; only on a terminal a line end is added before the prompt.
        last = "\n" if content != "-" and sys.stdout.isatty() else ""
        sys.stdout.buffer.write((text + last).encode(errors="surrogateescape"))
        sys.stdout.buffer.flush()
        if explain:
            for secret in found:
                click.echo(f"line {given.count(chr(10), 0, secret.start) + 1}: {_reason(secret)}", err=True)

    shown = text.encode(errors="replace").decode() if call.as_json else text
    call.answer("redact", {"text": shown, "found": [_found(secret, explain) for secret in found]}, show)


def _found(secret: Secret, explain: bool) -> dict[str, str | int]:
    """Return a secret as it is reported: where it is, and if asked the rule that removed it and why."""
    place: dict[str, str | int] = {"kind": secret.kind, "start": secret.start, "end": secret.end}
    return place | {"rule": secret.rule, "why": why(secret.rule)} if explain else place


def _reason(secret: Secret) -> str:
    return f"{secret.kind}: {why(secret.rule)} ({secret.rule})"


def _lines() -> Iterator[str]:
    return (value["text"] for value in json_lines("text"))


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@options
def scan(call: CommandCall, paths: tuple[Path, ...]) -> int:
    """Find secrets that are already in the store, or in the files under each PATH. Exits 5 if there are any.

    The output gives kind, place and reason, never the secret itself. Folders of version control and binary files are
    left out.
    """
    skipped: list[str] = []
    if paths:
        with call.progress("scanning") as progress:
            found = [leak for path in paths for leak in _in_files(call, path, skipped)]
            if progress:
                progress(1, 1)
    else:
        with call.memory() as memory, call.progress("scanning"):
            found = memory.scan()

    def show() -> None:
        from tacit.doors.cli.render import say

        say(*(_line(leak) for leak in found))
        say(*(f"left out: {path}" for path in skipped))
        say(plural(len(found), "secret") + " found" if found else "no secrets found")
        if ids := sorted({leak.where for leak in found if leak.version}):
            say(
                "to delete them for good:",
                *(f"  tacit forget {' '.join(ids[at : at + 10])}" for at in range(0, len(ids), 10)),
            )

    call.answer("scan", {"found": plain(found), "skipped": skipped}, show)
    return FOUND if found else 0


def _line(leak: Leak) -> str:
    place = f"{leak.where}:{leak.line}" if leak.line else f"{leak.where} {leak.field}"
    return f"{leak.kind:16} {place}" + (f" (version {leak.version})" if leak.version else "") + f": {leak.why}"


def _in_files(call: CommandCall, path: Path, skipped: list[str]) -> Iterator[Leak]:
    redactor = load_redactor(call.settings)
    if not path.exists():
        raise NotFound(f"{path} does not exist", "give the path of a file or a folder")
    for file in text_files(path):
        try:
            text = read_text(file)
        except OSError as error:
            skipped.append(f"{file} ({error.strerror})")
            continue
        if text is None:
            if file.is_file() and file.stat().st_size > MOST_BYTES:
                skipped.append(f"{file} (over {MOST_BYTES:,} bytes)")
            continue
        at = line = 0
        for secret in redactor.found(text)[1]:
            line += text.count("\n", at, secret.start)
            at = secret.start
            yield Leak(kind=secret.kind, where=str(file), line=line + 1, why=why(secret.rule))
