"""Recap: what was asked, changed, run, committed; what failed and what mended it; how it ended. No model is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from tacit.model.payload import KeptTurn, Recap
from tacit.model.record import replace
from tacit.sessions.rules.asked import asked, is_work, prompts_typed
from tacit.sessions.rules.changed_files import changed_files
from tacit.sessions.rules.check_commands import checks_in
from tacit.sessions.rules.checks import NOT_ENTERED, last_checks, why_failed
from tacit.sessions.rules.commands.command_results import SENT, SHOWN
from tacit.sessions.rules.commands.commits import commit_history, commit_lines, commits_in, git_lines, made_places
from tacit.sessions.rules.commands.line_commands import shortened_command
from tacit.sessions.rules.commands.looked_at import files_looked_at, looking_commands
from tacit.sessions.rules.commands.remote_changes import remote_changes
from tacit.sessions.rules.commands.shell_changes import doing_command, only_looked, plain_path
from tacit.sessions.rules.commands.telling_commands import (
    MATTERS,
    MATTERS_WITHIN,
    arranging_command,
    merged_in,
    sent_commands,
    telling_command,
)
from tacit.sessions.rules.commands.what_worked import that_worked
from tacit.sessions.rules.given_task import given_frame, given_task
from tacit.sessions.rules.kept_turns import BY_USER, stopped_by
from tacit.sessions.rules.missing_files import deleted_files, moved_files
from tacit.sessions.rules.outcome import outcome_of
from tacit.sessions.rules.own_words import by_a_person, own_words, shortened, with_short_names
from tacit.sessions.rules.recap_text import MOST_WORDS, and_list, is_mended, recap_text
from tacit.sessions.rules.uncommitted import found_changed, listed_on_the_way, uncommitted
from tacit.sessions.rules.what_failed import what_failed
from tacit.text.patterns import lazy_pattern

Turns = Sequence[tuple[KeptTurn, str]]
_CHARS_A_WORD = 5.5
_LEAST_ASKED, _MOST_ASKED, _ASKED_STEP = 280, 600, 60
"""How many characters the prompts may have, and how many fewer if something else would not be told."""
_FEW_ASKED, _MORE_ASKED, _MOST_LEAST = 5, 20, 420
"""With more prompts than a few, each gives them so many characters more before anything else is told."""
_LESS, _LEAST_OUTCOME = 0.6, 180
_MOST_COMMANDS = 4
_MOST_OTHERS = 2
_MOST_FAILED = 2
_MOST_AFTER_STOP = 10
_MOST_TESTS = 3
_MOST_SHOWN = 2
_NEW_TITLE = lazy_pattern(r"\bgh (pr|issue) create\b[^;&|\n]*?\s(?:-t|--title)[ =](?:\"([^\"\n]{4,})\"|'([^'\n]{4,})')")
_ONLY_LOOKED = "Only read-only commands ran"


def recap_of(turns: Turns, *, session: str, agent: str, cwd: str = "") -> Recap:
    """Return what happened in a session, from its kept turns and their texts."""
    turns, stops = _without_stops(turns, cwd)
    kept = [turn for turn, _text in turns]
    commands = [turn for turn in kept if turn.command]
    certain = [commands[place] for place in sorted(made_places(commands))]
    history = commit_history(git_lines(commands, certain))
    commits, changed, listed_last = history.made, changed_files(turns, cwd, certain), uncommitted(turns)
    # Where little else is told, what was tested says what the work was about.
    checks = last_checks(commands, certain, 1 if commits or changed.names else _MOST_TESTS)
    since = [f"Changed after the last commit: {and_list(changed.since_commit)}"] if changed.since_commit else []
    done = Recap(
        session=session, agent=agent, author=agent, thread=turns[0][0].thread if turns else "",
        files=changed.names, only_committed=changed.only_committed,
        commits=tuple(commits), commit_lines=commit_lines(commands, commits), opened=_opened(commands),
        failed=(
            *_looked_into(commands), *remote_changes(commands), *stops, *(since if not listed_last else ()),
            *what_failed(kept, history, checks, _prompts_at(turns)), *_moved_and_deleted(turns, cwd),
        ),
        checks=tuple((one.command, one.result) for one in checks if one.result),
        uncommitted=listed_last,
        outcome=outcome_of(turns),
    )  # fmt: skip
    return _completed(done, turns, commands, cwd)


def _completed(done: Recap, turns: Turns, commands: Sequence[KeptTurn], cwd: str) -> Recap:
    """Return a recap with what was run, what was only looked at where nothing else is told, and what was asked."""
    if not (done.files or done.commits or done.uncommitted) and (names := listed_on_the_way(turns)):
        done = replace(done, failed=(f"Modified or new according to git status: {and_list(names)}", *done.failed))
    is_told = done.files or done.commits or done.outcome or any(not one.startswith("Checked") for one in done.failed)
    others = 0 if is_told else _MOST_OTHERS
    done = replace(done, commands=tuple(_commands(commands, others)))
    listed = any(turn.uncommitted for turn in commands)
    # A file that a failed command names may not be there.
    lines = [turn.command for turn in commands if turn.ok is not False and not turn.error]
    is_empty = not (done.files or done.commits or done.failed or done.commands or listed)
    if only := is_empty and bool(lines) and only_looked(turns):
        done = replace(done, failed=(_looked_at(lines, cwd, f"{_ONLY_LOOKED}; files read:") or _ONLY_LOOKED,))
    if commands and not recap_text(done):
        done = _with_little(done, commands, is_asked=bool(asked(turns, _MOST_ASKED).prompts or given_task(turns)))
    made = _with_asked(done, turns)
    # How a check ended says nothing of what a session was about.
    if made.asked or made.given or made.files or made.commits or made.outcome:
        return made
    return _with_frame(made, turns, lines, cwd, only=only)


def _with_frame(made: Recap, turns: Turns, lines: Sequence[str], cwd: str, *, only: bool) -> Recap:
    """Return the recap of a session of which nobody knows what it was for: what it looked at, and what was there."""
    made = replace(made, given=given_frame(turns))
    if not made.uncommitted and (found := found_changed(turns)):
        made = replace(made, failed=(f"Already changed at the first git status: {and_list(found)}", *made.failed))
    if not only:
        return replace(made, failed=(*filter(None, [_looked_at(lines, cwd, "Looked at")]), *made.failed))
    around = ", ".join(looking_commands(lines)) if made.failed == (_ONLY_LOOKED,) else ""
    return replace(made, failed=(f"{_ONLY_LOOKED}: {around}",)) if around else made


def _without_stops(turns: Turns, cwd: str) -> tuple[Turns, list[str]]:
    """Return the turns that were not kept from being done, and in words those that were."""
    if not any(stopped_by(turn) for turn, _text in turns):
        return turns, []
    stops = list(_stops([turn for turn, _text in turns], cwd))
    return [(turn, text) for turn, text in turns if not stopped_by(turn)], stops


def _opened(commands: Sequence[KeptTurn]) -> tuple[str, ...]:
    """Return the pull requests and issues that were opened, each once."""
    made = (
        f"{'issue' if ' issue create' in turn.command else 'pull request'} {turn.result.partition(',')[0]}"
        for turn in commands if turn.result.startswith("#")
    )  # fmt: skip
    return tuple(dict.fromkeys([*made, *_seen_open(commands)]))


def _seen_open(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return what was opened by a command of unknown outcome, and was there under its title when looked at later."""
    seen: set[str] = set()
    for place, turn in enumerate(commands):
        seen.add(turn.result)
        if turn.ok is None and not turn.error and (new := _NEW_TITLE.search(turn.command)):
            what, title = "issue" if new[1] == "issue" else "pull request", new[2] or new[3]
            shown = (later.result for later in commands[place + 1 :] if later.result not in seen)
            yield from (
                found[0].partition(":")[0] for one in shown
                if (found := SHOWN.fullmatch(one)) and found[0] == f"{what} {found[1]}: {title}"
            )  # fmt: skip


