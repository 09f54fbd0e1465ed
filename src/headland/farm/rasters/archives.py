"""A shapefile's parts, out of the archive that they come in."""

import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from headland.farm.rasters.errors import RasterError

#: Bytes that all parts together may have.
MOST_BYTES = 1 << 29

#: What a shapefile has to have, and what it may have: its coordinate system, and the encoding of its text.
_NEEDED, _OPTIONAL = (".shp", ".dbf"), (".prj", ".cpg")

_AT_ONCE = 1 << 20

#: What macOS adds to each archive.
_NOT_MEANT = "__MACOSX"


def unpacked(archive: Path, folder: Path) -> Mapping[str, Path]:
    """Put the parts of the only shapefile in an archive into a folder; where they are, by ending.

    Raises:
        RasterError: it is no archive, has not one shapefile, lacks a part, or has too much.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = _members(opened)
            size = sum(member.file_size for member in members.values())
            if size > MOST_BYTES:
                text = f"The shapefile's parts have {size:,} bytes; {MOST_BYTES:,} are allowed."
                raise RasterError("ShapefileTooLarge", text)
            return {
                ending: _save(opened, member, folder / f"shape{ending}") for ending, member in members.items()
            }
    except zipfile.BadZipFile as error:
        text = f"The attachment is no zip archive, or is damaged ({error})."
        raise RasterError("InvalidShapefile", text) from None
    except (RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
        # Encrypted, compressed in a way that is not known, or cut off.
        raise RasterError("InvalidShapefile", f"The attachment can't be unpacked ({error}).") from None


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    every = [(PurePosixPath(each.filename), each) for each in archive.infolist() if not each.is_dir()]
    meant = [(path, each) for path, each in every if _NOT_MEANT not in path.parts]
    shapes = [path for path, _ in meant if path.suffix.lower() == ".shp"]
    if len(shapes) != 1:
        names = ", ".join(f"'{path}'" for path in shapes[:5])
        text = f"The archive has {len(shapes)} files that end in .shp{f' ({names})' if names else ''}, and not one."
        raise RasterError("InvalidShapefile", text)
    stem = str(shapes[0].with_suffix("")).lower()
    found = {path.suffix.lower(): each for path, each in meant if str(path.with_suffix("")).lower() == stem}
    if missing := [ending for ending in _NEEDED if ending not in found]:
        text = f"The archive has '{shapes[0]}', but no {' and no '.join(missing)} beside it."
        raise RasterError("InvalidShapefile", text)
    return {ending: found[ending] for ending in (*_NEEDED, *_OPTIONAL) if ending in found}


def _save(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> Path:
    # No more is read of it than it says to have, which is looked at before.
    with archive.open(member) as source, target.open("wb") as copy:
        while piece := source.read(_AT_ONCE):
            copy.write(piece)
    return target
