"""What was found, for those who look after accounts: in short, the path of the data, campaigns, alerts, bad addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.applications.ato.report.document import TakeoverReport
from sfumato.applications.ato.report.pictures import day_of, days_picture, path_picture
from sfumato.applications.ato.report.tables import numbers, share
from sfumato.errors import several
from sfumato.reporting.markup import Cell, Html, code, joined, listed, paragraphs, table, tag
from sfumato.reporting.svg import bars

_UNITS = {"a login": "sign-ins", "a day of one address": "days of an address", "a campaign": "campaigns"}
_KINDS = {
    "loud": "loud, from rented servers",
    "slow": "low and slow, from rented servers",
    "homes": "from homes that were taken over",
    "carriers": "through mobile carriers",
    "phished": "no guessing: the password came from elsewhere",
    None: "kind not known",
}


def summary(report: TakeoverReport) -> Html:
    """What matters, in a few sentences."""
    return joined([tag("h2", "In short"), listed(_sentences(report))])


def _sentences(report: TakeoverReport) -> Iterator[str]:
    found = report.detected
    yield (
        f"Of {several(report.events, 'sign-in')}, {found['suspicious']:,} ({share(found['suspicious'], report.events)}) are suspicious. "
        f"They come from {several(found['keys'], 'address', 'addresses')}, which form {several(found['campaigns'], 'campaign')}: "
        "groups of addresses that go after the same organizations in the same weeks."
    )
    if found["doubt"]:
        yield f"Read this with care: {found['doubt']}."
    unit = found["alerts"][-1]
    more = f"; {unit['left']:,} more do not fit" if unit["left"] else ""
    yield (
        f"Somebody who can look at {found['budget']:g} alerts a day, each about {unit['unit']}, gets "
        f"{several(unit['alerts'], 'alert')} in all{more}."
    )
    real = report.timeline["real"]
    if real is not None:
        attempts, met, takeovers, met_takeovers = (
            sum(row[name] for row in real["all"]) for name in ("Attempts", "Met", "Takeovers", "MetTakeovers")
        )
        honest = share(found["suspicious"] - met, found["suspicious"])
        yield (
            f"The truth of this log is known. {share(met, attempts)} of the {attempts:,} fraudulent sign-ins are suspicious, and "
            f"{share(met_takeovers, takeovers)} of the {takeovers:,} that got in. {honest} of what is suspicious is honest. "
            f"There really are {several(real['count'], 'campaign')}: what is detected as one may be a part of one, or several."
        )
    else:
        yield "What is really fraudulent is not known for these logs, so this page does not say how many alerts are right."


def path(report: TakeoverReport) -> Html:
    """The path of the data, with counts."""
    rows = list(_path(report))
    drawn = path_picture(
        "path-picture",
        "The path of the data",
        [(label, [(f"{count:,}", noun) for count, noun in counts]) for label, counts in rows],
    )
    lines = [(label, count, noun) for label, counts in rows for count, noun in counts]
    about = "Every sign-in is counted at its address, its subnet and its country. A few known addresses give every address a reputation, "
    about += "the reputation labels sign-ins, and labeled sign-ins train the detectors. The detector for addresses then scores all of them."
    parts = [tag("figure", drawn), table("The same in numbers", ["step", "count", "of"], lines, name="path-table")]
    return joined([tag("h2", "The path of the data"), paragraphs(about), tag("div", *parts, class_="two")])


def _path(report: TakeoverReport) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    rows, known, trained, found = report.features["rows"], report.reputation, report.trained, report.detected
    failed = sum(report.timeline["failed"])
    yield "sign-ins", [(report.events - failed, "right password"), (failed, "wrong or refused")]
    yield "counted at", [(rows["ip"], "addresses"), (rows["subnet"], "subnets"), (rows["country"], "countries")]
    yield "known addresses", [(known["known"][0], "bad"), (known["known"][1], "good")]
    yield "reputation of all", [(known["bad"], "bad addresses"), (known["good"], "good addresses")]
    yield "labeled sign-ins", [(trained.logins[0], "to train with"), (trained.logins[1], "to test with")]
    yield "detected", [(found["suspicious"], "sign-ins"), (found["keys"], "addresses"), (found["campaigns"], "campaigns")]
    yield (
        f"alerts, at most {found['budget']:g} a day",
        [(each["alerts"], _UNITS.get(each["unit"], each["unit"])) for each in found["alerts"]],
    )


def campaigns(report: TakeoverReport) -> Html:
    """When the campaigns were at work."""
    found, first = report.timeline["campaigns"], report.timeline["first"]
    parts: list[Cell] = [tag("h2", "Campaigns over time")]
    if not found:
        return joined([*parts, paragraphs("No address is suspicious, so there is no campaign.")])
    more = report.detected["campaigns"] - len(found)
    about = "Each strip is a campaign that was detected, each cell a day: the stronger its color, the more sign-ins failed. "
    about += "A campaign is numbered by its rank among all, by suspicious sign-ins."
    about += f" {several(more, 'smaller campaign')} {'is' if more == 1 else 'are'} not shown." if more else ""
    strips = [(str(each["campaign"]), each["days"], f"{sum(each['days']):,}") for each in found]
    drawn = days_picture(
        "found-days", "Failed sign-ins a day at the addresses of each campaign", "One strip per campaign.", first, strips
    )
    lines = [(each["campaign"], each["addresses"], each["logins"], each["right"], *_span(first, each["days"])) for each in found]
    heads = ["campaign", "addresses", "suspicious sign-ins", "with the right password", "first day", "last day"]
    parts += [
        paragraphs(about),
        tag("figure", drawn),
        numbers("Campaigns that were detected", heads, lines, "found-campaigns"),
    ]
    return joined([*parts, _real(report)])


def _span(first: str, days: list[int]) -> tuple[str | None, str | None]:
    """The first and the last day with a failure."""
    some = [place for place, count in enumerate(days) if count]
    return (day_of(first, some[0]), day_of(first, some[-1])) if some else (None, None)


def _real(report: TakeoverReport) -> Html:
    """The real campaigns, where they are known."""
    real = report.timeline["real"]
    if real is None:
        return Html("")
    parts: list[Cell] = [tag("h3", "The real campaigns")]
    strips = [
        (f"{row['Kind'] or ''} {row['Campaign']}", row["days"], share(row["Met"], row["Attempts"])) for row in real["largest"]
    ]
    about = (
        f"The log has {several(real['count'], 'campaign')}; here are the largest. At the right is the share of a campaign's sign-ins that "
        "is suspicious. Kind and number are those of the truth, and have nothing to do with the numbers above."
    )
    parts.append(paragraphs(about))
    if strips:
        title, first = "Sign-ins a day of each real campaign", report.timeline["first"]
        parts.append(tag("figure", days_picture("real-days", title, "One strip per campaign.", first, strips)))
    heads = ["how it works", "campaigns", "sign-ins", "suspicious", "got in", "of these suspicious"]
    parts.append(numbers("What was found of each kind of fraud", heads, _kinds(real["all"]), "kinds"))
    return joined(parts)


def _kinds(rows: list[dict[str, Any]]) -> Iterator[tuple[Cell, ...]]:
    for kind, words in _KINDS.items():
        own = [row for row in rows if row["Kind"] == kind]
        if own:
            attempts, met, takeovers, in_alerts = (
                sum(row[name] for row in own) for name in ("Attempts", "Met", "Takeovers", "MetTakeovers")
            )
            count = len(own) if kind != "phished" else None
            yield words, count, attempts, share(met, attempts), takeovers, share(in_alerts, takeovers)


def alerts(report: TakeoverReport) -> Html:
    """What a budget of alerts buys."""
    found = report.detected
    about = (
        f"Nobody can look at everything. With {found['budget']:g} alerts a day over {several(found['days'], 'day')}, those with the "
        "highest scores come first. An alert can be about one sign-in, one day of an address, or a whole campaign."
    )
    heads, rows = ["an alert is", "alerts", "a day", "left out", "lowest score"], []
    for each in found["alerts"]:
        row: tuple[Cell, ...] = (each["unit"], each["alerts"], f"{each['per_day']:.3g}", each["left"], each["threshold"])
        rows.append((*row, *(share(each[name]) for name in ("precision", "recall", "takeovers"))) if report.judged else row)
    heads += ["right", "fraud in alerts", "takeovers in alerts"] if report.judged else []
    parts: list[Cell] = [
        tag("h2", "Alerts within the budget"),
        paragraphs(about),
        numbers("Alerts", heads, rows, "alerts-table"),
    ]
    if report.judged:
        drawn = [(each["unit"], each["recall"] or 0.0, share(each["recall"])) for each in found["alerts"]]
        chart = bars(
            "alerts-recall", "Share of the fraudulent sign-ins that are in alerts", "One bar per kind of alert.", drawn, "share"
        )
        words = "Right: the share of alerts with a fraudulent sign-in in them. One loud address can fill a budget of sign-ins; a campaign "
        words += "is one alert, however large."
        parts += [tag("figure", chart, tag("figcaption", "Fraudulent sign-ins in alerts")), paragraphs(words)]
    reasons = [(reason, count) for reason, count in sorted(found["reasons"].items(), key=lambda each: -each[1])[:8]]
    if reasons:
        parts.append(
            table("Why addresses are suspicious: what raised the score most", ["reason", "addresses"], reasons, name="reasons")
        )
    return joined(parts)


def addresses(report: TakeoverReport) -> Html:
    """How addresses were judged."""
    record = report.reputation
    rows = [
        ("known", *record["known"]),
        ("that resemble those", *record["captured"]),
        ("by the rules", record["bad"], record["good"]),
    ]
    parts: list[Cell] = [
        tag("h2", "Which addresses are bad"),
        paragraphs(
            "The addresses that resemble a few known ones gave these rules. "
            "An address that meets one of them is bad; all others are good."
        ),
        listed(code(rule.removeprefix("Bad: ")) for rule in record["rules"]),
        paragraphs(
            f"Besides, an address is bad only if {record['always']}. Mistakes are those at the known good addresses, where at most "
            f"{share(record['honest_rate'])} of the sign-ins fail. This spares offices and carriers, which many honest people share, and "
            "whoever hides among them."
        ),
        table("Addresses", ["addresses", "bad", "good"], rows, name="addresses-table"),
    ]
    score = record["truth"]
    if score is not None:
        parts.append(
            paragraphs(
                f"Against the truth: {score['tp']:,} addresses of attackers were found, {score['fn']:,} were missed, and {score['fp']:,} "
                f"honest ones were called bad. That is {share(score['precision'])} right, and {share(score['recall'])} found. An address "
                "that tried few people is missed: whoever forgets a password looks the same."
            )
        )
    return joined(parts)
