"""Every configuration reader takes any file: it gives a configuration, or BadConfig in one line."""

from __future__ import annotations

import dataclasses
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.arena.tournament import (
    Adjudication,
    DrawRule,
    EngineEntry,
    OpeningSuite,
    ResignRule,
    TournamentFile,
    read_tournament,
)
from sparring.base.errors import BadConfig
from sparring.games import GAMES
from sparring.measure.ratings import Sprt
from sparring.players import TimeControl
from sparring.players.player_config import PlayerConfig, load_player_config
from sparring.policies.loading import PolicyEntry, PolicyFile, read_policy_config
from sparring.rbc.bots import BotConfig, load_bot_config
from sparring.rbc.training.config import (
    ExampleConfig,
    HeadsetConfig,
    LossConfig,
    RbcTrainingConfig,
    SynopsisNetworkConfig,
    load_rbc_config,
)
from sparring.records.presets import PositionFilter, PresetFile, game_filter, load_preset
from sparring.training.config import (
    DataConfig,
    FinishConfig,
    FreshConfig,
    NetworkConfig,
    OptimizationConfig,
    StudentConfig,
    TeacherConfig,
    TrainingConfig,
    load_student_config,
    load_training_config,
)
from sparring.training.selfplay.config import (
    EvaluationConfig,
    GateConfig,
    LearnConfig,
    PlayConfig,
    SelfPlayConfig,
    load_selfplay_config,
)

MUTATIONS = int(os.environ.get("SPARRING_FUZZ", "200"))


class Raw(str):
    """A value as it stands in the file."""


HOSTILE = [
    Raw(text)
    for text in (
        "0", "-1", "2", "1.5", "-0.0", "1e308", "9" * 400, "0x" + "f" * 5000, "-9223372036854775808", "nan",
        "inf", "-inf", "true", '""', '"x"', '"a\\nb"', '"a\\u0000b"', '"\\U0010ffff"', f'"{"x" * 5000}"',
        '"../.."', "[]", "[1]", "[nan, inf]", '["x"]', '["", ""]', "[[[[[]]]]]", "[{}, {}]", "{}",
        "{ a = 1 }", '{ "" = 1 }', "{ 1500 = 1 }", f"{{ {'9' * 5000} = 1 }}", "{ x = { y = [] } }",
        "1979-05-27", "07:32:00", "[" * 2000, "[" * 100 + "]" * 100, "{a=" * 100 + "1" + "}" * 100,
    )
]  # fmt: skip

