"""A run does each step once, notices what has changed, and reports without naming anybody."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.applications.ato.running.records import FILES
from sfumato.commit.call import one_call
from sfumato.commit.locks import held
from sfumato.errors import OutputError, SfumatoError, UsageError

SMALL = {"rows": 20_000, "seed": 7, "grid": "none"}
STEPS = tuple(FILES)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a run, hidden ones too; of a record, everything but how long the step took and the digest of that."""
    return {str(path.relative_to(folder)): _content(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _content(path: Path) -> bytes:
    if path.parent.name != "steps":
        return path.read_bytes()
    return json.dumps({**json.loads(path.read_text(encoding="utf-8")), "seconds": 0, "digest": ""}).encode()


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run, not to be changed."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert sf.ato.run(folder, **SMALL).done == STEPS
    return folder


@pytest.fixture
def run(complete: Path, tmp_path: Path) -> Path:
    """A copy of a complete run."""
    shutil.copytree(complete, tmp_path / "run")
    return tmp_path / "run"


def test_a_complete_run_has_nothing_to_do(run: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    again = sf.ato.run(run, **SMALL)
    assert again.done == ()
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()} == before
    assert again.results["log"]["events"] == 20_000


def test_two_runs_with_one_seed_are_the_same_to_the_byte_whatever_the_threads(complete: Path, tmp_path: Path) -> None:
    sf.ato.run(tmp_path / "other", **SMALL, jobs=1, threads=1)
    assert contents(tmp_path / "other") == contents(complete)


@pytest.mark.parametrize("step", STEPS)
def test_a_damaged_file_is_made_again_and_nothing_else(step: str, run: Path, complete: Path) -> None:
    damaged = run / FILES[step][0]
    damaged.write_bytes(damaged.read_bytes()[:-20] + b"x" * 20)
    assert sf.ato.run(run, **SMALL).done == (step,)
    assert contents(run) == contents(complete)


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "{", '{"step": "train"}', "[]", "[" * 100_000, '{"seconds": NaN}'])
def test_a_record_that_cannot_be_read_counts_for_nothing(content: str, run: Path, complete: Path) -> None:
    (run / "steps" / "train.json").write_text(content, encoding="utf-8")
    done = sf.ato.run(run, **SMALL).done
    assert done == ("train", "detect", "timeline", "report"), "what it was made from is not known, so neither are the later steps"
    assert contents(run) == contents(complete)


@pytest.mark.slow
def test_a_record_that_was_changed_counts_for_nothing(run: Path, complete: Path) -> None:
    """Its figures are those of the report, so a changed one would be believed there."""
    place = run / "steps" / "train.json"
    record = json.loads(place.read_text(encoding="utf-8"))
    record["result"]["levels"]["ip"]["truth"]["tp"] += 1
    place.write_text(json.dumps(record), encoding="utf-8")
    assert sf.ato.run(run, **SMALL).done == ("train", "detect", "timeline", "report")
    assert contents(run) == contents(complete)


def test_a_record_in_the_place_of_another_step_counts_for_nothing(run: Path, complete: Path) -> None:
    shutil.copy(run / "steps" / "features.json", run / "steps" / "detect.json")
    assert "detect" in sf.ato.run(run, **SMALL).done
    assert contents(run) == contents(complete)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "done"),
    [
        ({"budget": 5}, ("detect", "timeline", "report")),
        ({"fraudulent": 200}, ("train", "detect", "timeline", "report")),
        ({"seed": 8}, STEPS),
        ({"rows": 21_000}, STEPS),
        ({"jobs": 1, "threads": 1, "memory": "1GB"}, ()),
    ],
)
def test_other_settings_repeat_the_steps_that_depend_on_them(changed: dict[str, int], done: tuple[str, ...], run: Path) -> None:
    assert sf.ato.run(run, **{**SMALL, **changed}).done == done
    sf.ato.run(run.with_name("fresh"), **{**SMALL, **changed})
    assert contents(run) == contents(run.with_name("fresh"))


