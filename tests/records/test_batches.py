"""Batches: every position of a split once, encoded and labelled as by the game's rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import games
from sparring._core import ChessSamples, ChessState, RbcState, katago_encode, lc0_encode, maia3_encode
from sparring.base.errors import BadFile
from sparring.games import describe
from sparring.records import Batch, Batches, GameRecord, PositionFilter, Split, Termination, split_of
from sparring.records.batches import encodings
from sparring.records.table import TableWriter

GAMES = ["chess", "rbc", "shogi", "go", "expendibots", "breakthrough"]


def random_line(game: str, rng: random.Random, plies: int) -> Any:
    rules = games.load_game(game, size=9) if game == "go" else games.load_game(game)
    state = rules.initial()
    while rules.outcome(state) is None and state.ply < plies:
        state = rules.play(state, rng.choice(rules.legal_moves(state)))
    return state


def states_of(line: Any) -> list[Any]:
    """The positions that were moved in, in order."""
    states = []
    while line.previous is not None:
        line = line.previous
        states.append(line)
    return states[::-1]


def record_of(game: str, line: Any, rng: random.Random, clocks: bool = False) -> GameRecord:
    start = states_of(line)[0].text() if game == "go" else None
    times = np.array([rng.randint(0, 900) for _ in range(line.ply)], np.int32)
    return GameRecord(
        moves=line.pack_moves(describe(game).packed_move_bytes),
        result=rng.choice([1.0, 0.5, 0.0, None]),
        start=start,
        ending=Termination.NORMAL,
        first_rating=rng.choice([None, 1500, 1600]),
        second_rating=1700,
        first_rank="3k" if game == "go" else None,
        second_rank="1d" if game == "go" else None,
        clocks=times.tobytes() if clocks else None,
        site=str(rng.random()),
    )


def write(folder: Path, game: str, records: list[GameRecord], shard: int = 7, **positions: float) -> Path:
    writer = TableWriter(folder, game, {"positions": positions}, shard=shard)
    for record in records:
        writer.add(record, "source")
        if writer.full:
            writer.commit({})
    writer.commit({})
    return folder


def table(
    folder: Path, game: str, count: int = 40, plies: int = 60, **options: Any
) -> tuple[Path, dict[int, tuple[GameRecord, list[Any]]]]:
    rng = random.Random(game)
    records = {}
    for _ in range(count):
        line = random_line(game, rng, rng.randint(1, plies))
        record = record_of(game, line, rng, options.get("clocks", False))
        records[record.identity(game)] = (record, [*states_of(line), line])
    return write(folder, game, [record for record, _ in records.values()]), records


def positions_of(batches: Iterator[Batch] | Batches) -> Iterator[tuple[Batch, int]]:
    for batch in batches:
        yield from ((batch, i) for i in range(len(batch)))


@pytest.mark.parametrize("game", GAMES)
def test_every_position_comes_once_as_the_rules_see_it(game: str, tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", game)
    rules = games.load_game(game)
    seen = set()
    for batch, i in positions_of(Batches([folder], size=37, split=None, buffer=300, threads=2)):
        record, states = records[int(batch.game[i])]
        state, after = states[batch.ply[i]], states[batch.ply[i] + 1]
        seen.add((int(batch.game[i]), int(batch.ply[i])))
        legal = batch.legal[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        assert legal == list(state.legal_moves())
        assert legal[batch.index[i]] == batch.move[i] == after.last_move
        np.testing.assert_array_equal(batch.planes[i], rules.encode([state])[0])
        assert batch.mover[i] == state.to_move
        sides = (record.first_rating, record.second_rating)
        assert batch.rating[i] == (sides[state.to_move] or -1)
        assert batch.opponent_rating[i] == (sides[1 - state.to_move] or -1)
        if game == "go":
            assert (batch.rank[i], batch.opponent_rank[i]) == (("3k", "1d"), ("1d", "3k"))[state.to_move]
        if record.result is None:
            assert np.isnan(batch.result[i])
        else:
            assert batch.result[i] == (record.result if state.to_move == 0 else 1 - record.result)
        assert np.isnan(batch.clock[i])
    assert len(seen) == sum(len(states) - 1 for _, states in records.values())


def same(one: Batch, other: Batch) -> bool:
    names = [name for name in Batch.__dataclass_fields__ if name != "extra_encodings"]
    return all(
        np.array_equal(
            getattr(one, name), getattr(other, name), equal_nan=getattr(one, name).dtype.kind == "f"
        )
        for name in names
    )


def test_the_same_seed_gives_the_same_batches_for_any_number_of_threads(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "chess", count=60)

    def batches(seed: int, threads: int) -> list[Batch]:
        return list(
            Batches([folder], size=50, split=None, buffer=200, seed=seed, threads=threads, mirrored=True)
        )

    one, three, other = batches(1, 1), batches(1, 3), batches(2, 3)
    assert len(one) == len(three)
    assert all(map(same, one, three))
    assert not all(map(same, one, other))
    assert [len(batch) for batch in one[:-1]] == [50] * (len(one) - 1)


def test_a_batch_mixes_games_from_several_shards(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "chess", count=60)
    first = next(iter(Batches([folder], size=64, split=None, threads=1)))
    assert len(set(first.game.tolist())) > 20
    assert np.any(np.diff(first.ply) < 0)


def test_splits_share_nothing_and_miss_nothing(tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", "expendibots", count=150, plies=4)
    found: dict[Split, set[int]] = {}
    for split in Split:
        found[split] = {int(b.game[i]) for b, i in positions_of(Batches([folder], split=split, trial=3))}
        assert found[split] == {identity for identity in records if split_of(identity, 3) is split}
    assert sum(map(len, found.values())) == len(records)


def test_positions_are_filtered_as_the_preset_or_the_caller_says(tmp_path: Path) -> None:
    rng = random.Random(1)
    line = random_line("chess", rng, 30)
    record = record_of("chess", line, rng, clocks=True)
    clocks = np.frombuffer(record.clocks or b"", np.int32)
    folder = write(tmp_path / "t", "chess", [record], skip_plies=4, min_clock=30)
    seen = {int(b.ply[i]): float(b.clock[i]) for b, i in positions_of(Batches([folder], split=None))}
    assert seen == {ply: pytest.approx(clocks[ply] / 10) for ply in range(4, 30) if clocks[ply] >= 300}
    everything = Batches([folder], split=None, positions=PositionFilter())
    assert sum(map(len, everything)) == 30


def test_several_tables_are_one_stream(tmp_path: Path) -> None:
    rng = random.Random(2)
    records = [record_of("chess", random_line("chess", rng, 10), rng) for _ in range(20)]
    one = write(tmp_path / "a", "chess", records[:10])
    two = write(tmp_path / "b", "chess", records[10:], skip_plies=5)
    plies = Counter(int(b.ply[i]) for b, i in positions_of(Batches([one, two], split=None)))
    assert plies == Counter({ply: 10 if ply < 5 else 20 for ply in range(10)})
    other = write(tmp_path / "c", "rbc", [])
    with pytest.raises(BadFile, match="chess, rbc"):
        list(Batches([one, other]))
    assert list(Batches([other])) == []


def test_games_that_go_on_after_a_draw_by_rule_are_followed(tmp_path: Path) -> None:
    chess: Any = ChessState.initial()
    while chess.ply < 28:
        chess = chess.play_past_end(chess.parse_move(("g1f3", "g8f6", "f3g1", "f6g8")[chess.ply % 4]))
    rbc: Any = RbcState.initial()
    while rbc.ply < 300:
        rbc = rbc.play_past_end(rbc.parse_move("sense none" if rbc.sensing else "pass"))
    for game, line in (("chess", chess), ("rbc", rbc)):
        assert line.outcome is not None
        record = GameRecord(moves=line.pack_moves(describe(game).packed_move_bytes), result=0.5)
        folder = write(tmp_path / game, game, [record])
        batch = next(iter(Batches([folder], split=None)))
        assert len(batch) == line.ply
        assert np.all(np.diff(batch.offsets) > 0)


def turned(planes: Any, symmetry: int) -> Any:
    """The planes after a symmetry, by NumPy: rows and columns swapped, top and bottom, left and right."""
    planes = planes.swapaxes(-1, -2) if symmetry & 4 else planes
    planes = planes[..., ::-1, :] if symmetry & 2 else planes
    return planes[..., ::-1] if symmetry & 1 else planes


@pytest.mark.parametrize("game", GAMES)
def test_symmetries_turn_boards_and_moves_alike(game: str, tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", game, count=30, plies=400 if game in ("chess", "rbc") else 40)
    rules = games.load_game(game)
    used: Counter[int] = Counter()
    for batch, i in positions_of(Batches([folder], split=None, mirrored=True)):
        symmetry = int(batch.symmetry[i])
        used[symmetry] += 1
        state = records[int(batch.game[i])][1][batch.ply[i]]
        plain = rules.encode([state])[0]
        upwards = -1 if game == "expendibots" and state.to_move == 1 else 1  # Black's planes there
        expected = turned(plain[:, ::upwards], symmetry)[:, ::upwards]
        np.testing.assert_array_equal(batch.planes[i], expected)
        legal = batch.legal[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        assert legal == sorted(set(legal))
        assert legal[batch.index[i]] == batch.move[i]
        if game == "go":
            assert all(batch.planes[i, 2].flat[point] == 1 for point in legal[:-1]), "points are empty"
        if game == "expendibots":
            stacks = batch.planes[i, 2, ::upwards].ravel()
            assert all(stacks[code if code < 64 else (code - 64) // 192] for code in legal), "own stacks act"
    eight = game in ("go", "expendibots")
    assert set(used) == set(range(8 if eight else 2))


@pytest.mark.parametrize(
    ("game", "text", "mirrored_text"),
    [
        ("chess", "8/P6k/8/2pP4/8/8/8/K5N1 w - c6 0 1", "8/k6P/8/4Pp2/8/8/8/1N5K w - f6 0 1"),
        ("rbc", "8/P6k/8/2pP4/8/8/8/K5N1 w - c6 0 1 move", "8/k6P/8/4Pp2/8/8/8/1N5K w - f6 0 1 move"),
        ("rbc", "8/P6k/8/2pP4/8/8/8/K5N1 w - c6 0 1 sense", "8/k6P/8/4Pp2/8/8/8/1N5K w - f6 0 1 sense"),
        ("shogi", "4k4/8P/9/9/9/9/9/1B7/K8 b GSLNP 1", "4k4/P8/9/9/9/9/9/7B1/8K b GSLNP 1"),
        ("shogi", "4k4/8P/9/9/9/9/3p5/1B7/K8 w 2R 1", "4k4/P8/9/9/9/9/5p3/7B1/8K w 2R 1"),
        ("breakthrough", "8/pp5p/8/P2p4/8/8/3P2P1/8 w", "8/p5pp/8/4p2P/8/8/1P2P3/8 w"),
        ("breakthrough", "8/pp5p/8/P2p4/8/8/3P2P1/8 b", "8/p5pp/8/4p2P/8/8/1P2P3/8 b"),
    ],
)
def test_a_mirrored_position_has_the_moves_of_the_mirrored_text(
    game: str, text: str, mirrored_text: str, tmp_path: Path
) -> None:
    rules = games.load_game(game)
    state, mirrored = rules.parse(text), rules.parse(mirrored_text)
    records = []
    for i, move in enumerate(rules.legal_moves(state)):
        packed = rules.play(state, move).pack_moves(describe(game).packed_move_bytes)
        records.append(GameRecord(moves=packed, result=1.0, start=text, site=str(i)))
    folder = write(tmp_path / "t", game, records, shard=1000)
    for batch, i in positions_of(Batches([folder], split=None, mirrored=True)):
        expected = mirrored if batch.symmetry[i] else state
        np.testing.assert_array_equal(batch.planes[i], rules.encode([expected])[0])
        legal = batch.legal[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        assert legal == list(rules.legal_moves(expected))


def test_history_is_the_positions_before(tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", "shogi", count=5)
    rules = games.load_game("shogi")
    for batch, i in positions_of(Batches([folder], split=None, history=3)):
        states = records[int(batch.game[i])][1]
        ply = int(batch.ply[i])
        shown = rules.encode([states[max(ply - back, 0)] for back in range(3)])
        shown[ply + 1 :] = 0
        np.testing.assert_array_equal(batch.planes[i], np.concatenate(shown))


def test_chess_with_castling_in_sight_is_not_mirrored(tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", "chess", count=30, plies=200)
    for history in (1, 4):
        mirrored = 0
        for batch, i in positions_of(Batches([folder], split=None, mirrored=True, history=history)):
            if batch.symmetry[i]:
                mirrored += 1
                ply = int(batch.ply[i])
                oldest = records[int(batch.game[i])][1][max(ply - history + 1, 0)]
                assert oldest.text().split()[2] == "-"
        assert mirrored > 100, "positions without castling in sight are mirrored"


@pytest.mark.parametrize(
    ("game", "encoding", "history"),
    [
        ("chess", "lc0", 1),
        ("chess", "maia3", 1),
        ("shogi", "boards", 5),
        ("go", "katago", 1),
        ("rbc", "planes", 2),
        ("breakthrough", "planes", 2),
        ("breakthrough", "boards", 3),
    ],
)
def test_an_encoding_of_records_is_that_of_states(
    game: str, encoding: str, history: int, tmp_path: Path
) -> None:
    folder, records = table(tmp_path / "t", game, count=5)
    kind = describe(game).samples_class
    assert encoding in encodings(game)
    for batch, i in positions_of(Batches([folder], split=None, encoding=encoding, history=history)):
        state = records[int(batch.game[i])][1][batch.ply[i]]
        np.testing.assert_array_equal(batch.planes[i], kind.encode_states([state], encoding, history)[0])
        labels = batch.labels[batch.offsets[i] : batch.offsets[i + 1]]
        assert len(set(labels.tolist())) == len(labels)
        logits = np.full((1, 40_000), -50, np.float32)
        logits[0, labels[batch.index[i]]] = 50
        (moves,), probabilities = kind.decode_states([state], logits, encoding)
        assert moves[int(probabilities.argmax())] == batch.move[i]


@pytest.mark.parametrize(
    ("game", "encoding", "counts"),
    [("chess", "lc0", 1), ("shogi", "boards", 14), ("go", "katago", 0), ("breakthrough", "boards", 0)],
)
def test_packed_planes_are_the_planes_in_bits(game: str, encoding: str, counts: int, tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", game, count=5)
    options: Any = {"split": None, "encoding": encoding, "mirrored": True}
    for plain, packed in zip(
        Batches([folder], **options), Batches([folder], packed=True, **options), strict=True
    ):
        size = int(np.prod(plain.planes.shape[1:]))
        bits = np.unpackbits(packed.planes.view(np.uint8), axis=1, bitorder="little")[:, :size].reshape(
            plain.planes.shape
        )
        held = [k for k in range(plain.planes.shape[1]) if k in _COUNTS[game]]
        np.testing.assert_array_equal(np.delete(bits, held, 1), np.delete(plain.planes, held, 1))
        assert packed.counts.shape[1] == counts == len(held)
        np.testing.assert_array_equal(packed.counts, plain.planes[:, held, 0, 0])
    plain, unpacked = (next(iter(Batches([folder], split=None, packed=packed))) for packed in (False, True))
    np.testing.assert_array_equal(plain.planes, unpacked.planes)  # fractions cannot be packed


_COUNTS = {"chess": range(109, 110), "shogi": range(28, 42), "go": range(0), "breakthrough": range(0)}


def test_known_encodings_are_those_of_the_networks(tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", "chess", count=5)
    for batch, i in positions_of(Batches([folder], split=None, encoding="lc0", extra_encodings=("maia3",))):
        state = records[int(batch.game[i])][1][batch.ply[i]]
        np.testing.assert_array_equal(batch.planes[i], lc0_encode([state])[0])
        np.testing.assert_array_equal(batch.extra_encodings["maia3"].planes[i], maia3_encode([state])[0])
        assert len(batch.extra_encodings["maia3"].labels) == len(batch.labels)


def test_global_inputs_of_katago_have_no_symmetry(tmp_path: Path) -> None:
    folder, records = table(tmp_path / "t", "go", count=5)
    options: Any = {
        "split": None,
        "encoding": "katago",
        "extra_encodings": ("katago-global",),
        "packed": True,
    }
    for batch, i in positions_of(Batches([folder], mirrored=True, **options)):
        state = records[int(batch.game[i])][1][batch.ply[i]]
        np.testing.assert_array_equal(
            batch.extra_encodings["katago-global"].planes[i], katago_encode([state], 9)[1][0]
        )


@pytest.mark.parametrize(
    ("game", "encoding"),
    [("shogi", "boards"), ("go", "katago"), ("chess", "lc0"), ("breakthrough", "boards")],
)
def test_a_turned_encoding_has_turned_labels(game: str, encoding: str, tmp_path: Path) -> None:
    """Shown for left and right, and the cell where a move arrives."""
    folder, _ = table(tmp_path / "t", game, count=10, plies=150)
    plain = Batches([folder], split=None, encoding=encoding, threads=1)
    turned = Batches([folder], split=None, encoding=encoding, threads=1, mirrored=True)
    checked = 0
    for (one, i), (other, j) in zip(positions_of(plain), positions_of(turned), strict=True):
        assert (one.game[i], one.ply[i]) == (other.game[j], other.ply[j])
        if other.symmetry[j] == 1:
            checked += 1
            np.testing.assert_array_equal(one.planes[i][..., ::-1], other.planes[j])
            size = one.planes.shape[-1]
            if game != "chess" and (label := one.labels[one.offsets[i] + one.index[i]]) < 2000:
                seen = other.labels[other.offsets[j] + other.index[j]]
                if game in ("shogi", "breakthrough") or label < size * size:
                    assert seen % size == size - 1 - label % size
    assert checked > 3


def test_breakthrough_boards_and_labels_are_the_movers_view(tmp_path: Path) -> None:
    """Planes of earlier positions keep the mover's orientation; a label is 64 * direction + source cell."""
    folder, records = table(tmp_path / "t", "breakthrough", count=10)
    rules = games.load_game("breakthrough")
    for batch, i in positions_of(Batches([folder], split=None, encoding="boards", history=2)):
        states, ply = records[int(batch.game[i])][1], int(batch.ply[i])
        now = rules.encode([states[ply]])[0]
        np.testing.assert_array_equal(batch.planes[i, :2], now)
        earlier = rules.encode([states[ply - 1]])[0][::-1, ::-1] if ply else np.zeros_like(now)
        np.testing.assert_array_equal(batch.planes[i, 2:], earlier)
        labels = batch.labels[batch.offsets[i] : batch.offsets[i + 1]]
        assert all(now[0].flat[label % 64] and label < 192 for label in labels)
        label, text = labels[batch.index[i]], states[ply].move_text(int(batch.move[i]))
        assert label // 64 == ord(text[2]) - ord(text[0]) + 1


