"""k-anonymity as a channel: channel paper, section 5. How many inputs and outputs there are, what is guessed, and what is told."""

from __future__ import annotations

from itertools import pairwise
from math import comb, log2

from sfumato.channel.enumeration import (
    Enumerated,
    Universe,
    count_behind,
    count_generalizations,
    count_inputs,
    count_k_anonymous,
    count_outputs,
    enumerate_mechanism,
)
from sfumato.channel.utility import utility_steps
from sfumato.reporting.channel_curves import error_chart, utility_chart
from sfumato.results import Rows
from sfumato_studies.channels import DOMAINS, ROWS, mechanism, printed_equation_25, rules, tables
from sfumato_studies.comparing import claim, count, formula
from sfumato_studies.exhibit import Compared, Contents, exhibit

INPUTS, OUTPUTS, MATRIX = "channel paper, 5.3", "channel paper, 5.4", "channel paper, 5.5"
PRIVACY, UTILITY = "channel paper, 4.1", "channel paper, 4.2"
_LOST = "erratum: equation 25 loses r mod k records and does not count the sensitive values within a class"
# The disease occurs 3, 1 and 1 times; 2 and 1 times among the men, once each among the women; nobody shares gender and age.
_PEOPLE = (
    ("20", "male", "cold"),
    ("30", "male", "cold"),
    ("40", "male", "heart attack"),
    ("20", "female", "diabetes"),
    ("50", "female", "cold"),
)
_OPEN = log2(5) - 0.6 * log2(3)
_OPEN_BY_GENDER = 0.6 * (log2(3) - 2 / 3) + 0.4
_ADDED = "erratum: the choices of different rows multiply, Π C(w + c − 1, c), instead of adding up"


@exhibit(
    "channel-5.3",
    "channel-fig-4",
    "channel-fig-5",
    source="channel paper, Figs. 4 and 5, 5.3 to 5.5, equations 21 to 25",
    title="All tables of five rows, and all their generalizations: how many",
)
def counts() -> Contents:
    """What the equations give, beside what is enumerated."""
    universe, two = tables(), mechanism(2, "uniform")
    all_outputs = sum(comb(universe.kinds(node) + ROWS - 1, ROWS) for node in universe.nodes)
    return Contents(
        "A table of five rows with an age, a gender and a disease is one of 98,280; generalized, it is one of few.",
        (
            count("possible rows", INPUTS, 24, universe.kinds()),
            count("tables of five rows, equation 21", INPUTS, 98280, count_inputs(universe)),
            count("tables of five rows, enumerated", INPUTS, 98280, len(two.tables)),
            count("generalizations, equation 22: (2 + 1)(1 + 1)", OUTPUTS, 6, count_generalizations(universe)),
            count("generalized tables, equations 23 and 24", OUTPUTS, all_outputs, mechanism(1, "uniform").channel.outputs),
            *_anonymous(universe),
            _behind(universe),
        ),
        table=_by_node(universe),
        note="Figures 4 and 5 draw the two hierarchies: ages from 4 values to 2 to 1, genders from 2 to 1; the table has the sizes of all "
        "their combinations. Where the paper prints an equation and no number, the printed one is what the equation gives here. "
        f"Equation 25 corrected gives {_right(universe, 2)} for k = 2 and {_right(universe, 3)} for k = 3, as enumerated. "
        "Section 5.3 calls the number of inputs m and that of outputs n, elsewhere it is the other way round. Figures 1 to 3 are "
        "diagrams of a channel without data.",
    )


def _anonymous(universe: Universe) -> list[Compared]:
    """Equation 25 as printed against the enumerated k-anonymous tables."""
    rows = []
    for k in (2, 3):
        printed = [printed_equation_25(universe.kinds(node), ROWS, k) for node in universe.nodes]
        ours = [int((mechanism(k, "uniform").node_of == place).sum()) for place in range(len(universe.nodes))]
        where = f"{OUTPUTS}, eq. 25"
        rows.append(count(f"{k}-anonymous tables at level 0", where, printed[0], ours[0], _LOST))
        rows.append(count(f"{k}-anonymous tables at all nodes", where, sum(printed), sum(ours), _LOST))
    return rows


def _right(universe: Universe, k: int) -> str:
    """The corrected counts, without enumeration."""
    bottom = count_k_anonymous(universe.cells(), universe.spread, ROWS, k)
    return f"{bottom:,} at level 0 and {count_outputs(universe, k):,} at all nodes"


def _behind(universe: Universe) -> Compared:
    """Five people with a cold, QIDs withheld: each of 5 rows has an age for 4, a gender for 2 and a disease for 1 value."""
    ours = count_behind(universe, universe.nodes[-1], [0] * ROWS)
    return count("inputs behind five people with a cold, QIDs withheld", MATRIX, ROWS * (4 + 2 + 1), ours, _ADDED)


def _by_node(universe: Universe) -> Rows:
    found = {k: mechanism(k, "uniform") for k in (1, 2, 3)}
    rows = [
        (node.brief(), universe.kinds(node), *(int((each.node_of == place).sum()) for each in found.values()))
        for place, node in enumerate(universe.nodes)
    ]
    return Rows(("node (age, gender)", "possible rows", "tables", "2-anonymous", "3-anonymous"), tuple(rows))


