"""Whatever fails while a command writes, it says so in a sentence, and the next run completes its work."""

import errno
from pathlib import Path
from typing import Any

import pytest
from commands import ran, run
from file_faults import ERRORS, choose_operations, failing
from small_disk import small_disk
from written_results import Command, make_bench, make_fit, make_sweep, read_files


@pytest.fixture(params=[make_fit, make_bench, make_sweep])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> Command:
    made: Command = request.param(tmp_path)
    return made


def check_refused(result: Any, reason: str = "cannot be") -> None:
    """Check that a command ended well, or with a sentence."""
    assert result.exit_code in (0, 2), result.stderr
    if result.exit_code:
        assert reason in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr
    assert "nobody foresaw" not in result.stderr


@pytest.mark.chaos
@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
def test_any_operation_may_fail(command: Command, error: int) -> None:
    command.prepare()
    before = read_files(command.out) if command.out.exists() else {}
    with failing(command.out, None) as faults:
        result = ran(*command.arguments)
    whole, files = command.read(command.out, result.stdout), read_files(command.out)
    assert faults.count > 5
    refused = 0
    operations = choose_operations(faults.count, error)
    for at in operations:
        command.prepare()
        # Some errors pass, others stay until somebody sees to them.
        with failing(command.out, at, error, lasting=at % 2 == 0):
            result = run(*command.arguments)
        check_refused(result)
        refused += result.exit_code == 2
        if command.out.exists():
            for name, content in read_files(command.out).items():
                assert name.endswith((".draft", "-journal")) or content in (before.get(name), files.get(name)), name
        result = ran(*command.arguments)
        assert command.read(command.out, result.stdout) == whole
        assert read_files(command.out) == files
    assert refused
    print(f"{command.arguments[0]}, {errno.errorcode[error]}: {len(operations)} faults, {refused} refusals")


@pytest.mark.parametrize("size", [0, 100, 700, 2000, 5000, 9000, 15000])
def test_a_full_disk(command: Command, size: int) -> None:
    command.prepare()
    whole = command.read(command.out, ran(*command.arguments).stdout)
    command.prepare()
    with small_disk(size):
        result = run(*command.arguments)
    check_refused(result)
    assert command.read(command.out, ran(*command.arguments).stdout) == whole
