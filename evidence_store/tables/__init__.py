"""The schema: what is kept, by workspace, and what must be unique.

Rows are added and never changed; what changes is a row in a table of events, and state is computed from these. Truth is in every
table but `frames`, `containers` and `spans`, which can be made again from the stored bytes. Times are integer microseconds UTC. JSON
columns hold RFC 8785 text. Migrations make the tables; a test holds them against `whole`.

Each module is imported where its tables are used, so that a start that reads few of them pays for no others.
"""
