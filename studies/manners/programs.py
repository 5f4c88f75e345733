"""Games of programs against themselves at a level: ours, Stockfish, or a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sparring.base.errors import UserError
from sparring.games import load_game
from sparring.players import LevelTable, PlayerConfig, SearchLimits
from sparring.players.engine_player import EnginePlayer
from sparring.players.engines import EngineConfig
from sparring.policies import Policy, load_policy
from studies.manners.games import Board, Opening, PeoplesEndings, play_out, play_together, score
from studies.manners.turing import ProgramGame

_LOWEST_ELO = 1350
"""Of Stockfish's UCI_Elo; lower levels play at it."""
_OPENING_PLIES = 8
"""Plies that `human` plays for programs that would always open alike, or as nobody does."""


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
    """Plays games of a program against itself, and yields each at its end.

    All programs resign and agree to draws by the models of people, and claim draws by repetition: games that
    go on would give them away. Raises UserError.
    """
    human = load_policy("human", "chess", backend=backend, batch=256)
    endings, opening = PeoplesEndings(human, level), Opening(human, level, _OPENING_PLIES)
    if source == "stockfish":
        played: Iterable[Board] = _engine_games(stockfish, level, games, seed, opening, endings)
    else:
        policy, config = _policy_player(source, level, table, backend)
        starts = [load_game("chess", claim_draws=True).initial()] * games
        drawn = source == "ours" or config.temperature > 0.6
        played = play_together(
            policy, config, starts, seed=seed + level, opening=None if drawn else opening, endings=endings
        )
    for board in played:
        moves, resigned = board.state.pack_moves(1).hex(), board.agreed in (0, 1)
        yield ProgramGame(source, level, moves, score(board), None, resigned, board.plies)


def _policy_player(source: str, level: int, table: LevelTable, backend: str) -> tuple[Policy, PlayerConfig]:
    if source == "ours":
        config = table.at(level, name="ours")
        return load_policy(config.model, "chess", backend=backend, batch=256), config
    model, _, temperature = source.rpartition(":")
    if not model:
        raise UserError(f"'{source}': expected ours, stockfish or a policy such as maia-1500.pb.gz:1")
    config = PlayerConfig("chess", name=model, rating=level, temperature=float(temperature))
    return load_policy(model, "chess", backend=backend, batch=256), config


def _engine_games(
    stockfish: str, level: int, games: int, seed: int, opening: Opening, endings: PeoplesEndings
) -> Iterator[Board]:
    """Stockfish picks its weakened move at a small depth: more depth or nodes change nothing below 2000."""
    config = EngineConfig(
        "stockfish",
        "uci",
        (stockfish,),
        {"UCI_LimitStrength": "true", "UCI_Elo": str(max(level, _LOWEST_ELO)), "Hash": "16"},
        limits=SearchLimits(depth=6) if level < 2000 else SearchLimits(nodes=50_000),
    )
    start = load_game("chess", claim_draws=True).initial()
    with EnginePlayer(config) as player:
        for number in range(games):
            yield play_out(player, start, seed=1000 * seed + number, opening=opening, endings=endings)
