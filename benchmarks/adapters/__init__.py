"""Agents of other frameworks with and without our adapters; each module runs in its framework's environment."""
