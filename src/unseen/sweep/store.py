"""Where a sweep keeps what is solved, and what it was asked to do: one file in its folder."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from unseen.sweep.results import Outcome
from unseen.utils.database import Database
from unseen.utils.errors import InputError


class SweepStore(Database):
    """Outcomes of solved problems, each committed as soon as it is there.

    Parameters
    ----------
    path : Path
        The file; made if it is not there.
    """

    APPLICATION_ID: ClassVar[int] = 0x756E7377  # "unsw" in ASCII
    SCHEMA_VERSION: ClassVar[int] = 1
    NAME: ClassVar[str] = "store"
    SCHEMA: ClassVar[str] = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE outcomes (
    problem INTEGER NOT NULL, way TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (problem, way)
)
"""

    def claim(self, facts: dict[str, Any]) -> None:
        """Write down what this sweep is of, or refuse a folder that is of something else."""
        new = {name: json.dumps(value) for name, value in facts.items()}
        old = dict(self._query("SELECT name, value FROM facts"))
        for name, value in new.items():
            if old and old.get(name) != value:
                raise InputError(
                    f"out={self.path.parent} holds a sweep with another {name} ({old.get(name)}, now {value}): "
                    "nothing was changed; give another folder, or the same settings to go on"
                )
        for name, value in new.items():
            self._write("INSERT OR IGNORE INTO facts VALUES (?, ?)", name, value)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep outcomes, all of them or none."""
        rows = [(outcome.problem, outcome.way, json.dumps(outcome.to_dict())) for outcome in outcomes]
        with self._explain_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("INSERT OR IGNORE INTO outcomes VALUES (?, ?, ?)", rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite rolls back by itself where the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    def solved(self) -> set[int]:
        """Return the problems that are solved both ways."""
        return {
            number for (number,) in self._query("SELECT problem FROM outcomes GROUP BY problem HAVING COUNT(*) = 2")
        }

    def outcomes(self) -> list[Outcome]:
        """Return everything that is stored."""
        rows = self._query("SELECT record FROM outcomes ORDER BY problem, way")
        return [Outcome.from_dict(json.loads(record)) for (record,) in rows]
