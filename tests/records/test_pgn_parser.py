"""The native PGN parser against python-chess, and malformed PGN."""

from __future__ import annotations

import io
import random

import chess
import chess.pgn
import numpy as np
import pytest

from sparring._core import PgnGame, PgnParser
from sparring.chess.game import Chess


def parse(text: str | bytes, chunk: int = 1 << 20) -> list[PgnGame]:
    data = text.encode() if isinstance(text, str) else text
    parser = PgnParser()
    for start in range(0, len(data), chunk):
        parser.feed(data[start : start + chunk])
    parser.finish()
    return parser.take()


def uci_moves(game: PgnGame) -> list[str]:
    state = Chess().parse(game.tags["FEN"]) if "FEN" in game.tags else Chess().initial()
    moves = []
    for index in game.moves:
        move = state.legal_moves()[index]
        moves.append(state.move_text(move))
        state = state.play(move)
    return moves


def random_game(rng: random.Random, plies: int = 80) -> chess.pgn.Game:
    """A game with everything that PGN allows: comments, clocks, evaluations, variations, NAGs."""
    game = chess.pgn.Game()
    game.headers["White"] = rng.choice(['quo"te', "back\\slash", "Ünïcode", "plain"])
    game.headers["WhiteElo"] = str(rng.randint(600, 2800))
    node: chess.pgn.GameNode = game
    for _ in range(plies):
        board = node.board()
        if board.is_game_over():
            break
        moves = list(board.legal_moves)
        if rng.random() < 0.1:
            side = node.add_variation(rng.choice(moves), comment="a (variation) with [%clk 9:59:59]")
            if replies := list(side.board().legal_moves):
                side.add_variation(rng.choice(replies)).nags.add(3)
        node = node.add_main_variation(rng.choice(moves))
        if rng.random() < 0.5:
            node.set_clock(rng.randint(0, 36000) / 10)
        if rng.random() < 0.5:
            score = (
                chess.engine.Mate(rng.choice([-3, 2, 11]))
                if rng.random() < 0.2
                else chess.engine.Cp(rng.randint(-999, 999))
            )
            node.set_eval(chess.engine.PovScore(score, chess.WHITE), rng.choice([None, 18]))
        if rng.random() < 0.2:
            node.comment += " ; not a line comment, nor a move: 1. e4"
        if rng.random() < 0.2:
            node.nags.add(rng.randint(1, 139))
    game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    return game


def expected_clocks(game: chess.pgn.Game) -> list[int]:
    clocks = [node.clock() for node in game.mainline()]
    return [-1 if clock is None else round(clock * 10) for clock in clocks]


def expected_evals(game: chess.pgn.Game) -> list[int]:
    scores = [node.eval() for node in game.mainline()]
    return [-32768 if score is None else score.white().score(mate_score=32000) or 0 for score in scores]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_games_read_as_python_chess_wrote_them(chunk: int) -> None:
    rng = random.Random(1)
    games = [random_game(rng) for _ in range(60)]
    found = parse("\n\n".join(map(str, games)), chunk)
    assert len(found) == len(games)
    for game, expected in zip(found, games, strict=True):
        assert game.error == ""
        assert uci_moves(game) == [move.uci() for move in expected.mainline_moves()]
        assert game.tags == dict(expected.headers)
        assert game.result == expected.headers["Result"]
        if game.clocks:
            assert np.frombuffer(game.clocks, np.int32).tolist() == expected_clocks(expected)
        if game.evals:
            assert np.frombuffer(game.evals, np.int16).tolist() == expected_evals(expected)


def test_every_notation_of_a_move_is_read() -> None:
    rng = random.Random(2)
    for _ in range(30):
        board = chess.Board()
        texts, expected = [], []
        for _ in range(60):
            if board.is_game_over():
                break
            move = rng.choice(list(board.legal_moves))
            lan = board.lan(move)
            texts.append(
                rng.choice(
                    [
                        board.san(move),
                        board.uci(move),
                        lan,
                        lan.replace("-", "") if "O" not in lan else lan,
                        board.san(move).replace("=", "") + "!?",
                    ]
                )
            )
            expected.append(move.uci())
            board.push(move)
        game = parse(" ".join(texts) + " *")[0]
        assert game.error == ""
        assert uci_moves(game) == expected


def test_castling_with_zeros_and_numbers_glued_to_moves() -> None:
    game = parse("1.e4 e5 2.Nf3 Nf6 3.Bc4 Bc5 4.0-0 0-0 5...Qe2 1-0".replace("5...", "5."))[0]
    assert uci_moves(game)[-3:] == ["e1g1", "e8g8", "d1e2"]


