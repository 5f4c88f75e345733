"""The mind behind an engine: made when it is first needed, and again when the GUI changed something."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Literal, TypeAlias

from sparring.engines.pipes import Say
from sparring.networks import BadNetwork
from sparring.players.book import BadBook
from sparring.players.description import BadDescription, Description
from sparring.players.thinking import Mind, make_mind
from sparring.policies import BadPolicy, known_ratings, open_policy, strength_text

_Which: TypeAlias = Literal["rating", "opponent_rating"]
LOAD_ERRORS = (BadNetwork, BadPolicy, BadDescription, BadBook, OSError)
"""What loading a player can raise: a message for the user."""


class Minds:
    """Keeps one mind; safe to ask from several threads."""

    def __init__(self, tell: Say) -> None:
        self._tell = tell
        self._lock = Lock()
        self._asked: Description | None = None
        self._mind: Mind | None = None

    def of(self, description: Description) -> Mind:
        """The mind of a player; ratings that its policy does not know become the nearest that it does.

        Raises one of LOAD_ERRORS.
        """
        with self._lock:
            if self._mind is None or self._asked != description:
                self._mind = make_mind(self._within_reach(description))
                self._asked = description
            return self._mind

    def ready(self, description: Description) -> bool:
        """Whether the mind of this player is there."""
        return self._mind is not None and self._asked == description

    def start_anew(self) -> None:
        """A new game: nothing is remembered, and a player with a seed plays as before."""
        self._asked = None  # the old mind stays until then, and with it the networks in memory

    def _within_reach(self, own: Description) -> Description:
        policy = open_policy(own.model, own.game, threads=own.threads)
        known = known_ratings(policy)
        if known is None:
            return own
        mine, theirs = self._known(own, "rating", known), self._known(own, "opponent_rating", known)
        return replace(own, rating=mine, opponent_rating=theirs)

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
