"""Scores of searches with a policy on people's moves: one search of each position, scored by every rule."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadConfig
from sparring.base.storage import append_or_rollback, atomic_write
from sparring.measure.samples import Sample
from sparring.measure.scores import SCORE_DTYPE, CachedPolicy, ProgressCallback, cache_key, score
from sparring.networks import Position, Prediction
from sparring.search import PuctConfig, SearchResult, search_together
from sparring.search.move_selection import MoveSelection, by_visits, kl_regularised, regularised_policy

SelectionRule: TypeAlias = Literal["visits", "regularised", "kl"]
RULES: tuple[SelectionRule, ...] = get_args(SelectionRule)
"""The rules that make a policy of a search (`sparring.search.move_selection`)."""
_TREES = 2048
"""Positions that are searched together."""
_PRIOR_SHARE = 1e-5
"""The prior's share in the distribution: it orders moves with equally many visits."""
_VERSION = "search 1"


def search_scores(
    expert: CachedPolicy,
    c_puct: float,
    nodes: int,
    sample: Sample,
    folder: Path,
    on_progress: ProgressCallback = lambda _: None,
) -> NDArray[np.void]:
    """The scores [positions, RULES] (`SCORE_DTYPE`) of a search, leaf by leaf, with `nodes` visits.

    They are kept in a file in `folder`, which a stopped run resumes. `on_progress` is called with the number
    of positions done. Raises BadConfig if the policy gives no values, or OSError.
    """
    key = cache_key(_VERSION, expert.key, f"{c_puct:g}", str(nodes), sample.digest())
    path = folder / f"{key[:20]}.search"
    header = json.dumps({"key": key, "rules": RULES}).encode() + b"\n"
    done = _read(path, header)
    if not len(done):
        atomic_write(path, header)
    parts = [done]
    on_progress(len(done))
    for begin, positions in sample.batches(len(done), _TREES) if len(done) < len(sample) else ():
        played = sample.metadata["played"][begin : begin + len(positions)]
        parts.append(_searched(expert, c_puct, nodes, positions, played))
        append_or_rollback(path, parts[-1].tobytes(), sync=True)
        on_progress(begin + len(positions))
    return np.concatenate(parts)


def _searched(
    expert: CachedPolicy, c_puct: float, nodes: int, positions: list[Position], played: NDArray[np.integer]
) -> NDArray[np.void]:
    try:
        results = search_together(expert.policy, positions, _puct_config(c_puct), nodes)
    except ValueError as error:
        raise BadConfig(f"{expert.name}: {error}") from None
    scored = []
    for rule in RULES:
        selection = selection_rule(rule, c_puct, nodes)
        scored.append(score([_prediction(result, selection(result)) for result in results], played))
    return np.stack(scored, axis=1)


def _puct_config(c_puct: float) -> PuctConfig:
    """Plain PUCT, as the paper's: one leaf at a time, without proofs, without a look for wins in one move."""
    return PuctConfig(c_puct=c_puct, batch=1, solver=False, find_immediate_wins=False)


def _prediction(result: SearchResult, shares: NDArray[np.float64]) -> Prediction:
    """A distribution over the root's moves; the prior orders equally likely ones."""
    mixed = (1 - _PRIOR_SHARE) * shares + _PRIOR_SHARE * result.priors
    return Prediction(tuple(result.moves.tolist()), mixed.astype(np.float32), result.value)


def _read(path: Path, header: bytes) -> NDArray[np.void]:
    """The complete rows of a file if it begins with the header; else no rows."""
    content = path.read_bytes() if path.is_file() else b""
    rows = content[len(header) :] if content.startswith(header) else b""
    whole = len(rows) // (SCORE_DTYPE.itemsize * len(RULES))
    found: NDArray[np.void] = np.frombuffer(
        rows[: whole * SCORE_DTYPE.itemsize * len(RULES)], SCORE_DTYPE
    ).reshape(-1, len(RULES))
    return found


def selection_rule(rule: SelectionRule, c_puct: float, nodes: int) -> MoveSelection:
    """The rule of this name for searches with this c_puct and so many visits."""
    match rule:
        case "visits":
            return by_visits(1.0)
        case "regularised":
            return regularised_policy(c_puct)
        case "kl":
            return kl_regularised(c_puct / math.sqrt(nodes))
