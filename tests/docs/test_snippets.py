"""The code of the README and the docs runs, and its command lines are understood."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tokenize
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from typer.main import get_command

import sparring
from sparring.cli.commands import Command, Group, LazyCommand, all_commands
from studies import __main__ as studies
from tests.docs.markdown import PAGES, RESULTS, STUDIES, Block, blocks, commands
from tests.docs.reader_files import write_reader_files

COMMANDS_PAGE = "docs/commands.md"


@pytest.mark.parametrize("page", [page for page in PAGES if any(b.kind == "python" for b in blocks(page))])
def test_python_of_a_page_runs_from_top_to_bottom(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "home"))
    printed: dict[int, str] = {}

    def record_print(*values: object) -> None:
        """Keeps what a line prints at first."""
        printed.setdefault(sys._getframe(1).f_lineno, " ".join(map(str, values)))

    namespace: dict[str, Any] = {"__name__": "__main__", "print": record_print}
    for block in blocks(page):
        if block.kind == "python":
            write_reader_files(tmp_path, block.needs)
            code = ast.parse("\n" * (block.line - 1) + block.code, page)
            if not block.run:  # what it imports exists
                code.body = [each for each in code.body if isinstance(each, ast.Import | ast.ImportFrom)]
            exec(compile(code, page, "exec"), namespace)
            promised = comments_after_print(block) if block.run else {}
            assert {line: printed.get(line) for line in promised} == promised


def comments_after_print(block: Block) -> dict[int, str]:
    """What the lines of a block print according to the comments behind `print(...)`, by line of the page."""
    return {
        token.start[0] + block.line - 1: token.string.removeprefix("# ")
        for token in tokenize.generate_tokens(StringIO(block.code).readline)
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("print(")
    }


def test_what_a_comment_says_a_line_prints_is_seen() -> None:
    code = "x = 1  # no\nif x:\n    print(x)  # 1\nprint(2)\n"
    assert comments_after_print(Block("python", code, line=10)) == {12: "1"}


def starts_processes(block: Block) -> bool:
    return block.kind == "python" and ("LocalWorkers(" in block.code or "worker_pool(" in block.code)


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(starts_processes, blocks(page)))])
def test_code_that_starts_processes_runs_as_a_script(page: str, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.run and starts_processes(block):
            write_reader_files(tmp_path, block.needs)
            (tmp_path / "script.py").write_text(block.code.replace("games=100", "games=2"))
            command = [sys.executable, "script.py"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES | RESULTS | STUDIES if any(commands(page))])
def test_command_lines_of_a_page_are_understood(page: str) -> None:
    for words in commands(page):
        parse(words)


def test_command_lines_of_studies_are_understood() -> None:
    group: Any = get_command(studies.app)
    lines = [words for page in PAGES | RESULTS | STUDIES for words in commands(page, "python -m studies")]
    assert {words[0] for words in lines} >= {"blend-chess", "blend-go", "blend-shogi", "ladder", "rbc-games"}
    for name, *rest in lines:
        group.commands[name].make_context(name, rest)


def test_options_of_the_page_of_commands_exist() -> None:
    rows = re.findall(r"^\| (`sparring [a-z][^|]*) \|([^|]*)\|$", PAGES[COMMANDS_PAGE].read_text(), re.M)
    assert len(rows) > 10
    for command, meaning in rows:
        words = re.findall(r"[a-z-]+", command.partition("`sparring ")[2])
        entry, _ = find(words)
        known = {
            text
            for found_command in found_commands(entry)
            for param in found_command.params
            for text in param.opts
        }
        for option in re.findall(r"`(-{1,2}[a-z][a-z-]*)", meaning):
            assert option in known, f"{command}: {option}"


def test_command_lines_of_the_page_of_commands_are_complete() -> None:
    cells = re.findall(r"^\| (`sparring [a-z][^|]*) \|", PAGES[COMMANDS_PAGE].read_text(), re.M)
    lines = [line for cell in cells for line in re.findall(r"`sparring ([^`]*)`", cell)]
    assert len(lines) > len(cells) > 10
    for line in lines:
        words = [{"GAME": "chess", "DEPTH": "3"}.get(word, word) for word in line.split()]
        entry, rest = find(words)
        if isinstance(entry, Command):
            parse(words)
        else:
            assert not rest, f"no such command: sparring {line}"


def test_every_command_is_on_the_page_of_commands() -> None:
    text = PAGES[COMMANDS_PAGE].read_text()
    for name in all_commands():
        assert re.search(rf"`(sparring )?{name}\b", text), name


def test_every_public_name_is_on_the_api_page() -> None:
    text = PAGES["docs/api.md"].read_text()
    for name in dir(sparring):
        assert f"`{name}" in text, name
        value = getattr(sparring, name)
        if inspect.isfunction(value):
            assert f"### `{name}{signature(value)}`" in text


def test_the_reference_has_every_public_name_once() -> None:
    text = PAGES["docs/reference.md"].read_text()
    listed = re.findall(r"^::: sparring\.(\w+)$", text, re.M)
    assert "`sparring.__version__`" in text, "a text has no entry of its own"
    assert sorted([*listed, "__version__"]) == sorted(dir(sparring))


def test_modules_and_names_of_the_package_exist() -> None:
    for page, path in (PAGES | RESULTS | STUDIES).items():
        for name in set(re.findall(r"(?<!/)\bsparring(?:\.[A-Za-z_]\w*)+", path.read_text())):
            if not name.endswith((".whl", ".onnx")):
                assert resolve_name(name) is not None, f"{page}: {name}"


def test_pages_link_to_what_exists() -> None:
    for page, path in (PAGES | RESULTS | STUDIES).items():
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", path.read_text()):
            linked = path.parent / target if target else path
            assert linked.exists(), f"{page}: {target}"
            assert not anchor or anchor in anchors(linked), f"{page}: {target}#{anchor}"


def test_the_index_of_the_results_links_to_every_report() -> None:
    """A folder of results/ is a report if it has a README.md; `history` holds what was superseded."""
    text = RESULTS["results/README.md"].read_text()
    reports = {page.split("/")[1] for page in RESULTS if re.fullmatch(r"results/[^/]+/README.md", page)}
    assert len(reports) > 15
    assert {name for name in reports if f"({name}/README.md)" not in text} == set()


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def signature(function: Any) -> str:
    """The parameters with their defaults, without types."""
    found = inspect.signature(function)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty)).replace("'", '"')


def find(words: list[str]) -> tuple[Command | Group, list[str]]:
    """The command that the words name, and the words after it."""
    entry: Command | Group = Group("", all_commands())
    for i, word in enumerate(words):
        if isinstance(entry, Command) or word not in entry.commands:
            return entry, words[i:]
        entry = entry.commands[word]
    return entry, []


def found_commands(entry: Command | Group) -> list[Any]:
    """The command, or all of a group, loaded."""
    if isinstance(entry, Command):
        return [LazyCommand("command", entry).load()]
    return [found_command for inner in entry.commands.values() for found_command in found_commands(inner)]


def parse(words: list[str]) -> None:
    """Parses a command line without running it. Raises typer's errors."""
    entry, rest = find(words)
    assert isinstance(entry, Command), f"no such command: sparring {' '.join(words)}"
    if "--help" not in rest:
        LazyCommand(words[0], entry).load().make_context(words[0], rest)
