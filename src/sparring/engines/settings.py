"""What a GUI can change about an engine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sparring.players.player_config import DEFAULT_RATING, PlayerConfig


@dataclass(frozen=True)
class EngineSettings:
    """The player, and how the engine reports and keeps its time."""

    player_config: PlayerConfig
    is_default_rating: bool = field(default=True, compare=False)
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
    def of(cls, game: str) -> EngineSettings:
        """Those of the usual player of a game."""
        return cls(PlayerConfig(game, rating=DEFAULT_RATING.get(game)))

    def effective_config(self) -> PlayerConfig:
        """Who plays, all told."""
        rating = self.elo if self.limit_strength else self.player_config.rating
        return replace(
            self.player_config, rating=rating, book=self.player_config.book if self.own_book else ""
        )

    @property
    def rating_requested(self) -> bool:
        """Whether somebody wanted the player to be as strong as it is."""
        return self.limit_strength or (not self.is_default_rating and self.player_config.rating is not None)
