"""A calibration: rounds of games between players and anchors, which can be resumed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import zip_longest

import numpy as np

from sparring.arena.engine_process import kill_all
from sparring.arena.ratings import RatedGame, rate
from sparring.arena.tournament import EngineConfig, NamedPlayerConfig
from sparring.arena.workers import open_participant
from sparring.calibration.anchors import Anchor
from sparring.calibration.fit import AnchorScore, ScaleFit, fit_rating
from sparring.calibration.lockstep_games import (
    DilutedMover,
    EngineMover,
    LockstepGame,
    Mover,
    PolicyMover,
    play_together,
)
from sparring.games import load_game
from sparring.players import PlayerConfig
from sparring.policies import Policy, load_policy
from sparring.storage import Journal
from sparring.workers import WorkerPool

_MAX_PLIES = 400
"""Length at which a game is drawn, on boards of at most 133 points."""


@dataclass(frozen=True)
class CalibrationGame:
    """A finished game: a line of the journal."""

    player: str
    anchor: str
    number: int
    """Number of the game between the two. The player has the first side in even games."""
    score: float
    """The player's score."""
    reason: str
    plies: int


@dataclass(frozen=True)
class GamesTask:
    """Games of one player that are played together."""

    player: str
    pairings: tuple[tuple[str, int], ...]
    """Anchor and number of each game."""
    config: PlayerConfig | None = None
    """The player, if the plan does not have it."""


@dataclass(frozen=True)
class CalibrationPlan:
    """What is calibrated: the same for all processes."""

    game: str
    players: Mapping[str, PlayerConfig]
    anchors: tuple[Anchor, ...]
    seed: int = 0
    backend: str = "onnxruntime"
    """Runtime of the networks, such as onnxruntime or torch-compiled."""
    batch: int = 64
    """Positions that a network evaluates at once."""
    max_plies: int | None = None
    """Length at which a game is drawn; None: by the board, so that games of Go are played to their end."""

    @property
    def length_limit(self) -> int:
        """Length at which a game is drawn."""
        rows, columns = load_game(self.game).spec.board
        return max(_MAX_PLIES, 3 * rows * columns) if self.max_plies is None else self.max_plies


