"""Writes nora.pgn: 20 games of Nora, a person who does not exist, for the notebooks.

The file is the same every time. Nora plays like people of 1300 and has habits: with White the Bird (1. f4)
and then b3 and Bb2, with Black the Owen (1... b6). Her opponents play like people of 1200 to 1400. Whoever
has lost resigns.
"""

from __future__ import annotations

from pathlib import Path

import chess
import chess.pgn
import numpy as np

import sparring

HABITS = {0: ("f4", "Nf3", "e3", "b3", "Bb2", "Be2", "O-O"), 1: ("b6", "Bb7", "e6", "Nf6", "Be7", "O-O")}
"""Moves that Nora plays as soon as she can, by side."""
HABIT = 0.8
"""Probability that she follows a habit."""
LOST = -0.9
"""Expected result, from -1 to 1, at which a player resigns."""
RATING, GAMES, LONGEST = 1300, 20, 110


def main() -> None:
    """Plays the games."""
    rules, people = sparring.load_game("chess"), sparring.load_policy("human", game="chess")
    games = []
    for number in range(GAMES):
        rng = np.random.default_rng([1300, number])
        nora, other = number % 2, 1200 + 50 * int(rng.integers(5))
        state, habits, result = rules.initial(), list(HABITS[nora]), "1/2-1/2"
        moves: list[str] = []
        while rules.outcome(state) is None and len(moves) < LONGEST:
            side = rules.to_move(state)
            ratings = (RATING, other) if side == nora else (other, RATING)
            (predicted,) = people.predict([sparring.Position(state, *ratings)])
            if len(moves) > 30 and (predicted.value or 0.0) < LOST:
                result = "0-1" if side == 0 else "1-0"
                break
            names = {move.name: move.move for move in predicted.top(len(predicted.moves))}
            habit = next((name for name in habits if name in names), None)
            if side == nora and habit is not None and len(moves) < 16 and rng.random() < HABIT:
                habits.remove(habit)
                move = names[habit]
            else:
                shares = predicted.probabilities.astype(np.float64)
                move = int(predicted.moves[rng.choice(len(shares), p=shares / shares.sum())])
            moves.append(rules.move_text(state, move))
            state = rules.play(state, move)
        outcome = rules.outcome(state)
        if outcome is not None and outcome.winner is not None:
            result = "0-1" if outcome.winner else "1-0"
        games.append(written(moves, nora, other, result, number))
    Path(__file__).with_name("nora.pgn").write_text("\n\n".join(games) + "\n", encoding="utf-8")


def written(moves: list[str], nora: int, other: int, result: str, number: int) -> str:
    """A game as PGN."""
    board = chess.Board()
    for text in moves:
        board.push_uci(text)
    game = chess.pgn.Game.from_board(board)
    names = ["Nora", f"Opponent {number + 1}"]
    ratings = [RATING, other]
    game.headers.update(
        {
            "Event": "A made-up game",
            "Date": f"2026.01.{number + 1:02}",
            "White": names[nora],
            "Black": names[1 - nora],
            "WhiteElo": str(ratings[nora]),
            "BlackElo": str(ratings[1 - nora]),
            "Result": result,
        }
    )
    return str(game)


if __name__ == "__main__":
    main()
