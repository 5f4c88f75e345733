"""A visitor's games: the list with its filters, and all finished games as files."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Response

from sparring.base.errors import first_line, raise_if_stopped
from sparring.base.sentences import Sentence, from_stored
from sparring.games import GAMES, Game, describe
from sparring.play.result import GameResult
from sparring.players.player_config import shipped_levels
from sparring.records.readers import written_formats
from sparring.server.game_host import GameHost
from sparring.server.messages import GameSummary, OpponentChoice, Outcome, board_view, text_of
from sparring.server.page_game import GameSettings, PageGame, ShownState
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.routes import AskingVisitor, Host, Visitor
from sparring.server.store import OWN, Database, GameStore, parse_ending, parse_shown

ResultFilter: TypeAlias = Literal["won", "lost", "drawn", "unfinished"]

_log = logging.getLogger(__name__)

# Which games of the database are listed.


_SETTINGS = "CASE WHEN json_valid(settings) THEN settings ELSE '{}' END"
_YOU = f"json_extract({_SETTINGS}, '$.you')"
_FIRST_SCORE = "json_extract(CASE WHEN json_valid(ending) THEN ending ELSE '[]' END, '$[0]')"
_SCORE = f"(CASE {_YOU} WHEN 0 THEN {_FIRST_SCORE} WHEN 1 THEN 1 - {_FIRST_SCORE} END)"
"""The person's score; NULL for a watched or an unfinished game."""
_RESULTS = {
    "won": f"{_SCORE} = 1",
    "lost": f"{_SCORE} = 0",
    "drawn": f"{_SCORE} = 0.5",
    "unfinished": "ending IS NULL",
}
_LISTED = f"""({_YOU} IS NULL OR id IN (SELECT value FROM json_each(:open))
    OR EXISTS (SELECT 1 FROM moves WHERE game = games.id AND player = {_YOU}))"""
"""Games without a move of the person are listed only while somebody has them open."""


@dataclass(frozen=True)
class HistoryFilter:
    """Which games are listed."""

    game: str | None = None
    result: ResultFilter | None = None
    before: float | None = None
    """Unix time: games that were last changed earlier."""
    open: Collection[str] = ()
    """Ids of games that somebody has open."""


_EVERYTHING = HistoryFilter()


@dataclass(frozen=True)
class StoredSummary:
    """A line of the list of games."""

    id: str
    settings: GameSettings
    plies: int
    end: GameResult | None
    message: str
    updated: float
    shown: ShownState | None
    """None in files of an older version."""


