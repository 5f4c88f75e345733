"""`sparring rbc explain`: why the planner would sense and move where, in a recorded game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import chess
import chess.svg
import typer
from rich.table import Table

from sparring._core import RbcState
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.cli.rbc import PlayerColor, count_turns, final_state, read_record
from sparring.players.rbc import BadBotConfig, load_bot_config, make_bot
from sparring.players.rbc.explanation import ExplainedAction, explain_game
from sparring.players.rbc.planner import PlannerBot
from sparring.reports import page
from sparring.storage import atomic_write

_SHOWN = 6
"""Actions of a search that the page lists."""


def explain(
    game: Annotated[
        Path, typer.Argument(help="A reconchess history (.json), or one history per line (.jsonl).")
    ],
    player: Annotated[
        PlayerColor | None,
        typer.Option(help="The player whose actions are explained; without it, one after the other."),
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="Number of the game in a .jsonl file.")] = 1,
    bot: Annotated[str, typer.Option(help="The planner: a bot's name or TOML file.")] = "planner",
    playouts: Annotated[int, typer.Option(min=1, max=1_000_000, help="Playouts for each action.")] = 256,
    turns: Annotated[int | None, typer.Option(min=1, help="Explains the first turns only.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed of the planner.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="HTML page with boards; by default GAME-explained.html in the current folder, and none "
            "with --json."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show why the planner would sense and move where.

    A recorded game is replayed. The planner chooses at each action of the player, and then receives what
    really happened.
    """
    record = read_record(game, number)
    final = final_state(record)
    found = {}
    for color in PlayerColor if player is None else (player,):
        opponent = (record.second if color is PlayerColor.WHITE else record.first) or ""
        found[color] = _explain_player(final, color, bot, playouts, turns, seed, opponent)
        if not as_json:
            if player is None:
                make_console().print(f"[bold]{color.value}[/]")
            _print(found[color])
    if as_json:
        results = {color.value: [asdict(each) for each in actions] for color, actions in found.items()}
        print(json.dumps(results if player is None else results[player.value]))
    if out is None and not as_json:
        out = Path(f"{game.name.split('.')[0]}-explained.html")
    if out is not None:
        atomic_write(out, page.page(f"{game.name}: {', '.join(found)}", _parts(found)))
        make_console(stderr=as_json).print(f"written: {foreign(str(out))}")


def _explain_player(
    game: RbcState, color: PlayerColor, bot: str, playouts: int, turns: int | None, seed: int, opponent: str
) -> list[ExplainedAction]:
    side = int(color is PlayerColor.BLACK)
    total = min(count_turns(game, side), turns or 10**9)
    found: list[ExplainedAction] = []
    with ProgressBar("explaining") as bar, _make_planner(bot, playouts) as planner:
        for each in explain_game(game, planner, side, seed, opponent):
            if each.turn > total:
                break
            found.append(each)
            bar.on_progress(f"{color.value}, turn {each.turn}, {each.phase}", each.turn, total)
    return found


def _make_planner(name: str, playouts: int) -> PlannerBot:
    try:
        config = load_bot_config(name)
    except BadBotConfig as error:
        raise UserError(str(error)) from None
    made = make_bot(replace(config, use_clock=False, planner=replace(config.planner, playouts=playouts)))
    if not isinstance(made, PlannerBot):
        raise UserError(f"the bot '{name}' is no planner")
    return made


def _print(found: list[ExplainedAction]) -> None:
    table = Table("turn", "phase", "boards", "true board", "played", "planner", "why", box=None)
    for name in ("boards", "true board"):
        next(column for column in table.columns if column.header == name).justify = "right"
    for each in found:
        table.add_row(
            str(each.turn) if each.phase == "sense" else "",
            each.phase,
            f"{'' if each.exact else '~'}{each.boards:,}",
            f"{each.true_share:.0%}",
            foreign(each.played),
            foreign(each.chosen),
            foreign(each.reason),
        )
    make_console().print(table)


def _parts(found: dict[PlayerColor, list[ExplainedAction]]) -> Iterator[str]:
    yield page.paragraph(
        "Before each action: on the left the true board, with the squares of the sense or an arrow for the "
        "move, grey as played and green as the planner would; on the right its own pieces, and in red where "
        "it expects pieces of the opponent. Win and worst are the mean and the least win probability of the "
        "playouts. The rating is the win probability by the planner's chess search; that of a sense has a "
        "bonus for information and may exceed 100 %."
    )
    for color, actions in found.items():
        for number, each in enumerate(actions):
            yield from _action_parts(each, color, f"{color.value[0]}{number}")


def _action_parts(each: ExplainedAction, color: PlayerColor, key: str) -> Iterator[str]:
    """One action; `key` makes the names in its pictures unique on the page."""
    side = int(color is PlayerColor.BLACK)
    yield page.heading(f"{color.value.capitalize()}, turn {each.turn}, {each.phase}: {each.played}")
    about = "" if each.exact else "About "
    count = f"{about}{each.boards:,} possible board{'' if each.boards == 1 else 's'}"
    yield page.paragraph(
        f"Planner: {each.chosen} ({each.reason}). {count}; {each.true_share:.0%} of the particles are on the "
        f"true board. The opponent is thought to consider {each.opponent_boards:,.0f}."
    )
    pictures = "".join(
        f'<span style="display:inline-block;width:18rem;margin-right:1rem">'
        f"{page.inline_svg(svg, f'b{key}{name}')}</span>"
        for name, svg in (("t", _true_board(each, side)), ("e", _expected_board(each, side)))
    )
    yield page.figure(pictures, f"The true board and the expected one before {each.played}")
    if each.actions:
        yield page.table(
            ["action", "policy", "playouts", "win", "worst", "rating"],
            [
                [
                    action.action,
                    f"{action.prior:.1%}",
                    f"{action.visits:,}",
                    _percent(action.value),
                    _percent(action.worst),
                    _percent(action.rating),
                ]
                for action in each.actions[:_SHOWN]
            ],
        )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _true_board(each: ExplainedAction, side: int) -> str:
    board = chess.Board(each.board)
    arrows = []
    fill: dict[chess.Square, str] = {}
    for text, color in ((each.played, "#88888899"), (each.chosen, "#15781b99")):
        if each.phase == "move" and text != "pass":
            move = chess.Move.from_uci(text)
            arrows.append(chess.svg.Arrow(move.from_square, move.to_square, color=color))
        elif text.startswith("sense ") and text != "sense none":
            centre = chess.parse_square(text.removeprefix("sense "))
            shown = chess.SquareSet(chess.BB_KING_ATTACKS[centre] | chess.BB_SQUARES[centre])
            fill |= dict.fromkeys(shown, color[:7] + "66")
    return chess.svg.board(board, orientation=side == 0, arrows=arrows, fill=fill, size=300)


def _expected_board(each: ExplainedAction, side: int) -> str:
    board = chess.Board(each.board)
    for square in chess.SquareSet(board.occupied_co[chess.WHITE if side else chess.BLACK]):
        board.remove_piece_at(square)
    fill = {
        square: f"#cc2222{round(255 * min(chance, 1.0)):02x}"
        for square, chance in enumerate(each.opponent_squares)
        if chance > 0.004
    }
    return chess.svg.board(board, orientation=side == 0, fill=fill, size=300)
