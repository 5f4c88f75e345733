"""The Turing game: games to judge, verdicts and the score of each visitor, in the server's database.

A round has a game of people and one of a program side by side, or a single game of either. Who played is
stored with the round and is told only after the verdict.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections import Counter
from typing import Any

from sparring import data
from sparring.arena.intervals import wilson_interval
from sparring.games import Game, describe, load_game, move_name
from sparring.server.database import Database
from sparring.server.refusal import Refused
from sparring.server.turing_messages import (
    CalledHuman,
    JudgedGame,
    JudgedMove,
    TuringAnswer,
    TuringKitOffer,
    TuringOffer,
    TuringRequest,
    TuringRound,
    TuringScore,
    TuringVerdict,
)
from sparring.turing import TuringGame, TuringKit, shipped_kit
from sparring.turing.kit import SOURCES

PEOPLE = "people"
_OPEN_ROUNDS = 20
"""Rounds without a verdict that a visitor may have; older ones are dropped."""
_ALL_ROUNDS = 100_000
_ABOUT = {
    "people": "Two people played it.",
    "ours": "Sparring played it against itself.",
    "engine": "An engine of limited strength played it against itself.",
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
            raise Refused("There is no such collection of games to judge.", 404)
        kit = shipped_kit(name)
        if wanted.level is not None and wanted.level not in kit.levels:
            raise Refused(f"The levels are {', '.join(map(str, kit.levels))}, not {wanted.level}.", 422)
        ((count,),) = self._database.read("SELECT count(*) FROM turing_rounds")
        if count >= _ALL_ROUNDS:
            raise Refused("The server has too many rounds.", 429)
        level = wanted.level or secrets.choice(kit.levels)
        games = self._choose(visitor, kit, name, level, pair=wanted.mode == "pair")
        round_id = secrets.token_urlsafe(9)
        self._store(round_id, visitor, name, games, kit)
        return _round(round_id, name, games)

    def round(self, visitor: str, round_id: str) -> TuringRound:
        """A round of the visitor without a verdict. Raises Refused."""
        row = self._find(visitor, round_id)
        kit = {each.id: each for each in shipped_kit(row["kit"]).games}
        if row["verdicts"] is not None or not all(each in kit for each in row["games"]):
            raise Refused("This round is over.")
        return _round(round_id, row["kit"], [kit[each] for each in row["games"]])

    def answer(self, visitor: str, round_id: str, given: TuringAnswer) -> TuringVerdict:
        """Counts a verdict, once, and tells who played. Raises Refused."""
        row = self._find(visitor, round_id)
        sources = row["sources"]
        pair = len(sources) == 2
        called = [index == given.human for index in range(2)] if pair else [given.human == 1]
        correct = all(said == (source == PEOPLE) for said, source in zip(called, sources, strict=True))

        def work(file: sqlite3.Connection) -> bool:
            change = file.execute(
                "UPDATE turing_rounds SET verdicts = ?, correct = ? WHERE id = ? AND verdicts IS NULL",
                (json.dumps(called), correct, round_id),
            )
            return change.rowcount == 1

        if not self._database.write(work):
            raise Refused("This round has a verdict already.")
        return TuringVerdict(
            right=correct,
            sources=sources,
            about=[_ABOUT[each] for each in sources],
            score=self.score(visitor),
        )

    def score(self, visitor: str) -> TuringScore:
        """The visitor's verdicts so far."""
        rows = self._database.read(
            "SELECT sources, verdicts, correct FROM turing_rounds WHERE visitor = ? AND verdicts IS NOT NULL"
            " ORDER BY created",
            (visitor,),
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
        query = "SELECT games FROM turing_rounds WHERE visitor = ? AND kit = ?"
        for (games,) in self._database.read(query, (visitor, name)):
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
        sources = [kit.key[each] for each in ids]

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
            "SELECT kit, games, sources, verdicts FROM turing_rounds WHERE id = ? AND visitor = ?",
            (round_id, visitor),
        )
        if not rows:
            raise Refused("There is no such round of yours.", 404)
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
        players_about=f"Both players have a {word} of about {game.level}.",
        start=None,
        moves=moves,
        positions=positions,
        boards=[],
        result=f"{game.result} ({game.ending})",
    )
