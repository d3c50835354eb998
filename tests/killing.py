"""Commands that are killed at random moments, for the tests of what survives it."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Arguments = Sequence[Any]

KILLS = int(os.environ.get("UNSEEN_KILLS", "3"))
# So many in a row, before the work begins anew.
ROW = 4

# Imports once, and runs each command in a process of its own.
PROGRAM = """
import json, os, sys
from pathlib import Path
from file_faults import killing
from typer.testing import CliRunner
import unseen.experiments, unseen.workflows
from unseen.cli import app
{prologue}
for line in sys.stdin:
    folder, at, seconds, arguments, answer = json.loads(line)
    child = os.fork()
    if not child:
        with killing(Path(folder), at, seconds) as faults:
            result = CliRunner().invoke(app, arguments)
        Path(answer).write_text(json.dumps([faults.count, result.exit_code, result.stdout, result.stderr]))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended; those that were killed have said nothing."""

    killed: bool
    operations: int = 0
    code: int = 0
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True)
class Runner:
    """Runs commands that write to a folder."""

    process: "subprocess.Popen[str]"
    answer: Path

    def run(self, arguments: Arguments, folder: Path, *, at: int | None = None, seconds: float = 0) -> Ended:
        """Run a command; kill it before an operation on files below the folder, or some time after the first."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.answer.unlink(missing_ok=True)
        request = [str(folder), at, seconds, [str(argument) for argument in arguments], str(self.answer)]
        print(json.dumps(request), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        assert code in (0, -signal.SIGKILL)
        return Ended(True) if code else Ended(False, *json.loads(self.answer.read_text()))

    def complete(self, arguments: Arguments, folder: Path) -> Ended:
        """Run a command that is left alone, to its end."""
        ended = self.run(arguments, folder)
        assert ended.code == 0, ended.stderr
        return ended

    def kill_often(
        self,
        arguments: Arguments,
        folder: Path,
        *,
        operations: int,
        seconds: float,
        prepare: Callable[[], None],
        check_killed: Callable[[], None],
        check_whole: Callable[[Ended], None],
    ) -> str:
        """Kill a command at random moments and run it to its end after some of them; return what was counted.

        Parameters
        ----------
        arguments : list
        folder : Path
        operations : int
            How many of them a run has.
        seconds : float
            How long a run takes, about, after the first operation.
        prepare : callable
            Makes the folder as it is at the beginning.
        check_killed, check_whole : callable
            Look at the folder after a kill and at the end.
        """
        choice = random.Random(os.environ.get("UNSEEN_SEED", "0"))
        killed = late = 0
        prepare()
        while killed < KILLS:
            if choice.random() < 0.5:
                ended = self.run(arguments, folder, at=choice.randint(1, operations))
            else:
                ended = self.run(arguments, folder, seconds=choice.random() * seconds)
            assert ended.code == 0, ended.stderr
            check_killed()
            killed += ended.killed
            late += not ended.killed
            if ended.killed and killed % ROW and killed < KILLS:
                continue
            check_whole(self.complete(arguments, folder))
            prepare()
        return f"{killed} kills of {arguments[0]} among {operations} operations ({late} came too late)"


@contextmanager
def start_runner(folder: Path, prologue: str = "") -> Iterator[Runner]:
    """Start a process that runs commands; the prologue is a statement that it begins with."""
    tests = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", PROGRAM.format(prologue=prologue)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Runner(process, folder / "answer.json")
        process.stdin.close()  # type: ignore[union-attr]
