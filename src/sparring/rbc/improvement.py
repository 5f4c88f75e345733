"""Improvement loop of the planner: play with the best network, train a new one, keep it if it is stronger.

Round n has a folder `round-n`. Its games are between the planner with the best network so far and other bots.
The new network is trained on the given records and on the games of all rounds. A match decides between the
two networks, and its games are training data of later rounds. Every part resumes where it was interrupted; a
line of `rounds.ndjson` says that a round is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sparring.base.errors import BadConfig, JournalMismatch
from sparring.base.storage import Journal, atomic_write
from sparring.measure.ratings import wilson_interval
from sparring.rbc.matches import HISTORIES, GeneratedGame, GenerationConfig, generate
from sparring.rbc.training import RbcTrainingConfig

ROUNDS = "rounds.ndjson"


@dataclass(frozen=True)
class ImprovementConfig:
    """What a round plays and trains."""

    records: tuple[Path, ...]
    """Further records to train on."""
    training: RbcTrainingConfig
    start: Path
    """The first network."""
    opponents: tuple[str, ...] = ("inference-2", "inference-3")
    """Names or TOML files of bots that the planner plays beside itself."""
    games: int = 300
    """Games of a round."""
    match_games: int = 200
    """Games of the match: half of them of the new network against the old, the others of each with itself."""
    playouts: int = 256
    """Playouts of a decision."""
    seed: int = 0


@dataclass(frozen=True)
class ImprovementRound:
    """A finished round."""

    number: int
    network: str
    """Path of the new network."""
    opponent: str
    """Path of the best one before."""
    games: int
    """Games of the match between the two."""
    score: float
    """Share of the points of the new network."""
    low: float
    high: float
    """Wilson's interval of 95 %."""
    kept: bool
    """Whether the new network is the best now: its score is above one half."""


def improve(
    config: ImprovementConfig,
    folder: Path,
    rounds: int,
    processes: int,
    train: Callable[[RbcTrainingConfig, Sequence[Path], Path], Path],
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[ImprovementRound]:
    """Plays and trains the missing rounds, and returns all.

    `train` trains on records in a folder and returns the network. `on_progress` is called with what is
    played, and the games so far and in all. Raises BadConfig, WorkerError or OSError.
    """
    header = {
        "records": [str(path) for path in config.records],
        "start": str(config.start),
        "opponents": config.opponents,
        "games": config.games,
        "match_games": config.match_games,
        "playouts": config.playouts,
        "seed": config.seed,
        "training": config.training.as_dict(),
    }
    try:
        journal = Journal(folder / ROUNDS, header=header, kind=ImprovementRound)
    except JournalMismatch:
        raise BadConfig(f"{folder} has a loop of other options: give another --out") from None
    done = [ImprovementRound(**entry) for entry in journal.entries]
    for number in range(len(done) + 1, rounds + 1):
        new_round = _play_round(
            config, folder, number, best_network(config, done), processes, train, on_progress
        )
        journal.add(asdict(new_round))
        done.append(new_round)
    return done


def best_network(config: ImprovementConfig, rounds: Sequence[ImprovementRound]) -> Path:
    """Returns the network that was kept last, or the first one."""
    return next((Path(entry.network) for entry in reversed(rounds) if entry.kept), config.start)


def _play_round(
    config: ImprovementConfig,
    folder: Path,
    number: int,
    best: Path,
    processes: int,
    train: Callable[[RbcTrainingConfig, Sequence[Path], Path], Path],
    on_progress: Callable[[str, int, int], None],
) -> ImprovementRound:
    here = folder / f"round-{number}"

    def play(name: str, players: Sequence[str], games: int) -> list[GeneratedGame]:
        generation = GenerationConfig(tuple(players), games, seed=config.seed + number, random_turns=2)
        what = f"round {number}, {name}"
        return generate(generation, here / name, processes, lambda done: on_progress(what, len(done), games))

    old = _bot(here / "planner-old.toml", best, config.playouts)
    play("games", (old, *config.opponents), config.games)
    played = [folder / f"round-{n}" / part for n in range(1, number + 1) for part in ("games", "match")]
    records = [
        *config.records,
        *(path for path in played if (path / HISTORIES).exists() and path != here / "match"),
    ]
    network = train(config.training, records, here / "run")
    new = _bot(here / "planner-new.toml", network, config.playouts)
    score, games = _score(play("match", (new, old), config.match_games), new, old)
    low, high = wilson_interval(score, max(games, 1))
    return ImprovementRound(number, str(network), str(best), games, score, low, high, kept=score > 0.5)


def _bot(path: Path, network: Path, playouts: int) -> str:
    """Writes the bot's file and returns its path. One thread: the games run in parallel."""
    text = 'kind = "planner"\nthreads = 1\nboards = 20000\n\n[planner]\n'
    atomic_write(path, f"{text}network = '{network.resolve()}'\nplayouts = {playouts}\n")
    return str(path)


def _score(games: Sequence[GeneratedGame], new: str, old: str) -> tuple[float, int]:
    """The share of points of the new bot in the games against the old, and their number."""
    points = [
        game.result if game.first == new else 1 - game.result
        for game in games
        if game.result is not None and {game.first, game.second} == {new, old}
    ]
    return (sum(points) / len(points) if points else 0.5), len(points)
