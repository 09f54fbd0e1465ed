"""HTTP to rule and back: a module a noun, each with its operations as declared."""
