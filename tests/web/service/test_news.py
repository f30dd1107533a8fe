"""News: an account hears of its own things, without any data, as long as it is open and the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from sfumato.web.service.news import News
from tests.web.service.loops import awaited

CHANGED = "event: changed\ndata: \n\n"


def heard(story: Callable[[News], Awaitable[None]]) -> None:
    """Tell a story in the loop of a service."""

    async def run() -> None:
        news = News()
        news.open()
        await asyncio.wait_for(story(news), 30)

    awaited(run())


async def listening(news: News, account: str) -> tuple[AsyncIterator[str], asyncio.Task[str | None]]:
    """A page that has begun to listen, and what it hears next: None is the end."""
    stream = news.stream(account)
    assert (await anext(stream)).startswith("retry:")
    following = asyncio.create_task(_next(stream))
    await asyncio.sleep(0)  # it waits now
    return stream, following


async def _next(stream: AsyncIterator[str]) -> str | None:
    return await anext(stream, None)


def test_an_account_hears_of_its_own_things_only() -> None:
    async def story(news: News) -> None:
        _, ann = await listening(news, "ann")
        _, bob = await listening(news, "bob")
        news.tell("ann")
        assert await ann == CHANGED
        assert not bob.done()
        news.tell_everybody()
        assert await bob == CHANGED

    heard(story)


def test_the_pages_of_a_closed_account_hear_nothing_more() -> None:
    async def story(news: News) -> None:
        _, first = await listening(news, "ann")
        _, second = await listening(news, "ann")
        _, bob = await listening(news, "bob")
        news.leave("ann")
        news.tell("ann", "bob")
        assert [await first, await second, await bob] == [None, None, CHANGED]

    heard(story)


def test_a_service_that_ends_ends_its_streams() -> None:
    async def story(news: News) -> None:
        _, ann = await listening(news, "ann")
        news.close()
        assert await ann is None

    heard(story)


def test_of_too_many_pages_of_one_account_the_oldest_stops() -> None:
    async def story(news: News) -> None:
        pages = [await listening(news, "ann") for _ in range(9)]
        assert await pages[0][1] is None
        news.tell("ann")
        assert {await following for _, following in pages[1:]} == {CHANGED}

    heard(story)
