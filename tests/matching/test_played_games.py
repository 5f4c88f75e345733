"""Selection of games: groups, splits, order, caps, and the error if there are none."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.base.errors import BadFile, NotFound
from sparring.measure.samples import GameSelection, read_sample, select
from sparring.records import Split, split_of
from tests.matching.tables import chess_table, random_record, rated, read_table, tenths, write_table


def selection(
    *records: Path, game: str = "chess", split: Split | None = None, **options: object
) -> GameSelection:
    return replace(GameSelection(game, records, split), **options)  # type: ignore[arg-type]  # fields of it


def test_a_group_is_one_hundred_of_both_ratings_and_others_are_left_out(tmp_path: Path) -> None:
    rng = random.Random(1)
    apart = random_record("chess", rng, 20, first_rating=1199, second_rating=1200)
    table = write_table(tmp_path / "t", "chess", [*rated(3, rng, 1900), apart, *rated(2, rng, 1100)])
    assert [played.group for played in select(selection(table))] == ["1100"] * 2 + ["1900"] * 3


def test_in_go_a_group_is_one_rank(tmp_path: Path) -> None:
    rng = random.Random(1)
    pairs = [("1d", "1d"), ("2k", "2k"), ("1d", "2k"), ("9d", "9d")]
    records = [random_record("go", rng, 20, first_rank=a, second_rank=b) for a, b in pairs]
    table = write_table(tmp_path / "t", "go", records)
    assert [played.group for played in select(selection(table, game="go"))] == ["2k", "1d", "9d"]


def test_unknown_strength_makes_groups_of_sources(tmp_path: Path) -> None:
    rng = random.Random(1)
    tables = [
        write_table(tmp_path / name, "shogi", [random_record("shogi", rng, 9)], source=f"people-{name}.hcpe")
        for name in "ba"
    ]
    assert [played.group for played in select(selection(*tables, game="shogi"))] == ["people-a", "people-b"]


def test_a_preset_may_ask_for_groups_of_equal_size(tmp_path: Path) -> None:
    rng = random.Random(1)
    records = [
        random_record("shogi", rng, 9, first_rating=1000 + 10 * i, second_rating=1000 + 10 * i)
        for i in range(6)
    ]
    table = write_table(tmp_path / "t", "shogi", records, games={"equal_groups": 2})
    groups = [played.group for played in select(selection(table, game="shogi"))]
    assert groups == ["1000-1030"] * 3 + ["1030-1050"] * 3


def test_a_split_holds_exactly_its_games_and_another_trial_is_another_split(tmp_path: Path) -> None:
    table = chess_table(tmp_path / "t")
    for trial in (0, 1):
        wanted = {
            identity
            for record in read_table(table)
            if split_of(identity := record.identity("chess"), trial) is Split.TEST
        }
        found = select(selection(table, split=Split.TEST, trial=trial))
        assert {played.identity for played in found} == wanted
        assert len(found) == len(wanted) > 0


def test_a_game_in_two_tables_counts_once(tmp_path: Path) -> None:
    table, other = chess_table(tmp_path / "t", 5), chess_table(tmp_path / "u", 5)
    assert len(select(selection(table, other))) == 10


def test_a_cap_takes_whole_games_in_an_order_that_does_not_depend_on_the_cap(tmp_path: Path) -> None:
    table = chess_table(tmp_path / "t", skip_plies=10)
    everything = [played.identity for played in select(selection(table)) if played.group == "1100"]
    for cap in (20, 79, 80, 400):
        some = [each for each in select(selection(table, positions=cap)) if each.group == "1100"]
        total = sum(len(each.plies("chess")) for each in some)
        assert total <= cap < total + 21
        assert [each.identity for each in some] == everything[: len(some)]


def test_of_a_first_game_that_is_longer_than_the_cap_a_part_is_taken_from_all_over_it(tmp_path: Path) -> None:
    table = chess_table(tmp_path / "t", skip_plies=10)
    first = next(played for played in select(selection(table)) if played.group == "1100")
    whole = first.plies("chess").tolist()
    (part,) = [each for each in select(selection(table, positions=5)) if each.group == "1100"]
    plies = part.plies("chess").tolist()
    assert part.identity == first.identity
    assert len(plies) == 5
    assert plies[0] == whole[0]
    assert plies[-1] > whole[len(whole) // 2]
    assert set(plies) < set(whole)
    sample = read_sample(selection(table, positions=5))
    assert [int((sample.metadata["game"] == game).sum()) for game in range(len(sample.games))] == [5, 5]


def test_plies_that_are_early_or_hurried_do_not_count(tmp_path: Path) -> None:
    record = random_record(
        "chess", random.Random(1), 8, first_rating=1500, second_rating=1500,
        clocks=tenths(60, 60, 59, 29.9, 30, -0.1, 3, 60),
    )  # fmt: skip
    table = write_table(tmp_path / "t", "chess", [record], skip_plies=1, min_clock=30)
    assert select(selection(table))[0].plies("chess").tolist() == [1, 2, 4, 5, 7]


def test_a_file_of_games_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.pgn").write_text(
        '[WhiteElo "1510"]\n[BlackElo "1590"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
        '[Result "1-0"]\n\n1. d4 d5 1-0\n'
    )
    found = select(selection(tmp_path / "mine.pgn"))
    assert [(played.group, len(played.plies("chess"))) for played in found] == [("1500", 3), ("mine", 2)]


def test_unusable_selections_are_errors(tmp_path: Path) -> None:
    rng = random.Random(1)
    table = chess_table(tmp_path / "t", 3)
    with pytest.raises(BadFile, match="holds games of chess, not of go"):
        select(selection(table, game="go"))
    with pytest.raises(BadFile, match=r"no manifest\.json"):
        select(selection(tmp_path))
    with pytest.raises(NotFound, match="no games of group 1500; there are 1100, 1900"):
        select(selection(table, groups=("1500",)))
    apart = [random_record("chess", rng, 20, first_rating=1000, second_rating=2000)]
    with pytest.raises(NotFound, match=r"no games of one group to measure on \(1 are between"):
        select(selection(write_table(tmp_path / "u", "chess", apart)))
    one = write_table(tmp_path / "v", "chess", rated(1, rng, 1500))
    other = next(each for each in Split if each is not split_of(read_table(one)[0].identity("chess")))
    with pytest.raises(NotFound, match=f"none of 1 games is in the {other} split of trial 0; --split all"):
        select(selection(one, split=other))
    (tmp_path / "games.txt").write_text("1. e4")
    with pytest.raises(BadFile, match="files of chess end in pgn"):
        select(selection(tmp_path / "games.txt"))


def test_a_class_has_the_moves_of_players_of_its_ratings_only(tmp_path: Path) -> None:
    rng = random.Random(1)
    pairs = [(1250, 1900), (1900, 1200), (1210, 1290), (1500, 1500), (1301, 1199)]
    records = [random_record("chess", rng, 20, first_rating=a, second_rating=b) for a, b in pairs]
    table = write_table(tmp_path / "t", "chess", records)
    found = select(selection(table, mover_rating=(1200, 1300)))
    movers = {(each.record.first_rating, each.only_player) for each in found}
    assert movers == {(1250, 0), (1900, 1), (1210, None)}
    assert {each.group for each in found} == {"1200-1300"}
    with pytest.raises(NotFound, match="players of 2500 to 2600"):
        select(selection(table, mover_rating=(2500, 2600)))
