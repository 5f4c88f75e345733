"""A review as one HTML page that a person reads in two minutes: no scripts, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from sparring.games import Game, describe, load_game
from sparring.measure.analysis import game_analysis
from sparring.measure.page import heading, page, paragraph
from sparring.measure.review import MoveReview, Review, line_names

SIGNS = {"": "", "doubtful": "?!", "mistake": "?", "blunder": "??"}
"""The signs of the marks, as people write them."""
_CHART = (640, 160)
_SMALL = "max-width: 19rem; width: 100%; height: auto"


def review_page(review: Review) -> str:
    """The page of a review."""
    rules = load_game(review.game)
    names = [name or side for name, side in zip(review.record.players, rules.spec.players, strict=True)]
    return page(" - ".join(names), _parts(review, rules, names))


def _parts(review: Review, rules: Game[Any], names: Sequence[str]) -> Iterator[str]:
    yield paragraph(summary(review))
    yield _chart(review, rules)
    if review.moments:
        titles = ("The moment", "The two moments", "The three moments")
        yield heading(f"{titles[len(review.moments) - 1]} that mattered")
        for move in review.moments:
            yield _moment(review, rules, move)
    yield heading("Both players")
    yield _players(review, names)
    yield heading("All moves")
    yield _move_list(review)
    rest = [move for move in review.mistakes if move not in review.moments]
    if rest:
        yield heading("The other mistakes")
        for move in rest:
            yield f"<p>{'<br>'.join(map(escape, explanation(review, move)))}</p>"
    yield heading("What the numbers mean")
    yield paragraph(
        "A chance is the score that a side can expect from 0 to 100 %, a draw is 50 %, if both go on without "
        "mistakes. A move is doubtful (?!) if it gives away 5 %, a mistake (?) from 10 %, a blunder (??) "
        "from 20 %. What people play is a prediction for players of the ratings named above.",
        faint=True,
    )


def _marks(review: Review, player: int) -> str:
    """How many mistakes and blunders a player made, such as `2 mistakes and 1 blunder`."""
    marks = [move.mark for move in review.mistakes if move.player == player]
    mistakes, blunders = marks.count("mistake"), marks.count("blunder")
    counts = [_plural(mistakes, "mistake")] if mistakes or not blunders else []
    return " and ".join([*counts, _plural(blunders, "blunder")] if blunders else counts)


def summary(review: Review) -> str:
    """One sentence: both players' mistakes and blunders, the ratings that were assumed, and who analysed."""
    rules, system = load_game(review.game), describe(review.game).ratings
    sides = [f"{side}: {_marks(review, player)}" for player, side in enumerate(rules.spec.players)]
    ratings = [system.format(rating) for rating in review.ratings if rating is not None]
    known = f" Compared with people of {' and '.join(dict.fromkeys(ratings))}." if ratings else ""
    who = {"own search": "Sparring's own search", "network": "the strong network"}.get(
        review.analyst, review.analyst
    )
    return f"{sides[0]}, {sides[1]}.{known} Analysed by {who}."


def explanation(review: Review, move: MoveReview) -> list[str]:
    """What to know of a move, in sentences."""
    rules = load_game(review.game)
    state = review.record.states[move.ply]
    side = rules.spec.players[move.player]
    lines = [
        f"{move_label(review, move)} by {side} gave away {_percent(move.loss)}: "
        f"its chance went from {_percent(move.before)} to {_percent(move.after)}."
    ]
    if move.kind:
        lines.append(str(game_analysis(review.game).kind_titles[move.kind]))
    better = " ".join(line_names(rules, state, move.line))
    mate = f" (mate in {move.mate})" if move.mate is not None and move.mate > 0 else ""
    lines.append(f"Better: {better}{mate}")
    if move.answer:
        answer = " ".join(line_names(rules, rules.play(state, move.move), move.answer))
        lines.append(f"After {move.name}: {answer}")
    lines.append(
        f"{_percent(move.likely)} of people play {move.name} here, {_percent(move.best_likely)} play "
        f"{move.best_name}, {_percent(move.found)} find a good move."
    )
    return lines


