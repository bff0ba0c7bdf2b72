"""The classes: forms in which bash, and the programs it starts, run a command that is not where a command stands.

Every form was run by a real bash, with a command that leaves a mark, before it was written down here.
"""

from __future__ import annotations

from tests.guard.shell_classes import ShellClass, block

# Why a question is right for some forms, even where they run nothing harmful.
MADE_TO_RUN = "honest lines do not make a text into a command this way"
REFERRED = "which variable a reference names may only be known when the line runs"
RENAMED = "a name that is made to run something else makes everything after it doubtful"
UNUSUAL = "honest lines are not written this way, so that not understanding them costs nothing"
FILTERED = "honest lines do not send a fixed text through a filter to run it"
DECODING = "a text that is only made while the line runs is worth a question whatever it says"

TRANSFORMED = ShellClass(
    "transformations",
    block(r"""
echo "${«v»_:-$(«p»)}"
: ${«v»_:=`«p»`}
«v»=1; echo ${«v»:+$(«p»)}
: "${«v»_?$(«p»)}"
"""),
    {
        MADE_TO_RUN: block(r"""
«v»='$(«p»)'; echo "${«v»@P}"
«v»='`«p»`'; printf %s "${«v»@P}"
«v»=«q:$(«p»)»; : ${«v»@P}
«v»=«aq:$(«p»)»; «u»=${«v»@P}
«v»=('$(«p»)'); echo "${«v»[0]@P}"
«v»=(ok '$(«p»)'); printf '%s\n' "${«v»[@]@P}"
set -- '$(«p»)'; echo "${1@P}"
set -- ok '$(«p»)'; echo ${@@P}
«f»() { echo "${1@P}"; }; «f» '$(«p»)'
«v»='$(«p»)'; [[ -n ${«v»@P} ]]
«v»='$(«p»)'; case ${«v»@P} in a) ;; esac
declare «v»='$(«p»)'; cat <<< "${«v»@P}"
read -r «v» <<< '$(«p»)'; echo "${«v»@P}"
«v»=«q:«p»»; eval "${«v»@E}"
«v»=«q:«p»»; eval "eval ${«v»@Q}"
«v»=«q:«p»»; eval "«u»=${«v»@Q}"; eval "$«u»"
«v»=«q:«up:«words»»»; eval "${«v»@L}"
«v»=«q:«up:«words»»»; ${«v»,,}
«v»=«q:XX«p»»; eval "${«v»/XX/}"
«v»=«q:# «p»»; eval "${«v»#\# }"
«v»=«q:12«p»»; eval "${«v»:2}"
«v»=«q:«p»%end»; eval "${«v»%\%*}"
«v»=«q:«comma:«words»»»; ${«v»//,/ }
«v»=«q:«plus:«words»»»; eval "${«v»//+/ }"
«u»=«q:«p»»; «v»=«u»; eval "${!«v»}"
«u»=«q:«words»»; «v»=«u»; ${!«v»}
PS4='$(«p»)'; set -x; :
bash -xc «q:PS4='$(«p»)'; true»
""")
    },
    block(r"""
x=hi; echo "${x@Q}"
printf '%s\n' "${@@Q}"
x='\w'; echo "${x@P}"
declare -a a=(1 2); echo "${a[@]@A}"
echo "${name^^} ${name,,} ${name@U}"
f=a.tar.gz; echo "${f%%.*} ${f##*.}"
PS4='+ ${BASH_SOURCE}:${LINENO}: '; set -x; make
x=a,b; echo "${x//,/ }"
echo "${1:-$(date)}"
v=PATH; echo "${!v}"
echo 'use ${x@P} with care'
"""),
)

