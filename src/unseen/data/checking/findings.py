"""Define the report of a check of a dataset."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Level = Literal["ok", "warning", "error"]
LEVELS: tuple[Level, ...] = ("ok", "warning", "error")


@dataclass(frozen=True)
class Finding:
    """One line of a report: its level, its topic and its message."""

    level: Level
    topic: str
    message: str


@dataclass(frozen=True)
class CheckReport:
    """All findings of a check of a dataset."""

    path: Path
    format: str
    benchmark: str | None
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Level:
        """The level of the worst finding."""
        return max((finding.level for finding in self.findings), key=LEVELS.index, default="ok")

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values that can be written as JSON."""
        return {
            "path": str(self.path),
            "format": self.format,
            "benchmark": self.benchmark,
            "verdict": self.worst,
            "findings": [asdict(finding) for finding in self.findings],
        }


def compare(topic: str, what: str, found: Any, published: Any, where: str) -> Finding:
    """Report whether a number equals the published one.

    >>> compare("Table 1", "images", 10, 12, "the paper")
    Finding(level='warning', topic='Table 1', message='images: 10, but 12 in the paper')
    """
    if found == published:
        return Finding("ok", topic, f"{what}: {_format_value(found)}, as in {where}")
    return Finding("warning", topic, f"{what}: {_format_value(found)}, but {_format_value(published)} in {where}")


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return " / ".join(map(_format_value, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
