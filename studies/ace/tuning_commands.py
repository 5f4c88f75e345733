"""The commands that measure tuned classes: losses by policy, gradient, curve, class and position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparring.base.errors import UserError
from studies.ace.options import RESULTS, Backend, Batch, Records
from studies.options import command_line

if TYPE_CHECKING:
    from sparring.measure import PlayedPositions


def ace_baselines(
    records: Records,
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,1650,2150,2550",
    policies: Annotated[str, typer.Option(help="Policies without search.")] = "human,blend,strong",
    positions: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "baselines.json",
) -> None:
    """Measure policies without search on the held-out moves of the tuned classes."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.ace.baselines import baselines

    ratings = [int(word) for word in classes.split(",")]
    rows = baselines(records, ratings, policies.split(","), positions, backend=backend, batch=batch)
    write_json(provenance(command_line()) | {"rows": rows}, out)
    for row in rows:
        print(f"{row['class']} {row['policy']}: {row['nats']['value']:.4f} nats")


def ace_gradients(
    records: Records,
    tuning: Annotated[Path | None, typer.Option(help="Folder of tuned classes: their Theta too.")] = None,
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,2150",
    network: Annotated[str, typer.Option(help="Network that searches.")] = "strong",
    nodes: Annotated[int, typer.Option(min=2, help="Nodes of each search.")] = 32,
    positions: Annotated[int, typer.Option(min=16, help="Positions of each class.")] = 1024,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "gradients.json",
) -> None:
    """Compare the gradients of Algorithm 1 at the first Theta and at the tuned one."""
    from sparring import load_policy
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.measure.tuning import Theta, class_positions
    from studies.ace.curve import results_in
    from studies.ace.gradients import compare_gradients

    policy = load_policy(network, "chess", backend=backend, batch=batch)
    tuned = {row["class"]: Theta(**row["theta"]) for row in results_in(tuning)} if tuning is not None else {}
    rows: list[dict[str, Any]] = []
    for rating in (int(word) for word in classes.split(",")):
        data = class_positions("chess", records, rating, positions)
        for name, theta in (("first", Theta()), ("tuned", tuned.get(rating))):
            if theta is not None:
                found = compare_gradients(policy, data, theta, nodes)
                rows.append({"class": rating, "at": name, **found})
                write_json(provenance(command_line()) | {"gradients": rows}, out)
                print(f"{rating}, {name} Theta", flush=True)


def ace_curve(
    records: Records,
    tuning: Annotated[Path, typer.Option(help="Folder of tuned classes.")],
    positions: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    network: Annotated[str, typer.Option(help="Network that searches.")] = "strong",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "curve.json",
) -> None:
    """Measure Theta as a function of the rating on the held-out moves of the tuned classes."""
    from sparring import load_policy
    from sparring.measure.tuning import MemoizedPolicy
    from studies.ace.curve import curve_losses, results_in

    results = list(results_in(tuning))
    if len(results) < 2:
        raise UserError(f"{tuning} has fewer than two tuned classes")
    policy = MemoizedPolicy(load_policy(network, "chess", backend=backend, batch=batch))
    held_out = partial(_held_out_positions, records, positions)
    for row in _saved_rows(curve_losses(policy, results, held_out), out):
        print(f"{_losses(row)}; by phase {-row['phase_gain']['value']:+.4f}", flush=True)


def ace_cross(
    records: Records,
    tuning: Annotated[Path, typer.Option(help="Folder of tuned classes.")],
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,1650,2150,2550",
    positions: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    network: Annotated[str, typer.Option(help="Network that searches.")] = "strong",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "cross.json",
) -> None:
    """Measure the Theta of each class on the held-out moves of the others."""
    from sparring import load_policy
    from sparring.measure.tuning import MemoizedPolicy
    from studies.ace.curve import cross_losses, results_in

    wanted = [int(word) for word in classes.split(",")]
    policy = MemoizedPolicy(load_policy(network, "chess", backend=backend, batch=batch))
    results = [each for each in results_in(tuning) if each["class"] in wanted]
    held_out = partial(_held_out_positions, records, positions)
    for row in _saved_rows(cross_losses(policy, results, held_out), out):
        print(_losses(row), flush=True)


def ace_losses(
    tuning: Annotated[Path, typer.Argument(help="Folder of journals by `sparring tune levels`.")],
    positions: Annotated[Path, typer.Option(help="Scored positions, a file by `level-scores`.")],
    every: Annotated[int, typer.Option(min=1, help="Take one position in so many.")] = 3,
    classes: Annotated[str, typer.Option(help="Classes that play.")] = "1250,1650,2150,2550",
    network: Annotated[str, typer.Option(help="Network of all classes.")] = "strong",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "losses.json",
) -> None:
    """Measure the loss a move of the tuned classes in people's positions, beside people's own."""
    from sparring import load_policy
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.ace.losses import class_losses
    from studies.ace.players import class_players
    from studies.levels.positions import PEOPLE, read_game_positions

    players = class_players(tuning, [int(word) for word in classes.split(",")])
    policy = load_policy(network, "chess", backend=backend, batch=batch)
    scored = [
        game_position for game_position in read_game_positions(positions) if game_position.source == PEOPLE
    ]
    rows = class_losses(policy, players, scored[::every])
    write_json(provenance(command_line()) | {"rows": rows}, out)
    for name in ("people", *players):
        mean = rows[0]["kinds"][0][name]
        print(f"{name}: {mean['mean']:.4f} ({mean['interval'][0]:.4f} to {mean['interval'][1]:.4f})")


def _held_out_positions(records: Sequence[Path], count: int, rating: int) -> PlayedPositions:
    """Test positions of the class of a rating."""
    from sparring.measure.tuning import class_positions
    from sparring.records import Split

    return class_positions("chess", records, rating, count, split=Split.TEST)


def _saved_rows(rows: Iterable[dict[str, Any]], out: Path) -> Iterator[dict[str, Any]]:
    """The rows one by one; the file has all so far."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json

    saved: list[dict[str, Any]] = []
    for row in rows:
        saved.append(row)
        write_json(provenance(command_line()) | {"rows": saved}, out)
        yield row


def _losses(row: dict[str, Any]) -> str:
    """A row's class and its losses, for the terminal."""
    losses = ", ".join(f"{name} {each['value']:.4f}" for name, each in row["loss"].items())
    return f"{row['class']}: {losses}"
