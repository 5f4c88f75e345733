"""Teachers of knowledge distillation: networks whose outputs are part of the training targets.

`TeacherCache` keeps their outputs by position, so that they evaluate each position only in the first epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.base.errors import BadConfig
from sparring.games import describe
from sparring.networks.card import ModelCard
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.formats import make_codec, read_network
from sparring.networks.store import find
from sparring.networks.torch_executor import GraphedCallable, TorchGraph, compile_traced
from sparring.records import PositionFilter, Split
from sparring.records.batches import read_rows
from sparring.records.table import table_shards
from sparring.training.config import TeacherConfig, TrainingConfig
from sparring.training.model import input_spec_of

_ENCODINGS = ("lc0", "maia3", "katago")
"""Codecs of other projects' networks, which are the names of their input encodings."""
_GLOBAL_ENCODINGS = {"katago": "katago-global"}
"""Encodings of their global (not spatial) inputs, by codec."""
CACHED_MOVES = 32
"""Most probable moves that are stored per position."""
_CHUNKS = 8
"""Parts of a batch: teachers evaluate only the parts that have uncached positions."""


class TeacherOutput(NamedTuple):
    """Output of a teacher for n positions."""

    logits: Tensor
    """[n, labels]: policy logits in the order of its encoding's labels."""
    results: Tensor
    """[n, 3]: probabilities of win, draw and loss for the side to move."""
    ownership: Tensor
    """[n, points]: expected owners from 1 (the side to move) to -1, in the order of our moves; [n, 0] if the
    network has none."""
    lead: Tensor
    """[n, 1]: points by which the side to move is ahead; [n, 0] if the network has none."""


class Teacher:
    """A frozen network. Raises BadFile, or BadConfig if it cannot teach this configuration."""

    def __init__(self, part: TeacherConfig, config: TrainingConfig, device: torch.device) -> None:
        model, card = read_network(find(part.model, config.game))
        if card.game != config.game:
            raise BadConfig(f"the teacher {card.name} plays {card.game}, not {config.game}")
        self.name, self.licence = card.name, card.licence
        self.weight, self.results, self.fact_share = part.policy_weight, part.value_weight, part.fact_share
        if part.fact_share and card.codec != "katago":
            raise BadConfig(
                f"the teacher {card.name} has no ownership and lead to teach; KataGo's networks have"
            )
        self._lead_unit = float(card.settings.get("lead_multiplier", 1.0))
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
            return self._of(self._forward(self._graph, *inputs))
        if self._compiled is None:
            self._compiled = self._compile(*inputs)
        return self._of([tensor.float() for tensor in self._compiled(*inputs)])

    def _of(self, outputs: Sequence[Tensor]) -> TeacherOutput:
        """The output with the lead in points."""
        logits, results, *facts = outputs
        ownership, lead = facts or (results[:, :0], results[:, :0])
        return TeacherOutput(logits, results, ownership, lead * self._lead_unit)

    def _compile(self, *example: Tensor) -> Callable[..., Any]:
        """Compiles the network with mixed precision and captures it as a CUDA graph."""

        def query(*inputs: Tensor) -> tuple[Tensor, ...]:
            with torch.autocast("cuda", torch.bfloat16):
                return self._forward(self._graph, *inputs)

        return GraphedCallable(compile_traced(query, example), example)


def _encoding(card: ModelCard, config: TrainingConfig) -> str:
    """Returns the teacher's input encoding.

    Raises BadConfig if the student's batches cannot provide it.
    """
    codec = make_codec(card)
    if isinstance(codec, ConditionedCodec):
        if codec.input_spec != input_spec_of(config):
            raise BadConfig(
                f"the teacher {card.name} has another rating range or history than [network]: "
                "it can teach networks with the same rating_range and history"
            )
        return codec.input_spec.encoding
    if card.codec not in _ENCODINGS:
        raise BadConfig(f"{card.name}: networks of the family {card.codec} cannot teach yet")
    if config.data.mirrored and card.codec == "maia3":
        raise BadConfig("Maia-3 cannot teach in the mirror: set mirrored = false in [data]")
    return card.codec


TeacherForward = Callable[[TorchGraph, Tensor, Tensor, Tensor, Tensor], tuple[Tensor, ...]]
"""The outputs: logits, results, and from some networks ownership and lead in the network's unit."""
_LEAD = 2
"""Place of the lead among the outputs of KataGo's score head."""


def _forward_lc0(graph: TorchGraph, planes: Tensor, *_: Tensor) -> tuple[Tensor, ...]:
    outputs = graph(planes=planes)
    if "wdl" in outputs:
        return outputs["policy"], outputs["wdl"]
    value = outputs["value"]  # older value heads have no draws
    return outputs["policy"], torch.cat([1 + value, 0 * value, 1 - value], dim=1) / 2


