"""The report of a blend study: JSON, figures, and an HTML page rendered from them."""

from __future__ import annotations

from pathlib import Path

from sparring.base.storage import atomic_write
from sparring.measure import page
from sparring.measure import reports as report
from sparring.measure.reports import Content, reader_name
from studies.blend.departures import departures
from studies.blend.figures import report_figures
from studies.blend.tables import (
    METHODS,
    alpha_table,
    gain_table,
    kind_table,
    mechanism_table,
    method_table,
    overview_table,
    paper_mechanism_table,
    replication_table,
    robustness_table,
    search_table,
    three_table,
    trend_table,
)

_CAPTIONS = {
    "Accuracy by group": "Share of positions whose most likely move was played. Dash-dotted: human-like "
    "policies; dotted: the strong policy; solid: their blends with the grid's alpha, as in the paper.",
    "Gain by group": "Accuracy of the blend minus that of its human-like policy, paired by game. Marks with "
    "95 % intervals: the grid's alpha. Crosses: weights by rating.",
    "Accuracy by alpha": "On the validation games, for the first human-like policy.",
    "Alpha by group": "Marks: the paper's grid on accuracy, with the alphas within noise of the best. "
    "Dashes: maximum likelihood.",
    "KL-regularised search": "c_puct is chosen on validation games by group; infinity is the policy itself.",
    "Trials": "Random divisions of the games into a fitting and a measuring part.",
    "Where the moves match": "Positions whose most likely move, of the policy or of the blend, was played.",
}


def write_page(folder: Path, out: Path | None = None) -> Path:
    """Renders the HTML page of a blend report's folder from its JSON and figures.

    Writes to `out` (default: `report.html` in the folder) and returns that path. Raises BadFile or OSError.
    """
    content = report.read_json(folder / "report.json")
    titles = {figure.name: figure.title for figure in report_figures(content)}
    path = out or folder / "report.html"
    atomic_write(path, _html(content, report.read_figures(folder, titles)))
    return path


def is_blend_report(content: Content) -> bool:
    """Whether a report's JSON has the content that `studies.blend.study.run` returns."""
    return {"command", "blends", "humans", "strong"} <= content.keys()


def finding(content: Content) -> str:
    """What the study found, in a sentence: the gain of the first human-like policy by the paper's blend."""
    name = content["humans"][0]
    gain = content["blends"][name]["methods"]["grid"]["gain"]["mean"]
    value = gain["value"] if "value" in gain else gain["top1"]
    points, low, high = (f"{100 * number:+.1f}" for number in (value, gain["low"], gain["high"]))
    verb = "predicts" if float(low) > 0 else "does not clearly predict"
    human, strong = reader_name(name), reader_name(content["strong"])
    return (
        f"{human} blended with {strong} {verb} more of people's moves than alone: "
        f"{points} percentage points ({low} to {high})."
    )


def _html(content: Content, figures: dict[str, str]) -> str:
    parts_of = content["parts"]
    sizes = "; ".join(
        f"{split}: {part['positions']:,} positions of {part['games']:,} games"
        for split, part in parts_of.items()
    )
    drawn = content["resamples"]
    parts = [
        page.paragraph(finding(content)),
        page.paragraph(
            f"Human-like policies blended with {content['strong']}, on games from "
            f"{', '.join(content['records'])}. {sizes}. Weights are fitted on the validation games, "
            f"metrics are of the test games. 95 % intervals are by {drawn['games']:,} bootstrap resamples of "
            "games. Intervals of gains and comparisons include the choice of the weights: the grid chooses "
            f"anew in every resample, weights by likelihood are fitted anew in {drawn['refits']:,}."
        ),
    ]
    if content["paper"]:
        parts += [page.heading("The paper's experiment"), replication_table(content)]
    parts += [page.heading("The paper's trends"), trend_table(content)]
    parts += [page.heading("What is different from the paper")]
    parts += [page.paragraph(sentence) for sentence in departures(content)]
    parts += [page.heading("Policies and blends"), overview_table(content)]
    for title, svg in figures.items():
        caption = _CAPTIONS[title.partition(":")[0]]
        parts += [page.heading(title), page.paragraph(caption, faint=True), page.figure(svg, title)]
    for method in ("grid", "rating"):
        parts += [page.heading(f"Gain by group: {METHODS[method]}"), gain_table(content, method)]
    parts += [page.heading("Alpha"), alpha_table(content)]
    parts += [page.heading("Methods to choose weights"), method_table(content)]
    parts += [page.heading("What 0.1 of alpha costs"), robustness_table(content)]
    parts += [page.heading("Three means"), kind_table(content)]
    if "three" in content:
        parts += [page.heading("Blends of three"), three_table(content["three"])]
    for name, found in content.get("search", {}).items():
        parts += [page.heading(f"Search: {name}"), search_table(found)]
    for name, found in content.get("mechanism", {}).items():
        parts += [page.heading(f"The mechanism: {name}"), mechanism_table(found)]
    if "mechanism" in (content["paper"] or {}):
        parts += [page.heading("The mechanism in the paper"), paper_mechanism_table(content["paper"])]
    parts += page.footer(content)
    return page.page(f"Blends: {content['game']}", parts)
