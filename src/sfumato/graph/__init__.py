"""Graphs of people: what their structure gives away although all names are gone, ways to change them, and attacks on what is published.

networkx is needed to exchange graphs with it, scipy for the attacks; the extra `graph` installs both.
"""

from sfumato.graph.active import ActiveAttacks, FoundAgain, attack_actively
from sfumato.graph.certificate import GraphCertificate
from sfumato.graph.degrees import is_graphic, raised
from sfumato.graph.exchange import attribute_from_networkx, from_networkx, to_networkx
from sfumato.graph.generating import generate
from sfumato.graph.graph import Graph
from sfumato.graph.leak import Attribute, Leak
from sfumato.graph.methods import Changed, Method, changed, method_of
from sfumato.graph.passive import Linked, PassiveAttacks, attack
from sfumato.graph.profile import Alike, GraphProfile, profile
from sfumato.graph.publishing import PublishedGraph, publish, write
from sfumato.graph.reading import read, read_people
from sfumato.graph.utility import GraphsCompared, Kept, Shape, compare
from sfumato.graph.verifying import VerifiedGraph, release_of, sign, verify

__all__ = [
    "ActiveAttacks",
    "Alike",
    "Attribute",
    "Changed",
    "FoundAgain",
    "Graph",
    "GraphCertificate",
    "GraphProfile",
    "GraphsCompared",
    "Kept",
    "Leak",
    "Linked",
    "Method",
    "PassiveAttacks",
    "PublishedGraph",
    "Shape",
    "VerifiedGraph",
    "attack",
    "attack_actively",
    "attribute_from_networkx",
    "changed",
    "compare",
    "from_networkx",
    "generate",
    "is_graphic",
    "method_of",
    "profile",
    "publish",
    "raised",
    "read",
    "read_people",
    "release_of",
    "sign",
    "to_networkx",
    "verify",
    "write",
]
