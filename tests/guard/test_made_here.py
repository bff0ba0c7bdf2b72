"""What a line makes and deletes again is asked about; anything else that it deletes is denied."""

import pytest

from tacit.guard.judge import judge


@pytest.mark.parametrize("command", [
    "createdb t && psql t -f x.sql; dropdb t",
    "kind create cluster --name t && kubectl get nodes; kind delete cluster --name t",
    "docker volume create v && docker run --rm -v v:/x alpine true; docker volume rm v",
    "docker run -d --name web nginx && curl localhost; docker rm -f web",
])  # fmt: skip
def test_what_was_made_here_is_asked_about(command):
    assert "ask" == judge(command).verdict


@pytest.mark.parametrize("command", [
    "createdb t; dropdb prod", "git add prod; dropdb prod", "docker volume create v; docker volume rm other",
    "eksctl create cluster t; eksctl delete cluster prod", "dropdb t; createdb t",
])  # fmt: skip
def test_anything_else_is_denied(command):
    assert "deny" == judge(command).verdict