class CalibrationWorker:
    """Plays tasks in one process. Networks and engines are kept from task to task."""

    def __init__(self, plan: CalibrationPlan) -> None:
        self._plan = plan
        made = load_game(plan.game)
        draws = {"claim_draws": True} if hasattr(made, "claim_draws") else {}
        self._game = load_game(plan.game, **draws)
        self._anchors = {anchor.name: anchor for anchor in plan.anchors}
        self._configs = dict(plan.players)
        self._movers: dict[tuple[str, str, int], Mover] = {}
        self._policy = cache(partial(_load_policy, plan))

    def work(self, task: GamesTask) -> list[CalibrationGame]:
        """Plays the games of a task."""
        games = {id(game): (anchor, game) for anchor, game in self.games(task)}
        played = play_together([game for _, game in games.values()], max_plies=self._plan.length_limit)
        return [self.ended(task.player, games[id(game)][0], game) for game in played]

    def ended(self, player: str, anchor: str, game: LockstepGame) -> CalibrationGame:
        """A game's line of the journal. Engines that play one game only are closed."""
        score, reason = game.result
        score = score if game.number % 2 == 0 else 1 - score
        for name, opponent in ((player, anchor), (anchor, player)):
            if self._keeps_a_board(name):
                engine = engine_of(self._movers.pop((name, opponent, game.number)))
                if engine is not None:
                    engine.close()
        return CalibrationGame(player, anchor, game.number, score, reason, game.plies)

    def games(self, task: GamesTask) -> Iterator[tuple[str, LockstepGame]]:
        """The games of a task at their beginning, with the anchor of each."""
        for anchor, number in task.pairings:
            if task.config is not None:
                self._configs[task.player] = task.config
            pair = self._mover(task.player, anchor, number), self._mover(anchor, task.player, number)
            seed = [self._plan.seed, zlib.crc32(f"{task.player}|{anchor}".encode()), number]
            sides = pair if number % 2 == 0 else pair[::-1]
            yield anchor, LockstepGame(number, sides, np.random.default_rng(seed), self._game.initial())

    def close(self) -> None:
        """Closes the engines."""
        for engine in map(engine_of, self._movers.values()):
            if engine is not None:
                engine.close()

    def terminate(self) -> None:
        """Kills the engines."""
        kill_all()

    def _mover(self, name: str, opponent: str, number: int) -> Mover:
        """The mover of a participant: one for all games, or one for this game if it keeps a board."""
        key = (name, opponent, number) if self._keeps_a_board(name) else (name, "", 0)
        if key not in self._movers:
            self._movers[key] = self._open(name)
        return self._movers[key]

    def _keeps_a_board(self, name: str) -> bool:
        """Whether an engine can play one game at a time only, as those of GTP."""
        entry = self._anchors[name].participant if name in self._anchors else None
        return isinstance(entry, EngineConfig) and entry.protocol == "gtp"

    def _open(self, name: str) -> Mover:
        if (config := self._configs.get(name)) is not None:
            return PolicyMover(config, self._policy(config.model))
        anchor = self._anchors[name]
        mover: Mover
        if isinstance(anchor.participant, NamedPlayerConfig):
            config = anchor.participant.player_config
            mover = PolicyMover(config, self._policy(config.model))
        else:
            opened = partial(open_participant, anchor.participant, self._game)
            mover = EngineMover(opened, self._game, self._plan.seed)
        return DilutedMover(mover, anchor.random_share) if anchor.random_share else mover


def engine_of(mover: Mover) -> EngineMover | None:
    """The engine of a mover; None for one of our players."""
    inner = mover.mover if isinstance(mover, DilutedMover) else mover
    return inner if isinstance(inner, EngineMover) else None


def _load_policy(plan: CalibrationPlan, model: str) -> Policy:
    return load_policy(model, plan.game, backend=plan.backend, batch=plan.batch)


class Results:
    """The games of a calibration so far, in a journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.games = [CalibrationGame(**entry) for entry in journal.entries]

    def add(self, games: Sequence[CalibrationGame]) -> None:
        """Appends games to the journal."""
        for game in games:
            self._journal.add(asdict(game))
        self.games += games

    def between(self, player: str, anchor: str) -> dict[int, float]:
        """The player's scores by game number."""
        return {
            each.number: each.score for each in self.games if (each.player, each.anchor) == (player, anchor)
        }


