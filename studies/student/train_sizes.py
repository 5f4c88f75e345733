"""Trains students of several sizes on the same batches: accuracy against parameters and positions seen.

    python -m studies.student.train_sizes 2x256 4x256 8x128 8x256 --data FOLDER --out FOLDER --seconds 300 ...

Sizes are LAYERSxWIDTH; the options are those of `train`. The teacher answers once for all sizes. Each size
writes LAYERSxWIDTH.jsonl as `train` does; `sizes` collects them. 8 bits and a finish are left out.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from studies.student.options import Options, parse_options
from studies.student.train import Sources, Trainer


def train_sizes(sizes: list[str], options: Options) -> None:
    """Trains until the time or the positions are over. Measurements count as time only with `end`."""
    sources, trainers = Sources(options), []
    for size in sizes:
        layers, width = (int(part) for part in size.split("x"))
        trainers.append(Trainer(replace(options, name=size, layers=layers, width=width), sources))

    def step(number: int) -> None:
        batch = sources.batches.batch(number % options.groups, finishing=False)
        losses = [trainer.learn(batch, number) for trainer in trainers]
        if number % 4 == 0:  # keeps the host near the device, so that the time is right
            losses[-1].item()

    for trainer in trainers:
        trainer.measure(0, 0.0)
    step(0)  # compiles; its learning rate is 0
    began, pauses, done = time.time(), 0.0, 0
    seconds = max(1.0, options.end - began) if options.end else options.seconds
    marks = [(i + 1) / options.points for i in range(options.points)]
    while marks:
        part = (time.time() - began - (0.0 if options.end else pauses)) / seconds
        if options.positions:
            part = max(part if options.end else 0.0, done * options.batch / options.positions)
        if part >= marks[0]:
            pause = time.time()
            while marks and part >= marks[0]:
                marks.pop(0)
            for trainer in trainers:
                trainer.measure(done, pause - began - pauses)
            pauses += time.time() - pause
            continue
        for trainer in trainers:
            trainer.set_rate(part)
        step(done)
        done += 1


def main() -> None:
    """Runs the command."""
    first = next((i for i, word in enumerate(sys.argv) if i and word.startswith("-")), len(sys.argv))
    options = parse_options(__doc__ or "", ["--name", "sizes", *sys.argv[first:]])
    options.out.mkdir(parents=True, exist_ok=True)
    train_sizes(sys.argv[1:first], options)


if __name__ == "__main__":
    main()
