"""ZIP codes of the United States as HIPAA's Safe Harbor allows them: `02139` → `021` → `*`.

The first three digits may be published if more than 20,000 people live in all areas that begin with them; else they are `000`
(45 CFR 164.514(b)(2)(i)(B)). The restricted ones are those that the Department of Health and Human Services lists in its guidance on
de-identification of 26 November 2012, from the census of 2000. A newer census may have others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import HierarchyError, several
from sfumato.vocabulary.builders.computed import computed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind

RESTRICTED = frozenset("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split())
FEW = "000"
_CODE = re.compile(r"[0-9]{5}(-?[0-9]{4})?")


def area(code: str) -> str:
    """The first three digits, or `000` where few people live. A number has lost its leading zeros.

    >>> area("02139"), area("2139"), area("03601-0001")
    ('021', '021', '000')
    """
    digits = code.zfill(5)[:3]
    return FEW if digits in RESTRICTED else digits


def is_zip(code: str) -> bool:
    """Whether a text is written like a ZIP code."""
    return _CODE.fullmatch(code.zfill(5)) is not None


@dataclass(frozen=True, slots=True)
class Zip3:
    """The code, its first three digits, the root."""

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.TEXT, Kind.INTEGER})

    def height(self, kind: Kind) -> int:
        return 2

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        wrong = sum(not is_zip(value) for value in values)
        if wrong:
            raise HierarchyError(
                f"level 0 has {several(wrong, 'value')} that {'is not a ZIP code' if wrong == 1 else 'are not ZIP codes'} of five digits",
                where=f"attribute {attribute!r}",
            )
        return computed(attribute, values, [area])

    def declared(self) -> dict[str, Any]:
        return {"builder": "zip3"}
