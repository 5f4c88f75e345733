"""A game in progress: a person against a player, or two players.

`LiveGame` is the one game loop's state: the terminal, the page, tournaments, matches and measurements drive
it. It has no threads and no locks. A player's turn is taken in three steps, so that a person can resign or
take back meanwhile: `pending_turn` says what there is to decide, `decide` computes, and `accept` plays the
decision unless the game has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any, Literal, TypeAlias

from sparring.base.clock import ClockSnapshot, GameClock, TimeControl
from sparring.base.errors import SparringError
from sparring.base.sentences import Sentence
from sparring.games import Game, Move, describe, move_name
from sparring.networks import Prediction
from sparring.play.result import (
    DRAW_AGREED,
    NO_SCORE,
    RESIGNATION,
    UNFINISHED,
    GameResult,
    PlayedRecord,
    ScoreEstimate,
    reason_text,
    result_text,
)
from sparring.players import Decision, GameStart, Player, Turn
from sparring.players.engine_player import EnginePlayer
from sparring.players.player import RandomSeed
from sparring.search import SearchLimits

Phase: TypeAlias = Literal["move", "thinking", "counting", "over"]
"""What a game waits for: the person, a player, agreement on the score, or nothing."""
SeedOf: TypeAlias = Callable[[int, int], RandomSeed]
"""(side, ply) -> the seed of the player of a side that takes over after so many moves."""


class NotAllowed(SparringError):
    """A command that the game does not allow now. It changes nothing; the message is for the person."""


@dataclass(frozen=True, eq=False)
class PlayedMove:
    """A move of the game."""

    before: Any
    """The state in which it was played."""
    move: Move
    text: str
    """The protocol's notation."""
    player: int
    left: float | None = None
    """Seconds left on the mover's clock afterwards; None without a clock."""
    clocks: ClockSnapshot | None = None
    """Both clocks afterwards; None without a clock."""
    offers_draw: bool = False
    centipawns: int | None = None
    """The mover's score for itself, if it reports one."""

    @cached_property
    def name(self) -> str:
        """The move as people write it."""
        return move_name(self.before, self.move)

    @property
    def score_for_first(self) -> int:
        """The centipawns for player 0, as records have them; NO_SCORE without a score."""
        if self.centipawns is None:
            return NO_SCORE
        return self.centipawns if self.player == 0 else -self.centipawns


@dataclass(frozen=True)
class StoredMove:
    """A move of a game that is continued: from a store or a record."""

    text: str
    left: float | None = None
    offers_draw: bool = False
    clocks: ClockSnapshot | None = None
    """Both clocks afterwards; None where only the time left is known."""


@dataclass(frozen=True)
class PendingTurn:
    """A decision that a player has to take."""

    player: int
    turn: Turn
    change: int
    """The number of changes of the game before it."""


