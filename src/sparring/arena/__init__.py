"""The arena: tournaments between players and engines, ratings, and sequential tests."""

from sparring.arena.ratings import CannotRate, Ratings, rate
from sparring.arena.results import Result, read_names, read_results
from sparring.arena.running import PairTest, Run, run_tournament
from sparring.arena.sprt import SequentialTest, Sprt, log_likelihood_ratio
from sparring.arena.standings import Standings, stand
from sparring.arena.tournament import BadTournament, Tournament
from sparring.arena.tournament_files import read_tournament
from sparring.arena.workers import LocalWorkers, RayWorkers
from sparring.workers import WorkerDied

__all__ = [
    "BadTournament",
    "CannotRate",
    "LocalWorkers",
    "PairTest",
    "Ratings",
    "RayWorkers",
    "Result",
    "Run",
    "SequentialTest",
    "Sprt",
    "Standings",
    "Tournament",
    "WorkerDied",
    "log_likelihood_ratio",
    "rate",
    "read_names",
    "read_results",
    "read_tournament",
    "run_tournament",
    "stand",
]
