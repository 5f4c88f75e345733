"""Calibration: levels measured against anchors, which are opponents with a nominal rating, by family."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import groupby, pairwise, zip_longest
from pathlib import Path
from statistics import fmean
from threading import Lock
from types import TracebackType
from typing import Annotated, Any, NamedTuple, Self, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring import data
from sparring.arena.run_tournament import open_participant
from sparring.arena.tournament import ParticipantConfig, parse_participant
from sparring.base.config import Fraction, Source, from_table, read_toml
from sparring.base.errors import BadConfig, WorkerError
from sparring.base.storage import Journal
from sparring.base.workers import LocalWorkerPool, WorkerPool
from sparring.games import Game, Move, load_game
from sparring.measure.ratings import RatedGame, rate, wilson_interval
from sparring.play.match import LockstepGame, Mover, play_together
from sparring.players import NO_MOVE, GameStart, Player, PlayerConfig, Turn
from sparring.players.behaviour_models import ResignationRule
from sparring.players.engines import EngineConfig, EngineFailure, kill_all
from sparring.players.policy_player import lockstep_distributions, make_resignation
from sparring.policies import Policy, load_policy

Elo = Annotated[float, Meta(ge=-10_000, le=10_000)]


@dataclass(frozen=True)
class AnchorEntry:
    """An `[[anchor]]`: its own keys. The other keys are those of a tournament's `[[player]]`."""

    name: str
    """Name in the results."""
    elo: Elo | None = None
    """Nominal rating. Without it, the anchor is rated by games against its neighbours in the file."""
    random_share: Fraction = 0.0
    """Share of its moves that are drawn uniformly from the legal moves."""


@dataclass(frozen=True)
class AnchorFile:
    """A family of anchors: the keys of its TOML file."""

    game: str
    """Name of the game."""
    anchor: tuple[Mapping[str, Any], ...]
    """`[[anchor]]`, from the weakest to the strongest."""
    family: str = ""
    """Name of the family; without it, that of the file."""


@dataclass(frozen=True)
class Anchor:
    """An opponent of known strength."""

    name: str
    family: str
    participant: ParticipantConfig
    elo: float | None
    random_share: float = 0.0


def read_anchors(source: str, game: str) -> list[Anchor]:
    """The anchors of a family that is part of the package, or of a TOML file. Raises BadConfig."""
    path = data.path("anchors", source) if source in data.names("anchors") else Path(source)
    if path.suffix != ".toml":
        families = ", ".join(data.names("anchors"))
        raise BadConfig(
            f"there is no family of anchors '{source}': expected a TOML file, or one of {families}"
        )
    where = Source(path)
    file = from_table(AnchorFile, read_toml(path), where)
    if file.game != game:
        raise BadConfig(f"{path} has anchors of {file.game}, not of {game}")
    members = []
    for number, table in enumerate(file.anchor, 1):
        place = where.inside(f"anchor[{number}]")
        own = {key: value for key, value in table.items() if key in ("name", "elo", "random_share")}
        rest = {key: value for key, value in table.items() if key not in ("elo", "random_share")}
        entry, participant = from_table(AnchorEntry, own, place), parse_participant(rest, game, place)
        members.append(
            Anchor(entry.name, file.family or path.stem, participant, entry.elo, entry.random_share)
        )
    return members


# The rating of a player on the nominal scale of its anchors, and the ratings of anchors without one.


_Vector: TypeAlias = NDArray[np.float64]
_SLOPES = np.geomspace(0.3, 4.0, 20)
_PRIOR_SLOPE, _PRIOR_SPREAD = 1.3, 0.5
"""Log-normal prior of the slope: nominal scales of engines are stretched."""
_PRIOR_GAMES = 1.0
"""Draws against an opponent of equal strength, which keep the ratings of perfect scores finite."""
_STEPS = 30


class AnchorScore(NamedTuple):
    """Results against an anchor: its rating, and the scores of the games."""

    elo: float
    scores: Sequence[float]


@dataclass(frozen=True)
class ScaleFit:
    """The point of a family's scale at which the expected score is 1/2."""

    rating: float
    interval: tuple[float, float]
    """95 %, by bootstrap over games."""
    slope: float
    """Elo per point of the nominal scale: 1 is Elo's own formula."""
    games: int


