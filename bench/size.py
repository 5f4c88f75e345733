"""Counts the lines and files of the package by subject: `python -m bench.size COMMIT ...`.

Lines are physical lines of Python below `src/sparring`, blank ones and docstrings included. The subjects are
what came after the redesign (commit 236d1311): the modules that are theirs alone, by the names below. What
they added to modules that were there before is in the rest.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch

SUBJECTS = {
    "reviews, mistakes, safer moves": (
        "measure/review*.py", "measure/mistakes.py", "measure/analysis.py", "measure/expectation.py",
        "measure/points.py", "chess/mistake_kinds.py", "chess/lines.py", "cli/review.py", "cli/safer.py",
        "server/safer.py",
    ),
    "teacher, deck, progress": ("server/teacher.py", "server/deck.py", "server/progress.py"),
    "problems and their ratings": (
        "chess/problem_finder.py", "chess/puzzle_*.py", "chess/commands.py", "go/problem_*.py",
        "measure/problems.py", "cli/problems.py",
    ),
    "history, pasting, persons, backup": (
        "server/history.py", "server/pasted.py", "server/person*.py", "cli/backup.py",
        "chess/opening_names.py",
    ),
    "launchers of levels, KataGo's analysis protocol": (
        "engines/guis.py", "cli/install.py", "go/analysis*.py", "go/commands.py",
    ),
    "browser edition": ("server/browser_site.py", "cli/browser.py"),
    "languages, styles of the opening": ("base/sentences.py", "shogi/opening_style.py"),
}  # fmt: skip
REST = "the rest"


def lines_by_file(commit: str) -> dict[str, int]:
    """The lines of each module of a commit."""
    listed = ["git", "grep", "-c", "", commit, "--", "src/sparring/*.py"]
    rows = subprocess.run(listed, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    counts = (row.split("src/sparring/")[1].rsplit(":", 1) for row in rows)
    return {path: int(count) for path, count in counts}


def subject_of(path: str) -> str:
    """The subject that a module belongs to."""
    names = (name for name, patterns in SUBJECTS.items() if any(fnmatch(path, one) for one in patterns))
    return next(names, REST)


def main() -> None:
    """Prints a table with a column for each commit."""
    commits = sys.argv[1:] or ["48d33646", "236d1311", "HEAD"]
    columns = []
    for commit in commits:
        sizes, files = Counter[str](), Counter[str]()
        for path, count in lines_by_file(commit).items():
            for name in (subject_of(path), "all"):
                sizes[name] += count
                files[name] += 1
        columns.append({name: f"{sizes[name]:,} ({files[name]})" if files[name] else "" for name in sizes})
    print("| lines (files) |", *(f"{commit} |" for commit in commits))
    print("|---|", *("---|" for _ in commits), sep="")
    for name in (*SUBJECTS, REST, "all"):
        print(f"| {name} |", *(f"{column.get(name, '')} |" for column in columns))


if __name__ == "__main__":
    main()
