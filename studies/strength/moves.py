"""People's moves of known rating, and what our networks say of them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sparring.measure.samples import game_phase
from sparring.policies import Policy
from sparring.policies.policy import Array
from sparring.records import Split, open_records
from sparring.records.readers import RecordedGame
from studies.strength.model import GameEvidence, game_evidence, is_slow, move_numbers

RATINGS = (600.0, 1100.0, 1600.0, 2100.0, 2600.0)
"""Ratings that `human` is conditioned on, for both players."""
GROUPS = 8
"""Groups of 200 points from 1000 to 2599; below and above are others."""
PERSON_GAMES = 5
"""Players with so many games of blitz are persons, whose games all are taken."""
FITTED_MOVES, TEST_MOVES = 8, 20
"""Moves of a game and player that are evaluated; of `whole` sides all moves."""
_TOGETHER = 12
"""Sides that are evaluated together."""


@dataclass(frozen=True)
class Side:
    """One player's moves of one game, as far as they were evaluated."""

    game: str
    player: int
    name: str
    rating: int
    slow: bool
    """Whether the game is slower than blitz."""
    role: str
    """`train`; `test`; `person`, of a player with several games; `whole`, a test side with all moves."""
    phases: tuple[int, ...]
    """[moves]: 0 opening, 1 middle game, 2 endgame."""
    curves: tuple[tuple[float, ...], ...]
    """[moves, RATINGS]: log p(move | r)."""
    features: tuple[tuple[float, ...], ...]
    """[moves, FEATURES]."""

    @property
    def fitted(self) -> bool:
        """Whether the player is one of those on whom the model is fitted."""
        return self.role != "whole" and is_fitted(self.name)

    def of_phase(self, phase: int) -> Side | None:
        """The moves of one phase; None without any."""
        places = [place for place, own in enumerate(self.phases) if own == phase]
        if not places:
            return None
        curves, features = (tuple(rows[place] for place in places) for rows in (self.curves, self.features))
        return replace(self, phases=(phase,) * len(places), curves=curves, features=features)

    def evidence(self) -> GameEvidence:
        """The evidence of these moves."""
        return game_evidence(
            np.array(self.curves), np.array(self.features), np.array(self.phases, np.int64), self.slow
        )


@dataclass(frozen=True)
class PlannedSide:
    """A side that is to be evaluated."""

    game: RecordedGame
    player: int
    role: str


