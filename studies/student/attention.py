# mypy: disable-error-code="no-untyped-def,untyped-decorator,import-not-found,no-any-return,no-untyped-call"
"""Attention over 64 squares with a bias, as one Triton kernel forward and one backward (GPU only).

One program handles one head of one board, which fits into a tile. Queries, keys and values are packed as
[n, 64, 3, heads, depth], the bias is [n, heads, 64, 64], the output [n, 64, heads * depth]. Nothing is
transposed or stored in between. `python -m studies.student.attention` prints the error against float64.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from studies.student.blocks import plain_attention


@triton.jit
def _forward(packed, bias, out, scale, heads: tl.constexpr, depth_size: tl.constexpr, squares: tl.constexpr):
    board, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    cell, depth = tl.arange(0, squares), tl.arange(0, depth_size)
    row = 3 * heads * depth_size
    at = board * squares * row + head * depth_size + cell[:, None] * row + depth[None, :]
    q = tl.load(packed + at)
    k = tl.load(packed + at + heads * depth_size)
    v = tl.load(packed + at + 2 * heads * depth_size)
    square = (board * heads + head) * squares * squares + cell[:, None] * squares + cell[None, :]
    scores = tl.dot(q, tl.trans(k)) * scale + tl.load(bias + square).to(tl.float32)
    scores = tl.exp(scores - tl.max(scores, 1)[:, None])
    shares = scores / tl.sum(scores, 1)[:, None]
    seen = tl.dot(shares.to(v.dtype), v)
    to = (
        board * squares * heads * depth_size
        + head * depth_size
        + cell[:, None] * (heads * depth_size)
        + depth[None, :]
    )
    tl.store(out + to, seen.to(out.dtype.element_ty))


@triton.jit
def _backward(
    packed,
    bias,
    grad,
    dpacked,
    dbias,
    scale,
    heads: tl.constexpr,
    depth_size: tl.constexpr,
    squares: tl.constexpr,
):
    board, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    cell, depth = tl.arange(0, squares), tl.arange(0, depth_size)
    row = 3 * heads * depth_size
    at = board * squares * row + head * depth_size + cell[:, None] * row + depth[None, :]
    q = tl.load(packed + at)
    k = tl.load(packed + at + heads * depth_size)
    v = tl.load(packed + at + 2 * heads * depth_size)
    to = (
        board * squares * heads * depth_size
        + head * depth_size
        + cell[:, None] * (heads * depth_size)
        + depth[None, :]
    )
    do = tl.load(grad + to)
    square = (board * heads + head) * squares * squares + cell[:, None] * squares + cell[None, :]
    scores = tl.dot(q, tl.trans(k)) * scale + tl.load(bias + square).to(tl.float32)
    scores = tl.exp(scores - tl.max(scores, 1)[:, None])
    shares = scores / tl.sum(scores, 1)[:, None]
    dv = tl.dot(tl.trans(shares.to(v.dtype)), do)
    dshares = tl.dot(do, tl.trans(v))
    dscores = shares * (dshares - tl.sum(shares * dshares, 1)[:, None])
    tl.store(dbias + square, dscores.to(dbias.dtype.element_ty))
    small = dscores.to(q.dtype)
    dq = tl.dot(small, k) * scale
    dk = tl.dot(tl.trans(small), q) * scale
    tl.store(dpacked + at, dq.to(dpacked.dtype.element_ty))
    tl.store(dpacked + at + heads * depth_size, dk.to(dpacked.dtype.element_ty))
    tl.store(dpacked + at + 2 * heads * depth_size, dv.to(dpacked.dtype.element_ty))


@torch.library.custom_op("squares::attend", mutates_args=())
def attend(packed: Tensor, bias: Tensor) -> Tensor:
    """Attention of `packed` with `bias`."""
    n, cells, _, heads, depth = packed.shape
    out = packed.new_empty((n, cells, heads * depth))
    _forward[(n, heads)](
        packed, bias, out, depth**-0.5, heads=heads, depth_size=depth, squares=cells, num_warps=4
    )
    return out


@attend.register_fake
def _(packed: Tensor, bias: Tensor) -> Tensor:
    n, cells, _, heads, depth = packed.shape
    return packed.new_empty((n, cells, heads * depth))


@torch.library.custom_op("squares::attend_back", mutates_args=())
def attend_back(packed: Tensor, bias: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of `packed` and `bias`."""
    n, cells, _, heads, depth = packed.shape
    dpacked, dbias = torch.empty_like(packed), torch.empty_like(bias)
    _backward[(n, heads)](
        packed,
        bias,
        grad,
        dpacked,
        dbias,
        depth**-0.5,
        heads=heads,
        depth_size=depth,
        squares=cells,
        num_warps=4,
    )
    return dpacked, dbias


@attend_back.register_fake
def _(packed: Tensor, bias: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(packed), torch.empty_like(bias)


def _keep(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _back(ctx, grad: Tensor):
    return attend_back(*ctx.saved_tensors, grad.contiguous())


attend.register_autograd(_back, setup_context=_keep)


def check(device: str) -> float:
    """The greatest relative error of outputs and gradients against `plain_attention` in float64."""
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    g = torch.Generator().manual_seed(0)
    packed = torch.randn((5, 64, 3, 8, 32), generator=g).to(device, kind).requires_grad_()
    bias = torch.randn((5, 8, 64, 64), generator=g).to(device, kind).requires_grad_()
    grad = torch.randn((5, 64, 256), generator=g).to(device, kind)
    ours = attend(packed, bias)
    mine = (ours, *torch.autograd.grad(ours, (packed, bias), grad))
    wide = [t.detach().double().requires_grad_() for t in (packed, bias)]
    theirs = plain_attention(*wide)
    ref = (theirs, *torch.autograd.grad(theirs, wide, grad.double()))
    return max(((a.double() - b).norm() / b.norm()).item() for a, b in zip(mine, ref, strict=True))


if __name__ == "__main__":
    print("attention: error against float64", check("cuda" if torch.cuda.is_available() else "cpu"))
