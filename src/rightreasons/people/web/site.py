"""A study on the web: what all pages need, and the responses that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from rightreasons.people import identifiers
from rightreasons.people.web.access import PARTICIPANT, RESEARCHER, Sessions, WebAddress, WrongTokens
from rightreasons.people.web.pages import HEADERS, read_static_file, render_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from rightreasons.people.protocol import Protocol
    from rightreasons.people.store import Participant, StudyStore


@dataclass
class StudySite:
    """A study, its database, its address, and where participants go when they have completed it."""

    store: StudyStore
    address: WebAddress
    completion_url: str | None = None
    wrong_tokens: WrongTokens = field(default_factory=WrongTokens)

    @cached_property
    def sessions(self) -> Sessions:
        """The cookies of this study."""
        return Sessions(self.address, self.store.study.secrets, self.store.study.digest)

    @property
    def protocol(self) -> Protocol:
        """The protocol of the study."""
        return self.store.study.protocol

    @property
    def salt(self) -> str:
        """The salt of identifiers and signatures."""
        return self.store.study.secrets.salt

    @property
    def title(self) -> str:
        """The title that participants see."""
        return self.protocol.texts.get("title") or "Study"

    def make_link(self, path: str) -> str:
        """Return the whole URL of a path."""
        return f"{self.address.url}{path}"

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """Render a page as a response."""
        from starlette.responses import HTMLResponse

        shared = {
            "site_title": self.title,
            "prefix": self.address.prefix,
            "style": read_static_file("style.css")[1],
            "script": read_static_file("keys.js")[1],
            **values,
        }
        return HTMLResponse(render_page(template, **shared), status, HEADERS)

    def redirect(self, path: str, **query: str) -> Response:
        """Redirect to a page, which is then fetched with GET."""
        from starlette.responses import RedirectResponse

        words = f"?{urlencode(query)}" if query else ""
        return RedirectResponse(f"{self.address.prefix}{path}{words}", HTTPStatus.SEE_OTHER, HEADERS)

    def render_message(self, title: str, text: str, status: int = 200) -> Response:
        """Render a page that has only a message."""
        return self.render("message.html", status=status, title=title, text=text, retry=None)


@dataclass(frozen=True)
class Visit:
    """A request: who sent it, and the fields of its form."""

    site: StudySite
    request: Request
    form: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def token(self) -> str | None:
        """The token of the participant's cookie."""
        return self.site.sessions.read_token(self.request, PARTICIPANT)

    @cached_property
    def participant(self) -> Participant | None:
        """The participant, if their token is in the database."""
        if self.token is None:
            return None
        return self.site.store.find_participant(identifiers.hash_token(self.token))

    @property
    def query(self) -> Mapping[str, str]:
        """The parameters in the URL."""
        return self.request.query_params

    def make_form_token(self, role: str = PARTICIPANT, token: str | None = None) -> str:
        """Return the CSRF token for the forms of a page."""
        known = token or self.site.sessions.read_token(self.request, role)
        return self.site.sessions.make_form_token(role, known or "")

    def check_form(self, role: str = PARTICIPANT) -> None:
        """Refuse a form of another site, or of another session."""
        self.site.address.check_origin(self.request)
        token = self.site.sessions.read_token(self.request, role)
        self.site.sessions.check_form_token(role, token, self.form.get("csrf", ""))


__all__ = ["PARTICIPANT", "RESEARCHER", "StudySite", "Visit"]
