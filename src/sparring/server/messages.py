"""Messages of the HTTP API: what requests contain and what answers look like. OpenAPI is made from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.base.sentences import Sentence
from sparring.games import Game, GameDescription, Move, move_name
from sparring.games.description import BoardKind
from sparring.games.diagrams import Diagram, Piece
from sparring.players.small_players import STRENGTHS

GameName = Annotated[str, Field(max_length=32, description="Name of a game, such as chess.")]
MoveText = Annotated[str, Field(min_length=1, max_length=64, description="A move as people write it.")]
PersonName = Annotated[str, Field(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]
PositionText = Annotated[str, Field(max_length=4_000, description="A position, such as FEN.")]
RecordText = Annotated[str, Field(max_length=500_000, description="A game as PGN, SGF, KIF, CSA or log.")]


class ApiMessage(BaseModel):
    """A message. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(ApiMessage):
    """A text for people that a page can translate: it looks up `template` and fills in `values`."""

    text: str = Field(description="The whole text in English.")
    template: str = Field(description="The text in English, with {names} in place of the values.")
    values: dict[str, str | int | float | Text] = Field(
        default_factory=dict, description="By name. A text is translated itself; so is a word of the game."
    )


def text_of(sentence: str) -> Text:
    """The message of a sentence. A text that is no sentence is its own template."""
    shown = encodable(sentence)
    if not isinstance(sentence, Sentence):
        return Text(text=shown, template=shown)
    values = {name: _value_of(value) for name, value in sentence.values.items()}
    return Text(text=shown, template=sentence.template, values=values)


def _value_of(value: str | int | float) -> str | int | float | Text:
    if isinstance(value, Sentence):
        return text_of(value)
    return encodable(value) if isinstance(value, str) else value


def encodable(text: str) -> str:
    """A text that may quote any text of a request, without what UTF-8 cannot have."""
    return text.encode("utf-8", "replace").decode()


class OpponentChoice(ApiMessage):
    """Who plays. Without any key: the default opponent of the game."""

    kind: Literal["level", "human", "strength", "bot", "person"] | None = Field(
        default=None,
        description="level: as strong as asked. human: plays like people of a rating. strength: a search "
        "player. bot: a named bot of a hidden game. person: plays like one person.",
    )
    level: int | None = Field(
        default=None,
        ge=-50,
        le=4_000,
        description="level: its strength, or its rank as a number: 3k is -3, 3d is 3.",
    )
    scale: Literal["people", "engine"] = Field(
        default="people",
        description="level: people: errs as people of that rating do; engine: as strong as an engine of it.",
    )
    rating: int | str | None = Field(
        default=None, description="human: the rating, or in Go the rank, of the people it plays like."
    )
    style: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="human: share of the strong half in the blend, from 0 to 1. Without it, the fitted "
        "blend.",
    )
    opening_style: str | None = Field(
        default=None,
        max_length=40,
        description="level and human: one of the game's `opening_styles`. null for any.",
    )
    temperature: float | None = Field(
        default=None, ge=0, le=10, description="human: temperature of the moves (1)."
    )
    nodes: int = Field(default=0, ge=0, le=3_200, description="human: positions that it searches for a move.")
    think_time: Literal["none", "human"] = Field(
        default="human",
        description="human: takes the time that people take, without a clock half a second to four seconds. "
        "none: answers at once.",
    )
    strength: int | None = Field(
        default=None, ge=STRENGTHS[0], le=STRENGTHS[-1], description="strength: from 1 to 9."
    )
    bot: str | None = Field(default=None, max_length=64, description="bot: its name.")
    seconds: float | None = Field(
        default=None, ge=0.1, le=60, description="bot: its time for a turn, if it has budgets."
    )
    person: str | None = Field(
        default=None, max_length=100, description="person: the name in the catalogue, which names a file."
    )
    adapt: bool = Field(
        default=False,
        description="level: the level follows the visitor's results; `level` is that of the first game.",
    )


ClockText = Annotated[
    str,
    Field(
        max_length=32,
        description="A clock as people write it: minutes and seconds a move, such as 10, 5+3, 20+3x30 (three "
        "periods of byo-yomi), 10+300/15 (Canadian) or 40/90+30.",
    ),
]