ARITHMETIC = ShellClass(
    "arithmetic and subscripts",
    block(r"""
echo $((a[$(«p»)]))
echo $(( 1 + a[$(«p»)] ))
«v»='a[$(«p»)]'; echo $((«v»))
«v»=«q:a[$(«p»)]»; ((«v»))
«v»='a[`«p»`]'; (( «v» + 1 ))
«v»='a[$(«p»)]'; let «v»
«v»='a[$(«p»)]'; let «u»=«v»+1
«v»='a[$(«p»)]'; [[ $«v» -eq 0 ]]
«v»='a[$(«p»)]'; [[ «v» -gt 0 ]]
«v»='a[$(«p»)]'; test -v "$«v»"
«v»='a[$(«p»)]'; [ -v "$«v»" ]
«v»='a[$(«p»)]'; printf -v "$«v»" %s x
«v»='a[$(«p»)]'; read "$«v»" <<< x
«v»='a[$(«p»)]'; declare -i «u»; «u»=«v»
«v»='a[$(«p»)]'; b=(1 2); echo ${b[«v»]}
«v»='a[$(«p»)]'; b[«v»]=1
«v»='a[$(«p»)]'; s=abc; echo ${s:«v»}
«v»='a[$(«p»)]'; s=abc; echo "${s:0:$«v»}"
«v»='a[$(«p»)]'; for ((i=«v»;i<1;i++)); do :; done
«v»='a[$(«p»)]'; echo $[«v»]
«v»='a[$(«p»)]'; echo "${!«v»}"
«v»='b[$(«p»)]'; export «v»; bash -c 'echo $((«v»))'
«f»() { echo $(($1)); }; «f» 'a[$(«p»)]'
«f»() { (( $1 > 3 )); }; «f» 'a[$(«p»)]'
let 'a[$(«p»)]=1'
let "a[\$(«p»)]++"
let «u»='a[$(«p»)]'
[[ -v 'a[$(«p»)]' ]]
[[ -v a[$(«p»)] ]]
test -v 'a[$(«p»)]'
[ -v «q:a[$(«p»)]» ]
[[ 'a[$(«p»)]' -eq 1 ]]
[[ 1 -lt 'a[$(«p»)]' ]]
printf -v 'a[$(«p»)]' %s x
printf -v «q:a[`«p»`]» '%d' 1
read 'a[$(«p»)]' <<< x
read -r «q:a[$(«p»)]» < /etc/hostname
declare 'a[$(«p»)]=1'
typeset «q:a[$(«p»)]=1»
«f»() { local 'a[$(«p»)]=1'; }; «f»
declare -i «v»='a[$(«p»)]'
declare -ai «v»=('a[$(«p»)]')
a=(1); unset 'a[$(«p»)]'
a[$(«p»)]=1
echo ${a[$(«p»)]}
a=(1); echo ${#a[$(«p»)]}
: $(( $(«p») ))
(( x = $(«p») ))
echo $[ $(«p») ]
for ((;$(«p»);)); do break; done
a=([$(«p»)]=1)
declare -A m; m[$(«p»)]=1
"""),
    {},
    block(r"""
echo $((1 + 2))
((i++)); echo $i
for ((i=0;i<3;i++)); do echo $i; done
a=(1 2 3); echo ${a[1]} ${#a[@]}
i=2; a=(1 2 3); echo "${a[i-1]}"
[[ -v HOME ]] && echo yes
test -v PATH && echo yes
printf -v now '%(%F)T'; echo "$now"
let n=1+2; echo $n
declare -A m=([a]=1); echo "${m[a]}"
echo $((16#ff)) $(( 2 ** 10 ))
n=$(ls | wc -l); echo $((n + 1))
[[ $(ls | wc -l) -gt 3 ]] && echo many
s=abcdef; echo ${s:1:3}
"""),
)

NAMEREF = ShellClass(
    "namerefs",
    block(r"""
declare -n «v»=«u»; «u»=«q:«words»»; $«v»
declare -n «v»=«u»; «u»=«q:«p»»; eval "$«v»"
declare -n «v»='a[$(«p»)]'; echo $«v»
declare -n «v»='a[$(«p»)]'; «v»=1
declare -n «v»=«u» && «u»=«q:«p»» && echo "$«v»" | sh
"""),
    {
        REFERRED: block(r"""
«f»() { declare -n «v»=$1; $«v»; }; «u»=«q:«words»»; «f» «u»
declare -n «v»=«u»; «v»=«q:«p»»; eval "$«u»"
declare -n «v»=«u»; «v»=«q:«p»»; bash -c "$«u»"
typeset -n «v»=«u»; «v»=«q:«words»»; $«u»
«f»() { local -n «v»=$1; eval "$«v»"; }; «u»=«q:«p»»; «f» «u»
«f»() { local -n «v»=$1; «v»=«q:«p»»; }; «f» «u»; eval "$«u»"
«f»() { local -n «v»=$1; «v»=«q:«p»»; }; «f» «u»; sh -c "$«u»"
«f»() { declare -gn «v»=«u»; }; «f»; «u»=«q:«p»»; eval "$«v»"
declare -n «v»=«u»; «u»=(«words»); "${«v»[@]}"
declare -n «v»=«u»; «v»=(«words»); "${«u»[@]}"
declare -n «v»=«u»; read -r «v» <<< «q:«p»»; eval "$«u»"
declare -n «v»=«u»; printf -v «v» %s «q:«p»»; eval "$«u»"
declare -n «v»=«u»; «v»=«q:«p»»; sh <<< "$«u»"
declare -n «v»=BASH_ENV; «v»='$(«p»)'; export BASH_ENV; bash -c :
declare -n «v»=PS4; «v»='$(«p»)'; set -x; :
for «u» in «q:«p»»; do declare -n «v»=«u»; eval "$«v»"; done
declare -n «v»=«u»; «u»='$(«p»)'; echo "${«v»@P}"
declare -n a=b; declare -n b=«u»; a=«q:«p»»; eval "$«u»"
unset -n «v»; declare -n «v»=«u»; «u»=«q:«p»»; $SHELL -c "$«v»"
""")
    },
    block(r"""
declare -n ref=total; ref=3; echo "$total"
f() { local -n out=$1; out=5; }; f x; echo "$x"
f() { local -n arr=$1; for i in "${arr[@]}"; do echo "$i"; done; }; a=(1 2); f a
declare -n r=PATH; echo "$r"
local -n result=$1
unset -n ref
"""),
)

