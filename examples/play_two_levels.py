"""A game of chess between a level and the style of a rating; the record is saved as PGN."""

from __future__ import annotations

import sparring


def main() -> None:
    """Plays one game and writes game.pgn in the current folder."""
    with (
        sparring.load_player("chess", level=1200) as opponent,
        sparring.load_player("chess", rating=1000) as casual,
    ):
        result = sparring.play_game("chess", opponent, casual, clock="5+3", seed=7)
    print(f"White, level 1200, scores {result.score(0)}: {result.reason}")
    if result.record is not None:
        result.record.save("game.pgn")
        print(result.record.text())


if __name__ == "__main__":
    main()
