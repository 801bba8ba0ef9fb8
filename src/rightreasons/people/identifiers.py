"""Identifiers and tokens of participants: random, or derived with the salt of the study; the database has only hashes.

A token is what a participant's link and cookie contain. The identifier is what researchers and tables see. Neither can
be computed from the other, nor from the identifier that a panel such as Prolific gave someone, without the salt.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

CODE_LENGTH = 8
_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that are mistaken for each other


def make_random_identifier() -> str:
    """Draw the identifier of someone who came without one."""
    return secrets.token_hex(16)


def hash_identifier(salt: str, name: str) -> str:
    """Return the identifier of someone with a name, such as the PROLIFIC_PID."""
    return _compute_mac(salt, "identifier", name).hex()[:32]


def make_random_token() -> str:
    """Draw the token of a personal link."""
    return secrets.token_urlsafe(24)


def derive_token(salt: str, name: str) -> str:
    """Return the token of someone whom a panel sends, the same each time they come."""
    return base64.urlsafe_b64encode(_compute_mac(salt, "token", name)[:24]).decode()


def hash_token(token: str) -> str:
    """Return the hash of a token that the database stores."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def sign_text(salt: str, purpose: str, text: str) -> str:
    """Return a signature of a text that nobody without the salt can make."""
    return base64.urlsafe_b64encode(_compute_mac(salt, purpose, text)).decode().rstrip("=")


def are_equal(one: str, other: str) -> bool:
    """Compare two secrets in a time that does not depend on where they differ."""
    digests = [hashlib.sha256(text.encode(errors="replace")).digest() for text in (one, other)]
    return hmac.compare_digest(*digests)


def make_completion_code(salt: str, participant: str) -> str:
    """Return the code that shows that a participant has completed the study."""
    digest = _compute_mac(salt, "completion", participant)
    return "".join(_CODE_LETTERS[byte % len(_CODE_LETTERS)] for byte in digest[:CODE_LENGTH])


def _compute_mac(salt: str, purpose: str, text: str) -> bytes:
    return hmac.new(salt.encode(), f"{purpose}\0{text}".encode(errors="replace"), hashlib.sha256).digest()
