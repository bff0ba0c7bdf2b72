"""A recap tells how the last checks ended: a lint, a type check and a build as well as the tests."""

import pytest

from .test_recap import ran, told

LINT_FAILED = (
    "/w/src/Till.astro\n  47:15  error  Parsing error: Unexpected token {\n\n✖ 1 problem (1 error, 0 warnings)"
)
BUILD_FAILED = "ERROR: src/cache.json not found. Run: npm run fetch\n  Stack trace:\n"
TESTED = " Test Files  7 passed (7)\n      Tests  121 passed (121)"
RED = "till.test.ts:9 error TS2304: Cannot find name 'x'."


def checked(*turns):
    return [one for one in told(*turns).failed if one.startswith("Checked")]


def test_a_lint_and_a_build_that_failed_are_told_beside_the_tests():
    """A newcomer's trial: "121 passed" was all that was told where lint and build stayed red."""
    found = checked(
        ran("npm run lint 2>&1", False, LINT_FAILED), ran("npm run build 2>&1 | head -15", True, BUILD_FAILED, None),
        ran("npm run test 2>&1", True, TESTED, None),
    )  # fmt: skip

    told_as = (
        "Checked: `npm run lint` failed (/w/src/Till.astro:47:15 error Parsing error: Unexpected token {); "
        "`npm run build` showed an error (ERROR: src/cache.json not found. Run: npm run fetch); "
        "`npm run test`: 121 passed"
    )

    assert [told_as] == found


def test_an_error_of_another_command_of_the_line_is_not_that_of_a_check():
    assert [] == checked(ran("npm run build 2>&1 | head; cat log", True, BUILD_FAILED, None))


def test_the_test_that_failed_first_is_told():
    """A newcomer's trial: the one failed test of a session was not told."""
    failed = " ❯ till.test.ts (19 tests | 1 failed) 17ms\n FAIL  till.test.ts > price > NaN\nAssertionError: expected 1"
    found = told(ran("npm run test", False, failed), ran("npm run test", True, TESTED, None)).failed

    assert (
        "`npm run test` failed (NaN: AssertionError: expected 1), and worked in the end",
        "Checked: `npm run test`: 121 passed",
    ) == found


@pytest.mark.parametrize("later", [
    "pnpm check", "pnpm run ci", "make check", "npm run validate", "npx eslint .", "npx oxlint", "npm run check | tail",
])  # fmt: skip
def test_what_was_perhaps_looked_at_again_is_not_said_to_have_failed_last(later):
    """Judged: "`pnpm run lint` failed, not run again" was told where `pnpm check` ran it again."""
    commit = ran("git commit -m 'Add the till'")
    red = ran("pnpm run lint", False, RED)

    assert "not run again" in checked(red, commit)[0]
    assert not any("pnpm run lint" in one for one in checked(red, commit, ran(later, code=None)))


@pytest.mark.parametrize(("red", "later", "covered"), [
    ("pytest tests/a.py -x", "pytest", True), ("pytest tests/a.py", "python -m pytest tests/", True),
    ("pytest tests/a.py", "pytest tests/b.py", False), ("go test -run Till ./shop/", "go test ./...", True),
    ("go test ./shop", "go test ./till", False), ("npm run lint", "npm run build", False),
])  # fmt: skip
def test_a_narrower_or_another_check_says_nothing_of_one_that_failed(red, later, covered):
    found = checked(ran(red, False, RED), ran("git commit -m 'Add the till'"), ran(later))[0]

    assert covered == (f"`{red}` failed" not in found)


RED_TILL = "test result: FAILED. 7 passed; 2 failed; 0 ignored\n"
NO_TEST = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 9 filtered out\n"


@pytest.mark.parametrize(("command", "output", "ok"), [
    ("cargo test till::round", NO_TEST * 3, True),
    ("go test -run Till ./...", "ok  \tw/a\t0.1s [no tests to run]\n", True),
    ("pytest -k till", "collected 9 items / 9 deselected\n=== 9 deselected in 0.1s ===\n", False),
    ("npx vitest run till", "No test files found, exiting with code 1\n", False),
])  # fmt: skip
def test_a_run_in_which_no_test_ran_is_no_check(command, output, ok):
    """A blind judge: a filter that matched nothing "passed", and hid that the whole run before it had failed."""
    red = ran("cargo test", False, RED_TILL)

    assert ["Checked: `cargo test`: 7 passed, 2 failed"] == checked(red, ran(command, ok, output))
    assert [] == checked(ran(command, ok, output))


def test_where_one_package_of_several_has_tests_the_run_counts():
    assert ["Checked: `cargo test till` passed"] == checked(
        ran("cargo test till", True, f"test result: ok. 3 passed; 0 failed; 0 ignored\n{NO_TEST}")
    )
    assert ["Checked: `go test ./...` passed"] == checked(
        ran("go test ./...", True, "?   \tw/a\t[no test files]\nok  \tw/b\t0.1s\n")
    )


def test_where_nothing_else_is_known_more_tests_are_told():
    """A blind judge: of three files that were tested one was told, the least typical."""
    ran_all = [ran(f"npm test -- tests/{name}.test.ts", output=f"      Tests  {n} passed ({n})")
               for n, name in enumerate(("till", "drawer", "shop"), 2)]  # fmt: skip
    told_as = "; ".join(f"`npm test -- tests/{name}.test.ts`: {n} passed"
                        for n, name in enumerate(("till", "drawer", "shop"), 2))  # fmt: skip
    commit = ran("git commit -m 'feat: a till'", output="[main 1234567] feat: a till\n 1 file changed\n")

    assert [f"Checked: {told_as}"] == checked(*ran_all)
    assert ["Checked: `npm test -- tests/shop.test.ts`: 4 passed"] == checked(*ran_all, commit)


@pytest.mark.parametrize(("command", "is_check"), [
    ("bun apps/cli.ts results validate out", False), ("python manage.py test till", True),
    ("python check_docs.py", True),
    ("bun run test till.test.ts", True), ("node tools/run.js build", False),
])  # fmt: skip
def test_what_a_script_is_told_is_no_check(command, is_check):
    """A blind judge: a program's own `results validate` stood in the place of the tests."""
    assert is_check is bool(checked(ran(command)))


def test_the_tests_of_bun_are_counted():
    assert ["Checked: `bun test`: 15 passed"] == checked(
        ran("bun test", output=" 15 pass\n 0 fail\n 47 expect() calls")
    )
    assert ["Checked: `bun test`: 3 passed, 1 failed"] == checked(ran("bun test", False, " 3 pass\n 1 fail\n"))


@pytest.mark.parametrize("command", ["npx mocha", "bats tests", "npx cypress run", "pre-commit run -a", "yamllint ."])
def test_every_program_that_is_known_to_check_is_one(command):
    """A review: what the learner knows as tests and linters was "run" in a recap; there were two lists."""
    assert [f"Checked: `{command}` failed (error: no)"] == checked(ran(command, False, "error: no"))
