"""Passing and counting: finished games of our player of Go against GNU Go, and whether both count alike.

A game goes as on the page and in the terminal: GNU Go is the person, our player answers its passes, and after
two passes our dead stones are the proposal. GNU Go's own count of the same position is the other opinion. A
network with ownership is a third one where the two differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparring._core import GoState
from sparring.base.config import usable_threads
from sparring.games import ParseError
from sparring.go.counting import GoCounting, dead_stones, own_eyes, resumed, safe_area
from sparring.go.game import Go
from sparring.go.gtp_client import GtpEngine
from sparring.measure.ratings import wilson_interval
from sparring.networks import Position
from sparring.play.game import LiveGame
from sparring.players import Player
from sparring.players.engines import EngineConfig, PositionHistory
from sparring.players.player_config import shipped_levels
from sparring.players.policy_player import make_player
from sparring.policies import Policy, load_policy

KOMI = 7.5


@dataclass(frozen=True)
class Players:
    """Our players, which take turns: rows of a level table."""

    levels: tuple[int, ...] = (950, 1550, 2260)
    """Their levels; with `scale` "people" ranks as numbers."""
    scale: str = "engine"

    def at(self, number: int) -> int:
        """The level of the player of a game: each has both colours in turn."""
        return self.levels[number // 2 % len(self.levels)]


@dataclass(frozen=True)
class CountedGame:
    """A finished game: a line of a file of games."""

    size: int
    number: int
    level: int
    black: str
    """`ours` or `gnugo`."""
    moves: str
    """All moves with spaces, such as `D4 Q16 pass pass`."""
    end: str
    """The last position, as text."""
    ours: float
    """Black's lead with the dead stones that we propose."""
    gnugo: float
    """Black's lead by GNU Go's `final_score`."""
    our_dead: str
    gnugo_dead: str
    first_pass: str
    """Who passed first of the last two: `ours` or `gnugo`."""
    own_area: str
    """Our moves inside our own safe area (Benson's), as PLY:POINT."""
    own_eyes: str
    """Our moves into our own eyes."""


@dataclass(frozen=True)
class GameNumber:
    """One game to be played."""

    size: int
    number: int

    @property
    def our_side(self) -> int:
        """0 if we have Black."""
        return self.number % 2


