"""Reviews of whole games: marks, lines, kinds of mistakes, moments, other engines, the page, the command."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparring
from sparring.chess.game import Chess
from sparring.chess.mistake_kinds import KINDS, kind_of_mistake
from sparring.cli import main
from sparring.measure.analysis import Evaluation, MistakeFacts
from sparring.measure.review import MoveReview, Review, most_lost, program_command, review
from sparring.measure.review_page import review_page
from sparring.records.readers import RecordedGame, open_records
from tests.cli.command_errors import one_line_error

RULES = Chess()
GAME = """[White "Ann"]
[Black "Ben"]
[WhiteElo "1500"]
[BlackElo "1400"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0
"""
HANGING = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. Nc3 O-O 6. Nd5 Qe8 7. a3 Qd8 8. Nxe5 d6 *"


@pytest.fixture(scope="module", autouse=True)
def short_searches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparring.measure.review._NODES", (500, 10_000, 30_000))
        yield


def recorded(folder: Path, text: str) -> RecordedGame:
    path = folder / "game.pgn"
    path.write_text(text)
    return next(iter(open_records(path)))


@pytest.fixture(scope="module")
def mate(tmp_path_factory: pytest.TempPathFactory) -> Review:
    return review(recorded(tmp_path_factory.mktemp("mate"), GAME), threads=1)


def test_a_review_lists_the_mistake_with_what_was_better_and_why(mate: Review) -> None:
    (mistake,) = mate.mistakes
    assert (mistake.name, mistake.mark, mistake.kind) == ("Nf6", "blunder", "allowed mate")
    assert mistake.mate_after == -1
    assert mistake.before - mistake.after == pytest.approx(mistake.loss)
    assert len(mistake.line) >= 3
    assert mistake.line[0] == mistake.best
    assert [RULES.move_text(mate.record.states[6], move) for move in mistake.answer] == ["h5f7"]
    assert mate.moments == [mistake]
    last = mate.moves[-1]
    assert (last.mate, last.loss, last.after) == (1, 0.0, 1.0)
    assert mate.ratings == (1500, 1400)
    assert mate.analyst == "own search"
    assert all(level is not None for level in mate.levels)
    assert all(0 <= move.found <= 1 and 0 <= move.difficulty <= 1 for move in mate.moves)


def test_moves_arrive_in_order_as_they_are_reviewed(tmp_path: Path) -> None:
    arrived: list[MoveReview] = []
    text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 Bc5 5. c3 d6 6. O-O O-O 7. h3 a6 *"
    found = sparring.review(recorded(tmp_path, text), on_move=arrived.append, rating=1500, threads=2)
    assert [move.ply for move in arrived] == list(range(14))
    assert tuple(arrived) == found.moves
    assert found.ratings == (1500, 1500)


def test_the_same_review_with_other_threads(tmp_path: Path) -> None:
    game = recorded(tmp_path, HANGING)
    first, second = (review(game, threads=threads) for threads in (1, 2))
    assert [move.loss for move in first.moves] == [move.loss for move in second.moves]


def test_the_moments_are_the_largest_losses_in_the_order_of_the_game() -> None:
    class Row:
        def __init__(self, ply: int, loss: float, mark: str) -> None:
            self.ply, self.loss, self.mark = ply, loss, mark

    rows = [Row(0, 0.5, "blunder"), Row(1, 0.9, ""), Row(2, 0.1, "mistake"), Row(3, 0.3, "blunder")]
    rows += [Row(4, 0.06, "doubtful")]
    assert [row.ply for row in most_lost(rows)] == [0, 2, 3]  # type: ignore[type-var]


@pytest.mark.parametrize("game", ["go", "shogi"])
def test_other_games(tmp_path: Path, game: str) -> None:
    text = {
        "go": "(;GM[1]SZ[9]KM[7.5];B[ee];W[gc];B[aa];W[];B[cc])",
        "shogi": "",
    }[game]
    if game == "go":
        path = tmp_path / "game.sgf"
        path.write_text(text)
    else:
        path = tmp_path / "game.csa"
        path.write_text("V2.2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n%TORYO\n")
    record = next(iter(open_records(path, game)))
    found = review(record, threads=1)
    assert found.analyst == "network"
    assert [move.ply for move in found.moves] == list(range(len(record)))
    assert all(move.kind == "" for move in found.moves)
    assert review_page(found).startswith("<!doctype html>")


# Kinds of mistakes.


def facts(fen: str, move: str, best: str, answer: str, mates: tuple[int | None, int | None]) -> MistakeFacts:
    """A mistake from texts of moves: the move, the best line, and the line after the move."""
    state = RULES.parse(fen)
    code = RULES.parse_move(state, move)

    def line(at: sparring.Position | object, texts: str) -> tuple[int, ...]:
        codes = []
        for text in texts.split():
            codes.append(RULES.parse_move(at, text))  # type: ignore[arg-type]
            at = RULES.play(at, codes[-1])  # type: ignore[arg-type]
        return tuple(codes)

    after = RULES.play(state, code)
    return MistakeFacts(
        state,
        code,
        Evaluation(0.5, line(state, best), mates[0]),
        Evaluation(0.5, line(after, answer), mates[1]),
    )


OPEN = "4k3/ppp2ppp/8/3q4/8/2N5/PPP2PPP/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "best", "answer", "mates", "kind"),
    [
        (OPEN, "a3", "Nxd5", "Qd8 a4", (None, None), "missed capture"),
        (OPEN, "Ne4", "Nxd5", "Qxe4+ Kd1", (None, None), "hanging piece"),
        (OPEN, "a3", "Nxd5", "Qd1+", (None, 2), "allowed mate"),
        (OPEN, "a3", "Nxd5", "Qd8", (2, None), "mate overlooked"),
        (OPEN, "Kf1", "Ke2", "Qc4+ Kg1", (None, None), ""),
        (
            "4k3/8/2p1p3/3p4/8/2N5/3R4/4K3 w - - 0 1", "Nxd5", "Kf2 Ke7", "exd5 Ra2 Kd7", (None, None),
            "bad trade",
        ),
        (
            "7k/8/3q4/4N3/8/8/8/6K1 w - - 0 1", "Ng4", "Nf7+ Kg8 Nxd6", "Qd4+ Kg2", (None, None),
            "missed fork",
        ),
        (
            "6k1/8/3q4/8/4n3/8/P7/R5K1 w - - 0 1", "a4", "Kg2 Kg7", "Qd4+ Kg2 Qxa1", (None, None),
            "allowed fork",
        ),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "Kf7", "Qg7#", "", (1, None), "stalemate"),
    ],
)  # fmt: skip
def test_kinds_of_mistakes(
    fen: str, move: str, best: str, answer: str, mates: tuple[int | None, int | None], kind: str
) -> None:
    found = kind_of_mistake(facts(fen, move, best, answer, mates))
    assert found == kind
    assert found in {"", *KINDS}


# Other engines, the page and the command.


FAKE = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]: print("uciok")
    elif words[:1] == ["isready"]: print("readyok")
    elif words[:1] == ["position"]: played = len(words) - 3 if "moves" in words else 0
    elif words[:1] == ["go"]:
        move = ["e2e4", "e7e5", "g1f3"][min(max(played, 0), 2)]
        print("info depth 9 score cp 31 pv " + move)
        print("bestmove " + move)
    elif words[:1] == ["quit"]: break
    sys.stdout.flush()
"""


def test_another_engine_can_analyse_and_the_review_says_so(tmp_path: Path) -> None:
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    found = review(recorded(tmp_path, "1. e4 e5 *"), engine=[sys.executable, str(script)], threads=1)
    assert found.analyst == Path(sys.executable).name
    assert [move.best_name for move in found.moves] == ["e4", "e5"]
    assert found.moves[0].before == pytest.approx(0.5285, abs=1e-3)


def test_an_engine_on_the_path_is_used_only_if_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "stockfish"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program_command("chess", None) == ()
    assert program_command("chess", "auto") == (str(program),)
    assert program_command("go", "auto") == ()


def test_the_page_needs_nothing_else_and_escapes_names(mate: Review, tmp_path: Path) -> None:
    text = review_page(mate)
    assert "The moment that mattered" in text
    assert "3... Nf6??" in text
    assert "Played: Nf6" in text
    assert "<script" not in text
    assert "src=" not in text
    sly = GAME.replace("Ann", "<img src=x>")
    page = review_page(review(recorded(tmp_path, sly), threads=1))
    assert "<img" not in page
    assert "&lt;img" in page


def test_json_of_a_review(mate: Review) -> None:
    view = json.loads(json.dumps(mate.to_json()))
    assert view["players"] == ["Ann", "Ben"]
    assert view["moments"] == [5]
    assert view["moves"][5]["answer"] == ["Qxf7#"]


def test_the_command_prints_and_writes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(GAME)
    main(["review", str(file), "--threads", "1"])
    printed = capsys.readouterr().out
    assert "3...   Nf6      blunder" in printed
    assert "White: 0 mistakes, Black: 1 blunder." in printed
    assert "The move allows a forced mate." in printed
    main(["review", str(file), "--html", "--rating", "1200"])
    assert (tmp_path / "game.html").read_text().startswith("<!doctype html>")
    assert "people of 1200" in (tmp_path / "game.html").read_text()
    assert capsys.readouterr().err.startswith("Reviewing 7 moves.\n"), "also where it is no terminal"
    main(["review", str(file), "--json"])
    assert json.loads(capsys.readouterr().out)["moments"] == [5]


def test_what_cannot_be_reviewed_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(GAME)
    assert "there is no game 2" in one_line_error(capsys, ["review", str(file), "--number", "2"])
    assert "no such file" in one_line_error(capsys, ["review", str(tmp_path / "none.pgn")])
    assert "is no rating" in one_line_error(capsys, ["review", str(file), "--rating", "strong"])
    file.write_text("*")
    assert one_line_error(capsys, ["review", str(file)])
