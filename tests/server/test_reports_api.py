"""The gallery of measurements."""

from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from sparring.server.app import create_app
from tests.server.conftest import ACCESS

README = "# Speed\n\nThe server answers\nat once.\n\n## How\n\n```\npython -m studies speed\n```\n"


def test_reports_with_figures_and_files(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "results" / "speed").mkdir(parents=True)
    for name, text in (("README.md", README), ("speed.svg", "<svg/>"), ("speed.json", "{}"), ("x.html", "")):
        (tmp_path / "results" / "speed" / name).write_text(text)
    with TestClient(create_app(":memory:", ACCESS, results=tmp_path / "results")) as client:
        (report,) = client.get("/api/reports").json()
        assert (report["title"], report["finding"]) == ("Speed", "The server answers at once.")
        assert (report["figures"], report["files"]) == (["speed.svg"], ["README.md", "speed.json"])
        assert report["commands"] == ["python -m studies speed"]
        figure = client.get("/api/reports/speed/speed.svg")
        assert (figure.status_code, figure.headers["content-type"]) == (200, "image/svg+xml")
        for path in ("speed/x.html", "speed/..%2F..%2Fsecret.json", "../secret.json", "speed/none.svg"):
            assert client.get(f"/api/reports/{path}").status_code == 404, path


def test_without_a_results_folder_there_are_no_reports(client: TestClient) -> None:
    assert client.get("/api/reports").json() == []
