"""`sparring safer`: the move that is best among people, beside an engine's first choice, and traps."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.base.errors import UserError
from sparring.cli.arguments import Backend, GameName, SessionThreads, check_rating_range
from sparring.cli.console import foreign, make_console
from sparring.cli.predict import PositionQuery
from sparring.games import describe
from sparring.measure.expectation import (
    ComparedMove,
    ExpectationConfig,
    SaferMove,
    safer_moves,
    values_are_usable,
)
from sparring.networks import Position
from sparring.policies import load_policy, unrated

_DEFAULTS = ExpectationConfig()


def safer(
    game: GameName,
    moves: Annotated[str, typer.Option(help="Moves after the initial position, or after --position.")] = "",
    position: Annotated[
        str | None,
        typer.Option("--position", "--fen", "--sfen", help="Position: FEN, SFEN or the game's own text."),
    ] = None,
    rating: Annotated[int | None, typer.Option(help="Rating of the player to move.")] = None,
    opponent_rating: Annotated[
        int | None, typer.Option(help="Rating of the opponent; else the same.")
    ] = None,
    rank: Annotated[str | None, typer.Option(help="Go: rank of the player to move, such as 3d.")] = None,
    opponent_rank: Annotated[str | None, typer.Option(help="Go: rank of the opponent.")] = None,
    komi: Annotated[float | None, typer.Option(help="Go: komi.")] = None,
    rules: Annotated[str | None, typer.Option(help="Go: a rule set, such as chinese or japanese.")] = None,
    nodes: Annotated[
        int, typer.Option(min=1, max=1_000, help="Positions of the continuations after each move.")
    ] = _DEFAULTS.tree_nodes,
    engine_nodes: Annotated[
        int, typer.Option(min=2, max=100_000, help="Positions of the search for the engine's first choice.")
    ] = _DEFAULTS.engine_nodes,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    backend: Backend = "onnxruntime",
    threads: SessionThreads = 1,
) -> None:
    """Show the move that scores best among people of a rating.

    Prints it beside the engine's first choice, with where people go wrong after that one, and traps: moves
    that many people play and that lose.
    """
    question = PositionQuery(moves, position, komi, rules, rating, opponent_rating, rank, opponent_rank)
    _, place = question.to_position(game)
    human = load_policy("human", game, backend=backend, threads=threads)
    strong = load_policy("strong", game, backend=backend, threads=threads)
    if not unrated(human):
        check_rating_range(human, place.rating, place.opponent_rating)
    for policy in (human, strong):
        if not values_are_usable(policy):
            raise UserError(
                f"the network '{policy.name}' of {game} does not judge positions well enough for this"
            )
    config = ExpectationConfig(tree_nodes=nodes, engine_nodes=engine_nodes)
    (comparison,) = safer_moves([place], human, strong, config)
    if as_json:
        print(json.dumps(_result(comparison)))
    else:
        _show(game, place, comparison)


def _result(comparison: SaferMove) -> dict[str, Any]:
    mistake = comparison.mistake
    return {
        "engine": comparison.engine.text,
        "safer": comparison.safer.text,
        "gain": round(comparison.gain, 4),
        "mistake": None
        if mistake is None
        else {
            "line": list(mistake.names),
            "p": round(mistake.probability, 4),
            "loss": round(mistake.loss, 4),
        },
        "traps": [trap.text for trap in comparison.traps],
        "moves": [
            {
                "move": candidate.text,
                "p": round(candidate.share, 4),
                "engine": round(candidate.engine, 4),
                "people": round(candidate.expectation, 4),
            }
            for candidate in comparison.candidates
        ],
    }


def _show(game: str, place: Position, comparison: SaferMove) -> None:
    people = "people" if place.rating is None else f"people of {describe(game).ratings.format(place.rating)}"
    console = make_console()
    console.print(f"Expected score with the best play of both sides, and between {people}:")
    table = Table("move", "played", "best play", "people", "", box=None)
    for candidate in comparison.candidates:
        note = [
            word
            for word, holds in {
                "safer": candidate is comparison.safer is not comparison.engine,
                "engine's first choice": candidate is comparison.engine,
                "trap": candidate in comparison.traps,
            }.items()
            if holds
        ]
        table.add_row(
            foreign(candidate.name),
            f"{candidate.share:.1%}",
            f"{candidate.engine:.1%}",
            f"{candidate.expectation:.1%}",
            ", ".join(note),
        )
    console.print(table)
    for line in sentences(comparison):
        console.print(foreign(line))
    if place.rating is None:
        console.print(f"[dim]No --{describe(game).ratings.word} given: people of unknown strength.[/]")


def sentences(comparison: SaferMove) -> list[str]:
    """What the comparison says, in sentences."""
    if comparison.safer is comparison.engine:
        lines = [
            f"{comparison.engine.name} is the engine's first choice, and no move is better among people."
        ]
    else:
        lines = [
            f"{comparison.safer.name} is safer than the engine's first choice {comparison.engine.name}: "
            f"among people it scores {100 * comparison.gain:.1f} points of 100 more."
        ]
    if comparison.mistake is not None:
        moves = " ".join(comparison.mistake.names[1:])
        lines.append(
            f"Where people go wrong after {comparison.engine.name}: {moves} (one time in "
            f"{1 / comparison.mistake.probability:.0f}; it gives away {comparison.mistake.loss:.0%})."
        )
    return lines + [_trap_sentence(trap, comparison) for trap in comparison.traps]


def _trap_sentence(trap: ComparedMove, comparison: SaferMove) -> str:
    return f"Trap: {trap.share:.0%} play {trap.name}, which gives away {comparison.loss(trap):.0%}."
