"""The first move of an installed Sparring, by Python alone: `python tests/packaging/first_move.py`.

It needs nothing but the package, on any system.
"""

from __future__ import annotations

import sparring


def main() -> None:
    """Prints the likeliest answer of people of 1500 to 1. e4."""
    from sparring.games import load_game
    from sparring.networks import Position, load_network

    chess = load_game("chess")
    state = chess.initial()
    state = chess.play(state, chess.parse_move(state, "e4"))
    (prediction,) = load_network("human", game="chess").predict([Position(state, 1500, 1500)])
    best = prediction.top(1)[0]
    assert best.probability > 0.1
    print(f"Sparring {sparring.__version__}: 1. e4 {best.name} ({best.probability:.0%})")


if __name__ == "__main__":
    main()
