"""Reconnaissance blind chess in the terminal: a person against a bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.cli.console import foreign
from sparring.cli.terminal import COMMANDS, DEFAULTS, LeftGame, TerminalGame, TerminalOptions
from sparring.games import Game, IllegalMove, ParseError
from sparring.players import Decision, Player
from sparring.rbc.game import MoveResult, OpponentMoveResult, SenseResult, known_diagram, observation_text
from sparring.rbc.tracker import Tracker, TrackerOptions

_COMMANDS = {name: COMMANDS[name] for name in ("help", "moves", "board", "letters", "resign", "save", "quit")}
_OTHER_COMMANDS = frozenset(COMMANDS) - frozenset(_COMMANDS)
"""Commands of games without hidden information."""


class TerminalRbcGame(TerminalGame):
    """A game of reconnaissance blind chess. The board shows what is certain, and '?' elsewhere."""

    def __init__(
        self, game: Game[Any], state: Any, human: int, opponent: Player, options: TerminalOptions = DEFAULTS
    ) -> None:
        """`human` is the person's side."""
        self.tracker = Tracker(human, TrackerOptions(limit=1_000_000, repair=True))
        self._marked: frozenset[int] = frozenset()
        """Squares that the last observations were about."""
        super().__init__(game, state, human, opponent, options)

    def introduce(self) -> None:
        """Says who plays what, and how a turn goes."""
        self.session.console.print(
            f"[bold]{self.game.spec.title}[/]. You play {self.session.you}. First sense a square (e4, or "
            "none), then move (e4, Nf3, e2e4, or pass). '?' marks what you cannot be certain of. Type 'help' "
            "for more."
        )
        self.session.say(f"{self.session.options.about}\n")

    def show_end(self, message: str) -> None:
        """Prints the result and draws the true board."""
        self.session.console.print(f"[bold]{foreign(message)}[/] The true board:")
        self.session.show(self.game.diagram(self.state))

    def show_move(self, decision: Decision) -> None:
        """Shows nothing: the person observes what the opponent does."""

    def observe(self, seen: Any) -> None:
        """Says what the person learns, and marks the squares that it is about."""
        self.tracker.observe(seen)
        match seen:
            case SenseResult(pieces):
                self._marked = frozenset(square for square, _ in pieces)
                self.draw()
                return
            case MoveResult(_, taken, _):
                self._marked = frozenset() if taken is None else frozenset((taken >> 6 & 63, taken & 63))
            case OpponentMoveResult(int(capture_square)):
                self._marked |= {capture_square}
        for sentence in observation_text(seen):
            self.session.say(sentence)

    def draw(self) -> None:
        """Draws what is certain, and says how many boards are possible."""
        self.session.show(known_diagram(self.tracker.boards, self._marked))
        count = len(self.tracker.boards)
        followed = "" if self.tracker.exact else " followed, of too many: what looks certain may not be"
        self.session.say(f"{count:,} possible board{'' if count == 1 else 's'}{followed}.")

    def ask(self) -> None:
        """Lets the person sense or move. Commands are carried out until one is given."""
        moves = self.game.legal_moves(self.state)
        sensing = self.game.move_text(self.state, moves[-1]).startswith("sense")
        if sensing:
            self.draw()
        names = [self.game.move_text(self.state, move).removeprefix("sense ") for move in moves]
        before = len(self.live.moves)
        while self.live.end is None and len(self.live.moves) == before:
            command, text = self.session.ask("sense> " if sensing else "move> ", _COMMANDS, names)
            if command:
                self._run(command, text, names)
            elif (word := text.partition(" ")[0].lower()) in _OTHER_COMMANDS:
                self.session.say(f"'{word}' is not in this game. Type 'help' to see the commands.")
            elif text:
                try:
                    self.live.play(_sense_text(text) if sensing else text)
                except (ParseError, IllegalMove) as error:
                    complaint = f"'{text}' is not a square to sense" if sensing else str(error)
                    self.session.refuse(text, complaint, _COMMANDS, names)

    def _run(self, command: str, argument: str, names: Sequence[str]) -> None:
        match command:
            case "help":
                self.session.help(_COMMANDS)
            case "moves":
                self.session.say(" ".join(names))
            case "board":
                self.draw()
            case "letters":
                self.session.letters = not self.session.letters
                self.draw()
            case "save":
                self.session.save(self.live, argument)
            case "resign":
                self.live.resign()
            case "quit":
                raise LeftGame


def _sense_text(text: str) -> str:
    square = text.lower().removeprefix("sense").strip()
    return f"sense {'none' if square in ('pass', 'no') else square}"
