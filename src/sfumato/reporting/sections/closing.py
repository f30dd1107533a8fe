"""The end of the report: settings, how to make it again, a place to sign, and what the words mean."""

from __future__ import annotations

import re

from sfumato.reporting.definitions import PLAIN_LOSSES, PLAIN_WORDS, loss_formula, model_definition
from sfumato.reporting.document import Report
from sfumato.reporting.markup import Cell, Html, code, joined, listed, paragraphs, table, tag, text, void

NOT_KEPT = (
    "The certificate does not keep everything: the original table, the schema’s file, and options such as --population, --prior, "
    "--sensitive, --budget or --split are yours to add. Words in capitals stand for what this report was not told."
)


def settings(report: Report) -> Html:
    """The settings that matter."""
    rows: list[tuple[Cell, ...]] = [(name, code(told) if "digest" in name else told) for name, told in report.settings.items()]
    return joined([tag("h2", "Settings"), table("Settings that matter", [], rows, name="settings-table")])


def again(report: Report) -> Html:
    """The commands."""
    parts = [tag("h2", "How to make it again"), paragraphs(NOT_KEPT)]
    if not report.facts.certified:
        parts.append(paragraphs("How the file was made is not known: there is no certificate."))
    elif report.gone.classes and not any(name.startswith("search") for name in report.settings):
        parts.append(paragraphs("Classes were suppressed by their number, in Python; the certificate does not say which."))
    return joined([*parts, *(_command(command) for command in report.commands)])


def _command(command: str) -> Html:
    """A command that is broken between its words only."""
    return tag("pre", tag("code", joined((tag("span", word, class_="word") for word in command.split(" ")), " ")))


def signature(report: Report) -> Html:
    """Name, date, remarks, and a line to sign on. The digest says which file is meant."""
    facts = report.facts
    digest = [" with the digest ", code(facts.sha256)] if facts.sha256 else []
    meant = joined(["I have read this report on ", code(facts.file), *digest, "."])
    fields = tag(
        "div",
        tag("label", "Name", void("input", type="text", autocomplete="name", id="sign-name"), for_="sign-name"),
        tag("label", "Date", void("input", type="text", autocomplete="off", id="sign-date"), for_="sign-date"),
        tag("label", "Remarks", tag("textarea", "", rows="4", id="sign-remarks"), for_="sign-remarks", class_="wide"),
        tag("div", "Signature", class_="line wide"),
        class_="sign",
    )
    note = "What is typed here is not kept in this file: print the page, or save it as PDF."
    return joined([tag("h2", "Signature"), paragraphs(meant), fields, tag("p", note, class_="soft")])


def definitions(report: Report) -> Html:
    """Models, losses and words: only those that occur above."""
    models = dict.fromkeys(judgment.model.partition(":")[0] for judgment in report.judgments)
    losses = dict.fromkeys(name for learned in report.learned for name in learned.losses)
    names = [*losses, *report.information]
    parts = [tag("h2", "Definitions")]
    if models:
        parts += [tag("h3", "Models"), _terms(joined(_model(name) for name in models))]
    if names:
        parts += [tag("h3", "Losses"), tag("p", "a is the prior, x the posterior of a class, H the entropy in bits.")]
        parts.append(_terms(joined(_loss(name) for name in names)))
    words = joined(_term(f"word-{word.replace(' ', '-')}", word, tag("p", meaning)) for word, meaning in PLAIN_WORDS.items())
    return joined([*parts, tag("h3", "Words"), _terms(words)])


def _terms(inner: Html) -> Html:
    return tag("dl", inner, class_="terms")


def _term(name: str, shown: Cell, *told: Html) -> Html:
    return joined([tag("dt", shown, id=name), tag("dd", *told)])


def _model(name: str) -> Html:
    about = model_definition(name)
    stops = listed(about.stops) if about.stops else tag("p", "It stops no attack: it bounds what a release may cost.")
    told = [tag("p", _marked(about.says))]
    told += [tag("p", "It claims to stop:"), stops] if about.stops else [stops]
    told += [tag("p", tag("strong", f"{lead}: ") if lead else "", _marked(part)) for lead, part in about.parts]
    return _term(f"model-{name}", code(about.written), *told)


def _loss(name: str) -> Html:
    told = [tag("p", PLAIN_LOSSES[name])] if name in PLAIN_LOSSES else []
    if formula := loss_formula(name):
        told.append(tag("p", code(formula[0]), f" ({formula[1]})", class_="soft"))
    return _term(f"loss-{name}", code(name), *told)


def _marked(shown: str) -> Html:
    """A docstring's backticks as code."""
    return Html(re.sub(r"`([^`]+)`", r"<code>\1</code>", text(shown)))
