"""Invitations: personal links for participants whom the researchers know; their tokens follow from the salt."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rightreasons.people import identifiers
from rightreasons.people.store_tables import INVITED

if TYPE_CHECKING:
    from rightreasons.people.store import StudyStore

INVITE = "invite"  # the source of invited participants


class Invitation(NamedTuple):
    """An invited participant, and the token of their link."""

    participant: str
    token: str


def create_invitations(store: StudyStore, count: int) -> list[Invitation]:
    """Invite participants under random identifiers."""
    created = []
    for _ in range(count):
        invitation = _make_invitation(store, identifiers.make_random_identifier())
        token_hash = identifiers.hash_token(invitation.token)
        store.create_participant(invitation.participant, INVITE, token_hash, invited=True)
        created.append(invitation)
    return created


def list_invitations(store: StudyStore) -> list[Invitation]:
    """List the invitations that nobody has accepted yet."""
    return [
        _make_invitation(store, row.participant)
        for row in store.list_participants()
        if row.status == INVITED and row.source == INVITE
    ]


def _make_invitation(store: StudyStore, participant: str) -> Invitation:
    return Invitation(participant, identifiers.derive_token(store.study.secrets.salt, participant))
