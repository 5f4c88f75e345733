"""Figures of a run: figures A.2 and A.3 of the Expendibots report. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparring.base.plot_style import INK_COLOR, LINE_COLORS, label_line_ends, open_pyplot, save_svg
from sparring.search.linear_evaluation import LinearEvaluation, feature_names, stage_names
from sparring.training.treestrap.run import TrainingBlock

_LARGEST = 7
"""Weights shown for each stage."""


def weights_over_time(
    game: str, start: LinearEvaluation, blocks: Sequence[TrainingBlock], folder: Path
) -> Path:
    """Figure A.2: the largest weights of each stage after every block of games.

    Writes `weights-over-time.svg` into `folder`. Returns the file's path. Raises MissingExtra.
    """
    pyplot = open_pyplot()
    stages, features = stage_names(game), feature_names(game)
    games = [0, *(block.games for block in blocks)]
    history = np.array([start.weights, *(block.weights for block in blocks)])
    figure, axes = pyplot.subplots(len(stages), 1, figsize=(8, 2.6 * len(stages) + 0.5), squeeze=False)
    for row, (stage, axis) in enumerate(zip(stages, axes[:, 0], strict=True)):
        largest = np.argsort(-np.abs(history[-1, row]))[:_LARGEST]
        ends = []
        for colour, column in zip(LINE_COLORS, largest, strict=False):
            line = history[:, row, column]
            axis.plot(games, line, color=colour, linewidth=1.4)
            ends.append((float(games[-1]), float(line[-1]), features[column], colour))
        axis.set_title(f"{stage}: the {len(largest)} largest weights")
        axis.set_ylabel("weight")
        label_line_ends(axis, ends)
    axes[-1, 0].set_xlabel("games")
    figure.tight_layout()
    return save_svg(figure, folder, "weights-over-time")


def weights_by_feature(evaluation: LinearEvaluation, folder: Path) -> Path:
    """Figure A.3: all weights by feature and stage.

    Writes `weights-by-feature.svg` into `folder`. Returns the file's path. Raises MissingExtra.
    """
    pyplot = open_pyplot()
    stages, features = stage_names(evaluation.game), feature_names(evaluation.game)
    bases = [name for name in features if "," not in name]
    copies = ["", ", ahead", ", behind"] if len(bases) < len(features) else [""]
    columns = [(stage, copy) for stage in range(len(stages)) for copy in copies]
    table = np.array(
        [
            [evaluation.weights[stage, features.index(base + copy)] for stage, copy in columns]
            for base in bases
        ]
    )
    figure, axis = pyplot.subplots(figsize=(2.5 + 0.45 * len(columns), 1.5 + 0.2 * len(bases)))
    most = float(np.abs(table).max()) or 1.0
    # Weights differ by orders of magnitude: colours show their cube roots.
    image = axis.imshow(np.cbrt(table / most), cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axis.set_yticks(range(len(bases)), bases)
    axis.set_xticks(
        range(len(columns)),
        [f"{stages[stage]}{copy.replace(',', '')}" for stage, copy in columns],
        rotation=60,
        ha="right",
    )
    for y, x in np.argwhere(np.abs(table) >= most / 20):
        dark = abs(table[y, x]) > most / 3
        ink = "white" if dark else INK_COLOR
        axis.text(x, y, f"{table[y, x]:.0f}", ha="center", va="center", fontsize=6, color=ink)
    bar = figure.colorbar(image, ax=axis, ticks=[-1, -0.5, 0, 0.5, 1], shrink=0.4)
    bar.ax.set_yticklabels([f"{most * tick**3:.0f}" for tick in (-1, -0.5, 0, 0.5, 1)])
    axis.set_title("weights by feature and stage")
    return save_svg(figure, folder, "weights-by-feature")
