"""Well-formed game files of every format, for the trials to break."""

from __future__ import annotations

import contextlib
import random
from functools import lru_cache

import chess

from sparring.games import GAMES, describe, load_game
from sparring.records.readers import formats, writer_of
from sparring.records.record import GameRecord

KIF = (
    "手合割：平手\n先手：a\n後手：b\n手数----指手---------消費時間--\n"
    "   1 ７六歩(77)   ( 0:05/00:00:05)\n   2 ３四歩(33)   ( 1:07/00:01:07)\n   3 投了\n\n"
)
KI2 = "手合割：平手\n先手：a\n後手：b\n\n▲７六歩 △３四歩 ▲２六歩\nまで3手で先手の勝ち\n\n"
SFEN = "startpos moves 7g7f 3c3d 2g2f\n"
_GAMES = 4
_PLIES = 12


def game_formats() -> list[tuple[str, str]]:
    """Every game with each of its file formats."""
    return [(game, suffix) for game in GAMES for suffix in formats(game)]


@lru_cache
def game_texts(game: str, suffix: str) -> tuple[bytes, ...]:
    """Some whole games in a format. Concatenated they are a file, except in reconchess's JSON."""
    texts = {"kif": KIF, "kifu": KIF, "ki2": KI2, "ki2u": KI2, "sfen": SFEN}
    if suffix in texts:
        return (texts[suffix].encode(),) * _GAMES
    if suffix == "hcpe":
        return (bytes(38),) * _GAMES
    write = writer_of(game)
    return tuple(f"{write(random_record(game, seed)).rstrip()}\n\n".encode() for seed in range(_GAMES))


def random_record(game: str, seed: int, plies: int = _PLIES) -> GameRecord:
    """A game of random moves."""
    rng, rules = random.Random(seed), load_game(game)
    state = rules.initial()
    for _ in range(plies):
        if not (moves := rules.legal_moves(state)):
            break
        state = rules.play(state, rng.choice(moves))
    return GameRecord(
        state.pack_moves(describe(game).packed_move_bytes),
        1.0,
        start=rules.text(rules.initial()) if game == "go" else None,
        first=f"first {seed}",
        second="second",
        first_rating=1500,
        second_rating=1520,
        time_control="600+0",
        speed="rapid",
    )


def games_of_anna(rng: random.Random, count: int, plies: int = 30) -> str:
    """Games of Anna, as PGN."""
    texts = []
    for number in range(count):
        board, words = chess.Board(), []
        for ply in range(plies):
            with contextlib.suppress(IndexError):
                move = rng.choice(sorted(board.legal_moves, key=str))
                words.append(f"{ply // 2 + 1}. " * (ply % 2 == 0) + board.san(move))
                board.push(move)
        texts.append(f'[White "Anna"]\n[Black "Other {number}"]\n\n{" ".join(words)} *\n')
    return "\n".join(texts)
