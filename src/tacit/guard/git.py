"""Git: commands that would lose commits, uncommitted changes, branches, or the checks that protect them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tacit.guard.args import ParsedArgs, read
from tacit.guard.path_kinds import is_new, kind_of_path, resolved
from tacit.guard.verdict import CommandLocation, RuleMatch
from tacit.shell.command import Command, ShellWord, literal
from tacit.shell.options import OptionSpec, after_options, split_options
from tacit.shell.programs.git_and_make import GIT_COMMANDS
from tacit.text.patterns import lazy_pattern

_GLOBAL = OptionSpec("cC", "git-dir work-tree namespace exec-path config-env super-prefix attr-source")
_TAKING = {
    "checkout": ("bB", "conflict inter-hunk-context unified pathspec-from-file orphan"),
    "switch": ("cC", "conflict orphan create force-create"),
    "restore": ("sU", "source conflict pathspec-from-file inter-hunk-context unified"),
    "commit": ("mFCctS", "message file author date reuse-message reedit-message fixup squash template cleanup trailer"),
    "push": ("o", "repo receive-pack exec push-option"),
    "clean": ("e", "exclude"),
    "stash": ("m", "message pathspec-from-file"),
    "reset": ("U", "pathspec-from-file"),
    "branch": ("u", "set-upstream-to contains no-contains merged no-merged points-at sort format abbrev"),
    "tag": ("mFu", "message file local-user contains sort format points-at"),
    "rebase": ("xsX", "onto exec strategy strategy-option"),
    "merge": ("mFsX", "message file strategy strategy-option"),
    "worktree": ("b", "reason"),
}  # fmt: skip

Said = Iterator[tuple[str, str]]


def judged(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge a git command."""
    words = _after_git(command)
    if not words:
        return
    verb = words[0].text or ""
    for name, value in split_options(command.args, _GLOBAL):
        if name == "c" and value is not None and value.head.lower().startswith("core.hookspath"):
            yield RuleMatch("git.hooks-path", command.start, command.end, value.shown)
    inner = command._replace(words=tuple(words))
    short, longs = _TAKING.get(verb, ("", ""))
    args = read(inner, values=short, longs=longs)
    judge = _VERBS.get(verb)
    if args.means("--help", "-h") or judge is None:
        return
    in_temporary = _is_temporary(command, place)
    for rule, detail in judge(args):
        if not (in_temporary and rule in _ABOUT_FILES):
            yield RuleMatch(rule, command.start, command.end, detail)


# What these lose is in the working folder; branches and stashes may be those of a repository elsewhere.
_ABOUT_FILES = frozenset({
    "git.reset-hard", "git.reset-merge", "git.clean", "git.clean-ask", "git.checkout-force", "git.checkout-paths",
    "git.checkout-paths-ask", "git.restore", "git.rm-force",
})  # fmt: skip


def _is_temporary(command: Command, place: CommandLocation) -> bool:
    """Return whether git works on files in a temporary folder, which `rm -r` may delete as well."""
    if place.may_work_elsewhere:
        return False
    for name, value in split_options(command.args, _GLOBAL):
        if name == "C" and value is not None and (path := resolved(value, place)):
            place = place._replace(cwd=path, project=place.project or place.cwd)
        elif name != "c":
            return False
    return kind_of_path(place.cwd, place) == "temporary"


def _after_git(command: Command) -> list[ShellWord]:
    """Return the subcommand of git and the words after it; `git-reset` counts as `git reset`."""
    name = command.name or ""
    if name.startswith("git-") and name != "git-":
        return [literal(name[4:]), *command.args]
    return list(after_options(command.args, _GLOBAL))


def _reset(args: ParsedArgs) -> Said:
    if args.may("--hard"):
        yield "git.reset-hard", "--hard"
    elif args.may("--merge", "--keep"):
        yield "git.reset-merge", "--merge"


def _clean(args: ParsedArgs) -> Said:
    if args.means("-n", "--dry-run"):
        return
    if args.may("-f", "--force", "-i"):
        yield "git.clean", " ".join(sorted(f for f in args.flags if len(f) > 2 or f == "-f"))
    elif args.may("-d", "-x", "-X"):
        yield "git.clean-ask", ""


