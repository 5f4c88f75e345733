"""HTML pages of the Expendibots studies, rendered from the JSON and the figures of a results folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.base.storage import atomic_write
from sparring.expendibots.tables import about_tables
from sparring.measure.page import code, figure, heading, page, paragraph, table
from sparring.measure.reports import Content, read_figures, read_json

_ALGORITHM_FIGURES = {
    "algorithms": "Elo of the players with 95 % intervals",
    "weights-over-time": "weights over training (A.2)",
    "weights-by-feature": "weights by feature and stage (A.3)",
}
_LADDER_FIGURE = {"ladder": "the score of each match with its 95 % interval"}


def write_algorithm_page(folder: Path, out: Path | None = None) -> Path:
    """Renders `algorithms.html` (or `out`) from `algorithms.json` and the figures; returns its path.

    Raises BadFile or OSError.
    """
    report = read_json(folder / "algorithms.json")
    figures = read_figures(folder, _ALGORITHM_FIGURES)
    plan = report["plan"]
    parts = [
        paragraph(
            f"Each algorithm had {plan['seconds']:.0f} s of one core. {plan['games']} games a pair at "
            f"depth {plan['depth']}. {report['interval']}."
        ),
        table(["player", "Elo", "games", "training games", "moves/s"], _standings(report)),
        heading("The same command on Breakthrough"),
        table(
            ["player", "Elo", "games"],
            [
                [player["name"], _elo(player), f"+{player['wins']} -{player['losses']}"]
                for player in report["breakthrough"]["players"]
            ],
        ),
        *(part for title, svg in figures.items() for part in (heading(title), figure(svg, title))),
        heading("Command"),
        *_source(report),
    ]
    return _write("Expendibots: four learning algorithms", parts, out or folder / "algorithms.html")


def write_ladder_page(folder: Path, out: Path | None = None) -> Path:
    """Renders `ladder.html` (or `out`) from `ladder.json`, `opening.json`, `networks.json`, `opponent*.json`
    and the figure.

    Reports that the folder does not have are left out. Returns the page's path. Raises BadFile or OSError.
    """
    parts = _ladder(read_json(folder / "ladder.json"), read_figures(folder, _LADDER_FIGURE))
    for name, section in (("opening", _opening), ("networks", _networks)):
        if (folder / f"{name}.json").exists():
            parts += section(read_json(folder / f"{name}.json"))
    parts += _opponents([read_json(path) for path in sorted(folder.glob("opponent*.json"))])
    parts += _endgames(about_tables())
    return _write("Expendibots: the agent's ladder", parts, out or folder / "ladder.html")


def _write(title: str, parts: list[str], path: Path) -> Path:
    atomic_write(path, page(title, parts))
    return path


def _source(report: Content) -> list[str]:
    machine = f"{report['machine']['processor']}, {report['date']}."
    return [code(report["command"]), paragraph(machine, faint=True)]


def _standings(report: Content) -> list[list[str]]:
    rows = []
    for player in report["standings"]["players"]:
        training = report["training"].get(player["name"], {})
        rows.append(
            [
                player["name"],
                _elo(player),
                f"+{player['wins']} ={player['draws']} -{player['losses']}",
                f"{training['games']:,}" if training else "",
                f"{training['moves_a_second']:,.0f}" if training else "",
            ]
        )
    return rows


def _elo(player: Mapping[str, Any]) -> str:
    return f"{player['elo']:+.0f}|{player['low']:+.0f} to {player['high']:+.0f}"


def _ladder(report: Content, figures: Mapping[str, str]) -> list[str]:
    rows = [
        [
            f"{match['new']} v {match['old']}",
            _score(match),
            _share(match),
            "" if match["elo"] is None else f"{match['elo']:+.0f}|± {match['elo_half_width']:.0f}",
            f"{match['p_value']:.2g}",
            "accepted" if match["accepted"] else "no",
            f"{match['cpu_seconds']:.1f}",
        ]
        for match in report["matches"]
    ]
    return [
        paragraph(
            f"{report['games']} games a match, colours balanced, random openings, {report['nodes_a_move']:,} "
            "nodes a move. p is that of the exact sign test; the last column is the new player's processor "
            "time in its longest game."
        ),
        table(["match", "games", "score", "Elo", "p", "", "s a game"], rows),
        *(figure(svg, title) for title, svg in figures.items()),
        table(["player", "description"], [list(entry) for entry in report["players"].items()]),
        *_source(report),
    ]


def _opening(report: Content) -> list[str]:
    rows = [
        [row["reply"], f"{row['value']:+.1f}", str(row["depth"]), " ".join(row["line"][:6])]
        for row in report["replies"]
    ]
    start = report["start"]
    return [
        heading("The report's opening"),
        paragraph(
            f"The start is worth {start['value']:+.1f} of 100 to White at depth {start['depth']}. After "
            f"1e1-e2, any reply, and 2e2-e4, {report['won_for_white']} replies leave White ahead, "
            f"{report['even']} are even and {report['won_for_black']} leave Black ahead. Mirroring is worth "
            f"{report['mirroring']} to White."
        ),
        table(["Black's reply", "for White", "depth", "then"], rows),
        code(report["command"]),
    ]


def _networks(report: Content) -> list[str]:
    speeds = report["nodes_a_second"]
    rows = [["linear", f"{speeds['linear']:,}", "", ""]]
    for row in report["networks"]:
        match = row["match"]
        rows.append([row["network"], f"{speeds[row['network']]:,}", _score(match), _share(match)])
    return [
        heading("Networks against the learned weights"),
        paragraph(f"At equal time, {report['seconds_a_move']:g} s of a core a move."),
        table(["evaluation", "nodes a second", "games", "score"], rows),
        code(report["command"]),
    ]


def _opponents(reports: Sequence[Content]) -> list[str]:
    if not reports:
        return []
    rows = [
        [
            str(report["agent"]),
            report.get("opponent") or f"alpha-beta, {report['depth']} plies",
            f"{report['seconds']:g} s",
            _score(report),
            _share(report),
            str(report["endgame_wins_not_won"]),
            f"{report['longest_seconds']:.0f} s, {report['most_megabytes_of_both']:.0f} MB",
        ]
        for report in reports
    ]
    return [
        heading("Against opponents of other kinds"),
        paragraph(
            "The independent alpha-beta evaluates material and mobility. Both have the time in the table, in "
            "seconds of a processor for a game, and 100 MB, as under the course's referee. The last columns "
            "are won endings of the tables that were not won, and the agent's longest game with the memory "
            "of both players."
        ),
        table(["agent", "opponent", "time", "games", "score", "not won", "most"], rows),
        *(code(report["command"]) for report in reports),
    ]


def _endgames(about: Mapping[str, Any]) -> list[str]:
    rows = [
        [
            f"{row['mover']} v {row['other']}",
            f"{row['positions']:,}",
            *(f"{row[key] / row['positions']:.2%}" for key in ("won", "drawn", "lost")),
            str(row["longest_win"]),
            str(row["longest_loss"]),
        ]
        for row in about["materials"]
    ]
    return [
        heading("Endgame tables"),
        table(["tokens", "positions", "won", "drawn", "lost", "longest win", "longest loss"], rows),
        code(str(about["command"])),
    ]


def _score(match: Mapping[str, Any]) -> str:
    return f"+{match['wins']} ={match['draws']} -{match['losses']}"


def _share(match: Mapping[str, Any]) -> str:
    return f"{match['score']:.1%}|{match['score_low']:.1%} to {match['score_high']:.1%}"
