"""HTML pages: one file, no scripts, no external resources, readable on a phone, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from sparring.base.plot_style import BACKGROUND, INK_COLOR

_STYLE = """
:root { color-scheme: light dark; --paper: #fbf7f0; --ink: #3b2a1a; --faint: #8a7763; --rule: #e3d7c5;
  --shade: #f3ebdd; }
@media (prefers-color-scheme: dark) { :root { --paper: #1d1813; --ink: #ead9c2; --faint: #a8957e;
  --rule: #40362b; --shade: #282119; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 60rem; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 1rem 0 0.25rem; }
h2 { border-top: 1px solid var(--rule); font-size: 1.1rem; margin: 2rem 0 0.25rem; padding-top: 1rem; }
p { margin: 0.25rem 0 0.75rem; max-width: 45rem; }
dl { font-size: 0.875rem; max-width: 45rem; }
dt { font-weight: 600; }
dd { margin: 0 0 0.25rem 1rem; }
.faint { color: var(--faint); font-size: 0.875rem; }
.wide { overflow-x: auto; -webkit-overflow-scrolling: touch; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums;
  margin: 0.5rem 0; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; }
tbody tr:nth-child(even) { background: var(--shade); }
td small { color: var(--faint); }
figure { margin: 0.5rem 0; }
figure svg { color: var(--ink); display: block; height: auto; max-width: 38rem; width: 100%; }
pre { background: var(--shade); overflow-x: auto; padding: 0.5rem; font-size: 0.8rem; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page with a title, from HTML fragments."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def heading(text: str) -> str:
    """A section heading."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, *, faint: bool = False) -> str:
    """A paragraph of plain text; `faint` sets it small and pale."""
    return f'<p class="faint">{escape(text)}</p>' if faint else f"<p>{escape(text)}</p>"


def definitions(terms: Mapping[str, str]) -> str:
    """A list of terms with their meanings, as plain texts."""
    entries = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>\n" for term, text in terms.items())
    return f"<dl>\n{entries}</dl>"


def code(text: str) -> str:
    """Preformatted text, such as a command."""
    return f"<pre>{escape(text)}</pre>"


def footer(content: Mapping[str, Any]) -> list[str]:
    """The end of a page: the provenance in a report's content."""
    machine = content["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}"
    return [
        heading("How it was measured"),
        code(content["command"]),
        paragraph(f"{content['date']}, {_code_version(content)}{where}.", faint=True),
    ]


def _code_version(content: Mapping[str, Any]) -> str:
    """Version and commit; reports of older versions have none."""
    commit = f" (commit {content['commit']})" if "commit" in content else ""
    return f"Sparring {content['version']}{commit}, " if "version" in content else ""


def inline_svg(svg: str, name: str) -> str:
    """An SVG file's text for use inside a page.

    The ink takes the page's colour, so that it is light on a dark page. The size follows the page. Ids begin
    with `name`, so that several figures of a page do not share clip paths and markers.
    """
    inline = svg[svg.index("<svg") :].replace(BACKGROUND, "").replace(INK_COLOR, "currentColor")
    for attribute in ("width", "height"):
        inline = re.sub(rf'(<svg[^>]*?) {attribute}="[^"]*"', r"\1", inline, count=1)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\1{name}-", inline)


def figure(svg: str, alt_text: str) -> str:
    """An inline SVG with a description for screen readers."""
    return f'<figure class="wide" role="img" aria-label="{escape(alt_text, quote=True)}">{svg}</figure>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts; in a cell, text after a | is set small."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table></div>'


def _cell(text: str) -> str:
    value, bar, aside = text.partition("|")
    return f"{escape(value)} <small>{escape(aside)}</small>" if bar else escape(value)
