"""How well two policies predict the moves of recorded games, with intervals over games."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from sparring.measure import GameSelection, MeasureOptions, PolicySource, measure

GAMES = Path(__file__).with_name("games.pgn")


def main() -> None:
    """Prints top-1 accuracy and nats a move of each policy on all games of the file."""
    sources = [PolicySource(name, name) for name in ("human", "strong")]
    selection = GameSelection("chess", (GAMES,), split=None, every=4)  # one position in four
    with TemporaryDirectory() as cache:
        report = measure(sources, selection, Path(cache), options=MeasureOptions())
    for name, scores in report["policies"].items():
        every = scores["all"]
        print(
            f"{name}: top-1 {every['top1']:.3f} ({every['low']:.3f} to {every['high']:.3f}), "
            f"{every['nll']:.3f} nats a move, {every['positions']} positions of {report['games']} games"
        )


if __name__ == "__main__":
    main()
