"""Runs migrations on the connection that the caller hands over, in the transaction that the caller commits.

Imports nothing of our packages: a migration must mean the same for ever.
"""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
