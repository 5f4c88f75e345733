"""A game of reconnaissance blind chess between two bots, saved for `sparring rbc track` and `rbc explain`."""

from __future__ import annotations

import sparring


def main() -> None:
    """Plays a game and writes game.json in the current folder."""
    with (
        sparring.load_player("rbc", bot="inference-1") as careful,
        sparring.load_player("rbc", bot="attacker") as attacker,
    ):
        result = sparring.play_game("rbc", careful, attacker, seed=3)
    print(f"{careful.name} - {attacker.name}: {result.score(0)} ({result.reason})")
    if result.record is not None:
        result.record.save("game.json")


if __name__ == "__main__":
    main()
