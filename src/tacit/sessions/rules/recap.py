"""Recap: what was asked, changed, run, committed; what failed and what mended it; how it ended. No model is needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set as AbstractSet
from itertools import islice

from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.fixes import fix_in, never_ran
from tacit.failures.rules.made_it_work import changed_between, made_it_work
from tacit.failures.rules.worked_next import spaced
from tacit.model.payload import KeptTurn, Recap
from tacit.model.record import replace
from tacit.sessions.rules.asked import asked, is_work, prompts_typed
from tacit.sessions.rules.changed_files import changed_files
from tacit.sessions.rules.check_commands import checks_in
from tacit.sessions.rules.check_families import ALL, LINT, family_of
from tacit.sessions.rules.checks import OF_THE_COMMAND, EndedCheck, last_checks, why_failed
from tacit.sessions.rules.commands.command_results import BACKGROUND, SENT, SHOWN
from tacit.sessions.rules.commands.commits import (
    NOT_SENT,
    CommitHistory,
    commit_history,
    commits_in,
    is_made,
    made_commits,
)
from tacit.sessions.rules.commands.git_log import new_in_log, since_own
from tacit.sessions.rules.commands.line_commands import line_commands, shortened_command
from tacit.sessions.rules.commands.looked_at import files_looked_at, looking_commands
from tacit.sessions.rules.commands.remote_changes import remote_changes
from tacit.sessions.rules.commands.shell_changes import doing_command, only_looked, plain_path
from tacit.sessions.rules.commands.telling_commands import (
    MATTERS,
    MATTERS_WITHIN,
    OUTWARD,
    arranging_command,
    sent_commands,
    telling_command,
)
from tacit.sessions.rules.given_task import given_frame, given_task
from tacit.sessions.rules.kept_turns import BY_USER, HIDES, stopped_by
from tacit.sessions.rules.missing_files import deleted_files, moved_files
from tacit.sessions.rules.outcome import outcome_of
from tacit.sessions.rules.own_words import by_a_person, own_words, shortened, with_short_names
from tacit.sessions.rules.recap_text import MOST_WORDS, and_list, is_mended, recap_text
from tacit.sessions.rules.uncommitted import found_changed, listed_on_the_way, uncommitted
from tacit.shell.signature import signature_of
from tacit.text.patterns import lazy_pattern

_CHARS_A_WORD = 5.5
_LEAST_ASKED, _MOST_ASKED, _ASKED_STEP = 280, 600, 60
"""How many characters the prompts may have, and how many fewer if something else would not be told."""
_FEW_ASKED, _MORE_ASKED, _MOST_LEAST = 5, 20, 420
"""With more prompts than a few, each gives them so many characters more before anything else is told."""
_LESS, _LEAST_OUTCOME = 0.6, 180
_MOST_COMMANDS = 4
_MOST_OTHERS = 2
_MOST_FAILED = 2
_MOST_LATER = 15
_MOST_AFTER_STOP = 10
_PATH_CHARS = 60
_MOST_NEW = 3
_MOST_TESTS = 3
_MOST_SHOWN = 2
_GOES_ON = lazy_pattern(r"\A(?:cd \S+ && )?(?:git push|gh )[^|;&]*&&")
_RUNS_ON = lazy_pattern(r"[^&>]&\s*\Z")
_BEGINS_ALIKE = 40
"""Commands that begin with so many equal characters do the same."""
_MOST_SINCE = 3
"""If more prompts came after the last check, it was early."""
# What a check says that failed, and that says nothing of why.
_ONLY_COUNTS = lazy_pattern(r"\b\d+ (?:errors?|problems?|issues?|warnings?|failed|tests?)\b|too many errors", re.I)
_ONLY_LOOKED = "Commands only looked around"


def recap_of(turns: Sequence[tuple[KeptTurn, str]], *, session: str, agent: str, cwd: str = "") -> Recap:
    """Return what happened in a session, from its kept turns and their texts."""
    stops = list(_stops([turn for turn, _text in turns], cwd))
    turns = [(turn, text) for turn, text in turns if not stopped_by(turn)]
    kept = [turn for turn, _text in turns]
    commands = [turn for turn in kept if turn.command]
    history = commit_history(turn.command for place, turn in enumerate(commands) if is_made(commands, place))
    commits, changed, listed_last = history.made, changed_files(turns, cwd), uncommitted(turns)
    # Where little else is told, what was tested says what the work was about.
    checks = last_checks(commands, 1 if commits or changed.names else _MOST_TESTS)
    since = [f"Changed after the last commit: {and_list(changed.since_commit)}"] if changed.since_commit else []
    opened = dict.fromkeys(_opened(turn) for turn in commands if turn.result.startswith("#"))
    done = Recap(
        session=session, agent=agent, author=agent, thread=turns[0][0].thread if turns else "",
        files=changed.names, commits=tuple(commits), opened=tuple(opened),
        failed=(
            *_looked_into(commands), *remote_changes(commands), *stops, *(since if not listed_last else ()),
            *_failed(kept, history, checks, _prompts_at(turns)), *_moved_and_deleted(turns, cwd),
        ),
        checks=tuple((one.command, one.result) for one in checks if one.result),
        uncommitted=listed_last,
        outcome=outcome_of(turns),
    )  # fmt: skip
    if not (done.files or done.commits or done.uncommitted) and (names := listed_on_the_way(turns)):
        done = replace(done, failed=(f"Changed, by a git status on the way: {and_list(names)}", *done.failed))
    is_told = done.files or done.commits or done.outcome or any(not one.startswith("Checked") for one in done.failed)
    others = 0 if is_told else _MOST_OTHERS
    done = replace(done, commands=tuple(_commands(commands, others)))
    listed = any(turn.uncommitted for turn in commands)
    lines = [turn.command for turn in commands]
    is_empty = not (done.files or done.commits or done.failed or done.commands or listed)
    if only := is_empty and bool(commands) and only_looked(turns):
        done = replace(done, failed=(_looked_at(lines, cwd, "Commands only looked") or _ONLY_LOOKED,))
    if commands and not recap_text(done):
        done = _with_little(done, commands, is_asked=bool(asked(turns, _MOST_ASKED).prompts or given_task(turns)))
    made = _with_asked(done, turns)
    # How a check ended says nothing of what a session was about.
    if made.asked or made.given or made.files or made.commits or made.outcome:
        return made
    made = replace(made, given=given_frame(turns))
    if not made.uncommitted and (found := found_changed(turns)):
        made = replace(made, failed=(f"Changed before the session began: {and_list(found)}", *made.failed))
    if not only:
        return replace(made, failed=(*filter(None, [_looked_at(lines, cwd, "Looked")]), *made.failed))
    around = ", ".join(looking_commands(lines)) if made.failed == (_ONLY_LOOKED,) else ""
    return replace(made, failed=(f"{_ONLY_LOOKED}: {around}",)) if around else made


def _opened(turn: KeptTurn) -> str:
    return f"{'issue' if ' issue create' in turn.command else 'pull request'} {turn.result.partition(',')[0]}"


def _looked_into(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return in words which pull requests and issues were looked at that the session did not open itself."""
    opened = {turn.result.partition(",")[0] for turn in commands if turn.result.startswith("#")}
    looked = [found for turn in commands if (found := SHOWN.fullmatch(turn.result)) and found[1] not in opened]
    # Each as it was seen last.
    last = {found[1]: found[0] for found in looked}
    told = [last[number] for number, _count in Counter(found[1] for found in looked).most_common()]
    if told:
        yield f"Looked at {and_list(told[:_MOST_SHOWN])}"


