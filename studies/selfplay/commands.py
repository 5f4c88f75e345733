"""`python -m studies selfplay-curve`: networks of a run of self-play against fixed opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sparring.base.plot_style import LINE_COLORS, open_pyplot, save_svg
from sparring.base.storage import Journal
from sparring.cli.arguments import GameName, Options, choose_game, whole_numbers
from sparring.cli.console import make_console
from sparring.policies import load_policy
from sparring.training.selfplay.matches import MatchScore, fixed_opponent, network_mover, play_match
from studies.options import write_measurement

_TOGETHER = 20
"""Games between two lines of the journal."""
_MAX_PLIES, _OPENING_PLIES = 400, 2


@dataclass(frozen=True)
class _Part:
    """Games of a network against an opponent: a line of the journal."""

    network: str
    opponent: str
    visits: int
    first: int
    scores: list[float]


def selfplay_curve(
    game: GameName,
    run: Annotated[Path, typer.Option(help="Folder of the run.")],
    generations: Annotated[str, typer.Option(help="Generations, such as 0,10,20.")],
    opponents: Annotated[str, typer.Option(help="random, strength-1 to strength-9.")],
    games: Annotated[int, typer.Option(min=2, help="Games of a match.")] = 40,
    visits: Annotated[int, typer.Option(min=0, help="Visits of the network's search.")] = 64,
    option: Options = None,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/selfplay"),
) -> None:
    """Plays networks of a run of self-play against fixed opponents.

    An interrupted command goes on where it ended. Writes curve.json, and curve.svg of several generations.
    """
    console, rules = make_console(), choose_game(game, option)
    journal = Journal(out / "matches.jsonl", kind=_Part)
    known = {(row["network"], row["opponent"], row["visits"], row["first"]): row for row in journal.entries}
    rows = []
    for opponent in opponents.split(","):
        for generation in whole_numbers(generations):
            network = f"{generation:05}"
            policy = load_policy(str(run / "networks" / f"{network}.onnx"), game)
            score = MatchScore(())
            for first in range(0, games, _TOGETHER):
                key = (network, opponent, visits, first)
                if key not in known:
                    numbers = range(first, min(first + _TOGETHER, games))
                    played = play_match(
                        rules, network_mover(policy, visits), fixed_opponent(opponent, rules, first), numbers,
                        seed=1, opening_plies=_OPENING_PLIES, max_plies=_MAX_PLIES,
                    )  # fmt: skip
                    known[key] = asdict(_Part(network, opponent, visits, first, list(played.scores)))
                    journal.add(known[key])
                score += MatchScore(tuple(known[key]["scores"]))
            rows.append({"generation": generation, "opponent": opponent, "visits": visits, **_figures(score)})
            console.print(rows[-1])
    report = {"game": game, "rows": rows, "interval": "Wilson, 95 %, of the score"}
    write_measurement(report, out / "curve.json", "studies")
    if len({row["generation"] for row in rows}) > 1:
        save_svg(_figure(rows), out, "curve")


def _figures(score: MatchScore) -> dict[str, Any]:
    return {
        "games": len(score.scores),
        "score": score.share,
        "interval": list(score.interval),
        "elo": score.elo,
    }


def _figure(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Scores over generations, a line for each opponent."""
    figure, axis = open_pyplot().subplots(figsize=(4.4, 2.9))
    names = dict.fromkeys(row["opponent"] for row in rows)
    for colour, opponent in zip(LINE_COLORS, names, strict=False):
        of = sorted((row for row in rows if row["opponent"] == opponent), key=lambda row: row["generation"])
        at, share = [row["generation"] for row in of], [100 * row["score"] for row in of]
        low, high = ([100 * row["interval"][i] for row in of] for i in (0, 1))
        axis.plot(at, share, color=colour, marker="o", markersize=3, label=opponent.replace("-", " "))
        axis.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
    axis.axhline(50, color=LINE_COLORS[8], linewidth=0.8, linestyle="--")
    axis.set_xlabel("generation")
    axis.set_ylabel("score, %")
    axis.legend(fontsize=8)
    return figure
