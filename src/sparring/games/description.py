"""`GameDescription`: everything that the rest of the package needs of one game, and the registry of them.

A game's folder has a module `plugin.py` with its `DESCRIPTION`. Code outside a game's folder asks the
description and names no game.

A description is light. What needs the game's own modules is a function that imports them when it is called.
The parts that belong to a higher layer (files of records, formats of networks, players, front ends) are
functions without arguments that return that layer's own class; the field's description names it.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import sparring
from sparring.base.errors import BadConfig, BadFile, unknown_word
from sparring.games.ratings import ELO, RatingSystem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import numpy as np
    from numpy.typing import NDArray

    from sparring.games.game import Game, Move


EngineProtocol: TypeAlias = Literal["uci", "usi", "gtp"]
PolicyHead: TypeAlias = Literal["from-to", "planes", "points"]
BoardKind: TypeAlias = Literal["chessboard", "shogiboard", "points", "squares"]
MOVE_NUMBERING, ENCODING_VERSION = "move_numbering", "encoding_version"
"""Entries of files that store moves by number, or depend on an encoding: the version. A file without an entry
was written before versions existed and counts as version 1."""


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
    client: Callable[[Any], Any] | None = None
    """(EngineConfig) -> a started `players.engines.EngineClient`. None for UCI and USI."""
    serve: Callable[[Any, Any, Any], None] | None = None
    """(EngineSettings, send_line, StdinReader): serves a GUI until it quits. None for UCI and USI."""
    score_scale: float = 271.59
    """Centipawns of an engine's score that multiply the odds of winning by e. The default is Lichess's for
    chess, fitted to rapid games of people of 2300."""


@dataclass(frozen=True)
class PointFacts:
    """A game in which points are owned at the end: networks may have heads of ownership and of the lead."""

    encoding: str
    """The encoding with the points that the player to move gets beside those of the board: komi in Go."""
    column: int
    """Its column."""
    unit: float
    """Points per unit of that column."""


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
    symmetry_labels: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None
    """Maps a permutation of the cells by a board symmetry, [cells], to the permutation of the policy's
    labels, [moves]. None: predictions are not averaged over symmetries."""
    points: PointFacts | None = None
    """Where networks can tell who will own each point, and by how much; None for other games."""

    @property
    def cells(self) -> int:
        """Squares or points of the board."""
        return self.rows * self.columns

    def on_board(self, rows: int, columns: int) -> NetworkLayout:
        """The layout on a board of this size, if one network plays on several; else the layout itself."""
        if not self.any_board_size:
            return self
        cells = rows * columns
        moves = cells + 1 if self.head == "points" else self.moves // self.cells * cells
        return dataclasses.replace(self, rows=rows, columns=columns, moves=moves)


@dataclass(frozen=True)
class SearchDefaults:
    """Settings of the search that depend on the game."""

    find_immediate_wins: bool = True
    """Whether root moves that win at once are found, even if their priors are small."""
    repetition_draws: bool = True
    """Whether a position repeated within the search counts as a draw."""
    prefer_proven: bool = True
    """Whether a proven win is always played and a proven loss avoided."""


@dataclass(frozen=True)
class PeopleNetwork:
    """The shipped network of people's moves, which plays the default opponent."""

    rating: int | str | None = None
    """Rating of the default opponent, as in players' TOML files; None for none."""
    weakest: int | str | None = None
    """Rating of the weakest people that it learned from, if it takes lower ratings; None for all."""
    rating_source: str = ""
    """Whose ratings it learned, in a sentence; empty if the game's ratings are of one scale."""
    advice: Callable[[Any], str] | None = None
    """(state) -> a text for a person who begins a game against the network."""


@dataclass(frozen=True)
class RuleChoice:
    """An option of the rules, for people."""

    title: str
    choices: tuple[tuple[bool | int | float | str, str], ...] = ()
    """(value, title) of each choice; empty if there is no fixed set."""
    default: bool | int | float | str | None = None
    """Choice in place of the option's default; None for that."""


