"""The classes of programs that start others: over their input, as a setting, from an editor, as somebody else.

Forms of programs that could be installed were run. What needs a server, a container or a Mac is from the manuals.
"""

from __future__ import annotations

from tests.guard.shell_classes import ShellClass, block

# Why a question is right for some forms, even where they run nothing harmful.
KEPT = "a setting that is kept, or given in the environment, runs its command later and unseen"
PAGER = "a filter in front of every page is rare, and runs with every page"
READ = "which command runs is read, not written"

INPUT = ShellClass(
    "programs that run others over their input",
    block(r"""
«w»find . -maxdepth 0 -exec «words» \;
«w»find . -maxdepth 0 -exec «words» ';'
find . -maxdepth 0 -execdir «words» \;
find . -maxdepth 1 -name README.md -exec sh -c «q:«p»» \;
find . -maxdepth 0 -exec sh -c «q:«p» # "$1"» _ {} \;
find . -maxdepth 0 -type d -exec bash -c «q:«p»» {} +
find «dir» -maxdepth 1 -name «base» -exec «head» {} +
find «dir» -maxdepth 1 -name '«base»' -exec «head» {} \;
find «dir» -maxdepth 1 -name «base» -execdir «head» {} \;
find «dir» -maxdepth 1 -name «base» -exec sh -c '«head» "$0"' {} \;
find «dir» -maxdepth 1 -name «base» -exec sh -c '«head» "$@"' _ {} +
find «dir» -maxdepth 1 -name «base» -exec sh -c 'for f; do «head» "$f"; done' _ {} +
find «dir» -maxdepth 1 -name «base» -print0 | xargs -0 «head»
find «dir» -maxdepth 1 -name «base» | xargs «head»
find «dir» -maxdepth 1 -name «base» | while read -r f; do «head» "$f"; done
yes | find . -maxdepth 0 -ok «words» \;
yes | find . -maxdepth 0 -okdir «words» \;
fd «base» «dir» -d 1 -x «head» {}
fd «base» «dir» -d 1 -x «head»
fd --glob «base» «dir» --exec «head» {}
fd «base» «dir» -X «head» {}
fd «base» «dir» --exec-batch «head»
fd «base» «dir» -d 1 -x «head» {//}/{/}
fd «base» «dir» -x sh -c '«head» {}'
fd README -d 1 -x sh -c «q:«p»»
fd README -X «words»
echo «last» | xargs «head»
echo «last» | «w»xargs -r «head»
echo «last» | xargs -n1 «head»
echo «last» | xargs -t -P2 «head»
echo «last» | xargs -I{} «head» {}
echo «last» | xargs -I % «head» %
echo «last» | xargs -i «head» {}
echo «last» | xargs --replace «head» {}
echo «last» | xargs --replace=X «head» X
echo «last» | xargs -J % «head» %
echo «base» | xargs -I{} «head» «dir»/{}
echo «base» | xargs -I@ sh -c '«head» «dir»/@'
echo «last» | xargs -I{} sh -c '«head» {}'
echo «last» | xargs sh -c '«head» "$0"'
echo «last» | xargs sh -c '«head» "$@"' _
echo «last» | xargs env A=1 «head»
echo «words» | xargs env
echo «rest» | xargs «prog»
echo «q:«p»» | xargs -I{} sh -c {}
echo «q:«p»» | xargs -d '\n' -n1 sh -c
printf '%s\0' «q:«p»» | xargs -0 -I{} bash -c '{}'
echo x | xargs -I% sh -c «q:«p»»
echo x | xargs sh -c «q:«p»»
printf '%s\n' «words» | xargs env
xargs -a README.md sh -c «q:«p»»
xargs «words» < /dev/null
xargs «head» <<< «last»
parallel «head» ::: «last»
parallel «head» {} ::: «last»
parallel -j1 «head» {1} ::: «last»
parallel «head» {.} ::: «last».x
parallel «head» «dir»/{/} ::: x/«base»
parallel «head» {//} ::: «last»/x
parallel -I% «head» % ::: «last»
parallel «q:«p»» ::: x
parallel ::: «q:«p»»
parallel -k «q:«p»; : {}» ::: a b
parallel «head» :::: <(echo «last»)
parallel -a <(echo «last») «head»
echo «last» | parallel «head»
echo «last» | parallel -j2 «head» {}
echo «q:«p»» | parallel
parallel --dry-run ls ::: a; parallel «head» ::: «last»
sem --fg «q:«p»»
«w»watch -n1 «words»
watch -g «q:«p»»
watch --interval 2 «q:«p»»
watch -x sh -c «q:«p»»
timeout 3 watch «q:«p»»
ls | entr -n «words»
ls | entr -ns «q:«p»»
ls README.md | entr -nz sh -c «q:«p»»
find . -name README.md | entr -nr «words»
ls | while read «v»; do «p»; done
ls | while read -r «v»; do «words»; done
echo «last» | while read -r «v»; do «head» "$«v»"; done
echo «last» | while read «v»; do «head» $«v»; done
while read -r «v»; do «head» "$«v»"; done <<< «last»
for «v» in «last»; do «head» $«v»; done
for «v» in «q:«p»»; do eval "$«v»"; done
for «v» in «q:«words»»; do $«v»; done
for «v» in $(echo «last»); do «head» "$«v»"; done
mapfile -t «v» <<< «last»; «head» "${«v»[@]}"
readarray -t «v» < <(echo «last»); «head» "${«v»[0]}"
mapfile -c 1 -C «q:«p» #» «v» <<< x
mapfile -t -c1 -C «q:eval «q:«p»» #» «v» < README.md
«f»() { «p»; }; mapfile -C «f» -c 1 «v» < README.md
readarray -c1 -C «q:«p»;:» «v» < README.md
until «p»; do break; done
case x in *) «p» ;; esac
"""),
    {
        READ: block(r"""
echo «q:«words»» | while read -r «v» «u»; do $«v» $«u»; done
select «v» in a; do «p»; break; done <<< 1
""")
    },
    block(r"""
find . -name '*.py' -exec wc -l {} +
find . -name '*.pyc' -delete
find . -type f -print0 | xargs -0 grep -l TODO
fd -e py -x wc -l
fd . src -X ls -l
git ls-files | xargs wc -l
ls | xargs -n1 echo
ls *.txt | xargs -I{} cp {} {}.bak
parallel echo ::: a b c
parallel gzip ::: a.log b.log
parallel convert {} {.}.png ::: a.jpg
watch -n5 git status
watch kubectl get pods
ls | entr -n make test
while read -r f; do wc -l "$f"; done < list
mapfile -t a < list; echo "${#a[@]}"
for f in *.txt; do echo "$f"; done
find . -name node_modules -prune -o -name '*.js' -print
"""),
)

