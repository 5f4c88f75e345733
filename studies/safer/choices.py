"""Positions in which people chose between the engine's first choice and the safer move.

Every step but the last looks at the position alone, never at what was played or at the result:

1. Plies of held-out games in an order that the game's identity decides, so a run that is stopped has a random
   sample.
2. The engine's likely choice is the likeliest move of `strong`. Positions count in which people play it with
   a probability within `ENGINE_SHARE`: elsewhere nearly everybody or nobody plays it, and nothing can be
   compared.
3. The safer move is the candidate with the best expectation at its leaf: `human` values the position after it
   between the two players. Positions in which it is the engine's move are left out.
4. Trees of continuations below both moves must say the same: the safer move's expectation is higher.
5. A small search with `strong` must confirm the engine's choice.
6. The played move must be one of both.

Step 6 is taken before steps 4 and 5, because trees and searches are dear: that changes no row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring._core import PuctConfig
from sparring.base.storage import atomic_writer
from sparring.networks import Position
from sparring.policies import Policy, load_policy
from sparring.records import RecordedGame
from sparring.search.expectation import ExpectationTree, grow
from sparring.search.lockstep import search_together
from studies.safer.games import ply_order

PART = 25
"""Games of a part."""
PLIES = 10
"""Plies of a game that a pass looks at."""
ENGINE_SHARE = (0.05, 0.75)
"""Probabilities of the engine's move for people."""
LEAST_SHARE = 0.08
"""Least probability of a candidate."""
CANDIDATES = 3
"""Most candidates beside the engine's move."""
UNDECIDED = (0.04, 0.96)
"""Expected scores between people, before the move."""
TREE = 8
"""Positions of the trees that follow both moves."""
ENGINE_NODES = 12
"""Visits of the engine's search."""


@dataclass
class _Choice:
    """A position on its way through the steps."""

    game: RecordedGame
    source: int
    position: Position
    ply: int
    played: int
    moves: list[int]
    """The engine's move first."""
    shares: list[float]
    value: float
    """Expected score of the mover before the move, by `human`."""
    strong: float
    """The same by `strong`."""
    entropy: float
    leaves: list[float]
    safer: int = -1
    """Place in `moves`."""


def write_choices(
    games: Sequence[tuple[int, RecordedGame]], folder: Path, passes: int, backend: str, stop_at: float
) -> None:
    """Writes the choices of games (each with the number of its source), part by part, until the time
    `stop_at`."""
    import time

    human = load_policy("human", "chess", backend=backend)
    strong = load_policy("strong", "chess", backend=backend)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(passes):
        for start in range(0, len(games), PART):
            target = folder / f"choices-{number}-{start // PART:04}.npz"
            if target.exists():
                continue
            if time.time() > stop_at:
                return
            columns = _choices(games[start : start + PART], number, human, strong)
            with atomic_writer(target) as temporary, temporary.open("wb") as file:
                np.savez(file, **columns)


def _choices(
    games: Sequence[tuple[int, RecordedGame]], number: int, human: Policy, strong: Policy
) -> dict[str, Any]:
    funnel: Counter[str] = Counter()
    found = _roots(games, number, human, strong, funnel)
    found = _with_safer(found, human, funnel)
    rows = _confirmed(found, strong, human, funnel)
    names = list(rows[0]) if rows else []
    columns: dict[str, Any] = {name: np.array([row[name] for row in rows]) for name in names}
    return columns | {f"count_{name}": np.array(count) for name, count in funnel.items()}


def _roots(
    games: Sequence[tuple[int, RecordedGame]],
    number: int,
    human: Policy,
    strong: Policy,
    funnel: Counter[str],
) -> list[_Choice]:
    """Steps 1 and 2."""
    asked: list[tuple[RecordedGame, int, Position, int, int]] = []
    for source, game in games:
        clocks = game.clocks
        for ply in ply_order(game)[number * PLIES : (number + 1) * PLIES]:
            state = game.states[ply]
            if state.outcome is not None or len(state.legal_moves()) < 2:
                continue
            mover = state.to_move
            position = Position(state, game.ratings[mover], game.ratings[1 - mover], clocks[ply - 2])
            asked.append((game, source, position, ply, game.states[ply + 1].last_move))
    funnel["looked"] += len(asked)
    predicted = human.predict([Position(p.state, p.rating, p.opponent_rating) for _, _, p, _, _ in asked])
    open_rows = [
        row
        for row, prediction in enumerate(predicted)
        if UNDECIDED[0] <= (1 + (prediction.value or 0)) / 2 <= UNDECIDED[1]
        and prediction.probabilities.max() <= max(ENGINE_SHARE[1], 1 - ENGINE_SHARE[0])
    ]
    funnel["undecided"] += len(open_rows)
    by_strong = strong.predict([Position(asked[row][2].state) for row in open_rows])
    choices = []
    for row, engine in zip(open_rows, by_strong, strict=True):
        game, source, position, ply, played = asked[row]
        prediction = predicted[row]
        first = engine.moves[int(engine.probabilities.argmax())]
        share = float(prediction.probabilities[prediction.moves.index(first)])
        if not ENGINE_SHARE[0] <= share <= ENGINE_SHARE[1]:
            continue
        funnel["engine's move is a choice"] += 1
        likely = [move for move in prediction.top(CANDIDATES) if move.probability >= LEAST_SHARE]
        moves = list(dict.fromkeys([first, *(move.move for move in likely)]))
        if len(moves) < 2 or played not in moves:
            continue
        shares = [float(prediction.probabilities[prediction.moves.index(move)]) for move in moves]
        logs = np.log(np.maximum(prediction.probabilities, 1e-12))
        choices.append(
            _Choice(
                game,
                source,
                position,
                ply,
                moves.index(played),
                moves,
                shares,
                (1 + (prediction.value or 0)) / 2,
                (1 + (engine.value or 0)) / 2,
                float(-(prediction.probabilities * logs).sum()),
                [],
            )
        )
    return choices


