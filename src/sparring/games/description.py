"""`GameDescription`: everything that the rest of the package needs of one game.

Each game module defines its own `DESCRIPTION`; `sparring.games.DESCRIPTIONS` is the only list of games. Code
above `sparring.games` uses the description and names no game.

Readers, filters and players are in packages above this one. A description names them by reference, a text
"package.module:attribute", which `resolve` imports on first use. Dependencies still point downwards, and
`import sparring.games` stays light.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from sparring import _core
from sparring.games.ratings import ELO, RatingSystem

EngineProtocol: TypeAlias = Literal["uci", "usi", "gtp"]
PolicyHead: TypeAlias = Literal["from-to", "planes", "points"]


def resolve(reference: str) -> Any:
    """The object that "package.module:attribute" names. Raises LookupError where it does not exist."""
    module, _, attribute = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise LookupError(
            f"a game description names {reference!r}, which cannot be loaded: {error}"
        ) from error


@dataclass(frozen=True)
class Phases:
    """The plies at which the middle game and the endgame begin."""

    middle_game: int
    """First ply of the middle game."""
    endgame: int
    """First ply of the endgame."""
    is_endgame: Callable[[Any], bool] | None = None
    """(state) -> whether it is an endgame at any ply, such as by material."""

    def index(self, state: Any, ply: int) -> int:
        """0 in the opening, 1 in the middle game, 2 in the endgame."""
        if self.is_endgame is not None and self.is_endgame(state):
            return 2
        return int(ply >= self.middle_game) + int(ply >= self.endgame)


@dataclass(frozen=True)
class RecordFormats:
    """Files of recorded games.

    A game without readers of its own is recorded as PGN with its own move texts (`records.variant_pgn`).
    """

    readers: Mapping[str, str] = field(default_factory=dict)
    """Reference to the reader by file suffix, such as {"sgf": "sparring.records.sgf:read_sgf"}."""
    writer: str = ""
    """Reference to the function that writes a `GameRecord` as text."""
    suffix: str = "pgn"
    """Suffix of files with the writer's text."""
    writers: Mapping[str, str] = field(default_factory=dict)
    """References to further writers by suffix. People get the first of them by default, if there is one."""
    filter: str = "sparring.records.filters:BasicFilter"
    """Reference to the dataclass of a preset's [games] table."""
    everything: str = ""
    """Name of the preset that keeps every game. Empty: the filter's defaults."""


@dataclass(frozen=True)
class OpeningFormats:
    """Files with one position per line."""

    suffixes: tuple[str, ...] = ()
    """Suffixes of files with positions of this game. `txt` files hold positions of any game."""
    normalise: Callable[[str], str] | None = None
    """Turns a line's position into text that `Game.parse` reads, such as EPD into FEN."""


@dataclass(frozen=True)
class EngineSupport:
    """External engines of the game."""

    protocol: EngineProtocol
    byoyomi: bool = False
    """Whether clocks may have byo-yomi periods."""


@dataclass(frozen=True)
class NetworkLayout:
    """The inputs and the policy of a network of people's moves."""

    encoding: str
    """A byte encoding of the game's native samples."""
    planes: int
    rows: int
    columns: int
    """Columns of the board; of the largest board if `any_board_size`."""
    head: PolicyHead
    """from-to: a logit per pair of squares, numbered as in Lc0. planes: a plane per kind of move. points: a
    logit per point and one for a pass."""
    moves: int
    """Number of logits of the policy."""
    history: tuple[int, int]
    """Planes [begin, end) that show earlier boards."""
    counts: tuple[tuple[int, int, float], ...] = ()
    """(begin, end, scale): planes [begin, end) hold counts, which are divided by the scale."""
    any_board_size: bool = False
    """Whether one network plays on boards of several sizes."""
    fixed_history: bool = True
    """Whether the encoding decides how many boards it shows."""
    symmetry_labels: str = ""
    """Reference to a function that maps a permutation of the cells by a board symmetry, [cells], to the
    permutation of the policy's labels, [moves]. Empty: predictions are not averaged over symmetries."""

    @property
    def cells(self) -> int:
        """Squares or points of the board."""
        return self.rows * self.columns


@dataclass(frozen=True)
class SearchDefaults:
    """Settings of the search that depend on the game."""

    find_immediate_wins: bool = True
    """Whether root moves that win at once are found, even if their priors are small."""
    repetition_draws: bool = True
    """Whether a position repeated within the search counts as a draw."""
    prefer_proven: bool = True
    """Whether a proven win is always played and a proven loss avoided."""
    adjust_policy: str = ""
    """Reference to a function (state, Prediction) -> probabilities [moves] that adjusts the distribution
    from which a player draws, such as Go's passing rules. Empty: none."""