def stored_summaries(
    database: Database, visitor: str, count: int, wanted: HistoryFilter = _EVERYTHING
) -> list[StoredSummary]:
    """A visitor's games, the latest first. Games that cannot be read are left out, with a line in the log."""
    conditions = [OWN, _LISTED]
    if wanted.game is not None:
        conditions.append(f"json_extract({_SETTINGS}, '$.game') = :game")
    if wanted.result is not None:
        conditions.append(_RESULTS[wanted.result])
    if wanted.before is not None:
        conditions.append("updated < :before")
    rows = database.read(
        "SELECT id, settings, (SELECT count(*) FROM moves WHERE game = id), ending, message, updated, shown"
        f" FROM games WHERE {' AND '.join(conditions)} ORDER BY updated DESC LIMIT :count",
        {
            "visitor": visitor,
            "count": count,
            "game": wanted.game,
            "before": wanted.before,
            "open": json.dumps(list(wanted.open)),
        },
    )
    summaries = []
    for game, text, plies, ending, message, updated, shown in rows:
        try:
            settings, end = GameSettings.from_json(text), parse_ending(ending)
            summaries.append(
                StoredSummary(game, settings, plies, end, from_stored(message), updated, parse_shown(shown))
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            _log.warning("game %s is damaged: %s", game, first_line(error))
    return summaries


def game_summaries(stored: list[StoredSummary]) -> Iterator[GameSummary]:
    """The messages of stored games."""
    for summary in stored:
        try:
            yield game_summary(summary)
        except Exception as error:  # one damaged game does not hide the others
            _log.warning("game %s is damaged: %s", summary.id, first_line(error))


def game_summary(stored: StoredSummary) -> GameSummary:
    """The message of a stored game."""
    settings, shown = stored.settings, stored.shown
    rules, you = settings.rules(), settings.you
    position = None if shown is None else shown.position
    opponent = 1 if you is None else 1 - you
    return GameSummary(
        id=stored.id,
        game=settings.game,
        title=rules.spec.title,
        opponent=text_of(settings.about(rules, opponent)[0]),
        moves=numbered_moves(rules, stored.plies),
        result=None if stored.end is None else text_of(stored.message),
        you=you,
        phase="over" if stored.end is not None else "move" if shown is None else shown.phase,
        turn=None if shown is None else shown.turn,
        position=position,
        board=None if position is None else board_view(rules.diagram(rules.parse(position))),
        created=settings.created,
        updated=stored.updated,
        outcome=_outcome(stored.end, you),
        plies=stored.plies,
        clock="" if settings.clock is None else settings.clock.in_minutes,
        level=level_text(settings.game, settings.opponent_of(opponent)),
    )


def numbered_moves(rules: Game[Any], plies: int) -> int:
    """The number of the last move, as people of the game count."""
    if describe(rules.spec.name).numbers_plies:
        return plies
    both = 4 if rules.spec.hidden else 2  # a turn of a hidden game is a sense and a move
    return -(-plies // both)


def level_text(game: str, opponent: OpponentChoice) -> str:
    """The level, rating, rank or strength of an opponent; empty if it has none."""
    system = describe(game).ratings
    match opponent.kind:
        case "level":
            table = shipped_levels(game, opponent.scale)
            return "" if opponent.level is None or table is None else table.text(opponent.level)
        case "strength":
            return str(opponent.strength)
        case "human":
            number = None if opponent.rating is None else system.number(opponent.rating)
        case _:
            return ""
    return "" if number is None else system.format(number)


def _outcome(end: GameResult | None, you: int | None) -> Outcome | None:
    score = None if end is None or you is None else end.score(you)
    if score is None:
        return None
    return "drawn" if score == 0.5 else "won" if score == 1 else "lost"


# All finished games as files.


def export_game(
    store: GameStore, visitor: str, game: str, suffix: str | None, stop: Event
) -> tuple[str, str, int]:
    """All finished games of a game in one text, its format's suffix, and the number of games that could not
    be read. The oldest comes first. Raises Refused, and Abandoned if `stop` is set meanwhile."""
    suffixes = written_formats(game)
    if suffix is None:  # one game a line, where a format has that
        suffix = next((name for name in suffixes if name.endswith("l")), suffixes[0])
    if suffix not in suffixes:
        written = ", ".join(suffixes)
        raise Refused(Sentence("Games of {game} are written as {formats}.", game=game, formats=written), 422)
    texts, broken = [], 0
    for game_id in store.finished(visitor, game):
        raise_if_stopped(stop)
        try:
            texts.append(_text(store, game_id, suffix).strip("\n") + "\n")
        except Exception as error:  # one damaged game does not hide the others
            _log.warning("game %s is damaged: %s", game_id, first_line(error))
            broken += 1
    return ("" if suffix.endswith("l") else "\n").join(texts), suffix, broken


def _text(store: GameStore, game_id: str, suffix: str) -> str:
    stored = store.load(game_id)
    if stored is None:
        raise ValueError("it was deleted")
    own = describe(stored.settings.game).page_game
    kind: type[PageGame] = PageGame if own is None else own()
    game = kind(stored.settings, {}, 0)
    game.live.restore(stored.moves, stored.end, stored.message, stored.dead)
    return game.record(suffix)


def export_everything(store: GameStore, visitor: str, stop: Event) -> bytes:
    """A zip file with a file of finished games of each game. Raises Refused."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for game in GAMES:
            text, suffix, _ = export_game(store, visitor, game, None, stop)
            if text:
                archive.writestr(f"sparring-{game}.{suffix}", text)
    return content.getvalue()


# Routes.


router = APIRouter(prefix="/api", tags=["history"], responses=REFUSALS)


@router.get("/games")
async def list_games(
    host: Host,
    visitor: Visitor,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[
        float | None, Query(description="Unix time: games that were last changed earlier.")
    ] = None,
    game: Annotated[str | None, Query(max_length=32)] = None,
    result: Annotated[ResultFilter | None, Query(description="How it ended for the person.")] = None,
) -> list[GameSummary]:
    """The visitor's games, the latest first. Those without a move of the person are listed while they are
    open."""
    wanted = HistoryFilter(game, result, before, host.followed())
    return await host.run(_list, host, visitor, count, wanted)


def _list(host: GameHost, visitor: str, count: int, wanted: HistoryFilter) -> list[GameSummary]:
    return list(game_summaries(stored_summaries(host.store.database, visitor, count, wanted)))


@router.get(
    "/export",
    responses={200: {"content": {"text/plain": {}, "application/zip": {}}}},
    response_class=Response,
)
async def export(
    host: Host,
    asker: AskingVisitor,
    game: Annotated[str | None, Query(max_length=32, description="Without it: all games, as a zip.")] = None,
    suffix: Annotated[
        str | None, Query(alias="format", max_length=8, description="Such as pgn; by default the usual one.")
    ] = None,
) -> Response:
    """All finished games as one file; without `game` a zip with a file for each game."""
    if game is None:
        if suffix is not None:
            raise Refused(Sentence("A format is for the games of one game."), 422)
        content = await asker.answer(lambda stop: export_everything(host.store, asker.visitor, stop))
        return _attachment(content, "sparring-games.zip", "application/zip")
    if game not in GAMES:
        games = ", ".join(GAMES)
        raise Refused(Sentence("There is no game {game}: choose {games}.", game=game, games=games), 422)
    text, written, _ = await asker.answer(
        lambda stop: export_game(host.store, asker.visitor, game, suffix, stop)
    )
    return _attachment(text.encode(), f"sparring-{game}.{written}", "text/plain; charset=utf-8")


def _attachment(content: bytes, name: str, kind: str) -> Response:
    return Response(
        content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
