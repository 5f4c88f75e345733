"""The settings of an engine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sparring.players.levels import at_level
from sparring.players.player_config import PlayerConfig, default_player_config


@dataclass(frozen=True)
class EngineSettings:
    """The player of an engine, its reports and its time management."""

    player_config: PlayerConfig
    is_default_rating: bool = field(default=True, compare=False)
    """Whether the rating is the game's default rather than a requested one."""
    limit_strength: bool = False
    """Whether `elo` is the player's level (UCI_LimitStrength)."""
    elo: int = 1500
    own_book: bool = True
    """Whether the player's opening book is used."""
    multipv: int = 1
    """Number of lines in reports."""
    show_wdl: bool = False
    verbose_move_stats: bool = False
    """Whether every legal move is listed with its statistics."""
    ponder: bool = False
    """Whether `bestmove` names the expected reply, on which the GUI may let the engine ponder."""
    overhead: int = 100
    """Milliseconds of each move that are lost between the engine and the clock."""

    @classmethod
    def of(cls, game: str) -> EngineSettings:
        """The settings of a game's default player."""
        return cls(default_player_config(game))

    def effective_config(self) -> PlayerConfig:
        """The player's configuration with all options applied."""
        config = at_level(self.player_config, self.elo) if self.limit_strength else self.player_config
        return config if self.own_book else replace(config, book="")

    @property
    def rating_requested(self) -> bool:
        """Whether a rating was requested."""
        return self.limit_strength or (not self.is_default_rating and self.player_config.rating is not None)
