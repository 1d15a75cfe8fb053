"""matplotlib's SVG made fit for a page: text alternative, theme colours, no clashing ids."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from report.page.draw import PALETTE
from report.text import one_line

_KEPT_IN_TEXT = ("font-size", "text-anchor", "fill", "opacity")
_LINES = "stroke-linejoin:round;stroke-linecap:butt"
_THEME = {colour: f"var(--{name})" for name, colour in PALETTE.items()} | {
    "#ffffff": "var(--paper)"
}


def inline(raw: str, *, name: str, title: str, description: str) -> str:
    """An ``<svg>`` element for an HTML page.

    Args:
        raw: what ``draw.svg`` gave.
        name: unique in the page; ids of the element start with it.
        title: its name for those who do not see it.
        description: what it shows, in words.
    """
    root = _accessible(raw, name, title, description)
    for element in root.iter():
        if "style" in element.attrib:
            element.attrib["style"] = _themed(element.attrib["style"])
    return ET.tostring(root, encoding="unicode")


def standalone(raw: str, *, name: str, title: str, description: str) -> str:
    """An SVG file on white."""
    root = _accessible(raw, name, title, description)
    root.attrib["xmlns"] = "http://www.w3.org/2000/svg"
    root.insert(2, ET.Element("rect", {"width": "100%", "height": "100%", "fill": "#ffffff"}))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _accessible(raw: str, name: str, title: str, description: str) -> ET.Element:
    root = ET.fromstring(raw.split("?>", 1)[-1].strip())  # noqa: S314 - matplotlib wrote it
    for element in root.iter():
        _plain(element)
    _drop_page_wide_style(root)
    _rename_ids(root, name)
    ids = {"title": f"{name}-title", "desc": f"{name}-desc"}
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        child = ET.Element(tag, {"id": ids[tag]})
        child.text = one_line(text)
        root.insert(position, child)
    box = root.attrib["viewBox"].split()
    root.attrib.clear()
    root.attrib |= {"viewBox": " ".join(box), "width": box[2], "height": box[3], "role": "img",
                    "style": _LINES, "aria-labelledby": " ".join(ids.values())}  # fmt: skip
    return root


def _plain(element: ET.Element) -> None:
    """Drop namespaces, line breaks in paths and what the page's own font decides."""
    element.tag = element.tag.rpartition("}")[2]
    element.tail = None
    if element.tag != "text":
        element.text = None
    for key, value in list(element.attrib.items()):
        del element.attrib[key]
        element.attrib[key.rpartition("}")[2]] = " ".join(value.split())
    if element.tag == "text":
        rules = [rule.strip() for rule in element.attrib.get("style", "").split(";")]
        kept = [rule for rule in rules if rule.split(":")[0] in _KEPT_IN_TEXT]
        element.attrib["style"] = "; ".join(["font-family: sans-serif", *kept])
        element.attrib.pop("transform", None)


def _drop_page_wide_style(root: ET.Element) -> None:
    for parent in list(root):
        if parent.tag == "defs":
            for child in [child for child in parent if child.tag == "style"]:
                parent.remove(child)


def _rename_ids(root: ET.Element, name: str) -> None:
    used = {value[1:] for e in root.iter() for key, value in e.attrib.items() if key == "href"}
    for element in root.iter():
        found = element.attrib.get("id")
        if found in used:
            element.attrib["id"] = f"{name}-{found}"
        elif found and element.tag != "clipPath":
            del element.attrib["id"]
        if "href" in element.attrib:
            element.attrib["href"] = f"#{name}-{element.attrib['href'][1:]}"
        if element.tag == "clipPath":
            element.attrib["id"] = f"{name}-{found}"
        clip = element.attrib.get("clip-path", "")
        if clip.startswith("url(#"):
            element.attrib["clip-path"] = f"url(#{name}-{clip[5:]}"


def _themed(style: str) -> str:
    for colour, variable in _THEME.items():
        style = style.replace(colour, variable)
    return style