class ClockChoice(ApiMessage):
    """A clock, in seconds."""

    base: float = Field(ge=0, le=36_000, description="Seconds for the game.")
    increment: float = Field(default=0, ge=0, le=600, description="Seconds added after each move.")
    byoyomi: float = Field(
        default=0, ge=0, le=600, description="Seconds for each move once the base is used up."
    )


class GameTraits(ApiMessage):
    """What a page has to know of a game to show it. A page names no game."""

    board: BoardKind = Field(
        description="How the board is drawn: that of chess, that of shogi, points for stones, or squares."
    )
    hidden: bool = Field(description="Whether a player sees only a part of the position.")
    senses: bool = Field(description="Whether a turn begins with a sense.")
    passes: bool = Field(description="Whether a player may pass.")
    points: bool = Field(description="Whether points are counted at the end: then the score is estimated.")
    draws: bool = Field(description="Whether players may agree to a draw.")
    numbers_plies: bool = Field(
        description="Whether people number each player's move, and not the two of both players together."
    )


def game_traits(description: GameDescription) -> GameTraits:
    """The message of a game's description."""
    return GameTraits(
        board=description.board,
        hidden=description.rules().spec.hidden,
        senses=description.senses,
        passes=description.passes,
        points=description.counting is not None,
        draws=description.draws_by_agreement,
        numbers_plies=description.numbers_plies,
    )


class NewGame(ApiMessage):
    """A request for a new game."""

    game: GameName
    options: dict[str, bool | int | float | str] = Field(
        default_factory=dict, max_length=16, description="Options of the rules, such as size and komi in Go."
    )
    you: Literal[0, 1] | None = Field(
        default=0, description="The person's side; null for a game between two opponents, which is watched."
    )
    opponent: OpponentChoice = OpponentChoice()
    second_opponent: OpponentChoice | None = Field(
        default=None, description="The second player of a watched game; without it, the same as `opponent`."
    )
    clock: ClockChoice | ClockText | None = None
    resigns: bool = Field(default=True, description="Whether the opponent may resign; else it plays to mate.")
    your_name: PersonName = Field(
        default="", description="The person's name in saved games; empty for the usual word."
    )
    your_rating: (
        Annotated[int, Field(strict=True, ge=0, le=4_000)] | Annotated[str, Field(max_length=8)] | None
    ) = Field(default=None, description="The person's rating, or in Go the rank, in saved games.")
    position: PositionText | None = Field(default=None, description="The position to begin with.")
    record: RecordText | None = Field(
        default=None, description="A game to continue; its last position is played on."
    )
    format: str | None = Field(default=None, max_length=8, description="Format of `record`, such as pgn.")
    record_index: int = Field(
        default=0, ge=0, lt=1_000, description="Number of the game in `record`, from 0."
    )
    opening: list[MoveText] = Field(
        default_factory=list, max_length=60, description="Moves that are played before the game begins."
    )
    people_plies: int = Field(
        default=0,
        ge=0,
        le=20,
        description="So many moves are then drawn from people of the opponent's rating: an opening as they "
        "play it.",
    )
    seed: int | None = Field(
        default=None, ge=0, le=2**53 - 1, description="The same seed gives the same game."
    )
    pace: float = Field(default=1.0, ge=0, le=60, description="Watched games: seconds between two moves.")


class PlayMove(ApiMessage):
    """A person's move."""

    move: MoveText
    ply: int = Field(ge=0, le=100_000, description="Number of moves before it: a stale page is refused.")


class TakeBack(ApiMessage):
    """Takes moves back."""

    count: int = Field(default=1, ge=1, le=1_000, description="Number of the person's moves.")


class Points(ApiMessage):
    """Points whose stones become dead, or alive again."""

    points: list[Annotated[str, Field(max_length=8)]] = Field(max_length=400)


class PieceView(ApiMessage):
    """A piece on the board."""

    symbol: str
    owner: int = Field(description="0 or 1; -1 for a piece that the person cannot be certain of.")
    label: str = ""
    accent: bool = False


