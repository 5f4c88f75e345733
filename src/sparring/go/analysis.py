"""The engine behind `sparring engine katago-analysis`: KataGo's JSON analysis protocol.

`AnalysisServer` reads queries and answers in any order. One thread searches several positions at once: each
step evaluates leaves of all their trees in one batch. The trees are those of `search/puct.py`;
`PositionSearch` adds what the protocol reports and a tree does not keep: leads, ownership and the visits of
each line.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import count
from threading import Condition, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState, PuctConfig
from sparring.base.errors import SparringError, UserError
from sparring.engines.protocols import pv_texts
from sparring.engines.server import StdinReader, StdoutWriter
from sparring.games import Move, describe
from sparring.go.analysis_query import (
    AnalysisRequest,
    AnalysisSettings,
    HumanProfile,
    Json,
    QueryReader,
    read_object,
)
from sparring.go.counting import apply_passing_rules
from sparring.networks import Position, Prediction
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import puct_config
from sparring.policies import Policy, load_policy, rating_range

KATAGO_VERSION = "1.16.4"
"""The version of KataGo whose protocol this is."""
POINTS_PER_LOGIT = 8.5
"""Lead in points for one unit of log odds of winning, where a network predicts no lead: by least squares to
the lead that KataGo b6c96 sees in 300 positions of people on 19x19 (correlation 0.81, mean error 11)."""
_LCB_DEVIATIONS = 5.0
"""Standard errors between a win rate and its lower confidence bound, as in KataGo."""
_LARGEST_VALUE = 0.98
"""Values beyond it are taken for it where a lead is derived from them: 39 points."""

# What a search finds.


def lead_of(prediction: Prediction) -> float:
    """The expected lead in points of the player to move; from the value if the network predicts none."""
    if prediction.lead is not None:
        return prediction.lead
    value = max(-_LARGEST_VALUE, min(_LARGEST_VALUE, prediction.value or 0.0))
    return POINTS_PER_LOGIT * 2 * math.atanh(value)


@dataclass
class Tally:
    """Sums over evaluated positions, all from Black's side."""

    count: int = 0
    value: float = 0.0
    squared_value: float = 0.0
    lead: float = 0.0
    squared_lead: float = 0.0
    no_result: float = 0.0
    ownership: NDArray[np.float64] | None = None
    """[points], in the order of moves; None if it is not predicted or not needed."""

    def add(self, black: int, prediction: Prediction, *, ownership: bool) -> None:
        """Adds a position; `black` is 1 if Black is to move in it, else -1."""
        value, lead = black * (prediction.value or 0.0), black * lead_of(prediction)
        self.count += 1
        self.value += value
        self.squared_value += value * value
        self.lead += lead
        self.squared_lead += lead * lead
        self.no_result += 0.0 if prediction.wdl is None else prediction.wdl[1]
        if ownership and prediction.ownership is not None:
            owners = black * prediction.ownership.astype(np.float64)
            self.ownership = owners if self.ownership is None else self.ownership + owners

    @property
    def mean_lead(self) -> float:
        """Black's mean lead."""
        return self.lead / self.count

    @property
    def lead_deviation(self) -> float:
        """The standard deviation of the leads."""
        return math.sqrt(max(self.squared_lead / self.count - self.mean_lead**2, 0.0))

    @property
    def value_error(self) -> float:
        """The standard error of the mean value; one more position is assumed to be unlike it."""
        mean = self.value / self.count
        spread = max(self.squared_value - self.count * mean**2, 0.0)
        return math.sqrt((spread + 1.0) / self.count / self.count)


