"""The notebooks of examples/notebooks run and give the outputs that they are stored with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.notebooks import FOLDER, NOTEBOOKS, ROOT, read_notebook, run_notebook, same_output, source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_its_stored_outputs(path: Path) -> None:
    notebook = read_notebook(path)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell, outputs in zip(cells, run_notebook(notebook), strict=True):
        assert same_output(outputs, cell["outputs"]), (source(cell), outputs, cell["outputs"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_and_begins_with_what_it_shows(path: Path) -> None:
    notebook = read_notebook(path)
    assert notebook["nbformat"] == 4
    assert len(notebook["cells"]) < 10
    assert source(notebook["cells"][0]).startswith("# ")


def test_there_are_three_notebooks_and_a_page_lists_them() -> None:
    listed = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 3
    assert all(f"(notebooks/{path.name})" in listed for path in NOTEBOOKS)
    assert (FOLDER / "nora.pgn").is_file()


def test_outputs_are_compared_by_words_and_numbers() -> None:
    def printed(text: str) -> list[dict[str, object]]:
        return [{"output_type": "stream", "name": "stdout", "text": [text]}]

    assert same_output(printed("d5  48% of 1200"), printed("d5 49% of 1210"))
    assert not same_output(printed("d5 48%"), printed("d5 52%"))
    assert not same_output(printed("d5 48%"), printed("d6 48%"))