def _looked_at(lines: Sequence[str], cwd: str, looked: str) -> str:
    files = files_looked_at(lines, cwd)
    return f"{looked} at {and_list(files)}" if files else ""


def _with_little(done: Recap, commands: Sequence[KeptTurn], *, is_asked: bool) -> Recap:
    """Return the recap of a session of which nothing but what was asked is told: its last commands that did more.

    Where nothing was asked, one that may only look says more than nothing.
    """
    does = arranging_command if is_asked else doing_command
    # Of a check that is not told nobody knows whether it was one.
    commands = [turn for turn in commands if not (is_asked and checks_in(turn.command))]
    worked = [turn.command for turn in _that_worked(commands)]
    ran, tried = (
        tuple(dict.fromkeys(filter(None, map(does, reversed(lines)))))[:_MOST_OTHERS][::-1]
        for lines in (worked, [turn.command for turn in commands])
    )
    return replace(done, commands=ran, tried=() if ran else tried)


def _with_asked(done: Recap, turns: Sequence[tuple[KeptTurn, str]]) -> Recap:
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


def _prompts_at(turns: Sequence[tuple[KeptTurn, str]]) -> list[int]:
    return [turn.number for turn, text in turns if by_a_person(turn, text) and own_words(text)]


def _commands(commands: Sequence[KeptTurn], others: int) -> list[str]:
    """Return what left the machine, or else what changed more than files, or else a few others: the latest of each."""
    done = _that_worked(commands)
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


