"""Points lost by rank, judged part by part: parts, deadline, resuming, and the same report as all at once."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from sparring.go.sgf import read_sgf
from sparring.measure import POINTS, GameSelection, PointsConfig, judge_points, mistakes_report, read_sample
from sparring.records import PositionFilter
from studies.__main__ import main
from studies.go_ranks.judging import judge_parts, judged_sources, write_parts
from tests.networks.katago_files import KataGoWriter, small_network

HEAD = "(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]RE[B+R]"
POINTS_OF_9X9 = [first + second for second in "abcdefghi" for first in "abcdefghi"]


def game(number: int, rank: str) -> str:
    """A game of 14 moves, another one for each number."""
    stones = POINTS_OF_9X9[number::5][:14]
    moves = "".join(f";{'BW'[ply % 2]}[{stone}]" for ply, stone in enumerate(stones))
    return f"{HEAD}PB[a{number}]PW[b]BR[{rank}]WR[{rank}]{moves})"


@pytest.fixture
def network(tmp_path: Path) -> str:
    path = tmp_path / "small.bin"
    path.write_bytes(KataGoWriter(small_network(8)).file())
    return str(path)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "people.sgf"
    path.write_text("\n".join([game(0, "3k"), game(1, "1d"), game(2, "3k"), game(3, "3k")]))
    return path


def ranks(part: Path) -> list[str | None]:
    return [parsed.record.first_rank for parsed in read_sgf([part.read_bytes()]) if parsed.record]


def test_parts_have_as_many_games_of_each_rank(games: Path, tmp_path: Path) -> None:
    parts = write_parts(games, 1, tmp_path / "out")
    assert [sorted(map(str, ranks(part))) for part in parts] == [["1d", "3k"], ["3k"], ["3k"]]


def test_parts_are_judged_in_turn_and_once(games: Path, tmp_path: Path, network: str) -> None:
    other = tmp_path / "ours.sgf"
    other.write_text(game(4, "3k"))
    sources = [write_parts(path, 2, tmp_path / "out") for path in (games, other)]
    judged: list[str] = []
    config = PointsConfig("go", network, visits=1)

    def judge(seconds: float) -> None:
        judge_parts(sources, config, 1, time.monotonic() + seconds, lambda part, _: judged.append(part.name))

    judge(-1)
    assert judged == []
    judge(600)
    assert judged == ["people.000.sgf", "ours.000.sgf", "people.001.sgf"]
    judge(600)
    assert len(judged) == 3


def test_the_report_of_the_parts_is_that_of_all_games(games: Path, tmp_path: Path, network: str) -> None:
    config = PointsConfig("go", network, visits=1)
    out = tmp_path / "out"
    judge_parts([write_parts(games, 1, out)], config, 1, time.monotonic() + 600)
    ((name, groups),) = judged_sources(out)
    sample = read_sample(GameSelection("go", (games,), None, filter=PositionFilter(10)))
    judged = judge_points(sample, config)
    whole = mistakes_report(sample, judged.before, judged.after, POINTS)
    assert name == "people"
    for rank in ("3k", "1d"):
        assert groups[rank]["moves"] == whole[rank]["moves"] > 0
        assert groups[rank]["drift"]["value"] == pytest.approx(whole[rank]["drift"]["value"], abs=1e-5)


def test_the_commands_write_losses_by_source(games: Path, tmp_path: Path, network: str) -> None:
    folder, out = tmp_path / "judged", tmp_path / "losses"
    main(["go-judge", str(games), "--judge", network, "--visits", "1", "--every", "1", "--out", str(folder)])
    main(["go-losses", str(folder), "--judge", "a small network", "--out", str(out)])
    report = json.loads((out / "people" / "mistakes.json").read_text())
    assert report["judge"] == "a small network"
    assert set(report["groups"]) == {"1d", "3k"}
    assert {"command", "commit", "machine"} <= report.keys()