@exhibit(
    "channel-5.5",
    source="channel paper, 5.5 and 4.1",
    title="k-anonymity as a channel: the error against k, and what a deterministic choice gives away",
)
def errors() -> Contents:
    """The MAP errors over all 98,280 inputs; the paper states how to compute them and prints none."""
    found = {(each.k, each.choice): each.map_error for each in rules().rules}
    return Contents(
        "The larger k, the harder the table is to guess; a mechanism that always publishes the finest release gives away more.",
        (
            *(_more(found, k) for k in range(1, ROWS + 1)),
            _grows(found),
            _inputs_grow(),
            *(_one_over(mechanism(k, "uniform"), k) for k in (2, 3)),
        ),
        chart=error_chart(rules()),
        table=rules().table().only(("k", "choice", "outputs", "MAP error", "information")),
        note="The paper prints no error of it. Ours are exact: all 98,280 tables are equally likely, each is published at any of its "
        "k-anonymous nodes, or at the one with the least sum of levels. With five rows two classes of three people do not exist, so "
        "k = 3, 4 and 5 are the same rule.",
    )


def _more(found: dict[tuple[int, str], float], k: int) -> Compared:
    uniform, deterministic = found[k, "uniform"], found[k, "deterministic"]
    shown = f"{deterministic:.6f}, uniform {uniform:.6f}"
    return claim(f"error of a deterministic mechanism, k = {k}", PRIVACY, "the least", shown, deterministic < uniform)


def _grows(found: dict[tuple[int, str], float]) -> Compared:
    choices = {choice: [found[k, choice] for k in range(1, ROWS + 1)] for choice in ("uniform", "deterministic")}
    holds = all(one <= other for errors in choices.values() for one, other in pairwise(errors))
    shown = "; ".join(f"{choice} {errors[0]:.4f} to {errors[-1]:.4f}" for choice, errors in choices.items())
    return claim("error as outputs become fewer (k = 1 to 5)", PRIVACY, "grows", shown, holds)


def _inputs_grow() -> Compared:
    errors = [enumerate_mechanism(Universe.of(DOMAINS, rows), "k-anonymity:2").map_error for rows in (2, 4)]
    shown = ", ".join(f"{error:.4f}" for error in errors)
    return claim(
        "error of k = 2 as inputs become more (2 and 4 rows)", PRIVACY, "gets closer to 1", shown, errors[0] < errors[1] < 1
    )


def _one_over(found: Enumerated, k: int) -> Compared:
    """Every positive entry of a row is 1/x, for x possible outputs."""
    outputs = found.satisfied.sum(axis=1)
    holds = abs(found.channel.rows.data - (1 / outputs)[found.channel.input_of]).max() < 1e-12
    shown = f"1/{int(outputs.max())} to 1/{int(outputs.min())}, all rows"
    return claim(f"entries of the matrix, k = {k}", MATRIX, "1/x for x possible outputs", shown, bool(holds))


@exhibit(
    "channel-4.2",
    "channel-6",
    source="channel paper, 4.2 and 6, equations 8 to 16",
    title="Utility against privacy for every k, and the most that any mechanism could tell",
)
def utility() -> Contents:
    """The utility of a mechanism, and the design of one that the paper plans."""
    found = rules()
    return Contents(
        "Privacy costs utility. How much it must cost is another question: the rule k costs more than the best channel would.",
        (*_gains(), _degrades()),
        chart=utility_chart(found),
        table=found.table().only(("k", "choice", "MAP error", "information", "best", "wasted", "utility")),
        note="The paper defines utility, prints no value, and plans to design the matrix from required privacy and utility. `best` is the "
        "most information in bits of any channel on which the adversary is right as often; it is proved to be the best, and it need not "
        "be a generalization. The utility of the tables themselves is "
        f"{found.before:.4f} bits, the mean over attributes and tables.",
    )


def _gains() -> list[Compared]:
    """Equations 9 to 12 on one table: what an attribute adds is the mutual information, here worked out from counts."""
    table = tables().counted([tables().row_of(row) for row in _PEOPLE])
    first, second, third = utility_steps(table, "disease", ["gender", "age"])
    return [
        formula("U₁ of disease, five people", f"{UTILITY}, eq. 8", "log₂ 3 − H(disease)", log2(3) - _OPEN, first.utility),
        formula("gain by gender", f"{UTILITY}, eq. 10", "I(disease; gender)", _OPEN - _OPEN_BY_GENDER, second.gain),
        formula("gain by age, gender known", f"{UTILITY}, eq. 12", "I(disease; age | gender)", _OPEN_BY_GENDER, third.gain),
    ]


def _degrades() -> Compared:
    after = [each.utility for each in rules().rules if each.choice == "uniform"]
    shown = ", ".join(f"{rules().before - each:.4f}" for each in after)
    holds = all(one >= other for one, other in pairwise(after)) and after[0] < rules().before
    return claim("Utility_G for k = 1 to 5, uniform, in bits", f"{UTILITY}, eq. 16", "a cost, that of privacy", shown, holds)
