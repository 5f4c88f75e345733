"""Divergence of strong networks from T1, policy and value, on validation positions (on a CPU).

    python -m studies.student.divergence NETWORK.onnx... --data FOLDER --out FILE.json

The data folder has games.xz, t1.xz and libpool.so. Means have half of their 95 % interval.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from studies.student.network import policy_columns
from studies.student.positions import Records, load_library, policy_moves, read_games, student_tokens
from studies.student.t1 import load_t1
from studies.student.teacher import log_policy

_BATCH = 64
_RULE_50 = 109


def run(path: str, planes: Tensor) -> tuple[Tensor, Tensor]:
    """Policy logits and WDL probabilities of a network without ratings."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    found = [
        session.run(
            ["policy", "wdl"], {"planes": part.numpy(), "context": np.zeros((len(part), 6), np.float32)}
        )
        for part in torch.split(planes, _BATCH)
    ]
    policy, wdl = (torch.from_numpy(np.concatenate(each)) for each in zip(*found, strict=True))
    return policy, wdl


def interval(values: Tensor) -> list[float]:
    """Mean, and half of its 95 % interval."""
    return [round(values.mean().item(), 4), round(1.96 * values.std().item() / len(values) ** 0.5, 4)]


@torch.no_grad()
def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=1024)
    parser.add_argument("--out", type=Path, required=True)
    o = parser.parse_args()
    library = load_library(o.data / "libpool.so")
    records = Records(read_games(o.data / "games.xz"), library, 1, torch.device("cpu"))
    order = torch.randperm(len(records.validation), generator=torch.Generator().manual_seed(5))
    p = records.positions(records.validation[order[: o.positions]])
    tokens = student_tokens(p, p.legal.any(1), torch.float32)
    teacher = load_t1(o.data / "t1.xz", policy_columns(policy_moves(library)))
    answers = [teacher(part) for part in torch.split(tokens, _BATCH)]
    theirs = log_policy(torch.cat([policy for policy, _ in answers]), p.legal)
    value = torch.cat([each for _, each in answers]).log_softmax(1)
    tokens[..., _RULE_50] *= 100
    planes = tokens.transpose(1, 2).reshape(-1, tokens.shape[2], 8, 8).round().to(torch.uint8)
    result = {}
    for path in o.networks:
        logits, wdl = run(path, planes)
        ours, log_wdl = log_policy(logits, p.legal), wdl.clamp(min=1e-6).log()
        expected = [each[:, 0] - each[:, 2] for each in (wdl, value.exp())]
        result[Path(path).stem] = {
            "policy_kl": interval((theirs.exp() * (theirs - ours)).sum(1)),
            "same_move": interval((ours.argmax(1) == theirs.argmax(1)).float()),
            "value_kl": interval((value.exp() * (value - log_wdl)).sum(1)),
            "value_error": interval((expected[0] - expected[1]).abs() / 2),
        }
    o.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
