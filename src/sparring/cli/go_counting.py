"""The end of a game of Go in the terminal: the person and the opponent agree on dead stones."""

from __future__ import annotations

from dataclasses import replace

from sparring._core import GoState
from sparring.cli.session import GameOver, LeftGame, TerminalSession
from sparring.games import Go, ParseError
from sparring.games.diagrams import Diagram
from sparring.networks import Prediction
from sparring.players.go_counting import GoCounting

_COMMANDS = {
    "help": "this list (also ?)",
    "resume": "take the passes back and play on",
    "none": "no stone is dead",
    "quit": "leave the game without a result",
}


def agree_on_score(
    session: TerminalSession, state: GoState, prediction: Prediction | None
) -> GameOver | None:
    """Proposes dead stones and lets the person correct them; None if the person wants to play on.

    `prediction` is the opponent's last one. Its ownership is used if it was made with the same stones. Raises
    LeftGame.
    """
    dead = GoCounting.propose(state, prediction)
    session.say("\nBoth passed. Stones that are shown as x and o are dead and will be taken off.")
    while True:
        session.show(_diagram(state, dead))
        message, end = GoCounting.result(state, dead, session.human)
        session.say(message)
        try:
            command, text = session.ask("Enter to agree, points to change, or 'resume'> ", _COMMANDS)
        except LeftGame:  # no more input: nobody objects
            return GameOver(end, message)
        if command == "help":
            session.say("Press Enter to agree. A point such as D4 makes its stones dead, or alive again.\n")
            session.list_commands(_COMMANDS)
        elif command == "resume":
            return None
        elif command == "none":
            dead = set()
        elif command == "quit":
            raise LeftGame
        elif not text:
            return GameOver(end, message)
        else:
            dead ^= _stones(session, state, text)


def _stones(session: TerminalSession, state: GoState, text: str) -> set[int]:
    """The stones of the chains at the points that the person typed."""
    try:
        return GoCounting.stones_at(state, text.replace(",", " ").split())
    except ParseError as error:
        message = str(error)
        session.say(f"{message[0].upper()}{message[1:]}.")
        return set()


def _diagram(state: GoState, dead: set[int]) -> Diagram:
    """The board with dead stones as small letters."""
    diagram = Go.of(state).diagram(state)
    cells = [list(row) for row in diagram.cells]
    for point in dead:
        row, column = state.size - 1 - point // state.size, point % state.size
        piece = cells[row][column]
        assert piece is not None, "only stones are dead"
        cells[row][column] = replace(piece, symbol=piece.symbol.lower(), glyph="")
    return replace(diagram, cells=tuple(map(tuple, cells)))
