"""Documents: how they are written, found and deleted. Of what kinds they are is the catalogue's matter."""
