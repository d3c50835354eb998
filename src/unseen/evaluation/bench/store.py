"""Where finished trials are kept: one SQLite file that a killed run leaves whole.

Every trial is committed by itself as soon as it is done. Its key (see `key_of` of the runner) holds what the outcome
depends on, so that a changed experiment, other data or another version of the package never meets old trials.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from unseen.errors import InputError
from unseen.evaluation.trial import Trial

# "unsn" in ASCII: SQLite keeps it in the file's header, so that another program's database is not taken for ours.
APPLICATION_ID = 0x756E736E
SCHEMA_VERSION = 1

SCHEMA = """
CREATE TABLE trials (
    key TEXT NOT NULL,
    trial INTEGER NOT NULL,
    experiment TEXT NOT NULL,
    version TEXT NOT NULL,
    finished TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (key, trial)
);
CREATE TABLE selections (
    key TEXT PRIMARY KEY,
    experiment TEXT NOT NULL,
    version TEXT NOT NULL,
    finished TEXT NOT NULL,
    parameters TEXT NOT NULL
);
"""


class TrialStore:
    """Finished trials by key and number, in a file.

    Parameters
    ----------
    path : Path
        Made if it is not there. A file that is no such store is refused and left as it is.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, TrialStore(Path(folder) / "trials.sqlite") as store:
    ...     store.trials("some key")
    {}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explained():
            # Each statement is a transaction of its own; two runs on one store wait for each other's commits.
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()

    def trials(self, key: str) -> dict[int, Trial]:
        """Return the finished trials of a key by number, in order."""
        rows = self._rows("SELECT trial, record FROM trials WHERE key = ? ORDER BY trial", key)
        return {number: Trial.from_dict(json.loads(record)) for number, record in rows}

    def finished(self, key: str) -> set[int]:
        """Return the numbers of the finished trials of a key."""
        return {number for (number,) in self._rows("SELECT trial FROM trials WHERE key = ?", key)}

    def add_trial(self, key: str, number: int, trial: Trial, *, experiment: str, version: str) -> None:
        """Keep a finished trial; one that is there already stays."""
        record = json.dumps(trial.to_dict())
        self._write(
            "INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, ?, ?)", key, number, experiment, version, _now(), record
        )

    def selection(self, key: str) -> dict[str, Any] | None:
        """Return the parameters that were selected once for all trials of a key, None if that is still to do."""
        rows = self._rows("SELECT parameters FROM selections WHERE key = ?", key)
        return json.loads(rows[0][0]) if rows else None

    def add_selection(self, key: str, parameters: dict[str, Any], *, experiment: str, version: str) -> None:
        """Keep the parameters that were selected for all trials of a key."""
        values = (key, experiment, version, _now(), json.dumps(parameters))
        self._write("INSERT OR IGNORE INTO selections VALUES (?, ?, ?, ?, ?)", *values)

    def others(self, experiment: str, key: str) -> int:
        """Count the trials of an experiment under other keys: of other data, settings or versions of the package."""
        rows = self._rows("SELECT COUNT(*) FROM trials WHERE experiment = ? AND key <> ?", experiment, key)
        return int(rows[0][0])

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._explained():
            return self._connection.execute(statement, values).fetchall()

    def _write(self, statement: str, *values: Any) -> None:
        with self._explained():
            self._connection.execute(statement, values)

    def _open(self) -> None:
        # Two runs may make the same store at the same time: the second waits here and finds it made.
        self._connection.execute("BEGIN IMMEDIATE")
        if not self._connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]:
            for statement in SCHEMA.split(";"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        application, version = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application != APPLICATION_ID:
            raise InputError(f"store={self.path} is the database of another program: give another file")
        if version != SCHEMA_VERSION:
            raise InputError(
                f"store={self.path} was written by another version of unseen (layout {version}, this one has "
                f"{SCHEMA_VERSION}): give another file"
            )
        self._connection.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what SQLite says into a sentence about the store."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"store={self.path} cannot be used ({error}): check the path or give another file"
            ) from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
