"""`sparring predict`: move probabilities of policies in given positions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.table import Table

from sparring.cli.arguments import GameName, name_and_source
from sparring.cli.errors import UserError
from sparring.cli.position_query import PositionQuery
from sparring.cli.printing import foreign, make_console, visible
from sparring.cli.ratings import check_rating_range, parse_ratings
from sparring.games import GAMES, Game, describe, move_name
from sparring.networks import Position, Prediction
from sparring.networks.sessions import BACKENDS
from sparring.players import PlayerConfig
from sparring.policies import Policy, load_policy, rating_text, unrated
from sparring.reports.numbers import signed

_LINES = 256
"""Lines of an input file that are predicted together."""
_LONGEST_LINE = 1 << 20
_MODEL = "Model name, network file or policy file, or NAME=one of them; several give columns."
_DEFAULT = [PlayerConfig.model]
"""The policy of all players."""


def predict(
    game: GameName,
    model: Annotated[
        list[str],
        typer.Option(
            "--model", "-m", "--policy", "-p", "--blend", help=_MODEL, show_default=PlayerConfig.model
        ),
    ] = _DEFAULT,
    moves: Annotated[str, typer.Option(help="Moves after the initial position, or after --position.")] = "",
    position: Annotated[
        str | None,
        typer.Option("--position", "--fen", "--sfen", help="Position: FEN, SFEN or the game's own text."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of moves to show.")] = 5,
    rating: Annotated[int | None, typer.Option(help="Rating of the player to move.")] = None,
    opponent_rating: Annotated[int | None, typer.Option(help="Rating of the opponent.")] = None,
    ratings: Annotated[
        str | None, typer.Option(help="Several ratings, such as 1000,1500,2000: one column each.")
    ] = None,
    rank: Annotated[str | None, typer.Option(help="Go: rank of the player to move, such as 3d.")] = None,
    opponent_rank: Annotated[str | None, typer.Option(help="Go: rank of the opponent.")] = None,
    ranks: Annotated[
        str | None, typer.Option(help="Go: several ranks, such as 5k,1d,5d: one column each.")
    ] = None,
    clock: Annotated[float | None, typer.Option(help="Seconds that the player to move has left.")] = None,
    komi: Annotated[float | None, typer.Option(help="Go: komi.")] = None,
    rules: Annotated[str | None, typer.Option(help="Go: a rule set, such as chinese or japanese.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--input", help="File of positions, one JSON object per line (- for standard input)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON with every legal move.")] = False,
    backend: Annotated[
        str, typer.Option(help=f"Runtime of the networks: {', '.join(BACKENDS)}.")
    ] = "onnxruntime",
    threads: Annotated[int, typer.Option(min=1, help="Threads of each network.")] = 1,
) -> None:
    """Predict the moves that people of a rating would play.

    Prints the most likely moves with their probabilities, for one policy or several.
    """
    if game not in GAMES:
        raise UserError(f"unknown game '{game}'; there are {', '.join(GAMES)}")
    policies = [_open(text, game, backend, threads) for text in model]
    if file is not None:
        _answer_lines(policies, game, file)
        return
    question = PositionQuery(
        moves, position, komi, rules, rating, opponent_rating, rank, opponent_rank, clock
    )
    rules_of, place = question.to_position(game)
    if ratings is not None or ranks is not None:
        found = _by_strength(policies, place, parse_ratings(game, ratings, ranks))
    else:
        for policy in policies:
            check_rating_range(policy, place.rating, place.opponent_rating)
        _warn_unrated(policies, [place])
        found = {policy.name: policy.predict([place])[0] for policy in policies}
    if as_json:
        model_name = None if ratings is None and ranks is None else policies[0].name
        print(json.dumps(_result(rules_of, place.state, found, model_name)))
    else:
        is_assumed = place.rating is None and ratings is None and ranks is None
        _show(place.state, _headed(policies, place, found), top)
        if is_assumed and not all(map(unrated, policies)):
            word = describe(game).ratings.word
            make_console().print(f"[dim]No --{word} given: people of unknown {word}.[/]")


def _open(text: str, game: str, backend: str, threads: int) -> Policy:
    name, source = name_and_source(text)
    return load_policy(source, game, name=name or source, backend=backend, threads=threads)


def _by_strength(policies: list[Policy], place: Position, ratings: list[int]) -> dict[str, Prediction]:
    """The predictions of one policy for several ratings, by the ratings' texts."""
    policy = policies[0]
    if len(policies) > 1:
        raise UserError("several models with several ratings: give one model or one rating")
    if place.rating is not None:
        raise UserError("--rating and --ratings (--rank and --ranks) exclude each other")
    if complaint := unrated(policy):
        raise UserError(f"{complaint}: all columns would be the same")
    check_rating_range(policy, *ratings, place.opponent_rating)
    predictions = policy.predict([replace(place, rating=number) for number in ratings])
    names = [rating_text(policy.game, number) for number in ratings]
    return dict(zip(names, predictions, strict=True))


