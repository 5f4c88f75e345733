"""Queries of KataGo's JSON analysis protocol: a line's fields, its settings and its positions.

The fields, their checks and the words of the errors are those of KataGo 1.16 (docs/Analysis_Engine.md of
KataGo): programs compare them. Boards are square, from 5x5 to 19x19.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState, ParseError
from sparring.base.errors import UserError
from sparring.games import IllegalMove, Move
from sparring.games.ratings import rank_order
from sparring.go.counting import resumed
from sparring.go.game import COLUMNS, Go, rule_set
from sparring.go.gtp_board import COLOURS, rule_words, with_player_to_move, without_history

Json: TypeAlias = dict[str, Any]

# Settings: those of the configuration file, of the command line and of `overrideSettings`.


@dataclass(frozen=True)
class HumanProfile:
    """The people of a `humanSLProfile`."""

    ranks: tuple[int, int]
    """Ranks of Black and White, as numbers: 1 for 1d, -1 for 1k."""
    warning: str = ""
    """What of the profile has no effect."""


def human_profile(text: str) -> HumanProfile | None:
    """The profile of a name such as `rank_5k` or `rank_5k_3d`; None for an empty name. Raises UserError.

    Other profiles of KataGo become the nearest ranks with a warning: `preaz_5k` is 5k, `proyear_1990` is 9d.
    """
    if not text:
        return None
    if ranks := re.fullmatch(r"(rank|preaz)_(\d{1,2}[kd])(?:_(\d{1,2}[kd]))?", text):
        orders = [rank_order(rank) for rank in (ranks[2], ranks[3] or ranks[2])]
        if all(_WEAKEST_RANK <= order <= _STRONGEST_RANK and order for order in orders):
            other = "" if ranks[1] == "rank" else f"{text} is taken as {text.replace('preaz', 'rank')}"
            return HumanProfile((orders[0], orders[1]), other)
    if (year := re.fullmatch(r"proyear_(\d{4})", text)) and 1800 <= int(year[1]) <= 2023:
        return HumanProfile((_STRONGEST_RANK, _STRONGEST_RANK), f"{text} is taken as rank_9d")
    raise UserError(f"Unknown human SL network profile: {text}")


_WEAKEST_RANK, _STRONGEST_RANK = -20, 9


@dataclass(frozen=True)
class AnalysisSettings:
    """The settings that a query can override. Those with a name of KataGo mean the same there."""

    perspective: int | None = None
    """reportAnalysisWinratesAs: 0 for Black, 1 for White, None for the side to move."""
    max_visits: int = 500
    max_seconds: float = math.inf
    pv_length: int = 15
    root_temperature: float = 1.0
    wide_root_noise: float = 0.0
    """Flattens the policy at the root, as in KataGo; it adds no random utility."""
    c_puct: float | None = None
    """cpuctExploration; None for the search's own."""
    human: HumanProfile | None = None
    ignore_history: bool = False
    """ignorePreRootHistory: the networks do not see the moves before the position."""

    @property
    def policy_temperature(self) -> float:
        """Temperature of the policy at the root."""
        return self.root_temperature * (1 + 4 * self.wide_root_noise)


def with_settings(settings: AnalysisSettings, texts: Mapping[str, str]) -> tuple[AnalysisSettings, list[str]]:
    """The settings with values by KataGo's names, and the names without an effect here. Raises UserError."""
    unused = [name for name in texts if name not in _SETTINGS]
    for name, text in texts.items():
        if name in _SETTINGS:
            field, read = _SETTINGS[name]
            try:
                settings = replace(settings, **{field: read(text)})
            except ValueError:
                raise UserError(f"Could not parse '{text[:80]}' as a value of {name}") from None
    return settings, unused


