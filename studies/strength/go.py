"""How strong is a Go player: the model behind `sparring measure level go`, and its errors.

The games are of people whom the network of ranks never saw. A side is the moves of one player in one game.
The
model is fitted on one half of the people and measured on the other; the shipped one is fitted on all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import Journal
from sparring.go.game import Go
from sparring.measure.strength import (
    GameEvidence,
    PlayerSummary,
    StrengthModel,
    collect_evidence,
    estimate_rating,
    feature_rows,
    log_posteriors,
)
from sparring.policies import Policy
from sparring.policies.policy import Array
from sparring.records import GameRecord
from sparring.records.readers import RecordedGame
from studies.ace.strength_fit import RatedPlayer, fit_strength_model, mean_log_loss, strength_errors
from studies.go_ranks.people import draw_sample, read_games, unseen
from studies.strength.moves import hashed

RANKS = (-9.0, -5.0, -2.0, 1.0, 5.0, 9.0)
"""Ranks that the policy is told: 1 is 1d, -1 is 1k."""
MOST_MOVES = 20
"""Moves of a player in a game that are looked at."""
PERSON_GAMES = 8


def fox_games(test: Path, training: Path, per_rank: int) -> list[RecordedGame]:
    """At most so many games of each rank between people who are not in the training file, ranks in turn."""
    start = Go.by_rules("chinese").initial().text()
    by_rank: dict[str, list[GameRecord]] = {}
    for game in draw_sample(unseen(read_games(test), training), per_rank):
        by_rank.setdefault(game.rank, []).append(game.record._replace(start=start, site="Fox"))
    turns = zip_longest(*by_rank.values())
    return [RecordedGame("go", record) for turn in turns for record in turn if record is not None]


def person_games(training: Path, people: int, games: int) -> list[RecordedGame]:
    """So many games each of so many people of each rank, of whom the network was trained on games like these,
    so that they tell how much people differ at equal rank, and nothing else."""
    start = Go.by_rules("chinese").initial().text()
    by_person: dict[tuple[str, str], list[GameRecord]] = {}
    for game in draw_sample(read_games(training), 10**9):
        by_person.setdefault((game.rank, game.record.first or ""), []).append(game.record)
    taken: dict[str, int] = {}
    chosen = []
    for (rank, _), records in sorted(by_person.items(), key=lambda item: hashed(item[0][1])):
        if len(records) >= games and taken.get(rank, 0) < people:
            taken[rank] = taken.get(rank, 0) + 1
            chosen += [record._replace(start=start, site="Fox") for record in records[:games]]
    return [RecordedGame("go", record) for record in chosen]


def collect(
    human: Policy,
    strong: Policy,
    games: Sequence[RecordedGame],
    source: str,
    journal: Journal,
    most_moves: int = MOST_MOVES,
) -> Iterator[int]:
    """Adds the evidence of both sides of games to a journal, and yields how many games it has."""
    done = {(entry["source"], entry["id"]) for entry in journal.entries}
    for number, game in enumerate(games, 1):
        if (source, game.id) not in done:
            ((first, second),) = collect_evidence(human, strong, [game], RANKS, most_moves)
            journal.add(
                {"source": source, "id": game.id, "sides": [_row(game, 0, first), _row(game, 1, second)]}
            )
        yield number


def _row(game: RecordedGame, side: int, evidence: GameEvidence | None) -> dict[str, Any] | None:
    if evidence is None or game.ratings[side] is None:
        return None
    return {
        "name": game.players[side],
        "rank": game.ratings[side],
        "moves": evidence.moves,
        "curve": np.round(evidence.curve, 3).tolist(),
        "features": np.round(evidence.features, 4).tolist(),
    }


GROUPS = ((-5, -4, -3), (-2, -1), *((dan,) for dan in range(1, 10)))
"""The groups of ranks of Kuboki et al.: 3k to 5k, 1k and 2k, and each dan."""
GAMES = (1, 5, 10, 20)
_SETS, _RESAMPLES = 40, 200


@dataclass(frozen=True)
class Side:
    """The moves of one player in one game."""

    name: str
    rank: int
    game: str
    evidence: GameEvidence

    @property
    def group(self) -> int:
        """The place of the rank in `GROUPS`; the nearest one beyond them."""
        return next((i for i, ranks in enumerate(GROUPS) if self.rank <= ranks[-1]), len(GROUPS) - 1)

    @property
    def half(self) -> int:
        """0 or 1, by a hash of the name."""
        return hashed(f"half {self.name}") % 2


def sides_of(entries: Iterable[dict[str, Any]], source: str) -> list[Side]:
    """The sides of a journal's games of a source."""
    return [
        Side(
            row["name"] or entry["id"],
            row["rank"],
            entry["id"],
            GameEvidence(np.array(row["curve"]), np.array(row["features"]), row["moves"]),
        )
        for entry in entries
        if entry["source"] == source
        for row in entry["sides"]
        if row is not None
    ]


