"""An SQLite file of this package: made if it is not there, refused if it is another program's, whole after a kill."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from unseen.utils.errors import InputError


class Database:
    """A file whose every statement is committed by itself.

    A subclass gives the statements that make its tables, and numbers for its kind and its layout.

    Parameters
    ----------
    path : Path
        Made if it is not there. A file that is not such a database is refused and left as it is.
    """

    # SQLite keeps it in the file's header, so that another program's database is not taken for ours.
    APPLICATION_ID: ClassVar[int]
    SCHEMA_VERSION: ClassVar[int]
    SCHEMA: ClassVar[str]
    # What messages call it.
    NAME: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explain_errors():
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

    def _query(self, statement: str, *values: Any) -> list[Any]:
        with self._explain_errors():
            return self._connection.execute(statement, values).fetchall()

    def _write(self, statement: str, *values: Any) -> None:
        with self._explain_errors():
            self._connection.execute(statement, values)

    def _open(self) -> None:
        # Two runs may make the same store at the same time: the second waits here and finds it made.
        self._connection.execute("BEGIN IMMEDIATE")
        if not self._connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]:
            for statement in self.SCHEMA.split(";"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {self.APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version = {self.SCHEMA_VERSION}")
        application, version = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application != self.APPLICATION_ID:
            raise InputError(f"{self.NAME}={self.path} is the database of another program: give another file")
        if version != self.SCHEMA_VERSION:
            raise InputError(
                f"{self.NAME}={self.path} was written by another version of unseen (layout {version}, this one has "
                f"{self.SCHEMA_VERSION}): give another file"
            )
        self._connection.execute("COMMIT")

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turn what SQLite says into a sentence about the store."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"{self.NAME}={self.path} cannot be used ({error}): check the path and that the disk has room, or give "
                "another file; what is stored stays"
            ) from error


def now() -> str:
    """Return the time as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
