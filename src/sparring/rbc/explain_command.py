"""`sparring rbc explain`: why the planner would sense and move where, in a recorded game."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Annotated

import chess
import chess.svg
import typer
from rich.table import Table

from sparring._core import RbcState
from sparring.base.errors import UserError
from sparring.base.storage import atomic_write
from sparring.cli.arguments import AsJson
from sparring.cli.console import INTERRUPTED, ProgressBar, foreign, interruptible, make_console
from sparring.measure import page
from sparring.rbc.bots import load_bot_config, make_bot
from sparring.rbc.commands import (
    PlayerColor,
    count_turns,
    final_state,
    has_one_game,
    number_table,
    read_record,
)
from sparring.rbc.explanation import ConsideredAction, ExplainedAction, KingLoss, explain_game
from sparring.rbc.planner import PlannerBot
from sparring.records import GameRecord, Termination

_SHOWN = 6
"""Actions of a search that the page lists, beside the one played."""
_PLAYED, _CHOSEN, _DANGER = "#88888899", "#15781b99", "#cc222299"
"""Colours of the action played, of the planner's, and of the capture of the king."""
_LEGEND = {
    "possible boards": "All boards that agree with what the player has seen; “about” marks a sample of them.",
    "particles": "The planner's guesses of the true board and of what the opponent knows, drawn from its "
    "model of the opponent; their share on the true board says how well it guessed.",
    "pictures": "The true board, which the player does not see, with the squares of the sense or an arrow "
    "for the move: grey as played, green as the planner would. The expected board: the player's own pieces, "
    "and in red where the planner expects the opponent's. If a move risks the king, the likeliest board on "
    "which the king is lost.",
    "score": "The planner takes the action with the highest score: the mean of rating and playouts, of which "
    "only the differences between actions count; without ratings the sum of the playouts' win probabilities.",
    "rating": "Win probability by a chess search on the likely boards: mean of all and of the worst, less "
    "the probability of a lost king, so it may be negative; a sense has a bonus for information.",
    "king lost": "Probability, over the rated boards, that the opponent can take the king after the move.",
    "win after": "Win probability, over the rated boards, of the best move after the result of the sense.",
    "bits": "Information of the sense's result; 1 bit is worth as much as halving the likely boards.",
    "policy": "Share of the search that the action gets at first, by the network and the ratings.",
    "playouts": "How often the search played the game on after the action; rated senses need none.",
    "win, worst": "Mean and least win probability of these playouts.",
}
"""Terms and columns of the page."""
_COLUMNS: Sequence[tuple[str, Callable[[ConsideredAction], str]]] = (
    ("score", lambda action: f"{action.score:.3f}"),
    ("rating", lambda action: _percent(action.rating, 1)),
    ("king lost", lambda action: _percent(action.king_loss, 1)),
    ("win after", lambda action: _percent(action.win_after, 1)),
    ("bits", lambda action: "" if action.information is None else f"{action.information:.1f}"),
    ("policy", lambda action: _percent(action.prior, 1)),
    ("playouts", lambda action: f"{action.visits:,}" if action.visits else ""),
    ("win", lambda action: _percent(action.value)),
    ("worst", lambda action: _percent(action.worst)),
)
"""Columns of the considered actions; one without entries is left out."""


@dataclass(frozen=True)
class ReplayFacts:
    """What the page says about the game and its replay."""

    source: str
    """The file, and the number of the game in it."""
    names: tuple[str, str]
    """White and Black."""
    result: str
    bot: str
    playouts: int
    seed: int


def game_page(facts: ReplayFacts, explanations: Mapping[PlayerColor, Sequence[ExplainedAction]]) -> str:
    """The page of the explained actions, by player."""
    names = [f"{facts.names[color.side]} ({color.value.capitalize()})" for color in PlayerColor]
    return page.page(" against ".join(names), _parts(facts, explanations))


def summary(facts: ReplayFacts, color: PlayerColor, actions: Sequence[ExplainedAction]) -> str:
    """How well the planner guesses as this player, and how often it would play the same."""
    opponent = facts.names[1 - color.side]
    same = sum(explained.played == explained.chosen for explained in actions)
    share = sum(explained.true_share for explained in actions) / len(actions)
    return (
        f"{color.value.capitalize()}: the planner predicts {opponent} by its headset {actions[0].headset}. "
        f"It chooses {same} of {len(actions)} actions as {facts.names[color.side]} did. On average "
        f"{share:.0%} of its particles are on the true board."
    )


def _parts(
    facts: ReplayFacts, explanations: Mapping[PlayerColor, Sequence[ExplainedAction]]
) -> Iterator[str]:
    yield page.paragraph(f"{facts.result} From {facts.source}.")
    yield page.paragraph(
        f"The game is replayed to the bot {facts.bot}. At each action it chooses, and then receives what "
        f"really happened. It has {facts.playouts:,} playouts (seed {facts.seed}) and no clock. A planner "
        "that played this game had its clock and another seed, so it may have chosen otherwise."
    )
    for color, actions in explanations.items():
        if actions:
            yield page.paragraph(summary(facts, color, actions))
    yield page.definitions(_LEGEND)
    for color, actions in explanations.items():
        for number, explained in enumerate(actions):
            yield from _action_parts(explained, color, f"{color.value[0]}{number}")


