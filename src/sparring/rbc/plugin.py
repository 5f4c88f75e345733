"""Reconnaissance blind chess for the rest of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparring.base.sentences import Sentence
from sparring.games.description import GameDescription, Phases

if TYPE_CHECKING:
    from sparring.cli.commands import Command, Group
    from sparring.players.game_players import GamePlayers
    from sparring.rbc.page import BlindPageGame
    from sparring.rbc.terminal import TerminalRbcGame
    from sparring.records.record import RecordFormats


def _rules() -> type[Any]:
    from sparring.rbc.game import Rbc

    return Rbc


def _records() -> RecordFormats:
    from sparring.rbc.history import RbcFilter, read_histories, read_history, to_history
    from sparring.records.record import RecordFormats

    return RecordFormats(
        readers={"json": read_history, "jsonl": read_histories},
        writer=to_history,
        suffix="jsonl",
        writers={"json": to_history},
        filter=RbcFilter,
        everything="rbc",
    )


def _players() -> GamePlayers:
    from sparring.players.game_players import Bots, GamePlayers
    from sparring.rbc.bots import BOTS, FOR_PEOPLE, BotConfig, make_bot, strength_bot, with_seconds

    bots = Bots(
        BOTS,
        BotConfig,
        make_bot,
        default="inference-3",
        for_beginners="guesser",
        for_people=FOR_PEOPLE,
        budgets={"planner": (0.5, 2.0, 8.0)},
        with_seconds=with_seconds,
    )
    return GamePlayers(strength_player=strength_bot, bots=bots)


def _terminal_game() -> type[TerminalRbcGame]:
    from sparring.rbc.terminal import TerminalRbcGame

    return TerminalRbcGame


def _page_game() -> type[BlindPageGame]:
    from sparring.rbc.page import BlindPageGame

    return BlindPageGame


def _commands() -> Mapping[str, Command | Group]:
    from sparring.cli.commands import Command, Group

    return {
        "rbc": Group(
            "Track, explain, generate and play games of reconnaissance blind chess.",
            {
                "track": Command(
                    "sparring.rbc.commands:track",
                    "Show the possible boards of a recorded game, turn by turn.",
                ),
                "explain": Command(
                    "sparring.rbc.explain_command:explain", "Show why the planner would sense and move where."
                ),
                "generate": Command("sparring.rbc.commands:generate", "Play games between bots in bulk."),
                "connect": Command("sparring.rbc.commands:connect", "Play on a server of reconchess."),
            },
        ),
        "train": Group(
            "",
            {
                "rbc": Command(
                    "sparring.rbc.train_commands:rbc",
                    "Train a synopsis network for reconnaissance blind chess.",
                ),
                "rbc-loop": Command(
                    "sparring.rbc.train_commands:rbc_loop",
                    "Improve the network of the blind chess planner in rounds.",
                ),
            },
        ),
    }


DESCRIPTION = GameDescription(
    name="rbc",
    order=2,
    load_rules=_rules,
    native="Rbc",
    packed_move_bytes=2,
    phases=Phases(40, 160),
    how_to_move=Sentence(
        "A turn has two parts. First sense: type the square in the middle of the 3x3 squares that you "
        "want to see, such as e7, or none. Then move: e4, Nf3, exd5, e2e4, or pass."
    ),
    rules_summary=Sentence(
        "Chess in which you do not see the opponent's pieces. Before each move you look at nine squares. "
        "You are told where a piece is captured, but not by what. A move that something blocks stops "
        "before it, or is not made. There is no check: who captures the king wins. 50 moves without a "
        "capture or pawn move are a draw."
    ),
    draws_by_agreement=False,
    board="chessboard",
    senses=True,
    passes=True,
    rating_scale=Sentence(
        "A bot's number was measured in games between the bots, on a scale on which inference-3 has 1500: "
        "it is no rating of people."
    ),
    records=_records,
    players=_players,
    commands=_commands,
    terminal_game=_terminal_game,
    page_game=_page_game,
)