def hashed(text: str) -> int:
    """A hash of a text that is the same everywhere."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def is_fitted(name: str) -> bool:
    """Whether the model is fitted on this player; otherwise it is tested on the player."""
    return hashed(name) % 2 == 1


def group_of(rating: float) -> int:
    """The group of a rating; below 0 or from `GROUPS` on for ratings outside."""
    return int(rating // 200) - 5


def rated_games(path: Path) -> list[RecordedGame]:
    """The games of a file with both ratings that `human` was not trained on."""
    return [
        game
        for game in open_records(path)
        if None not in game.ratings
        and len(game) >= 20
        and not (is_slow(game) and game.split() is Split.TRAIN)
    ]


def plan(blitz: Sequence[RecordedGame], rapid: Sequence[RecordedGame]) -> list[PlannedSide]:
    """The sides to be evaluated, so that each beginning of the list has all groups alike."""
    often = Counter(name for game in blitz for name in game.players)
    sides = []
    for game in [*blitz, *(game for game in rapid if is_slow(game))]:
        for player in (0, 1):
            name = game.players[player] or ""
            role = "train" if is_fitted(name) else "test"
            if not is_slow(game) and often[name] >= PERSON_GAMES:
                role = "person"
            sides.append(PlannedSide(game, player, role))
    return _balanced(sides)


def whole_sides(rapid: Sequence[RecordedGame], count: int) -> list[PlannedSide]:
    """`count` sides of test players in rapid games, in the order of a hash: ratings as in the records."""
    sides = [
        PlannedSide(game, player, "whole")
        for game in rapid
        for player in (0, 1)
        if is_slow(game) and not is_fitted(game.players[player] or "")
    ]
    return sorted(sides, key=lambda side: hashed(f"whole {side.game.id} {side.player}"))[:count]


def whole_of_groups(planned: Sequence[PlannedSide], count: int) -> list[PlannedSide]:
    """The first `count` test sides of blitz in a plan, which has all groups alike, with all moves."""
    sides = [side for side in planned if side.role == "test" and not is_slow(side.game)]
    return [replace(side, role="whole") for side in sides[:count]]


_SHARES = {"train": (4.0, 2.0), "test": (2.0, 1.0), "person": (1.0, 0.0)}
"""Sides of blitz and of rapid among ten."""


def _balanced(sides: Sequence[PlannedSide]) -> list[PlannedSide]:
    count: Counter[tuple[bool, str, int]] = Counter()
    ranked = []
    for side in sorted(sides, key=lambda side: hashed(f"{side.game.id} {side.player}")):
        slow = is_slow(side.game)
        group = group_of(side.game.ratings[side.player] or 0)
        if not (-1 if slow else 0) <= group < GROUPS:
            continue  # blitz has eight groups; rapid also has 800 to 999
        # The groups take turns; people with several games are taken as they come.
        key = (slow, side.role, 0 if side.role == "person" else group)
        share = _SHARES[side.role][slow] / (1 if side.role == "person" else GROUPS)
        count[key] += 1
        ranked.append((count[key] / share, side))
    ranked.sort(key=lambda pair: pair[0])
    return [side for _, side in ranked]


def read_sides(path: Path) -> list[Side]:
    """The sides in a file of `evaluate`; none if there is no file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [Side(**{key: _tuples(value) for key, value in json.loads(line).items()}) for line in lines]


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value


def evaluate(human: Policy, strong: Policy, sides: Sequence[PlannedSide], path: Path) -> Iterator[int]:
    """Appends the sides that the file lacks to it; yields how many are done."""
    known = {(side.game, side.player, side.role == "whole") for side in read_sides(path)}
    missing = [side for side in sides if (side.game.id, side.player, side.role == "whole") not in known]
    for start in range(0, len(missing), _TOGETHER):
        found = evaluated(human, strong, missing[start : start + _TOGETHER])
        lines = "".join(json.dumps(asdict(side)) + "\n" for side in found)
        with path.open("a") as file:
            file.write(lines)
        yield start + _TOGETHER


def evaluated(human: Policy, strong: Policy, sides: Sequence[PlannedSide]) -> Iterator[Side]:
    """The sides with what the networks say of their moves."""
    turns = [_turns(side) for side in sides]
    states = [turn[1] for some in turns for turn in some]
    played = [turn[2] for some in turns for turn in some]
    curves, features = move_numbers(human, strong, states, played, RATINGS)
    begin = 0
    for side, some in zip(sides, turns, strict=True):
        own = slice(begin, begin := begin + len(some))
        yield Side(
            side.game.id,
            side.player,
            side.game.players[side.player] or "",
            int(side.game.ratings[side.player] or 0),
            is_slow(side.game),
            side.role,
            tuple(game_phase("chess", state, ply) for ply, state, _ in some),
            _rounded(curves[own]),
            _rounded(features[own]),
        )


def _turns(side: PlannedSide) -> list[tuple[int, Any, int]]:
    """Ply, state and index of the move of the turns that are evaluated."""
    turns = [
        (ply, state, state.legal_moves().index(following.last_move))
        for ply, (state, following) in enumerate(pairwise(side.game.states))
        if state.to_move == side.player and len(state.legal_moves()) > 1
    ]
    if side.role == "whole":
        return turns
    rng = np.random.default_rng(hashed(f"{side.game.id} {side.player}"))
    wanted = FITTED_MOVES if side.role == "train" else TEST_MOVES
    return [turns[index] for index in sorted(rng.permutation(len(turns))[:wanted].tolist())]


def _rounded(numbers: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(float(number), 4) for number in row) for row in numbers)
