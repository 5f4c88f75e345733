"""The engine behind `sparring engine gtp`: GTP 2 and the extensions that GUIs use."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from threading import Event, Timer
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.base.errors import BadConfig, UserError
from sparring.engines.options import EngineOptions, EngineSettings, find_option, level_of_skill, options_of
from sparring.engines.protocols import PvLine, pv_texts, search_pv_lines
from sparring.engines.search_thread import PlayerCache
from sparring.engines.server import SendLine, StdinReader
from sparring.games import Move, ParseError
from sparring.go.counting import resumed
from sparring.go.gtp_board import (
    COLOURS,
    Arguments,
    GtpGame,
    GtpResponse,
    parse_colour,
    spend_time,
    with_player_to_move,
)
from sparring.networks import Position
from sparring.networks.codec import Prediction
from sparring.players import LOAD_ERRORS, Decision, Player, PolicyPlayer, SearchLimits, SearchPlayer, Turn
from sparring.search import SearchResult
from sparring.search.limits import allocate_time, stop_timer, wait_out

# Analysis over GTP, in the formats of Leela Zero and KataGo.


_WORDS_WITH_ONE = frozenset(
    ("interval", "minmoves", "maxmoves", "ownership", "movesownership", "pvvisits", "rootinfo")
)


@dataclass(frozen=True)
class AnalyzeOptions:
    """The arguments of an analysis command."""

    player: int
    interval: float
    """Seconds between two lines."""
    max_moves: int | None
    """Most moves in a line; None for all."""
    allow: list[Move]
    avoid: list[Move]

    def searchmoves(self, state: Any) -> tuple[Move, ...]:
        """The moves to search; empty for all. Raises UserError if none is left."""
        if not self.allow and not self.avoid:
            return ()
        allowed = self.allow or state.legal_moves()
        moves = tuple(m for m in state.legal_moves() if m in allowed and m not in self.avoid)
        if not moves:
            raise UserError("no move is left to search")
        return moves


def parse_analyze_options(words: Sequence[str], state: Any) -> AnalyzeOptions:
    """Parses [colour] [centiseconds] and pairs such as `interval 50`. Raises UserError."""
    rest = [word.lower() for word in words]
    player = COLOURS[rest.pop(0)] if rest and rest[0] in COLOURS else state.to_move
    values: dict[str, str] = {}
    if rest and rest[0].isdecimal():
        values["interval"] = rest.pop(0)
    allow: list[Move] = []
    avoid: list[Move] = []
    while rest:
        word = rest.pop(0)
        if word in ("allow", "avoid") and len(rest) >= 3:
            (allow if word == "allow" else avoid).extend(_points(rest[1], state))
            del rest[:3]  # a colour, the points and a depth
        elif word in _WORDS_WITH_ONE and rest:
            values[word] = rest.pop(0)
        else:
            raise UserError(f"syntax error: '{word[:40]}' is not understood")
    interval, max_moves = (_whole(values.get(key), key) for key in ("interval", "maxmoves"))
    seconds = 1.0 if interval is None else max(interval / 100, 0.02)
    return AnalyzeOptions(player, seconds, max_moves, allow, avoid)


def lz_analyze_line(state: Any, result: SearchResult, options: AnalyzeOptions) -> str:
    """A line of `lz-analyze`: win rates in ten-thousandths."""
    return " ".join(
        f"info move {state.move_text(line.moves[0])} visits {line.visits} "
        f"winrate {round(10_000 * _winrate(line))} prior {round(10_000 * line.prior)} "
        f"lcb {round(10_000 * _winrate(line))} order {order} "
        f"pv {' '.join(pv_texts(state, line.moves))}"
        for order, line in enumerate(_lines(state, result, options))
    )


def kata_analyze_line(state: Any, result: SearchResult, options: AnalyzeOptions) -> str:
    """A line of `kata-analyze`: win rates from 0 to 1, and score leads if the network has them."""
    lead = result.evaluation and result.evaluation.lead
    points = "" if lead is None else f"scoreMean {lead:.3f} scoreLead {lead:.3f} "
    return " ".join(
        f"info move {state.move_text(line.moves[0])} visits {line.visits} utility {line.value:.6f} "
        f"winrate {_winrate(line):.6f} {points}prior {line.prior:.6f} lcb {_winrate(line):.6f} "
        f"utilityLcb {line.value:.6f} order {order} pv {' '.join(pv_texts(state, line.moves))}"
        for order, line in enumerate(_lines(state, result, options))
    )


def _lines(state: Any, result: SearchResult, options: AnalyzeOptions) -> list[PvLine]:
    return search_pv_lines(result, options.searchmoves(state))[: options.max_moves]


def raw_network(state: Any, prediction: Prediction) -> str:
    """The answer of `kata-raw-nn`: the prediction of a position, from White's point of view."""
    value = prediction.value or 0.0
    white = value if state.to_move else -value
    chances = dict(zip(prediction.moves, prediction.probabilities, strict=True))
    size = state.size
    rows = [
        " ".join(_chance(chances.get(row * size + column)) for column in range(size))
        for row in reversed(range(size))
    ]
    facts = [f"whiteWin {(1 + white) / 2:.6f}", f"whiteLoss {(1 - white) / 2:.6f}", "noResult 0.000000"]
    if prediction.lead is not None:
        facts.append(f"whiteLead {prediction.lead if state.to_move else -prediction.lead:.3f}")
    return "\n".join(
        ["symmetry 0", *facts, "policy", *rows, f"policyPass {_chance(chances.get(size * size))}"]
    )