class BoardView(ApiMessage):
    """A board to draw, rows from the top, with player 0 below."""

    style: Literal["checkered", "grid", "points"]
    columns: list[str]
    rows: list[str]
    cells: list[list[PieceView | None]]
    highlights: list[tuple[int, int]] = Field(description="(row, column) of the last move's squares.")
    stars: list[tuple[int, int]]
    above: str
    below: str


class MoveView(ApiMessage):
    """A move that was played."""

    text: str = Field(description="In the protocol's notation: UCI, USI, GTP.")
    name: str = Field(description="As people write it.")
    player: int
    left: float | None = Field(description="Seconds left on the mover's clock.")


class LegalMove(ApiMessage):
    """A move that the person can make."""

    text: str
    name: str


def legal_move(rules: Game[Any], state: Any, move: Move) -> LegalMove:
    """The message of a legal move."""
    return LegalMove(text=rules.move_text(state, move), name=move_name(state, move))


class ResultView(ApiMessage):
    """The end of a game."""

    score: float = Field(description="Score of player 0: 1, 0.5 or 0.")
    winner: int | None
    text: Text = Field(description="The result in a sentence for the person.")
    resigned: int | None = Field(default=None, description="The player who resigned; null if none did.")


class ClockView(ApiMessage):
    """The clocks."""

    left: tuple[float, float] = Field(
        description="Seconds left of player 0 and player 1, now; of the base, or of Canadian overtime."
    )
    running: int | None = Field(description="The player whose clock runs; null if none does.")
    increment: float
    byoyomi: float = Field(description="Seconds of a period of overtime; 0 for none.")
    periods: tuple[int, int] = Field(
        description="Periods of overtime that follow `left` for each player; 0 without overtime, and in "
        "Canadian overtime."
    )
    overtime_used: float = Field(description="Seconds of overtime that the turn has taken.")
    moves_to_go: tuple[int | None, int | None] = Field(
        description="Moves of each player until time is added; null for the rest of the game."
    )
    low: float = Field(description="Seconds below which a clock is low: 10, or a tenth of a shorter game.")


class CountingView(ApiMessage):
    """Both passed in Go: which stones are dead? Of a game that ended by counting: those that were."""

    dead: list[str]
    text: Text = Field(description="The score in a sentence.")


class HiddenView(ApiMessage):
    """What a person knows in a game of hidden information."""

    known: list[str | None] = Field(
        description="64 squares from a1: a FEN letter, null if certainly empty, ? if not certain."
    )
    likely: list[float] = Field(description="64 squares: share of the possible boards with an enemy piece.")
    guess: list[str] = Field(
        description="64 squares: the likeliest enemy piece there, or an empty text where there is none."
    )
    guess_shares: list[float] = Field(description="64 squares: share of the possible boards with that piece.")
    possible: int = Field(description="Number of possible boards.")
    exact: bool = Field(description="Whether all possible boards are followed.")
    notes: list[Text] = Field(description="What the person learned, the latest last.")
    sensed: list[int] = Field(description="Squares of the last sense.")
    sizes: list[int] = Field(description="Number of possible boards after each move of either side.")


class PlayerView(ApiMessage):
    """One of the two players."""

    name: Text
    about: Text
    is_person: bool


Phase = Literal["move", "sense", "thinking", "counting", "over"]


class StrengthView(ApiMessage):
    """A visitor's strength by the results against opponents whose level adapts."""

    rating: float
    interval: tuple[float, float] = Field(description="95 % interval.")
    games: int


