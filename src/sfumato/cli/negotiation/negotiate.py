"""`sfumato negotiate`: owner and user agree on a release by sending each other a file."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.negotiation import negotiate_game
from sfumato.cli.negotiation.negotiate_show import REASONS, pattern_of, show_parties, show_sheet, show_standing
from sfumato.cli.passphrase import PassphraseFile, private_key
from sfumato.cli.plugins import Group
from sfumato.errors import UsageError, argument, several, visible

if TYPE_CHECKING:
    pass

app = typer.Typer(
    cls=Group, help="Negotiate a release: the owner opens a table, a user asks, and both agree by a file.", no_args_is_help=True
)
Negotiated = Annotated[
    Path, typer.Argument(metavar="RECORD", help="The record that both sides send each other.", show_default=False)
]
Key = Annotated[Path, typer.Option("--key", help="Your private key.", show_default=False)]
DeskFolder = Annotated[Path | None, typer.Option("--desk", help="The owner's desk.", show_default="the one beside the record")]
PatternText = Annotated[
    str | None,
    typer.Option(
        "--pattern", help="The attributes in layers, the most important first, as in 'age,sex > education'.", show_default=False
    ),
]
Shares = Annotated[
    str | None,
    typer.Option("--shares", help="How far each layer may be generalized, as in 0,0.5,1.", show_default="evenly from 0 to 1"),
]


def offering(
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Bound on the distribution loss of every class.", show_default=False)
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="Bound on the entropy loss of every class.", show_default=False)
    ] = None,
    models: options.Models = None,
    quasi: Annotated[
        str | None, typer.Option("--quasi", help="The attributes that can be asked for.", show_default="all QIDs")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="The sensitive attribute.", show_default="the only one")
    ] = None,
    price: Annotated[
        str | None,
        typer.Option("--price", help="Price of a release by its loss, as in 'linear:100,80'.", show_default="none: a flat rate"),
    ] = None,
    expected: Annotated[
        float | None, typer.Option("--expected", help="The profit you would like of a release.", show_default="the largest")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", help="How often you answer in one negotiation.", min=1, max=1000)] = 10,
    days: Annotated[int, typer.Option("--days", help="How many days an offer is open.", min=1, max=3650)] = 7,
    grid: Annotated[float, typer.Option("--grid", help="What losses in offers are rounded up to.")] = 0.01,
    most_seen: Annotated[
        int, typer.Option("--most-seen", help="How many answers one user gets on the table.", min=1, max=100_000)
    ] = 50,
    title: Annotated[
        str | None, typer.Option("--title", help="What the table is called.", show_default="the name of its file")
    ] = None,
) -> options.Request:
    """What an owner offers, and how."""
    from sfumato.negotiation.files.opening import Offering
    from sfumato.negotiation.owner import DAY

    names = options.names(quasi)
    return {
        "offering": Offering(
            epsilon, alpha, tuple(models or ()), None if names is None else tuple(names), sensitive, price=price,
            expected=expected, limit=limit, valid_for=days * DAY, grid=grid, most_seen=most_seen, title=title,
        )
    }  # fmt: skip


@app.command("open")
@options.takes(options.reading, offering)
def open_table(
    request: options.Request,
    data: options.Data,
    schema: options.SchemaFile,
    key: Key,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The sheet for users; your desk is the folder beside it.", show_default=False)
    ],
    users: Annotated[
        list[Path] | None,
        typer.Option("--user", help="The public key of somebody who may ask (repeatable).", show_default="anybody may"),
    ] = None,
    passphrase_file: PassphraseFile = None,
    json: options.Json = False,
) -> None:
    """Open a table for negotiation: explores it once, and writes a sheet for users and a desk for you.

    The sheet tells attributes, levels and rules, and nothing of the data. The desk is yours alone.

    Example: `sfumato negotiate open adult.parquet -s adult.toml --quasi age,sex,workclass --epsilon 0.6 --key office.key -o census.json`
    """
    from sfumato.negotiation.files.opening import open_desk

    request["offering"] = replace(request["offering"], users=tuple(users or ()))
    with show.watching() as watch:
        watch("exploring", None)
        progress = show.progress(watch, "exploring")
        made = open_desk(data, schema, private_key(key, passphrase_file), output, progress=progress, **request)
    if json:
        numbers = {"policies": made.policies, "within": made.within, "withheld": made.withheld, "ledger": made.ledger}
        show.emit({"sheet": str(made.sheet), "desk": str(made.desk), **numbers})
        return
    show.line(f"{made.within:,} of {made.policies:,} policies keep the bounds")
    if made.withheld:
        show.line(f"in no release: {', '.join(map(visible, made.withheld))}")
    if made.ledger:
        show.line(f"{visible(made.ledger)} is open on the same table: all offers on it count together")
    show.line(f"wrote {made.sheet} (give it to users) and {made.desk} (keep it: it answers them)")
    show.line(f"next: a user asks: sfumato negotiate request {made.sheet} --pattern '…' --key USER.key -o RECORD.json")


@app.command("request")
def request_release(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="The owner's sheet.", show_default=False)],
    key: Key,
    output: Annotated[Path, typer.Option("--output", "-o", help="The record, which goes to the owner.", show_default=False)],
    pattern: PatternText = None,
    shares: Shares = None,
    budget: Annotated[float | None, typer.Option("--budget", help="What you spend at the most.", show_default="no limit")] = None,
    passphrase_file: PassphraseFile = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Ask for a release: your attributes of interest, in layers.

    The first layer is as it is, the last may be generalized up to nothing, unless you say other shares. What you do not name is withheld.

    Example: `sfumato negotiate request census.json --pattern "sex > workclass > age" --key ann.key -o record.json`
    """
    from sfumato.negotiation.files.moves import read_sheet, request

    asked = pattern_of(pattern, shares)
    if asked is None:
        names = ", ".join(f"{each.name} (levels 0 to {each.height})" for each in read_sheet(sheet).attributes)
        raise UsageError(f"say what you ask for; there are {names}", where=argument("pattern"))
    show_standing(request(sheet, asked, private_key(key, passphrase_file), output, budget=budget, force=force), output, json)


