"""The arena: tournaments between players and engines, ratings, and sequential tests."""

from sparring.arena.ratings import RatingError, Ratings, rate
from sparring.arena.results import GameResult, read_names, read_results
from sparring.arena.run_tournament import PentanomialTest, TournamentRun, run_tournament
from sparring.arena.sprt import SequentialTest, Sprt, log_likelihood_ratio
from sparring.arena.standings import Standings, compute_standings
from sparring.arena.tournament import BadTournament, Tournament
from sparring.arena.tournament_config import read_tournament
from sparring.arena.workers import LocalWorkers, RayWorkers
from sparring.workers import WorkerError

__all__ = [
    "BadTournament",
    "GameResult",
    "LocalWorkers",
    "PentanomialTest",
    "RatingError",
    "Ratings",
    "RayWorkers",
    "SequentialTest",
    "Sprt",
    "Standings",
    "Tournament",
    "TournamentRun",
    "WorkerError",
    "compute_standings",
    "log_likelihood_ratio",
    "rate",
    "read_names",
    "read_results",
    "read_tournament",
    "run_tournament",
]
