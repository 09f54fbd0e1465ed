"""GEOS, by shapely, the arrays that it takes many at once in, and what writes tiles: imported when the first outline is
looked at.

That takes 0.2 seconds of a processor, which every process of the service would spend at its start, and most for
nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mapbox_vector_tile
    import numpy
    import pyproj
    import shapely
else:

    class _Later:
        """A module that is imported when something of it is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            value = getattr(importlib.import_module(self._name), attribute)
            setattr(self, attribute, value)
            return value

    mapbox_vector_tile = _Later("mapbox_vector_tile")
    numpy = _Later("numpy")
    pyproj = _Later("pyproj")
    shapely = _Later("shapely")

__all__ = ["mapbox_vector_tile", "numpy", "pyproj", "shapely"]
