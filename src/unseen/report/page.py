"""Render the report of a model as one HTML page."""

from dataclasses import replace

from unseen.evaluation import ResultTable
from unseen.report.examine import Report
from unseen.report.headline import cards
from unseen.report.shell import escape, make_page, render_download, render_drawn, render_facts, render_table
from unseen.report.shelves import render_shelves
from unseen.utils.names import readable_names
from unseen.utils.tables import Table
from unseen.utils.versions import list_versions

_PACKAGES = ("unseen", "numpy", "scipy", "scikit-learn", "matplotlib", "openTSNE")
# Heading and explanation of each setting.
_SETTINGS = {
    "standard": (
        "Unseen classes among themselves (standard setting)",
        "Test images of unseen classes; the candidates are the unseen classes.",
    ),
    "generalized": (
        "All classes together (generalized setting)",
        "Test images of seen and unseen classes; the candidates are all classes. u and s are the mean accuracies per "
        "class of unseen and seen classes, H is their harmonic mean. Calibrated: a constant, chosen on seen classes, "
        "is subtracted from the scores of seen classes. AUSUC is the area under the curve over all such constants.",
    ),
    "transductive": (
        "Unseen classes among themselves, as one batch (transductive setting)",
        "Test images of unseen classes in one batch; the candidates are the unseen classes.",
    ),
    "transductive-generalized": (
        "All classes together, as one batch (transductive generalized setting)",
        "Test images of seen and unseen classes in one batch; the candidates are all classes. u and s are the "
        "mean accuracies per class of unseen and seen classes, H is their harmonic mean.",
    ),
}


def page(report: Report) -> str:
    """Return a report as one HTML page that needs neither other files nor a network.

    The same report gives the same page: except for versions, nothing depends on when or where it is written.
    """
    found = "" if report.pictures is None else render_shelves(report.retrieved, report.pictures)
    return make_page(
        f"{report.name} on {report.dataset.name or 'unnamed data'}",
        {
            "headline": ("At a glance", _render_cards(report)),
            "pictures": ("What it finds for each unseen class", found),
            "numbers": ("Numbers", _render_numbers(report)),
            "figures": ("Figures", "".join(map(render_drawn, report.figures))),
            "settings": ("Settings, versions, seeds", _render_settings(report)),
        },
    )


def _render_cards(report: Report) -> str:
    shown = "".join(
        f'<div class="card"><dt>{escape(card.title)}</dt><dd><strong>{escape(card.number)}</strong>'
        f"<span>{escape(card.detail)}</span></dd></div>"
        for card in cards(report)
    )
    return f'<dl class="cards">{shown}</dl><p>{escape(_render_protocol(report))}</p>'


def _render_protocol(report: Report) -> str:
    data = report.dataset
    return (
        f"The split has {len(data.train):,} training images of {len(data.seen_classes)} seen classes, and for testing "
        f"{len(data.test_unseen):,} images of {len(data.unseen_classes)} unseen classes and {len(data.test_seen):,} of "
        f"seen ones. No model here has learned from an image of an unseen class. "
        f"{report.among_unseen[0].used}"
    )


def _render_numbers(report: Report) -> str:
    parts = []
    for setting, results in report.results.items():
        tables = [results[0].table()]
        if len(results) > 1:
            tables.insert(0, ResultTable(results).table())
        heading, explanation = map(escape, _SETTINGS[setting])
        parts.append(f"<h3>{heading}</h3><p>{explanation}</p>" + "".join(map(render_table, tables)))
        per_class = results[0].per_class_table()
        parts.append(
            f"<details><summary>Each class, {escape(setting)} setting</summary>"
            f"{render_table(_make_readable(per_class))}{render_download(f'{setting}-per-class', per_class)}</details>"
        )
    return "".join(parts)


def _make_readable(table: Table) -> Table:
    """Return a table whose first column are class labels with names in their place."""
    names = readable_names(row[0] for row in table.rows)
    return replace(table, rows=tuple((name, *row[1:]) for name, row in zip(names, table.rows, strict=True)))


def _render_settings(report: Report) -> str:
    data = report.dataset
    return render_facts(
        {
            **report.facts,
            "data": f"{data!r}"[1:-1],
            "source of the data": data.source,
            "unseen classes": ", ".join(map(str, data.unseen_classes)),
            **_list_seeds(report),
            "versions of this report": ", ".join(f"{name}={n}" for name, n in list_versions(_PACKAGES).items()),
            "made by": report.command,
            "not on this page": " ".join(report.notes),
        }
    )


def _list_seeds(report: Report) -> dict[str, str]:
    return {
        f"seeds of {result.name}": ", ".join(str(trial.seed) for trial in result.trials)
        for result in report.among_unseen
        if result.random and result.trials[0].fit_seconds
    }
