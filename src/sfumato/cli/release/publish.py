"""`sfumato publish`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.release import Release

FEW = 5
MOST_WITHHELD = 20


@options.takes(options.table, options.reading, options.judging, options.releasing, options.writing, options.sequencing)
def publish(
    request: options.Request,
    node: Annotated[str, typer.Option("--node", help="A level per QID: age=2,workclass=1 or [2,1].", show_default=False)],
    json: options.Json = False,
) -> None:
    """Generalize a table at a node and release it with its certificate.

    Identifiers, the owner column and the other QIDs are withheld (not in the file), and the rows are shuffled. The file is read back
    and its classes are counted again before it gets its name. With models, the node must satisfy them: classes that do not are left
    out, within the share that --suppress allows, and nothing is published otherwise.

    Example: `sfumato publish adult.parquet -s adult.toml --quasi age,workclass --node age=2,workclass=1 -o out.parquet`
    """
    from sfumato.verbs.publish import publish as publish_table

    options.require_output(request)
    with show.watching() as watch:
        release = publish_table(**_asked(request), node=node, watch=watch)
    if json:
        mapping = request.get("mapping")
        show.emit(record(release) | ({"map": str(mapping)} if mapping else {}))
    else:
        show_release(release)
        show_verdicts(release)
        if not release.verdicts and release.certificate.smallest_class < FEW:
            show.amber(_in_small_classes(release))


def _asked(request: options.Request) -> options.Request:
    """The request, with what must hold as a question if something was asked."""
    from sfumato.question import Question
    from sfumato.question.question import QUESTION_OPTIONS

    asked = {name: request[name] for name in QUESTION_OPTIONS if name in request}
    rest = {name: value for name, value in request.items() if name not in asked}
    quasi = asked.pop("quasi", None)
    return rest | {"quasi": quasi} | ({"question": Question(**asked)} if asked else {})


def _in_small_classes(release: Release) -> str:
    """Who is easily found in a release that no model was asked of."""
    sizes = release.classes.people
    alone, few = int((sizes == 1).sum()), int(sizes[sizes < FEW].sum())
    who = f"{several(alone, 'person is', 'people are')} alone in their class, " if alone else ""
    return (
        f"no model was asked for: {who}{several(few, 'person shares', 'people share')} a class of fewer than {FEW}; "
        "'sfumato anonymize -m k-anonymity:5' finds a release in which nobody does"
    )


def record(release: Release) -> dict[str, Any]:
    """A release as JSON."""
    from sfumato.release import certificate_path

    certificate, path = release.certificate, release.path
    return {
        "status": "published",
        "output": str(path),
        "certificate": str(certificate_path(path)) if path else None,
        "ledger": str(release.ledger),
        "ledger_head": release.head,
        "digest": certificate.digest,
        "signed": [signature.name for signature in certificate.signatures],
        "node": dict(certificate.node),
        "classes": certificate.classes,
        "smallest_class": certificate.smallest_class,
        "people": certificate.people,
        "rows": certificate.rows,
        "basis": certificate.basis,
        "suppressed": dict(certificate.suppressed),
        "columns": list(certificate.columns),
        "withheld": dict(certificate.withheld),
        "prior": certificate.prior.of,
        "tolerance": certificate.tolerance,
        "seed": certificate.seed,
        "together": release.together.as_dict() if release.together else None,
    }


def show_verdicts(release: Release) -> None:
    """Print what the models say, and what the release keeps together with earlier ones."""
    for line in show.verdict_lines(release.verdicts):
        show.line(line)
    if release.together and release.together.line:
        show.line(release.together.line)


def show_release(release: Release, most: int = show.MOST_CLASSES) -> None:
    """Print a release: its classes and its files."""
    from sfumato.release import certificate_path
    from sfumato.release.certificate import PriorOf
    from sfumato.release.columns import columns_of

    console, certificate = show.out(), release.certificate
    console.print(show.rows(columns_of(release)))
    heads = ["class", *certificate.quasi, "people", *(f"distinct {name}" for name in certificate.sensitive)]
    rows = []
    for number, labels, people, distinct in release.summary(most):
        hidden = ["(fewer than 5 people)", *[""] * (len(certificate.quasi) - 1)]
        shown = hidden if labels is None else ["(missing)" if label is None else label for label in labels]
        rows.append([number, *shown, people, *distinct.values()])
    right = ["class", "people", *(head for head in heads if head.startswith("distinct "))]
    classes = show.table(None, heads, rows, right=right)
    if show.fits(classes):
        console.print(classes)
        if certificate.classes > len(rows):
            console.print(f"… and {certificate.classes - len(rows):,} more classes")
    show.line(f"{certificate.size()}, the smallest of {certificate.smallest_class:,}")
    if certificate.withheld:
        names = list(certificate.withheld)
        more = f" and {len(names) - MOST_WITHHELD:,} more (--json has all)" if len(names) > MOST_WITHHELD else ""
        show.line(f"not in the file: {', '.join(names[:MOST_WITHHELD])}{more}")
    if certificate.prior.of == PriorOf.WITHHELD.value and certificate.sensitive:
        show.line("the certificate withholds what would disclose the suppressed people; your copy has it")
    if release.path:
        show.line(f"release:     {release.path}")
        show.line(f"certificate: {certificate_path(release.path)}")
        show.line(f"your copy:   {release.ledger}")
    for signature in certificate.signatures:
        show.line(f"signed by:   {signature.name} ({signature.fingerprint})")