def _forward_maia3(graph: TorchGraph, planes: Tensor, ratings: Tensor, *_: Tensor) -> tuple[Tensor, ...]:
    own, other = ratings.clamp(600, 2600).long().unbind(1)
    outputs = graph(tokens=planes.float(), self_elo=own, oppo_elo=other)
    return outputs["logits_move"], outputs["logits_value"].softmax(dim=1).flip(1)


def _forward_katago(
    graph: TorchGraph, planes: Tensor, _: Tensor, __: Tensor, global_inputs: Tensor
) -> tuple[Tensor, ...]:
    """KataGo's rows run from the top, ours from the bottom. Its third outcome, no result, is left out."""
    outputs = graph(**{"spatial": planes.float().flip(2), "global": global_inputs})
    logits: Tensor = outputs["policy"]
    side = planes.shape[2:]
    points = logits[:, :-1].reshape(-1, *side).flip(1)
    moves = torch.cat([points.flatten(1), logits[:, -1:]], dim=1)
    won, lost = outputs["value"][:, :2].softmax(dim=1).split(1, dim=1)
    ownership = outputs["ownership"].reshape(-1, *side).flip(1).flatten(1)
    return moves, torch.cat([won, 0 * won, lost], dim=1), ownership, outputs["score"][:, _LEAD : _LEAD + 1]


def _forward_people(
    graph: TorchGraph, planes: Tensor, _: Tensor, context: Tensor, __: Tensor
) -> tuple[Tensor, ...]:
    outputs = graph(planes=planes, context=context)
    return outputs["policy"], outputs["wdl"]


_FORWARD: dict[str, TeacherForward] = {
    "katago": _forward_katago,
    "lc0": _forward_lc0,
    "maia3": _forward_maia3,
    "people": _forward_people,
}


class TeacherCache:
    """Outputs for all positions of the training games, 134 bytes per position."""

    def __init__(self, games: NDArray[np.int64], plies: NDArray[np.int64], device: torch.device) -> None:
        """`games` are ascending game identities; `plies` are their numbers of moves."""
        self._games, self._begins = games, np.cumsum(plies) - plies
        size = int(plies.sum())
        self._known = np.zeros(size, bool)
        self._moves = torch.zeros((size, CACHED_MOVES), dtype=torch.int16, device=device)
        self._probabilities = torch.zeros((size, CACHED_MOVES), dtype=torch.float16, device=device)
        self._results = torch.zeros((size, 3), dtype=torch.float16, device=device)

    def indices(self, games: NDArray[np.int64], plies: NDArray[np.int32]) -> NDArray[np.int64]:
        """Returns the cache indices of positions, given by game identity and ply."""
        indices: NDArray[np.int64] = self._begins[np.searchsorted(self._games, games)] + plies
        return indices

    def reserve(self, indices: NDArray[np.int64], wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns a mask of the wanted indices without an entry, and marks them: the caller must `store`
        them."""
        new: NDArray[np.bool_] = wanted & ~self._known[indices]
        self._known[indices[new]] = True
        return new

    def store(self, indices: Tensor, probabilities: Tensor, results: Tensor) -> None:
        """Stores move probabilities [n, moves] and result probabilities [n, 3 or 0]."""
        top = probabilities.topk(min(CACHED_MOVES, probabilities.shape[1]), dim=1)
        # Renormalise over the moves that are kept.
        share = probabilities.sum(dim=1, keepdim=True) / top.values.sum(dim=1, keepdim=True)
        width = top.indices.shape[1]
        self._moves[indices, :width] = top.indices.to(torch.int16)
        self._probabilities[indices, :width] = (top.values * share).to(torch.float16)
        self._results[indices, : results.shape[1]] = results.to(torch.float16)

    def lookup(self, indices: Tensor, moves: int, results: int) -> tuple[Tensor, Tensor]:
        """Returns move probabilities [n, moves] and result probabilities [n, results]."""
        probabilities = torch.zeros((len(indices), moves), device=indices.device)
        probabilities.scatter_add_(1, self._moves[indices].long(), self._probabilities[indices].float())
        return probabilities, self._results[indices, :results].float()


def make_teacher_cache(tables: Sequence[Path], game: str, trial: int, device: torch.device) -> TeacherCache:
    """Returns an empty cache for the training games of tables. Raises BadFile."""
    games: dict[int, int] = {}
    for shard in (shard for table in tables for shard in table_shards(table)):
        rows = read_rows(shard, game, Split.TRAIN, trial, PositionFilter())
        lengths = [len(moves) // describe(game).packed_move_bytes for moves in rows.moves]
        games.update(zip(rows.identities.tolist(), lengths, strict=True))
    identities = np.array(sorted(games), np.int64)
    return TeacherCache(identities, np.array([games[game] for game in identities.tolist()], np.int64), device)


def chunks(queried: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns the rows to evaluate as [chunks, rows]; the last chunk is filled up with repeated rows."""
    size = max(1, len(queried) // _CHUNKS)
    rows = np.flatnonzero(queried)
    return np.resize(rows, (-(-len(rows) // size), size)).astype(np.int64)
