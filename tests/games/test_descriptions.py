"""The description of every game: references, native classes, encodings, layouts."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.games import GAMES, GameDescription, NetworkLayout, describe, describe_state, game_of, load_game
from sparring.games.description import GameRegistry
from sparring.games.ratings import ELO, GO_RANKS
from sparring.measure.samples import GameSelection, read_sample
from sparring.networks.formats import NetworkFormats, codecs, game_formats
from sparring.players.game_players import GamePlayers, game_players
from sparring.records import Batches, GameRecord, build_table
from sparring.records.presets import default_preset, load_preset, preset_names
from sparring.records.readers import writer_of
from sparring.records.record import RecordFormats, record_formats

EACH = pytest.mark.parametrize("game", GAMES.values(), ids=lambda each: each.name)
TRAINED = pytest.mark.parametrize("game", ["chess", "shogi", "go", "breakthrough"])


def layout_of(game: str, history: int) -> NetworkLayout:
    layout = describe(game).layout
    assert layout is not None
    return layout(history)


@EACH
def test_every_part_can_be_loaded(game: GameDescription) -> None:
    """The functions import the game's modules and return the class of the layer that asks."""
    assert isinstance(record_formats(game.name), RecordFormats)
    assert isinstance(game_players(game.name), GamePlayers)
    assert game.networks is None or isinstance(game.networks(), NetworkFormats)
    if (bots := game_players(game.name).bots) is not None:
        assert {bots.default, *bots.for_people} <= set(bots.configs)
        assert {config.game for config in bots.configs.values()} == {game.name}
        assert all(isinstance(config, bots.config_class) for config in bots.configs.values())


def test_a_codec_has_one_owner() -> None:
    named = [name for formats in game_formats() for name in formats.codecs]
    assert sorted([*named, "people", "plain"]) == list(codecs())


@EACH
def test_a_description_names_its_rules_and_states(game: GameDescription) -> None:
    rules = load_game(game.name)
    assert (rules.spec.name, type(rules)) == (game.name, game.rules)
    assert describe(game.name) is game is describe_state(rules.initial())
    assert game.has_native("Tree") != rules.spec.hidden
    if not game.has_native("Search"):
        with pytest.raises(LookupError, match="no native class"):
            _ = game.search_class


@EACH
def test_every_native_encoding_has_a_version(game: GameDescription) -> None:
    assert set(game.samples_class.encodings()) <= set(game.encodings)


@TRAINED
@pytest.mark.parametrize("history", [1, 3])
def test_a_layout_is_that_of_its_encoding(game: str, history: int) -> None:
    layout, samples = layout_of(game, history), describe(game).samples_class
    seen = 1 if layout.fixed_history else history
    planes = samples.encode_states([load_game(game).initial()], layout.encoding, seen)
    assert planes.shape == (1, layout.planes, layout.rows, layout.columns)
    assert samples.packable(layout.encoding)


@TRAINED
def test_a_layouts_symmetries_permute_its_labels(game: str) -> None:
    layout, state = layout_of(game, 1), load_game(game).initial()
    for symmetry in range(state.symmetries):
        assert layout.symmetry_labels is not None
        labels = layout.symmetry_labels(state.transformed_cells(symmetry))
        assert sorted(labels) == list(range(layout.moves))
    assert (labels != np.arange(layout.moves)).any() or state.symmetries == 1


@EACH
def test_ratings_are_read_as_they_are_written(game: GameDescription) -> None:
    system = game.ratings
    for number in (1, 9, 101, 105):
        assert system.parse(system.format(number)) == number
    assert system.parse("strong") is None
    assert system.number(True) is None


@pytest.mark.parametrize("name", preset_names())
def test_every_shipped_preset_is_read(name: str) -> None:
    assert load_preset(name).name == name


@EACH
def test_every_game_has_a_preset_that_keeps_every_game(game: GameDescription) -> None:
    assert default_preset(game.name).game == game.name


