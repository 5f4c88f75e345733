"""Every kind of player follows the Player protocol: begin, choose, observe, close; seeds, limits and stop."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import NotFound
from sparring.games import GAMES, Game, load_game
from sparring.players import (
    STRENGTHS,
    Clock,
    GameStart,
    Player,
    PlayerConfig,
    SearchLimits,
    TimeControl,
    Turn,
    make_player,
    make_strength_player,
)
from sparring.players.engine_player import EnginePlayer
from sparring.players.engines import EngineConfig
from sparring.rbc.bots import BOTS, make_bot
from sparring.rbc.evaluators import find_stockfish
from studies.expendibots.rungs import LADDER, ladder_player
from tests.networks.tiny_networks import tiny_network, write

FAKE_ENGINE = Path(__file__).parents[1] / "arena" / "fake_engine.py"
SMALL_BOARDS: dict[str, dict[str, object]] = {"go": {"size": 7}}
PLIES = 12


@dataclass(frozen=True)
class Kind:
    """A kind of player and the game it is tried in."""

    name: str
    game: str
    make: Callable[[], Player]

    def load_game(self) -> Game[Any]:
        return load_game(self.game, **SMALL_BOARDS.get(self.game, {}))


def configured(game: str, **keys: Any) -> Callable[[], Player]:
    return lambda: make_player(PlayerConfig(game, **keys))


def engine(protocol: Any) -> Callable[[], Player]:
    limits = SearchLimits(nodes=None if protocol == "gtp" else 1)
    return lambda: EnginePlayer(
        EngineConfig("fake", protocol, (sys.executable, str(FAKE_ENGINE), protocol, ""), limits=limits)
    )


def bot(name: str) -> Callable[[], Player]:
    return lambda: make_bot(BOTS[name])


def small_planner() -> Player:
    options = replace(BOTS["planner"].planner, playouts=12, batch=4, particles=16, rating_visits=5.0)
    quick = replace(BOTS["inference-1"], kind="planner", planner=options)
    return make_bot(quick)


def has_stockfish() -> bool:
    try:
        find_stockfish()
    except NotFound:
        return False
    return True


QUICK_BOTS = ["random", "attacker", "guesser", "inference-1", "cautious", "sneaky"]
if has_stockfish():
    QUICK_BOTS.append("trout")

KINDS = [
    *(
        Kind(
            f"strength {STRENGTHS[0]} of {name}",
            name,
            lambda name=name: make_strength_player(name, STRENGTHS[0]),  # type: ignore[misc]
        )
        for name in GAMES
    ),
    *(
        Kind(
            f"{rung} of the ladder",
            "expendibots",
            lambda rung=rung: ladder_player(rung, SearchLimits(nodes=200), megabytes=1),  # type: ignore[misc]
        )
        for rung in LADDER
    ),
    *(Kind(f"bot {name}", "rbc", bot(name)) for name in QUICK_BOTS),
    Kind("bot planner", "rbc", small_planner),
    Kind("policy", "chess", configured("chess", rating=1500)),
    Kind("search", "chess", configured("chess", rating=1500, nodes=12)),
    Kind("policy of go", "go", configured("go", rating="5d")),
    Kind("search of shogi", "shogi", configured("shogi", nodes=6)),
    Kind("UCI engine", "chess", engine("uci")),
    Kind("USI engine", "shogi", engine("usi")),
    Kind("GTP engine", "go", engine("gtp")),
]
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def play(kind: Kind, player: Player, side: int, seed: int, *, hints: bool = False) -> list[int]:
    """The player's moves in a game against random moves, which follow from the seed as well. With `hints`
    the opponent asks for a hint before each of its moves."""
    game, rng, chosen = kind.load_game(), np.random.default_rng([seed, 9]), []
    state, hidden = game.initial(), game.spec.hidden
    player.new_game(GameStart(game, side, None if hidden else state, seed, "random"))
    for _ in range(PLIES):
        if game.outcome(state) is not None:
            break
        moves = game.legal_moves(state)
        if game.to_move(state) == side:
            decision = player.choose(Turn(None if hidden else state, moves))
            assert decision.move in moves
            assert not decision.distribution or sum(decision.distribution.values()) == pytest.approx(1)
            assert decision.value is None or -1 <= decision.value <= 1
            move = decision.move
            chosen.append(move)
        else:
            if hints:
                hint = player.hint(Turn(state, moves))
                assert hint.move in moves
                likeliest = max(hint.distribution.values(), default=0)
                assert hint.distribution.get(hint.move, 0) == likeliest
            player.ponder()
            move = moves[int(rng.integers(len(moves)))]
        player.observe(game.observe(state, side, move) if hidden else move)  # type: ignore[attr-defined]
        state = game.play(state, move)
    player.end_game(0.5)
    return chosen


@kinds
def test_the_same_seed_gives_the_same_game_in_one_player_and_in_another(kind: Kind) -> None:
    with kind.make() as one, kind.make() as other:
        first = play(kind, one, 0, 3)
        play(kind, one, 1, 4)  # a game in between leaves no trace
        assert play(kind, one, 0, 3) == first
        assert play(kind, other, 0, 3) == first
        assert len(first) >= 3
        assert one.name


@pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if kind.game != "rbc" and "engine" not in kind.name],
    ids=lambda kind: kind.name,
)
def test_a_hint_changes_nothing_in_the_game(kind: Kind) -> None:
    with kind.make() as player:
        for side in (0, 1):
            assert play(kind, player, side, 5, hints=True) == play(kind, player, side, 5)


@kinds
def test_a_player_can_be_closed_twice_and_before_its_first_game(kind: Kind) -> None:
    player = kind.make()
    player.close()
    with player:
        play(kind, player, 1, 1)
    player.close()


@kinds
def test_a_stop_event_that_is_set_is_answered_with_a_legal_move(kind: Kind) -> None:
    game, stop = kind.load_game(), threading.Event()
    stop.set()
    state = game.initial()
    moves = game.legal_moves(state)
    with kind.make() as player:
        player.new_game(GameStart(game, 0, None if game.spec.hidden else state, 1))
        turn = Turn(None if game.spec.hidden else state, moves, SearchLimits(infinite=True), stop)
        started = time.monotonic()
        assert player.choose(turn).move in moves
        assert time.monotonic() - started < 10


@kinds
def test_a_clock_is_kept(kind: Kind) -> None:
    game = kind.load_game()
    state = game.initial()
    moves, clock = game.legal_moves(state), Clock(20.0, 1.0)
    with kind.make() as player:
        start = None if game.spec.hidden else state
        player.new_game(GameStart(game, 0, start, 1, "", TimeControl(20.0, 1.0)))
        started = time.monotonic()
        turn = Turn(start, moves, SearchLimits(clock=clock, opponent_clock=clock))
        assert player.choose(turn).move in moves
        assert time.monotonic() - started < 20


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tiny_network("chess"), tmp_path_factory.mktemp("models") / "small.onnx"))


def test_a_search_ends_when_it_is_stopped_and_leaves_no_thread(model: str) -> None:
    with make_player(PlayerConfig("chess", model=model, nodes=10)) as player:
        before, stop = threading.active_count(), threading.Event()
        threading.Timer(0.2, stop.set).start()
        turn = Turn.of(load_game("chess").initial(), SearchLimits(infinite=True), stop)
        started = time.monotonic()
        decision = player.choose(turn)
        assert 0.1 < time.monotonic() - started < 5
        assert decision.search is not None
        deadline = time.monotonic() + 5
        while threading.active_count() > before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert threading.active_count() <= before


def test_alpha_beta_ends_when_it_is_stopped() -> None:
    agent = ladder_player("learned", SearchLimits(seconds=60), megabytes=1)
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    state = load_game("expendibots").initial()
    started = time.monotonic()
    assert agent.choose(Turn.of(state, stop=stop)).move in state.legal_moves()
    assert time.monotonic() - started < 10


def test_nodes_and_searchmoves_of_a_turn_are_kept(model: str) -> None:
    state = load_game("chess").initial()
    searchmoves = tuple(state.legal_moves()[2:4])
    with make_player(PlayerConfig("chess", model=model, nodes=10)) as player:
        decision = player.choose(Turn.of(state, SearchLimits(nodes=25, searchmoves=searchmoves)))
        assert decision.search is not None
        assert decision.search.new_visits == 25
        assert decision.move in searchmoves


def test_a_player_without_search_has_no_tree_and_starts_no_thread(model: str) -> None:
    before = threading.active_count()
    players = [make_player(PlayerConfig("chess", model=model, name=str(number))) for number in range(20)]
    state = load_game("chess").initial()
    for player in players:
        player.new_game(GameStart(load_game("chess"), 0, state, 1))
        assert player.choose(Turn.of(state, stop=threading.Event())).search is None
    assert threading.active_count() == before
    assert not any(hasattr(player, "_search") for player in players)
