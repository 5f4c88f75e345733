"""The student network in PyTorch: Lc0's planes, ratings and clock in; policy over Lc0's moves and WDL out."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from studies.student.blocks import Block, QuantisedLinear, Shape, Tower, dot_products

PLANES = 112
KNOTS = 11
"""Ratings are interpolated between this many embeddings, from 600 to 2600."""
CLOCK_KNOTS = 11
"""The clock, on a logarithmic scale from 0 to 7,200 s, is interpolated between this many embeddings."""
CLOCK = 2 * KNOTS
"""Where the clock's columns begin in the context: clock, flag, and the knots. All are 0 without a clock."""
CONTEXT = CLOCK + 2 + CLOCK_KNOTS


class _Select(torch.autograd.Function):
    """Selects distinct columns. The gradient is another selection, which is faster than a scattered sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, columns: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(inverse)
        return x.index_select(1, columns)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (inverse,) = ctx.saved_tensors
        return functional.pad(grad, (0, 1)).index_select(1, inverse), None, None


class Student(nn.Module):
    """The network. `columns` [1858] is where each of Lc0's moves lies among the 4096 + 192 from-to scores."""

    columns: Tensor
    inverse: Tensor

    def __init__(self, shape: Shape, columns: Tensor) -> None:
        super().__init__()
        self.shape = shape
        self.embed = nn.Linear(PLANES, shape.width)
        self.squares = nn.Parameter(torch.zeros(64, shape.width))
        self.conditioning = nn.Linear(CONTEXT, shape.width, bias=False)
        self.tower = Tower(shape)
        self.query = nn.Linear(shape.width, shape.asked, bias=False)
        self.key = nn.Linear(shape.width, shape.asked, bias=False)
        self.promotion = nn.Linear(shape.asked, 3, bias=False)
        self.value_norm = nn.LayerNorm(shape.width)
        self.value_embed = nn.Linear(shape.width, shape.width)
        self.wdl = nn.Linear(shape.width, 3)
        inverse = torch.full((64 * 64 + 8 * 8 * 3,), len(columns), dtype=torch.long)
        inverse[columns] = torch.arange(len(columns))
        self.register_buffer("columns", columns, persistent=False)
        self.register_buffer("inverse", inverse, persistent=False)
        self._initialise()

    def ignore_context(self) -> None:
        """Makes the outputs independent of ratings and clock, for good if the context is always 0."""
        nn.init.zeros_(self.conditioning.weight)

    @property
    def sees_context(self) -> bool:
        """Whether the outputs depend on ratings and clock."""
        return bool(self.conditioning.weight.detach().any())

    def _initialise(self) -> None:
        """Random weights that keep the size of activations; the policy and the value start out uniform."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.embed.weight, std=0.2)
        nn.init.normal_(self.squares, std=0.2)
        for block in self.tower.blocks:
            assert isinstance(block, Block)
            for layer in (block.project, block.ffn_out):
                nn.init.normal_(layer.weight, std=(2 * len(self.tower.blocks) * layer.in_features) ** -0.5)
        nn.init.normal_(self.query.weight, std=0.02)
        nn.init.zeros_(self.promotion.weight)
        nn.init.zeros_(self.wdl.weight)

    def forward(self, tokens: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens [n, 64, 112] and context [n, CONTEXT] to policy logits [n, 1858] and WDL logits [n, 3].

        Tokens are Lc0's planes with the rule-50 counter divided by 100; `encode_context` makes the context.
        """
        x = self.embed(tokens)
        x = x + self.squares.to(x.dtype) + self.conditioning(context.to(x.dtype))[:, None]
        x = self.tower(x)
        query, key = self.query(x), self.key(x)
        scores = dot_products(query, key) * self.shape.asked**-0.5
        extra = self.promotion(key[:, 56:]).float() * self.shape.asked**0.5
        promotions = scores[:, 48:56, 56:64, None] + extra[:, None]
        both = torch.cat([scores.flatten(1), promotions.flatten(1)], dim=1)
        policy: Tensor = _Select.apply(both, self.columns, self.inverse)  # type: ignore[no-untyped-call]
        return policy, self.wdl(functional.relu(self.value_embed(self.value_norm(x.mean(1)))))