GIT = ShellClass(
    "git and make run others",
    block(r"""
«w»git -c alias.«g»=«q:!«p»» «g»
git -c alias.«g»='!f() { «p»; }; f' «g»
git rebase -x «q:«p»» HEAD~1
git rebase --exec «q:«p»» HEAD~1
git rebase --exec=«q:«p»» HEAD~1
GIT_EDITOR=: git rebase -i -x «q:«p»» HEAD~2
git bisect start HEAD HEAD~2; git bisect run «words»
git bisect start HEAD HEAD~2 && git bisect run sh -c «q:«p»»
git submodule foreach «q:«p»»
git submodule foreach --recursive «q:«p»»
git submodule --quiet foreach «words»
git -c core.sshCommand=«q:«p»;:» fetch ssh://h/x
git -c core.sshCommand=«q:sh -c «q:«p»»» ls-remote ssh://h/x
GIT_SSH_COMMAND=«q:«p»;:» git fetch ssh://h/x
GIT_SSH_COMMAND=«q:«p» #» git clone git@h:x y
export GIT_SSH_COMMAND=«q:«p»;:»; git ls-remote git@h:x
git clone -u «q:«p»;:» . «f»-copy
git clone --upload-pack=«q:«p»;:» . «f»-copy
git clone --upload-pack «q:«p»;:» . «f»-copy
git fetch --upload-pack=«q:«p»;:» .
git ls-remote --upload-pack=«q:«p»;:» .
git ls-remote --exec=«q:«p»;:» .
git push --receive-pack=«q:«p»;:» /tmp/x
git push --exec=«q:«p»;:» .
git archive --remote=. --exec=«q:«p»;:» HEAD
git -c protocol.ext.allow=always clone «q:ext::«words»» «f»-copy
git -c protocol.ext.allow=always ls-remote «q:ext::«words»»
git -c protocol.ext.allow=always fetch «q:ext::sh -c «percent:«p»»»
GIT_ALLOW_PROTOCOL=ext git clone «q:ext::«words»» x1
git grep -O«q:«p»;:» x
git grep --open-files-in-pager=«q:«p»;:» x
git -c core.fsmonitor=«q:«p»;:» status
git -c diff.external=«q:«p»;:» diff
GIT_EXTERNAL_DIFF=«q:«p»;:» git diff
git difftool -y -x «q:«p»;:»
git difftool --no-prompt --extcmd=«q:«p»;:»
git -c core.editor=«q:«p»;:» commit --allow-empty
GIT_EDITOR=«q:«p»;:» git commit --allow-empty
EDITOR=«q:«p»;:» git commit --amend
VISUAL=«q:«p»;:» git tag -a v9
git -c sequence.editor=«q:«p»;:» rebase -i HEAD~1
GIT_SEQUENCE_EDITOR=«q:«p»;:» git rebase -i HEAD~1
git -c credential.helper=«q:!«p»;:» credential fill <<< url=https://x.example
git -c filter.z.clean=«q:«p»;cat» -c core.attributesFile=<(echo '* filter=z') add f
git -c 'include.path=/dev/null' -c alias.z=«q:!«p»» z
«w»make --eval=«q:$(shell «p»)»
make --eval «q:$(shell «p»)» -n
make --eval=«q:x := $(shell «p»)»
make --eval=«q:zz:;«p»» zz
make --eval «q:zz: ; @«p»» zz
make -E «q:$(shell «p»)»
make -f - <<'«d»'⏎zz:⏎⇥«p»⏎«d»
printf 'zz:\n\t%s\n' «q:«p»» | make -f -
printf 'zz:\n\t@%s\n' «q:«p»» > Makefile; make
echo «q:$(shell «p»)» | make -f -
cat > mk <<'«d»'⏎zz:⏎⇥@«p»⏎«d»⏎make -f mk zz
make --eval=«q:$(info $(shell «p»))»
"""),
    {
        KEPT: block(r"""
git config alias.«g» «q:!«p»»; git «g»
git config --local alias.«g» «q:!«p»» && git «g» x
git config core.fsmonitor «q:«p»;:»; git status
git config diff.external «q:«p»;:»; git diff
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0=«q:!«p»» git z
Z=«q:!«p»» git --config-env=alias.z=Z z
"""),
        "a pager or an editor given as a setting is rare and runs with every command": block(r"""
script -qc «q:git -c core.pager=«q:«p»;cat» -p log» /dev/null
script -qc «q:GIT_PAGER=«q:«p»;cat» git log» /dev/null
script -qec «q:PAGER=«q:«p»;cat» git log» /dev/null
"""),
    },
    block(r"""
git -c user.name=a -c user.email=a@b commit -m x
git -c core.pager=cat log
GIT_PAGER=cat git log
git config alias.st status
git -c alias.l='log --oneline' l
git rebase -x 'make test' main
git bisect run make test
git submodule foreach git pull
git submodule update --init --recursive
git grep -n TODO
GIT_EDITOR=true git rebase --continue
GIT_SSH_COMMAND='ssh -i key' git fetch
git -c core.sshCommand='ssh -i key' fetch
git clone https://github.com/a/b
make -f other.mk test
make -j4 CC=gcc all
make --eval 'print-%: ; @echo $($*)' print-CC
git difftool -y -x diff
git ls-remote --heads origin
git commit -m 'use git -c alias.x="!rm -rf ~" never'
"""),
)