PLAYER: dict[str, Any] = {
    "game": "go", "name": "a", "model": "human", "rating": "3d", "opponent_rating": "2d", "temperature": 1.0,
    "nodes": 10, "seconds": 1.0, "evaluator": "strong", "rule": "kl", "kl_weight": 0.1, "c_puct": 1.0,
    "policy_temperature": 1.0, "unvisited_share": 0.1, "fpu_reduction": 0.1,
    "draw_value": 0.0, "solver": True, "find_immediate_wins": True,
    "play_forced_wins": True, "batch": 4,
    "memory": 4, "threads": 1, "resign_below": 0.1, "resign_after": 2,
    "draw_within": 0.1, "draw_after": 10, "draw_offers": False, "book": "x.pgn", "book_plies": 4, "seed": 1,
    "reuse_tree": True, "think_time": "human", "resignation": "rule", "draws": "rule",
    "scale": "people", "opening_style": "static-rook",
}  # fmt: skip
LEVEL_PLAYER: dict[str, Any] = {"game": "chess", "level": 1500, "adapt": True}
BOT: dict[str, Any] = {
    "kind": "inference", "evaluator": "native", "depth": 2, "nodes": 100, "stockfish": "x", "boards": 10,
    "sense_boards": 2, "move_boards": 2, "use_clock": True, "threads": 0, "worst_case_weight": 0.1,
    "king_loss_weight": 0.1, "unseen_attack_rate": 0.1, "information_weight": 0.1,
    "opponent_rationality": 1.0, "king_danger_weight": 1.0, "planner": {"playouts": 16, "mixing": 1.0},
}  # fmt: skip
FEATURES = ("ply", "divergence", "entropy-1", "entropy-2")
WEIGHTED: dict[str, Any] = {
    "game": "chess",
    "kind": "position",
    "temperature": {"1100": 1.0, "1900": 2.0},
    "features": {name: [1.0, 2.0] for name in FEATURES},
    "policy": [
        {"use": "x", "weight": 0.5, "temperature": 1.0, "feature_weights": dict.fromkeys(FEATURES, 0.1)}
        for _ in range(2)
    ],
}
BLEND: dict[str, Any] = {
    "move_numbering": 1, "game": "go", "kind": "power", "beta": 0.5, "alpha": {"6k": 0.5, "3d": 0.4},
    "temperature": 1.0,
    "policy": [{"use": "x"}, {"use": "y"}],
}  # fmt: skip
TOURNAMENT: dict[str, Any] = {
    "name": "cup", "game": "chess", "format": "gauntlet", "games": 10, "seed": 7,
    "rules": {"claim_draws": True},
    "openings": {"file": "book.epd", "plies": 6, "every": 2},
    "clock": {
        "base": 10, "increment": 0.1, "byoyomi": 0, "margin": 0.1,
        "periods": 1, "byoyomi_moves": 0, "moves": 0,
    },
    "adjudication": {
        "plies": 300,
        "resign": {"score": 600, "moves": 4},
        "draw": {"score": 10, "moves": 8, "after": 80},
    },
    "sprt": {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.05},
    "player": [
        {"name": "small", "strength": 3},
        {
            "name": "engine", "protocol": "uci", "command": ["engine"], "options": {"Hash": 16},
            "commands": [], "env": {"A": "1"}, "folder": "nets", "nodes": 100, "depth": 3, "movetime": 1.0,
            "start_seconds": 5, "move_seconds": 5, "stop_seconds": 1,
        },
    ],
}  # fmt: skip
MATCH: dict[str, Any] = {
    "game": "go", "games": 2, "rules": {"size": 9, "komi": 7.5, "ko": "simple", "handicap": 2},
    "player": [{"name": "a", "rating": "3d", "nodes": 4}, {"name": "b", "file": "b.toml"}],
}  # fmt: skip
TRAINING: dict[str, Any] = {
    "name": "x", "game": "shogi", "about": "x",
    "network": {
        "kind": "attention", "blocks": 1, "width": 8, "se_ratio": 2, "heads": 2, "ffn_multiplier": 2,
        "smolgen_size": 2, "history": 2, "rating_range": [0, 1], "clock": True, "facts": False, "servers": [],
    },
    "data": {
        "rating_range": [1, 2], "skip_plies": 1, "mirrored": False, "conditioning_dropout": 0.1,
        "random_ratings": 0.1, "trial": 1,
    },
    "training": {
        "steps": 2, "batch": 2, "schedule": "paper", "optimiser": "sgd", "learning_rate": 0.1, "warmup": 0.1,
        "flat": 0.1, "final_rate": 0.1, "weight_decay": 0.1, "ema_decay": 0.1, "value_weight": 0.1,
        "max_grad_norm": 1.0, "cache_teachers": True, "bfloat16": True, "seed": 1, "validate_every": 1,
        "validation_positions": 1, "fact_weight": 0.5,
    },
    "teachers": [{"model": "x", "policy_weight": 0.1, "value_weight": 0.1, "fact_share": 0.0}],
}  # fmt: skip

STUDENT: dict[str, Any] = {
    **TRAINING,
    "training": {**TRAINING["training"], "cache_teachers": False},
    "fresh": {
        "share": 0.5, "groups": 2, "max_plies": 9, "opening_plies": [1, 2], "deep": 0.1,
        "random_ratings": 0.1, "random_moves": 0.1, "resignations": 0.1, "player": "x",
    },
    "finish": {"share": 0.1, "fresh": 0.5, "teachers": 0.5, "random_ratings": 0.1, "quantised": False},
}  # fmt: skip

