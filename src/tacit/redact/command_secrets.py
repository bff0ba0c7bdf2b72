"""Secrets on command lines, in headers, cookies and webhook addresses, in well-known files, and in sentences."""

from __future__ import annotations

import re
from base64 import b64decode

from tacit.redact.dummy_values import is_dummy_value, is_mask, is_variable
from tacit.redact.rule import Check, SecretRule, compiled
from tacit.redact.value_shapes import is_hex, is_place, is_uuid, looks_chosen, looks_drawn, looks_secret


def _given(found: re.Match[str]) -> bool:
    return not is_variable(found["secret"]) and not is_mask(found["secret"])


def _real(found: re.Match[str]) -> bool:
    return not is_dummy_value(found["secret"])


def _presented(found: re.Match[str]) -> bool:
    """Judge the value of a header: not a dummy value, and not part of a sentence about headers."""
    value = found["secret"]
    return not is_dummy_value(value) and (looks_drawn(value, 8) or looks_chosen(value) or len(value) >= 24)


def _passed(found: re.Match[str]) -> bool:
    return looks_secret(found["secret"]) and _real(found)


def _basic(found: re.Match[str]) -> bool:
    value = found["secret"]
    try:
        return b":" in b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False


def _told(found: re.Match[str]) -> bool:
    value = found["secret"]
    return looks_secret(value) and not is_dummy_value(value) and not is_place(value) and "/" not in value


_HEADER = r"""(?xi)
    authorization["'`]?\]?[ \t]{0,4}(?:[:=]|=>|,)[ \t]{0,4}\\?["'`]?
    (?:(?:bearer|basic|token|apikey|api-key|negotiate|ntlm|key|ssws|dpop|sso-key|genie-key|flyv1)
        (?:[ \t]{1,4}|%20|\+|:[ \t]{0,4}))?
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
    (?P<secret>[^\s"'|]{4,1000})["']?[ \t]{0,4}\|[^\n|;]{1,200}?
    (?:-stdin|passwd|-token|secret[ ](?:put|set|create)|sudo[ ]-S)"""
_HERE_STRING = r"""<<<[ \t]{0,4}["']?(?P<secret>[^\s"'|]{8,}+)"""

_LOGIN = r"""\\?["']?[^\s:"']{1,200}["']?:["']?(?P<secret>[^\s"'|]++)"""
_ONE = r"""["']?(?P<secret>[^\s"'|;]++)"""
_ATTACHED = r"""["']?(?P<secret>[^\s"'|;-][^\s"'|;]++)"""
_PERCENT = r"""["']?[^\s%"']{1,100}%(?P<secret>[^\s"']++)"""
_COMMA = r"""["']?[^\s,"']{1,100},(?P<secret>[^\s"']++)"""
_ORACLE = (
    r"""(?:sqlplus|oracle:\w{2,4}:)(?:[ ]{1,4}-\w{1,2}){0,3}[ ]{0,4}["']?[\w.$-]{1,60}/"""
    r"""(?P<secret>[^\s"'@/|;]{4,}+)(?=@)"""
)
_WORD = r"[^\s|;]{1,200}[ ]{1,4}"


def _in_ci(found: re.Match[str]) -> bool:
    """Judge what someone keeps as a secret of CI: people keep hosts and names there too."""
    return _told(found)


def _read_as_input(found: re.Match[str]) -> bool:
    value, line = found["secret"], found.string[max(0, found.start() - 100) : found.start()].rpartition("\n")[2]
    looks = looks_secret if compiled("secret|passw|login|token").search(line) else looks_drawn
    return _given(found) and len(value) >= 8 and looks(value)


