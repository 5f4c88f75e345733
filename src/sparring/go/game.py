"""Go on boards from 5x5 to 19x19. Moves are GTP vertices and `pass`; a position is one line of text.

The line is `ROWS SIDE KO PRISONERS PRISONERS PASSES KOMI RULES...`, for example
`5/2X2/1XOX1/2O2/5 b - 0 0 0 7.5`: rows from the top with X for Black, O for White and numbers for runs of
empty points; the player to move, b or w; the point that ko forbids or -; the prisoners of Black and of White;
consecutive passes; komi; and the rules that differ from the default, of `simple` or `situational`, `suicide`,
`territory` and `tax-seki` or `tax-all`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self, TypeAlias, cast

from sparring._core import GoState, ParseError
from sparring.base.sentences import Sentence
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import IllegalMove, Move, Spec
from sparring.games.states import StateGame, not_legal, strip_annotations, to_valid_utf8

KoRule: TypeAlias = Literal["positional", "situational", "simple"]
ScoringRule: TypeAlias = Literal["area", "territory"]
TaxRule: TypeAlias = Literal["none", "seki", "all"]

COLUMNS = "ABCDEFGHJKLMNOPQRST"
"""Column letters of GTP, without I."""

_LARGEST = 19
_PLANES = (
    "own stones",
    "other's stones",
    "empty points",
    *(
        f"{owner} stones with {n} libert{'y' if n == 1 else 'ies'}"
        for owner in ("own", "other's")
        for n in (1, 2, 3)
    ),
    "point that ko forbids",
    "Black to move",
    "komi for the player to move / 40 + 1/2",
    "a pass ends the game",
    "ones",
)
# Letters rather than ● and ○: on a dark terminal the filled disc is the bright one and reads as White.
_SYMBOLS = ("X", "O")
_STONE = "●"


class RuleSet(NamedTuple):
    """The rules of a named rule set, as in KataGo."""

    ko: KoRule
    suicide: bool
    scoring: ScoringRule
    tax: TaxRule
    komi: float
    free_stones: int | None = None
    """Handicap stones without compensation; White gets a point for each further one. None: for none."""


RULE_SETS = {
    "tromp-taylor": RuleSet("positional", True, "area", "none", 7.5),
    "chinese": RuleSet("simple", False, "area", "none", 7.5, 0),
    "chinese-ogs": RuleSet("positional", False, "area", "none", 7.5, 0),
    "chinese-kgs": RuleSet("positional", False, "area", "none", 7.5, 0),
    "japanese": RuleSet("simple", False, "territory", "seki", 6.5),
    "korean": RuleSet("simple", False, "territory", "seki", 6.5),
    "aga": RuleSet("situational", False, "area", "none", 7.5, 1),
    "bga": RuleSet("situational", False, "area", "none", 7.5, 1),
    "french": RuleSet("situational", False, "area", "none", 7.5, 1),
    "new-zealand": RuleSet("situational", True, "area", "none", 7.0),
    "nz": RuleSet("situational", True, "area", "none", 7.0),
    "ing": RuleSet("positional", True, "area", "none", 7.5),
    "goe": RuleSet("positional", True, "area", "none", 7.5),
    "stone-scoring": RuleSet("simple", False, "area", "all", 7.5),
    "ancient-area": RuleSet("simple", False, "area", "all", 7.5),
    "ancient-territory": RuleSet("simple", False, "territory", "all", 6.5),
}
"""The rule sets of `Go.by_rules`."""


@dataclass(frozen=True)
class Go(StateGame[GoState]):
    """Go. Black is player 0, even if White moves first in a handicap game. Two passes end the game.

    The options are those of the initial state. Every state carries its rules.
    """

    size: int = 19
    """Rows and columns of the board, from 5 to 19."""

    komi: float | None = None
    """Compensation of White for moving second, in points; a multiple of 0.5. None is 7.5, or 0.5 with a
    handicap."""

    ko: KoRule = "positional"
    """Forbidden repetition: "positional", of a whole-board position; "situational", of one with the same
    player to move; "simple", recapturing a single stone at once."""

    suicide: bool = False
    """Whether suicide of two or more stones is legal. Suicide of one stone never is."""

    scoring: ScoringRule = "area"
    """Score: "area", stones and surrounded empty points; "territory", surrounded empty points and prisoners.
    Stones on the board count as alive unless `GoState.score` is given the dead ones."""

    tax: TaxRule = "none"
    """Group tax: "seki", territory of groups in seki does not count; "all", every other group also pays two
    points, as in stone scoring."""

    handicap: int = 0
    """Handicap stones on the fixed points of GTP: 0, or 2 to 9 (at most 4 on even boards and on 7x7, 0 on
    smaller boards). White then moves first."""

    state_type = GoState

    def __post_init__(self) -> None:
        if self.komi is None:
            object.__setattr__(self, "komi", 0.5 if self.handicap else 7.5)
        self.initial()  # raises ParseError for options that do not go together

    @classmethod
    def of(cls, state: GoState) -> Self:
        """The game with the rules of a state, without handicap."""
        ko, scoring, tax = cast(KoRule, state.ko), cast(ScoringRule, state.scoring), cast(TaxRule, state.tax)
        return cls(state.size, state.komi, ko, state.suicide, scoring, tax)

    @classmethod
    def by_rules(cls, name: str, size: int = 19, komi: float | None = None, handicap: int = 0) -> Self:
        """The game with a rule set of KataGo, such as "chinese" or "tromp-taylor". Raises ParseError.

        If the rule set compensates White for handicap stones, the points are added to komi.
        """
        rules = rule_set(name)
        bonus = 0 if rules.free_stones is None else max(handicap - rules.free_stones, 0)
        usual = 0.5 if handicap else rules.komi
        points = (usual if komi is None else komi) + bonus
        return cls(size, points, rules.ko, rules.suicide, rules.scoring, rules.tax, handicap)

    @property
    def spec(self) -> Spec:
        """Constants of the game. A point has the code row * size + column, a pass size * size."""
        return Spec(
            name="go",
            title="Go",
            players=("Black", "White"),
            moves=_LARGEST * _LARGEST + 1,
            planes=_PLANES,
            board=(self.size, self.size),
        )

    def initial(self) -> GoState:
        """The initial state."""
        assert self.komi is not None, "set in __post_init__"
        return GoState.initial(
            self.size, self.komi, self.ko, self.suicide, self.scoring, self.tax, self.handicap
        )

    def parse_move(self, state: GoState, text: str) -> Move:
        """Parses a legal move: a vertex such as D4, or `pass`. Raises ParseError or IllegalMove."""
        words = re.sub(r"[\s,-]+", "", strip_annotations(to_valid_utf8(text)))
        if swapped := re.fullmatch(r"(\d{1,2})([A-Ta-t])", words):
            words = swapped[2] + swapped[1]
        try:
            return super().parse_move(state, words)
        except ParseError:
            corner = f"{COLUMNS[state.size - 1]}{state.size}"
            raise ParseError(
                Sentence(
                    "{text} is not a point from A1 to {corner} (there is no column I)",
                    text=f"'{words[:80]}'",
                    corner=corner,
                )
            ) from None
        except IllegalMove:
            raise not_legal(words.upper(), _forbidden(state, words)) from None

    def diagram(self, state: GoState) -> Diagram:
        """The board, with the last stone highlighted and the prisoners below."""
        size = state.size
        cells: list[list[Piece | None]] = [[None] * size for _ in range(size)]
        for owner, points in enumerate(state.stones):
            for point in points:
                row, column = _place(point, size)
                cells[row][column] = Piece(_SYMBOLS[owner], owner, shape="stone", glyph=_STONE)
        last = state.last_move
        played = [] if last is None or last == size * size else [_place(last, size)]
        passed = "; passed" if last == size * size else ""
        by_black, by_white = state.prisoners
        return Diagram(
            cells=tuple(map(tuple, cells)),
            columns=tuple(COLUMNS[:size]),
            rows=tuple(str(n) for n in range(size, 0, -1)),
            style="points",
            below=f"prisoners: Black {by_black}, White {by_white}{passed}",
            highlights=frozenset(played),
            stars=_stars(size),
        )


def rule_set(name: str) -> RuleSet:
    """The rule set with a name; case, spaces and hyphens do not count. Raises ParseError."""
    rules = {_plain(known): rules for known, rules in RULE_SETS.items()}.get(_plain(name))
    if rules is None:
        raise ParseError(
            Sentence(
                "rules {rules} are not known; there are {known}", rules=repr(name), known=", ".join(RULE_SETS)
            )
        )
    return rules


def rule_set_of(rules: Go) -> str | None:
    """The name of a rule set with the ko, suicide, scoring and tax of rules, whatever their komi; None if
    there is none. Of sets with the same it is one that people know."""
    own = rules.ko, rules.suicide, rules.scoring, rules.tax
    names = ("chinese", "japanese", "aga", "new-zealand", "tromp-taylor", *RULE_SETS)
    return next((name for name in names if RULE_SETS[name][:4] == own), None)


def _forbidden(state: GoState, vertex: str) -> str:
    """Why no stone may be played at a vertex."""
    if state.outcome is not None:
        return Sentence("the game is over")
    point = state.parse_move(vertex)
    if any(point in stones for stones in state.stones):
        return Sentence("a stone is there")
    if point == state.ko_point:
        return Sentence("it retakes a ko")
    return Sentence("it has no liberties, or repeats a position")


def _plain(name: str) -> str:
    """A rule set's name in lower case without separators."""
    return "".join(c for c in name.lower() if c not in "-_ ")


def _place(point: int, size: int) -> tuple[int, int]:
    """Row from the top and column of a point."""
    return size - 1 - point // size, point % size


def _stars(size: int) -> frozenset[tuple[int, int]]:
    """The star points: corners and centre, and on large boards the middles of the sides."""
    edge = 3 if size >= 13 else 2
    corners = (edge, size - 1 - edge) if size >= 7 else ()
    middle = (size // 2,) if size % 2 else ()
    lines = (*corners, *middle) if size >= 15 else corners
    stars = {(row, column) for row in lines for column in lines}
    return frozenset(stars | {(row, row) for row in middle})