@dataclass(frozen=True)
class GameDescription:
    """One game: rules, native classes, records, ratings, networks, search, players."""

    name: str
    """The name on the command line and in files."""
    load_rules: Callable[[], type[Any]]
    """Returns the `Game`: a frozen dataclass whose fields are the rule options."""
    native: str = ""
    """Prefix of the native classes: Shogi for ShogiState, ShogiTree, ShogiSamples and so on. Empty for a
    game in Python."""
    packed_move_bytes: int = 1
    """Bytes of a packed move, an index among the legal moves: 2 if a state can have more than 256 moves."""
    opening_tags: Callable[[Any], Mapping[str, str]] | None = None
    """(last state) -> PGN's tags of the game's opening, such as ECO; empty if it has no name."""
    is_opening_position: Callable[[Any], bool] | None = None
    """(state) -> whether it belongs to a named opening. None: the game has no table of openings."""
    numbers_plies: bool = False
    """Whether people number each player's move, and not the two of both players together."""
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
    openings: OpeningFormats = OpeningFormats()
    """Files of positions."""
    engine: EngineSupport | None = None
    """Protocol of external engines; None if there is none."""
    layout: Callable[[int], NetworkLayout] | None = None
    """(history) -> layout of a network with so many boards in its input. None if no network can be
    trained."""
    search: SearchDefaults = SearchDefaults()
    """Settings of the search."""
    people: PeopleNetwork | None = None
    """The shipped network of people's moves; None if there is none."""
    display_move: Callable[[Any, int], str] | None = None
    """(state, move) -> text for people, such as SAN. None: `Game.move_text`."""
    claimable_draw: Callable[[Any], str | None] | None = None
    """(state) -> the reason for which the player to move may claim a draw, or None. None: draws are not
    claimed."""
    can_win: Callable[[Any, int], bool] | None = None
    """(state, player) -> whether any legal moves lead to a win of the player: if not, the other's time that
    runs out is a draw. None: it always loses."""
    move_count: Callable[[Any], int] | None = None
    """(state) -> moves since the beginning of the game, by the move number in the text of the position.
    None: the text has none."""
    how_to_move: str = ""
    """How people write moves, in a sentence or two for `help` in the terminal."""
    rules_summary: str = ""
    """The rules in a few lines, for games that are not well known."""
    rule_sets: Callable[..., Any] | None = None
    """(name, komi=None, **options) -> Game with a named rule set, such as "chinese". None if there are no
    rule sets."""
    rule_choices: Mapping[str, RuleChoice] = field(default_factory=dict)
    """How people choose the rule options, by name; `rules` is the name of a rule set."""
    facts: Callable[[Any, Any], list[str]] | None = None
    """(rules, state) -> facts of a game in progress in sentences, such as prisoners. None if there are
    none."""
    draws_by_agreement: bool = True
    """Whether players may agree to a draw."""
    board: BoardKind = "squares"
    """The page's board: of chess, of shogi, of points for stones, or of plain squares."""
    senses: bool = False
    """Whether a turn begins with a sense, in a game of hidden information."""
    passes: bool = False
    """Whether a player may pass."""
    rating_scale: str = ""
    """What the rating of an opponent means to a person of the game, in a sentence. Empty if none is shown."""
    order: int = 1000
    """Place in lists of games; games with equal numbers are listed by name."""
    records: Callable[[], Any] | None = None
    """Returns `records.record.RecordFormats`: readers, writers and filter of recorded games. None: games are
    recorded as PGN with the game's own move texts."""
    networks: Callable[[], Any] | None = None
    """Returns `networks.formats.NetworkFormats`: files of other programs' networks, and codecs."""
    analysis: Callable[[], Any] | None = None
    """Returns `measure.analysis.GameAnalysis`: the game's own search of lines, programs that can analyse, and
    kinds of mistakes. None: the strong network's search analyses."""
    players: Callable[[], Any] | None = None
    """Returns `players.game_players.GamePlayers`: the small search player, bots, opening books."""
    commands: Callable[[], Mapping[str, Any]] | None = None
    """Returns the game's own commands of `sparring` by name, each a `Command` or `Group` of `cli.commands`. A
    group with the name of another, such as `train`, adds to it."""
    problem_rater: Callable[[], Any] | None = None
    """Returns the function (state, solution) -> rating that predicts how hard a problem is; `solution` are
    the moves of both sides as text, and the rating has `plausible`, equally likely values of the true one.
    None: problems of the game are not rated."""
    problem_files: Callable[[], object] | None = None
    """Returns `measure.problems.ProblemFiles`: how the game's files of problems are recognised and rated.
    None: it has none."""
    counting: Callable[[], Any] | None = None
    """Returns an object with `reply_to_pass`, `propose`, `stones_at`, `result` and `diagram`, with which a
    person and the opponent end a game and agree on its score, and with `estimate` and `territory`, which show
    who is ahead before. None: the rules decide."""
    terminal_game: Callable[[], Any] | None = None
    """Returns the game's own subclass of `cli.terminal.TerminalGame`. None: that class."""
    page_game: Callable[[], Any] | None = None
    """Returns the game's own subclass of `server.page_game.PageGame`. None: that class."""

    @cached_property
    def rules(self) -> type[Any]:
        """The `Game`: a frozen dataclass whose fields are the rule options."""
        return self.load_rules()

    def game_ply(self, state: Any) -> int:
        """Moves since the beginning of the game; in games without `move_count`, since the start of the
        line."""
        return int(state.ply if self.move_count is None else max(state.ply, self.move_count(state)))

    @property
    def numbering_tag(self) -> bytes:
        """A part of cache keys that depend on the move numbering; empty for version 1."""
        return b"" if self.move_numbering == 1 else f"move numbering {self.move_numbering}".encode()

    def check_move_numbering(self, entries: Mapping[str, object]) -> None:
        """Checks the entry MOVE_NUMBERING of a file. Raises BadFile."""
        _check(entries.get(MOVE_NUMBERING, 1), self.move_numbering, f"move numbering of {self.name}")

    def check_encoding(self, encoding: str, entries: Mapping[str, object]) -> None:
        """Checks the entry ENCODING_VERSION of a file that uses an encoding. Raises BadFile.

        The encoding "planes" names moves by their codes, so it depends on the move numbering too.
        """
        expected = self.encodings.get(encoding, 1)
        _check(entries.get(ENCODING_VERSION, 1), expected, f"encoding '{encoding}' of {self.name}")
        if encoding == "planes":
            self.check_move_numbering(entries)

    @property
    def state_class(self) -> type[Any]:
        """The class of the game's states. Imports the rules only of a game in Python."""
        made: type[Any] = self._native_class("State") if self.native else self.rules.state_type
        return made

    @property
    def states_class(self) -> type[Any]:
        """The class of batches of states, `PythonStates` for a game in Python. Raises LookupError where a
        native game has none."""
        if not self.native:
            from sparring.games.python_batches import PythonStates

            return PythonStates
        return self._native_class("States")

    @property
    def forest_class(self) -> type[Any]:
        """The native class of many PUCT trees. Raises LookupError where the game has none."""
        return self._native_class("Forest")

    @property
    def samples_class(self) -> type[Any]:
        """The class of packed training positions; of a game in Python, one that needs `policy_label`. Raises
        LookupError where the game has none."""
        if not self.native and self.layout is not None:
            from sparring.games.python_batches import samples_of

            return samples_of(self.state_class)
        return self._native_class("Samples")

    @property
    def search_class(self) -> type[Any]:
        """The native alpha-beta search over linear features. Raises LookupError where the game has none."""
        return self._native_class("Search")

    @property
    def network_class(self) -> type[Any]:
        """The native small value network. Raises LookupError where the game has none."""
        return self._native_class("Network")

    @property
    def minimax_forest_class(self) -> type[Any]:
        """The native class of many best-first minimax trees. Raises LookupError where the game has none."""
        return self._native_class("MinimaxForest")

    def has_native(self, kind: str) -> bool:
        """Whether the native class of this kind exists, such as Tree, Samples or Search."""
        from sparring import _core

        return bool(self.native) and hasattr(_core, self.native + kind)

    def option_names(self) -> list[str]:
        """The names of the rule options."""
        return [option.name for option in dataclasses.fields(self.rules)]

    def _native_class(self, kind: str) -> type[Any]:
        if not self.has_native(kind):
            raise LookupError(f"{self.name} has no native class {self.native or '...'}{kind}")
        from sparring import _core

        made: type[Any] = getattr(_core, self.native + kind)
        return made


