"""`python -m studies strength-moves`: a log-linear model of strength beside `sparring measure level`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from sparring.base.provenance import provenance
from sparring.cli.console import ProgressBar
from sparring.measure.reports import write_json
from sparring.measure.samples import PHASES
from sparring.measure.strength import StrengthModel as LevelModel
from sparring.measure.strength import shipped_strength_model
from sparring.policies import Policy, load_policy
from sparring.policies.policy import Array
from studies.options import command_line
from studies.strength.fit import MANY_SETS, fit_model, flat_prior, normal_prior, with_player_error
from studies.strength.measure import (
    Method,
    curve_method,
    errors,
    group_accuracy,
    new_method,
    persons,
    placed_accuracy,
    refitted_curves,
)
from studies.strength.moves import (
    PlannedSide,
    Side,
    evaluate,
    evaluated,
    plan,
    rated_games,
    read_sides,
    whole_of_groups,
    whole_sides,
)

_TIMED = 4


def strength_moves(
    blitz: Annotated[Path, typer.Option(help="Games of blitz that `human` was not trained on.")],
    rapid: Annotated[Path, typer.Option(help="Games of rapid; those of the training split are left out.")],
    cache: Annotated[Path, typer.Option(help="Evaluated moves; a stopped run goes on from there.")],
    sides: Annotated[int, typer.Option(min=1, help="Players of games to evaluate, some moves each.")] = 2500,
    whole: Annotated[
        int, typer.Option(min=1, help="Players of rapid games to evaluate with all moves.")
    ] = 120,
    whole_blitz: Annotated[
        int, typer.Option(min=0, help="Players of blitz to evaluate with all moves, all groups alike.")
    ] = 400,
    out: Annotated[Path, typer.Option(help="Report.")] = Path("results/strength/strength.json"),
) -> None:
    """Estimate ratings of people from their moves: fit a model and measure it on other people."""
    human, strong = (load_policy(name, "chess", threads=1) for name in ("human", "strong"))
    games = rated_games(rapid)
    planned, all_moves = plan(rated_games(blitz), games), whole_sides(games, whole)
    wanted = [*planned[:sides], *all_moves, *whole_of_groups(planned, whole_blitz)]
    with ProgressBar() as bar:
        for done in evaluate(human, strong, wanted, cache):
            bar.on_progress("evaluating the moves", done, len(wanted))
    seconds = processor_seconds(human, strong, all_moves[:_TIMED])
    report = measured(read_sides(cache), shipped_strength_model("chess"))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json(provenance(command_line()) | {"processor_seconds_a_player_and_game": seconds} | report, out)


def processor_seconds(human: Policy, strong: Policy, sides: Sequence[PlannedSide]) -> float:
    """Mean processor time to evaluate a side."""
    begin = time.process_time()
    for side in sides:
        list(evaluated(human, strong, [side]))
    return (time.process_time() - begin) / len(sides)


def measured(sides: Sequence[Side], shipped: LevelModel) -> dict[str, Any]:
    """The report: models fitted on half of the people, measured on the others.

    The sample has all ratings alike, and so does the prior, but for whole games of rapid: there people and
    the prior are those of the records. The curve fitted again has the normal prior of its fit.
    """
    fitted = [side for side in sides if side.fitted]
    test = [side for side in sides if not side.fitted and side.role != "whole"]
    several = persons(fitted, 3)
    model = with_player_error(fit_model(fitted), several)
    many = with_player_error(fit_model(fitted, sets=MANY_SETS), several)
    plain = with_player_error(fit_model(fitted, features=False), several)
    again = refitted_curves(fitted)

    def methods(prior: Array, own: Array) -> list[Method]:
        return [
            curve_method("shipped", {False: shipped, True: shipped}, prior),
            curve_method("shipped_fitted_again", again, own),
            new_method("log_linear", model, prior),
            new_method("log_linear_more_sets", many, prior),
            new_method("log_linear_without_features", plain, prior),
        ]

    ratings = np.array([side.rating for side in fitted], np.float64)
    alike = methods(flat_prior(800.0, 2600.0), normal_prior(float(ratings.mean()), float(ratings.std())))
    natural = methods(normal_prior(*shipped.prior), normal_prior(*shipped.prior))
    blitz = [side for side in test if not side.slow]
    whole_blitz = [side for side in sides if side.role == "whole" and not side.slow]
    whole_rapid = [side for side in sides if side.role == "whole" and side.slow]
    parts = {name: [side.of_phase(phase) for side in blitz] for phase, name in enumerate(PHASES)}
    return {
        "fitted_on": {
            "people": len({side.name for side in fitted}),
            "sides": len(fitted),
            "sides_of_blitz": sum(not side.slow for side in fitted),
            "moves": sum(len(side.curves) for side in fitted),
        },
        "models": {"log_linear": asdict(model), "log_linear_more_sets": asdict(many)},
        "groups_blitz": group_accuracy(alike, blitz),
        "groups_blitz_all_moves": group_accuracy(alike, whole_blitz),
        "groups_blitz_all_moves_placed": placed_accuracy(alike, whole_blitz),
        "one_game_blitz": errors(alike, [[side] for side in blitz]),
        "one_game_blitz_all_moves": errors(alike, [[side] for side in whole_blitz]),
        "one_game_blitz_by_phase": {
            name: errors(alike, [[side] for side in part if side is not None]) for name, part in parts.items()
        },
        "one_game_rapid": errors(alike, [[side] for side in test if side.slow]),
        "one_game_rapid_all_moves": errors(natural, [[side] for side in whole_rapid]),
        "persons_blitz": {str(count): errors(alike, persons(test, count)) for count in (1, 3)},
    }


def strength_go(
    test: Annotated[Path, typer.Option(help="SGF file of Fox games between people of one rank.")],
    training: Annotated[Path, typer.Option(help="SGF file of the games that `human` was trained on.")],
    cache: Annotated[Path, typer.Option(help="Evaluated games; a stopped run goes on from there.")],
    per_rank: Annotated[int, typer.Option(min=1, help="Most games of a rank on Fox.")] = 40,
    longer: Annotated[int, typer.Option(min=0, help="Games of a rank with three times the moves.")] = 3,
    persons: Annotated[int, typer.Option(min=0, help="People of a rank with 8 games each.")] = 2,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    model: Annotated[Path | None, typer.Option(help="File for the model of all people.")] = None,
    out: Annotated[Path, typer.Option(help="Report.")] = Path("results/strength/go.json"),
) -> None:
    """Estimate ranks of people of Go from their moves: fit a model and measure it on other people."""
    from sparring.base.storage import Journal
    from studies.strength import go

    human, strong = (
        load_policy(name, "go", backend=backend, threads=1, batch=40) for name in ("human", "strong")
    )
    journal = Journal(cache, header={"ranks": go.RANKS, "most_moves": go.MOST_MOVES})
    sources = [
        ("fox", go.fox_games(test, training, per_rank), go.MOST_MOVES),
        ("longer", go.fox_games(test, training, longer) if longer else [], 3 * go.MOST_MOVES),
        ("persons", go.person_games(training, persons, go.PERSON_GAMES), go.MOST_MOVES),
    ]
    with ProgressBar() as bar:
        for source, games, most in sources:
            for done in go.collect(human, strong, games, source, journal, most):
                bar.on_progress(f"evaluating the games: {source}", done, len(games))
    entries = Journal(cache).entries[1:]
    sides = {source: go.sides_of(entries, source) for source, _, _ in sources}
    report = go.measured(sides["fox"], sides["persons"], sides["longer"])
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json(provenance(command_line()) | report, out)
    if model is not None:
        persons_of_all = go.persons_of(sides["persons"], go.PERSON_GAMES)
        write_json(asdict(go.fitted(sides["fox"], persons_of_all, command_line())), model)
    one = report["one_game"]
    print(f"one game: {one['mean_absolute_error']:.2f} ranks, guessing the mean {one['without_games']:.2f}")
