"""What decides in a detector of account takeovers: thesis, Figures 5.4 to 5.6. The figures are those of `sfumato ato train --figures`."""

from __future__ import annotations

from itertools import pairwise
from math import isclose

from sfumato.applications.ato.events import FLAG, LEVELS
from sfumato.applications.ato.training import Variant
from sfumato.applications.ato.training.exhibits import importances_chart
from sfumato.results import Rows
from sfumato_studies.comparing import claim
from sfumato_studies.exhibit import Compared, Contents, exhibit
from sfumato_studies.exhibits.tables_takeover import PRIVATE
from sfumato_studies.takeovers import TITLES, Experiment, experiment

TEXT = "thesis, 5.7.5"


@exhibit("thesis-fig-5.4", source="thesis, Fig. 5.4", title="What decides if the address is known")
def original() -> Contents:
    """The importances of the original features."""
    made = experiment()
    return _contents(made, "ip", (_most(made),))


@exhibit("thesis-fig-5.5", source="thesis, Fig. 5.5", title="What decides if the subnet is known")
def by_subnet() -> Contents:
    """The importances of the features of subnets."""
    made = experiment()
    return _contents(made, "subnet", (_grows(made, "ip", "subnet"),))


@exhibit("thesis-fig-5.6", source="thesis, Fig. 5.6", title="What decides if the country is known")
def by_country() -> Contents:
    """The importances of the features of countries."""
    made = experiment()
    return _contents(made, "country", (_grows(made, "subnet", "country"), _throughout(made)))


def _contents(made: Experiment, level: str, rows: tuple[Compared, ...]) -> Contents:
    variant = made.trained.variants[level]
    total = sum(variant.importances().values())
    sums = claim("sum of the importances", TEXT, "1", f"{total:.4f}", isclose(total, 1, abs_tol=1e-9))
    return Contents(
        "The more the logins are generalized, the more the decision rests on the flag of the user agent.",
        (*rows, sums),
        chart=importances_chart(variant),
        table=_table(variant),
        note="The thesis draws bars and prints no numbers; only what its text says can be compared.",
    )


def _table(variant: Variant) -> Rows:
    return Rows(("feature", "importance"), tuple(variant.importances().items()))


def _most(made: Experiment) -> Compared:
    importances = made.trained.variants["ip"].importances()
    ranked = sorted(importances, key=importances.__getitem__, reverse=True)
    shown = ", ".join(f"{name} {importances[name]:.2f}" for name in (*ranked[:2], "IPBadLogins"))
    rules = "; ".join(rule.removeprefix("Bad: ") for rule in made.rules)
    why = (
        "importances follow the rules that label the logins. Ours judge users and organizations and not how many logins fail "
        f"({rules}); the thesis does not print its rules"
    )
    return claim("the most important feature", TEXT, "IPBadLogins", shown, ranked[0] == "IPBadLogins", why)


def _grows(made: Experiment, fine: str, coarse: str) -> Compared:
    first, second = (made.trained.variants[level].importances()[FLAG] for level in (fine, coarse))
    what = f"{FLAG} from {TITLES[fine]} to {TITLES[coarse]}"
    return claim(what, TEXT, "gains importance", f"{first:.3f}, {second:.3f}", second > first, PRIVATE)


def _throughout(made: Experiment) -> Compared:
    shares = [made.trained.variants[level].importances()[FLAG] for level in LEVELS]
    shown = ", ".join(f"{share:.3f}" for share in shares)
    grows = all(fine < coarse for fine, coarse in pairwise(shares))
    return claim(f"{FLAG} from address to country", TEXT, "gradual increase", shown, grows, PRIVATE)
