"""The browser edition against the native program: `python -m bench.browser_edition PART`.

`moves`: positions in which the players of a tab (in Node) play the native player's move for the same seed,
and the processor time of both. `rounding`: how often two native runs agree that round differently, with and
without ONNX Runtime's fusion of quantised operators. `load`: from an address to the opponent's first move in
Chromium, with an empty cache: seconds, processor seconds of all of Chromium's processes, which other work on
the machine changes less, and the bytes that are loaded. All need `make browser`.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import onnxruntime

from sparring.base.provenance import provenance
from sparring.games import load_game
from sparring.measure.reports import write_json
from sparring.play.opponent import Opponent
from sparring.players import GameStart, Turn
from tests.browser.conftest import SITE, in_node
from tests.browser.native_moves import NativeMove, SharedPolicies, rows
from tests.browser.pages import served

RESULTS = Path(__file__).parent.parent / "results" / "browser"
POSITIONS = 500
CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]], int]] = {
    "chess": ({}, [{"level": 1000}, {"level": 1500}, {"level": 2000}], POSITIONS),
    "go": ({"size": 9}, [{"level": -3}, {"rating": "8d"}], POSITIONS),
    "go, 19x19": ({"size": 19}, [{"level": -3}, {"rating": "8d"}], 100),
    "go, strength 3": ({"size": 9}, [{"strength": 3}], 60),
    "shogi": ({}, [{"level": 480}, {"level": 850}], POSITIONS),
    "shogi, levels 930 and 1090": ({}, [{"level": 930}, {"level": 1090}], 200),
    "shogi, strength 5": ({}, [{"strength": 5}], 100),
    "breakthrough": ({}, [{"strength": 3}, {"strength": 6}], POSITIONS),
    "expendibots": ({}, [{"strength": 2}, {"strength": 5}], POSITIONS),
    "chess, strength 5": ({}, [{"strength": 5}], 100),
    "rbc": ({}, [{"bot": bot} for bot in ("guesser", "inference-1", "inference-2", "sneaky")], POSITIONS),
    "rbc, inference-3 and inference-4": ({}, [{"bot": "inference-3"}, {"bot": "inference-4"}], POSITIONS),
}
"""Options, opponents, positions. In blind chess a decision is a sense or a move."""
ROUNDS = 5
SCREENS = {"desktop": (1280, 860), "phone": (390, 844)}


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson)."""
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    return round(middle - half, 4), round(middle + half, 4)


def agreement(equal: list[bool]) -> dict[str, Any]:
    """The share of equal moves with its interval."""
    return {
        "positions": len(equal),
        "equal": sum(equal),
        "share": round(sum(equal) / len(equal), 4),
        "interval": wilson(sum(equal), len(equal)),
    }


def moves_row(name: str) -> dict[str, Any]:
    """The agreement and the times of a case."""
    options, opponents, count = CASES[name]
    game = name.partition(",")[0]
    native = list(rows(game, options, opponents, count, SharedPolicies()))
    found = in_node({"kind": "moves", "rows": [made.row for made in native]})
    pairs = list(zip(native, found, strict=True))[1:]  # the first decision warms up
    ours, theirs = (
        1000 * statistics.median(values)
        for values in ([tab["seconds"] for _, tab in pairs], [made.seconds for made, _ in pairs])
    )
    row = {"case": name, "opponents": opponents, **options}
    row |= agreement([made.move == tab["move"] for made, tab in zip(native, found, strict=True)])
    row |= {"native_ms": round(theirs, 3), "tab_ms": round(ours, 3), "speed_ratio": round(theirs / ours, 3)}
    return row


def rounding_row(name: str) -> dict[str, Any]:
    """The agreement of two native runs of a case that round differently."""
    options, opponents, count = CASES[name]
    native = list(rows(name.partition(",")[0], options, opponents, count, SharedPolicies()))
    gc.collect()  # networks are shared while somebody holds them
    pairs = again_without_fusion(native)
    return {"case": name, "opponents": opponents, **agreement([a == b for a, b in pairs])}


