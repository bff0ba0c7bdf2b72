"""Every place of the shell's grammar in which a command can stand: wherever it stands, it is judged."""

import pytest

from tacit.guard.judge import judge

# `@` stands for a command that must be denied.
PLACES = """
$(@)
"$(@)"
`@`
ls $(@)
ls a$(@)b
ls "a$(@)b"
ls "$(echo "$(@)")"
ls `@`
ls <(@)
tee >(@)
echo $"$(@)"
echo {a,$(@)}
ls --x=$(@)
ls --x=<(@)
case $(@) in a) ;; esac
case "$(@)" in a) ;; esac
case `@` in a) ;; esac
case <(@) in a) ;; esac
case $((1+$(@))) in a) ;; esac
case ${x:-$(@)} in a) ;; esac
case x in $(@)) ;; esac
case x in a|$(@)) ;; esac
case x in "a$(@)") ;; esac
case x in a$(@)b) ;; esac
case x in a) @;; esac
[[ $(@) == a ]]
[[ a == $(@) ]]
[[ a =~ $(@) ]]
[[ -f x$(@) ]]
[[ a && $(@) ]]
[[ -e <(@) ]]
[[ -v 'a[$(@)]' ]]
[[ 'a[$(@)]' -eq 1 ]]
[ "$(@)" = a ]
[ -v 'a[$(@)]' ]
test -n "$(@)"
test -v 'a[$(@)]'
a[$(@)]=1
echo ${a[$(@)]}
a=($(@))
a=([$(@)]=1)
declare -A a=([k]=$(@))
declare 'a[$(@)]=1'
unset 'a[$(@)]'
unset a[$(@)]
printf -v 'a[$(@)]' x
read 'a[$(@)]' <<< x
for x in $(@); do :; done
for x in a "$(@)"; do :; done
for x in <(@); do :; done
for ((i=$(@);i<1;i++)); do :; done
for ((;$(@);)); do :; done
for ((;;i+=$(@))); do :; done
for x in a; do @; done
select x in $(@); do break; done
select x in a; do @; done
while $(@); do :; done
until @; do :; done
if @; then :; fi
if a; then :; elif @; then :; fi
if a; then :; else @; fi
if [[ $(@) ]]; then :; fi
echo a > $(@)
echo a >> "$(@)"
cat < $(@)
cat < <(@)
echo a > >(@)
ls 2> >(@)
exec 3< <(@)
{ ls; } > $(@)
(ls) > $(@)
while read x; do :; done < <(@)
f() { :; } > $(@)
> $(@)
cat <<< $(@)
cat <<< a"$(@)"b
cat <<E\\n$(@)\\nE
cat <<-E\\n\\t$(@)\\n\\tE
cat <<E\\n`@`\\nE
cat <<E\\n${x:-$(@)}\\nE
cat <<E\\n$((1+$(@)))\\nE
cat <<E\\n'$(@)'\\nE
cat <<A; cat <<B\\na\\nA\\n$(@)\\nB
cat <<E\\na\\nE\\n@
cat <<E && @\\na\\nE
echo ${x:-$(@)}
echo ${x-"$(@)"}
echo ${x:=`@`}
echo ${x:+$(@)}
echo ${x:?$(@)}
echo "${x:-${y:-$(@)}}"
echo ${x:-<(@)}
echo ${x/$(@)/b}
echo ${x//a/$(@)}
echo ${x#$(@)}
echo ${x%%$(@)}
echo ${x:$(@):1}
echo ${x^$(@)}
coproc @
coproc { @; }
coproc N { @; }
coproc N (@)
f() { @; }
f() (@)
function f { @; }
f() if a; then @; fi
(( $(@) ))
(( x = $(@) ))
(( a ? $(@) : 2 ))
(( a[$(@)] ))
(( `@` ))
echo $(( $(@) ))
echo "$(( a[$(@)] ))"
echo $[ $(@) ]
let x=$(@)
let 'x=a[$(@)]'
X=$(@) ls
X="$(@)"
X=1 Y=$(@)
X=($(@)) ls
X+=$(@)
export X=$(@)
f() { local X=$(@); }
readonly X=$(@)
! $(@)
! { @; }
time @
(@)
{ @; }
@ &
a && @
a |& @
"""


@pytest.mark.parametrize("place", PLACES.strip().split("\n"))
def test_a_destructive_command_is_denied_wherever_it_stands(place):
    """A substitution runs in every place in which the shell expands words, and so does a command in a body."""
    line = place.replace("\\n", "\n").replace("\\t", "\t").replace("@", "rm -rf ~")

    assert "deny" == judge(line).verdict


@pytest.mark.parametrize(
    "line",
    ["cat <<'E'\n$(rm -rf ~)\nE", "cat <<\\E\n`rm -rf ~`\nE", "echo '$(rm -rf ~)'", "echo \\$(rm -rf ~",
     "printf '%s' 'a[$(rm -rf ~)]'",
     "case '$(rm -rf ~)' in a) ;; esac", "ls # $(rm -rf ~)"],
)  # fmt: skip
def test_what_is_quoted_is_never_denied(line):
    """Single quotes, a quoted marker and a comment keep a substitution from running."""
    assert "deny" != judge(line).verdict


@pytest.mark.parametrize(
    "line",
    ["r\\\nm -rf ~", "rm -r\\\nf ~", "sudo r\\\nm -rf /etc", "git push --fo\\\nrce",
     "terraform des\\\ntroy -auto-approve",
     "TACIT_O\\\nFF=1 ls", '"r\\\nm" -rf ~', 'bash -c "r\\\nm -rf ~"', "bash -c 'r\\\nm -rf ~'", "$\\\n(rm -rf ~)",
     "echo $(r\\\nm -rf ~)", "ls &\\\n& rm -rf ~", "bash <<'E'\nr\\\nm -rf ~\nE", "bash <<E\nr\\\nm -rf ~\nE",
     "ls # note \\\nrm -rf ~", "echo 'a\\'; rm -rf ~", "echo a\\\\\nrm -rf ~", "eval 'r\\\nm -rf ~'"],
)  # fmt: skip
def test_a_line_continuation_hides_nothing(line):
    """The shell removes a backslash and a newline first, also inside a word and in double quotes."""
    assert "deny" == judge(line).verdict


@pytest.mark.parametrize(
    "line",
    ["echo 'r\\\nm -rf ~'", "cat <<'E'\nr\\\nm -rf ~\nE", 'git commit -m "one \\\ntwo"', "ls \\\n  -la \\\n  src"],
)
def test_a_line_continuation_changes_nothing_else(line):
    """Data stays data, and a long command on several lines is the same command."""
    assert "allow" == judge(line).verdict