def _checkout(args: ParsedArgs) -> Said:
    if args.means("-b", "-B", "--orphan", "--detach") and not args.may("-f", "--force"):
        if args.may("-B"):
            yield "git.branch-reset", "-B"
        return
    if args.may("-f", "--force") or args.may("-tf", "-ft"):
        yield "git.checkout-force", "-f"
    words = args.words
    if args.means("--ours", "--theirs") and "." not in args.words:
        return  # git accepts it for conflicts only, and both sides are commits
    if args.may("--pathspec-from-file", "-p", "--patch"):
        yield "git.checkout-paths", ""
    elif "." in words or "*" in words or ":/" in words or any(w.startswith(":(") or w in ("./", ":!") for w in words):
        yield "git.checkout-paths", "."
    elif _dashed(args) or (len(words) > 1 and any("." in w.rsplit("/", 1)[-1] or w.endswith("/") for w in words[1:])):
        yield "git.checkout-paths", " ".join(words)
    elif len(words) > 1:
        yield "git.checkout-paths-ask", " ".join(words)


def _dashed(args: ParsedArgs) -> bool:
    return any(word.quoted is None for word in args.operands)


def _checkout_command(command: Command, place: CommandLocation) -> Iterator[RuleMatch]:
    """Judge `git checkout … -- paths`, where the `--` itself decides."""
    words = _after_git(command)
    if words and words[0].text == "checkout" and not _is_temporary(command, place):
        texts = [word.text for word in words[1:]]
        if "--" in texts and texts.index("--") < len(texts) - 1:
            yield RuleMatch("git.checkout-paths", command.start, command.end, "--")


def _restore(args: ParsedArgs) -> Said:
    if args.means("--staged", "-S") and not args.may("--worktree", "-W"):
        return
    if args.operands or args.may("--pathspec-from-file", "-p", "--patch"):
        yield "git.restore", " ".join(args.words)


def _switch(args: ParsedArgs) -> Said:
    if args.may("-f", "--force", "--discard-changes"):
        yield "git.checkout-force", "--discard-changes"
    if args.may("-C", "--force-create"):
        yield "git.branch-reset", "-C"


def _push(args: ParsedArgs) -> Said:
    if args.means("-n", "--dry-run"):
        return
    leased = args.has("--force-with-lease", "--force-if-includes")
    if args.may("--force", "-f", "--mirror", "--prune"):
        yield "git.push-force-lease" if leased else "git.push-force", "--force"
    elif any(word.startswith("+") for word in args.words[1:]) and not leased:
        yield "git.push-force", "+refspec"
    elif any(not hole.name and not hole.source for w in args.operands[1:] if not w.quoted for hole in w.holes):
        yield "git.push-unknown", " ".join(args.words)
    elif args.may("--delete", "-d") or any(word.startswith(":") and len(word) > 1 for word in args.words[1:]):
        yield "git.push-delete", " ".join(args.words)
    if args.may("--no-verify"):
        yield "git.no-verify", "--no-verify"


def _branch(args: ParsedArgs) -> Said:
    if args.may("-D") or (args.may("-d", "--delete") and args.may("-f", "--force")):
        yield "git.branch-delete", " ".join(args.words)
    elif args.may("-M") and args.words in (("main",), ("master",)):
        return  # what every host tells people to type after `git init`
    elif args.may("-M", "-C") or (args.may("-f", "--force") and args.operands):
        yield "git.branch-force", " ".join(args.words)


def _stash(args: ParsedArgs) -> Said:
    verb = args.words[0] if args.words else ""
    if verb in ("drop", "clear"):
        yield "git.stash-drop", verb
    elif verb == "pop":
        yield "git.stash-pop", verb


def _commit(args: ParsedArgs) -> Said:
    if args.may("--no-verify", "-n"):
        yield "git.no-verify", "--no-verify"


def _other(rule: str, *, verbs: tuple[str, ...] = (), flags: tuple[str, ...] = ()) -> Callable[[ParsedArgs], Said]:
    def said(args: ParsedArgs) -> Said:
        if verbs and not (args.words and args.words[0] in verbs):
            return
        if flags and not args.may(*flags):
            return
        yield rule, " ".join(args.words[:2])

    return said


def _tag(args: ParsedArgs) -> Said:
    if args.may("-d", "--delete"):
        yield "git.tag-delete", " ".join(args.words)
    elif args.may("-f", "--force"):
        yield "git.tag-force", " ".join(args.words)


