"""Which games are played: a sequence that the tournament and its seed alone decide."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sparring.arena.tournament import Tournament


@dataclass(frozen=True)
class Pairing:
    """One game of the schedule."""

    number: int
    """From 0. Games 2k and 2k + 1 are the same two players from the same opening, colours swapped."""
    first: int
    """Who is player 0, as an index of the tournament's entries."""
    second: int
    opening: int


def pairing_of(tournament: Tournament, number: int, openings: int) -> Pairing:
    """The game with a number, where there are so many openings.

    Rounds follow each other; in a round all pairs of players (in a gauntlet: of the first with each other)
    meet twice from one opening. All openings are used before one comes again, in an order by the seed.
    """
    pairs = _pairs(tournament)
    meeting, swapped = divmod(number, 2)
    round_, pair = divmod(meeting, len(pairs))
    lap, place = divmod(round_, openings)
    order = np.random.default_rng([tournament.seed, lap]).permutation(openings)
    first, second = pairs[pair][::-1] if swapped else pairs[pair]
    return Pairing(number, first, second, int(order[place]))


def seeds_of(tournament: Tournament, number: int) -> tuple[int, int]:
    """Seeds for the two players of a game: for player 0 and for player 1."""
    first, second = np.random.SeedSequence([tournament.seed, number]).generate_state(2, np.uint64)
    return int(first), int(second)


def _pairs(tournament: Tournament) -> list[tuple[int, int]]:
    players = range(len(tournament.entries))
    return (
        [(0, other) for other in players[1:]]
        if tournament.format == "gauntlet"
        else list(combinations(players, 2))
    )
