"""The commands of levels on people's scale: games of levels against themselves, and people's curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparring.cli.arguments import whole_numbers
from studies.levels.options import RESULTS
from studies.options import command_line


def level_own(
    table: Annotated[Path, typer.Argument(help="Level table.")],
    levels: Annotated[str, typer.Option(help="Levels, such as 800,1000.")],
    games: Annotated[int, typer.Option(min=1, help="Games of each level against itself.")] = 150,
    together: Annotated[int, typer.Option(min=1, help="Games in lockstep.")] = 24,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    out: Annotated[Path, typer.Option(help="File of the games; it is continued.")] = Path("own.pgn"),
) -> None:
    """Play games of each level of a table against itself, for `sparring measure mistakes`."""
    from sparring.players import read_level_table
    from studies.levels.own_games import play_levels

    play_levels(
        read_level_table(table), whole_numbers(levels), games, out,
        together=together, seed=seed,
        on_progress=lambda done, total: print(f"{done:,} of {total:,} games", flush=True),
    )  # fmt: skip


def level_curves(
    sources: Annotated[
        list[str], typer.Argument(help="NAME=RECORDS:FOLDER, the folder by `measure mistakes --centipawns`.")
    ],
    out: Annotated[Path, typer.Option(help="JSON file.")] = RESULTS / "people.json",
) -> None:
    """Write the curves of people: what they give away a move by rating, measured and smoothed."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.reports import write_json
    from studies.levels.people_scale import curve_table, game_losses

    content: dict[str, Any] = {"curves": {}}
    for source in sources:
        name, _, rest = source.partition("=")
        records, _, folder = rest.rpartition(":")
        judged = Path(folder) / "judged.jsonl"
        content["judge"] = read_journal(judged)[0]["judge"]
        content["curves"][name] = {
            "records": Path(records).name,
            "rows": curve_table(game_losses(Path(records), judged)),
        }
    write_json(provenance(command_line()) | content, out)
    print(f"{out}: {', '.join(content['curves'])}")


def level_compare(
    own: Annotated[Path, typer.Argument(help="File of games by `level-own`.")],
    judged: Annotated[Path, typer.Argument(help="Their folder by `measure mistakes --centipawns`.")],
    people: Annotated[Path, typer.Option(help="File of people's games.")],
    people_judged: Annotated[Path, typer.Option(help="Their folder.")],
    out: Annotated[Path, typer.Option(help="JSON file.")] = RESULTS / "people-scale.json",
) -> None:
    """Compare what levels give away with what people of their rating do, on two scales of expected scores."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.levels.people_scale import SCALES, comparison, comparison_table, game_losses

    report = {}
    for scale in SCALES:
        ours = game_losses(own, judged / "judged.jsonl", scale)
        theirs = game_losses(people, people_judged / "judged.jsonl", scale)
        report[scale] = comparison(ours, theirs)
        print(f"{scale}\n\n{comparison_table(report[scale])}\n")
    write_json(provenance(command_line()) | {"scales": report}, out)
