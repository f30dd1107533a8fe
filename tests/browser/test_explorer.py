"""The explorer in a real browser: what it draws and tells is what the library says, by mouse and by keys, and it asks nobody."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.data import write_adult
from sfumato.reporting.explorer.data import FileNames
from sfumato.reporting.explorer.naming import loss_words
from sfumato.reporting.explorer.page import named_node
from sfumato.reporting.explorer.writing import write_explorer
from sfumato.search.space.trade_off import TradeOff, trade_off_of
from sfumato.search.space.within import Bounds
from sfumato.verbs.trade_off import trade_off
from tests.browser.test_report import Watched
from tests.unit.report.releases import AWKWARD, SCHEMA, people

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def census() -> TradeOff:
    """All 2,160 nodes."""
    with sf.data.adult() as table:
        return trade_off(table, models=["k-anonymity:5"], epsilon=0.4)


@pytest.fixture(scope="module")
def address(census: TradeOff, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("explorer") / "tradeoff.html"
    write_explorer(census, path, FileNames("adult.parquet", "adult.toml"))
    assert path.stat().st_size < 5_000_000
    return path.as_uri()


@pytest.fixture
def watched(browser: Any, address: str) -> Iterator[Watched]:
    """The page, opened; afterwards it has said nothing and asked nobody."""
    found = Watched(browser, viewport={"width": 1200, "height": 900})
    found.open(address)
    yield found
    assert found.said == []
    assert [each for each in found.asked if not each.startswith("data:")] == [address]


def written(found: TradeOff, place: int | None) -> str:
    assert place is not None
    return found.point(place).node.brief()


def again(found: TradeOff, axes: tuple[str, str] | None = None, **bounds: Any) -> TradeOff:
    return trade_off_of(found.problem, found.space, Bounds(**bounds), axes or found.axes, found.answers)


def listed(page: Any) -> list[str]:
    rows: list[str] = page.evaluate("[...document.querySelectorAll('#front tr')].map(row => row.dataset.node)")
    return rows


def agrees(page: Any, found: TradeOff) -> None:
    """The page shows the same nodes within, the same front in the same order, and the same knee."""
    log, knee = page.locator("#log"), named_node(found, found.knee or 0)
    sync_api.expect(log).to_contain_text(f"{int(found.within.sum()):,} of 2,160 nodes")
    sync_api.expect(log).to_contain_text(f", {len(found.front):,} of them on the front. The knee is {knee}.")
    assert listed(page) == [written(found, int(place)) for place in found.front]


def spot(page: Any, kind: str) -> tuple[float, float]:
    """Where a mark stands on the screen."""
    box = page.locator(f"#plot svg .{kind}").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_it_opens_on_the_knee_of_the_bounds_as_given(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    agrees(page, census)
    assert page.locator("#chosen").get_attribute("data-node") == written(census, census.knee)
    assert page.locator("#epsilon").input_value() == "0.4"
    assert page.locator("#plot .region").count() == 1
    ink = page.evaluate("""() => { const c = document.querySelector("canvas");
        return new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size; }""")
    assert ink > 3


def test_other_bounds_give_what_the_library_gives(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    for bounds in (
        {"epsilon": 0.21, "gamma": 3.5},
        {"alpha": 0.8},
        {"epsilon": 0.6, "alpha": 2, "delta": 0.95, "gamma": 3.6},
        {},
    ):
        for name in ("epsilon", "alpha", "delta", "gamma"):
            page.locator(f"#{name}").fill(str(bounds.get(name, "")))
        agrees(page, again(census, **bounds))
    page.locator("#epsilon").fill("0.1")
    page.locator("#scope").select_option("total")
    agrees(page, again(census, epsilon=0.1, scope="total"))
    assert page.locator("small[data-bound=epsilon]").inner_text() == loss_words("distribution")


def test_every_loss_can_be_an_axis(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    names = page.evaluate("[...document.querySelectorAll('#x option')].map(each => each.value)")
    assert len(names) == 11 * 2 + 5  # mean and worst class of those that classes have
    for x, y in (("entropy", "loss"), ("discernibility", "kl.max"), ("class-size", "precision"), ("emd.max", "emd.max")):
        page.locator("#x").select_option(x)
        page.locator("#y").select_option(y)
        agrees(page, again(census, (x, y), epsilon=0.4))
        assert f"{loss_words(x)} · worse →" in page.locator("#plot").inner_text().replace(" (log scale)", "")
    for name in names:
        page.locator("#x").select_option(name)
        assert listed(page)


def chosen(page: Any) -> Any:
    return page.locator("#chosen").get_attribute("data-node")


def ringed(page: Any) -> bool:
    """Whether the mark of the chosen node is where the knee is."""
    return spot(page, "chosen") == pytest.approx(spot(page, "knee"), abs=0.5)


def test_the_choice_follows_the_knee_until_somebody_chooses(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    for axes in (("entropy", "loss"), ("emd.max", "utility-entropy"), ("distribution.max", "precision")):
        page.locator("#x").select_option(axes[0])
        page.locator("#y").select_option(axes[1])
        found = again(census, axes, epsilon=0.4)
        assert chosen(page) == written(found, found.knee)
        assert ringed(page)
        assert page.locator("#front tr.marked").get_attribute("data-node") == written(found, found.knee)
        assert page.locator("#chosen .policy").inner_text() == named_node(found, found.knee or 0)
        assert page.locator("#status").inner_text() == "The knee of the front."
    page.locator("#epsilon").fill("0.25")
    tighter = again(census, ("distribution.max", "precision"), epsilon=0.25)
    assert chosen(page) == written(tighter, tighter.knee)


def test_a_choice_stays_when_the_axes_change_and_is_compared_anew(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    place = int(census.front[0])
    page.locator(f'#front tr[data-node="{written(census, place)}"] button').click()
    assert page.locator("#status").inner_text() == "On the front."
    page.locator("#x").select_option("loss")
    page.locator("#y").select_option("precision")
    found = again(census, ("loss", "precision"), epsilon=0.4)
    assert chosen(page) == written(census, place) != written(found, found.knee)
    agrees(page, found)
    assert place not in found.front
    x, y = (found.space[name] for name in found.axes)
    better = sum(bool(x[each] <= x[place] and y[each] <= y[place]) for each in found.front)
    better_nodes = f"{better} nodes of the front are" if better > 1 else "1 node of the front is"
    assert page.locator("#status").inner_text() == f"Within the bounds, but {better_nodes} better on these axes."
    page.locator("#epsilon").fill("0.0000001")
    page.locator("#delta").fill("0.1")
    assert chosen(page) == written(census, place)
    assert page.locator("#status").inner_text() == "Outside the bounds."


def test_the_menus_are_grouped(watched: Watched, census: TradeOff) -> None:
    groups = watched.page.evaluate(
        "[...document.querySelectorAll('#x optgroup')].map(each => [each.label, each.children.length])"
    )
    assert groups == [["Privacy: what others learn", 16], ["Utility: what it costs", 9], ["Sizes of classes", 2]]


def test_the_region_ends_at_the_bound(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    page.locator("#y").select_option("utility-distribution.max")
    page.locator("#delta").fill("0.95")
    lines = page.locator("#plot .bound")
    sync_api.expect(lines).to_have_count(2)
    edge = page.locator("#plot .region").bounding_box()
    x, y = spot(page, "knee")
    assert edge["x"] <= x <= edge["x"] + edge["width"]
    assert edge["y"] <= y <= edge["y"] + edge["height"]
    page.locator("#x").select_option("loss")
    sync_api.expect(lines).to_have_count(1)
    sync_api.expect(page.locator("#beside")).to_have_text(f"Also bounded, but on no axis: {loss_words('distribution.max')}.")
    page.locator("#y").select_option("precision")
    sync_api.expect(page.locator("#plot .region")).to_have_count(0)


def test_nothing_within_tells_the_least_feasible_bounds(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    page.locator("#epsilon").fill("0.3")
    page.locator("#delta").fill("0.93")
    found = again(census, epsilon=0.3, delta=0.93)
    assert found.knee is None
    sync_api.expect(page.locator("#log")).to_contain_text("No node is within the bounds.")
    said = page.locator("#log").inner_text()
    for each, letter in zip(found.least, "εδ", strict=True):
        bound = "does not help" if each.least is None else f"at least {math.ceil(each.least * 1e4) / 1e4:g}"
        assert f"{letter} {bound}" in said
    assert listed(page) == []
    page.locator("#plot").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#announced").inner_text()


def test_a_bound_below_zero_is_marked_and_bounds_nothing(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    page.locator("#epsilon").fill("-1")
    assert page.locator("#epsilon").get_attribute("aria-invalid") == "true"
    agrees(page, again(census))
    page.locator("#epsilon").fill("0.4")
    assert page.locator("#epsilon").get_attribute("aria-invalid") == "false"
    agrees(page, census)


def test_hovering_shows_the_policy(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    tip = page.locator("#tip")
    assert not tip.is_visible()
    page.mouse.move(*spot(page, "knee"))
    sync_api.expect(tip).to_be_visible()
    point = census.point(census.knee or 0)
    shown = tip.inner_text()
    assert named_node(census, census.knee or 0) in shown
    assert f"{point['classes']:,} classes, the smallest has {point['smallest']:,}" in shown
    assert f"what classes reveal, worst class: {point['distribution.max']:.4g}" in shown
    assert f"how unsure readers stay, mean: {point['utility-distribution']:.4g}" in shown
    assert "the knee of the front" in shown
    page.mouse.move(5, 5)
    sync_api.expect(tip).to_be_hidden()


def test_a_click_chooses_and_the_panel_shows_the_classes(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    page.locator("#plot").focus()
    page.keyboard.press("End")
    page.mouse.click(*spot(page, "focused"))
    last = int(census.front[-1])
    sync_api.expect(page.locator("#chosen")).to_have_attribute("data-node", written(census, last))
    sync_api.expect(page.locator("#front tr.marked")).to_have_attribute("data-node", written(census, last))
    levels = census.space.evaluations.levels[last].tolist()
    with sf.data.adult() as table:
        measured = sf.measure(table, node=levels).attributes[0].per_class.to_pandas()
        counts = table.count(sensitive=["occupation"]).roll_up(census.point(last).node)
    large = measured[measured["people"] >= 5].sort_values(["distribution", "class"], ascending=[False, True])
    heads = page.locator("#classes summary").all_inner_texts()
    assert heads[0].startswith(f"Class {large['class'].iloc[0]:,}: {large['people'].iloc[0]:,} people, distribution loss ")
    assert len(heads) == min(8, len(large))
    sync_api.expect(page.locator("#which")).to_contain_text(f"The worst {len(heads)} of {len(large):,} classes")
    number = int(large["class"].iloc[0]) - 1
    payload = counts.payloads["occupation"]
    cells = slice(int(payload.offsets[number]), int(payload.offsets[number + 1]))
    codes, held = payload.values[cells].tolist(), payload.people[cells].tolist()
    shares = {payload.hierarchy.label(0, code): n / sum(held) for code, n in zip(codes, held, strict=True)}
    rows = page.locator("#classes details[open] tbody tr")
    assert rows.count() == len(census.prior.values)
    for value, prior in zip(census.prior.values, census.prior.shares, strict=True):
        row = rows.filter(has=page.get_by_role("rowheader", name=str(value), exact=True))
        before, after = (cell for cell in row.locator("td.number").all_inner_texts())
        assert before == ("<0.1%" if prior < 0.0005 else f"{prior:.1%}")
        assert after == (f"{shares[value]:.1%}" if value in shares else "0%")
        assert row.locator("svg rect").count() == 2
    assert f"--node '{written(census, last)}' -o out.parquet" in page.locator("#command").inner_text().replace("\n", " ")


def test_the_command_makes_the_release_that_is_shown(
    watched: Watched, census: TradeOff, tmp_path: Path, sfumato: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_adult(tmp_path)
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(watched.page.locator("#command").evaluate("each => each.textContent"))
    ended = sfumato(*words, "--json")
    assert (program, ended.status) == ("sfumato", 0)
    knee = census.point(census.knee or 0)
    assert (ended.json["classes"], ended.json["smallest_class"]) == (knee["classes"], knee["smallest"])


def test_all_of_it_with_keys_alone(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "plot":
            break
    announced, front = page.locator("#announced"), [int(place) for place in census.front]
    assert page.evaluate("document.activeElement.id") == "plot"
    page.keyboard.press("Home")
    for place in (front[0], front[1], front[2]):
        policy = named_node(census, place)
        sync_api.expect(announced).to_contain_text(policy)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("#chosen")).to_have_attribute("data-node", written(census, front[2]))
    sync_api.expect(announced).to_have_text(f"{named_node(census, front[2])}: chosen; its classes are shown below the plot")
    page.keyboard.press("k")
    sync_api.expect(announced).to_contain_text("the knee of the front")
    x, _ = spot(page, "focused")
    page.keyboard.press("Shift+ArrowRight")
    assert spot(page, "focused")[0] > x
    _, y = spot(page, "focused")
    page.keyboard.press("Shift+ArrowUp")
    assert spot(page, "focused")[1] < y
    page.keyboard.press(" ")
    assert page.locator("#chosen").get_attribute("data-node") != written(census, front[2])
    page.keyboard.press("Escape")
    sync_api.expect(page.locator("#plot .focused")).to_have_count(0)
    sync_api.expect(page.locator("#tip")).to_be_hidden()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "copy"


def test_the_scales_can_fit_what_is_within(watched: Watched, census: TradeOff) -> None:
    page = watched.page
    before = spot(page, "knee")
    page.locator("#zoom").select_option("within")
    assert spot(page, "knee") != before
    agrees(page, census)
    page.mouse.move(*spot(page, "knee"))
    sync_api.expect(page.locator("#tip")).to_contain_text("the knee")


def test_the_command_can_be_copied(watched: Watched) -> None:
    watched.page.locator("#copy").click()
    sync_api.expect(watched.page.locator("#copied")).to_have_text("copied")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_follows_its_colors(browser: Any, address: str, scheme: str) -> None:
    page = (found := Watched(browser, viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True)).page
    found.open(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#y").select_option("chi2.max")  # the longest words
    cut = """[...document.querySelectorAll("#plot svg text")].filter(each => {
        const box = each.getBoundingClientRect(), frame = document.getElementById("plot").getBoundingClientRect();
        return box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom; }).length"""
    assert page.evaluate(cut) == 0
    page.locator("#y").select_option("utility-distribution")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 25, 26)"}[scheme]
    assert page.locator("#plot").bounding_box()["width"] <= 390
    wide = page.evaluate("[...document.querySelectorAll('#classes .scroll')].map(each => each.scrollWidth - each.clientWidth)")
    assert max(wide) <= 0
    page.locator("#plot").scroll_into_view_if_needed()
    page.touchscreen.tap(*spot(page, "knee"))
    sync_api.expect(page.locator("#tip")).to_be_visible()
    assert found.said == []


def test_the_colors_change_while_it_is_open(browser: Any, address: str) -> None:
    page = (found := Watched(browser, color_scheme="light")).page
    found.open(address)
    first = page.evaluate("document.querySelector('canvas').toDataURL()")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("first => document.querySelector('canvas').toDataURL() !== first", arg=first)
    assert found.said == []


def test_without_a_script_the_front_stands_there(browser: Any, address: str, census: TradeOff) -> None:
    page = (found := Watched(browser, java_script_enabled=False)).page
    found.open(address)
    assert page.locator("#front tr").count() == len(census.front)
    assert named_node(census, int(census.front[0])) in page.locator("#front").inner_text()
    assert not page.locator("#plot").is_visible()


def test_labels_that_look_like_markup_do_nothing(browser: Any, tmp_path: Path) -> None:
    image = "<img src=x onerror=document.title=1>"
    counts = {
        (f"{town} {number}", number, value): 6 for town in (*AWKWARD, image) for number in range(3) for value in (image, "flu")
    }
    write_explorer(trade_off(people(counts), sf.Schema.parse(SCHEMA)), tmp_path / "t.html", FileNames(image))
    page = (found := Watched(browser)).page
    found.open((tmp_path / "t.html").as_uri())
    page.locator("#plot").focus()
    for key in ("End", "Enter"):
        page.keyboard.press(key)
    assert page.locator("#classes").inner_text().count("<img src=x") > 0
    assert page.locator("img").count() == 0
    assert page.title() == f"Trade-off: {image}"
    assert found.said == []


def test_nodes_at_one_place_can_all_be_chosen(browser: Any, tmp_path: Path) -> None:
    """One sensitive value: every node has the same losses, and the least general comes first."""
    levels = 'type = "integer"\nhierarchy = { builder = "intervals", lower = 0, upper = 8, widths = [2, 4] }'
    counts = {(town, age, "flu"): 6 for town in "ab" for age in (1, 2, 5)}
    made = trade_off(people(counts), sf.Schema.parse(SCHEMA.replace('type = "integer"', levels)))
    write_explorer(made, tmp_path / "t.html")
    page = (found := Watched(browser)).page
    found.open((tmp_path / "t.html").as_uri())
    every = [written(made, int(place)) for place in made.front]
    assert every[:4] == ["[0,0]", "[0,1]", "[1,0]", "[0,2]"]
    assert listed(page) == every
    chosen = set()
    for _ in every:
        chosen.add(page.locator("#chosen").get_attribute("data-node"))
        page.mouse.click(*spot(page, "knee"))
    assert chosen == set(every)
    sync_api.expect(page.locator("#tip")).to_contain_text("7 more at this place")
    assert found.said == []


def test_a_bound_beyond_the_scale_shades_everything_and_has_no_line(watched: Watched) -> None:
    page = watched.page
    page.locator("#epsilon").fill("1.4")
    sync_api.expect(page.locator("#plot .region")).to_have_count(1)
    sync_api.expect(page.locator("#plot .bound")).to_have_count(0)
    page.locator("#epsilon").fill("0.5")
    sync_api.expect(page.locator("#plot .bound")).to_have_count(1)
