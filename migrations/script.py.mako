"""${message}

Reminders: name every constraint; import nothing of our packages; one transaction; a changed CHECK is not seen by
autogenerate; a released migration is never edited. Add a sample database of the release before to tests/migrations.
"""

import sqlalchemy as sa
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    ${upgrades if upgrades else "raise NotImplementedError"}


def downgrade() -> None:
    ${downgrades if downgrades else "raise NotImplementedError"}
