"""The schedule: a sequence of games that depends on the tournament and its seed only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sparring.arena.tournament import Tournament, TournamentFormat


@dataclass(frozen=True)
class Pairing:
    """One game of the schedule."""

    number: int
    """From 0. Games 2k and 2k + 1 are the same two players from the same opening with colours swapped."""
    first: int
    """Player 0, as an index into the tournament's entries."""
    second: int
    opening: int


def pairing_of(tournament: Tournament, number: int, openings: int) -> Pairing:
    """Game `number` of the schedule, with `openings` openings.

    All openings are used before one is repeated, in an order drawn from the seed.
    """
    first, second, round_ = meeting_of(len(tournament.entries), tournament.format, number)
    lap, place = divmod(round_, openings)
    order = np.random.default_rng([tournament.seed, lap]).permutation(openings)
    return Pairing(number, first, second, int(order[place]))


def meeting_of(players: int, form: TournamentFormat, number: int) -> tuple[int, int, int]:
    """Player 0, player 1 and the round of game `number` among so many players.

    In each round all pairs of players (in a gauntlet: the first player with each other player) meet twice
    from one opening, with colours swapped.
    """
    everybody = range(players)
    gauntlet = form == "gauntlet"
    pairs = [(0, other) for other in everybody[1:]] if gauntlet else list(combinations(everybody, 2))
    meeting, swapped = divmod(number, 2)
    round_, pair = divmod(meeting, len(pairs))
    first, second = pairs[pair][::-1] if swapped else pairs[pair]
    return first, second, round_


def seeds_of(tournament: Tournament, number: int) -> tuple[int, int]:
    """Seeds of player 0 and player 1 in a game."""
    first, second = np.random.SeedSequence([tournament.seed, number]).generate_state(2, np.uint64)
    return int(first), int(second)