class PositionSearch:
    """The search of one position."""

    def __init__(self, query: AnalysisRequest, config: PuctConfig) -> None:
        self.query, self.state = query, query.state
        self.tree = query.state.tree(config)
        self.raw: Prediction | None = None
        """The prediction for the position itself; None before the first step."""
        self.human: tuple[NDArray[np.float64], Prediction] | None = None
        """People's probabilities of the legal moves, and the prediction that they are from."""
        self.total = Tally()
        self.by_move: dict[Move, Tally] = {}
        self.by_line: Counter[tuple[Move, ...]] = Counter()
        """Visits of each line, for `includePVVisits`."""
        self.started = time.perf_counter()
        self.next_report = self.started + query.first_report_after
        self._config = config
        self._exhausted = False
        self._leaves: list[GoState] = []
        self.searchmoves = self._searchmoves()
        if self.searchmoves:
            self.tree.restrict(self.searchmoves)

    @property
    def over(self) -> bool:
        """Whether a limit is reached or nothing is left to search. The root is always evaluated."""
        settings = self.query.settings
        seconds = time.perf_counter() - self.started
        if self._exhausted or self.tree.visits >= settings.max_visits:
            return True
        return self.raw is not None and (self.searchmoves == [] or seconds >= settings.max_seconds)

    def select(self) -> list[GoState]:
        """The positions to evaluate in the next step."""
        visits = self.tree.visits
        wanted = min(self._config.batch_size(visits), self.query.settings.max_visits - visits)
        wanted = wanted if visits else 1
        self._leaves = self.tree.select(wanted, wanted)
        if not self._leaves:
            self._exhausted = self.tree.visits == visits
        return self._leaves

    def evaluate(self, predictions: Sequence[Prediction]) -> None:
        """Takes the predictions for the positions of `select`."""
        if not self._leaves:
            return
        include, priors = self.query.include, []
        for leaf, prediction in zip(self._leaves, predictions, strict=True):
            line = self._line(leaf)
            black = 1 if leaf.to_move == 0 else -1
            self.total.add(black, prediction, ownership=include.ownership)
            if line:
                tally = self.by_move.setdefault(line[0], Tally())
                tally.add(black, prediction, ownership=include.moves_ownership)
            else:
                self.raw = prediction
            if include.pv_visits:
                self.by_line.update(line[:length] for length in range(1, len(line) + 1))
            priors.append(self._priors(prediction, len(line), leaf.to_move))
        values = np.array([prediction.value for prediction in predictions], np.float32)
        self.tree.evaluate(np.concatenate(priors).astype(np.float32), values)
        self._leaves = []

    def cancel(self) -> None:
        """Drops the positions of `select`."""
        if self._leaves:
            self.tree.cancel()
            self._leaves = []

    def _line(self, leaf: GoState) -> tuple[Move, ...]:
        """The moves from the root to a leaf."""
        moves: list[Move] = []
        at: GoState | None = leaf
        while at is not None and at.ply > self.state.ply:
            moves.append(at.last_move if at.last_move is not None else -1)
            at = at.previous
        return tuple(reversed(moves))

    def _priors(self, prediction: Prediction, depth: int, player: int) -> NDArray[np.float64]:
        """The priors of a leaf: flatter at the root by the settings, and 0 for moves to avoid there."""
        priors = prediction.probabilities.astype(np.float64)
        temperature = self.query.settings.policy_temperature
        if depth == 0 and temperature != 1:
            priors = priors ** (1 / temperature)
        elif depth and self.query.avoid_until is not None:
            kept = np.where(self.query.avoid_until[player][list(prediction.moves)] <= depth, priors, 0)
            priors = kept if kept.any() else priors
        normalised: NDArray[np.float64] = priors / priors.sum()
        return normalised

    def _searchmoves(self) -> list[Move] | None:
        """The moves of the root that may be searched; None for all."""
        if self.query.avoid_until is None:
            return None
        until = self.query.avoid_until[self.state.to_move]
        return [move for move in self.state.legal_moves() if until[move] <= 0]


# An answer, from the point of view that the settings ask for.