@app.command("answer")
def answer_record(
    record: Negotiated, key: Key, desk: DeskFolder = None, passphrase_file: PassphraseFile = None, json: options.Json = False
) -> None:
    """Answer a request or a rejection, as the owner: an offer, or none.

    An offer matches the pattern, keeps your bounds, and lets no coalition of users break them. A record that is sent again gets the same
    answer.

    Example: `sfumato negotiate answer record.json --key office.key`
    """
    from sfumato.negotiation.files.moves import answer

    answered = answer(record, private_key(key, passphrase_file), desk)
    if json:
        matching, left = answered.room or (None, None)
        owner = {"new": answered.new, "matching": matching, "left": left, "reason": answered.reason}
        show_standing(answered.record, record, json, owner | {"in_the_way": [asdict(each) for each in answered.in_the_way]})
        return
    if answered.room is None:
        show.line("answered already; the same answer again")
    else:
        matching, left = answered.room
        show.line(
            f"of {matching:,} matching policies that keep the bounds and were not offered yet, the earlier offers leave {left:,}"
        )
    if answered.reason:
        show.line(f"why there is none (for you alone): {REASONS[answered.reason]}")
    for each in answered.in_the_way:
        levels = ", ".join(f"{visible(name)} at level {level}" for name, level in (each.levels or {}).items())
        show.line(f"in the way: the offer {each.event[:8]} ({levels}) to {each.account}")
    show_standing(answered.record, record, json)


def _decided(move: str, record: Path, key: Path, passphrase_file: Path | None, json: bool, **more: Any) -> None:
    from sfumato.negotiation.files.moves import decide

    show_standing(decide(record, private_key(key, passphrase_file), move, **more), record, json)


@app.command("accept")
def accept(record: Negotiated, key: Key, passphrase_file: PassphraseFile = None, json: options.Json = False) -> None:
    """Take the offer that stands, as the user: its terms are named by their digest.

    Example: `sfumato negotiate accept record.json --key ann.key`
    """
    _decided("accept", record, key, passphrase_file, json)


@app.command("reject")
def reject(record: Negotiated, key: Key, passphrase_file: PassphraseFile = None, json: options.Json = False) -> None:
    """Reject the offer that stands, as the user.

    Under a flat rate the owner makes another one; under a variable rate it is your turn to ask for something else.

    Example: `sfumato negotiate reject record.json --key ann.key`
    """
    _decided("reject", record, key, passphrase_file, json)


@app.command("relax")
def relax(
    record: Negotiated,
    key: Key,
    pattern: PatternText = None,
    shares: Shares = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="What you spend at the most.", show_default="as before")
    ] = None,
    passphrase_file: PassphraseFile = None,
    json: options.Json = False,
) -> None:
    """Ask for less, as the user: another pattern, or the next one that allows more; or spend more.

    Example: `sfumato negotiate relax record.json --key ann.key --pattern "workclass > sex > age"`
    """
    _decided("relax", record, key, passphrase_file, json, pattern=pattern_of(pattern, shares), budget=budget)


