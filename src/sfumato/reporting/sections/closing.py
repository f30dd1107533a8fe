"""The end of the report: settings, the commands to reproduce it, a place to sign, and definitions."""

from __future__ import annotations

import re

from sfumato.reporting.definitions import PLAIN_LOSSES, PLAIN_WORDS, READINGS, loss_formula, model_definition
from sfumato.reporting.document import Report
from sfumato.reporting.markup import Cell, Html, code, joined, listed, paragraphs, table, tag, text, void, with_options

SEARCH_SETTINGS = {
    "search: minimize": "search: loss to minimize",
    "search: nodes": "search: nodes in the lattice",
    "search: visited": "search: nodes evaluated",
    "search: limit": "search: people who may be suppressed",
}
AGAIN_TITLE = "How to reproduce the release"
NOT_KEPT = (
    "The certificate does not record everything. Supply the original table and the schema file, and add options such as "
    "--population, --prior, --sensitive, --budget or --split if you used them. Words in capitals stand for names that this report "
    "does not know."
)


def settings(report: Report) -> Html:
    """The settings that affect the results."""
    rows: list[tuple[Cell, ...]] = [
        (SEARCH_SETTINGS.get(name, name), code(value) if "digest" in name else value) for name, value in report.settings.items()
    ]
    return table("Settings that affect the results", [], rows, name="settings-table")


def again(report: Report) -> Html:
    """The commands."""
    parts = [paragraphs(with_options(NOT_KEPT))]
    if not report.facts.certified:
        parts.append(paragraphs("How the file was made is not known: there is no certificate."))
    elif report.suppressed.classes and not any(name.startswith("search") for name in report.settings):
        parts.append(paragraphs("Classes were suppressed by number, in Python. The certificate does not record which."))
    return joined([*parts, *(_command(command) for command in report.commands)])


def _command(command: str) -> Html:
    """A command; a line breaks only before an option."""
    return tag("pre", tag("code", joined((tag("span", part, class_="word") for part in re.split(r" (?=-)", command)), " ")))


def signature(report: Report) -> Html:
    """Name, date, remarks, and a line to sign on. The digest identifies the file."""
    facts = report.facts
    digest = [" with the digest ", code(facts.sha256)] if facts.sha256 else []
    statement = joined(["I have read this report on ", code(facts.file), *digest, "."])
    fields = tag(
        "div",
        tag("label", "Name", void("input", type="text", autocomplete="name", id="sign-name"), for_="sign-name"),
        tag("label", "Date", void("input", type="text", autocomplete="off", id="sign-date"), for_="sign-date"),
        tag("label", "Remarks", tag("textarea", "", rows="4", id="sign-remarks"), for_="sign-remarks", class_="wide"),
        tag("div", "Signature", class_="line wide"),
        class_="sign",
    )
    note = "This file does not keep what you type here. Print the page or save it as PDF."
    return joined([tag("h2", "Signature"), paragraphs(statement), fields, tag("p", note, class_="soft")])


def definitions(report: Report) -> Html:
    """The models, losses and terms that occur above."""
    models = dict.fromkeys(judgment.model.partition(":")[0] for judgment in report.judgments)
    losses = dict.fromkeys(name for each in report.findings for name in each.losses)
    names = [*losses, *report.information]
    parts = []
    if models:
        parts += [tag("h4", "Models"), _terms(joined(_model(name) for name in models))]
    if names:
        parts += [
            tag("h4", "Losses"),
            tag("p", "In the formulas, a is the prior, x the posterior of a class, and H the entropy in bits."),
        ]
        parts.append(_terms(joined(_loss(name) for name in names)))
    words = joined(_term(f"word-{word.replace(' ', '-')}", word, tag("p", meaning)) for word, meaning in PLAIN_WORDS.items())
    return joined([*parts, tag("h4", "Terms"), _terms(words)])


def _terms(inner: Html) -> Html:
    return tag("dl", inner, class_="terms")


def _term(name: str, shown: Cell, *body: Html) -> Html:
    return joined([tag("dt", shown, id=name), tag("dd", *body)])


def _model(name: str) -> Html:
    about = model_definition(name)
    stops = listed(about.stops) if about.stops else tag("p", "It stops no attack. It limits what a release may cost.")
    body = [tag("p", _marked(about.summary))]
    body += [tag("p", "It claims to stop:"), stops] if about.stops else [stops]
    body += [tag("p", tag("strong", f"{lead}: ") if lead else "", _marked(part)) for lead, part in about.parts]
    return _term(f"model-{name}", code(about.notation), *body)


def _loss(name: str) -> Html:
    body = [tag("p", PLAIN_LOSSES[name])] if name in PLAIN_LOSSES else []
    if reading := READINGS.get(name):
        body.append(tag("p", f"Lower is better. {reading.zero}; {reading.worst}."))
    if formula := loss_formula(name):
        body.append(tag("p", code(formula[0]), f" ({formula[1]})", class_="soft"))
    return _term(f"loss-{name}", code(name), *body)


def _marked(shown: str) -> Html:
    """A docstring's backticks as code."""
    return Html(re.sub(r"`([^`]+)`", r"<code>\1</code>", text(shown)))
