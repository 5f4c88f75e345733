"""Players that take the position test: each gives a distribution over the legal moves of every position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparring.games import load_game
from sparring.networks import Position
from sparring.players.player_config import PlayerConfig, load_player_config, shipped_levels
from sparring.players.policy_player import lockstep_distributions
from sparring.policies import load_policy
from sparring.policies.policy import Array
from studies.ace.players import CLASS_NAMES, class_players

Respondent = Callable[[Sequence[Any]], list[Array]]
"""States -> probabilities of the legal moves of each."""


def policy_respondent(
    source: str, rating: int | None, temperature: float, backend: str, batch: int
) -> Respondent:
    """A policy without search; temperature 0 plays the likeliest move."""

    def answer(states: Sequence[Any]) -> list[Array]:
        policy = load_policy(source, "chess", backend=backend, batch=batch)
        found = policy.predict([Position(state, rating, rating) for state in states])
        return [_tempered(each.probabilities.astype(np.float64), temperature) for each in found]

    return answer


def player_respondent(config: PlayerConfig, backend: str, batch: int) -> Respondent:
    """A player: its policy, or its search, with the rule by which it chooses moves; without its book."""

    def answer(states: Sequence[Any]) -> list[Array]:
        policy = load_policy(config.model, "chess", backend=backend, batch=batch)
        return [
            lockstep_distribution.weights
            for lockstep_distribution in lockstep_distributions(policy, config, states)
        ]

    return answer


def stockfish_respondent(program: str, elo: int, nodes: int) -> Respondent:
    """Stockfish with UCI_Elo, one thread, so many nodes a move."""

    def answer(states: Sequence[Any]) -> list[Array]:
        import chess
        import chess.engine

        found, rules = [], load_game("chess")
        with chess.engine.SimpleEngine.popen_uci(program) as engine:
            engine.configure({"UCI_LimitStrength": True, "UCI_Elo": elo, "Threads": 1, "Hash": 16})
            for state in states:
                board = chess.Board(rules.text(state))
                move = engine.play(board, chess.engine.Limit(nodes=nodes), game=object()).move
                assert move is not None
                legal = state.legal_moves()
                shares = np.zeros(len(legal))
                shares[legal.index(state.parse_move(move.uci()))] = 1
                found.append(shares)
        return found

    return answer


def all_respondents(
    tuning: Path | None,
    maia: Path | None,
    stockfish: str,
    levels: Sequence[int],
    players: Sequence[Path],
    references: bool,
    backend: str,
    batch: int,
    engine_nodes: int = 50_000,
) -> dict[str, tuple[str, float | None, Respondent]]:
    """Everybody who takes the test, by name: family, nominal rating, respondent. Raises BadConfig."""
    found: dict[str, tuple[str, float | None, Respondent]] = {}
    for rating in range(600, 2601, 400) if references else ():
        found[f"human {rating}"] = "human", rating, policy_respondent("human", rating, 1.0, backend, batch)
    for path in sorted(maia.glob("maia-*.pb.gz")) if maia is not None else ():
        rating = int(path.name.split("-")[1].split(".")[0])
        for name, temperature in (("", 1.0), (", best move", 0.0)):
            taker = policy_respondent(str(path), None, temperature, backend, batch)
            found[f"Maia {rating}{name}"] = f"Maia{name}", rating, taker
    if references:
        found["strong, best move"] = "strong", None, policy_respondent("strong", None, 0.0, backend, batch)
    if tuning is not None:
        for name, config in class_players(tuning, tuple(CLASS_NAMES)).items():
            rating = next(rating for rating, known in CLASS_NAMES.items() if known == name)
            found[f"ACE {name}"] = "ACE", rating, player_respondent(config, backend, batch)
    table = shipped_levels("chess", "engine")
    for level in levels if table is not None else ():
        assert table is not None
        found[f"level {level}"] = "level", level, player_respondent(table.at(level), backend, batch)
    for config in map(load_player_config, players):
        found[config.name] = (
            "player",
            config.rating_number("rating"),
            player_respondent(config, backend, batch),
        )
    for elo in (1350, 1600, 1900, 2200, 2500, 2850) if stockfish else ():
        found[f"Stockfish {elo}"] = "Stockfish", elo, stockfish_respondent(stockfish, elo, engine_nodes)
    return found


def _tempered(shares: Array, temperature: float) -> Array:
    if temperature == 0:
        found: Array = np.zeros(len(shares))
        found[int(shares.argmax())] = 1
        return found
    weights = np.maximum(shares, 1e-12) ** (1 / temperature)
    normal: Array = weights / weights.sum()
    return normal
