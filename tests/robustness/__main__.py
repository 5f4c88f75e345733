"""`python -m tests.robustness SURFACE NUMBER`: runs one trial again and prints what breaks."""

from __future__ import annotations

import sys

from tests.robustness.trials import run_trial

broken = run_trial(sys.argv[1], int(sys.argv[2]))
print(broken or "not broken")
sys.exit(bool(broken))
