"""Teachers: networks whose probabilities are learned beside the moves that people played."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from sparring.learn.configuration import BadConfiguration, TeacherPart
from sparring.networks.formats import make_codec, read_network
from sparring.networks.people import PeopleCodec
from sparring.networks.store import find
from sparring.networks.torch_executor import TorchGraph

ENCODINGS = {"lc0": "lc0", "maia3": "maia3"}
"""What the families of networks see, by codec."""


class Teacher:
    """A network that is asked, not changed."""

    def __init__(self, part: TeacherPart, game: str, device: torch.device) -> None:
        model, card = read_network(find(part.model))
        if card.game != game:
            raise BadConfiguration(f"the teacher {card.name} plays {card.game}, not {game}")
        codec = make_codec(card)
        if not isinstance(codec, PeopleCodec) and card.codec not in ENCODINGS:
            raise BadConfiguration(f"{card.name}: networks of the family {card.codec} cannot teach yet")
        self.weight = part.weight
        self.encoding = codec.view.encoding if isinstance(codec, PeopleCodec) else ENCODINGS[card.codec]
        self._ask = _ASK[card.codec]
        self._device = device
        self._graph = TorchGraph(model).to(device).eval()

    @torch.no_grad()
    def logits(self, planes: Tensor, ratings: Tensor, context: Tensor) -> Tensor:
        """Of the encoding's labels, [n, labels]; `ratings` [n, 2] are the mover's and the opponent's."""
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type == "cuda"):
            return self._ask(self._graph, planes, ratings, context).float()


Ask = Callable[[TorchGraph, Tensor, Tensor, Tensor], Tensor]


def _ask_lc0(graph: TorchGraph, planes: Tensor, ratings: Tensor, context: Tensor) -> Tensor:
    logits: Tensor = graph(planes=planes)["policy"]
    return logits


def _ask_maia3(graph: TorchGraph, planes: Tensor, ratings: Tensor, context: Tensor) -> Tensor:
    own, other = ratings.clamp(600, 2600).long().unbind(1)
    logits: Tensor = graph(tokens=planes.float(), self_elo=own, oppo_elo=other)["logits_move"]
    return logits


def _ask_people(graph: TorchGraph, planes: Tensor, ratings: Tensor, context: Tensor) -> Tensor:
    logits: Tensor = graph(planes=planes, context=context)["policy"]
    return logits


_ASK: dict[str, Ask] = {"lc0": _ask_lc0, "maia3": _ask_maia3, "people": _ask_people}
