"""The ladder: denied is what is lost for good; asked about is what is outward or disruptive, and mendable."""

import pytest

from tacit.guard.judge import judge

ASKED = [
    "npm publish", "twine upload dist/*", "cargo yank --version 1.0.0 x", "npx semantic-release", "kubectl drain node1",
    "kubectl cordon node1", "kubectl rollout undo deploy/x", "flux suspend kustomization x", "nomad job stop x",
    "aws rds stop-db-instance --db-instance-identifier x", "aws ec2 reboot-instances --instance-ids i-1", "reboot",
    "systemctl hibernate", "nginx -s stop", "pg_ctl stop", "terraform apply -auto-approve", "terraform taint x.y",
    "heroku ps:scale web=0", "history -c", "jj abandon", "java -jar jenkins-cli.jar -s u restart",
]  # fmt: skip
DENIED = [
    "kubectl delete namespace prod", "kubectl replace --force -f x.yaml", "terraform destroy",
    "terraform apply -destroy",
    "aws ec2 terminate-instances --instance-ids i-1", "mysqladmin drop mydb", "restic forget --prune",
    "jj op abandon x",
    "java -jar jenkins-cli.jar -s u delete-job x", "eksctl delete cluster x",
]  # fmt: skip


@pytest.mark.parametrize("command", ASKED)
def test_what_can_be_mended_is_asked_about(command):
    assert "ask" == judge(command).verdict


@pytest.mark.parametrize("command", DENIED)
def test_what_is_lost_for_good_is_denied(command):
    assert "deny" == judge(command).verdict


def test_making_a_snapshot_is_no_deletion():
    assert "allow" == judge("snapper --config root create --description x").verdict


@pytest.mark.parametrize("command", [
    "rm -f .git/index.lock", "git config --get core.hooksPath", "git config core.hooksPath",
    "git config --show-origin --get-all core.hooksPath",
])  # fmt: skip
def test_reading_a_setting_and_removing_a_stale_lock_are_harmless(command):
    """L9."""
    assert "allow" == judge(command).verdict


@pytest.mark.parametrize("command", [
    "git config core.hooksPath /dev/null", "git config --unset core.hooksPath", "git config set core.hooksPath x",
])  # fmt: skip
def test_changing_where_hooks_are_is_asked_about(command):
    assert "ask" == judge(command).verdict
