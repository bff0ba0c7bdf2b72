"""Protected files: one table for commands and for the file tools of agents."""

import json

import pytest

from tacit.agents.hook_dialects import read_hook
from tacit.agents.hook_settings import with_hooks
from tacit.doors.hooks.answer import respond
from tacit.guard.judge import judge, judge_write
from tacit.guard.verdict import CommandLocation

PLACE = CommandLocation("/home/user/project", "/home/user", "/home/user/project", "/data/tacit")
TABLE = {
    "self.write": [
        "~/.tacit/config.toml", "/data/tacit/guard/ours.toml", "$TACIT_HOME/off/x", "~/.claude/settings.json",
        ".claude/settings.local.json", "~/.claude.json", "~/.codex/config.toml", ".codex/hooks.json",
        "$CODEX_HOME/hooks.json",
        "~/.gemini/settings.json", ".cursor/hooks.json", "~/.config/opencode/opencode.json", ".opencode/plugin/x.js",
        ".github/hooks/x.json", "src/../.claude/settings.json", "/home/user/./.tacit//config.toml",
        "~/.Claude/Settings.json",
        "/proc/self/root/home/user/.tacit/config.toml", "$UNKNOWN/.claude/settings.json",
    ],
    "self.project": [
        "~/.copilot/mcp-config.json", ".tacit.toml", ".mcp.json", "opencode.json", ".claude/hooks/check.sh"],
    "file.startup": [
        "~/.bashrc", "~/.zshrc", "~/.profile", "~/.bash_profile", "~/.zprofile", ".envrc", "~ann/.bashrc",
        "~/.ssh/authorized_keys",
        "~/.config/systemd/user/x.service", "~/.config/autostart/x.desktop", "~/Library/LaunchAgents/x.plist",
        "/var/spool/cron/root", "~/.gitconfig", "~/.config/fish/config.fish",
    ],
    "file.keys": ["~/.ssh/id_ed25519", "~/.ssh/config", "~/.gnupg/gpg.conf", "~/.aws/credentials", "~/.kube/config",
    "~/.netrc"],
    "file.overwrite": [".git/hooks/pre-commit", ".git/config", "/etc/hosts", "/dev/sda", "/usr/bin/ls"],
}  # fmt: skip
OPEN = [
    "src/main.py", "README.md", ".env.example", ".gitignore", ".github/workflows/ci.yml", ".claude/skills/x.md",
    ".claude/agents/a.md",
    "CLAUDE.md", "settings.json", "~/.tacit/memdir/shop/MEMORY.md", "/data/tacit/memdir/shop/team/notes.md",
    "~/.ssh/known_hosts",
    "~/.claude/projects/-home-user-project/memory/MEMORY.md", "dotfiles/.bashrc", "/tmp/x",
]  # fmt: skip
PATHS = [(rule, path) for rule, paths in TABLE.items() for path in paths]


@pytest.mark.parametrize(("rule", "path"), PATHS)
def test_a_file_tool_and_a_redirection_get_the_same_verdict(rule, path):
    """One table decides, whichever way a file is written."""
    known = path.replace("$TACIT_HOME", "/data/tacit").replace("$CODEX_HOME", "~/.codex")

    assert rule == judge_write(known, PLACE).rule
    assert rule == judge(f"echo x > {path}", PLACE).rule


@pytest.mark.parametrize("path", OPEN)
def test_other_files_stay_writable(path):
    """A project's files, an agent's own notes and the memory directories are for agents to write."""
    assert ["allow"] * 2 == [judge_write(path, PLACE).verdict, judge(f"echo x >> {path}", PLACE).verdict]


ROUTES = """
cp -t @ x
cp --target=@ x
cp x @
cp config.toml ~/.tacit/
cp settings.json ~/.claude/
mv x @
install -m 600 x @
ln -sf x @
rsync -a x @
curl -o @ https://x
curl -so @ https://x
curl --output=@ https://x
wget -O @ https://x
tee @
tee -a @ < x
sponge @
echo x | sponge @
dd if=x of=@
sed -i s/a/b/ @
sed -i.bak s/a/b/ @
sed --in-place s/a/b/ @
perl -pi -e s/a/b/ @
perl -0777pi -e s/a/b/ @
yq -i 'del(.hooks)' @
yq --inplace 'del(.hooks)' @
awk -i inplace 1 @
patch @ x.diff
rm @
rm -f @
shred @
truncate -s 0 @
unlink @
git checkout -- @
git restore @
git rm @
python3 -c 'open("@","a").write("x")'
python3 -c 'open("@","w").write("x")'
python3 -c 'import pathlib; pathlib.Path("@").write_text("x")'
node -e 'require("fs").writeFileSync("@","x")'
jq 'del(.hooks)' x > @
> @
cat x >> @
ls >& @
sudo tee @
sh -c 'echo x > @'
echo @ | xargs rm
"""


