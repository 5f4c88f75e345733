"""`sparring measure`: how well policies predict people's moves, with intervals."""

from __future__ import annotations

import json
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.cli.arguments import GameName, command_line, named_policies
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.games import GAMES
from sparring.networks.sessions import BACKENDS
from sparring.records import BadTable, Split, UnsupportedFormat
from sparring.reports.numbers import plus_minus
from sparring.storage import lock_folder

_CELL, _MARGIN = 12, 28
"""Widths of a cell and of the columns to the left of the cells."""
_SPLITS = (*(str(split) for split in Split), "all")


def matching(
    game: GameName,
    policy: Annotated[
        list[str],
        typer.Option(
            "--policy", "-p", help="Name of a model, network file or policy TOML; or NAME=one of them."
        ),
    ],
    records: Annotated[
        list[Path],
        typer.Option("--records", "-r", help="Folder of a table (`sparring records build`), or a game file."),
    ],
    out: Annotated[Path | None, typer.Option(help="Report folder; scores already there are reused.")] = None,
    split: Annotated[str, typer.Option(help=f"Which games: {', '.join(_SPLITS)}.")] = "test",
    trial: Annotated[int, typer.Option(min=0, help="Seed of the split.")] = 0,
    trials: Annotated[int, typer.Option(min=1, help="Number of splits, with consecutive seeds.")] = 1,
    positions: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of positions per group.")
    ] = None,
    every: Annotated[
        int, typer.Option(min=1, help="Take one position in so many of each game: more games.")
    ] = 1,
    group: Annotated[list[str] | None, typer.Option(help="Only these groups, such as 1100 or 6d.")] = None,
    calibrate: Annotated[bool, typer.Option(help="Fit temperatures on the validation split first.")] = False,
    symmetries: Annotated[bool, typer.Option(help="Average networks over the board's symmetries.")] = False,
    backend: Annotated[
        str, typer.Option(help=f"Runtime of the networks: {', '.join(BACKENDS)}.")
    ] = "onnxruntime",
    threads: Annotated[int, typer.Option(min=1, help="Threads of a network's session.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="Positions per batch.")] = 64,
    html: Annotated[bool, typer.Option("--html", help="Render the report as an HTML page too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure accuracy, likelihood and calibration by group."""
    from sparring import matching as measuring

    if game not in GAMES:
        raise UserError(f"unknown game '{game}'; there are {', '.join(GAMES)}")
    if split not in _SPLITS:
        raise UserError(f"unknown split '{split}'; there are {', '.join(_SPLITS)}")
    for path in records:
        if not path.exists():
            raise UserError(f"no such table or file: {path}")
    selection = measuring.GameSelection(
        game,
        tuple(records),
        None if split == "all" else Split(split),
        trial,
        tuple(group or ()),
        positions,
        every,
    )
    options = measuring.MeasureOptions(backend, threads, batch, symmetries, calibrate)
    sources = [measuring.PolicySource(*each) for each in named_policies(policy)]
    lock = nullcontext() if out is None else lock_folder(out)
    with lock, tempfile.TemporaryDirectory() as passing, ProgressBar() as bar:
        try:
            content = measuring.measure(
                sources,
                selection,
                out or Path(passing),
                trials=trials,
                options=options,
                on_progress=bar.on_progress,
            )
        except (BadTable, UnsupportedFormat, measuring.NoGames) as error:
            raise UserError(str(error)) from None
        undone = "" if out is None else _write(content, out, html)
    if as_json:
        print(json.dumps({"policies": _by_policy(content)}))
    else:
        _show(content, out, undone)


def _by_policy(content: dict[str, Any]) -> dict[str, Any]:
    """The measurements by policy."""
    found = content["policies"]
    for aspect in ("differences", "trials"):
        for name, entries in content.get(aspect, {}).items():
            found[name][aspect] = entries
    return dict(found)


def _write(content: dict[str, Any], out: Path, html: bool) -> str:
    from sparring.matching.figures import report_figures
    from sparring.matching.report import write_page
    from sparring.reports.report import write_report

    undone = write_report(content, out, command_line(), report_figures(content))
    if html:
        write_page(out)
    return undone


def _show(content: dict[str, Any], out: Path | None, undone: str) -> None:
    from sparring.matching.report import few_games_warning

    console = make_console()
    policies = content["policies"]
    names = list(policies)
    width = max(_CELL, *map(len, names)) + 2
    at_once = max(1, (console.width - _MARGIN) // width)
    for begin in range(0, len(names), at_once):
        console.print(_table({name: policies[name] for name in names[begin : begin + at_once]}))
    for name, found in content.get("trials", {}).items():
        spread = found["mean"]
        often = len(spread["trials"])
        console.print(
            f"{foreign(name)}: {spread['mean']:.3f} {plus_minus(spread['deviation'], 3)} over {often} trials"
        )
    if few := few_games_warning(content):
        console.print(f"[yellow]groups with {foreign(few)}[/]", soft_wrap=True)
    if out is not None:
        console.print(
            f"[dim]report: {foreign(out / 'report.json')}; HTML page: sparring report {foreign(out)}[/]",
            soft_wrap=True,
        )
    if undone:
        console.print(f"[yellow]{foreign(undone)}[/]", soft_wrap=True)


def _table(policies: dict[str, Any]) -> Table:
    """Accuracy by group, with half the width of the 95 % interval, and the mean over groups."""
    table = Table("group", "positions", *map(foreign, policies), box=None)
    for group, entry in next(iter(policies.values()))["groups"].items():
        cells = [_cell(found["groups"][group]) for found in policies.values()]
        table.add_row(foreign(group), f"{entry['positions']:,}", *cells)
    means = [found["mean"] for found in policies.values()]
    table.add_row("mean", "", *map(_cell, means), style="bold")
    table.add_row("[dim]nats per move[/]", "", *(f"[dim]{mean['nll']:.3f}[/]" for mean in means))
    return table


def _cell(entry: dict[str, float]) -> str:
    return f"{entry['top1']:.3f} [dim]{plus_minus((entry['high'] - entry['low']) / 2, 3)}[/]"
