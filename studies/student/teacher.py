"""The teacher: Maia-3 5M or T1 in PyTorch, or another student. Answers are over Lc0's moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from studies.student.blocks import Shape, Tower, dot_products
from studies.student.network import encode_context, load_student, policy_columns
from studies.student.positions import Positions, student_tokens, teacher_tokens
from studies.student.t1 import load_t1

ILLEGAL = -1e4
"""The logit of illegal moves; finite, so that its product with a probability of 0 is 0."""


class Maia3(nn.Module):
    """Maia-3 5M: tokens [n, 64, 96] and ratings [n, 2] to logits of moves and of loss, draw and win."""

    def __init__(self) -> None:
        super().__init__()
        shape = Shape()
        self.low, self.high = nn.Parameter(torch.zeros(1, 128)), nn.Parameter(torch.zeros(1, 128))
        self.embed = nn.Linear(96 + 256, shape.width)
        self.tower = Tower(shape)
        self.query = nn.Linear(shape.width, 256, bias=False)
        self.key = nn.Linear(shape.width, 256, bias=False)
        self.promotion = nn.Linear(256, 4, bias=False)
        self.value_norm = nn.LayerNorm(shape.width)
        self.value_embed = nn.Linear(shape.width, shape.width)
        self.wdl = nn.Linear(shape.width, 3)

    def forward(self, tokens: Tensor, ratings: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n, 4352] and [n, 3]. Moves are from * 64 + to, then promotions by files and piece."""
        part = (ratings.float() / 5000).unsqueeze(-1)
        embedded = part * self.low.float() + (1 - part) * self.high.float()
        conditioning = embedded.flatten(1).to(tokens.dtype)[:, None].expand(-1, 64, -1)
        x = self.tower(self.embed(torch.cat([tokens, conditioning], dim=2)))
        query, key = self.query(x), self.key(x)
        scores = dot_products(query, key) / 16
        extra = self.promotion(key[:, 56:]).float() * 16
        promotions = scores[:, 48:56, 56:64, None] + extra[:, None]
        value = self.wdl(functional.relu(self.value_embed(self.value_norm(x.mean(1)))))
        return torch.cat([scores.flatten(1), promotions.flatten(1)], dim=1), value


def load_maia3(path: Path) -> Maia3:
    """Reads the file that `maia3_weights.py` writes."""
    model = Maia3()
    with np.load(path) as arrays:
        model.load_state_dict({k: torch.from_numpy(v.astype(np.float32)) for k, v in arrays.items()})
    return model


def maia3_columns(moves: NDArray[np.integer]) -> Tensor:
    """The column of each of Lc0's moves among Maia-3's, castling aside: [2, 1858].

    Lc0 has no label for promotions to a knight: a move from the seventh to the eighth rank is one if a pawn
    makes it. The first row is for other pieces, the second for pawns.
    """
    start, to, piece = moves.astype(np.int64).T
    plain = start * 64 + to
    pawn = 64 * 64 + ((start % 8) * 8 + to % 8) * 4
    promotes = (start // 8 == 6) & (to // 8 == 7) & (abs(start % 8 - to % 8) <= 1)
    promotion = pawn + (4 - piece)
    other = np.where(piece == 0, plain, promotion)
    return torch.from_numpy(np.stack([other, np.where((piece == 0) & promotes, pawn + 3, other)]))


def castling_labels(moves: NDArray[np.integer]) -> list[int]:
    """Lc0's labels of e1h1 and e1a1."""
    start, to, piece = moves.T
    return [int(np.flatnonzero((start == 4) & (to == rook) & (piece == 0))[0]) for rook in (7, 0)]


def to_lc0_moves(logits: Tensor, p: Positions, columns: Tensor, castling: list[int]) -> Tensor:
    """Maia-3's logits [n, 4352] as logits [n, 1858] of Lc0's moves.

    `columns` are `maia3_columns`, `castling` the `castling_labels`: with the king on e1 they mean castling,
    which Maia-3 writes as e1g1 and e1c1.
    """
    pawn = p.boards[:, 0] == 1
    start = (columns[0] // 64).clamp(max=63)  # columns of promotions lie beyond; both rows agree there
    renamed = torch.where(pawn[:, start], logits[:, columns[1]], logits[:, columns[0]])
    king = p.boards[:, 0, 4] == 6
    for label, to in zip(castling, (6, 2), strict=True):
        renamed[:, label] = torch.where(king, logits[:, 4 * 64 + to], renamed[:, label])
    return renamed


class Teacher:
    """Maia-3 (.npz of `maia3_weights`), T1 (.xz of `t1_weights`) or a student (.pt), in float16 on a GPU."""

    def __init__(self, path: Path, moves: NDArray[np.integer], device: torch.device) -> None:
        self._dtype = torch.float16 if device.type == "cuda" else torch.float32
        self._kind = path.suffix
        model: nn.Module
        match self._kind:
            case ".npz":
                model = load_maia3(path)
            case ".xz":
                model = load_t1(path, policy_columns(moves))
            case _:
                model = load_student(path)[0]
        self._model = model.to(device, self._dtype).eval()
        self._columns, self._castling = maia3_columns(moves).to(device), castling_labels(moves)

    @torch.no_grad()
    def __call__(self, p: Positions) -> tuple[Tensor, Tensor]:
        """Log-probabilities [n, 1858] of the legal moves, and probabilities [n, 3] of win, draw and loss."""
        ratings = torch.where(p.ratings < 0, 1500.0, p.ratings).clamp(600, 2600)
        if self._kind == ".npz":
            logits, value = self._model(teacher_tokens(p, self._dtype), ratings)
            policy, value = to_lc0_moves(logits.float(), p, self._columns, self._castling), value.flip(1)
        elif self._kind == ".xz":
            policy, value = self._model(student_tokens(p, p.legal.any(1), self._dtype))
        else:
            known = torch.ones_like(ratings)
            context = encode_context(ratings, known, p.clock.clamp(min=0), (p.clock >= 0).float())
            tokens = student_tokens(p, p.legal.any(1), self._dtype)
            policy, value = self._model(tokens, context.to(self._dtype))
        return log_policy(policy, p.legal), value.float().softmax(1)


def log_policy(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities over the legal moves in float32."""
    return logits.float().masked_fill(~legal, ILLEGAL).log_softmax(1)
