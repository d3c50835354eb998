"""Where a sweep keeps what is solved, and what it was asked to do: one file in its folder."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from unseen.sweep.results import Outcome, Way
from unseen.utils.errors import InputError
from unseen.utils.storage.database import Database


class SweepStore(Database):
    """Outcomes of solved problems, those of a block committed together as soon as they are there.

    Parameters
    ----------
    path : Path
        The file; made if it is not there.
    """

    APPLICATION_ID: ClassVar[int] = 0x756E7377  # "unsw" in ASCII
    SCHEMA_VERSION: ClassVar[int] = 2
    NAME: ClassVar[str] = "store"
    SCHEMA: ClassVar[str] = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE outcomes (
    problem INTEGER NOT NULL, way TEXT NOT NULL, record TEXT NOT NULL, checksum TEXT NOT NULL,
    PRIMARY KEY (problem, way)
)
"""

    def claim(self, facts: dict[str, Any]) -> None:
        """Write down what this sweep is of, or refuse a folder that is of something else."""
        new = {name: json.dumps(value) for name, value in facts.items()}
        self._add("facts", [] if self._read("facts") else new.items())
        old: dict[str, str] = dict(self._read("facts"))
        for name, value in new.items():
            if old.get(name) != value:
                raise InputError(
                    f"out={self.path.parent} holds a sweep with another {name} ({old.get(name)}, now {value}): "
                    "nothing was changed; give another folder, or the same settings to go on"
                )

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep outcomes, all of them or none."""
        self._add("outcomes", [(o.problem, o.way, json.dumps(o.to_dict())) for o in outcomes])

    def remove_damaged(self) -> int:
        """Remove outcomes that are not what was stored, so that they are solved again; return how many they were."""
        return self._remove_damaged("outcomes")

    def solved(self) -> set[tuple[int, Way]]:
        """Return the problems that are solved, each with the way."""
        return {(problem, way) for problem, way, _ in self._read("outcomes")}

    def outcomes(self) -> list[Outcome]:
        """Return everything that is stored."""
        return [self._decode(record, Outcome.from_dict) for _, _, record in self._read("outcomes")]
