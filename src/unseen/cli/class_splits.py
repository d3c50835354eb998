"""Read, check and carry out the options of `unseen bench` for random class splits."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.cli.errors import say
from unseen.utils.errors import InputError, shorten
from unseen.utils.registry import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unseen.experiments import Experiment, Outcome
    from unseen.experiments.split_report import SplitReport


@dataclass(frozen=True)
class ClassSplits:
    """The options of `unseen bench` for random class splits, as the user gave them."""

    number: int | None
    seed: int | None
    n_unseen: int | None
    metric: str | None
    against: str | None
    figure: Path | None
    force: bool

    def check(self, experiments: "Sequence[Experiment]", trials: int | None) -> None:
        """Raise an error for options that do not fit together, or not the experiments, before the work begins."""
        if self.number is None:
            self._refuse_without_splits()
            return
        if trials is not None:
            raise InputError(
                f"--trials {trials} repeats the fit on one split, --class-splits {self.number} fits once on each of "
                "many: give one of them"
            )
        names = [experiment.name for experiment in experiments]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(f"experiments names {shorten(twice)} twice: name each once")
        if self.against is not None:
            check_choice(self.against, names, "--against")
        self._check_metric(experiments)
        if self.figure is not None:
            self._check_figure(experiments)

    def make_run(self, jobs: int) -> "Callable[..., Outcome[Any]]":
        """Return the function that runs an experiment."""
        from unseen.experiments import run_class_splits

        assert self.number is not None
        return partial(
            run_class_splits,
            class_splits=self.number,
            split_seed=self.seed or 0,
            n_unseen=self.n_unseen,
            jobs=jobs,
        )

    def report(self, outcomes: "Sequence[Outcome[Any]]", form: str) -> str:
        """Return the report in one of the output formats."""
        report = self._make_report(outcomes)
        return json.dumps(report.to_dict()) if form == "json" else report.render(form)

    def draw(self, outcomes: "Sequence[Outcome[Any]]") -> None:
        """Write the picture of ranks, if it was asked for and there are models to compare."""
        if self.figure is None:
            return
        from unseen.report import critical_difference_figure
        from unseen.utils.figures import write_figure

        comparisons = self._make_report(outcomes).comparisons
        if not comparisons:
            say(f"{self.figure}: not drawn, because fewer than two experiments could be run")
            return
        drawn = critical_difference_figure(comparisons[0].results, self.metric)
        write_figure(drawn.figure, self.figure, force=self.force)
        say(f"{self.figure}: written")

    def _make_report(self, outcomes: "Sequence[Outcome[Any]]") -> "SplitReport":
        from unseen.experiments import SplitReport

        return SplitReport([outcome.result for outcome in outcomes], self.metric, self.against)

    def _refuse_without_splits(self) -> None:
        given = {
            "--split-seed": self.seed,
            "--n-unseen": self.n_unseen,
            "--metric": self.metric,
            "--against": self.against,
            "--figure": self.figure,
        }
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} {value} is for random class splits: give --class-splits 20 too")

    def _check_metric(self, experiments: "Sequence[Experiment]") -> None:
        from unseen.evaluation import SETTINGS

        if self.metric is not None:
            for setting in dict.fromkeys(experiment.setting for experiment in experiments):
                check_choice(self.metric, SETTINGS[setting].metrics, "--metric", f"run {setting} experiments apart")

    def _check_figure(self, experiments: "Sequence[Experiment]") -> None:
        from unseen.utils.figures import check_figure
        from unseen.utils.optional import import_optional

        assert self.figure is not None
        check_figure(self.figure, force=self.force)
        import_optional("matplotlib", "figures", "drawing a figure")
        kinds = list(
            {(repr(experiment.data), experiment.setting): experiment.name for experiment in experiments}.values()
        )
        if len(kinds) > 1:
            raise InputError(
                f"--figure {self.figure} compares experiments on the same data in the same setting, but "
                f"{shorten(kinds)} differ in them: run them apart"
            )
        if len(experiments) < 2:
            raise InputError(f"--figure {self.figure} compares experiments, but there is only one: name at least two")
