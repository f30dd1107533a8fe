"""What the detectors know and what data give away, for those who look after data: Tables 5.4 to 5.6 and Figures 5.4 to 5.6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.applications.ato.events import FLAG, LEVELS
from sfumato.applications.ato.report.document import TakeoverReport
from sfumato.applications.ato.report.tables import numbers, share
from sfumato.applications.ato.training import exhibits
from sfumato.reporting.markup import Cell, Html, joined, listed, paragraphs, shown, table, tag
from sfumato.reporting.svg import bars
from sfumato.results import Rows

_PLACES = {"ip": "address", "subnet": "subnet", "country": "country"}
_WORDS = {
    "sign-in": "one attempt to sign in, whether it succeeded or not",
    "suspicious": "the detector gives it a score above 0.5, from 0 to 1",
    "campaign": "addresses that try people of the same organizations in the same weeks",
    "takeover": "a fraudulent sign-in that got in",
    "bad and good sign-ins": "bad means that the password was wrong or the account refused; a right password counts as good, even if a "
    "second factor then stopped it",
    "subnet": "the /24 of an IPv4 address, the /64 of an IPv6 address",
    "precision, recall": "the share of positive decisions that are right; the share of positives that were found",
    "privacy loss ε, α": "how far the share of fraudulent sign-ins in a class is from that of all (distribution loss ε), and how much less "
    "uncertain it is (entropy loss α, in bits). A class is an address, a subnet or a country; 0 means that it tells nothing",
    "utility loss": "the share of the original detector's accuracy that is lost",
}


def _shown(caption: str, rows: Rows, name: str) -> Html:
    return numbers(caption, rows.heads, rows.rows, name)


def _both(rows: Rows) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
    return rows.heads, rows.rows


def decisions(report: TakeoverReport) -> Html:
    """Tables 5.4 and 5.5."""
    found = report.trained
    about = (
        f"A random forest ({found.settings}) was trained three times on the same {found.logins[0]:,} sign-ins: with what is known of the "
        "address, of the subnet, and of the country. Here is how each decides the "
        f"{found.logins[1]:,} sign-ins that it was not trained with. The thesis had other logs, which are private: its values are beside "
        "ours for comparison, and need not agree."
    )
    really = found.majority(truth=True)
    by_truth = "" if really is None else f", and by the truth for {share(really)}"
    baseline = (
        f"A detector that always says 'legitimate' would by label be right for {share(found.majority())} of them{by_truth}. Labels derive "
        "from the addresses' features, so a detector that has these finds the labels again; its accuracy by label is no proof."
    )
    parts = [
        tag("h2", "How the detectors decide"),
        paragraphs(about),
        table("Table 5.4: what each detector sees", *_both(exhibits.table_5_4()), name="table-5-4"),
        _shown("Table 5.5: decisions by label (positive: fraudulent)", exhibits.table_5_5(found), "table-5-5"),
    ]
    truth = exhibits.table_5_5_by_truth(found)
    parts += [] if truth is None else [_shown("The same decisions by the truth", truth, "table-5-5-truth")]
    return joined([*parts, paragraphs(baseline)])


def importances(report: TakeoverReport) -> Html:
    """Figures 5.4 to 5.6."""
    figures = []
    for number, (level, variant) in enumerate(report.trained.variants.items(), start=4):
        title = f"Figure 5.{number}: what decides, by {_PLACES[level]}"
        lines = [(name, value, f"{value:.2f}") for name, value in variant.importances().items()]
        drawn = bars(f"importances-{level}", title, "One bar per feature; together they are 1.", lines, "importance")
        figures.append(tag("figure", drawn, tag("figcaption", title)))
    address, subnet, country = (variant.importances()[FLAG] for variant in report.trained.variants.values())
    about = (
        "How much each feature contributes to the decisions of a detector; all features together are 1. UserAgentFlag says that a sign-in "
        f"used a program that attackers use. Its importance is {address:.3f} by address, {subnet:.3f} by subnet, {country:.3f} by country."
    )
    shares = exhibits.importances(report.trained)
    rows = [(name, *(f"{value:.3f}" for value in values)) for name, *values in shares.rows]
    numbered = numbers("Importances, under the names of the original features", shares.heads, rows, "importances-table")
    return joined([tag("h2", "What decides"), paragraphs(about), tag("div", *figures, class_="two"), numbered])


def losses(report: TakeoverReport) -> Html:
    """Table 5.6, a chart of the mean losses, and whether the pattern of the thesis shows."""
    found = report.trained
    about = (
        "Logs can be passed on with subnets or countries in place of addresses. This is what somebody still learns about which sign-ins "
        "are fraudulent, and what a detector trained on such logs loses. Lower is better in both."
    )
    rows = []
    for level in LEVELS:
        epsilon, alpha = found.variants[level].losses.pair("people_mean")
        rows += [(f"{_PLACES[level]}: ε", epsilon, f"{epsilon:.3f}"), (f"{_PLACES[level]}: α", alpha, f"{alpha:.3f}")]
    drawn = bars(
        "losses-mean", "Mean privacy loss over sign-ins", "Two bars per level: distribution loss ε, entropy loss α.", rows, "loss"
    )
    cost = [(_PLACES[level], found.utility_loss(level) or 0.0, share(found.utility_loss(level))) for level in LEVELS]
    costs = bars("losses-utility", "Utility loss", "One bar per level.", cost, "share of the accuracy")
    figures = [
        tag("figure", drawn, tag("figcaption", "Mean privacy loss over sign-ins")),
        tag("figure", costs, tag("figcaption", "Utility loss: accuracy that the detector loses")),
    ]
    claims = [f"{claim}: {'yes' if holds else 'no'}" for claim, holds in exhibits.pattern(found).items()]
    return joined(
        [
            tag("h2", "What the data give away, and what hiding it costs"),
            paragraphs(about),
            tag("div", *figures, class_="two"),
            _shown("Table 5.6: privacy losses of Fraudulence and utility losses", exhibits.table_5_6(found), "table-5-6"),
            paragraphs("Does the pattern of the thesis show here, from address to subnet to country?"),
            listed(claims),
        ]
    )


def settings(report: TakeoverReport) -> Html:
    """What the page can be made again with."""
    log = report.log
    rows: list[tuple[Cell, ...]] = [("log", "generated, with a known truth" if log else "as it was given")]
    rows += [(f"log: {name}", shown(value)) for name, value in log.items()]
    rows += [
        (name, value if isinstance(value, str) else shown(value))
        for name, value in report.plan.items()
        if not (name == "seed" and log)
    ]
    parts = [tag("h2", "How to make it again"), table("Settings", ["setting", "value"], rows, name="settings-table")]
    return joined([*parts, tag("pre", tag("code", joined((tag("span", part, class_="word") for part in _command(report)), " ")))])


def _command(report: TakeoverReport) -> Iterator[str]:
    plan, log = report.plan, report.log
    yield "sfumato ato run"
    yield "-o FOLDER"
    if log:
        yield f"--rows {log['rows']}"
        yield from (f"--days {log[name]}" for name in ("days",) if name in log)
    else:
        yield "LOGS --bad BAD --good GOOD"
        yield from ("--truth TRUTH" for _ in range(int(report.judged)))
    yield from (f"--{name} {plan[name]}" for name in ("seed", "grid", "legitimate", "fraudulent"))
    yield f"--budget {plan['budget']:g}"


def words(report: TakeoverReport) -> Html:
    """The words of the page."""
    terms = joined(joined([tag("dt", word), tag("dd", meaning)]) for word, meaning in _WORDS.items())
    return joined([tag("h2", "Words"), tag("dl", terms, class_="terms")])