SELF_PLAY: dict[str, Any] = {
    "name": "x", "game": "go", "about": "x", "rules": {"size": 9}, "minutes": 1.0, "data": {}, "teachers": [],
    "network": {"blocks": 1, "width": 8, "se_ratio": 2},
    "training": {**TRAINING["training"], "cache_teachers": False},
    "play": {
        "search": "puct", "visits": 4, "considered": 2, "c_visit": 1.0, "c_scale": 0.1, "c_puct": 1.0,
        "noise": 0.1, "noise_moves": 5.0, "temperature_plies": 3, "reuse_tree": True, "full_share": 0.5,
        "fast_visits": 2, "random_plies": 1, "resign_below": 0.1, "play_out": 0.1, "max_plies": 9, "games": 4,
        "block": 2, "parallel": 2, "leash": "x", "leash_weight": 0.5,
    },
    "learn": {
        "window": 9, "window_exponent": 0.5, "window_growth": 0.5, "search_value": 0.5, "symmetries": True,
        "lag": 1,
    },
    "evaluation": {
        "every": 1, "games": 2, "visits": 2, "opening_plies": 1, "random": True, "strengths": [1],
        "earlier": True, "patience": 1,
    },
    "gate": {"games": 2, "sprt": {"elo0": 0.0, "elo1": 5.0}},
}  # fmt: skip

SYNOPSIS_TRAINING: dict[str, Any] = {
    "name": "x", "about": "x", "licence": "x", "keep_best": False,
    "network": {
        "blocks": 1, "width": 8, "policy_blocks": 1, "policy_width": 4, "value_width": 8, "dropout": 0.1,
    },
    "data": {
        "boards": 10, "sampled": 2, "draws": 2, "soon": 5, "clean": False, "clean_boards": 9,
        "mirrored": False, "trial": 1,
    },
    "loss": {"soon": 0.1, "pieces": 0.1, "label_smoothing": 0.1, "teacher": 0.5, "distilled": 0.25},
    "training": {**TRAINING["training"], "cache_teachers": False},
    "headsets": [
        {"name": "All", "players": ["*"], "weight": 2.0, "stop_gradient": True},
        {"name": "Top"},
    ],
}  # fmt: skip


def preset(game: str) -> dict[str, Any]:
    """A preset of the game with every key at its default."""
    games = dataclasses.asdict(game_filter(game)())
    return {"game": game, "games": games, "positions": {"skip_plies": 1, "min_clock": 1.0}}


READERS: dict[str, tuple[Callable[[Path], object], dict[str, Any]]] = {
    "player": (load_player_config, PLAYER),
    "level": (load_player_config, LEVEL_PLAYER),
    "bot": (lambda path: load_bot_config(str(path)), BOT),
    "weighted policy": (read_policy_config, WEIGHTED),
    "blend": (read_policy_config, BLEND),
    "tournament": (read_tournament, TOURNAMENT),
    "match": (read_tournament, MATCH),
    "training": (load_training_config, TRAINING),
    "student training": (load_student_config, STUDENT),
    "self-play": (lambda path: load_selfplay_config(path, "go", {}), SELF_PLAY),
    "synopsis training": (load_rbc_config, SYNOPSIS_TRAINING),
    **{f"preset {game}": (lambda path: load_preset(str(path)), preset(game)) for game in GAMES},
}


def toml(value: Any) -> str:
    """A value in TOML, tables inline."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f'"{value}"'
        if isinstance(value, str)
        else str(value)
    )


def write(table: dict[str, Any]) -> str:
    return "".join(f"{key} = {toml(value)}\n" for key, value in table.items())


def key_paths(table: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key of a table, at every depth."""
    for key, value in table.items() if isinstance(table, dict) else enumerate(table):
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from key_paths(value, (*at, key))