@dataclass(frozen=True)
class PlayerDefaults:
    """Default opponents, and parts that players of this game need."""

    strength_player: str = "sparring.players.strength:alphabeta_player"
    """Reference to a function (game, strength) -> Player: the small search player, 1 to 9."""
    has_human_network: bool = False
    """Whether a network of people's moves is shipped; the default opponent then plays like people."""
    rating: int | str | None = None
    """Rating of the default opponent, as in players' TOML files; None for none."""
    rating_range: tuple[int, int] | None = None
    """Lowest and highest rating of the people whose games the shipped network learned from."""
    books: Mapping[str, str] = field(default_factory=dict)
    """Reference to a function (path) -> Book or None by file suffix, for opening books that are not files of
    games. None leaves the file to the reader of games."""
    agree_on_end: str = ""
    """Reference to a function (session, state, prediction) -> GameOver or None, with which a person and the
    opponent agree on the score of a finished game in the terminal. None: they play on. Empty: the rules
    decide."""
    counting: str = ""
    """Reference to a class with `propose`, `stones_at` and `result`, with which a person and the opponent
    agree on the score of a finished game. Empty: the rules decide."""
    hidden_terminal: str = ""
    """Reference to a class (game, human, opponent, options) with `play()`: the terminal of a game with hidden
    information."""
    live_game: str = "sparring.server.live_game:LiveGame"
    """Reference to a class (settings, players): a game of this kind on the page."""
    advice: Callable[[Any], str] | None = None
    """(state) -> a text for a person who begins a game against the default opponent."""


@dataclass(frozen=True)
class GameDescription:
    """One game: rules, native classes, records, ratings, networks, search, players."""

    name: str
    """The name on the command line and in files."""
    rules: type[Any]
    """The `Game`: a frozen dataclass whose fields are the rule options."""
    native: str
    """Prefix of the native classes: Shogi for ShogiState, ShogiTree, ShogiSamples and so on. Empty for a
    game in Python."""
    packed_move_bytes: int
    """Bytes of a packed move, an index among the legal moves: 2 if a state can have more than 256 moves."""
    move_numbering: int = 1
    """Version of the move codes and of the order of legal moves. Raise it when either changes."""
    encodings: Mapping[str, int] = field(default_factory=lambda: {"planes": 1})
    """Version of each encoding (planes and policy labels) by name: those of the native samples, and those of
    networks' codecs. Raise it when the encoding changes."""
    ratings: RatingSystem = ELO
    """How players' strength is written."""
    phases: Phases = Phases(20, 60)
    """Opening, middle game and endgame."""
    ply_bucket: int = 10
    """Width of a bucket in reports by ply."""
    records: RecordFormats = RecordFormats()
    """Readers, writer and filter of recorded games."""
    openings: OpeningFormats = OpeningFormats()
    """Files of positions."""
    engine: EngineSupport | None = None
    """Protocol of external engines; None if there is none."""
    layout: Callable[[int], NetworkLayout] | None = None
    """(history) -> layout of a network with so many boards in its input. None if no network can be
    trained."""
    search: SearchDefaults = SearchDefaults()
    """Settings of the search."""
    players: PlayerDefaults = PlayerDefaults()
    """Default opponents."""
    display_move: Callable[[Any, int], str] | None = None
    """(state, move) -> text for people, such as SAN. None: `Game.move_text`."""
    claimable_draw: Callable[[Any], str | None] | None = None
    """(state) -> the reason for which the player to move may claim a draw, or None. None: draws are not
    claimed."""
    move_count: Callable[[Any], int] | None = None
    """(state) -> moves since the beginning of the game, by the move number in the text of the position.
    None: the text has none."""
    how_to_move: str = ""
    """How people write moves, in a sentence or two for `help` in the terminal."""
    rules_summary: str = ""
    """The rules in a few lines, for games that are not well known."""
    rule_sets: Callable[..., Any] | None = None
    """(name, komi=None) -> Game with a named rule set, such as "chinese". None if there are no rule sets."""
    modules: tuple[str, ...] = ()
    """Modules and packages above `games` that belong to this game alone, without the leading "sparring."."""

    def game_ply(self, state: Any) -> int:
        """Moves since the beginning of the game; in games without `move_count`, since the start of the
        line."""
        return int(state.ply if self.move_count is None else max(state.ply, self.move_count(state)))

    @property
    def numbering_tag(self) -> bytes:
        """A part of cache keys that depend on the move numbering; empty for version 1."""
        return b"" if self.move_numbering == 1 else f"move numbering {self.move_numbering}".encode()

    @property
    def state_class(self) -> type[Any]:
        """The class of the game's states: `state_type` of the rules."""
        found: type[Any] = self.rules.state_type
        return found

    @property
    def states_class(self) -> type[Any]:
        """The native class of batches of states. Raises LookupError where the game has none."""
        return self._native_class("States")

    @property
    def forest_class(self) -> type[Any]:
        """The native class of many PUCT trees. Raises LookupError where the game has none."""
        return self._native_class("Forest")

    @property
    def samples_class(self) -> type[Any]:
        """The native class of packed training positions. Raises LookupError where the game has none."""
        return self._native_class("Samples")

    @property
    def search_class(self) -> type[Any]:
        """The native alpha-beta search over linear features. Raises LookupError where the game has none."""
        return self._native_class("Search")

    def has_native(self, kind: Literal["Tree", "Samples", "Search"]) -> bool:
        """Whether the native class of this kind exists."""
        return self._has_native_class(kind)

    def option_names(self) -> list[str]:
        """The names of the rule options."""
        return [option.name for option in dataclasses.fields(self.rules)]

    def _native_class(self, kind: str) -> type[Any]:
        if not self._has_native_class(kind):
            raise LookupError(f"{self.name} has no native class {self.native or '...'}{kind}")
        found: type[Any] = getattr(_core, self.native + kind)
        return found

    def _has_native_class(self, kind: str) -> bool:
        return bool(self.native) and hasattr(_core, self.native + kind)
