"""`sparring models` and `sparring predict`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.players import PlayerConfig
from tests.cli.command_errors import one_line_error
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture
def chess_model(model_store: Path, tmp_path: Path) -> str:
    main(["models", "add", str(write(tiny_network("chess"), tmp_path / "little.onnx"))])
    return "little"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    capsys.readouterr()
    main(["predict", *arguments])
    return json.loads(capsys.readouterr().out)


def test_models_are_added_listed_described_and_removed(
    chess_model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    main(["models", "list", "--json"])
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert "little" in names
    main(["models", "list"])
    assert "little" in capsys.readouterr().out
    main(["models", "info", "little", "--json"])
    assert json.loads(capsys.readouterr().out)["game"] == "chess"
    main(["models", "info", "little"])
    assert "two thin layers" in capsys.readouterr().out
    main(["models", "remove", "little"])
    assert "Removed little." in capsys.readouterr().out
    assert "no network 'little'" in one_line_error(capsys, ["models", "info", "little"])


def test_json_has_every_legal_move_most_likely_first(
    chess_model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = answer(capsys, "chess", "--model", chess_model, "--moves", "e2e4 e7e5", "--json")
    assert isinstance(result, dict)
    assert set(result) == {"model", "moves", "wdl", "value"}
    assert result["model"] == chess_model
    assert result["wdl"] is None
    assert len(result["moves"]) == 29
    probabilities = [entry["p"] for entry in result["moves"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) == pytest.approx(1, abs=1e-4)


def test_a_fen_is_a_position(chess_model: str, capsys: pytest.CaptureFixture[str]) -> None:
    fen = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"
    result = answer(capsys, "chess", "--model", chess_model, "--fen", fen, "--json")
    assert isinstance(result, dict)
    assert {entry["move"] for entry in result["moves"]} >= {"a1a8", "h1g1"}


def test_several_models_give_several_columns(
    chess_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(write(tiny_network("chess", seed=2), tmp_path / "other.onnx"))
    capsys.readouterr()
    main(["predict", "chess", "-m", chess_model, "-m", other, "--top", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert 4 <= len(lines) <= 6
    result = answer(capsys, "chess", "-m", chess_model, "-m", other, "--json")
    assert isinstance(result, list)
    assert [entry["model"] for entry in result] == [chess_model, other]


def test_lines_are_answered_in_order_and_wrong_ones_in_their_place(
    chess_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = [
        '{"moves": "e2e4"}',
        '{"moves": ["e2e4", "e7e5"], "rating": 1500, "opponent_rating": 1600}',
        "nonsense",
        '{"moves": "e2e5"}',
        "",
        '{"position": "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"}',
        '{"position": "R5k1/5ppp/8/8/8/8/8/7K b - - 0 1"}',
        '{"moves": "e2e4", "colour": "white"}',
        '{"rating": "high"}',
        '{"komi": 7.5}',
        "[]",
        '{"moves": 3}',
        '{"moves": "d2d4"}',
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(questions))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["predict", "chess", "--model", chess_model, "--input", str(tmp_path / "q.jsonl")])
    assert ended.value.code != 0
    captured = capsys.readouterr()
    results = [json.loads(line) for line in captured.out.splitlines()]
    assert len(results) == 12
    assert ["error" in result for result in results] == [False, False, True, True, False] + [True] * 6 + [
        False
    ]
    assert "8 input lines are wrong" in captured.err
    single = answer(capsys, "chess", "--model", chess_model, "--moves", "d2d4", "--json")
    assert results[-1] == single


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["predict", "chess", "--model", "nothing"], "no network 'nothing'"),
        (["predict", "shogi", "--model", "little"], "for chess, not for shogi"),
        (["predict", "checkers", "--model", "little"], "unknown game"),
        (["predict", "chess", "--model", "little", "--moves", "e2e5"], "not legal"),
        (["predict", "chess", "--model", "little", "--fen", "x"], "FEN"),
        (["predict", "chess", "--model", "little", "--rating", "-5"], "rating"),
        (["predict", "chess", "--model", "little", "--komi", "7"], "komi"),
        (["predict", "chess", "--model", "little", "--backend", "abacus"], "unknown backend"),
        (["predict", "chess", "--model", "little", "--input", "missing.jsonl"], "missing.jsonl"),
        (["predict", "expendibots"], "no network 'blend'"),
        (["predict", "chess", "--rating", "599"], "blend accepts ratings from 600 to 2600, not 599"),
        (["predict", "chess", "--opponent-rating", "3000"], "600 to 2600, not 3000"),
        (["predict", "chess", "--rank", "3d"], "chess uses ratings"),
        (["predict", "go", "--rating", "1500"], "go uses ranks"),
        (["predict", "go", "--opponent-rating", "1500"], "opponent rank"),
        (["predict", "go", "--rank", "strong"], "such as 5k or 3d"),
        (["predict", "go", "--rank", "30k"], "not 30k"),
        (["predict", "chess", "--clock", "-1"], "clock"),
        (["predict", "chess", "--ratings", "1000,many"], "whole number"),
        (["predict", "chess", "--ratings", "1000,9"], "not 9"),
        (["predict", "chess", "--ratings", "1000,1100", "--rating", "1500"], "exclude each other"),
        (["predict", "chess", "--ratings", "1000,1100", "-m", "little", "-m", "human"], "give one model"),
        (["predict", "chess", "--ratings", "1000,1100", "-m", "little"], "not conditioned on ratings"),
        (["predict", "shogi", "--ratings", "1000,1100"], "not conditioned on ratings"),
        (["predict", "go", "--ratings", "1000,1100"], "go uses ranks"),
        (["models", "add", "missing.pb.gz"], "missing.pb.gz"),
        (["models", "remove", "nothing"], "nothing"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], complaint: str, chess_model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint in one_line_error(capsys, [*arguments])


@pytest.mark.parametrize("command", ["predict", "play"])
@pytest.mark.parametrize("rating", ["3000", "5000", "-5", "99999999999"])
def test_the_range_of_ratings_is_the_policy_s(
    command: str, rating: str, model_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    complaint = f"accepts ratings from 600 to 2600, not {rating}"
    assert complaint in one_line_error(capsys, [command, "chess", "--rating", rating])


@pytest.mark.parametrize("option", ["--ratings=1000,5000", "--opponent-rating=5000"])
def test_lists_and_opponents_have_the_policy_s_range(
    option: str, model_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "from 600 to 2600, not 5000" in one_line_error(capsys, ["predict", "chess", option])


def test_a_curve_of_weights_has_the_range_of_the_game(
    chess_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pool.toml"
    file.write_text('game = "chess"\n[[policy]]\nuse = "little"\ntemperature = { 1000 = 1, 2000 = 0.5 }\n')
    arguments = ["predict", "chess", "--policy", f"mine={file}", "--rating", "5000"]
    assert "a rating is from 0 to 4000, not 5000" in one_line_error(capsys, arguments)


@pytest.mark.parametrize(
    ("game", "moves", "plain"),
    [
        ("chess", "1. e4 e5 2. Nf3", "e4 e5 Nf3"),
        ("chess", "1.e4 e5 2.Nf3 Nc6 1/2-1/2", "e4 e5 Nf3 Nc6"),
        ("chess", "1. e4 1... e5 2. Nf3 2. ... Nc6 *", "e4 e5 Nf3 Nc6"),
        ("shogi", "1. P-7f P-3d 1-0", "P-7f P-3d"),
        ("go", "1. Q16 2. D4 0–1", "Q16 D4"),
    ],
)
def test_move_lists_have_numbers_and_results(
    game: str, moves: str, plain: str, model_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = answer(capsys, game, "--moves", moves, "--json")
    assert shown == answer(capsys, game, "--moves", plain, "--json")


def test_the_default_model_is_that_of_players(model_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ("--rating", "1500", "--opponent-rating", "1600", "--clock", "60")
    result = answer(capsys, "chess", *told, "--json")
    assert isinstance(result, dict)
    assert result["model"] == PlayerConfig.model
    assert result == answer(capsys, "chess", *told, "--model", PlayerConfig.model, "--json")
    assert result["moves"] != answer_moves(capsys, "chess", "--rating", "800", "--json")


def answer_moves(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    result = answer(capsys, *arguments)
    assert isinstance(result, dict)
    return result["moves"]


def test_ratings_give_columns(model_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = answer(capsys, "chess", "--ratings", "1000, 1500,2000,1500", "--json")
    assert isinstance(result, list)
    assert [(entry["model"], entry["rating"]) for entry in result] == [
        (PlayerConfig.model, rating) for rating in (1000, 1500, 2000)
    ]
    assert result[1]["moves"] == answer_moves(capsys, "chess", "--rating", "1500", "--json")
    main(["predict", "go", "--ranks", "1k,1d,9d", "--top", "1"])
    assert capsys.readouterr().out.split()[:4] == ["move", "1k", "1d", "9d"]


@pytest.mark.parametrize(("game", "option", "text"), [("go", "--rank", "3k"), ("chess", "--rating", "1200")])
def test_a_rating_heads_its_column(
    game: str, option: str, text: str, model_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["predict", game, option, text, "--top", "1"])
    out = capsys.readouterr().out
    assert out.split()[:2] == ["move", text]
    assert "unknown" not in out
    main(["predict", game, "--top", "1"])
    out = capsys.readouterr().out
    assert out.split()[:2] == ["move", PlayerConfig.model]
    assert out.splitlines()[-1] == f"No {option} given: people of unknown {option[2:]}."


def test_a_model_without_ratings_keeps_its_heading(
    chess_model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for rating in ([], ["--rating", "1500"]):
        capsys.readouterr()
        main(["predict", "chess", "-m", chess_model, *rating, "--top", "1"])
        out = capsys.readouterr().out
        assert out.split()[:2] == ["move", "little"]
        assert "unknown" not in out


def test_a_rating_for_an_unconditioned_model_is_reported(
    chess_model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    main(["predict", "chess", "-m", chess_model, "-m", "human", "--rating", "1500"])
    assert capsys.readouterr().err.splitlines() == [
        "sparring: little is not conditioned on ratings: the given ones are ignored"
    ]


def test_policies_are_predicted_like_models(
    chess_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "blend.toml"
    file.write_text('game = "chess"\n[[policy]]\nuse = "human"\n[[policy]]\nuse = "little"\nweight = 0\n')
    blended = answer(capsys, "chess", "--policy", f"mine={file}", "--rating", "1500", "--json")
    assert isinstance(blended, dict)
    assert blended["model"] == "mine"
    alone = answer_moves(capsys, "chess", "--rating", "1500", "--json")
    assert isinstance(alone, list)
    assert [entry["move"] for entry in blended["moves"][:3]] == [entry["move"] for entry in alone[:3]]
    assert "human" not in one_line_error(capsys, ["predict", "chess", "--policy", str(tmp_path / "no.toml")])
    assert "mine accepts ratings" in one_line_error(
        capsys, ["predict", "chess", "--policy", f"mine={file}", "--rating", "100"]
    )


def test_ratings_for_an_unconditioned_model_are_ignored_with_one_warning(
    model_store: Path, chess_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.jsonl").write_text('{}\n{"rating": 1500}\n{"rating": 1600}\n')
    main(["predict", "chess", "-m", chess_model, "--input", str(tmp_path / "q.jsonl")])
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 3
    assert captured.err == "sparring: little is not conditioned on ratings: the given ones are ignored\n"


def test_position_queries_of_go_have_ranks(
    model_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = [
        '{"moves": "Q16", "rank": "3d", "opponent_rank": "5d", "clock": 20}',
        '{"position": "9/9/9/9/9/9/9/9/9 b - 0 0 0 7.5", "rank": "1k"}',
        '{"rating": 1500}',
        '{"rank": 3}',
        '{"rank": "25k"}',
        '{"clock": "long"}',
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(questions))
    with pytest.raises(SystemExit):
        main(["predict", "go", "--input", str(tmp_path / "q.jsonl")])
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ["error" in result for result in results] == [False] * 2 + [True] * 4
    assert [len(result["moves"]) for result in results[:2]] == [361, 82]


def test_one_bad_line_costs_no_other(
    chess_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [
        b"\xff\xfe{}",
        b'{"clock": 1' + b"0" * 400 + b"}",
        b'{"clock": ' + b"9" * 5000 + b"}",
        b'{"rating": ' + b"9" * 400 + b"}",
        b'{"komi": NaN}',
        b'{"clock": 1e999}',
        b"[" * 200_000,
        b'{"moves": ' * 50_000,
        b'{"position": 5}',
        b'{"position": ["x"]}',
        b'{"rules": {}}',
        b'{"position": "\\ud800"}',
        b'{"moves": "\\u0000"}',
        b'{"x": 1, "' + b"y" * 2_000_000 + b'": 1}',
    ]
    lines = [b"\xef\xbb\xbf{}", *(each for line in bad for each in (line, b'{"moves": "e2e4"}'))]
    (tmp_path / "q.jsonl").write_bytes(b"\n".join(lines))
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["predict", "chess", "--model", chess_model, "--input", str(tmp_path / "q.jsonl")])
    captured = capsys.readouterr()
    results = [json.loads(line) for line in captured.out.splitlines()]
    assert ["error" in result for result in results] == [False, *([True, False] * len(bad))]
    assert all(len(result["error"]) < 400 for result in results if "error" in result)
    assert f"{len(bad)} input lines are wrong" in captured.err
