"""Loading players: from a TOML file, a configuration, or the name of a shipped bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sparring.config import BadConfig, Source, from_table, read_toml
from sparring.games import Game
from sparring.networks import BadNetwork
from sparring.players.adaptive import AdaptivePlayer, OpponentHistory
from sparring.players.book import BadBook, Book, open_book
from sparring.players.learned_player import LearnedPlayer
from sparring.players.levels import at_level, level_range
from sparring.players.player import Player
from sparring.players.player_config import BadPlayerConfig, PlayerConfig
from sparring.players.player_file import parse_player_config
from sparring.players.policy_player import PolicyPlayer
from sparring.players.rbc.config import BOTS, BotConfig, make_bot
from sparring.players.rbc.evaluators import StockfishNotFound
from sparring.players.search_player import SearchPlayer
from sparring.policies import Policy, load_policy, rating_out_of_range, unrated
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import BadEvaluation, open_evaluation

LOAD_ERRORS = (BadConfig, BadBook, BadNetwork, StockfishNotFound, OSError)
"""The exceptions of loading a player from its configuration. Each message is meant for the user."""


_EVALUATION_NODES = 12_150
"""Nodes of a move with an evaluation, as at strength 5."""


class BadPlayer(BadConfig):
    """A player that cannot be loaded; the message says why."""


def load_player(
    source: str | Path | PlayerConfig | BotConfig, game: str | Game[Any] | None = None, **overrides: Any
) -> Player:
    """Loads a player.

    Args:
        source: a player's TOML file (docs/players.md), the TOML file or the name of a bot of reconnaissance
            blind chess (docs/rbc-bots.md), an evaluation by `sparring train treestrap` (.json), or a
            configuration.
        game: the game that the player must play, by name or as rules; None accepts any.
        overrides: keys that replace those of the source, such as `nodes=100`; they are checked alike.

    Raises BadPlayer.
    """
    wanted = game if game is None or isinstance(game, str) else game.spec.name
    try:
        if isinstance(source, str | Path) and Path(source).suffix == ".json":
            return _evaluation_player(Path(source), wanted, overrides)
        config = _config(source, overrides)
        if wanted is not None and config.game != wanted:
            raise BadPlayer(f"{source} is a player of {config.game}, not of {wanted}")
        return open_player(config) if isinstance(config, PlayerConfig) else make_bot(config)
    except BadPlayer:
        raise
    except LOAD_ERRORS as error:
        named = isinstance(source, str | Path) and str(source) not in BOTS
        raise BadPlayer(f"{source}: {error}" if named else str(error)) from error


def open_player(config: PlayerConfig, history: OpponentHistory | None = None) -> Player:
    """The player of a configuration; an AdaptivePlayer if its level follows the opponent's results.

    The first game is played at its level, else at the opponent's rating. `history` has the results; None for
    those in the user's data folder. Raises one of LOAD_ERRORS.
    """
    if not config.adapt:
        return make_player(config)
    if (levels := level_range(config.game)) is None:
        raise BadPlayerConfig(f"adapt = true: {config.game} has no levels")
    guesses = (config.level, config.rating_number("opponent_rating"), sum(levels) / 2)
    return AdaptivePlayer(
        config.name,
        lambda level: make_player(replace(at_level(config, level), adapt=False)),
        levels,
        history or OpponentHistory(config.game),
        next(each for each in guesses if each is not None),
    )


def make_player(
    config: PlayerConfig, policy: Policy | None = None, *, search: bool = False
) -> PolicyPlayer | SearchPlayer:
    """The player of a configuration: a PolicyPlayer if it has no nodes to search, else a SearchPlayer.

    Args:
        policy: the configuration's policy, if it is loaded already.
        search: makes a SearchPlayer in any case, for front ends whose turns may ask for a search.

    Raises one of LOAD_ERRORS.
    """
    policy = policy or load_policy(config.model, config.game, threads=config.threads)
    ratings = config.rating_number("rating"), config.rating_number("opponent_rating")
    if complaint := rating_out_of_range(policy, *ratings):
        raise BadPlayerConfig(complaint)
    if ratings != (None, None) and (complaint := unrated(policy)):
        raise BadPlayerConfig(f"{complaint}: leave out rating and opponent_rating")
    book: Book | None = None
    if config.book:
        book = open_book(Path(config.book), config.game, config.book_plies)
    if not search and not config.nodes:
        return PolicyPlayer(config, policy, book)
    evaluator = None
    if config.evaluator:
        evaluator = load_policy(config.evaluator, config.game, threads=config.threads)
    return SearchPlayer(config, policy, evaluator, book)


def _evaluation_player(path: Path, game: str | None, overrides: Mapping[str, Any]) -> LearnedPlayer:
    """The alpha-beta player of a linear evaluation. The only override is `nodes`; games bring their seed."""
    if unknown := set(overrides) - {"nodes", "seed"}:
        raise BadPlayer(f"{path} is an evaluation, which has no key '{min(unknown)}'; it has 'nodes'")
    try:
        evaluation = open_evaluation(game, path)
    except BadEvaluation as error:
        raise BadPlayer(str(error)) from None
    return LearnedPlayer(evaluation, SearchLimits(nodes=overrides.get("nodes", _EVALUATION_NODES)))


def _config(
    source: str | Path | PlayerConfig | BotConfig, overrides: Mapping[str, Any]
) -> PlayerConfig | BotConfig:
    if isinstance(source, PlayerConfig | BotConfig):
        return _overridden(source, overrides)
    if str(source) in BOTS:
        return _overridden(BOTS[str(source)], overrides)
    path = Path(source)
    if path.suffix != ".toml":
        raise BadPlayer(f"there is no player '{source}': expected a TOML file, or one of {', '.join(BOTS)}")
    table = {**read_toml(path, BadPlayer), **overrides}
    where = Source(path, BadPlayer)
    if "game" in table:  # bots have no such key
        return parse_player_config({"name": path.stem, **table}, where)
    return from_table(BotConfig, table, where)


def _overridden(config: PlayerConfig | BotConfig, overrides: Mapping[str, Any]) -> PlayerConfig | BotConfig:
    if not overrides:
        return config
    if isinstance(config, PlayerConfig) and isinstance(level := overrides.get("level"), int):
        config = at_level(config, level)
    table = {key: value for key, value in {**asdict(config), **overrides}.items() if value is not None}
    return from_table(type(config), table, Source(error=BadPlayer))