def _that_worked(commands: Sequence[KeptTurn]) -> list[KeptTurn]:
    """Return the commands that worked; one that did first, and not when it was run last, is not what was done."""
    last = {spaced(turn.command): turn for turn in commands}
    return [one for one in commands if _worked(one, commands) and _worked(last[spaced(one.command)], commands)]


def _worked(turn: KeptTurn, commands: Sequence[KeptTurn]) -> bool:
    """Return whether a command worked; where successes are told, one without an outcome was perhaps stopped."""
    if turn.result == BACKGROUND or _RUNS_ON.search(turn.command):
        return False
    return not turn.error and (bool(turn.ok) or (turn.ok is None and not any(one.ok for one in commands)))


def _failed(
    kept: Sequence[KeptTurn], history: CommitHistory, checks: Sequence[EndedCheck], prompts: Sequence[int]
) -> Iterator[str]:
    """Return what failed and what worked instead, what was not sent, commits without an end, and checks."""
    commands = [turn for turn in kept if turn.command]
    known = [turn for turn in commands if turn.ok is not None]
    told: dict[str, str] = {}
    for place, turn in enumerate(known):
        if turn.ok is False and turn.error and not HIDES.search(turn.command) and telling_command(turn.command):
            line = spaced(turn.command)
            # Run again, it may say more clearly why it fails.
            before = {spaced(one.command) for one in known[:place] if one.ok is False}
            told[line] = told.get(line) or _instead(turn, known[place + 1 : place + 1 + _MOST_LATER], before)
    # What another command mended comes first: nobody would know it from the last state.
    again = {line: how for line, how in _again(kept, checks) if not told.get(line)}
    mended = [*filter(None, told.values()), *list(again.values())[:1]][:_MOST_FAILED]
    if history.reverted:
        yield f"Committed and reverted: {'; '.join(history.reverted[-_MOST_FAILED:])}"
    if new := since_own(commands, history.made) if history.made else new_in_log(commands):
        among = ", among others" if len(new) > _MOST_NEW else ""
        yield f"New in the git log{among}: {'; '.join(new[:_MOST_NEW])}"
    yield from _unmended(commands)
    yield from mended
    yield from _not_sent(commands)
    begun = made_commits(turn.command for turn in commands if turn.ok is None and not turn.error)
    if unknown := [one for one in begun if one not in (*history.made, *history.reverted)]:
        yield f"Committed, with no outcome in the transcript: {'; '.join(unknown[-_MOST_FAILED:])}"
    # Of a check that failed first it is told already that it worked.
    mended_checks = [one for one in checks if any(how.startswith(f"`{one.command}` failed") for how in mended)]
    checks = [one for one in checks if one not in mended_checks or one.ended.startswith(": ")]
    if checks:
        # What was asked for since then was not checked.
        last = checks[-1].turn
        since = sum(number > last.number for number in prompts)
        early = " early on" if since > _MOST_SINCE and commands.index(last) < len(commands) / 2 else ""
        yield f"Checked{early}: {'; '.join(f'`{one.command}`{one.ended}' for one in checks)}"


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


def _moved_and_deleted(turns: Sequence[tuple[KeptTurn, str]], cwd: str) -> Iterator[str]:
    for what, names in (("Moved", moved_files(turns, cwd)), ("Deleted", deleted_files(turns, cwd))):
        if told := list(dict.fromkeys(map(with_short_names, names))):
            yield f"{what} {and_list(told)}"


