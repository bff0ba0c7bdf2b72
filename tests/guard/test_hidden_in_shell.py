"""Lines that hide what they run: in another separator, a copied program, a written script, a decoded text."""

import pytest

from tacit.guard.judge import judge


@pytest.mark.parametrize(
    "line",
    ["IFS=,;c='rm,-rf,/srv';$c", "IFS=:; x=rm:-rf:/etc; $x", "env -i PATH=/bin -S'rm -rf /srv'",
     "capsh -- -c 'rm -rf /srv'",
     "find /srv -type f -execdir rm {} +", "find src -exec rm {} +", "find ~ -exec chmod a-rwx {} +",
     "find /etc -type f -exec chown me {} \\;",
     "printf 'import shutil\\nshutil.rmtree(\"/srv\")\\n' > t.py; python3 t.py",
     "echo 'require(\"fs\").rmSync(\"/srv\", {recursive: true})' > x.js && node x.js",
     "cp /bin/rm ./ls2 && ./ls2 -rf /srv", "ln -s /bin/rm /tmp/lsx; /tmp/lsx -rf /srv", "zsh -c '=rm -rf /srv'",
     "sponge src/main.py < /dev/null", "tee src/*.ts < /dev/null", "echo 1 > /sys/block/sda/device/delete"],
)  # fmt: skip
def test_what_runs_is_judged_not_what_is_written(line):
    """A separator, a copy or a script that the line itself makes changes nothing."""
    assert "deny" == judge(line).verdict


@pytest.mark.parametrize(
    "line",
    ["x='$(rm -rf /srv)'; echo ${x@P}", "printf %s 'ls' | rev | sh", "echo bHM= | base64 -d | bash",
     "alias ll='rm -rf'\nll ~/x",
     "find . -name '*.py' -fprintf x.sh 'rm -rf %p\\n' ; sh x.sh", "ls | while read x; do unlink $x; done",
     "git ls-files | xargs rm",
     "rm $(cat list)", "enable -f ./x.so x", "fallocate -p -l 1G db.img", "zip -rm out.zip src",
     "claude -p 'rm -rf src'",
     "ln -s /dev/zero notes.md", "xdg-open 'data:text/html,x'"],
)  # fmt: skip
def test_what_is_only_known_when_it_runs_is_not_allowed(line):
    """A person is asked, or the guard says that it cannot tell."""
    assert "allow" != judge(line).verdict


@pytest.mark.parametrize(
    "line", ["bash", "bash -i", "sh", "zsh -l", "sudo -s", "sudo bash", "ssh h", "ssh -i k h", "fish"]
)
def test_a_shell_that_waits_for_input_is_asked_about(line):
    """What is typed into it later reaches no hook."""
    assert "shell.interactive" == judge(line).rule


@pytest.mark.parametrize(
    "line",
    ["bash x.sh", "bash -c ls", "bash --version", "ssh h ls", "ssh -N -L 1:x:2 h", "ssh -G h", "echo ls | bash",
     "bash < x.sh",
     "docker exec -it c bash", "python", "psql", "IFS=, read -r a b <<< x,y; echo $a", "cp a b && ./b",
     "alias ll='ls -l'",
     "while read -r f; do echo \"$f\"; done < list", "find . -name '*.orig' -exec rm {} \\;",
     "find . -name '*.o' | xargs rm",
     "claude -p 'explain what rm -rf does'", "echo 'print(1)' > t.py; python3 t.py", "tee out.log < in.log"],
)  # fmt: skip
def test_everyday_lines_of_the_same_form_are_allowed(line):
    """The form alone is no reason to stop."""
    assert "allow" == judge(line).verdict