@pytest.mark.parametrize("path", ["~/.tacit/config.toml", "~/.claude/settings.json"])
@pytest.mark.parametrize("route", ROUTES.strip().split("\n"))
def test_every_known_way_to_write_our_own_files_is_denied(route, path):
    """Known writers are denied, whatever they are called and wherever they name the file."""
    assert "deny" == judge(route.replace("@", path), PLACE).verdict


@pytest.mark.parametrize(
    "line",
    ["prettier --write @", "vim @", "unknown-program @", "unknown-program --config=@", "unknown-program -o@",
     "nc -lkU @",
     "socat UNIX-LISTEN:@,fork -", "python3 x.py @", "perl -e 'open(F, q(>@))'",
     "sqlite3 @ 'update records set trust=3'",
     "docker run -v @:/x alpine", "ed @", "touch @", "chmod 600 @"],
)  # fmt: skip
def test_an_unknown_program_is_asked_about(line):
    """What is not known to only read such a file never passes in silence."""
    assert "allow" != judge(line.replace("@", "/home/user/.tacit/config.toml"), PLACE).verdict
    assert "allow" != judge(line.replace("@", ".claude/settings.json"), PLACE).verdict


@pytest.mark.parametrize(
    "line",
    ["mv .claude x", "rm -r .claude", "rm -r ~/.codex", "mv ~/.cursor /tmp", "tar -xf x.tar -C ~/.tacit",
     "unzip x.zip -d ~/.tacit",
     "pip uninstall -y tacit", "pipx uninstall tacit", "uv tool uninstall tacit", "uv pip uninstall tacit",
     "rm $(which tacit)",
     "ln -sf /bin/true ~/.local/bin/tacit", "export TACIT_OFF=1", "declare -x TACIT_OFF=1", "typeset -x TACIT_OFF=1",
     "env TACIT_OFF=1 bash", "export TACIT_OFF", "launchctl setenv TACIT_OFF 1",
     "systemctl --user set-environment TACIT_OFF=1",
     "echo 'export TACIT_OFF=1' >> .envrc", "echo TACIT_OFF=1 >> .env", "tee -a ~/.bashrc <<< 'export TACIT_OFF=1'",
     "pkill tacit", "pkill -f 'tacit serve'", "killall tacit", "kill $(pgrep -f tacit)",
     "kill $(cat ~/.tacit/run/serve.pid)",
     "pgrep -f tacit | xargs kill -9", "claude --settings '{\"disableAllHooks\":true}'", "codex -c hooks.x=1",
     "codex --disable hooks",
     "script -qec 'tacit approve x' /dev/null", "script -q /dev/null -c 'tacit approve x'",
     "expect -c 'spawn tacit approve x'",
     "unbuffer tacit approve x", "tmux new -d 'tacit approve x'", "tmux send-keys -t a 'tacit approve x' Enter",
     "screen -S a -X stuff 'tacit approve x\\n'", "socat EXEC:'tacit approve x',pty -",
     "ssh -tt localhost tacit approve x",
     "python3 -c 'import pty; pty.spawn([\"tacit\", \"approve\", \"x\"])'",
     "python3 -c 'import pexpect; pexpect.spawn(\"tacit approve x\")'",
     "ruby -e 'require \"pty\"; PTY.spawn(\"tacit approve x\")'", "script -qc \"sh -c 'tacit approve x'\""],
)  # fmt: skip
def test_the_guard_is_not_switched_off(line):
    """Its files, its processes, its switch and the terminal of a person are not an agent's to use."""
    assert "deny" == judge(line, PLACE).verdict


@pytest.mark.parametrize(
    "line",
    ["cat ~/.tacit/config.toml", "ls -la ~/.tacit", "grep -n hooks ~/.claude/settings.json",
     "jq .hooks .claude/settings.json",
     "git diff .claude/settings.json", "git add .claude/settings.json", "head -5 ~/.codex/config.toml",
     "sudo cat ~/.tacit/config.toml",
     "cp ~/.claude/settings.json /tmp/x", "diff a.json .claude/settings.json", "tacit status",
     "tacit memorize 'see ~/.tacit/config.toml'",
     "gh pr create --body 'it changes .claude/settings.json'", "git commit -m 'protect ~/.tacit/config.toml'",
     "mkdir -p .claude/skills",
     "cp a.md .claude/commands/", "rm -r .claude/skills/old", "tmux new -d -s tacit 'npm run dev'",
     "systemctl --user status tacit",
     "echo TACIT_OFF=1", "unset TACIT_OFF", "TACIT_OFF=0 tacit status", "pip install tacit", "kill 4711",
     "chmod 600 ~/.ssh/id_rsa",
     "chmod +x .git/hooks/pre-commit", "pytest tests/guard", "cd ~/.tacit && ls"],
)  # fmt: skip
def test_reading_and_other_work_is_allowed(line):
    """Who reads such files, or names them in a sentence, changes nothing."""
    assert "allow" == judge(line, PLACE).verdict


