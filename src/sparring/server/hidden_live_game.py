"""Reconnaissance blind chess on the server: the person sees observations, and the truth when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import chess

from sparring.belief import Tracker, TrackerOptions
from sparring.belief.known_board import known_diagram
from sparring.games import Move
from sparring.games.rbc import MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players import GameStart, Player, Turn
from sparring.server.belief_replay import belief_steps
from sparring.server.board_views import board_view
from sparring.server.game_settings import GameSettings
from sparring.server.game_store import ShownState
from sparring.server.game_views import move_view
from sparring.server.live_game import LiveGame
from sparring.server.messages import GameView, HiddenView, Phase, PositionView
from sparring.server.played_move import PlayedMove
from sparring.server.refusal import Refused
from sparring.server.replay import Replay
from sparring.server.square_shares import SquareShares

_BOARDS = 100_000
"""Possible boards that are followed for the person."""


class HiddenLiveGame(LiveGame):
    """A game of hidden information. A watched game shows the true board."""

    def __init__(self, settings: GameSettings, players: Mapping[int, Player]) -> None:
        self._belief: Tracker | None = None
        self._notes: list[str] = []
        self._sensed: list[int] = []
        self._sizes: list[int] = []
        """Number of possible boards after each move."""
        super().__init__(settings, players)

    @property
    def phase(self) -> Phase:
        """What the game waits for; a turn begins with a sense."""
        phase = super().phase
        return "sense" if phase == "move" and self._sensing else phase

    def view(self, game_id: str) -> GameView:
        """The game as the person sees it: the opponent's moves and the true board only when it is over."""
        shown = super().view(game_id)
        if self._belief is None or self.end is not None:
            return shown.model_copy(update={"hidden": self._hidden_view()})
        own = [each for each in self.moves if each.player == self.settings.you]
        return shown.model_copy(
            update={
                "position": None,
                "board": board_view(known_diagram(self._belief.boards)),
                "check": False,
                "hidden": self._hidden_view(),
                "moves": [move_view(each) for each in own],
            }
        )

    def shown(self) -> ShownState:
        """What the list of games shows: no position before the end."""
        return replace(super().shown(), position=None)

    def position_view(self, ply: int) -> PositionView:
        """The true board after `ply` moves, once the game is over. Raises Refused."""
        if self.end is None and self.settings.you is not None:
            raise Refused("The true boards are shown after the game.")
        return super().position_view(ply)

    def record(self, suffix: str) -> str:
        """The game as a file, once it is over. Raises Refused."""
        if self.end is None and self.settings.you is not None:
            raise Refused("The game can be saved when it is over: its file has the true boards.")
        return super().record(suffix)

    def replay(self) -> Replay:
        """Both sides' beliefs step by step, once the game is over. Raises Refused."""
        if self.end is None:
            raise Refused("Beliefs are shown after the game.")
        return Replay(len(self.moves) + 1, belief_steps(self))

    @property
    def _sensing(self) -> bool:
        state = self.states[-1]
        return self.rules.move_text(state, self.rules.legal_moves(state)[-1]).startswith("sense")

    def _turn(self) -> Turn:
        state = self.states[-1]
        return Turn(None, self.rules.legal_moves(state), self.clock.limits(state.to_move))

    def _push(self, played: PlayedMove) -> None:
        state, rules = self.states[-1], self.hidden_rules
        for side, player in self.players.items():
            player.observe(rules.observe(state, side, played.move))
        if self.settings.you is not None and self._belief is not None:
            seen = rules.observe(state, self.settings.you, played.move)
            self._belief.observe(seen)
            self._tell(seen)
            self._sizes.append(len(self._belief.boards))
        self.states.append(rules.play(state, played.move))
        self.moves.append(played)

    def _start_players(self) -> None:
        if self.moves:
            return  # they have observed the game
        for side, player in self.players.items():
            player.new_game(GameStart(self.rules, side, seed=[self.settings.seed, side]))
        if self.settings.you is not None:
            self._belief = Tracker(self.settings.you, TrackerOptions(limit=_BOARDS, repair=True))

    def commands(self) -> set[str]:
        """What the person can do now."""
        return super().commands() & {"resign"}

    def name_of(self, move: Move) -> str:
        """A move as text."""
        return self.rules.move_text(self.states[-1], move)

    @property
    def hidden_rules(self) -> Any:
        """The rules, which have `observe`."""
        return self.rules

    def _tell(self, seen: Observation) -> None:
        """Notes what the person learns."""
        match seen:
            case SenseResult(pieces):
                self._sensed = [square for square, _ in pieces]
            case MoveResult(request, taken, capture_square):
                if taken is None and request != 0:
                    wanted = self.rules.move_text(self.states[-1], request)
                    self._notes.append(f"{wanted} did not happen: something was in the way.")
                elif taken is not None and taken != request:
                    wanted = self.rules.move_text(self.states[-1], request)
                    self._notes.append(f"{wanted} became {self.rules.move_text(self.states[-1], taken)}.")
                if capture_square is not None:
                    self._notes.append(f"You captured on {chess.square_name(capture_square)}.")
            case OpponentMoveResult(capture_square):
                self._sensed = []
                if capture_square is not None:
                    self._notes.append(f"Your piece on {chess.square_name(capture_square)} was taken.")

    def _hidden_view(self) -> HiddenView | None:
        if self._belief is None:
            return None
        boards, enemy = self._belief.boards, 1 - self._you()
        shares = SquareShares.of(boards)
        guess, guess_shares = shares.likeliest((enemy,))
        return HiddenView(
            known=boards.known_pieces(),
            likely=[round(float(each), 4) for each in shares.of_side(enemy)],
            guess=guess,
            guess_shares=guess_shares,
            possible=len(boards),
            exact=self._belief.exact,
            notes=self._notes[-20:],
            sensed=self._sensed,
            sizes=self._sizes,
        )
