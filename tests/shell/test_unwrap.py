"""Programs that run others are seen through, to any depth."""

import pytest

from tests.shell.test_parse import found

WRAPPED = [
    "sudo rm x", "sudo -u root -- rm x", "doas rm x", "env A=b rm x", "env -S 'rm x'", "env -i rm x", "nohup rm x",
    "nice -n 5 rm x",
    "timeout -k 1 5 rm x", "setsid -w rm x", "stdbuf -oL rm x", "command rm x", "builtin rm x", "exec rm x",
    "chrt -i 0 rm x",
    "sh -c 'rm x'", "bash -lc 'rm x'", "bash -o pipefail -c 'rm x'", "bash --norc -c 'rm x'", "bash <<< 'rm x'",
    "eval rm x",
    "eval 'rm x'", "echo 'rm x' | sh", "printf 'rm x' | bash -s", "echo cm0geA== | base64 -d | sh",
    "echo 726d2078 | xxd -r -p | sh",
    "echo 'x mr' | rev | sh", "su -c 'rm x'", "su --command='rm x'", "runuser -u a -- rm x", "ssh -p 1 h rm x",
    "ssh h -- rm x",
    "ssh -o ProxyCommand='rm x' h", "mosh h -- rm x", "watch -n 1 rm x", "xargs rm x < f", "echo x | xargs rm",
    "echo x | xargs -I% rm %", "parallel rm ::: x", "find . -exec rm x \\;", "fd a -x rm x", "docker exec -it c rm x",
    "docker run --rm -v a:b i rm x", "docker compose exec web rm x", "podman exec c rm x", "kubectl exec p -- rm x",
    "kubectl debug n -- rm x", "lxc exec c -- rm x", "script -qc 'rm x' /dev/null", "flock /l rm x",
    "flock /l -c 'rm x'",
    "trap 'rm x' EXIT", "alias a='rm x'", "tmux new-session -d 'rm x'", "tmux send-keys 'rm x' Enter",
    "screen -dm rm x",
    "nix-shell --run 'rm x'", "git -c alias.a='!rm x' a", "git -c core.pager='rm x' log", "git rebase -x 'rm x' main",
    "git bisect run rm x", "git submodule foreach 'rm x'", "make -f - <<< $'a:\\n\\trm x'", "at now <<< 'rm x'",
    "echo '* * * * * rm x' | crontab -", "poetry run rm x", "conda run -n e rm x", "op run -- rm x",
    "heroku run 'rm x'",
    "vim -c ':!rm x'", "gdb -ex 'shell rm x'", "expect -c 'spawn rm x'", "printf '!rm x\\nq\\n' | ed",
    "psql -c '\\! rm x'",
    "sqlite3 d '.shell rm x'", "sed 's/a/rm x/e' f", "tar cf a b --checkpoint-action=exec='rm x'",
    "rsync -e 'rm x' a b",
    "PAGER='rm x' man ls", "GIT_SSH_COMMAND='rm x' git fetch", "hyperfine 'rm x'", "concurrently 'rm x' ls",
    "coproc rm x",
    "ssh-agent rm x", "gcloud compute ssh v --command='rm x'", "vagrant ssh -c 'rm x'",
    "ansible all -m shell -a 'rm x'",
    "salt '*' cmd.run 'rm x'", "pwsh -Command 'rm x'", "cmd /c 'rm x'", "busybox rm x", "npx -c 'rm x'",
    "pkexec rm x",
    "echo 'rm x' > s.sh; bash s.sh", "cat <<'E' > s.sh\nrm x\nE\nchmod +x s.sh; ./s.sh",
    "echo 'rm x' | tee s.sh; . ./s.sh",
    "sudo env -i nice -n 1 bash -c \"sh -c 'rm x'\"",
]  # fmt: skip


@pytest.mark.parametrize("text", WRAPPED)
def test_what_a_wrapper_runs_is_found(text):
    """The command inside is found as it would run."""
    assert any(one.startswith("rm x") for one in found(text)), found(text)


QUIET = [
    "command -v rm",
    "ssh h",
    "git log",
    "docker ps",
    "tmux attach",
    "crontab -l",
    "bash script.sh",
    "xargs",
    "eval",
    "find . -name x",
]


@pytest.mark.parametrize("text", QUIET)
def test_a_wrapper_without_a_command_runs_nothing_else(text):
    """Only the line itself is found."""
    assert 1 == len(found(text))