def test_labels_of_go_are_empty_cells_from_every_side(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "go", count=10, plies=150)
    used = set()
    for batch, i in positions_of(Batches([folder], split=None, encoding="katago", mirrored=True)):
        used.add(int(batch.symmetry[i]))
        stones = batch.planes[i, 1:3].any(axis=0).ravel()
        points = batch.labels[batch.offsets[i] : batch.offsets[i + 1]][:-1]
        assert not stones[points].any()
    assert used == set(range(8))


def test_encodings_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "chess", count=5)
    for options in (
        {"encoding": "maia3", "history": 2},
        {"encoding": "maia3", "mirrored": True},
        {"encoding": "x"},
    ):
        with pytest.raises(ValueError, match="encoding"):
            list(Batches([folder], split=None, **options))


def test_skipped_batches_resume_an_epoch(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "chess", count=30)
    options: Any = {"size": 50, "split": None, "buffer": 200, "mirrored": True}
    whole, rest = list(Batches([folder], **options)), list(Batches([folder], skip=3, **options))
    assert len(rest) == len(whole) - 3
    assert all(map(same, whole[3:], rest))


def test_go_boards_of_two_sizes_do_not_share_a_batch(tmp_path: Path) -> None:
    records = []
    for size in (9, 13):
        state = games.load_game("go", size=size).initial()
        state = state.play(state.legal_moves()[0])
        records.append(GameRecord(moves=state.pack_moves(2), result=1.0, start=states_of(state)[0].text()))
    folder = write(tmp_path / "t", "go", records)
    with pytest.raises(ValueError, match="one size"):
        list(Batches([folder], split=None))


