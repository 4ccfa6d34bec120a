"""The bootstrap and the dispatch: what a newcomer types first."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from build.paths import ROOT
from cairn.cli import __main__ as dispatch
from cairn.cli import chromium, test


@pytest.fixture
def bootstrap() -> ModuleType:
    """The `cairn` script as a module."""
    loader = importlib.machinery.SourceFileLoader("cairn_bootstrap", str(ROOT / "cairn"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def test_help_needs_no_set_up() -> None:
    """Intent: ./cairn alone answers at once, by the system's own Python, and names every command."""
    run = subprocess.run([sys.executable, ROOT / "cairn"], capture_output=True, text=True, check=True)
    for name in dispatch.COMMANDS:
        assert f"  {name}" in run.stdout


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Intent: a typing error shows what there is, with the status of a usage error."""
    assert dispatch.main(["biuld"]) == 2
    assert "no command biuld" in capsys.readouterr().err


def test_every_command_is_set_up(bootstrap: ModuleType) -> None:
    """Intent: a command added to the dispatch is not forgotten in the bootstrap."""
    assert set(bootstrap.NEEDS) == set(dispatch.COMMANDS)
    for groups in bootstrap.NEEDS.values():
        for group in groups:
            assert (ROOT / "requirements" / f"{group}.txt").is_file()


@pytest.mark.parametrize("name", ["run", "test", "check"])
def test_requirements_are_exact(name: str) -> None:
    """Intent: two checkouts of one commit install the same packages."""
    for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines():
        requirement = line.split("#")[0].strip()
        assert not requirement or requirement.count("==") == 1, line


def test_failures_are_one_sentence(bootstrap: ModuleType) -> None:
    """Intent: the two causes a person can do something about are told apart from the rest."""
    assert "disk is full" in bootstrap.explain("OSError: [Errno 28] No space left on device", "x")
    assert "network" in bootstrap.explain("npm error code ENOTFOUND", "x")
    assert "network" in bootstrap.explain("Temporary failure in name resolution", "x")
    assert bootstrap.explain("something else", "pip failed: y") == "pip failed: y"


def test_too_little_disk_is_said_before_anything_is_installed(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Intent: nobody waits for minutes to learn that it cannot fit."""
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10**9})())
    with pytest.raises(bootstrap.SetupError, match=r"1\.0 GB are free"):
        bootstrap.create_venv()
    assert not (tmp_path / ".venv").exists()


def test_a_failing_tool_is_reported_by_its_last_word(bootstrap: ModuleType) -> None:
    """Intent: the command's own reason reaches the person, and its status is seen."""
    output: list[str] = []
    status = bootstrap.run(
        [sys.executable, "-c", "print('a'); print('the reason'); raise SystemExit(3)"], output
    )
    assert (status, bootstrap.last_line(output)) == (3, "the reason")


def test_stamps_survive_damage(bootstrap: ModuleType, tmp_path: Path) -> None:
    """Intent: a half-written stamp means setting up again, not a traceback."""
    path = tmp_path / "stamp.json"
    assert bootstrap.read_stamp(path) == {}
    path.write_text('{"half')
    assert bootstrap.read_stamp(path) == {}
    bootstrap.write_stamp(path, {"npm": "1"})
    assert bootstrap.read_stamp(path) == {"npm": "1"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["stamp.json"]


def test_chromium_named_by_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Intent: CAIRN_CHROMIUM decides, also when it is wrong: no other browser is taken silently."""
    browser = tmp_path / "my-chrome"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    monkeypatch.setenv("CAIRN_CHROMIUM", str(browser))
    assert chromium.find() == str(browser)
    monkeypatch.setenv("CAIRN_CHROMIUM", str(tmp_path / "absent"))
    assert chromium.find() is None
    with pytest.raises(SystemExit, match="CAIRN_CHROMIUM"):
        chromium.ensure()


def test_one_tier_runs_alone_and_other_arguments_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: --tier unit needs no browser and no site; -k reaches pytest."""
    called: list[list[str]] = []
    monkeypatch.setattr(test.checkout, "pytest", lambda arguments, environment: called.append(arguments) or 0)
    monkeypatch.setattr(test.chromium, "ensure", lambda: pytest.fail("looked for a browser"))
    assert test.main(["--tier", "unit", "-k", "serve"]) == 0
    assert called == [["tests/unit", "-k", "serve"]]
    assert test.main(["tests/unit/build", "-q"]) == 0
    assert called[1] == ["tests/unit/build", "-q"]
