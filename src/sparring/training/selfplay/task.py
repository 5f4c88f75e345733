"""The task `selfplay`: a loop of generations in one training run.

A generation is a number of games that workers play with the newest network, and a number of steps in which
the learner samples a window over the games so far. Games are made where the trainer asks for the first batch
of a generation; networks are written and measured where it validates, after the last one.

    steps of the trainer     0 ........ K ........ 2K ........
    generation               0          1          2
    games                    by network 0 | by network 1 | ...

The folder of a run has `networks/`, `games/` and the trainer's files. A generation's network and games are
files that are complete or not there, so that a killed run goes on with what it has; the games of a generation
depend on the configuration and the network alone, so that on a CPU it ends with the same weights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from sparring.base.errors import BadConfig
from sparring.base.storage import atomic_write
from sparring.base.workers import WorkerPool, open_pool
from sparring.games import describe
from sparring.games.description import ENCODING_VERSION, MOVE_NUMBERING
from sparring.measure.ratings import SequentialTest
from sparring.networks.conditioned import CONTEXT
from sparring.training.batches import ILLEGAL_LOGIT, TrainingBatch, losses
from sparring.training.export import export
from sparring.training.model import make_network
from sparring.training.people import load_initial_weights
from sparring.training.selfplay.config import SelfPlayConfig
from sparring.training.selfplay.games import RESIGNED, GameBlock, block_file, blocks_of
from sparring.training.selfplay.matches import MatchScore
from sparring.training.selfplay.window import Window, board_layout, random_planes, training_batch
from sparring.training.selfplay.worker import (
    MatchTask,
    NetworkFile,
    PlayedBlock,
    PlayedMatch,
    PlayTask,
    SelfPlayActor,
    SelfPlayResult,
    SelfPlayTaskKind,
)
from sparring.training.task import StepLoss, Task, TaskBatch

_CONFIG = "config.json"
Metrics: TypeAlias = dict[str, Any]
PLAYER = "best.toml"
"""File of the player in the folder of a run."""
BEST = "best.onnx"
"""Its network."""
_MATCH_GAMES = 8
"""Games of a task of a match."""
_PLAYER_NODES = 200
"""Nodes of the player's search."""
_LEARNED = 0.75
"""Score against random moves below which nothing is learned."""


@dataclass(frozen=True)
class Workers:
    """Who plays: processes of this machine, or actors of a Ray cluster."""

    count: int = 1
    ray: str | None = None
    """Address of the cluster."""
    backend: str = "onnxruntime"
    threads: int = 1
    """Threads of each network."""


@dataclass(frozen=True)
class GenerationProgress:
    """Games that were finished."""

    generation: int
    games: int
    """Games of the generation so far."""
    positions: int
    positions_a_second: float
    """Of the last block, by its worker."""


