"""Lc0's T1 in PyTorch, as a teacher of policy and value. It reads the student's tokens."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from studies.student.blocks import attend, dot_products
from studies.student.packed_weights import read_weights

LAYERS, WIDTH, HEADS, HIDDEN = 10, 256, 8, 1024
SMOLGEN = 256
"""Size of smolgen's vector for each head."""
_SKIP = (2.0 * LAYERS) ** -0.25
"""Factor of a sublayer's output beside its skip connection."""


class Encoder(nn.Module):
    """Attention with smolgen's bias, then a feed-forward layer, each followed by a layer norm."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.attention_norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.compress = nn.Linear(WIDTH, 32, bias=False)
        self.first = nn.Linear(32 * 64, 256)
        self.first_norm = nn.LayerNorm(256, eps=1e-3)
        self.second = nn.Linear(256, HEADS * SMOLGEN)
        self.second_norm = nn.LayerNorm(HEADS * SMOLGEN, eps=1e-3)
        self.ffn_in = nn.Linear(WIDTH, HIDDEN)
        self.ffn_out = nn.Linear(HIDDEN, WIDTH)
        self.ffn_norm = nn.LayerNorm(WIDTH, eps=1e-6)

    def forward(self, x: Tensor, smolgen: Tensor) -> Tensor:
        """Maps [n, 64, width] to the same shape; `smolgen` is [256, 64 * 64]."""
        n = len(x)
        board = self.first_norm(functional.silu(self.first(self.compress(x).flatten(1))))
        board = self.second_norm(functional.silu(self.second(board)))
        bias = (board.view(n * HEADS, SMOLGEN) @ smolgen).view(n, HEADS, 64, 64)
        packed = self.qkv(x).view(n, 64, 3, HEADS, WIDTH // HEADS)
        x = self.attention_norm(x + _SKIP * self.output(attend(packed, bias)))
        y = self.ffn_out(functional.relu(self.ffn_in(x)).square())
        z: Tensor = self.ffn_norm(x + _SKIP * y)
        return z


class T1(nn.Module):
    """Tokens [n, 64, 112] of the student to logits [n, 1858] and logits of win, draw and loss [n, 3]."""

    columns: Tensor

    def __init__(self, columns: Tensor) -> None:
        super().__init__()
        self.embed = nn.Linear(112, WIDTH, bias=False)
        self.squares = nn.Parameter(torch.zeros(64, WIDTH))
        self.factors, self.addends = (nn.Parameter(torch.zeros(64, WIDTH)) for _ in range(2))
        self.smolgen = nn.Parameter(torch.zeros(SMOLGEN, 64 * 64))
        self.layers = nn.ModuleList(Encoder() for _ in range(LAYERS))
        self.policy_embed = nn.Linear(WIDTH, WIDTH)
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.promotion = nn.Linear(WIDTH, 3, bias=False)
        self.value_embed = nn.Linear(WIDTH, 32)
        self.value_hidden = nn.Linear(32 * 64, 128)
        self.wdl = nn.Linear(128, 3)
        self.register_buffer("columns", columns, persistent=False)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluates boards."""
        x = functional.mish(self.embed(tokens) + self.squares) * self.factors + self.addends
        for layer in self.layers:
            x = layer(x, self.smolgen)
        y = functional.mish(self.policy_embed(x))
        key = self.key(y)
        scores = dot_products(self.query(y), key) * WIDTH**-0.5
        promotions = scores[:, 48:56, 56:64, None] + self.promotion(key[:, 56:]).float()[:, None]
        both = torch.cat([scores.flatten(1), promotions.flatten(1)], dim=1)
        hidden = functional.mish(self.value_hidden(functional.mish(self.value_embed(x)).flatten(1)))
        return both.index_select(1, self.columns), self.wdl(hidden)


def load_t1(path: Path, columns: Tensor) -> T1:
    """Reads the file that `t1_weights.py` writes."""
    model = T1(columns)
    model.load_state_dict(read_weights(path))
    return model
