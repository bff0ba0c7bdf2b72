"""Redaction: secrets go, everything else stays, and a cleaned text stays as it is."""

from __future__ import annotations

import hashlib
import random
import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from tacit.redact import BUILT_IN, Redactor, Secret, find, redact
from tacit.redact.find_secrets import SecretFinder
from tacit.redact.literal_search import LiteralSearch, places
from tacit.redact.rule import SecretRule
from tacit.text.secret_marks import NAME_PARTS
from tests.rules.made_up import CONTEXTS, everywhere, plain_password, secrets

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]")
GIT_HASH = "4a3ed39eee5dcc5ecaeefebf4b7e0393cad548b8"
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def tag(secret: str) -> str:
    """Tag a secret as an installation would, with a key of no worth."""
    return hashlib.sha256(b"key" + secret.encode(errors="surrogatepass")).hexdigest()[:8]


REDACTOR = Redactor(tag)


@pytest.mark.parametrize("kind", secrets(0))
def test_every_kind_goes_wherever_it_stands(kind: str) -> None:
    """A token of a documented kind is gone from any sentence, line or file."""
    for seed in range(5):
        secret = secrets(seed)[kind]
        for write in CONTEXTS.values() if "\n" not in secret else (str,):
            assert secret not in REDACTOR.clean(write(secret))


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_password_goes_by_what_stands_around_it(context: str) -> None:
    """A password with no shape of its own is gone wherever a name, a flag, a header or an address gives it away."""
    for seed in range(20):
        secret = plain_password(seed)

        assert secret not in REDACTOR.clean(CONTEXTS[context](secret))


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('PASSWORD="two words and more"', "and more"),
        ("password=hunter2x", "hunter2x"),
        ("token=hunter2hunter", "hunter2hunter"),
        ("mysql --password s3cretpw", "s3cretpw"),
        ("Authorization: Bearer abcDEF123456ghi", "abcDEF123456ghi"),
        ("postgres://app:hunter2@db/prod", "hunter2"),
        ("amqps://app:hunter2@mq", "hunter2"),
        ("https://bob:hunter2@example.test/x", "hunter2"),
        ("mongodb+srv://app:hunter2@cluster", "hunter2"),
        ("AccountKey=lJzRc1YdHaAA2KCNJJ1tkYwF/+mKK6Ygw0NGe170Xu592euJv2wYUtBlV8z+qnlcNQ==;", "lJzRc1YdHaAA2KCNJJ1tk"),
        (
            'k = "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg\\n-----END PRIVATE KEY-----"',
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg",
        ),
        ("machine example.test login bob password hunter2x", "hunter2x"),
        ('{"auths": {"registry.test": {"auth": "Ym9iOmh1bnRlcjI="}}}', "Ym9iOmh1bnRlcjI="),
    ],
)
def test_what_the_seed_missed(text: str, gone: str) -> None:
    """Quoted values with spaces, small letters, flags, headers, other schemes, cloud keys, .netrc: each leaked once."""
    assert gone not in REDACTOR.clean(text)


def test_the_scheme_of_an_address_stays() -> None:
    """Only the password goes from an address; the seed rewrote mongodb+srv to mongodb."""
    cleaned = REDACTOR.clean("mongodb+srv://app:hunter2@cluster.test/x")

    assert f"mongodb+srv://app:[redacted:url:{tag('hunter2')}]@cluster.test/x" == cleaned


