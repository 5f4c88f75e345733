"""What a GUI can change about an engine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sparring.players.description import USUAL_RATING, Description


@dataclass(frozen=True)
class Settings:
    """The player, and how the engine reports and keeps its time."""

    description: Description
    usual_rating: bool = field(default=True, compare=False)
    """Whether the player's rating is the usual one of the game, which nobody asked for: no other player."""
    limit_strength: bool = False
    """Whether the player's rating is `elo`, as a chess GUI's slider says, rather than its own."""
    elo: int = 1500
    own_book: bool = True
    """Whether the player's opening book is used."""
    multipv: int = 1
    """How many lines it reports."""
    show_wdl: bool = False
    ponder: bool = False
    """Whether it names the answer that it expects, for the GUI to let it think about that."""
    overhead: int = 100
    """Milliseconds of each move that may be lost between the engine and the clock."""

    @classmethod
    def of(cls, game: str) -> Settings:
        """Those of the usual player of a game."""
        return cls(Description(game, rating=USUAL_RATING.get(game)))

    def player(self) -> Description:
        """Who plays, all told."""
        rating = self.elo if self.limit_strength else self.description.rating
        return replace(self.description, rating=rating, book=self.description.book if self.own_book else "")

    @property
    def asks_for_rating(self) -> bool:
        """Whether somebody wanted the player to be as strong as it is."""
        return self.limit_strength or (not self.usual_rating and self.description.rating is not None)
