"""Expendibots for the rest of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparring.games.description import GameDescription, Phases

if TYPE_CHECKING:
    from sparring.cli.commands import Command, Group
    from sparring.players.game_players import GamePlayers
    from sparring.records.record import RecordFormats


def _rules() -> type[Any]:
    from sparring.expendibots.game import Expendibots

    return Expendibots


def _records() -> RecordFormats:
    from sparring.expendibots.log import read_logs, to_log
    from sparring.records.record import RecordFormats

    return RecordFormats({"log": read_logs}, to_log, "log", everything="expendibots")


def _players() -> GamePlayers:
    from sparring.expendibots.agent import strength_agent
    from sparring.players.game_players import GamePlayers

    return GamePlayers(strength_player=strength_agent)


def _commands() -> Mapping[str, Command | Group]:
    from sparring.cli.commands import Command, Group

    tables = {
        "build": Command(
            "sparring.expendibots.commands:build_tables_file", "Solve all endgames of up to five tokens."
        ),
        "info": Command(
            "sparring.expendibots.commands:tables_info",
            "Show the size and the results of the endgame tables.",
        ),
        "probe": Command("sparring.expendibots.commands:probe", "Look up a position and each of its moves."),
    }
    book = {
        "build": Command("sparring.expendibots.commands:build_book_file", "Build an opening book by search."),
        "info": Command("sparring.expendibots.commands:book_info", "Show how an opening book was made."),
    }
    parts: dict[str, Command | Group] = {
        "tables": Group("Build and probe endgame tables.", tables),
        "book": Group("Build and inspect the opening book.", book),
    }
    evaluator = Command("sparring.expendibots.commands:evaluator", "Train a value network by self-play.")
    return {
        "expendibots": Group("Make the parts of the Expendibots agent.", parts),
        "train": Group("", {"evaluator": evaluator}),
    }


DESCRIPTION = GameDescription(
    name="expendibots",
    order=5,
    load_rules=_rules,
    native="Expendibots",
    packed_move_bytes=1,
    phases=Phases(12, 40),
    how_to_move=(
        "Moves: 2c1-c3 moves two tokens from c1 to c3, c1-c3 the whole stack; boom c1 explodes the stack "
        "on c1."
    ),
    rules_summary=(
        "Each side has twelve tokens, which can be stacked. In a turn you move or explode one of your "
        "stacks. A stack of n tokens moves 1 to n tokens, 1 to n squares along its row or column, over "
        "anything, to an empty square or onto own tokens. A stack that explodes is gone with all tokens "
        "on the eight squares around it, own ones too, and each stack that is hit explodes in turn. Who "
        "has the only tokens left wins; if none are left, if a position occurs for the fourth time, or "
        "after 250 turns each, the game is drawn. W3 is a white stack of three."
    ),
    records=_records,
    players=_players,
    commands=_commands,
)
