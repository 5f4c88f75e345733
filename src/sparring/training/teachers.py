"""Teachers of knowledge distillation: networks whose outputs are part of the training targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from sparring.networks.card import ModelCard
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.formats import make_codec, read_network
from sparring.networks.graphed_callable import GraphedCallable, compile_traced
from sparring.networks.store import find
from sparring.networks.torch_executor import TorchGraph
from sparring.training.config import BadTrainingConfig, TeacherConfig, TrainingConfig
from sparring.training.layouts import input_spec_of

_ENCODINGS = {"lc0": "lc0", "maia3": "maia3", "katago": "katago"}
"""Input encodings of other projects' networks, by codec."""
_GLOBAL_ENCODINGS = {"katago": "katago-global"}
"""Encodings of their global (not spatial) inputs, by codec."""


class TeacherOutput(NamedTuple):
    """Output of a teacher for n positions."""

    logits: Tensor
    """[n, labels]: policy logits in the order of its encoding's labels."""
    results: Tensor
    """[n, 3]: probabilities of win, draw and loss for the side to move."""


class Teacher:
    """A frozen network. Raises BadNetwork, or BadTrainingConfig if it cannot teach this configuration."""

    def __init__(self, part: TeacherConfig, config: TrainingConfig, device: torch.device) -> None:
        model, card = read_network(find(part.model))
        if card.game != config.game:
            raise BadTrainingConfig(f"the teacher {card.name} plays {card.game}, not {config.game}")
        self.name, self.licence = card.name, card.licence
        self.weight, self.results = part.policy_weight, part.value_weight
        self.encoding = _encoding(card, config)
        self.global_inputs = _GLOBAL_ENCODINGS.get(card.codec)
        self._forward = _FORWARD[card.codec]
        self._graph = TorchGraph(model).to(device).eval()
        self._compiled: Callable[..., Any] | None = None

    @torch.no_grad()
    def query(self, planes: Tensor, ratings: Tensor, context: Tensor, global_inputs: Tensor) -> TeacherOutput:
        """Evaluates n positions.

        `planes` are in the teacher's encoding; `ratings` [n, 2] are those of the side to move and its
        opponent; `context` [n, 6] is for networks of our own; `global_inputs` is [n, 0] if the teacher has
        none.
        """
        inputs = (planes, ratings, context, global_inputs)
        if not planes.is_cuda:
            return self._forward(self._graph, *inputs)
        if self._compiled is None:
            self._compiled = self._compile(*inputs)
        return TeacherOutput(*(tensor.float() for tensor in self._compiled(*inputs)))

    def _compile(self, *example: Tensor) -> Callable[..., Any]:
        """Compiles the network with mixed precision and captures it as a CUDA graph."""

        def query(*inputs: Tensor) -> TeacherOutput:
            with torch.autocast("cuda", torch.bfloat16):
                return self._forward(self._graph, *inputs)

        return GraphedCallable(compile_traced(query, example), example)


def _encoding(card: ModelCard, config: TrainingConfig) -> str:
    """Returns the teacher's input encoding.

    Raises BadTrainingConfig if the student's batches cannot provide it.
    """
    codec = make_codec(card)
    if isinstance(codec, ConditionedCodec):
        if codec.input_spec != input_spec_of(config):
            raise BadTrainingConfig(
                f"the teacher {card.name} has another rating range or history than [network]: "
                "it can teach networks with the same rating_range and history"
            )
        return codec.input_spec.encoding
    if card.codec not in _ENCODINGS:
        raise BadTrainingConfig(f"{card.name}: networks of the family {card.codec} cannot teach yet")
    if config.data.mirrored and card.codec == "maia3":
        raise BadTrainingConfig("Maia-3 cannot teach in the mirror: set mirrored = false in [data]")
    return _ENCODINGS[card.codec]


TeacherForward = Callable[[TorchGraph, Tensor, Tensor, Tensor, Tensor], TeacherOutput]


def _forward_lc0(graph: TorchGraph, planes: Tensor, *_: Tensor) -> TeacherOutput:
    outputs = graph(planes=planes)
    if "wdl" in outputs:
        return TeacherOutput(outputs["policy"], outputs["wdl"])
    value = outputs["value"]  # older value heads have no draws
    return TeacherOutput(outputs["policy"], torch.cat([1 + value, 0 * value, 1 - value], dim=1) / 2)


def _forward_maia3(graph: TorchGraph, planes: Tensor, ratings: Tensor, *_: Tensor) -> TeacherOutput:
    own, other = ratings.clamp(600, 2600).long().unbind(1)
    outputs = graph(tokens=planes.float(), self_elo=own, oppo_elo=other)
    return TeacherOutput(outputs["logits_move"], outputs["logits_value"].softmax(dim=1).flip(1))


def _forward_katago(
    graph: TorchGraph, planes: Tensor, _: Tensor, __: Tensor, global_inputs: Tensor
) -> TeacherOutput:
    """KataGo's rows run from the top, ours from the bottom. Its third outcome, no result, is left out."""
    outputs = graph(**{"spatial": planes.float().flip(2), "global": global_inputs})
    logits: Tensor = outputs["policy"]
    points = logits[:, :-1].reshape(-1, *planes.shape[2:]).flip(1)
    moves = torch.cat([points.flatten(1), logits[:, -1:]], dim=1)
    won, lost = outputs["value"][:, :2].softmax(dim=1).split(1, dim=1)
    return TeacherOutput(moves, torch.cat([won, 0 * won, lost], dim=1))


def _forward_people(
    graph: TorchGraph, planes: Tensor, _: Tensor, context: Tensor, __: Tensor
) -> TeacherOutput:
    outputs = graph(planes=planes, context=context)
    return TeacherOutput(outputs["policy"], outputs["wdl"])


_FORWARD: dict[str, TeacherForward] = {
    "katago": _forward_katago,
    "lc0": _forward_lc0,
    "maia3": _forward_maia3,
    "people": _forward_people,
}