def fit_rating(results: Sequence[AnchorScore], *, samples: int = 500, seed: int = 0) -> ScaleFit:
    """Fits E(score) = 1 / (1 + 10^(slope * (anchor - rating) / 400)) with a free slope.

    Raises ValueError without games.
    """
    results = [result for result in results if len(result.scores)]
    if not results:
        raise ValueError("there are no games to fit")
    elo = np.array([result.elo for result in results], np.float64)
    counts = np.array([len(result.scores) for result in results], np.float64)
    rng = np.random.default_rng(seed)
    points = [np.array([sum(result.scores) for result in results], np.float64)]
    for _ in range(samples):
        points.append(
            np.array([rng.choice(np.asarray(result.scores), len(result.scores)).sum() for result in results])
        )
    ratings, slopes = _fit(elo, counts, np.stack(points))
    low, high = np.quantile(ratings[1:], (0.025, 0.975)) if samples else (ratings[0], ratings[0])
    return ScaleFit(float(ratings[0]), (float(low), float(high)), float(slopes[0]), int(counts.sum()))


def _fit(elo: _Vector, counts: _Vector, points: _Vector) -> tuple[_Vector, _Vector]:
    """Ratings and slopes of rows of points [samples, anchors]; the best of a grid of slopes."""
    best = np.full(len(points), -np.inf)
    ratings, slopes = np.zeros(len(points)), np.zeros(len(points))
    for slope in _SLOPES:
        low = np.full(len(points), elo.min() - 1500)
        high = np.full(len(points), elo.max() + 1500)
        middle = elo.mean()
        for _ in range(_STEPS):  # the expected points grow with the rating: bisection
            guess = (low + high) / 2
            expected = (_expected(guess[:, None], elo, slope) * counts).sum(1)
            expected += _PRIOR_GAMES * _expected(guess, middle, slope)
            below = expected < points.sum(1) + _PRIOR_GAMES / 2
            low, high = np.where(below, guess, low), np.where(below, high, guess)
        share = np.clip(_expected(guess[:, None], elo, slope), 1e-9, 1 - 1e-9)
        likelihood = (points * np.log(share) + (counts - points) * np.log1p(-share)).sum(1)
        likelihood -= (np.log(slope / _PRIOR_SLOPE) / _PRIOR_SPREAD) ** 2 / 2
        better = likelihood > best
        best = np.where(better, likelihood, best)
        ratings, slopes = np.where(better, guess, ratings), np.where(better, slope, slopes)
    return ratings, slopes


def _expected(rating: _Vector, anchor: _Vector | float, slope: float) -> _Vector:
    expected: _Vector = 1 / (1 + 10 ** np.clip(slope * (anchor - rating) / 400, -30, 30))
    return expected


# Participants of games in lockstep: our players in batches, engines, and dilution by random moves.


class PolicyMover:
    """One of our players: its policy, or its search in lockstep. Each search begins with an empty tree."""

    def __init__(self, config: PlayerConfig, policy: Policy) -> None:
        self._config, self._policy = config, policy
        self._resignations: WeakKeyDictionary[LockstepGame, ResignationRule] = WeakKeyDictionary()

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """Draws a move in each of the games, or resigns by the rule of its configuration."""
        distributions = lockstep_distributions(self._policy, self._config, [game.state for game in games])
        return [
            NO_MOVE if self._resigns(game, distribution.value) else distribution.draw(game.rng).move
            for game, distribution in zip(games, distributions, strict=True)
        ]

    def _resigns(self, game: LockstepGame, value: float | None) -> bool:
        if game not in self._resignations:
            self._resignations[game] = make_resignation(self._config)
        rule = self._resignations[game]
        return rule.decide(game.state.to_move, value, game.state.ply, game.rng)