def _check(actual: object, expected: int, what: str) -> None:
    if actual != expected:
        raise BadFile(f"found version {str(actual)[:40]} of the {what}, expected version {expected}")


# The registry of games: the folders of this package that are games, and the games of other packages. A
# folder of `sparring` with a module `plugin.py` is a game; the module's `DESCRIPTION` describes it. Another
# package adds a game by an entry point of the group "sparring.games", whose name is the game's and whose
# object is its `GameDescription` (docs/add-a-game.md).


GROUP = "sparring.games"
"""Group of the entry points by which other packages add games."""


class GameRegistry(Mapping[str, GameDescription]):
    """The descriptions by name, in the order in which lists show the games.

    A lookup imports the plug-in of that game only. A listing imports all plug-ins, but no game's rules; a
    plug-in of another package that cannot be loaded is left out with a warning.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, GameDescription] = {}

    def __getitem__(self, name: str) -> GameDescription:
        """The description of a game. Raises KeyError where there is none, BadConfig."""
        if name not in self._loaded:
            if name in self._folders:
                module = import_module(f"sparring.{name}.plugin")
                self._loaded[name] = _checked(name, module.DESCRIPTION, f"sparring.{name}")
            else:
                self._loaded[name] = _load(self._entry_points[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed())

    def __len__(self) -> int:
        return len(self._listed())

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._folders or name in self._entry_points

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(
            path.parent.name for folder in sparring.__path__ for path in Path(folder).glob("*/plugin.py")
        )

    @cached_property
    def _entry_points(self) -> dict[str, EntryPoint]:
        from importlib.metadata import entry_points  # takes as long as everything else here

        return {point.name: point for point in entry_points(group=GROUP) if point.name not in self._folders}

    def _listed(self) -> list[str]:
        for name in (*self._folders, *self._entry_points):
            try:
                self[name]
            except BadConfig as error:
                warnings.warn(str(error), stacklevel=3)
        return sorted(self._loaded, key=lambda name: (self._loaded[name].order, name))


def _load(point: EntryPoint) -> GameDescription:
    source = point.value if point.dist is None else f"{point.value} of the package {point.dist.name}"
    try:
        made = point.load()
    except Exception as error:  # another package's code may raise anything
        raise BadConfig(f"the game {point.name!r} ({source}) cannot be loaded: {error}") from error
    return _checked(point.name, made, source)


def _checked(name: str, made: object, source: str) -> GameDescription:
    if not isinstance(made, GameDescription):
        raise BadConfig(f"the game {name!r} ({source}) is a {type(made).__name__}, not a GameDescription")
    if made.name != name:
        raise BadConfig(f"the game {name!r} ({source}) describes itself as {made.name!r}")
    return made


GAMES: GameRegistry = GameRegistry()
"""Every game by name."""


def describe(name: str) -> GameDescription:
    """The description of a game by its name. Raises BadConfig where there is none."""
    try:
        return GAMES[name]
    except KeyError:
        raise unknown_word("game", name, GAMES) from None


def describe_state(state: object) -> GameDescription:
    """The description of the game that a state belongs to. Raises TypeError."""
    for description in GAMES.values():
        if isinstance(state, description.state_class):
            return description
    raise TypeError(f"{type(state).__name__} is not a state of any game")


def load_game(name: str, **options: object) -> Game[Any]:
    """A game with rule options, such as `load_game("go", size=9)`.

    Raises BadConfig for an unknown name or option, ParseError for options that do not go together.
    """
    description = describe(name)
    for option in options.keys() - set(description.option_names()):
        raise unknown_word(f"option of {name}", option, description.option_names())
    game: Game[Any] = description.rules(**options)
    return game


def game_of(state: object) -> Game[Any]:
    """The game that a state belongs to, with the rules that the state carries. Raises TypeError."""
    game: Game[Any] = describe_state(state).rules.of(state)
    return game


def move_name(state: Any, move: Move) -> str:
    """A legal move as people write it, such as Nf3, P-7f or D4. `Game.parse_move` reads it."""
    display = describe_state(state).display_move
    return str(state.move_text(move)) if display is None else display(state, move)


def protocol_games() -> dict[EngineProtocol, str]:
    """The game that each engine protocol plays."""
    return {
        description.engine.protocol: name
        for name, description in GAMES.items()
        if description.engine is not None
    }