CLEAN = [
    f"blob_id='{GIT_HASH}'",
    f"global_id: {GIT_HASH}",
    "sorted(rows, key=itemgetter(0))",
    "secret_key=hashlib.sha256(seed.encode()).hexdigest()",
    "did you mean to pass '--{name}'?",
    'FILES = (".npmrc", ".git-credentials", ".config2/gcloud")',
    'verify_token="eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9..."',
    f"commit {GIT_HASH}",
    f"sha256:{SHA256}",
    f"deploy of {GIT_HASH[:7]} failed",
    "9b2f0c3e-6f0e-4a55-9d1c-2f2b8e6a7c11",
    '"integrity": "sha512-v8/yb4Iw4LEUavmDTAZqjSqUnkhWQuh3QG443RF5Uv8yb4Iw4LEUavmDTAZqjSqUnkhWQuh3QG443RF5U=="',
    "golang.org/x/net v0.1.0 h1:65v8/yb4Iw4LEUavmDTAZqjSqUnkhWQuh3QG443RF5U=",
    "--hash=sha256:" + SHA256,
    "/usr/lib/python3.11/site-packages/pkg/very/long/path/to/some/module/file_with_name_1234.py",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Q9Zl0Yk1mY2p4Rk9sVzJ3b0tQdXZ4Q2V5S2V5 me@host",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYD\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
    "export TOKEN=xxxxxxxxxxxxxxxxxxxx",
    "API_KEY=changeme",
    "password: <your password>",
    "token: ${GITHUB_TOKEN}",
    "curl -u $USER:$PASS https://x",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "api_key=your-api-key",
    "password = os.environ['DB_PASSWORD']",
    "password: str",
    "def get_password(self, user): ...",
    "token = get_token()",
    "self.password = password",
    "passwords must be 12 characters or more",
    "The token bucket refills 10 tokens per second",
    "I forgot my password again",
    "the secret of good bread is time",
    "max_tokens=4096",
    "key = value",
    "primary_key=True",
    "the API key rotates on the 1st of each month",
    "password reset link: https://example.test/reset",
    "sort_key: created_at",
    "postgresql://app:$PGPASSWORD@db/prod",
    "https://example.test:8080/@scope/package",
    "git@github.com:org/repo.git",
    "npm install @types/node@20.1.2",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-... (redacted)",
    "secretary@example.test",
    "test_key_rotation_is_idempotent PASSED",
    "author: Ann Key",
    "keyboard: qwerty",
    "tokenizer: bert-base-uncased",
    "password_file=/run/secrets/db",
    "private_key_path: ~/.ssh/id_ed25519",
    "access_token_url='https://x.test/oauth/token'",
    "token = token[:-1]",
    "key: NDArray[uint32]",
    "password=parts['password']",
    "pass_fds: Collection[int] = (),",
    "    credentials_to_save: Credentials | None = None",
    "RegEnumKey = win32api.RegEnumKey",
    "_create_dict(star2_keys, star2_values)",
    'cmd = [self.keyring, "--mode=creds", "--output=json"]',
    f"PublicKeyToken={GIT_HASH[:16]}, Version=4.0.0.0",
    f'public_key: "{SHA256}{SHA256}"',
    "hockey: Montreal1909Canadiens",
    'redis-cli KEYS "session:*"',
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
    'aws_secret_arn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:mysecret-1a2b3c"',
    "{{resolve:secretsmanager:MySecret:SecretString:password}}",
    'password_confirmation: "does not match"',
    "ssh_key_fingerprint=ab:cd:ef:01:23:45",
]


@pytest.mark.parametrize("text", CLEAN)
def test_what_is_no_secret_stays(text: str) -> None:
    """Hashes, UUIDs, digests, paths, public keys, placeholders, code and prose about passwords are left alone."""
    assert text == REDACTOR.clean(text)


PREFIXED = {kind: token for kind, token in secrets(8).items() if kind in ("github", "gitlab", "npm", "stripe", "hf")}


@pytest.mark.parametrize("kind", PREFIXED)
@pytest.mark.parametrize("mask", ["x", "X", "0", "*", "abcdefghijklmnopqrstuvwxyz"])
def test_every_rule_spares_a_mask(kind: str, mask: str) -> None:
    """What a placeholder is does not depend on the kind of token it stands for."""
    token = PREFIXED[kind]
    prefix = token[: token.rindex("_" if "_" in token[:10] else "-") + 1]
    masked = prefix + (mask * 40)[: len(token) - len(prefix)]

    assert masked == REDACTOR.clean(masked)
    assert f"API_KEY={masked}" == REDACTOR.clean(f"API_KEY={masked}")


