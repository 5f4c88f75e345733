"""Games of self-play: blocks of games played in lockstep, and their files.

A block is the task of a worker and a file of the run. Each step searches the positions of all games in
progress together, with a leaf of each tree in a network batch. A game depends on the seed, its number and the
network; the block's games depend on the block alone, whoever plays it.

A block's file has every move that was played, the results, and for each position the value of its search and,
after a full search, the policy that a network is trained towards.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctConfig
from sparring.base.errors import BadFile
from sparring.base.storage import read_npz
from sparring.games import describe
from sparring.games.states import State
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import Policy
from sparring.policies.policy import predict_batch, segment_sum
from sparring.search.gumbel import RootMoves, completed_values, improved_policy, visit_policy
from sparring.search.trees import Forest, forest_class
from sparring.training.selfplay.config import PlayConfig, SelfPlayConfig

BY_RULES, RESIGNED, TOO_LONG = range(3)
"""How a game ended."""
_LOW_IN_A_ROW = 2
"""Searches of a side with a low value after which it resigns."""


class BlockFacts(TypedDict):
    """What the games of a block have in common."""

    game: str
    rules: dict[str, bool | int | float | str]
    start: str
    """Text of the first position."""
    generation: int
    first: int
    """Number of the first game."""
    width: int
    """Bytes of a packed move."""


@dataclass(frozen=True)
class GameBlock:
    """g games with p positions in which a move was played, in the order of the games."""

    about: BlockFacts
    moves: NDArray[np.uint8]
    """The packed moves of all games."""
    lengths: NDArray[np.int32]
    """[g]: plies."""
    results: NDArray[np.int8]
    """[g]: 1 if player 0 won, 0 for a draw, -1 if player 1 won."""
    ends: NDArray[np.uint8]
    """[g]: BY_RULES, RESIGNED or TOO_LONG."""
    saved: NDArray[np.int8]
    """[g]: in games without resignation 1 if a side that would have resigned did not lose, 0 if it lost; -1
    in other games, and if neither would have resigned."""
    skipped: NDArray[np.int32]
    """[g]: plies at the start that were drawn from the policy and are not learned from."""
    values: NDArray[np.float16]
    """[p]: value of the search for the player to move, from -1 to 1."""
    full: NDArray[np.bool_]
    """[p]: whether the search was a full one, with a policy target."""
    policy: NDArray[np.float16]
    """Policy targets of the full searches, over the legal moves in ascending order."""
    sizes: NDArray[np.uint16]
    """[p]: legal moves of each position."""

    def __len__(self) -> int:
        return len(self.lengths)

    def content(self) -> bytes:
        """The block as a file."""
        columns = {name: column for name, column in vars(self).items() if name != "about"}
        about = np.frombuffer(json.dumps(self.about, sort_keys=True).encode(), np.uint8)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, about=about, **columns)
        return buffer.getvalue()


def read_block(path: Path) -> GameBlock:
    """Reads a block's file. Raises BadFile or OSError."""
    arrays = read_npz(path)
    try:
        about = json.loads(arrays.pop("about").tobytes())
        block = GameBlock(about=about, **arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise BadFile(f"{path} is no block of games ({type(error).__name__})") from None
    if not len(block.values) == len(block.full) == len(block.sizes) == block.lengths.sum():
        raise BadFile(f"{path} is no block of games (its columns do not fit together)")
    return block


@dataclass(frozen=True)
class Searched:
    """The results of searches in n positions."""

    choices: NDArray[np.int64]
    """[n]: the move that is played, as an index among the legal moves."""
    policy: NDArray[np.float64]
    """The policy targets, [moves]."""
    values: NDArray[np.float64]
    """[n]: for the player to move, from -1 to 1."""
    full: NDArray[np.bool_]
    """[n]: whether the search was full."""
    roots: RootMoves


@dataclass
class _Game:
    """A game in progress."""

    number: int
    rng: np.random.Generator
    state: State
    drawn: int
    """Plies at the start that are drawn from the policy."""
    resigns: bool
    values: list[float] = field(default_factory=list)
    full: list[bool] = field(default_factory=list)
    policies: list[NDArray[np.float16]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    low: list[int] = field(default_factory=lambda: [0, 0])
    """Searches in a row with a low value, of each side."""
    gave_up: int = -1
    """The side that has resigned, or would have; -1 for none."""
    end: int = BY_RULES

    @property
    def plies(self) -> int:
        return len(self.values)


class SelfPlayer:
    """Plays games of a configuration against itself with a policy that gives values."""

    def __init__(self, config: SelfPlayConfig, policy: Policy, leash: Policy | None = None) -> None:
        self.config, self.policy, self.leash = config, policy, leash
        self.evaluations = 0
        """Positions that the network has evaluated."""
        self._game, self._play = config.load_game(), config.play
        self._description = describe(config.game)
        search = self._description.search
        self._puct = PuctConfig(
            c_puct=config.play.c_puct,
            batch=1,
            memory=64,
            find_immediate_wins=search.find_immediate_wins,
            repetition_draws=search.repetition_draws,
        )

    def play_block(self, generation: int, first: int, last: int) -> GameBlock:
        """Plays the games `first` to `last` - 1 of a generation. The result depends on the arguments, the
        configuration and the policy alone."""
        waiting = iter(range(first, last))
        games = [self._new_game(generation, number) for number in islice(waiting, self._play.parallel)]
        done: list[_Game] = []
        forest: Forest | None = None
        while games:
            searched, forest = self._search(games, forest)
            moves = self._take_turns(games, searched)
            if self._play.reuse_tree:
                forest.advance(moves)
            else:
                forest = None
            for i in [i for i, game in enumerate(games) if self._has_ended(game)][::-1]:
                done.append(games[i])
                if (number := next(waiting, None)) is not None:
                    games[i] = self._new_game(generation, number)
                    if forest is not None:
                        forest.restart(i, games[i].state)
                else:
                    del games[i]
                    forest = None
        return self._block(generation, first, sorted(done, key=lambda game: game.number))

    def _new_game(self, generation: int, number: int) -> _Game:
        rng = np.random.default_rng([self.config.training.seed, generation, number])
        drawn = int(rng.integers(self._play.random_plies + 1))
        return _Game(number, rng, self._game.initial(), drawn, bool(rng.random() >= self._play.play_out))

    # ---- Search ----

    def _search(self, games: Sequence[_Game], forest: Forest | None) -> tuple[Searched, Forest]:
        """Searches the positions of all games; `forest` has their trees of the move before, if kept."""
        play, states = self._play, [game.state for game in games]
        full = np.array([game.rng.random() < play.full_share for game in games])
        budgets = np.where(full, play.visits, play.fast_visits).astype(np.int64)
        if forest is None:
            forest = forest_class(self.config.game)(states, self._puct)
        raw = self._run(forest, np.ones(len(games), np.int64))
        before = RootMoves(*forest.root_moves())
        sizes = np.diff(before.offsets)
        rngs = [game.rng if is_full else None for game, is_full in zip(games, full, strict=True)]
        if play.search == "gumbel":
            noise = [
                np.zeros(n) if rng is None else rng.gumbel(size=n) for rng, n in zip(rngs, sizes, strict=True)
            ]
            forest.begin_halving(
                np.concatenate(noise).astype(np.float32), budgets, play.considered, play.c_visit, play.c_scale
            )
        elif play.noise:
            noise = [
                before.priors[start : start + n]
                if rng is None
                else rng.dirichlet(np.full(n, play.noise_moves / n))
                for rng, start, n in zip(rngs, before.offsets, sizes, strict=False)
            ]
            forest.add_noise(np.concatenate(noise).astype(np.float32), play.noise)
        self._run(forest, budgets + 1)
        return self._results(games, forest, full, raw), forest

    def _results(
        self, games: Sequence[_Game], forest: Forest, full: NDArray[np.bool_], raw: NDArray[np.float64]
    ) -> Searched:
        play, roots, values = self._play, RootMoves(*forest.root_moves()), forest.values
        leash, weight = None, play.leash_weight
        if self.leash is not None:
            leash = predict_batch(
                self.leash, _batch([game.state for game in games], self.config.game)
            ).probabilities
        if play.search == "gumbel":
            policy = improved_policy(
                roots, raw, c_visit=play.c_visit, c_scale=play.c_scale, leash=leash, leash_weight=weight
            )
            expected = segment_sum(policy * completed_values(roots, raw), roots.offsets)
            values = np.where(np.abs(values) == 1, values, expected)  # proven values are exact
            return Searched(forest.halving_choices(), policy, values, full, roots)
        policy = visit_policy(roots, leash=leash, leash_weight=weight)
        choices = [
            _draw(policy[a:b], game.rng, greedy=game.plies >= play.temperature_plies or not is_full)
            for game, is_full, a, b in zip(games, full, roots.offsets, roots.offsets[1:], strict=False)
        ]
        return Searched(np.array(choices, np.int64), policy, values, full, roots)

    def _run(self, forest: Forest, visits: NDArray[np.int64]) -> NDArray[np.float64]:
        """Searches until every tree has its visits. Returns the values of the first leaf of each tree, NaN
        for trees without."""
        values = np.full(len(visits), np.nan)
        while True:
            leaves, trees = forest.select(visits)
            if not len(leaves):
                return values
            predicted = self._predict(leaves)
            forest.evaluate(np.ascontiguousarray(predicted.probabilities), predicted.values)
            self.evaluations += len(leaves)
            new = np.isnan(values[trees])
            values[trees[new]] = predicted.values[new]

    def _predict(self, leaves: Sized) -> PredictionBatch:
        predicted = predict_batch(self.policy, _unrated(leaves))
        if np.isnan(predicted.values).any():
            raise ValueError(f"{self.policy.name} gives no value (who is winning): it cannot play itself")
        return predicted

    # ---- Moves ----

    def _take_turns(self, games: Sequence[_Game], searched: Searched) -> NDArray[np.int64]:
        """Plays the choice in each game and notes what was searched."""
        roots, moves = searched.roots, np.zeros(len(games), np.int64)
        for i, game in enumerate(games):
            part = slice(roots.offsets[i], roots.offsets[i + 1])
            choice, full, value = int(searched.choices[i]), bool(searched.full[i]), float(searched.values[i])
            if game.plies < game.drawn:
                choice = _draw(roots.priors[part] / roots.priors[part].sum(), game.rng)
                full, value = False, np.nan
            game.values.append(value)
            game.full.append(full)
            game.sizes.append(int(roots.offsets[i + 1] - roots.offsets[i]))
            if full:
                game.policies.append(searched.policy[part].astype(np.float16))
            self._note_low_value(game, value)
            moves[i] = roots.moves[part][choice]
            game.state = game.state.play(int(moves[i]))
        return moves

    def _note_low_value(self, game: _Game, value: float) -> None:
        side = game.state.to_move
        game.low[side] = game.low[side] + 1 if (value + 1) / 2 < self._play.resign_below else 0
        if game.low[side] >= _LOW_IN_A_ROW and game.gave_up < 0:
            game.gave_up = side

    def _has_ended(self, game: _Game) -> bool:
        if game.state.outcome is not None:
            return True
        if game.resigns and game.gave_up >= 0:
            game.end = RESIGNED
        elif game.plies >= self._play.max_plies:
            game.end = TOO_LONG
        return game.end != BY_RULES

    # ---- The block ----

    def _block(self, generation: int, first: int, games: Sequence[_Game]) -> GameBlock:
        width = self._description.packed_move_bytes
        about: BlockFacts = {
            "game": self.config.game,
            "rules": dict(self.config.rules),
            "start": self._game.text(self._game.initial()),
            "generation": generation,
            "first": first,
            "width": width,
        }
        results = [_result(game) for game in games]
        none = np.zeros(0, np.float16)
        return GameBlock(
            about,
            np.frombuffer(b"".join(game.state.pack_moves(width) for game in games), np.uint8),
            np.array([game.plies for game in games], np.int32),
            np.array(results, np.int8),
            np.array([game.end for game in games], np.uint8),
            np.array([_saved(game, result) for game, result in zip(games, results, strict=True)], np.int8),
            np.array([min(game.drawn, game.plies) for game in games], np.int32),
            np.concatenate([np.array(game.values, np.float16) for game in games]),
            np.concatenate([np.array(game.full, bool) for game in games]),
            np.concatenate([none, *(policy for game in games for policy in game.policies)]),
            np.concatenate([np.array(game.sizes, np.uint16) for game in games]),
        )


def _result(game: _Game) -> int:
    """1 if player 0 won, 0 for a draw, -1 if player 1 won."""
    if game.end == RESIGNED:
        return 1 if game.gave_up == 1 else -1
    outcome = game.state.outcome
    return 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == 0 else -1


def _saved(game: _Game, result: int) -> int:
    if game.resigns or game.gave_up < 0:
        return -1
    return int((result if game.gave_up == 0 else -result) >= 0)


def _draw(shares: NDArray[np.float64], rng: np.random.Generator, *, greedy: bool = False) -> int:
    return int(np.argmax(shares)) if greedy else int(rng.choice(len(shares), p=shares / shares.sum()))


def _batch(states: Sequence[State], game: str) -> PositionBatch:
    return _unrated(describe(game).states_class(list(states)))


def _unrated(states: Sized) -> PositionBatch:
    """Positions without ratings and clocks."""
    n = len(states)
    return PositionBatch(states, np.full((n, 2), np.nan), np.full(n, np.nan))


# Files of a run.


def block_file(folder: Path, generation: int, first: int) -> Path:
    """The file of the block of a generation that begins with game `first`."""
    return folder / "games" / f"{generation:05}-{first:07}.npz"


def blocks_of(play: PlayConfig) -> list[tuple[int, int]]:
    """The blocks of a generation: their first games, and those after the last."""
    return [(first, min(first + play.block, play.games)) for first in range(0, play.games, play.block)]


def generation_files(folder: Path, generation: int, play: PlayConfig) -> Iterator[Path]:
    """The files of a generation, whether they exist or not."""
    return (block_file(folder, generation, first) for first, _ in blocks_of(play))
