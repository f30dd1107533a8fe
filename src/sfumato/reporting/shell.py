"""The frame of every page: one file whose content policy allows its own style and script, and loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from sfumato.reporting.markup import Html, tag, void


def document(title: str, style: str, script: str, body: Sequence[Html]) -> str:
    """A whole page, with the script at its end."""
    shown = tag("body", *body, tag("script", Html(script)))
    return "<!DOCTYPE html>\n" + tag("html", _head(title, style, script), shown, lang="en") + "\n"


def _head(title: str, style: str, script: str) -> Html:
    """The policy allows the style and the script by their digests; nothing else runs, and nothing is loaded."""
    allowed = f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        void("meta", charset="utf-8"),
        void("meta", http_equiv="Content-Security-Policy", content=policy),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Html(style)),
    )


def _digest(inline: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
