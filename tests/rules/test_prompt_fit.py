"""A procedure is offered at a prompt only when the prompt asks for what it does."""

import pytest

from tacit.model.procedure import Procedure, ProcedureStep
from tacit.procedures.rules.prompt_fit import fits_prompt


def known(title, *commands, description="", triggers=()):
    steps = tuple(ProcedureStep(command=command) for command in commands)
    return title, Procedure(steps=steps, description=description, triggers=triggers)


KEYS = known("Rotate keys", "vault rotate --all", triggers=("renew the credentials",))
STAGING = known("Deploy staging", "kubectl rollout restart deploy/api", "curl -f staging.example/health")
RELEASE = known(
    "Release the package to PyPI", "python -m build", "twine upload dist/*",
    description="Build the wheel, check it and upload it to the index", triggers=("publish a new version",),
)  # fmt: skip
DATABASE = known("Reset the test database", "dropdb test", "createdb test", "alembic upgrade head")
BACKUP = known("Backup", "pg_dump app > backup.sql", description="Dump the production database to a file")
DOCS = known("Build the docs", "mkdocs build --strict", triggers=("mkdocs",))

FITTING = [
    (KEYS, "rotate the API keys please"),
    (KEYS, "We need to rotate our keys, one of them leaked"),
    (KEYS, "can you renew all the credentials of the team?"),
    (KEYS, "key rotation: rotate every key in the vault"),
    (STAGING, "deploy to staging"),
    (STAGING, "Please deploy this branch on staging and tell me when it is up"),
    (STAGING, "staging is outdated, do a deploy"),
    (STAGING, "kubectl rollout restart deploy/api"),
    (RELEASE, "release the package"),
    (RELEASE, "let's publish a new version"),
    (RELEASE, "make a release on PyPI"),
    (RELEASE, "build the wheel and upload it to the index after you check it"),
    (RELEASE, "python -m build"),
    (DATABASE, "reset the test database, it has stale rows"),
    (DATABASE, "the database for tests is broken, reset it"),
    (DATABASE, "I want a fresh test database: reset what is there"),
    (DATABASE, "reset our old test db and the database of staging"),
    (RELEASE, "put the release of this week on PyPI"),
    (BACKUP, "make a backup of the production database"),
    (BACKUP, "backup with pg_dump"),
    (DOCS, "build the docs and show me the warnings"),
    (DOCS, "why does mkdocs complain?"),
]
UNFITTING = [
    (KEYS, "write a haiku"),
    (KEYS, "sort the keys of this dictionary by length"),
    (KEYS, "the carousel should rotate faster"),
    (KEYS, "add a foreign key to the orders table"),
    (STAGING, "what is a staging area in git?"),
    (STAGING, "rename the deploy function to ship"),
    (STAGING, "write a haiku about spring"),
    (STAGING, "fix the failing unit test in the parser"),
    (RELEASE, "explain how Python imports a package"),
    (RELEASE, "release the lock when the request fails"),
    (RELEASE, "which package manager does this project use?"),
    (RELEASE, "refactor the upload form"),
    (DATABASE, "add a test for the parser"),
    (DATABASE, "reset the password of the admin user"),
    (DATABASE, "which database driver do we use?"),
    (BACKUP, "write a haiku about a backup"),
    (BACKUP, "the file upload is slow"),
    (RELEASE, "release the lock, then find out which package of ours imports it"),
    (RELEASE, "the release notes are wrong; explain what this package does"),
    (DATABASE, "reset the password form and write a slow integration test"),
    (DATABASE, "the test failed. Which port has the database?"),
    (DOCS, "fix the typo in the heading"),
    (DOCS, "the build is red on main"),
    (DOCS, "translate this sentence into French"),
]


@pytest.mark.parametrize(("procedure", "prompt"), FITTING, ids=[prompt for _procedure, prompt in FITTING])
def test_a_prompt_that_asks_for_it(procedure, prompt):
    """By its title, its description, a trigger, or the beginning of a step."""
    assert fits_prompt(*procedure, prompt)


@pytest.mark.parametrize(("procedure", "prompt"), UNFITTING, ids=[prompt for _procedure, prompt in UNFITTING])
def test_a_prompt_that_only_shares_a_word(procedure, prompt):
    """S29: one word in common is not enough, nor are some words of a title that are far apart."""
    assert not fits_prompt(*procedure, prompt)
