"""`python -m studies descent`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress, TaskID

from sparring.base.errors import UserError
from sparring.base.provenance import provenance
from sparring.base.storage import lock_folder
from sparring.cli.arguments import GameName
from sparring.cli.console import foreign, make_console
from sparring.measure.reports import write_json
from studies.options import command_line


def _advance(bar: Progress, task: TaskID, games: int) -> None:
    bar.update(task, completed=games)


def descent(
    game: GameName,
    network: Annotated[Path, typer.Option(help="Value network of `sparring train descent`.")],
    evaluation: Annotated[
        list[str] | None,
        typer.Option(help="Opponent: alpha-beta with a linear evaluation, a file or learned; repeatable."),
    ] = None,
    strength: Annotated[
        list[int] | None, typer.Option(min=1, max=9, help="Opponent: a small player with its own nodes.")
    ] = None,
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Opponent: the small player with all its parts, at equal time.")
    ] = False,
    alphabeta: Annotated[
        bool, typer.Option("--alphabeta", help="The network plays by alpha-beta, not by best-first minimax.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=1e-4, help="Processor seconds a move.")] = 0.01,
    games: Annotated[int, typer.Option(min=2, help="Games of each match.")] = 100,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/descent"),
    work: Annotated[Path, typer.Option(help="Folder of the games.")] = Path("build/descent"),
) -> None:
    """Play a network of Descent against other small players at equal processor time."""
    from studies.descent import matches

    make_new = matches.alphabeta_network_player if alphabeta else matches.network_player
    new = ("descent-alphabeta" if alphabeta else "descent", make_new(game, network))
    opponents: list[tuple[str, Any, int | None]] = [
        (Path(name).stem, matches.evaluation_player(game, name), None) for name in evaluation or []
    ]
    for number in strength or []:
        nodes = 150 * 3 ** (number - 1)
        opponents.append((f"strength-{number}", matches.strength_player(game, number), nodes))
    if shipped:
        opponents.append(("shipped", matches.strength_player(game, 9), None))
    if not opponents:
        raise UserError("no opponent: give --evaluation, --strength or --shipped")
    work.mkdir(parents=True, exist_ok=True)
    with lock_folder(work), Progress(console=make_console(stderr=True)) as bar:
        for name, make, old_nodes in opponents:
            label = f"{game}-{new[0]}-{name}-{seconds * 1000:g}ms"
            task = bar.add_task(foreign(label), total=games)
            summary = matches.match(
                game,
                new,
                (name, make),
                seconds=seconds,
                games=games,
                seed=seed,
                journal=work / f"{label}.jsonl",
                old_nodes=old_nodes,
                played=partial(_advance, bar, task),
            )
            write_json({**provenance(command_line()), "game": game, **summary}, out / f"{label}.json")
            make_console().print(
                f"{foreign(label)}: {summary['score']:.1%} ({summary['score_low']:.1%} to "
                f"{summary['score_high']:.1%}) of {summary['games']} games"
            )
