"""`sfumato publish`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.cli import options, show
from sfumato.cli.opening import opened

if TYPE_CHECKING:
    from sfumato.release import Release


def publish(
    source: options.Data,
    schema: options.SchemaFile,
    node: options.NodeText,
    output: options.Output,
    quasi: options.Quasi = None,
    seed: options.Seed = 0,
    ledger: options.Ledger = None,
    mapping: options.MapFile = None,
    force: options.Force = False,
    engine: options.EngineName = "duckdb",
    memory: options.Memory = None,
    delimiter: options.Delimiter = None,
    json: options.Json = False,
) -> None:
    """Generalize a table at a node and release it with its certificate.

    Identifiers, the owner column and the other QIDs are withheld; the rows are shuffled. The file is read back and its classes are
    counted again before it is put in place.

    Example: `sfumato publish adult.parquet -s adult.toml --quasi age,workclass --node age=2,workclass=1 -o out.parquet`
    """
    from sfumato.release import publish as publish_table

    with opened(source, schema, engine=engine, memory=memory, delimiter=delimiter) as (table, watch):
        release = publish_table(
            table,
            node=node,
            quasi=options.names(quasi),
            output=output,
            seed=seed,
            ledger=ledger,
            force=force,
            mapping=mapping,
            memory_limit=memory,
            watch=watch,
        )
    if json:
        show.emit(told(release) | ({"map": str(mapping)} if mapping else {}))
    else:
        show_release(release)


def told(release: Release) -> dict[str, Any]:
    """A release for machines."""
    from sfumato.release import certificate_path

    certificate, path = release.certificate, release.path
    return {
        "status": "published",
        "output": str(path),
        "certificate": str(certificate_path(path)) if path else None,
        "ledger": str(release.ledger),
        "node": dict(certificate.node),
        "classes": certificate.classes,
        "smallest_class": certificate.smallest_class,
        "people": certificate.people,
        "rows": certificate.rows,
        "basis": certificate.basis,
        "suppressed": dict(certificate.suppressed),
        "columns": list(certificate.columns),
        "withheld": dict(certificate.withheld),
        "prior": "original",
        "tolerance": certificate.tolerance,
        "seed": certificate.seed,
    }


def show_release(release: Release, most: int = show.MOST_CLASSES) -> None:
    """A release for people: its classes, and where it went."""
    from sfumato.release import certificate_path

    console, certificate = show.out(), release.certificate
    heads = ["class", *certificate.quasi, "people", *(f"distinct {name}" for name in certificate.sensitive)]
    rows = []
    for number, labels, people, distinct in release.summary(most):
        hidden = ["(fewer than 5 people)", *[""] * (len(certificate.quasi) - 1)]
        shown = hidden if labels is None else ["(missing)" if label is None else label for label in labels]
        rows.append([number, *shown, people, *distinct.values()])
    right = ["class", "people", *(head for head in heads if head.startswith("distinct "))]
    console.print(show.table(None, heads, rows, right=right))
    if certificate.classes > len(rows):
        console.print(f"… and {certificate.classes - len(rows):,} more classes")
    console.print(
        f"{certificate.size()}, the smallest of {certificate.smallest_class:,}",
        soft_wrap=True,
    )
    if certificate.withheld:
        console.print("withheld: " + ", ".join(f"{name} ({role})" for name, role in certificate.withheld.items()), soft_wrap=True)
    if release.path:
        console.print(f"release:     {release.path}", soft_wrap=True)
        console.print(f"certificate: {certificate_path(release.path)}", soft_wrap=True)
        console.print(f"your copy:   {release.ledger}", soft_wrap=True)
