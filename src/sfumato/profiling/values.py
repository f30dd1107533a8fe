"""The distinct values of a column: some chunks of them in memory, the rest on disk. They are looked at chunk by chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.vocabulary.spelling import Variants, folded

_SLICE = 4096


class Values:
    """Chunks of distinct values. Beyond `room` bytes, those that come are put into a file, compressed."""

    def __init__(self, room: int, spool: Callable[[], Path]) -> None:
        self._room, self._spool = room, spool
        self._chunks: list[pa.Array] = []
        self._writer: pa.RecordBatchFileWriter | None = None
        self._file: Path | None = None

    @classmethod
    def of(cls, values: pa.Array) -> Values:
        """Values that are in memory anyway."""
        made = cls(0, Path)
        made._chunks = [values]
        return made

    def add(self, chunk: pa.Array) -> None:
        """Further values, none of which came before."""
        self._room -= chunk.nbytes
        if self._room >= 0:
            self._chunks.append(chunk)
            return
        if self._writer is None:
            self._file = self._spool()
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writer = pa.ipc.new_file(str(self._file), pa.schema([("value", chunk.type)]), options=options)
        self._writer.write_batch(pa.record_batch([chunk], ["value"]))

    def chunks(self) -> Iterator[pa.Array]:
        """All values, a chunk at a time."""
        yield from self._chunks
        if self._writer is not None:
            self._writer.close()
            with pa.OSFile(str(self._file)) as file, pa.ipc.open_file(file) as reader:
                for number in range(reader.num_record_batches):
                    yield reader.get_batch(number).column(0)

    def texts(self) -> Iterator[str]:
        """The values as text, some at a time: there may be many millions."""
        for chunk in self.chunks():
            yield from texts_of(chunk)

    def variants(self) -> Variants | None:
        """How many of the values are spellings of the same one. Equal texts have equal hashes: only those that share one are compared."""
        hashes = [np.fromiter((hash(folded(text)) for text in texts_of(chunk)), np.int64, len(chunk)) for chunk in self.chunks()]
        if not hashes:
            return None
        numbers, counts = np.unique(np.concatenate(hashes), return_counts=True)
        repeated = set(numbers[counts > 1].tolist())
        if not repeated:
            return None
        shared = Counter(common for common in map(folded, self.texts()) if hash(common) in repeated)
        several = [count for count in shared.values() if count > 1]
        return Variants(sum(several), len(several)) if several else None


def texts_of(chunk: pa.Array) -> Iterator[str]:
    """The values of a chunk as text."""
    for begin in range(0, len(chunk), _SLICE):
        yield from map(str, chunk.slice(begin, _SLICE).to_pylist())
