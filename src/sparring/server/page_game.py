"""A game on the page: its settings, the game in progress, and what the visitor sees of it."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from sparring.base.clock import GameClock, TimeControl
from sparring.base.sentences import Sentence
from sparring.games import Game, IllegalMove, Move, ParseError, describe, load_game, move_name
from sparring.play.game import LiveGame, NotAllowed, PlayedMove
from sparring.players import Player
from sparring.records.readers import written_formats
from sparring.server.messages import (
    Candidate,
    ClockChoice,
    ClockView,
    CountingView,
    GameView,
    HintView,
    LegalMove,
    MoveView,
    OpponentChoice,
    Phase,
    PlayerView,
    PositionView,
    ResultView,
    board_view,
    text_of,
)
from sparring.server.opponents import about
from sparring.server.refusal import Refused
from sparring.server.replay import Replay

_CANDIDATES = 8
"""Most moves of a hint."""
EVENT = "A game on the page"
PERSON = Sentence("You")


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

    def rules(self) -> Game[Any]:
        """The game with its options."""
        return load_game(self.game, **self.options)

    def first_state(self, rules: Game[Any]) -> Any:
        """The state in which the game begins."""
        return rules.initial() if self.position is None else rules.parse(self.position)

    def opponent_of(self, side: int) -> OpponentChoice:
        """The player of a side that is not the person's."""
        return self.opponents[side]

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
                "clock": None if clock is None else [clock.base, clock.increment, clock.byoyomi],
                "pace": self.pace,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The settings of a text by `to_json`."""
        table = json.loads(text)
        first, second = (OpponentChoice(**opponent) for opponent in table.pop("opponents"))
        clock = table.pop("clock")
        return cls(opponents=(first, second), clock=None if clock is None else TimeControl(*clock), **table)


def time_control(choice: ClockChoice | None) -> TimeControl | None:
    """The clock of a request; None for none."""
    return None if choice is None else TimeControl(choice.base, choice.increment, choice.byoyomi)


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
        raise Refused(Sentence("{error}.", error=str(error)), 422) from None


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
        )

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        return self.live.phase

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
            options=dict(settings.options),
            sides=(spec.players[0], spec.players[1]),
            players=(self._player_view(0), self._player_view(1)),
            you=settings.you,
            phase=self.phase,
            turn=turn,
            ply=len(live.moves),
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            legal=[self._legal_move(move) for move in self.rules.legal_moves(state)] if mine else [],
            moves=[move_view(played) for played in live.moves],
            check=bool(getattr(state, "in_check", False)),
            clock=clock_view(live.clock, turn),
            draw_offered=live.draw_offered,
            can=sorted(live.commands()),
            message=text_of(live.message),
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
        if not 0 <= ply < len(live.states):
            raise Refused(
                Sentence("The game has {moves} moves, not {ply}.", moves=len(live.moves), ply=ply), 404
            )
        state = live.states[ply]
        return PositionView(
            ply=ply,
            position=self.rules.text(state),
            board=board_view(self.rules.diagram(state)),
            last=live.moves[ply - 1].text if ply else None,
        )

    def hint(self) -> HintView:
        """The likeliest move of a player like the opponent. Raises Refused."""
        with refusing():
            decision = self.live.hint()
        state, value = self.live.states[-1], decision.value
        ranked = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_CANDIDATES]
        return HintView(
            move=self._legal_move(decision.move),
            candidates=[
                Candidate(text=state.move_text(move), name=move_name(state, move), probability=share)
                for move, share in ranked
            ],
            value=None if value is None else (1 + value) / 2,
        )

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
        return self.live.record(
            players=(self._player_view(0).name.text, self._player_view(1).name.text),
            ratings=(self._rating(0), self._rating(1)),
            started=datetime.datetime.fromtimestamp(self.settings.created),
            event=EVENT,
        ).text(suffix)

    def replay(self) -> Replay:
        """Both sides' beliefs step by step. Raises Refused."""
        raise Refused(Sentence("In {game} both players see the board.", game=self.rules.spec.title), 422)

    def _observer(self) -> Callable[[Any], None] | None:
        """Receives what the person observes in a game of hidden information."""
        return None

    def _legal_move(self, move: Move) -> LegalMove:
        state = self.live.states[-1]
        return LegalMove(text=self.rules.move_text(state, move), name=move_name(state, move))

    def _counting_view(self) -> CountingView | None:
        live = self.live
        if live.dead is None:
            return None
        dead = [live.states[-1].move_text(point) for point in sorted(live.dead)]
        return CountingView(dead=dead, text=text_of(live.counted()[0]))

    def _result_view(self) -> ResultView | None:
        end = self.live.end
        if end is None or end.first_score is None:
            return None
        return ResultView(score=end.first_score, winner=end.winner, text=text_of(self.live.message))

    def _player_view(self, side: int) -> PlayerView:
        if side == self.settings.you:
            return PlayerView(name=text_of(PERSON), about=text_of(""), is_person=True)
        name, about = self.settings.about(self.rules, side)
        return PlayerView(name=text_of(name), about=text_of(about), is_person=False)

    def _rating(self, side: int) -> int | None:
        if side == self.settings.you:
            return None
        rating = self.settings.opponent_of(side).rating
        return None if rating is None else describe(self.rules.spec.name).ratings.number(rating)


def move_view(played: PlayedMove) -> MoveView:
    """A move that was played."""
    return MoveView(text=played.text, name=played.name, player=played.player, left=played.left)


def clock_view(clock: GameClock, to_move: int | None) -> ClockView | None:
    """The clocks now; `to_move` is None when the game is over."""
    control = clock.control
    if control is None:
        return None
    left = list(clock.left)
    running = to_move if clock.running else None
    if running is not None:
        left[running] = max(0.0, left[running] - clock.turn_seconds)
    return ClockView(
        left=(left[0], left[1]), running=running, increment=control.increment, byoyomi=control.byoyomi
    )
