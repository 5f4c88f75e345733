"""The player behind an engine: loaded when it is first needed, and again when the GUI changed an option."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Literal, TypeAlias

from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import SendLine
from sparring.games import load_game
from sparring.players import GameStart, PlayerConfig, PolicyPlayer, SearchPlayer, make_player
from sparring.policies import load_policy, rating_range, rating_text, unrated

_Which: TypeAlias = Literal["rating", "opponent_rating"]
_Player: TypeAlias = PolicyPlayer | SearchPlayer
_CacheKey: TypeAlias = tuple[PlayerConfig, bool]


class PlayerCache:
    """Keeps one player. Safe to use from several threads.

    The player can search for every command, also if its configuration has no search.
    """

    def __init__(self, send_message: SendLine) -> None:
        """`send_message` receives messages for the user."""
        self._send_message = send_message
        self._lock = Lock()
        self._key: _CacheKey | None = None
        self._player: _Player | None = None
        self._new_game = False

    def of(self, settings: EngineSettings) -> _Player:
        """The player of these settings. A rating outside the policy's range is replaced by the nearest one.

        Raises one of `players.LOAD_ERRORS`.
        """
        with self._lock:
            if self._player is None or self._key != _cache_key(settings):
                replaced, self._player = self._player, self._load(settings)
                self._key = _cache_key(settings)
                if replaced is not None:
                    replaced.close()
            elif self._new_game:
                self._player.new_game(GameStart(load_game(settings.player_config.game)))
            self._new_game = False
            return self._player

    def ready(self, settings: EngineSettings) -> bool:
        """Whether the player of these settings is loaded."""
        return self._player is not None and self._key == _cache_key(settings)

    def new_game(self) -> None:
        """Begins a new game: the player forgets the last one, and with a seed it plays as before."""
        self._new_game = True

    def _load(self, settings: EngineSettings) -> _Player:
        config = settings.effective_config()
        policy = load_policy(config.model, config.game, threads=config.threads)
        known = rating_range(policy)
        if known is None:
            if settings.rating_requested:
                self._send_message(f"{unrated(policy)}: the given one is ignored")
            return make_player(replace(config, rating=None, opponent_rating=None), policy, search=True)
        rating, opponent = (
            self._nearest_rating(config, "rating", known),
            self._nearest_rating(config, "opponent_rating", known),
        )
        return make_player(replace(config, rating=rating, opponent_rating=opponent), policy, search=True)

    def _nearest_rating(self, config: PlayerConfig, which: _Which, known: tuple[float, float]) -> int | None:
        """The rating, or the nearest one in the policy's range; a message reports the change."""
        rating = config.rating_number(which)
        if rating is None or known[0] <= rating <= known[1]:
            return rating
        nearest = int(min(max(rating, known[0]), known[1]))
        texts = [rating_text(config.game, each) for each in (rating, nearest)]
        self._send_message(
            f"{which.replace('_', ' ')} {texts[0]} is outside the range of {config.model}: {texts[1]} is used"
        )
        return nearest


def _cache_key(settings: EngineSettings) -> _CacheKey:
    """All settings that the player and the messages of loading it depend on."""
    return settings.effective_config(), settings.rating_requested
