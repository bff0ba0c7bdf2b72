"""What developers call the same thing: a group per line, words and phrases between commas.

Only what engineers really say for one another, in both directions; no thesaurus of English. Inflected forms need no
mention. A word that mostly means something else (`set`, `dev`, `run`) is left out: it would find anything.
"""

from __future__ import annotations

GROUPS = """
venv, virtualenv, virtual environment, virtual env
environment variable, env var, env variable, envvar
config, configuration, conf, settings, preferences
dependency, deps
library, lib
lockfile, lock file
repository, repo
codebase, code base
pull request, pr, merge request, mr
ci, continuous integration, pipeline, github actions
deploy, rollout, roll out
revert, roll back, rollback
upgrade, bump
release, publish
changelog, release notes
documentation, docs, doc
markdown, md
specification, spec
proof of concept, poc
quality assurance, qa
typo, misspelling, spelling mistake
flaky, intermittent, nondeterministic
refactor, restructure
deduplicate, dedupe
feature flag, feature toggle

certificate, cert, tls, ssl, x509
login, log in, logged in, logging in, sign in, auth, authentication, authenticate
logout, log out, logged out, sign out
sign up, signup, registration
password, passphrase, passwd
credentials, creds, secrets
api key, api token
authorization, authz, access control, rbac
two factor, 2fa, mfa, multi factor
single sign on, sso
oauth, oauth2
json web token, jwt
vulnerability, vuln, cve, security hole
cross origin, cors
cross site scripting, xss
cross site request forgery, csrf
unauthorized, unauthorised, 401
forbidden, 403
permission denied, access denied, eacces
rate limit, throttle, too many requests, 429
bad gateway, 502
service unavailable, 503

directory, folder, dir
file system, filesystem
symlink, symbolic link, soft link
temporary, temp, tmp
delete, remove
backup, back up
executable, binary, exe
command line, cli
shell script, bash script
stdout, standard output
stderr, standard error
stdin, standard input
exit code, exit status, return code
newline, line break
regex, regexp, regular expression
cron, crontab, scheduled job, scheduled task
startup, start up, boot
synchronize, synchronise, sync
asynchronous, async
initialize, initialise, initialization, init
keyboard shortcut, keybinding, key binding, keymap, hotkey
plugin, plug in, extension, addon

crash, segfault, segmentation fault, sigsegv, core dump
stack trace, stacktrace, traceback, backtrace
null pointer, npe, null reference
out of memory, oom, oomkilled
race condition, data race
hang, freeze, unresponsive
timeout, time out
performance, perf
garbage collection, garbage collector, gc
memory, ram
cpu, processor
gpu, graphics card
localhost, loopback, 127.0.0.1

kubernetes, k8s, kubectl
virtual machine, vm
virtual private server, vps
load balancer, lb
content delivery network, cdn
amazon web services, aws
google cloud, gcp, gcloud
production, prod
macos, osx, os x, mac
x86, amd64, intel
arm64, aarch64, apple silicon
hostname, host name
username, user name
pubsub, pub sub
webhook, web hook
websocket, web socket, ws
remote procedure call, rpc
protobuf, protocol buffers

database, db
postgres, postgresql, psql, pg
mongodb, mongo
sqlite, sqlite3
connection string, database url, db url, dsn
primary key, pk
foreign key, fk
column, col

javascript, js
typescript, ts
graphql, gql
stylesheet, css
frontend, front end, client side
backend, back end, server side
server side rendering, ssr
hot reload, hmr, live reload, hot module replacement
user interface, ui
user experience, ux
dropdown, drop down, select box, combo box, combobox
popup, pop up, modal, dialog
navbar, nav bar, navigation bar
sidebar, side bar
homepage, home page
dark mode, dark theme
screenshot, screen capture
accessibility, a11y
internationalization, i18n
localization, localisation, l10n

lint, linter
type check, typecheck
end to end, e2e
function, func
parameter, argument, param, arg
boolean, bool
integer, int
maximum, max
minimum, min
average, avg
time zone, timezone, tz
endpoint, api route
application, app
administrator, admin
machine learning, ml
language model, llm
optimize, optimise, optimization
color, colour
behavior, behaviour
license, licence
"""
