"""`sparring predict`: what a network would play."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sparring.cli.choosing import GameName
from sparring.cli.errors import UserError
from sparring.cli.questions import Question
from sparring.games import GAMES, Game
from sparring.networks import Network, Prediction, load
from sparring.networks.sessions import BACKENDS

_LINES = 256
"""Lines of an input file that are read before the networks are asked."""


def predict(
    game: GameName,
    model: Annotated[
        list[str], typer.Option("--model", "-m", help="A model's name or file; several give columns.")
    ],
    moves: Annotated[str, typer.Option(help="Moves from the beginning or the position.")] = "",
    position: Annotated[
        str | None, typer.Option("--position", "--fen", "--sfen", help="Where to begin.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many moves to show.")] = 5,
    rating: Annotated[int | None, typer.Option(help="Of the player to move.")] = None,
    opponent_rating: Annotated[int | None, typer.Option(help="Of the other player.")] = None,
    komi: Annotated[float | None, typer.Option(help="Go: White's points for moving second.")] = None,
    rules: Annotated[str | None, typer.Option(help="Go: a rule set, such as chinese or japanese.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--input", help="Questions, one JSON object a line (- for standard input)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON with every legal move.")] = False,
    backend: Annotated[
        str, typer.Option(help=f"What runs the network: {', '.join(BACKENDS)}.")
    ] = "onnxruntime",
    threads: Annotated[int, typer.Option(min=1, help="Threads for one batch.")] = 1,
) -> None:
    """The moves that a network expects, with their probabilities."""
    if game not in GAMES:
        raise UserError(f"unknown game '{game}'; there are {', '.join(GAMES)}")
    networks = {name: _load(name, game, backend, threads) for name in model}
    if file is not None:
        _answer_lines(networks, game, file)
        return
    question = Question(moves, position, komi, rules, rating, opponent_rating)
    rules_of, place = question.place(game)
    found = {name: network.predict([place])[0] for name, network in networks.items()}
    if as_json:
        print(json.dumps(_result(rules_of, place.state, found)))
    else:
        _show(rules_of, place.state, found, top)


def _load(name: str, game: str, backend: str, threads: int) -> Network:
    try:
        network = load(name, backend=backend, threads=threads)
    except (ImportError, ValueError) as error:
        raise UserError(str(error)) from None
    if network.card.game != game:
        raise UserError(f"{name} is a network for {network.card.game}, not for {game}")
    return network


def _result(game: Game[Any], state: Any, found: dict[str, Prediction]) -> object:
    """One object for one model, a list for several."""
    results = [
        {
            "model": name,
            "moves": [
                {"move": game.move_text(state, move), "p": round(p, 6)}
                for move, p in prediction.top(len(prediction.moves))
            ],
            "wdl": None if prediction.wdl is None else [round(p, 6) for p in prediction.wdl],
            "value": None if prediction.value is None else round(prediction.value, 6),
        }
        | ({} if prediction.lead is None else {"lead": round(prediction.lead, 4)})
        for name, prediction in found.items()
    ]
    return results[0] if len(results) == 1 else results


def _answer_lines(networks: dict[str, Network], game: str, file: Path) -> None:
    """A result a line in the order of the questions; a question that is wrong gets its error there."""
    wrong = 0
    with sys.stdin if str(file) == "-" else file.open(encoding="utf-8") as lines:
        for group in _groups((line for line in lines if line.strip()), _LINES):
            asked = [_place(line, game) for line in group]
            good = [place for place in asked if not isinstance(place, str)]
            answers = {
                name: iter(network.predict([place for _, place in good]))
                for name, network in networks.items()
            }
            for place in asked:
                if isinstance(place, str):
                    wrong += 1
                    print(json.dumps({"error": place}))
                else:
                    found = {name: next(answer) for name, answer in answers.items()}
                    print(json.dumps(_result(place[0], place[1].state, found)))
    if wrong:
        raise UserError(f'{wrong} of the questions could not be answered: see "error" in the output')


def _place(line: str, game: str) -> Any:
    """The game and position of a line, or what is wrong with it."""
    try:
        return Question.parse(line).place(game)
    except UserError as error:
        return str(error)


def _groups(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    group: list[str] = []
    for line in lines:
        group.append(line)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _show(game: Game[Any], state: Any, found: dict[str, Prediction], top: int) -> None:
    """A row a move: those that any of the models has among its first."""
    by_move = {name: dict(zip(p.moves, p.probabilities, strict=True)) for name, p in found.items()}
    shown = {move for prediction in found.values() for move, _ in prediction.top(top)}
    first = next(iter(by_move.values()))
    table = Table("move", *found, box=None)
    for move in sorted(shown, key=lambda move: -first[move]):
        name = game.move_text(state, move)
        table.add_row(name, *(f"{probabilities[move]:7.2%}" for probabilities in by_move.values()))
    for label, text in (("win/draw/loss", _wdl), ("value", _value), ("lead", _lead)):
        cells = [text(prediction) for prediction in found.values()]
        if any(cells):
            table.add_row(f"[dim]{label}[/]", *(f"[dim]{cell}[/]" for cell in cells))
    Console().print(table, highlight=False)


def _wdl(prediction: Prediction) -> str:
    return "" if prediction.wdl is None else " ".join(f"{p:.1%}" for p in prediction.wdl)


def _value(prediction: Prediction) -> str:
    return "" if prediction.value is None else f"{prediction.value:+.3f}"


def _lead(prediction: Prediction) -> str:
    return "" if prediction.lead is None else f"{prediction.lead:+.1f}"
