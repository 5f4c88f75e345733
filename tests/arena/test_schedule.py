"""The schedule: swapped colours, equal numbers of games, determined by the seed."""

from __future__ import annotations

from collections import Counter

from sparring.arena.tournament import pairing_of, seeds_of
from tests.arena.tournaments import small, tournament


def test_a_round_robin_is_fair() -> None:
    entry = tournament(*small(1, 1, 1, 1), games=24)
    games = [pairing_of(entry, number, 5) for number in range(24)]
    assert Counter(frozenset((game.first, game.second)) for game in games) == {
        frozenset((a, b)): 4 for a in range(4) for b in range(a)
    }
    assert Counter(game.first for game in games) == dict.fromkeys(range(4), 6)
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert (one.first, one.second, one.opening) == (other.second, other.first, other.opening)


def test_a_gauntlet_is_one_against_all() -> None:
    entry = tournament(*small(1, 1, 1), games=8, format="gauntlet")
    games = [pairing_of(entry, number, 1) for number in range(8)]
    assert all(0 in (game.first, game.second) for game in games)
    assert Counter(max(game.first, game.second) for game in games) == {1: 4, 2: 4}


def test_every_opening_comes_before_one_comes_again() -> None:
    entry = tournament(*small(1, 1), games=40)
    openings = [pairing_of(entry, number, 5).opening for number in range(0, 40, 2)]
    assert all(sorted(openings[lap : lap + 5]) == list(range(5)) for lap in range(0, 20, 5))
    other = tournament(*small(1, 1), games=40, seed=1)
    assert openings != [pairing_of(other, number, 5).opening for number in range(0, 40, 2)]


def test_seeds_differ_between_games_and_players() -> None:
    entry = tournament(*small(1, 1))
    seeds = [seed for number in range(50) for seed in seeds_of(entry, number)]
    assert len(set(seeds)) == 100
    assert seeds_of(entry, 3) == seeds_of(entry, 3)
