"""Conversion: how often people and players win positions that are won."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.errors import JournalMismatch
from sparring.base.storage import Journal, read_journal
from sparring.games import load_game
from sparring.measure.turing import share_with_interval
from sparring.players import PlayerConfig
from sparring.policies import Policy
from sparring.records import RecordedGame
from studies.manners.games import PeoplesEndings, play_together, score

WON = 500
"""Centipawns by which a position is won."""
_NO_EVAL = -32768
_FEW, _SHORT = 4, 3
"""Most pieces of a basic ending, and its least plies."""
_STABLE = 4
"""Plies for which a position must have been won: a first chance is often missed."""
_MATERIAL = {"queen": "Q", "rook": "R", "two bishops": "BB"}


@dataclass(frozen=True)
class WonPosition:
    """A position that one side should win."""

    state: Any
    winner: int
    score: float | None
    """The winner's score in the people's game: 1, 0.5 or 0; None if people did not play it."""
    kind: str = "won"


def won_positions(games: Iterable[RecordedGame], *, first_ply: int = 16) -> list[WonPosition]:
    """The first position of each game that its evaluations say is won, and was so for some plies.

    Games that time ended are left out.
    """
    found = []
    for game in games:
        if game.record.evals is None or game.result is None or game.record.ending == "time":
            continue
        evals = np.frombuffer(game.record.evals, np.int16).astype(int)
        side = np.where(evals == _NO_EVAL, 0, np.sign(evals) * (np.abs(evals) >= WON))
        runs = np.convolve(side, np.ones(_STABLE), "valid")  # of the plies that begin at each ply
        won = np.flatnonzero(np.abs(runs[first_ply:]) == _STABLE)
        if not len(won):
            continue
        last = first_ply + int(won[0]) + _STABLE - 1
        state = game.states[last + 1]
        if state.outcome is None:
            winner = 0 if evals[last] > 0 else 1
            found.append(WonPosition(state, winner, game.result if winner == 0 else 1 - game.result))
    return found


def reached_endings(games: Iterable[RecordedGame]) -> list[tuple[str, float, float, str]]:
    """Games in which people reached a basic ending: (kind, winner's rating, winner's score, how it ended).

    Endings that last less than three plies are left out: a new queen that is captured at once was not won.
    """
    found = []
    for game in games:
        last, kind, winner, plies = game.states[-1], None, 0, 0
        if game.result is None or _pieces(last.text()) > _FEW:
            continue
        state = last
        while state is not None and _pieces(state.text()) <= _FEW:
            if (here := _basic_ending(state.text())) is not None:
                (kind, winner), plies = here, plies + 1
            state = state.previous
        rating = game.ratings[winner]
        if kind is not None and rating is not None and plies > _SHORT:
            score = game.result if winner == 0 else 1 - game.result
            reason = "time or agreement" if last.outcome is None else last.outcome.reason
            found.append((kind, float(rating), score, reason))
    return found


def _pieces(fen: str) -> int:
    return sum(letter.isalpha() for letter in fen.split()[0])


def _basic_ending(fen: str) -> tuple[str, int] | None:
    """(kind, side with the pieces) of a position with a bare king; None for any other."""
    letters = "".join(sorted(letter for letter in fen.split()[0] if letter.isalpha() and letter not in "Kk"))
    for kind, pieces in _MATERIAL.items():
        if letters in (pieces, pieces.lower()):
            return kind, 0 if letters.isupper() else 1
    return None


def basic_endings(kind: str, count: int, rng: np.random.Generator) -> list[WonPosition]:
    """Random positions of a king and some pieces against a bare king, White to move, Black not in check."""
    chess, pieces = load_game("chess"), _MATERIAL[kind]
    found: list[WonPosition] = []
    while len(found) < count:
        squares = rng.permutation(64)[: 2 + len(pieces)].tolist()
        board = dict(zip(squares, "Kk" + pieces, strict=True))
        if len(pieces) == 2 and (sum(divmod(squares[2], 8)) + sum(divmod(squares[3], 8))) % 2 == 0:
            continue  # bishops of one colour
        rows = ("".join(board.get(8 * rank + file, ".") for file in range(8)) for rank in range(8))
        text = "/".join(_counted(row) for row in rows)
        try:
            state = chess.parse(f"{text} w - - 0 1")
        except ValueError:
            continue
        if state.outcome is None:
            found.append(WonPosition(state, 0, None, kind))
    return found


def conversion_positions(people: Sequence[RecordedGame], games: int, seed: int) -> list[WonPosition]:
    """Up to `games` won positions of people's games, and a third as many endings with queen and with rook."""
    rng = np.random.default_rng(seed)
    endings = [
        basic_ending
        for kind in ("queen", "rook")
        for basic_ending in basic_endings(kind, games // 3 + 1, rng)
    ]
    return won_positions(people)[:games] + endings


@dataclass(frozen=True)
class ConvertedGame:
    """How a player played out a won position: a line of a file of games."""

    level: int
    kind: str
    number: int
    """Of the position among those of the level."""
    score: float
    """Of the side that was winning: 1, 0.5 or 0."""
    stalemate: bool
    plies: int
    people: float | None
    """The same score in the people's game; None for basic endings."""
    end: str = ""
    """The last position (FEN); journals of older versions do not have it."""


def convert(
    policy: Policy,
    config: PlayerConfig,
    level: int,
    positions: Sequence[WonPosition],
    *,
    seed: int,
    endings: PeoplesEndings | None = None,
    done: Collection[int] = (),
) -> Iterator[ConvertedGame]:
    """Plays out all positions but those in `done` at once, the player against itself; yields each at its end.

    With `endings` positions of people's games are resigned as people resign; basic endings are played out.
    Draws by the rules, and games of 200 plies, are not won.
    """
    running = [number for number in range(len(positions)) if number not in done]
    basic = [number for number in running if positions[number].score is None]
    of_people = [number for number in running if positions[number].score is not None]
    for numbers, how in ((basic, None), (of_people, endings)):
        starts = [positions[number].state for number in numbers]
        boards = play_together(policy, config, starts, seed=seed, max_plies=200, endings=how, numbers=numbers)
        for board in boards:
            position, outcome = positions[board.number], board.state.outcome
            points = score(board) if position.winner == 0 else 1 - score(board)
            stalemate = outcome is not None and "stalemate" in outcome.reason
            yield ConvertedGame(
                level,
                position.kind,
                board.number,
                points,
                stalemate,
                board.plies,
                position.score,
                board.state.text(),
            )


def conversion_rows(games: Sequence[ConvertedGame]) -> list[dict[str, Any]]:
    """By level and kind of position: wins, draws, losses and stalemates with 95 % intervals of the shares of
    wins and stalemates; for positions of people's games their wins too."""
    rows = []
    for level, kind in sorted({(game.level, game.kind) for game in games}):
        some = [game for game in games if (game.level, game.kind) == (level, kind)]
        row = {"level": level, "kind": kind, "games": len(some)}
        row["wins"] = share_with_interval([game.score == 1 for game in some])
        row["draws"] = sum(game.score == 0.5 for game in some) / len(some)
        row["losses"] = sum(game.score == 0 for game in some) / len(some)
        row["stalemates"] = share_with_interval([game.stalemate for game in some])
        known = [game.people == 1 for game in some if game.people is not None]
        rows.append(row | ({"people": share_with_interval(known)} if known else {}))
    return rows


def people_endings(rows: Sequence[tuple[str, float, float, str]]) -> list[dict[str, Any]]:
    """People's wins and stalemates in basic endings by rating; games that time ended are left out."""
    found = []
    for kind in ("queen", "rook"):
        for low, high in ((0, 1100), (1100, 1500), (1500, 1900), (1900, 4000)):
            some = [row for row in rows if row[0] == kind and low <= row[1] < high and "time" not in row[3]]
            if some:
                wins = float(np.mean([row[2] == 1 for row in some]))
                stalemates = float(np.mean(["stalemate" in row[3] for row in some]))
                entry = {"kind": kind, "from": low, "to": high, "games": len(some)}
                found.append({**entry, "wins": wins, "stalemates": stalemates})
    return found


def _counted(row: str) -> str:
    """A rank in FEN: empty squares as numbers."""
    text, empty = "", 0
    for cell in row + "|":
        if cell == ".":
            empty += 1
            continue
        text += (str(empty) if empty else "") + ("" if cell == "|" else cell)
        empty = 0
    return text


def open_conversion_journal(
    path: Path, games: int, seed: int, conditions: Mapping[str, Mapping[str, Any]]
) -> Journal:
    """The journal of played games. Its header has the conditions of each level: dials and people's games.

    Raises JournalMismatch if it has games of one of the levels under other conditions.
    """
    header, *entries = read_journal(path) or [{}]
    known = header.get("levels", {})
    for level in {str(entry["level"]) for entry in entries} & set(conditions):
        if known.get(level) != conditions[level]:
            raise JournalMismatch(f"{path} has games of level {level} with other dials or people's games")
    levels = {**known, **conditions}
    return Journal(path, header={"games": games, "seed": seed, "levels": levels}, mutable_keys=["levels"])