TOOLS = ShellClass(
    "archivers, pagers and editors that run others",
    block(r"""
«w»tar cf /dev/null README.md --checkpoint=1 --checkpoint-action=exec=«q:«p»»
tar -cf x2.tar . --checkpoint=1 --checkpoint-action «q:exec=«p»»
tar xf x.tar --to-command=«q:«p»»
tar -x -f x.tar --to-command «q:«p»»
tar -cf x2.tar README.md -I «q:sh -c «q:«p»»»
tar --use-compress-program=«q:sh -c «q:«p»»» -cf x2.tar README.md
tar -I «q:«words»» -cf x2.tar README.md
head -c 99999 /dev/zero > big; tar -cML 10 -f x2.tar -F «q:«p»; exit 1» big
rsync -e «q:sh -c «?«sq:«p»»¦"«p»"»» h:x .
rsync -a --rsh=«q:sh -c «?«sq:«p»»¦"«p»"»» h:x .
RSYNC_RSH=«q:sh -c «?«sq:«p»»¦"«p»"»» rsync h:x .
zip y.zip README.md -T -TT «q:«p»;:»
zip -T --unzip-command=«q:«p»;:» y.zip README.md
printf '#!/bin/sh\n%s\n' «q:«p»» > x.sh; chmod +x x.sh; rg --pre ./x.sh x
printf '#!/bin/bash\n%s\n' «q:«p»» > x.sh; chmod 755 x.sh; rg --pre=./x.sh x README.md
split --filter=«q:«p»» README.md
split -l1 --filter «q:«p»; cat» README.md
sort --compress-program=./x.sh -S 1 README.md; split -n l/1 --filter=«q:«p»» README.md
«w»vim -es -c «q::!«p»» -c q
vim -es -c «q:!«p»» -c 'q!'
vim -es +«q:!«p»» +q
vim -Es --cmd «q:!«p»» -c q
vim -es -c «q:call system("«p»")» -c q
vim -es -c «q:silent !«p»» -c q
vim -es -c «q:r !«p»» -c q
vim -es -c «q:exe "!«p»"» -c q
vim -es -c «q:let x = system('«p»')» +q!
ex -s -c «q:!«p»» -c q
ex -s README.md <<'«d»'⏎!«p»⏎q⏎«d»
vi -es -c «q::!«p»» -c q
view -es -c «q:!«p»» -c q
vim -es -S <(echo «q:!«p»») -c q
vim -es -u <(echo «q:!«p»») -c q
echo «q:!«p»» | ex -s
printf '%s\nq\n' «q:!«p»» | ed -s
ed -s <<< «q:!«p»»
ed -s README.md <<'«d»'⏎r !«p»⏎q⏎«d»
ed <<'«d»'⏎!«p»⏎«d»
printf '1,$w !sh\nq\n' | ed -s <(echo «q:«p»»)
«w»gdb -batch -ex «q:shell «p»»
gdb -batch -ex «q:!«p»»
gdb --batch --eval-command=«q:shell «p»»
gdb -nx -batch -ex «q:python import os; os.system("«p»")»
gdb -batch -iex «q:shell «p»»
gdb -batch -x <(echo «q:shell «p»»)
"""),
    {
        PAGER: block(r"""
LESSOPEN=«q:|«p» # %s» less README.md < /dev/null | cat
LESSOPEN=«q:|-«p»; : %s» less -F README.md | cat
"""),
        "a pager that is a command of its own is rare": block(r"""
script -qc «q:man -P «q:sh -c «q:«p»»» ls» /dev/null
script -qc «q:MANPAGER=«q:sh -c «q:«p»»» man ls» /dev/null
script -qc «q:PAGER=«q:sh -c «q:«p»»» man ls» /dev/null
yes '' | script -qc «q:less '+!«p»' README.md» /dev/null
nvim --headless -c «q:!«p»» -c q
nvim -es +«q:!«p»» +q
lldb -b -o «q:platform shell «p»»
"""),
    },
    block(r"""
tar czf x.tgz src
tar -I zstd -cf x.tar.zst src
tar xf x.tar --checkpoint=100 --checkpoint-action=dot
tar xf x.tar --to-command=cat
rsync -av -e ssh src/ h:src/
rsync -e 'ssh -p 2222' -a src h:
rg --pre cat x
rg -n 'rm -rf ~' src
man -P cat ls
PAGER=cat man ls
less +G app.log
vim -es -c '%s/a/b/' -c wq f
vim +12 f
vim -c 'set nu' f
ex -s -c '%s/a/b/|x' f
ed -s f <<< $'1,$s/a/b/\nw\nq'
gdb -batch -ex bt ./a.out core
gdb -ex run --args ./a.out
split -b 1M x.bin
split --filter='gzip > $FILE.gz' x
zip -r x.zip src
zip -T x.zip
"""),
)

