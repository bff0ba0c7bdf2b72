"""Protected paths: files that commands and agents' file tools may write only if a person agrees, or not at all."""

from __future__ import annotations

import posixpath
import re

from tacit.guard.path_kinds import kind_of_path, resolved
from tacit.guard.verdict import CommandLocation
from tacit.shell.command import ShellWord, literal
from tacit.text.patterns import lazy_pattern

MOST_CHARS = 4_096
"""Longer paths cannot be opened."""
# rule -> the paths it protects; `~` is any home. What a folder contains is protected with it.
_TABLE: dict[str, tuple[str, ...]] = {
    # What agents call before they act.
    "self.write": (
        r"/\.claude/settings[^/]*\.json", r"~/\.claude\.json", r"/managed-settings(?:\.json|\.d/.+)",
        r"/\.codex/(?:config\.toml|[^/]+\.config\.toml|hooks\.json|requirements\.toml)", r"/\.codex/(?:hooks|rules)/.+",
        r"/etc/codex/.+", r"/\.cursor/(?:hooks\.json|cli-config\.json|permissions\.json)", r"/\.cursor/hooks/.+",
        r"/\.gemini/settings\.json", r"/\.gemini/(?:hooks|policies)/.+", r"/\.config/opencode/[^/]*\.jsonc?",
        r"/\.?opencode/plugins?/.+", r"/\.copilot/(?:config|settings)\.json", r"/\.copilot/hooks/.+",
        r"/github-copilot/hooks\.json", r"/\.github/hooks/.+", r"/\.clinerules/hooks/.+", r"/Cline/(?:Rules/)?Hooks/.+",
    ),
    "self.project": (
        r"/\.tacit\.toml", r"/opencode\.jsonc?", r"/\.aider\.conf\.yml", r"/\.mcp\.json", r"/\.cursor/mcp\.json",
        r"/\.copilot/mcp-config\.json",
        r"/\.claude/hooks/.+",
    ),
    "file.keys": (
        r"~/\.ssh/(?!known_hosts|authorized_keys|rc$|environment$).+", r"~/\.gnupg/.+",
        r"~/\.aws/.+", r"~/\.kube/config", r"~/\.netrc",
        r"~/\.pgpass", r"~/\.git-credentials", r"~/\.config/(?:gcloud|gh|age|sops)/.+", r"~/\.azure/.+",
        r"~/\.docker/config\.json", r"~/\.pypirc", r"~/\.password-store/.+", r"~/\.vault-token",
        r"~/\.local/share/keyrings/.+", r"~/Library/Keychains/.+",
    ),
    "file.startup": (
        r"~/\.(?:bash|zsh|ksh|csh|tcsh|mksh|z)(?:rc|env|login|logout|profile)",
        r"~/\.(?:bash_)?(?:profile|login|logout|aliases)",
        r"~/\.(?:xinitrc|xprofile|xsession|xsessionrc|pam_environment|inputrc|pythonrc(?:\.py)?|vimrc|tmux\.conf)",
        r"~/\.ssh/(?:authorized_keys2?|rc|environment)", r"~/\.config/(?:fish|environment\.d|autostart|powershell)/.+",
        r"~/\.(?:config|local/share)/systemd/user/.+", r"~/Library/LaunchAgents/.+", r"/\.envrc", r"~/\.gitconfig",
        r"~/\.config/git/.+", r".*/Start Menu/Programs/Start-?up(?:/.*)?", r".*/WindowsPowerShell/.*profile\.ps1",
        r"/var/spool/cron/.+", r".*/(?:site|dist)-packages/[^/]+\.pth", r".*/(?:site|user)customize\.py",
    ),
    # Git runs what is in these.
    "file.overwrite": (r".*/\.git/(?:hooks/(?:[^.]+|.+\.legacy)|config(?:\.worktree)?)",),
}  # fmt: skip
_PATTERNS = {
    rule: lazy_pattern("|".join(f"(?:.*{one})" if one[0] == "/" else one for one in paths), re.I)
    for rule, paths in _TABLE.items()
}
# Folders that hold what is protected: who moves or deletes one of them does so to what is in it.
_FOLDERS = lazy_pattern(
    r".*/\.(?:claude|codex|cursor|gemini|copilot|opencode|clinerules|config/opencode|github/hooks|clinerules/hooks"
    r"|(?:opencode|config/opencode)/plugins?|(?:claude|codex|cursor|gemini|copilot)/hooks)",
    re.I,
)
_KEY_FOLDERS = lazy_pattern(r"~/(?:\.ssh|\.gnupg|\.aws|\.azure|\.password-store|\.config/gcloud)", re.I)
_HOMES = lazy_pattern(r"/(?:home|Users)/[^/]+|/root|/var/root")
_PROCESS = lazy_pattern(r"/proc/(?:self|thread-self|\d+)/(?:root|cwd)(?=/)")
SYSTEM_FILES = (
    "/etc", "/proc/sysrq", "/boot", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/lib", "/usr/lib", "/System",
    "/sys/block", "/sys/bus", "/sys/class/block", "/sys/firmware", "/sys/devices",
)  # fmt: skip


