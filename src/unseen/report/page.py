"""Render a report as one HTML page that needs neither other files nor a network."""

import html
import re
from importlib.resources import files

from unseen.evaluation import ResultTable
from unseen.report.examine import Report
from unseen.report.figures.drawn import Drawn
from unseen.report.headline import cards
from unseen.report.pictures import make_data_address
from unseen.report.retrieval import Found, Retrieved
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
    """Return a report as one HTML page.

    The same report gives the same page: except for versions, nothing depends on when or where it is written.
    """
    title = f"{report.name} on {report.dataset.name or 'unnamed data'}"
    sections = {
        "headline": ("At a glance", _render_cards(report)),
        "numbers": ("Numbers", _render_numbers(report)),
        "figures": ("Figures", "".join(map(_render_figure, report.figures))),
        "pictures": ("What it finds for each unseen class", _render_pictures(report)),
        "settings": ("Settings, versions, seeds", _render_settings(report)),
    }
    kept = {name: section for name, section in sections.items() if section[1]}
    links = "".join(f'<a href="#{name}">{_escape(heading)}</a>' for name, (heading, _) in kept.items())
    body = "".join(
        f'<section id="{name}"><h2>{_escape(heading)}</h2>{content}</section>'
        for name, (heading, content) in kept.items()
    )
    css = files("unseen.report").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Even if markup from a label or a file name got in, the browser would load and run nothing.
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
        f'<title>{_escape(title)}</title>\n<link rel="icon" href="data:,">\n<style>\n{css}</style>\n</head>\n<body>\n'
        f'<header><h1>{_escape(title)}</h1><nav aria-label="Sections">{links}</nav></header>\n'
        f"<main>{body}</main>\n</body>\n</html>\n"
    )


def _render_cards(report: Report) -> str:
    shown = "".join(
        f'<div class="card"><dt>{_escape(card.title)}</dt><dd><strong>{_escape(card.number)}</strong>'
        f"<span>{_escape(card.detail)}</span></dd></div>"
        for card in cards(report)
    )
    return f'<dl class="cards">{shown}</dl><p>{_escape(_render_protocol(report))}</p>'


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
        heading, explanation = map(_escape, _SETTINGS[setting])
        parts.append(f"<h3>{heading}</h3><p>{explanation}</p>" + "".join(map(_render_table, tables)))
        per_class = results[0].per_class_table()
        parts.append(
            f"<details><summary>Each class, {_escape(setting)} setting</summary>{_render_table(per_class)}"
            f"{_render_download(f'{setting}-per-class', per_class)}</details>"
        )
    return "".join(parts)


def _render_figure(drawn: Drawn) -> str:
    source = make_data_address(drawn.to_bytes("svg"), "image/svg+xml")
    return (
        f'<figure id="figure-{drawn.name}"><h3>{_escape(drawn.title)}</h3>'
        f'<img src="{source}" alt="{_escape(drawn.description)}">'
        f"<figcaption>{_escape(drawn.caption)} {_render_download(drawn.name, drawn.data)}</figcaption></figure>"
    )


def _render_pictures(report: Report) -> str:
    if report.pictures is None:
        return ""
    right = sum(entry.right for entry in report.retrieved)
    shown = sum(len(entry.found) for entry in report.retrieved)
    lead = (
        f"The test images of unseen classes with the highest score for each class, best first. {right} of {shown} are "
        "of the class; the others have a frame, a cross and their true class."
    )
    shelves = "".join(_render_shelf(report, entry) for entry in report.retrieved)
    return f'<p>{_escape(lead)}</p><div class="shelves">{shelves}</div>'


def _render_shelf(report: Report, entry: Retrieved) -> str:
    found = "".join(_render_picture(report, entry, image) for image in entry.found)
    counts = f"<small>{entry.right} of {len(entry.found)}</small>"
    return f'<div class="shelf"><h3>{_escape(entry.label)} {counts}</h3><ul>{found}</ul></div>'


def _render_picture(report: Report, entry: Retrieved, image: Found) -> str:
    assert report.pictures is not None
    right = image.true == entry.label
    said = "✓" if right else f"✗ {image.true}"
    alt = f"Row {image.row}, found for {entry.label}, is {image.true}"
    return (
        f'<li class="{"right" if right else "wrong"}"><img src="{report.pictures(image.row)}" '
        f'alt="{_escape(alt)}"><span>{_make_breakable(said)}</span></li>'
    )


def _make_breakable(name: str) -> str:
    """Allow line breaks in a long name between its words rather than within one."""
    return re.sub(r"([_.+/-])", r"\1<wbr>", _escape(name))


def _render_settings(report: Report) -> str:
    data = report.dataset
    facts = {
        **report.facts,
        "data": f"{data!r}"[1:-1],
        "source of the data": data.source,
        "unseen classes": ", ".join(map(str, data.unseen_classes)),
        **_list_seeds(report),
        "versions of this report": ", ".join(f"{name}={number}" for name, number in list_versions(_PACKAGES).items()),
        "made by": report.command,
        "not on this page": " ".join(report.notes),
    }
    rows = "".join(
        f'<tr><th scope="row">{_escape(name)}</th><td>{_escape(value)}</td></tr>'
        for name, value in facts.items()
        if value
    )
    return f'<div class="wide"><table class="facts"><tbody>{rows}</tbody></table></div>'


def _list_seeds(report: Report) -> dict[str, str]:
    return {
        f"seeds of {result.name}": ", ".join(str(trial.seed) for trial in result.trials)
        for result in report.among_unseen
        if result.random and result.trials[0].fit_seconds
    }


def _render_table(table: Table) -> str:
    return f'<div class="wide" tabindex="0" role="region" aria-label="{_escape(table.title)}">{table.to_html()}</div>'


def _render_download(name: str, table: Table) -> str:
    address = make_data_address(table.to_csv().encode(), "text/csv;charset=utf-8")
    return f'<a download="{_escape(name)}.csv" href="{address}">Data of {_escape(name)} (CSV)</a>'


def _escape(value: object) -> str:
    return html.escape(str(value))
