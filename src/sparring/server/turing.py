"""The Turing game on the page: messages, rounds and routes."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections import Counter
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from sparring import data
from sparring.base.sentences import Sentence
from sparring.games import Game, describe, load_game, move_name
from sparring.measure.ratings import wilson_interval
from sparring.measure.turing import SOURCES, TuringGame, TuringKit, shipped_kit
from sparring.server.messages import ApiMessage, BoardView, Text, text_of
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.routes import Host, Visitor, of_app
from sparring.server.store import OWN, Database


class TuringKitOffer(ApiMessage):
    """A collection of games to judge."""

    name: str
    title: str
    game: str
    games: int
    levels: list[int]


class CalledHuman(ApiMessage):
    """How often games of a source were called human."""

    called: int
    shown: int


class TuringScore(ApiMessage):
    """A visitor's verdicts so far."""

    answered: int
    right: int
    interval: tuple[float, float] | None = Field(
        description="95 % interval of the share of right verdicts; null before the first."
    )
    streak: int = Field(description="Right verdicts in a row, up to the last.")
    called_human: dict[str, CalledHuman] = Field(description="By source: people, engine, ours.")


class TuringOffer(ApiMessage):
    """The kits, and the visitor's score."""

    kits: list[TuringKitOffer]
    score: TuringScore


class TuringRequest(ApiMessage):
    """A request for a round."""

    kit: str | None = Field(default=None, max_length=32, description="Name of a kit; the first one without.")
    mode: Literal["pair", "single"] = Field(
        default="pair", description="pair: one game of people and one of a program. single: one of either."
    )
    level: int | None = Field(default=None, ge=-100, le=10_000, description="A level of the kit.")


class JudgedMove(ApiMessage):
    """A move of a game to judge."""

    text: str
    name: str
    seconds: float | None = Field(description="Time of the move; null if unknown.")


class JudgedGame(ApiMessage):
    """A game to judge."""

    players_about: Text
    start: str | None = Field(description="The first position; null for the usual one.")
    moves: list[JudgedMove]
    positions: list[str] = Field(description="Before the first move, and after each one.")
    boards: list[BoardView] = Field(description="The same as boards, where positions are not FEN or SFEN.")
    result: Text


class TuringRound(ApiMessage):
    """Games to judge. Who played is told after the verdict."""

    id: str
    game: str
    mode: Literal["pair", "single"]
    level: int
    sides: tuple[str, str]
    games: list[JudgedGame]


class TuringAnswer(ApiMessage):
    """A verdict."""

    human: Literal[0, 1] = Field(
        description="pair: the number of the game that people played. single: 1 for people, 0 for a program."
    )


class TuringVerdict(ApiMessage):
    """Who played."""

    right: bool
    sources: list[str] = Field(description="Of each game: people, engine or ours.")
    about: list[Text]
    score: TuringScore


# The Turing game: games to judge, verdicts and the score of each visitor, in the server's database.
#
# A round has a game of people and one of a program side by side, or a single game of either. Who played is
# stored with the round and is told only after the verdict.


PEOPLE = "people"
_OPEN_ROUNDS = 20
"""Rounds without a verdict that a visitor may have; older ones are dropped."""
_ALL_ROUNDS = 100_000
_ABOUT = {
    "people": Sentence("Two people played it."),
    "ours": Sentence("Sparring played it against itself."),
    "engine": Sentence("An engine of limited strength played it against itself."),
}


