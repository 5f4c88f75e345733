"""Learning rate schedules, and the state of optimisers."""

from __future__ import annotations

import pytest
import torch

from sparring.training.config import OptimizationConfig
from sparring.training.optimisers import learning_rate_at, load_optimiser_state


@pytest.mark.parametrize(
    ("step", "learning_rate"),
    [
        (0, 0.1),
        (19_999, 0.1),
        (20_000, 0.01),
        (49_999, 0.01),
        (50_000, 0.001),
        (90_000, 0.0001),
        (99_999, 0.0001),
    ],
)
def test_the_papers_drops(step: int, learning_rate: float) -> None:
    """The blend paper: 100,000 steps from 0.1, divided by 10 after 20,000, 50,000 and 90,000."""
    part = OptimizationConfig(steps=100_000, schedule="paper", learning_rate=0.1)
    assert learning_rate_at(step, part) == pytest.approx(learning_rate)


def test_a_cosine_rises_and_falls_to_a_hundredth() -> None:
    part = OptimizationConfig(steps=1000, schedule="cosine", learning_rate=0.2, warmup=0.1)
    rates = [learning_rate_at(step, part) for step in range(1001)]
    assert rates[0] == pytest.approx(0.002)
    assert rates[99] == pytest.approx(0.2)
    assert max(rates) == pytest.approx(0.2)
    assert rates[:100] == sorted(rates[:100])
    assert rates[100:] == sorted(rates[100:], reverse=True)
    assert rates[550] == pytest.approx(0.2 * (0.01 + 0.99 / 2))
    assert rates[1000] == pytest.approx(0.002)


def test_no_warm_up_begins_at_the_top() -> None:
    assert learning_rate_at(0, OptimizationConfig(learning_rate=0.3, warmup=0.0)) == pytest.approx(0.3)


def test_a_checkpoint_of_another_device_leaves_the_optimisers_kernels() -> None:
    """A run that began on a CPU is resumed on a GPU: the step is captured as a CUDA graph there."""
    weight = torch.nn.Parameter(torch.ones(2, 2))
    plain = torch.optim.AdamW([weight], lr=0.1)
    weight.grad = torch.ones(2, 2)
    plain.step()
    rate = torch.tensor(0.2)
    fused = torch.optim.AdamW([weight], lr=rate, fused=True)
    load_optimiser_state(fused, plain.state_dict())
    assert fused.param_groups[0]["fused"]
    assert fused.param_groups[0]["lr"] is rate
    assert fused.state[weight]["step"] == 1