def _perspective(text: str) -> int | None:
    if text.lower() == "sidetomove":
        return None
    if text.lower() not in COLOURS:
        raise ValueError(text)
    return COLOURS[text.lower()]


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _bounded(read: Callable[[str], float], low: float, high: float) -> Callable[[str], float]:
    """A reader of numbers that raises ValueError for one that is out of range."""

    def checked(text: str) -> float:
        number = read(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return checked


_MOST_VISITS = 1 << 50
_SETTINGS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "reportAnalysisWinratesAs": ("perspective", _perspective),
    "maxVisits": ("max_visits", _bounded(int, 1, _MOST_VISITS)),
    "maxTime": ("max_seconds", _bounded(float, 0, 1e20)),
    "analysisPVLen": ("pv_length", _bounded(int, 1, 1000)),
    "rootPolicyTemperature": ("root_temperature", _bounded(float, 0.01, 100)),
    "wideRootNoise": ("wide_root_noise", _bounded(float, 0, 5)),
    "cpuctExploration": ("c_puct", _bounded(float, 0, 10)),
    "humanSLProfile": ("human", human_profile),
    "ignorePreRootHistory": ("ignore_history", _truth),
}
"""KataGo's name -> field of `AnalysisSettings` and the reader of its text."""


# A query: one position for each turn that is analysed.


@dataclass(frozen=True)
class Inclusions:
    """What the answers include beside the moves."""

    policy: bool = False
    ownership: bool = False
    moves_ownership: bool = False
    pv_visits: bool = False
    no_result_value: bool = False


@dataclass(frozen=True)
class AnalysisRequest:
    """One position to analyse: a turn of a query."""

    id: str
    turn: int
    priority: int
    state: GoState
    settings: AnalysisSettings
    include: Inclusions
    report_every: float = math.inf
    """Seconds between reports during the search."""
    first_report_after: float = math.inf
    avoid_until: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    """[points + 1] for each player: the depth before which a move is not searched; None for no limit."""


def read_object(line: str) -> Json:
    """The query of a line, which has an id. Raises UserError."""
    try:
        query = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{error} - could not parse input line as json request: {line}") from None
    if not isinstance(query, dict):
        shown = json.dumps(query)
        raise UserError(f"Request line was valid json but was not an object, ignoring: {shown}")
    if not isinstance(query.get("id"), str):
        raise UserError('Request must have a string "id" field')
    return query


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_FIELDS = frozenset(
    (
        "id", "action", "moves", "initialStones", "initialPlayer", "rules", "komi", "whiteHandicapBonus",
        "boardXSize", "boardYSize", "analyzeTurns", "maxVisits", "analysisPVLen", "rootPolicyTemperature",
        "includeOwnership", "includeMovesOwnership", "includePolicy", "includePVVisits",
        "includeNoResultValue", "avoidMoves", "allowMoves", "overrideSettings", "reportDuringSearchEvery",
        "firstReportDuringSearchAfter", "priority", "priorities",
    )
)  # fmt: skip
_TYPO = (
    "Unexpected or unused field, do you have a typo? "
    "(set warnUnusedFields=false in the config to disable this warning)"
)
_SIZES = range(5, 20)
_SIZE_ERROR = "Must provide an integer from 5 to 19"
_SQUARE_ERROR = "Must be the same as boardXSize: only square boards are supported"
_KOMI = 150.0
_KOMI_ERROR = "Must be a integer or half-integer from -150.0 to 150.0"
_PAIRS_ERROR = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
_RULES_ERROR = (
    'Must specify rules string, such as "chinese" or "tromp-taylor", '
    "or a JSON object with detailed rules parameters."
)
_RESTRICTION_ERROR = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"
_SECONDS_ERROR = "Must be number of seconds from 0.001 to 1000000.0"
_HIGHEST_PRIORITY = 0x3FFFFFFFFFFFFFFF
_BONUSES = ("0", "N", "N-1")

_Stones: TypeAlias = list[tuple[int, Move]]
"""Pairs of a player and a point or pass."""