# The option's beginning (where to look), the programs, the option, and what follows it.
_OPTIONS = (
    (" -u", "curl|wget|http", "-u[ =]?", _LOGIN),
    (" --user", "curl|wget|http", "--user[ =]", _LOGIN),
    (" --proxy-user", "curl|wget", "--proxy-user[ =]", _LOGIN),
    (" -a ", "http|https", "-a ", _LOGIN),
    (" -a ", "redis-cli", "-a ", _ONE),
    (" -p", r"mysql\w{0,20}|mariadb[\w-]{0,20}", "-p", _ATTACHED),
    (" -p", "sshpass|(?:docker|podman|oc|az|nerdctl|buildah|skopeo) login|helm registry login", "-p[ =]?", _ONE),
    (" -p", "mongo(?:sh)?|cqlsh|psexec", "-p[ =]?", _ONE),
    (" -p", "7z[azr]?|rar|unrar|7zz", "-(?:h?p)", _ATTACHED),
    (" -hp", "rar|unrar", "-hp", _ATTACHED),
    (" -P", r"sqlcmd|bcp|zip|unzip|zipcloak|ipmitool|mosquitto_\w{3}|cf login", "-P[ ]?", _ONE),
    (" -k ", "openssl enc", "-k ", _ONE),
    (" -K ", "openssl enc", "-K ", _ONE),
    (" -w", r"ldap\w{1,20}|security add-[\w-]{1,40}password", "-w[ ]?", _ONE),
    (" -s ", "ldappasswd", "-s ", _ONE),
    (" -U", "smbclient|rpcclient|smbmap", "-U[ ]?", _PERCENT),
    (" -u", "lftp|ftp", "-u[ ]?", _COMMA),
    (" -b", "htpasswd", r"-\w{0,5}b\w{0,5}[ ]{1,4}\S{1,200}[ ]{1,4}\S{1,100}[ ]{1,4}", _ONE),
    (" -b", "(?:gh|glab) secret set", "-b[ =]?", _ONE, _in_ci),
    (" --body", "gh secret set", "--body[ =]", _ONE, _in_ci),
    (" --value", "glab variable set|(?:az|aws|gcloud|vercel|doppler|railway) [^|;]{0,80}secret[^|;]{0,80}",
     "--value[ =]", _ONE),
    (" --secret-string", "aws secretsmanager", "--secret-string[ =]", _ONE),
    (" --name", "ansible-vault", "encrypt_string ", _ONE),
    (" /p:", "xfreerdp|wfreerdp", "/p:", _ONE),
    ("\\\\", "net", rf"use (?:[A-Za-z]:|\*)?[ ]{{0,4}}\\\\{_WORD}", r"(?P<secret>[^\s/*\"'|;][^\s\"'|;]++)"),
)  # fmt: skip


def _option(at: str, programs: str, flag: str, value: str, check: Check = _given) -> SecretRule:
    """Make a rule for an option of some programs whose value is a password or ends in one."""
    pattern = rf"(?<![\w.-])(?:{programs})(?:\.exe)?(?![\w-])(?:[^\n|;]|\\\n){{0,250}}?[ \t](?:{flag}){value}"
    return SecretRule("command-option", "a command takes its password there", "login", (at,), pattern, check, "near")


OPTIONS = tuple(_option(*row) for row in _OPTIONS)

# Values of cookies that are not secrets: analytics, choices of the user, attributes.
_COOKIE = r"""(?<![\w.%-])(?P<name>[\w.%-]{1,60})=(?P<secret>(?!\[redacted:)[^\s;,"'<>&\\]{16,}+)"""
_PLAIN_COOKIE = ("_ga", "_gid", "_gcl", "_fbp", "theme", "lang", "locale", "expires", "path", "domain", "consent", "tz")
_SESSION = r"""(?xi)(?<![A-Za-z0-9])
    (?:[\w.-]{0,40}[._-])?(?:sid|sess|session|sessid|sessionid|session_id|jsessionid|phpsessid|session-token)
    =(?P<secret>(?!\[redacted:)[^\s;,"'<>&\\]{20,}+)"""


def _is_cookie(found: re.Match[str]) -> bool:
    name, value = found["name"].lower(), found["secret"]
    line = found.string[max(0, found.start() - 600) : found.start()].rpartition("\n")[2].lower()
    if "cookie" not in line or name.startswith(_PLAIN_COOKIE) or is_dummy_value(value) or value.startswith("http"):
        return False
    return looks_drawn(value, 16) or (len(value) >= 20 and (is_hex(value) or is_uuid(value)))


def _is_session(found: re.Match[str]) -> bool:
    value = found["secret"]
    return looks_drawn(value, 20) and not is_dummy_value(value) and not is_uuid(value) and not is_hex(value)


_SLASHED = (
    r"(?i)(?:login|credentials?|creds?)\b"
    r"[^\n/]{0,30}?[ \t(:`\"'][\w.@+-]{2,60}[ \t]{0,2}/[ \t]{0,2}(?P<secret>[^\s/,`\"')]{6,80}+)(?!/)"
)
_AUTHS = (
    r"(?i)(?:basic_?-?auth|plainauth|setbasicauth|auth(?:entication)?|credentials?|login|sign_?in)\w{0,20}[ \t]{0,2}"
    r"[=:]?[ \t]{0,2}[(\[][ \t]{0,4}(?:\"\",[ ]?)?[\"'][^\"'\n]{0,80}[\"'][ \t]{0,4},[ \t]{0,4}"
    r"[\"'](?P<secret>[^\"'\s]{4,200})[\"']"
)
_SECURE_STRING = r"""(?i)convertto-securestring[ \t]{1,4}(?:-\w{1,20}[ \t]{1,4})?["'](?P<secret>[^"'\n]{3,200})["']"""
_THIRD = (
    r"""(?:mysqli_connect|ldap_bind)\([ ]{0,2}[^,()\n]{1,80},[ ]{0,2}(?:["'][^"'\n]{1,80}["'],[ ]{0,2})?"""
    r"""["'](?P<secret>[^"'\s]{4,100})["']"""
)
_FOREIGN = (
    r"""(?:Kennwort|Contraseña|Senha)(?:[ \t]{0,2}:|[ \t]{1,2}(?:ist|lautet|es|é)(?=[ \t]))"""
    r"""[ \t]{0,2}["'`]?(?P<secret>[^\s"'`]{4,100}+)"""
)
_HOOK = "it is the secret part of a webhook's address"

