"""A game on the page: its settings, the game in progress, what the visitor sees of it, and its replay."""

from __future__ import annotations

import dataclasses
import datetime
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Event, Lock
from typing import Any, Literal, Self

from pydantic import Field

from sparring.base.clock import GameClock, TimeControl
from sparring.base.sentences import Sentence
from sparring.games import Game, IllegalMove, Move, ParseError, describe, load_game
from sparring.play.game import LiveGame, NotAllowed, PlayedMove
from sparring.play.result import AGREEMENT, RESIGNATION, TIME_FORFEIT, GameResult, reason_text
from sparring.players import Player
from sparring.players.player_config import shipped_levels, shipped_table_name
from sparring.records.readers import written_formats
from sparring.server.messages import (
    ApiMessage,
    ClockChoice,
    ClockView,
    CountingView,
    GameView,
    HintView,
    MoveView,
    OpponentChoice,
    Phase,
    PlayerView,
    PositionView,
    ResultView,
    ScoreView,
    Text,
    board_view,
    game_traits,
    legal_move,
    text_of,
)
from sparring.server.opponents import Opponents, about, shipped_versions
from sparring.server.refusal import Refused, message_of
from sparring.server.understand import hint_view

EVENT = "A game on the page"
PERSON = Sentence("You")
LOW_CLOCK = 10.0
"""Seconds below which a clock is low; a shorter clock is low below a tenth of itself."""