def _headed(policies: list[Policy], place: Position, found: dict[str, Prediction]) -> dict[str, Prediction]:
    """The predictions by the headings of their columns. That of one policy at a rating is the rating."""
    if len(policies) > 1 or place.rating is None or unrated(policies[0]):
        return found
    return {rating_text(policies[0].game, place.rating): found[policies[0].name]}


def _warn_unrated(policies: list[Policy], positions: Iterable[Position]) -> bool:
    """Warns of policies that ignore ratings if any were given. Returns whether any were."""
    given = any(place.rating is not None or place.opponent_rating is not None for place in positions)
    for policy in policies if given else ():
        if complaint := unrated(policy):
            print(f"sparring: {visible(complaint)}: the given ones are ignored", file=sys.stderr)
    return given


def _result(game: Game[Any], state: Any, found: dict[str, Prediction], model: str | None = None) -> object:
    """The JSON value: an object for one column, a list for several. With `model`, columns are ratings."""
    label = describe(game.spec.name).ratings.word
    results = [
        ({"model": name} if model is None else {"model": model, label: _plain(name)})
        | {
            "moves": [
                {"move": game.move_text(state, move), "p": round(p, 6)}
                for move, p, _ in prediction.top(len(prediction.moves))
            ],
            "wdl": None if prediction.wdl is None else [round(p, 6) for p in prediction.wdl],
            "value": None if prediction.value is None else round(prediction.value, 6),
        }
        | ({} if prediction.lead is None else {"lead": round(prediction.lead, 4)})
        for name, prediction in found.items()
    ]
    return results[0] if len(results) == 1 else results


def _plain(strength: str) -> int | str:
    """A rating as a number, a rank as text."""
    return int(strength) if strength.isdecimal() else strength


def _answer_lines(policies: list[Policy], game: str, file: Path) -> None:
    """Prints one JSON result per input line, in order; an invalid line gives an error object."""
    wrong, noted = 0, False
    with _open_input(file) as stream:
        for group in _groups((line for line in _lines(stream) if line.strip()), _LINES):
            queries = [_place(line, game, policies) for line in group]
            good = [place for place in queries if not isinstance(place, str)]
            noted = noted or _warn_unrated(policies, (place for _, place in good))
            answers = {p.name: iter(p.predict([place for _, place in good])) for p in policies}
            for place in queries:
                if isinstance(place, str):
                    wrong += 1
                    print(json.dumps({"error": place}))
                else:
                    found = {name: next(answer) for name, answer in answers.items()}
                    print(json.dumps(_result(place[0], place[1].state, found)))
    if wrong:
        raise UserError(f'{wrong} input lines are wrong: see "error" in the output')


def _open_input(file: Path) -> BinaryIO:
    if str(file) != "-":
        return file.open("rb")
    if sys.stdin is None:
        raise UserError("--input -: standard input is closed")
    return sys.stdin.buffer


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a file. Of a line that is too long only the beginning is kept."""
    while line := stream.readline(_LONGEST_LINE + 1):
        rest = line
        while len(rest) > _LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(_LONGEST_LINE + 1)
        yield line


def _place(line: bytes, game: str, policies: list[Policy]) -> Any:
    """The game and position of a line, or an error message."""
    try:
        if len(line) > _LONGEST_LINE:
            raise UserError(f"a line has at most {_LONGEST_LINE:,} bytes")
        rules, place = PositionQuery.parse(line).to_position(game)
        for policy in policies:
            check_rating_range(policy, place.rating, place.opponent_rating)
        return rules, place
    except UserError as error:
        return str(error)


def _groups(lines: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    for line in lines:
        group.append(line)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _show(state: Any, found: dict[str, Prediction], top: int) -> None:
    """Prints a row for each move that is among the first `top` of any column."""
    by_move = {name: dict(zip(p.moves, p.probabilities, strict=True)) for name, p in found.items()}
    shown = {move for prediction in found.values() for move, *_ in prediction.top(top)}
    first = next(iter(by_move.values()))
    table = Table("move", *map(foreign, found), box=None)
    for move in sorted(shown, key=lambda move: -first[move]):
        name = move_name(state, move)
        table.add_row(foreign(name), *(f"{probabilities[move]:7.2%}" for probabilities in by_move.values()))
    for label, text in (("win/draw/loss", _wdl), ("value", _value), ("lead", _lead)):
        cells = [text(prediction) for prediction in found.values()]
        if any(cells):
            table.add_row(f"[dim]{label}[/]", *(f"[dim]{cell}[/]" for cell in cells))
    make_console().print(table)


def _wdl(prediction: Prediction) -> str:
    return "" if prediction.wdl is None else " ".join(f"{p:.1%}" for p in prediction.wdl)


def _value(prediction: Prediction) -> str:
    return "" if prediction.value is None else signed(prediction.value, 3)


def _lead(prediction: Prediction) -> str:
    return "" if prediction.lead is None else signed(prediction.lead, 1)
