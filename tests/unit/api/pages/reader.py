"""Reads a page as a browser or a screen reader would, as far as the tests ask: elements, anchors, links, marked text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "input", "img"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, *tags: str) -> list["Element"]:
        found = [self] if self.tag in tags else []
        return found + [one for child in self.children for one in child.all(*tags)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data


def read_page(html: str) -> Element:
    """The tree of a page. Fails where elements are not closed in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert [element.tag for element in reader._open] == ["document"]
    return reader.root


def anchors(page: Element) -> set[str]:
    return {str(one.attributes["id"]) for one in walk(page) if "id" in one.attributes}


def links(page: Element) -> list[str]:
    return [str(one.attributes["href"]) for one in page.all("a", "link")]


def walk(element: Element) -> list[Element]:
    return [element, *(one for child in element.children for one in walk(child))]