@pytest.mark.parametrize("value", ["${X:-y}", "$(cat f)", "{{ x }}", "<x>", "%X%", "%(x)s", "#{x}", "@X@", "${A}:${B}"])
def test_a_variable_is_no_secret_anywhere(value: str) -> None:
    """What is filled in elsewhere stays, after a name, in an address and on a command line alike."""
    for text in (f'password="{value}"', f"https://app:{value}@db.test/x", f"sshpass -p '{value}' ssh host"):
        assert text == REDACTOR.clean(text)


def test_where_the_place_proves_it_a_silly_password_is_one() -> None:
    """An example after a name is spared; in an address it is a password all the same."""
    assert "password=changeme" == REDACTOR.clean("password=changeme")
    assert "changeme" not in REDACTOR.clean("https://app:changeme@db.test/x")


def test_what_is_glued_to_a_token_goes_with_it() -> None:
    """A token that goes on longer than documented leaves no rest."""
    glued = secrets(9)["npm"] + "a1B2" * 40

    assert glued not in REDACTOR.clean(glued)
    assert "a1B2" not in REDACTOR.clean(glued)


def test_equal_secrets_get_equal_placeholders() -> None:
    """A placeholder keeps the kind and a keyed tag, so that equal secrets stay equal and others differ."""
    one, other = secrets(1)["github"], secrets(2)["github"]

    cleaned = REDACTOR.clean(f"{one} {other} {one}").split()

    assert [f"[redacted:github:{tag(secret)}]" for secret in (one, other, one)] == cleaned


def test_spans_are_code_points_of_the_input() -> None:
    """What is reported lies where it says, behind wide characters and a letter that grows in small letters."""
    text = "İİ 🔑 password=hunter2x und ghp_" + "a1B2" * 9

    assert ["hunter2x", "ghp_" + "a1B2" * 9] == [text[one.start : one.end] for one in find(text)]


def test_only_one_letter_grows_in_small_letters() -> None:
    """Places in the small letters of a text are places in the text: no letter but İ becomes two."""
    grown = [code for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]

    assert [ord("İ")] == grown


def test_overlapping_claims_are_one_secret() -> None:
    """A token that is also somebody's password goes once, under the kind that says more."""
    token = secrets(3)["github"]

    assert [Secret("github", 9, 9 + len(token), "token-github")] == find(f"password={token}")


def test_what_is_beside_a_placeholder_goes_too() -> None:
    """A placeholder inside a value hides that part alone; what stands around it is no safer for it."""
    text = 'password="hunter2x[redacted:github:00000000]hunter3y"'

    assert ["hunter2x", "hunter3y"] == [text[one.start : one.end] for one in find(text)]


def test_allowed_texts_stay() -> None:
    """A text that the settings allow stays, and only that one."""
    known, other = secrets(4)["github"], secrets(5)["github"]
    redactor = Redactor(tag, allow=frozenset([known]))

    assert f"{known} [redacted:github:{tag(other)}]" == redactor.clean(f"{known} {other}")


def test_rules_can_be_chosen() -> None:
    """`redact` takes secrets out by the rules it is given."""
    token = secrets(6)["github"]

    assert token == redact(token, tag, ())
    assert token not in redact(token, tag, BUILT_IN)


def test_secrets_in_every_place(figures, budget) -> None:
    """Kinds and contexts, drawn anew many times: none stays, and cleaning again changes nothing."""
    seeds = budget(20, soak=2_000)
    for seed in range(seeds):
        for name, secret, text in everywhere(seed + 1000):
            cleaned = REDACTOR.clean(text)
            assert secret not in cleaned, (seed, name)
            assert cleaned == REDACTOR.clean(cleaned), (seed, name)
    figures("made-up secrets redacted", seeds * len(list(everywhere(0))))


