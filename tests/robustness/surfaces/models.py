"""Network files: hostile cards and graphs, and changed bytes of sound files."""

from __future__ import annotations

import contextlib
import json
import os
import random
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import onnx

from sparring.base.errors import BadFile
from sparring.games import GAMES, load_game
from sparring.networks import load_network
from tests.networks import dlshogi_files, hostile_models, maia3_files
from tests.networks.lc0_writer import NetworkKind, small_network
from tests.networks.tiny_networks import tiny_network
from tests.robustness.trials import mutated, run_command, surface

_VALUES: tuple[Any, ...] = (
    None, "", "x", "chess", "go", "lc0", "katago", "people", "plain", "planes", "boards", 0, 1, -1, 1.5,
    1e308, float("nan"), float("inf"), 2**63, 10**400, True, [], {}, [[]], {"": {}}, "\x1b[31m", "[/bold]x",
    "\x00", "x" * 70_000, "\u202e", 8, 19, 600,
)  # fmt: skip


@surface("models", trials=300, few=12)
def trial(rng: random.Random, folder: Path) -> None:
    """A model file, changed in one of four ways; it is loaded and used, added, listed and described."""
    match rng.randrange(4):
        case 0:
            content = rng.choice(hostile_models.GRAPHS)().SerializeToString()
        case 1:
            content = _hostile_card(rng).SerializeToString()
        case 2:
            content = _changed_graph(rng).SerializeToString()
        case _:
            content = mutated(rng, _files()[rng.choice(list(_files()))])
    file = folder / rng.choice(["x.onnx", "x.pb.gz", "x.bin", "[bold]x.onnx", "\x1b[31m.onnx"])
    file.write_bytes(content)
    with mock.patch.dict(os.environ, {"SPARRING_HOME": str(folder / "home")}):
        with contextlib.suppress(BadFile):
            network = load_network(file)
            network.predict([load_game(network.codec.game).initial()])
        added = run_command(["models", "add", str(file), "--name", "x"])
        for command in (["list"], ["list", "--json"], ["info", "x"], ["info", str(file)]):
            done = run_command(["models", *command])
            assert done.code in (0, 2), done
            assert "\x1b" not in done.out + done.err, done
        assert added.code in (0, 2), added
        assert "\x1b" not in added.out + added.err, added


@cache
def _tiny(game: str) -> onnx.ModelProto:
    return tiny_network(game)


@cache
def _files() -> dict[str, bytes]:
    """Sound files of several formats."""
    return {
        "plain": _tiny("chess").SerializeToString(),
        "dlshogi": dlshogi_files.dlshogi_model().SerializeToString(),
        "maia3": maia3_files.maia3_model().SerializeToString(),
        "lc0": small_network(NetworkKind(width=8, depth=1)).content(),
    }


def _hostile_card(rng: random.Random) -> onnx.ModelProto:
    """A card with one to three changed entries, or settings."""
    model = _tiny(rng.choice(list(GAMES)))
    if rng.random() < 0.1:
        return hostile_models.with_card_text(model, rng.choice(hostile_models.CARDS))
    if rng.random() < 0.3:
        return hostile_models.with_entries(model, **rng.choice(hostile_models.ENTRIES))
    entries = hostile_models.card_entries(model)
    settings = dict(entries["settings"])  # type: ignore[call-overload]
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.5:
            entries[rng.choice(list(entries))] = rng.choice(_VALUES)
        else:
            key = rng.choice(["game", "encoding", "history", "lowest", "highest", "side", "x"])
            settings[key] = rng.choice(_VALUES)
            entries["settings"] = settings
    return hostile_models.with_card_text(model, json.dumps(entries))


def _changed_graph(rng: random.Random) -> onnx.ModelProto:
    """A graph with changed operators, names, attributes, types and shapes."""
    model = onnx.ModelProto()
    model.CopyFrom(_tiny(rng.choice(list(GAMES))))
    for _ in range(rng.randint(1, 3)):
        node = rng.choice(model.graph.node)
        value = rng.choice([*model.graph.input, *model.graph.output])
        match rng.randrange(10):
            case 0:
                node.op_type = rng.choice(_OPERATORS)
            case 1:
                node.input.append(rng.choice(model.graph.node).output[0])
            case 2 if node.input:
                node.input.pop()
            case 3 if len(model.graph.node) > 1:
                model.graph.node.remove(node)
            case 4:
                value.name = rng.choice(["", "x", "policy", "planes", "value"])
            case 5:
                value.type.tensor_type.elem_type = rng.randrange(24)
            case 6:
                value.type.tensor_type.shape.dim.add(dim_value=rng.choice([0, 1, -1, 2**40]))
            case 7:
                rng.choice(model.graph.initializer).dims.append(rng.choice([0, 1, 2, -1, 2**40]))
            case 8:
                model.opset_import[0].version = rng.choice([0, 1, 7, 13, 25, 2**40])
            case _:
                model.ir_version = rng.choice([0, 1, 3, 12, 2**40])
    return model


_OPERATORS = (
    "Tanh", "Exp", "Log", "Identity", "Shape", "NonZero", "Expand", "Tile", "Range", "Reshape", "Loop",
    "Conv", "ConstantOfShape", "RandomNormal", "Softmax", "Gather", "Compress", "Unique", "StringNormalizer",
    "Mish", "Einsum", "SequenceEmpty", "Optional", "GRU", "Resize", "Where", "TopK", "Cast", "Pad", "nothing",
)  # fmt: skip
