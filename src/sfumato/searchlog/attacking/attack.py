"""`searchlog attack`: attackers who know some queries of a person, or who a person is; on the log before, and on the release after."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.errors import UsageError, argument
from sfumato.searchlog.attacking.candidates import MOST_KNOWN, Ids, candidates, known
from sfumato.searchlog.attacking.results import Attacked, Attempt, Leak
from sfumato.searchlog.attacking.sides import AFTER, Side, after, before, require_owners
from sfumato.searchlog.attacking.topics import read_topics, table_of_words
from sfumato.searchlog.known import ID, people_table
from sfumato.searchlog.log import Watch
from sfumato.statistics import entropy_of

ANY, COMMON = "queries", "common queries"
_LINKER = "has one id, wants another"
_NOBODY = "nobody in the log of whom so much could be known"
_NO_IDS = "no ids to choose among: the release has counts, which epsilon and delta bound"


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """What is tried on both sides: the targets by number, and the items that the attacker knows of each; `texts` are queries or words."""

    attacker: str
    targets: Sequence[int]
    items: Sequence[Sequence[int]]
    texts: Sequence[str]
    words: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Secret:
    """The topics, and how many people have each: `prior` begins with those without."""

    words: Mapping[str, int]
    own: npt.NDArray[np.int64]
    prior: npt.NDArray[np.float64]


def attack(
    log: Any,
    release: str | PathLike[str] | None = None,
    *,
    owners: str | PathLike[str] | None = None,
    knows: int = 3,
    targets: int = 500,
    common: int = 10,
    people: str | PathLike[str] | None = None,
    known: Sequence[str] = ("LastName", "Town", "Age"),
    topics: str | PathLike[str] | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    **options: Any,
) -> Attacked:
    """Attack a log as it would be with new ids only, and its release.

    Parameters
    ----------
    log : path, frame or Arrow table
        The log; also a folder that `generate` has written.
    release : path, optional
        What was published of it.
    owners : path, optional
        Whose the ids of the release are, from `publish`; only who is right is read from it.
    knows : int
        How many queries of a person an attacker knows, up to 8.
    targets : int
        At most so many people are attacked, chosen by the seed.
    common : int
        A query with at least so many people is common.
    people : path, optional
        A Parquet file with `UserId` and what an attacker knows who knows the person.
    known : list of str
        The columns of `people` that are known.
    topics : path, optional
        Words and topics that are secret, one `word,topic` a line; illnesses without it.
    seed : int
        Chooses targets and what is known of them.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    if not 1 <= knows <= MOST_KNOWN:
        raise UsageError(f"an attacker knows 1 to {MOST_KNOWN} queries", where=argument("knows"))
    if targets < 1 or common < 1:
        raise UsageError("must be 1 or more", where=argument("targets" if targets < 1 else "common"))
    counted = release is not None and is_private(Path(release))
    if release is not None and owners is None and not counted:
        raise UsageError(
            f"without the owners nobody can say who is right; {argument('owners')} of publish writes them",
            where=argument("owners"),
        )
    step, rng = watch or (lambda name, engine: None), np.random.default_rng(seed)
    words = _numbered(read_topics(None if topics is None else Path(topics)))
    with before(log, options) as side:
        if release is not None and owners is not None and not counted:
            require_owners(side, Path(release), Path(owners))
        step("attacking the log with new ids", side.queries.engine)
        secret = _secret(side, words)
        plans = list(_plans(side, rng, knows, targets, common, set(secret.words)))
        if people is not None:
            plans.append(_attributes(side, people_table(Path(people), known), known, rng, targets))
        found = [_attempt(side, plan, secret, secret.own) for plan in plans]
        persons = side.people
    if counted:
        return Attacked(len(persons), None, seed, (*found, *(Attempt(plan.attacker, AFTER, reason=_NO_IDS) for plan in plans)))
    if release is None or owners is None:
        return Attacked(len(persons), None, seed, tuple(found))
    with after(Path(release), Path(owners), persons, options) as side:
        step("attacking the release", side.queries.engine)
        shown = side.secrets(table_of_words(side.texts(), secret.words, "Topic"))
        found += [_attempt(side, plan, secret, shown) for plan in plans]
        found.append(_linked(side, rng, targets))
        ids = side.ids
    return Attacked(len(persons), ids, seed, tuple(found))


