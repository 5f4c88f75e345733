"""Games in the terminal: a person against a player."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sparring.cli.console import foreign
from sparring.cli.session import DEFAULTS, LeftGame, TerminalOptions, TerminalSession, has_pictures
from sparring.games import Game, IllegalMove, ParseError, move_name
from sparring.play.game import LiveGame, NotAllowed
from sparring.players import Decision, Player
from sparring.search.limits import wait_out

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
_COUNTING_COMMANDS = {
    "help": "this list (also ?)",
    "resume": "take the passes back and play on",
    "none": "no stone is dead",
    "quit": "leave the game without a result",
}
"""Commands while both agree on the score."""


class FlagFell(Exception):
    """The person's time is up while a line is read."""


class TerminalGame:
    """A game of perfect information. Games of hidden information replace parts of it."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        human: int,
        opponent: Player,
        options: TerminalOptions = DEFAULTS,
    ) -> None:
        """`human` is the person's side."""
        self.game, self.human = game, human
        self.session = TerminalSession(game, human, opponent.name, options)
        self.live = LiveGame(
            game,
            {1 - human: opponent},
            start=state,
            person=human,
            clock=options.time_control,
            seed_of=lambda side, ply: options.seed,
            observer=self.observe if game.spec.hidden else None,
        )
        self.decisions: dict[int, Decision] = {}
        """The opponent's decisions, by the number of moves before them."""

    def play(self) -> None:
        """Plays to the end, or until the person leaves. The game is saved in any case."""
        self.live.start_players()
        self.introduce()
        with self.session.saving(self.live):
            try:
                self.live.settle()
                turns = {"counting": self._count, "move": self.ask, "thinking": self._answer}
                while self.live.phase != "over":
                    turns[self.live.phase]()
                self.show_end(self.live.message)
            except LeftGame:
                self.session.say("You leave the game.")

    @property
    def state(self) -> Any:
        """The present state."""
        return self.live.states[-1]

    # Parts that games of hidden information replace

    def introduce(self) -> None:
        """Says who plays what."""
        self.session.console.print(
            f"[bold]{self.game.spec.title}[/]. You play {self.session.you}. Type a move, or 'help'."
        )
        about = self.session.options.about
        self.session.say(f"{about}\n" if about else "")

    def observe(self, seen: Any) -> None:
        """Receives what the person observes in a game of hidden information."""

    def show_end(self, message: str) -> None:
        """Draws the board and prints the result and the moves."""
        self.draw()
        self.session.console.print(f"[bold]{foreign(message)}[/]")
        if self.live.moves:
            self.session.say(f"The game: {self._move_list()}")

    def draw(self) -> None:
        """Draws the board."""
        self.session.show(self.game.diagram(self.state))

    def ask(self) -> None:
        """Lets the person move. Commands are carried out until a move is played or the game is over."""
        self.draw()
        self.live.clock.start()
        before = len(self.live.moves)
        while self.live.end is None and len(self.live.moves) == before:
            command, text = self._read()
            if command:
                self._run_command(command, text)
                before = min(before, len(self.live.moves))
                if self.live.phase != "move":
                    return
            elif text:
                try:
                    self.live.play(text)
                except (ParseError, IllegalMove) as error:
                    self.session.refuse(text, str(error), COMMANDS, self._move_names())

    def show_move(self, decision: Decision) -> None:
        """Says what the opponent has played."""
        played = self.live.moves[-1]
        reason = f" [dim]({foreign(decision.reason)})[/]" if decision.reason else ""
        does = "passes" if played.name == "pass" else f"plays [bold]{foreign(played.name)}[/]"
        left = "" if played.left is None else f", {self.live.clock.text(played.player)} left"
        self.session.console.print(f"\n{self.session.they} {does}{reason}{left}")
        if self.live.draw_offered:
            self.session.say(f"{self.session.they} offers a draw: type 'draw' to take it, or move on.")

    # Turns

    def _answer(self) -> None:
        live, ply = self.live, len(self.live.moves)
        pending = live.pending_turn()
        assert pending is not None
        with self.session.thinking():
            began = time.perf_counter()
            decision = live.decide(pending)
            if live.clock.control is not None:
                wait_out(decision.seconds, began)
        live.accept(pending, decision)
        if len(live.moves) > ply:
            self.decisions[ply] = decision
            self.show_move(decision)

    def _read(self) -> tuple[str, str]:
        """The next command or move; ("", "") if the person's time is up."""
        words, you, clock = self._move_names(), self.session.you, self.live.clock
        seconds = clock.until_flag(self.human)
        if seconds is None:
            return self.session.ask(f"{you} to move> ", COMMANDS, words)
        left = clock.text(self.human, clock.turn_seconds)
        try:
            with _alarm(seconds):
                return self.session.ask(f"{you} to move, {left} left> ", COMMANDS, words)
        except FlagFell:
            self.live.check_flag()
            return "", ""

    def _move_names(self) -> list[str]:
        state = self.state
        return [move_name(state, move) for move in self.game.legal_moves(state)]

    def _count(self) -> None:
        """Both passed: proposes dead stones and lets the person correct them."""
        live, session = self.live, self.session
        session.say("\nBoth passed. Stones that are shown as x and o are dead and will be taken off.")
        while live.dead is not None:
            session.show(live.counting.diagram(self.state, live.dead))
            session.say(live.counted()[0])
            try:
                command, text = session.ask(
                    "Enter to agree, points to change, or 'resume'> ", _COUNTING_COMMANDS
                )
            except LeftGame:  # no more input: nobody objects
                command, text = "", ""
            if command == "help":
                session.say(
                    "Press Enter to agree. A point such as D4 makes its stones dead, or alive again.\n"
                )
                session.list_commands(_COUNTING_COMMANDS)
            elif command == "resume":
                try:
                    live.resume()
                except NotAllowed:
                    session.say("There is nothing to take back.")
                else:
                    self._drop_decisions()
                return
            elif command == "none":
                live.dead.clear()
            elif command == "quit":
                raise LeftGame
            elif not text:
                live.agree()
            else:
                try:
                    live.mark(text.replace(",", " ").split())
                except ParseError as error:
                    message = str(error)
                    session.say(f"{message[0].upper()}{message[1:]}.")

    # Commands

    def _run_command(self, command: str, argument: str) -> None:
        state, session = self.state, self.session
        match command:
            case "help":
                shown = has_pictures(self.game.diagram(self.live.states[0]))
                session.help({name: COMMANDS[name] for name in COMMANDS if shown or name != "letters"})
            case "moves":
                session.say(" ".join(sorted(self._move_names())))
            case "list":
                session.say(self._move_list() or "No move has been played.")
            case "board":
                self.draw()
            case "letters":
                session.letters = not session.letters
                self.draw()
            case "hint":
                decision = self.live.hint()
                session.say(f"Hint: {move_name(state, decision.move)}")
                self._show_candidates(state, decision)
            case "why":
                ply = len(self.live.moves) - 1
                if ply in self.decisions:
                    self._show_candidates(self.live.states[ply], self.decisions[ply])
                else:
                    session.say("The opponent has not moved yet.")
            case "undo":
                self._take_back(argument)
            case "text":
                session.say(self.game.text(state))
            case "draw":
                self.live.propose_draw()
                session.say("" if self.live.end else self.live.message)
            case "save":
                session.save(self.live, argument)
            case "resign":
                self.live.resign()
            case "quit":
                raise LeftGame

    def _show_candidates(self, state: Any, decision: Decision) -> None:
        likely = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_SHOWN]
        names = [f"{move_name(state, move)} {share:.0%}" for move, share in likely]
        if names:
            self.session.say(f"Candidates: {', '.join(names)}.")

    def _take_back(self, argument: str) -> None:
        """The command `undo`, with the number of the person's moves to take back (1)."""
        if argument and re.fullmatch("[1-9][0-9]{0,3}", argument) is None:
            self.session.say(f"'{argument}' is not a number of moves to take back, such as undo 2.")
        elif "undo" not in self.live.commands():
            self.session.say("There is nothing to take back.")
        else:
            try:
                self.live.take_back(int(argument or 1))
            except NotAllowed as error:
                self.session.say(str(error))
                return
            self._drop_decisions()
            self.draw()

    def _drop_decisions(self) -> None:
        plies = len(self.live.moves)
        self.decisions = {ply: decision for ply, decision in self.decisions.items() if ply < plies}

    def _move_list(self) -> str:
        """The moves with their numbers: by pairs where White begins, one by one in Go and shogi."""
        names = [played.name for played in self.live.moves]
        if self.game.spec.players[0] == "Black":
            return " ".join(f"{number}.{name}" for number, name in enumerate(names, 1))
        words = []
        first = self.game.to_move(self.live.states[0])
        for ply, name in enumerate(names, first):
            if ply % 2 == 0 or ply == first:
                words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}")
            words.append(name)
        return " ".join(words)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raises FlagFell within the block after some seconds, where the system has such signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def fall(*_: object) -> None:
        raise FlagFell

    before = signal.signal(signal.SIGALRM, fall)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