class EngineMover:
    """A player that takes one position at a time, such as an engine.

    Many threads may ask it: a thread that finds no free player opens another.
    """

    def __init__(self, open_player: Callable[[], Player], game: Game[Any], seed: int = 0) -> None:
        self._open = open_player
        self._start = GameStart(game, seed=seed)
        self._free: list[Player] = []
        self._players: list[Player] = []
        self._lock = Lock()

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """Asks for a move in each of the games. An engine that fails gives the game up. Raises EngineFailure
        if it cannot be started, or started again."""
        player = self._take()
        try:
            return [self._choose(player, game) for game in games]
        finally:
            with self._lock:
                self._free.append(player)

    def close(self) -> None:
        """Closes the players."""
        while self._players:
            self._players.pop().close()

    def _take(self) -> Player:
        with self._lock:
            if self._free:
                return self._free.pop()
        player = self._open()
        with self._lock:
            self._players.append(player)
        player.new_game(self._start)
        return player

    def _choose(self, player: Player, game: LockstepGame) -> Move:
        try:
            decision = player.choose(Turn.of(game.state))
        except EngineFailure:
            player.new_game(self._start)
            return NO_MOVE
        return NO_MOVE if decision.resign else decision.move


class DilutedMover:
    """A participant a share of whose moves is drawn uniformly from the legal moves."""

    def __init__(self, mover: Mover, random_share: float) -> None:
        self.mover, self._share = mover, random_share

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        """A random move in some of the games, the participant's in the others."""
        random = [game.rng.random() < self._share for game in games]
        chosen = iter(self.mover.choose([game for game, lot in zip(games, random, strict=True) if not lot]))
        return [
            int(game.rng.choice(game.state.legal_moves())) if lot else next(chosen)
            for game, lot in zip(games, random, strict=True)
        ]


# A calibration: rounds of games between players and anchors, which can be resumed.


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


GamesPool: TypeAlias = WorkerPool[GamesTask, list[CalibrationGame]]


class CalibrationWorker:
    """Plays tasks in one process. Networks and engines are kept from task to task."""

    def __init__(self, plan: CalibrationPlan) -> None:
        self._plan = plan
        draws = {"claim_draws": True} if hasattr(load_game(plan.game), "claim_draws") else {}
        self._game = load_game(plan.game, **draws)
        self._anchors = {anchor.name: anchor for anchor in plan.anchors}
        self._configs = dict(plan.players)
        self._movers: dict[tuple[str, str, int], Mover] = {}
        self._policy = cache(partial(load_policy, game=plan.game, backend=plan.backend, batch=plan.batch))

    def work(self, task: GamesTask) -> list[CalibrationGame]:
        """Plays the games of a task."""
        games = {id(game): (anchor, game) for anchor, game in self.games(task)}
        played = play_together([game for _, game in games.values()], max_plies=self._plan.length_limit)
        return [self.ended(task.player, games[id(game)][0], game) for game in played]

    def ended(self, player: str, anchor: str, game: LockstepGame) -> CalibrationGame:
        """A game's line of the journal. Engines that play one game only are closed."""
        score = game.result.score(game.number % 2)
        assert score is not None
        for name, opponent in ((player, anchor), (anchor, player)):
            if self._keeps_a_board(name):
                engine = engine_of(self._movers.pop((name, opponent, game.number)))
                if engine is not None:
                    engine.close()
        return CalibrationGame(player, anchor, game.number, score, game.result.reason, game.plies)

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
        if isinstance(anchor.participant, PlayerConfig):
            mover = PolicyMover(anchor.participant, self._policy(anchor.participant.model))
        else:
            opened = partial(open_participant, anchor.participant, self._game)
            mover = EngineMover(opened, self._game, self._plan.seed)
        return DilutedMover(mover, anchor.random_share) if anchor.random_share else mover


def engine_of(mover: Mover) -> EngineMover | None:
    """The engine of a mover; None for one of our players."""
    inner = mover.mover if isinstance(mover, DilutedMover) else mover
    return inner if isinstance(inner, EngineMover) else None


class Results:
    """The games of a calibration so far, in a journal. `on_progress` is called with their number."""

    def __init__(self, journal: Journal, on_progress: Callable[[int], None] = lambda _: None) -> None:
        self._journal, self._on_progress = journal, on_progress
        self.games = [CalibrationGame(**entry) for entry in journal.entries]

    def add(self, games: Sequence[CalibrationGame]) -> None:
        """Appends games to the journal."""
        for game in games:
            self._journal.add(asdict(game))
        self.games += games

    def play(self, tasks: Iterator[GamesTask], pool: GamesPool) -> None:
        """Plays tasks and adds their games."""
        for games in pool.run(tasks):
            self.add(games)
            self._on_progress(len(self.games))

    def between(self, player: str, anchor: str) -> dict[int, float]:
        """The player's scores by game number."""
        return {
            game.number: game.score for game in self.games if (game.player, game.anchor) == (player, anchor)
        }


