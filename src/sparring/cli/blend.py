"""`sparring blend`: pools of policies with weights fitted to people's moves."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.table import Table

from sparring.base.config import user_data_folder
from sparring.base.provenance import today
from sparring.base.storage import atomic_write
from sparring.cli.arguments import (
    SPLITS,
    AsJson,
    Every,
    GameName,
    GroupPositions,
    Groups,
    Records,
    SessionThreads,
    Trial,
    check_choice,
    check_records,
    chosen_split,
    command_line,
    named_policies,
)
from sparring.cli.console import ProgressBar, foreign, make_console

_POLICY = "Name of a model, network file or policy TOML"


def fit_blend(
    game: GameName,
    human: Annotated[str, typer.Option(help=f"The human-like policy. {_POLICY}.")],
    strong: Annotated[str, typer.Option(help=f"The strong policy. {_POLICY}.")],
    records: Records,
    also: Annotated[
        list[str] | None, typer.Option(help=f"A further policy; may be repeated. {_POLICY}.")
    ] = None,
    by: Annotated[
        str, typer.Option(help="Weights depend on: rating, position, or nothing (all).")
    ] = "rating",
    player: Annotated[str | None, typer.Option(help="Fit the moves of this player only.")] = None,
    split: Annotated[
        str | None,
        typer.Option(help=f"Which games: {', '.join(SPLITS)} (default: validation; all with --player)."),
    ] = None,
    trial: Trial = 0,
    positions: GroupPositions = None,
    every: Every = 1,
    group: Groups = None,
    out: Annotated[Path, typer.Option(help="The policy file to write.")] = Path("blend.toml"),
    cache: Annotated[Path | None, typer.Option(help="Cache folder of predictions, shared by fits.")] = None,
    threads: SessionThreads = 1,
    as_json: AsJson = False,
) -> None:
    """Fit pool weights to people's moves and write a policy file.

    Prints the weights of each rating group with 95 % intervals.
    """
    from sparring import measure
    from sparring.measure.blending import WEIGHTS_BY

    default = "validation" if player is None else "all"
    wanted = default if split is None else split
    check_choice("way", by, WEIGHTS_BY)
    part = chosen_split(wanted)
    check_records(records)
    selection = measure.GameSelection(
        game, tuple(records), part, trial, tuple(group or ()), positions, every, player=player
    )
    named = named_policies([human, strong, *(also or ())])
    with ProgressBar() as bar:
        experts = [measure.CachedPolicy.open(name, source, game, threads=threads) for name, source in named]
        sample = measure.read_sample(selection)
        total = len(experts) * len(sample)
        choices = measure.gather_choice_data(
            experts,
            sample,
            cache or user_data_folder() / "choices",
            lambda done: bar.on_progress("predicting", done, total),
        )
    groups = measure.fit_groups(choices, sample)
    note = (
        f"Fitted on {len(sample):,} positions of {len(sample.games):,} games, {wanted} split, on {today()}:\n"
        f"{command_line()}"
    )
    uses = [os.path.relpath(source, out.parent) if Path(source).is_file() else source for _, source in named]
    text, nll = _blend(choices, game, uses, cast(Any, by), note)
    atomic_write(out, text)
    if as_json:
        report = {"blend": text, "nll": nll, "groups": {fit.group: asdict(fit) for fit in groups}}
        print(json.dumps(report))
    else:
        _show(groups, [name for name, _ in named], nll, out)


def _blend(choices: Any, game: str, uses: list[str], by: Any, note: str) -> tuple[str, float]:
    """The text of the policy file, and the mean negative log-likelihood on the fitted positions, in nats."""
    from sparring import measure

    if by == "position":
        blend = measure.position_blend(choices)
        return measure.traits_text(game, uses, blend, note), blend.fit.nll
    curves = measure.rating_blend(choices, by)
    return measure.curves_text(game, uses, curves.curves(), note), curves.fit.nll


def _show(groups: list[Any], names: list[str], nll: float, out: Path) -> None:
    console = make_console()
    table = Table("group", "positions", "alpha", box=None)
    if groups[0].best is not None:
        table.add_column("by accuracy")
    for name in names:
        table.add_column(f"weight of {foreign(name)}")
    table.add_column("nats, each alone and blended")
    for fit in groups:
        cells = [_cell(fit.alphas[0])]
        if fit.best is not None:
            best = fit.best
            cells.append(f"{best.alpha:.2f} [dim]within noise {best.low:.2f}-{best.high:.2f}[/]")
        cells += [_cell(weight) for weight in fit.weights]
        mean_nll = " ".join(f"[dim]{alone:.3f}[/]" for alone in fit.alone)
        table.add_row(foreign(fit.group), f"{fit.positions:,}", *cells, f"{mean_nll} {fit.nll:.3f}")
    console.print(table)
    console.print(f"[dim]{foreign(out)}: {nll:.4f} nats per move on the fitted games[/]", soft_wrap=True)


def _cell(estimate: Any) -> str:
    return f"{estimate.value:.2f} [dim]{estimate.low:.2f}-{estimate.high:.2f}[/]"
