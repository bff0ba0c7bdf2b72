"""Tokens that are recognised by their prefix, as their issuers document them: prefix, then the body."""

from __future__ import annotations

import base64
import json
import re

from tacit.redact.dummy_values import LONGEST_JUDGED, is_dummy_value, is_example
from tacit.redact.letter_pairs import WORDS_HAVE, commonness
from tacit.redact.rule import Check, SecretRule, compiled
from tacit.redact.value_shapes import entropy, looks_drawn
from tacit.text import secret_marks as marks

# A short prefix counts at the start of a word only; an escape, a colour or a percent code may come right before it.
_LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtf])|(?<=\[\dm)|(?<=\[\d\dm)|(?<=%[0-9A-F][0-9A-F]))"
# A token of fixed length ends there. A placeholder is not such an end: redacting must not change what matches.
_NO_MORE = r"(?![A-Za-z0-9_-]|\[redacted:)"
# What is attached to a token is redacted with it, so that the rest does not look like another token.
_TAIL = r"(?:[_-]*+[A-Za-z0-9]++)*+"
_ALNUM = "[A-Za-z0-9]"
_WORD = "[A-Za-z0-9_-]"
_HEX = "[0-9a-fA-F]"
_UUID = f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
# At least one capital, one small letter and one digit: short prefixes are also the beginnings of names.
_VARIED = "(?=[A-Z0-9_-]{0,30}[a-z])(?=[a-z0-9_-]{0,30}[A-Z])(?=[A-Za-z_-]{0,30}[0-9])"
_PREFIX = 4
_SHORTEST_VARIED = 16
_LEAST_BITS = 1.5

# kind, prefixes, what follows. A body of fixed length ends the token there; `…` bodies take all that belongs to it.
_FIXED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("gitlab", ("glsoat-", "glffct-", "glft-"), _WORD + "{20}"),
    ("hugging-face", ("hf_",), "[A-Za-z]{34}|(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{30,40}"),
    ("hugging-face", ("api_org_",), "[A-Za-z0-9]{34}"),
    ("sourcegraph", ("sgp_",), f"(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    ("sourcegraph", ("sgd_", "sgs_"), f"{_HEX}{{40,64}}"),
    ("twilio", ("SK", "AC"), f"{_HEX}{{32}}"),
    ("databricks", ("dapi",), "[0-9a-h]{32}(?:-\\d)?"),
    ("pulumi", ("pul-",), f"{_HEX}{{40}}"),
    ("mailgun", ("key-", "pubkey-"), f"{_HEX}{{32}}"),
    ("infracost", ("ico-",), f"{_ALNUM}{{32}}"),
    ("octopus-deploy", ("API-",), "[A-Z0-9]{25,36}"),
    ("adobe", ("p8e-", "p8-"), "[A-Za-z0-9]{32}"),
    ("vault", ("s.",), f"(?=[A-Za-z]{{0,23}}[0-9]){_ALNUM}{{24}}"),
    ("alibaba", ("LTAI",), f"{_ALNUM}{{12,26}}"),
    ("tencent", ("AKID",), f"{_ALNUM}{{32,48}}"),
    ("clickhouse", ("4b1d",), f"{_ALNUM}{{38}}"),
    ("yandex", ("YC",), "(?=[A-Za-z_-]{0,38}[0-9])[A-Za-z0-9_-]{38}"),
    ("yandex", ("AQVN",), f"{_WORD}{{35,38}}"),
    ("google", marks.GOOGLE_API, f"{_WORD}{{35}}"),
    ("intra42", ("s-s4t2ud-", "s-s4t2af-"), f"{_HEX}{{64}}"),
    ("perplexity", ("pplx-",), f"{_ALNUM}{{40,60}}"),
    ("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), f"{_HEX}{{64}}"),
    ("rubygems", ("rubygems_",), f"{_HEX}{{48}}"),
    ("contentful", ("CFPAT-",), f"{_WORD}{{40,46}}"),
    ("firecrawl", ("fc-",), f"{_HEX}{{32}}"),
    ("elevenlabs", ("sk_",), f"{_HEX}{{48}}"),
    ("fireworks", ("fw_", "fpk_"), f"{_VARIED}{_ALNUM}{{20,30}}"),
    ("cerebras", ("csk-",), "(?=[a-z]{0,40}[0-9])[a-z0-9]{40,60}"),
    ("launchdarkly", ("sdk-", "api-", "mob-"), _UUID),
    ("axiom", ("xaat-", "xapt-"), _UUID),
    ("hubspot", ("pat-na1-", "pat-na2-", "pat-na3-", "pat-eu1-", "pat-ap1-"), _UUID),
    ("langfuse", ("sk-lf-",), _UUID),
    ("nuget", ("oy2",), "(?=[a-z]{0,42}[0-9])[a-z0-9]{43}"),
    ("voyage", ("pa-",), f"{_VARIED}{_WORD}{{40,46}}"),
    ("modal", ("ak-", "as-"), f"{_VARIED}{_ALNUM}{{22}}"),
    ("runpod", ("rpa_",), "(?=[A-Z]{0,40}[0-9])[A-Z0-9]{38,50}[a-z0-9]{0,8}"),
    ("clickup", ("pk_",), r"\d{5,10}_[A-Z0-9]{32}"),
    ("klaviyo", ("pk_",), f"{_HEX}{{34}}"),
    ("e2b", ("e2b_",), f"{_HEX}{{40}}"),
    ("adyen", ("AQE",), r"[A-Za-z0-9+/=]{60,300}"),
    ("mollie", ("live_", "test_"), f"{_VARIED}{_ALNUM}{{30}}"),
    ("wandb", ("local-",), "[0-9a-f]{40}"),
    ("volcengine", ("AKLT",), f"{_ALNUM}{{40,60}}"),
    ("cockroach", ("CCDB1_",), r"[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"),
    ("xata", ("xau_",), f"{_ALNUM}{{28,40}}"),
    ("aiven", ("AVNS_",), r"[\w-]{19,24}"),
    ("neon", ("npg_",), f"{_VARIED}{_ALNUM}{{10,20}}"),
    ("twilio", ("SK.",), r"[\w-]{20,24}\.[\w-]{40,46}"),
)

_OPEN: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("github", marks.GITHUB, "[A-Za-z0-9_]{30,255}"),
    ("github", marks.GITHUB_FINE_GRAINED, r"\w{30,255}"),
    (
        "gitlab",
        (*marks.GITLAB_PERSONAL, "gldt-", "glrt-", "glcbt-", "glptt-", "glimt-", "glagent-", "gloas-", "glrtr-",
         "glwt-"),
        r"[\w-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9}|\.[0-9a-z]{9})?",
    ),
    ("gitlab", ("GR1348941",), r"[\w-]{20,60}"),
    ("anthropic", ("sk-ant-",), r"[\w-]{32,300}"),
    ("openai", marks.OPENAI, r"[\w-]{20,300}"),
    ("openai", ("sess-",), f"{_ALNUM}{{40}}"),
    ("slack", marks.SLACK, r"\d{1,20}(?:-[A-Za-z0-9%]{1,90}){1,6}"),
    ("slack", ("xoxe-", "xoxe.xoxb-", "xoxe.xoxp-"), r"\d-[A-Za-z0-9]{20,250}"),
    ("slack", ("xapp-",), r"\d-[A-Z0-9]{1,20}-\d{1,20}-[a-z0-9]{1,90}"),
    ("stripe", ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"), f"{_ALNUM}{{10,250}}"),
    ("stripe", ("whsec_",), "[A-Za-z0-9+/=]{24,90}"),
    ("npm", ("npm_",), f"{_ALNUM}{{30,64}}"),
    ("pypi", ("pypi-",), r"[\w-]{40,1000}"),
    ("sendgrid", ("SG.",), r"[\w=-]{16,32}\.[\w=-]{30,64}|[\w=.-]{60,70}"),
    ("sendinblue", ("xkeysib-", "xsmtpsib-"), f"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    ("google", ("ya29.",), r"[\w-]{20,500}"),
    ("google", ("GOCSPX-",), r"[\w-]{20,40}"),
    ("google", ("1//0",), r"[\w-]{40,200}"),
    ("grafana", ("glc_",), r"[A-Za-z0-9+/]{32,400}={0,3}"),
    ("grafana", ("glsa_",), f"{_ALNUM}{{32}}_{_HEX}{{8}}"),
    ("grafana", ("eyJrIjoi",), r"[A-Za-z0-9]{50,400}={0,3}"),
    ("vault", ("hvs.", "hvb.", "hvr."), r"[\w-]{24,300}"),
    ("doppler", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
     r"(?:\w{1,40}\.)?[A-Za-z0-9]{40,44}"),
    ("dynatrace", ("dt0c01.", "dt0s01.", "dt0s02."), r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ("shopify", ("shpat_", "shpca_", "shppa_", "shpss_"), f"{_HEX}{{32}}"),
    ("linear", ("lin_api_", "lin_oauth_"), f"{_ALNUM}{{32,64}}"),
    ("notion", ("ntn_",), r"\w{40,60}"),
    ("planetscale", ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"), r"[\w=.-]{32,64}"),
    ("prefect", ("pnu_", "pnb_"), f"{_ALNUM}{{36}}"),
    ("postman", ("PMAK-",), f"{_HEX}{{24}}-{_HEX}{{34}}"),
    ("new-relic", ("NRAK-", "NRAL-", "NRII-", "NRIQ-", "NRJS-", "NRRA-", "NRSP-"), r"[A-Za-z0-9-]{19,44}"),
    ("clojars", ("CLOJARS_",), f"{_ALNUM}{{60}}"),
    ("typeform", ("tfp_",), r"[\w.=-]{40,64}"),
    ("duffel", ("duffel_live_", "duffel_test_"), r"[\w=-]{40,50}"),
    ("shippo", ("shippo_live_", "shippo_test_"), f"{_HEX}{{40}}"),
    ("flutterwave", ("FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-", "FLWSECK_LIVE-"), r"[A-Za-z0-9]{12,48}(?:-X)?"),
    ("easypost", ("EZAK", "EZTK"), f"{_ALNUM}{{54}}"),
    ("frameio", ("fio-u-",), r"[\w=-]{60,70}"),
    ("readme", ("rdme_",), f"{_ALNUM}{{70}}"),
    ("scalingo", ("tk-us-",), r"[\w-]{48}"),
    ("sonar", ("sqp_", "squ_", "sqa_"), r"[\w=-]{40}"),
    ("sentry", ("sntrys_",), r"[\w+/=-]{40,400}"),
    ("sentry", ("sntryu_", "sntrya_", "sntryi_"), f"{_HEX}{{64}}"),
    ("settlemint", ("sm_aat_", "sm_pat_", "sm_sat_"), f"{_ALNUM}{{16}}"),
    ("defined-networking", ("dnkey-",), r"[\w=-]{26}-[\w=-]{52}"),
    ("plaid", ("access-sandbox-", "access-development-", "access-production-"),
     rf"{_HEX}{{8}}(?:-{_HEX}{{4,12}}){{4}}"),
    ("harness", ("pat.", "sat."), r"[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    ("1password", ("ops_",), r"eyJ[A-Za-z0-9+/=_-]{40,2000}"),
    ("1password", ("A3-",), r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("authress", ("ext_", "sc_", "scauth_", "authress_"),
     r"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}"),
    ("bedrock", ("bedrock-api-key-",), r"YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=_%-]{0,2000}"),
    ("bedrock", ("ABSKQmVkcm9ja0FQSUtleS",), r"[A-Za-z0-9+/]{20,269}={0,2}"),
    ("age", ("AGE-SECRET-KEY-1",), r"[0-9A-Z]{58}"),
    ("groq", ("gsk_",), r"[A-Za-z0-9]{40,60}"),
    ("replicate", ("r8_",), r"[A-Za-z0-9]{37,40}"),
    ("xai", ("xai-",), r"[A-Za-z0-9]{60,90}"),
    ("fly", ("fo1_", "fm1_", "fm2_", "fm1r_", "fm1a_"), r"[\w+/=,-]{40,800}"),
    ("render", ("rnd_",), r"[A-Za-z0-9]{28,40}"),
    ("supabase", ("sbp_", "sb_secret_"), r"[\w-]{30,60}"),
    ("docker", ("dckr_pat_", "dckr_oat_"), r"[\w-]{20,60}"),
    ("terraform", ("tfe_",), r"[A-Za-z0-9]{30,90}"),
    ("netlify", ("nfp_", "nfc_", "nfo_", "nfu_"), r"[A-Za-z0-9]{36,46}"),
    ("figma", ("figd_",), r"[\w-]{36,60}"),
    ("razorpay", ("rzp_live_", "rzp_test_"), f"{_ALNUM}{{14,24}}"),
    ("square", ("EAAA",), r"[\w-]{60}"),
    ("square", ("sq0atp-", "sq0csp-", "sq0idp-"), r"[\w-]{22,43}"),
    ("facebook", ("EAA",), r"[A-Za-z0-9]{80,400}"),
    ("dropbox", ("sl.",), r"[\w=-]{130,152}|(?:B|u\.)[\w=-]{100,1200}"),
    ("freemius", ("sk_",), r"(?=[^\s]{0,28}[0-9])[A-Za-z0-9]{29}(?![A-Za-z0-9_])"),
    ("cloudflare", ("v1.0-",), f"{_HEX}{{24}}-{_HEX}{{146}}"),
    ("tailscale", ("tskey-",), r"(?:[a-z]{1,20}-)?[A-Za-z0-9]{1,40}-[A-Za-z0-9]{20,80}"),
    ("buildkite", ("bkua_",), f"{_HEX}{{40}}"),
    ("circleci", ("CCIPAT_", "CCIPRJ_"), r"\w{30,90}"),
    ("langsmith", ("lsv2_pt_", "lsv2_sk_"), r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("mistral", ("mst_",), r"[A-Za-z0-9]{32,64}"),
    ("openshift", ("sha256~",), r"[\w-]{43}"),
    ("polar", ("polar_pat_", "polar_oat_"), r"[A-Za-z0-9]{30,60}"),
    ("resend", ("re_",), r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    ("atlassian", ("ATATT3", "ATCTT3", "ATBB"), r"[\w=-]{20,300}"),
    ("heroku", ("HRKU-",), r"[\w-]{36,64}"),
    ("onfido", ("api_live.", "api_sandbox."), r"[\w-]{11}\.[\w-]{32}"),
    ("lob", ("live_pub_", "test_pub_"), f"{_HEX}{{31}}"),
    ("artifactory", ("AKCp",), r"[A-Za-z0-9]{50,80}"),
    ("jfrog", ("cmVmdGtuOj",), r"[A-Za-z0-9]{40,80}"),
    ("slack", marks.SLACK_COOKIE, r"[A-Za-z0-9%+/=_-]{40,}+"),
    ("aws-session", ("IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "AQoDYXdz"), r"[A-Za-z0-9+/%]{40,}+=*+"),
    ("together", ("tgp_v1_",), r"[\w-]{40,60}"),
    ("tavily", ("tvly-",), r"(?:dev-|prod-)?[A-Za-z0-9-]{28,64}"),
    ("pinecone", ("pcsk_",), r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}"),
    ("wandb", ("wandb_v1_",), r"\w{50,100}"),
    ("neon", ("napi_",), r"[a-z0-9]{50,80}"),
    ("datadog", ("ddapp_", "ddapi_", "ddpat_", "ddsat_"), r"[A-Za-z0-9]{30,60}"),
    ("braintree", ("access_token$",), r"(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("posthog", ("phx_", "phs_", "phr_"), r"[A-Za-z0-9_]{40,60}"),
    ("nvidia", ("nvapi-",), r"[\w-]{40,90}"),
    ("jina", ("jina_",), r"[\w-]{50,80}"),
    ("1password", ("ops_",), r"eyJ[\w+/=-]{100,}+"),
    ("mapbox", ("sk.", "tk."), r"eyJ[\w-]{20,200}\.[\w-]{20,60}"),
    ("vercel", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"[A-Za-z0-9]{40,64}"),
    ("cloudflare", ("cfut_", "cfat_", "cfk_"), r"[A-Za-z0-9]{40,60}"),
    ("honeycomb", ("hcaik_", "hcxik_", "hcamk_", "hcxmk_", "hcalk_", "hcxlk_"), r"[a-z0-9]{40,70}"),
    ("buildkite", ("bkct_", "bkaj_", "bkpi_", "bkrt_", "bkt_"), r"[A-Za-z0-9]{30,60}"),
    ("paddle", ("pdl_live_apikey_", "pdl_sdbx_apikey_"), r"\w{30,80}"),
    ("snyk", ("snyk_uat.", "snyk_sat."), r"[0-9a-f]{8}\.[\w-]{20,}+(?:\.[\w-]{20,}+)?"),
    ("apify", ("apify_api_",), r"[A-Za-z0-9]{30,50}"),
    ("browserbase", ("bb_live_", "bb_test_"), r"[\w-]{24,60}"),
    ("llamaindex", ("llx-",), r"[A-Za-z0-9]{40,60}"),
    ("onesignal", ("os_v2_app_", "os_v2_org_"), r"[a-z0-9]{60,110}"),
    ("mailersend", ("mlsn.",), r"[0-9a-f]{60,70}"),
    ("xendit", ("xnd_production_", "xnd_development_"), r"[A-Za-z0-9]{40,80}"),
    ("midtrans", ("Mid-server-", "SB-Mid-server-"), r"[\w-]{20,40}"),
    ("coralogix", ("cxtp_", "cxup_"), r"[A-Za-z0-9]{28,40}"),
    ("stytch", ("secret-live-", "secret-test-"), r"[\w=-]{36,60}"),
    ("statsig", ("secret-", "console-"), r"(?=[A-Za-z]{0,40}[0-9])(?=[A-Z0-9]{0,40}[a-z])[A-Za-z0-9]{40,50}"),
    ("mongodb", ("mdb_sa_sk_",), r"[\w-]{36,60}"),
    ("astra", ("AstraCS:",), r"[A-Za-z]{24}:[0-9a-f]{64}"),
    ("trello", ("ATTA",), r"[0-9a-f]{64}[0-9A-F]{8}"),
    ("bitbucket", ("BBDC-",), r"[A-Za-z0-9+/@_-]{40,50}"),
    ("packagist", ("packagist_uut_", "packagist_ort_", "packagist_out_"), r"[0-9a-f]{60,80}"),
    ("socket", ("sktsec_",), r"[\w-]{30,60}"),
    ("chromatic", ("chpt_",), r"[0-9a-f]{12,20}"),
    ("n8n", ("n8n_api_",), r"[0-9a-f]{40,100}"),
    ("anyscale", ("aph0_", "esecret_"), r"[\w-]{24,80}"),
    ("cursor", ("key_", "crsr_"), r"[0-9a-f]{64}"),
    ("google", ("AQ.Ab",), r"[\w-]{40,80}"),
    ("discord", ("mfa.",), r"[\w-]{84}"),
    ("baidu", ("bce-v3/ALTAK-",), r"[A-Za-z0-9]{16,30}/[0-9a-f]{40}"),
    ("infisical", ("st.",), r"[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    ("flagsmith", ("ser.",), r"[A-Za-z0-9]{20,30}"),
    ("configcat", ("configcat-sdk-",), r"1/[\w-]{22}/[\w-]{22}"),
    ("gitlab", ("_gitlab_session=",), r"[0-9a-f]{32}"),
    ("fly", ("FlyV1 fm",), r"[\w+/=,-]{40,800}"),
    ("brave", ("BSA",), r"(?=[A-Za-z_-]{0,28}[0-9])[\w-]{28}"),
    ("elastic", ("essu_",), r"[A-Za-z0-9+/=]{40,120}"),
)  # fmt: skip


def _real(found: re.Match[str]) -> bool:
    body = found[0][_PREFIX:LONGEST_JUDGED]
    return not is_dummy_value(found[0]) and (len(body) < _SHORTEST_VARIED or entropy(body) > _LEAST_BITS)


def _drawn(found: re.Match[str]) -> bool:
    # One digit among capitals and lower-case letters is random enough.
    body = found[0][len("sk-") :]
    if body.startswith("ssh-"):  # a kind of public key
        return False
    mixed = body.isalnum() and compiled("[A-Z]").search(body) and compiled("[0-9]").search(body)
    return bool(mixed or looks_drawn(found[0], 20)) and not is_dummy_value(found[0])


def _slack(found: re.Match[str]) -> bool:
    # A long last part without a digit is a phrase; a token followed by a mask was already shortened by hand.
    last = found[0].rpartition("-")[2]
    masked = found.string[found.end() : found.end() + 2] in ("-#", "-*", "-x")
    return not masked and not is_dummy_value(found[0]) and (len(last) < 16 or any(map(str.isdigit, last)))


def _jwt(found: re.Match[str]) -> bool:
    """Judge a token with parts, such as a JWT: a part that begins like encoded JSON must be JSON."""
    header = found[0].partition(".")[0]
    if not header.startswith("eyJ"):
        return True
    try:
        return isinstance(json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))), dict)
    except ValueError:
        return False


_UNDERSCORE = "_(?=[A-Za-z0-9]{20})"
_DASH = "-(?=[A-Za-z0-9]{32})"
# A token of an issuer that is not listed: a word, perhaps a second one, then 36 or more random letters and digits.
_PREFIXED = (
    _LEFT + r"(?<![_/+.-])(?P<issuer>[a-z][a-z0-9]{1,11})(?:[_-][a-z0-9]{1,10}){0,2}[_-]"
    r"(?P<body>[A-Za-z0-9]{36,120})(?![\w/+-]|=[^=])"
)
# Prefixes of what is public: digests, ids, publishable keys.
_OPEN_TO_ALL = (
    r"sha\d*|md5|pk|pub|public|pub\w*|cs|id|uid|nonce|hash|chunk|index|resp|msg|call|toolu|file|img|phc|commit|rev"
)


def _is_token(found: re.Match[str]) -> bool:
    body = found["body"]
    capitals, digits = len(compiled("[A-Z]").findall(body)), len(compiled("[0-9]").findall(body))
    small = len(body) - capitals - digits
    if min(capitals, small) < len(body) // 6 or digits < 2 or compiled(_OPEN_TO_ALL).fullmatch(found["issuer"]):
        return False
    return commonness(body) < WORDS_HAVE and not is_dummy_value(found[0])


_WHY = "it has the form of a token of this issuer"
_CHECKS: dict[str, Check] = {"openai": _drawn, "slack": _slack}


def _rule(kind: str, prefixes: tuple[str, ...], body: str, left: str, right: str) -> SecretRule:
    start = "|".join(map(re.escape, prefixes))
    return SecretRule(
        f"token-{kind}", _WHY, kind, prefixes, f"{left}(?:(?:{start})(?:{body})){right}", _CHECKS.get(kind, _real)
    )


def _around(kind: str, anchors: tuple[str, ...], pattern: str, check: Check | None = None) -> SecretRule:
    return SecretRule(
        f"token-{kind}", _WHY, kind, anchors, pattern, check or (lambda found: not is_dummy_value(found[0])), "near"
    )


_AWS_IDS = (*marks.AWS_KEYS, "ABIA", "ACCA", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA", "A3T")

TOKENS: tuple[SecretRule, ...] = (
    SecretRule("token-aws", _WHY, "aws", _AWS_IDS,
               r"(?<![A-Z0-9])(?:A3T[A-Z0-9]|A[KSBCGIRN][A-Z]A)[A-Z0-9]{16}(?![A-Za-z0-9])",
               lambda found: not is_example(found[0])),
    SecretRule("token-jwt", "it is a JSON web token", "jwt", (".ey",),
               r"ey[\w-]{14,300}\.ey[\w/+-]{14,}+(?:={0,2}\.[\w/+-]*+={0,2})?", _jwt, "word"),
    *(_rule(kind, prefixes, body, _LEFT, _NO_MORE) for kind, prefixes, body in _FIXED),
    *(_rule(kind, prefixes, body, _LEFT, _TAIL) for kind, prefixes, body in _OPEN),
    # A key or an encrypted password, whose third letter is a version; `APAccount` and `APBanks` are words.
    SecretRule("token-artifactory", _WHY, "artifactory", ("AKC", "AP"),
         r"(?<![^\s=:\"'])(?:AKC[A-Za-z0-9]{10,}+|AP(?:[0-9]|[A-F](?=[A-Za-z]{0,80}[0-9]))[A-Za-z0-9]{8,}+)",
         lambda found: not is_dummy_value(found[0])),
    _around("openai", ("T3BlbkFJ",), r"sk-[A-Za-z0-9_-]{16,120}T3BlbkFJ[A-Za-z0-9_-]{16,120}"),
    _around("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
    _around("azure", ("Q~",), r"(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])"),
    _around("maxmind", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    _around("mailchimp", ("-us",), r"(?<![0-9a-zA-Z])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    _around("telegram", (":A",), r"(?<![0-9])[0-9]{5,16}:A[\w-]{34}(?![\w-])"),
    _around("facebook", tuple(f"{digit}|" for digit in "0123456789"), r"(?<![0-9])[0-9]{13,17}\|[\w-]{26,28}(?![\w-])"),
    _around("zoho", ("1000.",), r"(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    _around("azure", ("AZDO",), _LEFT + r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
    _around("azure", ("JQQJ99",), _LEFT + r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,30}(?![A-Za-z0-9])"),
    _around("azure", ("+ASt", "+ABa", "+AMC", "+ASb", "+AEh", "+ARm", "+ACR"),
            r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{26,86}\+A(?:St|Ba|MC|Sb|Eh|Rm|CR)[A-Za-z0-9+/]{5,7}={0,2}(?![A-Za-z0-9+/=])"),
    _around("azure", ("AzFu", "ACDb", "AzSe", "AzCa", "AIoT"),
            r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{38,80}(?:AzFu|ACDb|AzSe|AzCa|AIoT)[A-Za-z0-9+/_-]{5,12}={0,2}(?![A-Za-z0-9+/=_-])"),
    SecretRule("token-asana", _WHY, "asana", (),
               _LEFT + r"(?<!/)[012]/\d{13,17}(?:/\d{13,17})?:[0-9a-f]{32}(?![0-9a-z])",
               lambda found: True, "near", ahead="/(?=[0-9]{13})"),
    SecretRule("token-airtable", _WHY, "airtable", (), _LEFT + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9a-z])",
               lambda found: True, "near", ahead=r"\.(?=[0-9a-f]{64})"),
    SecretRule("token-discord", _WHY, "discord", (), r"(?<![\w.-])[\w-]{24,28}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])",
               lambda found: looks_drawn(found[0].replace(".", ""), 50), "near",
               ahead=r"\.[A-Za-z0-9_-]{6}\.(?=[A-Za-z0-9_-]{27})"),
    SecretRule("token-ngrok", _WHY, "ngrok", (), _LEFT + r"(?<![_-])[123][A-Za-z0-9]{26}_[A-Za-z0-9]{20,24}(?![\w-])",
               lambda found: looks_drawn(found[0], 40), "near", ahead=_UNDERSCORE),
    *(SecretRule("token-unknown", "it has a prefix and a long random body, as tokens have", "token", (), _PREFIXED,
                 _is_token, "near", ahead=ahead) for ahead in (_UNDERSCORE, _DASH)),
)  # fmt: skip
