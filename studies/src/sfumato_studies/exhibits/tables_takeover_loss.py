"""What generalized sign-in logs give away, and what they cost a detector: thesis, Table 5.6.

Printed values are first checked against the definitions and the counts that they are said to follow from; then against our own log.
"""

from __future__ import annotations

from math import log2, sqrt

from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.generating.parameters import EVERYWHERE
from sfumato.applications.ato.training.exhibits import PRINTED_COUNTS, PRINTED_TRADE_OFF, STATISTICS, pattern, table_5_6
from sfumato_studies.comparing import claim, count, number
from sfumato_studies.examples import Example
from sfumato_studies.exhibit import Compared, Contents, exhibit
from sfumato_studies.exhibits.tables_takeover import PRIVATE
from sfumato_studies.takeovers import ROWS, SEED, TITLES, Experiment, experiment

WHERE, TEXT = "thesis, Table 5.6", "thesis, 5.7.5"
GENERALIZED = ("subnet", "country")
# The distribution that the thesis prints, in a class of legitimate and one of fraudulent logins only.
PURE = Example.of_counts(("legitimate", "fraudulent"), (88, 0), (0, 12))
FRAUDULENT = 0.12
LARGEST = (
    "erratum: by Definition 21 a purely fraudulent class has √2 · 0.88; no distance that we know gives 0.87 for it (the difference of one "
    "share is 0.88), and where 0.87 comes from is not known"
)
_EQUAL = "erratum: Table 5.6 prints the same maxima for both"
_AGAINST = "erratum: 0.46 % is the loss against the original data"
_LEAST = "erratum: the class with this distribution loss has a smaller entropy loss than the one printed as the smallest"
_ALIKE = (
    "private logs: in an average over classes all countries count alike, also those in which few people work, or none; attackers are a "
    "large share of the logins from there, which tells much"
)


@exhibit(
    "thesis-table-5.6",
    source="thesis, Table 5.6 and 5.7.5",
    title="What logins by subnet and by country give away, and what they cost",
)
def trade_off() -> Contents:
    """Privacy losses of Fraudulence and utility losses of detectors."""
    made = experiment()
    return Contents(
        "Generalized logins give away less about who is fraudulent, and a detector loses little accuracy.",
        (*_definitions(), *_least(), *_arithmetic(), *_pattern(made), *_values(made)),
        table=table_5_6(made.trained),
        note=_note(made),
    )


def printed_pair(statistic: str, level: str) -> tuple[str, str]:
    """A pair (ε, α) as printed, by the statistic's name in our losses."""
    place = 1 + list(STATISTICS.values()).index(statistic)
    first, second = str(PRINTED_TRADE_OFF[level][place]).strip("()").split(", ")
    return first, second


def _definitions() -> list[Compared]:
    """The printed maxima against the losses of classes with one label, for the printed distribution."""
    losses = PURE.losses()
    distribution, entropy = printed_pair("max", "subnet")
    same = all(printed_pair("max", level) == (distribution, entropy) for level in GENERALIZED)
    return [
        number("largest distribution loss against (0.88, 0.12)", WHERE, distribution, max(losses["distribution"]), LARGEST),
        number("largest entropy loss against (0.88, 0.12)", WHERE, entropy, max(losses["entropy"])),
        claim(
            "largest losses from subnet to country, as printed", TEXT, "fall", "are equal" if same else "differ", not same, _EQUAL
        ),
    ]


def _least() -> list[Compared]:
    """No class has a smaller entropy loss than the smallest: not the one with the smallest distribution loss either."""
    rows = []
    for level in GENERALIZED:
        distribution, entropy = printed_pair("min", level)
        # So near to the prior both losses are proportional to the difference of the shares.
        bound = float(distribution) / sqrt(2) * log2((1 - FRAUDULENT) / FRAUDULENT)
        ours = f"at most {bound:.3g}, the entropy loss of a class with distribution loss {distribution}"
        rows.append(claim(f"smallest entropy loss, {level}, as printed", WHERE, entropy, ours, float(entropy) <= bound, _LEAST))
    return rows


def _arithmetic() -> list[Compared]:
    """Utility losses from the printed counts of Table 5.5."""
    original, subnet, country = (Confusion(*PRINTED_COUNTS[level]).accuracy or 0.0 for level in LEVELS)
    what = "utility loss in %, {}, from the counts of Table 5.5"
    return [
        number(what.format("subnet"), WHERE, "0.045", 100 * (original - subnet) / original),
        number(what.format("country"), WHERE, "0.46", 100 * (original - country) / original),
        number(what.format("country against subnet"), TEXT, "0.46", 100 * (subnet - country) / subnet, _AGAINST),
    ]