def analysis_answer(search: PositionSearch, *, during: bool) -> Json:
    """The answer for a position; with `noResults` if nothing is evaluated yet."""
    query, state, raw = search.query, search.state, search.raw
    answer: Json = {"id": query.id, "turnNumber": query.turn, "isDuringSearch": during}
    if raw is None:
        return {**answer, "noResults": True}
    perspective = state.to_move if query.settings.perspective is None else query.settings.perspective
    sign, black = (1 if perspective == 0 else -1), (1 if state.to_move == 0 else -1)
    answer["moveInfos"] = _move_infos(search, sign, black)
    root = search.total
    value = sign * black * float(search.tree.value)
    answer["rootInfo"] = {
        "currentPlayer": "BW"[state.to_move],
        "rawLead": _rounded(sign * black * lead_of(raw)),
        "rawNoResultProb": _rounded(0.0 if raw.wdl is None else raw.wdl[1]),
        "rawScoreSelfplay": _rounded(sign * black * lead_of(raw)),
        "rawWinrate": _winrate(sign * black * (raw.value or 0.0)),
        "scoreLead": _rounded(sign * root.mean_lead),
        "scoreSelfplay": _rounded(sign * root.mean_lead),
        "scoreStdev": _rounded(root.lead_deviation),
        "utility": _rounded(value),
        "visits": int(search.tree.visits),
        "weight": float(search.tree.visits),
        "winrate": _winrate(value),
        **_hashes(state),
    }
    if search.human is not None:
        shares, people = search.human
        answer["rootInfo"]["humanWinrate"] = _winrate(sign * black * (people.value or 0.0))
        if people.lead is not None:
            answer["rootInfo"]["humanScoreMean"] = _rounded(sign * black * people.lead)
        if query.include.policy:
            answer["humanPolicy"] = _policy(state, people.moves, shares)
    if query.include.policy:
        answer["policy"] = _policy(state, raw.moves, raw.probabilities)
    if query.include.no_result_value:
        answer["rootInfo"]["noResultValue"] = _rounded(root.no_result / root.count)
    if query.include.ownership and root.ownership is not None:
        answer["ownership"] = _owners(sign * root.ownership / root.count, state.size)
    return answer


def _move_infos(search: PositionSearch, sign: int, black: int) -> list[Json]:
    """The visited moves, the best first. `sign` and `black` are 1 for Black's side, -1 for White's."""
    state, include = search.state, search.query.include
    moves, priors, visits, values, forced = search.tree.root_moves()
    human = {} if search.human is None else dict(zip(moves.tolist(), search.human[0].tolist(), strict=True))
    infos: list[Json] = []
    for i in np.lexsort((-priors, -visits, forced, -np.sign(forced))):
        move = int(moves[i])
        if not visits[i] or (search.searchmoves is not None and move not in search.searchmoves):
            continue
        tally = search.by_move.get(move) or _end_of_game(state.play_past_end(move))
        value, error = sign * black * float(values[i]), _LCB_DEVIATIONS * tally.value_error
        bound = value - error if sign == black else value + error
        line = (search.tree.pv(move) or [move])[: search.query.settings.pv_length]
        lead, reached = _rounded(sign * tally.mean_lead), int(visits[i])
        info: Json = {
            "edgeVisits": reached,
            "edgeWeight": float(reached),
            "lcb": _winrate(bound),
            "move": state.move_text(move),
            "order": len(infos),
            "playSelectionValue": float(reached),
            "prior": _rounded(priors[i]),
            "pv": pv_texts(state, line),
            "scoreLead": lead,
            "scoreMean": lead,
            "scoreSelfplay": lead,
            "scoreStdev": _rounded(tally.lead_deviation),
            "utility": _rounded(value),
            "utilityLcb": _rounded(bound),
            "visits": reached,
            "weight": float(reached),
            "winrate": _winrate(value),
        }
        if human:
            info["humanPrior"] = _rounded(human[move])
        if include.pv_visits:
            counts = [
                max(search.by_line[tuple(line[:length])], 1) for length in range(1, len(info["pv"]) + 1)
            ]
            info["pvVisits"] = info["pvEdgeVisits"] = counts
        if include.no_result_value:
            info["noResultValue"] = _rounded(tally.no_result / tally.count)
        if include.moves_ownership and tally.ownership is not None:
            info["ownership"] = _owners(sign * tally.ownership / tally.count, state.size)
        infos.append(info)
    return infos


