"""Games in the terminal: a person against a player."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from sparring.cli.printing import make_console
from sparring.games import Game, IllegalMove, Move, Outcome, ParseError, describe
from sparring.players import Decision, GameStart, Player, Turn
from sparring.players.player import RandomSeed

_SHOWN = 5
"""Most moves that `why` and `hint` list."""

COMMANDS = {
    "help": "this list",
    "moves": "the moves you can make",
    "board": "draw the board again",
    "hint": "the likeliest move of a player like your opponent",
    "why": "candidates of the opponent's last move",
    "undo": "take your last move back",
    "text": "the position as text",
    "draw": "offer a draw, or accept one",
    "resign": "resign the game",
    "quit": "leave the game",
}


class LeftGame(Exception):
    """The person left the game."""


class Resigned(Exception):
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
        self.console = make_console()

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
        except Resigned:
            self.console.print(f"[bold]You resign: {self.game.spec.players[1 - self.human]} wins.[/]")
        except _AgreedError as end:
            self.console.print(f"[bold]{end}[/]")
        except LeftGame:
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
            if text in COMMANDS:
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
                print_commands(self.console, COMMANDS)
            case "moves":
                names = [move_name(self.game, state, move) for move in self.game.legal_moves(state)]
                self.console.print(" ".join(sorted(names)), markup=False)
            case "board":
                self._draw()
            case "hint":
                decision = self.opponent.hint(Turn(state, self.game.legal_moves(state)))
                name = move_name(self.game, state, decision.move)
                self.console.print(f"{name} ({decision.reason})", markup=False)
                self._show_candidates(state, decision)
            case "why":
                self._explain()
            case "undo":
                self._undo()
            case "text":
                self.console.print(self.game.text(state), markup=False, soft_wrap=True)
            case "draw":
                self._propose_draw(state)
            case "resign":
                raise Resigned
            case "quit":
                raise LeftGame

    def _propose_draw(self, state: Any) -> None:
        offered = self.decisions.get(len(self.moves) - 1)
        if (offered is not None and offered.offer_draw) or self.opponent.accepts_draw(state):
            raise _AgreedError("Drawn by agreement.")
        self.console.print("The opponent declines the draw.")

    def _explain(self) -> None:
        """Shows the distribution of the opponent's last move."""
        ply = len(self.moves) - 1
        if ply in self.decisions:
            self._show_candidates(self.states[ply], self.decisions[ply])
        else:
            self.console.print("The opponent has not moved yet.")

    def _show_candidates(self, state: Any, decision: Decision) -> None:
        """Shows the likeliest moves of a decision."""
        likely = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_SHOWN]
        names = (f"{move_name(self.game, state, move)} {share:.0%}" for move, share in likely)
        self.console.print(f"Candidates: {', '.join(names)}.", markup=False)

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


def read_line(console: Console, prompt: str) -> str:
    """Reads a line from the person. Raises LeftGame at the end of the input."""
    try:
        return console.input(prompt, markup=False).strip()
    except EOFError:
        console.print()
        raise LeftGame from None


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
