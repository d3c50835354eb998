"""Open an SQLite file of this package, which stays intact when the process is killed."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from unseen.utils.errors import InputError


class Database:
    """An SQLite file in which every statement is a transaction of its own.

    A subclass defines the statements that create its tables, and the numbers of its kind and its layout.

    Parameters
    ----------
    path : Path
        The file, which is created if it does not exist. A file of another kind is refused and left unchanged.
    """

    # SQLite keeps it in the file's header, so that the database of another program is not mistaken for ours.
    APPLICATION_ID: ClassVar[int]
    SCHEMA_VERSION: ClassVar[int]
    SCHEMA: ClassVar[str]
    # The name of the argument, for error messages.
    NAME: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._explain_errors():
            # Two runs on the same store wait for each other's commits.
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
        # Two runs may create the same store at the same time: the second waits here, then finds it complete.
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
        """Turn an error of SQLite into a message about the store."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"{self.NAME}={self.path} cannot be used ({error}): check the path and that the disk has room, or give "
                "another file; what is stored stays"
            ) from error


def now() -> str:
    """Return the present time in the form in which it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
