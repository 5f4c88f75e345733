"""Transformer blocks over the 64 squares with Maia-3's geometric attention bias; layers that train in 8 bits.

Each board mixes a shared set of 64x64 templates into one attention bias for every head. Attention and
feed-forward layers are each followed by an RMS norm.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

SQUARES = 64
MAX_WEIGHT = 63
"""Weights have 7 bits. Processors without VNNI add pairs of products in 16 bits, and 2 * 255 * 63 fits."""
_FUSED = torch.cuda.is_available() and "PLAIN_ATTENTION" not in os.environ


@dataclass(frozen=True)
class Shape:
    """The size of a network."""

    layers: int = 8
    width: int = 256
    heads: int = 8
    hidden: int = 512
    """Size of the feed-forward layer."""
    templates: int = 64
    asked: int = 256
    """Size of the policy head's queries (from-squares) and keys (to-squares)."""


class RMSNorm(nn.Module):
    """RMS norm over the last dimension, in float32."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalises [..., width]."""
        y = x.float()
        scaled = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-5)
        return scaled.to(x.dtype) * self.weight.to(x.dtype)


def quantised(x: Tensor, limit: Tensor) -> Tensor:
    """Rounds to 8 bits between -limit and limit. The gradient is that of the clipping (straight-through)."""
    step, y = limit / 127, x.float()
    clipped = torch.minimum(torch.maximum(y, -128 * step), 127 * step)
    return (clipped + ((clipped / step).round() * step - clipped).detach()).to(x.dtype)


def quantised_weight(weight: Tensor) -> Tensor:
    """Rounds the weights [outputs, inputs] of a layer to 7 bits, with one scale per output."""
    step = weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-12) / MAX_WEIGHT
    return weight + ((weight / step).round() * step - weight).detach()


class QuantisedLinear(nn.Linear):
    """A linear layer that can train as it will run: with inputs in 8 bits and weights in 7."""

    limit: Tensor

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias)
        self.register_buffer("limit", torch.zeros(()), persistent=False)
        self.in_8_bits = False

    def forward(self, x: Tensor) -> Tensor:
        """Maps [..., inputs] to [..., outputs]."""
        if not self.in_8_bits:
            return super().forward(x)
        return functional.linear(quantised(x, self.limit), quantised_weight(self.weight), self.bias)


class Block(nn.Module):
    """Attention between squares, then a feed-forward layer for each square."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, self.heads, self.templates = shape.width, shape.heads, shape.templates
        self.qkv = QuantisedLinear(width, 3 * width, bias=False)
        self.project = QuantisedLinear(width, width, bias=False)
        self.ffn_in = QuantisedLinear(width, shape.hidden)
        self.ffn_out = QuantisedLinear(shape.hidden, width)
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.compress = nn.Linear(width, 64)
        self.compress_norm = nn.LayerNorm(64)
        self.mix = nn.Linear(64, shape.heads * shape.templates)
        self.mix_norm = nn.LayerNorm(shape.heads * shape.templates)

    def forward(self, x: Tensor, templates: Tensor) -> Tensor:
        """Maps [n, 64, width] to the same shape; `templates` is [64 * 64, templates]."""
        n, squares, _ = x.shape
        board = self.compress_norm(functional.gelu(self.compress(x.mean(1))))
        mixed = self.mix_norm(functional.gelu(self.mix(board))).view(n, self.heads, self.templates)
        bias = (mixed.to(x.dtype) @ templates.to(x.dtype).t()).view(n, self.heads, squares, squares)
        packed = self.qkv(x).view(n, squares, 3, self.heads, -1)
        x = self.norm1(x + self.project(attend(packed, bias)))
        y: Tensor = self.norm2(x + self.ffn_out(functional.gelu(self.ffn_in(x))))
        return y


def attend(packed: Tensor, bias: Tensor) -> Tensor:
    """`plain_attention`, on a GPU as one kernel."""
    if _FUSED and packed.is_cuda:
        from studies.student import attention

        fused: Tensor = attention.attend(packed.contiguous(), bias.to(packed.dtype).contiguous())
        return fused
    return plain_attention(packed, bias)


def plain_attention(packed: Tensor, bias: Tensor) -> Tensor:
    """Attention of queries, keys and values [n, 64, 3, heads, depth] with a bias [n, heads, 64, 64].

    Returns [n, 64, heads * depth].
    """
    n, squares, _, heads, depth = packed.shape
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = (query @ key.transpose(-1, -2)) * depth**-0.5 + bias
    seen = scores.softmax(-1).to(value.dtype) @ value
    joined: Tensor = seen.transpose(1, 2).reshape(n, squares, heads * depth)
    return joined


class Tower(nn.Module):
    """Blocks with shared templates, and a final norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.templates = nn.Parameter(torch.randn(SQUARES * SQUARES, shape.templates) * 0.02)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)

    def forward(self, x: Tensor) -> Tensor:
        """Maps [n, 64, width] to the same shape."""
        for block in self.blocks:
            x = block(x, self.templates)
        y: Tensor = self.norm(x)
        return y


def dot_products(query: Tensor, key: Tensor) -> Tensor:
    """The products [n, 64, 64] of queries and keys [n, 64, size] in float32 (bfloat16 is too coarse)."""
    with torch.autocast(query.device.type, enabled=False):
        return query.float() @ key.float().transpose(1, 2)
