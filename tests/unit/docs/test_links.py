"""Every relative link in a Markdown file leads somewhere."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Folders that hold what is not ours.
FOREIGN = {"node_modules", "build", "dist"}

_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def pages(repository: Path) -> Iterator[Path]:
    for folder, below, files in os.walk(repository):
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in FOREIGN)
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(".md"))


def links(text: str) -> Iterator[str]:
    # Brackets within code are no links; those round code are.
    for inline, reference in _LINK.findall(_CODE.sub("code", text)):
        yield inline or reference


def anchors(text: str) -> set[str]:
    """Fragments of a page's headings, as GitHub makes them."""
    found: dict[str, int] = {}
    fragments = set()
    without_blocks = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in _HEADING.findall(without_blocks):
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        number = found[name] = found.get(name, -1) + 1
        fragments.add(f"{name}-{number}" if number else name)
    return fragments


def test_relative_links_lead_somewhere(repository: Path) -> None:
    broken = []
    for page in pages(repository):
        for link in links(page.read_text(encoding="utf-8")):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            missing = not target.exists() or (
                parts.fragment
                and target.suffix == ".md"
                and unquote(parts.fragment) not in anchors(target.read_text(encoding="utf-8"))
            )
            if missing:
                broken.append(f"{page.relative_to(repository)}: {link}")
    assert not broken, "\n".join(broken)


def test_a_link_is_found_and_code_is_not() -> None:
    text = "see [a](b.md#c) and `[x](y)`\n\n```\n[z](w)\n```\n![i](pic.png) [`code`](d.md)\n"
    assert list(links(text)) == ["b.md#c", "pic.png", "d.md"]


def test_anchors_are_those_of_the_headings() -> None:
    text = "# A b\n\n## `server.port`\n\n## A b\n\n```\n# no\n```\n"
    assert anchors(text) == {"a-b", "serverport", "a-b-1"}
