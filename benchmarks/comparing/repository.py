"""Find revisions of a git repository and check them out for a while."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from unseen.utils.errors import InputError

# How the temporary folders of checkouts begin, so that forgotten ones are recognised.
PREFIX = "unseen-compare-"


@dataclass(frozen=True)
class Repository:
    """The git repository whose working tree is this folder."""

    root: Path

    def find(self, revision: str) -> str:
        """Return the short name of a commit, or refuse what is not a revision."""
        self._check()
        found = self._run("rev-parse", "--short", "--verify", "--quiet", f"{revision}^{{commit}}")
        if found.returncode:
            raise InputError(
                f"base={revision!r} is not a revision of {self.root}: give a commit, a branch or a tag of it, "
                "such as HEAD or main~3"
            )
        return found.stdout.strip()

    def require(self, file: str, commit: str) -> None:
        """Refuse a commit without a file, and say which commits have it."""
        if self._run("cat-file", "-e", f"{commit}:{file}").returncode == 0:
            return
        added = self._run("log", "--diff-filter=A", "--format=%h", "--", file).stdout.split()
        since = f"commit {added[-1]}" if added else "the commit"
        raise InputError(
            f"base={commit} cannot be compared, because its benchmarks do not write what they measure for programs "
            f"yet: choose a revision from {since} on, which added {file}"
        )

    @contextmanager
    def check_out(self, commit: str) -> Iterator[Path]:
        """Check a commit out into a temporary folder, which is removed whatever happens."""
        with TemporaryDirectory(prefix=PREFIX) as folder:
            tree = Path(folder).resolve() / "base"
            try:
                # Hooks of the repository are for people's own working trees.
                done = self._run("-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", str(tree), commit)
                if done.returncode:
                    raise InputError(f"git could not check out base={commit} into {tree}: {done.stderr.strip()}")
                yield tree
            finally:
                # Twice, because an interrupted git leaves it locked.
                self._run("worktree", "remove", "--force", "--force", str(tree))

    def list_checkouts(self) -> list[Path]:
        """List the temporary checkouts that are there: of comparisons that are running, or that were killed."""
        lines = self._run("worktree", "list", "--porcelain").stdout.splitlines()
        trees = [Path(line.partition(" ")[2]) for line in lines if line.startswith("worktree ")]
        return [tree for tree in trees if tree.parent.name.startswith(PREFIX)]

    def _check(self) -> None:
        found = self._run("rev-parse", "--show-toplevel")
        if found.returncode or Path(found.stdout.strip()).resolve() != self.root.resolve():
            said = f" ({found.stderr.strip().splitlines()[0]})" if found.stderr.strip() else ""
            raise InputError(
                f"{self.root} is not a git repository{said}, so there is nothing to compare with: clone the repository"
            )

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                ["git", "-C", str(self.root), *arguments], capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            raise InputError("git is not installed, and other revisions come from it: install git") from None
