"""The bars of enumerated mechanisms: the channel paper's example of five rows, and six and seven rows by orbits."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from sfumato.channel.enumeration import Universe, enumerate_mechanism, enumerate_orbits

SCHEMA = {
    "attributes": {
        "age": {"role": "quasi", "hierarchy": {"tree": {"young": ["20", "30"], "old": ["40", "50"]}}},
        "gender": {"role": "quasi", "values": ["male", "female"]},
        "disease": {"role": "sensitive", "values": ["cold", "heart attack", "diabetes"]},
    }
}
SETTINGS = [(k, choice) for k in (2, 3) for choice in ("uniform", "deterministic")]
# In a process of its own, whose peak memory is that of the enumeration and what Python and its libraries need.
ALONE = """
import json, resource, sys, time
from sfumato.channel.enumeration import Universe, enumerate_mechanism
schema, settings = json.loads(sys.argv[1])
start = time.perf_counter()
universe = Universe.of(schema, 5)
errors = [enumerate_mechanism(universe, f"k-anonymity:{k}", choice=choice).map_error for k, choice in settings]
took = time.perf_counter() - start
print(json.dumps([errors, took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def test_the_papers_example_takes_under_ten_seconds_and_a_gigabyte() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ALONE, json.dumps([SCHEMA, SETTINGS])], check=True, capture_output=True, text=True
    )
    errors, took, megabytes = json.loads(ended.stdout)
    print(f"\n98,280 inputs, four mechanisms: {[round(each, 6) for each in errors]} in {took:.2f} s (bar 10 s), ", end="")
    print(f"{megabytes:.0f} MB at most (bar 1,000 MB)")
    assert [round(each, 6) for each in errors] == [0.987383, 0.944231, 0.998575, 0.995513]
    assert took < 10
    assert megabytes < 1_000


@pytest.mark.parametrize("rows", [5, 6, 7])
@pytest.mark.parametrize(("k", "choice"), SETTINGS)
def test_orbits_leave_out_nearly_everything_and_give_the_same(rows: int, k: int, choice: str) -> None:
    universe = Universe.of(SCHEMA, rows)
    start = time.perf_counter()
    found = enumerate_orbits(universe, f"k-anonymity:{k}", choice=choice)
    by_orbits = time.perf_counter() - start
    start = time.perf_counter()
    plain = enumerate_mechanism(universe, f"k-anonymity:{k}", choice=choice)
    plainly = time.perf_counter() - start
    print(
        f"\nr = {rows}, k = {k}, {choice}: {found.map_error:.6f}; {found.representatives:,} of {found.inputs:,} inputs enumerated, "
        f"{found.not_enumerated:,} not, {found.output_representatives:,} of {found.outputs:,} outputs; "
        f"{by_orbits:.2f} s, plainly {plainly:.2f} s"
    )
    assert found.map_error == pytest.approx(plain.map_error, abs=1e-12)
    assert found.outputs == plain.channel.outputs
    assert found.representatives * found.relabelings < 2 * found.inputs  # no orbit has more inputs than there are relabelings