STARTERS = ShellClass(
    "programs that start others as something else",
    block(r"""
env -S «q:«words»»
env -S«q:«words»»
env --split-string=«q:«words»»
env -i -S «q:«words»»
env A=1 B=2 «words»
env -u HOME «words»
env -C . «words»
env - PATH=/usr/bin:/bin «words»
script -c «q:«p»» /dev/null
script -qec «q:«p»» /dev/null
script --command=«q:«p»» -q /dev/null
flock /tmp/l -c «q:«p»»
flock -n /tmp/l «words»
flock /tmp/l sh -c «q:«p»»
ssh -o ProxyCommand=«q:«p»» h ls
ssh -oProxyCommand=«q:«p»;:» h ls
ssh -o «q:ProxyCommand «p»» h ls
scp -o ProxyCommand=«q:«p»» a h:
sftp -o ProxyCommand=«q:«p»» h
ssh -o PermitLocalCommand=yes -o LocalCommand=ls -o ProxyCommand=«q:«p»» h ls
su -c «q:«p»»
su root -c «q:«p»»
su - root --command=«q:«p»»
su -s /bin/bash root -c «q:«p»»
echo «q:«p»» | su
runuser -u root -- «words»
runuser root -c «q:«p»»
sudo «words»
sudo -u root «words»
sudo -n -E -- «words»
sudo A=1 «words»
sudo sh -c «q:«p»»
sudo -s «words»
sudo bash <<< «q:«p»»
echo «q:«p»» | sudo sh
echo «q:«p»» | sudo -n bash -s
setpriv --reuid=0 «words»
setpriv --no-new-privs sh -c «q:«p»»
unshare «words»
unshare -m sh -c «q:«p»»
unshare --fork --pid «words»
nsenter -t 1 -m «words»
nsenter --target 1 --mount sh -c «q:«p»»
chroot / «words»
chroot / sh -c «q:«p»»
chroot --userspec=0 / «words»
busybox sh -c «q:«p»»
busybox env «words»
echo «q:«p»» | busybox sh
strace -f «words»
strace -o /dev/null sh -c «q:«p»»
strace -qq -e trace=none «words»
ltrace -o /dev/null «words»
xvfb-run «words»
xvfb-run -a sh -c «q:«p»»
timeout 5 «words»
timeout -s KILL 5 sh -c «q:«p»»
nohup «words» &
nohup sh -c «q:«p»» > /dev/null 2>&1 &
nice -n 19 ionice -c3 «words»
setsid -w «words»
stdbuf -o0 «words»
taskset -c 0 «words»
chrt -b 0 «words»
prlimit --nofile=100 «words»
setarch -R «words»
linux64 «words»
choom -n 0 -- «words»
time «words»
command «words»
builtin command «words»
exec «words»
builtin eval «q:«p»»
rlwrap «words»
unbuffer «words»
chronic «words»
ifne «words» <<< x
ts < <(«p»)
/lib64/ld-linux-x86-64.so.2 /bin/«prog» «rest»
/usr/bin/env «words»
start-stop-daemon --start --exec /bin/sh -- -c «q:«p»»
tmux new-session -d «q:«p»»
tmux -L z new -d «words»
screen -dm «words»
screen -dmS z sh -c «q:«p»»
dbus-run-session -- «words»
systemd-run --user «words»
systemd-run --scope sh -c «q:«p»»
systemd-run -t -- «words»
systemd-inhibit «words»
ssh h «words»
ssh h «q:«p»»
ssh -t user@h sudo «words»
ssh host sh -c «q:«q:«p»»»
docker exec web «words»
docker exec -it web sh -c «q:«p»»
docker compose exec web sh -c «q:«p»»
kubectl exec pod -- «words»
kubectl exec -it pod -c app -- sh -c «q:«p»»
pkexec «words»
doas «words»
run0 «words»
cpulimit -l 50 -- «words»
caffeinate -i «words»
fakeroot «words»
faketime '1 day ago' «words»
perf stat «words»
valgrind «words»
hyperfine «q:«p»»
hyperfine --prepare «q:«p»» ls
gosu root «words»
tini -- «words»
dumb-init «words»
firejail «words»
proot «words»
"""),
    {
        "the root of the host inside a container gives it everything": block(r"""
docker run --rm -v /:/host alpine chroot /host «words»
docker run -v /:/host alpine chroot /host sh -c «q:«p»»
docker run --privileged --pid=host alpine nsenter -t 1 -m «words»
docker run --mount type=bind,src=/,dst=/host alpine chroot /host «words»
podman run -v /:/host:rw alpine chroot /host sh -c «q:«p»»
"""),
        "what runs later, or with another library, is not seen again": block(r"""
echo «q:«p»» | at now
at now <<< «q:«p»»
echo «q:* * * * * «p»» | crontab -
batch <<'«d»'⏎«p»⏎«d»
"""),
    },
    block(r"""
env -S 'ls -la'
env | sort
env -i bash --noprofile -c 'echo hi'
script -c 'make test' build.log
flock /tmp/l make
ssh -o ProxyCommand='nc -X 5 -x proxy:1080 %h %p' h ls
ssh -o ProxyCommand='ssh -W %h:%p jump' h ls
ssh -J jump h uptime
sudo apt-get update
sudo -u postgres psql -c 'select 1'
su - postgres -c 'psql -l'
strace -f -e openat ls
timeout 60 npm test
nohup npm start &
busybox ls
docker run --rm -v "$PWD":/app node npm test
docker exec web ls /app
xvfb-run npm test
nice -n 10 make -j4
systemctl status nginx
time make
unshare -r id
hyperfine 'ls'
"""),
)

