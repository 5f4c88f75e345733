"""The acceptance match: a significance test of whether a new player beats its predecessor.

Games come in pairs: the same random opening, colours exchanged. An opening is a few random moves after which
a shallow search evaluates the position as even. Each game is journalled before the next begins.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.arena import ArenaGame, log_likelihood_ratio, rate
from sparring.base.numbers import plus_minus, signed
from sparring.base.storage import Journal
from sparring.games import load_game
from sparring.measure.ratings import RatedGame, wilson_interval
from sparring.play.game import LiveGame
from sparring.play.match import play_out
from sparring.players import Player
from sparring.search.linear_evaluation import AlphaBetaSearcher, open_evaluation, random_opening

SIGNIFICANCE_LEVEL = 0.05
"""The p-value below which the new player is accepted."""
_PLIES = range(2, 9)
_OPENING_DEPTH = 4
_EVEN = 5.0
"""The largest value of an opening for either side, of 100: less than a token's."""


def sign_test(wins: int, losses: int) -> float:
    """The one-sided p-value of the exact sign test: the chance of at least so many wins among equals."""
    decided = wins + losses
    return float(sum(math.comb(decided, more) for more in range(wins, decided + 1)) / 2**decided)


@dataclass(frozen=True)
class NamedPlayer:
    """A player and its name in a match."""

    name: str
    player: Player


@dataclass(frozen=True)
class MatchSummary:
    """The result of a match, from the new player's view."""

    new: str
    old: str
    wins: int
    draws: int
    losses: int
    score: float
    """Points a game."""
    score_low: float
    score_high: float
    """95 % interval by Wilson's formula, with the variance of the pairs."""
    elo: float | None
    elo_half_width: float | None
    """Davidson's model with a 95 % half width; None if one side won all games (no finite rating)."""
    p_value: float
    """One-sided exact sign test over the decided games."""
    log_likelihood_ratio: float
    """As in Fishtest, over pairs: +50 Elo against 0 Elo."""
    accepted: bool
    plies: float
    cpu_seconds: float
    """Processor time of the new player in its longest game."""


@dataclass(frozen=True)
class TimedResult:
    """A game and the new player's processor time, in seconds."""

    result: ArenaGame
    cpu_seconds: float


def play_match(
    game: str, new: NamedPlayer, old: NamedPlayer, *, games: int, seed: int, journal: Path | None = None
) -> Iterator[TimedResult]:
    """Plays a match of `games` games and yields each; games in the journal are yielded without playing.

    `game` needs a shipped evaluation `start` for its openings. The same seed gives the same openings.
    Raises BadFile or OSError.
    """
    kept = None if journal is None else Journal(journal, sync=True, kind=TimedResult)
    lines = kept.entries if kept is not None else []
    earlier = [TimedResult(ArenaGame(**line["result"]), line["cpu_seconds"]) for line in lines]
    yield from earlier[:games]
    searcher = open_evaluation(game, "start").searcher(megabytes=4)
    for number in range(len(earlier), games):
        start = even_opening(game, searcher, np.random.default_rng([seed, number // 2]))
        sides = (new, old) if number % 2 == 0 else (old, new)
        played = _play(game, start, sides, sides.index(new), number, seed)
        if kept is not None:
            kept.add(asdict(played))
        yield played


def summarise_match(new: str, old: str, played: Sequence[TimedResult]) -> MatchSummary:
    """The summary of a match; `played` is in order, so that pairs are neighbours."""
    points = [
        result if timed.result.first == new else 1 - result
        for timed in played
        if (result := timed.result.result) is not None
    ]
    wins, losses = points.count(1.0), points.count(0.0)
    pairs = [points[i] + points[i + 1] for i in range(0, len(points) - 1, 2)]
    counts = [pairs.count(score / 2) for score in range(5)]
    score, low, high = score_interval(pairs)
    swept = len(points) in (wins, losses)
    elo, half_width = (None, None) if swept else _elo(new, [timed.result for timed in played])
    p_value = sign_test(wins, losses)
    return MatchSummary(
        new=new,
        old=old,
        wins=wins,
        draws=points.count(0.5),
        losses=losses,
        score=score,
        score_low=low,
        score_high=high,
        elo=elo,
        elo_half_width=half_width,
        p_value=p_value,
        log_likelihood_ratio=round(log_likelihood_ratio(counts, 0, 50), 2),
        accepted=p_value < SIGNIFICANCE_LEVEL,
        plies=float(np.mean([timed.result.plies for timed in played])),
        cpu_seconds=max(timed.cpu_seconds for timed in played),
    )


def _play(
    game: str, start: Any, sides: tuple[NamedPlayer, NamedPlayer], measured: int, number: int, seed: int
) -> TimedResult:
    spent = [0.0, 0.0]

    def count(player: int, seconds: float) -> None:
        spent[player] += seconds

    live = LiveGame(
        load_game(game),
        {place: side.player for place, side in enumerate(sides)},
        start=start,
        seed_of=lambda place, ply: seed * 1_000_003 + 2 * number + place,
    )
    began = time.monotonic()
    end = play_out(live, on_decision=count)
    result = ArenaGame(
        number=number,
        first=sides[0].name,
        second=sides[1].name,
        opening=number // 2,
        result=end.first_score,
        reason=end.reason,
        detail=start.text(),
        plies=live.states[-1].ply,
        seconds=round(time.monotonic() - began, 3),
    )
    return TimedResult(result, round(spent[measured], 3))


def even_opening(game: str, searcher: AlphaBetaSearcher, rng: np.random.Generator) -> Any:
    """A state after two to eight random moves that a shallow search of `searcher` evaluates as even."""
    start = load_game(game).initial()
    while True:
        state = random_opening(start, searcher, int(rng.choice(_PLIES)), rng)
        searcher.clear()
        if state is not None and abs(searcher.analyse(state, depth=_OPENING_DEPTH).value) <= _EVEN:
            return state


def score_interval(pairs: Sequence[float]) -> tuple[float, float, float]:
    """Points a game and a 95 % interval, from the points of pairs of games.

    Wilson's interval with the effective number of games: the count at which independent games would have the
    variance that the pairs have.
    """
    scores = np.array(pairs) / 2
    mean, variance = float(scores.mean()), float(scores.var(ddof=1)) if len(scores) > 1 else 0.25
    mixed = variance > 0 and 0 < mean < 1
    effective = len(scores) * mean * (1 - mean) / variance if mixed else 2 * len(scores)
    low, high = wilson_interval(mean, effective)
    return mean, max(low, 0.0), min(high, 1.0)


def _elo(new: str, results: Sequence[ArenaGame]) -> tuple[float, float]:
    games = [
        RatedGame(*((0, 1) if game.first == new else (1, 0)), game.result)
        for game in results
        if game.result is not None
    ]
    ratings = rate(games, 2, anchor=1)
    return round(float(ratings.elo[0]), 1), round(float(ratings.half_widths[0]), 1)


def format_summary(summary: MatchSummary) -> str:
    """The summary of a match in two lines of text."""
    elo = ""
    if summary.elo is not None and summary.elo_half_width is not None:
        elo = f", {signed(summary.elo, 0)} {plus_minus(summary.elo_half_width, 0)} Elo"
    return (
        f"{summary.new} v {summary.old}: {summary.wins} won, {summary.draws} drawn, {summary.losses} lost, "
        f"{summary.score:.1%} ({summary.score_low:.1%} to {summary.score_high:.1%}){elo}\n"
        f"{'accepted' if summary.accepted else 'not accepted'}: p = {summary.p_value:.2g}, "
        f"level {SIGNIFICANCE_LEVEL:g}"
    )
