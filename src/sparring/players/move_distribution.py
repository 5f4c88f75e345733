"""Distributions over moves from which a player draws: of its book, its policy or its search."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import Move, describe, resolve
from sparring.networks import Prediction
from sparring.players.book import Book
from sparring.players.player import Decision
from sparring.search import MoveSelection, SearchResult

WON = 0.5
"""Value, from -1 to 1, above which a searched position counts as won."""


@dataclass(frozen=True)
class MoveDistribution:
    """Moves with weights, and a description of the move that is drawn."""

    moves: NDArray[np.int64]
    """[moves]"""
    weights: NDArray[np.float64]
    """[moves], at least 0; `draw` normalises them."""
    describe: Callable[[int, float], str]
    """(index, probability) -> description of a move, such as `from the book (40%)`."""
    value: float | None = None
    """The player's expected result from -1 to 1; None if unknown."""

    def draw(self, rng: np.random.Generator, searchmoves: Sequence[Move] = ()) -> Decision:
        """Draws one of the moves; `searchmoves` restricts them, empty for all. Raises ValueError if none of
        them is in the distribution."""
        probabilities = self._probabilities(searchmoves)
        return self._decision(int(rng.choice(len(probabilities), p=probabilities)), probabilities)

    def likeliest(self, searchmoves: Sequence[Move] = ()) -> Decision:
        """The move with the highest probability; the rest is as in `draw`."""
        probabilities = self._probabilities(searchmoves)
        return self._decision(int(probabilities.argmax()), probabilities)

    def _probabilities(self, searchmoves: Sequence[Move]) -> NDArray[np.float64]:
        weights = self.weights
        if searchmoves:
            allowed = np.isin(self.moves, searchmoves)
            if not allowed.any():
                raise ValueError("none of the moves to search is in the distribution")
            weights = np.where(allowed, weights, 0)
            if not weights.any():
                weights = allowed.astype(np.float64)
        probabilities: NDArray[np.float64] = weights / weights.sum()
        return probabilities

    def _decision(self, index: int, probabilities: NDArray[np.float64]) -> Decision:
        distribution = {int(m): float(p) for m, p in zip(self.moves, probabilities, strict=True) if p > 0}
        return Decision(
            int(self.moves[index]), distribution, self.describe(index, float(probabilities[index]))
        )


def book_distribution(book: Book, state: Any, searchmoves: Sequence[Move] = ()) -> MoveDistribution | None:
    """The book's moves in a state, of `searchmoves` if given; None if it has none."""
    weights = {
        move: weight for move, weight in book.moves(state).items() if not searchmoves or move in searchmoves
    }
    if not weights:
        return None
    return MoveDistribution(
        np.array(list(weights)),
        np.array(list(weights.values())),
        lambda index, probability: f"from the book ({probability:.0%})",
    )


def policy_distribution(
    game: str, state: Any, prediction: Prediction, temperature: float, at_rating: str
) -> MoveDistribution:
    """The policy's probabilities to the power of 1 / temperature; at temperature 0 its likeliest move alone.

    `at_rating` is part of the description of a move, such as ` at 1500`; empty without a rating.
    """
    weights = _tempered(prediction.probabilities.astype(np.float64), temperature)
    weights = _adjusted(game, state, prediction.moves, weights, prediction.value)
    score = "" if prediction.value is None else f", {_expected_score(prediction.value)}"
    return MoveDistribution(
        np.array(prediction.moves),
        weights,
        lambda index, probability: f"probability {_percent(probability)}{at_rating}{score}",
        prediction.value,
    )


def search_distribution(
    game: str, state: Any, result: SearchResult, selection: MoveSelection, *, avoid_draws: bool = True
) -> MoveDistribution:
    """A search's moves, by a rule of move selection.

    With `avoid_draws`, a search with a node for each move plays none that draws a won position at once.
    """
    moves = result.moves.tolist()
    weights = _adjusted(game, state, moves, selection(result), result.value)
    if avoid_draws and result.value > WON and result.nodes >= len(moves):
        weights = _without_draws(state, moves, weights)
    values = result.values
    return MoveDistribution(
        result.moves,
        weights,
        lambda index, probability: _searched(probability, float(values[index])),
        result.value,
    )


def _without_draws(state: Any, moves: Sequence[Move], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights without moves that end the game as a draw, such as stalemate; as they are if all do.

    A search does not visit every move, and takes one without visits for as good as the position.
    """
    outcomes = [
        state.play(move).outcome if weight > 0 else None for move, weight in zip(moves, weights, strict=True)
    ]
    draws = np.array([outcome is not None and outcome.winner is None for outcome in outcomes])
    others: NDArray[np.float64] = np.where(draws, 0, weights)
    return others if others.any() else weights


def _adjusted(
    game: str, state: Any, moves: Sequence[Move], weights: NDArray[np.float64], value: float | None
) -> NDArray[np.float64]:
    """The weights as the game's own rule corrects them, such as Go's passing rules."""
    reference = describe(game).search.adjust_policy
    if not reference:
        return weights
    prediction = Prediction(tuple(moves), weights.astype(np.float32), value)
    adjusted: NDArray[np.float64] = resolve(reference)(state, prediction)
    return adjusted


def _tempered(probabilities: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    if temperature == 0:
        best: NDArray[np.float64] = np.zeros(len(probabilities))
        best[int(probabilities.argmax())] = 1
        return best
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities) / temperature
    weights = np.exp(logs - logs.max())
    tempered: NDArray[np.float64] = weights / weights.sum()
    return tempered


def _searched(probability: float, value: float) -> str:
    """The probability of a move, unless no other could be drawn, and its value, unless it was not visited."""
    known = not math.isnan(value)
    chance = "" if known and probability >= 0.995 else f"probability {_percent(probability)}"
    return ", ".join(part for part in (chance, _expected_score(value) if known else "") if part)


def _expected_score(value: float) -> str:
    return f"expected score {_percent((value + 1) / 2)}"


def _percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
