"""`sparring blend`: pools of policies with weights fitted to people's moves."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.table import Table

from sparring.cli.arguments import GameName, command_line, named_policies
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.games import GAMES
from sparring.networks.store import user_data_folder
from sparring.records import BadTable, Split, UnsupportedFormat
from sparring.reports import today
from sparring.storage import atomic_write

_SPLITS = (*(str(split) for split in Split), "all")
_POLICY = "Name of a model, network file or policy TOML"


def fit_blend(
    game: GameName,
    human: Annotated[str, typer.Option(help=f"The human-like policy. {_POLICY}.")],
    strong: Annotated[str, typer.Option(help=f"The strong policy. {_POLICY}.")],
    records: Annotated[
        list[Path],
        typer.Option("--records", "-r", help="Folder of a table (`sparring records build`), or a game file."),
    ],
    also: Annotated[
        list[str] | None, typer.Option(help=f"A further policy; may be repeated. {_POLICY}.")
    ] = None,
    by: Annotated[
        str, typer.Option(help="Weights depend on: rating, position, or nothing (all).")
    ] = "rating",
    method: Annotated[
        str, typer.Option(help="likelihood, or grid (the paper's grid search for accuracy; two policies).")
    ] = "likelihood",
    player: Annotated[str | None, typer.Option(help="Fit the moves of this player only.")] = None,
    split: Annotated[
        str | None,
        typer.Option(help=f"Which games: {', '.join(_SPLITS)} (default: validation; all with --player)."),
    ] = None,
    trial: Annotated[int, typer.Option(min=0, help="Seed of the split.")] = 0,
    positions: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of positions per group.")
    ] = None,
    every: Annotated[
        int, typer.Option(min=1, help="Take one position in so many of each game: more games.")
    ] = 1,
    group: Annotated[list[str] | None, typer.Option(help="Only these groups, such as 1100 or 6d.")] = None,
    out: Annotated[Path, typer.Option(help="The policy file to write.")] = Path("blend.toml"),
    cache: Annotated[Path | None, typer.Option(help="Cache folder of predictions, shared by fits.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of a network's session.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fit pool weights to people's moves and write a policy file.

    Prints the weights of each rating group with 95 % intervals.
    """
    from sparring import blending, matching
    from sparring.blending.fitting import METHODS, WEIGHTS_BY

    if game not in GAMES:
        raise UserError(f"unknown game '{game}'; there are {', '.join(GAMES)}")
    for word, value, known in (
        ("way", by, WEIGHTS_BY),
        ("method", method, METHODS),
        ("split", split, _SPLITS),
    ):
        if value is not None and value not in known:
            raise UserError(f"unknown {word} '{value}'; there are {', '.join(known)}")
    if method == "grid" and (also or by == "position"):
        raise UserError("--method grid takes two policies and not --by position: use --method likelihood")
    for path in records:
        if not path.exists():
            raise UserError(f"no such table or file: {path}")
    wanted = split or ("all" if player is not None else str(Split.VALIDATION))
    selection = matching.GameSelection(
        game,
        tuple(records),
        None if wanted == "all" else Split(wanted),
        trial,
        tuple(group or ()),
        positions,
        every,
        player=player,
    )
    named = named_policies([human, strong, *(also or ())])
    with ProgressBar() as bar:
        try:
            experts = [
                matching.CachedPolicy.open(name, source, game, threads=threads) for name, source in named
            ]
            sample = matching.read_sample(selection)
            total = len(experts) * len(sample)
            choices = matching.gather_choice_data(
                experts,
                sample,
                cache or user_data_folder() / "choices",
                lambda done: bar.on_progress("predicting", done, total),
            )
        except (BadTable, UnsupportedFormat, matching.NoGames) as error:
            raise UserError(str(error)) from None
    groups = blending.fit_groups(choices, sample)
    note = (
        f"Fitted on {len(sample):,} positions of {len(sample.games):,} games, {wanted} split, on {today()}:\n"
        f"{command_line()}"
    )
    uses = [os.path.relpath(source, out.parent) if Path(source).is_file() else source for _, source in named]
    text, nll = _blend(choices, groups, game, uses, cast(Any, by), method, note)
    atomic_write(out, text)
    if as_json:
        found = {"blend": text, "nll": nll, "groups": {each.group: asdict(each) for each in groups}}
        print(json.dumps(found))
    else:
        _show(groups, [name for name, _ in named], nll, out)


def _blend(
    choices: Any, groups: list[Any], game: str, uses: list[str], by: Any, method: str, note: str
) -> tuple[str, float]:
    """The text of the policy file, and the mean negative log-likelihood on the fitted positions, in nats."""
    from sparring import blending

    if by == "position":
        found = blending.position_blend(choices)
        return blending.traits_text(game, uses, found, note), found.fit.nll
    if method == "grid":
        alpha = blending.alpha_curve(groups, by)
        return blending.alpha_text(game, uses, alpha, note), blending.AlphaWeights(alpha).mean_nll(choices)
    curves = blending.rating_blend(choices, by)
    return blending.curves_text(game, uses, curves.curves(), note), curves.fit.nll


def _show(groups: list[Any], names: list[str], nll: float, out: Path) -> None:
    console = make_console()
    table = Table("group", "positions", "alpha", box=None)
    if groups[0].best is not None:
        table.add_column("by accuracy")
    for name in names:
        table.add_column(f"weight of {foreign(name)}")
    table.add_column("nats, each alone and blended")
    for each in groups:
        cells = [_cell(each.alphas[0])]
        if each.best is not None:
            best = each.best
            cells.append(f"{best.alpha:.2f} [dim]within noise {best.low:.2f}-{best.high:.2f}[/]")
        cells += [_cell(weight) for weight in each.weights]
        mean_nll = " ".join(f"[dim]{alone:.3f}[/]" for alone in each.alone)
        table.add_row(foreign(each.group), f"{each.positions:,}", *cells, f"{mean_nll} {each.nll:.3f}")
    console.print(table)
    console.print(f"[dim]{foreign(out)}: {nll:.4f} nats per move on the fitted games[/]", soft_wrap=True)


def _cell(estimate: Any) -> str:
    return f"{estimate.value:.2f} [dim]{estimate.low:.2f}-{estimate.high:.2f}[/]"
