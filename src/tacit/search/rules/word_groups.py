"""What developers call the same thing: a group per line, words and phrases between commas.

Whoever asks for one finds the others. What stands after a `>` is found, and does not ask: `application > app` finds an
app where an application is asked for, and nothing more for `app`. Only what engineers really say for one another; no
thesaurus of English.

Left out is what mostly means something else, or stands in every path and listing, and would find anything: `set`,
`dev`, `lib`, `docs`, `js`, `int`, the bare number of a status. Inflected forms need no mention, but for phrases that
end in `in`, `out` or `up` (`times out` is a timeout, `logs in` a place) and abbreviations of two letters. `back-up` is
only what is spelt with a hyphen.
"""

from __future__ import annotations

GROUPS = """
venv, virtualenv, virtual environment, virtual env
environment variable, env var, env variable, envvar
config, configuration > conf
settings, preferences
dependency, deps
lockfile, lock file
repository, repo
codebase, code base
pull request, pr, prs, merge request
ci, continuous integration > github actions
deploy, deployment, rollout, roll out, rolled out, rolling out
rollback, roll back
changelog, release notes
specification > spec
proof of concept, poc
quality assurance, qa
typo, misspelling, spelling mistake
flaky, intermittent, nondeterministic
refactor, restructure
deduplicate, dedupe, dedup
feature flag, feature toggle

certificate, cert, x509
tls, ssl
login, log in, logged in, logging in, sign in, signed in, signing in
authentication, authenticate, auth
logout, log out, logged out, logging out, sign out, signed out
signup, sign up, signed up
password, passphrase, passwd
credentials, creds
api key, api token
authorization, authorisation, authz, access control, rbac
two factor, 2fa, mfa, multi factor
single sign on, sso
oauth, oauth2
json web token, jwt
vulnerability, vuln, cve, security hole
cross origin, cors
cross site scripting, xss
cross site request forgery, csrf
unauthorized, unauthorised
permission denied, access denied, eacces
rate limit, too many requests

directory, folder, dir
file system, filesystem
symlink, symbolic link, soft link
delete, remove
backup, back-up, backed up, backing up
back up > backup, backed up, backing up
executable, exe
command line, cli
shell script, bash script
stdout, standard output
stderr, standard error
stdin, standard input
exit code, exit status, return code
newline, line break
regex, regexp, regular expression
cron, crontab, scheduled job, scheduled task
startup, start-up
synchronize, synchronise, sync
asynchronous, async
initialize, initialise, initialization, initialisation, init
keyboard shortcut, keybinding, key binding, keymap, hotkey
plugin, plug-in, addon, add-on

segfault, segmentation fault, sigsegv, core dump
crash > segfault, segmentation fault, sigsegv, core dump
stack trace, stacktrace, traceback, backtrace
null pointer, npe, null reference
out of memory, oom, oomkilled
race condition, data race
hang, hung, unresponsive
timeout, time-out, times out, timed out, timing out
time out > timeout, times out, timed out
garbage collection, garbage collector, gc
gpu, graphics card
localhost, loopback, 127.0.0.1

kubernetes, k8s, kubectl
virtual machine, vm, vms
virtual private server, vps
content delivery network, cdn
amazon web services, aws
google cloud, gcp, gcloud
production, prod
macos, osx, os x
x86, amd64
arm64, aarch64, apple silicon
hostname, host name
subdomain, sub domain
username, user name
filename, file name
logfile, log file
dataset, data set
datatype, data type
bugfix, bug fix
workaround, work around
whitespace, white space
runtime, run time
healthcheck, health check
pubsub, pub sub
webhook, web hook
websocket, web socket
remote procedure call, rpc
protobuf, protocol buffers

database, db, dbs
postgres, postgresql, psql
mongodb, mongo
sqlite, sqlite3
connection string, database url, db url, dsn
primary key, pk
foreign key, fk
column > col

graphql, gql
stylesheet, css
frontend, front end
backend, back end
server side rendering, ssr
hot reload, hmr, live reload, hot module replacement
user interface, ui
user experience, ux
dropdown, drop-down, select box, combo box, combobox
popup, pop-up, modal
navbar, nav bar, navigation bar
sidebar, side bar
homepage, home page
tooltip, tool tip
checkbox, check box
autocomplete, auto complete
chatbot, chat bot
dark mode, dark theme
screenshot, screen capture
accessibility, a11y
internationalization, internationalisation, i18n
localization, localisation, l10n

lint, linter
type check, typecheck
end to end, e2e
parameter, param
argument, arg > parameter, param
boolean, bool
maximum > max
average, avg
time zone, timezone, tz
endpoint, api route
application > app
administrator, admin
language model, llm
optimize, optimise, optimization, optimisation
color, colour
behavior, behaviour
license, licence
"""
