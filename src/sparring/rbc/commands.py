"""`sparring rbc track`, `generate`, `connect`: possible boards, games in bulk, games on a server."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from getpass import getpass
from itertools import islice
from pathlib import Path
from typing import Annotated

import chess
import typer
from rich.table import Table

from sparring._core import RbcBoardSet, RbcState
from sparring.base.errors import UserError, require
from sparring.cli.arguments import AsJson
from sparring.cli.console import ProgressBar, foreign, make_console
from sparring.rbc.bots import BOTS, load_bot_config, make_bot
from sparring.rbc.game import PASS, MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.rbc.history import read_histories, read_history
from sparring.rbc.matches import HISTORIES, GeneratedGame, GenerationConfig
from sparring.rbc.matches import generate as play_games
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.tracker import Contradiction, Tracker, TrackerOptions, replay
from sparring.records import GameRecord
from sparring.records.sources import open_chunks


class PlayerColor(StrEnum):
    """The player whose possible boards are tracked."""

    WHITE = "white"
    BLACK = "black"

    @property
    def side(self) -> int:
        """0 for White, 1 for Black."""
        return int(self is PlayerColor.BLACK)


def track(
    game: Annotated[
        Path, typer.Argument(help="A reconchess history (.json), or one history per line (.jsonl).")
    ],
    player: Annotated[
        PlayerColor | None,
        typer.Option(help="The player whose possible boards are tracked; without it, one after the other."),
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="Number of the game in a .jsonl file.")] = 1,
    limit: Annotated[
        int,
        typer.Option(
            min=1,
            max=1_000_000_000,
            help="Maximum number of boards; a larger set is sampled (9000000: mostly exact, slow).",
        ),
    ] = 100_000,
    threads: Annotated[int, typer.Option(min=0, max=1024, help="Threads; 0 for all cores.")] = 0,
    seed: Annotated[
        int, typer.Option(min=0, max=2**63 - 1, help="Seed of the sampling beyond the limit.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Show the possible boards of a recorded game, turn by turn.

    Each row says how many boards the observation ruled out.
    """
    final = final_state(read_record(game, number))
    options = TrackerOptions(limit=limit, threads=threads, seed=seed)
    tracked = []
    for color in PlayerColor if player is None else (player,):
        tracked.append(_track_player(final, color, options))
        if not as_json:
            if player is None:
                make_console().print(f"[bold]{color.value}[/]")
            _print(tracked[-1].steps)
    if as_json:
        results = [*map(asdict, tracked)]
        print(json.dumps(results if player is None else results[0]))
    for result in tracked:
        if result.problem is not None:
            raise UserError(result.problem)


@dataclass(frozen=True)
class _Row:
    turn: int
    event: str
    observation: str
    before: int
    after: int
    ruled_out: int
    exact: bool
    has_truth: bool
    note: str


@dataclass(frozen=True)
class _TrackedGame:
    player: PlayerColor
    steps: list[_Row]
    problem: str | None
    """The observation that fits no board, where tracking stopped."""


def _track_player(game: RbcState, player: PlayerColor, options: TrackerOptions) -> _TrackedGame:
    """Tracks the possible boards of one player through a game."""
    tracker = Tracker(player.side, options)
    rows: list[_Row] = []
    with ProgressBar("tracking") as bar:
        try:
            for row in _follow(game, tracker):
                rows.append(row)
                text = f"turn {row.turn}, {row.after:,} boards"
                bar.on_progress(text, tracker.turns, count_turns(game, player.side))
        except Contradiction as error:
            return _TrackedGame(player, rows, str(error))
    return _TrackedGame(player, rows, None)


def read_record(path: Path, number: int) -> GameRecord:
    """A recorded game. Raises UserError."""
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    reader = read_history if has_one_game(path) else read_histories
    read = next(islice(reader(open_chunks(path)), number - 1, None), None)
    if read is None:
        raise UserError(f"{path} has no game {number}")
    if read.record is None:
        raise UserError(f"{path}, {read.where}: {read.error}")
    return read.record


def has_one_game(path: Path) -> bool:
    """Whether a file has one history, not one per line."""
    return ".json" in path.suffixes


def final_state(record: GameRecord) -> RbcState:
    """The final state of a recorded game."""
    return RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)


