"""Write the frame of a page, its tables and its downloads; the page needs neither other files nor a network."""

import html
from collections.abc import Mapping
from importlib.resources import files

from unseen.report.figures.drawn import Drawn
from unseen.report.inline import render_figure
from unseen.report.pictures import make_data_address
from unseen.utils.tables import Table


def escape(value: object) -> str:
    """Return a value as text in which nothing is markup."""
    return html.escape(str(value))


def make_page(title: str, sections: Mapping[str, tuple[str, str]]) -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
    sections : mapping of str to pairs of str
        Heading and content (HTML) of each section, by its id; a section without content is left out.
    """
    kept = {name: section for name, section in sections.items() if section[1]}
    links = "".join(f'<a href="#{name}">{escape(heading)}</a>' for name, (heading, _) in kept.items())
    body = "".join(
        f'<section id="{name}"><h2>{escape(heading)}</h2>{content}</section>'
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
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n<style>\n{css}</style>\n</head>\n<body>\n'
        f'<header><h1>{escape(title)}</h1><nav aria-label="Sections">{links}</nav></header>\n'
        f"<main>{body}</main>\n</body>\n</html>\n"
    )


def render_table(table: Table) -> str:
    """Return a table that scrolls sideways by itself where the screen is too narrow for it; its notes do not."""
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title)}">{table.to_html_table()}</div>'
        + "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
    )


def render_download(name: str, table: Table) -> str:
    """Return a link that saves a table as CSV, with all digits."""
    address = make_data_address(table.to_csv().encode(), "text/csv;charset=utf-8")
    return f'<a download="{escape(name)}.csv" href="{address}">Data of {escape(name)} (CSV)</a>'


def render_drawn(drawn: Drawn) -> str:
    """Return a figure with its title, caption and data."""
    return render_figure(drawn, render_download(drawn.name, drawn.data))


def render_facts(facts: Mapping[str, str]) -> str:
    """Return a table of names and values; empty values are left out."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in facts.items()
        if value
    )
    return f'<div class="wide"><table class="facts"><tbody>{rows}</tbody></table></div>'
