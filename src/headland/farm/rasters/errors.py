"""What is wrong with a shapefile."""


class RasterError(Exception):
    """No raster can be made of it. The message is for who has sent it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
