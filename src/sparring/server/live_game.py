"""A game in progress on the server: a person against a player, or two players that are watched.

`LiveGame` has no threads and no locks; `GameHost` calls it for one request at a time. A player's turn is
taken in three steps, so that a person can resign or take back meanwhile: `pending_turn` says what there is to
decide, `decide` computes, and `accept` plays the decision unless the game has changed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparring.games import Game, IllegalMove, Move, ParseError, describe, move_name, resolve
from sparring.networks import Prediction
from sparring.players import Decision, GameStart, Player, Turn
from sparring.records import Termination
from sparring.records.played_game import EndOfGame, end_by_rules, lost_by, outcome_text
from sparring.server.game_settings import GameSettings
from sparring.server.game_store import ShownState
from sparring.server.game_views import game_view, hint_view, position_view, record_text
from sparring.server.live_clock import LiveClock
from sparring.server.messages import GameView, HintView, Phase, PositionView
from sparring.server.played_move import PlayedMove
from sparring.server.refusal import Refused
from sparring.server.replay import Replay


@dataclass(frozen=True)
class PendingTurn:
    """A decision that a player has to take."""

    player: int
    turn: Turn
    change: int
    """The number of changes of the game before it."""


class LiveGame:
    """A game of perfect information."""

    def __init__(self, settings: GameSettings, players: Mapping[int, Player]) -> None:
        """`players` are all but the person, by side."""
        self.settings, self.players = settings, players
        self.rules: Game[Any] = settings.rules()
        self.states = [settings.first_state(self.rules)]
        self.moves: list[PlayedMove] = []
        self.end: EndOfGame | None = None
        self.message = ""
        self.changes = first_version()
        """Version of the view: it grows with every change."""
        self.clock = LiveClock(settings.clock)
        self.dead: set[int] | None = None
        """Dead stones while both count; None at other times."""
        self._prediction: Prediction | None = None
        self.counting = self._counting_class()
        self._start_players()

    # Restoring

    def restore(self, moves: list[PlayedMove], end: EndOfGame | None, message: str) -> None:
        """Plays the stored moves of a game."""
        for each in moves:
            move = self._stored_move(each.text)
            self._push(replace(each, move=move, name=self.name_of(move)))
        self.end, self.message = end, message
        self.clock.set_left((each.player, each.left) for each in self.moves)
        self._start_players()
        self._begin_counting()

    def play_record(self, moves: list[str]) -> None:
        """Plays the moves of a record that the game continues."""
        for text in moves:
            player, move = self.states[-1].to_move, self._stored_move(text)
            self._push(PlayedMove(move, text, self.name_of(move), player, self.clock.left(player)))
        self._start_players()
        self._change("")

    # What a person does

    def play(self, text: str, ply: int) -> None:
        """The person's move. Raises Refused."""
        self._check_turn(ply)
        move = self._parse(text)
        self._spend(self.settings.you or 0)
        if self.end is None:
            self._make(move, offers_draw=False)

    def take_back(self, count: int) -> None:
        """Takes the person's last moves back, with the answers to them. Raises Refused."""
        self._require("undo")
        own = [i for i, state in enumerate(self.states[:-1]) if state.to_move == self.settings.you]
        if count > len(own):
            raise Refused(f"You have made {len(own)} moves: {count} cannot be taken back.")
        self._back_to(own[-count])
        self._change("You take a move back." if count == 1 else f"You take {count} moves back.")

    def resign(self) -> None:
        """The person resigns. Raises Refused."""
        self._require("resign")
        you = self._you()
        self._finish(lost_by(you), f"You resign: {self.rules.spec.players[1 - you]} wins.")

    def propose_draw(self) -> None:
        """Claims a draw, accepts an offer, or makes one. Raises Refused."""
        self._require("draw")
        claimable, state = describe(self.rules.spec.name).claimable_draw, self.states[-1]
        drawn = EndOfGame(0.5, Termination.NORMAL)
        if claimable is not None and (reason := claimable(state)) is not None:
            self._finish(drawn, f"A draw: you claim it by {reason}.")
        elif self.draw_offered or self.players[1 - self._you()].accepts_draw(state):
            self._finish(drawn, "A draw by agreement.")
        else:
            self._change("The opponent declines the draw.")

    def hint(self) -> HintView:
        """The likeliest move of a player like the opponent. Raises Refused."""
        self._require("hint")
        return hint_view(self, self.players[1 - self._you()].hint(Turn.of(self.states[-1])))

    def mark(self, points: list[str]) -> None:
        """Changes dead stones to living ones and back. Raises Refused."""
        self._require("count")
        assert self.dead is not None
        try:
            self.dead ^= self.counting.stones_at(self.states[-1], points)
        except ParseError as error:
            raise Refused(f"{error}.", 422) from None
        self._change(self.message)

    def agree(self) -> None:
        """Ends the game with the dead stones as marked. Raises Refused."""
        self._require("count")
        assert self.dead is not None
        text, end = self.counting.result(self.states[-1], self.dead, self._you())
        self.dead = None
        self._finish(end, text)

    def resume(self) -> None:
        """Plays on instead of counting: takes the person's pass back. Raises Refused."""
        self._require("count")
        own = [i for i, state in enumerate(self.states[:-1]) if state.to_move == self.settings.you]
        if not own:
            raise Refused("There is no move of yours to take back.")
        self._back_to(own[-1])
        self._change("You play on.")

    # What a player does

    def pending_turn(self) -> PendingTurn | None:
        """The decision that a player has to take; None if it is the person's turn or the game is over."""
        state = self.states[-1]
        if self.end is not None or self.dead is not None or state.to_move == self.settings.you:
            return None
        self.clock.start()
        return PendingTurn(state.to_move, self._turn(), self.changes)

    def decide(self, pending: PendingTurn) -> Decision:
        """The player's decision. Slow; it does not change the game."""
        return self.players[pending.player].choose(pending.turn)

    def accept(self, pending: PendingTurn, decision: Decision) -> bool:
        """Plays a decision; False if the game has changed since."""
        if pending.change != self.changes or self.end is not None:
            return False
        self._spend(pending.player)
        if self.end is not None:
            return True
        if decision.resign:
            self._finish(lost_by(pending.player), f"{self.rules.spec.players[pending.player]} resigns.")
            return True
        self._prediction = decision.prediction
        self._make(decision.move, offers_draw=decision.offer_draw)
        other = self.players.get(1 - pending.player)
        if self.draw_offered and other is not None and other.accepts_draw(self.states[-1]):
            self._finish(EndOfGame(0.5, Termination.NORMAL), "A draw by agreement.")
        return True

    def adjudicate_draw(self, message: str) -> None:
        """Ends a game that goes on for too long."""
        self._finish(EndOfGame(0.5, Termination.UNKNOWN), message)

    def check_flag(self) -> None:
        """Ends the game if the time of the side to move is up."""
        if self.end is None and self.clock.until_flag(self.states[-1].to_move) == 0.0:
            self._flag(self.states[-1].to_move)

    # Views

    def view(self, game_id: str) -> GameView:
        """The game as the person sees it."""
        return game_view(self, game_id)

    def shown(self) -> ShownState:
        """What the list of games shows."""
        state = self.states[-1]
        return ShownState(self.phase, None if self.end else state.to_move, self.rules.text(state))

    def position_view(self, ply: int) -> PositionView:
        """The board after `ply` moves. Raises Refused."""
        return position_view(self, ply)

    def record(self, suffix: str) -> str:
        """The game as a file. Raises Refused."""
        return record_text(self, suffix)

    def replay(self) -> Replay:
        """Both sides' beliefs step by step. Raises Refused."""
        raise Refused(f"In {self.rules.spec.title} both players see the board.", 422)

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        if self.end is not None:
            return "over"
        if self.dead is not None:
            return "counting"
        return "move" if self.states[-1].to_move == self.settings.you else "thinking"

    def close(self) -> None:
        """Closes the players."""
        for player in self.players.values():
            player.close()

    # Parts that hidden games replace

    def _turn(self) -> Turn:
        state = self.states[-1]
        return Turn(state, self.rules.legal_moves(state), self.clock.limits(state.to_move))

    def _push(self, played: PlayedMove) -> None:
        self.states.append(self.rules.play(self.states[-1], played.move))
        self.moves.append(played)
        for player in self.players.values():
            player.observe(played.move)

    def commands(self) -> set[str]:
        """What the person can do now."""
        if self.end is not None or self.settings.you is None:
            return set()
        if self.dead is not None:
            return {"count", "resign"}
        can = {"resign"}
        if any(state.to_move == self.settings.you for state in self.states[:-1]):
            can.add("undo")
        if self.phase == "move":
            can |= {"hint", "draw"}
        return can

    def _start_players(self) -> None:
        for side, player in self.players.items():
            seed = [self.settings.seed, side, len(self.moves)]
            start = GameStart(
                self.rules, side, self.states[-1], seed, opponent="", time_control=self.settings.clock
            )
            player.new_game(start)

    # Parts

    def _stored_move(self, text: str) -> Move:
        return self.rules.parse_move(self.states[-1], text)

    def _parse(self, text: str) -> Move:
        try:
            return self.rules.parse_move(self.states[-1], text)
        except (ParseError, IllegalMove) as error:
            raise Refused(f"{error}.", 422) from None

    def name_of(self, move: Move) -> str:
        """A move of the last state as people write it."""
        return move_name(self.states[-1], move)

    def _check_turn(self, ply: int) -> None:
        if self.end is not None:
            raise Refused("The game is over.")
        if self.phase not in ("move", "sense"):
            raise Refused("It is not your turn.")
        if ply != len(self.moves):
            raise Refused(f"The game has {len(self.moves)} moves, not {ply}: reload it.")

    def _require(self, command: str) -> None:
        if command not in self.commands():
            raise Refused("The game is over." if self.end is not None else "That is not possible now.")

    def _you(self) -> int:
        assert self.settings.you is not None
        return self.settings.you

    def _make(self, move: Move, *, offers_draw: bool) -> None:
        state = self.states[-1]
        player = state.to_move
        text, name = self.rules.move_text(state, move), self.name_of(move)
        self._push(PlayedMove(move, text, name, player, self.clock.left(player), offers_draw))
        self._change("The opponent offers a draw." if offers_draw else "")
        if (outcome := self.rules.outcome(self.states[-1])) is None:
            self.clock.begin_turn()
            return
        self.clock.stop()
        self._begin_counting()
        if self.dead is None:
            self._finish(end_by_rules(outcome), outcome_text(self.rules, outcome, self.settings.you))

    def _change(self, message: str) -> None:
        self.changes += 1
        self.message = message

    def _finish(self, end: EndOfGame, message: str) -> None:
        self.clock.stop()
        self.end = end
        self._change(message)
        for side, player in self.players.items():
            assert end.result is not None
            player.end_game(end.result if side == 0 else 1 - end.result)

    def _back_to(self, ply: int) -> None:
        del self.states[ply + 1 :]
        del self.moves[ply:]
        self.dead = None
        self.clock.set_left((each.player, each.left) for each in self.moves)
        self._start_players()
        self.clock.begin_turn()

    def _spend(self, player: int) -> None:
        """Takes the time of the turn off a player's clock; the game may end by it."""
        if not self.clock.spend(player):
            self._flag(player)

    def _flag(self, player: int) -> None:
        who = "You are" if player == self.settings.you else f"{self.rules.spec.players[player]} is"
        self._finish(lost_by(player, Termination.TIME), f"{who} out of time.")

    @property
    def draw_offered(self) -> bool:
        """Whether the opponent offered a draw with its last move."""
        return self.end is None and bool(self.moves) and self.moves[-1].offers_draw

    def _counting_class(self) -> Any:
        reference = describe(self.rules.spec.name).players.counting
        return resolve(reference) if reference and self.settings.you is not None else None

    def _begin_counting(self) -> None:
        over = self.rules.outcome(self.states[-1]) is not None
        if over and self.counting is not None and self.end is None:
            self.dead = self.counting.propose(self.states[-1], self._prediction)


def first_version() -> int:
    """A version above all that an earlier run of the server gave."""
    return int(time.time() * 1000)
