"""`sparring tune`: parameters of a search fitted to people's moves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from sparring.base.errors import JournalMismatch, UserError
from sparring.base.provenance import today
from sparring.base.storage import atomic_write, lock_folder
from sparring.cli.arguments import (
    AsJson,
    Backend,
    Every,
    GameName,
    Records,
    SessionThreads,
    check_records,
    command_line,
    whole_numbers,
)
from sparring.cli.console import INTERRUPTED, foreign, make_console

if TYPE_CHECKING:
    from sparring.measure.tuning import DescentStep


def levels(
    game: GameName,
    network: Annotated[str, typer.Option(help="Network that searches: a model's name, a file or a policy.")],
    records: Records,
    classes: Annotated[
        str, typer.Option(help="Ratings of the classes, separated by commas.")
    ] = "1250,1650,2150,2550",
    out: Annotated[Path, typer.Option(help="The level table to write.")] = Path("levels.toml"),
    nodes: Annotated[int, typer.Option(min=2, help="Nodes of each search.")] = 32,
    positions: Annotated[int, typer.Option(min=16, help="Positions of each class.")] = 2048,
    held_out: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    width: Annotated[int, typer.Option(min=1, help="Width of a class in rating points.")] = 100,
    every: Every = 8,
    minibatch: Annotated[int, typer.Option(min=8, help="Positions of a step.")] = 256,
    steps: Annotated[int, typer.Option(min=1, help="Most steps of a class.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the order of positions.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Classes that are tuned at the same time.")] = 1,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster, auto or local.")] = None,
    backend: Backend = "onnxruntime",
    threads: SessionThreads = 1,
    batch: Annotated[int, typer.Option(min=1, help="Positions that the network evaluates at once.")] = 64,
    keep_anyway: Annotated[
        bool, typer.Option("--keep-anyway", help="Write the table even if nothing was gained.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Tune a search to classes of players and write a level table.

    Tunes temperature, policy temperature and c_puct to people's moves, and compares the end with the start on
    unseen games. If nothing was gained, no table is written. The journals of the classes are in a folder
    beside the table; a stopped run resumes.
    """
    from sparring import measure

    check_records(records)
    if not (ratings := sorted(set(whole_numbers(classes)))):
        raise UserError("--classes names no rating")
    descent = measure.DescentConfig(nodes, minibatch, steps=steps, seed=seed)
    config = measure.TuningConfig(
        game, network, tuple(records), descent, positions, held_out, width / 2, every,
        backend, threads, batch,
    )  # fmt: skip
    folder = out.with_suffix(".tuning")
    with lock_folder(folder):
        try:
            results = measure.tune_classes(
                ratings, config, folder, workers=workers, ray=ray, on_step=_report_step, on_result=_report
            )
        except JournalMismatch:
            raise UserError(
                f"{folder} holds a tuning with other options: remove it, or give another --out"
            ) from None
        except KeyboardInterrupt:
            raise UserError("interrupted; the same command resumes", code=INTERRUPTED) from None
    if as_json:
        print(json.dumps({"classes": results}))
    else:
        _show(results, out)
    flat = [str(result["class"]) for result in results if not result["gained"]]
    if flat and not keep_anyway:
        raise UserError(
            f"nothing was gained for {', '.join(flat)}: {out} is not written. "
            "Leave these classes out, or write it all the same with --keep-anyway"
        )
    policy = os.path.relpath(network, out.parent) if Path(network).is_file() else network
    _write(results, game, policy, nodes, out)
    make_console(stderr=True).print(f"[dim]{foreign(out)} is written[/]", soft_wrap=True)


def _report_step(rating: int, step: DescentStep) -> None:
    make_console(stderr=True).print(f"[dim]class {rating}, step {step.step + 1}: {step.loss:.4f} nats[/]")


def _report(result: dict[str, Any]) -> None:
    start, end = result["start"]["held_out"]["value"], result["held_out"]["value"]
    more = "" if result.get("converged", True) else ", not converged: more --steps go on from here"
    text = (
        f"class {result['class']}: {result['steps']} steps, {start:.4f} nats on unseen games at the start, "
        f"{end:.4f} at the end: {_gain_in_words(result)}{more}"
    )
    make_console(stderr=True).print(text, soft_wrap=True)


def _gain_in_words(result: dict[str, Any]) -> str:
    gain = result["gain"]
    interval = f"{gain['value']:+.4f}, {gain['low']:+.4f} to {gain['high']:+.4f}"
    return f"gained {interval}" if result["gained"] else f"nothing was gained ({interval})"


def _write(results: list[dict[str, Any]], game: str, policy: str, nodes: int, out: Path) -> None:
    """The level table: one row a class, or the smooth curve from two classes on."""
    from sparring.measure import tuning_run as rating_curve
    from sparring.measure.tuning import Theta

    note = f"Tuned to people's moves on {today()}; their strength is not measured:\n{command_line()}"
    if len(results) == 1:
        rows = {results[0]["class"]: Theta(**results[0]["theta"])}
    else:
        curve = rating_curve.fit_theta_curve(results)
        rows = {rating: curve.at(rating) for rating in rating_curve.RATINGS}
    atomic_write(out, rating_curve.level_table_text(game, policy, nodes, rows, note))


def _show(results: list[dict[str, Any]], out: Path) -> None:
    table = Table("class", "tau", "t", "c_puct", "nats", "gain", "policy alone", "steps", "minutes", box=None)
    for result in results:
        theta, held_out, gain = result["theta"], result["held_out"], result["gain"]
        table.add_row(
            str(result["class"]),
            *(f"{theta[key]:.2f}" for key in ("temperature", "policy_temperature", "c_puct")),
            f"{held_out['value']:.3f} [dim]{held_out['low']:.3f}-{held_out['high']:.3f}[/]",
            f"{gain['value']:+.3f} [dim]{gain['low']:+.3f} to {gain['high']:+.3f}[/]",
            f"{result['by_nodes'][0]['value']:.3f}",
            str(result["steps"]),
            f"{result['seconds_in_all'] / 60:.1f}",
        )
    console = make_console()
    console.print(table)
    console.print(f"[dim]journals: {foreign(out.with_suffix('.tuning'))}[/]", soft_wrap=True)
