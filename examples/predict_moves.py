"""The moves that people of three ratings play after 1. e4 e5 2. Qh5 Nc6 3. Bc4, which threatens mate."""

from __future__ import annotations

import sparring


def main() -> None:
    """Prints the three likeliest moves at each rating."""
    chess = sparring.load_game("chess")
    state = chess.initial()
    for move in ("e4", "e5", "Qh5", "Nc6", "Bc4"):
        state = chess.play(state, chess.parse_move(state, move))
    print(state)
    people = sparring.load_policy("human", game="chess")
    ratings = (1000, 1500, 2000)
    predictions = people.predict([sparring.Position(state, rating=rating) for rating in ratings])
    for rating, prediction in zip(ratings, predictions, strict=True):
        moves = ", ".join(f"{move.name} {move.probability:.0%}" for move in prediction.top(3))
        print(f"{rating}: {moves}")


if __name__ == "__main__":
    main()
