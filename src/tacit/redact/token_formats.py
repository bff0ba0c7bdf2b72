"""Tokens that are recognised by their prefix, as their issuers document them: prefix, then the body."""

from __future__ import annotations

import base64
import json
import re

from tacit.redact.dummy_values import LONGEST_JUDGED, is_dummy_value, is_example
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
)  # fmt: skip


def _real(found: re.Match[str]) -> bool:
    body = found[0][_PREFIX:LONGEST_JUDGED]
    return not is_dummy_value(found[0]) and (len(body) < _SHORTEST_VARIED or entropy(body) > _LEAST_BITS)


def _drawn(found: re.Match[str]) -> bool:
    # One digit among capitals and lower-case letters is random enough.
    body = found[0][len("sk-") :]
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


_CHECKS: dict[str, Check] = {"openai": _drawn, "slack": _slack}


def _rule(kind: str, prefixes: tuple[str, ...], body: str, left: str, right: str) -> SecretRule:
    start = "|".join(map(re.escape, prefixes))
    return SecretRule(kind, prefixes, f"{left}(?:(?:{start})(?:{body})){right}", _CHECKS.get(kind, _real))


def _around(kind: str, anchors: tuple[str, ...], pattern: str, check: Check | None = None) -> SecretRule:
    return SecretRule(kind, anchors, pattern, check or (lambda found: not is_dummy_value(found[0])), "near")


_AWS_IDS = (*marks.AWS_KEYS, "ABIA", "ACCA", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA", "A3T")

TOKENS: tuple[SecretRule, ...] = (
    SecretRule("aws", _AWS_IDS, r"(?<![A-Z0-9])(?:A3T[A-Z0-9]|A[KSBCGIRN][A-Z]A)[A-Z0-9]{16}(?![A-Za-z0-9])",
         lambda found: not is_example(found[0])),
    SecretRule("jwt", (".ey",), r"ey[\w-]{14,300}\.ey[\w/+-]{14,}+(?:={0,2}\.[\w/+-]*+={0,2})?", _jwt, "word"),
    *(_rule(kind, prefixes, body, _LEFT, _NO_MORE) for kind, prefixes, body in _FIXED),
    *(_rule(kind, prefixes, body, _LEFT, _TAIL) for kind, prefixes, body in _OPEN),
    # A key or an encrypted password, whose third letter is a version; `APAccount` and `APBanks` are words.
    SecretRule("artifactory", ("AKC", "AP"),
         r"(?<![^\s=:\"'])(?:AKC[A-Za-z0-9]{10,}+|AP(?:[0-9]|[A-F](?=[A-Za-z]{0,80}[0-9]))[A-Za-z0-9]{8,}+)",
         lambda found: not is_dummy_value(found[0])),
    _around("openai", ("T3BlbkFJ",), r"sk-[A-Za-z0-9_-]{16,120}T3BlbkFJ[A-Za-z0-9_-]{16,120}"),
    _around("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
    _around("azure", ("Q~",), r"(?<![\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])"),
    _around("maxmind", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    _around("mailchimp", ("-us",), r"(?<![0-9a-zA-Z])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    _around("telegram", (":A",), r"(?<![0-9])[0-9]{5,16}:A[\w-]{34}(?![\w-])"),
    _around("facebook", ("|",), r"(?<![0-9])[0-9]{13,17}\|[\w-]{26,28}(?![\w-])"),
    _around("zoho", ("1000.",), r"(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}"),
)  # fmt: skip