IFS = ShellClass(
    "IFS splitting",
    block(r"""
IFS=,; «v»=«comma:«words»»; $«v»
IFS=:; «v»=«colon:«words»»; $«v»
IFS=+; «v»="«plus:«words»»"; $«v» > /dev/null
(IFS=,; «v»=«comma:«words»»; $«v»)
IFS=, ; «v»='«comma:«words»»' ; ${«v»}
export IFS=,; «v»=«comma:«words»»; $«v»
declare IFS=+; «v»=«plus:«words»»; $«v»
IFS=, ; for «v» in «comma:«words»»; do $«v»; done
IFS=$'\x2c'; «v»=«comma:«words»»; $«v»
IFS=$'\n,'; «v»=«comma:«words»»; $«v»
«ifs:«words»»
«v»=«sq:«ifs:«words»»»; eval "$«v»"
bash -c «dq:«ifs:«words»»»
«w»bash -c «sq:«ifs:«words»»»
echo «dq:«ifs:«words»»» | bash
S=' '; eval "«prog»${S}«rest»"
old=$IFS; IFS=,; «v»=«comma:«words»»; $«v»; IFS=$old
"""),
    {
        MADE_TO_RUN: block(r"""
«f»() { local IFS=,; $1; }; «f» «comma:«words»»
«f»() { local IFS=+; «v»=$1; $«v»; }; «f» «plus:«words»»
IFS=,; set -- $(echo «comma:«words»»); "$@"
«v»=«comma:«words»»; IFS=,; set -- $«v»; "$@"
IFS=, read -ra «v» <<< «q:«comma:«words»»»; "${«v»[@]}"
IFS=, read -r -a «v» <<< «comma:«words»»; ${«v»[*]}
echo «comma:«words»» | { IFS=, read -ra «v»; "${«v»[@]}"; }
while IFS=+ read -ra «v»; do "${«v»[@]}"; done <<< «plus:«words»»
IFS=,; eval "«u»=(«comma:«words»»)"; ${«u»[0]}
IFS=,; «v»=(«words»); «u»="${«v»[*]}"; $«u»
IFS=,; $(echo «comma:«words»»)
IFS=,; `printf %s «comma:«words»»`
readarray -d , -t «v» < <(printf %s «comma:«words»»); "${«v»[@]}"
mapfile -t -d + «v» < <(printf %s «plus:«words»»); "${«v»[@]}"
""")
    },
    block(r"""
IFS=, read -r a b <<< x,y; echo "$a"
while IFS= read -r f; do echo "$f"; done < list
IFS=$'\n'; for f in $(ls); do echo "$f"; done
IFS=:; for d in $PATH; do echo "$d"; done
old=$IFS; IFS=,; echo "${arr[*]}"; IFS=$old
IFS=' ' read -ra parts <<< "$line"; echo "${parts[0]}"
unset IFS
while IFS=, read -r name email; do echo "$name <$email>"; done < people.csv
f() { local IFS=,; echo "$*"; }; f a b
"""),
)

