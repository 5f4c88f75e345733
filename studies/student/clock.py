"""Trains only the clock's part of a student, on recorded moves with a clock.

    python -m studies.student.clock --data FOLDER --init human.pt --out clock.pt --steps 1500

Without a clock the student stays exactly the same: the clock's inputs are 0 then. The weights with the
fewest nats on the validation split are kept; the start is one of the candidates.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from torch import Tensor

from studies.student.evaluate import student_policy
from studies.student.network import CLOCK, Student, input_ranges, load_student, save_student, use_ranges
from studies.student.positions import Records, load_library, read_games


def with_clock(records: Records, split: int) -> Tensor:
    """Indices of the positions of a split (0 training, 1 validation) whose clock is known."""
    splits = torch.from_numpy(records.games.splits).to(records.game.device)
    return torch.nonzero((splits[records.game] == split) & (records.clock >= 0))[:, 0]


@torch.no_grad()
def nats(student: Student, records: Records, indices: Tensor, see_clock: bool = True) -> float:
    """Mean nats a move."""
    total = 0.0
    for part in torch.split(indices, 2048):
        said = student_policy(student, records.positions(part), see_clock)
        total -= said.gather(1, records.played(part)[:, None]).sum().item()
    return total / len(indices)


def tune(
    student: Student, records: Records, steps: int, batch: int, rate: float, points: int = 10
) -> list[dict[str, float]]:
    """Trains the clock's columns and leaves the best ones in the student. Returns the measurements."""
    train, validation = with_clock(records, 0), with_clock(records, 1)
    student.requires_grad_(False)
    weight = student.conditioning.weight.requires_grad_(True)
    optimiser = torch.optim.Adam([weight], rate)
    log = [{"step": 0, "nats": nats(student, records, validation)}]
    log[0]["without"] = nats(student, records, validation, see_clock=False)
    best, kept = log[0]["nats"], weight.detach().clone()
    for step in range(1, steps + 1):
        for group in optimiser.param_groups:
            group["lr"] = rate * (1 - (step - 1) / steps)
        indices = train[torch.randint(len(train), (batch,), device=train.device)]
        said = student_policy(student, records.positions(indices))
        loss = -said.gather(1, records.played(indices)[:, None]).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        assert weight.grad is not None
        weight.grad[:, :CLOCK] = 0  # Adam leaves weights whose gradient was always 0
        optimiser.step()
        if step % max(1, steps // points) == 0:
            log.append({"step": step, "nats": nats(student, records, validation)})
            print(json.dumps(log[-1]), flush=True)
            if log[-1]["nats"] < best:
                best, kept = log[-1]["nats"], weight.detach().clone()
    with torch.no_grad():
        weight.copy_(kept)
    return log


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--init", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=4)
    o = parser.parse_args()
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    library = load_library(o.data / "libpool.so")
    records = Records(read_games(o.data / "games.xz"), library, o.threads, device)
    student, ranges = load_student(o.init, device)
    use_ranges(student, ranges)
    log = tune(student, records, o.steps, o.batch, o.rate)
    o.out.with_suffix(".json").write_text(json.dumps(log) + "\n")
    save_student(
        o.out, student, dict(student.named_parameters()), {"init": str(o.init), "clock": str(o.rate)}
    )
    assert input_ranges(student).keys() == ranges.keys()


if __name__ == "__main__":
    main()
