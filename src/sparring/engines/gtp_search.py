"""The GTP commands that search: moves, analysis, and the options of the player."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Event, Timer
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.engines.engine_options import EngineOptions
from sparring.engines.gtp_analysis import (
    AnalyzeOptions,
    kata_analyze_line,
    lz_analyze_line,
    parse_analyze_options,
    raw_network,
)
from sparring.engines.gtp_board import GtpError, resumed, with_player_to_move
from sparring.engines.gtp_game import Arguments, GtpGame, GtpResponse, parse_colour
from sparring.engines.options import find_option, options_of
from sparring.engines.player_cache import PlayerCache
from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import SendLine
from sparring.networks import Position
from sparring.players import Decision, Player, PolicyPlayer, SearchLimits, SearchPlayer, Turn
from sparring.players.stop_timer import stop_timer
from sparring.players.time_management import allocate_time, wait_out
from sparring.search import SearchResult

AnalysisFormatter: TypeAlias = Callable[[GoState, SearchResult, AnalyzeOptions], str]

_KATAGO_NAMES = {
    "maxVisits": "nodes",
    "maxTime": "seconds",
    "chosenMoveTemperature": "temperature",
    "cpuctExploration": "c-puct",
    "numSearchThreads": "threads",
}
"""KataGo's names of some options."""
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
        found = {"lz-": lz_analyze_line, "": lz_analyze_line, "kata-": kata_analyze_line}
        return {
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            **{f"{before}analyze": partial(self._analyse, line) for before, line in found.items()},
            **{
                f"{before}genmove_analyze": partial(self._genmove_analyse, line)
                for before, line in found.items()
            },
            "kata-raw-nn": self._ask_network,
            "kata-list-params": lambda words: " ".join(
                [o.flag for o in options_of("gtp")] + [*_KATAGO_NAMES]
            ),
            "kata-get-param": self._get_option,
            "kata-set-param": self._set_option,
            "sparring-options": self._list_options,
            "clear_cache": self._forget,
        }

    def _genmove(self, words: Arguments) -> str:
        player = parse_colour(" ".join(words))
        return self._played(player, self._decide(player))

    def _reg_genmove(self, words: Arguments) -> str:
        """A move that is not played."""
        player = parse_colour(" ".join(words))
        return self._text(player, self._decide(player))

    def _analyse(self, line_of: AnalysisFormatter, words: Arguments) -> GtpResponse:
        """Searches until the next command, even if the player plays without search."""
        analyze_options = self._wanted(words)
        state = self._state(self._whose(analyze_options))
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
        player = self._whose(analyze_options)
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
        self._game.clock.spend(player, time.perf_counter() - started)
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

    def _whose(self, analyze_options: AnalyzeOptions) -> int:
        return self._game.board.state.to_move if analyze_options.player is None else analyze_options.player

    def _line_sender(
        self, line_of: AnalysisFormatter, state: GoState, analyze_options: AnalyzeOptions, send_line: SendLine
    ) -> Callable[[SearchResult], None]:
        def report(found: SearchResult) -> None:
            if line := line_of(state, found, analyze_options):
                send_line(line)

        return report

    def _get_option(self, words: Arguments) -> str:
        return find_option("gtp", _own_name(" ".join(words))).value(self._options.settings)

    def _set_option(self, words: Arguments) -> str:
        if not words:
            raise GtpError("syntax error: a name and a value expected")
        self._options.set(_own_name(words[0]), " ".join(words[1:]))
        return ""

    def _list_options(self, words: Arguments) -> str:
        """All options with their values and meanings."""
        return "\n".join(
            f"{option.flag} = {option.value(self._options.settings)} ({option.range_text()}): {option.help}"
            for option in options_of("gtp")
        )

    def _forget(self, words: Arguments) -> str:
        self._player.new_game()
        self._analyst.new_game()
        return ""


def _own_name(name: str) -> str:
    """The name of an option, which may be KataGo's."""
    known = {katago.lower(): flag for katago, flag in _KATAGO_NAMES.items()}
    return known.get(name.lower(), name)


def _print_message(message: str) -> None:
    print(f"sparring: {message}", file=sys.stderr)
