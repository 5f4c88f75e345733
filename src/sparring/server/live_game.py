"""A game in progress on the server: a person against a player, or two players that are watched.

`LiveGame` has no threads and no locks; `GameHost` calls it for one request at a time. A player's turn is
taken in three steps, so that a person can resign or take back meanwhile: `pending_turn` says what there is to
decide, `decide` computes, and `accept` plays the decision unless the game has changed.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparring.games import Game, IllegalMove, Move, ParseError, describe, move_name, resolve
from sparring.networks import Prediction
from sparring.players import Decision, GameStart, Player, Turn
from sparring.records import Termination
from sparring.records.played_game import (
    UNFINISHED,
    EndOfGame,
    GameFacts,
    end_by_rules,
    lost_by,
    outcome_text,
)
from sparring.records.readers import written_formats
from sparring.server.board_views import board_view
from sparring.server.game_settings import GameSettings
from sparring.server.live_clock import LiveClock
from sparring.server.messages import (
    Candidate,
    CountingView,
    GameView,
    HintView,
    LegalMove,
    MoveView,
    Phase,
    PlayerView,
    PositionView,
    ResultView,
)
from sparring.server.refusal import Refused

_CANDIDATES = 8
"""Most moves of a hint."""
EVENT = "A game on the page"
PERSON = "You"


@dataclass(frozen=True)
class PlayedMove:
    """A move of the game."""

    move: Move
    text: str
    name: str
    player: int
    left: float | None = None
    """Seconds left on the mover's clock afterwards; None without a clock."""
    offers_draw: bool = False


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
        self.changes = 0
        """Number of changes: the version of the view."""
        self.clock = LiveClock(settings.clock)
        self._dead: set[int] | None = None
        """Dead stones while both count; None at other times."""
        self._prediction: Prediction | None = None
        self._counting = self._counting_class()
        self._start_players()

    # Restoring

    def restore(self, moves: list[PlayedMove], end: EndOfGame | None, message: str) -> None:
        """Plays the stored moves of a game."""
        for each in moves:
            move = self._stored_move(each.text)
            self._push(replace(each, move=move, name=self._name(move)))
        self.end, self.message = end, message
        self.clock.set_left((each.player, each.left) for each in self.moves)
        self._start_players()
        self._begin_counting()

    def play_record(self, moves: list[str]) -> None:
        """Plays the moves of a record that the game continues."""
        for text in moves:
            player, move = self.states[-1].to_move, self._stored_move(text)
            self._push(PlayedMove(move, text, self._name(move), player, self.clock.left(player)))
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
        elif self._draw_offered or self.players[1 - self._you()].accepts_draw(state):
            self._finish(drawn, "A draw by agreement.")
        else:
            self._change("The opponent declines the draw.")

    def hint(self) -> HintView:
        """The likeliest move of a player like the opponent. Raises Refused."""
        self._require("hint")
        state = self.states[-1]
        decision = self.players[1 - self._you()].hint(Turn.of(state))
        ranked = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_CANDIDATES]
        value = decision.value
        return HintView(
            move=self._legal(decision.move),
            candidates=[
                Candidate(text=state.move_text(move), name=move_name(state, move), probability=share)
                for move, share in ranked
            ],
            value=None if value is None else (1 + value) / 2,
        )

    def mark(self, points: list[str]) -> None:
        """Changes dead stones to living ones and back. Raises Refused."""
        self._require("count")
        assert self._dead is not None
        try:
            self._dead ^= self._counting.stones_at(self.states[-1], points)
        except ParseError as error:
            raise Refused(f"{error}.", 422) from None
        self._change(self.message)

    def agree(self) -> None:
        """Ends the game with the dead stones as marked. Raises Refused."""
        self._require("count")
        assert self._dead is not None
        text, end = self._counting.result(self.states[-1], self._dead, self._you())
        self._dead = None
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
        if self.end is not None or self._dead is not None or state.to_move == self.settings.you:
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
        return True

    def check_flag(self) -> None:
        """Ends the game if the time of the side to move is up."""
        if self.end is None and self.clock.until_flag(self.states[-1].to_move) == 0.0:
            self._flag(self.states[-1].to_move)

    # Views

    def view(self, game_id: str) -> GameView:
        """The game as the person sees it."""
        state, spec = self.states[-1], self.rules.spec
        mine = self.phase in ("move", "sense")
        return GameView(
            id=game_id,
            version=self.changes,
            game=spec.name,
            title=spec.title,
            options=dict(self.settings.options),
            sides=(spec.players[0], spec.players[1]),
            players=(self._player_view(0), self._player_view(1)),
            you=self.settings.you,
            phase=self.phase,
            turn=None if self.end is not None else state.to_move,
            ply=len(self.moves),
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            legal=[self._legal(move) for move in self.rules.legal_moves(state)] if mine else [],
            moves=[
                MoveView(text=each.text, name=each.name, player=each.player, left=each.left)
                for each in self.moves
            ],
            check=bool(getattr(state, "in_check", False)),
            clock=self.clock.view(None if self.end is not None else state.to_move),
            draw_offered=self._draw_offered,
            can=sorted(self._commands()),
            message=self.message,
            counting=self._counting_view(),
            result=self._result_view(),
        )

    def position_view(self, ply: int) -> PositionView:
        """The board after `ply` moves. Raises Refused."""
        if not 0 <= ply < len(self.states):
            raise Refused(f"The game has {len(self.moves)} moves, not {ply}.", 404)
        state = self.states[ply]
        return PositionView(
            ply=ply,
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            last=self.moves[ply - 1].text if ply else None,
        )

    def record(self, suffix: str) -> str:
        """The game as a file. Raises Refused."""
        known = written_formats(self.rules.spec.name)
        if suffix not in known:
            raise Refused(f"Games of {self.rules.spec.name} are written as {', '.join(known)}.", 422)
        clocks = [each.left for each in self.moves if each.left is not None]
        facts = GameFacts(
            self.rules,
            (self._player_view(0).name, self._player_view(1).name),
            (self._rating(0), self._rating(1)),
            datetime.datetime.fromtimestamp(self.settings.created),
            EVENT,
            None if self.settings.clock is None else str(self.settings.clock),
        )
        return facts.text(self.states[-1], self.end or UNFINISHED, clocks, suffix)

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        if self.end is not None:
            return "over"
        if self._dead is not None:
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

    def _commands(self) -> set[str]:
        """What the person can do now."""
        if self.end is not None or self.settings.you is None:
            return set()
        if self._dead is not None:
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

    def _name(self, move: Move) -> str:
        return move_name(self.states[-1], move)

    def _legal(self, move: Move) -> LegalMove:
        state = self.states[-1]
        return LegalMove(text=self.rules.move_text(state, move), name=self._name(move))

    def _check_turn(self, ply: int) -> None:
        if self.end is not None:
            raise Refused("The game is over.")
        if self.phase not in ("move", "sense"):
            raise Refused("It is not your turn.")
        if ply != len(self.moves):
            raise Refused(f"The game has {len(self.moves)} moves, not {ply}: reload it.")

    def _require(self, command: str) -> None:
        if command not in self._commands():
            raise Refused("The game is over." if self.end is not None else "That is not possible now.")

    def _you(self) -> int:
        assert self.settings.you is not None
        return self.settings.you

    def _make(self, move: Move, *, offers_draw: bool) -> None:
        state = self.states[-1]
        player = state.to_move
        text, name = self.rules.move_text(state, move), self._name(move)
        self._push(PlayedMove(move, text, name, player, self.clock.left(player), offers_draw))
        self._change("The opponent offers a draw." if offers_draw else "")
        if (outcome := self.rules.outcome(self.states[-1])) is None:
            self.clock.begin_turn()
            return
        self.clock.stop()
        self._begin_counting()
        if self._dead is None:
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
        self._dead = None
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
    def _draw_offered(self) -> bool:
        return self.end is None and bool(self.moves) and self.moves[-1].offers_draw

    def _counting_class(self) -> Any:
        reference = describe(self.rules.spec.name).players.counting
        return resolve(reference) if reference and self.settings.you is not None else None

    def _begin_counting(self) -> None:
        over = self.rules.outcome(self.states[-1]) is not None
        if over and self._counting is not None and self.end is None:
            self._dead = self._counting.propose(self.states[-1], self._prediction)

    def _counting_view(self) -> CountingView | None:
        if self._dead is None:
            return None
        state = self.states[-1]
        text, _ = self._counting.result(state, self._dead, self._you())
        return CountingView(dead=[state.move_text(point) for point in sorted(self._dead)], text=text)

    def _result_view(self) -> ResultView | None:
        if self.end is None or self.end.result is None:
            return None
        score = self.end.result
        winner = None if score == 0.5 else int(score == 0)
        return ResultView(score=score, winner=winner, text=self.message)

    def _player_view(self, side: int) -> PlayerView:
        if side == self.settings.you:
            return PlayerView(name=PERSON, about="", is_person=True)
        name, about = self.settings.about(self.rules, side)
        return PlayerView(name=name, about=about, is_person=False)

    def _rating(self, side: int) -> int | None:
        if side == self.settings.you:
            return None
        rating = self.settings.opponent_of(side).rating
        return None if rating is None else describe(self.rules.spec.name).ratings.number(rating)