ABBREVIATED = ShellClass(
    "abbreviated options",
    block(r"""
«w»rm «ab:--r~ecursive» «ab:--f~orce» «tree»
«w»rm «ab:--rec~ursive» «ab:--for~ce» «tree»
rm «ab:--f~orce» «tree» «ab:--r~ecursive»
rm -f «ab:--recu~rsive» «tree»
rm «ab:--verb~ose» «ab:--re~cursive» «ab:--fo~rce» -- «tree»
env «ab:--s~plit-string»=«q:rm -rf «tree»»
env «ab:--s~plit-string» «q:rm «ab:--r~ecursive» «ab:--f~orce» «tree»»
echo «tree» | xargs «ab:--rep~lace» rm -rf {}
echo «tree» | xargs «ab:--max-a~rgs» 1 rm -rf
echo «tree» | xargs «ab:--no-r~un-if-empty» rm -rf
timeout «ab:--k~ill-after»=1 5 rm -rf «tree»
timeout «ab:--sig~nal» KILL 5 rm «ab:--r~ecursive» «ab:--f~orce» «tree»
nice «ab:--adj~ustment»=5 rm -rf «tree»
stdbuf «ab:--o~utput»=L rm -rf «tree»
setsid «ab:--w~ait» rm -rf «tree»
script «ab:--com~mand»=«q:rm -rf «tree»» /dev/null
script «ab:--q~uiet» «ab:--com~mand» «q:rm -rf «tree»» /dev/null
su «ab:--com~mand»=«q:rm -rf «tree»»
su root «ab:--com~mand» «q:rm -rf «tree»»
unshare «ab:--fo~rk» «ab:--pi~d» rm -rf «tree»
chroot «ab:--us~erspec»=0 / rm -rf «tree»
tar «ab:--to-c~ommand»=«q:rm -rf «tree»» -xf x.tar
tar -cf x2.tar README.md --checkpoint=1 «ab:--checkpoint-~action»=«q:exec=rm -rf «tree»»
tar «ab:--use-~compress-program»=«q:sh -c «q:rm -rf «tree»»» -cf x2.tar README.md
split «ab:--fi~lter»=«q:rm -rf «tree»» README.md
make «ab:--ev~al»=«q:$(shell rm -rf «tree»)»
make «ab:--ev~al» «q:zz: ; rm -rf «tree»» zz
sed «ab:--exp~ression»=«q:1e rm -rf «tree»» README.md
gawk «ab:--so~urce»=«q:BEGIN{system("rm -rf «tree»")}»
git rebase «ab:--exe~c»=«q:rm -rf «tree»» HEAD~1
git clone «ab:--upl~oad-pack»=«q:rm -rf «tree»;:» . y1
git ls-remote «ab:--upl~oad-pack»=«q:rm -rf «tree»;:» .
git grep «ab:--open~-files-in-pager»=«q:rm -rf «tree»;:» x
find «tree» -maxdepth 0 -exec rm «ab:--r~ecursive» «ab:--f~orce» {} +
echo «tree» | xargs rm «ab:--r~ecursive» «ab:--f~orce»
sh -c «q:rm «ab:--r~ecursive» «ab:--f~orce» «tree»»
"""),
    {
        READ: block(r"""
xargs «ab:--arg-f~ile»=<(echo «tree») rm -rf
""")
    },
    block(r"""
rm --verb a.txt
rm --interact=once *.tmp
ls --recurs
ls --al --human
grep --recurs --line-n TODO src
cp --recurs src dst
git push --dry-run --force
git clean --dry -d
git commit --mess x
git branch --li
git checkout --tr origin/x
tar --creat --file=x.tar src
tar --ext --fil x.tar
sort --uni x
wc --lin x
head --lin 3 x
xargs --max-a 1 echo
timeout --sig KILL 5 npm test
env --ign ls
du --hum --max-d 1
"""),
)

