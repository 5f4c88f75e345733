"""Distributed training: processes started by torchrun, one batch each per step."""

from __future__ import annotations

import atexit
import os
from datetime import timedelta

import torch
from torch import distributed

from sparring.training.config import BadTrainingConfig

_TIMEOUT = timedelta(hours=2)
"""Long, because the other ranks wait while rank 0 validates or compiles."""


def init_distributed(device_name: str = "") -> tuple[int, int, torch.device]:
    """Joins the process group, if there is one. Returns the rank, the world size and the device.

    `device_name` is `cpu`, `cuda` or `cuda:1`; empty for the best available. Raises BadTrainingConfig.
    """
    rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    device = _device(device_name)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if world_size > 1 and not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=_TIMEOUT)
        atexit.register(distributed.destroy_process_group)
    return rank, world_size, device


def any_rank(answer: bool, device: torch.device) -> bool:
    """Returns True on all ranks if `answer` is True on any."""
    votes = torch.tensor(float(answer), device=device)
    distributed.all_reduce(votes, op=distributed.ReduceOp.MAX)
    return bool(votes)


def _device(name: str) -> torch.device:
    """Returns the named device, or the best available; with several GPUs the one of LOCAL_RANK."""
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError:
        raise BadTrainingConfig(f"there is no device '{name}'; cpu, cuda and cuda:1 are such names") from None
    if device.type not in ("cpu", "cuda"):
        raise BadTrainingConfig(f"training runs on cpu or cuda, not on '{name}'")
    if device.type == "cpu":
        return device
    number = int(os.environ.get("LOCAL_RANK", 0)) if device.index is None else device.index
    if not torch.cuda.is_available() or number >= torch.cuda.device_count():
        raise BadTrainingConfig(
            f"there is no device '{name or device}': PyTorch sees {torch.cuda.device_count()} GPUs"
        )
    return torch.device("cuda", number)
