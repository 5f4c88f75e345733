"""Reconnaissance blind chess on the server: the person sees observations, and the truth when it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.sentences import Sentence, joined
from sparring.play.game import LiveGame
from sparring.rbc.game import (
    Observation,
    OpponentMoveResult,
    SenseResult,
    known_diagram,
    observation_text,
    observed_steps,
)
from sparring.rbc.tracker import Tracker, TrackerOptions
from sparring.server.messages import GameView, HiddenView, Phase, PositionView, board_view, text_of
from sparring.server.page_game import BeliefStep, BeliefView, PageGame, Replay, ShownState, move_view
from sparring.server.refusal import Refused

_SAMPLE = 2_000
"""Boards that shares are estimated from."""
_LETTERS = "PNBRQKpnbrqk"


def likeliest(shares: NDArray[np.float64], letters: str) -> tuple[list[str], list[float]]:
    """For each square the likeliest piece and its share, by shares [letters, 64]; "" where there never is
    one."""
    places, best = shares.argmax(axis=0), shares.max(axis=0)
    pieces = [letters[place] if share > 0 else "" for place, share in zip(places, best, strict=True)]
    return pieces, _rounded(best)


def _rounded(shares: NDArray[np.float64]) -> list[float]:
    return [round(float(share), 4) for share in shares]


_REPLAYED_BOARDS = 50_000
"""Possible boards that are followed for each side."""


def belief_steps(game: LiveGame) -> Iterator[BeliefStep]:
    """The steps of a game, the first one before the first sense."""
    rules: Any = game.rules
    trackers = tuple(
        Tracker(side, TrackerOptions(limit=_REPLAYED_BOARDS, past_limit=_REPLAYED_BOARDS, repair=True))
        for side in (0, 1)
    )

    def sides() -> tuple[BeliefView, BeliefView]:
        first, second = map(_belief, trackers)
        return first, second

    yield BeliefStep(
        ply=0,
        player=None,
        phase=None,
        text=None,
        name=None,
        position=rules.text(game.states[0]),
        note=text_of(""),
        sides=sides(),
    )
    for ply, (step, played) in enumerate(zip(observed_steps(game.states[-1]), game.moves, strict=True), 1):
        if step.after.outcome is None:  # no possible board survives the capture of a king
            for tracker in trackers:
                tracker.observe(step.seen[tracker.player])
        observation = step.seen[played.player]
        yield BeliefStep(
            ply=ply,
            player=played.player,
            phase="sense" if isinstance(observation, SenseResult) else "move",
            text=played.text,
            name=played.name,
            position=rules.text(step.after),
            note=text_of(joined(*observation_text(observation, rules.spec.players[played.player]))),
            sides=sides(),
        )


def _belief(tracker: Tracker) -> BeliefView:
    pieces, shares = likeliest(tracker.boards.piece_shares(_SAMPLE), _LETTERS)
    return BeliefView(possible=len(tracker.boards), exact=tracker.exact, pieces=pieces, shares=shares)


_BOARDS = 100_000
"""Possible boards that are followed for the person, and of all earlier turns together."""


class BlindPageGame(PageGame):
    """A game of hidden information. A watched game shows the true board."""

    @property
    def phase(self) -> Phase:
        """What the game waits for; a turn begins with a sense."""
        return "sense" if self.live.phase == "move" and self._sensing else self.live.phase

    def view(self, game_id: str) -> GameView:
        """The game as the person sees it: the opponent's moves and the true board only when it is over."""
        shown = super().view(game_id)
        if self._tracker is None or self.live.end is not None:
            return shown.model_copy(update={"hidden": self._hidden_view()})
        own = [played for played in self.live.moves if played.player == self.settings.you]
        return shown.model_copy(
            update={
                "position": None,
                "board": board_view(known_diagram(self._tracker.boards)),
                "check": False,
                "hidden": self._hidden_view(),
                "moves": [move_view(played) for played in own],
            }
        )

    def shown(self) -> ShownState:
        """What the list of games shows: no position before the end."""
        return replace(super().shown(), position=None)

    def position_view(self, ply: int) -> PositionView:
        """The true board after `ply` moves, once the game is over. Raises Refused."""
        if self.live.end is None and self.settings.you is not None:
            raise Refused(Sentence("The true boards are shown after the game."))
        return super().position_view(ply)

    def record(self, suffix: str) -> str:
        """The game as a file, once it is over. Raises Refused."""
        if self.live.end is None and self.settings.you is not None:
            raise Refused(Sentence("The game can be saved when it is over: its file has the true boards."))
        return super().record(suffix)

    def replay(self) -> Replay:
        """Both sides' beliefs step by step, once the game is over. Raises Refused."""
        if self.live.end is None:
            raise Refused(Sentence("Beliefs are shown after the game."))
        return Replay(len(self.live.moves) + 1, belief_steps(self.live))

    @property
    def memory_bytes(self) -> int:
        """About what its players hold, and what the person may know."""
        return super().memory_bytes + (0 if self._tracker is None else self._tracker.memory_bytes)

    @property
    def _sensing(self) -> bool:
        state = self.live.states[-1]
        return self.rules.move_text(state, self.rules.legal_moves(state)[-1]).startswith("sense")

    def _observer(self) -> Callable[[Any], None] | None:
        self._tracker: Tracker | None = None
        self._notes: list[str] = []
        self._sensed: list[int] = []
        self._sizes: list[int] = []
        """Number of possible boards after each move."""
        if self.settings.you is None:
            return None
        options = TrackerOptions(limit=_BOARDS, past_limit=_BOARDS, repair=True)
        self._tracker = tracker = Tracker(self.settings.you, options)

        def observe(seen: Observation) -> None:
            tracker.observe(seen)
            self._note(seen)
            self._sizes.append(len(tracker.boards))

        return observe

    def _note(self, seen: Observation) -> None:
        """Notes what the person learns. The board itself shows what a sense shows."""
        if isinstance(seen, SenseResult):
            self._sensed = [square for square, _ in seen.pieces]
            return
        if isinstance(seen, OpponentMoveResult):
            self._sensed = []
        self._notes.extend(observation_text(seen))

    def _hidden_view(self) -> HiddenView | None:
        if self._tracker is None or self.settings.you is None:
            return None
        boards, enemy = self._tracker.boards, slice(6 - 6 * self.settings.you, 12 - 6 * self.settings.you)
        shares = boards.piece_shares(_SAMPLE)[enemy]
        guess, guess_shares = likeliest(shares, _LETTERS[enemy])
        return HiddenView(
            known=boards.known_pieces(),
            likely=_rounded(shares.sum(axis=0)),
            guess=guess,
            guess_shares=guess_shares,
            possible=len(boards),
            exact=self._tracker.exact,
            notes=[text_of(note) for note in self._notes[-20:]],
            sensed=self._sensed,
            sizes=self._sizes,
        )