class TuringRounds:
    """The rounds of all visitors. Safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def offer(self, visitor: str) -> TuringOffer:
        """The kits that there are, and the visitor's score."""
        kits = [
            TuringKitOffer(
                name=name,
                title=load_game(name).spec.title,
                game=name,
                games=len(shipped_kit(name).games),
                levels=shipped_kit(name).levels,
            )
            for name in _kits()
        ]
        return TuringOffer(kits=kits, score=self.score(visitor))

    def begin(self, visitor: str, wanted: TuringRequest) -> TuringRound:
        """A new round of games that the visitor has seen least. Raises Refused."""
        name = wanted.kit or next(iter(_kits()), None)
        if name is None or name not in _kits():
            raise Refused(Sentence("There is no such collection of games to judge."), 404)
        kit = shipped_kit(name)
        if wanted.level is not None and wanted.level not in kit.levels:
            raise Refused(
                Sentence(
                    "The levels are {levels}, not {level}.",
                    levels=", ".join(map(str, kit.levels)),
                    level=wanted.level,
                ),
                422,
            )
        ((count,),) = self._database.read("SELECT count(*) FROM turing_rounds")
        if count >= _ALL_ROUNDS:
            raise Refused(Sentence("The server has too many rounds."), 429)
        level = wanted.level or secrets.choice(kit.levels)
        games = self._choose(visitor, kit, name, level, pair=wanted.mode == "pair")
        round_id = secrets.token_urlsafe(9)
        self._store(round_id, visitor, name, games, kit)
        return _round(round_id, name, games)

    def round(self, visitor: str, round_id: str) -> TuringRound:
        """A round of the visitor without a verdict. Raises Refused."""
        row = self._find(visitor, round_id)
        kit = {game.id: game for game in shipped_kit(row["kit"]).games}
        if row["verdicts"] is not None or not all(game_id in kit for game_id in row["games"]):
            raise Refused(Sentence("This round is over."))
        return _round(round_id, row["kit"], [kit[game_id] for game_id in row["games"]])

    def answer(self, visitor: str, round_id: str, given: TuringAnswer) -> TuringVerdict:
        """Counts a verdict, once, and tells who played. Raises Refused."""
        row = self._find(visitor, round_id)
        sources = row["sources"]
        pair = len(sources) == 2
        called = [index == given.human for index in range(2)] if pair else [given.human == 1]
        correct = all(
            says_human == (source == PEOPLE) for says_human, source in zip(called, sources, strict=True)
        )

        def work(file: sqlite3.Connection) -> bool:
            change = file.execute(
                "UPDATE turing_rounds SET verdicts = ?, correct = ? WHERE id = ? AND verdicts IS NULL",
                (json.dumps(called), correct, round_id),
            )
            return change.rowcount == 1

        if not self._database.write(work):
            raise Refused(Sentence("This round has a verdict already."))
        return TuringVerdict(
            right=correct,
            sources=sources,
            about=[text_of(_ABOUT[source]) for source in sources],
            score=self.score(visitor),
        )

    def score(self, visitor: str) -> TuringScore:
        """The visitor's verdicts so far."""
        rows = self._database.read(
            f"SELECT sources, verdicts, correct FROM turing_rounds WHERE {OWN} AND verdicts IS NOT NULL"
            " ORDER BY created",
            {"visitor": visitor},
        )
        shown: Counter[str] = Counter()
        human: Counter[str] = Counter()
        streak = 0
        for sources, verdicts, correct in rows:
            streak = streak + 1 if correct else 0
            for source, called in zip(json.loads(sources), json.loads(verdicts), strict=True):
                shown[source] += 1
                human[source] += called
        right = sum(correct for *_, correct in rows)
        return TuringScore(
            answered=len(rows),
            right=right,
            interval=wilson_interval(right / len(rows), len(rows)) if rows else None,
            streak=streak,
            called_human={
                source: CalledHuman(called=human[source], shown=shown[source])
                for source in SOURCES
                if shown[source]
            },
        )

    def _choose(self, visitor: str, kit: TuringKit, name: str, level: int, *, pair: bool) -> list[TuringGame]:
        """The games of a round: among those seen least, by chance."""
        seen: Counter[str] = Counter()
        query = f"SELECT games FROM turing_rounds WHERE {OWN} AND kit = :kit"
        for (games,) in self._database.read(query, {"visitor": visitor, "kit": name}):
            seen.update(json.loads(games))

        def draw(people: bool) -> TuringGame:
            fitting = [game for game in kit.games if game.level == level]
            fitting = [game for game in fitting if (kit.key[game.id] == PEOPLE) == people]
            least = min(seen[game.id] for game in fitting)
            return secrets.choice([game for game in fitting if seen[game.id] == least])

        if not pair:
            return [draw(people=secrets.randbelow(2) == 1)]
        games = [draw(people=True), draw(people=False)]
        return games if secrets.randbelow(2) else games[::-1]

    def _store(self, round_id: str, visitor: str, name: str, games: list[TuringGame], kit: TuringKit) -> None:
        ids = [game.id for game in games]
        sources = [kit.key[game_id] for game_id in ids]

        def work(file: sqlite3.Connection) -> None:
            file.execute(
                "DELETE FROM turing_rounds WHERE id IN (SELECT id FROM turing_rounds WHERE visitor = ? AND"
                " verdicts IS NULL ORDER BY created DESC LIMIT -1 OFFSET ?)",
                (visitor, _OPEN_ROUNDS - 1),
            )
            file.execute(
                "INSERT INTO turing_rounds VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)",
                (round_id, visitor, name, json.dumps(ids), json.dumps(sources), time.time()),
            )

        self._database.write(work)

    def _find(self, visitor: str, round_id: str) -> dict[str, Any]:
        rows = self._database.read(
            f"SELECT kit, games, sources, verdicts FROM turing_rounds WHERE id = :id AND {OWN}",
            {"id": round_id, "visitor": visitor},
        )
        if not rows:
            raise Refused(Sentence("There is no such round of yours."), 404)
        ((kit, games, sources, verdicts),) = rows
        return {
            "kit": kit,
            "games": json.loads(games),
            "sources": json.loads(sources),
            "verdicts": verdicts,
        }


