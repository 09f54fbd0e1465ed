"""Hadoop's own contract tests for file systems, run on one of ours.

Their jars come by `./install` in this folder; a JDK compiles what names them. Without them they are skipped, except
where `REQUIRE_PEERS=1` says that they must run.
"""

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from tests import startup
from tests.clients.peers import is_missing

HERE = Path(__file__).parent
SUITE = "FileSystemContract"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the tests, by `<class>.<name>`; of those that failed, what they said."""

    passed: frozenset[str]
    skipped: frozenset[str]
    failed: dict[str, str]


def run_contract(
    folder: Path,
    url: str,
    options: Path,
    conf: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Run them on `url`, which is to be a folder of the tests' own, in `folder`."""
    class_path = _class_path(folder)
    (folder / "conf.xml").write_text(_xml(conf))
    properties = {"url": url, "options": str(options), "conf": str(folder / "conf.xml")}
    command = [
        *("java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"),
        *(f"-Dcontract.{name}={value}" for name, value in properties.items()),
        *("-cp", class_path, "org.junit.platform.console.ConsoleLauncher", "execute"),
        *(f"--select-class={SUITE}${name}" for name in _classes(folder)),
        *("--details=none", "--disable-banner", f"--reports-dir={folder / 'reports'}"),
    ]
    # The tests make files where they are started.
    with (folder / "contract.log").open("w") as log:
        own = {**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})}
        subprocess.run(command, check=False, cwd=folder, stdout=log, stderr=log, env=own)
    return _outcome(folder)


def _class_path(folder: Path) -> str:
    jars = (
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "headland-tests"
        / "file-system-contract"
    )
    compiler = shutil.which("javac")
    if compiler is None or not jars.is_dir():
        is_missing("no contract tests: they need a JDK, and jars by tests/clusters/storage/install")
    spark = Path(importlib.util.find_spec("pyspark").submodule_search_locations[0]) / "jars"
    class_path = os.pathsep.join(map(str, (folder / "classes", startup.companion(), jars / "*", spark / "*")))
    subprocess.run(
        [compiler, "-nowarn", "-cp", class_path, "-d", folder / "classes", *HERE.glob("*.java")], check=True
    )
    return class_path


def _classes(folder: Path) -> list[str]:
    return sorted(file.stem.partition("$")[2] for file in (folder / "classes").glob(f"{SUITE}$*.class"))


def _outcome(folder: Path) -> Outcome:
    report = folder / "reports" / "TEST-junit-jupiter.xml"
    assert report.is_file(), (folder / "contract.log").read_text()[-5000:]
    passed, skipped, failed = set(), set(), {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314 - JUnit wrote it
        name = f"{case.get('classname').partition('$')[2]}.{case.get('name')}"
        wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
        if wrong is not None:
            failed[name] = f"{wrong.get('type')}: {wrong.get('message')}"
        elif case.find("skipped") is not None:
            skipped.add(name)
        else:
            passed.add(name)
    return Outcome(frozenset(passed), frozenset(skipped), failed)


def _xml(conf: Mapping[str, str]) -> str:
    properties = (f"<property><name>{k}</name><value>{escape(v)}</value></property>" for k, v in conf.items())
    return "<configuration>\n" + "\n".join(properties) + "\n</configuration>\n"
