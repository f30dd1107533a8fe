"""The image of the service: what can be known of it without building it, and that the wheel it installs is complete."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.docs.fences import ROOT
from tests.web.service.test_serve import end

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
# What `sfumato serve --database postgresql://…` imports that is not ours, and what reads the workbooks that people send.
NEEDED = ["fastapi", "uvicorn", "jinja2", "sqlalchemy", "alembic", "argon2-cffi", "python-multipart", "psycopg", "psycopg-binary"]
NEEDED += ["python-calamine", "duckdb", "numba", "pyarrow", "cryptography", "typer", "rich", "msgspec", "numpy"]
CONTENT = ("templates/", "static/", "service/store/migrations/versions/")


def arguments_of(instruction: str) -> list[str]:
    """What stands behind an instruction, in order."""
    return re.findall(rf"^{instruction}\s+(.*)$", DOCKERFILE, re.MULTILINE)


def pinned(name: str) -> dict[str, str]:
    """The packages of a file of requirements without their extras, each with its entry."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return {re.split(r"==|\[", entry, maxsplit=1)[0]: entry for entry in re.split(r"\n(?=\S)", text) if "==" in entry}


def test_everything_that_is_copied_is_in_the_checkout_and_sent_to_the_builder() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    copied = [name for line in arguments_of("COPY") if "--from" not in line for name in line.split()[:-1]]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert name.split("/")[0] in sent, name


def test_every_package_is_pinned_by_its_hashes() -> None:
    for name in ("service", "build"):
        assert all("--hash=sha256:" in entry for entry in pinned(name).values())
        assert "://" not in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert set(NEEDED) <= set(pinned("service"))
    assert "hatchling" in pinned("build")
    installs = re.findall(r"pip install ([^&]*)", DOCKERFILE)
    assert all("--require-hashes" in line or "--no-deps" in line for line in installs)


def test_the_pins_are_those_that_the_tests_run_with() -> None:
    tested = pinned("dev")
    for name, entry in pinned("service").items():
        if name in tested:
            assert entry.split()[0] == tested[name].split()[0]


def test_the_service_runs_as_nobody_in_particular_and_keeps_its_data_in_a_volume() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER sfumato$", last, re.MULTILINE)
    assert re.search(r"^VOLUME /data$", last, re.MULTILINE)
    assert re.search(r"^EXPOSE 8000$", last, re.MULTILINE)
    assert "/health" in arguments_of("HEALTHCHECK")[0]


def test_the_store_of_compose_is_waited_for_and_its_password_is_on_no_command_line() -> None:
    service, database = COMPOSE["services"]["sfumato"], COMPOSE["services"]["database"]
    assert service["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert database["image"] == "postgres:17"
    assert (
        "pg_isready --host 127.0.0.1" in database["healthcheck"]["test"][1]
    )  # the server that makes it answers on its socket only
    assert set(service["secrets"]) == set(database["secrets"]) == set(COMPOSE["secrets"])
    assert {each.split(":")[0] for each in (*service["volumes"], *database["volumes"])} == set(COMPOSE["volumes"])
    # Otherwise the proxy would be the only one who ever comes, and a hundred wrong passwords would lock everybody out.
    assert service["environment"]["FORWARDED_ALLOW_IPS"] == "${FORWARDED_ALLOW_IPS:-127.0.0.1}"
    shell = service["command"][-1]
    assert "exec sfumato serve --folder /data" in shell
    assert "--database" not in shell


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the image installs, built as it builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([sys.executable, *build], check=True, capture_output=True)
    return next(folder.glob("sfumato-*.whl"))


@pytest.mark.slow
def test_the_wheel_has_templates_static_files_and_migrations(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    here = ROOT / "src"
    files = {str(path.relative_to(here)) for path in here.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert files <= packed
    for part in CONTENT:
        assert any(name.startswith(f"sfumato/web/{part}") for name in packed), part


@pytest.mark.slow
def test_the_command_of_the_image_serves_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    program, *arguments = json.loads(arguments_of("CMD")[-1])
    assert program == "sfumato"
    places = {"/data": str(tmp_path / "data"), "8000": str(port := _free())}
    command = [
        sys.executable,
        "-c",
        "from sfumato.cli.entry import main; main()",
        *(places.get(each, each) for each in arguments),
    ]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed"), "SFUMATO_ADDRESS": "http://localhost:8000"}
    with subprocess.Popen(
        [*command, "--json"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        said = json.loads("".join(lines))
        assert said["address"] == "http://localhost:8000"
        for place in ("/health", said["set_up"].removeprefix(said["address"]), "/static/pages.css", "/sign-in"):
            with urlopen(f"http://127.0.0.1:{port}{place}", timeout=60) as answer:
                assert answer.status == 200, place
        _, health = arguments_of("HEALTHCHECK")[0].split(" CMD ")
        _, *check = [each.replace("8000", str(port)) for each in json.loads(health)]
        elsewhere = {**os.environ, "http_proxy": f"http://127.0.0.1:{_free()}", "no_proxy": ""}  # as an engine may set it
        subprocess.run([sys.executable, *check], env=elsewhere, check=True, timeout=60)
        assert end(process) == (0, "")
    assert subprocess.run([sys.executable, *check], capture_output=True, timeout=60).returncode != 0


def _free() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