@app.command("terminate")
def terminate(
    record: Negotiated,
    key: Key,
    reason: Annotated[str | None, typer.Option("--reason", help="Why, in a sentence.", show_default=False)] = None,
    desk: DeskFolder = None,
    passphrase_file: PassphraseFile = None,
    json: options.Json = False,
) -> None:
    """End a negotiation, from either side. The owner's desk keeps it.

    Example: `sfumato negotiate terminate record.json --key ann.key --reason "the offer came too late"`
    """
    _decided("terminate", record, key, passphrase_file, json, sentence=reason, desk=desk)


@app.command("deliver")
def deliver_release(
    record: Negotiated,
    key: Key,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the release and the closed record.", show_default=False)
    ],
    desk: DeskFolder = None,
    passphrase_file: PassphraseFile = None,
    json: options.Json = False,
) -> None:
    """Deliver what was agreed, as the owner: the release, its signed certificate, and the closed record.

    The owner's bounds are judged again on the written file. After an interruption, deliver again into the same folder.

    Example: `sfumato negotiate deliver record.json --key office.key -o delivered`
    """
    from sfumato.negotiation.files.delivering import deliver

    with show.watching() as watch:
        watch("publishing", None)
        delivered = deliver(record, private_key(key, passphrase_file), output, desk)
    if json:
        verdicts = [each.as_dict() for each in delivered.verdicts]
        show_standing(delivered.record, record, json, {"release": str(delivered.path), "new": delivered.new, "models": verdicts})
        return
    before = "" if delivered.new else " (delivered before)"
    show.line(f"{delivered.certificate.size()}: {delivered.path}{before}")
    for line in show.verdict_lines(delivered.verdicts):
        show.line(line)
    if delivered.late:
        show.line("note: by your clock the offer had expired; by the user's clock it was accepted in time")
    show_standing(delivered.record, record, json)


@app.command("show")
def show_record(
    record: Annotated[Path, typer.Argument(metavar="RECORD|SHEET", help="A record, or an owner's sheet.", show_default=False)],
    json: options.Json = False,
) -> None:
    """Tell the story of a negotiation in plain words, and what comes next; or what a sheet offers.

    Example: `sfumato negotiate show record.json`
    """
    from sfumato.negotiation.files.moves import read_sheet_or_record
    from sfumato.negotiation.files.sheet import Sheet
    from sfumato.negotiation.files.story import story

    found = read_sheet_or_record(record)
    if isinstance(found, Sheet):
        show_sheet(found, record, json)
        return
    if not json:
        sheet = found.sheet
        show.line(visible(f"{sheet.title}: about {sheet.sensitive}; every release keeps {', '.join(sheet.bounds)}"))
        show_parties(found)
        for line in story(found)[:-1]:
            show.line(line)
    show_standing(found, record, json)


@app.command("verify")
def verify_record(
    record: Negotiated,
    sheet: Annotated[
        Path | None, typer.Option("--sheet", help="The sheet that it must be about.", show_default="the one in it")
    ] = None,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key", help="A public key that a party must have (repeatable).", show_default="the names are what they say"
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show that nothing in a record was changed, left out or put in, and replay it.

    Exit 1 if it does not hold.

    Example: `sfumato negotiate verify record.json`
    """
    from sfumato.negotiation.files.moves import verify

    found = verify(record, sheet, key=key or ())
    if not json:
        show.line(f"{record} holds: {several(len(found.transcript.entries), 'signed event')}")
        show_parties(found, compared=len(key or ()))
    show_standing(found, record, json)


@app.command("simulate")
@options.takes(options.reading, offering)
def simulate(
    request: options.Request,
    data: options.Data,
    schema: options.SchemaFile,
    users: Annotated[int, typer.Option("--users", help="How many random users there are.", min=1, max=1_000_000)] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="The same users come from the same seed.")] = 1,
    rate: Annotated[
        str | None, typer.Option("--rate", help="flat or variable.", show_default="variable if there is a price")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the summary, all outcomes and a chart.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Try rules before you open a table: random users against its owner, with the ledger of offers and without.

    Example: `sfumato negotiate simulate adult.parquet -s adult.toml --quasi age,sex,workclass --epsilon 0.6 --users 100 -o simulated`
    """
    from sfumato.negotiation.files.simulating import FILES, simulated

    with show.watching() as watch:
        watch("exploring", None)
        progress = show.progress(watch, "negotiating")
        result = simulated(
            data, schema, **request, users=users, seed=seed, rate=rate, output=output, force=force, progress=progress
        )
    if json:
        show.emit({**result.as_dict(), "written": [str(output / name) for name in FILES] if output else []})
        return
    show.out().print(show.rows(result.table(), title=f"{len(result.ledger):,} users, {result.rate} rate"))
    if output:
        show.line(f"wrote {', '.join(str(output / name) for name in FILES)}")


app.command("equilibrium")(negotiate_game.equilibrium)
app.command("menu")(negotiate_game.menu)