SHADOWED = ShellClass(
    "names that stand for other commands",
    block(r"""
shopt -s expand_aliases⏎alias «f»=«q:«p»»⏎«f»
shopt -s expand_aliases; alias «f»=«q:«p»»⏎«f» ;
shopt -s expand_aliases⏎alias «f»='«head»'⏎«f» «last»
shopt -s expand_aliases⏎alias a='«head» ' b='«last»'⏎a b
bash -O expand_aliases -c «q:alias «f»=«q:«p»»⏎«f»»
dash -c «q:alias «f»=«q:«p»»⏎«f»»
ls() { «p»; }; ls -la
make() { command «p»; }; make test
cd() { «p»; }; cd src
echo() { «p»; }; echo hi
function «f» { «p»; }; «f»
function «f»() { «p»; }⏎«f»
«f»() ( «p» ); «f»
«f» () if true; then «p»; fi; «f»
«f»() { "$@"; }; «f» «words»
«f»() { $1 "${@:2}"; }; «f» «words»
«f»() { eval "$*"; }; «f» «q:«p»»
eval "«f»() { «p»; }"; «f»
«f»() { «p»; }; export -f «f»; bash -c «f»
trap «q:«p»» EXIT
trap «q:«p»» 0
trap -- «q:«p»» EXIT; exit 0
trap «q:«p»» DEBUG; :
trap «q:«p»» ERR; false
set -E; trap «q:«p»» ERR; «f»() { false; }; «f»
trap «q:«p»» USR1; kill -USR1 $$; :
«f»() { «p»; }; trap «f» EXIT
«f»() { :; }; trap «q:«p»» RETURN; declare -ft «f»; «f»
«v»=«q:«p»»; trap "$«v»" EXIT
«k»bash -c «q:trap «q:«p»» EXIT; ls»
"""),
    {
        RENAMED: block(r"""
hash -p /bin/«prog» ls; ls «rest»
hash -p /usr/bin/«prog» «f»; «f» «rest»
hash -p "$(command -v «prog»)" ls; ls «rest»
hash -p $(which «prog») lint; lint «rest»
BASH_CMDS[ls]=$(command -v «prog»); ls «rest»
shopt -s expand_aliases⏎BASH_ALIASES[«f»]=«q:«p»»⏎«f»
source /dev/stdin <<< '«f»() { «p»; }'; «f»
env 'BASH_FUNC_ls%%=() { «p»; }' bash -c ls
command_not_found_handle() { «p»; }; zzqx
command_not_found_handle() { shift; "$@"; }; zzqx «words»
PROMPT_COMMAND=«q:«p»» bash --norc -i <<< :
PS1='$(«p»)' bash --norc -i <<< :
trap 'eval "$«v»"' EXIT; «v»=«q:«p»»
BASH_ENV='$(«p»)' bash -c :
env BASH_ENV='$(«p»)' bash -c true
export BASH_ENV='`«p»`'; bash -c 'echo ok'
BASH_ENV=<(echo «q:«p»») bash -c :
echo «q:«p»» > «s»; BASH_ENV=«s» bash -c :
ENV='$(«p»)' sh -i -c :
compgen -C «q:«p»» x
""")
    },
    block(r"""
alias ll='ls -l'
alias gs='git status' gd='git diff'
hash -r
hash git
tmp=$(mktemp); trap 'rm -f "$tmp"' EXIT
trap 'kill $pid' EXIT INT TERM
trap - INT
f() { echo hi; }; f
PROMPT_COMMAND='history -a'
command_not_found_handle() { echo "no $1"; }
cleanup() { rm -rf "$(mktemp -d)"; }; trap cleanup EXIT
trap 'echo failed at $LINENO' ERR
type ls; unalias ll
trap 'rm -rf node_modules/.cache' EXIT; npm run build
"""),
)