def parse_games(text: str) -> dict[int, int]:
    """Games by size of a text such as `9=90,13=60`. Raises ParseError."""
    try:
        return {int(size): int(count) for size, count in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise ParseError(f"games '{text}': expected sizes and numbers such as 9=90,13=60") from None


def game_numbers(games: Mapping[int, int]) -> Iterator[GameNumber]:
    """The games of all sizes in turn."""
    for number in range(max(games.values(), default=0)):
        for size, count in games.items():
            if number < count:
                yield GameNumber(size, number)


def gnugo_config(level: int, seed: int) -> EngineConfig:
    """GNU Go as a person who counts: it passes with dead stones on the board, and never resigns."""
    command = ("gnugo", "--mode", "gtp", "--chinese-rules", "--never-resign")
    options = ("--level", str(level), "--seed", str(seed))
    return EngineConfig("gnugo", "gtp", (*command, *options))


def play(game: GameNumber, players: Players, gnugo_level: int, seed: int) -> CountedGame:
    """Plays a game to two passes and counts it both ways."""
    rules = Go.by_rules("chinese", game.size, KOMI)
    levels = shipped_levels("go", players.scale)
    assert levels is not None
    level = players.at(game.number)
    config = replace(levels.at(level), resign_below=0.0)
    player = make_player(config, load_policy(config.model, "go", threads=usable_threads(1)))
    engine = GtpEngine(gnugo_config(gnugo_level, 1 + seed + game.number))
    try:
        return _played(game, level, rules, player, engine, seed)
    finally:
        engine.close()


def _played(
    game: GameNumber, level: int, rules: Go, player: Player, engine: GtpEngine, seed: int
) -> CountedGame:
    ours = game.our_side
    live = LiveGame(
        rules, {ours: player}, person=1 - ours, seed_of=lambda side, ply: [seed, game.size, game.number]
    )
    live.start_players()
    engine.new_game(live.states[0], None)
    area: list[str] = []
    eyes: list[str] = []
    while live.dead is None:
        state = live.states[-1]
        pending = live.pending_turn()
        if pending is None:
            answer = engine.choose(PositionHistory.of(state), None)
            assert answer.move is not None, "GNU Go never resigns"
            live.play(answer.move)
            continue
        decision = live.decide(pending)
        text = f"{state.ply}:{state.move_text(decision.move)}"
        if decision.move in safe_area(state, ours):
            area.append(text)
        if decision.move in own_eyes(state):
            eyes.append(text)
        live.accept(pending, decision)
    end = live.states[-1]
    black, white = end.score(sorted(live.dead))
    line = PositionHistory.of(end)
    names = ("ours", "gnugo") if ours == 0 else ("gnugo", "ours")
    return CountedGame(
        size=game.size,
        number=game.number,
        level=level,
        black=names[0],
        moves=" ".join(played.text for played in live.moves),
        end=end.text(),
        ours=float(black - white),
        gnugo=parse_score(engine.ask_about(line, "final_score")),
        our_dead=" ".join(sorted(end.move_text(point) for point in live.dead)),
        gnugo_dead=" ".join(sorted(engine.ask_about(line, "final_status_list dead").split())),
        first_pass=names[live.moves[-2].player],
        own_area=" ".join(area),
        own_eyes=" ".join(eyes),
    )


def parse_score(text: str) -> float:
    """Black's lead by an answer such as `W+7.5`, `B+2` or `0`. Raises ParseError."""
    side, _, margin = text.strip().partition("+")
    if text.strip() == "0":
        return 0.0
    try:
        return {"B": 1, "W": -1}[side] * float(margin)
    except (KeyError, ValueError):
        raise ParseError(f"'{text}' is no score") from None


COUNTS: Mapping[str, Callable[[GoState], Collection[int]]] = {
    "network": lambda state: GoCounting.propose(state, None),
    "playouts": dead_stones,
}
"""The dead stones of a last position by the shipped network's ownership, as they are proposed, and by random
playouts."""


def recounted(game: CountedGame, count: str = "network") -> CountedGame:
    """A game with our count of its last position as it is today, or by another of `COUNTS`."""
    state = Go().parse(game.end)
    dead = sorted(COUNTS[count](state))
    black, white = state.score(dead)
    names = " ".join(sorted(state.move_text(point) for point in dead))
    return replace(game, ours=float(black - white), our_dead=names)


def third_opinions(games: Sequence[CountedGame], judge: Policy) -> dict[tuple[int, int], float]:
    """Black's lead in the games that are counted differently, by a network with ownership."""
    opinions = {}
    for game in games:
        if game.ours == game.gnugo:
            continue
        state = resumed(Go().parse(game.end))
        prediction = judge.predict([Position(state)])[0]
        assert prediction.ownership is not None, "the judge has ownership"
        black, white = state.score(dead_stones(state, prediction.ownership))
        opinions[game.size, game.number] = float(black - white)
    return opinions


def summary(
    games: Sequence[CountedGame], opinions: Mapping[tuple[int, int], float] | None = None
) -> dict[str, Any]:
    """By board size and of all: games, shares of equal scores and winners with 95 % intervals, moves of ours
    in our own area, and the games that differ."""
    sizes = sorted({game.size for game in games})
    parts = {f"{size}x{size}": [game for game in games if game.size == size] for size in sizes}
    return {
        "games": {name: _shares(some) for name, some in [*parts.items(), ("all", [*games])] if some},
        "differing": [
            {
                "size": game.size,
                "number": game.number,
                "ours": game.ours,
                "gnugo": game.gnugo,
                "judge": None if opinions is None else opinions[game.size, game.number],
                "our_dead": game.our_dead,
                "gnugo_dead": game.gnugo_dead,
            }
            for game in games
            if game.ours != game.gnugo
        ],
    }


def _shares(games: Sequence[CountedGame]) -> dict[str, Any]:
    equal = sum(game.ours == game.gnugo for game in games)
    winner = sum((game.ours > 0) == (game.gnugo > 0) for game in games)
    wins = sum(map(_won, games))
    levels = sorted({game.level for game in games})
    plies = [game.moves.count(" ") + 1 for game in games]
    ours = sum((length + (game.black == "ours")) // 2 for game, length in zip(games, plies, strict=True))
    return {
        "games": len(games),
        "equal_score": _share(equal, len(games)),
        "equal_winner": _share(winner, len(games)),
        "games_with_moves_in_own_area": sum(bool(game.own_area) for game in games),
        "moves_in_own_area": sum(len(game.own_area.split()) for game in games),
        "moves_in_own_eyes": sum(len(game.own_eyes.split()) for game in games),
        "our_moves": ours,  # passes included
        "with_dead_stones": sum(bool(game.gnugo_dead) for game in games),
        "we_passed_first": sum(game.first_pass == "ours" for game in games),
        "gnugo_passes_not_answered": sum(_unanswered(game) for game in games),
        "games_with_passes_not_answered": sum(_unanswered(game) > 0 for game in games),
        "our_wins": wins,
        "our_wins_by_level": {
            str(level): _share(sum(_won(game) for game in some), len(some))
            for level, some in ((level, [g for g in games if g.level == level]) for level in levels)
        },
        "mean_plies": sum(plies) / len(plies),
    }


def _won(game: CountedGame) -> bool:
    """Whether we won, by GNU Go's count."""
    return (game.gnugo > 0) == (game.black == "ours")


def _unanswered(game: CountedGame) -> int:
    """GNU Go's passes after which we played on."""
    moves = game.moves.split()
    own = moves[game.black == "ours" :: 2]
    answers = moves[1 + (game.black == "ours") :: 2]
    return sum(move == "pass" != answer for move, answer in zip(own, answers, strict=False))


def _share(count: int, games: int) -> dict[str, Any]:
    return {"count": count, "share": count / games, "interval": list(wilson_interval(count / games, games))}


def play_all(
    games: Mapping[int, int], players: Players, gnugo_level: int, seed: int, done: Sequence[CountedGame]
) -> Iterator[tuple[CountedGame, float]]:
    """Plays the games that are not done; yields each at its end with the seconds that it took."""
    played = {(game.size, game.number) for game in done}
    for game in game_numbers(games):
        if (game.size, game.number) not in played:
            began = time.monotonic()
            yield play(game, players, gnugo_level, seed), time.monotonic() - began
