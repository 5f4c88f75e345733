"""Games of programs against themselves, for the Turing test, the judge and conversion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.games import Move, load_game
from sparring.games.game import Position
from sparring.games.states import states_to
from sparring.players import GameStart, Player, PlayerConfig, Turn
from sparring.players.policy_player import lockstep_distributions, make_draw_offers, make_resignation
from sparring.policies import Policy
from sparring.records import GameRecord, RecordedGame, Termination

MAX_PLIES = 300
"""Length at which a game ends as a draw."""
_PACKED = 1


@dataclass(frozen=True)
class Opening:
    """A policy that plays the first plies of a game, its moves drawn at temperature 1."""

    policy: Policy
    rating: int
    plies: int


class PeoplesEndings:
    """Lets programs resign and agree to draws as people of a level do.

    Games that go on to mate would give programs away. The expected score is that of `human` at the level.
    """

    def __init__(self, human: Policy, level: int) -> None:
        self._human, self._level = human, level
        self._config = PlayerConfig("chess", rating=level, resignation="human", draws="human")
        self._draws = make_draw_offers(self._config)

    def results(self, boards: Sequence[Board]) -> list[float | None]:
        """White's score in each game that the side to move resigns, or that ends as an agreed draw."""
        positions = [Position(board.state, self._level, self._level) for board in boards]
        values = [prediction.value for prediction in self._human.predict(positions)]
        return [self._result(board, value) for board, value in zip(boards, values, strict=True)]

    def _result(self, board: Board, value: float | None) -> float | None:
        if board.resignation is None:
            board.resignation = make_resignation(self._config)
        state, rng = board.state, board.rng
        if board.resignation.decide(state.to_move, value, state.ply, rng):
            return float(state.to_move == 1)
        offered = value is not None and self._draws.offers(state.ply, value, rng)
        return 0.5 if offered and value is not None and self._draws.accepts(state.ply, -value) else None


@dataclass
class Board:
    """A game that is being played."""

    number: int
    """With the seed, it determines the moves."""
    state: Any
    rng: np.random.Generator
    plies: int = 0
    resignation: Any = None
    """Whether each side resigns, which depends on its turns before."""
    agreed: float | None = None
    """White's score if a side resigned or both agreed to a draw."""


def self_play(
    policy: Policy, config: PlayerConfig, starts: Sequence[Any], *, seed: int, max_plies: int = MAX_PLIES
) -> list[RecordedGame]:
    """Plays a game from each start, the player against itself, all games at once. Nobody resigns."""
    boards = play_together(policy, config, starts, seed=seed, max_plies=max_plies)
    played = {board.number: recorded(board, config) for board in boards}
    return [played[number] for number in range(len(starts))]


def play_together(
    policy: Policy,
    config: PlayerConfig,
    starts: Sequence[Any],
    *,
    seed: int,
    max_plies: int = MAX_PLIES,
    opening: Opening | None = None,
    endings: PeoplesEndings | None = None,
    numbers: Sequence[int] | None = None,
) -> Iterator[Board]:
    """Plays a game from each start, the player against itself, all games at once; yields each at its end.

    Moves are drawn as `SearchPlayer` draws them, except that trees are not kept from move to move. `numbers`
    are the games' numbers, which seed them; by default they count from 0.
    """
    numbers = range(len(starts)) if numbers is None else numbers
    boards = [
        Board(number, state, np.random.default_rng([seed, number]))
        for number, state in zip(numbers, starts, strict=True)
    ]
    while boards:
        if endings is not None:
            end_games(endings, boards)
        yield from (board for board in boards if is_over(board, max_plies))
        boards = [board for board in boards if not is_over(board, max_plies)]
        if opening is not None and boards and boards[0].plies < opening.plies:
            moves = opening_moves(opening, boards)
        else:
            moves = choose_together(policy, config, boards)
        for board, move in zip(boards, moves, strict=True):
            board.state = board.state.play(move)
            board.plies += 1


def is_over(board: Board, max_plies: int) -> bool:
    """Whether the rules, the players or the length end a game."""
    return board.state.outcome is not None or board.agreed is not None or board.plies >= max_plies


def end_games(endings: PeoplesEndings, boards: Sequence[Board]) -> None:
    """Ends the games in which a side resigns or both agree to a draw."""
    running = [board for board in boards if board.state.outcome is None]
    if running:
        for board, result in zip(running, endings.results(running), strict=True):
            board.agreed = result


def choose_together(policy: Policy, config: PlayerConfig, boards: Sequence[Board]) -> list[Move]:
    """The player's moves in all games."""
    distributions = lockstep_distributions(policy, config, [board.state for board in boards])
    return [each.draw(board.rng).move for board, each in zip(boards, distributions, strict=True)]


def opening_moves(opening: Opening, boards: Sequence[Board]) -> list[Move]:
    """The moves of the policy that plays the opening."""
    config = PlayerConfig("chess", rating=opening.rating, temperature=1.0)
    return choose_together(opening.policy, config, boards)


def play_out(player: Player, start: Any, *, seed: int, opening: Opening, endings: PeoplesEndings) -> Board:
    """One game of a player against itself from a state."""
    board = Board(0, start, np.random.default_rng(seed))
    player.new_game(GameStart(load_game("chess"), None, start, seed))
    while True:
        end_games(endings, [board])
        if is_over(board, MAX_PLIES):
            return board
        if board.plies < opening.plies:
            (move,) = opening_moves(opening, [board])
        else:
            move = player.choose(Turn.of(board.state)).move
        board.state = board.state.play(move)
        board.plies += 1


def recorded(board: Board, config: PlayerConfig) -> RecordedGame:
    """The game as a record. A game without end is a draw of unknown ending."""
    first, outcome = states_to(board.state)[0], board.state.outcome
    ending = Termination.UNKNOWN if outcome is None else Termination.NORMAL
    record = GameRecord(
        moves=board.state.pack_moves(_PACKED),
        result=score(board),
        start=None if first == type(first).initial() else first.text(),
        ending=Termination.RESIGNATION if board.agreed in (0, 1) else ending,
        first=config.name,
        second=config.name,
        first_rating=config.rating_number("rating"),
        second_rating=config.rating_number("rating"),
    )
    return RecordedGame("chess", record)


def score(board: Board) -> float:
    """White's score; a game that its length ended is a draw."""
    if board.agreed is not None:
        return board.agreed
    outcome = board.state.outcome
    return 0.5 if outcome is None else outcome.score(0)
