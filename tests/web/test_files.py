"""The files of the dashboard: vendored as listed, small, and with nothing from elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tacit.doors.web.app import STATIC
from tacit.doors.web.render import TEMPLATES
from tools import vendor_web

MOST_BYTES = 200_000


def ours() -> dict[str, str]:
    """Return the texts of the templates, scripts and styles that are our own."""
    paths = [*TEMPLATES.glob("*.html"), *(one for one in STATIC.glob("*") if one.is_file())]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def test_vendored_files_are_those_of_the_list(figures):
    """Each file has the hash that was noted when it was taken, its version and its licence."""
    total = sum(path.stat().st_size for path in vendor_web.TARGET.iterdir())
    listed = json.loads(vendor_web.LIST.read_text())["packages"]

    assert 0 == vendor_web.check()
    assert {name: part[:2] for name, part in vendor_web.PACKAGES.items()} == {
        one["package"]: (one["version"], one["licence"]) for one in listed
    }
    assert all(any(name.endswith(".LICENSE") for name in one["sha256"]) for one in listed)
    figures("vendored scripts and styles, bytes", total)
    assert total <= MOST_BYTES


def test_nothing_is_loaded_from_elsewhere():
    """No template, script or style of ours names another host."""
    wrong = {name: found for name, text in ours().items() if (found := re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text))}

    assert {"icon.svg": ["http://www.w3.org"], "graph.js": ["http://www.w3.org"]} == wrong


def test_no_template_has_a_script_or_a_style_of_its_own():
    """What the policy refuses is not even written."""
    inline = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|\|\s*safe|autoescape", re.I)

    assert {} == {name: found for name, text in ours().items() if (found := inline.findall(text))}


def test_every_form_that_posts_holds_its_token():
    forms = [
        (name, form)
        for name, text in ours().items()
        for form in re.findall(r'<form[^>]*method="post".*?</form>', text, re.S)
    ]

    assert len(forms) >= 15
    assert [] == [form for _name, form in forms if "csrf" not in form]


def test_scripts_put_texts_into_pages_as_text():
    """What a script was sent is never read as HTML."""
    scripts = {path.name: path.read_text() for path in Path(STATIC).glob("*.js")}

    assert {} == {
        n: f for n, s in scripts.items() if (f := re.findall(r"innerHTML|outerHTML|insertAdjacent|eval\(", s))
    }