def _pattern(made: Experiment) -> list[Compared]:
    """What the thesis finds from address to subnet to country, and whether it shows in our log."""
    found, holds = made.trained, pattern(made.trained)
    original = found.variants["ip"].losses
    utility = ", ".join(f"{found.utility_loss(level) or 0.0:.2%}" for level in LEVELS)
    rows = [
        claim(
            "average entropy loss of the original data",
            TEXT,
            "has its maximum value",
            f"average {original.pair('class_mean')[1]:.4f}, maximum {original.pair('max')[1]:.4f}",
            original.pair("max")[1] - original.pair("class_mean")[1] < 1e-9,
        )
    ]
    for name, statistic in (("classes", "class_mean"), ("logins", "people_mean")):
        ours = ", ".join("({:.4f}, {:.4f})".format(*found.variants[level].losses.pair(statistic)) for level in LEVELS)
        falls = holds[f"the mean privacy loss over {name} falls"]
        rows.append(claim(f"average privacy losses over {name}", WHERE, "fall", ours, falls, _ALIKE))
    return [*rows, claim("utility loss", WHERE, "grows", utility, holds["the utility loss grows"], PRIVATE)]


def _values(made: Experiment) -> list[Compared]:
    """Our values beside the printed ones."""
    rows = []
    for level in GENERALIZED:
        losses, title = made.trained.variants[level].losses, TITLES[level]
        few = f"our log is smaller: {ROWS:,} logins from {len(EVERYWHERE)} countries instead of 700 million"
        rows.append(count(f"classes, {title}, our log", WHERE, int(PRINTED_TRADE_OFF[level][0] or 0), losses.classes, few))
        for statistic, name, why in (("max", "largest", _largest(made, level)), ("class_mean", "average", _average(made, level))):
            texts = zip(("distribution", "entropy"), printed_pair(statistic, level), losses.pair(statistic), strict=True)
            rows += [number(f"{name} {loss} loss, {title}, our log", WHERE, text, ours, why) for loss, text, ours in texts]
        printed = str(PRINTED_TRADE_OFF[level][-1]).removesuffix("%")
        ours = 100 * (made.trained.utility_loss(level) or 0.0)
        rows.append(number(f"utility loss in %, {title}, our log", WHERE, printed, ours, made.bound(level)))
    return rows


def _largest(made: Experiment, level: str) -> str:
    share, classes = made.fraudulent, made.trained.variants[level].losses.classes
    single = made.trained.variants["ip"].losses.pair("max")[1]
    return (
        f"against our ({1 - share:.4f}, {share:.4f}) a purely fraudulent class has √2 · {1 - share:.4f} = {sqrt(2) * (1 - share):.4f}, and "
        f"one with a single label the entropy loss {single:.4f}; {made.one_label(level):,} of our {classes:,} classes have a single label"
    )


def _average(made: Experiment, level: str) -> str:
    """Why averages differ: classes with a single label have the largest entropy loss, so an average bounds how many there are."""
    total, classes = int(PRINTED_TRADE_OFF[level][0] or 0), made.trained.variants[level].losses.classes
    most = int(total * float(printed_pair("class_mean", level)[1]) / max(PURE.losses()["entropy"]))
    return (
        f"private logs: {made.one_label(level):,} of our {classes:,} classes have a single label; by the printed average at most {most:,} "
        f"of {total:,} can"
    )


def _note(made: Experiment) -> str:
    share = made.fraudulent
    return (
        f"Our labeled logins have the thesis's proportion, ({1 - share:.4f}, {share:.4f}); it rounds to the (0.88, 0.12) from which the "
        "printed entropy loss follows. The thesis does not say whether its averages are over classes or over logins. By its averages, most "
        "countries have nearly this proportion; so its accuracy of 99.52 % by country requires that the flag of the user agent nearly "
        f"equals the label, since nothing else tells logins of a country apart. Our log is of seed {SEED}. With the seeds 1 to 6, the "
        "average over classes fell from address to subnet to country in two logs of six; the average over logins fell, and the "
        "utility loss grew, in all six. An average over classes need not fall when classes are merged: a country that mostly attackers "
        "use counts as much as any other."
    )
