"""IP addresses of both versions in one column, against Python's own networks."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, SchemaError
from sfumato.vocabulary.builders import Addresses, Keyed
from sfumato.vocabulary.kinds import Kind, natural_order
from tests.strategies import address_sizes
from tests.unit.vocabulary.soundness import assert_sound, path

# Addresses near each other too, so that networks hold several.
near = st.integers(0, 600).map(lambda host: ipaddress.ip_address("10.255.250.0") + host)
addresses = st.lists(st.ip_addresses().map(str) | near.map(str), unique=True, max_size=10)


@given(address_sizes, addresses)
def test_every_address_lies_in_the_networks_above_it(sizes: tuple[tuple[int, ...], tuple[int, ...]], texts: list[str]) -> None:
    hierarchy = assert_sound(Addresses(*sizes), Kind.TEXT, natural_order(Kind.TEXT, texts))
    for text in texts:
        address = ipaddress.ip_address(text)
        leaf, *networks, root = path(hierarchy, text)
        assert (leaf, root) == (text, "*")
        for label, size in zip(networks, sizes[0] if address.version == 4 else sizes[1], strict=True):
            network = ipaddress.ip_network(label or "")
            assert address in network
            assert network.prefixlen == size


@given(addresses)
def test_labels_are_in_order_of_their_text_whichever_addresses_occur(texts: list[str]) -> None:
    hierarchy = Addresses().build("ip", Kind.TEXT, natural_order(Kind.TEXT, texts))
    assert hierarchy.at(0) == tuple(sorted(texts))
    for level in range(hierarchy.height):
        assert list(hierarchy.at(level)) == sorted(hierarchy.at(level))


def test_hosts_of_both_versions_stand_side_by_side() -> None:
    hierarchy = Addresses().build("ip", Kind.TEXT, ["192.168.1.7", "2001:db8:1:2::7"])
    assert path(hierarchy, "192.168.1.7") == ["192.168.1.7", "192.168.1.0/24", "192.168.0.0/16", "*"]
    assert path(hierarchy, "2001:db8:1:2::7") == ["2001:db8:1:2::7", "2001:db8:1:2::/64", "2001:db8:1::/48", "*"]


def test_two_spellings_of_an_address_share_their_network() -> None:
    hierarchy = Addresses().build("ip", Kind.TEXT, ["2001:DB8::1", "2001:db8:0::1"])
    assert hierarchy.at(1) == ("2001:db8::/64",)


def test_an_address_with_a_zone_lies_in_its_network() -> None:
    assert path(Addresses().build("ip", Kind.TEXT, ["fe80::1%eth0"]), "fe80::1%eth0")[1:] == ["fe80::/64", "fe80::/48", "*"]


def test_sql_computes_no_networks() -> None:
    assert not isinstance(Addresses(), Keyed)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        (["10.0.0.1", "nowhere.example"], "1 value that is not an IP address"),
        (["10.0.0.256", "10.0.0.1/24", "7"], "3 values that are not IP addresses"),
    ],
)
def test_what_is_no_address_is_counted_not_shown(values: list[str], wrong: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        Addresses().build("ip", Kind.TEXT, values)
    assert str(caught.value) == f"attribute 'ip': level 0 holds {wrong}"


@pytest.mark.parametrize(
    ("v4", "v6"),
    [
        ((24,), (64, 48)),
        ((16, 24), (64, 48)),
        ((24, 24), (64, 48)),
        ((32, 16), (64, 48)),
        ((24, 0), (64, 48)),
        ((24, 16), (128, 48)),
        ((), ()),
    ],
)
def test_sizes_that_do_not_fall_together_are_refused(v4: tuple[int, ...], v6: tuple[int, ...]) -> None:
    with pytest.raises(SchemaError) as caught:
        Addresses(v4, v6)
    assert str(caught.value) == (
        f"'v4' and 'v6' must be equally long and descend, as in v4 = [24, 16], v6 = [64, 48]; they are {list(v4)} and {list(v6)}"
    )