def _not_sent(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return the last command that should send something out and did not, if it did not afterwards either."""
    sent: set[str] = set()
    for turn in reversed([one for one in commands if sent_commands(one.command)]):
        sends = sent_commands(turn.command)
        if turn.ok is False or (turn.ok is None and turn.error) or NOT_SENT.search(turn.error):
            if _GOES_ON.search(turn.command) and not NOT_SENT.search(turn.error):
                # What was run after it failed.
                return
            if sent.issuperset(one.what for one in sends):
                continue
            # Of several commands another one may have failed, or kept it from being run.
            is_one = "&&" not in turn.command and ";" not in turn.command.partition("<<")[0]
            what = sends[-1].text if is_one else shortened_command(turn.command)
            yield f"`{what}` failed{why_failed(turn)}"
            return
        if _worked(turn, commands):
            sent |= {one.what for one in sends}


def _unmended(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return the last commands that change more than files, failed, and did not work afterwards."""
    kinds: set[str] = set()
    for place in range(len(commands) - 1, -1, -1):
        turn = commands[place]
        # Where no outcome is known, an error in the output is one.
        if turn.ok or not turn.error or not MATTERS_WITHIN.search(turn.command):
            continue
        told = telling_command(turn.command) if not HIDES.search(turn.command) else None
        # What is sent out is told by itself, and so are checks.
        if told is None or not MATTERS.match(told[1]) or OUTWARD.match(told[1]) or checks_in(turn.command):
            continue
        later = [one for one in commands[place + 1 :] if _worked(one, commands) and MATTERS_WITHIN.search(one.command)]
        done = [one for turn in later for one in line_commands(turn.command)]
        ended = any(
            signature_of(one) == told[0] or _ends(" ".join(word.shown for word in one.words), told[1]) for one in done
        )
        # A long line may not be read to its end.
        ended = ended or any(one.command[:_BEGINS_ALIKE] == turn.command[:_BEGINS_ALIKE] for one in later)
        if told[0] not in kinds and not ended:
            kinds.add(told[0])
            yield f"`{told[1]}` failed{why_failed(turn)}"
        if len(kinds) == _MOST_FAILED:
            return


def _ends(later: str, begun: str) -> bool:
    """Return whether a command of git ends what another one began: `git rebase --continue`."""
    same = [word for word in begun.split() if "=" not in word][:2] == [w for w in later.split() if "=" not in w][:2]
    return same and begun.startswith("git ") and not {"--continue", "--skip"}.isdisjoint(later.split())


def _instead(failed: KeptTurn, later: Sequence[KeptTurn], before: AbstractSet[str]) -> str:
    """Return in words what worked in the place of a command; empty if nothing did, or it had failed before as well."""
    cause = cause_of(failed.command, failed.error, failed.exit_code)
    if cause is None or not (cause.kind in OF_THE_COMMAND or never_ran(cause)):
        return ""
    for turn in later:
        if turn.ok and not HIDES.search(turn.command) and (fix := fix_in(cause, failed.command, turn.command)):
            # One that had failed before was mended by something else.
            if not before.isdisjoint((spaced(turn.command), spaced(fix))):
                return ""
            what, mended = shortened_command(failed.command), shortened_command(fix)
            # Where both look the same, what differs is a long path.
            other = next((word for word in fix.split() if word not in failed.command.split()), "")
            return f"`{what}` failed{why_failed(failed)}; `{mended if mended != what else _path_end(other)}` worked"
    return ""


def _path_end(path: str) -> str:
    return path if len(path) <= _PATH_CHARS else f"…{path[-_PATH_CHARS:]}"


def _again(kept: Sequence[KeptTurn], checks: Sequence[EndedCheck]) -> Iterator[tuple[str, str]]:
    """Return the commands that failed first and worked when they were run last, without checks of which that is all."""
    runs: dict[str, list[KeptTurn]] = {}
    # Those of which no outcome is known.
    shown: dict[str, list[KeptTurn]] = {}
    for turn in kept:
        if turn.command and turn.ok is not None:
            runs.setdefault(spaced(turn.command), []).append(turn)
        elif turn.command and turn.result != BACKGROUND:
            shown.setdefault(spaced(turn.command), []).append(turn)
    for line, ran in shown.items():
        if ran[0].error and not ran[-1].error and not HIDES.search(line) and telling_command(line):
            yield (
                line,
                f"`{shortened_command(line)}` showed an error{why_failed(ran[0])}, and none when it was run last",
            )
    for line, ran in runs.items():
        first = ran[0]
        if not first.ok and ran[-1].ok and first.error and not HIDES.search(first.command) and telling_command(line):
            what, why = f"`{shortened_command(line)}`", why_failed(first)
            failed = max(one.number for one in ran if not one.ok)
            worked = next(one.number for one in ran if one.ok and one.number > failed)
            between = [one for one in kept if failed < one.number < worked]
            changed = changed_between(between) if made_it_work(first, between) is None else ""
            # That a check passed in the end is told by itself.
            is_told = any(f"`{one.command}`" == what for one in checks)
            # What a linter found and what was mended is found again by itself.
            is_lint = any(family_of(one.command, is_test=False) in (LINT, ALL) for one in checks_in(line))
            if changed or not is_told or (why and not is_lint and not _ONLY_COUNTS.search(why)):
                yield line, f"{what} failed{why}, and worked {f'after {changed} changed' if changed else 'in the end'}"