def _chance(probability: Any) -> str:
    return "NAN" if probability is None else f"{probability:.6f}"


def _winrate(line: PvLine) -> float:
    return (1 + (line.value or 0.0)) / 2


def _points(text: str, state: Any) -> list[Move]:
    try:
        return [state.parse_move(vertex) for vertex in text.split(",")]
    except ParseError:
        raise UserError(f"invalid coordinate in '{text[:40]}'") from None


def _whole(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise UserError(f"syntax error: {name} is a whole number")
    return int(text)


# The GTP commands that search: moves, analysis, and the options of the player.


AnalysisFormatter: TypeAlias = Callable[[GoState, SearchResult, AnalyzeOptions], str]

_KATAGO_NAMES = {
    "maxVisits": "nodes",
    "maxTime": "seconds",
    "chosenMoveTemperature": "temperature",
    "cpuctExploration": "c-puct",
    "numSearchThreads": "threads",
}
"""KataGo's names of some options."""
_GNUGO_LEVELS = 10
"""GNU Go's highest level."""
_UNTIL_STOPPED = 1_000_000_000
_LAST_SECONDS = 5.0
"""Seconds for a decision after the end of the input: enough for a script, and nobody waits for more."""


class GtpSearch:
    """The player of a GTP engine. `interrupt` is set when the next command waits: an analysis then ends."""

    def __init__(self, game: GtpGame, settings: EngineSettings, interrupt: Event) -> None:
        self._game, self._interrupt = game, interrupt
        self._options = EngineOptions("gtp", settings)
        self._player = PlayerCache(_print_message)
        self._analyst = PlayerCache(_print_message)
        """A second copy of the player, so that an analysis changes nothing in the game."""
        self._games_begun = game.games
        game.ownership = self._ownership
        self._stop = Event()
        """Ends the decision under way."""
        self._input_ended = False

    def end_input(self) -> None:
        """The input has ended: the decision under way, and each later one, takes a few seconds at most. From
        any thread."""
        self._input_ended = True
        timer = Timer(_LAST_SECONDS, self._stop.set)
        timer.daemon = True
        timer.start()

    def commands(self) -> dict[str, Callable[[Arguments], GtpResponse]]:
        """The commands by name."""
        lines = (("lz-", lz_analyze_line), ("", lz_analyze_line), ("kata-", kata_analyze_line))
        return {
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            **{f"{prefix}analyze": partial(self._analyse, line) for prefix, line in lines},
            **{f"{prefix}genmove_analyze": partial(self._genmove_analyse, line) for prefix, line in lines},
            "kata-raw-nn": self._ask_network,
            "kata-list-params": lambda words: " ".join(
                [o.flag for o in options_of("gtp")] + [*_KATAGO_NAMES]
            ),
            "kata-get-param": self._get_option,
            "kata-set-param": self._set_option,
            "sparring-options": self._list_options,
            "level": self._set_level,
            "clear_cache": self._clear_cache,
        }

    def _genmove(self, words: Arguments) -> str:
        player = parse_colour(" ".join(words))
        return self._played(player, self._decide(player))

    def _reg_genmove(self, words: Arguments) -> str:
        """`reg_genmove`: a move, without playing it."""
        player = parse_colour(" ".join(words))
        return self._text(player, self._decide(player))

    def _analyse(self, line_of: AnalysisFormatter, words: Arguments) -> GtpResponse:
        """Searches until the next command, even if the player plays without search."""
        analyze_options = self._wanted(words)
        state = self._state(analyze_options.player)
        searchmoves = analyze_options.searchmoves(state)
        settings = self._options.settings
        analyst = self._analyst.of(
            replace(settings, own_book=False, player_config=replace(settings.player_config, seconds=None))
        )

        def stream(send_line: SendLine) -> None:
            limits = SearchLimits(nodes=_UNTIL_STOPPED, searchmoves=searchmoves)
            report = self._line_sender(line_of, state, analyze_options, send_line)
            decision = analyst.choose(
                Turn(state, state.legal_moves(), limits, self._interrupt, report, analyze_options.interval)
            )
            if decision.search is not None:
                report(decision.search)
            self._interrupt.wait()

        return stream

    def _genmove_analyse(self, line_of: AnalysisFormatter, words: Arguments) -> GtpResponse:
        """A move, with lines of analysis before it."""
        analyze_options = self._wanted(words)
        player = analyze_options.player
        self._player_of_game()

        def stream(send_line: SendLine) -> None:
            report = self._line_sender(line_of, self._state(player), analyze_options, send_line)
            decision = self._decide(player, analyze_options, report)
            if decision.search is not None:
                report(decision.search)
            send_line(f"play {self._played(player, decision)}")

        return stream

    def _ask_network(self, words: Arguments) -> str:
        state = self._state(self._game.board.state.to_move)
        analyst = self._analyst.of(self._options.settings)
        prediction = analyst.choose(Turn.of(state, SearchLimits(nodes=1))).prediction
        assert prediction is not None, "the player of an engine has a policy"
        return raw_network(state, prediction)

    def _decide(
        self,
        player: int,
        analyze_options: AnalyzeOptions | None = None,
        report: Callable[[SearchResult], None] | None = None,
    ) -> Decision:
        started = time.perf_counter()
        state = self._state(player)
        chooser = self._player_of_game()
        clock, seconds = self._game.clock.clock(player), None
        stop = self._stop = Event()
        if clock is not None:
            seconds = allocate_time(clock, self._options.settings.overhead / 1000)
            seconds = max(seconds - (time.perf_counter() - started), 0.001)
        if self._input_ended:
            seconds = _LAST_SECONDS if seconds is None else min(seconds, _LAST_SECONDS)
        human = self._options.settings.player_config.think_time == "human"
        limits = SearchLimits(
            seconds=seconds,
            clock=clock if human else None,
            opponent_clock=self._game.clock.clock(1 - player) if human else None,
            searchmoves=() if analyze_options is None else analyze_options.searchmoves(state),
        )
        every = 1.0 if analyze_options is None else analyze_options.interval
        with stop_timer(seconds, stop):
            decision = chooser.choose(Turn(state, state.legal_moves(), limits, stop, report, every))
        if limits.clock is not None and not self._input_ended:
            wait_out(decision.seconds, started, stop)
        spend_time(self._game.clock, player, time.perf_counter() - started)
        return decision

    def _ownership(self, state: GoState) -> NDArray[np.float32] | None:
        """The ownership that the player's network predicts; None if it has none or is not loaded yet."""
        settings = self._options.settings
        player = self._player.of(settings) if self._player.ready(settings) else None
        if not isinstance(player, PolicyPlayer | SearchPlayer):
            return None
        return player.policy.predict([Position(resumed(state))])[0].ownership

    def _player_of_game(self) -> Player:
        """The player, after `new_game` if a new game has begun."""
        if self._games_begun != self._game.games:
            self._games_begun = self._game.games
            self._player.new_game()
        return self._player.of(self._options.settings)

    def _played(self, player: int, decision: Decision) -> str:
        text = self._text(player, decision)
        if text != "resign":
            self._game.board = self._game.board.played(player, decision.move)
        return text

    def _text(self, player: int, decision: Decision) -> str:
        return "resign" if decision.resign else self._state(player).move_text(decision.move)

    def _state(self, player: int) -> GoState:
        return resumed(with_player_to_move(self._game.board.state, player))

    def _wanted(self, words: Arguments) -> AnalyzeOptions:
        return parse_analyze_options(words, self._game.board.state)

    def _line_sender(
        self, line_of: AnalysisFormatter, state: GoState, analyze_options: AnalyzeOptions, send_line: SendLine
    ) -> Callable[[SearchResult], None]:
        def report(result: SearchResult) -> None:
            if line := line_of(state, result, analyze_options):
                send_line(line)

        return report

    def _get_option(self, words: Arguments) -> str:
        return find_option("gtp", _own_name(" ".join(words))).value(self._options.settings)

    def _set_option(self, words: Arguments) -> None:
        if not words:
            raise UserError("syntax error: a name and a value expected")
        self._options.set(_own_name(words[0]), " ".join(words[1:]))

    def _set_level(self, words: Arguments) -> None:
        """GNU Go's `level`: 0 to 10 from the lowest to the highest level. Larger numbers are our levels."""
        text = " ".join(words)
        if text.isdecimal() and len(text) <= 2 and int(text) <= _GNUGO_LEVELS:
            text = str(level_of_skill("go", int(text), _GNUGO_LEVELS))
        self._options.set("level", text)

    def _list_options(self, words: Arguments) -> str:
        """All options with their values and meanings."""
        return "\n".join(
            f"{option.flag} = {option.value(self._options.settings)} ({option.range_text()}): {option.help}"
            for option in options_of("gtp")
        )

    def _clear_cache(self, words: Arguments) -> None:
        self._player.new_game()
        self._analyst.new_game()


def _own_name(name: str) -> str:
    """The name of an option, which may be KataGo's."""
    flags = {katago.lower(): flag for katago, flag in _KATAGO_NAMES.items()}
    return flags.get(name.lower(), name)


def _print_message(message: str) -> None:
    print(f"sparring: {message}", file=sys.stderr)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NUMBER = re.compile(r"[0-9]{1,9}")


class GtpServer:
    """Answers one command after the other. An analysis ends when the next command comes."""

    def __init__(self, settings: EngineSettings, send_line: SendLine, reader: StdinReader) -> None:
        self._send_line, self._reader = send_line, reader
        game = GtpGame()
        search = GtpSearch(game, settings, reader.waiting)
        reader.at_end = search.end_input
        self._commands: dict[str, Callable[[Arguments], GtpResponse]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: settings.engine_name,
            "version": lambda words: version("sparring"),
            "known_command": lambda words: str(" ".join(words) in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: None,
            **game.commands(),
            **search.commands(),
        }

    def run(self) -> None:
        """Answers commands until `quit` or the end of the input."""
        for line in self._reader:
            words = _CONTROL.sub("", line.partition("#")[0]).split()
            if words:
                number = words.pop(0) if _NUMBER.fullmatch(words[0]) else ""
                self._answer(number, words)
            if words[:1] == ["quit"]:
                break

    def _answer(self, number: str, words: Arguments) -> None:
        try:
            if not words or words[0] not in self._commands:
                raise UserError("unknown command")
            answer = self._commands[words[0]](words[1:])
        except Exception as error:  # one line; the engine goes on
            expected = isinstance(error, (UserError, BadConfig, ValueError, *LOAD_ERRORS))
            message = " ".join(str(error).split())
            self._send_line(f"?{number} {message if expected else f'{type(error).__name__}: {message}'}\n")
            return
        if not callable(answer):
            self._send_line(f"={number} {answer or ''}".rstrip(" ") + "\n")
            return
        self._send_line(f"={number}")
        try:
            answer(self._send_line)
        except Exception as error:  # the answer has begun: GTP has no place for an error in it
            print(f"sparring: {words[0]}: {error}", file=sys.stderr)
        self._send_line("")