class SelfPlayTraining(Task):
    """Training of a policy and value network by self-play.

    `folder` is that of the run. `initial` is a network or run whose weights it begins with.
    """

    name: ClassVar[str] = "selfplay"
    config: SelfPlayConfig

    def __init__(
        self,
        config: SelfPlayConfig,
        folder: Path,
        workers: Workers | None = None,
        *,
        initial: Path | None = None,
        on_games: Callable[[GenerationProgress], None] = lambda progress: None,
    ) -> None:
        self.config, self.folder, self.workers = config, folder, workers or Workers()
        self._initial, self._on_games = initial, on_games
        self.layout = board_layout(config)
        self.window = Window(config, self.layout)
        self._device = torch.device("cpu")
        self._pool: WorkerPool[SelfPlayTaskKind, SelfPlayResult] | None = None
        self._filled = 0
        """Generations whose games are in the window."""
        self._ahead: Future[None] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._closing = False
        self._speed: list[tuple[int, int, float]] = []
        """Positions, evaluations and seconds of the blocks since the last validation."""
        self._blocks: list[GameBlock] = []
        """The blocks since the last validation."""
        self._players = [0]
        """For each network so far, the generation of the newest that had passed the gate then."""
        self._measured: list[int] = []
        """Generations of the networks that were evaluated."""
        self._elo = 0.0
        self._failures = 0
        """Evaluations so far in which nothing was learned."""

    # ---- The trainer's calls ----

    def make_model(self) -> nn.Module:
        """Returns the configured network, with random weights or those of `initial`."""
        model = make_network(self.config)
        if self._initial is not None:
            planes = random_planes(self.config, self.layout)
            load_initial_weights(model, self._initial, self.config, planes, torch.zeros(len(planes), CONTEXT))
        return model

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Keeps the model, whose weights are the first network."""
        if replica[1] > 1:
            raise BadConfig("self-play trains in one process: start it without torchrun")
        self._device = device
        self._claim_folder()
        if not self._network_file(0).exists():
            self._write_network(0, model, 0)
            self._write_player(0)

    def _claim_folder(self) -> None:
        """Notes the configuration before the first game. Raises BadConfig if the folder is of
        another one."""
        path = self.folder / _CONFIG
        ours = json.dumps(self.config.as_dict(), sort_keys=True, indent=1, default=str)
        if path.exists() and path.read_text() != ours:
            raise BadConfig(f"{path} is another configuration: give another --out, or the same configuration")
        atomic_write(path, ours)

    def close(self) -> None:
        """Ends the workers; blocks that are played ahead are finished or not begun."""
        self._closing = True
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
            self._thread = None
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None

    def batches(self, begin: int) -> Generator[TaskBatch]:
        """Yields batches from a step on; the games of a generation are played before its first batch."""
        step = begin
        while True:
            self._fill(step // self.config.generation_steps)
            yield self._batch(step)
            step += 1

    def example(self, begin: int) -> TaskBatch:
        """Returns the batch after a step."""
        self._fill(begin // self.config.generation_steps)
        return self._batch(begin)

    def loss(self, forward: Callable[..., Sequence[Tensor]], batch: TaskBatch) -> StepLoss:
        """Returns policy and value loss: cross-entropies with the targets."""
        minibatch = TrainingBatch(*batch.tensors)
        outputs = forward(minibatch.planes, minibatch.context)
        training = self.config.training
        outcome = losses(outputs, minibatch, training.value_weight)
        with torch.no_grad():
            results = -(minibatch.teacher_wdl * outputs[1].float().log_softmax(dim=1)).sum(dim=1).mean()
        return StepLoss(outcome.total, {"train_value_loss": results})

    def validate(self, model: nn.Module, step: int) -> Metrics:
        """Ends a generation: writes its network, gates it, and plays matches if it is their turn."""
        generation = step // self.config.generation_steps
        metrics = {"generation": generation, **self._game_figures(), **self._network_figures(model)}
        if step % self.config.generation_steps:
            return metrics  # the end of the run, within a generation
        self._write_network(generation, model, step)
        metrics |= self._gate(generation)
        if self._players[-1] == generation:
            self._write_player(generation)
        if generation % self.config.evaluation.every == 0:
            metrics |= self._evaluate(generation)
        metrics["warnings"] = self._warnings(metrics)
        return metrics

    def finish(self) -> None:
        """Lets the trained network be the player's, unless a gate decides that."""
        if not self.config.gate.games:
            atomic_write(self.folder / BEST, (self.folder / self.output).read_bytes())

    def export(self, model: nn.Module, metrics: Metrics | None, step: int) -> bytes:
        """Returns the network as an ONNX file."""
        config = self.config
        rules = ", ".join(f"{name} {value}" for name, value in config.rules.items())
        card = {
            "source": f"sparring train selfplay {config.game}, step {step:,}",
            "trained_on": "games that it played against itself" + (f" ({rules})" if rules else ""),
            "accuracy": "not measured",
        }
        return bytes(export(model, config, card).SerializeToString())

    def state(self) -> Metrics:
        """Returns which networks play and were measured."""
        return {
            "players": self._players,
            "measured": self._measured,
            "elo": self._elo,
            "failures": self._failures,
        }

    def load_state(self, state: Metrics, model: nn.Module) -> None:
        """Loads values of `state`."""
        self._players, self._measured = list(state["players"]), list(state["measured"])
        self._elo, self._failures = state["elo"], state["failures"]

    def versions(self) -> Metrics:
        """Returns the versions of the input encoding and of move numbers."""
        game = describe(self.config.game)
        return {
            ENCODING_VERSION: game.encodings.get(self.layout.encoding, 1),
            MOVE_NUMBERING: game.move_numbering,
        }

    def check_versions(self, state: Metrics) -> None:
        """Raises BadFile if a checkpoint has other versions."""
        describe(self.config.game).check_encoding(self.layout.encoding, state)

    # ---- Games ----

    def _fill(self, generation: int) -> None:
        """Plays the games up to a generation that are missing, and adds all to the window."""
        while self._filled <= generation:
            self._wait()
            self._play(self._filled)
            for first, _ in blocks_of(self.config.play):
                block = self.window.add(block_file(self.folder, self._filled, first))
                if self._filled == generation:  # the others were counted before the run was resumed
                    self._blocks.append(block)
            self._filled += 1
            if self.config.learn.lag and self._filled > generation:
                self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="games")
                self._ahead = self._thread.submit(self._play, self._filled)

    def _wait(self) -> None:
        """Waits for the games that are played while the learner trains."""
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            ahead.result()

    def _play(self, generation: int) -> None:
        """Plays the blocks of a generation that have no file yet."""
        files = {
            first: block_file(self.folder, generation, first) for first, _ in blocks_of(self.config.play)
        }
        missing = [block for block in blocks_of(self.config.play) if not files[block[0]].exists()]
        if not missing:
            return
        network = self._read_network(self._player_of(generation))
        tasks = iter([PlayTask(network, generation, first, last) for first, last in missing])
        games = self.config.play.games - sum(last - first for first, last in missing)
        for result in self._run(tasks):
            assert isinstance(result, PlayedBlock)
            atomic_write(files[result.task.first], result.content)
            games += result.task.last - result.task.first
            self._speed.append((result.positions, result.evaluations, result.seconds))
            self._on_games(
                GenerationProgress(generation, games, result.positions, result.positions / result.seconds)
            )
            if self._closing:
                return

    def _player_of(self, generation: int) -> int:
        """The generation of the network that plays a generation's games."""
        return self._players[max(0, generation - self.config.learn.lag)]

    def _run(self, tasks: Iterator[SelfPlayTaskKind]) -> Iterator[SelfPlayResult]:
        if self._pool is None:
            workers = self.workers
            spawn = partial(SelfPlayActor, self.config, workers.backend, workers.threads)
            self._pool = open_pool(spawn, workers.count, str, workers.ray)
            self._pool.__enter__()
        return self._pool.run(tasks)

    def _batch(self, step: int) -> TaskBatch:
        part = self.config.training
        rng = np.random.default_rng([part.seed, 1, step])
        return TaskBatch(self.window.sample(part.batch, rng, self._device), step + 1)

    # ---- Networks ----

    def _network_file(self, generation: int) -> Path:
        return self.folder / "networks" / f"{generation:05}.onnx"

    def _write_network(self, generation: int, model: nn.Module, step: int) -> None:
        training = model.training
        atomic_write(self._network_file(generation), self.export(model.eval(), None, step))
        model.train(training)

    def _read_network(self, generation: int) -> NetworkFile:
        path = self._network_file(generation)
        return NetworkFile(path.name, path.read_bytes())

    def _write_player(self, generation: int) -> None:
        """Writes the player's file, which `sparring play` and the page open, and its network."""
        atomic_write(self.folder / BEST, self._network_file(generation).read_bytes())
        atomic_write(
            self.folder / PLAYER,
            f"# Made by `sparring train selfplay {self.config.game}`, generation {generation}.\n"
            f'game = "{self.config.game}"\nname = "{self.config.name}"\nmodel = "{BEST}"\n'
            f"nodes = {_PLAYER_NODES}\ntemperature = 0.0\n",
        )

    def _gate(self, generation: int) -> Metrics:
        """Lets the network play if there is no gate, or if it wins a match against the one that plays."""
        gate, rival = self.config.gate, self._players[-1]
        if not gate.games:
            self._players.append(generation)
            return {"player": generation}
        test, score = SequentialTest(gate.sprt), MatchScore(())
        networks = self._read_network(generation), self._read_network(rival)
        while test.status == "undecided" and len(score.scores) < gate.games:
            played = self._match(*networks, _MATCH_GAMES * self.workers.count, len(score.scores))
            for pair in zip(played.scores[::2], played.scores[1::2], strict=True):
                test.add(sum(pair))
            score += played
        self._players.append(generation if test.status == "elo1" else rival)
        return {"player": self._players[-1], "gate_games": len(score.scores), "gate_score": score.share}

    # ---- Figures ----

    def _game_figures(self) -> Metrics:
        """What the games since the last validation were like."""
        blocks, self._blocks = self._blocks, []
        speed, self._speed = self._speed, []
        figures: Metrics = {"window": len(self.window), "played_positions": self.window.positions}
        if blocks:
            lengths = np.concatenate([block.lengths for block in blocks])
            results = np.concatenate([block.results for block in blocks])
            ends = np.concatenate([block.ends for block in blocks])
            saved = np.concatenate([block.saved for block in blocks])
            figures |= {
                "games": len(lengths),
                "plies": float(lengths.mean()),
                "first_wins": float((results > 0).mean()),
                "draws": float((results == 0).mean()),
                "resigned": float((ends == RESIGNED).mean()),
            }
            if (saved >= 0).any():
                figures["wrong_resignations"] = float(saved[saved >= 0].mean())
        if speed:
            positions, evaluations, seconds = map(sum, zip(*speed, strict=True))
            figures |= {
                "positions_a_second": positions / seconds,
                "evaluations_a_second": evaluations / seconds,
                "play_seconds": seconds,
            }
        return figures

    def _network_figures(self, model: nn.Module) -> Metrics:
        """Losses on the newest block, beside those of predictions that know nothing of the position."""
        block = self.window.newest
        rows = np.arange(len(block))[: self.config.training.validation_positions]
        totals = np.zeros(5)
        for start in range(0, len(rows), 1024):
            part = rows[start : start + 1024]
            minibatch = training_batch([(block, part)], self.layout, self._device)
            outputs = model(minibatch.planes, minibatch.context)
            totals += len(part) * np.array([float(x.mean()) for x in _figures(outputs, minibatch)])
        names = ("policy_loss", "policy_entropy", "target_entropy", "value_loss", "uniform_entropy")
        prior = block.wdl.mean(axis=0)
        constant = float(-(prior * np.log(np.maximum(prior, 1e-9))).sum())
        means = dict(zip(names, (totals / len(rows)).tolist(), strict=True))
        return {**means, "constant_value_loss": constant}

    def _evaluate(self, generation: int) -> Metrics:
        """Matches against the fixed opponents. `elo` adds up the differences between evaluations."""
        part, figures = self.config.evaluation, Metrics()
        network = self._read_network(generation)
        opponents = ["random"] * part.random + [f"strength-{number}" for number in part.strengths]
        for opponent in opponents:  # with a search, a network that knows nothing beats random moves too
            score = self._match(network, opponent, part.games, visits=0 if opponent == "random" else None)
            figures |= {f"score_{opponent}": score.share, f"elo_{opponent}": score.elo}
        earlier = self._measured[-1] if self._measured else 0
        if part.earlier and generation > earlier:
            score = self._match(network, self._read_network(earlier), part.games)
            self._elo += score.elo
            figures |= {"score_earlier": score.share, "earlier": earlier, "elo": self._elo}
        self._measured.append(generation)
        return figures

    def _match(
        self,
        network: NetworkFile,
        opponent: NetworkFile | str,
        games: int,
        first: int = 0,
        visits: int | None = None,
    ) -> MatchScore:
        """Plays a match, cut into tasks for the workers; the scores are those of `network`."""
        self._wait()  # the workers do one thing at a time
        seed = self.config.training.seed
        visits = self.config.evaluation.visits if visits is None else visits
        size = max(2, -(-games // self.workers.count) // 2 * 2) if self.workers.count > 1 else games
        starts = range(first, first + games, size)
        tasks = [MatchTask(network, opponent, n, min(n + size, first + games), seed, visits) for n in starts]
        played = {
            result.task.first: result.score
            for result in self._run(iter(tasks))
            if isinstance(result, PlayedMatch)
        }
        return sum((played[n] for n in sorted(played)), MatchScore(()))

    def _warnings(self, metrics: Metrics) -> list[str]:
        """Sentences on what is wrong, if anything is."""
        patience, warnings = self.config.evaluation.patience, []
        if "score_random" in metrics:
            self._failures = self._failures + 1 if metrics["score_random"] < _LEARNED else 0
            if self._failures >= patience:
                warnings.append(
                    f"nothing is learned: {metrics['score_random']:.0%} against random moves after "
                    f"{metrics['generation']} generations; check the encoding, or raise visits or the rate"
                )
        if metrics["generation"] >= patience * self.config.evaluation.every:
            if metrics["value_loss"] >= metrics["constant_value_loss"]:
                warnings.append(
                    f"the value is no better than a constant (loss {metrics['value_loss']:.3f}, constant "
                    f"{metrics['constant_value_loss']:.3f})"
                )
            if metrics["target_entropy"] >= 0.98 * metrics["uniform_entropy"]:
                warnings.append("the policy targets are as good as uniform: the search adds nothing")
        if metrics.get("wrong_resignations", 0) > 0.1:
            warnings.append(
                f"{metrics['wrong_resignations']:.0%} of the games that would have been resigned were not "
                "lost: lower play.resign_below"
            )
        return warnings


def _figures(outputs: Sequence[Tensor], minibatch: TrainingBatch) -> tuple[Tensor, ...]:
    """Cross-entropy of the policy with its target, entropies of both, and cross-entropy of the value: [n]."""
    log_policy = outputs[0].float().masked_fill(~minibatch.legal, ILLEGAL_LOGIT).log_softmax(dim=1)
    target = minibatch.teacher_policy
    has_target = target.sum(dim=1) > 0
    return (
        -(target * log_policy).sum(dim=1)[has_target],
        -(log_policy.exp() * log_policy).sum(dim=1),
        torch.special.entr(target).sum(dim=1)[has_target],
        -(minibatch.teacher_wdl * outputs[1].float().log_softmax(dim=1)).sum(dim=1),
        minibatch.legal.sum(dim=1).float().log(),
    )
