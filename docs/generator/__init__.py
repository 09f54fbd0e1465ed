"""What writes the generated pages of `docs/`: a module a page, each with a function that returns its text."""
