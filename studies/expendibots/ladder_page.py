"""What the Expendibots agent can do, as a page: the ladder, the opening, the endings, the networks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.reports.page import code, figure, heading, page, paragraph, table
from sparring.reports.plot_style import LINE_COLORS, open_pyplot, save
from sparring.search.expendibots.endgame_tables import about_tables
from sparring.storage import atomic_write


def write_page(out: Path) -> None:
    """Writes ladder.html and its figure from what the folder has in JSON."""
    ladder = _read(out / "ladder.json")
    parts = [
        *_ladder(ladder, out),
        *_opening(_read(out / "opening.json")),
        *_networks(_read(out / "networks.json")),
        *_endings(about_tables()),
    ]
    atomic_write(out / "ladder.html", page("Expendibots: the agent's ladder", parts))


def _ladder(report: Mapping[str, Any], out: Path) -> list[str]:
    if not report:
        return []
    matches = report["matches"]
    rows = [
        [
            f"{each['new']} v {each['old']}",
            f"+{each['wins']} ={each['draws']} -{each['losses']}",
            f"{each['score']:.1%}|{each['score_low']:.1%} to {each['score_high']:.1%}",
            "" if each["elo"] is None else f"{each['elo']:+.0f}|± {each['elo_half_width']:.0f}",
            f"{each['p_value']:.2g}",
            "accepted" if each["accepted"] else "no",
            f"{each['cpu_seconds']:.1f}",
        ]
        for each in matches
    ]
    head = ["match", "games", "score", "Elo", "p", "", "s a game"]
    players = [[name, words] for name, words in report["players"].items()]
    return [
        paragraph(
            f"{report['games']} games a match, colours balanced, random openings, {report['nodes_a_move']:,} "
            "nodes a move. p is the exact sign test's; the last column is the new player's processor time in "
            "its longest game."
        ),
        table(head, rows),
        figure(_drawn(matches, out / "figures"), "the score of each match with its 95 % interval"),
        table(["player", "what it is"], players),
        code(report["command"]),
        paragraph(f"{report['machine']['processor']}, {report['date']}.", faint=True),
    ]


def _opening(report: Mapping[str, Any]) -> list[str]:
    if not report:
        return []
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


def _networks(report: Mapping[str, Any]) -> list[str]:
    if not report:
        return []
    speeds = report["nodes_a_second"]
    rows = [["linear", f"{speeds['linear']:,}", "", ""]]
    for row in report["networks"]:
        match = row["match"]
        score = f"{match['score']:.1%}|{match['score_low']:.1%} to {match['score_high']:.1%}"
        games = f"+{match['wins']} ={match['draws']} -{match['losses']}"
        rows.append([row["network"], f"{speeds[row['network']]:,}", games, score])
    return [
        heading("Networks against the learned weights"),
        paragraph(f"At equal time, {report['seconds_a_move']:g} s of a core a move."),
        table(["evaluation", "nodes a second", "games", "score"], rows),
        code(report["command"]),
    ]


def _endings(about: Mapping[str, Any]) -> list[str]:
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
        heading("Endings"),
        table(["tokens", "positions", "won", "drawn", "lost", "longest win", "longest loss"], rows),
        code(str(about["command"])),
    ]


def _drawn(matches: Sequence[Mapping[str, Any]], folder: Path) -> str:
    pyplot = open_pyplot()
    drawing, axis = pyplot.subplots(figsize=(7, 0.4 * len(matches) + 1))
    for row, each in enumerate(reversed(matches)):
        axis.plot(
            [100 * each["score_low"], 100 * each["score_high"]], [row, row], color=LINE_COLORS[1], linewidth=2
        )
        axis.plot([100 * each["score"]], [row], "o", color=LINE_COLORS[0])
    names = [f"{each['new']} v {each['old']}" for each in reversed(matches)]
    axis.set_yticks(range(len(matches)), names)
    axis.axvline(50, color=LINE_COLORS[8], linewidth=0.8)
    axis.set_xlabel("points of 100")
    return save(drawing, folder, "ladder")


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
