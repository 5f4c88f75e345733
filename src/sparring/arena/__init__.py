"""The arena: tournaments between players and engines, ratings, and sequential tests."""

from sparring.arena.results import ArenaGame, Standings, compute_standings, read_names, read_results
from sparring.arena.run_tournament import LocalWorkers, PentanomialTest, RayWorkers, run_tournament
from sparring.arena.tournament import Tournament, read_tournament
from sparring.measure.ratings import SequentialTest, Sprt, log_likelihood_ratio, rate

__all__ = [
    "ArenaGame",
    "LocalWorkers",
    "PentanomialTest",
    "RayWorkers",
    "SequentialTest",
    "Sprt",
    "Standings",
    "Tournament",
    "compute_standings",
    "log_likelihood_ratio",
    "rate",
    "read_names",
    "read_results",
    "read_tournament",
    "run_tournament",
]
