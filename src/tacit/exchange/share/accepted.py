"""Accept a shared folder, as a person: before that nothing in it is read. The consent lies in the home."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from tacit.errors import ConfigError, NotFound, Refused, TacitError, UsageError
from tacit.exchange.share.folder import (
    check_outside,
    folder_id,
    listing,
    mark_folder,
    new_folder_id,
    read_folder,
    remove_chunks,
)
from tacit.exchange.share.home import AcceptedFolder, ShareHome, key_file, new_key, no_folder, read_key
from tacit.exchange.share.waiting import still_waiting
from tacit.files.plain_file import NotPlain, read_plain
from tacit.files.safe_paths import SafeFolder
from tacit.model.payload import plain
from tacit.model.report import Finding
from tacit.model.scope import parse_scope
from tacit.model.transfer import SharedFolder, ShareKeyReport
from tacit.model.verb import arg
from tacit.records.connection import Connection

Dir = Annotated[str | Path, arg("The folder: a git working tree, a synced drive.", metavar="DIR")]
Named = Annotated[str, arg("The scopes to share; the scope of this project if none is given.", metavar="SCOPE")]
KeyFile = Annotated[str | Path, arg("The key file; never inside a shared folder.", metavar="FILE")]
_MOST_KEY_BYTES = 10_000


def init(c: Connection, folder: Dir, *scopes: Named) -> SharedFolder:
    """Share scopes through a folder, as a person: this home pushes them there, and pulls them from there.

    Shared are facts, rules, lessons, procedures and the team's notes of these scopes.
    """
    c.require_person("share a memory through a folder")
    home, path, named = share_home(c), _path(folder), _scopes(c, scopes)
    id = mark_folder(path, new_folder_id(path, os.urandom(16)))
    return _kept(c, home, AcceptedFolder(id=id, path=str(path), scopes=named, pushes=True))


def accept(c: Connection, folder: Dir, *scopes: Named) -> SharedFolder:
    """Let this home pull these scopes from a shared folder, as a person. Nothing is written there."""
    c.require_person("accept a shared folder")
    home, path = share_home(c), _path(folder)
    named = AcceptedFolder(id=folder_id(path), path=str(path), scopes=_scopes(c, scopes), pushes=False)
    return _kept(c, home, named)


def list_folders(c: Connection) -> list[SharedFolder]:
    """List the shared folders that a person accepted here."""
    home = share_home(c)
    return [_shown(c, home, folder) for folder in home.folders().values()]


def shared_findings(c: Connection) -> list[Finding]:
    """Say of each shared folder what it is for, or why it cannot be used."""
    found = []
    for folder in share_home(c).folders().values() if c.home else ():
        try:
            open_folder(folder)
        except TacitError as error:
            found.append(Finding(level="warning", subject="share", message=error.message, hint=error.hint))
        else:
            found.append(Finding(level="ok", subject="share", message=shared_line(plain(folder))))
    return found


def shared_line(folder: Mapping[str, Any]) -> str:
    """Return a line about a shared folder: what is shared, and when last."""
    does = "push and pull" if folder["pushes"] else "pull"
    times = [f"{name} {folder[f'{name}_at'][:16]}" for name in ("pushed", "pulled") if folder[f"{name}_at"]]
    return f"{folder['path']}: {does}, {', '.join((*folder['scopes'], *(times or ['nothing yet'])))}"


def remove(c: Connection, folder: Dir) -> SharedFolder:
    """Stop using a shared folder, as a person. What came from it and what lies in it stays."""
    c.require_person("stop using a shared folder")
    home = share_home(c)
    (found,) = chosen_folders(home, folder)
    shown = _shown(c, home, found)
    home.drop_folder(found.id)
    return shown


def export_key(c: Connection, file: KeyFile) -> ShareKeyReport:
    """Write this home's share key to a file, for another machine of yours, as a person. It is made if there is none.

    What is signed with it comes with its trust to every home that has the key: carry it yourself, tell it nobody.
    """
    c.require_person("export a share key")
    home, path = share_home(c), Path(os.path.realpath(Path(file).expanduser()))
    check_outside(path)
    if not path.parent.is_dir():
        raise NotFound(f"there is no folder {path.parent}", "give the path of a file in a folder that exists")
    with home.alone():
        if home.signing_key() is None:
            home.add_key(new_key())
        key = home.signing_key()
    if key is None:
        raise ConfigError("the share key could not be kept", "check the permissions of the home")
    SafeFolder(path.parent).write(path.name, key_file(key), new=True)
    return ShareKeyReport(id=key.id, path=str(path), signs=True)


def import_key(c: Connection, file: KeyFile) -> ShareKeyReport:
    """Take the share key of another machine of yours, as a person: what it signs comes with its trust.

    If this home has no key yet, it signs with this one too.
    """
    c.require_person("import a share key")
    home, path = share_home(c), Path(os.path.realpath(Path(file).expanduser()))
    check_outside(path)
    try:
        key = read_key(read_plain(path, _MOST_KEY_BYTES))
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist", "give the file that `tacit share key export` wrote") from None
    except NotPlain as error:
        raise UsageError(f"{path} is not a share key: {error.strerror}", "give the file itself") from None
    with home.alone():
        home.add_key(key)
        signing = home.signing_key()
    return ShareKeyReport(id=key.id, path=str(path), signs=signing == key)


def share_home(c: Connection) -> ShareHome:
    """Return what this home keeps about sharing."""
    if c.home is None:
        raise ConfigError("this memory has no home, where accepted folders are kept", "set TACIT_HOME")
    return ShareHome(c.home)


def chosen_folders(home: ShareHome, folder: str | Path | None) -> list[AcceptedFolder]:
    """Return the accepted folder at a path, or all of them if none is given."""
    known = home.folders()
    if folder is None:
        if not known:
            raise no_folder("")
        return list(known.values())
    path = os.path.realpath(Path(folder).expanduser())
    found = [one for one in known.values() if os.path.realpath(one.path) == path]
    if not found:
        raise no_folder(str(folder))
    return found


def open_folder(folder: AcceptedFolder) -> Path:
    """Return the path of an accepted folder. If another one is there now, it was not accepted."""
    path = Path(folder.path)
    if not path.is_dir():
        raise NotFound(
            f"the shared folder {path} is not there", "is its drive mounted? `tacit share remove` forgets it"
        )
    if folder_id(path) != folder.id:
        raise Refused(f"{path} is not the folder that was accepted: its id changed", "accept it again, as a person")
    return path


def _path(folder: str | Path) -> Path:
    path = Path(os.path.realpath(Path(folder).expanduser()))
    if not path.is_dir():
        raise NotFound(f"there is no folder {path}", "make it first, or clone the repository that holds it")
    return path


def _scopes(c: Connection, named: tuple[str, ...]) -> tuple[str, ...]:
    found = [parse_scope(text, next((s.id for s in c.reads if s.kind == "user"), "")) for text in named] or [c.scope]
    if private := [str(scope) for scope in found if scope.kind == "user"]:
        raise Refused(
            f"{private[0]} is the scope of a user, which is never shared", "name a project or a team: project:ID"
        )
    return tuple(dict.fromkeys(map(str, found)))


def share_command(verb: str, folder: str, scope: str) -> str:
    """Return a command that can be pasted into a shell."""
    return shlex.join(["tacit", "share", verb, folder, scope])


def _kept(c: Connection, home: ShareHome, folder: AcceptedFolder) -> SharedFolder:
    """Keep a folder, with the scopes it was named for before, in place of another one that was there."""
    with home.alone():
        for former in home.folders().values():
            if former.id == folder.id:
                scopes = tuple(dict.fromkeys((*former.scopes, *folder.scopes)))
                folder = msgspec.structs.replace(folder, scopes=scopes, moved=former.moved)
            elif former.path == folder.path:
                _replace(home, former)
        home.keep_folder(folder)
        # Other scopes may have been named: everything is looked at again.
        state = home.state(folder.id)
        state.names, state.head = "", (0, "")
        home.keep_state(folder.id, state)
    me = home.writer()
    others = any(not name.startswith(f"{me}/") for name in listing(Path(folder.path)))
    return msgspec.structs.replace(_shown(c, home, folder), has_others=others)


def _replace(home: ShareHome, former: AcceptedFolder) -> None:
    """Forget a folder that another one replaced, and remove what this home wrote for it: it is written anew."""
    path, me = Path(former.path), home.writer()
    if former.pushes:
        remove_chunks(path, me, [chunk.name for chunk in read_folder(path, former.id, me, {}).own])
    home.drop_folder(former.id)


def _shown(c: Connection, home: ShareHome, folder: AcceptedFolder) -> SharedFolder:
    state = home.state(folder.id)
    return SharedFolder(
        id=folder.id, path=folder.path, scopes=folder.scopes, pushes=folder.pushes, writer=home.writer(),
        records=len(state.records), waiting=len(still_waiting(c, state.waiting)),
        pushed_at=folder.pushed_at, pulled_at=folder.pulled_at,
        notices=tuple(
            f"{scope} is named after a folder of this machine, so no other home has a scope of this name; give the "
            "project a git remote (its memory follows), or share a scope such as team:NAME"
            for scope in folder.scopes if scope.startswith("project:/")
        ),
    )  # fmt: skip