class GameView(ApiMessage):
    """A game as the person sees it."""

    id: str
    version: int = Field(
        description="Grows with every change, also over restarts: a page ignores older views."
    )
    game: str
    title: str
    traits: GameTraits
    options: dict[str, Any]
    versions: dict[str, int] = Field(
        default_factory=dict,
        description="Versions of the shipped files that decided how the opponent plays when the game began, "
        "such as levels/chess: 1.",
    )
    sides: tuple[str, str]
    players: tuple[PlayerView, PlayerView]
    you: int | None
    phase: Phase
    turn: int | None = Field(description="The player to move; null when the game is over.")
    ply: int
    position: str | None = Field(description="The position as text; null in hidden games until the end.")
    board: BoardView
    legal: list[LegalMove] = Field(description="The person's moves; empty if it is not the person's turn.")
    moves: list[MoveView]
    check: bool = False
    clock: ClockView | None
    draw_offered: bool
    can: list[str] = Field(description="Commands that are possible now: undo, hint, draw, resign, ...")
    message: Text = Field(description="What happened last, in a sentence.")
    facts: list[Text] = Field(
        default_factory=list, description="Facts of the game, such as prisoners, komi and rules in Go."
    )
    counting: CountingView | None = None
    hidden: HiddenView | None = None
    result: ResultView | None = None
    warning: Text | None = Field(
        default=None, description="What could not be read of `record`, in the answer to a new game."
    )
    estimate: StrengthView | None = Field(
        default=None, description="After a game whose level adapts: the visitor's strength now."
    )


Outcome = Literal["won", "lost", "drawn"]


class GameSummary(ApiMessage):
    """A line in the list of games."""

    id: str
    game: str
    title: str
    opponent: Text
    moves: int = Field(description="Moves as people of the game number them: in chess those of both sides.")
    result: Text | None
    you: int | None = Field(description="The person's side; null for a watched game.")
    phase: Phase
    turn: int | None = Field(description="The player to move; null when the game is over.")
    position: str | None = Field(description="The last position; null in hidden games.")
    board: BoardView | None = Field(description="The last board; null in hidden games.")
    created: float = Field(description="Unix time of the beginning.")
    updated: float = Field(description="Unix time of the last change.")
    outcome: Outcome | None = Field(
        description="How it ended for the person; null for a watched or an unfinished game."
    )
    plies: int = Field(description="Moves of both players, one by one; in hidden games also senses.")
    clock: str = Field(description="Minutes and seconds a move, such as 5+3; empty without a clock.")
    level: str = Field(description="Level, rating, rank or strength of the opponent; empty if it has none.")


class Candidate(ApiMessage):
    """A move and its probability."""

    text: str
    name: str
    probability: float


class HintView(ApiMessage):
    """The best move, and what people play."""

    best: LegalMove = Field(description="The best move by a search with the strong network.")
    best_value: float | None = Field(
        description="Expected score of the side to move, from 0 to 1, by the same search."
    )
    people: LegalMove | None = Field(
        description="The likeliest move of people of a rating; null without a network of people's moves."
    )
    people_rating: int | str | None = Field(description="Their rating; null if the network knows none.")
    people_share: float | None = Field(description="Share of these people who play it.")
    candidates: list[Candidate] = Field(description="What these people play, the most likely first.")


class PositionView(ApiMessage):
    """The board after some moves of a game."""

    ply: int
    position: str
    board: BoardView
    last: str | None


class ScoreView(ApiMessage):
    """Who is ahead after some moves of a game of points, and who will own each point."""

    ply: int
    text: Text = Field(description="Who is ahead, in a sentence.")
    note: Text = Field(description="What the estimate is worth; empty after both passed.")
    lead: float = Field(description="Points by which player 0 is ahead, with komi.")
    owners: list[list[float]] = Field(
        description="Rows from the top: the expected owner of each point, 1 for player 0 and -1 for player 1."
    )
    counted: bool = Field(description="Whether both passed: then it is the score, and no estimate.")


class Refusal(ApiMessage):
    """An error."""

    detail: str = Field(description="What is wrong, in a sentence in English.")
    text: Text = Field(description="The same, to be translated.")


def board_view(diagram: Diagram) -> BoardView:
    """The message of a diagram, with player 0 below. Shogi pieces have Latin letters."""
    diagram = diagram if diagram.letters is None else diagram.letters()
    return BoardView(
        style=diagram.style,
        columns=list(diagram.columns),
        rows=list(diagram.rows),
        cells=[[_piece(cell) for cell in row] for row in diagram.cells],
        highlights=sorted(diagram.highlights),
        stars=sorted(diagram.stars),
        above=diagram.above,
        below=diagram.below,
    )


def _piece(piece: Piece | None) -> PieceView | None:
    if piece is None:
        return None
    return PieceView(symbol=piece.symbol, owner=piece.owner, label=piece.label, accent=piece.accent)