def test_a_row_that_is_no_game_is_named(tmp_path: Path) -> None:
    bad = GameRecord(moves=b"\xff\xff", result=1.0)
    folder = write(tmp_path / "t", "chess", [GameRecord(moves=b"\x00", result=1.0), bad])
    with pytest.raises(BadFile, match=f"game {bad.identity('chess'):016x} cannot be unpacked: packed move 1"):
        list(Batches([folder], split=None))
    with pytest.raises(ValueError, match="cut off"):
        ChessSamples.unpack(
            ["8/8/8/8/8/8/8/K1k5 w - - 0 1"], [b"\x00"], [None], np.zeros((1, 2), np.int64), 2
        )


def test_options_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    for options in ({"size": 0}, {"buffer": 0}, {"history": 0}, {"threads": -1}):
        with pytest.raises(ValueError, match="at least one"):
            Batches([tmp_path], **options)  # type: ignore[arg-type]  # a parameter
    with pytest.raises(BadFile, match="manifest"):
        list(Batches([tmp_path]))


def test_an_iteration_can_be_left(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "chess", count=40)
    batches = iter(Batches([folder], size=3, split=None, threads=2))
    assert len(next(batches)) == 3
    batches.close()  # type: ignore[attr-defined]  # a generator
    assert next(batches, None) is None


def test_positions_of_a_batch_are_shuffled_evenly(tmp_path: Path) -> None:
    folder, _ = table(tmp_path / "t", "expendibots", count=100, plies=20)
    plies = [float(batch.ply.mean()) for batch in Batches([folder], size=100, split=None)][:-1]
    assert all(abs(a - b) < 4 for a, b in pairwise(plies))
