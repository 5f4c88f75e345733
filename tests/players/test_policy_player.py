"""Players from configurations: reading, search, book, resignation and draw offers."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess.polyglot
import numpy as np
import pytest

from sparring.base.errors import BadConfig, BadFile
from sparring.chess.game import Chess
from sparring.games import load_game
from sparring.networks import Prediction
from sparring.players import (
    GameStart,
    Player,
    PlayerConfig,
    PolicyPlayer,
    SearchLimits,
    SearchPlayer,
    Turn,
    default_player_config,
    load_player_config,
    make_player,
)
from sparring.players.game_players import open_book
from sparring.players.player_config import parse_player_config
from sparring.search import Clock
from sparring.search.limits import allocate_time
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tiny_network("chess"), tmp_path_factory.mktemp("models") / "small.onnx"))


def policy_player(model: str, **entries: Any) -> PolicyPlayer | SearchPlayer:
    return make_player(PlayerConfig("chess", model=model, **entries))


def play(one: Player, other: Player, plies: int) -> list[int]:
    state = Chess().initial()
    moves: list[int] = []
    while state.outcome is None and len(moves) < plies:
        moves.append((one, other)[state.to_move].choose(Turn.of(state)).move)
        state = state.play(moves[-1])
    return moves


def test_a_description_is_read_from_a_short_file(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(
        'game = "chess"\nrating = 1500\nnodes = 50\nc_puct = 2\nrule = "kl"\nresign_below = 0.05\n'
    )
    player_config = load_player_config(path)
    assert player_config == PlayerConfig(
        "chess", name="club", rating=1500, nodes=50, c_puct=2.0, rule="kl", resign_below=0.05
    )
    ranked = parse_player_config({"game": "go", "rating": "3d", "opponent_rating": "2k"})
    assert (ranked.rating_number("rating"), ranked.rating_number("opponent_rating")) == (3, -2)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("rating = 1500", "missing key 'game'"),
        ('game = "poker"', "game = 'poker': expected one of chess, "),
        ('game = "chess"\nelo = 3', "unknown key 'elo'"),
        ('game = "chess"\nnodes = 1.5', "nodes = 1.5: expected an integer from 0 to 1000000000"),
        ('game = "chess"\nrule = "best"', "rule = 'best': expected one of visits, regularised, kl"),
        ('game = "chess"\nrating = "3d"', "rating = '3d': expected an integer"),
        ('game = "go"\nrating = "strong"', "a rank such as 3d"),
        ('game = "chess"\ntemperature = -1', "temperature = -1: expected a number from 0 to 1000"),
        ('game = "chess"\npolicy_temperature = 0', "expected a number > 0"),
        ('game = "chess"\nseed = -1', "seed = -1: expected an integer from 0 to 9223372036854775807"),
        ('game = "chess"\nthreads = 2000', "threads = 2000: expected an integer from 1 to 1024"),
        ('game = "chess"\nc_puct = nan', "c_puct = nan: expected a number >= 0"),
        ('game = "chess"\nname = "a\\nb"', "name = .*: expected printable text"),
        ('game = "chess"\nseconds = 0', "seconds = 0: expected a number > 0"),
        ('game = "chess', "wrong.toml"),
    ],
)
def test_a_description_that_is_wrong_says_why(text: str, error: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(BadConfig, match=error) as caught:
        load_player_config(path)
    assert "wrong.toml" in str(caught.value)


def test_the_same_seed_gives_the_same_game(model: str) -> None:
    games = [
        play(policy_player(model, seed=seed, nodes=nodes), policy_player(model, seed=9), 30)
        for nodes in (0, 12)
        for seed in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]
    assert games[3] == games[4] != games[5]


def test_at_temperature_0_it_plays_the_likeliest_move(model: str) -> None:
    state = Chess().initial()
    cold = policy_player(model, temperature=0.0)
    decision = cold.choose(Turn.of(state))
    assert decision.prediction is not None
    assert decision.move == decision.prediction.top(1)[0][0]
    assert decision.search is None
    searched = policy_player(model, temperature=0.0, nodes=60).choose(Turn.of(state))
    assert searched.search is not None
    assert searched.move == int(searched.search.moves[searched.search.ranked()[0]])


def test_limits_are_kept(model: str) -> None:
    state = Chess().initial()
    player = policy_player(model, nodes=40)
    found = player.choose(Turn.of(state)).search
    assert found is not None
    assert found.nodes == 40
    found = player.choose(Turn.of(state.play(state.legal_moves()[0]), SearchLimits(nodes=90))).search
    assert found is not None
    assert found.new_visits == 90
    searchmoves = tuple(state.legal_moves()[3:5])
    for each in (player, policy_player(model)):
        turn = Turn.of(state, SearchLimits(searchmoves=searchmoves))
        assert {each.choose(turn).move for _ in range(20)} <= set(searchmoves)


def test_an_infinite_search_ends_when_it_is_stopped(model: str) -> None:
    for nodes in (0, 10):
        stop = threading.Event()
        timer = threading.Timer(0.1, stop.set)
        timer.start()
        turn = Turn.of(Chess().initial(), SearchLimits(infinite=True), stop)
        decision = policy_player(model, nodes=nodes).choose(turn)
        assert stop.is_set()
        assert decision.move in turn.legal_moves


def test_it_resigns_only_after_some_hopeless_moves(model: str) -> None:
    player = policy_player(model, resign_below=1.0, resign_after=3)
    state = Chess().initial()
    assert [player.choose(Turn.of(state)).resign for _ in range(4)] == [False, False, True, True]
    player.new_game(GameStart(Chess()))
    assert not player.choose(Turn.of(state)).resign
    assert not policy_player(model).choose(Turn.of(state)).resign


def test_draws_are_offered_and_taken_when_all_is_level(model: str) -> None:
    state = Chess().initial()
    peaceful = policy_player(model, draw_within=0.51, draw_after=0)
    assert peaceful.choose(Turn.of(state)).offer_draw
    assert peaceful.accepts_draw(state)
    assert not policy_player(model, draw_within=0.51).accepts_draw(state)  # too early
    assert not policy_player(model).accepts_draw(state)


class ValuePolicy:
    """Knows nothing but the value of a position for White."""

    name, game = "value", "chess"

    def __init__(self, value: float) -> None:
        self.value = value

    def predict(self, positions: Any) -> list[Prediction]:
        states = [position.state for position in positions]
        return [
            Prediction(
                tuple(state.legal_moves()),
                np.full(len(state.legal_moves()), 1 / len(state.legal_moves()), np.float32),
                -self.value if state.to_move else self.value,
            )
            for state in states
        ]


def later_state(plies: int) -> Any:
    state = Chess().initial()
    for ply in range(plies):
        state = state.play_past_end(state.parse_move(("g1f3", "g8f6", "f3g1", "f6g8")[ply % 4]))
    return state


def test_a_draw_is_accepted_by_who_expects_no_more() -> None:
    config = PlayerConfig("chess", draw_within=0.05, draw_after=4, draw_offers=False)
    for value, accepted in ((0.0, True), (0.08, True), (0.2, False), (-0.9, True)):
        player = PolicyPlayer(config, ValuePolicy(value))
        player.new_game(GameStart(Chess(), 0))
        for plies in (4, 5):  # on its own turn and on the opponent's
            assert player.accepts_draw(later_state(plies)) is accepted, value
        assert not player.accepts_draw(later_state(3))
        assert not player.choose(Turn.of(later_state(4))).offer_draw


@pytest.mark.parametrize(("number", "accepted"), [(30, False), (31, True)])
def test_draws_are_taken_by_the_move_number_of_the_position(model: str, number: int, accepted: bool) -> None:
    state = load_game("chess").parse(f"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 {number}")
    player = policy_player(model, draw_within=0.51, draw_after=60)
    assert player.accepts_draw(state) is accepted
    assert player.choose(Turn.of(state)).offer_draw is accepted


def test_the_default_opponent_resigns_and_takes_draws() -> None:
    config = default_player_config("chess", rating=1700)
    assert (config.rating, default_player_config("chess").rating) == (1700, 1500)
    assert (config.resignation, config.draws) == ("human", "human")
    config = replace(config, resignation="rule", draws="rule")  # as in games without models of people
    player = PolicyPlayer(config, ValuePolicy(-0.95))
    state = Chess().initial()
    assert [player.choose(Turn.of(state)).resign for _ in range(3)] == [False, False, True]
    fighting = PolicyPlayer(config, ValuePolicy(-0.85))
    assert not any(fighting.choose(Turn.of(state)).resign for _ in range(5))
    assert PlayerConfig("chess").resign_below == 0  # a file says what its player does


def test_a_search_keeps_its_tree_from_move_to_move_unless_told_otherwise() -> None:
    start, total = Chess().initial(), []
    for reuse in (True, False):
        player = SearchPlayer(PlayerConfig("chess", nodes=300, reuse_tree=reuse), ValuePolicy(0.0))
        first = player.choose(Turn.of(start)).search
        assert first is not None
        move, reply = first.principal_variation(int(first.moves[first.visits.argmax()]))[:2]
        found = player.choose(Turn.of(start.play(move).play(reply))).search
        assert found is not None
        total.append(found.nodes - found.new_visits)
    assert total[0] > 0
    assert total[1] == 0


def test_a_time_limit_holds_during_a_slow_evaluation() -> None:
    slow, released = ValuePolicy(0.0), threading.Event()
    asked: list[int] = []
    answer = slow.predict

    def predict(positions: Any) -> list[Prediction]:
        asked.append(len(positions))
        if len(asked) > 1:  # the root is always evaluated
            released.wait(60)
        return answer(positions)

    slow.predict = predict  # type: ignore[method-assign]
    player = SearchPlayer(PlayerConfig("chess", nodes=1000), slow)
    began = time.monotonic()
    for limits in (SearchLimits(seconds=0.2), SearchLimits(clock=Clock(3.0))):
        assert player.choose(Turn.of(Chess().initial(), limits)).move
        player.new_game(GameStart(Chess()))
        asked.clear()
        released.set()
    assert time.monotonic() - began < 50


PGN = """[Event "a"]
[Result "*"]

