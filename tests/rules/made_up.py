"""Made-up secrets in the shapes their issuers document, and texts they stand in; drawn anew from a seed."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
HEX = "0123456789abcdef"
CAPITALS = string.ascii_uppercase + "234567"


def secrets(seed: int) -> dict[str, str]:
    """Give one secret of each kind."""
    draw = random.Random(seed)

    def some(size: int, chars: str = ALNUM) -> str:
        return "".join(draw.choice(chars) for _ in range(size))

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    jwt = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': some(12)})}.{some(43, WORD)}"
    lines = "\n".join(some(64) for _ in range(4))
    return {
        "aws": "AKIA" + some(16, CAPITALS),
        "aws-session": "ASIA" + some(16, CAPITALS),
        "github": "ghp_" + some(36),
        "github-app": "ghs_" + some(36),
        "github-user": "ghu_" + some(36),
        "github-refresh": "ghr_" + some(36),
        "github-fine": "github_pat_" + some(22) + "_" + some(59),
        "gitlab": "glpat-1" + some(19, WORD),
        "openai": "sk-proj-1a" + some(46, WORD) + "T3BlbkFJ" + some(40),
        "openai-old": "sk-7b" + some(46),
        "anthropic": "sk-ant-api03-" + some(93, WORD) + "AA",
        "slack": f"xoxb-{some(12, '123456789')}-7{some(24)}",
        "stripe": "sk_live_" + some(24),
        "stripe-limited": "rk_live_" + some(24),
        "npm": "npm_" + some(36),
        "pypi": "pypi-AgEIcHlwaS5vcmc" + some(80, WORD),
        "google": "AIza" + some(35, WORD),
        "hf": "hf_" + some(34),
        "sendgrid": f"SG.{some(22, WORD)}.{some(43, WORD)}",
        "jwt": jwt,
        "digitalocean": "dop_v1_" + some(64, HEX),
        "shopify": "shpat_" + some(32, HEX),
        "vault": "hvs." + some(90, WORD),
        "databricks": "dapi" + some(32, HEX),
        "postman": f"PMAK-{some(24, HEX)}-{some(34, HEX)}",
        "linear": "lin_api_" + some(40),
        "telegram": f"{some(9, '123456789')}:A{some(34, WORD)}",
        "mailchimp": some(32, HEX) + "-us12",
        "grafana": f"glsa_{some(32)}_{some(8, HEX)}",
        "planetscale": "pscale_tkn_" + some(43),
        "twilio": "SK" + some(32, HEX),
        "azure-ad": f"{some(3)}8Q~{some(34)}",
        "doppler": "dp.pt." + some(43),
        "pem": f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----",
        "pulumi": "pul-" + some(40, HEX),
        "age": "AGE-SECRET-KEY-1" + some(58, CAPITALS),
        "docker": "dckr_pat_" + some(27, WORD),
        "rubygems": "rubygems_" + some(48, HEX),
        "xai": "xai-" + some(80),
        "groq": "gsk_" + some(52),
    }


def plain_password(seed: int) -> str:
    """Give a password that only what stands around it can give away."""
    draw = random.Random(seed)
    letters = [draw.choice(string.ascii_letters) for _ in range(9)]
    return "".join([*letters, draw.choice("%*@!^"), draw.choice(string.digits), draw.choice(string.ascii_letters)])


CONTEXTS: dict[str, Callable[[str], str]] = {
    "shell": "export DB_PASSWORD={}".format,
    "shell, quoted": 'export DB_PASSWORD="{}"'.format,
    "small letters": "password={}".format,
    "in front": "API_KEY={} pytest -q".format,
    "env file": "# x\nTOKEN={}\nA=1".format,
    "flag": "deploy --api-key {} --region eu".format,
    "flag with =": "mysql --password={} -u root prod".format,
    "short flag": "sshpass -p {} ssh host".format,
    "curl login": "curl -u admin:{} https://api.example.test".format,
    "bearer": "curl -H 'Authorization: Bearer {}' https://api.example.test".format,
    "header": "> X-Api-Key: {}\r\n> A: b".format,
    "url": "git clone https://user:{}@git.example.test/r.git".format,
    "postgres": "postgres://app:{}@db/prod".format,
    "postgresql": "DATABASE_URL=postgresql://app:{}@db.internal:5432/prod".format,
    "amqp": "amqp://u:{}@mq/v".format,
    "mongo": "mongodb+srv://app:{}@cluster.example.test/x".format,
    "ado": "Server=x;Password={};Encrypt=1".format,
    "json": '{{"user": "bob", "password": "{}"}}'.format,
    "json escaped": '{{\\"api_key\\": \\"{}\\"}}'.format,
    "yaml": "db:\n  password: {}\n  port: 5432".format,
    "toml": '[auth]\nsecret = "{}"'.format,
    "xml": "<password>{}</password>".format,
    "xml attribute": '<add key="ApiKey" value="{}"/>'.format,
    "kubernetes": "- name: DB_PASSWORD\n  value: {}".format,
    "php": "define('DB_PASSWORD', '{}');".format,
    "python": 'client = Client(api_key="{}", timeout=30)'.format,
    "compared": 'if ("{}" == password) {{'.format,
    "netrc": "machine git.example.test login bot password {}".format,
    "npmrc": "//registry.example.test/:_authToken={}".format,
    "pypirc": "[pypi]\nusername = bob\npassword = {}".format,
    "pgpass": "db.example.test:5432:prod:app:{}".format,
    "piped": "echo {} | docker login -u bot --password-stdin".format,
    "prose": "My password is {}, please remember it.".format,
    "log": "ValueError: bad token: {}".format,
    "colour": "\x1b[31mtoken={}\x1b[0m".format,
    "markdown": "- **api token**: `{}`".format,
    "sql": "CREATE USER a IDENTIFIED BY '{}';".format,
    "go": 'password := "{}"'.format,
    "ruby": "password => '{}'".format,
    "terraform": 'variable "db_password" {{\n  default = "{}"\n}}'.format,
}


def everywhere(seed: int) -> Iterator[tuple[str, str, str]]:
    """Give every kind alone and in a context, and a password in every context: name, secret, text."""
    draw = random.Random(seed)
    for kind, secret in secrets(seed).items():
        yield kind, secret, secret
        if "\n" not in secret:
            context = draw.choice(sorted(CONTEXTS))
            yield f"{kind} in {context}", secret, CONTEXTS[context](secret)
    for number, (context, write) in enumerate(CONTEXTS.items()):
        secret = plain_password(seed * 1000 + number)
        yield f"password in {context}", secret, write(secret)