def test_no_file_stands_beside_one_that_it_was_not_made_with(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.applications.ato.running.steps.train", failing)
    with pytest.raises(KeyboardInterrupt):
        sf.ato.run(run, **{**SMALL, "seed": 8})
    assert set(contents(run)) == {
        "run.json",
        *(f"steps/{name}.json" for name in STEPS[:3]),
        *(file for name in STEPS[:3] for file in FILES[name]),
    }


@pytest.mark.slow
def test_a_log_that_exists_gives_what_a_generated_one_gives(complete: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(complete / "logs", logs)
    settings = {name: value for name, value in SMALL.items() if name != "rows"}
    made = sf.ato.run(tmp_path / "run", logs, truth=logs / "truth", **settings)
    assert made.done == STEPS[1:]
    for step in STEPS[1:-1]:
        assert all((tmp_path / "run" / name).read_bytes() == (complete / name).read_bytes() for name in FILES[step])
    with (logs / "known-good.txt").open("a", encoding="utf-8") as file:
        file.write("192.0.2.1\n")
    assert "features" not in sf.ato.run(tmp_path / "run", logs, truth=logs / "truth", **settings).done


def test_the_report_names_nobody_and_loads_nothing(complete: Path) -> None:
    page = (complete / "report.html").read_text(encoding="utf-8")
    events = pq.read_table(complete / "logs" / "events.parquet")
    for column in ("UserId", "ClientIP", "UserAgent", "Id"):
        assert not [value for value in set(events.column(column).to_pylist()) if value and str(value) in page], column
    assert not re.search(r"""(src|href)=["'](?!#|data:,)""", page)
    assert "url(" not in page
    assert set(re.findall(r"https?://[^\"' ]*", page)) <= {"http://www.w3.org/2000/svg"}


def test_the_numbers_of_the_report_are_those_of_the_files(complete: Path) -> None:
    page = (complete / "report.html").read_text(encoding="utf-8")
    scores = pq.read_table(complete / "found" / "scores.parquet").column("Score").to_numpy()
    alerts = pq.read_table(complete / "found" / "alerts.parquet")
    campaigns = len(set(alerts.column("Campaign").to_pylist()))
    assert f"{(scores > 0.5).sum():,} (" in page
    assert f"from {len(alerts):,} addresses, which form {campaigns:,} campaign" in page
    timeline = json.loads((complete / "timeline" / "timeline.json").read_text(encoding="utf-8"))
    truth = pq.read_table(complete / "logs" / "truth" / "campaigns.parquet")
    assert f"There really are {len(truth)} campaigns" in page
    assert sum(timeline["events"]) == 20_000
    assert sum(row["Attempts"] for row in timeline["real"]["all"]) == 600, "3 % of the log"
    assert sum(row["logins"] for row in timeline["campaigns"]) == (scores > 0.5).sum()


def test_without_the_truth_the_report_leaves_out_what_needs_it(complete: Path, tmp_path: Path) -> None:
    sf.ato.run(tmp_path / "run", complete / "logs", seed=7, grid="none")
    page, judged = ((folder / "report.html").read_text(encoding="utf-8") for folder in (tmp_path / "run", complete))
    for words in ("The real campaigns", "by the truth", "Against the truth", "takeovers in alerts"):
        assert words in judged
        assert words not in page
    assert "is not known for these logs" in page


def test_a_folder_with_other_files_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="has files that are not those of a run"):
        sf.ato.run(tmp_path, **SMALL)
    assert contents(tmp_path) == {"mine.txt": b"mine"}


def test_a_folder_that_another_run_works_in_is_refused(run: Path) -> None:
    import threading

    refusals: list[str] = []

    def other() -> None:  # a lock is the caller's, so the other one needs a context of its own
        try:
            sf.ato.run(run, **SMALL)
        except SfumatoError as error:
            refusals.append(str(error))

    with held(run):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(refusals) == 1
    assert "another run is at work" in refusals[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bad": "x.txt"}, "is about logs that exist"),
        ({"truth": "x"}, "is about logs that exist"),
        ({"seed": -1}, "a seed is 0 or more"),
        ({"budget": 0}, "at least some alerts"),
        ({"budget": float("inf")}, "at least some alerts"),
        ({"budget": float("nan")}, "at least some alerts"),
        ({"grid": "fine"}, "no grid 'fine'"),
        ({"rows": 10}, "at least 1,000 events"),
        ({"days": 1}, "2 to 366 days"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_written(arguments: dict[str, object], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        sf.ato.run(tmp_path / "run", **arguments)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_an_error_says_that_files_stand_only_if_they_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused, one_call():
        sf.ato.run(tmp_path / "run", days=1)
    assert "stands" not in str(refused.value)


def test_logs_need_lists_of_known_addresses(complete: Path, tmp_path: Path) -> None:
    events = complete / "logs" / "events.parquet"
    with pytest.raises(UsageError, match="known to be bad"):
        sf.ato.run(tmp_path / "run", events)
    with pytest.raises(UsageError, match="leave it or the logs out"):
        sf.ato.run(tmp_path / "run", complete / "logs", rows=2000)
    with pytest.raises(UsageError, match="needs a log in files"):
        sf.ato.run(tmp_path / "run", pq.read_table(events))
    assert list(tmp_path.iterdir()) == []


def test_a_run_on_its_own_log_does_not_lose_it_to_other_logs(run: Path, complete: Path) -> None:
    with pytest.raises(OutputError, match="generated there"):
        sf.ato.run(run, complete / "logs")
    assert contents(run) == contents(complete)