PROCESS = ShellClass(
    "process substitution into interpreters",
    block(r"""
source /dev/stdin <<< «q:«p»»
. /dev/stdin <<< «q:«p»»
. /dev/fd/0 <<< «q:«p»»
«k»xargs -a <(echo «last») «head»
diff <(«p») <(ls)
ls > >(«p»)
cat < <(«p»)
comm <(ls) <(ls; «p»)
"""),
    {
        MADE_TO_RUN: block(r"""
echo «q:«p»» | tee >(«sh»)
«k»tee >(«sh») <<< «q:«p»»
echo «q:«p»» | tee >(cat) >(sh) > /dev/null
«k»«?bash¦sh¦dash» <(echo «q:«p»»)
«k»bash -x <(printf '%s\n' «q:«p»»)
bash <(cat <<'«d»'⏎«p»⏎«d»⏎)
source <(echo «q:«p»»)
. <(printf '%s\n' «q:«p»»)
exec 3< <(echo «q:«p»»); «?sh¦bash» <&3
exec 3< <(echo «q:«p»»); bash /dev/fd/3
exec 3<<< «q:«p»»; source /dev/fd/3
exec {fd}< <(echo «q:«p»»); sh <&$fd
exec 0< <(echo «q:«p»»); sh
«sh» < <(printf '%s\n' «q:«p»»)
«sh» 0< <(echo «q:«p»»)
cat <(echo «q:«p»») | sh
cat <(echo true) <(echo «q:«p»») | bash
«k»python3 <(echo «q:import os; os.system("«p»")»)
«k»perl <(echo «q:system("«p»")»)
echo «q:«p»» > >(sh)
{ echo ls; echo «q:«p»»; } > >(bash)
exec > >(sh); echo «q:«p»»
exec 4> >(sh); echo «q:«p»» >&4
exec 4> >(sh); printf '%s\n' «q:«p»» 1>&4; exec 4>&-
while read -r «v»; do eval "$«v»"; done < <(echo «q:«p»»)
while read -r «v»; do $«v»; done < <(echo «q:«words»»)
mapfile -t «v» < <(echo «q:«p»»); eval "${«v»[0]}"
read -r «v» < <(echo «q:«p»»); eval "$«v»"
read -r «v» < <(echo «q:«p»»); sh -c "$«v»"
bash --rcfile <(echo «q:«p»») -i -c :
bash --init-file <(echo «q:«p»») -i -c :
eval "$(cat <(echo «q:«p»»))"
eval "$(< <(echo «q:«p»»))"
make -f <(printf 'zz:\n\t%s\n' «q:«p»»)
sh -c "$(cat <(echo «q:«p»»))"
""")
    },
    block(r"""
diff <(sort a) <(sort b)
make 2>&1 | tee >(grep error > err.log)
comm -12 <(ls a) <(ls b)
while read -r l; do echo "$l"; done < <(git ls-files)
exec 3< <(cat x); cat <&3
tar c src | tee >(sha256sum > sum.txt) > x.tar
mapfile -t a < <(git ls-files); echo "${#a[@]}"
diff <(git show HEAD:a.py) a.py
vimdiff <(jq -S . a.json) <(jq -S . b.json)
paste <(cut -f1 a) <(cut -f2 b)
exec > >(tee build.log) 2>&1; make
grep -f <(cut -d, -f1 ids.csv) data.csv
echo 'rm -rf ~' > >(cat)
echo 'rm -rf /etc' | tee >(wc -c)
"""),
)

