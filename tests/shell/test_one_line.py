"""A shell text of several lines as one line that runs the same."""

import shutil
import subprocess

import pytest

from tacit.shell.one_line import one_line


@pytest.mark.parametrize(("text", "line"), [
    ("make  test", "make test"),
    ("cd web\nnpm run build", "cd web; npm run build"),
    ("server &\nsleep 2\n\necho up", "server & sleep 2; echo up"),
    ("a &&\nb |\nc", "a && b | c"),
    ("pip install \\\n  requests", "pip install requests"),
    ("for f in a b\ndo\n  echo $f\ndone", "for f in a b; do echo $f; done"),
    ("if true\nthen\n  a\nfi", "if true; then a; fi"),
    ("# first\ncd x # then\nmake a#b", "cd x; make a#b"),
    ("python -c 'import a\nprint(a)' x", "python -c '…' x"),
    ('echo "don\'t"\ncd x && echo "isn\'t"', 'echo "don\'t"; cd x && echo "isn\'t"'),
    ("cat <<E\nx\nE", ""),
    ("echo what to do\nls /", "echo what to do; ls /"),
    ("wc <<< 'a'\nls", "wc <<< 'a'; ls"),
])  # fmt: skip
def test_lines_are_joined_as_a_shell_reads_them(text, line):
    """What is joined by blanks runs as something else."""
    assert line == one_line(text)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize("text", [
    "echo a\necho b", "echo a &&\necho b", "for f in a b\ndo\n  echo $f\ndone",
    "if true\nthen\n  echo a\nelse\n  echo b\nfi", "echo a | \\\n  cat\necho c",
    "{\n  echo a\n}\necho b", "(\necho a\n)\necho b", "wc -c <<< 'a'\necho b # c",
    "case a in\n  a) echo 1;;\n  *) echo 2;;\nesac\necho 3", "f()\n{\n  echo a\n}\nf", "echo what to do\necho b",
])  # fmt: skip
def test_bash_prints_the_same(text):
    """The line is a program, not only a text."""
    both = [
        subprocess.run(["bash", "-c", one], capture_output=True, text=True, check=False)
        for one in (text, one_line(text))
    ]

    assert both[0].stdout == both[1].stdout
    assert [0, 0] == [one.returncode for one in both]
