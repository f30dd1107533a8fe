"""What every answer says to the browser: nothing from elsewhere, nothing kept, nothing framed."""

from __future__ import annotations

from fastapi import Response

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
# A report has a policy of its own in its head, which allows its script by its digest.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer" a form would have no origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SAFE = ("GET", "HEAD")


def secured(answer: Response) -> Response:
    """An answer with these headers, where it has none of its own."""
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    return answer