def _kits() -> list[str]:
    """Games with a kit; a kit's key is a file of its own."""
    return [name for name in data.names("turing") if f"{name}-key" in data.names("turing")]


def _round(round_id: str, name: str, games: list[TuringGame]) -> TuringRound:
    rules = load_game(name)
    return TuringRound(
        id=round_id,
        game=name,
        mode="pair" if len(games) == 2 else "single",
        level=games[0].level,
        sides=(rules.spec.players[0], rules.spec.players[1]),
        games=[_judged(rules, game) for game in games],
    )


def _judged(rules: Game[Any], game: TuringGame) -> JudgedGame:
    """A game as it is shown: nothing in it tells who played."""
    state = rules.initial()
    moves, positions = [], [rules.text(state)]
    for text in game.moves:
        move = rules.parse_move(state, text)
        moves.append(JudgedMove(text=rules.move_text(state, move), name=move_name(state, move), seconds=None))
        state = rules.play(state, move)
        positions.append(rules.text(state))
    word = describe(rules.spec.name).ratings.word
    return JudgedGame(
        players_about=text_of(
            Sentence("Both players have a {word} of about {level}.", word=word, level=game.level)
        ),
        start=None,
        moves=moves,
        positions=positions,
        boards=[],
        result=text_of(Sentence("{result} ({ending})", result=game.result, ending=game.ending)),
    )


# Routes of the Turing game.


router = APIRouter(prefix="/api/turing", tags=["turing"], responses=REFUSALS)


Rounds = Annotated[TuringRounds, of_app("turing")]


@router.get("")
async def turing_offer(host: Host, visitor: Visitor, rounds: Rounds) -> TuringOffer:
    """Games that can be judged, and the visitor's score."""
    return await host.run(rounds.offer, visitor)


@router.post("/rounds", status_code=201)
async def begin_round(wanted: TuringRequest, host: Host, visitor: Visitor, rounds: Rounds) -> TuringRound:
    """Begins a round."""
    return await host.run(rounds.begin, visitor, wanted)


@router.get("/rounds/{round_id}")
async def get_round(round_id: str, host: Host, visitor: Visitor, rounds: Rounds) -> TuringRound:
    """A round without a verdict, again."""
    return await host.run(rounds.round, visitor, round_id)


@router.post("/rounds/{round_id}/answer")
async def answer_round(
    round_id: str, given: TuringAnswer, host: Host, visitor: Visitor, rounds: Rounds
) -> TuringVerdict:
    """Gives a verdict, which counts once, and tells who played."""
    return await host.run(rounds.answer, visitor, round_id, given)
