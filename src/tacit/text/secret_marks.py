"""Marks of secrets as plain strings: prefixes of tokens, and parts of names that announce a secret.

The redactor, the check before injecting into prompts, and the cold path of a hook use these marks. This module imports
nothing, so that the cold path loads quickly.
"""

AWS_KEYS = ("AKIA", "ASIA")
GITHUB = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
GITHUB_FINE_GRAINED = ("github_pat_",)
GITLAB_PERSONAL = ("glpat-",)
GOOGLE_API = ("AIza",)
OPENAI = ("sk-",)
SLACK_COOKIE = ("xoxd-",)
SLACK = ("xoxb-", "xoxa-", "xoxp-", "xoxo-", "xoxr-", "xoxs-", "xoxc-", *SLACK_COOKIE)
WELL_KNOWN = (*AWS_KEYS, *GITHUB, *GITHUB_FINE_GRAINED, *GITLAB_PERSONAL, *GOOGLE_API, *OPENAI, *SLACK)
"""Prefixes that are enough to treat what follows as a key, whatever its length or check digits."""

NAME_PARTS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "sess")
"""A name that announces a secret contains one of these, in lower case."""
