"""What people paste and drop on the page: games and positions, changed, cut, mixed, wrongly encoded."""

from __future__ import annotations

import json
import random
from pathlib import Path

from sparring.games import GAMES, load_game
from sparring.server.pasted import parse_record, read_pasted, read_records, read_view, states_of
from sparring.server.person_job import named_games
from sparring.server.refusal import Refused
from tests.robustness.game_files import game_formats, game_texts
from tests.robustness.trials import mutated, surface

_PIECES = (
    b"(",
    b")",
    b"{",
    b"}",
    b";",
    b"[",
    b"]",
    b'"',
    b"\\",
    b"\n",
    b"\r",
    b"\x00",
    b"1. ",
    b"*",
    b"+",
    b"/",
    b" w - - 0 1",
    b" b - 1",
    b"9/9/9",
    b"8/8/8",
    b"position ",
    b"sfen ",
    b"startpos moves ",
    b"e2e4 ",
    b"7g7f ",
    "▲７六歩".encode(),
    "手合割：平手\n".encode(),
    "ａ".encode("cp932"),
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"GM[1]",
    b"%TORYO",
    b"SZ[99]",
    b"AB[zz]",
    b'[FEN "x"]',
    b'[Variant "Breakthrough"]',
    b"9" * 50,
    b"{[%clk 0:0:0]}",
)


@surface("pasting", trials=600)
def trial(rng: random.Random, folder: Path) -> None:
    """A text is recognised or refused in one sentence, and every game that is offered can be loaded."""
    text = _text(rng)
    hint = rng.choice([None, "poker", "", *GAMES])
    game = rng.choice(list(GAMES))
    named_games(read_records(game, text))
    try:
        pasted = read_pasted(text, hint)
    except Refused as refusal:
        _check_sentence(str(refusal))
        return
    json.loads(read_view(pasted).model_dump_json())
    rules = load_game(pasted.game)
    if pasted.position is not None:
        assert rules.text(rules.parse(pasted.position)) == pasted.position
    for index, entry in enumerate(pasted.games):
        assert (entry.record is None) <= (entry.error is not None)
        if entry.record is None:
            continue
        record, warning = parse_record(rules, text, pasted.format, index)
        assert (record.moves, str(warning)) == (entry.record.moves, str(entry.error))
        assert len(states_of(rules, record)) == entry.plies + 1


def _check_sentence(text: str) -> None:
    assert 0 < len(text) < 600, text


def _text(rng: random.Random) -> str:
    games = [rng.choice(game_texts(*rng.choice(game_formats()))) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.2:
        name = rng.choice(list(GAMES))
        rules = load_game(name)
        games = [rules.text(rules.initial()).encode()]
    content = mutated(rng, b"".join(games), list(_PIECES)) if rng.random() < 0.9 else b"".join(games)
    if rng.random() < 0.1:
        content = b"".join(rng.choices(_PIECES, k=rng.randint(0, 300)))
    return content.decode(rng.choice(["utf-8", "utf-8", "utf-8", "cp932", "utf-16", "latin-1"]), "replace")
