"""Secrets on command lines, in headers, in webhook addresses and in the files of well-known programs."""

from __future__ import annotations

import re
from base64 import b64decode

from tacit.redact.dummy_values import is_dummy_value, is_variable
from tacit.redact.rule import SecretRule
from tacit.redact.value_shapes import looks_chosen, looks_drawn


def _given(found: re.Match[str]) -> bool:
    return not is_variable(found["secret"])


def _real(found: re.Match[str]) -> bool:
    return not is_dummy_value(found["secret"])


def _presented(found: re.Match[str]) -> bool:
    """Judge the value of a header: not a dummy value, and not part of a sentence about headers."""
    value = found["secret"]
    return not is_dummy_value(value) and (looks_drawn(value, 8) or looks_chosen(value) or len(value) >= 24)


def _basic(found: re.Match[str]) -> bool:
    value = found["secret"]
    try:
        return b":" in b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False


_HEADER = r"""(?xi)
    authorization["'`]?\]?[ \t]{0,4}(?:[:=]|=>|,)[ \t]{0,4}\\?["'`]?
    (?:(?:bearer|basic|token|apikey|api-key|negotiate|ntlm|key)(?:[ \t]{1,4}|%20|\+|:[ \t]{0,4}))?
    (?:auth[ \t]{1,2})?(?P<secret>[^\s"'`,<>\\()]{6,}+)"""
_BEARER = r"""(?i)bearer(?:[ \t]{1,4}|%20|["']?[ \t]{0,2}[:=,][ \t]{0,2}["']?)(?P<secret>[\w.~+/=:-]{8,}+)"""
_BASIC = r"(?i)basic[ \t]{1,4}(?P<secret>[A-Za-z0-9+/]{12,400}={0,2})(?![\w+/])"
_IDENTIFIED = r"""(?i)identified (?:by|with \S{1,60} by) (?:password )?["'](?P<secret>[^'"\n]{1,300})["']"""
# host:port:database:user:password, a line of a .pgpass
_PGPASS = (
    r"(?m:^)[ \t]{0,8}[^:\s#]{1,255}:(?:\d{1,5}|\*):[^:\s]{1,128}:[^:\s]{1,128}:"
    r"(?P<secret>(?:[^:\s\\]|\\.){1,200})(?=\s|\Z)"
)
# A secret echoed into a program that reads it from its input.
_PIPED = r"""(?x)
    (?:echo|printf|<<<)(?:[ \t]{1,4}-[ne]{1,2}|[ \t]{1,4}["']?%s["']?)?[ \t]{0,4}["']?(?:[\w.-]{1,60}:)?
    (?P<secret>[^\s"'|]{4,1000})["']?[ \t]{0,4}\|[^\n|;]{1,200}?(?:-stdin|passwd|-token)"""
_HERE_STRING = r"""<<<[ \t]{0,4}["']?(?P<secret>[^\s"'|]{12,}+)"""

_LOGIN = r"""\\?["']?[^\s:"']{1,200}["']?:["']?(?P<secret>[^\s"'|]++)"""
_ONE = r"""["']?(?P<secret>[^\s"'|;]++)"""
_ATTACHED = r"""["']?(?P<secret>[^\s"'|;-][^\s"'|;]++)"""
_PERCENT = r"""["']?[^\s%"']{1,100}%(?P<secret>[^\s"']++)"""
_COMMA = r"""["']?[^\s,"']{1,100},(?P<secret>[^\s"']++)"""


def _option(option: str, programs: str, flag: str, value: str) -> SecretRule:
    """Make a rule for an option of some programs whose value is a password or ends in one."""
    pattern = rf"(?<![\w.-])(?:{programs})(?![\w-])(?:[^\n|;]|\\\n){{0,250}}?[ \t](?:{flag}){value}"
    return SecretRule("login", (option,), pattern, _given, "near")


OPTIONS = (
    _option(" -u", "curl|wget|http", "-u[ =]?", _LOGIN),
    _option(" --user", "curl|wget|http", "--user[ =]", _LOGIN),
    _option(" --proxy-user", "curl|wget", "--proxy-user[ =]", _LOGIN),
    _option(" -a ", "http|https", "-a ", _LOGIN),
    _option(" -a ", "redis-cli", "-a ", _ONE),
    _option(" -p", r"mysql\w{0,20}|mariadb[\w-]{0,20}", "-p", _ATTACHED),
    _option(" -p", "sshpass|docker login|podman login|helm registry login", "-p[ =]?", _ONE),
    _option(" -w", r"ldap\w{1,20}", "-w[ ]?", _ONE),
    _option(" -U", "smbclient|rpcclient", "-U[ ]?", _PERCENT),
    _option(" -P", "sqlcmd|bcp", "-P[ ]?", _ONE),
    _option(" -u", "lftp|ftp", "-u[ ]?", _COMMA),
    _option(" -b", "htpasswd", r"-\w{0,5}b\w{0,5}[ ]{1,4}\S{1,200}[ ]{1,4}\S{1,100}[ ]{1,4}", _ONE),
)

COMMANDS = (
    SecretRule("header", ("authorization",), _HEADER, _presented, fold=True),
    SecretRule("header", ("bearer",), _BEARER, _presented, fold=True),
    SecretRule("header", ("basic ",), _BASIC, _basic, fold=True),
    SecretRule("login", ("identified ",), _IDENTIFIED, _given, fold=True),
    *OPTIONS,
    SecretRule("login", ("pass:",), r"(?<![A-Za-z])pass:(?P<secret>[^\s\"'`]{3,}+)", _real),
    SecretRule("login", ("|",), _PIPED, _given, "near"),
    SecretRule("login", ("<<<",), _HERE_STRING, lambda found: _given(found) and looks_drawn(found["secret"], 12)),
    SecretRule("pgpass", (":5432:", ":*"), _PGPASS, _given, "near"),
    SecretRule("azure", ("sig=",), r"(?<![A-Za-z])sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,}+)", _real),
    SecretRule("slack", ("hooks.slack.",),
         r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{30,}+)", _real),
    SecretRule("teams", ("webhook.office.",),
         r"webhook\.office\.com/webhookb?2?/(?P<secret>[A-Za-z0-9@/-]{60,}+)", _real),
    SecretRule("discord", ("discord.", "discordapp."),
         r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{16,20}/[\w-]{50,}+)", _real),
    SecretRule("telegram", ("api.telegram.",), r"api\.telegram\.org/bot(?P<secret>\d{5,16}:[\w-]{30,}+)", _real),
    SecretRule("google-chat", ("chat.googleapis.",),
         r"chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?(?P<secret>\S{40,}+)", _real),
)  # fmt: skip