@torch.no_grad()
def quantise(student: Student, *example: Tensor) -> None:
    """Switches the blocks' layers to 8 bits. The ranges of their inputs are those of an example."""
    layers = [m for m in student.tower.modules() if isinstance(m, QuantisedLinear)]

    def measure(layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        assert isinstance(layer, QuantisedLinear)
        values = inputs[0].detach().abs().flatten().float()
        chosen = values[torch.randint(len(values), (1 << 20,), device=values.device)]
        layer.limit.fill_(1.15 * chosen.kthvalue(int(0.9999 * len(chosen))).values)

    hooks = [layer.register_forward_pre_hook(measure) for layer in layers]
    student(*example)
    for hook in hooks:
        hook.remove()
    for layer in layers:
        layer.in_8_bits = True


def use_ranges(student: Student, ranges: dict[str, float]) -> None:
    """Switches the blocks' layers to 8 bits with the `input_ranges` of a checkpoint, if it has any."""
    for name, layer in student.tower.named_modules():
        if isinstance(layer, QuantisedLinear) and ranges:
            layer.limit.fill_(ranges[name.removeprefix("blocks.")])
            layer.in_8_bits = True


def input_ranges(student: Student) -> dict[str, float]:
    """The greatest input of each layer in 8 bits, by block and layer ("0.qkv"); empty without such layers."""
    return {
        name.removeprefix("blocks."): layer.limit.item()
        for name, layer in student.tower.named_modules()
        if isinstance(layer, QuantisedLinear) and layer.in_8_bits
    }


def encode_context(ratings: Tensor, known: Tensor, clock: Tensor, clock_known: Tensor) -> Tensor:
    """The context [n, CONTEXT] from ratings and their flags [n, 2], the clock in [0, 1] and its flag [n]."""
    hats = _hats(((ratings - 600) / 2000).clamp(0, 1), KNOTS) * known[..., None]
    clock_hats = _hats(clock.clamp(0, 1), CLOCK_KNOTS) * clock_known[:, None]
    linear = torch.stack([clock * clock_known, clock_known], dim=1)
    return torch.cat([hats.flatten(1), linear, clock_hats], dim=1)


def _hats(value: Tensor, knots: int) -> Tensor:
    """Hat functions [..., knots] of values in [0, 1]."""
    places = torch.arange(knots, device=value.device)
    return (1 - (value[..., None] * (knots - 1) - places).abs()).relu()


def policy_columns(moves: NDArray[np.integer]) -> Tensor:
    """The column of each of Lc0's moves in the student's 64 * 64 + 8 * 8 * 3 scores.

    `moves` [1858, 3] are from-square, to-square and promotion (0, or 1 knight to 4 queen).
    """
    start, to, piece = moves.astype(np.int64).T
    promotion = 64 * 64 + ((start % 8) * 8 + to % 8) * 3 + (4 - piece)  # queen, rook, bishop
    return torch.from_numpy(np.where(piece == 0, start * 64 + to, promotion))


def save_student(path: Path, student: Student, weights: dict[str, Tensor], options: dict[str, str]) -> None:
    """Writes a checkpoint: weights in float16, shape, columns, input ranges and the training options."""
    content = {
        "model": {name: tensor.half().cpu() for name, tensor in weights.items()},
        "shape": asdict(student.shape),
        "columns": student.columns.short().cpu(),
        "ranges": input_ranges(student),
        "options": options,
    }
    torch.save(content, path)


def load_student(path: Path, device: torch.device | str = "cpu") -> tuple[Student, dict[str, float]]:
    """Reads a checkpoint: the student in float32, and the input ranges of its layers in 8 bits."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    student = Student(Shape(**saved["shape"]), saved["columns"].long())
    weights = {name: tensor.float() for name, tensor in saved["model"].items()}
    context = weights["conditioning.weight"]  # older checkpoints have no knots of the clock
    weights["conditioning.weight"] = functional.pad(context, (0, CONTEXT - context.shape[1]))
    student.load_state_dict(weights)
    return student.to(device), saved["ranges"]


@torch.no_grad()
def deepened(student: Student, layers: int) -> Student:
    """A student with more layers that computes nearly the same: the new blocks only normalise.

    Trained blocks are spread over the new network.
    """
    old = student.tower.blocks
    deeper = Student(replace(student.shape, layers=layers), student.columns.cpu()).to(student.squares.device)
    deeper.load_state_dict(
        {name: p for name, p in student.state_dict().items() if ".blocks." not in name}, strict=False
    )
    places = {i * layers // len(old): i for i in range(len(old))}
    scale = torch.ones(())
    for i, block in enumerate(deeper.tower.blocks):
        assert isinstance(block, Block)
        if i in places:
            block.load_state_dict(old[places[i]].state_dict())
            scale = block.norm2.weight.square().mean().sqrt()
            continue
        for parameter in (block.project.weight, block.ffn_out.weight, block.ffn_out.bias):
            parameter.zero_()
        for norm in (block.norm1, block.norm2):
            norm.weight.fill_(scale)
    return deeper