def move_label(review: Review, move: MoveReview) -> str:
    """A move with its number and its sign, such as 12... Nf6?"""
    if describe(review.game).numbers_plies:
        number = f"{move.ply + 1}."
    else:
        number = f"{move.ply // 2 + 1}{'.' if move.player == 0 else '...'}"
    return f"{number} {move.name}{SIGNS[move.mark]}"


def _moment(review: Review, rules: Game[Any], move: MoveReview) -> str:
    state = review.record.states[move.ply]
    boards = [
        (f"Played: {move.name}", rules.play(state, move.move)),
        (f"Better: {move.best_name}", rules.play(state, move.best)),
    ]
    figures = "".join(
        f'<figure style="flex: 1 1 14rem">{_board(rules, after, move.player)}'
        f"<figcaption>{escape(title)}</figcaption></figure>"
        for title, after in boards
    )
    text = "<br>".join(map(escape, explanation(review, move)))
    return f'<div style="display: flex; flex-wrap: wrap; gap: 1rem">{figures}</div><p>{text}</p>'


def _board(rules: Game[Any], state: Any, player: int) -> str:
    svg: str = rules.diagram(state).seen_by(player)._repr_svg_()
    return svg.replace("<svg ", f'<svg style="{_SMALL}" role="img" ', 1)


def _chart(review: Review, rules: Game[Any]) -> str:
    """The first player's chance over the moves, with the three moments marked."""
    width, height = _CHART
    chances = [_first(move, move.before) for move in review.moves[:1]]
    chances += [_first(move, move.after) for move in review.moves]
    step = width / max(len(chances) - 1, 1)
    points = " ".join(f"{x * step:.1f},{height * (1 - chance):.1f}" for x, chance in enumerate(chances))
    dots = "".join(
        f'<circle cx="{(move.ply + 1) * step:.1f}" cy="{height * (1 - _first(move, move.after)):.1f}" r="5" '
        f'fill="#c33"><title>{escape(move_label(review, move))}</title></circle>'
        for move in review.moments
    )
    return (
        f'<figure><svg viewBox="0 -6 {width} {height + 12}" role="img">'
        f'<line x1="0" x2="{width}" y1="{height / 2}" y2="{height / 2}" stroke="currentColor" '
        f'stroke-dasharray="4 4" opacity="0.4"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/>{dots}</svg>'
        f'<figcaption class="faint">Chance of {escape(rules.spec.players[0])} over the game</figcaption>'
        "</figure>"
    )


def _first(move: MoveReview, chance: float) -> float:
    """A chance of the mover as that of the first player."""
    return chance if move.player == 0 else 1 - chance


def _players(review: Review, names: Sequence[str]) -> str:
    system = describe(review.game).ratings
    rows = []
    for player, name in enumerate(names):
        own = [move for move in review.moves if move.player == player]
        marks = [sum(move.mark == mark for move in own) for mark in ("doubtful", "mistake", "blunder")]
        loss = sum(move.loss for move in own) / max(len(own), 1)
        level = review.levels[player]
        played = "" if level is None else (
            f"{system.nearest(level.rating)} ({system.nearest(level.low)} to {system.nearest(level.high)})"
        )  # fmt: skip
        cells = [name, *map(str, marks), _percent(loss, 1), played]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    heads = ["player", "doubtful", "mistakes", "blunders", "given away a move", "played like"]
    head = "".join(f"<th>{title}</th>" for title in heads)
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _move_list(review: Review) -> str:
    parts: list[str] = []
    for move in review.moves:
        text = f"{move.name}{SIGNS[move.mark]}"
        if move.player == 0 or describe(review.game).numbers_plies or not parts:
            text = move_label(review, move)
        parts.append(f"<b>{escape(text)}</b>" if move.listed else escape(text))
    return f"<p>{' '.join(parts)}</p>"


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
