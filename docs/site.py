"""Hooks of mkdocs: pages and files from outside of docs/, found by the links that lead to them.

A link between files of the repository works on the site too: a file below docs/ lies at the site's root,
README.md is its first page, a notebook is a page with its outputs, and every other file keeps its path. Only
what a page links to is part of the site.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
_FIRST = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSES/README.md",
    "examples/README.md",
]
_LINK = re.compile(
    r"(?P<text>\[[^\]\[]*)?(?P<before>\]\(\s*)(?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?P<after>\s*\))"
)
_PATH = re.compile(r"[\w./-]+(\.md|/)")
_INLINE_CODE = re.compile(r"(?<!</span>)(?<!<pre>)<code>(?P<text>[^<]+)</code>")
_HYPHENATED = re.compile(r"(?<!\S)(?=\S*-)\S{2,30}(?!\S)")
_WHOLE_WORD = r'<span class="word">\g<0></span>'
_ICON = "src/sparring/data/page/icon.svg"
_TITLE = re.compile(r"^# (.+)$", re.M)


def repository_path(page: str) -> str:
    """The path in the repository of a file of the site."""
    if page == "index.md":
        return "README.md"
    notebook = page.removesuffix(".md") + ".ipynb"
    return next((path for path in (f"docs/{page}", page, notebook) if (ROOT / path).is_file()), page)


def site_path(path: str) -> str:
    """The path on the site of a file of the repository."""
    return "index.md" if path == "README.md" else path.removeprefix("docs/").replace(".ipynb", ".md")


def target_of(source: str, link: str) -> str | None:
    """The file of the repository that a link leads to; a folder is its README.md. None if there is none."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if (ROOT / path).is_dir():
        path = posixpath.join(path, "README.md")
    return path if not path.startswith("..") and (ROOT / path).is_file() else None


def on_files(files: Files, config: Any) -> Files:
    """Adds all files that pages link to, and the pages among them with their links."""
    seen = {repository_path(file.src_uri) for file in files}
    files.append(File.generated(config, config["theme"]["logo"], abs_src_path=str(ROOT / _ICON)))
    waiting = [*_FIRST, *seen]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            if path.endswith(".ipynb"):
                for name, content in notebook_files(path).items():
                    files.append(File.generated(config, name, content=content))
            else:
                files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
        if path.endswith((".md", ".ipynb")):
            text = page_text(path)
            targets = (target_of(path, match["target"]) for match in _LINK.finditer(text))
            waiting += [target for target in targets if target is not None and target not in seen]
    return files


def page_text(path: str) -> str:
    """The Markdown of a page, or of a notebook with its outputs."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return notebook_page(path) if path.endswith(".ipynb") else text


def notebook_page(path: str) -> str:
    """A notebook as Markdown: text, code, what it printed, and its pictures as files beside the page."""
    parts, pictures = [], 0
    for cell in json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"]).strip("\n")
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            if _has_picture(output):
                pictures += 1
                parts.append(f"![Output]({_picture(path, pictures)}){{.notebook-output}}")
            else:
                text = "".join(output.get("text") or output["data"]["text/plain"]).rstrip()
                parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def notebook_files(path: str) -> dict[str, str]:
    """The files of a notebook's page by their names on the site: the page, its pictures and the notebook."""
    content = (ROOT / path).read_text(encoding="utf-8")
    outputs = [output for cell in json.loads(content)["cells"] for output in cell.get("outputs", ())]
    pictures = [output["data"]["image/svg+xml"] for output in outputs if _has_picture(output)]
    folder = posixpath.dirname(path)
    files = {f"{folder}/{_picture(path, i)}": "".join(svg) for i, svg in enumerate(pictures, 1)}
    return {site_path(path): notebook_page(path), path: content, **files}


def _has_picture(output: dict[str, Any]) -> bool:
    return "image/svg+xml" in output.get("data", {})


def _picture(path: str, number: int) -> str:
    return f"{posixpath.basename(path).removesuffix('.ipynb')}-{number}.svg"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrites the links of a page to the site's paths. Links whose text is a path get the page's title."""
    here = page.file.src_uri
    source = repository_path(here)

    def rewritten(match: re.Match[str]) -> str:
        target = target_of(source, match["target"])
        if target is None:
            return match[0]
        link = posixpath.relpath(site_path(target), posixpath.dirname(here) or ".")
        text = match["text"] or ""
        if target.endswith(".md") and _PATH.fullmatch(text[1:]):
            title = _TITLE.search(page_text(target))
            text = text if title is None else f"[{title[1]}"
        return f"{text}{match['before']}{link}{match['anchor'] or ''}{match['after']}"

    text = _LINK.sub(rewritten, markdown)
    if source == "README.md":
        page.meta["hide"] = ["navigation"]  # it would list this page alone
    if source.endswith(".ipynb"):
        text += f"\n[This notebook as a file]({posixpath.basename(source)})\n"
    return text


def on_page_content(html: str, **_: Any) -> str:
    """Keeps the words of code in a line of text whole: browsers would break `--level` after its hyphens."""

    def whole(code: re.Match[str]) -> str:
        return f"<code>{_HYPHENATED.sub(_WHOLE_WORD, code['text'])}</code>"

    return _INLINE_CODE.sub(whole, html)