DOCUMENTS = ShellClass(
    "here-documents",
    block(r"""
«w»«?sh¦bash¦dash» <<«d»⏎«p»⏎«d»
«w»sh <<-«d»⏎⇥«p»⏎⇥«d»
bash <<-«d»⏎⇥⇥«p»⏎⇥⇥«d»
bash <<-'«d»'⏎⇥if true; then⏎⇥⇥«p»⏎⇥fi⏎«d»
sh << '«d»'⏎«p»⏎«d»
sh <<"«d»"⏎ls⏎«p»⏎«d»
sh <<\«d»⏎«p»⏎«d»
sh <<'two words'⏎«p»⏎two words
sh <<«d»⏎ls # «d»⏎«p»⏎«d»
sh <<«d»⏎echo «d» x⏎«p»⏎«d»
bash -s <<«d»⏎«p»⏎«d»
bash -s -- a b <<«d»⏎«p»⏎«d»
sh /dev/stdin <<«d»⏎«p»⏎«d»
sh <<«d» && ls⏎«p»⏎«d»
ls && sh <<«d»⏎«p»⏎«d»
sh > out.log 2>&1 <<«d»⏎«p»⏎«d»
cat <<«d» | sh⏎«p»⏎«d»
cat <<'«d»' | «w»bash⏎«p»⏎«d»
cat <<-«d» | tee x.log | sh⏎⇥«p»⏎⇥«d»
cat > «s» <<«d»⏎«p»⏎«d»⏎sh «s»
cat <<'«d»' > «s» && bash «s»⏎#!/bin/sh⏎«p»⏎«d»
tee «s» <<«d» > /dev/null; sh «s»⏎«p»⏎«d»
eval "$(cat <<'«d»'⏎«p»⏎«d»⏎)"
bash -c "$(cat <<«d»⏎«p»⏎«d»⏎)"
«v»=$(cat <<«d»⏎«p»⏎«d»⏎); eval "$«v»"
«w»sh <<< «q:«p»»
bash <<<«q:«p»»
bash -s <<< «aq:«p»»
«v»=«q:«p»»; sh <<< "$«v»"
sh <<< "$(echo «q:«p»»)"
cat <<< «q:«p»» | sh
sh <<A⏎sh <<B⏎«p»⏎B⏎A
sh <<'A'⏎cat <<'B' | sh⏎«p»⏎B⏎A
bash <<A⏎bash <<-B⏎⇥«p»⏎⇥B⏎A
cat <<A; sh <<B⏎x⏎A⏎«p»⏎B
cat <<«d»⏎$(«p»)⏎«d»
cat <<«d»⏎text `«p»` text⏎«d»
cat <<-«d»⏎⇥$(«p»)⏎⇥«d»
cat <<< "$(«p»)"
cat <<EOF⏎hi⏎EOF⏎«p»
cat <<-EOF⏎⇥EOF⏎«p»
python3 <<«d»⏎import os⏎os.system("«p»")⏎«d»
python3 - <<'«d»'⏎import subprocess⏎subprocess.run("«p»", shell=True)⏎«d»
perl <<'«d»'⏎system("«p»");⏎«d»
xargs «head» <<«d»⏎«last»⏎«d»
xargs -I{} sh -c '{}' <<< «q:«p»»
{ sh; } <<«d»⏎«p»⏎«d»
(cat | sh) <<«d»⏎«p»⏎«d»
"""),
    {
        UNUSUAL: block(r"""
sh <<E"O"F⏎«p»⏎EOF
sh <<«d»⏎«p»
sh 0<<«d»⏎«p»⏎«d»
<<«d» sh⏎«p»⏎«d»
<<«d» bash -e⏎«p»⏎«d»
read -r -d '' «v» <<«d»; eval "$«v»"⏎«p»⏎«d»
<<< «q:«p»» sh
cat <<A <<B | sh⏎ls⏎A⏎«p»⏎B
cat <<"A" <<«d»⏎$(ls)⏎A⏎${x:-$(«p»)}⏎«d»
while read -r «v»; do eval "$«v»"; done <<«d»⏎«p»⏎«d»
while read -r «v»; do sh -c "$«v»"; done <<< «q:«p»»
«f»() { sh; }; «f» <<< «q:«p»»
«f»() { sh; } <<«d»⏎«p»⏎«d»⏎«f»
if sh; then ls; fi <<«d»⏎«p»⏎«d»
""")
    },
    block(r"""
cat <<EOF⏎rm -rf ~⏎EOF
cat <<'EOF' > notes.md⏎never run rm -rf /etc here⏎EOF
cat <<-EOF⏎⇥rm -rf ~⏎⇥EOF
cat <<'E'⏎$(rm -rf ~)⏎E
cat <<"E"⏎`git push --force`⏎E
cat <<EOF⏎\$(rm -rf ~)⏎EOF
cat <<EOF⏎⇥EOF⏎rm -rf ~⏎EOF
grep force <<< 'git push --force'
cat <<< 'rm -rf /etc'
git commit -F - <<EOF⏎Do not rm -rf ~ in the tests⏎EOF
python3 <<EOF⏎print("rm -rf ~")⏎EOF
psql app <<EOF⏎select 1;⏎EOF
wc -l <<A⏎rm -rf ~⏎A
cat <<A; ls⏎rm -rf ~⏎A
sh <<EOF⏎ls⏎# rm -rf ~⏎EOF
tee README.md <<'EOF'⏎# Use⏎rm -rf build⏎EOF
"""),
)