def _trees(choices: Sequence[_Choice], places: Sequence[Sequence[int]]) -> list[list[ExpectationTree]]:
    """A tree for each of these places in the choices' moves."""
    return [
        [
            ExpectationTree(
                choice.position.state.play(choice.moves[at]), (choice.game.ratings[0], choice.game.ratings[1])
            )
            for at in some
        ]
        for choice, some in zip(choices, places, strict=True)
    ]


def _grow(trees: list[list[ExpectationTree]], size: int, human: Policy) -> None:
    grow([tree for some in trees for tree in some], size, human)


def _with_safer(choices: list[_Choice], human: Policy, funnel: Counter[str]) -> list[_Choice]:
    """Steps 3 and 6."""
    trees = _trees(choices, [range(len(choice.moves)) for choice in choices])
    _grow(trees, 1, human)
    kept = []
    for choice, some in zip(choices, trees, strict=True):
        choice.leaves = [tree.expectation(choice.position.state.to_move) for tree in some]
        choice.safer = int(np.argmax(choice.leaves))
        funnel["played a candidate"] += 1
        if choice.safer == 0:
            continue
        funnel["safer differs"] += 1
        if choice.played in (0, choice.safer):
            funnel["played one of both"] += 1
            kept.append(choice)
    return kept


def _confirmed(
    choices: list[_Choice], strong: Policy, human: Policy, funnel: Counter[str]
) -> list[dict[str, Any]]:
    """Steps 4 and 5."""
    grown = _trees(choices, [(0, choice.safer) for choice in choices])
    _grow(grown, TREE, human)
    followed = [
        (choice, some)
        for choice, some in zip(choices, grown, strict=True)
        if some[1].expectation(choice.position.state.to_move)
        > some[0].expectation(choice.position.state.to_move)
    ]
    funnel["trees agree"] += len(followed)
    searched = search_together(
        strong,
        [Position(choice.position.state) for choice, _ in followed],
        PuctConfig(batch=1),
        ENGINE_NODES,
    )
    kept = [
        (choice, some, search)
        for (choice, some), search in zip(followed, searched, strict=True)
        if int(search.moves[search.ranked()[0]]) == choice.moves[0]
    ]
    funnel["engine's move confirmed"] += len(kept)
    rows = []
    for choice, some, search in kept:
        state, position = choice.position.state, choice.position
        mover = state.to_move
        result = choice.game.result
        assert result is not None
        values = dict(zip(search.moves.tolist(), search.values.tolist(), strict=True))
        rows.append(
            {
                "game": choice.game.identity,
                "source": choice.source,
                "ply": choice.ply,
                "mover": mover,
                "rating": position.rating,
                "opponent": position.opponent_rating,
                "clock": np.nan if position.clock is None else position.clock,
                "score": result if mover == 0 else 1 - result,
                "played_safer": choice.played == choice.safer,
                "engine_share": choice.shares[0],
                "safer_share": choice.shares[choice.safer],
                "value": choice.value,
                "strong_value": choice.strong,
                "entropy": choice.entropy,
                "engine_leaf": choice.leaves[0],
                "safer_leaf": choice.leaves[choice.safer],
                "engine_tree": some[0].expectation(mover),
                "safer_tree": some[1].expectation(mover),
                "engine_search": values[choice.moves[0]],
                "safer_search": values[choice.moves[choice.safer]],
                "fen": state.text(),
                "engine_move": state.move_text(choice.moves[0]),
                "safer_move": state.move_text(choice.moves[choice.safer]),
            }
        )
    return rows
