"""The tables of a study's database.

Times are whole microseconds since 1970 in UTC, which every database stores exactly. No table has an address, a browser
or a name: a participant is a random or salted identifier, and links are stored as hashes.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

# Facts about the whole study: the digest of its plan, its state, and the row that allocations lock.
DIGEST, STATE, ALLOCATION = "digest", "state", "allocation"
# The state of the study: paused lets nobody start, closed also accepts no more judgements.
OPEN, PAUSED, CLOSED = "open", "paused", "closed"
# The state of a slot.
FREE, RESERVED, JUDGED = "free", "reserved", "judged"
# The status of a participant with a personal link who has not consented yet; the others are in `judgements`.
INVITED = "invited"

METADATA = MetaData()
META = Table(
    "meta",
    METADATA,
    Column("key", String(32), primary_key=True),
    Column("value", Text, nullable=False),
)
PARTICIPANTS = Table(
    "participants",
    METADATA,
    Column("participant", String(64), primary_key=True),
    Column("source", String(32), nullable=False),
    Column("status", String(16), nullable=False),
    Column("token_hash", String(64), unique=True),  # null without a link, such as for imported participants
    Column("invited", BigInteger),
    Column("started", BigInteger),
    Column("finished", BigInteger),
    Column("seen", BigInteger),  # the last request that changed anything; idle participants lose their slots
    Column(
        "prepared", Integer, nullable=False, default=0
    ),  # 1: has read the instructions, 1 + n: n practice items
)
# A slot is one of the judgements that the plan has for an item; items have as many slots as judgements.
SLOTS = Table(
    "slots",
    METADATA,
    Column("slot", Integer, primary_key=True),
    Column("form", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("item", String(512), nullable=False),
    Column("twins", String(512)),  # the group of the item: nobody gets two items of a group
    Column("replicate", Integer, nullable=False),
    Column("state", String(8), nullable=False),
    Column("participant", String(64), ForeignKey("participants.participant")),
    Column("reserved", BigInteger),
    UniqueConstraint("item", "replicate"),
    UniqueConstraint("form", "position"),
    Index("slots_by_state", "state", "form"),
    Index("slots_by_participant", "participant"),
)
# The items of a participant in their order, controls included; an item has a slot, a control has none.
TASKS = Table(
    "tasks",
    METADATA,
    Column("participant", String(64), ForeignKey("participants.participant"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("item", String(512), nullable=False),
    Column("form", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("slot", Integer, ForeignKey("slots.slot")),
    Column("shown", BigInteger),
    Column("judged", BigInteger),
    UniqueConstraint("participant", "item"),
)
# Where the questions of an item come one by one, the first answers are stored before the item is judged.
ANSWERS = Table(
    "answers",
    METADATA,
    Column("participant", String(64), ForeignKey("participants.participant"), primary_key=True),
    Column("item", String(512), primary_key=True),
    Column("question", String(128), primary_key=True),
    Column("answer", Text, nullable=False),
    Column("seconds", Float),
)
# That someone's judgements were deleted, without who it was.
FORGOTTEN = Table(
    "forgotten",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("source", String(32), nullable=False),
    Column("judgements", Integer, nullable=False),
    Column("deleted", BigInteger, nullable=False),
)
