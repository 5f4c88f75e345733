"""`sparring predict`: move probabilities of policies in given positions."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.table import Table

from sparring.base.config import show_value
from sparring.base.errors import UserError
from sparring.base.numbers import signed
from sparring.cli.arguments import (
    Backend,
    GameName,
    SessionThreads,
    check_rating_range,
    name_and_source,
    parse_rating,
    parse_ratings,
)
from sparring.cli.console import foreign, make_console, visible
from sparring.games import Game, IllegalMove, ParseError, describe, load_game, move_name
from sparring.games.states import split_moves
from sparring.networks import Position, Prediction
from sparring.players import PlayerConfig
from sparring.policies import Policy, load_policy, unrated

# Positions to predict: from command-line options, or one JSON object per line.


@dataclass(frozen=True)
class PositionQuery:
    """A position with ratings and clock. Every field is optional."""

    moves: str | list[str] = ""
    """Moves from the initial position or from `position`, as people write them. A text may have move
    numbers and a result."""
    position: str | None = None
    """Text of the position: FEN, SFEN or the game's own."""
    komi: float | None = None
    rules: str | None = None
    """Name of a rule set, such as chinese or japanese."""
    rating: int | None = None
    opponent_rating: int | None = None
    rank: str | None = None
    """Rank, in games that have ranks."""
    opponent_rank: str | None = None
    clock: float | None = None
    """Seconds left to the player to move."""

    @classmethod
    def parse(cls, line: bytes) -> PositionQuery:
        """Parses a JSON line. Raises UserError."""
        try:
            entries = json.loads(line.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise UserError("this is not UTF-8 text") from None
        except RecursionError:
            raise UserError("this is nested too deeply") from None
        except ValueError as error:
            raise UserError(f"this is not JSON ({error})") from None
        if not isinstance(entries, dict):
            raise UserError("a JSON object is expected")
        field_names = {field.name for field in fields(cls)}
        if unknown := sorted(set(entries) - field_names):
            raise UserError(f"unknown field '{unknown[0][:100]}'; there are {', '.join(sorted(field_names))}")
        for name in ("position", "rules"):
            if not isinstance(entries.get(name), str | None):
                raise UserError(f"{name} is a text, not {show_value(entries[name])}")
        return cls(**entries)

    def to_position(self, game_name: str) -> tuple[Game[Any], Position]:
        """The game and the position of the query. Raises UserError."""
        try:
            game = self._game(game_name)
            state = game.initial() if self.position is None else game.parse(self.position)
            for text in self._moves():
                state = game.play(state, game.parse_move(state, text))
        except (ParseError, IllegalMove, ValueError) as error:
            raise UserError(str(error)) from None
        if (outcome := game.outcome(state)) is not None:
            raise UserError(f"the game is over there: {outcome.reason}")
        return game, Position(
            state,
            parse_rating(game_name, self.rating, self.rank),
            parse_rating(game_name, self.opponent_rating, self.opponent_rank, "opponent "),
            self._clock(),
        )

    def _game(self, name: str) -> Game[Any]:
        description = describe(name)
        komi = None if self.komi is None else _number(self.komi, "komi")
        if komi is not None and "komi" not in description.option_names():
            raise UserError(f"{name} has no komi")
        if self.rules is None:
            return load_game(name) if komi is None else load_game(name, komi=komi)
        if description.rule_sets is None:
            raise UserError(f"{name} has no rule sets to choose from")
        game: Game[Any] = description.rule_sets(str(self.rules), komi=komi)
        return game

    def _moves(self) -> list[str]:
        if isinstance(self.moves, str):
            return split_moves(self.moves)
        if isinstance(self.moves, list) and all(isinstance(move, str) for move in self.moves):
            return self.moves
        raise UserError("moves is a text with spaces between the moves, or a list of texts")

    def _clock(self) -> float | None:
        seconds = None if self.clock is None else _number(self.clock, "clock")
        if seconds is not None and not 0 <= seconds < math.inf:
            raise UserError(f"clock is seconds, 0 or more, not {seconds:g}")
        return seconds


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"{name} is a number, not {show_value(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise UserError(f"{name} is too large") from None
    if not math.isfinite(number):
        raise UserError(f"{name} is a finite number, not {number}")
    return number


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
    backend: Backend = "onnxruntime",
    threads: SessionThreads = 1,
) -> None:
    """Predict the moves that people of a rating would play.

    Prints the most likely moves with their probabilities, for one policy or several.
    """
    policies = [
        load_policy(source, game, name=name or source, backend=backend, threads=threads)
        for name, source in map(name_and_source, model)
    ]
    if file is not None:
        _answer_lines(policies, game, file)
        return
    question = PositionQuery(
        moves, position, komi, rules, rating, opponent_rating, rank, opponent_rank, clock
    )
    rules_of, place = question.to_position(game)
    if ratings is not None or ranks is not None:
        predictions = _by_strength(policies, place, parse_ratings(game, ratings, ranks))
    else:
        for policy in policies:
            check_rating_range(policy, place.rating, place.opponent_rating)
        _warn_unrated(policies, [place])
        predictions = {policy.name: policy.predict([place])[0] for policy in policies}
    if as_json:
        model_name = None if ratings is None and ranks is None else policies[0].name
        print(json.dumps(_result(rules_of, place.state, predictions, model_name)))
    else:
        is_assumed = place.rating is None and ratings is None and ranks is None
        if len(policies) == 1 and place.rating is not None and not unrated(policies[0]):
            predictions = {describe(game).ratings.format(place.rating): predictions[policies[0].name]}
        _show(place.state, predictions, top)
        if is_assumed and not all(map(unrated, policies)):
            word = describe(game).ratings.word
            make_console().print(f"[dim]No --{word} given: people of unknown {word}.[/]")


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
    names = [describe(policy.game).ratings.format(number) for number in ratings]
    return dict(zip(names, predictions, strict=True))


