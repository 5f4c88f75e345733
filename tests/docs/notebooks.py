"""The notebooks of examples/notebooks: runs their cells and keeps their outputs.

`python -m tests.docs.notebooks` runs all of them and stores the outputs. Cells run in order in one namespace,
in an empty folder that has nora.pgn. No Jupyter is needed; `!sparring ...` calls the command line.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_COMMAND = re.compile(r"^!(.*)$", re.M)
_NUMBER = re.compile(r"(?<![A-Za-z\d.])[+-]?\d+(?:\.\d+)?")
"""A number, but not the digit of a square."""


def read_notebook(path: Path) -> dict[str, Any]:
    """The notebook as JSON."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def run_notebook(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of the code cells, as nbformat has them."""
    namespace: dict[str, Any] = {"__name__": "__main__", "_command": _run_command}
    with _reader_folder():
        return [
            _run_cell(source(cell), namespace, count)
            for count, cell in enumerate(
                (cell for cell in notebook["cells"] if cell["cell_type"] == "code"), 1
            )
        ]


def same_output(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> bool:
    """Whether the texts of two cells' outputs are equal. Numbers may differ by two percent, whole ones by one
    and others by 0.02: runtimes round differently on other processors."""
    (words, numbers), (other_words, other_numbers) = _parts(first), _parts(second)
    return words == other_words and all(
        abs(float(one) - float(other)) <= max(0.02 if "." in other else 1, 0.02 * abs(float(other)))
        for one, other in zip(numbers, other_numbers, strict=True)
    )


def _parts(outputs: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The words of texts and the numbers between them; of pictures only that they are there."""
    text = "\n".join(
        "".join(output["text"]) if output["output_type"] == "stream" else " ".join(sorted(output["data"]))
        for output in outputs
    )
    # A number of another length moves the columns of a table and the length of a bar.
    words = [re.sub(r"[\s#]+", " ", word) for word in _NUMBER.split(text)]
    return words, _NUMBER.findall(text)


@contextlib.contextmanager
def _reader_folder() -> Iterator[None]:
    """An empty folder with the files of the notebooks, as working and data folder."""
    before, home = Path.cwd(), os.environ.get("SPARRING_HOME")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(FOLDER / "nora.pgn", folder)
        os.environ["SPARRING_HOME"] = str(Path(folder) / "home")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            if home is None:
                del os.environ["SPARRING_HOME"]
            else:
                os.environ["SPARRING_HOME"] = home


def _run_command(line: str) -> None:
    """Runs `sparring ...` and prints what it prints. Raises CalledProcessError."""
    program, *arguments = shlex.split(line)
    command = [sys.executable, "-m", program, *arguments]
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    print(done.stdout, end="")


def _run_cell(code: str, namespace: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(_COMMAND.sub(lambda match: f"_command({match[1]!r})", code))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_svg_"):
            data["image/svg+xml"] = value._repr_svg_().splitlines(keepends=True)
        outputs.append(
            {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def main() -> None:
    """Runs all notebooks and stores their outputs."""
    for path in NOTEBOOKS:
        notebook = read_notebook(path)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for count, (cell, outputs) in enumerate(zip(cells, run_notebook(notebook), strict=True), 1):
            cell["execution_count"], cell["outputs"] = count, outputs
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
