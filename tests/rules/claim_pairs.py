"""A hundred pairs about roles, about what is no longer used, and in other words, with the verdict of a careful reader.

They were written before the rules that they measure (`role_claims`, `use_claims`, `other_words`). Judged before any
change for it, the set gave 21 of 26 contradictions with 2 false alarms, both of older rules, and 6 of 16 in other words
with none. `similar` means that the second says nearly what the first says, so that a person may want only one of them;
nothing is merged for that.
"""

Pair = tuple[str, str]

ROLES_AGAINST: tuple[Pair, ...] = (
    ("Alice owns billing", "Bob owns billing now"),
    ("Priya leads the platform team", "Since May the platform team is led by Tomas"),
    ("The owner of the search index is Priya", "Tomas owns the search index"),
    ("Checkout is maintained by the web team", "The payments team maintains checkout now"),
    ("Dana is the tech lead of the mobile app", "The tech lead of the mobile app is Erik"),
    ("Infra is responsible for DNS", "The network team is responsible for DNS"),
    ("The invoicing service belongs to team Falcon", "The invoicing service belongs to team Heron"),
    ("Mia is in charge of releases", "Jon is in charge of releases now"),
    ("Billing owner: Alice", "The billing owner is Bob"),
    ("Ravi manages the vendor contract", "Lena took over the vendor contract"),
    ("Sam is the maintainer of parser.py", "Kim is the maintainer of parser.py"),
    ("The on-call contact for payments is Olga", "The on-call contact for payments is Petr"),
)

ROLES_APART: tuple[Pair, ...] = (
    ("Alice owns billing", "Alice owns search"),
    ("Alice owns billing", "Bob owns the billing dashboards"),
    ("Alice owns billing", "Bob maintains billing"),
    ("Alice owns billing", "Alice Smith owns billing"),
    ("Alice owns billing", "Bob also owns billing"),
    ("Alice and Bob own billing", "Alice owns billing"),
    ("Alice used to own billing", "Bob owns billing"),
    ("The billing service was owned by Alice", "Bob owns the billing service"),
    ("Alice owns billing in Europe", "Bob owns billing in Asia"),
    ("Alice leads the platform team", "Alice leads the review on Mondays"),
    ("Mia is in charge of releases", "Jon is in charge of hotfixes"),
    ("Nobody owns the cron jobs", "Alice owns the deploy jobs"),
    ("Bob owns billing if Alice is away", "Alice owns billing"),
    ("Team Falcon owns invoicing", "The invoicing database belongs to team Heron"),
)

ENDED_AGAINST: tuple[Pair, ...] = (
    ("We deploy with Jenkins", "We no longer use Jenkins"),
    ("We use Kafka for events", "We stopped using Kafka"),
    ("Sessions are stored in Redis", "Redis is no longer used"),
    ("CI runs on CircleCI", "We dropped CircleCI"),
    ("The frontend is built with Webpack", "We moved from Webpack to Vite"),
    ("Logs are sent to Datadog", "Datadog was replaced by Grafana"),
    ("The team tracks work in Jira", "We don't use Jira anymore"),
    ("Secrets live in Vault", "Vault has been retired"),
    ("The API is hosted on Heroku", "We migrated away from Heroku"),
    ("Emails go through SendGrid", "We got rid of SendGrid"),
    ("Feature flags are managed with LaunchDarkly", "LaunchDarkly is gone"),
    ("We use poetry to manage dependencies", "We replaced poetry with uv"),
    ("The worker uses Celery", "The worker no longer uses Celery"),
    ("Images are published to Docker Hub", "We stopped publishing to Docker Hub"),
)

