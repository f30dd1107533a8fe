"""The ways to declare a hierarchy, one file each.

A builder is declared in the schema without the data, so its height is known from the schema alone; `build` turns it into a
`Hierarchy` over the values that occur. Builders that list their leaves refuse values that they do not list.
"""

from sfumato.vocabulary.builders.addresses import Addresses
from sfumato.vocabulary.builders.base import Builder, DateKey, Key, Keyed, PrefixKey
from sfumato.vocabulary.builders.common import Common
from sfumato.vocabulary.builders.countries import Countries
from sfumato.vocabulary.builders.cuts import Cuts
from sfumato.vocabulary.builders.dates import Dates
from sfumato.vocabulary.builders.icd10 import Icd10
from sfumato.vocabulary.builders.intervals import Intervals
from sfumato.vocabulary.builders.listed import Listed
from sfumato.vocabulary.builders.prefix import Prefix
from sfumato.vocabulary.builders.suppression import Suppression
from sfumato.vocabulary.builders.zip3 import Zip3

__all__ = [
    "Addresses",
    "Builder",
    "Common",
    "Countries",
    "Cuts",
    "DateKey",
    "Dates",
    "Icd10",
    "Intervals",
    "Key",
    "Keyed",
    "Listed",
    "Prefix",
    "PrefixKey",
    "Suppression",
    "Zip3",
]