# Files that decide who may log in, what starts, and how names resolve.
DECIDING = (
    "/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/group", "/etc/gshadow", "/etc/fstab", "/boot/", "/etc/hosts",
    "/etc/ssh/", "/etc/cron", "/etc/pam.d/", "/etc/security/", "/etc/profile", "/etc/environment", "/etc/ld.so",
    "/etc/resolv.conf", "/etc/rc", "/etc/init", "/etc/bash", "/etc/zsh", "/etc/default/grub", "/etc/nsswitch",
    "/etc/crypttab", "/etc/mtab", "/etc/os-release", "/etc/ssl/", "/etc/ca-cert", "/etc/apt/", "/etc/modprobe",
    "/etc/sysctl", "/etc/X11", "/etc/udev", "/etc/polkit", "/etc/selinux", "/etc/gitconfig", "/etc/npmrc",
)  # fmt: skip
# One file for one site of a web server, which is read when the server is told to: as mendable as any file of a project.
_SITE = lazy_pattern(
    r"/etc/(?:nginx|apache2|httpd|caddy|haproxy|traefik)"
    r"/(?:(?:sites|conf|mods)-(?:available|enabled)|conf\.d|snippets|vhosts(?:\.d)?|dynamic)/[^/*?]+"
)
# Links to what is beside them.
_ENABLED_SITE = lazy_pattern(r"/etc/(?:nginx|apache2|httpd)/(?:sites|conf|mods)-enabled/[^/*?]+")


def path_of_word(word: ShellWord, place: CommandLocation) -> str:
    """Return the absolute path that a word means; an unknown beginning becomes an ellipsis, and the rest is kept."""
    path = resolved(word, place)
    return path if path is not None else posixpath.normpath(f"/\u2026/{word.shown.lstrip('$')}")


def rule_for(path: str, place: CommandLocation, *, adds: bool = False, named_only: bool = False) -> str:
    """Return the rule that protects an absolute path from being written; empty if none does.

    With `named_only`, system files in general, devices and git's objects are left to other rules.
    """
    path = _PROCESS.sub("", path)
    if len(path) > MOST_CHARS:
        return ""
    if is_own(path, place):
        return "self.write"
    if path.endswith("/\u2026") and _FOLDERS.fullmatch(path[:-2]):
        # Some file, only known when it runs, in a folder that holds settings.
        return "self.touch"
    short = _short(path, place)
    for rule, pattern in _PATTERNS.items():
        if pattern.fullmatch(short):
            return rule
    kind = "" if named_only else kind_of_path(path, place)
    written = kind == "device" or (kind == "git" and not adds) or (kind == "system" and is_system_file(path))
    if kind == "system" and written and path.startswith("/etc/") and not path.startswith(DECIDING):
        return "" if _SITE.fullmatch(path) else "file.settings"
    return "file.overwrite" if written else ""


def rule_for_folder(path: str, place: CommandLocation) -> str:
    """Return the rule that protects a folder, or what it holds, from being moved, deleted or unpacked into."""
    short = _short(path, place)
    if _FOLDERS.fullmatch(short):
        return "self.write"
    return "file.keys" if _KEY_FOLDERS.fullmatch(short) else rule_for(path, place, named_only=True)


def is_own(path: str, place: CommandLocation) -> bool:
    """Return whether a path is in tacit's own folder, outside the memory directories, which agents may write."""
    for own in (place.tacit or f"{place.home}/.tacit", f"{place.home}/.tacit"):
        if path == own or path.startswith(f"{own}/"):
            return not path.startswith(f"{own}/memdir/")
    return "/.tacit/" in f"{path}/" and "/.tacit/memdir/" not in path


def is_system_file(path: str) -> bool:
    """Return whether a file belongs to the system itself, or to git."""
    return path.startswith(SYSTEM_FILES) or "/.git" in path


def is_enabled_site(path: str) -> bool:
    """Return whether a file is the link that switches a site of a web server on."""
    return _ENABLED_SITE.fullmatch(path) is not None


def written_path(text: str, place: CommandLocation) -> str:
    """Return the absolute path of a file that an agent's tool is about to write."""
    return path_of_word(literal(text.removeprefix("file://")), place)


def _short(path: str, place: CommandLocation) -> str:
    """Return a path with `~` for a home: the person's own, or that of another user."""
    if path == place.home or path.startswith(f"{place.home}/"):
        return f"~{path[len(place.home) :]}"
    found = _HOMES.match(path)
    return f"~{path[found.end() :]}" if found and path[found.end() :][:1] in ("", "/") else path
