"""Marks of secrets as plain strings: how tokens begin, and parts of names that announce a secret.

The redactor, the judge of what every prompt may hold, and the cold path of a hook read them here. It imports nothing.
"""

AWS_KEYS = ("AKIA", "ASIA")
GITHUB = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
GITHUB_FINE_GRAINED = ("github_pat_",)
GITLAB_PERSONAL = ("glpat-",)
GOOGLE_API = ("AIza",)
OPENAI = ("sk-",)
SLACK = ("xoxb-", "xoxa-", "xoxp-", "xoxo-", "xoxr-", "xoxs-", "xoxc-", "xoxd-")
WELL_KNOWN = (*AWS_KEYS, *GITHUB, *GITHUB_FINE_GRAINED, *GITLAB_PERSONAL, *GOOGLE_API, *OPENAI, *SLACK)
"""Beginnings that are enough to take what follows for a key, whatever its length or check digits."""

NAME_PARTS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "sess")
"""A name that announces a secret holds one of these, in small letters."""
