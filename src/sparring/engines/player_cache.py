"""The mind behind an engine: made when it is first needed, and again when the GUI changed something."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Literal, TypeAlias

from sparring.config import BadConfig
from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import SendLine
from sparring.networks import BadNetwork
from sparring.players.book import BadBook
from sparring.players.player_config import PlayerConfig
from sparring.players.thinking import Mind, make_player
from sparring.policies import load_policy, rating_range, rating_text, unrated

_Which: TypeAlias = Literal["rating", "opponent_rating"]
_CacheKey: TypeAlias = tuple[PlayerConfig, bool]
LOAD_ERRORS = (BadConfig, BadNetwork, BadBook, OSError)
"""What loading a player can raise: a message for the user."""


class PlayerCache:
    """Keeps one mind; safe to ask from several threads."""

    def __init__(self, tell: SendLine) -> None:
        self._tell = tell
        self._lock = Lock()
        self._asked: _CacheKey | None = None
        self._mind: Mind | None = None

    def of(self, settings: EngineSettings) -> Mind:
        """The mind of a player; ratings that its policy does not know become the nearest that it does.

        Raises one of LOAD_ERRORS.
        """
        with self._lock:
            if self._mind is None or self._asked != _cache_key(settings):
                self._mind = self._loaded(settings)
                self._asked = _cache_key(settings)
            return self._mind

    def ready(self, settings: EngineSettings) -> bool:
        """Whether the mind of this player is there."""
        return self._mind is not None and self._asked == _cache_key(settings)

    def new_game(self) -> None:
        """A new game: nothing is remembered, and a player with a seed plays as before."""
        self._asked = None  # the old mind stays until then, and with it the networks in memory

    def _loaded(self, settings: EngineSettings) -> Mind:
        own = settings.effective_config()
        policy = load_policy(own.model, own.game, threads=own.threads)
        known = rating_range(policy)
        if known is None:
            if settings.rating_requested:
                self._tell(f"{unrated(policy)}: it plays as without")
            return make_player(replace(own, rating=None, opponent_rating=None), policy)
        mine, theirs = self._known(own, "rating", known), self._known(own, "opponent_rating", known)
        return make_player(replace(own, rating=mine, opponent_rating=theirs), policy)

    def _known(self, own: PlayerConfig, which: _Which, known: tuple[float, float]) -> int | None:
        """A rating, or the nearest one that the policy knows; then it says so."""
        rating_number = own.rating_number(which)
        if rating_number is None or known[0] <= rating_number <= known[1]:
            return rating_number
        nearest = int(min(max(rating_number, known[0]), known[1]))
        texts = [rating_text(own.game, each) for each in (rating_number, nearest)]
        self._tell(
            f"{own.model} knows no {which.replace('_', ' ')} of {texts[0]}: it is taken for {texts[1]}"
        )
        return nearest


def _cache_key(settings: EngineSettings) -> _CacheKey:
    """All that loading a player and what is said then depend on."""
    return settings.effective_config(), settings.rating_requested
