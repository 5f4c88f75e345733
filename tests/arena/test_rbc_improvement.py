"""The improvement loop of the planner: what is trained on, what is kept, resuming."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.base.errors import BadConfig
from sparring.rbc import improvement as rbc_improvement
from sparring.rbc.bots import load_bot_config
from sparring.rbc.improvement import ImprovementConfig, best_network, improve
from sparring.rbc.matches import HISTORIES, GeneratedGame, GenerationConfig
from sparring.rbc.training import RbcTrainingConfig, load_rbc_config


class Played:
    """Stands in for games: White always wins a match against another, by `wins` of the new network."""

    def __init__(self, wins: dict[int, float]) -> None:
        self.wins = wins
        self.calls: list[str] = []

    def __call__(
        self,
        generation: GenerationConfig,
        folder: Path,
        processes: int,
        on_progress: Callable[[Sequence[GeneratedGame]], None],
    ) -> list[GeneratedGame]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HISTORIES).touch()
        self.calls.append(f"{folder.parent.name}/{folder.name}")
        if folder.name == "games":
            return []
        new, old = generation.players
        share = self.wins[int(folder.parent.name[-1])]
        games = [(new, old, float(n < 10 * share)) for n in range(10)] + [(old, old, 1.0)] * 5
        return [GeneratedGame(n, *game, 0, 40, 1.0) for n, game in enumerate(games)]


@pytest.fixture
def loop(tmp_path: Path) -> ImprovementConfig:
    (tmp_path / "start.onnx").touch()
    server = tmp_path / "server.jsonl"
    return ImprovementConfig((server,), load_rbc_config("rbc-small"), tmp_path / "start.onnx", ("random",))


def test_a_stronger_network_is_kept_and_a_weaker_one_is_not(
    tmp_path: Path, loop: ImprovementConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    played, trained = Played({1: 0.8, 2: 0.3}), list[list[str]]()
    monkeypatch.setattr(rbc_improvement, "generate", played)

    def train(config: RbcTrainingConfig, records: Sequence[Path], folder: Path) -> Path:
        trained.append([str(record.relative_to(tmp_path)) for record in records])
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "model.onnx"

    out = tmp_path / "loop"
    first = improve(loop, out, 1, 1, train)
    assert [(each.score, each.games, each.kept) for each in first] == [(0.8, 10, True)]
    assert best_network(loop, first) == out / "round-1/run/model.onnx"
    both = improve(loop, out, 2, 1, train)
    assert [each.kept for each in both] == [True, False]
    assert best_network(loop, both) == out / "round-1/run/model.onnx"
    assert played.calls == ["round-1/games", "round-1/match", "round-2/games", "round-2/match"]
    one, two = ["server.jsonl", "loop/round-1/games"], ["loop/round-1/match", "loop/round-2/games"]
    assert trained == [one, [*one, *two]]
    bot = load_bot_config(str(out / "round-2/planner-old.toml"))
    assert bot.planner.network == str(out / "round-1/run/model.onnx")


def test_a_folder_of_another_loop_is_refused(
    tmp_path: Path, loop: ImprovementConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rbc_improvement, "generate", Played({1: 0.5}))
    (found,) = improve(loop, tmp_path / "loop", 1, 1, lambda _c, _r, folder: folder / "model.onnx")
    assert not found.kept
    with pytest.raises(BadConfig, match="another --out"):
        improve(replace(loop, playouts=7), tmp_path / "loop", 1, 1, lambda _c, _r, folder: folder)