class QueryReader:
    """Reads one query. If `read` raises UserError, `field` is the field at fault."""

    def __init__(self, query: Json, defaults: AnalysisSettings, *, warn_unused: bool = True) -> None:
        self._query, self._defaults, self._warn_unused = query, defaults, warn_unused
        self.field = ""
        self.warnings: list[tuple[str, str]] = []
        """Fields with what is not as the query wants it."""
        self._size = 0

    def read(self) -> list[AnalysisRequest]:
        """The positions to analyse, in the order of the game. Raises UserError."""
        self._size = self._board_size()
        stones = self._pairs("initialStones", passes=False) if "initialStones" in self._query else []
        self.field = "moves"
        if "moves" not in self._query:
            raise UserError("Must specify an array of [player,location] pairs")
        moves = self._pairs("moves", passes=True)
        first = self._player(self._query, "initialPlayer") if "initialPlayer" in self._query else None
        turns = self._turns(len(moves))
        priorities = self._priorities(turns)
        start = self._start(stones, moves, first)
        settings = self._settings()
        include = Inclusions(
            policy=self._flag("includePolicy"),
            ownership=self._flag("includeOwnership"),
            moves_ownership=self._flag("includeMovesOwnership"),
            pv_visits=self._flag("includePVVisits"),
            no_result_value=self._flag("includeNoResultValue"),
        )
        every = self._seconds("reportDuringSearchEvery", math.inf)
        first_after = self._seconds("firstReportDuringSearchAfter", every)
        priority = self._priority()
        avoid_until = self._restriction()
        if self._warn_unused:
            self.warnings += [(name, _TYPO) for name in self._query if name not in _FIELDS]
        return [
            AnalysisRequest(
                self._query["id"], turn, priorities.get(turn, priority), state, settings, include, every,
                first_after, avoid_until,
            )
            for turn, state in self._positions(start, moves, set(turns), settings.ignore_history)
        ]  # fmt: skip

    def _board_size(self) -> int:
        sizes = [
            self._whole(name, _SIZES[0], _SIZES[-1], _SIZE_ERROR) for name in ("boardXSize", "boardYSize")
        ]
        if sizes[0] != sizes[1]:
            raise UserError(_SQUARE_ERROR)
        return sizes[0]

    def _turns(self, last: int) -> list[int]:
        self.field = "analyzeTurns"
        turns = self._query.get("analyzeTurns", [last])
        if not isinstance(turns, list) or not all(_is_whole(turn) for turn in turns):
            raise UserError("Must specify an array of integers indicating turns to analyze")
        for turn in turns:
            if not 0 <= turn <= last:
                raise UserError(f"Invalid turn number: {turn}")
        return turns

    def _priorities(self, turns: Sequence[int]) -> dict[int, int]:
        """The priority of each turn; empty without `priorities`."""
        if "priorities" not in self._query:
            return {}
        self.field = "priorities"
        priorities = self._query["priorities"]
        if not isinstance(priorities, list) or not all(_is_whole(number) for number in priorities):
            raise UserError("Must specify an array of integers indicating priorities")
        if "analyzeTurns" not in self._query:
            raise UserError("Can only specify when also specifying analyzeTurns")
        if len(priorities) != len(turns):
            raise UserError("Must be of matching length to analyzeTurns")
        for number in priorities:
            if abs(number) > _HIGHEST_PRIORITY:
                raise UserError(f"Invalid priority: {number}")
        return dict(zip(turns, priorities, strict=True))

    def _priority(self) -> int:
        self.field = "priority"
        if "priority" not in self._query:
            return 0
        if "priorities" in self._query:
            raise UserError("Cannot specify both priority and priorities")
        high = _HIGHEST_PRIORITY
        return self._whole("priority", -high, high, "Must be a number between -2^62 and 2^62")

    def _start(self, stones: _Stones, moves: _Stones, first: int | None) -> GoState:
        """The position before the first move."""
        words, usual_komi, bonus = self._rules()
        komi = self._komi(usual_komi) + _points(bonus, _handicap(stones, moves))
        self.field = "initialStones"
        if first is None:
            first = moves[0][0] if moves else int(_handicap(stones, ()) > 0)
        board = ["."] * self._size**2
        for player, point in stones:
            board[point] = "XO"[player]
        lines = [
            "".join(board[row * self._size : (row + 1) * self._size]) for row in reversed(range(self._size))
        ]
        rows = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(lines))
        try:
            return GoState.parse(" ".join([rows, "bw"[first], "- 0 0 0", f"{komi:g}", *words]))
        except ParseError as error:
            raise UserError(f"Could not place the stones: {error}") from None

    def _rules(self) -> tuple[list[str], float, str]:
        """Rules in the words of a state's text, their usual komi, and White's compensation for handicap."""
        self.field = "rules"
        given = self._query.get("rules")
        if not isinstance(given, str | dict):
            raise UserError(_RULES_ERROR)
        text = given if isinstance(given, str) else json.dumps(given)
        try:
            words = rule_words(text, Go(self._size))
            if text.startswith("{"):
                komi = 6.5 if "territory" in words else 7.5
                bonus = str(json.loads(text).get("whiteHandicapBonus", "0"))
            else:
                named = rule_set(text)
                komi, free = named.komi, named.free_stones
                bonus = "0" if free is None else _BONUSES[1 + free]
        except (UserError, ParseError):
            raise UserError(f"Could not parse rules: {text}") from None
        if "whiteHandicapBonus" in self._query:
            self.field = "whiteHandicapBonus"
            bonus = self._query["whiteHandicapBonus"]
            if not isinstance(bonus, str):
                raise UserError("Must be a string")
        if bonus not in _BONUSES:
            raise UserError(f"Could not parse whiteHandicapBonus: {bonus}")
        return words, komi, bonus

    def _komi(self, usual: float) -> float:
        komi = self._number("komi", -_KOMI, _KOMI, _KOMI_ERROR, usual)
        if 2 * komi != round(2 * komi):
            raise UserError(_KOMI_ERROR)
        return komi

    def _settings(self) -> AnalysisSettings:
        self.field = "overrideSettings"
        given = self._query.get("overrideSettings", {})
        if not isinstance(given, dict):
            raise UserError("Must be an object")
        texts = {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()
        }
        try:
            settings, unused = with_settings(self._defaults, texts)
        except UserError as error:
            raise UserError(f"Could not set settings: {error}") from None
        if unused:
            self.warnings.append((self.field, f"Unknown config params: {','.join(unused)}"))
        if "humanSLProfile" in given and settings.human is not None and settings.human.warning:
            self.warnings.append((self.field, f"humanSLProfile {settings.human.warning}"))
        query = self._query
        if "maxVisits" in query:
            visits = self._whole("maxVisits", 1, _MOST_VISITS, "Must be an integer from 1 to 2^50")
            settings = replace(settings, max_visits=visits)
        if "analysisPVLen" in query:
            length = self._whole("analysisPVLen", 1, 1000, "Must be an integer from 1 to 1000")
            settings = replace(settings, pv_length=length)
        temperature = self._number(
            "rootPolicyTemperature", 0.01, 100.0, "Must be a number from 0.01 to 100.0",
            settings.root_temperature,
        )  # fmt: skip
        return replace(settings, root_temperature=temperature)

    def _restriction(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """The depths of `allowMoves` or `avoidMoves`."""
        given = [name for name in ("allowMoves", "avoidMoves") if name in self._query]
        if not given:
            return None
        self.field = given[0]
        if len(given) == 2:
            raise UserError("Cannot specify both allowMoves and avoidMoves")
        entries, allow = self._query[self.field], self.field == "allowMoves"
        if not isinstance(entries, list):
            raise UserError(_RESTRICTION_ERROR)
        until = (np.zeros(self._size**2 + 1, np.int64), np.zeros(self._size**2 + 1, np.int64))
        allowed: set[int] = set()
        for entry in entries:
            self.field = given[0]
            if not isinstance(entry, dict) or not entry.keys() >= {"player", "moves", "untilDepth"}:
                raise UserError(_RESTRICTION_ERROR)
            player = self._player(entry, "player")
            moves = self._vertices(entry["moves"])
            self.field = "untilDepth"
            depth = entry["untilDepth"]
            if not _is_whole(depth) or not 1 <= depth <= 1_000_000_000:
                raise UserError("Must be a positive integer")
            if allow and player in allowed:
                self.field = given[0]
                raise UserError("Cannot specify allowMoves more than once for the same player")
            allowed.add(player)
            if allow:
                until[player][:] = depth
            until[player][moves] = 0 if allow else depth
        return until

    def _positions(
        self, start: GoState, moves: _Stones, turns: set[int], ignore_history: bool
    ) -> list[tuple[int, GoState]]:
        """The turns to analyse with their positions. A position after two passes is played on from."""
        self.field = "moves"
        positions, state = [], start
        for number, (player, move) in enumerate(moves):
            if number in turns:
                positions.append((number, resumed(state)))
            try:
                state = _played(state, player, move)
            except IllegalMove:
                raise UserError(f"Illegal move {number}: {state.move_text(move)}") from None
        if len(moves) in turns:
            positions.append((len(moves), resumed(state)))
        if ignore_history:
            return [(turn, without_history(state, state.to_move)) for turn, state in positions]
        return positions

    def _pairs(self, name: str, *, passes: bool) -> _Stones:
        """The players and points of `initialStones` or `moves`."""
        self.field = name
        given = self._query[name]
        if not isinstance(given, list):
            raise UserError(_PAIRS_ERROR)
        pairs = []
        for pair in given:
            if not isinstance(pair, list) or [type(word) for word in pair] != [str, str]:
                raise UserError(_PAIRS_ERROR)
            if (player := COLOURS.get(pair[0].lower())) is None:
                raise UserError(f"Could not parse player: {pair[0]}")
            pairs.append((player, self._location(pair[1], passes=passes)))
        return pairs

    def _vertices(self, given: Any) -> list[Move]:
        self.field = "moves"
        if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
            raise UserError("Must be an array of GTP board vertices")
        return [self._location(text, passes=True) for text in given]

    def _location(self, text: str, *, passes: bool) -> Move:
        """The move of a vertex such as D4, of KataGo's (3,15) with the row from the top, or of `pass`."""
        size = self._size
        row = column = -1
        if text.lower() == "pass" and passes:
            return size * size
        if vertex := re.fullmatch(r"([A-Za-z])(\d{1,2})", text, re.ASCII):
            row, column = int(vertex[2]) - 1, COLUMNS.find(vertex[1].upper())
        elif place := re.fullmatch(r"\((\d{1,2}),(\d{1,2})\)", text, re.ASCII):
            row, column = size - 1 - int(place[2]), int(place[1])
        if not (0 <= row < size and 0 <= column < size):
            raise UserError(f"Could not parse board location: {text}")
        return row * size + column

    def _player(self, given: Json, name: str) -> int:
        self.field = name
        player = COLOURS.get(given[name].lower()) if isinstance(given[name], str) else None
        if player is None:
            raise UserError('Must be "b" or "w"')
        return player

    def _whole(self, name: str, low: int, high: int, message: str) -> int:
        self.field = name
        number: Any = self._query.get(name)
        if not _is_whole(number) or not low <= number <= high:
            raise UserError(message)
        return int(number)

    def _number(self, name: str, low: float, high: float, message: str, missing: float) -> float:
        self.field = name
        if name not in self._query:
            return missing
        number = self._query[name]
        if not isinstance(number, int | float) or isinstance(number, bool) or not low <= number <= high:
            raise UserError(message)
        return float(number)

    def _seconds(self, name: str, missing: float) -> float:
        return self._number(name, 0.001, 1_000_000.0, _SECONDS_ERROR, missing)

    def _flag(self, name: str) -> bool:
        self.field = name
        flag = self._query.get(name, False)
        if not isinstance(flag, bool):
            raise UserError("Must be a boolean")
        return flag


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _handicap(stones: _Stones, moves: Sequence[tuple[int, Move]]) -> int:
    """The number of handicap stones: Black's on a board without White's, and several first moves of Black."""
    if any(player for player, _ in stones):
        return 0
    run = next((number for number, (player, _) in enumerate(moves) if player), len(moves))
    count = len({point for _, point in stones}) + (run if run > 1 else 0)
    return count if count > 1 else 0


def _points(bonus: str, stones: int) -> int:
    """White's compensation for handicap stones."""
    return {"0": 0, "N": stones, "N-1": max(stones - 1, 0)}[bonus]


def _played(state: GoState, player: int, move: Move) -> GoState:
    """The position after a move of either player. Like KataGo it tolerates the repetition of a position,
    which other rules may have allowed. Raises IllegalMove."""
    try:
        return with_player_to_move(state, player).play_past_end(move)
    except IllegalMove:
        return without_history(state, player).play_past_end(move)
