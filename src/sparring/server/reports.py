"""The gallery of measurements: the reports of a results folder, with their figures and files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import Field

from sparring.base.sentences import Sentence
from sparring.server.messages import ApiMessage
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.routes import Host, of_app

_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
}
_TEXT = "README.md"
_COMMAND = re.compile(r"^\s*((?:python -m studies|sparring|make) .*)$", re.MULTILINE)


class ReportView(ApiMessage):
    """A report: what was measured, and how."""

    name: str
    title: str
    finding: str = Field(description="The first paragraph: what was found.")
    text: str = Field(description="The whole report, in Markdown.")
    figures: list[str] = Field(
        description="Names of pictures, for /api/reports/{name}/{file}; -- stands for a folder."
    )
    files: list[str] = Field(description="Names of the other files.")
    commands: list[str] = Field(description="Commands that make the numbers.")


class Gallery:
    """The reports of a folder. A folder in it is a report if it has a README.md."""

    def __init__(self, folder: Path | None) -> None:
        """`folder`: None if there is none."""
        self._folder = folder

    def all(self) -> list[ReportView]:
        """The reports by name."""
        if self._folder is None or not self._folder.is_dir():
            return []
        names = sorted(path.name for path in self._folder.iterdir() if (path / _TEXT).is_file())
        return [self._report(self._folder / name) for name in names]

    def file(self, name: str, file: str) -> Path:
        """A file of a report. Raises Refused."""
        if self._folder is not None and name in {report.name for report in self.all()}:
            path = self._files(self._folder / name).get(file)
            if path is not None:
                return path
        raise Refused(Sentence("There is no such file."), 404)

    @staticmethod
    def _files(folder: Path) -> dict[str, Path]:
        """The files of a report and of its folders by their names on the page. Links that lead out of the
        report are left out."""
        paths = [path for pattern in ("*", "*/*") for path in folder.glob(pattern)]
        inside = folder.resolve()
        return {
            path.relative_to(folder).as_posix().replace("/", "--"): path
            for path in sorted(paths)
            if path.suffix in _TYPES and path.is_file() and path.resolve().is_relative_to(inside)
        }

    def _report(self, folder: Path) -> ReportView:
        text = (folder / _TEXT).read_text(encoding="utf-8", errors="replace")
        files = sorted(self._files(folder))
        paragraphs = [paragraph.strip() for paragraph in text.split("\n\n") if paragraph.strip()]
        title = paragraphs[0].lstrip("# ").splitlines()[0] if paragraphs else folder.name
        finding = next(
            (paragraph for paragraph in paragraphs[1:] if not paragraph.startswith(("#", "|", "!", "```"))),
            "",
        )
        return ReportView(
            name=folder.name,
            title=title,
            finding=" ".join(finding.split()),
            text=text,
            figures=[name for name in files if name.endswith((".svg", ".png"))],
            files=[name for name in files if name.endswith((".json", ".md"))],
            commands=list(dict.fromkeys(_COMMAND.findall(text)))[:20],
        )


router = APIRouter(prefix="/api/reports", tags=["reports"], responses=REFUSALS)


GalleryOfApp = Annotated[Gallery, of_app("gallery")]


@router.get("")
async def list_reports(host: Host, gallery: GalleryOfApp) -> list[ReportView]:
    """All reports."""
    return await host.run(gallery.all)


@router.get("/{name}/{file}", response_class=FileResponse)
async def report_file(name: str, file: str, host: Host, gallery: GalleryOfApp) -> FileResponse:
    """A figure or a file of a report."""
    path = await host.run(gallery.file, name, file)
    return FileResponse(path, media_type=_TYPES[path.suffix])