SPELLED = ShellClass(
    "quoting, braces and continued lines",
    block(r"""
«mangle:«words»»
«w»«mangle:«words»»
true && «mangle:«words»»
$(echo «mangle:«words»»)
sh -c «sq:«words»»
eval «sq:«mangle:«words»»»
bash -c «sq:«mangle:«words»»»
«aq:«prog»» «rest»
«v»=«aq:«words»»; $«v»
eval «aq:«p»»
sh -c «aq:«p»»
echo «aq:«p»» | sh
eval "«prog»" '«rest»'
eval «prog»\ «q:«rest»»
«v»=«prog»; $«v» «rest»
«v»=«prog»; "${«v»}" «rest»
a=«q:«prog»» b=«q:«rest»»; $a $b
«v»=(«words»); "${«v»[@]}"
«v»=«q:«rest»»; «prog» $«v»
«v»=$(printf '«x:«p»»'); eval "$«v»"
«v»=; «prog»$«v» «rest»
«prog»\⏎ «rest»
\⏎«prog» \⏎«rest»
"«prog»"\⏎ «rest»
/bin/./«prog» «rest»
//usr/bin/../bin/«prog» «rest»
\«prog» «rest»
'«prog»' «rest»
"$(echo «prog»)" «rest»
`echo «prog»` «rest»
$(printf «q:«words»»)
> /dev/null «words»
2>&1 «words» < /dev/null
«v»=1 «words»
! «words»
time -p «words»
{ «words»; }
( «words» )
"""),
    {
        UNUSUAL: block(r"""
{«comma:«words»»}
{,«comma:«words»»}
«w»{«comma:«words»»}
printf -v «v» %s «q:«p»»; eval "$«v»"
printf -v «v» '«oct:«p»»'; eval "$«v»"
/*in/«prog» «rest»
""")
    },
    block(r"""
echo r\m -rf
echo {a,b,c}
mkdir -p src/{a,b}
cp a.txt{,.bak}
printf '%s\n' $'a\tb'
echo "rm -rf ~"
echo 'git push --force'
ls \⏎  -la
grep -rn 'rm -rf' \⏎  src
git commit -m $'Say no to rm -rf ~\n\nlong text'
echo $'rm \x2drf'
touch {1..3}.txt
"""),
)

COPROC = ShellClass(
    "coproc",
    block(r"""
coproc «p»; wait
coproc { «p»; }; wait
coproc «u» { «p»; }; wait
coproc «u» ( «p» ); wait
coproc «w»«words»; wait
coproc sh -c «q:«p»»; wait
coproc «u» if true; then «p»; fi; wait
«f»() { «p»; }; coproc «f»; wait
coproc «u» { trap «q:«p»» EXIT; }; wait
"""),
    {
        MADE_TO_RUN: block(r"""
coproc while read -r «v»; do eval "$«v»"; done; echo «q:«p»» >&"${COPROC[1]}"; sleep 0.1
coproc sh; echo «q:«p»» >&"${COPROC[1]}"; sleep 0.1
coproc bash; echo «q:«p»» >&${COPROC[1]}; sleep 0.1
coproc «u» { sh; }; echo «q:«p»» >&"${«u»[1]}"; sleep 0.1
coproc «u» { bash -s; }; printf '%s\n' «q:«p»» >&"${«u»[1]}"; exec {«u»[1]}>&-; wait
coproc «u» { cat | sh; }; echo «q:«p»» >&"${«u»[1]}"; eval "exec ${«u»[1]}>&-"; wait
coproc python3 -i; echo «q:import os; os.system("«p»")» >&"${COPROC[1]}"; sleep 0.3
coproc { echo «q:«p»»; }; read -r «v» <&"${COPROC[0]}"; eval "$«v»"
coproc «u» { echo «q:«p»»; sleep 0.2; }; eval "$(head -1 <&"${«u»[0]}")"
coproc «u» { echo «q:«p»»; sleep 0.2; }; sh <&"${«u»[0]}"
""")
    },
    block(r"""
coproc cat; echo hi >&"${COPROC[1]}"
coproc S { sort; }; printf '%s\n' b a >&"${S[1]}"
coproc bc; echo 1+1 >&"${COPROC[1]}"; read -r x <&"${COPROC[0]}"; echo "$x"
coproc (npm run dev)
coproc LOG { tail -f app.log; }
"""),
)