def fitted(sides: Sequence[Side], persons: Sequence[RatedPlayer] = (), note: str = "") -> StrengthModel:
    """The model of the single games of some people, with the offset of `persons` at equal rank."""
    model = fit_strength_model("go", RANKS, [*single_games(sides), *persons], note=note)
    model = replace(model, most_moves=MOST_MOVES, rows=19)
    if not persons:
        return model
    summary = PlayerSummary.of([person.games for person in persons])
    known = np.array([person.rating for person in persons])
    offsets = [replace(model, player_error=error) for error in np.linspace(0.05, 4, 80).tolist()]
    return min(offsets, key=lambda candidate: mean_log_loss(candidate, summary, known))


def single_games(sides: Sequence[Side]) -> list[RatedPlayer]:
    """Each side as a player of one game."""
    return [RatedPlayer(side.name, side.rank, (side.evidence,)) for side in sides]


def persons_of(sides: Sequence[Side], games: int) -> list[RatedPlayer]:
    """People with so many games, in the order of a hash."""
    by_name: dict[tuple[str, int], list[Side]] = {}
    for side in sorted(sides, key=lambda side: hashed(side.game)):
        by_name.setdefault((side.name, side.rank), []).append(side)
    return [
        RatedPlayer(name, rank, tuple(side.evidence for side in own[:games]))
        for (name, rank), own in by_name.items()
        if len(own) >= games
    ]


def measured(
    sides: Sequence[Side],
    persons: Sequence[Side] = (),
    longer: Sequence[Side] = (),
    resamples: int = _RESAMPLES,
) -> dict[str, Any]:
    """Errors for one game, for one game with more moves (`longer`) and for persons, and the shares of groups
    told. Everybody is told by a model of other people."""
    halves = [[side for side in sides if side.half == which] for which in (0, 1)]
    known = [[side for side in persons if side.half == which] for which in (0, 1)]
    most = max(Counter((side.name, side.rank) for side in persons).values(), default=0)
    models = [
        fitted(half, persons_of(own, most) if own else ())
        for half, own in zip(halves, known, strict=True)
    ]  # fmt: skip

    def errors(rows: Sequence[Sequence[RatedPlayer]]) -> dict[str, Any]:
        """Each half's players by the model of the other half."""
        parts = [strength_errors(models[1 - which], players) for which, players in enumerate(rows)]
        count = sum(part["players"] for part in parts)
        pooled = {
            key: sum(part[key] * part["players"] for part in parts) / count
            for key in ("mean_absolute_error", "low", "high", "bias", "coverage", "width", "without_games")
        }
        gaps = np.concatenate([_gaps(models[1 - which], players) for which, players in enumerate(rows)])
        return {
            "players": count, **pooled,
            "within_one": float((gaps <= 1.5).mean()), "within_two": float((gaps <= 2.5).mean()),
        }  # fmt: skip

    fewest = min(sum(side.group == group for side in half) for half in halves for group in range(len(GROUPS)))
    report: dict[str, Any] = {
        "people": len({side.name for side in sides}),
        "sides": len(sides),
        "sides_by_rank": {
            rank: sum(side.rank == rank for side in sides) for rank in sorted({s.rank for s in sides})
        },
        "models": [asdict(model) for model in models],
        "one_game": errors([single_games(half) for half in halves]),
        "groups": [group_accuracy(halves, models, games, resamples) for games in GAMES if games <= fewest],
    }
    if longer:
        halves_of_longer = [[side for side in longer if side.half == which] for which in (0, 1)]
        report["one_game_with_more_moves"] = errors([single_games(half) for half in halves_of_longer])
    report["persons"] = [
        {"games": games, **errors([persons_of(own, games) for own in known])}
        for games in sorted({1, 2, 4, most})
        if games and persons
    ]
    return report


