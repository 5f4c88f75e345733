"""Reconnaissance blind chess in the terminal: a person against a bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from sparring.belief import Tracker, TrackerOptions
from sparring.cli.printing import make_console
from sparring.cli.terminal import COMMANDS, LeftGame, Resigned, print_commands, read_line, result_text
from sparring.games import HiddenGame, IllegalMove, Move, ParseError
from sparring.games.chess import board_diagram
from sparring.games.rbc import MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players import GameStart, Player, Turn
from sparring.players.player import RandomSeed


class TerminalRbcGame:
    """A game of reconnaissance blind chess. The board shows what is certain, and '?' elsewhere."""

    def __init__(
        self, game: HiddenGame[Any, Observation], human: int, opponent: Player, seed: RandomSeed = None
    ) -> None:
        """`human` is the person's side, `seed` the opponent's seed."""
        self.game = game
        self.state = game.initial()
        self.human = human
        self.opponent = opponent
        self._seed = seed
        self.belief = Tracker(human, TrackerOptions(limit=1_000_000, repair=True))
        self.console = make_console()

    def play(self) -> None:
        """Plays to the end, or until the person leaves."""
        self.opponent.new_game(GameStart(self.game, 1 - self.human, seed=self._seed))
        you = self.game.spec.players[self.human]
        self.console.print(
            f"[bold]{self.game.spec.title}[/]. You play {you}. First sense a square (e4, or none), then move "
            "(e2e4, or pass); 'moves' shows what is possible. '?' marks what you cannot be certain of.\n"
        )
        try:
            while (outcome := self.game.outcome(self.state)) is None:
                mine = self.game.to_move(self.state) == self.human
                moves = self.game.legal_moves(self.state)
                self._make(self._ask(moves) if mine else self.opponent.choose(Turn(None, moves)).move)
            self.console.print(f"[bold]{result_text(self.game, outcome, self.human)}[/] The true board:")
        except Resigned:
            self.console.print(
                f"[bold]You resign: {self.game.spec.players[1 - self.human]} wins.[/] The true board:"
            )
        except LeftGame:
            self.console.print("You leave the game.")
            return
        self.console.print(str(self.game.diagram(self.state)), markup=False)

    def _make(self, move: Move) -> None:
        self.opponent.observe(self.game.observe(self.state, 1 - self.human, move))
        seen = self.game.observe(self.state, self.human, move)
        self.belief.observe(seen)
        self._tell(seen)
        self.state = self.game.play(self.state, move)

    def _tell(self, seen: Observation) -> None:
        match seen:
            case SenseResult():
                self._draw()
            case MoveResult(request, taken, capture_square):
                if taken is None:
                    passed = request == 0
                    self.console.print("You pass." if passed else "Nothing moves: something was in the way.")
                elif taken != request:
                    self.console.print(f"Your move becomes {self.game.move_text(self.state, taken)}.")
                if capture_square is not None:
                    self.console.print(f"You capture on [bold]{chess.square_name(capture_square)}[/].")
            case OpponentMoveResult(capture_square):
                if capture_square is not None:
                    self.console.print(
                        f"Your piece on [bold]{chess.square_name(capture_square)}[/] is taken."
                    )

    def _draw(self) -> None:
        count = len(self.belief.boards)
        board = chess.BaseBoard.empty()
        known_pieces = self.belief.boards.known_pieces()
        for square, symbol in enumerate(known_pieces):
            if symbol not in (None, "?"):
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        lines = str(board_diagram(board, None)).splitlines()
        for square in (s for s, symbol in enumerate(known_pieces) if symbol == "?"):
            row, column = 8 - chess.square_rank(square), 2 + 2 * chess.square_file(square)
            lines[row] = f"{lines[row][:column]}?{lines[row][column + 1 :]}"
        self.console.print("\n".join(lines), markup=False)
        followed = "" if self.belief.exact else " followed, of too many: what looks certain may not be"
        self.console.print(f"{count:,} possible board{'' if count == 1 else 's'}{followed}.")

    def _ask(self, moves: Sequence[Move]) -> Move:
        sensing = self.game.move_text(self.state, moves[-1]).startswith("sense")
        if sensing:
            self._draw()
        while True:
            text = read_line(self.console, "sense> " if sensing else "move> ")
            match text:
                case "":
                    continue
                case "help":
                    print_commands(
                        self.console, {c: COMMANDS[c] for c in ("help", "moves", "board", "resign", "quit")}
                    )
                case "moves":
                    names = [self.game.move_text(self.state, move).removeprefix("sense ") for move in moves]
                    self.console.print(" ".join(names), markup=False)
                case "board":
                    self._draw()
                case "resign":
                    raise Resigned
                case "quit":
                    raise LeftGame
                case _:
                    try:
                        return self.game.parse_move(self.state, _sense_text(text) if sensing else text)
                    except (ParseError, IllegalMove):
                        self.console.print(f"'{text}' is not possible now (type 'moves')", markup=False)


def _sense_text(text: str) -> str:
    return text if text.startswith("sense") else f"sense {text}"
