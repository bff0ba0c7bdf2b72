"""What `sessions show --turn` shows: what was done about a prompt, or the prompt of a turn; and failed outputs."""

import pytest

from tests.agents import made


def _ran(number, command, output="", code=0):
    """Return the rows of a command and its result."""
    call, said = f"t{command}", f"Exit code {code}\n{output}" if code else output
    told = f"Error: {said}" if code else {"stdout": output, "stderr": "", "interrupted": False}
    return [
        made.claude_says(number, f"m{command}", made.use(call, "Bash", command=command)),
        made.claude_user(number, [made.gave(call, said, error=code != 0)], toolUseResult=told),
    ]


def _session(tmp_path, *, looked=0):
    """Write a session with three prompts; about the second something is done."""
    rows = [made.claude_user(1, "round the till"), made.claude_says(2, "a", made.said("it is rounded"))]
    rows += [made.claude_user(3, "paint the fence"), made.claude_says(3, "b", made.said("I look first"))]
    for number in range(looked):
        rows += _ran(4, f"cat fence-{number}.txt", f"line {number}")
    rows += _ran(5, "npm run paint", "\n".join(f"board {n} is dry" for n in range(20)), 1)
    rows += _ran(6, 'git commit -m "paint the fence"', "[main 1234567] paint the fence")
    rows += [made.claude_says(7, "c", made.said("the fence is painted"))]
    rows += [made.claude_user(8, "[Request interrupted by user]")]
    rows += [made.claude_user(9, "thank it"), made.claude_says(9, "d", made.said("thanked"))]
    for row in rows:
        row["timestamp"] = "2026-11-10T12:00:00Z"
    return made.lines(tmp_path / "s.jsonl", rows)


@pytest.fixture
def shown(tacit):
    """Return `shown(path, …)`: the lines of the turns, by their numbers, and the rest."""

    def show(path, *words):
        return [line.strip() for line in tacit("sessions", "show", "--file", str(path), *words).out.splitlines()[2:]]

    return show


def test_a_prompt_is_shown_with_what_was_done_about_it(shown, tmp_path):
    """A newcomer's trial: three turns before it, and three after it, of many."""
    lines = shown(_session(tmp_path), "--turn", "3")

    assert "3  user: paint the fence" == lines[0]
    assert any(line.endswith("assistant: the fence is painted") for line in lines)
    assert any('git commit -m "paint the fence"' in line for line in lines)
    assert not any("till" in line or "thank" in line for line in lines)


def test_of_many_turns_those_are_shown_that_tell_something(shown, tmp_path):
    """Commits, what failed and the last answer; the rest is counted, and shown with --all."""
    path = _session(tmp_path, looked=30)
    lines, every = (shown(path, "--turn", "3", *more) for more in ((), ("--all",)))

    assert not any("cat fence" in line for line in lines)
    assert ["npm run paint", "git commit", "the fence is painted"] == [
        next(part for part in ("npm run paint", "git commit", "the fence is painted") if part in line)
        for line in lines if line[:1].isdigit() and ("$ " in line or "assistant:" in line)
    ]  # fmt: skip
    assert f"32 turns left out; `tacit sessions show --file {path} --turn 3 --all` shows them" in lines
    assert 30 == sum("cat fence" in line for line in every) and not any("left out; `" in line for line in every)


def test_another_turn_is_shown_with_its_prompt_and_those_around_it(shown, tmp_path):
    """The prompt may be far before it."""
    lines = shown(_session(tmp_path, looked=10), "--turn", "12")
    turns = [line for line in lines if line[:1].isdigit()]

    assert "3  user: paint the fence" == turns[0]
    assert [9, 10, 11, 12, 13, 14, 15] == [int(line.split()[0]) for line in turns[1:]]


def test_the_document_of_a_turn_has_what_it_had_and_its_prompt(tacit, tmp_path):
    """The turns around it as before, of a prompt all that followed; the prompt besides."""
    path = _session(tmp_path, looked=30)
    prompt, other = (
        tacit("sessions", "show", "--file", str(path), "--turn", number, "--json").json for number in ("3", "12")
    )

    assert (1, "round the till", "[Request interrupted by user]") == (
        prompt["first"], prompt["turns"][0]["text"], prompt["turns"][-1]["text"],
    )  # fmt: skip
    assert (9, 7) == (other["first"], len(other["turns"]))
    assert list(range(9, 16)) == [one["number"] for one in other["turns"]]
    assert [(3, "paint the fence")] * 2 == [(one["prompt"]["number"], one["prompt"]["text"]) for one in (prompt, other)]


def test_the_end_of_what_a_failed_command_printed_is_shown(shown, tmp_path):
    """A newcomer's trial: no output was shown, though the transcript has it; of what worked it stays in the JSON."""
    path = _session(tmp_path)
    lines = shown(path)

    assert [f"| board {number} is dry" for number in range(14, 19)] == [one for one in lines if one.startswith("|")]
    assert "error: board 19 is dry" in lines and not any("[main 1234567]" in line for line in lines)
    assert "outputs of commands are left out; --json has them" == lines[-1]


def test_a_prompt_is_shown_with_what_followed_though_another_prompt_came_first(shown, tmp_path):
    """A newcomer's trial: `--turn` opened the prompt alone, and ended at "please continue"."""
    rows = [made.claude_user(1, "round the till"), made.claude_user(2, "down, not up")]
    rows += [*_ran(3, "make round", "rounded"), made.claude_user(4, "please continue"), *_ran(5, "make check", "good")]
    rows += [made.claude_user(6, "paint the fence"), *_ran(7, "make paint", "painted")]
    for row in rows:
        row["timestamp"] = "2026-11-10T12:00:00Z"
    lines = " ".join(shown(made.lines(tmp_path / "s.jsonl", rows), "--turn", "1"))

    assert all(one in lines for one in ("down, not up", "make round", "make check")) and "paint" not in lines


def test_a_recap_that_was_asked_for_by_its_time_has_no_score(tacit, person, tmp_path):
    """A newcomer's trial: "1.00" stood before the recap of a day, as if it had been looked for by words."""
    person(True)
    tacit("config", "set", "sessions.keep", "turns")
    tacit("sessions", "import", str(_session(tmp_path)))
    told = tacit("recall", "what did we do on 2026-11-10").out

    assert ("  2026-11-10  recap  " in told, "1.00" in told) == (True, False)


def test_the_document_of_a_turn_says_what_failed_and_what_worked(tacit, tmp_path):
    """A newcomer's trial: the text had both and the document neither, so an agent had to guess."""
    rows = [made.claude_user(1, "round the till"), *_ran(2, "npm run rund", "npm error Missing script: rund", 1)]
    path = made.lines(tmp_path / "s.jsonl", [*rows, *_ran(3, "npm run round", "rounded")])
    turn = tacit("sessions", "show", "--file", str(path), "--turn", "2", "--json").json["turns"][1]

    assert ("npm error Missing script: rund", {"command": "npm run round", "turn": 3}) == (turn["error"], turn["then"])


def test_the_document_says_which_turns_are_private(tacit, tmp_path):
    """A newcomer's trial: the text said so, and a program that reads the document could not know."""
    rows = [made.claude_user(1, "round the till"), made.claude_user(2, "the code is 7 #private")]
    turns = tacit("sessions", "show", "--file", str(made.lines(tmp_path / "s.jsonl", rows)), "--json").json["turns"]

    assert [None, True] == [one.get("private") for one in turns]