def _action_parts(explained: ExplainedAction, color: PlayerColor, key: str) -> Iterator[str]:
    """One action; `key` makes the names in its pictures unique on the page."""
    side = color.side
    yield page.heading(
        f"{color.value.capitalize()}, turn {explained.turn}, {explained.phase}: "
        f"{explained.played.removeprefix('sense ')}"
    )
    about = "" if explained.exact else "About "
    count = f"{about}{explained.boards:,} possible board{'' if explained.boards == 1 else 's'}"
    choice = "The planner agrees" if explained.chosen == explained.played else f"Planner: {explained.chosen}"
    yield page.paragraph(
        f"{choice} ({explained.reason}). {count}; {explained.true_share:.0%} of the particles are on the "
        f"true board. The opponent is thought to consider {explained.opponent_boards:,.0f}."
    )
    for reason in explained.why:
        yield page.paragraph(reason)
    pictures = [
        (_true_board(explained, side), "true board"),
        (_expected_board(explained, side), "expected pieces"),
    ]
    if explained.king_loss is not None:
        pictures.append((_king_loss_board(explained.king_loss, side), _king_loss_text(explained.king_loss)))
    yield page.figure(
        "".join(_picture(svg, caption, f"b{key}{i}") for i, (svg, caption) in enumerate(pictures)),
        f"The true board and the expected one before {explained.played}",
    )
    if explained.actions:
        yield _action_table(explained)


def _picture(svg: str, caption: str, name: str) -> str:
    return (
        '<span style="display:inline-block;width:18rem;margin-right:1rem;vertical-align:top">'
        f'{page.inline_svg(svg, name)}<span class="faint">{caption}</span></span>'
    )


def _action_table(explained: ExplainedAction) -> str:
    shown = [*explained.actions[:_SHOWN]]
    shown += [action for action in explained.actions[_SHOWN:] if action.action == explained.played]
    columns = [
        (name, cells)
        for name, text in _COLUMNS
        if any(cells := [text(action) for action in shown])  # senses and moves have different columns
    ]
    marks = {explained.chosen: "|planner"}
    marks[explained.played] = "|played" + marks.get(explained.played, "").replace("|", ", ")
    rows = [
        [action.action + marks.get(action.action, ""), *(cells[i] for _, cells in columns)]
        for i, action in enumerate(shown)
    ]
    return page.table(["action", *(name for name, _ in columns)], rows)


def _percent(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:.{digits}%}"


def _true_board(explained: ExplainedAction, side: int) -> str:
    board = chess.Board(explained.board)
    arrows = []
    fill: dict[chess.Square, str] = {}
    for text, color in ((explained.played, _PLAYED), (explained.chosen, _CHOSEN)):
        if explained.phase == "move" and text != "pass":
            arrows.append(_arrow(text, color))
        elif text.startswith("sense ") and text != "sense none":
            centre = chess.parse_square(text.removeprefix("sense "))
            shown = chess.SquareSet(chess.BB_KING_ATTACKS[centre] | chess.BB_SQUARES[centre])
            fill |= dict.fromkeys(shown, color[:7] + "66")
    return chess.svg.board(board, orientation=side == 0, arrows=arrows, fill=fill, size=300)


def _expected_board(explained: ExplainedAction, side: int) -> str:
    board = chess.Board(explained.board)
    for square in chess.SquareSet(board.occupied_co[chess.WHITE if side else chess.BLACK]):
        board.remove_piece_at(square)
    fill = {
        square: f"#cc2222{round(255 * min(chance, 1.0)):02x}"
        for square, chance in enumerate(explained.opponent_squares)
        if chance > 0.004
    }
    return chess.svg.board(board, orientation=side == 0, fill=fill, size=300)


def _king_loss_board(loss: KingLoss, side: int) -> str:
    """The board before the move, with the move and the capture of the king."""
    arrows = [] if loss.action == "pass" else [_arrow(loss.action, _PLAYED)]
    if loss.capture is not None:
        arrows.append(_arrow(loss.capture, _DANGER))
    return chess.svg.board(chess.Board(loss.board), orientation=side == 0, arrows=arrows, size=300)


def _king_loss_text(loss: KingLoss) -> str:
    capture = "" if loss.capture is None else f" to {loss.capture}"
    return f"the likeliest board ({loss.share:.1%}) on which {loss.action} loses the king{capture}"


