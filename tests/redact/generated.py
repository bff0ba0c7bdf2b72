"""Generated secrets and look-alikes, a class each: members are drawn anew from a seed."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
SMALL = string.ascii_lowercase + string.digits
LARGE = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"
WORDS = ("correct", "horse", "battery", "staple", "velvet", "canyon", "mustard", "otter")


class Draw:
    """Random texts of given characters."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def some(self, size: int, chars: str = ALNUM) -> str:
        """Draw a text; it has a capital, a small letter and a digit where the characters have them."""
        while True:
            drawn = "".join(self.dice.choices(chars, k=size))
            if all(any(map(kind, drawn)) for kind in (str.isupper, str.islower, str.isdigit) if any(map(kind, chars))):
                return drawn

    def uuid(self) -> str:
        """Draw a UUID."""
        return "-".join("".join(self.dice.choices(HEX, k=size)) for size in (8, 4, 4, 4, 12))

    def number(self, most: int) -> int:
        """Draw a number."""
        return self.dice.randrange(most)

    def one(self, *choices: str) -> str:
        """Choose."""
        return self.dice.choice(choices)


Make = Callable[[Draw], str]

# Tokens that are recognised wherever they stand.
TOKENS: dict[str, Make] = {
    "aws session": lambda d: d.one("IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdz") + d.some(400, BASE64),
    "slack cookie": lambda d: f"xoxd-{d.some(30)}%2B{d.some(40)}%2F{d.some(30)}%3D",
    "together": lambda d: "tgp_v1_" + d.some(43, WORD),
    "fireworks": lambda d: "fw_" + d.some(24),
    "cerebras": lambda d: "csk-" + d.some(48, SMALL),
    "tavily": lambda d: "tvly-" + d.one("", "dev-", "prod-") + d.some(32),
    "firecrawl": lambda d: "fc-" + d.some(32, HEX),
    "pinecone": lambda d: f"pcsk_{d.some(6)}_{d.some(63)}",
    "elevenlabs": lambda d: "sk_" + d.some(48, HEX),
    "wandb": lambda d: f"wandb_v1_{d.some(27)}_{d.some(49)}",
    "neon": lambda d: "napi_" + d.some(64, SMALL),
    "azure storage": lambda d: d.some(76, BASE64) + "+ASt" + d.some(6) + "==",
    "azure devops": lambda d: d.some(76) + "AZDO" + d.some(4),
    "datadog": lambda d: "ddapp_" + d.some(34),
    "asana": lambda d: f"2/{d.some(16, '123456789')}/{d.some(16, '123456789')}:{d.some(32, HEX)}",
    "braintree": lambda d: f"access_token$production${d.some(16, SMALL)}${d.some(32, HEX)}",
    "launchdarkly": lambda d: d.one("sdk-", "api-", "mob-") + d.uuid(),
    "ngrok": lambda d: f"2{d.some(26)}_{d.some(21)}",
    "okta": lambda d: "SSWS 00" + d.some(40, WORD),
    "posthog": lambda d: "phx_" + d.some(43),
    "nuget": lambda d: "oy2" + d.some(43, SMALL),
    "nvidia": lambda d: "nvapi-" + d.some(64, WORD),
    "jina": lambda d: "jina_" + d.some(60, WORD),
    "runpod": lambda d: "rpa_" + d.some(46, LARGE),
    "hubspot": lambda d: "pat-na1-" + d.uuid(),
    "airtable": lambda d: f"pat{d.some(14)}.{d.some(64, HEX)}",
    "1password": lambda d: "ops_eyJ" + d.some(250, WORD),
    "axiom": lambda d: "xaat-" + d.uuid(),
    "vercel": lambda d: "vcp_" + d.some(56),
    "cloudflare": lambda d: "cfut_" + d.some(48),
    "honeycomb": lambda d: "hcaik_" + d.some(58, SMALL),
    "snyk": lambda d: f"snyk_uat.{d.some(8, HEX)}.eyJ{d.some(60, WORD)}.{d.some(43, WORD)}",
    "an issuer that is not listed": lambda d: f"{d.one('acme', 'zrk', 'qx')}{d.one('_', '_live_', '-')}{d.some(44)}",
}