def again_without_fusion(native: list[NativeMove]) -> list[tuple[str, str]]:
    """The moves of the rows, and those of native players whose networks run without fused operators."""
    opened, count = onnxruntime.InferenceSession, 0

    def plain(model: bytes, options: Any, **keys: Any) -> Any:
        nonlocal count
        count += 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        return opened(model, options, **keys)

    onnxruntime.InferenceSession = plain
    try:
        policies, players, found = SharedPolicies(), dict[str, Any](), []
        for made in native:
            game, options, keys, seed, side, moves = made.row
            rules = load_game(game, **options)
            if str(keys) not in players:
                players[str(keys)] = (
                    Opponent(game, **{"think_time": "human", **keys}).completed().make(policies)
                )
            state = rules.initial()
            for text in moves:
                state = rules.play(state, rules.parse_move(state, text))
            player = players[str(keys)]
            player.new_game(GameStart(rules, side, state, [seed, side, len(moves)]))
            found.append((made.move, rules.move_text(state, player.choose(Turn.of(state)).move)))
        assert count, "the networks were not opened again"
        return found
    finally:
        onnxruntime.InferenceSession = opened


def processor_seconds() -> float:
    """Of all running processes that this one started, and that those started (Linux)."""
    parents, seconds = dict[int, int](), dict[int, float]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        process = int(path.parent.name)
        parents[process] = int(words[1])
        seconds[process] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    total = 0.0
    for process, used in seconds.items():
        ancestor = parents[process]
        while ancestor in parents and ancestor != os.getpid():
            ancestor = parents[ancestor]
        total += used * (ancestor == os.getpid())
    return total


def load_row(screen: str) -> dict[str, Any]:
    """Seconds from an address to the opponent's first move, each time with an empty browser."""
    from playwright.sync_api import expect

    from tests.page.browser import launched

    expect.set_options(timeout=60_000)
    width, height = SCREENS[screen]
    seconds, processor, loaded, shown = [], [], [], []
    for _ in range(ROUNDS):
        with served(SITE) as (address, sent):
            context = launched().new_context(viewport={"width": width, "height": height})
            page = context.new_page()
            began, before = time.perf_counter(), processor_seconds()
            page.goto(address)
            page.get_by_label("The opponent answers at once").check()
            page.get_by_role("button", name="Play", exact=True).click()
            page.wait_for_url("**/#/game/*", timeout=60_000)
            expect(page.locator(".move-field input")).to_be_enabled()
            shown.append(time.perf_counter() - began)
            page.locator(".move-field input").fill("e4")
            page.locator(".move-field input").press("Enter")
            expect(page.locator(".status")).to_contain_text("Black plays")
            seconds.append(time.perf_counter() - began)
            processor.append(processor_seconds() - before)
            loaded.append(sum(size for _, size in sent) / 1e6)
            context.close()
    return {
        "screen": screen,
        "rounds": ROUNDS,
        "seconds_to_board": round(statistics.median(shown), 2),
        "seconds_to_answer": round(statistics.median(seconds), 2),
        "range": (round(min(seconds), 2), round(max(seconds), 2)),
        "processor_seconds_to_answer": round(statistics.median(processor), 2),
        "processor_range": (round(min(processor), 2), round(max(processor), 2)),
        "megabytes": round(max(loaded), 2),
    }


PARTS: dict[str, tuple[Callable[[str], dict[str, Any]], Sequence[str]]] = {
    "moves": (moves_row, tuple(CASES)),
    "rounding": (rounding_row, ("chess",)),
    "load": (load_row, tuple(SCREENS)),
}


def main(part: str, *names: str) -> None:
    """Measures all cases of a part, or those named; the file keeps the rows of the others."""
    measure, usual = PARTS[part]
    path, head = RESULTS / f"{part}.json", provenance(f"python -m bench.browser_edition {part}")
    kept = json.loads(path.read_text())["rows"] if path.exists() else []
    table = {row.get("case", row.get("screen")): row for row in kept}
    for name in names or usual:
        table[name] = {
            **measure(name),
            "commit": head["commit"],
            "processor": head["machine"]["processor"],
            "load_average": round(os.getloadavg()[0], 1),
        }
        print(table[name], flush=True)
        write_json({**head, "rows": [table[case] for case in usual if case in table]}, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
