"""Games in the terminal: a person against a player."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sparring.cli.board_view import has_pictures
from sparring.cli.game_clock import FlagFell, GameClock, clock_text
from sparring.cli.printing import foreign
from sparring.cli.session import DEFAULTS, GameOver, LeftGame, TerminalOptions, TerminalSession
from sparring.games import Game, IllegalMove, Move, Outcome, ParseError, describe, move_name, resolve
from sparring.players import Decision, GameStart, Player, SearchLimits, Turn
from sparring.players.time_management import wait_out
from sparring.records import Termination
from sparring.records.played_game import UNFINISHED, EndOfGame, end_by_rules, lost_by

_SHOWN = 5
"""Most moves that `why` and `hint` list."""

COMMANDS = {
    "help": "this list (also ?)",
    "moves": "the moves you can make",
    "list": "the moves played so far",
    "board": "draw the board again",
    "letters": "pieces as Latin letters, or as pictures again",
    "hint": "the likeliest move of a player like your opponent",
    "why": "candidates of the opponent's last move",
    "undo": "take your last move back; undo 2 takes two back",
    "draw": "claim a draw, offer one, or accept one",
    "resign": "resign the game",
    "save": "save the game; save FILE chooses the file",
    "text": "the position as text",
    "quit": "leave the game, which is saved (also exit)",
}


class TerminalGame:
    """A game of perfect information."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        human: int,
        opponent: Player,
        options: TerminalOptions = DEFAULTS,
    ) -> None:
        """`human` is the person's side."""
        self.game = game
        self.states = [state]
        self.moves: list[Move] = []
        self.human = human
        self.opponent = opponent
        self.decisions: dict[int, Decision] = {}
        """The opponent's decisions, by the number of moves before them."""
        self.session = TerminalSession(game, human, opponent.name, options)
        self._clock = None if options.time_control is None else GameClock(options.time_control)
        self.clocks: list[float] = []
        """Seconds that the mover had left after each move."""

    def play(self) -> None:
        """Plays to the end, or until the person leaves. The game is saved in any case."""
        options = self.session.options
        start = GameStart(
            self.game, 1 - self.human, self.states[0], options.seed, time_control=options.time_control
        )
        self.opponent.new_game(start)
        self.session.console.print(
            f"[bold]{self.game.spec.title}[/]. You play {self.session.you}. Type a move, or 'help'."
        )
        self.session.say(f"{options.about}\n" if options.about else "")
        self.session.play(self)

    @property
    def state(self) -> Any:
        """The present state."""
        return self.states[-1]

    def take_turns(self) -> None:
        """Plays. Raises GameOver or LeftGame."""
        while True:
            state = self.state
            if (outcome := self.game.outcome(state)) is not None:
                self._end(outcome)
            elif self.game.to_move(state) == self.human:
                self._draw()
                self._move(self._ask())
            else:
                self._answer()

    def _end(self, outcome: Outcome) -> None:
        """Ends the game by the rules; in some games the players agree on the score first."""
        agree = describe(self.game.spec.name).players.agree_on_end
        if not agree:
            raise GameOver(end_by_rules(outcome), self.session.result_text(outcome))
        last = self.decisions.get(max(self.decisions, default=-1))
        agreed = resolve(agree)(self.session, self.state, None if last is None else last.prediction)
        if agreed is not None:
            raise agreed
        if self._own_turns():
            self._undo()  # back to the person's last turn: play goes on
        else:
            self.session.say("There is nothing to take back.")

    def show_end(self, message: str) -> None:
        """Draws the board and prints the result and the moves."""
        self._draw()
        self.session.console.print(f"[bold]{foreign(message)}[/]")
        if self.moves:
            self.session.say(f"The game: {self._record()}")

    def _draw(self) -> None:
        self.session.show(self.game.diagram(self.state))

    def _move(self, move: Move) -> None:
        self.states.append(self.game.play(self.state, move))
        self.moves.append(move)
        self.opponent.observe(move)

    def _answer(self) -> None:
        """The opponent's turn."""
        state = self.state
        with self._timed(1 - self.human), self.session.thinking():
            began = time.perf_counter()
            decision = self.opponent.choose(self._turn())
            if self._clock is not None:
                wait_out(decision.seconds, began)
        if decision.resign:
            raise GameOver(lost_by(1 - self.human), f"{self.session.they} resigns: you win.")
        move = move_name(state, decision.move)
        reason = f" [dim]({foreign(decision.reason)})[/]" if decision.reason else ""
        does = "passes" if move == "pass" else f"plays [bold]{foreign(move)}[/]"
        left = f", {clock_text(self.clocks[-1])} left" if self._clock is not None else ""
        self.session.console.print(f"\n{self.session.they} {does}{reason}{left}")
        self.decisions[len(self.moves)] = decision
        self._move(decision.move)
        if decision.offer_draw:
            self.session.say(f"{self.session.they} offers a draw: type 'draw' to take it, or move on.")

    def _turn(self) -> Turn:
        state = self.state
        player = self.game.to_move(state)
        limits = SearchLimits() if self._clock is None else self._clock.limits(player)
        return Turn(state, self.game.legal_moves(state), limits)

    @contextmanager
    def _timed(self, player: int) -> Iterator[None]:
        """A turn by the clock, if there is one. Raises GameOver when the time is up."""
        if self._clock is None:
            yield
            return
        self._clock.start()
        try:
            yield
            self.clocks.append(self._clock.stop(player))
        except FlagFell:
            loser, winner = (
                ("You are", self.session.they) if player == self.human else (f"{self.session.they} is", "you")
            )
            wins = "wins" if player == self.human else "win"
            raise GameOver(
                lost_by(player, Termination.TIME), f"{loser} out of time: {winner} {wins}."
            ) from None

    def _ask(self) -> Move:
        """The person's next move. Commands are carried out until one is given."""
        with self._timed(self.human):
            while True:
                state = self.state
                command, text = self._read()
                if command:
                    self._obey(command, text)
                elif text:
                    try:
                        return self.game.parse_move(state, text)
                    except (ParseError, IllegalMove) as error:
                        self.session.refuse(text, str(error), COMMANDS, self._move_names())

    def _read(self) -> tuple[str, str]:
        words, you = self._move_names(), self.session.you
        if self._clock is None:
            return self.session.ask(f"{you} to move> ", COMMANDS, words)
        with self._clock.alarm(self.human):
            left = self._clock.text(self.human)
            return self.session.ask(f"{you} to move, {left} left> ", COMMANDS, words)

    def _move_names(self) -> list[str]:
        state = self.state
        return [move_name(state, move) for move in self.game.legal_moves(state)]

    def _obey(self, command: str, argument: str) -> None:
        state, session = self.state, self.session
        match command:
            case "help":
                shown = has_pictures(self.game.diagram(self.states[0]))
                session.help({name: COMMANDS[name] for name in COMMANDS if shown or name != "letters"})
            case "moves":
                session.say(" ".join(sorted(self._move_names())))
            case "list":
                session.say(self._record() or "No move has been played.")
            case "board":
                self._draw()
            case "letters":
                session.letters = not session.letters
                self._draw()
            case "hint":
                self._hint(state)
            case "why":
                self._explain()
            case "undo":
                self._take_back(argument)
            case "text":
                session.say(self.game.text(state))
            case "draw":
                self._propose_draw(state)
            case "save":
                session.save(state, UNFINISHED, self.clocks, argument)
            case "resign":
                raise GameOver(lost_by(self.human), f"You resign: {session.they} wins.")
            case "quit":
                raise LeftGame

    def _hint(self, state: Any) -> None:
        decision = self.opponent.hint(Turn(state, self.game.legal_moves(state)))
        self.session.say(f"Hint: {move_name(state, decision.move)}")
        self._show_candidates(state, decision)

    def _propose_draw(self, state: Any) -> None:
        """Claims a draw if the rules allow it, accepts the opponent's offer, or makes one."""
        claimable = describe(self.game.spec.name).claimable_draw
        drawn = EndOfGame(0.5, Termination.NORMAL)
        if claimable is not None and (reason := claimable(state)) is not None:
            raise GameOver(drawn, f"A draw: you claim it by {reason}.")
        offered = self.decisions.get(len(self.moves) - 1)
        if (offered is not None and offered.offer_draw) or self.opponent.accepts_draw(state):
            raise GameOver(drawn, "Drawn by agreement.")
        self.session.say("The opponent declines the draw.")

    def _explain(self) -> None:
        """Shows the distribution of the opponent's last move."""
        ply = len(self.moves) - 1
        if ply in self.decisions:
            self._show_candidates(self.states[ply], self.decisions[ply])
        else:
            self.session.say("The opponent has not moved yet.")

    def _show_candidates(self, state: Any, decision: Decision) -> None:
        """Shows the likeliest moves of a decision."""
        likely = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_SHOWN]
        names = [f"{move_name(state, move)} {share:.0%}" for move, share in likely]
        if names:
            self.session.say(f"Candidates: {', '.join(names)}.")

    def _take_back(self, argument: str) -> None:
        """The command `undo`, with the number of the person's moves to take back (1)."""
        if argument and re.fullmatch("[1-9][0-9]{0,3}", argument) is None:
            self.session.say(f"'{argument}' is not a number of moves to take back, such as undo 2.")
        elif not (own := self._own_turns()):
            self.session.say("There is nothing to take back.")
        elif (count := int(argument or 1)) > len(own):
            made = f"{len(own)} move{'' if len(own) == 1 else 's'}"
            self.session.say(f"You have made {made}: {count} cannot be taken back.")
        else:
            self._undo(count)
            self._draw()

    def _own_turns(self) -> list[int]:
        """The plies of the moves that the person made."""
        return [i for i, state in enumerate(self.states[:-1]) if self.game.to_move(state) == self.human]

    def _undo(self, count: int = 1) -> None:
        """Goes back by `count` of the person's turns."""
        ply = self._own_turns()[-count]
        del self.states[ply + 1 :]
        del self.moves[ply:]
        del self.clocks[ply:]
        self.decisions = {before: each for before, each in self.decisions.items() if before < ply}

    def _record(self) -> str:
        """The moves with their numbers: by pairs where White begins, one by one in Go and shogi."""
        names = [move_name(state, move) for state, move in zip(self.states, self.moves, strict=False)]
        if self.game.spec.players[0] == "Black":
            return " ".join(f"{number}.{name}" for number, name in enumerate(names, 1))
        words = []
        first = self.game.to_move(self.states[0])
        for ply, name in enumerate(names, first):
            if ply % 2 == 0 or ply == first:
                words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}")
            words.append(name)
        return " ".join(words)
