"""Packages that keep large tool outputs out of a model's input, ours among them, on the same documents."""
