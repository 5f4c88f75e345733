"""Sessions with folded constants and CUDA graphs."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from sparring import data
from sparring.networks.network import open_session

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return onnx.load(data.path("networks", "human-chess"))


def test_folded_constants_change_no_output(model: onnx.ModelProto) -> None:
    from sparring.networks.torch_executor import fold_constants

    folded = fold_constants(model)
    assert len(folded.graph.node) < len(model.graph.node)
    rng = np.random.default_rng(1)
    inputs = {
        "planes": (rng.random((5, 112, 8, 8)) < 0.1).astype(np.float32),
        "context": rng.random((5, 6)).astype(np.float32),
    }
    expected = open_session(model, "torch").run(inputs)
    for session in (
        open_session(folded, "torch"),
        open_session(model, "torch-compiled"),
    ):
        for _ in range(2):  # CUDA graphs are captured at the first run
            found = session.run(inputs)
            for name, values in expected.items():
                np.testing.assert_allclose(
                    found[name], values, atol=0.1 if torch.cuda.is_available() else 1e-5
                )
