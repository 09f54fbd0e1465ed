"""Markdown, as the generated pages have it."""

import re
from collections.abc import Iterable, Sequence

#: First line of every generated page.
NOTICE = "<!-- Generated from the code by docs/generate.py (make docs). Do not edit. -->"

_UNANCHORED = re.compile(r"[^\w\- ]")


def page(title: str, *blocks: str) -> str:
    """A page: blocks with an empty line between them."""
    return (
        "\n\n".join([NOTICE, f"# {title}", *(block.strip("\n") for block in blocks if block.strip())]) + "\n"
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, without the columns that have nothing in any row; "" without rows."""
    cells = [[_cell(value) for value in row] for row in rows]
    filled = [index for index in range(len(columns)) if any(row[index] for row in cells)]
    if not filled:
        return ""
    lines = [[columns[index] for index in filled], ["---"] * len(filled)]
    lines += [[row[index] for index in filled] for row in cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(value: object) -> str:
    """Inline code."""
    return f"`{value}`"


def fenced(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text.strip(chr(10))}\n```"


def anchor(heading: str) -> str:
    """The fragment by which a heading is linked to."""
    return "#" + _UNANCHORED.sub("", heading.lower()).replace(" ", "-")


def sentence(text: str) -> str:
    """`text` with a full stop, whether it came with one or not."""
    return text if text.endswith((".", "!", "?", ":")) else text + "."


def _cell(value: str) -> str:
    return " ".join(value.split()).replace("|", "\\|")