COMMANDS = (
    SecretRule("authorization", "it is what an Authorization header presents", "header", ("authorization",), _HEADER,
               _presented, fold=True),
    SecretRule("bearer", "it follows the word bearer", "header", ("Bearer", "BEARER"), _BEARER,
               _presented),
    SecretRule("basic", "it is a user and a password in base64", "header", ("Basic ", "BASIC "), _BASIC, _basic),
    SecretRule("identified-by", "SQL sets it as a password", "login", ("identified ",), _IDENTIFIED, _given, fold=True),
    *OPTIONS,
    SecretRule("pass-colon", "it follows pass:, as openssl takes passwords", "login", ("pass:",),
               r"(?<![A-Za-z])pass:(?P<secret>[^\s\"'`]{3,}+)", _real),
    SecretRule("piped", "it is piped into a command that reads a secret", "login", ("|",), _PIPED, _real, "near",
               needed=("-stdin", "passwd", "-token", "secret ", "sudo -S")),
    SecretRule("here-string", "it is random and a command reads it as input", "login", ("<<<",), _HERE_STRING,
               _read_as_input),
    SecretRule("pgpass", "it is the password in a line of a .pgpass", "pgpass", (":5432:", ":*"), _PGPASS, _given,
               "near"),
    SecretRule("cookie", "it is random and the value of a cookie", "cookie",
               ("Cookie", "COOKIE", "cookie:", " --cookie"), _COOKIE, _is_cookie, "near"),
    SecretRule("session", "it is random and the id of a session", "cookie", ("sid=", "sess"), _SESSION, _is_session,
               "near", fold=True),
    SecretRule("user-slash-password", "it follows a user's name and a slash", "login", ("login", "cred"), _SLASHED,
               _told, fold=True),
    SecretRule("oracle", "it is where Oracle's addresses have a password", "login", ("oracle:", "sqlplus "),
               _ORACLE, _given, "near"),
    SecretRule("credentials-call", "it follows a user's name in a call that logs in", "login",
               ("auth", "login", "cred"), _AUTHS, _passed, fold=True),
    SecretRule("third-argument", "it is where a function that logs in takes a password", "login",
               ("mysqli_connect(", "ldap_bind("), _THIRD, _passed),
    SecretRule("word-for-password", "it follows a word for password in another language", "secret",
               ("Kennwort", "Contraseña", "Senha"), _FOREIGN, _told),
    SecretRule("ssws", "it follows SSWS, as tokens of Okta do", "okta", ("SSWS ",),
               r"SSWS (?P<secret>[\w-]{20,}+)", _real),
    SecretRule("secure-string", "PowerShell makes a secure string of it", "secret", ("SecureString",),
               _SECURE_STRING, _given, "near"),
    SecretRule("azure-signature", "it signs an address of Azure", "azure", ("sig=",),
               r"(?<![A-Za-z])sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,}+)", _real),
    SecretRule("webhook-slack", _HOOK, "slack", ("hooks.slack.",),
               r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{30,}+)", _real),
    SecretRule("webhook-teams", _HOOK, "teams", ("webhook.office.",),
               r"webhook\.office\.com/webhookb?2?/(?P<secret>[A-Za-z0-9@/-]{60,}+)", _real),
    SecretRule("webhook-discord", _HOOK, "discord", ("discord.", "discordapp."),
               r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{16,20}/[\w-]{50,}+)", _real),
    SecretRule("webhook-telegram", _HOOK, "telegram", ("api.telegram.",),
               r"api\.telegram\.org/bot(?P<secret>\d{5,16}:[\w-]{30,}+)", _real),
    SecretRule("webhook-google-chat", _HOOK, "google-chat", ("chat.googleapis.",),
               r"chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?(?P<secret>\S{40,}+)", _real),
    SecretRule("webhook-wecom", _HOOK, "wecom", ("qyapi.weixin.",),
               r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<secret>[\w-]{30,}+)", _real),
    SecretRule("webhook-lark", _HOOK, "lark", ("open.feishu.", "open.larksuite."),
               r"open\.(?:feishu|larksuite)\.\w{2,3}/open-apis/bot/v2/hook/(?P<secret>[\w-]{30,}+)", _real),
    SecretRule("webhook-dingtalk", _HOOK, "dingtalk", ("oapi.dingtalk.",),
               r"oapi\.dingtalk\.com/robot/send\?access_token=(?P<secret>[\w-]{40,}+)", _real),
)  # fmt: skip