def changed(table: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of the table with another value at a path."""
    if not path:
        return value
    copy = dict(table) if isinstance(table, dict) else list(table)
    copy[path[0]] = changed(copy[path[0]], path[1:], value)
    return copy


def attempt(read: Callable[[Path], object], file: Path, content: str | bytes) -> None:
    """Reads a file: a configuration, or BadConfig in one short line."""
    file.unlink(missing_ok=True)  # some file systems flush a file that is cut and written again to the disk
    file.write_bytes(content.encode(errors="surrogateescape") if isinstance(content, str) else content)
    message = "a configuration"
    try:
        read(file)
    except BadConfig as error:
        message = str(error)
    assert len(message.splitlines()) == 1, message
    assert len(message) < 1000, message


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "b.toml").write_text('game = "go"\n')
    return tmp_path / "config.toml"


@pytest.mark.parametrize("kind", READERS)
def test_the_file_with_every_key_is_read(kind: str, file: Path) -> None:
    read, table = READERS[kind]
    file.write_text(write(table))
    read(file)


@pytest.mark.parametrize("kind", READERS)
def test_hostile_values_at_every_key(kind: str, file: Path) -> None:
    read, table = READERS[kind]
    for path in key_paths(table):
        for value in HOSTILE:
            attempt(read, file, write(changed(table, path, value)))


@pytest.mark.parametrize("kind", READERS)
def test_hostile_keys_and_missing_keys(kind: str, file: Path) -> None:
    read, table = READERS[kind]
    for key in table:
        attempt(read, file, write({name: value for name, value in table.items() if name != key}))
    for name in (
        '""',
        '"a\\nb"',
        "__class__",
        "self",
        '"é"',
        "x" * 5000,
        "a.b.c",
        ".".join("a" * 9000),
    ):
        attempt(read, file, write({**table, name: 1}))


@pytest.mark.parametrize("kind", READERS)
def test_mutated_files(kind: str, file: Path) -> None:
    read, table = READERS[kind]
    rng, text = random.Random(24), write(table).encode()
    for _ in range(MUTATIONS):
        content = bytearray(text)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(content))
            content[at : at + rng.randint(0, 3)] = rng.choice(
                [b"", b"\xff", b"\x00", b"\n", b"[", b"]", b'"', b"=", b"9" * 50, b"-", b".", b"{", b"nan"]
            )
        attempt(read, file, bytes(content))


def covered() -> list[tuple[type[Any], dict[str, Any]]]:
    """Each configuration class, and the table above that has all of its keys."""
    tournament, training = TOURNAMENT, TRAINING
    return [
        (PlayerConfig, PLAYER | LEVEL_PLAYER), (BotConfig, BOT), (PolicyFile, WEIGHTED | BLEND),
        (PolicyEntry, WEIGHTED["policy"][0]), (TournamentFile, tournament),
        (EngineEntry, tournament["player"][1]),
        (OpeningSuite, tournament["openings"]), (TimeControl, tournament["clock"]),
        (Adjudication, tournament["adjudication"]), (ResignRule, tournament["adjudication"]["resign"]),
        (DrawRule, tournament["adjudication"]["draw"]), (Sprt, tournament["sprt"]),
        (TrainingConfig, training), (NetworkConfig, training["network"]), (DataConfig, training["data"]),
        (OptimizationConfig, training["training"]), (TeacherConfig, training["teachers"][0]),
        (StudentConfig, STUDENT), (FreshConfig, STUDENT["fresh"]), (FinishConfig, STUDENT["finish"]),
        (SelfPlayConfig, SELF_PLAY), (PlayConfig, SELF_PLAY["play"]), (LearnConfig, SELF_PLAY["learn"]),
        (EvaluationConfig, SELF_PLAY["evaluation"]), (GateConfig, SELF_PLAY["gate"]),
        (RbcTrainingConfig, SYNOPSIS_TRAINING), (SynopsisNetworkConfig, SYNOPSIS_TRAINING["network"]),
        (ExampleConfig, SYNOPSIS_TRAINING["data"]), (LossConfig, SYNOPSIS_TRAINING["loss"]),
        (HeadsetConfig, SYNOPSIS_TRAINING["headsets"][0]),
        (PresetFile, preset("chess")), (PositionFilter, preset("chess")["positions"]),
    ]  # fmt: skip


@pytest.mark.parametrize(("cls", "table"), covered(), ids=lambda value: getattr(value, "__name__", ""))
def test_every_key_of_every_class_is_tried(cls: type[Any], table: dict[str, Any]) -> None:
    assert {field.name for field in dataclasses.fields(cls)} == set(table)