def _arrow(move: str, color: str) -> chess.svg.Arrow:
    parsed = chess.Move.from_uci(move)
    return chess.svg.Arrow(parsed.from_square, parsed.to_square, color=color)


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
            help="HTML page with boards; by default GAME-explained.html in the current folder, with the "
            "number of the game for a .jsonl file; none with --json."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show why the planner would sense and move where.

    A recorded game is replayed. The planner chooses at each action of the player, and then receives what
    really happened. It takes seconds to minutes for a turn, by the number of possible boards; Ctrl-C ends it
    with the page so far.
    """
    record = read_record(game, number)
    final = final_state(record)
    colors = tuple(PlayerColor) if player is None else (player,)
    if not any(count_turns(final, color.side) for color in colors):
        raise UserError(
            f"{game}: there is no turn {'' if player is None else f'of {player.value} '}to explain"
        )
    names = record.first or "somebody", record.second or "somebody"
    source = game.name if has_one_game(game) else f"game {number:,} of {game.name}"
    facts = ReplayFacts(source, names, _result(record, final, names), bot, playouts, seed)
    began, stop = time.perf_counter(), Event()
    with interruptible(stop.set), _make_planner(bot, playouts) as planner:
        explanations = _explain_players(final, facts, colors, planner, turns, stop)
    if as_json:
        results = {color.value: [*map(asdict, actions)] for color, actions in explanations.items()}
        print(json.dumps(results if player is None else results[player.value]))
    else:
        _print(facts, explanations)
    if out is None and not as_json:
        stem = re.sub(r"\.jsonl?(\.\w+)?$", "", game.name)
        out = Path(f"{stem}{'' if has_one_game(game) else f'-{number}'}-explained.html")
    if out is not None:
        atomic_write(out, game_page(facts, explanations))
        actions = sum(map(len, explanations.values()))
        seconds = time.perf_counter() - began
        make_console(stderr=as_json).print(
            f"written: {foreign(str(out))} ({actions} actions in {seconds:.0f} s)", soft_wrap=True
        )
    if stop.is_set():
        raise UserError("interrupted", code=INTERRUPTED)


def _result(record: GameRecord, final: RbcState, names: Sequence[str]) -> str:
    """The result of a game in a sentence."""
    after = f"after {count_turns(final, 0)} turns"
    if record.result is None:
        return f"The result is not known; the record ends {after}."
    if record.result == 0.5:
        return f"A draw {after}."
    winner = names[0 if record.result == 1 else 1]
    how = "by resignation" if final.outcome is None else "by capturing the king"
    how = "on time" if record.ending is Termination.TIME else how
    return f"{winner} won {how} {after}."


def _explain_players(
    game: RbcState,
    facts: ReplayFacts,
    colors: Sequence[PlayerColor],
    planner: PlannerBot,
    turns: int | None,
    stop: Event,
) -> dict[PlayerColor, list[ExplainedAction]]:
    """The actions of each player; those so far after `stop`."""
    explanations: dict[PlayerColor, list[ExplainedAction]] = {color: [] for color in colors}
    totals = {color: min(count_turns(game, color.side), turns or 10**9) for color in colors}
    before = 0
    with ProgressBar("explaining", lines=True) as bar:
        for color in colors:
            opponent = facts.names[1 - color.side]
            for explained in explain_game(game, planner, color.side, facts.seed, opponent):
                if explained.turn > totals[color]:
                    break
                explanations[color].append(explained)
                done = before + explained.turn - (explained.phase == "sense")
                text = f"explaining {color.value}'s turn {explained.turn}, {explained.phase}"
                bar.on_progress(text, done, sum(totals.values()))
                if stop.is_set():
                    return explanations
            before += totals[color]
    return explanations


def _make_planner(name: str, playouts: int) -> PlannerBot:
    config = load_bot_config(name)
    made = make_bot(replace(config, use_clock=False, planner=replace(config.planner, playouts=playouts)))
    if not isinstance(made, PlannerBot):
        raise UserError(f"the bot '{name}' is no planner")
    return made


def _print(facts: ReplayFacts, explanations: Mapping[PlayerColor, Sequence[ExplainedAction]]) -> None:
    console = make_console()
    console.print(foreign(facts.result))
    for color, actions in explanations.items():
        if actions:
            console.print(f"[bold]{foreign(summary(facts, color, actions))}[/]")
            console.print(_table(actions))


def _table(actions: Sequence[ExplainedAction]) -> Table:
    headers = ("turn", "phase", "boards", "true board", "played", "planner", "why")
    table = number_table(*headers, numbers=("boards", "true board"))
    for explained in actions:
        table.add_row(
            str(explained.turn) if explained.phase == "sense" else "",
            explained.phase,
            f"{'' if explained.exact else '~'}{explained.boards:,}",
            f"{explained.true_share:.0%}",
            foreign(explained.played),
            foreign(explained.chosen),
            foreign(explained.reason + _risk(explained)),
        )
    return table


def _risk(explained: ExplainedAction) -> str:
    """A warning if the action played risks the king."""
    loss = explained.king_loss
    if loss is None or loss.action != explained.played:
        return ""
    risk = next(action.king_loss for action in explained.actions if action.action == explained.played)
    return f"; {explained.played} risks the king on {risk:.0%} of the boards"