PASSWORDS: dict[str, Make] = {
    "letters and digits": lambda d: d.some(10),
    "letters": lambda d: "kX" + d.some(10, "bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ"),
    "small letters and digits": lambda d: d.some(10, SMALL) + "4k",
    "a word and a number": lambda d: d.one("Winter", "Falcon", "Coffee") + str(100 + d.number(900)) + d.one(*"!?#%"),
    "words": lambda d: "-".join(d.one(*WORDS) for _ in range(3)) + str(10 + d.number(90)),
    "a slash in front": lambda d: "/" + d.some(16) + "/",
    "a dollar in front": lambda d: "$" + d.some(14),
}

# Where a password gives itself away. `{}` is the password.
PLACES: dict[str, tuple[str, ...]] = {
    "fields": (
        "password: {}", "passphrase: {}", "Password: {}", "admin_pass: {}", "user: bob\npass: {}", '{{"pwd": "{}"}}',
        "<password>{}</password>", "| password | {} |", "**Password:** {}", "wifi password: {}",
    ),
    "variables": ("DBPASS={}", "MYSQL_PWD={}", "export PGPASSWORD='{}'", "ENV DB_PASSWORD {}",
        '$env:DB_PASSWORD = "{}"'),
    "setters": (
        'cfg.setPassword("{}");', "conn.set_password('{}')", 'builder.withPassword("{}")', '.password("{}")',
        'new PasswordCredentials("bob", "{}")', 'props.put("password", "{}")',
    ),
    "declarations": (
        'const PASSWORD: &str = "{}";', 'password := "{}"', 'password <- "{}"', "CREATE LOGIN a WITH PASSWORD = N'{}'",
        "SET PASSWORD FOR 'u'@'h' = '{}'", 'let password: string = "{}"',
    ),
    "after a blank": (
        "setenv DB_PASSWORD {}", "set -gx DB_PASSWORD {}", "pip config set global.password {}", "requirepass {}",
        "gpg --batch --passphrase {} -d f.gpg", "keytool -list -storepass {}", "machine h login bob password {}",
    ),
    "YAML blocks": ("password: |\n  {}\nport: 1", "password: >-\n    {}\n", "Password:\n{}\n"),
    "sentences": (
        "the password is {}", "The password for staging is {} , do not share it.", "Das Passwort lautet {}",
        "set the db password to `{}`", "The admin password was changed to {} today",
    ),
    "connection strings": ("Server=h;User Id=sa;Password={};Encrypt=1", "jdbc:x://h/d?user=u&password={}"),
}  # fmt: skip

# Where a random key gives itself away.
KEY_PLACES = (
    "aws configure set aws_secret_access_key {}", "git config --global github.token {}",
    "npm config set //registry.example.test/:_authToken {}", "gh secret set K --body {}", "gh secret set K -b {}",
    "set -x API_TOKEN {}", "Cookie: theme=dark; sid={}", "Set-Cookie: sessionid={}; Path=/",
    "Cookie: connect.sid=s%3A{}",
    "net use Z: \\\\h\\s {} /user:bob", "7z x a.7z -p{}", "zip -P {} a.zip b", "sqlplus scott/{}@db",
    "kubectl create secret generic x --from-literal=pw={}", "apiKey: |\n  {}\n", "login with admin / {}",
    'client.auth(token="{}")', "{} as the api key", 'requests.get(u, auth=("bob", "{}"))',
    "wrangler secret put X <<< {}",
)  # fmt: skip


