"""Which days a question means: yesterday, last Friday, in May, between 10 and 13 May."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from tacit.text.patterns import lazy_pattern

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "few": 3, "couple of": 2}
_COUNT = rf"(?:\d{{1,2}}|{'|'.join(_COUNTS)})"
_YEAR = r"(?: \d{4})?"
_PART = r"(?:(?:early|mid|late|beginning of|start of|middle of|end of)(?: in)? )?"
_LENGTH = r"(?P<length>days?|weeks?|months?)"
_WEEKDAY_NAME = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WHICH = r"(?P<which>first|second|third|fourth|last|1st|2nd|3rd|4th)"
_WHICH_PART = r"(?:first|second|third|fourth|last|1st|2nd|3rd|4th) (?:week|half) (?:of|in) "
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty first", "twenty second", "twenty third", "twenty fourth", "twenty fifth", "twenty sixth",
    "twenty seventh", "twenty eighth", "twenty ninth", "thirtieth", "thirty first",
)  # fmt: skip
_ORDINAL = "|".join(reversed(_ORDINALS))
_SPELLED = lazy_pattern(
    rf"\b(?:(?P<day>{_ORDINAL})(?= (?:of )?{MONTH}\b)|(?P<of>{MONTH} )(?:the )?(?P<after>{_ORDINAL}))\b"
)
# A question without marks, in lower case.
TIME = (
    rf"(?:(?:on |in |during |over |since )?(?:the )?(?:{_WEEKDAY_NAME} (?:the )?{NUMBER}(?:(?: of)? {MONTH}{_YEAR})?"
    rf"|week (?:of|from) (?:the )?{NUMBER}(?: of)? {MONTH}{_YEAR}|week (?:of|from) {MONTH} {NUMBER}{_YEAR}"
    rf"|yesterday|today|this (?:morning|week|month)"
    rf"|last (?:week|month|night)|(?:last|past) {_COUNT} (?:days?|weeks?|months?)|{_PART}{MONTH}{_YEAR}"
    rf"|{NUMBER}(?: of)? {MONTH}{_YEAR}|{MONTH} {NUMBER}{_YEAR}|\d{{4}} \d\d \d\d"
    rf"|(?:last |this )?{_WEEKDAY_NAME}|{_WHICH_PART}{MONTH}{_YEAR}|(?<=the )\d{{1,2}}(?:st|nd|rd|th))"
    rf"|(?:between |from )(?:the )?{NUMBER}(?: of)?(?: {MONTH})? (?:and|to|until|till)"
    rf" (?:the )?{NUMBER}(?: of)? {MONTH}{_YEAR})"
)
_SPAN = lazy_pattern(
    rf"(?:between|from) (?:the )?(?P<one>\d{{1,2}})(?:st|nd|rd|th)?(?: of)?(?: (?P<first>{MONTH}))?"
    rf" (?:and|to|until|till) (?:the )?(?P<two>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})"
    r"(?: (?P<year>\d{4}))?"
)
_BACK = lazy_pattern(rf"\b(?:last|past) (?P<count>{_COUNT}) {_LENGTH}")
_ISO = lazy_pattern(r"\b\d{4} \d\d \d\d\b")
_DAY = lazy_pattern(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})"
    rf"|(?P<named>{MONTH}) (?P<number>\d{{1,2}})(?:st|nd|rd|th)?)(?: (?P<year>\d{{4}}))?\b"
)
_IN_MONTH = lazy_pattern(
    rf"(?P<part>early|mid|late|beginning|start|middle|end)?(?: (?:of|in))? ?\b(?P<month>{MONTH})"
    r"(?: (?P<year>\d{4}))?\b"
)
_WEEKDAY = lazy_pattern(r"\b(?P<last>last )?(?P<name>mon|tues|wednes|thurs|fri|satur|sun)day\b")
_WEEK_OF = lazy_pattern(r"\bweek (?:of|from)\b")
_PART_OF_MONTH = lazy_pattern(rf"\b{_WHICH} (?P<unit>week|half) (?:of|in) (?P<month>{MONTH})(?: (?P<year>\d{{4}}))?\b")
_NUMBER_ALONE = lazy_pattern(rf"\bthe (?P<number>\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:of )?{MONTH})")
_WEEKDAY_THE = lazy_pattern(
    rf"\b(?P<name>{_WEEKDAY_NAME}) (?:the )?(?P<number>\d{{1,2}})(?:st|nd|rd|th)?(?! (?:of )?{MONTH})\b"
)
_MONTHS_BACK = 24
_SINCE = lazy_pattern(r"\bsince\b")
_THIRD, _HALF = 10, 15
_WEEKS = {"1st": 0, "first": 0, "2nd": 1, "second": 1, "3rd": 2, "third": 2, "4th": 3, "fourth": 3}
Days = tuple[date, date]


def asked_days(words: str, today: date) -> Days | None:
    """Return the first and the last day that a question means, the last of that name; None if it names none.

    `words` is the question in lower case, without marks.
    """
    try:
        days = (
            _weekday_the(words, today)
            or _part_of_month(words, today)
            or _span(words, today)
            or _one_day(words, today)
            or _near(words, today)
            or _in_month(words, today)
            or _number_alone(words, today)
        )
        if days and _WEEK_OF.search(words) and not _PART_OF_MONTH.search(words):
            monday = days[0] - timedelta(days=days[0].weekday())
            days = monday, monday + timedelta(days=6)
    except (ValueError, OverflowError):
        return None
    return (days[0], max(days[1], today)) if days and _SINCE.search(words) else days


def with_numbers(words: str) -> str:
    """Return a question with the days of months as numbers: "the second of May" is "the 2 of May"."""
    return _SPELLED.sub(_as_number, words)


def _as_number(found: re.Match[str]) -> str:
    return f"{found['of'] or ''}{_ORDINALS.index(found['day'] or found['after']) + 1}"


def _near(words: str, today: date) -> Days | None:
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    for name, days in (
        ("yesterday", (today - timedelta(days=1), today - timedelta(days=1))),
        ("last night", (today - timedelta(days=1), today)),
        ("last week", (monday - timedelta(days=7), monday - timedelta(days=1))),
        ("last month", ((first - timedelta(days=1)).replace(day=1), first - timedelta(days=1))),
        ("this week", (monday, today)), ("this month", (first, today)), ("today", (today, today)),
        ("this morning", (today, today)),
    ):  # fmt: skip
        if re.search(rf"\b{name}\b", words):
            return days
    if found := _BACK.search(words):
        count = _COUNTS.get(found["count"]) or int(found["count"])
        length = {"d": 1, "w": 7, "m": 30}[found["length"][0]]
        return today - timedelta(days=length * count), today
    if found := _WEEKDAY.search(words):
        back = (today.weekday() - _WEEKDAYS.index(found["name"][:3])) % 7
        day = today - timedelta(days=back or (7 if found["last"] else 0))
        return day, day
    return None


def _weekday_the(words: str, today: date) -> Days | None:
    """Return the last day with a name and a number: Friday the 20th."""
    found = _WEEKDAY_THE.search(words)
    return _last_day(int(found["number"]), today, _WEEKDAYS.index(found["name"][:3])) if found else None


def _number_alone(words: str, today: date) -> Days | None:
    """Return the last day with a number: the 5th."""
    found = _NUMBER_ALONE.search(words)
    return _last_day(int(found["number"]), today) if found else None


def _last_day(number: int, today: date, weekday: int | None = None) -> Days | None:
    for back in range(_MONTHS_BACK):
        years, month = divmod(today.year * 12 + today.month - 1 - back, 12)
        if 0 < number <= monthrange(years, month + 1)[1]:
            day = date(years, month + 1, number)
            if day <= today and weekday in (None, day.weekday()):
                return day, day
    return None


def _part_of_month(words: str, today: date) -> Days | None:
    """Return a week or a half of a month: the first week is its first seven days."""
    found = _PART_OF_MONTH.search(words)
    if not found:
        return None
    first = _latest(_number(found["month"]), 1, found["year"], today)
    last = first.replace(day=monthrange(first.year, first.month)[1])
    if found["unit"] == "half":
        middle = first.replace(day=_HALF)
        return (first, middle) if _WEEKS.get(found["which"]) == 0 else (middle + timedelta(days=1), last)
    if found["which"] == "last":
        return last - timedelta(days=6), last
    begins = first + timedelta(days=7 * _WEEKS[found["which"]])
    return begins, begins + timedelta(days=6)


def _span(words: str, today: date) -> Days | None:
    found = _SPAN.search(words)
    if not found:
        return None
    month = _number(found["month"])
    last = _latest(month, int(found["two"]), found["year"], today)
    begins = int(found["one"])
    # "Between 30 and 2 May" begins in April.
    before = 12 if month == 1 else month - 1
    named = _number(found["first"]) if found["first"] else before if begins > last.day else month
    return date(last.year - (named > month), named, begins), last


def _one_day(words: str, today: date) -> Days | None:
    if found := _ISO.search(words):
        day = date.fromisoformat(found[0].replace(" ", "-"))
    elif found := _DAY.search(words):
        named = _number(found["month"] or found["named"])
        day = _latest(named, int(found["day"] or found["number"]), found["year"], today)
    else:
        return None
    return day, day


def _in_month(words: str, today: date) -> Days | None:
    found = _IN_MONTH.search(words)
    if not found:
        return None
    first = _latest(_number(found["month"]), 1, found["year"], today)
    last = first.replace(day=monthrange(first.year, first.month)[1])
    match found["part"]:
        case "early" | "beginning" | "start":
            return first, first.replace(day=_THIRD)
        case "mid" | "middle":
            return first.replace(day=_THIRD + 1), first.replace(day=2 * _THIRD)
        case "late" | "end":
            return first.replace(day=2 * _THIRD + 1), last
    return first, last


def _number(month: str) -> int:
    return _MONTHS.index(month[:3]) + 1


def _latest(month: int, day: int, year: str | None, today: date) -> date:
    """Return a day of a year, or else the last one of that name that has come."""
    if year:
        return date(int(year), month, day)
    # The 29 February is not one of every year; of any other day only the year before is tried.
    years = range(today.year, today.year - (8 if (month, day) == (2, 29) else 2), -1)
    found = (date(one, month, day) for one in years if day <= monthrange(one, month)[1])
    return next((one for one in found if one <= today), None) or date(today.year - 1, month, day)
