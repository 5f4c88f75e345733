"""Games in the terminal: a person against a player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
from rich.console import Console

from sparring.belief import Tracker, TrackerOptions
from sparring.games import Game, HiddenGame, IllegalMove, Move, Outcome, ParseError, describe
from sparring.games.chess import board_diagram
from sparring.games.rbc import MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players import Decision, GameStart, Player, Turn
from sparring.players.player import RandomSeed

_SHOWN = 5
"""Most moves that `why` and `hint` list."""

_COMMANDS = {
    "help": "this list",
    "moves": "the moves you can make",
    "board": "draw the board again",
    "hint": "what the opponent would play for you",
    "why": "what else the opponent considered",
    "undo": "take your last move back",
    "text": "the position as text, to copy",
    "draw": "offer a draw, or take one that was offered",
    "resign": "resign the game",
    "quit": "leave the game",
}


class _LeftError(Exception):
    """The person left the game."""


class _ResignedError(Exception):
    """The person resigned."""


class _AgreedError(Exception):
    """The game ended before the rules ended it; the message says how."""


class TerminalGame:
    """A game of perfect information."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        human: int,
        opponent: Player,
        about: str = "",
        seed: RandomSeed = None,
    ) -> None:
        """`human` is the person's side, `about` a sentence or two on the opponent, `seed` its seed."""
        self.game = game
        self.states = [state]
        self.moves: list[Move] = []
        self.human = human
        self.opponent = opponent
        self.about = about
        self.decisions: dict[int, Decision] = {}
        """The opponent's decisions, by the number of moves before them."""
        self._seed = seed
        self.console = Console(highlight=False)

    def play(self) -> None:
        """Plays to the end, or until the person leaves."""
        self.opponent.new_game(GameStart(self.game, 1 - self.human, self.states[0], self._seed))
        you = self.game.spec.players[self.human]
        self.console.print(f"[bold]{self.game.spec.title}[/]. You play {you}. Type a move, or 'help'.")
        self.console.print(f"{self.about}\n" if self.about else "", markup=False, soft_wrap=True)
        self._draw()
        try:
            while (outcome := self.game.outcome(self.states[-1])) is None:
                if self.game.to_move(self.states[-1]) == self.human:
                    self._make(self._ask())
                else:
                    self._answer()
                self._draw()
            self.console.print(f"[bold]{result_text(self.game, outcome, self.human)}[/]")
        except _ResignedError:
            self.console.print(f"[bold]You resign: {self.game.spec.players[1 - self.human]} wins.[/]")
        except _AgreedError as end:
            self.console.print(f"[bold]{end}[/]")
        except _LeftError:
            self.console.print("You leave the game.")
        if self.moves:
            self.console.print(self._record(), soft_wrap=True)

    def _draw(self) -> None:
        self.console.print(str(self.game.diagram(self.states[-1])), markup=False)

    def _make(self, move: Move) -> None:
        self.states.append(self.game.play(self.states[-1], move))
        self.moves.append(move)
        self.opponent.observe(move)

    def _answer(self) -> None:
        state = self.states[-1]
        decision = self._decision()
        name = self.game.spec.players[1 - self.human]
        if decision.resign:
            raise _AgreedError(f"{name} resigns: you win.")
        move = move_name(self.game, state, decision.move)
        self.console.print(f"\n{name} plays [bold]{move}[/] [dim]({decision.reason})[/]")
        self.decisions[len(self.moves)] = decision
        self._make(decision.move)
        if decision.offer_draw:
            self.console.print(f"{name} offers a draw: type 'draw' to take it, or move on.")

    def _decision(self) -> Decision:
        """The opponent's decision for the side to move."""
        state = self.states[-1]
        return self.opponent.choose(Turn(state, self.game.legal_moves(state)))

    def _ask(self) -> Move:
        """The person's next move. Commands are carried out until one is given."""
        while True:
            state = self.states[-1]
            text = read_line(self.console, f"{self.game.spec.players[self.human]} to move> ")
            if text in _COMMANDS:
                self._obey(text)
            elif text:
                try:
                    return self.game.parse_move(state, text)
                except (ParseError, IllegalMove) as error:
                    self.console.print(f"{error} (type 'moves' to see what is possible)", markup=False)

    def _obey(self, command: str) -> None:
        state = self.states[-1]
        match command:
            case "help":
                print_commands(self.console, _COMMANDS)
            case "moves":
                names = [move_name(self.game, state, move) for move in self.game.legal_moves(state)]
                self.console.print(" ".join(sorted(names)), markup=False)
            case "board":
                self._draw()
            case "hint":
                decision = self._decision()
                name = move_name(self.game, state, decision.move)
                self.console.print(f"{name} ({decision.reason})", markup=False)
                self._weigh(state, decision)
            case "why":
                self._explain()
            case "undo":
                self._undo()
            case "text":
                self.console.print(self.game.text(state), markup=False, soft_wrap=True)
            case "draw":
                self._propose_draw(state)
            case "resign":
                raise _ResignedError
            case "quit":
                raise _LeftError

    def _propose_draw(self, state: Any) -> None:
        offered = self.decisions.get(len(self.moves) - 1)
        if (offered is not None and offered.offer_draw) or self.opponent.accepts_draw(state):
            raise _AgreedError("Drawn by agreement.")
        self.console.print("The opponent wants to play on.")

    def _explain(self) -> None:
        """Shows the distribution of the opponent's last move."""
        ply = len(self.moves) - 1
        if ply in self.decisions:
            self._weigh(self.states[ply], self.decisions[ply])
        else:
            self.console.print("The opponent has not moved yet.")

    def _weigh(self, state: Any, decision: Decision) -> None:
        """Shows the likeliest moves of a decision."""
        likely = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_SHOWN]
        names = (f"{move_name(self.game, state, move)} {share:.0%}" for move, share in likely)
        self.console.print(f"It weighs {', '.join(names)}.", markup=False)

    def _undo(self) -> None:
        """Goes back to the person's previous turn."""
        own = [i for i, state in enumerate(self.states[:-1]) if self.game.to_move(state) == self.human]
        if not own:
            self.console.print("There is nothing to take back.")
            return
        del self.states[own[-1] + 1 :]
        del self.moves[own[-1] :]
        self._draw()

    def _record(self) -> str:
        names = [
            move_name(self.game, state, move) for state, move in zip(self.states, self.moves, strict=False)
        ]
        return "The game: " + " ".join(names)


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
        self.console = Console(highlight=False)

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
        except _ResignedError:
            self.console.print(
                f"[bold]You resign: {self.game.spec.players[1 - self.human]} wins.[/] The true board:"
            )
        except _LeftError:
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
                        self.console, {c: _COMMANDS[c] for c in ("help", "moves", "board", "resign", "quit")}
                    )
                case "moves":
                    names = [self.game.move_text(self.state, move).removeprefix("sense ") for move in moves]
                    self.console.print(" ".join(names), markup=False)
                case "board":
                    self._draw()
                case "resign":
                    raise _ResignedError
                case "quit":
                    raise _LeftError
                case _:
                    try:
                        return self.game.parse_move(self.state, _sense_text(text) if sensing else text)
                    except (ParseError, IllegalMove):
                        self.console.print(f"'{text}' is not possible now (type 'moves')", markup=False)


def _sense_text(text: str) -> str:
    return text if text.startswith("sense") else f"sense {text}"


def read_line(console: Console, prompt: str) -> str:
    """A line from the person; the end of input leaves the game."""
    try:
        return console.input(prompt, markup=False).strip()
    except EOFError:
        console.print()
        raise _LeftError from None


def print_commands(console: Console, commands: dict[str, str]) -> None:
    """Prints the commands."""
    for command, meaning in commands.items():
        console.print(f"  [bold]{command:8}[/]{meaning}")


def move_name(game: Game[Any], state: Any, move: Move) -> str:
    """A move in the notation that people use."""
    display = describe(game.spec.name).display_move
    return game.move_text(state, move) if display is None else display(state, move)


def result_text(game: Game[Any], outcome: Outcome, human: int) -> str:
    """The result of a game, in words for the person."""
    if outcome.winner is None:
        return f"A draw: {outcome.reason}."
    won = "You win" if outcome.winner == human else f"{game.spec.players[outcome.winner]} wins"
    return f"{won}: {outcome.reason}."
