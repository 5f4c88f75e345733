"""Configuration of a player: a TOML file with a policy, a search, a book and rules for resigning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from sparring import data
from sparring._core import PuctConfig
from sparring.base.config import (
    Count,
    Fraction,
    NonNegative,
    PositiveInt,
    Seed,
    Threads,
    bad_value,
    native_option,
)
from sparring.games import GAMES, describe
from sparring.players.behaviour_models import has_model

DEFAULT_RATING: dict[str, int | str | None] = {
    name: game.people.rating
    for name, game in GAMES.items()
    if game.people is not None and f"human-{name}" in data.names("networks")
}
"""Rating of the default player of each game with a human-like network; None where it has no ratings. A build
may leave out a network (`data.lacking`)."""

StrengthScale: TypeAlias = Literal["people", "engine"]
"""people: a level errs as people of that rating do, where the game has such a table. engine: by games against
engines."""
Rating = Annotated[int, Meta(ge=-100, le=10_000)] | str
"""A rating, or in Go a rank such as 3d."""


@dataclass(frozen=True)
class PlayerConfig:
    """A player: the keys of its TOML file."""

    game: str
    """Name of the game."""
    name: str = "Sparring"
    """Name that opponents and records see. In a file the default is the name of the file."""
    model: str = "blend"
    """Policy: a model name, a network file, or a [policy file](policies.md). `blend` is the shipped blend of
    the `human` and `strong` networks of the game."""
    rating: Rating | None = None
    """Rating of the players whose moves the policy predicts; in Go a rank such as 3d. Refused if the policy
    is not conditioned on ratings."""
    level: int | None = None
    """Strength, by the game's [level table](levels.md): sets `model`, `rating`, `temperature`, `nodes`,
    `c_puct` and `policy_temperature` where the file does not."""
    scale: StrengthScale = "people"
    """Scale of `level`: `people` errs as often and as badly as people of that rating (chess); `engine` is as
    strong as an engine of that rating. A game with one level table has it for both."""
    opponent_rating: Rating | None = None
    """Rating of the opponent; without it, the same as `rating`."""
    temperature: Annotated[float, Meta(ge=0, le=1000)] = 1.0
    """Temperature of the choice of a move. 0 plays the move with the highest probability, 1 samples from the
    policy, or in proportion to visits after a search."""
    nodes: Count = 0
    """Positions that the search evaluates for a move; 0 plays from the policy without search."""
    seconds: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    """Time limit of a search, in seconds."""
    evaluator: str = ""
    """Network that evaluates positions in the search; without it, the model."""
    rule: Literal["visits", "regularised", "kl"] = "visits"
    """Choice after a search: by visits; by the regularised policy that visits approach, lambda * prior /
    (alpha - value) (Grill et al. 2020); or by prior * exp(value / kl_weight) (Jacob et al. 2022)."""
    unvisited_share: Fraction = 0.0
    """Probability of a move that the search did not visit, for `rule = "visits"`: the policy draws it. Tuned
    levels have it (docs/tuning.md)."""
    kl_weight: NonNegative = 0.1
    """Weight of the KL divergence from the policy, for `rule = "kl"`."""
    c_puct: float = native_option(PuctConfig, "c_puct")
    c_base: float = native_option(PuctConfig, "c_base")
    c_factor: float = native_option(PuctConfig, "c_factor")
    policy_temperature: float = native_option(PuctConfig, "policy_temperature")
    fpu_reduction: float = native_option(PuctConfig, "fpu_reduction")
    fpu_absolute: bool = native_option(PuctConfig, "fpu_absolute")
    draw_value: float = native_option(PuctConfig, "draw_value")
    solver: bool = native_option(PuctConfig, "solver")
    find_immediate_wins: bool = native_option(PuctConfig, "find_immediate_wins")
    play_forced_wins: bool = True
    """Plays a proven win and avoids a proven loss at any temperature (no effect in Go); in a won position, a
    search with a node for each move plays none that draws at once. With this, `solver` and
    `find_immediate_wins` off, a weak player may miss a mate."""
    reuse_tree: bool = True
    """Keeps the search tree from move to move. Without it, a search of `nodes` has the same strength at every
    move, as levels need it."""
    batch: int = native_option(PuctConfig, "batch")
    memory: int = native_option(PuctConfig, "memory")
    threads: Threads = 1
    """Threads of each network; at most one a core is used."""
    think_time: Literal["none", "human"] = "none"
    """With a clock: `human` takes the time that people of the rating take in such positions and clocks;
    `none` answers as soon as it can. The front end waits; the arena counts the time without waiting."""
    resignation: Literal["rule", "human"] = "rule"
    """`rule` resigns by `resign_below` and `resign_after`; `human` with the chance with which people of the
    rating resign in such positions (chess)."""
    draws: Literal["rule", "human"] = "rule"
    """`rule` offers and accepts draws by the three keys below; `human` as often as people agree to draws in
    such positions (chess)."""
    resign_below: Fraction = 0.0
    """Resigns when its expected score is below this; 0 never resigns."""
    resign_after: PositiveInt = 3
    """Number of consecutive moves for which that must hold."""
    draw_within: Fraction = 0.0
    """Offers a draw when its expected score is within this of 1/2, and accepts one when its expected score is
    not above 1/2 by more than this; 0 never does."""
    draw_after: Count = 60
    """First ply at which draws are offered and accepted."""
    draw_offers: bool = True
    """Offers draws; else it only accepts them."""
    adapt: bool = False
    """The level follows the opponent's results, which are kept in your data folder; `level` is that of the
    first game. Only for games with levels."""
    book: str = ""
    """Opening book or repertoire: a file of games (PGN, SGF, KIF, ...), a PGN with variations, or a Polyglot
    `.bin`. Moves are drawn in proportion to their frequency."""
    book_plies: Count = 16
    """Plies after which the book is not used."""
    opening_style: str = ""
    """Style of its opening, such as `ranging-rook` in shogi: opening moves are drawn as people of this style
    play them. A book takes precedence. Empty for any style."""
    seed: Seed | None = None
    """Seed of all random choices; the same seed and the same opponent's moves give the same game."""

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES)}")
        if not self.name.isprintable():
            raise bad_value("name", self.name, "printable text")
        self.rating_number("rating")
        self.rating_number("opponent_rating")

    def rating_number(self, which: Literal["rating", "opponent_rating"]) -> int | None:
        """A rating as policies take it: a rank is a number, 1 for 1d and -1 for 1k. Raises BadConfig."""
        value = getattr(self, which)
        if value is None or isinstance(value, int):
            return value
        system = describe(self.game).ratings
        number = system.parse(value) if system.word == "rank" else None
        if number is None:
            raise bad_value(which, value, "a rank such as 3d" if system.word == "rank" else "an integer")
        return number


def default_player_config(game: str, **keys: Any) -> PlayerConfig:
    """The configuration of a game's default opponent, with `keys` in place of its own.

    It resigns and agrees to draws as people of its rating do, where the package has models of that. Else it
    resigns when its expected score is below 5% for three moves in a row, accepts a draw after ply 60 unless
    it expects more than 55%, and offers none.
    """
    people = {name: "human" for name in ("resignation", "draws") if has_model(game, name)}
    ending = {"resign_below": 0.05, "resign_after": 3, "draw_within": 0.05, "draw_offers": False}
    usual: dict[str, Any] = {"rating": DEFAULT_RATING.get(game), **ending, **people}
    return PlayerConfig(game, **{**usual, **keys})
