"""Run commands with faults: a process that has loaded everything forks for each of them, so a command costs a fraction of a second.

Started with `faults.c` preloaded. Reads one request per line and answers with one line, both as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    import duckdb  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    import sfumato.assessment.published
    import sfumato.negotiation.files
    import sfumato.reporting.making
    import sfumato.search.compiled.kernels
    import sfumato.signing.keys
    import sfumato.verbs.anonymize
    import sfumato.verbs.explore
    import sfumato.verbs.profile  # noqa: F401
    from sfumato.cli import main as command

    faults = ctypes.CDLL(None)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(request, faults, command)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(json.dumps({"status": os.waitstatus_to_exitcode(status)}) + "\n")
        sys.stdout.flush()


def _run(request: dict[str, Any], faults: Any, command: Any) -> None:
    """In the child: one command, whose output goes to files."""
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    for stream, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(Path(request["aside"]) / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
    log = request["log"]
    faults.faults_arm(
        request["folder"].encode(), request["mode"], ctypes.c_long(request["at"]), request["code"], log and log.encode()
    )
    sys.argv = ["sfumato", *request["arguments"]]
    try:
        command.main()
    except SystemExit as ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 70)
    except BaseException:
        os._exit(71)


if __name__ == "__main__":
    main()
