"""The page about a sequence: its numbers are the audit's, its verdict is in words, and nobody's value or name is on it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.reporting.sentences import percent
from sfumato.reporting.style import DARK, LIGHT, contrast
from sfumato.reporting.together.advice import advice
from sfumato.reporting.together.page import page
from sfumato.reporting.together.pairs import WORST, squares
from sfumato.reporting.together.pictures import STRONG, heat_picture, stacked_picture
from sfumato.reporting.together.summary import to_do, verdict
from sfumato.sequence import Audited, AuditedRelease
from sfumato.sequence.audit import alike_after, broken_in, invariances, steps_of
from sfumato.sequence.pairs import harmed_by_all, pairs_of
from tests.unit.report.reading import Element, read
from tests.unit.report.test_svg import parsed
from tests.unit.sequence.joints import ILL, joint_of_lists

NS = "{http://www.w3.org/2000/svg}"
OWNER, VALUE, TOWN = "PLANTED-OWNER", "PLANTED-ILLNESS", "PLANTED-TOWN"
SCHEMA = """
[attributes.who]
role = "owner"

[attributes.town]
role = "quasi"

[attributes."<b>&ill"]
role = "sensitive"
"""


def audited_of(classes: Sequence[Sequence[int]], values: Sequence[str], together: Sequence[str], m: int | None = None) -> Audited:
    """An audit of people written as lists, whose releases promise nothing."""
    joint = joint_of_lists(classes, values, m=m)
    broken, judged, unjudged = broken_in(joint, together)
    steps = steps_of(joint)
    releases = [
        AuditedRelease(each.name, f"r{each.name}.csv", "2026-01-02T03:04:05+00:00", sum(map(bool, own)), each.classes, 0, ())
        for each, own in zip(joint.members, classes, strict=True)
    ]
    return Audited(
        ledger=Path("ledger"),
        releases=tuple(releases),
        steps=steps,
        judged=tuple(judged),
        broken=tuple(broken),
        unjudged=tuple(unjudged),
        invariance=invariances(joint),
        alike=alike_after(joint, steps),
        pairs=pairs_of(joint, together, broken),
        harmed_by_all=harmed_by_all(joint, together, broken),
    )


# Release 1 has two halves, release 2 two others: together four groups of one, three, three and one. By hand, the values that remain of
# each of these with both: a; b; c or d; d.
APART = [[1, 1, 1, 1, 2, 2, 2, 2], [1, 2, 2, 2, 1, 1, 1, 2], [1, 1, 1, 1, 1, 1, 1, 1]]
VALUES = list("abbbccdd")


@pytest.fixture
def broken() -> Audited:
    return audited_of(APART, VALUES, ["k-anonymity:2"])


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three releases of two tables with unique texts in every column, under names that look like markup."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SFUMATO_LEDGER", "<i>ledger&")  # the ledger of no table in particular: nothing is judged together
    Path("s.toml").write_text(SCHEMA, encoding="utf-8")
    for number, people in enumerate((range(8), range(2, 10))):
        rows = "".join(f"{OWNER}-{n},{TOWN}-{n // 2},{VALUE}-{n % 4}\n" for n in people)
        Path(f"t{number}.csv").write_text(f"who,town,<b>&ill\n{rows}", encoding="utf-8")
    question = sf.Question(models=["distinct-diversity:2"])
    options: dict[str, Any] = {"schema": "s.toml", "question": question}
    sf.publish("t0.csv", node=[0], output="<script>1.csv", **options)
    sf.publish("t0.csv", node=[1], output="2.csv", **options)
    sf.publish("t1.csv", node=[0], output="a&b;'\".csv", **options)
    return Path("<i>ledger&")


def tables_of(root: Element) -> dict[str, list[list[str]]]:
    """The rows of every table by its caption."""
    return {
        table.all("caption")[0].words: [_cells(row) for row in table.all("tbody")[0].all("tr")] for table in root.all("table")
    }


def _cells(row: Element) -> list[str]:
    return [cell.words.replace("\N{NO-BREAK SPACE}", " ") for cell in row.all("th", "td")]


def sections_of(root: Element) -> dict[str, Element]:
    return {str(each.attributes["id"]): each for each in root.all("section")}


def test_the_numbers_on_the_page_are_those_of_the_audit(broken: Audited) -> None:
    tables = tables_of(read(page(broken)))
    steps = broken.steps[ILL]
    lines = ["release 1", "and 2", "and 3"]
    certain = [[line, str(step.known.people), str(step.known.certain)] for line, step in zip(lines, steps, strict=True)]
    assert [row[:3] for row in tables["ill: people known for certain"]] == certain
    assert [row[2] for row in certain] == ["0", "5", "5"]
    possible = tables["ill: people by the values that remain possible"]
    assert [row[1:] for row in possible] == [["0", "8", "0", "0", "0"], *2 * [["5", "3", "0", "0", "0"]]]
    alone = [
        [line, "8", str(groups), str(least), str(one)]
        for line, groups, least, one in zip(lines, (2, 4, 4), (4, 1, 1), (0, 2, 2), strict=True)
    ]
    assert [row[:5] for row in tables["People who are alone"]] == alone
    losses = tables["ill: losses. Each line adds a release to those above it."]
    found = [[float(cell) for cell in row[1:]] for row in losses]
    for row, step in zip(found, steps, strict=True):
        expected = [step.known.distribution_mean, step.distribution, step.known.entropy_mean, step.entropy]
        assert row == pytest.approx(expected, rel=1e-3)


def test_the_pairs_on_the_page_are_those_of_the_audit(broken: Audited) -> None:
    tables = tables_of(read(page(broken)))
    assert tables["People for whom k-anonymity:2 is broken, by two releases"] == [
        ["release 1", "0", "", ""],
        ["release 2", "2", "0", ""],
        ["release 3", "0", "0", "0"],
    ]
    assert tables["People whose ill is known for certain, by two releases"][1] == ["release 2", "5", "0", ""]


def test_a_broken_sequence_says_which_releases_for_how_many_by_which_model(broken: Audited) -> None:
    root = read(page(broken))
    (line,) = [each for each in root.all("p") if "verdict" in str(each.attributes.get("class"))]
    assert line.attributes["class"] == "verdict bad"
    assert line.words == "✗ Broken. Releases 1 and 2 together break k-anonymity:2 for 2 people."
    words = plain(page(broken))
    assert "everyone looks like at least 1 other in all of these releases together" in words
    assert "the smallest class has 1 person" in words
    assert "with all 3 releases, for 2 people" in words
    assert "Nobody should have releases 1 and 2 at once" in words


def plain(shown: str) -> str:
    """The words of a page in their order."""
    return unescape(re.sub(r"<[^>]+>", "", shown))


def test_of_several_broken_models_each_is_told() -> None:
    audited = audited_of(APART, VALUES, ["k-anonymity:2", "distinct-diversity:3", "k-anonymity:1"])
    kind, sentence = verdict(audited)
    assert (kind, sentence.endswith(", and 1 more model.")) == ("bad", True)
    signs = [each.words.strip()[0] for each in read(page(audited)).all("ul")[0].all("li")]
    assert len(audited.broken) == 2
    assert len(signs) == 3


def test_a_kept_sequence_a_single_release_and_one_that_promises_nothing_say_so() -> None:
    assert verdict(audited_of(APART, VALUES, ["k-anonymity:1"])) == (
        "good",
        "✓ Kept. The releases keep k-anonymity:1 also together.",
    )
    kind, sentence = verdict(audited_of(APART[:1], VALUES, ["k-anonymity:1"]))
    assert (kind, sentence.startswith("– Nothing to put together yet.")) == ("soft", True)
    kind, sentence = verdict(audited_of(APART, VALUES, ["promised"]))
    assert (kind, sentence.startswith("– Not judged. No release promises")) == ("soft", True)
    assert "Name what the releases must keep, as in --together k-anonymity:5" in plain(
        page(audited_of(APART, VALUES, ["promised"]))
    )


def test_m_invariance_is_told_in_words_with_its_pairs() -> None:
    moved = audited_of([[1, 1, 1, 2, 2, 2], [1, 1, 0, 2, 2, 2], [1, 1, 1, 2, 2, 2]], list("abcabc"), ["promised"], m=3)
    shown = page(moved)
    assert "everybody is among at least 3 different values of ill" in shown
    assert "ill: the sequence is m-invariant for no m." in shown
    square = next(squares(moved))
    assert (square.title, square.counts[1, 0], square.counts[2, 0], square.counts[2, 1]) == (
        "People for whom m-invariance:3 is broken",
        2,
        0,
        2,
    )
    assert "among other values than before" not in shown  # the heat map has these people
    two = audited_of([[1, 1, 1, 2, 2, 2], [1, 1, 0, 2, 2, 2]], list("abcabc"), ["promised"], m=3)
    assert tables_of(read(page(two)))["People who are among other values than before"] == [["1 and 2", "2"]]
    kept = audited_of([[1, 1, 1, 2, 2, 2], [1, 2, 1, 2, 1, 2]], list("abcabc"), ["promised"], m=3)
    assert "ill: the sequence is 3-invariant." in page(kept)


def test_no_value_of_a_record_and_nobodys_name_is_on_the_page(ledger: Path) -> None:
    audited = sf.sequence.audit(ledger, "s.toml")
    assert audited.releases[0].people == 8
    for text in (page(audited), json.dumps(audited.as_dict())):
        assert not re.search("PLANTED", text, re.IGNORECASE)


def test_names_that_look_like_markup_stay_text(ledger: Path) -> None:
    audited = sf.sequence.audit(ledger, "s.toml")
    shown = page(audited)
    root = read(shown)  # everything is closed in order
    assert [script.words for script in root.all("script")] == [""]
    assert root.all("b", "i") == []
    rows = tables_of(root)["The releases that are put together"]
    assert [row[1] for row in rows] == ["<script>1.csv", "2.csv", "a&b;'\".csv"]
    assert [row[3] for row in rows] == ["1: t0.csv", "1: t0.csv", "2: t1.csv"]
    assert "<b>&ill" in sections_of(root)["summary"].words
    assert root.all("title")[0].words.endswith("<i>ledger&")


def test_the_page_is_made_for_programs_that_read_it_aloud(ledger: Path, broken: Audited) -> None:
    for audited in (broken, sf.sequence.audit(ledger, "s.toml"), replace(broken, steps={}, pairs=broken.pairs)):
        root = read(page(audited))
        heads = [int(each.name[1]) for each in root.all("h1", "h2", "h3", "h4")]
        assert heads[0] == 1
        assert heads.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(heads))
        for table in root.all("table"):
            assert table.all("caption")[0].words
            assert all(each.attributes.get("scope") in ("row", "col") and each.words for each in table.all("th"))
        for section in root.all("section"):
            assert section.all("h2")
            assert len(section.all("svg")) <= len(section.all("table"))
            for chart in section.all("svg"):
                assert chart.attributes["role"] == "img"
                assert all(chart.all(name)[0].words for name in ("title", "desc"))
        places = [str(each.attributes["id"]) for each in every(root) if "id" in each.attributes]
        assert len(set(places)) == len(places)
        assert {str(each.attributes["href"]) for each in root.all("a")} <= {f"#{place}" for place in places}


def every(root: Element) -> list[Element]:
    return [each for child in root.children for each in (child, *every(child))]


def test_the_page_asks_nobody_for_anything_and_says_for_whom_it_is(broken: Audited) -> None:
    shown = page(broken)
    assert set(re.findall(r"https?://[^\s\"<]+", shown)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in shown.replace("&#x27;", "'")
    assert "for the owner of the tables and not for publication" in shown
    assert page(broken) == shown


def test_without_a_sensitive_attribute_the_page_is_about_people_who_are_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SFUMATO_LEDGER", "l")
    Path("s.toml").write_text('[attributes.a]\nrole = "quasi"\n[attributes.b]\nrole = "quasi"\n', encoding="utf-8")
    Path("t.csv").write_text("a,b\n" + "x,1\n" * 3 + "x,2\n" + "y,2\n" * 3, encoding="utf-8")
    for name, node in (("a", [0, 1]), ("b", [1, 0]), ("c", [1, 1])):
        question = sf.Question(models=["k-anonymity:3"])
        sf.publish("t.csv", "s.toml", node=node, output=f"{name}.csv", question=question)
    audited = sf.sequence.audit("l", "s.toml")
    assert [(each.people, each.groups, each.smallest, each.alone) for each in audited.alike] == [
        (7, 2, 3, 0),
        (7, 3, 1, 1),
        (7, 3, 1, 1),
    ]
    root = read(page(audited))
    assert not {"certain", "possible", "beliefs"} & set(sections_of(root))
    assert tables_of(root)["People who are alone"][1][:5] == ["and 2", "7", "3", "1", "1"]
    assert "There is no owner column" in sections_of(root)["untold"].words


def test_releases_that_are_not_audited_are_listed_with_the_reason(ledger: Path) -> None:
    audited = sf.sequence.audit(ledger, "s.toml", only=[1, 3])
    assert [(each.number, each.file, each.reason) for each in audited.left_out] == [("2", "2.csv", "not asked for")]
    rows = tables_of(read(page(audited)))["Releases of this ledger that are not audited"]
    assert rows == [["2", "2.csv", "not asked for"]]
    assert audited.others == 1


def test_many_releases_have_the_worst_pairs_and_no_square_too_small_to_read() -> None:
    classes = [[1 + (person >> place % 3) % 2 for person in range(8)] for place in range(13)]
    thirteen = audited_of(classes, VALUES, ["k-anonymity:8"])
    tables = tables_of(read(page(thirteen)))
    (worst,) = [rows for caption, rows in tables.items() if caption.startswith("People for whom k-anonymity:8 is broken: the")]
    assert len(worst) == WORST
    assert {row[1] for row in worst} == {"8"}
    assert len(sections_of(read(page(thirteen)))["pairs"].all("svg")) == 2
    many = audited_of([classes[0]] * 25, VALUES, ["k-anonymity:8"])
    pairs = sections_of(read(page(many)))["pairs"]
    assert pairs.all("svg") == []
    assert "Left out: pictures of more than 24 releases." in pairs.words


def test_too_many_values_for_pairs_are_told(broken: Audited) -> None:
    without = replace(broken, pairs=tuple(replace(each, certain={}) for each in broken.pairs))
    pairs = sections_of(read(page(without)))["pairs"]
    assert "Left out: ill, with too many values and classes" in pairs.words
    assert len(pairs.all("svg")) == 1


def test_bars_of_remaining_values_divide_their_row_and_cells_stand_for_pairs() -> None:
    root = parsed(stacked_picture("s", "t", "d", [("a", (1, 1, 2, 0, 0)), ("b", (0, 0, 0, 0, 4))], ["1", "2", "3", "4", "5"]))
    boxes = [float(each.attrib["width"]) for each in root.iter(f"{NS}rect") if float(each.attrib["height"]) == 15]
    one, two, four, whole, all_five, frame = boxes
    assert (one, two, four) == (
        pytest.approx(whole / 4, abs=0.2),
        pytest.approx(whole / 4, abs=0.2),
        pytest.approx(whole / 2, abs=0.2),
    )
    assert all_five == frame == whole
    drawn = parsed(heat_picture("h", "t", "d", ["1", "2"], {(0, 0): 0, (1, 0): 4_000_000, (1, 1): 250_000}))
    cells = [float(each.attrib["fill-opacity"]) for each in drawn.iter(f"{NS}rect") if "fill-opacity" in each.attrib]
    assert cells[0] == STRONG > cells[1]  # an empty cell is not filled
    assert {"0", "4M", "250k"} <= {text.text for text in drawn.iter(f"{NS}text")}


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_can_be_read_on_the_strongest_cell(colors: dict[str, str]) -> None:
    channels = [
        round(STRONG * int(colors["bar"][at : at + 2], 16) + (1 - STRONG) * int(colors["paper"][at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    assert contrast(colors["ink"], "#" + "".join(f"{each:02x}" for each in channels)) >= 4.5


def test_what_would_help_depends_on_what_there_is(broken: Audited) -> None:
    def commands(audited: Audited) -> list[str]:
        return [" ".join(command[1:3]) for _, command in advice(audited) if command]

    assert commands(broken) == ["sequence report"]
    assert commands(replace(broken, broken=())) == ["anonymize TABLE", "sequence report"]
    owners = replace(broken, followed=True)
    assert commands(owners) == ["sequence next", "sequence report"]
    invariant = replace(owners, broken=(), releases=tuple(replace(each, mapping="m.csv") for each in owners.releases))
    ((_, command), _) = advice(invariant)
    assert command[command.index("--after") + 1] == "m.csv"
    ((why, command), _) = advice(replace(invariant, broken=broken.broken))
    assert "these do not all do" in why
    assert "--after" not in command


def test_shares_beside_counts_are_shares_of_the_people(broken: Audited) -> None:
    rows = tables_of(read(page(broken)))["ill: people known for certain"]
    assert rows[1][3] == percent(5 / 8) == "62.5%"


def test_every_two_releases_that_should_not_meet_are_named_where_the_owner_reads_what_to_do() -> None:
    # Releases 1 and 2 harm all four people, 1 and 3 the two who are alone with both; 2 and 3 harm nobody.
    halves = [[1, 1, 2, 2, 2, 2], [1, 2, 1, 2, 1, 2], [1, 1, 1, 1, 1, 1]]
    alone = list(to_do(audited_of(halves, VALUES[:6], ["k-anonymity:2"])))
    assert "No other two do it by themselves: see which two should not meet." in alone
    halves[2] = [1, 2, 2, 2, 2, 2]
    both = list(to_do(audited_of(halves, VALUES[:6], ["k-anonymity:2"])))
    assert "Nor should anybody have both of these: 1 and 3; 2 and 3: see which two should not meet." in both


def test_what_other_two_do_is_not_hidden_where_two_models_are_broken_by_different_releases() -> None:
    """The diversity of releases 1 and 2, the sizes of 2 and 3; releases 1 and 3 break both, for fewer people."""
    classes = [[1, 1, 1, 1, 2, 2, 2, 2], [1, 1, 2, 2, 1, 1, 2, 2], [1, 1, 1, 1, 1, 2, 2, 2]]
    audited = audited_of(classes, list("aabbccdd"), ["distinct-diversity:2", "k-anonymity:3"])
    audited = replace(audited, broken=(audited.broken[0], replace(audited.broken[1], releases=("2", "3"))))
    assert [each.releases for each in audited.broken] == [("1", "2"), ("2", "3")]
    first, second, *_ = to_do(audited)
    assert first.startswith("Nobody should have releases 1 and 2 at once, nor releases 2 and 3 at once. ")
    assert second == "Nor should anybody have both of these: 1 and 3: see which two should not meet."
