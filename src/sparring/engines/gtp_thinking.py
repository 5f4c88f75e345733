"""The GTP commands that think: moves, analysis, and the options of who thinks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Event
from typing import TypeAlias

from sparring._core import GoState
from sparring.engines.alarm import alarm
from sparring.engines.dials import Dials
from sparring.engines.gtp_analysis import Wanted, kata_line, leela_line, raw_network, read_wanted
from sparring.engines.gtp_board import Refused, resumed, turned
from sparring.engines.gtp_table import Answer, Table, Words, colour
from sparring.engines.minds import Minds
from sparring.engines.options import find_option, options_of
from sparring.engines.pipes import Say
from sparring.engines.settings import Settings
from sparring.players.clock import thinking_time
from sparring.players.thinking import Limits, Mind, Thought
from sparring.search import Found

LineOf: TypeAlias = Callable[[GoState, Found, int | None], str]

_KATAGO_NAMES = {
    "maxVisits": "nodes",
    "maxTime": "seconds",
    "chosenMoveTemperature": "temperature",
    "cpuctExploration": "c-puct",
    "numSearchThreads": "threads",
}
"""KataGo's words for some options."""
_UNTIL_STOPPED = 1_000_000_000


class Thinking:
    """A player at a table. `interrupt` is set when the GUI has more to say: an analysis then ends."""

    def __init__(self, table: Table, settings: Settings, interrupt: Event) -> None:
        self._table, self._interrupt = table, interrupt
        self._dials = Dials("gtp", settings)
        self._player = Minds(_tell)
        self._analyst = Minds(_tell)
        """The same player once more: an analysis changes nothing in the game."""
        self._game = table.games

    def commands(self) -> dict[str, Callable[[Words], Answer]]:
        """By name."""
        found = {"lz-": leela_line, "": leela_line, "kata-": kata_line}
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

    def _genmove(self, words: Words) -> str:
        player = colour(" ".join(words))
        return self._played(player, self._thought(player))

    def _reg_genmove(self, words: Words) -> str:
        """A move that is not played."""
        player = colour(" ".join(words))
        return self._text(player, self._thought(player))

    def _analyse(self, line_of: LineOf, words: Words) -> Answer:
        """Searches until the GUI says something else, also for a player that plays without search."""
        wanted = self._wanted(words)
        state = self._state(self._whose(wanted))
        only = wanted.only(state)
        settings = self._dials.settings
        mind = self._analyst.of(replace(settings, description=replace(settings.description, seconds=None)))

        def stream(say: Say) -> None:
            limits = Limits(nodes=_UNTIL_STOPPED, only=only)
            tell = self._teller(line_of, state, wanted, say)
            thought = mind.think(state, limits, stop=self._interrupt, report=tell, every=wanted.interval)
            if thought.found is not None:
                tell(thought.found)
            self._interrupt.wait()

        return stream

    def _genmove_analyse(self, line_of: LineOf, words: Words) -> Answer:
        """A move, and on the way there what is thought of it."""
        wanted = self._wanted(words)
        player = self._whose(wanted)
        self._mind()

        def stream(say: Say) -> None:
            tell = self._teller(line_of, self._state(player), wanted, say)
            thought = self._thought(player, wanted, tell)
            if thought.found is not None:
                tell(thought.found)
            say(f"play {self._played(player, thought)}")

        return stream

    def _ask_network(self, words: Words) -> str:
        state = self._state(self._table.board.state.to_move)
        mind = self._analyst.of(self._dials.settings)
        return raw_network(state, mind.think(state, Limits(nodes=1)).prediction)

    def _thought(
        self, player: int, wanted: Wanted | None = None, report: Callable[[Found], None] | None = None
    ) -> Thought:
        started = time.perf_counter()
        state = self._state(player)
        mind = self._mind()
        clock, seconds, stop = self._table.clock.clock(player), None, Event()
        if clock is not None:
            seconds = thinking_time(clock, self._dials.settings.overhead / 1000)
            seconds = max(seconds - (time.perf_counter() - started), 0.001)
        limits = Limits(seconds=seconds, only=() if wanted is None else wanted.only(state))
        every = 1.0 if wanted is None else wanted.interval
        with alarm(seconds, stop):
            thought = mind.think(state, limits, stop=stop, report=report, every=every)
        self._table.clock.spend(player, time.perf_counter() - started)
        return thought

    def _mind(self) -> Mind:
        """Who plays; in a new game with a fresh memory."""
        if self._game != self._table.games:
            self._game = self._table.games
            self._player.start_anew()
        return self._player.of(self._dials.settings)

    def _played(self, player: int, thought: Thought) -> str:
        text = self._text(player, thought)
        if text != "resign":
            self._table.board = self._table.board.played(player, thought.choice.move)
        return text

    def _text(self, player: int, thought: Thought) -> str:
        return "resign" if thought.resign else self._state(player).move_text(thought.choice.move)

    def _state(self, player: int) -> GoState:
        return resumed(turned(self._table.board.state, player))

    def _wanted(self, words: Words) -> Wanted:
        return read_wanted(words, self._table.board.state)

    def _whose(self, wanted: Wanted) -> int:
        return self._table.board.state.to_move if wanted.player is None else wanted.player

    def _teller(self, line_of: LineOf, state: GoState, wanted: Wanted, say: Say) -> Callable[[Found], None]:
        def tell(found: Found) -> None:
            if line := line_of(state, found, wanted.most):
                say(line)

        return tell

    def _get_option(self, words: Words) -> str:
        return find_option("gtp", _own_name(" ".join(words))).value(self._dials.settings)

    def _set_option(self, words: Words) -> str:
        if not words:
            raise Refused("syntax error: a name and a value expected")
        self._dials.set(_own_name(words[0]), " ".join(words[1:]))
        return ""

    def _list_options(self, words: Words) -> str:
        """All options with their values and what they mean."""
        return "\n".join(
            f"{option.flag} = {option.value(self._dials.settings)} ({option.range_text()}): {option.help}"
            for option in options_of("gtp")
        )

    def _forget(self, words: Words) -> str:
        self._player.start_anew()
        self._analyst.start_anew()
        return ""


def _own_name(name: str) -> str:
    """Our name of an option that may go by KataGo's."""
    known = {katago.lower(): flag for katago, flag in _KATAGO_NAMES.items()}
    return known.get(name.lower(), name)


def _tell(message: str) -> None:
    print(f"sparring: {message}", file=sys.stderr)
