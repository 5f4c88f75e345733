"""Teachers: networks whose probabilities are learned beside the moves that people played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from sparring.learn.captured import Captured
from sparring.learn.configuration import BadConfiguration, Configuration, TeacherPart
from sparring.learn.layouts import view_of
from sparring.networks.card import ModelCard
from sparring.networks.formats import make_codec, read_network
from sparring.networks.people import PeopleCodec
from sparring.networks.store import find
from sparring.networks.torch_executor import TorchGraph

_ENCODINGS = {"lc0": "lc0", "maia3": "maia3", "katago": "katago"}
"""What the families of other projects' networks see, by codec."""
_BESIDE = {"katago": "katago-global"}
"""And what they are told beside that."""


class Answer(NamedTuple):
    """What a teacher says of n positions."""

    logits: Tensor
    """Of its encoding's labels, [n, labels]."""
    results: Tensor
    """Chances of a win, a draw and a loss for the mover, [n, 3]."""


class Teacher:
    """A network that is asked, not changed. Raises BadNetwork or BadConfiguration."""

    def __init__(self, part: TeacherPart, config: Configuration, device: torch.device) -> None:
        model, card = read_network(find(part.model))
        if card.game != config.game:
            raise BadConfiguration(f"the teacher {card.name} plays {card.game}, not {config.game}")
        self.name, self.licence = card.name, card.licence
        self.weight, self.results = part.weight, part.results
        self.encoding = _encoding(card, config)
        self.beside = _BESIDE.get(card.codec)
        self._ask = _ASK[card.codec]
        self._graph = TorchGraph(model).to(device).eval()
        self._quick: Callable[..., Any] | None = None

    @torch.no_grad()
    def asked(self, planes: Tensor, ratings: Tensor, context: Tensor, beside: Tensor) -> Answer:
        """Its answer; `ratings` [n, 2] are the mover's and the opponent's.

        `beside` is the encoding that the teacher has by this name, [n, 0] where it has none.
        """
        told = (planes, ratings, context, beside)
        if not planes.is_cuda:
            return self._ask(self._graph, *told)
        if self._quick is None:
            self._quick = self._made_quick(*told)
        return Answer(*(tensor.float() for tensor in self._quick(*told)))

    def _made_quick(self, *example: Tensor) -> Callable[..., Any]:
        """Mixed precision, fused kernels, one launch."""

        def asked(*told: Tensor) -> Answer:
            with torch.autocast("cuda", torch.bfloat16):
                return self._ask(self._graph, *told)

        # Traced first: the graph's own loop over its nodes is Python that the compiler would trip over.
        return Captured(torch.compile(make_fx(asked)(*example)), example)


def _encoding(card: ModelCard, config: Configuration) -> str:
    """What the teacher sees; refused where the pupil's batches cannot show it that."""
    codec = make_codec(card)
    if isinstance(codec, PeopleCodec):
        if codec.view != view_of(config):
            raise BadConfiguration(
                f"the teacher {card.name} was told other ratings or boards than [network] says: "
                "it can teach networks with the same ratings and history"
            )
        return codec.view.encoding
    if card.codec not in _ENCODINGS:
        raise BadConfiguration(f"{card.name}: networks of the family {card.codec} cannot teach yet")
    if config.data.mirrored and card.codec == "maia3":
        raise BadConfiguration("Maia-3 cannot teach in the mirror: set mirrored = false in [data]")
    return _ENCODINGS[card.codec]


Ask = Callable[[TorchGraph, Tensor, Tensor, Tensor, Tensor], Answer]


def _ask_lc0(graph: TorchGraph, planes: Tensor, *_: Tensor) -> Answer:
    said = graph(planes=planes)
    if "wdl" in said:
        return Answer(said["policy"], said["wdl"])
    value = said["value"]  # an older head has no draws of its own
    return Answer(said["policy"], torch.cat([1 + value, 0 * value, 1 - value], dim=1) / 2)


def _ask_maia3(graph: TorchGraph, planes: Tensor, ratings: Tensor, *_: Tensor) -> Answer:
    own, other = ratings.clamp(600, 2600).long().unbind(1)
    said = graph(tokens=planes.float(), self_elo=own, oppo_elo=other)
    return Answer(said["logits_move"], said["logits_value"].softmax(dim=1).flip(1))


def _ask_katago(graph: TorchGraph, planes: Tensor, _: Tensor, __: Tensor, beside: Tensor) -> Answer:
    """KataGo's rows run from the top, ours from the bottom; its third result, none, is not taught."""
    said = graph(**{"spatial": planes.float().flip(2), "global": beside})
    logits: Tensor = said["policy"]
    points = logits[:, :-1].reshape(-1, *planes.shape[2:]).flip(1)
    moves = torch.cat([points.flatten(1), logits[:, -1:]], dim=1)
    won, lost = said["value"][:, :2].softmax(dim=1).split(1, dim=1)
    return Answer(moves, torch.cat([won, 0 * won, lost], dim=1))


def _ask_people(graph: TorchGraph, planes: Tensor, _: Tensor, context: Tensor, __: Tensor) -> Answer:
    said = graph(planes=planes, context=context)
    return Answer(said["policy"], said["wdl"])


_ASK: dict[str, Ask] = {
    "katago": _ask_katago,
    "lc0": _ask_lc0,
    "maia3": _ask_maia3,
    "people": _ask_people,
}