def missing(results: Results, player: str, wanted: Mapping[str, int], chunk: int) -> list[GamesTask]:
    """Tasks of at most `chunk` games that a player still has to play; `wanted` has its games by anchor."""
    pairings = [
        (anchor, number)
        for anchor, games in wanted.items()
        for finished in [results.between(player, anchor)]
        for number in range(games)
        if number not in finished
    ]
    tasks = -(-len(pairings) // chunk)
    return [GamesTask(player, tuple(pairings[start::tasks])) for start in range(tasks)]


def link_anchors(
    anchors: Sequence[Anchor],
    results: Results,
    pool: GamesPool,
    *,
    games: int,
    chunk: int = 50,
) -> dict[str, float]:
    """Ratings of all anchors of a family. Those without a nominal rating play their two nearest neighbours
    above, the strongest of all those below; one Bradley-Terry model rates them in Elo from the weakest
    nominal rating."""
    rated = {anchor.name: anchor.elo for anchor in anchors if anchor.elo is not None}
    pairs = [
        (anchor.name, other.name)
        for place, anchor in enumerate(anchors)
        if anchor.elo is None
        for other in _neighbours(anchors, place)
    ]
    tasks = [task for low, high in pairs for task in missing(results, low, {high: games}, chunk)]
    results.play(iter(tasks), pool)
    return {**rated, **_linked(anchors, results, pairs)}


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
    return fit_rating(scores, samples=samples) if any(result.scores for result in scores) else None


def play_rounds(
    starts: Mapping[str, float],
    elo: Mapping[str, float],
    results: Results,
    pool: GamesPool,
    *,
    games: int,
    rounds: int,
    chunk: int = 40,
) -> None:
    """Plays each player against the anchors that are nearest to its rating.

    Args:
        starts: a first guess of each player's rating.
        elo: ratings of the anchors of one family.
        games: games of a player, over all rounds.
        rounds: after each round the rating is estimated anew and the next anchors are chosen by it.
        chunk: games of a task. The players' tasks alternate, so that a run that ends early has games of all.
    """
    per_round = -(-games // rounds)
    for number in range(1, rounds + 1):
        by_player: list[list[GamesTask]] = []
        for player, start in starts.items():
            played = sum(len(results.between(player, name)) for name in elo)
            wanted = min(per_round * number, games) - played
            fit = player_fit(player, elo, results, samples=0)
            shares = _shares(start if fit is None else fit.rating, elo, wanted)
            totals = {name: len(results.between(player, name)) + more for name, more in shares.items()}
            by_player.append(missing(results, player, totals, chunk))
        # The first task of each player, then the second of each, and so on.
        alternating = (task for row in zip_longest(*by_player) for task in row if task is not None)
        results.play(alternating, pool)


def _shares(rating: float, elo: Mapping[str, float], games: int) -> dict[str, int]:
    """Games against the four nearest anchors, the nearer two more often."""
    nearest = sorted(elo, key=lambda name: abs(elo[name] - rating))[:4]
    if games <= 0:
        return {}
    weights = [3, 3, 2, 2][: len(nearest)]
    shares = [2 * round(games * weight / sum(weights) / 2) for weight in weights]
    shares[0] = max(0, shares[0] + games - sum(shares))
    return {name: share for name, share in zip(nearest, shares, strict=True) if share}


# The ladder of a calibration: asked and measured levels by family of anchors, as JSON.


def play_families(
    starts: Mapping[str, float],
    anchors: Sequence[Anchor],
    results: Results,
    pool: GamesPool,
    *,
    games: int,
    link_games: int,
    rounds: int,
    chunk: int = 40,
    links: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, dict[str, float]]:
    """Plays all players against each family of anchors. Returns the ratings of the anchors by family.

    `links` has ratings of anchors by family from an earlier calibration; their families play no link games.
    """
    ratings: dict[str, dict[str, float]] = {}
    for family, members in groupby(anchors, lambda anchor: anchor.family):
        if links is not None and family in links:
            linked = {anchor.name: links[family][anchor.name] for anchor in members}
        else:
            linked = link_anchors(list(members), results, pool, games=link_games)
        play_rounds(starts, linked, results, pool, games=games, rounds=rounds, chunk=chunk)
        ratings[family] = linked
    return ratings


def play_matches(
    pairs: Sequence[tuple[str, str]],
    results: Results,
    pool: GamesPool,
    *,
    games: int,
    chunk: int = 40,
) -> None:
    """Plays matches between two of the players."""
    tasks = [task for a, b in pairs for task in missing(results, a, {b: games}, chunk)]
    results.play(iter(tasks), pool)


def ladder_report(
    asked: Mapping[str, float],
    ratings: Mapping[str, Mapping[str, float]],
    matches: Sequence[tuple[str, str]],
    results: Results,
) -> dict[str, Any]:
    """Asked and measured levels with intervals by family, and the matches between levels."""
    return {
        "families": {family: _family(asked, elo, results) for family, elo in ratings.items()},
        "matches": [_match(pair, results) for pair in matches],
    }


def _family(asked: Mapping[str, float], elo: Mapping[str, float], results: Results) -> dict[str, Any]:
    rows = []
    for player, level in asked.items():
        if (fit := player_fit(player, elo, results)) is None:
            continue
        scores = {name: list(results.between(player, name).values()) for name in elo}
        rows.append(
            {
                "player": player,
                "asked": level,
                **asdict(fit),
                "scores": {name: [sum(points), len(points)] for name, points in scores.items() if points},
            }
        )
    rows.sort(key=lambda row: row["asked"])
    return {
        "anchors": dict(elo),
        "levels": rows,
        "mean_error": fmean(abs(row["rating"] - row["asked"]) for row in rows) if rows else None,
        "monotone": all(low["rating"] < high["rating"] for low, high in pairwise(rows)),
    }


def _match(pair: tuple[str, str], results: Results) -> dict[str, Any]:
    scores = list(results.between(*pair).values())
    share = fmean(scores) if scores else 0.0
    interval = wilson_interval(share, len(scores)) if scores else (0.0, 1.0)
    return {"players": list(pair), "score": share, "interval": list(interval), "games": len(scores)}


# Games of a calibration in one process: a game that ends makes room for the next.
#
# Engines think in threads while the networks evaluate the positions of all other games together. So a GPU
# gets large batches, and the cores are left to the engines.


def calibration_pool(plan: CalibrationPlan, *, concurrency: int, together: int, engines: int) -> GamesPool:
    """`concurrency` processes; with `engines`, RollingGames in this one."""
    if engines:
        return RollingGames(plan, together, engines)
    return LocalWorkerPool(
        partial(CalibrationWorker, plan), concurrency, lambda task: f"games of {task.player}"
    )


class RollingGames:
    """A pool of workers for `play_rounds`, in this process. Each game is a result of its own."""

    def __init__(self, plan: CalibrationPlan, together: int, engines: int) -> None:
        """Plays `together` games, and has `engines` engines think, at a time."""
        self._worker, self._together, self._max_plies = CalibrationWorker(plan), together, plan.length_limit
        self._threads = ThreadPoolExecutor(engines, "engine")

    def run(self, tasks: Iterator[GamesTask]) -> Iterator[list[CalibrationGame]]:
        """Yields games as they end. A task is taken when there is room for its next game.

        Raises WorkerError.
        """
        names: dict[LockstepGame, tuple[str, str]] = {}

        def games() -> Iterator[LockstepGame]:
            for task in tasks:
                for anchor, game in self._worker.games(task):
                    names[game] = task.player, anchor
                    yield game

        played = play_together(
            games(),
            max_plies=self._max_plies,
            together=self._together,
            threads=lambda mover: None if engine_of(mover) is None else self._threads,
        )
        try:
            for game in played:
                yield [self._worker.ended(*names.pop(game), game)]
        except Exception as error:
            raise WorkerError(f"{type(error).__name__}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._worker.terminate()  # threads that wait for an engine end with it
        self._threads.shutdown(cancel_futures=True)
        self._worker.close()
