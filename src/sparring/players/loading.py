"""Loading players: from a TOML file, a configuration, or the name of a shipped bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sparring.base.config import Source, from_table, read_toml
from sparring.base.errors import BadConfig, BadFile, NotFound
from sparring.games import Game
from sparring.players.adaptive import AdaptivePlayer, OpponentHistory
from sparring.players.game_players import Bots, games_with_bots
from sparring.players.minimax_player import MinimaxPlayer, MinimaxPlayerConfig, parse_minimax_player
from sparring.players.player import Player
from sparring.players.player_config import (
    PlayerConfig,
    at_level,
    level_range,
    parse_player_config,
    results_scale,
)
from sparring.players.policy_player import make_player
from sparring.players.small_players import LearnedPlayer
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import open_evaluation

LOAD_ERRORS = (BadConfig, BadFile, NotFound, OSError)
"""The exceptions of loading a player from its configuration. Each message is meant for the user."""


_EVALUATION_NODES = 12_150
"""Nodes of a move with an evaluation, as at strength 5."""


def load_player_file(
    source: str | Path | Any,
    game: str | Game[Any] | None = None,
    **overrides: Any,
) -> Player:
    """Loads a player from its file or configuration.

    Args:
        source: a player's TOML file (docs/players.md), the TOML file or the name of a game's bot (such as
            docs/rbc-bots.md), an evaluation by `sparring train treestrap` (.json), or a configuration: a
            PlayerConfig, a MinimaxPlayerConfig, or that of a bot (`Bots.config_class`).
        game: the game that the player must play, by name or as rules; None accepts any.
        overrides: keys that replace those of the source, such as `nodes=100`; they are checked alike.

    Raises BadConfig, or BadFile for an evaluation.
    """
    wanted = game if game is None or isinstance(game, str) else game.spec.name
    if isinstance(source, str | Path) and Path(source).suffix == ".json":
        return _evaluation_player(Path(source), wanted, overrides)
    config = _config(source, wanted, overrides)
    if wanted is not None and config.game != wanted:
        raise BadConfig(f"{source} is a player of {config.game}, not of {wanted}")
    try:
        if isinstance(config, PlayerConfig):
            return open_player(config)
        if isinstance(config, MinimaxPlayerConfig):
            return MinimaxPlayer(config)
        return games_with_bots()[config.game].make(config)
    except LOAD_ERRORS as error:
        named = isinstance(source, str | Path) and _bots_with(str(source)) is None
        raise BadConfig(f"{source}: {error}" if named else str(error)) from error


def open_player(config: PlayerConfig, history: OpponentHistory | None = None) -> Player:
    """The player of a configuration; an AdaptivePlayer if its level follows the opponent's results.

    The first game is played at its level, else at the opponent's rating. `history` has the results; None for
    those in the user's data folder. Raises one of LOAD_ERRORS.
    """
    if not config.adapt:
        return make_player(config)
    config = replace(config, scale=results_scale(config.game, config.scale))
    if (levels := level_range(config.game, config.scale)) is None:
        raise BadConfig(f"adapt = true: {config.game} has no levels")
    guesses = (config.level, config.rating_number("opponent_rating"), sum(levels) / 2)
    return AdaptivePlayer(
        config.name,
        lambda level: make_player(replace(at_level(config, level), adapt=False)),
        levels,
        history or OpponentHistory(config.game),
        next(guess for guess in guesses if guess is not None),
    )


def _evaluation_player(path: Path, game: str | None, overrides: Mapping[str, Any]) -> LearnedPlayer:
    """The alpha-beta player of a linear evaluation. The only override is `nodes`; games bring their seed."""
    if unknown := set(overrides) - {"nodes", "seed"}:
        raise BadConfig(f"{path} is an evaluation, which has no key '{min(unknown)}'; it has 'nodes'")
    evaluation = open_evaluation(game, path)
    return LearnedPlayer(evaluation, SearchLimits(nodes=overrides.get("nodes", _EVALUATION_NODES)))


def _config(source: str | Path | Any, game: str | None, overrides: Mapping[str, Any]) -> Any:
    """A PlayerConfig, or the configuration of a game's bot."""
    if not isinstance(source, str | Path):
        return _overridden(source, overrides)
    if (bots := _bots_with(str(source))) is not None:
        return _overridden(bots.configs[str(source)], overrides)
    path, with_bots = Path(source), games_with_bots()
    if path.suffix != ".toml":
        names = [name for bots in with_bots.values() for name in bots.configs]
        raise BadConfig(f"there is no player '{source}': expected a TOML file, or one of {', '.join(names)}")
    table = {**read_toml(path), **overrides}
    where = Source(path)
    if "value_network" in table:
        return parse_minimax_player({"name": path.stem, **table}, where)
    if "game" in table or not with_bots:  # bots have no such key
        return parse_player_config({"name": path.stem, **table}, where)
    bots = with_bots[game if game in with_bots else next(iter(with_bots))]
    return from_table(bots.config_class, table, where)


def _bots_with(name: str) -> Bots | None:
    """The bots of the first game that has one of this name; None if no game has."""
    return next((bots for bots in games_with_bots().values() if name in bots.configs), None)


def _overridden(config: Any, overrides: Mapping[str, Any]) -> Any:
    if not overrides:
        return config
    if isinstance(config, PlayerConfig) and isinstance(level := overrides.get("level"), int):
        config = at_level(replace(config, scale=overrides.get("scale", config.scale)), level)
    table = {key: value for key, value in {**asdict(config), **overrides}.items() if value is not None}
    return from_table(type(config), table, Source())