def count_turns(game: RbcState, side: int) -> int:
    """The number of turns of a player in a game; a turn is a sense and a move."""
    return -(-(game.ply - 2 * side) // 4)


def _follow(game: RbcState, tracker: Tracker) -> Iterator[_Row]:
    before, turn = tracker.boards, 1
    for step in replay(game, tracker):
        change = step.change
        ruled_out = change.ruled_out
        if isinstance(step.observation, OpponentMoveResult):
            ruled_out = _other_answers(before, step.observation.capture_square, tracker.options)
        yield _Row(
            turn,
            change.event,
            _observation_text(step.observation, step.truth),
            change.before,
            change.after,
            ruled_out or 0,
            change.exact,
            step.truth in tracker.boards,
            change.note,
        )
        before, turn = tracker.boards, tracker.turns + 1


def _other_answers(boards: RbcBoardSet, capture_square: int | None, options: TrackerOptions) -> int:
    """The number of boards after the opponent's move that other observations would have left."""
    others = {None, *(square for square, _ in boards.own_pieces)} - {capture_square}
    reached = (boards.after_opponent(other, limit=options.limit, seed=options.seed) for other in others)
    return sum(len(others) << others.level for others in reached)


def _observation_text(observation: Observation, state: RbcState) -> str:
    match observation:
        case SenseResult(()):
            return "nothing sensed"
        case SenseResult(pieces):
            ranks = dict.fromkeys(square // 8 for square, _ in pieces)
            shown = "/".join("".join(p or "." for s, p in pieces if s // 8 == rank) for rank in ranks)
            return f"{chess.square_name(pieces[0][0])}-{chess.square_name(pieces[-1][0])} {shown}"
        case MoveResult(request, taken, capture_square):
            requested = state.move_text(request)
            became = "" if (taken or PASS) == request else f" becomes {state.move_text(taken or PASS)}"
            return requested + became + _capture(capture_square)
        case OpponentMoveResult(capture_square):
            return "the opponent moves" + _capture(capture_square)
    raise AssertionError(observation)


def _capture(square: int | None) -> str:
    return "" if square is None else f", captures on {chess.square_name(square)}"


def _print(rows: list[_Row]) -> None:
    table = number_table("turn", "observation", "boards", "ruled out", "", numbers=("boards", "ruled out"))
    turn = 0
    for row in rows:
        marks = [row.note] if row.note else []
        if not row.has_truth:
            marks.append("[red]the true board is not among them[/]")
        table.add_row(
            "" if row.turn == turn else str(row.turn),
            foreign(row.observation),
            f"{'' if row.exact else '~'}{row.after:,}",
            f"{row.ruled_out:,}",
            "; ".join(marks),
        )
        turn = row.turn
    make_console().print(table)


def number_table(*headers: str, numbers: Collection[str]) -> Table:
    """A table whose columns `numbers` are aligned at the right."""
    table = Table(*headers, box=None)
    for column in table.columns:
        if column.header in numbers:
            column.justify = "right"
    return table


# `sparring rbc generate`: games between bots in bulk.


def generate(
    players: Annotated[
        str, typer.Option(help=f"Bots, separated by commas: {', '.join(BOTS)}, or TOML files.")
    ],
    out: Annotated[Path, typer.Option(help="Output folder; an interrupted run is resumed.")],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 5_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same games.")] = 0,
    random_turns: Annotated[
        int, typer.Option(min=0, max=50, help="Maximum number of random turns at the start, per side.")
    ] = 4,
    processes: Annotated[int, typer.Option(min=0, help="Worker processes; 0 for all cores.")] = 0,
) -> None:
    """Play games between bots in bulk.

    Writes reconchess histories, compressed, one game per line.
    """
    names = tuple(name.strip() for name in players.split(",") if name.strip())
    generation = GenerationConfig(names, games, seed, random_turns)
    _check(names)
    try:
        with ProgressBar("playing") as bar:
            played = play_games(
                generation, out, processes or os.cpu_count() or 1,
                lambda done: bar.on_progress("playing", len(done), games),
            )  # fmt: skip
    except OSError as error:
        raise UserError(f"{out}: {error.strerror or error}") from None
    _print_generated(names, played)
    make_console().print(f"{len(played):,} games in {foreign(out / HISTORIES)}")


def _check(names: Sequence[str]) -> None:
    """Makes the bots once before the workers start. Raises UserError, BadConfig or BadFile."""
    for name in names:
        try:
            make_bot(load_bot_config(name)).close()
        except OSError as error:  # its network
            raise UserError(f"bot {name}: {error.filename}: {error.strerror or error}") from None


def _print_generated(names: Sequence[str], games: Sequence[GeneratedGame]) -> None:
    points: defaultdict[str, float] = defaultdict(float)
    played = Counter[str]()
    for game in games:
        if game.result is None or game.first == game.second:
            continue
        points[game.first] += game.result
        points[game.second] += 1 - game.result
        played.update((game.first, game.second))
    table = Table("bot", "games against others", "points", box=None)
    for name in names:
        share = f"{points[name] / played[name]:.1%}" if played[name] else ""
        table.add_row(foreign(name), f"{played[name]:,}", share)
    make_console().print(table)


# `sparring rbc connect`: games on a server of reconchess.

_PASSWORD = "SPARRING_RBC_PASSWORD"


def connect(
    username: Annotated[str, typer.Option(help="Name of the account.")],
    bot: Annotated[str, typer.Option(help="A bot: a name or a TOML file.")] = "planner",
    server: Annotated[str, typer.Option(help="Address of the server.")] = "https://rbc.jhuapl.edu",
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Games at a time.")] = 4,
    games: Annotated[int | None, typer.Option(min=1, help="Ends after so many games.")] = None,
    ranked: Annotated[bool, typer.Option("--ranked", help="Play ranked games.")] = False,
    new_version: Annotated[
        bool, typer.Option("--new-version", help="The bot has changed: it is ranked anew.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the histories of the games.")] = None,
) -> None:
    """Play on a server of reconchess.

    The password is asked for, or read from the environment variable SPARRING_RBC_PASSWORD. Ctrl-C plays the
    games that have begun to their end.
    """
    require("reconchess", "rbc", "games on a server need")
    from sparring.rbc.connect import Connection

    _check([bot])
    os.environ["SPARRING_RBC_BOT"] = bot
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{out}: {error.strerror or error}") from None
    connection = Connection(
        server.rstrip("/"), (username, os.environ.get(_PASSWORD) or getpass()), at_once, out
    )
    connection.begin(ranked=ranked, new_version=new_version)
    make_console().print(f"{foreign(bot)} waits for invitations on {foreign(server)}; Ctrl-C ends")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    connection.run(games)
