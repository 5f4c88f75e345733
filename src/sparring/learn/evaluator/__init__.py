"""Networks that evaluate Expendibots: positions from self-play, and what learns from them.

`learn_evaluator` goes round: play, learn from all games so far, play with what was learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.learn.evaluator.selfplay import gather, read_positions
from sparring.learn.evaluator.training import Epoch, Evaluator, Recipe, train
from sparring.search.evaluations import Evaluation
from sparring.search.evaluations.networks import open_network, write_network

__all__ = ["Epoch", "Recipe", "learn_evaluator"]


def learn_evaluator(
    folder: Path,
    evaluation: Evaluation,
    recipe: Recipe,
    *,
    generations: int,
    games: int,
    nodes: int,
    origin: dict[str, Any],
    played: Callable[[int, int, int], None],
    learned: Callable[[int, Epoch], None],
) -> Path:
    """The file of the last generation's network. What the folder has already is not done again.

    The first generation plays with the evaluation, the others with the network of the one before. `played`
    hears of a generation's games and positions, `learned` of its passes.
    """
    network, path = None, folder
    for generation in range(generations):
        path = folder / f"network-{generation}.npz"
        if not path.exists():
            found = gather(
                folder / f"games-{generation}",
                evaluation,
                games=games,
                nodes=nodes,
                seed=recipe.seed + generation,
                network=network,
            )
            for number, count in found:
                played(generation, number, count)
            positions = read_positions([folder / f"games-{each}" for each in range(generation + 1)])
            evaluator, journal = Evaluator.untrained(recipe, positions), []
            for epoch in train(evaluator, positions, recipe):
                journal.append(asdict(epoch))
                learned(generation, epoch)
            about = {**origin, "generation": generation, "positions": len(positions), "epochs": journal}
            write_network(evaluator.layers(), about, path)
        network = open_network(path)
    return path