PIPED = ShellClass(
    "pipes into interpreters",
    block(r"""
echo «q:«p»» | «w»«sh»
printf '%s\n' «q:«p»» | «sh»
printf %b '«oct:«p»»\n' | sh
printf '«x:«p»»\n' | bash
printf «q:«p»\n» | sh
echo -e '«x:«p»»' | bash
echo -n «q:«p»» | cat | sh
echo «q:«p»» | tee x.log | sh
echo «q:«p»» | tee /dev/stderr | bash -e
{ echo ls; echo «q:«p»»; } | sh
(echo «q:«p»») |& bash
echo «q:«p»» | xargs -0 sh -c
echo «q:«p»» | xargs -d '\n' -I{} bash -c {}
echo «q:«p»» | source /dev/stdin
echo «q:«p»» | bash /dev/stdin
echo «q:import os; os.system("«p»")» | python3
echo «q:system("«p»")» | perl
echo «q:require("child_process").execSync("«p»")» | node
eval "$(echo «q:«p»»)"
eval `echo «q:«p»»`
bash -c "$(printf '%s' «q:«p»»)"
$(echo «q:«words»»)
sh <<< "$(printf %s «q:«p»»)"
«v»=$(echo «q:«p»»); eval "$«v»"
echo «q:«p»» > «s»; sh «s»
echo «q:«p»» >> «s» && chmod +x «s» && . «s»
printf '#!/bin/sh\n%s\n' «q:«p»» > ./run-me.sh; chmod 755 ./run-me.sh; ./run-me.sh
"""),
    {
        FILTERED: block(r"""
echo «q:«p»» | cat - | sh -x
yes «q:«p»» | head -1 | sh
echo «q:«p»» | head -n 1 | sh
echo «q:«p»» | tail -1 | sh
echo «q:«p»» | grep . | sh
echo «q:«p»» | sort | uniq | sh
echo «q:«p»» | while read -r «v»; do eval "$«v»"; done
echo «q:«words»» | while read -r «v»; do $«v»; done
echo «q:«p»» | (read -r «v»; eval "$«v»")
echo «q:«p»» | { read -r «v» && sh -c "$«v»"; }
"""),
        DECODING: block(r"""
echo «q:«rot13:«p»»» | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh
echo «q:«rot13:«p»»» | tr a-z n-za-m | «w»bash
echo «q:«rev:«p»»» | rev | «sh»
rev <<< «q:«rev:«p»»» | sh
eval "$(rev <<< «q:«rev:«p»»»)"
echo «b64:«p»» | base64 -d | «sh»
echo «b64:«p»» | base64 --decode | «w»sh
base64 -d <<< «b64:«p»» | bash
base64 -di <<< «b64:«p»» | tee x | sh
eval "$(echo «b64:«p»» | base64 -d)"
bash -c "$(base64 -d <<< «b64:«p»»)"
«v»=«b64:«p»»; echo $«v» | base64 -d | sh
source <(echo «b64:«p»» | base64 -d)
sh <(base64 -d <<< «b64:«p»»)
echo «b64:«p»» | openssl base64 -d | sh
echo «b64:«p»» | openssl enc -base64 -d | sh
echo «b32:«p»» | base32 -d | sh
echo «gz:«p»» | base64 -d | gunzip | sh
echo «gz:«p»» | base64 -d | zcat | bash
echo «hex:«p»» | xxd -r -p | sh
xxd -r -p <<< «hex:«p»» | bash
echo «q:X«p»» | sed 's/X//' | sh
echo «q:# «p»» | sed 's/^# //' | bash
echo «q:«comma:«words»»» | sed 's/,/ /g' | sh
echo «q:«comma:«words»»» | tr , ' ' | sh
echo «q:X«p»» | tr -d X | sh
echo «q:12«p»» | cut -c3- | sh
echo «q:a;«p»» | cut -d';' -f2 | sh
echo «q:«p»» | awk '{print}' | sh
echo «q:a;«p»» | awk -F';' '{print $2}' | sh
awk 'BEGIN{print "«p»"}' | sh
echo «q:X«p»» | perl -pe 's/X//' | sh
perl -e 'print "«p»"' | sh
python3 -c 'print("«p»")' | sh
node -p '"«p»"' | sh
echo «q:«p»» | python3 -c 'import os,sys; os.system(sys.stdin.read())'
echo «q:«p»» | perl -ne 'system($_)'
printf '%s\n' «words» | paste -sd' ' | sh
printf '%s\n' «words» | xargs echo | sh
printf '%s\n' «words» | tr '\n' ' ' | sh
jq -r .c <<< '{"c": "«p»"}' | sh
echo «q:«rev:«p»»» | rev | tac | cat | sh
"""),
    },
    block(r"""
echo hello | tr a-z A-Z
echo aGVsbG8= | base64 -d
base64 -d x.b64 > x.bin
echo 'rm -rf ~' | cat
echo 'rm -rf /etc' | rev
echo 'git push --force' | sed 's/force/dry-run/'
printf '%s\n' 'rm -rf ~' | grep rm
echo 'rm -rf ~' | tee notes.txt
xxd x.bin | head
echo 'select 1' | psql app
git ls-files | sed 's/^/x /' | sort
echo 'rm -rf ~' | pbcopy
cat x.json | jq -r .name | sort -u
echo 'rm -rf ~' | base64
"""),
)

BASH = (TRANSFORMED, ARITHMETIC, NAMEREF, IFS, SHADOWED, PROCESS, DOCUMENTS, SPELLED, COPROC, PIPED)
