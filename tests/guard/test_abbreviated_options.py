"""Long options may be abbreviated: what `--recursive` does, `--r` does."""

import pytest

from tacit.guard.judge import judge


@pytest.mark.parametrize(
    "line",
    ["rm --r --f src", "rm --recurs --forc src", "rm --re /etc", "chmod --rec 777 /", "chown --recurs me /etc",
     "git push --forc", "git reset --har", "git clean --forc -d", "git branch --del --forc main",
     "truncate --si 0 prod.sqlite", "truncate --size=0 prod.sqlite", "env --split 'rm -rf ~'", "env --split='rm -rf ~'",
     "sudo --us root rm -rf ~", "nice --adj 5 rm -rf ~", "timeout --sig KILL 5 rm -rf ~", "xargs --max-a 1 rm -rf ~",
     "tar --to-c='rm -rf ~' -xf x", "tar --checkpoint-act=exec='rm -rf ~' -cf x y", "split --filt='rm -rf ~' x",
     "script --comm 'rm -rf ~'", "tar --dir / -xf x.tar", "tar -cf x.tar src --remove-f", "curl --req DELETE https://x",
     "userdel --rem ann", "rsync --del a b:"],
)  # fmt: skip
def test_an_abbreviated_option_is_the_option(line):
    """GNU programs, git and curl accept the beginning of a long option."""
    assert "deny" == judge(line).verdict


@pytest.mark.parametrize(
    "line",
    ["rm --verbose a", "git push --follow-tags", "git push --dry-run --force", "git clean --dry-run -f", "ls --r"],
)
def test_other_options_are_other_options(line):
    """An option that is no beginning of a dangerous one changes nothing, and a rehearsal stays one."""
    assert "allow" == judge(line).verdict


@pytest.mark.parametrize(
    "line",
    ["rm -r /etc", "rm -r /home/ann", "rm -R /var/lib/postgresql", "sudo rm -r /srv/data", "ssh h 'rm -r /srv'",
     "ssh h rm -r /var/lib/mysql", "docker exec db rm -r /var/lib/mysql", "kubectl exec p -- rm -r /etc"],
)  # fmt: skip
def test_a_tree_of_the_system_is_protected_without_force(line):
    """Without a terminal, rm asks nobody, so -r alone deletes as much as -rf."""
    assert "deny" == judge(line).verdict