# Pieces of which texts that almost hold secrets are made.
PIECES = [
    *(anchor for rule in BUILT_IN for anchor in rule.anchors),
    *NAME_PARTS,
    "=",
    ": ",
    ":=",
    " => ",
    '"',
    "'",
    "`",
    "\\",
    "\n",
    " ",
    "-",
    "--",
    "@",
    "/",
    "${",
    "}",
    "[redacted:github:0123abcd]",
    "[redacted:",
    "://",
    "a1B2c3D4e5F6",
    "hunter2x",
    "x" * 30,
    "A" * 40,
    "0" * 40,
    "é",
    "İ",
    "\ud800",
    "\x00",
    "🔑",
    "value",
    " is ",
    "login ",
    ",",
    ";",
    "|",
]
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=10).map("".join),
)


def check(text: str) -> None:
    """Hold a text against what is always true of redaction."""
    cleaned, found = REDACTOR.found(text)
    pieces, at = [], 0
    for one in found:
        assert at <= one.start < one.end <= len(text)
        pieces += [text[at : one.start], f"[redacted:{one.kind}:{tag(text[one.start : one.end])}]"]
        at = one.end
    assert "".join([*pieces, text[at:]]) == cleaned
    assert cleaned == REDACTOR.clean(cleaned)


@given(texts)
def test_spans_are_exact_and_cleaning_is_final(text: str) -> None:
    """Whatever the text: spans are sorted and apart, text outside them is unchanged, and a second time does nothing."""
    check(text)


@pytest.mark.soak
def test_random_texts(figures, budget) -> None:
    """Thousands of random texts, made of what rules look for: no crash, exact spans, final."""
    seed = random.SystemRandom().randrange(10**6)
    draw, rounds = random.Random(seed), budget(5_000, soak=1_000_000)
    for _ in range(rounds):
        pieces = draw.choices(PIECES, k=draw.randrange(1, 12))
        check("".join(pieces + [chr(draw.randrange(32, 0x2FF))] * draw.randrange(3)))
    figures("fuzz redact", rounds)
    figures("redact seed", str(seed))


@pytest.mark.parametrize("rule", [one for one in BUILT_IN if one.needed or "0|" in one.anchors], ids=lambda one: one.id)
def test_every_match_has_what_is_looked_for_first(rule: SecretRule) -> None:
    """A rule that is not tried, because a text lacks its literals, would have found nothing in it."""
    pattern = re.compile(rule.pattern)

    @given(st.from_regex(pattern))
    @hypothesis_settings(max_examples=100, suppress_health_check=list(HealthCheck))
    def check(text: str) -> None:
        matched = [found[0] for found in pattern.finditer(text)]

        assert all(any(one in match for one in rule.anchors) for match in matched)
        assert all(any(one in match for one in rule.needed) for match in matched if rule.needed)

    check()


@given(st.text(alphabet="abAB01_-.~|<* sKGh", max_size=300))
@hypothesis_settings(max_examples=200)
def test_passes_find_what_plain_search_finds(text: str) -> None:
    """The quick passes give every place of every literal, as asking for each would."""
    anchors = ["sk-", "A3-", "hf_", "SG.", "sk_a", "|", "<", "Q~", " -a", " -b", "ab", "KG", "K", "GhG", "bb_"]

    assert sorted((one, at) for one in anchors for at in places(text, one)) == sorted(LiteralSearch(anchors).over(text))


def test_the_first_short_texts_of_a_process_are_redacted_like_later_ones() -> None:
    """Their literals are searched one by one; the secrets that are found are the same."""
    dice = random.Random(11)
    anchors = [anchor for rule in BUILT_IN for anchor in rule.anchors]
    anchors += [secret for seed in range(5) for secret in secrets(seed).values() if len(secret) < 500]
    letters = "abcxyzs.ABCPQ_-~|<*: 0129eyQ~\\n"
    few, many = SecretFinder(BUILT_IN), SecretFinder(BUILT_IN)
    found = 0
    for _ in range(3_000):
        parts = [dice.choice(anchors) if dice.random() < 0.3 else "".join(dice.choices(letters, k=dice.randrange(40)))
                 for _ in range(dice.randrange(1, 5))]  # fmt: skip
        few._few, many._few = 1, 0
        one, other = few.find("".join(parts)), many.find("".join(parts))
        assert other == one, parts
        found += bool(one)

    assert found > 100
