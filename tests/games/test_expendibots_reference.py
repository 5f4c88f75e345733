"""Expendibots against a reference implementation in plain Python, and its symmetries."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from sparring._core import ExpendibotsState
from sparring.expendibots.game import Expendibots
from tests.reference.expendibots import BLACK, START, WHITE, Action, Board, ReferenceGame, perft

GAME = Expendibots()
Symmetry = Callable[[int, int], tuple[int, int]]
SYMMETRIES: list[Symmetry] = [
    lambda x, y: (x, y),
    lambda x, y: (7 - x, y),
    lambda x, y: (x, 7 - y),
    lambda x, y: (7 - x, 7 - y),
    lambda x, y: (y, x),
    lambda x, y: (7 - y, x),
    lambda x, y: (y, 7 - x),
    lambda x, y: (7 - y, 7 - x),
]


def random_board(generator: random.Random, tokens: int) -> Board:
    """Stacks anywhere, of `tokens` tokens a side."""
    board: Board = {}
    for colour in (WHITE, BLACK):
        for _ in range(tokens):
            free = [(x, y) for x in range(8) for y in range(8) if board.get((x, y), 0) * colour >= 0]
            at = generator.choice(free)
            board[at] = board.get(at, 0) + colour
    return board


def chosen(generator: random.Random, actions: list[Action], boom_share: float) -> Action:
    """Any action; in all but `boom_share` of the choices a MOVE, if there is one."""
    moves = [action for action in actions if action[0] == "MOVE"]
    return generator.choice(actions if not moves or generator.random() < boom_share else moves)


def assert_agree(state: ExpendibotsState, plain: ReferenceGame) -> list[Action]:
    actions = plain.actions()
    native = [GAME.action(state, move) for move in GAME.legal_moves(state)]
    assert len(native) == len(actions)
    assert set(native) == set(actions)
    assert GAME.text(state) == plain.text()
    assert GAME.parse(plain.text()).key == state.key
    outcome = GAME.outcome(state)
    assert (None if outcome is None else (outcome.winner, outcome.reason)) == plain.outcome()
    assert GAME.legal_moves(state) == sorted(GAME.legal_moves(state))
    assert all(0 <= move < GAME.spec.moves for move in GAME.legal_moves(state))
    return actions


def play_both(generator: random.Random, plain: ReferenceGame, boom_share: float) -> str:
    """A random game on both, compared at every ply; the reason why it ended."""
    state = GAME.parse(plain.text())
    while actions := assert_agree(state, plain):
        action = chosen(generator, actions, boom_share)
        state = GAME.play(state, GAME.move_of(state, action))
        plain.play(action)
    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome.reason


def test_random_games_from_the_start_agree() -> None:
    generator = random.Random(1)
    reasons = {play_both(generator, ReferenceGame(), boom_share=1.0) for _ in range(250)}
    assert reasons == {"no tokens", "all tokens gone"}


def test_long_games_from_the_start_agree() -> None:
    generator = random.Random(2)
    reasons = [
        play_both(generator, ReferenceGame(), boom_share=share) for share in (0.0, 0.0, 0.02, 0.02, 0.05)
    ]
    assert "move limit" in reasons


@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_games_from_random_positions_agree(colour: int) -> None:
    generator = random.Random(3 + colour)
    reasons = set()
    for game in range(50):
        board = random_board(generator, tokens=generator.randrange(1, 13))
        reasons.add(play_both(generator, ReferenceGame(board, colour), boom_share=(0.0, 0.05, 0.5)[game % 3]))
    assert reasons == {"no tokens", "all tokens gone", "repetition", "move limit"}


def test_lone_tokens_repeat_positions_alike() -> None:
    generator = random.Random(5)
    boards = [random_board(generator, tokens=1) for _ in range(40)]
    reasons = [play_both(generator, ReferenceGame(board), boom_share=0.0) for board in boards]
    assert reasons.count("repetition") > 20


def test_perft_from_random_positions_agrees() -> None:
    generator = random.Random(6)
    for _ in range(12):
        plain = ReferenceGame(random_board(generator, tokens=generator.randrange(1, 7)))
        assert GAME.parse(plain.text()).perft(3) == perft(plain.board, WHITE, 3)


def test_perft_is_the_same_in_all_sixteen_images() -> None:
    generator = random.Random(7)
    for board in (START, *(random_board(generator, tokens) for tokens in (1, 3, 6, 9, 12))):
        counts = set()
        for symmetry in SYMMETRIES:
            for colour in (WHITE, BLACK):
                image = {symmetry(*at): height * colour for at, height in board.items()}
                counts.add(GAME.parse(ReferenceGame(image, colour).text()).perft(3))
        assert len(counts) == 1


@pytest.mark.parametrize("colour", [WHITE, BLACK])
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_mirrored_games_give_mirrored_results(symmetry: Symmetry, colour: int) -> None:
    def mirrored(action: Action) -> Action:
        if len(action) == 2:
            return action[0], symmetry(*action[1])
        return action[0], action[1], symmetry(*action[2]), symmetry(*action[3])

    generator = random.Random(8)
    for _ in range(15):
        state = GAME.initial()
        image = {symmetry(*at): height * colour for at, height in START.items()}
        other = GAME.parse(ReferenceGame(image, colour).text())
        while moves := GAME.legal_moves(state):
            action = GAME.action(state, generator.choice(moves))
            state = GAME.play(state, GAME.move_of(state, action))
            other = GAME.play(other, GAME.move_of(other, mirrored(action)))
            assert len(GAME.legal_moves(other)) == len(GAME.legal_moves(state))
        result, image_result = GAME.outcome(state), GAME.outcome(other)
        assert result is not None
        assert image_result is not None
        assert image_result.reason == result.reason
        swapped = None if result.winner is None else 1 - result.winner
        assert image_result.winner == (result.winner if colour == WHITE else swapped)
