"""Positions on small boards that players of ranks reach, labelled by two teachers.

No games of people on these boards exist. Games begin on the empty board, some with handicap stones or random
moves. The network of ranks, at the rank of the player to move, and a network of KataGo label each position,
and the next move is drawn from a mixture of both. The policies are kept apart, so that the mixture of the
training is chosen later. A block is a file with the positions of one board size; a run that was killed goes
on with the next block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import atomic_writer
from sparring.games.game import Position
from sparring.go.counting import own_eyes
from sparring.go.game import Go
from sparring.networks.codec import Prediction
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.network import Network
from studies.small_boards.targets import RANKS, mixture

SIZES = (9,) * 10 + (13,) * 4 + (7, 8, 10, 11, 12)
"""Sizes of the blocks, in turn: there are as many 13x13 blocks as keep two thirds of the time for 9x9."""
_KOMI = (7.5, 7.5, 7.0, 6.5, 5.5)
_HANDICAP, _RANDOM_OPENINGS, _RANDOM_MOVES = 0.1, 0.35, 0.02
"""Shares of games with handicap stones and with random first moves, and of random moves later."""
_SAME_RANK, _UNKNOWN_RANK, _SECOND_SERVER = 0.6, 0.04, 0.1
_SHARP = 0.5
"""Share of games whose moves are drawn at a lower temperature, as most levels draw them."""
_TEMPERATURE = 0.7
_ENDED = 0.1
"""Share of decided positions, and of positions on full boards, that end the game."""


@dataclass
class FreshGame:
    """A game in progress. Ranks are numbers, None if unknown."""

    state: Any
    ranks: tuple[int | None, int | None]
    server: str
    temperature: float
    lead: float | None = None
    """Lead of the player to move before the last move, for the points that it lost."""


def begin(size: int, servers: Sequence[str], rng: np.random.Generator) -> FreshGame:
    """A new game with drawn ranks, komi, handicap and first moves."""
    handicap = int(rng.integers(2, 5)) if size > 7 and rng.random() < _HANDICAP else 0
    komi = 0.5 if handicap else float(rng.choice(_KOMI))
    state = Go.by_rules("chinese", size, komi, handicap).initial()
    if rng.random() < _RANDOM_OPENINGS:
        for _ in range(int(rng.integers(1, 7))):
            state = state.play(int(rng.choice(state.legal_moves()[:-1])))
    first = int(rng.choice(RANKS))
    second = first if rng.random() < _SAME_RANK else int(rng.choice(RANKS))
    known = rng.random() >= _UNKNOWN_RANK
    server = servers[1] if rng.random() < _SECOND_SERVER else servers[0]
    temperature = _TEMPERATURE if rng.random() < _SHARP else 1.0
    return FreshGame(state, (first, second) if known else (None, None), server, temperature)


class Labeller:
    """Plays games of one size in lockstep, and labels their positions."""

    def __init__(self, people: Network, judge: Network, size: int, games: int, seed: Sequence[int]) -> None:
        assert isinstance(people.codec, ConditionedCodec)
        self._people, self._judge, self._codec = people, judge, people.codec
        self._servers = people.codec.input_spec.server_names
        self._size, self._rng = size, np.random.default_rng(seed)
        self._games = [begin(size, self._servers, self._rng) for _ in range(games)]

    def block(self, positions: int) -> dict[str, Any]:
        """So many labelled positions: columns of equal length."""
        rows: list[dict[str, Any]] = []
        while len(rows) < positions:
            rows += self._step()
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    def _step(self) -> list[dict[str, Any]]:
        asked = [_position(game) for game in self._games]
        inputs = self._codec.encode(asked)
        shown = [position.state for position in asked]
        answers = zip(self._people.predict(asked), self._judge.predict(shown), strict=True)
        rows = []
        for number, (by_people, by_judge) in enumerate(answers):
            game, position = self._games[number], asked[number]
            rank = position.rating
            rows.append(
                {
                    "planes": inputs["planes"][number],
                    "context": inputs["context"][number],
                    "rank": np.float32(np.nan if rank is None else rank),
                    "people": self._whole(by_people),
                    "judge": self._whole(by_judge),
                    "legal": self._legal(by_judge),
                    "wdl": np.array(by_judge.wdl, np.float32),
                    "lead": np.float32(by_judge.lead),
                    "ownership": np.asarray(by_judge.ownership, np.float16),
                    "before": np.float32(np.nan if game.lead is None else game.lead),
                    "temperature": np.float32(game.temperature),
                    "mover": np.float32(_other_rank(game)),
                }
            )
            self._games[number] = self._next(game, by_people, by_judge)
        return rows

    def _next(self, game: FreshGame, by_people: Prediction, by_judge: Prediction) -> FreshGame:
        rng, state = self._rng, game.state
        shares = mixture(by_people.probabilities, by_judge.probabilities, game.ranks[state.to_move])
        shares = shares ** (1 / game.temperature)
        shares[np.isin(by_people.moves, own_eyes(state))] = 0
        random = rng.random() < _RANDOM_MOVES or not shares.sum() > 0
        if random:
            move = int(rng.choice(by_people.moves))
        else:
            move = int(rng.choice(by_people.moves, p=shares / shares.sum()))
        after = state.play(move)
        cells = self._size**2
        assert by_judge.wdl is not None
        decided = max(by_judge.wdl[0], by_judge.wdl[2]) > 0.98 and state.ply > 0.4 * cells
        over = decided + (state.ply > 1.1 * cells)
        if after.outcome is not None or rng.random() < over * _ENDED or state.ply > 2 * cells:
            return begin(self._size, self._servers, rng)
        return FreshGame(after, game.ranks, game.server, game.temperature, None if random else by_judge.lead)

    def _whole(self, prediction: Prediction) -> NDArray[np.float16]:
        shares = np.zeros(self._size**2 + 1, np.float16)
        shares[list(prediction.moves)] = prediction.probabilities
        return shares

    def _legal(self, prediction: Prediction) -> NDArray[np.bool_]:
        legal = np.zeros(self._size**2 + 1, bool)
        legal[list(prediction.moves)] = True
        return legal


def _position(game: FreshGame) -> Position:
    me = game.state.to_move
    return Position(game.state, game.ranks[me], game.ranks[1 - me], server=game.server)


def _other_rank(game: FreshGame) -> float:
    rank = game.ranks[1 - game.state.to_move]
    return float("nan") if rank is None else float(rank)


def label(
    people: Network, judge: Network, out: Path, positions: int, games: int, block: int, seed: int
) -> None:
    """Writes blocks to `out` until there are so many positions. Goes on after the blocks that are there."""
    out.mkdir(parents=True, exist_ok=True)
    number = len(list(out.glob("*.npz")))
    labellers: dict[int, Labeller] = {}
    while number * block < positions:
        size = SIZES[number % len(SIZES)]
        if size not in labellers:
            labellers[size] = Labeller(people, judge, size, games, [seed, number])
        with atomic_writer(out / f"{number:05d}-{size}.npz") as path, path.open("wb") as file:
            np.savez_compressed(file, **labellers[size].block(block))
        number += 1
        print(f"{number * block:,} of {positions:,} positions, {size}x{size}", flush=True)