def _warn_unrated(policies: list[Policy], positions: Iterable[Position]) -> bool:
    """Warns of policies that ignore ratings if any were given. Returns whether any were."""
    given = any(place.rating is not None or place.opponent_rating is not None for place in positions)
    for policy in policies if given else ():
        if complaint := unrated(policy):
            print(f"sparring: {visible(complaint)}: the given ones are ignored", file=sys.stderr)
    return given


def _result(
    game: Game[Any], state: Any, predictions: dict[str, Prediction], model: str | None = None
) -> object:
    """The JSON value: an object for one column, a list for several. With `model`, columns are ratings."""
    label = describe(game.spec.name).ratings.word
    results = [
        (
            {"model": name}
            if model is None
            else {"model": model, label: int(name) if name.isdecimal() else name}
        )
        | {
            "moves": [
                {"move": game.move_text(state, move), "p": round(p, 6)}
                for move, p, *_ in prediction.top(len(prediction.moves))
            ],
            "wdl": None if prediction.wdl is None else [round(p, 6) for p in prediction.wdl],
            "value": None if prediction.value is None else round(prediction.value, 6),
        }
        | ({} if prediction.lead is None else {"lead": round(prediction.lead, 4)})
        for name, prediction in predictions.items()
    ]
    return results[0] if len(results) == 1 else results


def _answer_lines(policies: list[Policy], game: str, file: Path) -> None:
    """Prints one JSON result per input line, in order; an invalid line gives an error object."""
    wrong, noted = 0, False
    with _open_input(file) as stream:
        lines = (line for line in _lines(stream) if line.strip())
        while group := list(islice(lines, _LINES)):
            queries = [_place(line, game, policies) for line in group]
            good = [place for place in queries if not isinstance(place, str)]
            noted = noted or _warn_unrated(policies, (place for _, place in good))
            answers = {p.name: iter(p.predict([place for _, place in good])) for p in policies}
            for place in queries:
                if isinstance(place, str):
                    wrong += 1
                    print(json.dumps({"error": place}))
                else:
                    predictions = {name: next(answer) for name, answer in answers.items()}
                    print(json.dumps(_result(place[0], place[1].state, predictions)))
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


def _show(state: Any, predictions: dict[str, Prediction], top: int) -> None:
    """Prints a row for each move that is among the first `top` of any column."""
    by_move = {name: dict(zip(p.moves, p.probabilities, strict=True)) for name, p in predictions.items()}
    shown = {move for prediction in predictions.values() for move, *_ in prediction.top(top)}
    first = next(iter(by_move.values()))
    table = Table("move", *map(foreign, predictions), box=None)
    for move in sorted(shown, key=lambda move: -first[move]):
        name = move_name(state, move)
        table.add_row(foreign(name), *(f"{probabilities[move]:7.2%}" for probabilities in by_move.values()))
    columns = predictions.values()
    below = {
        "win/draw/loss": [" ".join(f"{p:.1%}" for p in column.wdl or ()) for column in columns],
        "value": ["" if column.value is None else signed(column.value, 3) for column in columns],
        "lead": ["" if column.lead is None else signed(column.lead, 1) for column in columns],
    }
    for label, cells in below.items():
        if any(cells):
            table.add_row(f"[dim]{label}[/]", *(f"[dim]{cell}[/]" for cell in cells))
    make_console().print(table)