@dataclass(frozen=True)
class GameSettings:
    """The facts of a game that do not change. They are stored as JSON."""

    game: str
    you: int | None
    """The person's side; None for a watched game."""
    opponents: tuple[OpponentChoice, OpponentChoice]
    """The players by side; that of the person's side is not used."""
    seed: int
    created: float
    """Unix time."""
    options: Mapping[str, Any] = field(default_factory=dict)
    position: str | None = None
    """Text of the first position; None for the usual one."""
    clock: TimeControl | None = None
    pace: float = 0.0
    """Seconds between two moves of a watched game."""
    resigns: bool = True
    """Whether a player may resign; else it plays to mate."""
    your_name: str = ""
    """The person's name in records; empty for `PERSON`."""
    your_rating: int | None = None
    """The person's rating or rank as a number; None if it was not given."""
    versions: Mapping[str, int] = field(default_factory=dict)
    """Versions of the shipped files that decided how the opponents played when the game began
    (`shipped_versions`); empty in games that were stored before there were versions."""

    def rules(self) -> Game[Any]:
        """The game with its options."""
        return load_game(self.game, **self.options)

    def first_state(self, rules: Game[Any]) -> Any:
        """The state in which the game begins."""
        return rules.initial() if self.position is None else rules.parse(self.position)

    def opponent_of(self, side: int) -> OpponentChoice:
        """The player of a side that is not the person's."""
        return self.opponents[side]

    def with_versions(self) -> Self:
        """The settings with today's versions of the files that decide how the opponents play."""
        return replace(self, versions=self._shipped_versions())

    def changed_versions(self) -> list[str]:
        """The files that have other versions today, such as "levels/chess 1 → 2"; none of a game without
        versions."""
        today = self._shipped_versions()
        return [
            f"{file} {version} → {today.get(file, '-')}"
            for file, version in self.versions.items()
            if today.get(file) != version
        ]

    def _shipped_versions(self) -> dict[str, int]:
        first, second = (shipped_versions(self.game, opponent) for opponent in self.opponents)
        return first | second

    def about(self, rules: Game[Any], side: int) -> tuple[str, str]:
        """Name and description of the player of a side."""
        return about(rules, self.opponents[side])

    def to_json(self) -> str:
        """The settings as text."""
        clock = self.clock
        return json.dumps(
            {
                "game": self.game,
                "you": self.you,
                "opponents": [opponent.model_dump(exclude_none=True) for opponent in self.opponents],
                "seed": self.seed,
                "created": self.created,
                "options": dict(self.options),
                "position": self.position,
                "clock": None if clock is None else dataclasses.asdict(clock),
                "pace": self.pace,
                "resigns": self.resigns,
                "your_name": self.your_name,
                "your_rating": self.your_rating,
                "versions": dict(self.versions),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The settings of a text by `to_json`."""
        table = json.loads(text)
        versions = table.get("versions", {})
        stored = table.pop("opponents")
        name = f"levels/{table['game']}"
        if versions.get(name, _PEOPLES_TABLES) < _PEOPLES_TABLES or any(
            "scale" not in opponent for opponent in stored
        ):
            # Stored before the game had two scales: it keeps the level table that it was played with.
            stored = [{**opponent, "scale": "engine"} for opponent in stored]
            if name in versions and (own := shipped_table_name(table["game"], "engine")) != table["game"]:
                versions[f"levels/{own}"] = versions.pop(name)
        first, second = (OpponentChoice(**opponent) for opponent in stored)
        clock = table.pop("clock")
        return cls(opponents=(first, second), clock=_stored_clock(clock), **table)


_PEOPLES_TABLES = 2
"""From this version on a game's level table is on people's scale; the one before is now that of engines."""


def _stored_clock(clock: dict[str, Any] | list[Any] | None) -> TimeControl | None:
    """The clock of stored settings. The first versions stored base, increment and byo-yomi as a list."""
    if isinstance(clock, list):
        return TimeControl(*clock)
    return None if clock is None else TimeControl(**clock)


def time_control(choice: ClockChoice | str | None) -> TimeControl | None:
    """The clock of a request; None for none. Raises Refused for a text that is no clock."""
    if not isinstance(choice, str):
        return None if choice is None else TimeControl(choice.base, choice.increment, choice.byoyomi)
    try:
        return TimeControl.parse(choice.strip())
    except ValueError:
        raise Refused(
            Sentence(
                "'{clock}' is no clock: write minutes and seconds a move, such as 10, 5+3 or 20+3x30.",
                clock=choice,
            ),
            422,
        ) from None


@dataclass(frozen=True)
class ShownState:
    """What the list of games shows of one."""

    phase: Phase
    turn: int | None
    """The player to move; None if the game is over."""
    position: str | None
    """None if it is hidden."""


@contextmanager
def refusing() -> Iterator[None]:
    """Turns what a game does not allow, and what it cannot read, into Refused."""
    try:
        yield
    except NotAllowed as error:
        raise Refused(error.args[0]) from None
    except (ParseError, IllegalMove) as error:
        raise Refused(Sentence("{error}.", error=message_of(error)), 422) from None


class PageGame:
    """A game of perfect information on the page. Games of hidden information replace parts of it."""

    def __init__(self, settings: GameSettings, players: Mapping[int, Player], version: int) -> None:
        """`players` are all but the person, by side; `version` is above those of earlier views."""
        self.settings = settings
        self.rules = settings.rules()
        self.live = LiveGame(
            self.rules,
            players,
            start=settings.first_state(self.rules),
            person=settings.you,
            clock=settings.clock,
            seed_of=lambda side, ply: [settings.seed, side, ply],
            observer=self._observer(),
            version=version,
            untimed_turns=1,
        )

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        return self.live.phase

    @property
    def memory_bytes(self) -> int:
        """About what its players hold."""
        return sum(player.memory_bytes for player in self.live.players.values())

    def view(self, game_id: str) -> GameView:
        """The game as the person sees it."""
        live, spec, settings = self.live, self.rules.spec, self.settings
        state = live.states[-1]
        turn = None if live.end is not None else state.to_move
        mine = live.phase == "move"
        return GameView(
            id=game_id,
            version=live.changes,
            game=spec.name,
            title=spec.title,
            traits=game_traits(describe(spec.name)),
            options=dict(settings.options),
            versions=dict(settings.versions),
            sides=(spec.players[0], spec.players[1]),
            players=self._players,
            you=settings.you,
            phase=self.phase,
            turn=turn,
            ply=len(live.moves),
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            legal=[legal_move(self.rules, state, move) for move in self.rules.legal_moves(state)]
            if mine
            else [],
            moves=[move_view(played) for played in live.moves],
            check=bool(getattr(state, "in_check", False)),
            clock=clock_view(live.clock, turn),
            draw_offered=live.draw_offered,
            can=sorted(self._commands()),
            message=text_of(live.message),
            facts=self._facts(),
            counting=self._counting_view(),
            result=self._result_view(),
        )

    def shown(self) -> ShownState:
        """What the list of games shows."""
        state = self.live.states[-1]
        return ShownState(self.phase, None if self.live.end else state.to_move, self.rules.text(state))

    def position_view(self, ply: int) -> PositionView:
        """The board after `ply` moves. Raises Refused."""
        live = self.live
        self._check_ply(ply)
        state = live.states[ply]
        return PositionView(
            ply=ply,
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            last=live.moves[ply - 1].text if ply else None,
        )

    def score(self, ply: int) -> ScoreView:
        """Who is ahead after `ply` moves, and who will own each point. Raises Refused."""
        self._check_ply(ply)
        with refusing():
            estimate = self.live.estimate(ply)
        return ScoreView(
            ply=ply,
            text=text_of(estimate.text),
            note=text_of(estimate.note),
            lead=round(estimate.lead, 1),
            owners=estimate.owners.astype(float).round(2).tolist(),
            counted=estimate.counted,
        )

    def hint(self, opponents: Opponents, rating: int | str | None, stop: Event | None = None) -> HintView:
        """The best move, and what people of a rating play; of the opponent's without one. Raises Refused."""
        with refusing():
            self.live.require("hint")
        return hint_view(self.rules, self.live.states[-1], self._opponent(), opponents, rating, stop)

    def planned(self, text: str, ply: int) -> tuple[Any, Move]:
        """The state and a move of the person that is not played yet. Raises Refused."""
        with refusing():
            self.live.require("hint")
            if ply != len(self.live.moves):
                raise Refused(Sentence("The game has moved on: look at the board again."))
            state = self.live.states[-1]
            return state, self.rules.parse_move(state, text)

    def record(self, suffix: str) -> str:
        """The game as a file of a format. Raises Refused."""
        formats = written_formats(self.rules.spec.name)
        if suffix not in formats:
            raise Refused(
                Sentence(
                    "Games of {game} are written as {formats}.",
                    game=self.rules.spec.name,
                    formats=", ".join(formats),
                ),
                422,
            )
        text = self.live.record(
            players=(self._recorded_name(0), self._recorded_name(1)),
            ratings=(self._rating(0), self._rating(1)),
            started=datetime.datetime.fromtimestamp(self.settings.created),
            event=EVENT,
        ).text(suffix)
        return self._with_tags(text) if suffix == "pgn" else text

    def _with_tags(self, text: str) -> str:
        """A game's PGN with the tags of its opening, and with the versions of what the opponent played
        with."""
        tags_of = describe(self.rules.spec.name).opening_tags
        head, blank, moves = text.partition("\n\n")
        if not head.startswith("["):
            return text
        tags = {} if tags_of is None else dict(tags_of(self.live.states[-1]))
        if self.settings.versions:
            tags["OpponentVersions"] = ", ".join(f"{file} {n}" for file, n in self.settings.versions.items())
        lines = (f'\n[{name} "{value}"]' for name, value in tags.items())
        return f"{head}{''.join(lines)}{blank}{moves}"

    def replay(self) -> Replay:
        """Both sides' beliefs step by step. Raises Refused."""
        raise Refused(Sentence("In {game} both players see the board.", game=self.rules.spec.title), 422)

    def _check_ply(self, ply: int) -> None:
        """Raises Refused if the game has not so many moves."""
        moves = len(self.live.moves)
        if not 0 <= ply <= moves:
            raise Refused(Sentence("The game has {moves} moves, not {ply}.", moves=moves, ply=ply), 404)

    def _opponent(self) -> OpponentChoice:
        """The player that the person plays against; of a watched game the first one."""
        you = self.settings.you
        return self.settings.opponent_of(0 if you is None else 1 - you)

    def _commands(self) -> set[str]:
        """What the person can do now."""
        can = self.live.commands()
        return can if describe(self.rules.spec.name).draws_by_agreement else can - {"draw"}

    def _facts(self) -> list[Text]:
        facts_of = describe(self.rules.spec.name).facts
        facts = [] if facts_of is None else list(facts_of(self.rules, self.live.states[-1]))
        if changed := self._changed_versions:
            if self.live.end is None:
                fact = Sentence(
                    "The opponent has changed ({files}): it goes on as it is today.", files=changed
                )
            else:
                fact = Sentence("Played with earlier versions of the opponent ({files}).", files=changed)
            facts.append(fact)
        return [text_of(fact) for fact in facts]

    def _observer(self) -> Callable[[Any], None] | None:
        """Receives what the person observes in a game of hidden information."""
        return None

    def _counting_view(self) -> CountingView | None:
        dead = self.live.dead_points
        return None if dead is None else CountingView(dead=dead, text=text_of(self.live.counted()[0]))

    def _result_view(self) -> ResultView | None:
        end, you = self.live.end, self.settings.you
        if end is None or end.first_score is None:
            return None
        text = result_sentence(self.rules, self.live.states[-1], end, you)
        resigned = 1 - end.winner if end.reason == RESIGNATION and end.winner is not None else None
        return ResultView(score=end.first_score, winner=end.winner, text=text_of(text), resigned=resigned)

    @cached_property
    def _changed_versions(self) -> str:
        """The files of the opponent that have changed since the game began; none does while it is open."""
        return ", ".join(self.settings.changed_versions())

    @cached_property
    def _players(self) -> tuple[PlayerView, PlayerView]:
        """Both players. Names of persons are read from the user's folder once."""
        return self._player_view(0), self._player_view(1)

    def _player_view(self, side: int) -> PlayerView:
        if side == self.settings.you:
            return PlayerView(name=text_of(PERSON), about=text_of(""), is_person=True)
        name, about = self.settings.about(self.rules, side)
        return PlayerView(name=text_of(name), about=text_of(about), is_person=False)

    def _recorded_name(self, side: int) -> str:
        """The name of a player in records."""
        own = self.settings.your_name if side == self.settings.you else ""
        return own or self._players[side].name.text

    def _rating(self, side: int) -> int | None:
        """The rating of a player in records: the person's, or an opponent's level, or that of the people it
        plays like. None where records have ranks and the level is on a scale of numbers."""
        if side == self.settings.you:
            return self.settings.your_rating
        opponent, system = self.settings.opponent_of(side), describe(self.rules.spec.name).ratings
        if opponent.kind == "level":
            table = shipped_levels(self.rules.spec.name, opponent.scale)
            if table is None:
                return opponent.level if system.word == "rating" else None
            is_rating = table.has_ranks or (system.word == "rating" and not table.has_names)
            return opponent.level if is_rating else None
        return None if opponent.rating is None else system.number(opponent.rating)


def result_sentence(rules: Game[Any], state: Any, end: GameResult, you: int | None) -> str:
    """The result of a finished game in a sentence for the person. Also of a game from a store, which has a
    termination in place of a reason."""
    sides, winner, reason = rules.spec.players, end.winner, _reason(rules, state, end)
    if winner is None:
        if end.reason == AGREEMENT:
            return Sentence("A draw by agreement.")
        return Sentence("A draw: {reason}.", reason=reason) if reason else Sentence("A draw.")
    side, loser = sides[winner], sides[1 - winner]
    if end.reason == RESIGNATION:
        if you is None:
            return Sentence("{side} wins: {loser} resigned.", side=side, loser=loser)
        won = Sentence("You won: {side} resigned.", side=loser)
        return won if winner == you else Sentence("You lost: you resigned.")
    if end.margin:
        points = Sentence("1 point") if end.margin == 1 else Sentence("{points} points", points=end.margin)
        if you is None:
            return Sentence("{side} wins by {points}.", side=side, points=points)
        won = Sentence("You won by {points}.", points=points)
        return won if winner == you else Sentence("You lost by {points}.", points=points)
    if you is None:
        known = Sentence("{side} wins: {reason}.", side=side, reason=reason)
        return known if reason else Sentence("{side} wins.", side=side)
    if winner == you:
        return Sentence("You won: {reason}.", reason=reason) if reason else Sentence("You won.")
    return Sentence("You lost: {reason}.", reason=reason) if reason else Sentence("You lost.")


def _reason(rules: Game[Any], state: Any, end: GameResult) -> str:
    """The reason of an end: that of the rules if they decide the last state; empty if it is not known."""
    if end.reason == TIME_FORFEIT:
        unwinnable = Sentence("time ran out, and the other side cannot win")
        return unwinnable if end.winner is None else Sentence("time ran out")
    outcome = rules.outcome(state)
    reason = reason_text(end.reason if outcome is None else outcome.reason)
    return reason if isinstance(reason, Sentence) else ""


def move_view(played: PlayedMove) -> MoveView:
    """A move that was played."""
    return MoveView(text=played.text, name=played.name, player=played.player, left=played.left)


def clock_view(clock: GameClock, to_move: int | None) -> ClockView | None:
    """The clocks now; `to_move` is None when the game is over."""
    control = clock.control
    if control is None:
        return None
    left, overtime_used = list(clock.left), 0.0
    running = to_move if clock.running else None
    if running is not None:
        rest = left[running] - clock.turn_seconds
        left[running], overtime_used = max(0.0, rest), max(0.0, -rest)
    to_go = [None if shown is None else shown.moves_to_go for shown in (clock.clock(0), clock.clock(1))]
    return ClockView(
        left=(left[0], left[1]),
        running=running,
        increment=control.increment,
        byoyomi=control.byoyomi,
        periods=(clock.periods(0), clock.periods(1)),
        overtime_used=overtime_used,
        moves_to_go=(to_go[0], to_go[1]),
        low=low_seconds(control),
    )


def low_seconds(control: TimeControl) -> float:
    """Seconds below which a clock is low: 10, or a tenth of a shorter game."""
    return min(LOW_CLOCK, (control.base or control.byoyomi or control.increment) / 10)


# Replays of finished games of hidden information: the truth and the beliefs of both sides, step by step.


_KEPT = 20
"""Replays in memory."""
_SECONDS = 0.5
"""Time that a request computes before it answers with what it has."""


class BeliefView(ApiMessage):
    """What a side believed."""

    possible: int = Field(description="Number of possible boards.")
    exact: bool = Field(description="Whether all possible boards are followed.")
    pieces: list[str] = Field(description="64 squares from a1: the likeliest piece, or an empty text.")
    shares: list[float] = Field(description="64 squares: share of the possible boards that have it.")


class BeliefStep(ApiMessage):
    """The game after a sense or a move; the first step is its beginning."""

    ply: int
    player: int | None = Field(description="Who acted; null at the beginning.")
    phase: Literal["sense", "move"] | None
    text: str | None
    name: str | None
    position: str = Field(description="The true board.")
    note: Text = Field(description="What happened, in a sentence; empty if there is nothing to say.")
    sides: tuple[BeliefView, BeliefView] = Field(description="What each side believed.")


class ReplayView(ApiMessage):
    """The steps so far."""

    total: int
    done: bool
    steps: list[BeliefStep]


class Replay:
    """The steps of one finished game, computed as far as they are asked for. Safe for threads."""

    def __init__(self, total: int, steps: Iterator[BeliefStep]) -> None:
        self._total, self._coming = total, steps
        self._steps: list[BeliefStep] = []
        self._lock = Lock()

    def view(self, since: int) -> ReplayView:
        """The steps from a number on. It computes for half a second at most, and at least one step."""
        with self._lock:
            until = time.monotonic() + _SECONDS
            while len(self._steps) < self._total:
                self._steps.append(next(self._coming))
                if time.monotonic() > until:
                    break
            done = len(self._steps) == self._total
            if done:
                self._coming = iter(())  # releases what it was computed with
            return ReplayView(total=self._total, done=done, steps=self._steps[since:])


class Replays:
    """The replays of the latest games that were asked for."""

    def __init__(self) -> None:
        self._replays: OrderedDict[str, Replay] = OrderedDict()
        self._lock = Lock()

    def of(self, game_id: str, make: Callable[[], Replay]) -> Replay:
        """The replay of a game; `make` is called if it is not in memory."""
        with self._lock:
            replay = self._replays[game_id] = self._replays.get(game_id) or make()
            self._replays.move_to_end(game_id)
            while len(self._replays) > _KEPT:
                self._replays.popitem(last=False)
        return replay
