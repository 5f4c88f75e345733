"""`python -m studies page`: every report under results/ renders, with all of its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.base.errors import BadFile
from studies.__main__ import main
from studies.pages import write_pages

RESULTS = Path(__file__).parents[2] / "results"
FOLDERS = sorted({path.parent for path in RESULTS.rglob("figures")} | {RESULTS / "expendibots"})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(RESULTS).as_posix())
def test_results_render_with_all_their_figures(folder: Path, tmp_path: Path) -> None:
    pages = write_pages(folder, tmp_path)
    texts = [page.read_text() for page in pages]
    assert sum(text.count("<svg") for text in texts) == len(list((folder / "figures").iterdir()))
    assert all("</html>" in text for text in texts)


def test_results_hold_json_and_one_picture_a_figure() -> None:
    pictures = [path for path in RESULTS.rglob("*") if path.suffix in (".svg", ".png")]
    assert len({path.with_suffix("") for path in pictures}) == len(pictures)
    assert not list(RESULTS.rglob("*.html"))


def test_a_folder_without_a_report_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadFile, match="has no report"):
        write_pages(tmp_path)
    (tmp_path / "report.json").write_text("[]")
    with pytest.raises(SystemExit):
        main(["page", str(tmp_path)])
    assert "holds no JSON object" in capsys.readouterr().err
