"""Which prompts say what a session was about: the first, of each part of the rest the one that says most, the last."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part

_MOST_ASKED = 5
_MOST_SHARE = 200
"""How long one of the prompts is at most; the first and the weightiest have twice the space of another."""
_SHORTEST = 4
_LEAST_WORDS = 2
"""How many words that say something a prompt needs: with fewer it only goes on with what was said before."""
_FIRST_WORDS = 4
"""The first prompt is told if it has as many words and one of them says something."""
_COUNTED_WORDS = 6
_UNSPACED, _CHARS_A_WORD = "\u2e80", 4
_QUOTED_CHARS = 20
_EDIT = 3
"""A file that was written counts as this many commands."""
_SAME_CHARS = 60
_COMPARED_CHARS = 120
_SAME_SHARE = 0.65
"""Prompts of which more parts than this are the same are told once."""
# What programs put into the place of a prompt: marks of interruptions, pasted prompts of a shell, reports.
# Behind `.*` comes a character: then the engine looks only where that is.
_NOT_ASKED = lazy_pattern(
    r"\[[^\]]*\]|@\S+|[^\w\s\"'(@`¿¡/].*|.*\[Request interrupted.*|(?:\$|>|➜) .*|.*c(?<=\bc)ompleted? [—-].*"
    r"|Task: \[Read from.*"
    r"|Unknown (?:skill|(?:slash )?command)\b.*|Tool budget (?:soft|hard) limit.*"
    r"|[\w./-]+\.(?:[cm]?[jt]sx?|py|rb|go|php)(?:\?\S*)?:\d+\b.*",
    re.S,
)
# A line of a shell that was copied, and what it printed.
_COPIED = lazy_pattern(r"(?ms)^\s{0,4}(?:[❯➜$]|\S+[@:]\S*[$#%])\s+(?=\S)(?P<command>[^\n]*)\n?(?P<output>.*)\Z")
_COPIED_ERROR = lazy_pattern(r"(?mi)^\s*((?:error|fatal|panic|\w*(?:Error|Exception))\b:[^\n]+)")
_COPIED_CHARS = 100
# Lines of a log, of a browser's console, of a stack.
_LOGGED = lazy_pattern(
    r"(?m)^[^\w\n]*\d{1,2}:\d\d:\d\d\b.*$|^[ \t]*at (?:\S+ ){0,3}\(?\S+:\d+(?::\d+)?\)?[ \t]*$"
    r"|^[ \t]*File \"[^\"\n]+\", line \d+.*$|^[^\s:]{1,80}\.\w{1,5}(?:\?[^\s:]*)?:\d+(?::\d+)?[ \t]+\S.*$"
    r"|^Traceback \(most recent call last\):.*$|^\S+ on [ \t]*\S+ (?:\S+ )?(?:via|took) .*$"
    r"|^[ \t]*\"[\w-]+\"[ \t]*:[ \t]*(?:[\"{\[\d-]|true\b|false\b|null\b).*$|^[ \t]*[{}\[\]]{1,3},?[ \t]*$"
    r"|^\S*\?[^\s=]+=\S*[ \t]+\S.*$|^[ \t]*(?:\S*[?/=]\S*[ \t]+)?[\U0001F300-\U0001FAFF✓✔❌⚠✅\u2500-\u25ff].*$"
)
_LOGGED_ERROR = lazy_pattern(
    r"((?:\b[A-Z]\w*(?:Error|Exception)|\b(?:error|fatal)): [^\n]{4,100}|\b[45]\d\d \([A-Za-z ]{3,30}\))"
)
# A program shows it before what a person types, and it is copied with it.
_SIGN = lazy_pattern(r"\A[❯›>]\s+(?=\S)")
_SIGNED_WORDS = 2
# A long path or address; its end says what it is.
_LONG_NAME = lazy_pattern(r"(?:[A-Za-z]:|https?:/)?[^\s/\\]*[/\\][^\s]{24,}")
_NAME_END = 24
_ANNOUNCED = lazy_pattern(
    r"((?:\w+ ){1,6}(?:plan|spec|design|proposal|tasks?):)\s*#{1,3}\s+(?:Plan:\s+)?([^\n]{3,200})", re.I
)
# How people ask for something: in these words, or with a verb first.
_REQUEST = lazy_pattern(
    r"\b(?:let'?s|i(?:'d| would) like|i (?:want|need)|can (?:you|we)|could you|please|we (?:need|should)|need to)\b"
    r"|^\W*(?:\w+ )?(?:add|apply|build|change|clean|convert|create|debug|delete|deploy|design|document|drop|eliminate|"
    r"explain|extend|extract|fix|implement|improve|inspect|install|integrate|investigate|make|merge|migrate|move|"
    r"optimi[sz]e|port|refactor|release|remove|rename|replace|review|rewrite|set up|split|support|switch|test|try|"
    r"update|upgrade|write)\b",
    re.I,
)
_CLAUSE_END = lazy_pattern(r"(?<=[.!?,;])\s+(?=\S)")
_NEGATED = lazy_pattern(
    r"\b(?:not|no|never|don'?t|without|can'?t|cannot|won'?t|shouldn'?t|unless|if|instead|stop|avoid)\b", re.I
)
# Answers to what the agent asked say little without the question.
_ANSWERS = lazy_pattern(r"\s*(?:\d{1,2}|[ab])\s?[.):]\s*\S")
# Said after a question, these mean that it was to be done.
_ORDER = lazy_pattern(
    r"(?:(?:yes|ok|okay|sure|please|now)[\s,.]*)*(?:implement|make|do|apply|fix|add|go ahead)\b[^\n]{0,40}", re.I
)
# What a person says whose trouble is not over.
_TROUBLE = lazy_pattern(
    r"\b(?:still|not work\w*|doesn'?t|didn'?t|isn'?t|can'?t|won'?t|errors?|fail\w*|broken?|wrong|issues?|bugs?|"
    r"opposite|missing|[45]\d\d|\w+(?:Error|Exception))\b",
    re.I,
)
_THANKS = lazy_pattern(
    r"(?:(?:perfect|great|awesome|excellent|nice|ok)\b[\s,!.]*)?(?:thanks|thank you|thx)\b[^?\n]{0,80}", re.I
)
# A command of the agent with what it is about, or one that somebody made: its name says what was wanted.
_SLASH_COMMAND = lazy_pattern(r"/[a-z][\w:-]*\s+(?=[^\s/])|/(?=[a-z]*[:-])[a-z][\w:-]*\s*\Z")
_OWN_COMMANDS = frozenset({
    "/add-dir", "/release-notes", "/pr-comments", "/output-style", "/install-github-app", "/terminal-setup", "/model",
    "/privacy-settings", "/rate-limit-options", "/bug-report", "/extra-usage", "/reload-plugins", "/remote-control",
    "/compact", "/clear", "/config", "/help", "/login", "/logout", "/mcp", "/memory", "/permissions", "/resume",
    "/doctor", "/cost", "/export", "/hooks", "/ide", "/agents", "/context", "/rewind", "/status", "/usage", "/vim",
    "/quit", "/exit", "/theme", "/effort", "/fast", "/rename", "/tasks", "/plugin", "/approvals", "/add", "/drop",
})  # fmt: skip
_FENCED = lazy_pattern(r"(?s)```.*?(?:```|\Z)")
_PLACEHOLDER = lazy_pattern(r"\[(?:Image|Pasted text|Attachment)[^\]\n]{0,40}\]", re.I)
# What comes before the request itself.
_OPENING = lazy_pattern(
    r"\A(?:(?:hi|hey|hello|ok|okay|yes|yeah|yep|thanks|thank you|alright|sure|now|so|and|please)\b[\s,.!:;)-]+)+(?=\S)",
    re.I,
)  # fmt: skip
_WORD = lazy_pattern(r"[^\W\d_][\w']*")
# Words that only go on, agree, or point at what was said before.
_ONLY_GOING_ON = """
a about above after again ahead all also an and another any anything are as at be been before better both but by can
carry change changes check checking clear code commit commits complete continue correct could did do does doesn't
doing don't done else everything exactly fine finish first for from further get go goahead going good got great had
has have he hello help hey hi how i i'd i'll i'm i've if implement in into is isn't it it's its job just keep know
last leave let let's lgtm like look looks lot make makes many maybe me merge mind more my need needs next nice no not
now of off ok okay on one only or other our out over perfect phase plan please possible proceed push pushed ready
really redo remaining rest resume retry right run same see seems ship should show so some something sorry start step
still stop sure take task tasks tell test tests than thank thanks that that's the their them then there these they
thing things think this those to today together too top try two undo up update us use very wait want was way we we'll
well were what what's when where which why will with work worked working works would wrong yeah yep yes yet you you're
your yup
"""
_EMPTY = frozenset(_ONLY_GOING_ON.split())


class _Prompt(NamedTuple):
    said: str
    words: int
    work: int
    commits: int = 0


class Asked(NamedTuple):
    """What was asked, in order, and whether the last of it is what the person said last."""

    prompts: tuple[str, ...] = ()
    is_last: bool = False


def asked(turns: Sequence[tuple[KeptTurn, str]], agent: str, most_chars: int) -> Asked:
    """Return what a person asked in a session; a prompt that says nothing by itself only if there is no other."""
    # If none says anything by itself, what was typed is still more than nothing.
    prompts = next(filter(None, (list(_prompts(turns, agent, least)) for least in (_LEAST_WORDS, 1, 0))), [])
    if not prompts:
        return Asked()
    chosen = _chosen(prompts)
    heaviest = max(chosen, key=_weight)
    # One that fits is told as it is; of a long one the beginnings of long paths and addresses go first.
    short = [_LONG_NAME.sub(_name_end, one.said[: 4 * most_chars]) for one in chosen]
    requests = [_from_request(name) for name in short]

    def cut(share: int) -> list[str]:
        # The first, and the one that most was done for, have twice the space of another.
        rooms = [2 * share if one in (chosen[0], heaviest) else share for one in chosen]
        return [one.said if len(one.said) <= room else shortened(request if len(name) > room else name, room)
                for one, name, request, room in zip(chosen, short, requests, rooms, strict=True)]  # fmt: skip

    shares = range(_MOST_SHARE, 0, -1)
    most = bisect_left(shares, True, key=lambda share: sum(map(len, cut(share))) <= most_chars)
    told = cut(shares[most]) if most < len(shares) else []
    # Whatever is said after it, were it only "yes, commit", makes it not the last.
    final = next((_said(text) for turn, text in reversed(turns) if turn.role == "user" and turn.author != agent), "")
    return Asked(tuple(told), is_last=len(told) > 1 and chosen[-1].said == final)


def _chosen(prompts: Sequence[_Prompt]) -> list[_Prompt]:
    """Return the first prompt, the weightiest of each part of the rest, and the last if it tells how things stand."""
    others, last = list(prompts[1:]), []
    if others and not others[-1].commits and _TROUBLE.search(others[-1].said):
        last = [others.pop()]
    # A long session turns to other things: each part of it has its say.
    parts = _MOST_ASKED - 1 - len(last)
    cuts = [len(others) * part // parts for part in range(parts + 1)]
    chosen = [prompts[0]]
    for one, end in pairwise(cuts):
        if new := [prompt for prompt in others[one:end] if not any(_is_like(prompt, told) for told in chosen)]:
            chosen.append(max(new, key=_weight))
    return chosen + last


def _is_like(prompt: _Prompt, other: _Prompt) -> bool:
    """Return whether two prompts say nearly the same."""
    one, two = _parts(prompt.said[:_COMPARED_CHARS]), _parts(other.said[:_COMPARED_CHARS])
    same = len(one & two)
    return same > _SAME_SHARE * max(len(one) + len(two) - same, 1)


@lru_cache(256)
def _parts(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 3] for at in range(len(text) - 2))


def _from_request(said: str) -> str:
    """Return a prompt that will not be told whole from the clause on that asks for something."""
    clauses = _CLAUSE_END.split(said)
    first = next((number for number, one in enumerate(clauses) if _REQUEST.search(one)), 0)
    rest = " ".join(clauses[first:])
    is_cut = first and telling_words(rest) > _LEAST_WORDS
    # Without what stands before it, a request may be the contrary.
    return f"… {rest}" if is_cut and not _NEGATED.search(" ".join(clauses[:first])) else said


def _name_end(found: re.Match[str]) -> str:
    name = found[0]
    places = [place for place, char in enumerate(name) if char in "/\\"]
    ends = [place for place in places if len(name) - place <= _NAME_END]
    return f"…{name[ends[0] :]}" if ends else f"…{name[places[-1] :][:_NAME_END]}…"


def prompts_typed(turns: Sequence[tuple[KeptTurn, str]], agent: str) -> int:
    """Return how many prompts of a session a person typed that say something."""
    return sum(turn.role == "user" and turn.author != agent and telling_words(_said(text)) > 0 for turn, text in turns)


def _weight(prompt: _Prompt) -> tuple[float, int]:
    # What was worked at says more than what was talked about; and a request more than an answer.
    kind = 0.5 if _ANSWERS.match(prompt.said) else 1.5 if _REQUEST.search(prompt.said) else 1.0
    return kind * min(prompt.words, _COUNTED_WORDS) * (1 + math.log2(1 + prompt.work)), prompt.words


def _prompts(turns: Sequence[tuple[KeptTurn, str]], agent: str, least: int) -> Iterator[_Prompt]:
    found: dict[str, _Prompt] = {}
    last = ""
    answered: set[str] = set()
    for turn, text in turns:
        if turn.role == "assistant":
            answered |= {line.strip() for line in text.splitlines() if len(line) >= _QUOTED_CHARS}
        if turn.role == "user" and turn.author != agent:
            # What is copied from an answer is the agent's.
            own = [line for line in text.splitlines() if line.strip() not in answered] if answered else []
            said = _said("\n".join(own) if any(map(str.strip, own)) else text)
            words = max(telling_words(said), _LEAST_WORDS if said.startswith("/") else 0)
            # A prompt that only goes on belongs to the one before it; the first has none before it.
            if len(said) >= _SHORTEST and words >= (
                least if found or len(said.split()) < _FIRST_WORDS else min(least, 1)
            ):
                last = said[:_SAME_CHARS]
                found.setdefault(last, _Prompt(said, words, 0))
            elif last and found[last].said.endswith("?") and _ORDER.fullmatch(said):
                found[last] = found[last]._replace(said=f"{found[last].said} (then: {said})")
        elif last:
            before = found[last]
            work = before.work + (1 if turn.command else _EDIT * len(turn.paths))
            found[last] = before._replace(work=work, commits=before.commits + ("commit" in turn.command))
    yield from found.values()


@lru_cache(256)
def telling_words(text: str) -> int:
    """Return how many different words of a text say something by themselves."""
    words = {word for found in _WORD.findall(text.casefold()) if (word := found.strip("'")) not in _EMPTY}
    words = {word for word in words if len(word) > 1 or not word.isascii()}
    # Scripts without blanks have no words to count.
    unspaced = 0 if text.isascii() else sum(char >= _UNSPACED for char in text)
    return len(words) + unspaced // _CHARS_A_WORD


@lru_cache(256)
def _said(text: str) -> str:
    """Return what a person typed on one line; empty for what a program put there, or a command of the agent."""
    typed = _PLACEHOLDER.sub(" ", typed_part(text)).strip()
    if (sign := _SIGN.match(typed)) and sum(word in _EMPTY for word in typed.casefold().split()) >= _SIGNED_WORDS:
        typed = typed[sign.end() :]
    typed = _without_output(typed)
    if announced := _ANNOUNCED.match(typed):
        # What was agreed on is a long text that nobody typed; its title says what it is about.
        return " ".join(f"{announced[1]} {announced[2]}".split())
    is_command = typed.startswith("/") and (typed.split()[0] in _OWN_COMMANDS or not _SLASH_COMMAND.match(typed))
    if not typed or is_command or typed.startswith("<") or is_by_program(typed) or _NOT_ASKED.fullmatch(typed):
        return ""
    said = _OPENING.sub("", in_one_line(_without_log(_FENCED.sub(" ", typed))), count=1)
    return "" if not said or _NOT_ASKED.fullmatch(said) or _THANKS.fullmatch(said) else said


def _without_log(typed: str) -> str:
    """Return a prompt with the first error of a copied log, and not the rest of it."""
    own = _LOGGED.sub("", typed)
    if own == typed or not own.strip():
        return own
    error = _LOGGED_ERROR.search(typed)
    return own if not error or error[1] in own else f"{own.rstrip().rstrip('.:')}: {error[1]}"


def _without_output(typed: str) -> str:
    """Return a prompt in which a copied command has its error beside it, and not the rest of its output."""
    copied = _COPIED.search(typed)
    own = typed[: copied.start()].strip() if copied else ""
    if not copied or not own:
        return typed
    command = shortened(" ".join(copied["command"].rstrip("\\ ").split()), _COPIED_CHARS)
    error = _COPIED_ERROR.search(copied["output"])
    said = f"{own} {command}"
    if not error:
        return f"{said} …" if copied["output"].strip() else said
    return f"{said}: {shortened(' '.join(error[1].split()), _COPIED_CHARS)}"


_PARAGRAPH_END = lazy_pattern(r"(\w)[ \t]*\n[ \t]*\n(?=[ \t]*[^\W\d_])")
# Where a program cut a text.
_LEFT_OUT = ("[…]", "…", "...", "[...]")


def in_one_line(text: str) -> str:
    """Return the lines of a text that say something as one line, without headings."""
    # What one paragraph says does not go on in the next.
    parted = _PARAGRAPH_END.sub(r"\1.\n", text) if text.count("\n") > 1 else text
    lines = [one.strip(" \t\"'>*-") for one in parted.splitlines()]
    # A heading, or a line of marks, says less than the line after it.
    telling = [one for one in lines if one in _LEFT_OUT or (one[:1] != "#" and any(map(str.isalpha, one)))]
    return " ".join(" ".join(telling or [text]).split()).rstrip(".:;,")


def shortened(line: str, most: int) -> str:
    """Return the beginning of a line, cut after a word."""
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rpartition(' ')[0].rstrip('.:;,') or line[: most - 1]}…"
