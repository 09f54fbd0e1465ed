"""The generated pages say what the code says, and the code says something of everything."""

import re
import tomllib
from pathlib import Path
from types import ModuleType

import click
import msgspec
import pytest

from headland.settings import Home, Settings, load_settings

PAGES = ("settings.md", "api.md", "openapi.json", "cli.md", "errors.md", "authorization.md", "performance.md")


def test_every_page_is_generated(docs: ModuleType) -> None:
    assert tuple(docs.PAGES) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_page_says_what_the_code_says(docs: ModuleType, name: str) -> None:
    written = (docs.HERE / name).read_text(encoding="utf-8")
    assert written == docs.PAGES[name](), f"docs/{name} is out of date: run `make docs`"


def test_parts_say_what_was_measured(docs: ModuleType) -> None:
    from generator.markdown import with_part

    assert set(docs.PARTS) == {"environments.md"}
    for name, part in docs.PARTS.items():
        written = (docs.HERE / name).read_text(encoding="utf-8")
        assert part().count("\n") > 2, f"nothing is measured for docs/{name}"
        assert written == with_part(written, part()), f"docs/{name} is out of date: run `make docs`"
        with pytest.raises(ValueError, match="0 places"):
            with_part("# A page", part())


@pytest.mark.parametrize("name", PAGES)
def test_page_begins_with_a_notice(docs: ModuleType, name: str) -> None:
    assert "Generated from the code by docs/generate.py" in docs.PAGES[name]()[:120]


def test_every_operation_has_a_summary(docs: ModuleType) -> None:
    from generator.api import declared

    for api in (*declared()[0], *declared()[1]):
        for operation in api.operations:
            place = f"{operation.method} {api.prefix}{operation.path}"
            assert operation.summary, f"{place} has no summary"
            for parameter in operation.parameters:
                assert parameter.summary, f"{parameter.name} of {place} has no summary"
            for status, answer in {**api.errors, **operation.answers}.items():
                assert answer.summary, f"{status} of {place} has no summary"


def test_every_operation_is_known_by_a_name_of_its_own(docs: ModuleType) -> None:
    from generator.api import declared, openapi_document

    paths = openapi_document(declared()[0])["paths"]
    names = [entry["operationId"] for path in paths.values() for entry in path.values()]
    assert sorted(names) == sorted(set(names))


def test_every_setting_has_a_reason(docs: ModuleType) -> None:
    from generator.settings import sections

    for about, settings in sections().values():
        assert about
        for setting in settings:
            assert setting.why, f"{setting.section}.{setting.name} has no description"


def test_every_setting_shows_a_value(docs: ModuleType) -> None:
    from generator.settings import sections

    for _, settings in sections().values():
        for setting in settings:
            shown = setting.example if setting.default in (None, [], {}) else setting.default
            assert shown is not None, f"{setting.section}.{setting.name} has neither default nor example"


def test_example_settings_are_the_defaults(docs: ModuleType) -> None:
    from generator.settings import example

    assert msgspec.convert(tomllib.loads(example()), Settings) == Settings()


def test_example_settings_without_the_comment_signs_are_good(
    docs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.settings import example, sections

    (tmp_path / "headland.toml").write_text(re.sub(r"^#(?! )", "", example(), flags=re.MULTILINE))
    settings = msgspec.to_builtins(load_settings(Home(tmp_path), {}))
    for section, (_, declared) in sections().items():
        for setting in declared:
            assert settings[section][setting.name] not in (None, [], (), {}), f"{section}.{setting.name}"


def test_every_command_and_option_has_help(docs: ModuleType) -> None:
    from generator.cli import commands

    for context in commands():
        assert context.command.get_short_help_str(), f"{context.command_path} has no help"
        for parameter in context.command.get_params(context):
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{context.command_path} {parameter.opts[0]} has no help"


def test_every_command_is_listed_with_its_own_words(docs: ModuleType) -> None:
    from generator.cli import cli_page, commands

    page = cli_page()
    for context in commands():
        assert f"\n## {context.command_path}\n" in page
