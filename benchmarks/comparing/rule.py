"""Tell whether a quantity changed between two revisions, or whether only its measurements differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scipy.stats import mannwhitneyu

from benchmarks.tools.ratios import Row

# Smaller changes are not worth a warning, and a machine that others use makes them by itself.
MARGIN = 1.1

# How often repeats of equal speed may look as different as this.
LEVEL = 0.01

# With fewer repeats even those that do not overlap differ by chance more often than that.
ENOUGH_REPEATS = 5

# Smaller differences are those of a process by itself, such as of the length of its paths.
RESOLUTION = {"MiB": 1.0}

RULE = (
    f"A quantity changed if its median moved by more than {MARGIN - 1:.0%} (memory by more than "
    f"{RESOLUTION['MiB']:g} MiB, too) and a Mann-Whitney test of the repeats (one-sided, p at most {LEVEL:.0%}) tells "
    f"base and now apart, which takes at least {ENOUGH_REPEATS} repeats."
)


@dataclass(frozen=True)
class Comparison:
    """A quantity, described by one of its rows, and its values in all repeats of both revisions."""

    row: Row
    base: Sequence[float]
    now: Sequence[float]

    @property
    def ratio(self) -> float:
        """The median now against that of base; 1 if both are zero."""
        base, now = median(self.base), median(self.now)
        if base == 0:
            return 1.0 if now == 0 else float("inf")
        return now / base

    @property
    def worse(self) -> bool:
        more, less = (self.base, self.now) if self.row.of_speed else (self.now, self.base)
        return is_larger(more, less, RESOLUTION.get(self.row.compared_in, 0.0))

    @property
    def better(self) -> bool:
        return Comparison(self.row, self.now, self.base).worse

    @property
    def verdict(self) -> str:
        timed = self.row.unit == "s" or self.row.of_speed
        if self.worse:
            return "got slower" if timed else "got larger"
        if self.better:
            return "got faster" if timed else "got smaller"
        return "the same within the noise"


def is_larger(some: Sequence[float], others: Sequence[float], resolution: float = 0.0) -> bool:
    """Whether some values are larger than others by more than the margin, the resolution and the noise."""
    if median(some) <= max(MARGIN * median(others), median(others) + resolution):
        return False
    # Exact for ties too, where it errs on the side of noise, so that one tie does not change which test it is.
    return bool(mannwhitneyu(some, others, alternative="greater", method="exact").pvalue <= LEVEL)
