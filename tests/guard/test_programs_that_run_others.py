"""Programs that run what their options, settings, input and files tell them to."""

from __future__ import annotations

import pytest

from tacit.guard.judge import judge

RUNNING = r"""
make -f - <<'E'⏎.RECIPEPREFIX = >⏎all:⏎> rm -rf ~⏎E
printf 'X=rm -rf ~\nall:\n\t$(X)\n' | make -f -
make -f - <<'E'⏎all:⏎⇥rm \⏎⇥-rf ~⏎E
make -f - <<'E'⏎x != rm -rf ~⏎E
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0='!rm -rf ~'; git z
GIT_CONFIG_PARAMETERS="'alias.z=!rm -rf ~'" git z
git clone -u'rm -rf ~;:' . x
tar -cf x.tar . -I'sh -c "rm -rf ~"'
su postgres -c 'ls' --command 'rm -rf ~'
ssh -o 'LocalCommand rm -rf ~' h
ssh -o 'proxycommand = rm -rf ~' h
watch --exec sh -c 'rm -rf ~'
readarray -c 1 -C 'rm -rf ~; :' x < f
parallel rm -rf {//} ::: /etc/x
parallel git push {2} ::: origin ::: --force
hyperfine --setup 'rm -rf ~' ls
setarch x86_64 -R rm -rf ~
vim -es -c "execute ':!rm -rf ~'" -c q
vim -c 'call systemlist("rm -rf ~")'
lldb -b --one-line 'platform shell rm -rf ~'
echo xrm -rf ~ | sed 's/x//;e'
expect -c 'spawn sh -c {rm -rf ~}'
C='rm -rf ~' awk 'BEGIN{system(ENVIRON["C"])}'
echo 'a ~' | awk '{system("rm -rf " $NF)}'
python3 -c 'import os; vars(os)["system"]("rm -rf ~")'
python3 -c 'import os; os.__getattribute__("sys" + "tem")("rm -rf ~")'
python3 -c 'import os; [os.system(c) for c in ["ls", "rm -rf ~"]]'
ruby -e 'system("cp s.json ~/.claude/settings.json")'
ruby -e 'puts "#{`rm -rf ~`}"'
perl -e 'print "@{[`rm -rf ~`]}"'
exec 3< <(echo 'rm -rf ~'); bash /dev/fd/3
eval 'coproc bash; echo "rm -rf ~" >&"${COPROC[1]}"'
cat <<A; sh <<B⏎x⏎A⏎rm -rf ~⏎B
cat <<EOF⏎⇥EOF⏎x⏎EOF⏎rm -rf ~
cat <<EOF⏎\\$(rm -rf ~)⏎EOF
""".strip().splitlines()  # fmt: skip

QUIET = r"""
make -f - <<'E'⏎all:⏎⇥gcc -o $@ $< $(CFLAGS)⏎E
printf 'all:\n\tgit status\n' > Makefile; make
git -c core.editor="$EDITOR" commit
git push --dry- --force
git clean --dr -fd
git rm --cach -rf .
find __pycache__ -maxdepth 0 -exec rm -rf {} +
tar -Izstd -cf x.tar src
ssh -o 'StrictHostKeyChecking no' h ls
scp -o Port=22 a h:
watch -x ls -la
mapfile -t x < list
parallel convert {} {.}.png ::: a.jpg
setarch -R ls
sed -n '1,5p' f
expect -c 'spawn ls {a b}'
awk 'BEGIN{print "ls" | "sh"}'
python3 -c 'import subprocess; subprocess.run("ls -la".split())'
python3 -c 'd = {"a": print}; d["a"]("hi")'
cat <<A; ls⏎rm -rf ~⏎A
cat <<EOF⏎⇥EOF⏎rm -rf ~⏎EOF
cat <<EOF⏎\$(rm -rf ~)⏎EOF
chown -R nobody:nogroup /var/log/redis
""".strip().splitlines()  # fmt: skip


def _line(text: str) -> str:
    return text.replace("⏎", "\n").replace("⇥", "\t")


@pytest.mark.parametrize("line", RUNNING)
def test_what_a_program_runs_is_judged(line: str) -> None:
    """However it is told to the program."""
    assert judge(_line(line)).verdict != "allow"


@pytest.mark.parametrize("line", QUIET)
def test_the_way_alone_is_no_reason_to_stop(line: str) -> None:
    """The same ways with harmless commands, or with texts that nothing runs."""
    assert "allow" == judge(_line(line)).verdict
