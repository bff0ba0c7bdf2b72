"""R15, L9: what a shell reads in a line is judged, and nothing else."""

import pytest

from tacit.guard.judge import judge
from tacit.guard.verdict import CommandLocation

PLACE = CommandLocation("/home/dev/shop", "/home/dev", "/home/dev/shop", "/home/dev/.tacit")


@pytest.mark.parametrize("command", [
    "cat x | sort | head\nrm -rf ~ > /dev/null", "cat x | sort | head # note\nrm -rf ~ > /dev/null",
    "a | b | c\n\n# note\nrm -rf ~ 2>/dev/null", "echo $(a | b | c\nrm -rf ~ > f)",
    "for i in 1; do (true) done; rm -rf ~",
    "cat <<EOF\nhi\nEOF\nrm -rf ~", "{ if true; then echo x; fi } && rm -rf ~",
])  # fmt: skip
def test_a_command_ends_with_its_line(command):
    """After three piped commands, the grammar read a next line with a redirection as arguments."""
    assert "rm.home" == judge(command, PLACE).rule


@pytest.mark.parametrize("command", [
    "cat > a.ts <<'EOF'\nconst x = `a ${b}`;", "cat > x.sh << 'SCRIPT'\nrm -rf ~\nSCRIPT",
    "for d in */; do (cd $d; ls) done",
    "cat <<'EOF' > a.md\n```sh\nrm -rf ~\n```\nEOF", "git log | head -3 | tail -1\n# a note: it's fine\nls > out.txt",
])  # fmt: skip
def test_text_in_a_document_is_no_command(command):
    """L9: template literals in a quoted here-document; a document may end with the text."""
    assert "allow" == judge(command, PLACE).verdict


@pytest.mark.parametrize(("line", "verdict"), [
    ("fish -c 'rm -rf ~'", "deny"), ("fish -c 'for f in a b; rm -rf ~/$f; end'", "deny"),
    ("fish -c 'echo (rm -rf ~)'", "deny"),
    ("fish -c 'set d ~; rm -rf $d'", "deny"), ("fish -c 'begin; git push --force; end'", "deny"),
    ("fish -c 'if true; rm -rf ~; end'", "deny"), ("fish -c 'function f; rm -rf ~; end; f'", "deny"),
    ("fish -lc 'for p in $PATH; printf \"%s\\n\" $p; end'", "allow"),
    ("fish -c 'set out (complete -C \"git \"); count $out'", "allow"),
    ("fish -c 'command -q grc; and echo yes; or echo no'", "allow"),
])  # fmt: skip
def test_fish_is_read_as_fish(line, verdict):
    assert verdict == judge(line, PLACE).verdict


@pytest.mark.parametrize(("line", "verdict"), [
    ("cd /tmp && rm -rf x", "allow"), ("cd /tmp; rm -rf x", "allow"), ("cd /tmp/x && rm -rf y", "allow"),
    ("(cd /tmp); rm -rf src", "deny"), ("cd /tmp | rm -rf src", "deny"), ("cd /tmp & rm -rf src", "deny"),
    ("x=$(cd /tmp; pwd); rm -rf src", "deny"), ("f() { cd /tmp; }; rm -rf src", "deny"), ("cd .. && rm -rf shop",
    "deny"),
    ("cd /tmp/x && ls; rm -rf src", "deny"), ("cd /tmp && cd - && rm -rf src", "deny"), ("cd /tmp || rm -rf src",
    "deny"),
    ("if cd /tmp/x; then ls; fi; rm -rf src", "deny"),
])  # fmt: skip
def test_where_a_command_runs_after_cd(line, verdict):
    assert (verdict == "allow") == (judge(line, PLACE).verdict == "allow")


@pytest.mark.parametrize("command", [
    "~/go/bin/swag init", '"$HOME/bin/tool" status', "bash ~/dotfiles/x.sh", 'bash "$HOME/x.sh" a', "bash -n x.sh",
    'bash -n "$SCRIPT_DIR/x.sh"', "sed -n '1,9p' 'routes/$projectId_/evals/$id.tsx'",
    "python3 -c 'import asyncio; asyncio.run(main())'",
    "tmp=$(mktemp -d); trap 'rm -rf \"$tmp\"' EXIT", 'rm -rf "$(mktemp -d)"', "ssh -T git@github.com",
    "git checkout --ours a.py",
    "git rm -r --cached .claude", "node -e 'x' \"$(cat f)\"", "chmod +x ~/.claude/hooks/x.sh",
    "cp /etc/nginx/a.conf /etc/nginx/a.conf.bak",
    "source <(kubectl completion bash)", "source <(tool completion zsh)", "docker run --rm alpine rm -rf /tmp/x",
    "psql -c 'BEGIN; DELETE FROM users WHERE id=3; ROLLBACK;'", 'psql -c "EXPLAIN DELETE FROM a WHERE b"',
])  # fmt: skip
def test_harmless_forms_of_real_sessions_are_quiet(command):
    """L9 and the false denies of the trials."""
    assert "allow" == judge(command, PLACE).verdict


@pytest.mark.parametrize("command", [
    '"$HOME/bin/rm" -rf ~', "bash -n +n -c 'rm -rf ~'", "sed x -e '1e rm -rf ~'", "sed -ne 's/a/rm -rf ~/e' f",
    "$X/bin/rm -rf ~",
    "hash -p /bin/rm ls; ls -rf ~", "declare -n r=x; r='rm -rf ~'; $x", "a='b[$(rm -rf ~)]'; echo $((a))",
    "make --eval='x:;rm -rf ~'",
    "make -n --eval='$(shell rm -rf $(HOME))'", "git clone 'ext::sh -c rm% -rf% ~'", "git clone -u 'rm -rf ~' x",
    "git grep -O'rm -rf ~' x",
    "less '+!rm -rf ~' x", "source /dev/stdin <<< 'rm -rf ~'", "TF_CLI_ARGS_apply=-destroy terraform apply",
    "rg --pre rm . ~/x",
    "perl -e 'system(qw(rm -rf /home))'", "ruby -e 'system(%w[rm -rf /home])'", "lua -e 'os.execute([[rm -rf ~]])'",
    "awk 'BEGIN{system(\"rm -rf \" ENVIRON[\"HOME\"])}'", "julia -e 'rm(homedir(), recursive=true)'",
    "perl -i -ne '' src/*.py",
    "node --eval='require(\"child_process\").execSync(\"rm -rf ~\")'",
    "groovy -e '[\"rm\",\"-rf\",\"/srv\"].execute()'",
    "emacs --batch --eval '(delete-directory \"~/work\" t)'", "psql -c \"COPY (SELECT 1) TO PROGRAM 'rm -rf /var'\"",
    "redis-cli EVAL \"return redis.call('flush'..'all')\" 0", "python manage.py shell -c 'X.objects.all().delete()'",
    "psql -c 'BEGIN; DELETE FROM users; COMMIT;'", "psql -c 'EXPLAIN ANALYZE DELETE FROM users'",
])  # fmt: skip
def test_what_really_runs_is_never_silent(command):
    """R15."""
    assert "allow" != judge(command, PLACE).verdict