def is_private(release: Path) -> bool:
    """Whether a release has counts instead of rows."""
    import pyarrow.parquet as pq

    from sfumato.inputs import opened

    with opened(release) as file:
        if release.suffix == ".csv":
            return file.readline().strip() == b"Period,Query,People"
        try:
            return bool(pq.read_schema(file).names == ["Period", "Query", "People"])
        except pa.ArrowException:
            return False


def _numbered(topics: Mapping[str, str]) -> dict[str, int]:
    numbers = {topic: place for place, topic in enumerate(dict.fromkeys(topics.values()), start=1)}
    return {word: numbers[topic] for word, topic in topics.items()}


def _secret(side: Side, words: Mapping[str, int]) -> _Secret:
    own = side.secrets(table_of_words(side.texts(), words, "Topic"))
    return _Secret(words, own, np.bincount(own, minlength=max(words.values()) + 1) / side.ids)


def _plans(
    side: Side, rng: np.random.Generator, knows: int, targets: int, common: int, telling: Collection[str]
) -> Iterator[_Plan]:
    """Attackers who know some queries, whichever or common ones. None has a `telling` word, for what that is about is to be inferred."""
    tried = [int(each) for each in rng.permutation(side.ids)[: 4 * targets]]
    have = {
        person: [text for text in texts if not any(word in telling for word in text.split(" "))]
        for person, texts in side.queries_of(tried).items()
    }
    texts = tuple(sorted({text for own in have.values() for text in own}))
    place = {text: number for number, text in enumerate(texts)}
    sizes = side.sizes(_items(texts), len(texts))
    for attacker, least in ((ANY, 1), (COMMON, common)):
        own = {person: [place[text] for text in have[person] if sizes[place[text]] >= least] for person in tried}
        chosen = [person for person in tried if len(own[person]) >= knows][:targets]
        items = [sorted(rng.choice(own[person], knows, replace=False).tolist()) for person in chosen]
        yield _narrowed(f"knows {knows} {attacker}", chosen, items, texts)


def _narrowed(attacker: str, chosen: Sequence[int], items: Sequence[Sequence[int]], texts: Sequence[str]) -> _Plan:
    """A plan with those texts only that somebody knows."""
    used = sorted({item for own in items for item in own})
    place = {item: number for number, item in enumerate(used)}
    return _Plan(attacker, chosen, [[place[item] for item in own] for own in items], [texts[item] for item in used], words=False)


def _items(texts: Sequence[str]) -> pa.Table:
    return pa.table({"Item": pa.array(range(len(texts)), pa.int64()), "Query": pa.array(texts, pa.string())})


def _attributes(side: Side, table: pa.Table, names: Sequence[str], rng: np.random.Generator, targets: int) -> _Plan:
    """An attacker who knows the person: every word of what is known is an item."""
    number = {user: place for place, user in enumerate(side.people.to_pylist())}
    rows = [row for row in table.to_pylist() if row[ID] in number]
    chosen = [rows[place] for place in rng.permutation(len(rows))[:targets]]
    words = [
        [word for name, value in row.items() if name != ID and value for word in value.split(" ")][:MOST_KNOWN] for row in chosen
    ]
    texts = sorted({word for own in words for word in own})
    place = {word: number for number, word in enumerate(texts)}
    items = [sorted({place[word] for word in own}) for own in words]
    return _Plan(f"knows {', '.join(names)}", [number[row[ID]] for row in chosen], items, texts, words=True)


