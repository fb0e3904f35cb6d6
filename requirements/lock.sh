#!/bin/sh
# Writes the lock files, from pyproject.toml, for the documentation and for clients of MCP that the tests try: names, versions and hashes only, for every platform
# (docs/adr/0002-lock-format.md).
# UPGRADE=--upgrade takes the newest releases that the bounds allow; otherwise what is locked stays.
set -eu
cd "$(dirname "$0")/.."
lock() {
    uv pip compile pyproject.toml --quiet --generate-hashes --universal --python-version 3.11 \
        --no-emit-index-url --no-emit-find-links --no-header ${UPGRADE:-} "$@"
}
lock -o requirements/runtime.txt
lock --extra server --extra fast --extra mcp --extra oidc --extra otel --extra dev -c requirements/runtime.txt -o requirements/dev.txt
# One for each framework, with what the adapter's own tests need; none of them has to agree with another.
for file in requirements/adapters/*.in; do
    name=$(basename "$file" .in)
    case $name in sdk | llama-index) extra= ;; *) extra="--extra $name" ;; esac
    lock $extra "$file" -c requirements/runtime.txt -o "requirements/adapters/$name.txt"
done
for file in requirements/docs.in requirements/clients/*.in requirements/http/*.in; do
    uv pip compile "$file" --quiet --generate-hashes --universal --python-version 3.11 \
        --no-emit-index-url --no-emit-find-links --no-header ${UPGRADE:-} -o "${file%.in}.txt"
done
