"""Teachers: networks whose probabilities are learned beside the moves that people played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from sparring.learn.captured import Captured
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
        self._graph = TorchGraph(model).to(device).eval()
        self._quick: Callable[..., Any] | None = None

    @torch.no_grad()
    def logits(self, planes: Tensor, ratings: Tensor, context: Tensor) -> Tensor:
        """Of the encoding's labels, [n, labels]; `ratings` [n, 2] are the mover's and the opponent's."""
        if not planes.is_cuda:
            return self._ask(self._graph, planes, ratings, context)
        if self._quick is None:
            self._quick = self._made_quick(planes, ratings, context)
        answer: Tensor = self._quick(planes, ratings, context)
        return answer.float()

    def _made_quick(self, *example: Tensor) -> Callable[..., Any]:
        """Mixed precision, fused kernels, one launch."""

        def asked(planes: Tensor, ratings: Tensor, context: Tensor) -> Tensor:
            with torch.autocast("cuda", torch.bfloat16):
                return self._ask(self._graph, planes, ratings, context)

        # Traced first: the graph's own loop over its nodes is Python that the compiler would trip over.
        return Captured(torch.compile(make_fx(asked)(*example)), example)


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