class LiveGame:
    """A game in progress, of perfect or of hidden information."""

    def __init__(
        self,
        rules: Game[Any],
        players: Mapping[int, Player],
        *,
        start: Any = None,
        person: int | None = None,
        clock: TimeControl | None = None,
        seed_of: SeedOf = lambda side, ply: None,
        names: tuple[str, str] = ("", ""),
        observer: Callable[[Any], None] | None = None,
        version: int = 0,
        untimed_turns: int = 0,
    ) -> None:
        """A game that begins now.

        Args:
            players: the players by side, without the person. A side may be missing if its decisions come from
                elsewhere, as in lockstep.
            start: the first state; None for the initial one.
            person: the side of the person; None if none plays.
            names: names that the players are given of their opponents; empty if they are not.
            observer: receives the person's observations in a game of hidden information.
            version: the number of changes so far.
            untimed_turns: turns of each side before the clocks run.
        """
        self.rules, self.players, self.person, self.names = rules, players, person, names
        self.states = [rules.initial() if start is None else start]
        self.moves: list[PlayedMove] = []
        self.end: GameResult | None = None
        self.message = ""
        self.changes = version
        """It grows with every change."""
        self.clock = GameClock(clock)
        self._untimed_turns = untimed_turns
        self._hold_clock()
        self._full_clocks = self.clock.snapshot()
        self.dead: set[int] | None = None
        """Dead stones while both count, and those of a game that ended by counting; else None."""
        self.prediction: Prediction | None = None
        """That of the last decision."""
        counting = describe(rules.spec.name).counting
        self.counting: Any = None if counting is None or person is None else counting()
        self._seed_of, self._observer = seed_of, observer
        self._interrupt: Callable[[], None] = lambda: None

    def interrupt_with(self, interrupt: Callable[[], None]) -> None:
        """Sets the function that ends a decision of a player in another thread and returns when it has ended.
        It is called before the players are used."""
        self._interrupt = interrupt

    def start_players(self) -> None:
        """Begins the game for the players, in the present state. Raises their exceptions."""
        for side in self.players:
            self.start_player(side)

    def start_player(self, side: int) -> None:
        """Begins the game for one player. Raises its exceptions."""
        hidden = self.rules.spec.hidden
        if hidden and self.moves:
            return  # it has observed the game
        start = GameStart(
            self.rules,
            side,
            None if hidden else self.states[-1],
            self._seed_of(side, len(self.moves)),
            self.names[1 - side],
            self.clock.control,
        )
        self.players[side].new_game(start)

    def continue_with(self, moves: Iterable[StoredMove]) -> None:
        """Plays the moves of a record or a stored game, and starts the players after them."""
        if self.rules.spec.hidden:
            self.start_players()
        for stored in moves:
            move = self.rules.parse_move(self.states[-1], stored.text)
            if stored.clocks is not None and self.clock.control is not None:
                self.clock.restore(stored.clocks)
            elif stored.left is not None:
                self.clock.left[self.states[-1].to_move] = stored.left
            self._push(move, stored.text, stored.left, stored.offers_draw)
        self._hold_clock()
        if not self.rules.spec.hidden:
            self.start_players()

    def restore(
        self,
        moves: Iterable[StoredMove],
        end: GameResult | None,
        message: str,
        dead: Sequence[str] | None = None,
    ) -> None:
        """Continues a stored game as it was. `dead` are the points of `dead_points`."""
        self.continue_with(moves)
        self.end, self.message = end, message
        if dead is not None and self.counting is not None and self._is_decided:
            self.dead = self.counting.stones_at(self.states[-1], dead)
        else:
            self._begin_counting()

    # What a person does

    def play(self, text: str, ply: int | None = None) -> None:
        """The person's move; `ply` is the number of moves that the person has seen. Raises NotAllowed,
        ParseError or IllegalMove."""
        if self.end is not None:
            raise NotAllowed(Sentence("The game is over."))
        if self.phase != "move":
            raise NotAllowed(Sentence("It is not your turn."))
        if ply is not None and ply != (made := len(self.moves)):
            raise NotAllowed(
                Sentence("The game has {moves} moves, not {ply}: reload it.", moves=made, ply=ply)
            )
        move = self.rules.parse_move(self.states[-1], text)
        if self._spend(self.states[-1].to_move):
            self.make(move)

    def take_back(self, count: int = 1) -> None:
        """Takes the person's last moves back, with the answers to them. Raises NotAllowed."""
        self.require("undo")
        own = self._own_turns()
        if count > len(own):
            if len(own) == 1:
                raise NotAllowed(Sentence("You have made 1 move: {count} cannot be taken back.", count=count))
            raise NotAllowed(
                Sentence(
                    "You have made {made} moves: {count} cannot be taken back.", made=len(own), count=count
                )
            )
        self._back_to(own[-count])
        several = Sentence("You take {count} moves back.", count=count)
        self._change(Sentence("You take a move back.") if count == 1 else several)

    def resign(self) -> None:
        """The person resigns. Raises NotAllowed."""
        self.require("resign")
        you, self.dead = self._you(), None
        self.finish(
            GameResult.lost_by(you, RESIGNATION),
            Sentence("You resign: {winner} wins.", winner=self._side(1 - you)),
        )

    def propose_draw(self) -> None:
        """Claims a draw, accepts an offer, or makes one. Raises NotAllowed."""
        self.require("draw")
        claimable, state = describe(self.rules.spec.name).claimable_draw, self.states[-1]
        if claimable is not None and (reason := claimable(state)) is not None:
            text = Sentence("A draw: you claim it by {reason}.", reason=reason_text(reason))
            self.finish(GameResult(0.5, reason), text)
        elif self.draw_offered or self.players[1 - self._you()].accepts_draw(state):
            self.finish(DRAW_AGREED, Sentence("A draw by agreement."))
        else:
            self._change(Sentence("The opponent declines the draw."))

    def hint(self) -> Decision:
        """The likeliest move of a player like the opponent. Raises NotAllowed."""
        self.require("hint")
        return self.players[1 - self._you()].hint(Turn.of(self.states[-1]))

    def mark(self, points: Sequence[str]) -> None:
        """Changes dead stones to living ones and back. Raises NotAllowed or ParseError."""
        self.require("count")
        assert self.dead is not None
        self.dead ^= self.counting.stones_at(self.states[-1], points)
        self._change(self.message)

    def agree(self) -> None:
        """Ends the game with the dead stones as marked. Raises NotAllowed."""
        self.require("count")
        text, end = self.counted()
        self.finish(end, text)

    def counted(self) -> tuple[str, GameResult]:
        """The score in a sentence, and the result with the dead stones as marked."""
        assert self.dead is not None
        result: tuple[str, GameResult] = self.counting.result(self.states[-1], self.dead, self.person)
        return result

    def estimate(self, ply: int | None = None) -> ScoreEstimate:
        """Who is ahead after `ply` moves, or now, and who will own each point. Raises NotAllowed where no
        points are counted."""
        counting = describe(self.rules.spec.name).counting
        if counting is None:
            raise NotAllowed(Sentence("In {game} no points are counted.", game=self.rules.spec.title))
        ply = len(self.moves) if ply is None else ply
        dead = self.dead if ply == len(self.moves) else None
        if self.person is None:
            dead = set()  # the rules decide
        made: ScoreEstimate = counting().estimate(self.states[ply], dead, self.person)
        return made

    def resume(self) -> None:
        """Plays on instead of counting: takes the person's pass back. Raises NotAllowed."""
        self.require("count")
        if not (own := self._own_turns()):
            raise NotAllowed(Sentence("There is no move of yours to take back."))
        self._back_to(own[-1])
        self._change(Sentence("You play on."))

    def commands(self) -> set[str]:
        """What the person can do now."""
        if self.end is not None or self.person is None:
            return set()
        if self.rules.spec.hidden:
            return {"resign"}
        if self.dead is not None:
            return {"count", "resign"}
        can = {"resign"}
        if self._own_turns():
            can.add("undo")
        if self.phase == "move":
            can |= {"hint", "draw"}
        return can

    # What a player does

    def pending_turn(self, stop: Event | None = None) -> PendingTurn | None:
        """The decision that a player has to take; None if it is the person's turn or the game is over.

        Setting `stop` ends the player's search.
        """
        if self.phase != "thinking":
            return None
        self.clock.start()
        state = self.states[-1]
        player: int = state.to_move
        limits = SearchLimits(clock=self.clock.clock(player), opponent_clock=self.clock.clock(1 - player))
        shown = None if self.rules.spec.hidden else state
        return PendingTurn(player, Turn(shown, self.rules.legal_moves(state), limits, stop), self.changes)

    def decide(self, pending: PendingTurn) -> Decision:
        """The player's decision. Slow; it does not change the game.

        A player that counts with a person ends the game when people would; another program decides itself.
        """
        player = self.players[pending.player]
        decision = player.choose(pending.turn)
        if self.counting is None or isinstance(player, EnginePlayer):
            return decision
        counted: Decision = self.counting.reply_to_pass(pending.turn.state, decision)
        return counted

    def accept(self, pending: PendingTurn, decision: Decision, seconds: float | None = None) -> bool:
        """Plays a decision; False if the game has changed since.

        `seconds` is the time that counts for the turn; None for the measured time.
        """
        if pending.change != self.changes or self.end is not None:
            return False
        player = pending.player
        if not self._spend(player, seconds):
            return True
        if decision.resign:
            self.finish(
                GameResult.lost_by(player, RESIGNATION),
                Sentence("{side} resigns: {wins}.", side=self._side(player), wins=self._wins(1 - player)),
            )
            return True
        self.prediction = decision.prediction
        self.make(decision.move, offers_draw=decision.offer_draw, centipawns=decision.centipawns)
        other = self.players.get(1 - player)
        if self.draw_offered and other is not None and other.accepts_draw(self.states[-1]):
            self.finish(DRAW_AGREED, Sentence("A draw by agreement."))
        return True

    def make(self, move: Move, *, offers_draw: bool = False, centipawns: int | None = None) -> None:
        """Plays a move; it takes no time, such as one of an opening that no player chose."""
        state = self.states[-1]
        left = None if self.clock.control is None else self.clock.left[state.to_move]
        self._push(move, self.rules.move_text(state, move), left, offers_draw, centipawns)
        self._change(Sentence("The opponent offers a draw.") if offers_draw else "")
        self._hold_clock()
        self.clock.begin_turn()
        self.settle()

    def finish(self, end: GameResult, message: str = "") -> None:
        """Ends the game, also for a reason that is not the rules': a forfeit, or an adjudication."""
        self.clock.stop()
        self.end = end
        self._change(message)
        if end.first_score is not None:
            self._interrupt()
            for side, player in self.players.items():
                player.end_game(end.score(side))

    def settle(self) -> None:
        """Ends the game, or begins to count, if the rules decide the last state."""
        if (outcome := self.rules.outcome(self.states[-1])) is None or self.end is not None:
            return
        self.clock.stop()
        self._begin_counting()
        if self.dead is None:
            points = self.states[-1].score() if outcome.reason == "score" else None
            margin = None if points is None else abs(float(points[0] - points[1]))
            self.finish(GameResult.by_rules(outcome, margin), result_text(self.rules, outcome, self.person))

    def check_flag(self) -> None:
        """Ends the game if the time of the side to move is up."""
        player = self.states[-1].to_move
        if self.phase in ("move", "thinking") and self.clock.until_flag(player) == 0.0:
            self._flag(player)

    # What there is to see

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        if self.end is not None:
            return "over"
        if self.dead is not None:
            return "counting"
        return "move" if self.states[-1].to_move == self.person else "thinking"

    @property
    def dead_points(self) -> list[str] | None:
        """The points of the dead stones; None if nobody counts or has counted."""
        if self.dead is None:
            return None
        state = self.states[-1]
        return [self.rules.move_text(state, point) for point in sorted(self.dead)]

    @property
    def draw_offered(self) -> bool:
        """Whether the opponent offered a draw with its last move."""
        return self.end is None and bool(self.moves) and self.moves[-1].offers_draw

    def record(self, **facts: Any) -> PlayedRecord:
        """The record of the game so far; `facts` are the other fields of `PlayedRecord`."""
        before = self.states[0].ply
        clocks = [-0.1] * before + [-0.1 if played.left is None else played.left for played in self.moves]
        scores = [NO_SCORE] * before + [played.score_for_first for played in self.moves]
        timed = self.clock.control is not None
        return PlayedRecord(
            self.rules,
            self.states[-1],
            self.end or UNFINISHED,
            time_control=str(self.clock.control) if timed else None,
            clocks=clocks if timed else (),
            scores=scores,
            **facts,
        )

    def close(self) -> None:
        """Closes the players. The game goes no further, and holds nothing that holds it."""
        self._interrupt()
        self._interrupt, self._observer = (lambda: None), None
        for player in self.players.values():
            player.close()

    # Parts

    def _push(
        self,
        move: Move,
        text: str,
        left: float | None,
        offers_draw: bool = False,
        centipawns: int | None = None,
    ) -> None:
        before = self.states[-1]
        after = self.rules.play(before, move)
        clocks = None if self.clock.control is None else self.clock.snapshot()
        played = PlayedMove(before, move, text, before.to_move, left, clocks, offers_draw, centipawns)
        self.states.append(after)
        self.moves.append(played)
        if not self.rules.spec.hidden:
            for player in self.players.values():
                player.observe(move)
            return
        rules: Any = self.rules
        if self.rules.outcome(after) is None:  # nobody observes the move that ends the game
            for side, player in self.players.items():
                player.observe(rules.observe(before, side, move))
        if self._observer is not None:
            self._observer(rules.observe(before, self.person, move))

    def _change(self, message: str) -> None:
        self.changes += 1
        self.message = message

    def _back_to(self, ply: int) -> None:
        del self.states[ply + 1 :]
        del self.moves[ply:]
        self.dead = None
        before = self.moves[-1].clocks if self.moves else None
        self.clock.restore(self._full_clocks if before is None else before)
        self._interrupt()
        self.start_players()
        self._hold_clock()
        self.clock.begin_turn()

    def _hold_clock(self) -> None:
        """Holds the clocks while a side has untimed turns left. Moves that were played before the game began,
        such as those of an opening, have no time, and do not count."""
        timed = next((i for i, played in enumerate(self.moves) if played.left is not None), len(self.moves))
        movers = [state.to_move for state in self.states[timed:]]
        turns = sum(before != after for before, after in itertools.pairwise(movers))
        self.clock.held = self.clock.control is not None and turns < 2 * self._untimed_turns

    def _spend(self, player: int, seconds: float | None = None) -> bool:
        """Takes the time of the turn off a player's clock; False if the game ends by it."""
        if self.clock.spend(player, seconds):
            return True
        self._flag(player)
        return False

    def _flag(self, player: int) -> None:
        self.clock.left[player] = 0.0
        end = self.out_of_time(player)
        wins = Sentence("a draw") if end.winner is None else self._wins(1 - player)
        text = Sentence("{side} is out of time: {wins}.", side=self._side(player), wins=wins)
        if player == self.person:
            text = Sentence("You are out of time: {wins}.", wins=wins)
        self.finish(end, text)

    def out_of_time(self, player: int) -> GameResult:
        """The result when a player's time runs out now."""
        can_win = describe(self.rules.spec.name).can_win
        return GameResult.out_of_time(self.states[-1], player, can_win)

    def _side(self, player: int) -> str:
        return self.rules.spec.players[player]

    def _wins(self, player: int) -> str:
        if player == self.person:
            return Sentence("you win")
        return Sentence("{side} wins", side=self._side(player))

    def require(self, command: str) -> None:
        """Raises NotAllowed if the person cannot give a command now."""
        if command not in self.commands():
            over, not_now = Sentence("The game is over."), Sentence("That is not possible now.")
            raise NotAllowed(over if self.end is not None else not_now)

    def _you(self) -> int:
        assert self.person is not None
        return self.person

    def _own_turns(self) -> list[int]:
        """The plies of the moves that the person made."""
        return [ply for ply, played in enumerate(self.moves) if played.player == self.person]

    @property
    def _is_decided(self) -> bool:
        """Whether the rules end the game in its last state."""
        return self.rules.outcome(self.states[-1]) is not None

    def _begin_counting(self) -> None:
        if self._is_decided and self.counting is not None and self.end is None:
            self.dead = self.counting.propose(self.states[-1], self.prediction)
