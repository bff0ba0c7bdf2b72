"""What a person typed in a prompt, on one line: without what was pasted, copied, or put there by a program."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from tacit.model.payload import KeptTurn
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part
from tacit.text.tokens import is_unspaced

_CHARS_A_WORD = 4
_TOLD_WORDS = 3
# A shell's sign on Windows, perhaps of an environment of Python.
_OF_WINDOWS = r"(?:\([\w.-]+\) ?)?(?:PS )?[A-Z]:\\[^<>:\"|?*\n]{0,200}(?<![-= ])>"
# What programs put into the place of a prompt: marks of interruptions, pasted prompts of a shell, reports.
# Behind `.*` comes a character: then the engine looks only where that is. Agents begin items of lists with capitals.
_NOT_ASKED = lazy_pattern(
    r"\[[^\]]*\]|@\S+|https?://\S+|\w+ ?= ?\w+"
    r"|git (?:status|log|diff|branch|pull|fetch)(?: -[\w=-]+| [\w.-]*/[\w./-]*)*"
    r"|(?![-*] ?[a-z])[^\w\s\"'(@`¿¡/].*|.*\[Request interrupted.*|(?:\$|>|➜) .*|.*c(?<=\bc)ompleted? [—-].*"
    rf"|{_OF_WINDOWS}.*"
    r"|Implement the plan as specified, it is attached.*"
    r"|Here(?: is|'s) the (?:full |whole |complete )?prompt\b[^.\n]{0,60}"
    r"|Unknown (?:skill|(?:slash )?command)\b.*|Tool budget (?:soft|hard) limit.*"
    r"|[\w./-]+\.(?:[cm]?[jt]sx?|py|rb|go|php)(?:\?\S*)?:\d+\b.*",
    re.S,
)
# A line of a shell that was copied, and what it printed.
_COPIED = lazy_pattern(
    rf"(?ms)^\s{{0,4}}(?:(?:[❯➜$]|[^\s@:]++[@:]\S*[$#%])\s+|{_OF_WINDOWS}[ \t]*)"
    r"(?=\S)(?P<command>[^\n]*)\n?(?P<output>.*)\Z"
)
_COPIED_ERROR = lazy_pattern(
    r"(?mi)^[ \t]*+((?:error|fatal|panic|\w*(?:Error|Exception))\b:[^\n]+"
    r"|[^\n]{0,60}(?:is not a \w+ command|is not recognized as|command not found)\b[^\n]*)"
)
_COPIED_CHARS = 100
NAMED_ERROR = r"(?:error|fatal|panic|\w*(?:Error|Exception))(?:\[\w+\]| \w*\d)?:"
"""How programs name an error before they say what is wrong."""
# What a program prints first of an error; below it come a stack, advice, other errors.
_ERROR_LINE = lazy_pattern(rf"(?m)^[ \t]*(?:\[?{NAMED_ERROR}|npm (?:error|ERR!)) [^\n]+$")
_LIST_ITEM = lazy_pattern(r"(?m)^[ \t]*(?:[-*•]|\d{1,2}[.)]) ")
_PASTED_LINES, _TYPED_CHARS, _SAID_WORDS = 2, 300, 2
"""How many lines below an error may be pasted, how long what is typed below them is at most, and how many telling words
are needed above an error to say what it is about."""
_SENTENCE = lazy_pattern(r"(?m)^(?!\s)(?:\S+ ){2,}\S*[.!?]$")
# Lines of a log, of a browser's console, of a stack.
_LOGGED = lazy_pattern(
    r"(?m)^[^\w\n]*(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d:\d\d\b.*$"
    r"|^[\w.-]+-\d+[ \t]+\| .*$|^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ .*$"
    r"|^(?:time|ts|timestamp)=\S*\d\d:\d\d\S* .*$"
    r"|^\S{0,60} ?level=(?i:trace|debug|info|warn(?:ing)?|error|fatal)\b.*$"
    r"|^[ \t]*(?:['\"][ \t]*)?at (?:\S+ ){0,3}\(?\S+:\d+(?::\d+)?\)?[ \t]*$"
    r"|^.*\\n['\"] ?\+?[ \t]*$|^[ \t]*['\"][ \t]*at \S.*$"
    r"|^[ \t]*File \"[^\"\n]+\", line \d+.*$|^[^\s:]{1,80}\.\w{1,5}(?:\?[^\s:]*)?:\d+(?::\d+)?[ \t]+\S.*$"
    r"|^[ \t>]*\d{1,5} \|.*$"
    r"|^(?:[ \t]*\d{2,5}[ \t]+\S.*\n){0,5}[ \t]*→[ \t]*\d{2,5}[ \t]+\S.*(?:\n[ \t]*\d{2,5}[ \t]+\S.*){0,5}"
    r"|^[ \t]*\|[ \t~]*\^.*$|^\S+\.\w{1,5} \(\d+:\d+\).*$"
    r"|^(?:Call Stack|Show \d+ ignore-listed|On branch|Your branch is|Changes (?:not staged|to be)|Untracked files"
    r"|no changes added|nothing to commit)\b.*$|^[ \t]*\(use \"git .*$"
    r"|^[ \t]*(?:modified|new file|deleted|renamed): .*$"
    r"|^(?:DOM Path|HTML Element|React Component): .*$|^Position: top=.*$"
    r"|^=== (?:RUN|PAUSE|CONT)\b.*$|^[ \t]*--- (?:PASS|FAIL|SKIP): .*$|^\[[\w:-]+\] \$ .*$"
    r"|^Traceback \(most recent call last\):.*$|^\S+ on [ \t]*\S+ (?:\S+ ){0,3}(?:via|took) .*$"
    r"|^[ \t]*\"[\w-]+\"[ \t]*:[ \t]*(?:[\"{\[\d-]|true\b|false\b|null\b).*$|^[ \t]*[{}\[\]]{1,3},?[ \t]*$"
    r"|^\S*\?[^\s=]+=\S*[ \t]+\S.*$|^[ \t]*(?:\S*[?/=]\S*[ \t]+)?[\U0001F300-\U0001FAFF✓✔❌⚠✅\u2500-\u25ff].*$"
)
_AGENT_SAYS = lazy_pattern(r"(?s)(?:(?<=[.?!])\s+|\n[ \t]*)[⏺⎿] .*\Z")
# The sign of a shell, and how long the command before it took.
_SHELL_SIGN = lazy_pattern(r"\A[^\n]{0,60}[❯➜$%]\s+(?:\d+m?s\s+)?")
# Words with which a person goes on below what was copied.
_GOES_ON = lazy_pattern(
    r"(?:why|how|what|can|could|is|are|do|does|did|should|but|and|i|i'm|i've|it|its|it's|this|that|please|so|any|where|"
    r"when|which|now|then|also|still|we|let's)\b(?=(?: \S+){3})(?! the repository exists)(?![^\n]*[{}|=;]).*",
    re.I,
)
_MARK = "[…]"
"""Where a program left something out."""
# A title that says what is to be done.
_TITLE = lazy_pattern(
    r"\A#{1,2} (?:(?:Task|Goal|Issue|Bug|Feature|Problem)(?: #?\d+)?: )?"
    r"((?<=: )[^\n]{8,150}|(?:Add|Build|Create|Design|Develop|Fix|Implement|Improve|Integrate|Make|Migrate|Port|"
    r"Refactor|Remove|Replace|Rewrite|Upgrade|Write) [^\n]{8,150})"
)
_LOGGED_ERROR = lazy_pattern(
    r"((?:\b[A-Z]\w*(?:Error|Exception)|\b(?:error|fatal)): [^\n]{4,300}|\b[45]\d\d \([A-Za-z ]{3,30}\))"
)
# Before an error that was copied.
_ERROR_SIGN = lazy_pattern(r"\A[⨯✖✘✗❌×]\s+(?=(?:\[?\w*Error\b|error\b|fatal\b))")
# What a program draws, with a blank line in it.
_SCREEN = lazy_pattern(r"(?s)\A[\u2500-\u259f].*\n[ \t]*\n")
_ASKS = lazy_pattern(
    r"(?i)\b(?:is|are|do|does|did|can|could|should) (?:this|that|it|we|you|i|the)\b|\b(?:why|how|what|please|let'?s)\b"
)
_NO_SENTENCE = lazy_pattern(r"[{}|=;]|\A\W|: ")
# A program shows it before what a person types, and it is copied with it.
_SIGN = lazy_pattern(r"\A[❯›>]\s+(?=\S)")
_SIGNED_AGAIN = lazy_pattern(r"\n[ \t]*[❯›➜]\s")
_SIGNED_WORDS = 2
# What no sentence has: a line that goes on below, options with two dashes, pipes, variables.
_SHELL_LINE = lazy_pattern(r"\\\s*\Z|\s--[a-z]|\s\|\s|\$\w|<<<")
_ANNOUNCED = lazy_pattern(
    r"((?:\w+ ){1,6}(?:plan|spec|design|proposal|tasks?):)\s*#{1,3}\s+(?:Plan:\s+)?([^\n]{3,200})", re.I
)
_THANKING = r"(?:(?:many )?thanks|thank you|thx|ty+|danke|gracias|merci|obrigad[oa]|grazie)\b"
_THANKS = lazy_pattern(
    r"(?:(?:perfect|great|awesome|excellent|nice|ok|super|cool|passt|genial)\b(?: (?:work|job))?[\s,!.]*)*"
    rf"{_THANKING}(?:(?!\bbut\b)[^.?!\n]){{0,80}}[.!\s]*",
    re.I,
)
# Below a request they are no part of it.
_THANKS_AT_END = lazy_pattern(
    rf"(?<=[,.!;?)])\s*{_THANKING}"
    r"(?: (?:so much|very much|a lot|again|in advance|dir|ihnen|for [^.!?\n]{1,60}))?[\s.!:)]*\Z",
    re.I,
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
_FENCED = lazy_pattern(r"(?s)```.*?(?:```|\Z)|<!--.*?(?:-->|\Z)")
_PLACEHOLDER = lazy_pattern(r"\[(?:Image|Pasted text|Attachment)[^\]\n]{0,40}\]", re.I)
# What comes before the request itself.
_OPENING = lazy_pattern(
    r"\A(?:(?:hi|hey|hello|ok|okay|yes|yeah|yep|thanks|thank you|thx|alright|sure|now|so|and|please)\b[\s,.!:;)-]+"
    r"|(?:great|perfect|awesome|nice|excellent|cool)(?: work| job)?\s*[,.!]+\s*)+(?=\S)",
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
PROGRAM = "program"
"""The author of a prompt that no person typed."""
_EMPTY = frozenset(_ONLY_GOING_ON.split())


def by_a_person(turn: KeptTurn, text: str) -> bool:
    """Return whether a person asked something with a turn: typed it, or had an agent carry out a plan."""
    if turn.role != "user" or turn.author == "user":
        return turn.role == "user"
    # What another agent asked is not a person's, however it is written.
    return turn.author == PROGRAM and is_by_program(typed_part(text))


@lru_cache(256)
def own_words(text: str) -> str:
    """Return what a person typed on one line; empty for what a program put there, or a command of the agent."""
    typed = _PLACEHOLDER.sub(" ", typed_part(text)).strip()
    sign = _SIGN.match(typed)
    # Before the first of several it is the shell's.
    if sign and not _SIGNED_AGAIN.search(typed) and not _SHELL_LINE.search(typed.partition("\n")[0]):
        is_said = sum(word in _EMPTY for word in typed.casefold().split()) >= _SIGNED_WORDS
        typed = typed[sign.end() :] if is_said else typed
    typed = _ERROR_SIGN.sub("", typed, count=1)
    if _SCREEN.match(typed):
        typed = _below_screen(typed)
    # With these an agent's screen marks what it says.
    typed = _beside_error(_without_output(_AGENT_SAYS.sub("", typed)))
    if announced := _ANNOUNCED.match(typed):
        # What was agreed on is a long text that nobody typed; its title says what it is about.
        return " ".join(f"{announced[1]} {announced[2]}".split())
    if title := _TITLE.match(typed):
        return " ".join(title[1].split())
    is_command = typed.startswith("/") and (typed.split()[0] in _OWN_COMMANDS or not _SLASH_COMMAND.match(typed))
    if not typed or is_command or typed.startswith("<") or is_by_program(typed) or _NOT_ASKED.fullmatch(typed):
        return ""
    line = in_one_line(_without_log(typed))
    said = "" if _THANKS.fullmatch(line) else _THANKS_AT_END.sub("", _OPENING.sub("", line, count=1)).rstrip(".;, ")
    # What was left out may have turned the sense of what follows.
    said = _until_mark(said)
    return "" if not said or _NOT_ASKED.fullmatch(said) or _THANKS.fullmatch(said) else said


NEGATED = lazy_pattern(
    r"\b(?:not|no|nothing|none|never|don'?t|without|can'?t|cannot|won'?t|shouldn'?t|unless|if|instead|stop|avoid)\b",
    re.I,
)
"""Without what stands before it, a request may be the contrary."""


def _until_mark(said: str) -> str:
    before, mark, after = said.partition(_MARK)
    if mark and telling_words(before) < _TOLD_WORDS <= telling_words(after) and not NEGATED.search(before):
        return after.strip()
    return f"{before.rstrip(' .:;,')}…" if mark and telling_words(before) else said


def _without_log(typed: str) -> str:
    """Return a prompt with the first error of a log or a fenced text, and not the rest of it."""
    plain = _FENCED.sub(" ", typed)
    own = _LOGGED.sub("", plain)
    if own == typed:
        return own
    # Fenced code may speak of errors; an output is one if the prompt says so.
    error = _LOGGED_ERROR.search(plain if own != plain or "error" not in own.lower() else typed)
    if not error or error[1] in own:
        return own
    said = own.rstrip().rstrip(".:")
    return f"{said}: {shortened(error[1], _COPIED_CHARS)}" if said else shortened(error[1], _COPIED_CHARS)


def _without_output(typed: str) -> str:
    """Return a prompt in which a copied command has its error beside it, and not the rest of its output."""
    copied = _COPIED.search(typed)
    own = _LOGGED.sub("", typed[: copied.start()]).strip() if copied else ""
    if copied and not own:
        own = _typed_below(typed)
        error = _COPIED_ERROR.search(typed)
        own = own or (_copied_command(copied) if error else "")
        return f"{own}: {shortened(' '.join(error[1].split()), _COPIED_CHARS)}" if error else own or typed
    if not copied:
        return typed
    command = _copied_command(copied)
    output = copied["output"].rstrip()
    error = _COPIED_ERROR.search(output)
    said = f"{own} {command}"
    last = output.rpartition("\n")[2].strip()
    if _GOES_ON.fullmatch(last):
        return f"{said} … {last}"
    if not error:
        return f"{said} …" if output.strip() else said
    return f"{said}: {shortened(' '.join(error[1].split()), _COPIED_CHARS)}"


def _beside_error(typed: str) -> str:
    """Return a prompt with a pasted error beside what a person says of it, without what programs print below."""
    error = _ERROR_LINE.search(typed)
    before = typed[: error.start()].rstrip(" \n.:") if error else ""
    after = typed[error.end() :].strip() if error else ""
    # A list is typed.
    if not error or after.count("\n") < _PASTED_LINES or _LIST_ITEM.search(after):
        return typed
    # What is only a number says nothing without the next line.
    is_whole = telling_words(error[0]) >= _TOLD_WORDS
    said = " ".join((error[0] if is_whole else f"{error[0]} {after.partition(chr(10))[0]}").split())
    said = shortened(said, _COPIED_CHARS)
    pasted, _end, last = after.rpartition("\n\n")
    goes_on = " ".join(last.split()) if pasted and _is_typed(last) else ""
    if _SENTENCE.search(pasted if goes_on else after):
        return typed  # perhaps a person's
    if telling_words(before) >= _SAID_WORDS:
        return f"{before}: {said}{f' … {goes_on}' if goes_on else ''}"
    return f"{goes_on}{' -' if goes_on.endswith('?') else ':'} {said}" if goes_on else typed


def _is_typed(paragraph: str) -> bool:
    """Return whether a person typed a paragraph below what programs printed."""
    first = paragraph.lstrip().partition("\n")[0].strip()
    is_said = len(first.split()) >= _TOLD_WORDS and (
        first[:1].islower() or paragraph.rstrip().endswith((".", "!", "?"))
    )
    is_said = is_said or bool(_GOES_ON.fullmatch(first))
    return is_said and len(paragraph) <= _TYPED_CHARS and not _NO_SENTENCE.search(" ".join(paragraph.split()))


def _copied_command(copied: re.Match[str]) -> str:
    return shortened(" ".join(copied["command"].rstrip("\\ ").split()), _COPIED_CHARS)


def _below_screen(typed: str) -> str:
    """Return the last paragraph of a copied screen if a person asks for something in it, else all."""
    last = in_one_line(typed.rstrip().rpartition("\n\n")[2]).lstrip("●•▪■◆⏺ ")
    return last if _ASKS.search(last) and telling_words(last) >= _TOLD_WORDS else typed


def _typed_below(typed: str) -> str:
    """Return the last line of a copied text if a person goes on there, without the sign of the shell."""
    before, _end, last = typed.rstrip().rpartition("\n")
    last = _SHELL_SIGN.sub("", last, count=1).strip()
    # Below a blank line it needs only words as in a sentence.
    words = last.casefold().split() if not before.rpartition("\n")[2].strip() else []
    is_said = sum(word in _EMPTY for word in words) >= _TOLD_WORDS and not _NO_SENTENCE.search(last)
    return last if is_said or _GOES_ON.fullmatch(last) else ""


# A dash that a blank or a word follows; an option of a command keeps its own.
_LIST_MARKS = lazy_pattern(r"\A(?:[ \t>*]|-+(?=[ \t]|\Z)|-(?=[^\W\d_]{3}))+")
_PARAGRAPH_END = lazy_pattern(r"(\w)[ \t]*\n[ \t]*\n(?=[ \t]*[^\W\d_])")
_SHORT_CHARS, _WHOLE_WORDS, _NEXT_WORDS = 48, 4, 2
_LEADING_ON = "a an the to of in on at for with from and or but that which is are be by as if"
_LEADS_ON = frozenset(_LEADING_ON.split())
# Where a program cut a text.
_LEFT_OUT = ("[…]", "…", "...", "[...]")


def in_one_line(text: str) -> str:
    """Return the lines of a text that say something as one line, without headings."""
    # What one paragraph says does not go on in the next.
    parted = _PARAGRAPH_END.sub(r"\1.\n", text) if text.count("\n") > 1 else text
    lines = [_unmarked(one.strip()) for one in parted.splitlines()]
    # A heading, or a line of marks, says less than the line after it.
    telling = [one for one in lines if one in _LEFT_OUT or (one[:1] != "#" and any(map(str.isalpha, one)))]
    # A line that is far shorter than any that an editor wraps ends something.
    ended = [f"{one}," if _is_over(one, after) else one for one, after in pairwise(telling)]
    return " ".join(" ".join([*ended, *telling[-1:]] or [text]).split()).rstrip(".:;,")


def _is_over(line: str, after: str) -> bool:
    """Return whether a short line without a mark at its end says something by itself, and so does the next one."""
    if len(line) > _SHORT_CHARS or not line[-1].isalnum():
        return False
    words = line.split()
    leads = words[-1].casefold() in _LEADS_ON
    return len(words) >= _WHOLE_WORDS and not leads and len(after.split()) >= _NEXT_WORDS


def _unmarked(line: str) -> str:
    """Return a line without the marks of a list or a quote before it, and those around it."""
    bare = _LIST_MARKS.sub("", line.replace("**", ""), count=1)
    while len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'`*":
        bare = bare[1:-1]
    return bare.rstrip(" \t*")


def shortened(line: str, most: int) -> str:
    """Return the beginning of a line, cut after a word."""
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rpartition(' ')[0].rstrip('.:;,…') or line[: most - 1]}…"


# A long path or address; its end says what it is.
_LONG_NAME = lazy_pattern(r"(?<![^\s/\\`\"'()])(?:[A-Za-z]:|https?:/)?[^\s/\\`\"'()]*[/\\][^\s`\"'()]{24,}")
_NAME_END = 24


def with_short_names(text: str) -> str:
    """Return a text with the ends of long paths and addresses in their place."""
    return _LONG_NAME.sub(_name_end, text)


def _name_end(found: re.Match[str]) -> str:
    name = found[0]
    places = [place for place, char in enumerate(name) if char in "/\\"]
    ends = [place for place in places if len(name) - place <= _NAME_END]
    return f"…{name[ends[0] :]}" if ends else f"…{name[places[-1] :][:_NAME_END]}…"


@lru_cache(256)
def telling_words(text: str) -> int:
    """Return how many different words of a text say something by themselves."""
    words = {word for found in _WORD.findall(text.casefold()) if (word := found.strip("'")) not in _EMPTY}
    words = {word for word in words if len(word) > 1 or not word.isascii()}
    # Scripts without blanks have no words to count.
    return len(words) + _unspaced(text) // _CHARS_A_WORD


def unspaced_share(text: str) -> float:
    """Return which share of a text is in a script that puts no blanks between words."""
    return _unspaced(text) / max(len(text), 1)


def _unspaced(text: str) -> int:
    return 0 if text.isascii() else sum(map(is_unspaced, text))
