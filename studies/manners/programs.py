"""Games of programs against themselves at a level: ours, Stockfish, or a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sparring.arena.engine_player import EnginePlayer
from sparring.arena.tournament import EngineConfig
from sparring.cli.errors import UserError
from sparring.games import load_game
from sparring.games.position import Position
from sparring.players import LevelTable, PlayerConfig, SearchLimits
from sparring.players.behaviour import make_resignation
from sparring.policies import Policy, load_policy
from sparring.records import RecordedGame
from studies.manners.games import play_out, self_play
from studies.manners.turing import ProgramGame

_LOWEST_ELO = 1350
"""Of Stockfish's UCI_Elo; lower levels play at it."""
_OPENING_PLIES = 8
"""Plies that `human` plays for policies that would always open alike."""


def play_games(
    source: str,
    level: int,
    games: int,
    *,
    seed: int,
    stockfish: str,
    table: LevelTable,
    backend: str = "onnxruntime",
) -> Iterator[ProgramGame]:
    """Plays games of a program against itself.

    All programs resign by the model of people's resignations, with the value of `human` at the level: games
    that go on to mate would give them away. Raises UserError.
    """
    human = load_policy("human", "chess", backend=backend, batch=256)
    if source == "stockfish":
        played: Iterable[RecordedGame] = _engine_games(stockfish, level, games)
    else:
        played = _policy_games(source, level, games, human, seed, table, backend)
    for number, game in enumerate(played):
        yield _resigned(game, source, level, human, np.random.default_rng([seed, level, number]))


def _policy_games(
    source: str, level: int, games: int, human: Policy, seed: int, table: LevelTable, backend: str
) -> list[RecordedGame]:
    if source == "ours":
        config = table.at(level, name="ours")
        policy, opening = load_policy(table.policy, "chess", backend=backend, batch=256), None
    else:
        model, _, temperature = source.rpartition(":")
        if not model:
            raise UserError(f"'{source}': expected ours, stockfish or a policy such as maia-1500.pb.gz:1")
        config = PlayerConfig("chess", name=model, rating=level, temperature=float(temperature))
        policy = load_policy(model, "chess", backend=backend, batch=256)
        opening = (human, _OPENING_PLIES) if config.temperature < 0.6 else None
    starts = [load_game("chess").initial()] * games
    return self_play(policy, config, starts, seed=seed + level, opening=opening)


def _engine_games(stockfish: str, level: int, games: int) -> Iterator[RecordedGame]:
    """Stockfish picks its weakened move at a small depth: more depth or nodes change nothing below 2000."""
    config = EngineConfig(
        "stockfish",
        "uci",
        (stockfish,),
        {"UCI_LimitStrength": "true", "UCI_Elo": str(max(level, _LOWEST_ELO)), "Hash": "16"},
        limits=SearchLimits(depth=6) if level < 2000 else SearchLimits(nodes=50_000),
    )
    with EnginePlayer(config) as player:
        for number in range(games):
            yield play_out(player, load_game("chess").initial(), level, seed=number)


def _resigned(
    game: RecordedGame, source: str, level: int, human: Policy, rng: np.random.Generator
) -> ProgramGame:
    """The game up to the turn on which a side resigns."""
    rule = make_resignation(PlayerConfig("chess", rating=level, resignation="human"))
    states = [state for state in game.states if state.outcome is None]
    predictions = human.predict([Position(state, level, level) for state in states])
    for state, prediction in zip(states, predictions, strict=True):
        if rule.decide(state.to_move, prediction.value, state.ply, rng):
            moves = state.pack_moves(1).hex()
            return ProgramGame(source, level, moves, float(state.to_move == 1), None, True, state.ply)
    result = 0.5 if game.result is None else game.result
    return ProgramGame(source, level, game.record.moves.hex(), result, None, False, len(game))
