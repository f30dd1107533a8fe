"""`sfumato check` and `sfumato models`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sfumato.cli import options, show
from sfumato.errors import size_of

if TYPE_CHECKING:
    from sfumato.models import MechanismModel, PrivacyModel


@options.takes(options.published, options.reading, options.judging)
def check(
    request: options.Request,
    certificate: options.CertificateFile = None,
    json: options.Json = False,
) -> None:
    """Judge a published file by privacy models. Exit 1 if one is violated.

    The prior comes from --original, from the certificate beside the file, else from the file itself; the output says which.

    Example: `sfumato check out.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.2`
    """
    from sfumato.models.base import TOLERANCE
    from sfumato.verbs.check import check as check_file

    checked = check_file(**request, certificate=certificate)
    if json:
        show.emit({**checked.as_dict(), "tolerance": TOLERANCE})
    else:
        show.out().print(show.rows(checked.table()))
        show.line(f"{size_of(checked.people, checked.rows, checked.classes)}; prior: {checked.prior}")
    if not checked.satisfied:
        raise typer.Exit(1)


def models(json: options.Json = False) -> None:
    """List the privacy models: parameters, the attacks each claims to stop, and a summary.

    Attacks: R record linkage, A attribute linkage, T table linkage, P probabilistic. Monotone: merging classes never makes the result
    worse, either always or only where each row is one person. The last ones are about mechanisms: `sfumato channel judge` judges them.

    Example: `sfumato models`
    """
    from sfumato.models.of_mechanisms.mechanisms import MECHANISM_MODELS
    from sfumato.models.register import MODELS, parameters_of

    if json:
        records = [{**_record(model), "parameters": parameters_of(model)} for model in MODELS.values()]
        mechanisms = [{**_mechanism(model), "parameters": parameters_of(model)} for model in MECHANISM_MODELS.values()]
        show.emit({"models": [*records, *mechanisms]})
        return
    rows = [[f"{name}:{parameters_of(model)}", model.stops, _monotone(model), _summary(model)] for name, model in MODELS.items()]
    rows += [[f"{name}:{parameters_of(model)}", model.stops, "–", _summary(model)] for name, model in MECHANISM_MODELS.items()]
    show.out().print(show.table(None, ["model", "stops", "monotone", "says"], rows))
    show.line(f"{', '.join(MECHANISM_MODELS)} are about mechanisms, not files: sfumato channel judge")


def _summary(model: type[PrivacyModel | MechanismModel]) -> str:
    return (model.__doc__ or "").strip().split("\n")[0]


def _record(model: type[PrivacyModel]) -> dict[str, object]:
    record: dict[str, object] = {name: getattr(model, name) for name in ("name", "stops", "monotone", "monotone_with_owners")}
    return record | {"kind": "release", "about": (model.__doc__ or "").strip()}


def _mechanism(model: type[MechanismModel]) -> dict[str, object]:
    """A model that is judged on a channel. It has no classes that could merge."""
    known: dict[str, object] = {"name": model.name, "stops": model.stops, "monotone": None, "monotone_with_owners": None}
    return known | {"kind": "mechanism", "about": (model.__doc__ or "").strip()}


def _monotone(model: type[PrivacyModel]) -> str:
    """Whether merging classes never makes it worse. For most models this holds only where each row is one person."""
    if model.monotone_with_owners:
        return "yes"
    return "by row" if model.monotone else "no"
