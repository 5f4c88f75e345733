"""The mind behind an engine: made when it is first needed, and again when the GUI changed something."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Literal, TypeAlias

from sparring.engines.pipes import Say
from sparring.engines.settings import Settings
from sparring.networks import BadNetwork
from sparring.players.book import BadBook
from sparring.players.description import BadDescription, Description
from sparring.players.thinking import Mind, make_mind
from sparring.policies import BadPolicy, known_ratings, open_policy, strength_text, untold

_Which: TypeAlias = Literal["rating", "opponent_rating"]
_Wish: TypeAlias = tuple[Description, bool]
LOAD_ERRORS = (BadNetwork, BadPolicy, BadDescription, BadBook, OSError)
"""What loading a player can raise: a message for the user."""


class Minds:
    """Keeps one mind; safe to ask from several threads."""

    def __init__(self, tell: Say) -> None:
        self._tell = tell
        self._lock = Lock()
        self._asked: _Wish | None = None
        self._mind: Mind | None = None

    def of(self, settings: Settings) -> Mind:
        """The mind of a player; ratings that its policy does not know become the nearest that it does.

        Raises one of LOAD_ERRORS.
        """
        with self._lock:
            if self._mind is None or self._asked != _wish(settings):
                self._mind = self._loaded(settings)
                self._asked = _wish(settings)
            return self._mind

    def ready(self, settings: Settings) -> bool:
        """Whether the mind of this player is there."""
        return self._mind is not None and self._asked == _wish(settings)

    def start_anew(self) -> None:
        """A new game: nothing is remembered, and a player with a seed plays as before."""
        self._asked = None  # the old mind stays until then, and with it the networks in memory

    def _loaded(self, settings: Settings) -> Mind:
        own = settings.player()
        policy = open_policy(own.model, own.game, threads=own.threads)
        known = known_ratings(policy)
        if known is None:
            if settings.asks_for_rating:
                self._tell(f"{untold(policy)}: it plays as without")
            return make_mind(replace(own, rating=None, opponent_rating=None), policy)
        mine, theirs = self._known(own, "rating", known), self._known(own, "opponent_rating", known)
        return make_mind(replace(own, rating=mine, opponent_rating=theirs), policy)

    def _known(self, own: Description, which: _Which, known: tuple[float, float]) -> int | None:
        """A rating, or the nearest one that the policy knows; then it says so."""
        number = own.number(which)
        if number is None or known[0] <= number <= known[1]:
            return number
        nearest = int(min(max(number, known[0]), known[1]))
        texts = [strength_text(own.game, each) for each in (number, nearest)]
        self._tell(
            f"{own.model} knows no {which.replace('_', ' ')} of {texts[0]}: it is taken for {texts[1]}"
        )
        return nearest


def _wish(settings: Settings) -> _Wish:
    """All that loading a player and what is said then depend on."""
    return settings.player(), settings.asks_for_rating
