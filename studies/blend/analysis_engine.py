"""Values of moves by an external engine (UCI, USI or GTP), cached in a journal.

The blend paper's loss of a move (appendix B) is the value of the best compared move minus the move's value.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sparring.base.errors import SparringError
from sparring.base.storage import Journal
from sparring.games import Move
from sparring.players.engine_player import start_engine
from sparring.players.engines import EngineClient, EngineConfig, EngineFailure, PositionHistory

WIN_SCORE = 32_000
"""The value of a move that wins at once."""
_TRIES = 3
"""Attempts at one position before the analysis fails."""


class AnalysisFailed(SparringError):
    """The engine died or hung on one position in every attempt. Earlier values stay in the journal."""


class AnalysisEngine:
    """An engine process that is restarted when it dies; `restarts` counts that."""

    def __init__(self, entry: EngineConfig) -> None:
        self._entry = entry
        self._engine: EngineClient | None = None
        self.restarts = 0

    def value(self, state: Any, move: Move) -> int:
        """The value of a move for the player who makes it: centipawns, in Go hundredths of a point.

        Each position is a new game to the engine, so that values do not depend on earlier ones.
        Raises AnalysisFailed.
        """
        after = state.play(move)
        if after.outcome is not None:
            return {state.to_move: WIN_SCORE, None: 0}.get(after.outcome.winner, -WIN_SCORE)
        line = _line(after, whole=self._entry.protocol == "gtp")
        for attempt in range(_TRIES):
            try:
                engine = self._running()
                engine.new_game(line.start, None)
                return -engine.analyse(line)
            except EngineFailure as error:
                self._kill()
                self.restarts += 1
                if attempt == _TRIES - 1:
                    raise AnalysisFailed(
                        f"the engine {self._entry.name} failed {_TRIES} times on {after.text()}: {error}"
                    ) from None
        raise AssertionError("every try returns or raises")

    def close(self) -> None:
        """Stops the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _running(self) -> EngineClient:
        if self._engine is None:
            self._engine = start_engine(self._entry)
        return self._engine

    def _kill(self) -> None:
        if self._engine is not None:
            with contextlib.suppress(EngineFailure):
                self._engine.kill()
            self._engine = None


class CachedAnalysis:
    """An AnalysisEngine with a journal of its values. Raises BadFile or OSError."""

    def __init__(self, path: Path, entry: EngineConfig) -> None:
        self._analysis_engine = AnalysisEngine(entry)
        self._journal = Journal(path, sync=True)
        self._known: dict[str, int] = dict(self._journal.entries)
        self._named = _identity(entry)

    @property
    def restarts(self) -> int:
        """The number of restarts of the engine."""
        return self._analysis_engine.restarts

    def value(self, state: Any, move: Move) -> int:
        """As `AnalysisEngine.value`, computed once for each move. Raises AnalysisFailed or OSError."""
        words = f"{self._named} {state.text()} {state.move_text(move)}"
        key = hashlib.blake2b(words.encode(), digest_size=10).hexdigest()
        if key not in self._known:
            self._known[key] = self._analysis_engine.value(state, move)
            self._journal.add([key, self._known[key]])
        return self._known[key]

    def close(self) -> None:
        """Stops the engine."""
        self._analysis_engine.close()


def _identity(entry: EngineConfig) -> str:
    """The engine settings that values depend on, as a key. Existing journals have it: do not change it."""
    parts: tuple[Mapping[str, str], ...] = (entry.options, entry.env)
    settings = [sorted(part.items()) for part in parts]
    limits = entry.limits
    bounds = f"Limits(nodes={limits.nodes!r}, depth={limits.depth!r}, movetime={limits.seconds!r})"
    return json.dumps([entry.protocol, entry.command, settings, entry.commands, bounds])


def _line(state: Any, *, whole: bool) -> PositionHistory:
    """The position for the engine: with all moves of the game (`whole`), or alone."""
    if not whole:
        alone = type(state).parse(state.text())
        return PositionHistory(alone, (), alone)
    return PositionHistory.of(state)