def test_a_position_to_start_from() -> None:
    game = parse('[FEN "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"]\n[SetUp "1"]\n\n1. Ra8# 1-0')[0]
    assert uci_moves(game) == ["a1a8"]


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "1r1n2k1/P1P5/8/2q1Q3/8/8/p5p1/1R3NK1 w - - 0 1",
        "1r1n2k1/P1P5/8/4Q3/8/8/p5p1/1R3NK1 b - - 0 1",
        "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "4k3/8/8/b3q3/8/2N1B3/8/R3K2R w KQ - 0 1",
        "4k3/8/5N2/8/8/8/4R3/4K3 b - - 0 1",
    ],
)
def test_every_legal_move_is_packed_as_its_place_among_them(fen: str) -> None:
    state, board = Chess().parse(fen), chess.Board(fen)
    for place, move in enumerate(state.legal_moves()):
        text = state.move_text(move)
        for words in (text, board.san(chess.Move.from_uci(text))):
            game = parse(f'[FEN "{fen}"]\n\n{words} *')[0]
            assert (game.error, game.moves[0]) == ("", place)


def test_clocks_and_evaluations_may_be_broken_over_lines() -> None:
    game = parse("1. e4 {[%eval\n0.25] [%clk 0:01:02.5]} e5 { [%eval #-3,20]\n[%clk 1:0] } *")[0]
    assert np.frombuffer(game.evals, np.int16).tolist() == [25, 3 - 32000]
    assert np.frombuffer(game.clocks, np.int32).tolist() == [625, 600]


@pytest.mark.parametrize("value", ["", "-", "0.2.5", "1e3", "nan", "#", "0:00", "1234567890123456", "0,5x"])
def test_an_evaluation_that_is_no_number_is_not_known(value: str) -> None:
    assert parse(f"1. e4 {{ [%eval {value}] }} *")[0].evals == (b"\0\0" if value == "0,5x" else b"")


def test_the_first_of_tags_with_one_name_counts() -> None:
    game = parse('[White "a"]\n[White "b"]\n\n1. e4 *')[0]
    assert game.tag_values(("White", "Black")) == ["a", None]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1. e4 e5 2. Ke3 *", "'Ke3' is no legal move at move 2"),
        ("1. e4 e5 2. N3 *", "N3"),
        ("1. Nf3 a6 2. d3 a5 3. Nd2 *", "no legal move"),  # two knights could mean it
        ('[Variant "Atomic"]\n\n1. e4 *', "Atomic"),
        ('[FEN "nonsense"]\n\n1. e4 *', "FEN"),
        ("1. e4 {never closed", "ends in the middle"),
        ("1. e4 (1. d4 d5", "ends in the middle"),
        ("1. e4 -- 2. d4 *", "--"),
        ("1. e4 " + "x" * 100_000 + " *", "no legal move"),
    ],
)
def test_errors_in_a_game_are_reported(text: str, complaint: str) -> None:
    game = parse(text)[0]
    assert complaint in game.error
    assert len(game.error) < 200


def test_a_broken_game_does_not_hurt_the_next() -> None:
    good = '[Event "good"]\n\n1. e4 e5 1-0\n\n'
    bad = '[Event "bad"]\n\n1. e4 e5 2. Qxz9 (2. d4 {nested ( brackets} d5\n\n'
    found = parse(good + bad + good + bad + good)
    assert [game.tags["Event"] for game in found] == ["good", "bad", "good", "bad", "good"]
    assert [bool(game.error) for game in found] == [False, True, False, True, False]
    assert [game.line for game in found] == [1, 5, 9, 13, 17]


def test_games_without_results_or_moves_are_games() -> None:
    found = parse('[Event "a"]\n\n1. e4\n\n[Event "b"]\n[Result "0-1"]\n\n[Event "c"]\n\n*\n')
    assert [(game.tags["Event"], len(game.moves), game.result) for game in found][:1] == [("a", 1, "*")]
    assert all(game.error == "" for game in found)


@pytest.mark.parametrize("text", ["", "\n\n\n", "% a comment line\n", "; nothing\n", "{ just a comment }"])
def test_a_file_without_games_has_none(text: str) -> None:
    assert parse(text) == []


def test_a_comment_of_any_length_costs_no_memory() -> None:
    parser = PgnParser()
    parser.feed(b"1. e4 {")
    for _ in range(12):
        parser.feed(b"[%clk 0:00:01 and so on " * 40_000)
    parser.feed(b"} e5 1-0\n")
    parser.finish()
    game = parser.take()[0]
    assert (game.error, len(game.moves)) == ("", 2)


def test_any_bytes_are_survived() -> None:
    rng = random.Random(3)
    good = "\n\n".join(str(random_game(rng, 20)) for _ in range(10)).encode()
    for _ in range(300):
        data = bytearray(good)
        for _ in range(rng.randint(1, 30)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 5)] = bytes(rng.choices(range(256), k=rng.randint(0, 5)))
        for game in parse(bytes(data), rng.choice([13, 1 << 20])):
            if "FEN" not in game.tags:
                assert len(uci_moves(game)) == len(game.moves)
            assert isinstance(game.tags, dict)


def test_python_chess_reads_the_same_games_in_the_same_order() -> None:
    rng = random.Random(4)
    text = "\n\n".join(str(random_game(rng, 30)) for _ in range(20))
    stream = io.StringIO(text)
    for game in parse(text):
        expected = chess.pgn.read_game(stream)
        assert expected is not None
        assert uci_moves(game) == [move.uci() for move in expected.mainline_moves()]
