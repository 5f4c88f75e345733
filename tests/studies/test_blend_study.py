"""`python -m studies blend-chess` on a small table: every part of the report, resuming, engine crashes."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.players import SearchLimits
from sparring.players.engines import EngineConfig
from sparring.policies import load_policy
from studies.__main__ import main
from studies.blend.analysis_engine import AnalysisFailed
from studies.blend.config import BlendStudyConfig, EngineAnalysisConfig
from studies.blend.study import run
from tests.matching.tables import chess_table
from tests.networks.tiny_networks import tiny_network, write
from tests.studies.test_analysis_engine import FAKE

ARGUMENTS = ["-r", "table", "--human", "human.onnx", "--human", "second.onnx", "--strong", "strong.onnx",
             "--cache", "cache", "--out", "report", "--trials", "3", "--upper", "1"]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, model_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    chess_table(tmp_path / "table", 120, skip_plies=20)
    for seed, name in ((1, "human"), (2, "strong"), (3, "second")):
        write(tiny_network("chess", seed), tmp_path / f"{name}.onnx")
    return tmp_path


def engine(folder: Path) -> list[str]:
    return [
        "--engine",
        shlex.join([sys.executable, str(FAKE), "uci", str(folder)]),
        "--engine-positions",
        "12",
    ]


def study(*arguments: str) -> dict[str, Any]:
    main(["blend-chess", *ARGUMENTS, *arguments])
    found: dict[str, Any] = json.loads(Path("report/report.json").read_text())
    return found


def test_the_report_has_every_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = study(
        "--search",
        "human",
        "--nodes",
        "6",
        "--c-puct",
        "1",
        "--c-puct",
        "5",
        "--baseline",
        "other=human.onnx",
        "--training",
        "human=table",
        "--html",
        *engine(folder),
    )
    gain = found["blends"]["human"]["methods"]["rating"]["gain"]
    assert found["baselines"]["other"]["blend less it"] == gain
    assert set(found["policies"]) == {"human", "second", "strong"}
    for name in ("human", "second"):
        blend = found["blends"][name]
        assert list(blend["methods"]) == ["grid", "alpha", "rating", "position"]
        assert set(blend["robustness"]) == {"grid", "alpha"}
        assert len(blend["curves"]["groups"]["1900"]) == 101
        for entry in blend["methods"].values():
            assert set(entry["gain"]) == {"groups", "mean", "upper"}
        for way in ("grid", "rating", "position"):
            assert load_policy(f"report/blends/{name}-{way}.toml", "chess").game == "chess"
    assert list(found["kinds"])[:2] == ["geometric", "arithmetic"]
    assert found["three"]["policies"] == ["human", "second", "strong"]
    assert len(found["trials"]["human"]["methods"]["grid"]["1100"]["gains"]) == 3
    searched = found["search"]["human"]
    assert searched["c_pucts"] == ["1", "5", "infinite"]
    assert searched["parts"] == {split: found["parts"][split] for split in ("validation", "test")}, (
        "c_puct is chosen on as many positions as alpha"
    )
    for rule in ("visits", "regularised", "kl"):
        assert set(searched["rules"][rule]["c_puct"]) == {"1100", "1900"}
        infinite = searched["rules"][rule]["test"]["1900"]["infinite"]
        assert infinite == pytest.approx(found["policies"]["human"]["groups"]["1900"]["top1"])
    assert set(found["mechanism"]) == {"human", "second"}
    counts = found["mechanism"]["human"]["all"]
    assert counts["positions"] == sum(counts[k] for k in ("both", "policy alone", "blend alone", "neither"))
    assert found["mechanism"]["human"]["groups"] == ["1900"]
    assert found["networks"]["human"]["network"] == "small-chess"
    assert found["training"]["human"].keys() == {"1100", "1900"}
    assert sum(found["training"]["human"].values()) < found["data"]["games"]
    assert found["data"]["games"] == sum(found["data"]["groups"].values())
    html = Path("report/report.html").read_text()
    assert "networks are not trained anew" in html
    assert "have them. The rule of little time left" in html
    assert html.index("The paper&#x27;s experiment") < html.index("Policies and blends")
    assert html.count("<svg") == 10, (
        "two of accuracy, gain, two about alpha, search, and two each of trials and matches"
    )
    assert str(folder) not in html
    assert "the report is" in capsys.readouterr().out


def study_config(folder: Path, **settings: Any) -> BlendStudyConfig:
    """The same without a report, whose figures take their time."""
    entry = EngineConfig(
        "fake", "uci", (sys.executable, str(FAKE), "uci", str(folder)), limits=SearchLimits(nodes=9)
    )
    return BlendStudyConfig(
        "chess",
        (folder / "table",),
        (("human", "human.onnx"),),
        ("strong", "strong.onnx"),
        folder / "cache",
        trials=2,
        upper=1,
        resamples=50,
        refits=10,
        engine=EngineAnalysisConfig(entry, 12, 200, 1000),
        **settings,
    )


def test_a_second_run_evaluates_no_policy_and_gives_the_same_result(folder: Path) -> None:
    first = run(study_config(folder), folder / "report")
    asked = (folder / "questions").read_text()
    sizes = {path.name: path.stat().st_size for path in (folder / "cache").iterdir()}
    assert run(study_config(folder), folder / "report") == first
    assert (folder / "questions").read_text() == asked
    assert {path.name: path.stat().st_size for path in (folder / "cache").iterdir()} == sizes


def test_an_engine_that_dies_loses_nothing(folder: Path) -> None:
    (folder / "deaths").write_text("1")
    first = run(study_config(folder), folder / "report")
    assert first["mechanism"]["human"].pop("restarts") == 1
    for kept in (folder / "cache").glob("*.judgments"):
        kept.write_text("".join(kept.read_text().splitlines(keepends=True)[:3]))
    (folder / "deaths").write_text("1000")
    with pytest.raises(AnalysisFailed, match="failed 3 times on"):
        run(study_config(folder), folder / "report")
    (folder / "deaths").write_text("0")
    again = run(study_config(folder), folder / "report")
    assert again["mechanism"]["human"].pop("restarts") == 0
    assert again == first


def test_one_group_is_enough(folder: Path) -> None:
    found = run(study_config(folder, groups=("1900",)), folder / "report")
    assert list(found["blends"]["human"]["fit"]["groups"]) == ["1900"]
    assert "three" not in found


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--group", "2400"], "there are no games of group 2400"),
        (["--engine", ""], "--engine takes a command"),
        (["--engine", "no-such-engine"], "could not be started"),
        (["--strong", "table"], "there is no network 'table'"),
        (["--search", "nobody"], "there is no human-like policy of this name"),
        (["--training", "human=nowhere"], "expected NAME=TABLE"),
    ],
)
def test_errors_name_the_fault(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["blend-chess", *ARGUMENTS, *arguments])
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
