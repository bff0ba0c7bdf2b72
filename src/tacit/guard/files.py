"""Files: what deleting, overwriting, moving and changing permissions would affect."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.guard.args import read
from tacit.guard.build_output import finds_made_again, is_made_again
from tacit.guard.path_kinds import kind_of, resolved
from tacit.guard.protected_paths import DECIDING, is_enabled_site, is_system_file
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.guard.written_files import IN_PLACE_EDITORS, edits_in_place, output_redirects, target_of
from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.printed_output import output_of
from tacit.shell.programs.xargs_and_find import CHOOSING
from tacit.text.patterns import lazy_pattern

Findings = Iterator[RuleMatch]
_GRAVE = frozenset({"root", "home", "system", "device", "git", "repository"})
_DATA = (
    ".db",
    ".sqlite",
    ".sqlite3",
    ".sql",
    ".dump",
    ".bak",
    ".csv",
    ".parquet",
    ".mdb",
    ".ldf",
    ".mdf",
    ".vmdk",
    ".qcow2",
)


_ZEROS = ("if=/dev/zero", "if=/dev/urandom", "if=/dev/random", "if=/dev/null")


def _at(command: Command, rule: str, detail: str = "") -> RuleMatch:
    return RuleMatch(rule, command.start, command.end, detail)


def remove(command: Command, place: CommandLocation) -> Findings:
    """Judge rm."""
    args = read(command)
    if args.has("--help", "--version"):
        return
    recursive = args.may("-r", "-R", "--recursive")
    # What srm removes cannot be recovered, and unlink never asks.
    force = args.may("-f", "--force") or command.name in ("srm", "unlink")
    if args.may("--no-preserve-root"):
        yield _at(command, "rm.root", "--no-preserve-root")
    # What .NET builds is in both.
    built = {"bin", "obj"} <= {word.shown.rstrip("/").rsplit("/", 1)[-1] for word in args.operands}
    for word in args.operands:
        kind = kind_of(word, place)
        if built and kind == "inside" and word.shown.rstrip("/").endswith(("bin", "obj")):
            continue
        if recursive:
            yield from _removed_tree(command, word, kind, force, place)
        elif any(not hole.name for hole in word.holes) and kind == "unknown" and (force or not word.quoted):
            yield _at(command, "rm.unknown", word.shown)
        elif word.shown.endswith("_history") and kind == "outside":
            yield _at(command, "rm.history", word.shown)
        elif is_enabled_site(resolved(word, place) or ""):
            continue
        elif kind == "git" and (_GIT_LOCK.search(word.shown) or _UNUSED_HOOK.search(word.shown)):
            continue  # left behind by a git that ended early, or never run
        elif kind in ("git", "device") or (kind in ("root", "home") and force) or (force and _is_vital(word, place)):
            yield _at(command, "rm.critical", word.shown)
        elif kind == "system" and _etc(word, place):
            yield _at(command, "rm.system", word.shown)
        elif _is_wide(word) and kind != "temporary":
            yield _at(command, "rm.wildcard", word.shown)


# Git runs the hooks whose names have no dot, and pre-commit those that it found there.
_UNUSED_HOOK = lazy_pattern(r"(?:^|/)\.git/hooks/[\w-]+\.(?!legacy$)[\w.-]+$")
_GIT_LOCK = lazy_pattern(r"(?:^|/)\.git/(?:[\w.-]+/)*[\w.-]+\.lock$")


def _removed_tree(command: Command, word: ShellWord, kind: str, force: bool, place: CommandLocation) -> Findings:
    if kind == "unknown" and is_made_again(word, place):
        return
    if kind == "unknown":
        yield _at(command, "rm.unknown", word.shown)
    elif kind in ("root", "home"):
        yield _at(command, "rm.root" if kind == "root" else "rm.home", word.shown)
    elif kind in _GRAVE:
        yield _at(command, "rm.critical", word.shown)
    elif force and kind == "inside" and word.shown.strip("./") == "build" and not is_made_again(word, place):
        yield _at(command, "rm.build", word.shown)
    elif force and kind != "temporary" and not is_made_again(word, place):
        yield _at(command, "rm.recursive-force", word.shown)
    elif _is_wide(word) and kind != "temporary" and not is_made_again(word, place):
        yield _at(command, "rm.wildcard", word.shown)
    elif kind == "outside" and not is_made_again(word, place) and (resolved(word, place) or "").startswith(place.home):
        yield _at(command, "rm.outside", word.shown)


def _is_wide(word: ShellWord) -> bool:
    return word.shown in ("*", "./*", ".*", "./.*", "**", "..", ".") or word.shown.endswith(("/*", "/.*", "/**"))


def removed_by_node(command: Command, place: CommandLocation) -> Findings:
    """Judge rimraf and similar programs of Node."""
    for word in read(command).operands:
        if kind_of(word, place) != "temporary" and not is_made_again(word, place):
            yield _at(command, "files.rimraf", word.shown)


def remove_folder(command: Command, place: CommandLocation) -> Findings:
    """Judge rmdir: it removes only empty folders, so only the most important folders matter."""
    for word in read(command).operands:
        if kind_of(word, place) in ("root", "home", "git", "repository"):
            yield _at(command, "rm.critical", word.shown)


def shredded(command: Command, place: CommandLocation) -> Findings:
    """Judge shred and wipe: what they remove cannot be recovered."""
    args = read(command, values="ns", longs="iterations size random-source")
    for word in args.operands:
        if kind_of(word, place) != "temporary":
            yield _at(command, "file.shred", word.shown)
            return


def truncated(command: Command, place: CommandLocation) -> Findings:
    """Judge truncate: a size of zero deletes the content."""
    args = read(command, values="sr", longs="size reference io-blocks")
    size = args.value("-s", "--size")
    # A size other than zero usually creates a file and never empties one.
    if size is not None and re.fullmatch(r"[+>]?0*[1-9].*", size.text or ""):
        return
    for word in args.operands:
        if kind_of(word, place) != "temporary":
            yield _at(command, "file.truncate", word.shown)
            return


def found(command: Command, place: CommandLocation) -> Findings:
    """Judge find: what it deletes, overwrites, or passes to rm."""
    words = [word.text for word in command.args]
    roots = _roots(command)
    kinds = {kind_of(root, place) for root in roots}
    if kinds != {"temporary"} and finds_made_again(command, roots, place):
        return
    if "-delete" in words and kinds != {"temporary"}:
        yield _at(command, "find.delete", " ".join(root.shown for root in roots))
    for number, word in enumerate(command.args[:-1]):
        if word.text in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            target = command.args[number + 1]
            if kind_of(target, place) not in ("temporary", "inside"):
                yield _at(command, "file.overwrite", target.shown)
        if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            rest = [w.text or "" for w in command.args[number + 1 : number + 40]]
            inner = [w.rsplit("/", 1)[-1] for w in rest[:4]]
            recursive = any(w.startswith("-") and not w.startswith("--") and "r" in w.lower() for w in rest) or any(
                w in ("--recursive", "--force") for w in rest
            )
            everything = CHOOSING.isdisjoint(words) and kinds != {"temporary"}
            if "rm" in inner and (recursive or everything):
                yield _at(command, "find.exec-rm", " ".join(rest[:3]))


def _roots(command: Command) -> list[ShellWord]:
    roots = []
    for word in command.args:
        if word.shown.startswith(("-", "(", "!", "\\(")):
            if word.text in ("-H", "-L", "-P") or (word.text or "").startswith(("-O", "-D")):
                continue
            break
        roots.append(word)
    return roots or [literal(".")]


def copied_raw(command: Command, place: CommandLocation) -> Findings:
    """Judge dd by where it writes."""
    for word in command.args:
        if word.head.startswith("of="):
            target = word._replace(pieces=tuple(p for p in (word.head[3:], *word.pieces[1:]) if p != ""))
            kind = kind_of(target, place)
            if kind in _GRAVE or kind == "unknown":
                yield _at(command, "disk.write", target.shown)
            elif kind == "outside" or (kind != "temporary" and any(w.head.startswith(_ZEROS) for w in command.args)):
                yield _at(command, "file.overwrite", target.shown)


def moved(command: Command, place: CommandLocation) -> Findings:
    """Judge mv and cp: what goes to /dev/null is lost, and what is copied from it is empty."""
    target, sources = target_of(read(command, values="tS", longs="target-directory suffix"))
    if target is None:
        return
    if command.name == "mv":
        if target.shown.startswith("/dev/null"):
            yield _at(command, "file.discard", target.shown)
        for word in sources:
            if kind_of(word, place) in ("root", "home", "git", "repository") or _is_vital(word, place):
                yield _at(command, "file.move-critical", word.shown)
    emptied = command.name == "cp" and any(word.shown in ("/dev/null", "/dev/zero") for word in sources)
    if emptied and kind_of(target, place) != "temporary":
        yield _at(command, "file.overwrite", target.shown)


_RANDOM = lazy_pattern(r"\b(?:rand|urandom|random|uuidgen|pwgen|mktemp|token_hex|makepasswd)\b|\bpass\s+generate\b")


def encrypted(command: Command, place: CommandLocation) -> Findings:
    """Judge encryption with a key that is made up on the way and kept nowhere."""
    if any(_RANDOM.search(hole.source) for word in command.args for hole in word.holes):
        yield _at(command, "file.encrypt-lost", command.words[0].shown)


def _etc(word: ShellWord, place: CommandLocation) -> bool:
    return is_system_file(resolved(word, place) or "")


def opened(command: Command, place: CommandLocation) -> Findings:
    """Judge chmod, chown, chgrp and setfacl."""
    args = read(command)
    recursive = args.may("-R", "--recursive")
    mode = args.operands[0].shown if args.operands else ""
    targets = args.operands[1:] if not args.value("--reference") else args.operands
    world = command.name == "chmod" and (
        mode.lstrip("0") in ("777", "666", "000", "")
        or mode in ("a+rwx", "o+w", "a+w", "ugo+rwx", "+w", "-rwx", "a-rwx")
    )
    for word in targets:
        kind = kind_of(word, place)
        grave = kind in ("root", "home", "device", "git") or (kind == "system" and _is_high(word, place))
        grave = grave or (mode.startswith("nobody") and bool(_SERVICE_DATA.match(resolved(word, place) or "")))
        if recursive and (grave or kind == "unknown"):
            yield _at(command, "permissions.recursive", word.shown)
        elif (world and recursive) or (world and grave):
            yield _at(command, "permissions.world", word.shown)
        elif kind in ("root", "device") or (kind == "system" and _etc(word, place)):
            yield _at(command, "permissions.system", word.shown)
    if (
        command.name == "chmod"
        and ("+s" in mode or (len(mode) == 4 and mode[0] in "4267"))
        and any(kind_of(word, place) in ("system", "root") for word in targets)
    ):
        yield _at(command, "permissions.setuid", mode)


# Data that belongs to the user of a service; nobody is none of them.
_SERVICE_DATA = lazy_pattern(
    r"/var/lib/(?:mysql|mariadb|postgresql|pgsql|mongodb|docker|redis|elasticsearch|etcd)(?:/|$)"
)
# Folders of the system in which people keep what they deploy.
_DEPLOYED = tuple(
    f"{folder}/"
    for folder in ("/root", "/opt", "/srv", "/var/www", "/mnt", "/media", "/home", "/Users", "/Volumes", "/usr/local")
)


def _is_vital(word: ShellWord, place: CommandLocation) -> bool:
    """Return whether the system needs a path: not what somebody keeps below /opt/app or /srv/service."""
    path = resolved(word, place) or ""
    deployed = path.startswith(_DEPLOYED) and path.count("/") > 2 and not is_system_file(path)
    return kind_of(word, place) == "system" and not deployed


def _is_high(word: ShellWord, place: CommandLocation) -> bool:
    """Return whether a folder is near the top of the system: /var or /usr/lib, but not /var/www/site."""
    return _etc(word, place) or (resolved(word, place) or "").rstrip("/*").count("/") <= 2


def linked(command: Command, place: CommandLocation) -> Findings:
    """Judge ln: a link in the place of a history, or to a device, which is then read and written instead of a file."""
    target, sources = target_of(read(command, values="tS", longs="target-directory suffix"))
    if target is not None and target.shown.endswith("_history") and read(command).may("-f", "--force"):
        yield _at(command, "rm.history", target.shown)
    for word in sources:
        if (resolved(word, place) or "").startswith("/dev/"):
            yield _at(command, "file.device-link", word.shown)


def redirected(command: Command, place: CommandLocation) -> Findings:
    """Judge what a redirection empties."""
    for redirect in output_redirects(command):
        target = redirect.target
        kind = kind_of(target, place)
        if ">>" in redirect.operator:
            continue
        if target.shown.endswith("_history") and kind == "outside":
            yield _at(command, "rm.history", target.shown)
        elif kind not in ("temporary", "unknown") and target.shown.endswith(_DATA) and _says_nothing(command):
            yield _at(command, "file.truncate", target.shown)


def fed_nothing(command: Command, place: CommandLocation) -> Findings:
    """Judge tee and sponge that read nothing: they empty what they write."""
    empty = any(one.operator == "<" and one.target.text == "/dev/null" for one in command.redirects)
    nothing = empty or (command.stdin is not None and not command.stdin.shown.strip())
    for word in read(command).operands if nothing and not read(command).may("-a", "--append") else ():
        if kind_of(word, place) != "temporary":
            yield _at(command, "file.truncate", word.shown)


def _says_nothing(command: Command) -> bool:
    """Return whether a command prints nothing, so that the file it writes is emptied."""
    if command.name in (None, ":", "true", "false"):
        return command.name is not None or not command.words
    if command.name == "cat" and command.args:
        return all(word.text == "/dev/null" for word in command.args)
    printed = output_of(command)
    return printed is not None and printed.text is not None and not printed.text.strip()


_EMPTYING = frozenset({"d", "1,$d", "g/./d", "1~1d", "//d", "/.*/d", "/./d", "s/.*//", "s/.*//g", "Q", "0~1d"})


def edited(command: Command, place: CommandLocation) -> Findings:
    """Judge sed -i and similar: files that decide who may log in and what starts should not be edited blindly."""
    texts = [word.text or "" for word in command.args]
    if command.name in IN_PLACE_EDITORS:
        writes = edits_in_place(command)
    else:
        writes = any(t.startswith("-") and "s" in t for t in texts) or command.stdin is not None
    if not writes:
        return
    for word in command.args:
        if (resolved(word, place) or "").startswith(DECIDING) and not word.head.startswith("-"):
            yield _at(command, "file.edit-system", word.shown)
    if _prints_nothing(command, texts):
        yield _at(command, "file.truncate", " ".join(texts[-1:]))
    if command.name in ("sed", "gsed") and not _EMPTYING.isdisjoint(texts):
        yield _at(command, "file.truncate", " ".join(texts[-1:]))


_QUIET = lazy_pattern(r"-[A-Za-z]*n[A-Za-z.]*|--quiet|--silent|-n")


def _prints_nothing(command: Command, texts: list[str]) -> bool:
    """Return whether an editor that prints only what it is told to is told to print nothing, and so empties files."""
    code = " ".join(texts)
    if command.name in ("perl", "ruby") and any(map(_QUIET.fullmatch, texts)):
        return not re.search(r"\b(?:print|printf|say|puts|p|pp|write|putc|\$stdout)\b|<<", code)
    if command.name in ("sed", "gsed") and any(map(_QUIET.fullmatch, texts)):
        return not re.search(r"[pPwi]\b|[pPwac=]", re.sub(r"-\S+", "", code))
    return False


def unpacked(command: Command, place: CommandLocation) -> Findings:
    """Judge tar and unzip when they overwrite system files."""
    args = read(command, values="fCdo" if command.name in ("7z", "7za") else "fCd", longs="file directory")
    target = args.value("-C", "--directory", "-d", "-o")
    taking = (
        args.may("-x", "--extract", "--get")
        or command.name in ("unzip", "7z", "7za")
        or any("x" in w for w in args.words[:1] if len(w) < 6)
    )
    if target is not None and taking and kind_of(target, place) == "root":
        yield _at(command, "file.overwrite", target.shown)
    if args.may("--remove-files"):
        yield _at(command, "file.discard", "--remove-files")