1. e4 e5 2. Nf3 *

[Event "b"]
[Result "*"]

1. e4 c5 *

[Event "c"]
[Result "*"]

1. d4 *
"""


def test_it_opens_from_its_book(model: str, tmp_path: Path) -> None:
    (tmp_path / "mine.pgn").write_text(PGN)
    book = open_book(tmp_path / "mine.pgn", "chess", 16)
    state = Chess().initial()
    assert {state.move_text(m): w for m, w in book.moves(state).items()} == {"e2e4": 2, "d2d4": 1}
    (tmp_path / "player.toml").write_text(f'game = "chess"\nmodel = "{model}"\nbook = "mine.pgn"\nseed = 4\n')
    player = make_player(load_player_config(tmp_path / "player.toml"))
    drawn = [state.move_text(player.choose(Turn.of(state)).move) for _ in range(60)]
    assert set(drawn) == {"e2e4", "d2d4"}
    assert 25 < drawn.count("e2e4") < 55
    choice = player.choose(Turn.of(state))
    assert "book" in choice.reason
    assert choice.distribution[state.parse_move("d2d4")] == pytest.approx(1 / 3)
    later = state.play(state.parse_move("a2a3"))
    assert "book" not in player.choose(Turn.of(later)).reason
    early = policy_player(model, book=str(tmp_path / "mine.pgn"), book_plies=0)
    assert "book" not in early.choose(Turn.of(state)).reason


def book_player(model: str, tmp_path: Path, **entries: Any) -> PolicyPlayer | SearchPlayer:
    (tmp_path / "mine.pgn").write_text(PGN)
    return policy_player(model, book=str(tmp_path / "mine.pgn"), **entries)


@pytest.mark.parametrize("nodes", [0, 12])
def test_a_book_without_the_moves_to_search_is_not_used(nodes: int, model: str, tmp_path: Path) -> None:
    player, state = book_player(model, tmp_path, nodes=nodes), Chess().initial()
    outside = tuple(state.parse_move(move) for move in ("a2a3", "h2h4"))
    decision = player.choose(Turn.of(state, SearchLimits(searchmoves=outside)))
    assert decision.move in outside
    assert "book" not in decision.reason
    inside = (outside[0], state.parse_move("d2d4"))
    assert player.choose(Turn.of(state, SearchLimits(searchmoves=inside))).move == inside[1]


def test_a_book_move_needs_no_search(model: str, tmp_path: Path) -> None:
    player, state = book_player(model, tmp_path, nodes=12), Chess().initial()
    decision = player.choose(Turn.of(state))
    assert "book" in decision.reason
    assert decision.search is None
    stop = threading.Event()
    stop.set()
    analysis = player.choose(Turn.of(state, SearchLimits(infinite=True), stop))
    assert analysis.search is not None


def test_a_polyglot_book_is_read(tmp_path: Path) -> None:
    entries = sorted(
        (int(chess.polyglot.zobrist_hash(chess.Board())), move, weight)
        for move, weight in (((12 << 6) | 28, 3), ((11 << 6) | 27, 1))
    )
    data = b"".join(
        key.to_bytes(8, "big") + move.to_bytes(2, "big") + weight.to_bytes(2, "big") + bytes(4)
        for key, move, weight in entries
    )
    (tmp_path / "book.bin").write_bytes(data)
    state = Chess().initial()
    found = open_book(tmp_path / "book.bin", "chess", 16).moves(state)
    assert {state.move_text(m): w for m, w in found.items()} == {"e2e4": 3, "d2d4": 1}


def test_books_that_cannot_be_used_say_why(model: str, tmp_path: Path) -> None:
    (tmp_path / "empty.pgn").write_text("")
    (tmp_path / "x.sgf").write_text("(;)")
    (tmp_path / "bad.bin").write_bytes(b"")
    errors = {"no.pgn": "there is no", "empty.pgn": "no games", "x.sgf": "holds go", "bad.bin": "bad.bin"}
    for name, error in errors.items():
        with pytest.raises(BadFile, match=error):
            policy_player(model, book=str(tmp_path / name))


def test_a_network_of_another_game_is_refused(model: str) -> None:
    with pytest.raises(Exception, match="chess"):
        make_player(PlayerConfig("shogi", model=model))


@pytest.mark.parametrize("which", ["rating", "opponent_rating"])
def test_a_rating_is_refused_for_an_unconditioned_network(which: str, model: str) -> None:
    with pytest.raises(BadConfig, match="small is not conditioned on ratings: leave out rating"):
        policy_player(model, **{which: 1500})


def test_the_shipped_network_refuses_ratings_out_of_range() -> None:
    with pytest.raises(BadConfig, match="600 to 2600"):
        make_player(PlayerConfig("chess", rating=3000))


def test_a_go_player_of_ranks_plays(tmp_path: Path) -> None:
    player = make_player(parse_player_config({"game": "go", "rating": "5d", "seed": 1, "nodes": 8}))
    rules = load_game("go", size=9)
    state = rules.initial()
    for _ in range(6):
        state = state.play(player.choose(Turn.of(state)).move)
    assert state.ply == 6


@pytest.mark.parametrize(
    "clock",
    [
        Clock(60),
        Clock(60, 1),
        Clock(0.05),
        Clock(10, moves_to_go=1),
        Clock(0, byoyomi=5),
        Clock(30, byoyomi=10),
    ],
)
def test_allocated_time_is_less_than_the_clock(clock: Clock) -> None:
    for _ in range(200):
        spent = allocate_time(clock)
        assert spent > 0
        if clock.byoyomi:
            assert spent < clock.remaining + clock.byoyomi
            return
        assert spent <= max(clock.remaining - 0.1, 0.001)
        if clock.moves_to_go == 1:
            return
        clock = Clock(clock.remaining - spent - 0.01 + clock.increment, clock.increment)
        if clock.remaining < 0.2:
            return


def test_search_conditions_on_both_players_ratings() -> None:
    told: list[tuple[int, Any, Any]] = []
    player = policy_player("human", rating=1500, opponent_rating=1100, nodes=20)
    policy = player.policy

    class Spy:
        name, game = policy.name, policy.game

        def predict(self, positions: Any) -> Any:
            told.extend((p.state.to_move, p.rating, p.opponent_rating) for p in positions)
            return policy.predict(positions)

    spied = SearchPlayer(player.config, Spy())
    state = Chess().initial()
    spied.choose(Turn.of(state.play(state.legal_moves()[0])))
    assert {(1, 1500, 1100), (0, 1100, 1500)} == set(told)