def half(secret: str) -> tuple[str, str]:
    """Cut a secret in two."""
    return secret[: len(secret) // 2], secret[len(secret) // 2 :]


def encoded(text: str) -> str:
    """Encode in base64."""
    return base64.b64encode(text.encode()).decode()


# Texts without a secret.
LOOKALIKES: dict[str, Make] = {
    "tests": lambda d: d.one(
        f"--- PASS: TestTokenRefresh_x{d.some(10, HEX)} (0.05s)", f"Pass: {d.number(999)}",
        f"pass: {d.number(99)} fail: 2",
        f"PASS src/auth/token{d.number(99)}.test.ts", f"# pass {d.number(500)}",
        f"ok {d.number(99)} - secret key is rotated",
    ),
    "thresholds": lambda d: d.one(
        f"passThreshold: 0.{d.number(99)}", f"max_tokens: {d.number(9999)}", f"passMark={d.number(99)}",
        "tokenTTL = 2h30m",
        f"passwordMinLength: {d.number(20)}", f"pass_rate={d.number(99)}%", f"session_timeout: {d.number(3600)}s",
    ),
    "keys of caches": lambda d: d.one(
        'STORAGE_KEY = "theme-mode"', f'SESSION_KEY = "dashboard.filters.v{d.number(9)}"', 'TOKEN_KEY = "access_token"',
        f"CACHE_KEY = 'user:{d.number(999)}:profile'", f'partitionKey: "USER#{d.number(9999)}"', 'key="btn-primary-42"',
        f"cacheKey: `user-${{id}}-v{d.number(9)}`", "localStorage.getItem('auth_token_v2')",
    ),
    "help": lambda d: d.one(
        "  --session   Filter by session id", "  --token <TOKEN>   Token used to sign in", "  --key   Print keys only",
        '  -p, --password string   Password to use (default "")', "usage: tool [--password PASSWORD] [--token-stdin]",
    ),
    "public keys": lambda d: d.one(
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{d.some(43, BASE64)} me@h",
        f"SHA256:{d.some(43, BASE64)} me@h (ED25519)",
        f"sk-ssh-ed25519-cert-v01@openssh.com AAAA{d.some(60, BASE64)}", f"PublicKey = {d.some(43, BASE64)}=",
        "HostKeyAlgorithms sk-ssh-ed25519-cert-v01@openssh.com,ssh-ed25519", f'publishableKey="pk_live_{d.some(24)}"',
    ),
    "placeholders": lambda d: d.one(
        "API_KEY=<your-key>", "password: ${DB_PASSWORD}", "OPENAI_API_KEY=sk-...", "password: !Ref DbPassword",
        "secret: REPLACE_ME", "https://app:REDACTED@db.test/x", 'gh secret set NPM_TOKEN --body "$NPM_TOKEN"',
        "set -x API_TOKEN $argv[1]", "password: op://Prod/db/password", "OPENAI_API_KEY=sk-proj-xxxx",
    ),
    "hashes and ids": lambda d: d.one(
        f"commit {d.some(40, HEX)}", f"image: app@sha256:{d.some(64, HEX)}",
        f'"integrity": "sha512-{d.some(86, BASE64)}=="',
        f"session: {d.uuid()[: 9 + d.number(27)]}", f"msg_01{d.some(22)}", f"prj_{d.some(32)}",
        f"chatcmpl-{d.some(29)}",
        f"trace_id={d.some(32, HEX)}", f"cache key: Linux-node-{d.some(64, HEX)}", f"toolu_01{d.some(22)}",
    ),
    "types": lambda d: d.one(
        "password: string;", "token?: string | null", "secret: SecretStr = Field(...)", "sessionKey: Uint8Array",
        "pub password: Option<String>,", "password: z.string().min(8)", "auth: AuthProvider", "token: ERC20",
    ),
    "code that reads a secret": lambda d: d.one(
        'token = os.environ["X_TOKEN"]', "token = get_token()", "password: config.database.password,",
        "user.setPassword(hashed)", "setPassword(e.target.value)", 'cfg.setPassword(System.getenv("DB_PW"))',
        "const [password, setPassword] = useState('')", 'getToken("user-profile-v2")',
    ),
    "names of secrets": lambda d: d.one(
        "secretName: tls-cert-prod-2", "existingSecret: postgres-auth-1", 'Secret "api-key-v2" not found',
        "aws secretsmanager get-secret-value --secret-id prod/db-1", "secretKeyRef:\n  name: db\n  key: password",
    ),
    "sentences": lambda d: d.one(
        "the password is wrong", "the token is valid for 3600s", "the secret is named db-creds-v2",
        "the key is 256-bit",
        "use OAuth2 as the auth method", "login with Google / GitHub", "password is hashed with argon2id",
        "set the password to something strong", f"The session was closed at 14:05:{d.number(59):02}",
    ),
    "addresses of machines": lambda d: d.one(
        f"gh secret set HOST --body 203.0.113.{d.number(255)}", "gh secret set HOST --body db.example.test",
        f"public ip 203.0.113.{d.number(255)}", "redis://localhost:6379",
    ),
}  # fmt: skip