def _gaps(model: StrengthModel, players: Sequence[RatedPlayer]) -> Array:
    """Errors [players] in ranks."""
    found = [_step(estimate_rating(model, player.games).rating) - _step(player.rating) for player in players]
    gaps: Array = np.abs(np.array(found))
    return gaps


def _step(rating: float) -> float:
    """A rank without the gap between 1k and 1d."""
    return rating if rating < 0 else rating - 1 if rating >= 1 else -1 + rating / 2


def group_accuracy(
    halves: Sequence[Sequence[Side]], models: Sequence[StrengthModel], games: int, resamples: int
) -> dict[str, Any]:
    """The share of sets of games of a group that are put into it, or into it or its neighbour.

    Each half of the people is told by the model of the other half, with bounds between the groups half way
    between the mean estimates of that half's sets. Intervals are from resampled sides.
    """
    rng = np.random.default_rng(games)
    members = [
        [np.flatnonzero([side.group == group for side in half]) for group in range(len(GROUPS))]
        for half in halves
    ]
    evidence = [
        (
            np.array([side.evidence.curve for side in half]),
            feature_rows([side.evidence for side in half]),
        )
        for half in halves
    ]

    def ranks_of_sets(model: StrengthModel, which: int, pool: NDArray[np.int64]) -> Array:
        """The estimated ranks of sets of a pool's sides, all ranks equally likely before."""
        chosen = rng.permuted(np.tile(pool, (_SETS, 1)), axis=1)[:, :games]
        curves, features = evidence[which]
        sets = PlayerSummary(
            curves[chosen].sum(axis=1), features[chosen].mean(axis=1), np.full(_SETS, float(games))
        )
        ranks: Array = np.exp(log_posteriors(model, sets)) @ model.grid
        return ranks

    # The games of a set are of several people.
    alike = [replace(model, player_error=0.0, prior=(0.0, 1e6)) for model in models]
    exact, near = [], []
    for resample in range(resamples + 1):
        pools = [[rng.choice(own, len(own)) if resample else own for own in some] for some in members]
        gaps = []
        for which, other in ((0, 1), (1, 0)):
            means = np.sort([ranks_of_sets(alike[other], other, own).mean() for own in pools[other]])
            for group, own in enumerate(pools[which]):
                ranks = ranks_of_sets(alike[other], which, own)
                gaps.append(np.abs(np.searchsorted((means[1:] + means[:-1]) / 2, ranks) - group))
        exact.append(float((np.concatenate(gaps) == 0).mean()))
        near.append(float((np.concatenate(gaps) <= 1).mean()))
    return {
        "games": games,
        "sides_of_a_group": [[len(own) for own in some] for some in members],
        "accuracy": _quantiles(exact),
        "within_one_group": _quantiles(near),
    }


def _quantiles(shares: Sequence[float]) -> dict[str, float]:
    low, high = np.quantile(shares[1:], (0.025, 0.975)).tolist()
    return {"value": shares[0], "low": low, "high": high}
