"""The reference of the privacy models, written from their docstrings and the register: `docs/reference/models.md` is made by every
build of the documentation.

Nothing about a model is written twice: what its class says is what the page says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.models import MECHANISM_MODELS, MODELS, MechanismModel, PrivacyModel
from sfumato.models.about import ATTACKS, LEADS, about, parts_of
from sfumato.models.register import parameters_of

HEAD = """\
% Written by scripts/docs_models.py from the models themselves. Changes made here are lost.

# Privacy models

A privacy model is a question to a release, with a threshold. `sfumato check FILE --model NAME:PARAMETERS` asks it
({doc}`../guides/measure` shows how), `sfumato models` lists what there is. Optional parameters stand in brackets.

The answer is a *verdict*: the `value` of the release, the `direction` in which it must lie from the `threshold` (`at_least` or
`at_most`), whether it does (`satisfied`), and the *witness*, the number and size of the class that decided. A model of the table
as a whole has no witness. A model that lacks what it would judge, say a public table, answers `not_applicable` with a `reason` and
neither satisfies nor fails. Thresholds that are real numbers are compared with a tolerance of 1e-9, counts exactly. A model that
speaks of sensitive values is asked about each sensitive attribute by itself.

A model that judges class by class can be asked for a group only: `k-anonymity:20 for age=[75, 100]`, or `--protect "age=[75, 100]"
k-anonymity:20`. {doc}`../guides/groups` shows how.

**Stops** names the attacks that the model's authors claim it stops. *Blind to* says what it does not see all the same. Bounds on
utility stop none: they say what a release may cost.

| letter | attack |
| --- | --- |
{attacks}

**Monotone** means: when classes merge, a satisfied model stays satisfied, so that every node above a node that satisfies it does,
too. *With owners* says whether that holds as well when a person may have several rows. It is told for the prior of the whole
table; under stated beliefs, nothing that compares with the prior is monotone.

[Differential privacy](#differential-privacy), [(d, γ)-privacy](#d-gamma-privacy) and [distributional
privacy](#distributional-privacy) are no properties of a file, but of the mechanism that made it. They are a kind of their own, judged on a
channel: {doc}`../guides/channel` shows how.

| model | stops | monotone | with owners | says |
| --- | --- | --- | --- | --- |
{rows}
{mechanisms}
"""


def reference() -> str:
    """The whole page, in the order of the register."""
    attacks = "\n".join(f"| {letter} | {description} |" for letter, description in ATTACKS.items())
    rows = "\n".join(_row(name, model) for name, model in MODELS.items())
    mechanisms = "\n".join(_mechanism_row(name, model) for name, model in MECHANISM_MODELS.items())
    parts = [HEAD.replace("{attacks}", attacks).replace("{rows}", rows).replace("{mechanisms}", mechanisms)]
    for name, model in MODELS.items():
        parts += _section(name, model)
    for name, mechanism_model in MECHANISM_MODELS.items():
        parts += _mechanism_section(name, mechanism_model)
    return "\n".join(parts)


def _row(name: str, model: type[PrivacyModel]) -> str:
    says = about(model).partition("\n")[0].replace("|", "\\|")
    with_owners = _yes(model.monotone_with_owners)
    return f"| [`{_written(name, model)}`](#{name}) | {model.stops or '–'} | {_yes(model.monotone)} | {with_owners} | {says} |"


def _section(name: str, model: type[PrivacyModel]) -> Iterator[str]:
    """A model: how it is written, its attributes, its whole docstring."""
    stops = ", ".join(f"{letter} ({ATTACKS[letter].partition(':')[0]})" for letter in model.stops.split(",") if letter)
    yield f"({name})=\n## {name}\n"
    yield f"| | |\n| --- | --- |\n| written | `{_written(name, model)}` |"
    yield f"| stops | {stops or 'none: a bound on what a release costs'} |"
    yield f"| monotone | {_yes(model.monotone)}; with owners: {_yes(model.monotone_with_owners)} |"
    yield f"| sensitive attribute | {'judged, each by itself' if model.needs_sensitive else 'not needed'} |\n"
    yield from _parts(model)


def _mechanism_row(name: str, model: type[MechanismModel]) -> str:
    says = about(model).partition("\n")[0].replace("|", "\\|")
    return f"| [`{_written(name, model)}`](#{name}) | {model.stops} | – | – | {says} |"


def _mechanism_section(name: str, model: type[MechanismModel]) -> Iterator[str]:
    """A model of mechanisms: how it is written, what it is judged by, its whole docstring."""
    stops = ", ".join(f"{letter} ({ATTACKS[letter].partition(':')[0]})" for letter in model.stops.split(","))
    yield f"({name})=\n## {name}\n"
    yield f"| | |\n| --- | --- |\n| written | `{_written(name, model)}` |"
    yield f"| stops | {stops} |"
    yield f"| judged on | a channel: `sfumato channel judge`, `sf.channel.judge` |\n| needs | {model.needs} |\n"
    yield from _parts(model)


def _parts(model: type[Any]) -> Iterator[str]:
    """The parts of a docstring."""
    for part in parts_of(about(model)):
        lead, colon, rest = part.partition(":")
        yield f"**{lead}**:{rest}\n" if colon and LEADS.match("\n" + part, 1) else f"{part}\n"


def _written(name: str, model: type[Any]) -> str:
    return f"{name}:{parameters_of(model)}"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def write(folder: Path) -> None:
    """Write the page into the documentation; an unchanged page is left alone, so that it is not built again."""
    path, text = folder / "reference" / "models.md", reference()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent.parent / "docs")
