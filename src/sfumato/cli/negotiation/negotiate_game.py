"""`sfumato negotiate equilibrium` and `negotiate menu`: the negotiation as a game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.pictures import draw, require_picture
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.negotiation.game import Game, Screening, Stakes
    from sfumato.results import Rows

_EXACT = 1e-9
Space = Annotated[
    Path, typer.Argument(metavar="SPACE", help="A policy space with every node, written by explore.", show_default=False)
]
TypesText = Annotated[
    str,
    typer.Option(
        "--types",
        help="What releases are worth to users, as factors of the value: uniform:LOW,HIGH,TYPES, normal:MEAN,SPREAD,TYPES, "
        "scales:SCALE=PROBABILITY,…; or a TOML file.",
    ),
]


def keeping(
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Bound on the distribution loss of every class.", show_default=False)
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="Bound on the entropy loss of every class.", show_default=False)
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model that every release keeps. Repeatable.", show_default="those of the space"),
    ] = None,
) -> options.Request:
    """What every release keeps."""
    from sfumato.negotiation.game import Rules

    return {"rules": Rules(epsilon, alpha, tuple(models or ()))}


def valuing(
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            help="What a release is worth to a user, by its utility loss, as in 'linear:150,120'.",
            show_default="from 100 for the best to 0",
        ),
    ] = None,
    compensation: Annotated[
        str, typer.Option("--compensation", help="What the owner pays people who stay, by the privacy loss.")
    ] = "40 * loss^2",
    departure: Annotated[float, typer.Option("--departure", help="What it costs the owner if everybody leaves.")] = 10.0,
    providers: Annotated[
        str, typer.Option("--providers", help="When people leave: uniform:LOW,HIGH, steps:LOSS=SHARE,… or never.")
    ] = "uniform:0.3,1.5",
    utility: Annotated[str, typer.Option("--utility", help="The loss that users look at.")] = "utility-distribution",
    privacy: Annotated[str, typer.Option("--privacy", help="The loss that people look at.")] = "distribution.max",
) -> options.Request:
    """What it is worth, and to whom."""
    from sfumato.negotiation.game import Market

    return {"market": Market(value, compensation, departure, providers, utility, privacy)}


def rating(
    fee: Annotated[float, typer.Option("--fee", help="What a release costs under the flat rate.")] = 40.0,
    price: Annotated[
        str | None,
        typer.Option(
            "--price", help="What it costs under the variable rate, as in 'linear:100,80'.", show_default="half of the value"
        ),
    ] = None,
    expected: Annotated[
        float | None, typer.Option("--expected", help="The profit you would like of a release.", show_default="the largest")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="How often you answer in one negotiation.")] = 10,
    grid: Annotated[float, typer.Option("--grid", help="What losses in offers are rounded up to.")] = 0.01,
) -> options.Request:
    """The protocols to compare with."""
    from sfumato.negotiation.game import Rates

    return {"rates": Rates(fee, price, expected, limit, grid)}


@options.takes(keeping, valuing, rating)
def equilibrium(
    request: options.Request,
    space: Space,
    rounds: Annotated[
        int, typer.Option("--rounds", help="How many proposals there are: with 1, the owner can only accept or end it.")
    ] = 2,
    patience: Annotated[float, typer.Option("--patience", help="What a payoff is worth one round later, as a share.")] = 0.9,
    budget: Annotated[
        float | None, typer.Option("--budget", help="What the user spends at the most.", show_default="no limit")
    ] = None,
    types: TypesText = "uniform:0.5,1.5,10",
    users: Annotated[int, typer.Option("--users", help="How many random users are compared; 0 for none.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="The same users come from the same seed.")] = 1,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """What two sides agree on who know each other, by backward induction; and how far the protocols are from it.

    User and owner propose in turns, then people leave whose privacy loss is too large. Exact over all policies of a space. Random users
    then come to terms by the equilibrium, the flat and the variable rate: with the ledger of offers and bounds, and without.

    Example: `sfumato negotiate equilibrium explored.parquet --epsilon 0.7 --users 20`
    """
    from sfumato.negotiation import game

    require_picture(output, force)
    with show.watching() as watch:
        progress = show.progress(watch, "negotiating")
        horizon = game.Horizon(rounds, patience)
        found = game.equilibrium(
            space, **request, horizon=horizon, budget=budget, types=types, users=users, seed=seed, progress=progress
        )
    written = draw(found.spec, output, force)
    if json:
        show.emit({"space": str(space), **found.as_dict(), **written})
        return
    _show_game(found)
    _wrote(written)


def _show_game(found: Game) -> None:
    market, deal = found.stakes.market, found.deal
    show.line(f"{int(found.within.sum()):,} of {len(found.within):,} policies keep the bounds")
    show.line(f"worth to a user: {found.stakes.value}; people leave: {market.providers}")
    show.line(_attributes(found.stakes))
    if deal.place is None:
        show.line("no deal: no policy is worth to the user what it costs the owner")
    else:
        _print(found.table(), "the equilibrium: round 1 is played, the others are why")
        _print(found.terms(), f"the deal: {found.stakes.levels(deal.place)}")
    if found.comparison:
        _print(
            found.comparison.table(), f"{len(found.comparison.best):,} random users: mean payoffs, and how far from equilibrium"
        )
        _print(found.comparison.costs(), "what a rule costs each side, per user")


def _print(rows: Rows, title: str) -> None:
    show.out().print(show.unbroken(show.rows(rows, title=title)))


@options.takes(keeping, valuing, rating)
def menu(
    request: options.Request,
    space: Space,
    types: TypesText = "uniform:0.5,1.5,10",
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="How many seconds to look where types have no common order.")
    ] = 60.0,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """The best price list for users whose valuation you do not know: policies and prices from which each takes what it likes best.

    The menu has the largest expected profit of all that no type would rather leave or take something else from; the output says what
    proves it, and compares it with full information, with one price, and with the variable rate.

    Example: `sfumato negotiate menu explored.parquet --epsilon 0.7 --types uniform:0.5,1.5,5`
    """
    from sfumato.negotiation import game

    require_picture(output, force)
    with show.watching() as watch:
        watch("looking for the best menu", None)
        found = game.menu(space, **request, types=types, time_limit=time_limit)
    written = draw(found.spec, output, force)
    if json:
        show.emit({"space": str(space), **found.as_dict(), **written})
        return
    _show_menu(found)
    _wrote(written)


def _show_menu(found: Screening) -> None:
    best = found.menu
    show.line(_attributes(found.stakes))
    if best.profit > 0:
        _print(found.price_list(), "the menu")
    else:
        show.line("nothing to sell: no policy is worth more to any type than it costs you")
    _print(found.table(), "what each type takes, and payoffs")
    _print(found.compared(), "the same users, sold to in other ways: payoffs per user")
    proof = "the best" if best.proved else f"at most {best.at_most - best.profit:.4g} less than the best"
    show.line(f"{proof}: no menu has more than {best.at_most:.6g} (by {best.method}, over {several(best.policies, 'candidate')})")
    gains = "" if best.violated <= _EXACT else f" more than {best.violated:.1g}"
    show.line(f"every pair of types is checked: nobody gains{gains} by taking something else")


def _attributes(stakes: Stakes) -> str:
    return f"policies are levels of {', '.join(stakes.space.lattice.attributes)}"


def _wrote(written: dict[str, Any]) -> None:
    if written:
        show.line(f"wrote {written['written']}")
