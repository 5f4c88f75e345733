"""Analysis over GTP, in the formats of Leela Zero and KataGo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sparring.engines.analysis import PvLine, search_pv_lines
from sparring.engines.gtp_board import COLOURS, GtpError
from sparring.engines.uci_info import pv_texts
from sparring.games import Move, ParseError
from sparring.networks.prediction import Prediction
from sparring.search import SearchResult

_WORDS_WITH_ONE = frozenset(
    ("interval", "minmoves", "maxmoves", "ownership", "movesownership", "pvvisits", "rootinfo")
)


@dataclass(frozen=True)
class AnalyzeOptions:
    """The arguments of an analysis command."""

    player: int | None = None
    interval: float = 1.0
    """Seconds between two lines."""
    max_moves: int | None = None
    """Most moves in a line; None for all."""
    allow: tuple[Move, ...] = ()
    avoid: frozenset[Move] = field(default_factory=frozenset)

    def searchmoves(self, state: Any) -> tuple[Move, ...]:
        """The moves to search; empty for all. Raises GtpError if none is left."""
        if not self.allow and not self.avoid:
            return ()
        moves = tuple(
            move
            for move in state.legal_moves()
            if (not self.allow or move in self.allow) and move not in self.avoid
        )
        if not moves:
            raise GtpError("no move is left to search")
        return moves


def parse_analyze_options(words: Sequence[str], state: Any) -> AnalyzeOptions:
    """Parses [colour] [centiseconds] and pairs such as `interval 50`. Raises GtpError."""
    rest = [word.lower() for word in words]
    player = COLOURS[rest.pop(0)] if rest and rest[0] in COLOURS else None
    values: dict[str, str] = {}
    if rest and rest[0].isdecimal():
        values["interval"] = rest.pop(0)
    allow: list[Move] = []
    avoid: list[Move] = []
    while rest:
        word = rest.pop(0)
        if word in ("allow", "avoid") and len(rest) >= 3:
            (allow if word == "allow" else avoid).extend(_points(rest[1], state))
            del rest[:3]  # a colour, the points and a depth
        elif word in _WORDS_WITH_ONE and rest:
            values[word] = rest.pop(0)
        else:
            raise GtpError(f"syntax error: '{word[:40]}' is not understood")
    interval, max_moves = (_whole(values.get(key), key) for key in ("interval", "maxmoves"))
    seconds = 1.0 if interval is None else max(interval / 100, 0.02)
    return AnalyzeOptions(player, seconds, max_moves, tuple(allow), frozenset(avoid))


def lz_analyze_line(state: Any, found: SearchResult, options: AnalyzeOptions) -> str:
    """A line of `lz-analyze`: win rates in ten-thousandths."""
    return " ".join(
        f"info move {state.move_text(line.moves[0])} visits {line.visits} winrate {_ten_thousandths(line)} "
        f"prior {round(10_000 * line.prior)} lcb {_ten_thousandths(line)} order {order} "
        f"pv {' '.join(pv_texts(state, line.moves))}"
        for order, line in enumerate(_lines(state, found, options))
    )


def kata_analyze_line(state: Any, found: SearchResult, options: AnalyzeOptions) -> str:
    """A line of `kata-analyze`: win rates from 0 to 1, and score leads if the network has them."""
    points = _points_ahead(found.evaluation)
    return " ".join(
        f"info move {state.move_text(line.moves[0])} visits {line.visits} utility {line.value:.6f} "
        f"winrate {_winrate(line):.6f} {points}prior {line.prior:.6f} lcb {_winrate(line):.6f} "
        f"utilityLcb {line.value:.6f} order {order} pv {' '.join(pv_texts(state, line.moves))}"
        for order, line in enumerate(_lines(state, found, options))
    )


def _lines(state: Any, found: SearchResult, options: AnalyzeOptions) -> list[PvLine]:
    return search_pv_lines(found, options.searchmoves(state))[: options.max_moves]


def raw_network(state: Any, prediction: Prediction) -> str:
    """The answer of `kata-raw-nn`: the prediction of a position, from White's point of view."""
    value = prediction.value or 0.0
    white = value if state.to_move else -value
    chances = dict(zip(prediction.moves, prediction.probabilities, strict=True))
    size = state.size
    rows = [
        " ".join(_chance(chances.get(row * size + column)) for column in range(size))
        for row in reversed(range(size))
    ]
    facts = [f"whiteWin {(1 + white) / 2:.6f}", f"whiteLoss {(1 - white) / 2:.6f}", "noResult 0.000000"]
    if prediction.lead is not None:
        facts.append(f"whiteLead {prediction.lead if state.to_move else -prediction.lead:.3f}")
    return "\n".join(
        ["symmetry 0", *facts, "policy", *rows, f"policyPass {_chance(chances.get(size * size))}"]
    )


def _chance(probability: Any) -> str:
    return "NAN" if probability is None else f"{probability:.6f}"


def _points_ahead(evaluation: Prediction | None) -> str:
    if evaluation is None or evaluation.lead is None:
        return ""
    return f"scoreMean {evaluation.lead:.3f} scoreLead {evaluation.lead:.3f} "


def _winrate(line: PvLine) -> float:
    return (1 + (line.value or 0.0)) / 2


def _ten_thousandths(line: PvLine) -> int:
    return round(10_000 * _winrate(line))


def _points(text: str, state: Any) -> list[Move]:
    try:
        return [state.parse_move(vertex) for vertex in text.split(",")]
    except ParseError:
        raise GtpError(f"invalid coordinate in '{text[:40]}'") from None


def _whole(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise GtpError(f"syntax error: {name} is a whole number")
    return int(text)