def _attempt(side: Side, plan: _Plan, secret: _Secret, shown: npt.NDArray[np.int64]) -> Attempt:
    """Try a plan on a side; `shown` is the topic that each id shows."""
    if not plan.targets:
        return Attempt(plan.attacker, side.name, reason=_NOBODY)
    numbers = {text: place for place, text in enumerate(plan.texts)}
    items = table_of_words(side.texts(), numbers, "Item") if plan.words and numbers else _items(plan.texts)
    postings = side.postings(items, len(plan.texts))
    found = [_best([postings[item] for item in own], side.ids) for own in plan.items]
    owned = [side.owner[ids] == target for ids, target in zip(found, plan.targets, strict=True)]
    hits = sum(float(right.mean()) for right in owned if len(right))
    alone = sum(1 for right in owned if len(right) == 1 and right[0])
    sizes = tuple(len(ids) for ids in found if len(ids))
    leak = None if plan.words else _leak(side, plan, found, secret, shown)
    return Attempt(plan.attacker, side.name, len(plan.targets), hits, 1 / len(side.people), alone, sizes, leak)


def _best(postings: Sequence[Ids], total: int, without: int | None = None) -> Ids:
    return candidates([each for ids in postings if (each := known(ids, total)) is not None], without)


def _leak(side: Side, plan: _Plan, found: Sequence[Ids], secret: _Secret, shown: npt.NDArray[np.int64]) -> Leak:
    """The belief about a target is the mean of those about the candidates; without candidates it is that of before. An id that shows no
    topic may still be that of somebody who has one: what is believed of it is what is true of all such ids, every person counting once."""
    size = len(secret.prior)
    met = np.zeros((size, size))
    np.add.at(met, (shown, secret.own[side.owner]), 1 / np.bincount(side.owner)[side.owner])
    total = met.sum(axis=1, keepdims=True)
    true = np.divide(met, total, out=np.zeros_like(met), where=total > 0)
    beliefs = [true[shown[ids]].mean(axis=0) if len(ids) else secret.prior for ids in found]
    belief = np.array(beliefs).reshape(-1, size)
    distance = np.sqrt(((secret.prior - belief) ** 2).sum(axis=1))
    difference = np.abs(entropy_of(secret.prior) - entropy_of(belief))
    own = secret.own[np.array(plan.targets, np.int64)]
    have = own > 0
    right = int((belief.argmax(axis=1)[have] == own[have]).sum())
    baseline = float((own[have] == secret.prior.argmax()).mean()) if have.any() else 0.0
    summaries = [(float(each.mean()), float(each.max())) if len(each) else (0.0, 0.0) for each in (distance, difference)]
    return Leak(size - 1, summaries[0], summaries[1], int(have.sum()), right, baseline)


def _linked(side: Side, rng: np.random.Generator, targets: int) -> Attempt:
    """An attacker who has one id of somebody, and looks for another by the queries under it."""
    of_person = np.bincount(side.owner, minlength=len(side.people))
    several = np.flatnonzero(of_person[side.owner] > 1)
    if not len(several):
        return Attempt(_LINKER, side.name, reason="nobody has several ids in the release")
    chosen = [int(each) for each in rng.permutation(several)[:targets]]
    have = side.queries_of(chosen)
    texts = sorted({text for own in have.values() for text in own})
    place = {text: number for number, text in enumerate(texts)}
    postings = side.postings(_items(texts), len(texts))
    found = [_best([postings[place[text]] for text in have[each]], side.ids, each) for each in chosen]
    owned = [side.owner[ids] == side.owner[each] for ids, each in zip(found, chosen, strict=True)]
    hits = sum(float(right.mean()) for right in owned if len(right))
    alone = sum(1 for right in owned if len(right) == 1 and right[0])
    by_chance = float(((of_person[side.owner[chosen]] - 1) / max(side.ids - 1, 1)).mean())
    return Attempt(_LINKER, side.name, len(chosen), hits, by_chance, alone, tuple(map(len, found)))
