"""Sign-in logs and what detectors decide: thesis, Tables 5.1 to 5.5.

What follows from printed counts is compared digit by digit. What rests on the thesis's private logs cannot agree in value, only in
pattern, and both are shown.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.events import EVENTS, FEATURES, LEVELS
from sfumato.applications.ato.forest.model import heads
from sfumato.applications.ato.generating.parameters import DEFAULT
from sfumato.applications.ato.training import Labelled
from sfumato.applications.ato.training.exhibits import PRINTED_COUNTS, PRINTED_SHARES, table_5_4, table_5_5, table_5_5_by_truth
from sfumato.results import Rows
from sfumato_studies.comparing import claim, count, number
from sfumato_studies.exhibit import Compared, Contents, exhibit
from sfumato_studies.takeovers import FRAUDULENT, LEGITIMATE, PRINTED_SPLIT, ROWS, SEED, TITLES, Experiment, experiment

DECISIONS = "thesis, Table 5.5"
SHARES = ("precision", "recall", "accuracy")
PRIVATE = "the thesis's logs are private, and ours is another"
_CHANCE = "private logs; labels derive from the features of the address, and a detector that has them misses few by chance"
_MISSING = "erratum: 22 fraudulent test logins are missing in this column"
_ROTATED = f"private logs: in ours {DEFAULT.fraud:.0%} of the logins are attempts of attackers, who rotate their addresses"
# Thesis, Tables 5.2 and 5.3: the columns of the log, and those of an address. Ours are called ClientIP, as in Table 5.1, and Key.
_LOG = ("UserId", "OrganizationId", "CreationTime", "UserAgent", "Operation", "ClientIP", "Country")
_STEMS, _FLAG = ("BadLogins", "GoodLogins", "BadUsers", "GoodUsers", "BadOrgs", "GoodOrgs"), "UserAgentFlag"
_ADDRESS = (*(f"IP{stem}" for stem in _STEMS), _FLAG)


@exhibit(
    "thesis-table-5.3",
    "thesis-table-5.1",
    "thesis-table-5.2",
    source="thesis, Tables 5.1 to 5.3 and 5.7.4",
    title="Sign-in logs: what a login, an address and a labeled login are",
)
def logs() -> Contents:
    """The columns of the three datasets, their sizes, and the split."""
    made = experiment()
    train, test = _printed_split()
    log, address = "thesis, Tables 5.1 and 5.2", "thesis, Table 5.3"
    return Contents(
        "A log becomes a table of addresses, a few known addresses become a reputation for all, and the reputation labels the logins.",
        (
            claim("columns of the log", log, ", ".join(_LOG), _present(_LOG, EVENTS.names), set(_LOG) <= set(EVENTS.names)),
            claim(
                "columns of an address",
                address,
                ", ".join(_ADDRESS),
                _present(_ADDRESS, FEATURES.names),
                [*FEATURES.names[1:]] == [*_ADDRESS],
            ),
            count("logins to train with, of as many as in the thesis", "thesis, 5.7.4", PRINTED_SPLIT[0], train),
            count("logins to test with, of as many as in the thesis", "thesis, 5.7.4", PRINTED_SPLIT[1], test),
            number("bad addresses in %", "thesis, 5.7.4", "0.2", 100 * made.bad / made.addresses, _ROTATED),
        ),
        table=_sizes(made),
        note=f"Our log is of `sfumato ato generate`, {ROWS:,} logins with seed {SEED}; the exhibits of chapter 5 share it. The thesis "
        f"rounds the sizes of its labeled data to 1M and 0.13M. Its split and the counts of Table 5.5 give {LEGITIMATE:,} and "
        f"{FRAUDULENT:,}, and ours are drawn in that proportion.",
    )


def _present(names: tuple[str, ...], columns: list[str]) -> str:
    return f"{sum(name in columns for name in names)} of these {len(names)}"


def _printed_split() -> tuple[int, int]:
    """How many logins our split trains and tests with, of as many as the thesis has."""
    labels = np.arange(LEGITIMATE + FRAUDULENT) >= LEGITIMATE
    train, test = Labelled({}, {}, labels).split(SEED)
    return len(train), len(test)


def _sizes(made: Experiment) -> Rows:
    labelled, fraudulent = len(made.logins.fraudulent), int(made.logins.fraudulent.sum())
    rows = (
        ("logins", "700M", ROWS),
        ("addresses", "8M", made.addresses),
        ("bad addresses", "16K", made.bad),
        ("labeled legitimate", f"{LEGITIMATE:,}", labelled - fraudulent),
        ("labeled fraudulent", f"{FRAUDULENT:,}", fraudulent),
    )
    return Rows(("dataset", "thesis", "ours"), rows)


@exhibit("thesis-table-5.4", source="thesis, Table 5.4", title="The features of a login by address, by subnet and by country")
def feature_sets() -> Contents:
    """The names of the features."""
    prefixes = {"ip": "IP", "subnet": "Subnet", "country": "Country"}
    printed = {level: (*(f"{prefix}{stem}" for stem in _STEMS), _FLAG) for level, prefix in prefixes.items()}
    return Contents(
        "Generalization counts more logins together; the flag of the user agent remains the login's own.",
        tuple(
            claim(
                f"features, {TITLES[level]}",
                "thesis, Table 5.4",
                ", ".join(names),
                ", ".join(heads(level)),
                names == heads(level),
            )
            for level, names in printed.items()
        ),
        table=table_5_4(),
    )


@exhibit(
    "thesis-table-5.5", source="thesis, Table 5.5 and 5.7.5", title="What detectors decide by address, by subnet and by country"
)
def decisions() -> Contents:
    """Confusion matrices: what the printed counts give, the pattern, and our values."""
    made = experiment()
    return Contents(
        "Detectors that know only the subnet or the country of a login decide worse than one that knows its address.",
        (*_arithmetic(), *_pattern(made), *_values(made)),
        table=table_5_5(made.trained),
        note=_note(made),
    )


def _arithmetic() -> list[Compared]:
    """The shares that follow from the printed counts, and how many logins these are."""
    rows = []
    for level, title in TITLES.items():
        printed = Confusion(*PRINTED_COUNTS[level])
        rows.append(count(f"test logins, {title}, as printed", DECISIONS, PRINTED_SPLIT[1], printed.total, _MISSING))
        for name, text in zip(SHARES, PRINTED_SHARES[level], strict=True):
            what = f"{name} in %, {title}, from the printed counts"
            rows.append(number(what, DECISIONS, text.removesuffix("%"), 100 * (getattr(printed, name) or 0.0)))
    return rows


def _pattern(made: Experiment) -> list[Compared]:
    rows = []
    for name in SHARES:
        ours = [getattr(made.trained.variants[level].labels, name) for level in LEVELS]
        falls = all(fine > coarse for fine, coarse in pairwise(ours))
        shown = ", ".join(f"{share:.2%}" for share in ours)
        rows.append(claim(f"{name} from address to subnet to country", "thesis, 5.7.5", "falls", shown, falls, PRIVATE))
    for name, words in (("false_positives", "false positives"), ("false_negatives", "false negatives")):
        ours = [getattr(made.trained.variants[level].labels, name) for level in LEVELS]
        grows = all(fine < coarse for fine, coarse in pairwise(ours))
        shown = ", ".join(f"{each:,}" for each in ours)
        rows.append(claim(f"{words} from address to subnet to country", "thesis, 5.7.5", "grow", shown, grows, PRIVATE))
    return rows


def _values(made: Experiment) -> list[Compared]:
    """Our shares beside the printed ones."""
    return [
        number(
            f"{name} in %, {title}, our log",
            DECISIONS,
            text.removesuffix("%"),
            100 * getattr(made.trained.variants[level].labels, name),
            made.bound(level) if level != "ip" else _CHANCE,
        )
        for level, title in TITLES.items()
        for name, text in zip(SHARES, PRINTED_SHARES[level], strict=True)
    ]


def _note(made: Experiment) -> str:
    wrong, shared = made.wrongly_labelled()
    labelled = int(made.logins.fraudulent.sum())
    truth = table_5_5_by_truth(made.trained)
    precision, recall = (row[1:] for row in (truth.rows[4:6] if truth else ()))
    return (
        "Labels derive from the features of addresses, so a detector that has these features finds the labels again, and its accuracy says "
        f"little. By the truth of our log, {wrong:,} of {labelled:,} logins that are labeled fraudulent are not; {shared:,} of these come "
        "from an address that an attacker uses too, such as a home that was taken over. Precision by the truth is "
        f"{', '.join(precision)} from address to subnet to country, recall {', '.join(recall)}."
    )
