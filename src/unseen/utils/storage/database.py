"""Open an SQLite file of this package, which stays intact when the process is killed.

SQLite does not notice when a disk changes what it has written, so every row carries a checksum.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from unseen.utils.errors import InputError

_T = TypeVar("_T")
Row = tuple[Any, ...]

# What SQLite says of a file whose pages contradict each other.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT)


class StoreError(InputError):
    """A store is damaged, or cannot be read or written."""


class Database:
    """A file of rows with checksums, of which whole sets are added at a time.

    A subclass gives the statements that make its tables, and numbers for its kind and its layout. The last column of
    each table has to be `checksum`.

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

    def _query(self, statement: str, *values: Any) -> list[Row]:
        with self._explain_errors():
            return self._connection.execute(statement, values).fetchall()

    def _add(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows, all of them or none; one whose key is there already stays as it is."""
        summed = [(*row, _checksum(table, row)) for row in rows]
        with self._transaction():
            for row in summed:
                marks = ", ".join("?" * len(row))
                self._connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)

    def _read(self, table: str, condition: str = "TRUE", *values: Any) -> list[Row]:
        """Return rows without their checksums, in the order of their keys; refuse damaged ones."""
        rows = self._query(f"SELECT * FROM {table} WHERE {condition} ORDER BY 1, 2", *values)
        if any(not _is_sound(table, row) for row in rows):
            raise self._damaged(f"a row of {table} has another checksum")
        return [row[:-1] for row in rows]

    def _remove_damaged(self, table: str) -> int:
        """Remove the rows that are not what was written, and return how many they were."""
        with self._transaction():
            rows = self._connection.execute(f"SELECT rowid, * FROM {table}").fetchall()
            damaged = [(number,) for number, *row in rows if not _is_sound(table, row)]
            self._connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", damaged)
        return len(damaged)

    def _decode(self, record: str, make: Callable[[Any], _T]) -> _T:
        """Return what `make` makes of a record in JSON."""
        try:
            return make(json.loads(record))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._damaged("a record cannot be read") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do all of something or nothing, while no other run writes."""
        with self._explain_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite rolls back by itself where the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    def _open(self) -> None:
        # Two runs may make the same store at the same time: the second waits here and finds it made. What a killed run
        # has begun is not there.
        with self._transaction():
            if not self.path.stat().st_size:
                for statement in self.SCHEMA.split(";"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id = {self.APPLICATION_ID}")
                self._connection.execute(f"PRAGMA user_version = {self.SCHEMA_VERSION}")
        if self._number("application_id") != self.APPLICATION_ID:
            raise InputError(f"{self.NAME}={self.path} is the database of another program: give another file")
        version = self._number("user_version")
        if version != self.SCHEMA_VERSION:
            raise InputError(
                f"{self.NAME}={self.path} was written by another version of unseen (layout {version}, this one has "
                f"{self.SCHEMA_VERSION}): give another file"
            )
        # Rows that a damaged page has lost have no checksum that could be wrong.
        found = self._connection.execute("PRAGMA integrity_check(1)").fetchall()
        if found != [("ok",)]:
            raise self._damaged(str(found[0][0]))

    def _number(self, pragma: str) -> int:
        return int(self._connection.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"{self.NAME}={self.path} is damaged ({what}): bring back a copy of it, or move it away to have computed "
            "again what it held"
        )

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turn an error of SQLite into a message about the store."""
        try:
            yield
        except UnicodeDecodeError as error:  # in what SQLite says of damaged names
            raise self._damaged("text that is not text") from error
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) in _DAMAGED:
                raise self._damaged(str(error)) from error
            raise StoreError(
                f"{self.NAME}={self.path} cannot be used ({error}): check the path and that the disk has room, or give "
                "another file; what is stored stays"
            ) from error


def now() -> str:
    """Return the present time in the form in which it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _is_sound(table: str, row: Iterable[Any]) -> bool:
    *values, checksum = row
    return bool(checksum == _checksum(table, values))


def _checksum(table: str, row: Iterable[Any]) -> str:
    # Damage may turn text into bytes, which JSON does not know.
    return hashlib.blake2b(json.dumps([table, *row], default=repr).encode(), digest_size=16).hexdigest()