def missing(results: Results, player: str, wanted: Mapping[str, int], chunk: int) -> list[GamesTask]:
    """Tasks of at most `chunk` games that a player still has to play; `wanted` has its games by anchor."""
    pairings = [
        (anchor, number)
        for anchor, games in wanted.items()
        for known in [results.between(player, anchor)]
        for number in range(games)
        if number not in known
    ]
    tasks = -(-len(pairings) // chunk)
    return [GamesTask(player, tuple(pairings[start::tasks])) for start in range(tasks)]


def link_anchors(
    anchors: Sequence[Anchor],
    results: Results,
    pool: WorkerPool[GamesTask, list[CalibrationGame]],
    *,
    games: int,
    chunk: int = 50,
    on_progress: Callable[[int], None] = lambda _: None,
) -> dict[str, float]:
    """Ratings of all anchors of a family. Those without a nominal rating play their two nearest neighbours
    above, the strongest of all those below; one Bradley-Terry model rates them in Elo from the weakest
    nominal rating."""
    known = {anchor.name: anchor.elo for anchor in anchors if anchor.elo is not None}
    pairs = [
        (anchor.name, other.name)
        for place, anchor in enumerate(anchors)
        if anchor.elo is None
        for other in _neighbours(anchors, place)
    ]
    tasks = [task for low, high in pairs for task in missing(results, low, {high: games}, chunk)]
    for finished in pool.run(iter(tasks)):
        results.add(finished)
        on_progress(len(finished))
    return {**known, **_linked(anchors, results, pairs)}


def _neighbours(anchors: Sequence[Anchor], place: int) -> Sequence[Anchor]:
    """The two anchors next to one without a nominal rating, on the side of those with one."""
    above = anchors[place + 1 :]
    if any(anchor.elo is not None for anchor in above):
        return above[:2]
    return anchors[max(place - 2, 0) : place]


def _linked(
    anchors: Sequence[Anchor], results: Results, pairs: Sequence[tuple[str, str]]
) -> dict[str, float]:
    if not pairs:
        return {}
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    nominal = {anchor.name: anchor.elo for anchor in anchors}
    games = [
        RatedGame(names.index(a), names.index(b), score)
        if number % 2 == 0
        else RatedGame(names.index(b), names.index(a), 1 - score)
        for a, b in pairs
        for number, score in results.between(a, b).items()
    ]
    weakest = min((name for name in names if nominal[name] is not None), key=lambda name: nominal[name] or 0)
    ratings = rate(games, len(names), anchor=names.index(weakest), at=nominal[weakest] or 0.0)
    return {name: float(ratings.elo[place]) for place, name in enumerate(names) if nominal[name] is None}


def player_fit(
    player: str, elo: Mapping[str, float], results: Results, *, samples: int = 500
) -> ScaleFit | None:
    """The rating of a player on the scale of a family; None without games."""
    scores = [
        AnchorScore(rating, list(results.between(player, name).values())) for name, rating in elo.items()
    ]
    return fit_rating(scores, samples=samples) if any(each.scores for each in scores) else None


def play_rounds(
    starts: Mapping[str, float],
    elo: Mapping[str, float],
    results: Results,
    pool: WorkerPool[GamesTask, list[CalibrationGame]],
    *,
    games: int,
    rounds: int,
    chunk: int = 40,
    on_progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Plays each player against the anchors that are nearest to its rating.

    Args:
        starts: a first guess of each player's rating.
        elo: ratings of the anchors of one family.
        games: games of a player, over all rounds.
        rounds: after each round the rating is estimated anew and the next anchors are chosen by it.
        chunk: games of a task. The players' tasks alternate, so that a run that ends early has games of all.
    """
    each_round = -(-games // rounds)
    for number in range(1, rounds + 1):
        by_player: list[list[GamesTask]] = []
        for player, start in starts.items():
            played = sum(len(results.between(player, name)) for name in elo)
            wanted = min(each_round * number, games) - played
            fit = player_fit(player, elo, results, samples=0)
            shares = _shares(start if fit is None else fit.rating, elo, wanted)
            totals = {name: len(results.between(player, name)) + more for name, more in shares.items()}
            by_player.append(missing(results, player, totals, chunk))
        for finished in pool.run(_alternating(by_player)):
            results.add(finished)
            on_progress(len(finished))


def _alternating(by_player: Sequence[Sequence[GamesTask]]) -> Iterator[GamesTask]:
    """The first task of each player, then the second of each, and so on."""
    for row in zip_longest(*by_player):
        yield from (task for task in row if task is not None)


def _shares(rating: float, elo: Mapping[str, float], games: int) -> dict[str, int]:
    """Games against the four nearest anchors, the nearer two more often."""
    nearest = sorted(elo, key=lambda name: abs(elo[name] - rating))[:4]
    if games <= 0:
        return {}
    weights = [3, 3, 2, 2][: len(nearest)]
    shares = [2 * round(games * weight / sum(weights) / 2) for weight in weights]
    shares[0] = max(0, shares[0] + games - sum(shares))
    return {name: share for name, share in zip(nearest, shares, strict=True) if share}
