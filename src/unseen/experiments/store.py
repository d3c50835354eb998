"""Store finished trials in one SQLite file, which stays intact when a run is killed.

Every trial is committed as soon as it is done. Its key (see `key_of` in the runner) identifies all that the outcome
depends on, so that a changed experiment, other data or another version of the package never reuses old trials.
"""

import json
from typing import Any, ClassVar, NamedTuple

from unseen.evaluation.trial import Trial
from unseen.utils.storage.database import Database, now

SCHEMA = """
CREATE TABLE trials (
    key TEXT NOT NULL,
    trial INTEGER NOT NULL,
    experiment TEXT NOT NULL,
    version TEXT NOT NULL,
    finished TEXT NOT NULL,
    record TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (key, trial)
);
CREATE TABLE selections (
    key TEXT PRIMARY KEY,
    experiment TEXT NOT NULL,
    version TEXT NOT NULL,
    finished TEXT NOT NULL,
    parameters TEXT NOT NULL,
    checksum TEXT NOT NULL
)
"""


class StoredKey(NamedTuple):
    """A key that has trials: the name of its experiment, the version of the package, and when the last one ended."""

    key: str
    experiment: str
    version: str
    finished: str


class TrialStore(Database):
    """Finished trials by key and number, in a file.

    Parameters
    ----------
    path : Path
        File of the store, created if it does not exist. A file that is not a store raises an error and is not changed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, TrialStore(Path(folder) / "trials.sqlite") as store:
    ...     store.trials("some key")
    {}
    """

    APPLICATION_ID: ClassVar[int] = 0x756E736E  # "unsn" in ASCII
    SCHEMA_VERSION: ClassVar[int] = 2
    SCHEMA: ClassVar[str] = SCHEMA
    NAME: ClassVar[str] = "store"

    def trials(self, key: str) -> dict[int, Trial]:
        """Return the finished trials of a key by number, in order."""
        rows = self._read("trials", "key = ?", key)
        return {number: self._decode(record, Trial.from_dict) for _, number, *_, record in rows}

    def runs(self) -> list[StoredKey]:
        """List the keys that have trials, in the order of their last trial."""
        rows = self._query(
            "SELECT key, MIN(experiment), MIN(version), MAX(finished) FROM trials GROUP BY 1 ORDER BY 4, 1"
        )
        return [StoredKey(*row) for row in rows]

    def finished(self, key: str) -> set[int]:
        """Return the numbers of the finished trials of a key."""
        return {number for _, number, *_ in self._read("trials", "key = ?", key)}

    def add_trial(self, key: str, number: int, trial: Trial, *, experiment: str, version: str) -> None:
        """Store a finished trial; an existing one is kept."""
        self._add("trials", [(key, number, experiment, version, now(), json.dumps(trial.to_dict()))])

    def selection(self, key: str) -> dict[str, Any] | None:
        """Return the parameters that were selected once for all trials of a key, or None if not selected yet."""
        found = self._read_selection(key)
        return None if found is None else found.get("chosen", found)

    def selection_seconds(self, key: str) -> float | None:
        """Return the wall-clock time of the selection for all trials of a key, or None if it is not known."""
        return (self._read_selection(key) or {}).get("seconds")

    def add_selection(
        self, key: str, parameters: dict[str, Any], *, seconds: float, experiment: str, version: str
    ) -> None:
        """Store the parameters that were selected for all trials of a key, and the time that it took."""
        record = json.dumps({"chosen": parameters, "seconds": seconds})
        self._add("selections", [(key, experiment, version, now(), record)])

    def _read_selection(self, key: str) -> dict[str, Any] | None:
        """Return the record of a selection; one from before times were stored holds the parameters alone."""
        rows = self._read("selections", "key = ?", key)
        return self._decode(rows[0][-1], dict) if rows else None

    def others(self, experiment: str, key: str) -> int:
        """Count the trials of an experiment under other keys, that is, of other data, settings or versions."""
        rows = self._query("SELECT COUNT(*) FROM trials WHERE experiment = ? AND key <> ?", experiment, key)
        return int(rows[0][0])
