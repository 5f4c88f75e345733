"""One way to train: one trainer, one loop, and a task for every shipped network."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from sparring import data
from sparring.expendibots.training import ValueTask
from sparring.rbc.training import load_rbc_config
from sparring.rbc.training.task import RbcTask
from sparring.training import load_training_config
from sparring.training.config import load_student_config
from sparring.training.people import PeopleTask
from sparring.training.student import StudentTask
from sparring.training.task import Task, TaskConfig
from studies.person.style_training import StyleTask
from tests.docs.test_snippets import parse

ROOT = Path(__file__).parents[2]
Trees: TypeAlias = list[tuple[str, ast.Module]]
TASKS: dict[str, type[Task]] = {
    task.name: task for task in (PeopleTask, StudentTask, RbcTask, ValueTask, StyleTask)
}
NETWORKS = [
    (kind, name)
    for kind in ("networks", "synopsis_networks", "value_networks", "styles")
    for name in data.names(kind)
]
LOAD: dict[str, Callable[[str], TaskConfig]] = {
    "people": load_training_config,
    "student": load_student_config,
    "rbc": load_rbc_config,
}
THE_TRAINER = "src/sparring/training/trainer.py"
"""The only file that makes optimiser steps."""


@pytest.fixture(scope="module")
def trees() -> Trees:
    paths = [path for folder in ("src", "studies") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())) for path in paths]


def makes_steps(node: ast.AST) -> bool:
    """Whether a node calls `.backward()`, or `.step()` of an optimiser."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return node.func.attr == "backward" or (
        node.func.attr == "step" and "optimi" in ast.unparse(node.func.value)
    )


def test_only_the_trainer_makes_optimiser_steps(trees: Trees) -> None:
    files = {file for file, tree in trees if any(makes_steps(node) for node in ast.walk(tree))}
    assert files == {THE_TRAINER}


def test_there_is_one_class_with_a_training_loop(trees: Trees) -> None:
    trainers = [
        (file, node.name)
        for file, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "train_step" for part in node.body)
    ]
    assert trainers == [("src/sparring/training/trainer.py", "Trainer")]


def test_the_package_of_training_names_no_game_but_by_its_description(trees: Trees) -> None:
    """Game folders import `sparring.training`, never the other way."""
    for file, tree in trees:
        if file.startswith("src/sparring/training/"):
            modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            assert not [name for name in modules if name.startswith(("sparring.rbc", "sparring.expendibots"))]


@pytest.mark.parametrize(("kind", "name"), NETWORKS)
def test_a_shipped_network_names_its_task_configuration_and_command(kind: data.Kind, name: str) -> None:
    card = data.training_card(kind, name)
    assert card["task"] in TASKS
    assert len(card["made_by"]) > 20
    if card["command"].startswith("sparring "):
        parse(shlex.split(card["command"])[1:])
    if card["task"] in LOAD:
        assert LOAD[card["task"]](card["config"]).name == card["config"]
        assert f"train {card['task']} " in card["command"]
        assert f"--config {card['config']} " in card["command"]


def test_every_card_is_of_a_shipped_network_or_model() -> None:
    cards = {(kind, name) for kind, cards in data._cards().items() for name in cards}
    others = [(kind, name) for kind in ("difficulty", "line_search") for name in data.names(kind)]
    assert cards == {*NETWORKS, *others}
