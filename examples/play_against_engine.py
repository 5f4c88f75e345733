"""A level against Stockfish at a rating: an engine's program is a player as any other."""

from __future__ import annotations

import shutil

import sparring

WEAK = {"UCI_LimitStrength": True, "UCI_Elo": 1350}


def main() -> None:
    """Plays two games of at most 40 moves, one with each side."""
    if shutil.which("stockfish") is None:
        print("Install stockfish, or put it into your PATH, to run this example.")
        return
    points = 0.0
    limits = sparring.SearchLimits(nodes=5000)  # of each of its moves, instead of a clock
    with (
        sparring.load_player("chess", level=1400, scale="engine") as ours,
        sparring.load_player("chess", engine=["stockfish"], options=WEAK, limits=limits) as stockfish,
    ):
        for number in range(2):
            white, black = (ours, stockfish) if number == 0 else (stockfish, ours)
            result = sparring.play_game("chess", white, black, seed=number, max_plies=80)
            points += result.score(number) or 0.0
            print(f"{white.name} - {black.name}: {result.score(0)} ({result.reason})")
    print(f"Level 1400 has {points:g} of 2 points against Stockfish at 1350.")


if __name__ == "__main__":
    main()