def _looked_into(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return in words which pull requests were merged, and what else was looked at that the session did not open."""
    opened = {one.rpartition(" ")[2] for one in _opened(commands)}
    looked = [found for turn in commands if (found := SHOWN.fullmatch(turn.result)) and found[1] not in opened]
    # Each as it was seen last.
    last = {found[1]: found[0] for found in looked}
    told = [last[number] for number, _count in Counter(found[1] for found in looked).most_common()]
    merged = {number for turn in commands if turn.ok and not turn.error for number in merged_in(turn.command)}
    done = [one for one in told if one.startswith("pull request #") and _number(one) in merged]
    others = [one for one in told if one not in done]
    for what, those in (("Merged", [one.removesuffix(" (merged)") for one in done]), ("Looked at", others)):
        if those:
            yield f"{what} {and_list(those[:_MOST_SHOWN])}"


def _number(shown: str) -> str:
    """Return the number of a pull request or issue, without its mark."""
    return shown.partition("#")[2].partition(":")[0]


def _looked_at(lines: Sequence[str], cwd: str, looked: str) -> str:
    files = files_looked_at(lines, cwd)
    return f"{looked} {and_list(files)}" if files else ""


def _with_little(done: Recap, commands: Sequence[KeptTurn], *, is_asked: bool) -> Recap:
    """Return the recap of a session of which nothing but what was asked is told: its last commands that did more.

    Where nothing was asked, one that may only look says more than nothing.
    """
    does = arranging_command if is_asked else doing_command
    # Where the folder was not entered nothing ran.
    errors = [turn for turn in commands if turn.error and not NOT_ENTERED.search(turn.error)]
    errors = [turn for turn in errors if not is_asked or telling_command(turn.command)]
    # Of a check that is not told nobody knows whether it was one.
    commands = [turn for turn in commands if not (is_asked and checks_in(turn.command))]
    worked = [turn.command for turn in that_worked(commands)]
    ran, tried = (
        tuple(dict.fromkeys(filter(None, map(does, reversed(lines)))))[:_MOST_OTHERS][::-1]
        for lines in (worked, [turn.command for turn in commands])
    )
    if errors and not (ran or tried):
        return replace(done, failed=(f"`{shortened_command(errors[-1].command)}` failed{why_failed(errors[-1])}",))
    return replace(done, commands=ran, tried=() if ran else tried)


def _with_asked(done: Recap, turns: Turns) -> Recap:
    """Return a recap with what was asked, as much of it as leaves room for the rest, or else less of the answer."""
    rest = recap_text(done)
    needed = [line for line in rest.splitlines() if not is_mended(line)]
    typed = prompts_typed(turns)
    # Where less was done there is more room for what was asked.
    left = round(_CHARS_A_WORD * (MOST_WORDS - len(rest.split())))
    least = min(_LEAST_ASKED + _MORE_ASKED * max(0, typed - _FEW_ASKED), _MOST_LEAST)
    room = min(max(left, least), _MOST_ASKED)
    told = asked(turns, room)
    given = "" if told.prompts else given_task(turns)
    while True:
        recap = replace(
            done, asked=told.prompts, asked_more=typed > len(told.prompts), asked_last=told.is_last, given=given,
            asked_since=told.since if rest else 0, asked_since_more=told.since_more, asked_answered=told.is_answered,
        )  # fmt: skip
        if set(needed) <= set(recap_text(recap).splitlines()):
            return recap
        if room > least:
            room = max(room - _ASKED_STEP, least)
            told = asked(turns, room)
        elif len(done.outcome) > _LEAST_OUTCOME:
            done = replace(done, outcome=shortened(outcome_of(turns, _LESS), _LEAST_OUTCOME))
            needed = [line for line in recap_text(done).splitlines() if not is_mended(line)]
        else:
            return recap


def _prompts_at(turns: Turns) -> list[int]:
    return [turn.number for turn, text in turns if by_a_person(turn, text) and own_words(text)]


def _commands(commands: Sequence[KeptTurn], others: int) -> list[str]:
    """Return what left the machine, or else what changed more than files, or else a few others: the latest of each."""
    done = that_worked(commands)
    worked = [turn.command for turn in done]
    # By the exit code of another command nobody knows that it was sent; git says so, or the number of an issue.
    outward = {
        one.what: one.text for turn in done for one in sent_commands(turn.command)
        if one.is_own or turn.result.endswith(SENT) or turn.result.startswith("#")
    }  # fmt: skip
    if outward:
        return list(outward.values())[-_MOST_COMMANDS:]
    matter = (one for one in _done([line for line in worked if MATTERS_WITHIN.search(line)]) if MATTERS.match(one))
    return list(islice(matter, _MOST_COMMANDS))[::-1] or list(islice(_done(worked if others else ()), others))[::-1]


def _done(lines: Sequence[str]) -> Iterator[str]:
    """Return the commands that did something, the latest of each kind, the last one first."""
    kinds: set[str] = set()
    for line in reversed(lines):
        # How a check ended is told by itself.
        if not checks_in(line) and not commits_in(line) and (told := telling_command(line)) is not None:
            if told[0] not in kinds:
                yield told[1]
            kinds.add(told[0])


def _stops(kept: Sequence[KeptTurn], cwd: str) -> Iterator[str]:
    """Return what was kept from being done, by whom, and not done afterwards."""
    done: set[str] = set()
    worked = 0
    stopped: dict[str, dict[str, None]] = {}
    for turn in reversed(kept):
        worked += bool(turn.ok and is_work(turn.command))
        # What a person stopped early in a long session was done in another way, or was not meant.
        if worked > _MOST_AFTER_STOP and stopped_by(turn) == BY_USER:
            continue
        aim = turn.command or next(iter(turn.paths), "")
        if not (who := stopped_by(turn)):
            done |= {turn.command, *turn.paths} if turn.ok or (turn.ok is None and not turn.command) else set()
        elif aim not in done:
            what = (
                f"`{shortened_command(turn.command)}`"
                if turn.command
                else f"{'writing' if turn.tool == 'Write' else 'an edit of'} {plain_path(turn.paths[0], cwd)}"
            )
            stopped.setdefault(who, {})[what] = None
    for who, things in sorted(stopped.items(), key=lambda one: one[0].endswith("hook")):
        yield f"{who[0].upper()}{who[1:]} stopped {and_list(list(things)[:_MOST_FAILED][::-1])}"


def _moved_and_deleted(turns: Turns, cwd: str) -> Iterator[str]:
    for what, names in (("Moved", moved_files(turns, cwd)), ("Deleted", deleted_files(turns, cwd))):
        if told := list(dict.fromkeys(map(with_short_names, names))):
            yield f"{what} {and_list(told)}"