ENDED_APART: tuple[Pair, ...] = (
    ("We deploy with Jenkins", "We no longer use CircleCI"),
    ("We no longer use Jenkins", "We stopped using Jenkins"),
    ("We no longer use Jenkins", "We used Jenkins until 2024"),
    ("We no longer use Jenkins for the docs", "We deploy the backend with Jenkins"),
    ("The docs team no longer uses Slack", "The platform team uses Slack"),
    ("We stopped using Python 3.9", "We use Python 3.12"),
    ("We moved from Webpack to Vite", "The frontend is built with Vite"),
    ("We replaced poetry with uv", "We use uv to manage dependencies"),
    ("Datadog was replaced by Grafana", "Dashboards are in Grafana"),
    ("We no longer deploy on Fridays", "We deploy with Argo CD"),
    ("The old cluster was retired", "The new cluster runs Kubernetes 1.31"),
    ("We dropped support for IE11", "The support rota is in PagerDuty"),
    ("Vault has been retired", "Never store secrets in Vault"),
    ("We stopped the nightly job", "The hourly job writes to S3"),
    ("Redis is no longer used for sessions", "Redis is used for rate limits"),
    ("We no longer use feature branches", "The feature store uses Parquet"),
)

IN_OTHER_WORDS: tuple[Pair, ...] = (
    ("The staging API listens on port 8443", "The staging API is listening on port 8443"),
    ("The staging API listens on 8443", "The staging API uses port 8443"),
    ("Port 8443 is used by the staging API", "The staging API uses port 8443"),
    ("Logs are stored in S3", "Logs live in S3"),
    ("The project requires Python 3.11", "The project needs Python 3.11"),
    ("The config is in etc/app.toml", "The configuration lives in etc/app.toml"),
    ("The database runs on db1.internal", "The DB runs on db1.internal"),
    ("Deploys are started by make ship", "make ship starts deploys"),
    ("The cache is Redis", "We use Redis as the cache"),
    ("The prod cluster is called blue-otter", "The production cluster is named blue-otter"),
    ("Tests are executed with pytest -n 2", "We run tests with pytest -n 2"),
    ("The docs are kept in docs/", "Documentation lives in docs/"),
    ("The upload limit is 10 MB", "The maximum upload is 10 MB"),
    ("Remove the lock file before a rebuild", "Delete the lock file before rebuilding"),
    ("The repo uses trunk-based development", "The repository uses trunk-based development"),
    ("Invoices are sent by the billing worker", "The billing worker sends invoices"),
)

NOT_THE_SAME: tuple[Pair, ...] = (
    ("The staging API listens on 8443", "The staging API listens on 8443 and 9090"),
    ("Lint runs before tests", "Tests run before lint"),
    ("The worker reads from Redis", "The worker writes to Redis"),
    ("Backups run daily at night", "Restores run daily at night"),
    ("The API calls the worker", "The worker calls the API"),
    ("Logs are stored in S3", "Backups are stored in S3"),
    ("The cache is Redis", "The queue is Redis"),
    ("Use tabs in Go files", "Use tabs in YAML files"),
    ("The project needs Python 3.11", "The project needs Node 20"),
    ("Alice reviews the API", "Alice wrote the API"),
    ("The test database is slow", "The test database is small"),
    ("Retries are enabled", "Retries should be enabled in tests"),
    ("The worker sends invoices", "The worker receives invoices"),
    ("The limit is 10 MB per file", "The limit is 10 MB per request"),
    ("Deploys need two reviews", "Two deploys need reviews"),
    ("Billing talks to search", "Search talks to billing"),
    ("Migrations run at startup", "Migrations run at shutdown"),
    ("The log level is info", "The log format is info"),
    ("Builds take 5 minutes", "Tests take 5 minutes"),
    ("The CLI is in cmd/", "The server is in cmd/"),
    ("The docs are built with mkdocs", "The docs are searched with mkdocs"),
    ("The nightly build runs on main", "The nightly build fails on main"),
    ("Frontend tests use Vitest", "Backend tests use Vitest"),
    ("The port is set in config.toml", "The host is set in config.toml"),
    ("Prefer early returns", "Prefer early returns in handlers only"),
    ("The index is rebuilt by maintain", "The index is checked by maintain"),
    ("The gateway trusts the proxy", "The proxy trusts the gateway"),
    ("Release notes are written by Mia", "Release notes are read by Mia"),
)

PAIRS: tuple[tuple[str, str, str], ...] = tuple(
    (meant, *pair)
    for meant, pairs in (
        ("contradiction", (*ROLES_AGAINST, *ENDED_AGAINST)),
        ("similar", IN_OTHER_WORDS),
        ("distinct", (*ROLES_APART, *ENDED_APART, *NOT_THE_SAME)),
    )
    for pair in pairs
)
