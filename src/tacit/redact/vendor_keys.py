"""A service's name next to a random value, `dropbox_api = "62atp5…"`: these keys have no known prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from tacit.redact.dummy_values import is_dummy_value
from tacit.redact.literal_search import NAME_CHARS
from tacit.redact.rule import compiled
from tacit.redact.secret_names import announces
from tacit.redact.value_shapes import is_hex, is_place, is_uuid, looks_drawn

_NAMES = """
    adafruit adobe airtable algolia alibaba asana atlassian confluence jira artifactory jfrog bintray xray beamer
    bitbucket bittrex meraki clickhouse cloudflare codecov cohere co_api_key coinbase confluent contentful datadog
    discord drone dropbox duffel dynatrace easypost etsy facebook fastly finicity finnhub flickr flutterwave frameio
    freemius freshbooks gitter gocardless grafana harness heroku hubspot intercom kraken kucoin launchdarkly linear
    linkedin looker mailchimp mailgun mapbox mattermost maxmind messagebird message-bird message_bird netlify
    newrelic new-relic new_relic nytimes newyorktimes new-york-times notion okta openai pagerduty plaid planetscale
    postman prefect privateai private_ai private-ai pulumi rapidapi sendbird sendgrid sendinblue brevo
    sentry shippo shopify sidekiq contribsys snyk softlayer sonar square squarespace stripe sumo telegr travis trello
    twilio twitch twitter typeform yandex zendesk mistral deepseek groq elevenlabs pinecone langsmith weatherapi
    openweather vultr linode scaleway hetzner ibm_cloud ibm-cloud cloudant browserstack circleci buildkite
    jenkins rollbar bugsnag honeycomb pusher mixpanel webex dockerhub vercel
    supabase firebase mongodb_atlas aiven upstash aws_secret fireworks cerebras tavily firecrawl braintree ngrok
    posthog wandb perplexity voyageai serper serpapi deepgram assemblyai runpod huggingface langfuse helicone qdrant
    virustotal shodan etherscan cloudinary"""
# Words that mean as much as a service's name, at the end of a name.
_WORDS = (
    r"(?<![a-z])(?:[a-z]|api|access|auth|secret|private|client|app|user|sl|iam)?"
    r"(?:access|api|auth|credential|creds|key|secret|token|pat|pw|psk)[a-z]?\d{0,2}\Z"
)
_PUBLIC = r"(?<![a-z])pub(?:lic|[_-])"
# An operator of any language, and a value long enough to be a key. Logs are full of ids and times: these are left out
# here, where it costs least.
_VALUE_AHEAD = r"""[=:>,|(](?<![ {,(]id=)(?<!trace=)(?<!span=)(?<!"ts":)(?<!"id":)"""
_VALUE_AHEAD += r"""[ \t=>|"'`]{0,6}+(?P<secret>[A-Za-z0-9][A-Za-z0-9_~.+/:|-]{11,}+={0,2})"""
# Words that make a key of a hexadecimal number, which is a digest otherwise.
_SURE = "api|access|auth|secret|private|sign|encrypt|token|client|app|user|master|hmac"
NAME_REACH = 48
_TAIL_CHARS = 20
_CLOSERS = " \t\"'?]:|="
# Keys that are numbers: application and client ids.
_NUMBERED = "asana|discord|twitter|facebook"


def values_ahead(text: str) -> Iterator[int]:
    """Return the positions of operators that have a value long enough to be a key."""
    return (found.start() for found in compiled(_VALUE_AHEAD).finditer(text))


def vendors_keys(text: str, small: str) -> Iterator[tuple[int, int]]:
    """Return the positions of keys next to the name of a service; `small` is the text in lower case."""
    others: set[str] = set()
    for found in compiled(_VALUE_AHEAD).finditer(text):
        at = found.start()
        head = small[at - NAME_REACH if at > NAME_REACH else 0 : at].rstrip(_CLOSERS)
        blank = head.rfind(" ")
        # Names recur in a text: each is checked only once.
        alone = head[blank + 1 :] if blank > 0 and not head[blank - 1].isalpha() else ""
        if alone in others:
            continue
        name = _name_of(head)
        if not name or not _is_vendor(name):
            if alone:
                others.add(alone)
            continue
        value = found["secret"].rstrip(".,:|")
        start = found.start("secret")
        # A value that is a function call, or cut short by hand, is not a key.
        if not text.startswith(("(", "..."), start + len(value)) and _is_key(name, value):
            yield start, start + len(value)


def _name_of(head: str) -> str:
    """Return the name that ends before an operator: its word, and the word before it when a blank separates them."""
    rest = head.rstrip(NAME_CHARS)
    word = head[len(rest) :]
    if rest[-1:] != " ":
        return word
    before = rest[len(rest[:-1].rstrip(NAME_CHARS)) : -1]
    return f"{before} {word}" if before.isalpha() else word


@lru_cache(4096)
def _is_vendor(word: str) -> bool:
    """Return whether a word ends in a service's name and little more."""
    if _service(word):
        return True
    is_key = compiled(_WORDS).search(word) is not None and not compiled(_PUBLIC).search(word)
    return is_key and bool(announces(word.replace(" ", "_")))


@cache
def _services() -> re.Pattern[str]:
    return re.compile("|".join([*sorted(set(_NAMES.split()), key=len, reverse=True), r"(?<![a-z])lob(?![a-z])"]))


@lru_cache(4096)
def _service(word: str) -> bool:
    ends = [found.end() for found in _services().finditer(word)]
    return bool(ends) and len(word) - ends[-1] <= _TAIL_CHARS


def _is_key(name: str, value: str) -> bool:
    if is_dummy_value(value) or is_place(value):
        return False
    if is_uuid(value):
        return _service(name)
    if value.isdigit():
        return 14 <= len(value) <= 20 and compiled(_NUMBERED).search(name) is not None
    if is_hex(value) and not _service(name) and not compiled(_SURE).search(name):
        return False
    return "/" not in value[:3] and looks_drawn(value, 12)
