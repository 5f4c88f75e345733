"""The page of `sparring rbc explain`: boards, the considered actions, and the reasons of the choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import chess
import chess.svg

from sparring.cli.rbc import PlayerColor
from sparring.players.rbc.explanation import ConsideredAction, ExplainedAction, KingLoss
from sparring.reports import page

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
    ("score", lambda each: f"{each.score:.3f}"),
    ("rating", lambda each: _percent(each.rating, 1)),
    ("king lost", lambda each: _percent(each.king_loss, 1)),
    ("win after", lambda each: _percent(each.win_after, 1)),
    ("bits", lambda each: "" if each.information is None else f"{each.information:.1f}"),
    ("policy", lambda each: _percent(each.prior, 1)),
    ("playouts", lambda each: f"{each.visits:,}" if each.visits else ""),
    ("win", lambda each: _percent(each.value)),
    ("worst", lambda each: _percent(each.worst)),
)
"""Columns of the considered actions; one without entries is left out."""


@dataclass(frozen=True)
class ReplayFacts:
    """What the page says about the game and its replay."""

    source: str
    """The file, and the number of the game in it."""
    names: Mapping[PlayerColor, str]
    result: str
    bot: str
    playouts: int
    seed: int


def game_page(facts: ReplayFacts, found: Mapping[PlayerColor, Sequence[ExplainedAction]]) -> str:
    """The page of the explained actions, by player."""
    names = [f"{name} ({color.value.capitalize()})" for color, name in facts.names.items()]
    return page.page(" against ".join(names), _parts(facts, found))


def summary(facts: ReplayFacts, color: PlayerColor, actions: Sequence[ExplainedAction]) -> str:
    """How well the planner guesses as this player, and how often it would play the same."""
    opponent = facts.names[PlayerColor.BLACK if color is PlayerColor.WHITE else PlayerColor.WHITE]
    headset = actions[0].headset
    by = f" by its headset {headset}" if headset else ""
    same = sum(each.played == each.chosen for each in actions)
    share = sum(each.true_share for each in actions) / len(actions)
    return (
        f"{color.value.capitalize()}: the planner predicts {opponent}{by}. It chooses {same} of "
        f"{len(actions)} actions as {facts.names[color]} did. On average {share:.0%} of its particles are on "
        "the true board."
    )


def _parts(facts: ReplayFacts, found: Mapping[PlayerColor, Sequence[ExplainedAction]]) -> Iterator[str]:
    yield page.paragraph(f"{facts.result} From {facts.source}.")
    yield page.paragraph(
        f"The game is replayed to the bot {facts.bot}. At each action it chooses, and then receives what "
        f"really happened. It has {facts.playouts:,} playouts (seed {facts.seed}) and no clock. A planner "
        "that played this game had its clock and another seed, so it may have chosen otherwise."
    )
    for color, actions in found.items():
        if actions:
            yield page.paragraph(summary(facts, color, actions))
    yield page.definitions(_LEGEND)
    for color, actions in found.items():
        for number, each in enumerate(actions):
            yield from _action_parts(each, color, f"{color.value[0]}{number}")


def _action_parts(each: ExplainedAction, color: PlayerColor, key: str) -> Iterator[str]:
    """One action; `key` makes the names in its pictures unique on the page."""
    side = int(color is PlayerColor.BLACK)
    yield page.heading(
        f"{color.value.capitalize()}, turn {each.turn}, {each.phase}: {each.played.removeprefix('sense ')}"
    )
    about = "" if each.exact else "About "
    count = f"{about}{each.boards:,} possible board{'' if each.boards == 1 else 's'}"
    choice = "The planner agrees" if each.chosen == each.played else f"Planner: {each.chosen}"
    yield page.paragraph(
        f"{choice} ({each.reason}). {count}; {each.true_share:.0%} of the particles are on the true board. "
        f"The opponent is thought to consider {each.opponent_boards:,.0f}."
    )
    for reason in each.why:
        yield page.paragraph(reason)
    pictures = [(_true_board(each, side), "true board"), (_expected_board(each, side), "expected pieces")]
    if each.king_loss is not None:
        pictures.append((_king_loss_board(each.king_loss, side), _king_loss_text(each.king_loss)))
    yield page.figure(
        "".join(_picture(svg, caption, f"b{key}{i}") for i, (svg, caption) in enumerate(pictures)),
        f"The true board and the expected one before {each.played}",
    )
    if each.actions:
        yield _table(each)


def _picture(svg: str, caption: str, name: str) -> str:
    return (
        '<span style="display:inline-block;width:18rem;margin-right:1rem;vertical-align:top">'
        f'{page.inline_svg(svg, name)}<span class="faint">{caption}</span></span>'
    )


def _table(each: ExplainedAction) -> str:
    shown = [*islice(each.actions, _SHOWN)]
    shown += [action for action in each.actions[_SHOWN:] if action.action == each.played]
    columns = [
        (name, cells)
        for name, text in _COLUMNS
        if any(cells := [text(action) for action in shown])  # senses and moves have different columns
    ]
    marks = {each.chosen: "|planner"}
    marks[each.played] = "|played" + marks.get(each.played, "").replace("|", ", ")
    rows = [
        [action.action + marks.get(action.action, ""), *(cells[i] for _, cells in columns)]
        for i, action in enumerate(shown)
    ]
    return page.table(["action", *(name for name, _ in columns)], rows)


def _percent(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:.{digits}%}"


def _true_board(each: ExplainedAction, side: int) -> str:
    board = chess.Board(each.board)
    arrows = []
    fill: dict[chess.Square, str] = {}
    for text, color in ((each.played, _PLAYED), (each.chosen, _CHOSEN)):
        if each.phase == "move" and text != "pass":
            arrows.append(_arrow(text, color))
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