PAYLOADS = {
    "Write": ("claude", "Write", {"file_path": "@", "content": "x"}),
    "Edit": ("claude", "Edit", {"file_path": "@", "old_string": "a", "new_string": "b"}),
    "MultiEdit": ("claude", "MultiEdit", {"file_path": "@", "edits": [{"old_string": "a", "new_string": "b"}]}),
    "NotebookEdit": ("claude", "NotebookEdit", {"notebook_path": "@", "new_source": "x"}),
    "apply_patch": ("codex", "apply_patch",
    {"command": "*** Begin Patch\n*** Update File: @\n@@\n-a\n+b\n*** End Patch"}),
    "apply_patch add": ("codex", "apply_patch", {"input": "*** Begin Patch\n*** Add File: @\n+b\n*** End Patch"}),
    "apply_patch move": ("codex", "apply_patch", {"command": "*** Update File: x\n*** Move to: @\n"}),
    "cursor Write": ("cursor", "Write", {"file_path": "@"}),
    "cursor StrReplace": ("cursor", "StrReplace", {"path": "@", "old_string": "a", "new_string": "b"}),
    "cursor Delete": ("cursor", "Delete", {"path": "@"}),
    "gemini write_file": ("claude", "write_file", {"file_path": "@", "content": "x"}),
    "gemini replace": ("claude", "replace", {"file_path": "@", "old_string": "a", "new_string": "b"}),
    "opencode write": ("claude", "write", {"filePath": "@", "content": "x"}),
    "opencode patch": ("claude", "patch", {"patchText": "*** Begin Patch\n*** Delete File: @\n*** End Patch"}),
    "copilot create": ("claude", "create", {"path": "@", "file_text": "x"}),
    "copilot edit": ("claude", "edit", {"path": "@", "old_str": "a", "new_str": "b"}),
    "editor": ("claude", "str_replace_based_edit_tool", {"command": "create", "path": "@", "file_text": "x"}),
    "several": ("claude", "edit", {"edits": [{"file_path": "a"}, {"file_path": "@"}]}),
    "diff": ("claude", "apply_diff", {"diff": "--- a/x\n+++ b/@\n"}),
}  # fmt: skip


def _payload(name, path):
    agent, tool, given = PAYLOADS[name]
    return agent, tool, json.loads(json.dumps(given).replace("@@", "\0").replace("@", path).replace("\0", "@@"))


@pytest.mark.parametrize("name", sorted(PAYLOADS))
def test_the_tools_of_every_agent_say_what_they_write(name):
    """Each agent names its tools and fields in its own way; the call has the paths."""
    agent, tool, given = _payload(name, ".claude/settings.json")
    call = read_hook(agent, {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": "/w"})

    assert ("edit", True) == (call.tool.kind, ".claude/settings.json" in call.tool.paths)


@pytest.mark.parametrize("name", sorted(PAYLOADS))
def test_a_hook_denies_a_tool_that_writes_an_agents_settings(name, tmp_path):
    """What a shell command may not write, a file tool may not write either; a file of the project it may."""
    agent, tool, given = _payload(name, ".claude/settings.json")
    asked = {
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "cwd": str(tmp_path),
        "session_id": "s",
    }
    _agent, _tool, harmless = _payload(name, "src/main.py")

    assert "deny" in json.dumps(respond(agent, json.dumps(asked).encode()))
    assert {} == respond(agent, json.dumps({**asked, "tool_input": harmless}).encode())


def test_an_editor_that_only_views_is_not_judged_as_a_write():
    """Reading an agent's settings is allowed."""
    given = {"command": "view", "path": ".claude/settings.json"}
    call = read_hook(
        "claude", {"hook_event_name": "PreToolUse", "tool_name": "str_replace_editor", "tool_input": given}
    )

    assert "read" == call.tool.kind


@pytest.mark.parametrize(
    ("agent", "event", "tools"),
    [("claude", "PreToolUse", ("Bash", "Write", "Edit", "MultiEdit", "NotebookEdit")), ("codex", "PreToolUse",
     ("Bash", "apply_patch")),
     ("cursor", "preToolUse", ("Shell", "Write", "StrReplace", "Delete")),
     ("gemini", "BeforeTool", ("run_shell_command", "write_file", "replace")),
     ("copilot", "PreToolUse", ("Bash", "Write", "Edit"))],
)  # fmt: skip
def test_a_connected_hook_is_called_for_the_file_tools(agent, event, tools):
    """The matcher that connect writes names them."""
    matcher = with_hooks(agent, {}, "tacit hook")["hooks"][event][0]["matcher"].split("|")

    assert [] == [tool for tool in tools if tool not in matcher]