def _end_of_game(state: GoState) -> Tally:
    """The tally of a move that ends the game, by its score."""
    points = state.score([])
    lead, value = points[0] - points[1], float(np.sign(points[0] - points[1]))
    return Tally(1, value, 1.0, lead, lead * lead)


def _policy(state: GoState, moves: Sequence[Move], shares: NDArray[Any]) -> list[float]:
    """Probabilities from the top left to the bottom right and of the pass; -1 for illegal moves."""
    size = state.size
    policy = np.full(size * size + 1, -1.0)
    policy[list(moves)] = shares
    return [float(f"{share:.6g}") for share in (*_from_top(policy[:-1], size), policy[-1])]


def _owners(owners: NDArray[np.float64], size: int) -> list[float]:
    rounded: list[float] = np.round(_from_top(owners, size), 4).tolist()
    return rounded


def _from_top(points: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Values of points with the top row first; moves count from the bottom."""
    return points.reshape(size, size)[::-1].ravel()


def _hashes(state: GoState) -> Json:
    """Names of the position with its player to move and simple ko, and of it in all its symmetries."""
    board = np.zeros((state.size, state.size), np.int8)
    for owner, points in enumerate(state.stones):
        board.ravel()[points] = 1 + owner
    if state.ko_point is not None:
        board.ravel()[state.ko_point] = 3
    turned = [np.rot90(half, turns) for half in (board, board.T) for turns in range(4)]
    side = bytes([state.to_move, state.size])
    names = [hashlib.blake2b(turn.tobytes() + side, digest_size=16).hexdigest().upper() for turn in turned]
    return {"thisHash": names[0], "symHash": min(names)}


def _winrate(value: float) -> float:
    return _rounded((1 + value) / 2)


def _rounded(number: float) -> float:
    return float(f"{float(number):.8g}")


# Policies, queue and threads.


class AnalysisPolicies:
    """The policy that searches, and that of people, which is loaded for the first query with a rank."""

    def __init__(self, search: Policy, human: str = "human", threads: int = 1) -> None:
        """Raises UserError if the policy cannot search."""
        self.search, self._human_name, self._threads = search, human, threads
        self._human: Policy | None = None
        tried = search.predict([Position(GoState.initial())])[0]
        if tried.value is None:
            raise UserError(f"{search.name} gives no value (who is winning): it cannot be searched with")
        self.has_lead = tried.lead is not None
        self.has_ownership = tried.ownership is not None

    @property
    def human(self) -> Policy:
        """People's policy. Raises one of `players.LOAD_ERRORS`."""
        if self._human is None:
            self._human = load_policy(self._human_name, "go", threads=self._threads)
        return self._human

    def models(self) -> list[Json]:
        """The answer of `query_models`."""
        human = self._human_name if self._human is None else self._human.name
        return [
            {
                "name": name,
                "internalName": name,
                "maxBatchSize": 64,
                "usesHumanSLProfile": is_human,
                "version": 8,
                "usingFP16": "false",
            }
            for name, is_human in ((self.search.name, False), (human, True))
        ]

    def people(self, state: GoState, profile: HumanProfile) -> tuple[NDArray[np.float64], Prediction]:
        """The moves of a profile's people: the probabilities with the passing rules, and the prediction."""
        own, other = profile.ranks[state.to_move], profile.ranks[1 - state.to_move]
        bounds = rating_range(self.human) or (-math.inf, math.inf)
        position = Position(state, _within(own, bounds), _within(other, bounds))
        prediction = self.human.predict([position])[0]
        shares = apply_passing_rules(state, prediction)
        return shares / shares.sum(), prediction

    def rank_warning(self, profile: HumanProfile) -> str:
        """What the network does with ranks that it does not know; empty if it knows them."""
        bounds = rating_range(self.human)
        if bounds is None:
            return f"{self.human.name} is not conditioned on ranks"
        for rank in profile.ranks:
            if (nearest := _within(rank, bounds)) != rank:
                known, asked = (describe("go").ratings.format(number) for number in (nearest, rank))
                return f"rank {asked} is outside the range of {self.human.name}: {known} is used"
        return ""


def _within(rank: int, bounds: tuple[float, float]) -> int:
    return int(min(max(rank, bounds[0]), bounds[1]))


@dataclass(eq=False)
class _Open:
    """A position that is not answered yet."""

    query: AnalysisRequest
    search: PositionSearch | None = None
    terminated: bool = False


@dataclass(order=True)
class _Waiting:
    """A place in the queue: higher priorities first, then the order of arrival."""

    key: tuple[int, int]
    entry: _Open = field(compare=False)


class AnalysisServer:
    """Answers queries until the end of the input."""

    def __init__(
        self,
        policies: AnalysisPolicies,
        settings: AnalysisSettings,
        send_line: StdoutWriter,
        *,
        parallel: int = 4,
        warn_unused: bool = True,
    ) -> None:
        """`parallel` is the number of positions that are searched at once."""
        self._policies, self._settings, self._send_line = policies, settings, send_line
        self._parallel, self._warn_unused = parallel, warn_unused
        self._changed = Condition()
        self._open: list[_Open] = []
        self._queue: list[_Waiting] = []
        self._numbers = count()
        self._ended = self._stopped = False

    def run(self, lines: StdinReader, *, finish: bool = True) -> None:
        """Answers the queries of all lines. At the end of the input it finishes what is open, unless `finish`
        is False."""
        worker = Thread(target=self._search, name="search", daemon=True)
        worker.start()
        for line in lines:
            if text := line.strip():
                try:
                    self._read(text)
                except Exception as error:  # one line; the engine goes on
                    self._send({"error": f"{type(error).__name__}: {error}"})
        with self._changed:
            self._ended = True
            self._stopped = not finish
            self._changed.notify_all()
        worker.join()

    def _send(self, answer: Json) -> None:
        self._send_line(json.dumps(answer, sort_keys=True, separators=(",", ":")))

    def _read(self, text: str) -> None:
        try:
            query = read_object(text)
        except UserError as error:
            self._send({"error": str(error)})
            return
        if isinstance(query.get("action"), str):
            self._act(query)
            return
        reader = QueryReader(query, self._settings, warn_unused=self._warn_unused)
        try:
            positions = reader.read()
            reader.field = "overrideSettings"
            warnings = self._warnings(positions)
        except (SparringError, OSError) as error:
            self._send({"id": query["id"], "field": reader.field, "error": str(error)})
            return
        for name, warning in reader.warnings + warnings:
            self._send({"id": query["id"], "field": name, "warning": warning})
        with self._changed:
            for position in positions:
                entry = _Open(position)
                self._open.append(entry)
                heapq.heappush(self._queue, _Waiting((-position.priority, next(self._numbers)), entry))
            self._changed.notify_all()

    def _warnings(self, positions: Sequence[AnalysisRequest]) -> list[tuple[str, str]]:
        """What the networks cannot do for a query, by field. Loads the network of people if it is needed."""
        if not positions:
            return []
        profile, include = positions[0].settings.human, positions[0].include
        warning = "" if profile is None else self._policies.rank_warning(profile)
        warnings = [("overrideSettings", warning)] if warning else []
        if not self._policies.has_ownership:
            asked = {"includeOwnership": include.ownership, "includeMovesOwnership": include.moves_ownership}
            message = f"{self._policies.search.name} does not predict ownership"
            warnings += [(name, message) for name, wanted in asked.items() if wanted]
        return warnings

    def _act(self, query: Json) -> None:
        """Answers a query with an action."""
        match query["action"]:
            case "query_version":
                git = f"sparring {version('sparring')}"
                self._send({**query, "version": KATAGO_VERSION, "git_hash": git})
            case "query_models":
                self._send({**query, "models": self._policies.models()})
            case "clear_cache":  # there is none
                self._send(query)
            case "terminate" if not isinstance(query.get("terminateId"), str):
                message = 'Requests for a terminate action must have a string "terminateId" field'
                self._send({"id": query["id"], "field": "terminateId", "error": message})
            case "terminate" | "terminate_all":
                self._terminate(query)
            case _:
                self._send({"error": _ACTIONS_ERROR})

    def _terminate(self, query: Json) -> None:
        turns = query.get("turnNumbers")
        if "turnNumbers" in query and not (
            isinstance(turns, list) and all(isinstance(turn, int) for turn in turns)
        ):
            message = "If provided, must be an array of integers indicating turns to terminate"
            self._send({"id": query["id"], "field": "turnNumbers", "error": message})
            return
        wanted = query["terminateId"] if query["action"] == "terminate" else None
        with self._changed:
            for entry in list(self._open):
                position = entry.query
                if wanted not in (None, position.id) or (turns is not None and position.turn not in turns):
                    continue
                if entry.search is None and not entry.terminated:  # it waits: nobody else answers
                    self._open.remove(entry)
                    self._send(_no_results(position))
                entry.terminated = True
            self._changed.notify_all()
        self._send(query)

    def _search(self) -> None:
        """The thread that searches."""
        while running := self._running():
            try:
                self._step(running)
            except Exception as error:  # the positions of this step get it as their answer
                for entry in running:
                    if entry in self._open:
                        self._close(entry)
                        kind = "" if isinstance(error, SparringError) else f"{type(error).__name__}: "
                        self._send({**_no_results(entry.query), "error": f"{kind}{error}"})

    def _running(self) -> list[_Open]:
        """The positions of the next step; waits for some. Empty at the end."""
        with self._changed:
            while True:
                if self._stopped or (self._ended and self._send_line.broken):
                    return []
                running = [entry for entry in self._open if entry.search is not None]
                while self._queue and len(running) < self._parallel:
                    entry = heapq.heappop(self._queue).entry
                    if not entry.terminated:
                        entry.search = PositionSearch(entry.query, self._puct_config(entry.query))
                        running.append(entry)
                if running or self._ended:
                    return running
                self._changed.wait()

    def _step(self, running: list[_Open]) -> None:
        """Evaluates leaves of all running searches, and answers for those that are over."""
        searches = [entry.search for entry in running if entry.search is not None]
        try:
            leaves = [search.select() for search in searches]
            positions = [Position(leaf) for part in leaves for leaf in part]
            predictions = self._policies.search.predict(positions) if positions else []
        except BaseException:
            for search in searches:
                search.cancel()
            raise
        taken = 0
        for entry, search, part in zip(running, searches, leaves, strict=True):
            search.evaluate(predictions[taken : taken + len(part)])
            taken += len(part)
            profile = entry.query.settings.human
            if search.human is None and profile is not None:
                search.human = self._policies.people(search.state, profile)
            if search.over or entry.terminated:
                self._close(entry)
                self._send(analysis_answer(search, during=False))
            elif time.perf_counter() >= search.next_report:
                search.next_report = time.perf_counter() + entry.query.report_every
                self._send(analysis_answer(search, during=True))

    def _close(self, entry: _Open) -> None:
        with self._changed:
            self._open.remove(entry)

    @staticmethod
    def _puct_config(query: AnalysisRequest) -> PuctConfig:
        c_puct = query.settings.c_puct
        config = PlayerConfig("go", solver=False)
        return puct_config(config if c_puct is None else replace(config, c_puct=c_puct))


_ACTIONS_ERROR = (
    "'action' field must be 'query_version' or 'query_models' or 'clear_cache' "
    "or 'terminate' or 'terminate_all'"
)


def _no_results(query: AnalysisRequest) -> Json:
    return {"id": query.id, "turnNumber": query.turn, "isDuringSearch": False, "noResults": True}
