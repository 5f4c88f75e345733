"""Reconnaissance blind chess in the terminal: a person against a bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from sparring.belief import Tracker, TrackerOptions
from sparring.belief.known_board import known_diagram
from sparring.cli.printing import foreign
from sparring.cli.session import DEFAULTS, GameOver, LeftGame, TerminalOptions, TerminalSession
from sparring.cli.terminal import COMMANDS
from sparring.games import HiddenGame, IllegalMove, Move, ParseError
from sparring.games.rbc import MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players import GameStart, Player, Turn
from sparring.records.played_game import UNFINISHED, end_by_rules, lost_by

_COMMANDS = {name: COMMANDS[name] for name in ("help", "moves", "board", "letters", "resign", "save", "quit")}
_OTHER_COMMANDS = frozenset(COMMANDS) - frozenset(_COMMANDS)
"""Commands of games without hidden information."""


class TerminalRbcGame:
    """A game of reconnaissance blind chess. The board shows what is certain, and '?' elsewhere."""

    def __init__(
        self,
        game: HiddenGame[Any, Observation],
        human: int,
        opponent: Player,
        options: TerminalOptions = DEFAULTS,
    ) -> None:
        """`human` is the person's side."""
        self.game = game
        self.state = game.initial()
        self.human = human
        self.opponent = opponent
        self.belief = Tracker(human, TrackerOptions(limit=1_000_000, repair=True))
        self.session = TerminalSession(game, human, opponent.name, options)
        self.clocks: list[float] = []
        """Empty: games are played without a clock."""
        self._marked: frozenset[int] = frozenset()
        """Squares that the last observations were about."""

    def play(self) -> None:
        """Plays to the end, or until the person leaves. The game is saved in any case."""
        self.opponent.new_game(GameStart(self.game, 1 - self.human, seed=self.session.options.seed))
        self.session.console.print(
            f"[bold]{self.game.spec.title}[/]. You play {self.session.you}. First sense a square (e4, or "
            "none), then move (e4, Nf3, e2e4, or pass). '?' marks what you cannot be certain of. Type 'help' "
            "for more."
        )
        self.session.say(f"{self.session.options.about}\n")
        self.session.play(self)

    def show_end(self, message: str) -> None:
        """Prints the result and draws the true board."""
        self.session.console.print(f"[bold]{foreign(message)}[/] The true board:")
        self.session.show(self.game.diagram(self.state))

    def take_turns(self) -> None:
        """Plays. Raises GameOver or LeftGame."""
        while (outcome := self.game.outcome(self.state)) is None:
            mine = self.game.to_move(self.state) == self.human
            moves = self.game.legal_moves(self.state)
            self._make(self._ask(moves) if mine else self._reply(moves))
        raise GameOver(end_by_rules(outcome), self.session.result_text(outcome))

    def _reply(self, moves: Sequence[Move]) -> Move:
        with self.session.thinking():
            return self.opponent.choose(Turn(None, moves)).move

    def _make(self, move: Move) -> None:
        self.opponent.observe(self.game.observe(self.state, 1 - self.human, move))
        seen = self.game.observe(self.state, self.human, move)
        self.belief.observe(seen)
        self._tell(seen)
        self.state = self.game.play(self.state, move)

    def _tell(self, seen: Observation) -> None:
        """Says what the person learns, and marks the squares that it is about."""
        print_markup = self.session.console.print
        match seen:
            case SenseResult(pieces):
                self._marked = frozenset(square for square, _ in pieces)
                self._draw()
            case MoveResult(request, taken, capture_square):
                self._marked = frozenset() if taken is None else frozenset((taken >> 6 & 63, taken & 63))
                if taken is None:
                    passed = request == 0
                    print_markup("You pass." if passed else "Nothing moves: something was in the way.")
                elif taken != request:
                    print_markup(f"Your move becomes {self.game.move_text(self.state, taken)}.")
                if capture_square is not None:
                    print_markup(f"You capture on [bold]{chess.square_name(capture_square)}[/].")
            case OpponentMoveResult(capture_square):
                if capture_square is not None:
                    self._marked |= {capture_square}
                    print_markup(f"Your piece on [bold]{chess.square_name(capture_square)}[/] is taken.")

    def _draw(self) -> None:
        self.session.show(known_diagram(self.belief.boards, self._marked))
        count = len(self.belief.boards)
        followed = "" if self.belief.exact else " followed, of too many: what looks certain may not be"
        self.session.say(f"{count:,} possible board{'' if count == 1 else 's'}{followed}.")

    def _ask(self, moves: Sequence[Move]) -> Move:
        """The person's sense or move. Commands are carried out until one is given."""
        sensing = self.game.move_text(self.state, moves[-1]).startswith("sense")
        if sensing:
            self._draw()
        names = [self.game.move_text(self.state, move).removeprefix("sense ") for move in moves]
        while True:
            command, text = self.session.ask("sense> " if sensing else "move> ", _COMMANDS, names)
            if command:
                self._obey(command, text, names)
            elif (word := text.partition(" ")[0].lower()) in _OTHER_COMMANDS:
                self.session.say(f"'{word}' is not in this game. Type 'help' to see the commands.")
            elif text:
                try:
                    return self.game.parse_move(self.state, _sense_text(text) if sensing else text)
                except (ParseError, IllegalMove) as error:
                    complaint = f"'{text}' is not a square to sense" if sensing else str(error)
                    self.session.refuse(text, complaint, _COMMANDS, names)

    def _obey(self, command: str, argument: str, names: Sequence[str]) -> None:
        match command:
            case "help":
                self.session.help(_COMMANDS)
            case "moves":
                self.session.say(" ".join(names))
            case "board":
                self._draw()
            case "letters":
                self.session.letters = not self.session.letters
                self._draw()
            case "save":
                self.session.save(self.state, UNFINISHED, self.clocks, argument)
            case "resign":
                raise GameOver(lost_by(self.human), f"You resign: {self.session.they} wins.")
            case "quit":
                raise LeftGame


def _sense_text(text: str) -> str:
    square = text.lower().removeprefix("sense").strip()
    return f"sense {'none' if square in ('pass', 'no') else square}"
