#!/bin/sh
# Writes the lock files, from pyproject.toml and for the documentation: names, versions and hashes only, for every platform
# (docs/adr/0002-lock-format.md).
# UPGRADE=--upgrade takes the newest releases that the bounds allow; otherwise what is locked stays.
set -eu
cd "$(dirname "$0")/.."
lock() {
    uv pip compile pyproject.toml --quiet --generate-hashes --universal --python-version 3.11 \
        --no-emit-index-url --no-emit-find-links --no-header ${UPGRADE:-} "$@"
}
lock -o requirements/runtime.txt
lock --extra server --extra fast --extra mcp --extra dev -c requirements/runtime.txt -o requirements/dev.txt
# One for each framework, with what the adapter's own tests need; none of them has to agree with another.
for file in requirements/adapters/*.in; do
    name=$(basename "$file" .in)
    case $name in sdk) extra= ;; *) extra="--extra $name" ;; esac
    lock $extra "$file" -c requirements/runtime.txt -o "requirements/adapters/$name.txt"
done
uv pip compile requirements/docs.in --quiet --generate-hashes --universal --python-version 3.11 \
    --no-emit-index-url --no-emit-find-links --no-header ${UPGRADE:-} -o requirements/docs.txt
