"""Folders, to and from storage: file by file, each whole or not at all; what fails is told, and the others go on."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.storage.addresses import DEFAULT, Address
from headland.cli.storage.blobs import Blobs

T = TypeVar("T")

#: Who can't reach the service, or may not, can't or may not for the next file either.
_FOR_ALL = frozenset({ExitCode.UNREACHABLE, ExitCode.DENIED})


def upload_folder(
    blobs: Blobs,
    folder: Path,
    target: Address,
    *,
    quiet: bool,
    done: Callable[[Address, dict[str, Any]], None],
) -> None:
    """Copy every file below `folder` to below `target`; `done` is told of each, and what the service answers.

    Raises:
        CliError: some could not be copied, or there are none.
    """

    def copy(file: Path, place: str) -> None:
        _check_file(file, folder)
        below = file.relative_to(folder).as_posix()
        _check_name(below, str(file))
        path = f"{target.path}/{below}" if target.path else below
        address = replace(target, path=path)
        done(address, blobs.upload(file, address, title=f"{place} {file.name}", quiet=quiet))

    found = list(_below(folder))
    if not found:
        raise CliError(f"there is no file below {folder}", "storage keeps no empty folders", ExitCode.USAGE)
    _each(found, copy)


def download_folder(
    blobs: Blobs,
    source: Address,
    paths: Sequence[str],
    target: Path,
    *,
    quiet: bool,
    done: Callable[[Path], None],
) -> None:
    """Copy the blobs with these paths, which are below `source`, to below `target`; `done` is told of each file.

    Raises:
        CliError: some could not be copied.
    """

    def copy(path: str, place: str) -> None:
        address = replace(source, path=path)
        below = path.removeprefix(f"{source.path}/" if source.path else "")
        _check_name(below, address.url)
        file = target
        try:
            for part in below.split("/")[:-1]:
                file /= part
                if file.is_symlink():
                    raise CliError(f"{file} is a link, which may lead out of {target}", "name another folder")
                file.mkdir(parents=True, exist_ok=True)
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CliError(f"{file} can't be made ({error.strerror})", "name another folder") from None
        file = target / below
        blobs.download(address, file, title=f"{place} {file.name}", quiet=quiet)
        done(file)

    _each(paths, copy)


def paths_below(blobs: Blobs, folder: Address) -> list[str]:
    """The paths of all blobs below a folder."""
    prefix = f"{folder.path}/" if folder.path else ""
    listed = (str(item["path"]) for item in blobs.list(replace(folder, path=prefix)))
    return [path for path in listed if path != prefix]


def folder_address(text: str) -> Address:
    """A folder, or a whole container, from a `wasbs://` URL or a path in the default container.

    Raises:
        click.BadParameter: it is neither.
    """
    address = Address.parse(text)
    return replace(address, path=address.path.rstrip("/"))


def local_folder(address: Address, named: str | None) -> Path:
    """Where a folder of storage goes: what was named, else its own name in the working folder.

    Raises:
        click.BadParameter: it has no name.
    """
    name = named or address.name or ("" if address.container == DEFAULT else address.container)
    if name in {"", "-"}:
        raise click.BadParameter("Name the folder to copy all of it to.", param_hint="FILE")
    return Path(name)


def _each(items: Sequence[T], copy: Callable[[T, str], None]) -> None:
    failed = 0
    for number, item in enumerate(items, 1):
        try:
            copy(item, f"{number}/{len(items)}")
        except CliError as error:
            if error.code in _FOR_ALL:
                raise
            error.show()
            failed += 1
    if failed:
        raise CliError(
            f"{failed} of {len(items)} files were not copied", "the same command tries them all again"
        )


def _below(folder: Path) -> Iterator[Path]:
    """Whatever is no folder, and links, and folders that can't be read."""
    unreadable: list[OSError] = []
    for above, folders, names in os.walk(folder, onerror=unreadable.append):
        folders.sort()
        links = [name for name in folders if Path(above, name).is_symlink()]
        for name in sorted([*names, *links]):
            yield Path(above, name)
    for error in unreadable:
        yield Path(os.fsdecode(error.filename))


def _check_file(file: Path, folder: Path) -> None:
    if file.is_symlink() and not (file.is_file() and file.resolve().is_relative_to(folder.resolve())):
        raise CliError(
            f"{file} is a link that leads to no file in {folder}", "copy by itself what it leads to"
        )
    if file.is_dir():
        raise CliError(f"folder {file} can't be read", "ask its owner")


def _check_name(path: str, shown: str) -> None:
    from headland.storage.names import path_problem, printable  # noqa: PLC0415 - with all of storage, for folders alone

    problem = path_problem(path)
    if problem is not None:
        raise CliError(
            f"{printable(shown)} can't be copied: {problem}", "give it another name", ExitCode.USAGE
        )