GIT_ABBREVIATED = ShellClass(
    "abbreviated options of git and others",
    block(r"""
git push «ab:--mir~ror» «?-q¦-v¦--tags» origin
chmod «ab:--rec~ursive» 000 «tree»
chmod «ab:--verb~ose» «ab:--rec~ursive» a-rwx «tree»
chown «ab:--rec~ursive» nobody «tree»
git push «?¦-q¦-v» origin «ab:--del~ete» main
git push «ab:--del~ete» origin «?main¦master¦release»
git push «ab:--mir~ror» «?¦origin¦backup»
git push origin «ab:--pru~ne» 'refs/heads/*:refs/heads/*'
git reset «ab:--ha~rd»
git reset «ab:--ha~rd» «?HEAD¦HEAD~1¦HEAD~3¦main»
git reset -q «ab:--ha~rd» HEAD~«n»
git -C . reset «ab:--ha~rd» HEAD~«n»
git clean «ab:--f~orce» -d
git clean -d -x «ab:--f~orce»
git clean «ab:--q~uiet» «ab:--f~orce» -dx
git branch «ab:--del~ete» «ab:--forc~e» «?main¦master¦feature¦release»
git checkout «ab:--for~ce» .
git checkout «ab:--for~ce» HEAD~«n»
git switch «ab:--disc~ard-changes» main
git worktree remove «ab:--f~orce» ../«f»
git gc «ab:--pru~ne»=now
git reflog expire --expire=now «ab:--al~l»
git reflog expire «ab:--expire-~unreachable»=now --all
git submodule deinit --force «?--all¦.»; git reset «ab:--ha~rd»
truncate «ab:--s~ize»=0 prod.db
truncate «ab:--s~ize» 0 «?prod.db¦data.sqlite¦/var/lib/app.db»
shred «ab:--rem~ove» prod.db
shred «ab:--it~erations»=«n» «ab:--z~ero» /dev/sda
wipefs «ab:--a~ll» /dev/sda
wipefs «ab:--a~ll» «ab:--f~orce» /dev/sd«?b¦c¦d»
blkdiscard «ab:--f~orce» /dev/sda
mkswap «ab:--fo~rce» /dev/sda
psql «ab:--com~mand»='drop database «?prod¦app¦main»'
psql app «ab:--com~mand» 'drop table users cascade'
mysql «ab:--exec~ute»='drop database «?prod¦app»'
userdel «ab:--rem~ove» «?ann¦bob¦deploy»
tar -cf x.tar src «ab:--remove-f~iles»
"""),
    {},
    (),
    block(r"""
git push «ab:--dr~y-run» --force
git push «ab:--fol~low-tags»
git push «ab:--set-u~pstream» origin topic
git push «ab:--q~uiet» «?origin¦origin topic»
git reset «ab:--so~ft» HEAD~1
git reset «ab:--mi~xed»
git clean «ab:--dr~y-run» -fd
git branch «ab:--li~st» «?a*¦x*¦feature/*»
git branch «ab:--show-c~urrent»
git status «ab:--shor~t»
git fetch «ab:--al~l»
git commit «ab:--mess~age» «f»
git commit «ab:--verb~ose» -m «f»
git gc «ab:--aut~o»
git reflog
tar «ab:--cre~ate» --file=x.tar src
tar «ab:--lis~t» --file=x.tar
psql «ab:--com~mand»='select «n»'
mysql «ab:--exec~ute»='show tables'
curl «ab:--sil~ent» https://example.com/«f»
rm «ab:--verb~ose» «?a.txt¦x.tmp¦notes.bak»
ls «ab:--rec~ursive» src
sort «ab:--uni~que» list
"""),
)

RUNNERS = (INPUT, GIT, TOOLS, STARTERS, ABBREVIATED, GIT_ABBREVIATED)