def test_a_few_fields_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game whose description has no optional field is recorded, packed, encoded and measured."""
    game = describe("breakthrough")
    minimal = GameDescription(game.name, game.load_rules, game.native, game.packed_move_bytes)
    monkeypatch.setitem(GAMES._loaded, game.name, minimal)
    state = game.rules().initial()
    for move in ("a2a3", "a7a6", "b2b3"):
        state = state.play(state.parse_move(move))
    record = GameRecord(state.pack_moves(1), 1.0)
    (tmp_path / "games.pgn").write_text(writer_of(game.name)(record))
    preset = default_preset(game.name)
    assert build_table([tmp_path / "games.pgn"], preset, tmp_path / "table").kept == 1
    (batch,) = Batches([tmp_path / "table"], split=None)
    assert sorted(batch.ply) == [0, 1, 2]
    sample = read_sample(GameSelection(game.name, (tmp_path / "games.pgn",), split=None))
    assert len(sample) == 3


@dataclasses.dataclass(frozen=True)
class Countdown:
    """A game in Python: players take one or two from a number; the last to take wins."""

    start: int = 5
    state_type = int

    @classmethod
    def of(cls, state: int) -> Countdown:
        return cls(state)

    def initial(self) -> int:
        return self.start


def test_a_game_in_python_needs_no_native_class(monkeypatch: pytest.MonkeyPatch) -> None:
    countdown = GameDescription("countdown", lambda: Countdown)
    monkeypatch.setitem(GAMES._loaded, "countdown", countdown)
    game: Any = load_game("countdown", start=7)
    assert describe_state(game.initial()) is countdown
    assert game_of(7) == game
    assert not countdown.has_native("Tree")
    with pytest.raises(LookupError, match="countdown has no native class"):
        _ = countdown.samples_class


def test_an_unknown_game_and_state_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown game 'poker'; there are chess"):
        describe("poker")
    with pytest.raises(TypeError, match="int is not a state of any game"):
        describe_state(3)


def test_a_list_of_the_games_imports_no_rules() -> None:
    """Neither the native module nor a module of a game, except its description."""
    code = "import sys; from sparring.games import GAMES; list(GAMES.items()); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    own = {name.split(".", 1)[1] for name in loaded.split() if name.startswith("sparring.")}
    plugins = {name for game in GAMES for name in (game, f"{game}.plugin")}
    assert {name for name in own if name.split(".")[0] not in ("base", "games", "_version")} == plugins


def test_one_game_is_loaded_without_the_others() -> None:
    code = "import sys; from sparring.games import load_game; load_game('go'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    others = {f"sparring.{game}" for game in GAMES if game != "go"}
    assert not others & set(loaded.split())
    assert "importlib.metadata" not in loaded.split()


def entry_point(value: str, name: str = "nim") -> EntryPoint:
    return EntryPoint(name, value, "sparring.games")


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("nowhere:NIM", "cannot be loaded: No module named 'nowhere'"),
        ("sparring.games.description:GROUP", "is a str, not a GameDescription"),
        ("sparring.go.plugin:DESCRIPTION", "describes itself as 'go'"),
    ],
)
def test_a_broken_game_of_another_package_is_left_out(value: str, complaint: str) -> None:
    registry = GameRegistry()
    registry.__dict__["_entry_points"] = {"nim": entry_point(value)}
    with pytest.warns(UserWarning, match=complaint):
        assert list(registry) == list(GAMES)
    with pytest.raises(BadConfig, match=f"the game 'nim'.*{complaint}"):
        _ = registry["nim"]
    assert registry["chess"].name == "chess"


def test_the_files_in_the_guide_exist() -> None:
    root = Path(__file__).parents[2]
    guide = (root / "docs" / "add-a-game.md").read_text()
    named = re.findall(r"^\| `([^`]+)` \|", guide, re.MULTILINE)
    assert len(named) > 8
    for name in named:
        stem, _, choices = name.rstrip("}").partition("{")
        paths = [stem + choice for choice in choices.split(",")]
        assert all(list(root.glob(path)) for path in paths), f"docs/add-a-game.md names {name}"


@pytest.mark.parametrize(
    ("game", "text", "ply"),
    [
        ("chess", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 31", 60),
        ("chess", "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1", 1),
        ("shogi", "4k4/9/9/9/9/9/9/9/4K4 b - 41", 40),
        ("breakthrough", None, 0),
    ],
)
def test_the_ply_of_a_game_follows_from_the_move_number(game: str, text: str | None, ply: int) -> None:
    rules = load_game(game)
    state: Any = rules.initial() if text is None else rules.parse(text)
    assert describe(game).game_ply(state) == ply
    assert describe(game).game_ply(state.play(state.legal_moves()[0])) == ply + 1


def test_a_number_between_two_ranks_is_the_nearest_rank() -> None:
    assert [GO_RANKS.nearest(value) for value in (-2.6, -0.4, 0.0, 0.6, 8.7)] == [
        "3k",
        "1k",
        "1d",
        "1d",
        "9d",
    ]
    assert ELO.nearest(1499.6) == "1500"
