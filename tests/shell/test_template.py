"""Parameters in commands: a value is one piece of text wherever it stands, checked by a real shell."""

import subprocess

import pytest
from hypothesis import given, strategies as st

from tacit import UsageError
from tacit.procedures.rules.replay_steps import fill
from tacit.shell.template import filled, parameters_in

NASTY = ["a b", "$(touch hit)", "`touch hit`", "; touch hit", "'; touch hit; '", '"; touch hit; "', "$HOME", "\\",
"a\nb",
         "&& touch hit", "| touch hit", "> hit", "*", "~", "!!", "#", "", "-n", "{a,b}", "é ü", "'", '"', "$(",
         "${x"]  # fmt: skip
PRINT = "printf '%s\\n' "


def said(command, tmp_path):
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    return done.stdout


@pytest.mark.parametrize("value", NASTY)
@pytest.mark.parametrize("place", ["{{x}}", '"{{x}}"', "'{{x}}'", "$(printf %s {{x}})X", '"$(printf %s "{{x}}")"'])
def test_a_value_reaches_the_program_as_it_is(tmp_path, place, value):
    """Bare, in either quotes, inside a substitution: the shell hands over exactly the value, and runs nothing of it."""
    out = said(filled(f"{PRINT}{place}", {"x": value}), tmp_path)
    if "X" in place:
        # A bare substitution is split by the shell, as any would be: only what runs counts.
        assert not (tmp_path / "hit").exists()
    else:
        assert f"{value}\n" == out

    assert not (tmp_path / "hit").exists()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=40))
def test_any_text_survives_quoting(value):
    """Whatever the value, one argument comes out, and it is the value."""
    out = subprocess.run(
        ["bash", "-c", filled(f"{PRINT}{{{{x}}}}", {"x": value})], capture_output=True, check=True, timeout=600
    )

    assert f"{value}\n".encode() == out.stdout


@pytest.mark.parametrize(
    "command",
    ["bash -c 'echo {{x}}'", "eval echo {{x}}", "ssh host 'ls {{x}}'", 'python3 -c "print({{x}})"', "sed s/a/{{x}}/ f",
     "psql -c 'select {{x}}'", "echo `echo {{x}}`", "cat <<EOF\n{{x}}\nEOF", "echo $(( {{x}} ))", "xargs {{x}}",
     "sudo bash -c \"echo '{{x}}'\"", "awk '{{x}}'", 'echo "${y:-{{x}}}"', "echo ${a[{{x}}]}", "a[{{x}}]=1; true",
     "(( {{x}} ))", "[[ {{x}} -eq 1 ]]", '[[ "{{x}}" -gt 1 ]] && true', "[ -v {{x}} ]", "test -v {{x}}", "let n={{x}}",
     "declare -i n={{x}}", "declare {{x}}=1", "export {{x}}", "printf -v {{x}} a", "read {{x}} <<< 1", "unset {{x}}",
     "mapfile -C {{x}} -c 1 < f", "compgen -W {{x}}"],
)  # fmt: skip
def test_a_value_that_would_become_code_is_refused(command):
    """What a second shell, an interpreter or a here-document would read takes plain values only."""
    with pytest.raises(UsageError):
        fill(command, {"x": "1; touch hit `touch hit`"})

    assert "7.2/a-b" in fill(command, {"x": "7.2/a-b"})


@pytest.mark.parametrize(
    "command",
    ["n={{x}}; echo $((n))", "n={{x}}; (( n > 1 ))", "n={{x}}; [[ $n -eq 1 ]]", "declare -i n; n={{x}}",
     "n={{x}}; echo ${HOME:n}", "for n in {{x}}; do let n++; done", "n={{x}}; a[n]=1; true"],
)  # fmt: skip
def test_a_value_is_not_computed(tmp_path, command):
    """Bash runs what stands in a subscript of what it takes for a number, however well it was quoted."""
    with pytest.raises(UsageError):
        said(fill(command, {"x": "a[$(touch hit)]"}), tmp_path)

    assert "'a b'" in fill(command, {"x": "a b"})


@pytest.mark.parametrize(
    "command",
    ["export X={{x}}", 'grep -v "{{x}}" f', '[[ "{{x}}" == a ]]', "test -f {{x}}", "case {{x}} in a) ;; esac",
     "read -r y <<< {{x}}", "echo $((1 + 1)) {{x}}"],
)  # fmt: skip
def test_a_value_beside_such_things_is_let_in(command):
    """What is only like them takes any value."""
    assert "a b" in fill(command, {"x": "a b"})


def test_a_value_never_adds_a_command(tmp_path):
    """Every nasty value, wherever it was let in, is a piece of one argument."""
    for value in NASTY:
        assert "ok" == said(fill("true {{x}} && printf ok", {"x": value}), tmp_path)
        assert not (tmp_path / "hit").exists()


def test_names_are_found_and_other_braces_stay():
    """`{{name}}` is a parameter; what templates of other programs have is not."""
    command = "docker inspect --format '{{.State}} {{ name }}' {{id}} {{name}}"

    assert ("name", "id") == parameters_in(command)
    assert "docker inspect --format '{{.State}} n' 7 n" == filled(command, {"name": "n", "id": "7"})
    with pytest.raises(UsageError, match="no value"):
        filled(command, {"id": "7"})