def _worktree(args: ParsedArgs) -> Said:
    made_here = [word for word in args.operands[1:] if is_new(word) and ".." not in word.shown]
    if args.words[:1] == ("remove",) and args.may("-f", "--force") and len(made_here) < len(args.operands) - 1:
        yield "git.worktree-force", "remove"


def _remote(args: ParsedArgs) -> Said:
    if args.words[:1] in (("remove",), ("rm",)):
        yield "git.remote-remove", " ".join(args.words)


# Programs that many people name in their git settings.
_USUAL = lazy_pattern(
    r"(?:\S*/)?(?:vim?|nvim|nano|emacs|code|subl|micro|helix|hx|less|more|cat|delta|diff-so-fancy|bat|most|true|"
    r"false|ssh"
    r"|store|cache|osxkeychain|manager|manager-core|libsecret|wincred|gh|gnome-keyring|gpg2?|git-lfs|meld|vimdiff|"
    r"nvimdiff"
    r"|kdiff3|opendiff|p4merge|bc|beyondcompare|difft|difftastic|notepad\S*)?(?:\s+[\w=/.:,'\"$%+-]+)*"
    r"|(?:git[- ]lfs (?:clean|smudge|filter-process|process)\b.*)|!(?:gh|\S*/gh) auth git-credential|"
    r"!?(?:aws codecommit.*)"
)


_PUSHED = lazy_pattern(r"remote\..+\.push", 2)


def _config(args: ParsedArgs) -> Said:
    words = " ".join(args.words)
    writes = len(args.words) > 1 or args.may("--unset", "--unset-all", "--add", "--replace-all", "--edit", "-e")
    if not writes or args.means("--get", "--get-all", "--get-regexp", "--list", "-l"):
        return
    if "core.hooksPath" in words or "core.hookspath" in words.lower():
        yield "git.hooks-path", words
        return
    name = next((word for word in args.words if "." in word), "")
    value = args.words[args.words.index(name) + 1] if name in args.words[:-1] else ""
    if _PUSHED.fullmatch(name) and value.startswith(("+", ":")):
        yield "git.push-force", words
    if (
        (name.lower().startswith("alias.") and value.startswith("!"))
        or name.lower() == "init.templatedir"
        or (GIT_COMMANDS.fullmatch(name) and not _USUAL.fullmatch(value))
    ):
        yield "git.config-command", words


def _rm(args: ParsedArgs) -> Said:
    if (
        args.may("-f", "--force")
        and (args.may("-r") or "." in args.words or "*" in args.words)
        and not args.means("--cached", "-n", "--dry-run")
    ):
        yield "git.rm-force", " ".join(args.words)


_VERBS: dict[str, Callable[[ParsedArgs], Said]] = {
    "reset": _reset, "clean": _clean, "checkout": _checkout, "restore": _restore, "switch": _switch, "push": _push,
    "branch": _branch, "stash": _stash, "commit": _commit, "tag": _tag, "worktree": _worktree, "remote": _remote,
    "config": _config, "rm": _rm,
    "send-pack": _push,
    "http-push": _other("git.push-force", flags=("--force", "-d", "-D")),
    "update-ref": _other("git.update-ref", flags=("-d", "--delete", "--stdin")),
    "symbolic-ref": _other("git.update-ref", flags=("-d", "--delete")),
    "reflog": _other("git.reflog", verbs=("expire", "delete")),
    "gc": _other("git.gc-prune", flags=("--prune",)),
    "prune": _other("git.gc-prune"),
    "filter-branch": _other("git.rewrite"),
    "filter-repo": _other("git.rewrite"),
    "replace": _other("git.rewrite", flags=("-d", "-f")),
    "merge": _other("git.no-verify", flags=("--no-verify",)),
    "am": _other("git.no-verify", flags=("--no-verify",)),
    "submodule": _other("git.submodule", verbs=("deinit",)),
    "lfs": _other("git.lfs-prune", verbs=("prune",)),
    "notes": _other("git.notes", verbs=("remove", "prune")),
    "read-tree": _other("git.reset-hard", flags=("--reset",)),
    "checkout-index": _other("git.checkout-paths", flags=("-f", "--force")),
    "update-index": _other("git.update-index", flags=("--force-remove",)),
}  # fmt: skip
JUDGES = (judged, _checkout_command)
